/* ops.h - what one operator costs when there are shapes and no model: GEMM, attention, FFN, a transformer layer, ...
 * In: a kind, its dimensions, formats. Out: FLOPs by class, bytes by operand and the parts, exact, in the caller's arena.
 * The formulas stand in catalog/ridge/profile_ops.json; docs/layer-counters.md has the conventions.
 * Fails (USAGE) on a dimension that is missing, not positive or not the kind's, (OVERFLOW) beyond 128 bits. */
#ifndef RIDGE_OPERATOR_OPS_H
#define RIDGE_OPERATOR_OPS_H

#include "base/format.h"
#include "base/json.h"
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

typedef enum ridge_op_dim {
#define X(code, name) RIDGE_OP_##code,
    RIDGE_OP_DIM_LIST(X)
#undef X
        RIDGE_OP_DIM_COUNT
} ridge_op_dim;

#define RIDGE_OP_FLAG_LIST(X)                                                                                                              \
    X(CAUSAL, causal)                                                                                                                      \
    X(GATED, gated)                                                                                                                        \
    X(QUANTISED, quantised)

typedef enum ridge_op_flag {
#define X(code, name) RIDGE_OP_##code,
    RIDGE_OP_FLAG_LIST(X)
#undef X
        RIDGE_OP_FLAG_COUNT
} ridge_op_flag;

/* GEMM .. EMBEDDING: one operator. LAYER and MODEL: the profile-ops sums, which halve causal attention as COUNTED_ATTENTION does;
 * ATTENTION counts the exact pairs instead. */
typedef enum ridge_op_kind {
    RIDGE_OP_GEMM,
    RIDGE_OP_GEMV,
    RIDGE_OP_ATTENTION,
    RIDGE_OP_CONV,
    RIDGE_OP_LAYERNORM,
    RIDGE_OP_RMSNORM,
    RIDGE_OP_SOFTMAX,
    RIDGE_OP_SILU,
    RIDGE_OP_GELU,
    RIDGE_OP_RELU,
    RIDGE_OP_TANH,
    RIDGE_OP_SIGMOID,
    RIDGE_OP_ADDITION,
    RIDGE_OP_MULTIPLICATION,
    RIDGE_OP_ROPE,
    RIDGE_OP_WKV, /* the recurrence of RWKV-4 */
    RIDGE_OP_FFN,
    RIDGE_OP_EMBEDDING,
    RIDGE_OP_LAYER,
    RIDGE_OP_MODEL,
    RIDGE_OP_MATMUL, /* as GEMM, under the counters' name */
    RIDGE_OP_COUNTED_ATTENTION,
    RIDGE_OP_KIND_COUNT
} ridge_op_kind;

typedef struct ridge_op_info {
    const char *name;            /* "gemm" */
    const char *key;             /* of the catalog entry */
    unsigned required, optional; /* bit d: dimension d */
    unsigned flags;              /* bit f: flag f */
    bool has_weights;            /* or K and V: operands whose format can differ from the activations' */
} ridge_op_info;

extern const ridge_op_info ridge_op_kinds[RIDGE_OP_KIND_COUNT];
extern const char *const ridge_op_dim_names[RIDGE_OP_DIM_COUNT];
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
    ridge_op_flops flops;
    ridge_int bytes; /* the sum over the operands */
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

/* formats: NULL members are bf16 */
ridge_status ridge_ops_count(ridge_op_record *out, ridge_ops *ops, ridge_op_kind kind, const ridge_op_shape *shape,
                             const ridge_op_formats *formats, ridge_arena *arena, ridge_err *err);

/* NULL where the record has no such part */
const ridge_op_part *ridge_op_part_find(const ridge_op_record *record, const char *name);

/* places of a convolution's window along a line, as torch.nn.Conv2d has it: floor((length + 2 padding - dilation (kernel - 1) - 1) /
 * stride) + 1; below 1 where the window does not fit. What is 0 has its default: stride and dilation 1. */
ridge_int ridge_op_conv_extent(ridge_int length, ridge_int kernel, ridge_int stride, ridge_int padding, ridge_int dilation);

/* {"m": 4096, ..., "quantised": false}: what was given and the kind's flags, as members of an open object */
void ridge_op_shape_json(ridge_json_writer *w, ridge_op_kind kind, const ridge_op_shape *shape);
/* {"matmul": .., "attention": .., .., "dequantisation": ..} */
void ridge_op_flops_json(ridge_json_writer *w, const ridge_op_flops *flops);

#endif
