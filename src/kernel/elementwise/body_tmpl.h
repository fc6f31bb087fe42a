/* body_tmpl.h - softmax, norms, activations, RoPE, residual add, embedding and wkv over vectors.
 * Compiled once per vector width (kernel/vector_tmpl.h) and, inside, once per number format: `e` is known where a body is compiled in.
 * In: a run opened by elementwise.h's functions; out: its output operand. Nothing is allocated; sums in single precision. */
#ifndef RIDGE_KERNEL_ELEMENTWISE_BODY_TMPL_H
#define RIDGE_KERNEL_ELEMENTWISE_BODY_TMPL_H

#include "kernel/elementwise/elementwise.h"
#include "kernel/vector_tmpl.h"

#define BODY_INLINE static inline __attribute__((always_inline))

/* name_phase: name_share compiled for each number format */
/* clang-format off */
#define BODY_PHASE(name) \
    static inline void name##_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread) \
    { \
        (void)phase; \
        switch (ridge_element_of(run->problem.activations)) { \
            case RIDGE_ELEMENT_FP32: name##_share(run, thread, RIDGE_ELEMENT_FP32); break; \
            case RIDGE_ELEMENT_BF16: name##_share(run, thread, RIDGE_ELEMENT_BF16); break; \
            default: name##_share(run, thread, RIDGE_ELEMENT_FP16); \
        } \
    }
/* clang-format on */

/* `count` elements, V_WIDTH or what is left of a row */
BODY_INLINE vfloat get(const void *from, ridge_element e, int64_t at, int64_t count)
{
    return count >= V_WIDTH ? v_get(from, e, at) : v_get_some(from, e, at, count);
}
BODY_INLINE void put(void *to, ridge_element e, int64_t at, int64_t count, vfloat x)
{
    if (count >= V_WIDTH)
        v_put(to, e, at, x);
    else
        v_put_some(to, e, at, count, x);
}

/* ---- one in, one out ---- */

typedef enum map_kind { MAP_SILU, MAP_GELU, MAP_ADD } map_kind;

/* silu x / (1 + e^-x); gelu x Phi(x) by erfc, not its tanh approximation: torch.nn.GELU's default; add a + b */
BODY_INLINE vfloat map_value(map_kind kind, vfloat a, vfloat b)
{
    if (kind == MAP_ADD)
        return v_add(a, b);
    if (kind == MAP_SILU)
        return v_div(a, v_add(v_all(1.0f), v_exp(v_sub(v_all(0), a))));
    vfloat minus = v_sub(v_all(0), a);
    vfloat tail = v_mul(v_all(0.5f), v_erfc(v_mul(v_max(a, minus), v_all(0.707106781f)))); /* Phi(-|x|) */
    return v_mul(a, v_select(v_less(a, v_all(0)), v_sub(v_all(1.0f), tail), tail));
}

BODY_INLINE void map_share(const ridge_kernel_run *run, unsigned thread, ridge_element e, map_kind kind)
{
    int64_t first, last, i;
    const void *a = run->operands[0], *b = run->operands[kind == MAP_ADD ? 1 : 0];
    void *y = run->operands[kind == MAP_ADD ? 2 : 1];
    ridge_elementwise_share(&first, &last, run, thread, run->problem.rows * run->problem.cols, 64);
    for (i = first; i + V_WIDTH <= last; i += V_WIDTH)
        v_put(y, e, i, map_value(kind, v_get(a, e, i), v_get(b, e, i)));
    if (i < last)
        put(y, e, i, last - i, map_value(kind, get(a, e, i, last - i), get(b, e, i, last - i)));
}
BODY_INLINE void silu_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    map_share(run, thread, e, MAP_SILU);
}
BODY_INLINE void gelu_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    map_share(run, thread, e, MAP_GELU);
}
BODY_INLINE void add_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    map_share(run, thread, e, MAP_ADD);
}
BODY_PHASE(silu)
BODY_PHASE(gelu)
BODY_PHASE(add)

/* ---- sums along a row; a row's tail is a vector with lanes of 0 ---- */

