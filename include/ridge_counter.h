/* ridge_counter.h - FLOPs of layers whose shapes are known, with or without adding them up; made for C and for ctypes.
 * Pure functions fill the caller's struct. A counter keeps one record per layer and owns every string it hands out, until clear or free.
 * Functions that return int answer 0, or a positive code (2 a bad shape, 1 anything else: overflow, no memory, no such layer) and a
 * NUL-terminated message in message[0..size) (which may be NULL, 0).
 * A shape must be positive. Conventions: docs/layer-counters.md. Thread-safe, except that one counter belongs to one thread at a time. */
#ifndef RIDGE_COUNTER_H
#define RIDGE_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#ifndef RIDGE_API
#if defined(__GNUC__)
#define RIDGE_API __attribute__((visibility("default")))
#else
#define RIDGE_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A signed 128-bit integer: hi * 2^64 + lo. 64 bits do not hold the FLOPs of a large training run. */
typedef struct ridge_count {
    uint64_t lo;
    int64_t hi;
} ridge_count;

/* Decimal text, NUL-terminated where size allows (41 bytes always do); returns the length of the whole text, as snprintf. */
RIDGE_API size_t ridge_count_text(ridge_count value, char *out, size_t size);
RIDGE_API double ridge_count_double(ridge_count value); /* nearest */

/* total = matmul + attention + activation + embedding + other + dequantisation */
typedef struct ridge_flops {
    ridge_count total;
    ridge_count matmul, attention, activation, embedding, other;
    ridge_count dequantisation; /* unpacking quantised weights, counted as one more matmul */
} ridge_flops;

/* ---- pure functions: flags are 0 or 1, anything else is refused ---- */

/* C[m, n] = A[m, k] B[k, n]: 2 m n k, doubled when quantised */
RIDGE_API int ridge_op_matmul(ridge_flops *out, uint64_t m, uint64_t n, uint64_t k, int quantised, char *message, size_t size);
/* two products and 5 per score, each halved (integer) when causal */
RIDGE_API int ridge_op_attention(ridge_flops *out, uint64_t batch, uint64_t seq_len, uint64_t heads, uint64_t head_dim, int causal,
                                 char *message, size_t size);
/* up, down, 8 per activation; gated: one more matmul and 1 per gate product; quantised doubles the matmuls */
RIDGE_API int ridge_op_ffn(ridge_flops *out, uint64_t batch, uint64_t seq_len, uint64_t hidden, uint64_t intermediate, int gated,
                           int quantised, char *message, size_t size);
/* 5 per element */
RIDGE_API int ridge_op_layernorm(ridge_flops *out, uint64_t batch, uint64_t seq_len, uint64_t hidden, char *message, size_t size);
/* 1 per element: an accounting unit, a lookup does no arithmetic */
RIDGE_API int ridge_op_embedding(ridge_flops *out, uint64_t batch, uint64_t seq_len, uint64_t hidden, char *message, size_t size);

/* of FLOPs as they come out of these functions */
RIDGE_API double ridge_flops_gflops(const ridge_flops *flops); /* total in 1e9 FLOPs */
RIDGE_API double ridge_flops_tflops(const ridge_flops *flops); /* total in 1e12 FLOPs */
/* what quantisation adds, in percent of the total without it: 100 dequantisation / (total - dequantisation); 0 where that is 0 */
RIDGE_API double ridge_flops_overhead_percent(const ridge_flops *flops);

typedef struct ridge_layer_shape {
    uint64_t batch, seq_len, hidden, heads;
    uint64_t head_dim; /* 0: hidden / heads */
    uint64_t intermediate;
    int32_t causal, gated, quantised;
    int32_t reserved; /* 0 */
} ridge_layer_shape;

/* A transformer layer here is attention + FFN + 2 norms, without the projections to Q, K, V and O. */
typedef struct ridge_layer_flops {
    ridge_flops total, attention, ffn, layernorm; /* layernorm: both */
} ridge_layer_flops;
RIDGE_API int ridge_op_transformer_layer(ridge_layer_flops *out, const ridge_layer_shape *shape, char *message, size_t size);

/* A model is embedding + layers + lm_head on every position. */
typedef struct ridge_model_flops {
    ridge_flops total, embedding, layers, lm_head; /* layers: all of them */
} ridge_model_flops;
RIDGE_API int ridge_op_model(ridge_model_flops *out, const ridge_layer_shape *layer, uint64_t layers, uint64_t vocab, char *message,
                             size_t size);

/* ---- the counter ---- */

typedef struct ridge_counter ridge_counter;

typedef struct ridge_layer {
    const char *name;
    const char *kind;     /* "matmul", "attention", "ffn", "layernorm", "embedding", "layer", "custom" */
    const char *metadata; /* a JSON object: the shape, and what its call was given as metadata */
    uint64_t index;       /* in the order of adding */
    double percent;       /* of the counter's total, now */
    ridge_flops flops;
} ridge_layer;

