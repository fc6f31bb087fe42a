/* rows_tmpl.h - attention a row at a time: naive (all scores of a head, three passes) and decode (one new token, keys shared out).
 * Compiled once per vector width (kernel/vector_tmpl.h); in: a run opened by ridge_attention_open; out: rows of O. Nothing is allocated.
 * Lanes are elements of a row of K or V. */
#ifndef RIDGE_KERNEL_ATTENTION_ROWS_TMPL_H
#define RIDGE_KERNEL_ATTENTION_ROWS_TMPL_H

#include "kernel/attention/attention.h"
#include "kernel/vector_tmpl.h"

#define ROWS_INLINE static inline __attribute__((always_inline))

/* K and V come from memory once, row after row; prefetch instructions cost half of the bandwidth where this was measured
 * (docs/kernels.md). */
enum { DECODE_TILE = 256, DECODE_HEADS = 4 };

/* q [head_dim] in single precision times a row of K */
ROWS_INLINE float row_dot(const float *q, const void *k, ridge_element element, int64_t from, int64_t head_dim)
{
    vfloat sum = v_all(0);
    int64_t x = 0;
    for (; x + V_WIDTH <= head_dim; x += V_WIDTH)
        sum = v_fma(v_load(q + x), v_get(k, element, from + x), sum);
    if (V_WIDTH > 1 && x < head_dim)
        sum = v_fma(v_get_some(q, RIDGE_ELEMENT_FP32, x, head_dim - x), v_get_some(k, element, from + x, head_dim - x), sum);
    return v_sum(sum);
}

/* DECODE_HEADS queries, head_dim after head_dim, times one row of K: what is loaded of it serves all; out[h * DECODE_TILE] */
ROWS_INLINE void row_dots(float *out, const float *q, const void *k, ridge_element element, int64_t from, int64_t head_dim)
{
    vfloat sums[DECODE_HEADS];
    float totals[DECODE_HEADS];
    int64_t x = 0;
    V_UNROLL
    for (int h = 0; h < DECODE_HEADS; h++)
        sums[h] = v_all(0);
    for (; x + V_WIDTH <= head_dim; x += V_WIDTH) {
        const vfloat key = v_get(k, element, from + x);
        V_UNROLL
        for (int h = 0; h < DECODE_HEADS; h++)
            sums[h] = v_fma(v_load(q + h * head_dim + x), key, sums[h]);
    }
    if (V_WIDTH > 1 && x < head_dim) {
        const vfloat key = v_get_some(k, element, from + x, head_dim - x);
        V_UNROLL
        for (int h = 0; h < DECODE_HEADS; h++)
            sums[h] = v_fma(v_get_some(q + h * head_dim, RIDGE_ELEMENT_FP32, x, head_dim - x), key, sums[h]);
    }
    v_sum_4(totals, sums);
    for (int h = 0; h < DECODE_HEADS; h++)
        out[h * DECODE_TILE] = totals[h];
}

/* out [head_dim] += weight * a row of V */
ROWS_INLINE void row_add(float *out, float weight, const void *v, ridge_element element, int64_t from, int64_t head_dim)
{
    int64_t x = 0;
    for (; x + V_WIDTH <= head_dim; x += V_WIDTH)
        v_store(out + x, v_fma(v_all(weight), v_get(v, element, from + x), v_load(out + x)));
    for (; V_WIDTH > 1 && x < head_dim; x++)
        out[x] += weight * ridge_element_get(v, element, from + x);
}