/* sum of x; of x - shift and its square in lanes below `count` */
BODY_INLINE float row_sum(const void *x, ridge_element e, int64_t from, int64_t cols)
{
    vfloat sum[4] = {v_all(0), v_all(0), v_all(0), v_all(0)};
    int64_t i = 0;
    for (; i + 4 * V_WIDTH <= cols; i += 4 * V_WIDTH)
        V_UNROLL
    for (int r = 0; r < 4; r++)
        sum[r] = v_add(sum[r], v_get(x, e, from + i + r * V_WIDTH));
    for (; i < cols; i += V_WIDTH)
        sum[0] = v_add(sum[0], get(x, e, from + i, cols - i));
    return v_sum(v_add(v_add(sum[0], sum[1]), v_add(sum[2], sum[3])));
}
BODY_INLINE float row_squares(const void *x, ridge_element e, int64_t from, int64_t cols, float mean)
{
    vfloat sum[4] = {v_all(0), v_all(0), v_all(0), v_all(0)};
    int64_t i = 0;
    for (; i + 4 * V_WIDTH <= cols; i += 4 * V_WIDTH)
        V_UNROLL
    for (int r = 0; r < 4; r++) {
        vfloat d = v_sub(v_get(x, e, from + i + r * V_WIDTH), v_all(mean));
        sum[r] = v_fma(d, d, sum[r]);
    }
    for (; i + V_WIDTH <= cols; i += V_WIDTH) {
        vfloat d = v_sub(v_get(x, e, from + i), v_all(mean));
        sum[0] = v_fma(d, d, sum[0]);
    }
    float all = v_sum(v_add(v_add(sum[0], sum[1]), v_add(sum[2], sum[3])));
    for (; i < cols; i++) {
        float d = ridge_element_get(x, e, from + i) - mean;
        all += d * d;
    }
    return all;
}

/* (x - mean) / sqrt(variance + epsilon) * gamma + beta (Ba et al. 2016) */
BODY_INLINE void layernorm_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    int64_t first, last, cols = run->problem.cols;
    const void *x = run->operands[0], *gamma = run->operands[1], *beta = run->operands[2];
    ridge_elementwise_share(&first, &last, run, thread, run->problem.rows, 1);
    for (int64_t row = first; row < last; row++) {
        int64_t from = row * cols, i = 0;
        float mean = row_sum(x, e, from, cols) / (float)cols;
        vfloat scale = v_all(1.0f / sqrtf(row_squares(x, e, from, cols, mean) / (float)cols + (float)RIDGE_LAYERNORM_EPSILON));
        for (; i + V_WIDTH <= cols; i += V_WIDTH) {
            vfloat d = v_mul(v_sub(v_get(x, e, from + i), v_all(mean)), scale);
            v_put(run->operands[3], e, from + i, v_fma(d, v_get(gamma, e, i), v_get(beta, e, i)));
        }
        if (i < cols) {
            vfloat d = v_mul(v_sub(get(x, e, from + i, cols - i), v_all(mean)), scale);
            put(run->operands[3], e, from + i, cols - i, v_fma(d, get(gamma, e, i, cols - i), get(beta, e, i, cols - i)));
        }
    }
}
BODY_PHASE(layernorm)

/* x / sqrt(mean of squares + epsilon) * gamma (Zhang, Sennrich 2019) */
BODY_INLINE void rmsnorm_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    int64_t first, last, cols = run->problem.cols;
    const void *x = run->operands[0], *gamma = run->operands[1];
    ridge_elementwise_share(&first, &last, run, thread, run->problem.rows, 1);
    for (int64_t row = first; row < last; row++) {
        int64_t from = row * cols, i = 0;
        vfloat scale = v_all(1.0f / sqrtf(row_squares(x, e, from, cols, 0) / (float)cols + (float)RIDGE_RMSNORM_EPSILON));
        for (; i + V_WIDTH <= cols; i += V_WIDTH)
            v_put(run->operands[2], e, from + i, v_mul(v_mul(v_get(x, e, from + i), scale), v_get(gamma, e, i)));
        if (i < cols)
            put(run->operands[2], e, from + i, cols - i, v_mul(v_mul(get(x, e, from + i, cols - i), scale), get(gamma, e, i, cols - i)));
    }
}
BODY_PHASE(rmsnorm)

/* ---- softmax: three passes; the exponentials are computed twice, so that 16-bit outputs are rounded once ---- */