RIDGE_API int ridge_counter_new(ridge_counter **out, char *message, size_t size);
RIDGE_API void ridge_counter_free(ridge_counter *counter); /* NULL is fine */
RIDGE_API void ridge_counter_clear(ridge_counter *counter);

/* Each counts one layer and appends its record; names are copied and need not be unique. A failed call adds nothing. */
RIDGE_API int ridge_counter_add_matmul(ridge_counter *counter, const char *name, uint64_t m, uint64_t n, uint64_t k, int quantised,
                                       char *message, size_t size);
RIDGE_API int ridge_counter_add_attention(ridge_counter *counter, const char *name, uint64_t batch, uint64_t seq_len, uint64_t heads,
                                          uint64_t head_dim, int causal, char *message, size_t size);
RIDGE_API int ridge_counter_add_ffn(ridge_counter *counter, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden,
                                    uint64_t intermediate, int gated, int quantised, char *message, size_t size);
RIDGE_API int ridge_counter_add_layernorm(ridge_counter *counter, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden,
                                          char *message, size_t size);
RIDGE_API int ridge_counter_add_embedding(ridge_counter *counter, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden,
                                          char *message, size_t size);
/* one record; its metadata holds the FLOPs of attention, ffn and layernorm too */
RIDGE_API int ridge_counter_add_transformer_layer(ridge_counter *counter, const char *name, const ridge_layer_shape *shape, char *message,
                                                  size_t size);
/* FLOPs counted elsewhere: none negative; total is their sum, or 0 to have it computed. metadata: a JSON object or NULL */
RIDGE_API int ridge_counter_add_layer(ridge_counter *counter, const char *name, const ridge_flops *flops, const char *metadata,
                                      char *message, size_t size);

/* The same with metadata of the caller's: a JSON object (NULL: none), copied, whose members stand behind those of the shape in the
 * record's metadata. A member that is named like one of the shape's is refused. */
RIDGE_API int ridge_counter_add_matmul_with(ridge_counter *counter, const char *name, uint64_t m, uint64_t n, uint64_t k, int quantised,
                                            const char *metadata, char *message, size_t size);
RIDGE_API int ridge_counter_add_attention_with(ridge_counter *counter, const char *name, uint64_t batch, uint64_t seq_len, uint64_t heads,
                                               uint64_t head_dim, int causal, const char *metadata, char *message, size_t size);
RIDGE_API int ridge_counter_add_ffn_with(ridge_counter *counter, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden,
                                         uint64_t intermediate, int gated, int quantised, const char *metadata, char *message, size_t size);
RIDGE_API int ridge_counter_add_layernorm_with(ridge_counter *counter, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden,
                                               const char *metadata, char *message, size_t size);
RIDGE_API int ridge_counter_add_embedding_with(ridge_counter *counter, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden,
                                               const char *metadata, char *message, size_t size);
RIDGE_API int ridge_counter_add_transformer_layer_with(ridge_counter *counter, const char *name, const ridge_layer_shape *shape,
                                                       const char *metadata, char *message, size_t size);

RIDGE_API uint64_t ridge_counter_layer_count(const ridge_counter *counter);
/* by index; fails past the end */
RIDGE_API int ridge_counter_layer_at(ridge_layer *out, const ridge_counter *counter, uint64_t index, char *message, size_t size);
/* the first layer of this name; fails where there is none */
RIDGE_API int ridge_counter_get_layer(ridge_layer *out, const ridge_counter *counter, const char *name, char *message, size_t size);
/* out[0..*count): all layers in the order of adding; at most `room` are written, *count is how many there are */
RIDGE_API void ridge_counter_layers(ridge_layer *out, uint64_t room, uint64_t *count, const ridge_counter *counter);
/* the top_n (0: all) most expensive layers, most expensive first; at most `room` are written, *count is how many there are */
RIDGE_API int ridge_counter_top(ridge_layer *out, uint64_t room, uint64_t *count, const ridge_counter *counter, uint64_t top_n,
                                char *message, size_t size);

RIDGE_API void ridge_counter_total(ridge_flops *out, const ridge_counter *counter);
RIDGE_API double ridge_counter_gflops(const ridge_counter *counter); /* total in 1e9 FLOPs */
RIDGE_API double ridge_counter_tflops(const ridge_counter *counter); /* total in 1e12 FLOPs */
RIDGE_API double ridge_layer_gflops(const ridge_layer *layer);       /* of one layer */
RIDGE_API double ridge_layer_tflops(const ridge_layer *layer);

/* A table of the top_n (0: all) most expensive layers with their percentage. Writes at most `room` bytes, NUL included;
 * *length is that of the whole text: call with room 0 to learn it. */
RIDGE_API int ridge_counter_summary(char *out, size_t room, size_t *length, const ridge_counter *counter, uint64_t top_n, char *message,
                                    size_t size);

#ifdef __cplusplus
}
#endif

#endif