/* Scores to exponentials 2^(score - largest); their sum. */
static inline float row_soften(float *scores, int64_t count, float largest)
{
    vfloat sum = v_all(0);
    int64_t j = 0;
    for (; j + V_WIDTH <= count; j += V_WIDTH) {
        vfloat p = v_exp2(v_sub(v_load(scores + j), v_all(largest)));
        v_store(scores + j, p);
        sum = v_add(sum, p);
    }
    if (V_WIDTH > 1 && j < count) {
        vfloat p = v_exp2(v_sub(v_get_some(scores, RIDGE_ELEMENT_FP32, j, count - j), v_all(largest)));
        v_put_some(scores, RIDGE_ELEMENT_FP32, j, count - j, p);
        sum = v_add(sum, v_get_some(scores, RIDGE_ELEMENT_FP32, j, count - j));
    }
    return v_sum(sum);
}
static inline float row_largest(const float *scores, int64_t count)
{
    vfloat largest = v_all(scores[0]);
    int64_t j = 0;
    for (; j + V_WIDTH <= count; j += V_WIDTH)
        largest = v_max(largest, v_load(scores + j));
    float most = v_largest(largest);
    for (; j < count; j++)
        most = scores[j] > most ? scores[j] : most;
    return most;
}

static inline void load_row(float *to, const ridge_attention *at, const void *q, int64_t from)
{
    for (int64_t x = 0; x < at->head_dim; x++)
        to[x] = at->scale * ridge_element_get(q, at->q, from + x);
}

/* ---- naive ---- */

/* The rows `from` .. `to` - 1 of one unit. scores [rows][total]; two rows of head_dim before them. */
static inline void naive_rows(const ridge_kernel_run *run, float *scratch, int64_t unit, int64_t from, int64_t to)
{
    const ridge_attention *at = run->state;
    const int64_t head_dim = at->head_dim, total = at->total, base = unit * total * head_dim;
    float *query = scratch, *out = scratch + head_dim, *scores = out + head_dim;
    for (int64_t row = from; row < to; row++) {
        load_row(query, at, run->operands[RIDGE_ATTENTION_Q], ridge_attention_row(at, unit, row));
        for (int64_t j = 0; j < total; j++) {
            float score = row_dot(query, run->operands[RIDGE_ATTENTION_K], at->kv, base + j * head_dim, head_dim);
            scores[row * total + j] = j > ridge_attention_last_key(at, row) ? RIDGE_ATTENTION_MASKED : score;
        }
    }
    for (int64_t row = from; row < to; row++) {
        float *p = scores + row * total, share = 1.0f / row_soften(p, total, row_largest(p, total));
        for (int64_t j = 0; j < total; j++)
            p[j] *= share;
    }
    for (int64_t row = from; row < to; row++) {
        memset(out, 0, (size_t)head_dim * sizeof *out);
        for (int64_t j = 0; j < total; j++)
            row_add(out, scores[row * total + j], run->operands[RIDGE_ATTENTION_V], at->kv, base + j * head_dim, head_dim);
        int64_t o = ridge_attention_row(at, unit, row);
        for (int64_t x = 0; x < head_dim; x++)
            ridge_element_put(run->operands[RIDGE_ATTENTION_O], at->q, o + x, out[x]);
    }
}

/* blocks of one row: shares of rows, all of equal cost */
static inline void naive_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    (void)phase;
    const ridge_attention *at = run->state;
    int64_t first, last;
    ridge_attention_share(&first, &last, at, thread);
    while (first < last) {
        int64_t unit = first / at->rows, end = (unit + 1) * at->rows;
        end = end < last ? end : last;
        naive_rows(run, at->scratch + thread * at->floats, unit, first - unit * at->rows, end - unit * at->rows);
        first = end;
    }
}

static inline int64_t naive_scratch(const ridge_attention *at)
{
    int64_t scores = ridge_attention_product(at->rows, at->total, 1), all;
    if (scores < 0 || at->head_dim > INT64_MAX / 4 || __builtin_add_overflow(scores, 2 * at->head_dim, &all))
        return -1;
    return all;
}
static inline ridge_status naive_open(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_attention_open(run, &(ridge_attention_needs){1, true, false, naive_scratch}, err);
}

/* ---- decode: seq = 1. Phase 0: each thread its parts of the keys; phase 1: the parts of a head together ---- */

/* A part's result for one head of the group: head_dim sums, the largest score, the sum of exponentials. */
static inline float *decode_part(const ridge_attention *at, int64_t item, int64_t head)
{
    return at->shared + (item * at->group + head) * (at->head_dim + 2);
}