BODY_INLINE float softmax_largest(const void *x, ridge_element e, int64_t from, int64_t cols)
{
    float most = ridge_element_get(x, e, from);
    vfloat largest = v_all(most);
    int64_t i = 0;
    for (; i + V_WIDTH <= cols; i += V_WIDTH)
        largest = v_max(largest, v_get(x, e, from + i));
    most = v_largest(largest);
    for (; i < cols; i++) {
        float value = ridge_element_get(x, e, from + i);
        most = value > most ? value : most;
    }
    return most;
}
BODY_INLINE void softmax_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    int64_t first, last, cols = run->problem.cols;
    const void *x = run->operands[0];
    ridge_elementwise_share(&first, &last, run, thread, run->problem.rows, 1);
    for (int64_t row = first; row < last; row++) {
        int64_t from = row * cols, i = 0, left = cols % V_WIDTH;
        float lanes[V_WIDTH] = {0};
        vfloat largest = v_all(softmax_largest(x, e, from, cols)), sum = v_all(0), tail = v_all(0);
        for (; i + V_WIDTH <= cols; i += V_WIDTH)
            sum = v_add(sum, v_exp(v_sub(v_get(x, e, from + i), largest)));
        if (V_WIDTH > 1 && left != 0) {
            v_store(lanes, v_exp(v_sub(v_get_some(x, e, from + i, left), largest)));
            tail = v_get_some(lanes, RIDGE_ELEMENT_FP32, 0, left);
        }
        vfloat share = v_all(1.0f / v_sum(v_add(sum, tail)));
        for (i = 0; i + V_WIDTH <= cols; i += V_WIDTH)
            v_put(run->operands[1], e, from + i, v_mul(v_exp(v_sub(v_get(x, e, from + i), largest)), share));
        if (V_WIDTH > 1 && left != 0)
            v_put_some(run->operands[1], e, from + i, left, v_mul(tail, share));
    }
}
BODY_PHASE(softmax)

/* ---- RoPE: the halves a, b of a head become a cos - b sin, b cos + a sin (Su et al. 2021; Llama's rotate_half) ---- */

BODY_INLINE void rope_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    const int64_t heads = run->problem.heads, half = run->problem.head_dim / 2;
    const void *x = run->operands[0];
    void *y = run->operands[1];
    int64_t first, last;
    ridge_elementwise_share(&first, &last, run, thread, run->problem.rows * heads, 1);
    for (int64_t at = first; at < last; at++) {
        const float *cosine = (const float *)run->state + at / heads * 2 * half, *sine = cosine + half;
        int64_t from = at * 2 * half;
        for (int64_t i = 0; i < half; i += V_WIDTH) {
            int64_t n = half - i;
            vfloat a = get(x, e, from + i, n), b = get(x, e, from + half + i, n);
            vfloat c = get(cosine, RIDGE_ELEMENT_FP32, i, n), s = get(sine, RIDGE_ELEMENT_FP32, i, n);
            put(y, e, from + i, n, v_fnma(b, s, v_mul(a, c)));
            put(y, e, from + half + i, n, v_fma(a, s, v_mul(b, c)));
        }
    }
}
BODY_PHASE(rope)

/* ---- embedding: rows of the table; an index outside it gives zeros ---- */

BODY_INLINE void embedding_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    const int64_t cols = run->problem.cols;
    const ridge_element from = ridge_element_of(run->problem.weights);
    const int32_t *ids = run->operands[1];
    int64_t first, last;
    ridge_elementwise_share(&first, &last, run, thread, run->problem.rows, 1);
    for (int64_t row = first; row < last; row++) {
        char *to = (char *)run->operands[2] + row * cols * ridge_element_bytes(e);
        if (ids[row] < 0 || ids[row] >= run->problem.n)
            memset(to, 0, (size_t)(cols * ridge_element_bytes(e)));
        else if (from == e)
            memcpy(to, ridge_element_at(run->operands[0], e, ids[row] * cols), (size_t)(cols * ridge_element_bytes(e)));
        else
            for (int64_t i = 0; i < cols; i += V_WIDTH)
                put(to, e, i, cols - i, get(run->operands[0], from, ids[row] * cols + i, cols - i));
    }
}
BODY_PHASE(embedding)

/* ---- wkv: RWKV-4's time mixing (Peng et al. 2023, equations 16 and 19 to 28; transformers' rwkv_linear_attention_cpu) ---- */

