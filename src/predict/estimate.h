/* estimate.h - the time of one GPU kernel beyond the pure roofline, without fitting: tiles and waves, rates that are kept up in practice,
 * the caches, the softmax of attention, the least time of a kernel; and the pure roofline of the same shapes beside it.
 * In: shapes, formats, a machine. Out: seconds by term, all finite and > 0. Constants and their sources: sustained.h, docs/accuracy.md.
 * The estimate of cold operands is never below the roofline. Fails as ridge_computes_at_find and ridge_bandwidth_find do. */
#ifndef RIDGE_PREDICT_ESTIMATE_H
#define RIDGE_PREDICT_ESTIMATE_H

#include "graph/graph.h"
#include "predict/roofline.h"
#include "predict/tiles.h"

typedef struct ridge_estimate {
    double compute_s;       /* matrix units, and softmax where nothing hides it; tiles padded, the last wave counted whole */
    double memory_s;        /* main memory or the caches, the slower */
    double latency_s;       /* first loads, last stores, the kernel that adds up split sums */
    double kernel_s;        /* the least time of a kernel; 0 in the roofline */
    double time_s;          /* max(compute, memory) + latency + kernel */
    ridge_bound bound;      /* LAUNCH where latency + kernel is more than half */
    double wave_efficiency; /* 0..1; 1 where nothing is tiled */
    ridge_computes_at at;
} ridge_estimate;

/* C[m,n] = A[m,k] W[n,k]^T; sizes 1 .. 2^40. W and A come from main memory unless less than the cache is touched between two uses of
 * them: `*_reuse_bytes`, 0 for never. */
typedef struct ridge_gemm {
    int64_t m, n, k;
    const ridge_format *a, *w, *c; /* activations, weights, result */
    double a_reuse_bytes, w_reuse_bytes;
} ridge_gemm;

/* One fused attention call: softmax(Q K^T) V. Q and O [batch, seq, heads, head_dim], K and V [batch, past + seq, kv_heads, head_dim]. */
typedef struct ridge_attention_work {
    int64_t batch, seq, past, heads, kv_heads, head_dim;
    int64_t window; /* tokens a query sees at most, itself included; 0: all */
    bool causal;
    double pairs;                   /* of query and key, of one head and sequence; ridge_attention_pairs */
    const ridge_format *q, *kv;     /* of Q and O; of the cache */
    const ridge_format *multiplies; /* what the kernel brings Q to before it multiplies; NULL: q */
    double reuse_bytes;
} ridge_attention_work;

/* A kernel that streams: norms, activations, casts, copies. */
typedef struct ridge_stream_kernel {
    double read_bytes, written_bytes;
    double flops; /* at the fp32 rate of the vector units */
    double reuse_bytes;
} ridge_stream_kernel;

/* The kernel that brings 16-bit activations [rows, columns] to a narrower format before they are multiplied, a scale for each row. */
typedef struct ridge_cast_kernel {
    int64_t rows, columns;
    const ridge_format *from, *to;
    double reuse_bytes;
} ridge_cast_kernel;

/* max(FLOPs / peak, bytes / bandwidth): each operand once */
ridge_status ridge_roofline_gemm(ridge_estimate *out, const ridge_machine *machine, const ridge_gemm *gemm, ridge_err *err);
ridge_status ridge_roofline_attention(ridge_estimate *out, const ridge_machine *machine, const ridge_attention_work *attention,
                                      ridge_err *err);
ridge_status ridge_roofline_stream(ridge_estimate *out, const ridge_machine *machine, const ridge_stream_kernel *stream, ridge_err *err);

/* what such a kernel reaches */
ridge_status ridge_estimate_gemm(ridge_estimate *out, const ridge_machine *machine, const ridge_gemm *gemm, ridge_err *err);
ridge_status ridge_estimate_attention(ridge_estimate *out, const ridge_machine *machine, const ridge_attention_work *attention,
                                      ridge_err *err);
ridge_status ridge_estimate_stream(ridge_estimate *out, const ridge_machine *machine, const ridge_stream_kernel *stream, ridge_err *err);

/* As a stream, and each row takes its unit some clocks (docs/accuracy.md). OVERFLOW where its bytes do not fit in 128 bits. */
ridge_status ridge_estimate_cast(ridge_estimate *out, const ridge_machine *machine, const ridge_cast_kernel *cast, ridge_err *err);

/* Pairs of query and key that one head of one sequence looks at, as the catalog counts them (ridge.ops.attention_pairs): `queries` tokens
 * that end with the last of `keys`; not causal: all pairs; causal: with a window where it is > 0. Numbers of the graph's algebra or
 * integers, causal also a condition on them. */
ridge_status ridge_attention_pairs(ridge_value *out, ridge_graph *graph, ridge_value queries, ridge_value keys, ridge_value causal,
                                   int64_t window);

#endif