/* out = out * factor + P V for one head or two: eight vectors of a row at once over all keys of the tile. p: DECODE_TILE a head */
ROWS_INLINE void decode_values(int heads, float *const out[2], const float factor[2], const float *p, const void *v, ridge_element element,
                               int64_t from, int64_t head_dim, int64_t count)
{
    enum { STEP_VECTORS = 8, SPAN = STEP_VECTORS * V_WIDTH };
    int64_t x = 0;
    for (; x + SPAN <= head_dim; x += SPAN) {
        vfloat sum[2][STEP_VECTORS];
        for (int h = 0; h < heads; h++) {
            V_UNROLL
            for (int r = 0; r < STEP_VECTORS; r++)
                sum[h][r] = v_mul(v_all(factor[h]), v_load(out[h] + x + r * V_WIDTH));
        }
        for (int64_t j = 0; j < count; j++) {
            const vfloat weight = v_all(p[j]), other = v_all(heads > 1 ? p[DECODE_TILE + j] : 0);
            V_UNROLL
            for (int r = 0; r < STEP_VECTORS; r++) {
                const vfloat value = v_get(v, element, from + j * head_dim + x + r * V_WIDTH);
                sum[0][r] = v_fma(weight, value, sum[0][r]);
                if (heads > 1)
                    sum[1][r] = v_fma(other, value, sum[1][r]);
            }
        }
        for (int h = 0; h < heads; h++) {
            V_UNROLL
            for (int r = 0; r < STEP_VECTORS; r++)
                v_store(out[h] + x + r * V_WIDTH, sum[h][r]);
        }
    }
    for (int h = 0; h < heads && x < head_dim; h++) {
        for (int64_t y = x; y < head_dim; y++)
            out[h][y] *= factor[h];
        for (int64_t j = 0; j < count; j++)
            row_add(out[h] + x, p[h * DECODE_TILE + j], v, element, from + j * head_dim + x, head_dim - x);
    }
}

/* scores of one head to exponentials; what its sums so far are to be multiplied with */
ROWS_INLINE float decode_soften(float *part, float *scores, int64_t head_dim, int64_t count)
{
    float old = part[head_dim], largest = row_largest(scores, count);
    largest = largest > old ? largest : old;
    float factor = exp2f(old - largest), sum = row_soften(scores, count, largest);
    part[head_dim] = largest;
    part[head_dim + 1] = part[head_dim + 1] * factor + sum;
    return factor;
}

/* One tile of keys for `heads` heads of the group, at most DECODE_HEADS: K and V come from memory for the first, from cache for the others.
 */
ROWS_INLINE void decode_tile(const ridge_kernel_run *run, int64_t item, int64_t head, int64_t heads, float *scores, const float *q,
                             ridge_element element, int64_t from, int64_t count)
{
    const ridge_attention *at = run->state;
    const int64_t head_dim = at->head_dim;
    const void *k = run->operands[RIDGE_ATTENTION_K], *v = run->operands[RIDGE_ATTENTION_V];
    for (int64_t j = 0; j < count; j++)
        if (heads == DECODE_HEADS)
            row_dots(scores + j, q, k, element, from + j * head_dim, head_dim);
        else
            for (int64_t h = 0; h < heads; h++)
                scores[h * DECODE_TILE + j] = row_dot(q + h * head_dim, k, element, from + j * head_dim, head_dim);
    for (int64_t h = 0; h < heads; h += 2) {
        const bool two = h + 1 < heads;
        float *const parts[2] = {decode_part(at, item, head + h), decode_part(at, item, head + h + two)};
        float *const p = scores + h * DECODE_TILE;
        float factors[2] = {decode_soften(parts[0], p, head_dim, count), 1};
        if (two) {
            factors[1] = decode_soften(parts[1], p + DECODE_TILE, head_dim, count);
            decode_values(2, parts, factors, p, v, element, from, head_dim, count);
        } else {
            decode_values(1, parts, factors, p, v, element, from, head_dim, count);
        }
    }
}