/* one channel vector's numerator and denominator, both worth e^largest */
typedef struct wkv_state {
    vfloat above, below, largest;
} wkv_state;

/* Adds e^exponent times `value` (and 1): the larger exponent becomes 0, so nothing overflows. One of the two powers is 1. */
BODY_INLINE wkv_state wkv_add(wkv_state s, vfloat exponent, vfloat value)
{
    vfloat largest = v_max(s.largest, exponent);
    vfloat power = v_exp(v_sub(v_min(s.largest, exponent), largest));
    vmask newer = v_less(s.largest, exponent);
    vfloat old = v_select(newer, v_all(1.0f), power), now = v_select(newer, power, v_all(1.0f));
    return (wkv_state){v_fma(old, s.above, v_mul(now, value)), v_fma(old, s.below, now), largest};
}

/* `vectors` vectors of channels from `from` on, all tokens; `count` channels of the last vector */
BODY_INLINE void wkv_channels(const ridge_kernel_run *run, ridge_element e, int64_t from, int64_t count, int vectors)
{
    const int64_t cols = run->problem.cols;
    const void *k = run->operands[2], *v = run->operands[3];
    wkv_state s[4];
    vfloat decay[4], bonus[4];
    V_UNROLL
    for (int r = 0; r < vectors; r++) {
        int64_t c = from + r * V_WIDTH, n = count - r * V_WIDTH;
        s[r] = (wkv_state){v_all(0), v_all(0), v_all(RIDGE_WKV_NOTHING)};
        decay[r] = v_sub(v_all(0), v_exp(get(run->operands[0], e, c, n)));
        bonus[r] = get(run->operands[1], e, c, n);
    }
    for (int64_t t = 0; t < run->problem.seq; t++)
        V_UNROLL
    for (int r = 0; r < vectors; r++) {
        int64_t at = t * cols + from + r * V_WIDTH, n = count - r * V_WIDTH;
        vfloat key = get(k, e, at, n), value = get(v, e, at, n);
        wkv_state out = wkv_add(s[r], v_add(key, bonus[r]), value);
        put(run->operands[4], e, at, n, v_div(out.above, out.below));
        s[r].largest = v_add(s[r].largest, decay[r]);
        s[r] = wkv_add(s[r], key, value);
    }
}
BODY_INLINE void wkv_share(const ridge_kernel_run *run, unsigned thread, ridge_element e)
{
    int64_t first, last, c;
    ridge_elementwise_share(&first, &last, run, thread, run->problem.cols, 64);
    for (c = first; c + 4 * V_WIDTH <= last; c += 4 * V_WIDTH)
        wkv_channels(run, e, c, 4 * V_WIDTH, 4);
    for (; c < last; c += V_WIDTH)
        wkv_channels(run, e, c, last - c, 1);
}
BODY_PHASE(wkv)

/* clang-format off */
#define BODY_VARIANT(code, method, opens, variant, needed) { \
        .kind = RIDGE_KERNEL_KIND_##code, \
        .name = variant, \
        .provider = "ridge", \
        .isa = needed, \
        .takes = ridge_elementwise_takes, \
        .open = opens, \
        .phase = method##_phase, \
        .close = ridge_elementwise_close, \
    }
#define BODY_VARIANTS(variant, needed) { \
        BODY_VARIANT(SOFTMAX, softmax, ridge_elementwise_open, variant, needed), \
        BODY_VARIANT(LAYERNORM, layernorm, ridge_elementwise_open, variant, needed), \
        BODY_VARIANT(RMSNORM, rmsnorm, ridge_elementwise_open, variant, needed), \
        BODY_VARIANT(SILU, silu, ridge_elementwise_open, variant, needed), \
        BODY_VARIANT(GELU, gelu, ridge_elementwise_open, variant, needed), \
        BODY_VARIANT(ROPE, rope, ridge_rope_open, variant, needed), \
        BODY_VARIANT(ADD, add, ridge_elementwise_open, variant, needed), \
        BODY_VARIANT(EMBEDDING, embedding, ridge_elementwise_open, variant, needed), \
        BODY_VARIANT(WKV, wkv, ridge_elementwise_open, variant, needed), \
    }
/* clang-format on */

#endif
