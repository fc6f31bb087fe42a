/* ops.h - what one operator costs when there are shapes and no model: GEMM, attention, FFN, a transformer layer, ...
 * In: a kind, its dimensions, formats. Out: FLOPs by class, bytes by operand and the parts, exact, in the caller's arena.
 * The formulas stand in catalog/ridge/profile_ops.json; docs/layer-counters.md has the conventions.
 * Fails (USAGE) on a dimension that is missing, not positive or not the kind's, (OVERFLOW) beyond 128 bits. */
#ifndef RIDGE_OPERATOR_OPS_H
#define RIDGE_OPERATOR_OPS_H

#include "base/option.h"
#include "catalog/entry.h"

/* dimensions, under the names of the catalog's parameters */
#define RIDGE_OP_DIM_LIST(X)                                                                                                               \
    X(M, m)                                                                                                                                \
    X(N, n)                                                                                                                                \
    X(K, k)                                                                                                                                \
    X(ROWS, rows)                                                                                                                          \
    X(COLS, cols)                                                                                                                          \
    X(BATCH, batch)                                                                                                                        \
    X(SEQ_LEN, seq_len)                                                                                                                    \
    X(KV_LEN, kv_len)                                                                                                                      \
    X(HEADS, heads)                                                                                                                        \
    X(KV_HEADS, kv_heads)                                                                                                                  \
    X(HEAD_DIM, head_dim)                                                                                                                  \
    X(HIDDEN, hidden)                                                                                                                      \
    X(INTERMEDIATE, intermediate)                                                                                                          \
    X(LAYERS, layers)                                                                                                                      \
    X(VOCAB, vocab)                                                                                                                        \
    X(IN_CHANNELS, in_channels)                                                                                                            \
    X(OUT_CHANNELS, out_channels)                                                                                                          \
    X(HEIGHT, height)                                                                                                                      \
    X(WIDTH, width)                                                                                                                        \
    X(KERNEL_H, kernel_h)                                                                                                                  \
    X(KERNEL_W, kernel_w)                                                                                                                  \
    X(STRIDE_H, stride_h)                                                                                                                  \
    X(STRIDE_W, stride_w)                                                                                                                  \
    X(PADDING_H, padding_h)                                                                                                                \
    X(PADDING_W, padding_w)                                                                                                                \
    X(DILATION_H, dilation_h)                                                                                                              \
    X(DILATION_W, dilation_w)                                                                                                              \
    X(GROUPS, groups)

typedef enum ridge_op_dimension {
#define X(code, name) RIDGE_OP_##code,
    RIDGE_OP_DIM_LIST(X) RIDGE_OP_DIM_COUNT
#undef X
} ridge_op_dimension;

#define RIDGE_OP_FLAG_LIST(X)                                                                                                              \
    X(CAUSAL, causal)                                                                                                                      \
    X(GATED, gated)                                                                                                                        \
    X(QUANTISED, quantised)                                                                                                                \
    X(PROJECTIONS, projections)

typedef enum ridge_op_flag {
#define X(code, name) RIDGE_OP_##code,
    RIDGE_OP_FLAG_LIST(X) RIDGE_OP_FLAG_COUNT
#undef X
} ridge_op_flag;

/* GEMM .. EMBEDDING: one operator. LAYER and MODEL: the profile-ops sums, with the flag PROJECTIONS those to Q, K, V and O too; they halve
 * causal attention as COUNTED_ATTENTION does, ATTENTION counts the exact pairs instead. */
typedef enum ridge_op_kind {
#define OP(code, ...)      RIDGE_OP_##code,
#define COUNTED(code, ...) RIDGE_OP_##code,
#include "operator/kinds.def"
    RIDGE_OP_KIND_COUNT
} ridge_op_kind;
extern const char *const ridge_op_kind_names[]; /* "gemm"; NULL-terminated */

typedef struct ridge_op_info {
    const char *key;             /* of the catalog entry, which says what dimensions and flags the kind has */
    const ridge_option *options; /* of a ridge_op_request (answer.h): what people call them; NULL: none, of the counters alone */
    bool has_weights;            /* or K and V: operands whose format can differ from the activations' */
} ridge_op_info;

extern const ridge_op_info ridge_op_kinds[RIDGE_OP_KIND_COUNT];
extern const char *const ridge_op_flag_names[RIDGE_OP_FLAG_COUNT];

typedef struct ridge_op_shape {
    ridge_int dims[RIDGE_OP_DIM_COUNT]; /* 0: not given */
    bool flags[RIDGE_OP_FLAG_COUNT];
} ridge_op_shape;

typedef struct ridge_op_formats {
    const ridge_format *activations, *weights, *kv;
} ridge_op_formats;

/* total = the classes + dequantisation, which is not in by_class */
typedef struct ridge_op_flops {
    ridge_int total, by_class[RIDGE_FLOP_COUNT], dequantisation;
} ridge_op_flops;

/* a component of a composite kind (attention, ffn, layernorm of a layer), all its calls together */
typedef struct ridge_op_part {
    const char *name;
    ridge_op_flops flops;
    ridge_int bytes; /* of its operands */
} ridge_op_part;

typedef struct ridge_op_operand {
    const char *name; /* "A"; "ffn.up.A" in a composite kind */
    ridge_int bytes;  /* of all its uses */
    bool written;
} ridge_op_operand;

/* one launch: the arithmetic and the operands of a single kernel, `calls` times */
typedef struct ridge_op_kernel {
    const char *name; /* "ffn.up"; "" where the kind is a single kernel */
    ridge_int calls;
    ridge_op_flops flops; /* of one call */
    ridge_int bytes;      /* of one call */
} ridge_op_kernel;

typedef struct ridge_op_record {
    ridge_op_kind kind;
    const ridge_entry *entry; /* the catalog's; lives as long as the ridge_ops */
    ridge_op_flops flops;
    ridge_int bytes;                    /* the sum over the operands */
    ridge_int parameters, stored_bytes; /* of a table whose size is known; 0 */
    ridge_op_part *parts;
    size_t part_count;
    ridge_op_operand *operands;
    size_t operand_count, operand_cap;
    ridge_op_kernel *kernels; /* together they are all FLOPs and all bytes */
    size_t kernel_count, kernel_cap;
} ridge_op_record;

/* The catalog entries, compiled on first use. One per thread. */
typedef struct ridge_ops {
    ridge_registry *registry;
} ridge_ops;

ridge_status ridge_ops_open(ridge_ops *ops, ridge_err *err);
void ridge_ops_close(ridge_ops *ops);

/* the catalog's entry of a kind */
ridge_status ridge_op_entry(ridge_entry **out, ridge_ops *ops, ridge_op_kind kind, ridge_err *err);
/* can the kind do without this dimension? */
bool ridge_op_needs(const ridge_entry *entry, ridge_op_dimension dim);

/* formats: NULL members are bf16 */
ridge_status ridge_ops_count(ridge_op_record *out, ridge_ops *ops, ridge_op_kind kind, const ridge_op_shape *shape,
                             const ridge_op_formats *formats, ridge_arena *arena, ridge_err *err);

/* NULL where the record has no such part */
const ridge_op_part *ridge_op_part_find(const ridge_op_record *record, const char *name);

/* {"m": 4096, ..., "quantised": false}: what was given of the record's shape and the kind's flags, as members of an open object */
void ridge_op_shape_json(ridge_json_writer *w, const ridge_op_record *record, const ridge_op_shape *shape);
/* {"scores": 4608, "softmax": 720}: FLOPs by part, an object */
void ridge_op_parts_json(ridge_json_writer *w, const ridge_op_record *record);

#endif