ROWS_INLINE void decode_item(const ridge_kernel_run *run, float *scratch, int64_t item, ridge_element element)
{
    const ridge_attention *at = run->state;
    const int64_t head_dim = at->head_dim, unit = item / at->splits, split = item % at->splits;
    const int64_t first = at->total / at->splits * split + (split < at->total % at->splits ? split : at->total % at->splits);
    const int64_t last = first + at->total / at->splits + (split < at->total % at->splits);
    float *scores = scratch, *queries = scratch + DECODE_HEADS * DECODE_TILE;
    for (int64_t head = 0; head < at->group; head++) {
        float *part = decode_part(at, item, head);
        memset(part, 0, (size_t)head_dim * sizeof *part);
        part[head_dim] = RIDGE_ATTENTION_MASKED;
        part[head_dim + 1] = 0;
        load_row(queries + head * head_dim, at, run->operands[RIDGE_ATTENTION_Q], ridge_attention_row(at, unit, head));
    }
    for (int64_t key = first; key < last; key += DECODE_TILE) {
        const int64_t count = last - key < DECODE_TILE ? last - key : DECODE_TILE;
        for (int64_t head = 0; head < at->group; head += DECODE_HEADS) {
            const int64_t heads = at->group - head < DECODE_HEADS ? at->group - head : DECODE_HEADS;
            decode_tile(run, item, head, heads, scores, queries + head * head_dim, element, (unit * at->total + key) * head_dim, count);
        }
    }
}

static inline void decode_combine(const ridge_kernel_run *run, int64_t unit, int64_t head)
{
    const ridge_attention *at = run->state;
    const int64_t head_dim = at->head_dim, to = ridge_attention_row(at, unit, head);
    float largest = RIDGE_ATTENTION_MASKED, sum = 0;
    for (int64_t s = 0; s < at->splits; s++) {
        float score = decode_part(at, unit * at->splits + s, head)[head_dim];
        largest = score > largest ? score : largest;
    }
    float *out = decode_part(at, unit * at->splits, head);
    for (int64_t s = 0; s < at->splits; s++) {
        float *part = decode_part(at, unit * at->splits + s, head), weight = exp2f(part[head_dim] - largest);
        sum += weight * part[head_dim + 1];
        for (int64_t x = 0; x < head_dim; x++)
            out[x] = weight * part[x] + (s == 0 ? 0 : out[x]);
    }
    for (int64_t x = 0; x < head_dim; x++)
        ridge_element_put(run->operands[RIDGE_ATTENTION_O], at->q, to + x, out[x] / sum);
}

static inline void decode_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    const ridge_attention *at = run->state;
    float *scratch = at->scratch + thread * at->floats;
    int64_t items = phase == 0 ? at->units * at->splits : at->units * at->group;
    int64_t first = items / at->threads * thread + (thread < items % at->threads ? thread : items % at->threads);
    int64_t last = first + items / at->threads + (thread < items % at->threads);
    for (int64_t i = first; i < last; i++)
        if (phase == 1)
            decode_combine(run, i / at->group, i % at->group);
        else if (at->kv == RIDGE_ELEMENT_FP32)
            decode_item(run, scratch, i, RIDGE_ELEMENT_FP32);
        else if (at->kv == RIDGE_ELEMENT_BF16)
            decode_item(run, scratch, i, RIDGE_ELEMENT_BF16);
        else
            decode_item(run, scratch, i, RIDGE_ELEMENT_FP16);
}

static inline int64_t decode_scratch(const ridge_attention *at)
{
    int64_t queries = ridge_attention_product(at->group, at->head_dim, 1);
    return queries < 0 || queries > INT64_MAX / 8 ? -1 : queries + DECODE_HEADS * DECODE_TILE;
}
static inline bool decode_takes(const ridge_problem *problem)
{
    return ridge_attention_takes(problem) && problem->seq == 1;
}
static inline ridge_status decode_open(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_attention_open(run, &(ridge_attention_needs){1, true, true, decode_scratch}, err);
}

#endif
