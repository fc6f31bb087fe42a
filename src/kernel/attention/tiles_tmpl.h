/* tiles_tmpl.h - attention in register tiles: flash (online softmax), fused (scores of a block of rows), blocked (all scores).
 * Compiled once per vector width (kernel/vector_tmpl.h); in: a run opened by ridge_attention_open; out: rows of O. Nothing is allocated.
 * Lanes are queries: a block is Q transposed, [head_dim][LANES], so that Q K^T and P V take keys and values as they lie, one number
 * broadcast at a time, and the softmax needs no sum across lanes. Scores are [keys][LANES], the output of a block [head_dim][LANES]. */
#ifndef RIDGE_KERNEL_ATTENTION_TILES_TMPL_H
#define RIDGE_KERNEL_ATTENTION_TILES_TMPL_H

#include "kernel/attention/attention.h"
#include "kernel/vector_tmpl.h"

/* a register tile: STEP keys (or columns of V) by COLUMNS vectors of queries; 24 of 32 registers hold sums, 12 of 16 in AVX2 */
enum { COLUMNS = 3, LANES = COLUMNS * V_WIDTH, STEP = V_WIDTH == 16 || V_WIDTH == 4 ? 8 : 4 };
/* keys of one step of the online softmax: their scores stay in the first-level cache */
enum { TILE = 128 };
#define TILE_INLINE static inline __attribute__((always_inline))

/* one thread's memory, cut from its scratch */
typedef struct tile_scratch {
    float *query;   /* [head_dim][LANES], scaled */
    float *out;     /* [head_dim][LANES] */
    float *keys;    /* [TILE][head_dim]: K, then V of a tile in single precision; not used where they lie so */
    float *values;  /* V of a tile: [head_dim / STEP][TILE][STEP], the odd columns behind */
    float *largest; /* [LANES]: of the scores so far */
    float *sum;     /* [LANES]: of the exponentials so far */
    float *scores;  /* [keys][LANES]; fused and blocked have room for all keys */
} tile_scratch;

static inline tile_scratch cut_scratch(const ridge_attention *at, unsigned thread)
{
    float *p = at->scratch + thread * at->floats;
    tile_scratch s = {.query = p};
    s.out = s.query + at->head_dim * LANES;
    s.keys = s.out + at->head_dim * LANES;
    s.values = s.keys + at->head_dim * TILE;
    s.largest = s.values + at->head_dim * TILE;
    s.sum = s.largest + LANES;
    s.scores = s.sum + LANES;
    return s;
}
/* floats of that for `keys` rows of scores */
static inline int64_t scratch_floats(const ridge_attention *at, int64_t keys)
{
    int64_t fixed = ridge_attention_product(at->head_dim, 2 * LANES + 2 * TILE, 1), scores = ridge_attention_product(keys, LANES, 1);
    int64_t sum;
    if (fixed < 0 || scores < 0 || __builtin_add_overflow(fixed, scores, &sum) || sum > INT64_MAX - 2 * LANES)
        return -1;
    return sum + 2 * LANES;
}

/* ---- Q in, O out ---- */

static inline void load_queries(const tile_scratch *s, const ridge_attention *at, const void *q, int64_t unit, int64_t block)
{
    float *row_of = s->out; /* not in use yet */
    for (int64_t lane = 0; lane < LANES; lane++) {
        int64_t row = block * LANES + lane;
        if (row < at->rows)
            v_get_all(row_of, q, at->q, ridge_attention_row(at, unit, row), at->head_dim);
        else
            memset(row_of, 0, (size_t)at->head_dim * sizeof *row_of);
        for (int64_t x = 0; x < at->head_dim; x++)
            s->query[x * LANES + lane] = at->scale * row_of[x];
    }
}

static inline void store_output(void *o, const tile_scratch *s, const ridge_attention *at, int64_t unit, int64_t block)
{
    float *row_of = s->query; /* in use no more */
    for (int64_t lane = 0; lane < LANES && block * LANES + lane < at->rows; lane++) {
        float share = 1.0f / s->sum[lane];
        for (int64_t x = 0; x < at->head_dim; x++)
            row_of[x] = share * s->out[x * LANES + lane];
        v_put_all(o, at->q, ridge_attention_row(at, unit, block * LANES + lane), row_of, at->head_dim);
    }
}

/* ---- scores: [count keys][LANES] = K Q^T ---- */

TILE_INLINE void score_step(float *scores, const float *query, const float *keys, int64_t head_dim, int step)
{
    vfloat sum[STEP][COLUMNS];
    V_UNROLL
    for (int r = 0; r < step; r++)
        V_UNROLL
    for (int c = 0; c < COLUMNS; c++)
        sum[r][c] = v_all(0);
    for (int64_t x = 0; x < head_dim; x++) {
        vfloat q[COLUMNS];
        V_UNROLL
        for (int c = 0; c < COLUMNS; c++)
            q[c] = v_load(query + x * LANES + c * V_WIDTH);
        V_UNROLL
        for (int r = 0; r < step; r++) {
            vfloat key = v_all(keys[r * head_dim + x]);
            V_UNROLL
            for (int c = 0; c < COLUMNS; c++)
                sum[r][c] = v_fma(key, q[c], sum[r][c]);
        }
    }
    V_UNROLL
    for (int r = 0; r < step; r++)
        V_UNROLL
    for (int c = 0; c < COLUMNS; c++)
        v_store(scores + r * LANES + c * V_WIDTH, sum[r][c]);
}

static inline void score_tile(float *scores, const float *query, const float *keys, int64_t head_dim, int64_t count)
{
    int64_t j = 0;
    for (; j + STEP <= count; j += STEP)
        score_step(scores + j * LANES, query, keys + j * head_dim, head_dim, STEP);
    for (; j < count; j++)
        score_step(scores + j * LANES, query, keys + j * head_dim, head_dim, 1);
}

/* Rows first .. first + count - 1 of a unit's K or V in single precision: where they lie, or a copy in s->keys. */
static inline const float *tile_rows(const tile_scratch *s, const ridge_attention *at, const void *rows, int64_t unit, int64_t first,
                                     int64_t count)
{
    int64_t from = (unit * at->total + first) * at->head_dim;
    if (at->kv == RIDGE_ELEMENT_FP32)
        return (const float *)rows + from;
    v_get_all(s->keys, rows, at->kv, from, count * at->head_dim);
    return s->keys;
}

/* ---- output: [head_dim][LANES] = [head_dim][LANES] * factor + V^T P ---- */

TILE_INLINE void value_step(float *out, const vfloat factor[COLUMNS], const float *scores, const float *values, int64_t count, int step)
{
    vfloat sum[STEP][COLUMNS];
    V_UNROLL
    for (int r = 0; r < step; r++)
        V_UNROLL
    for (int c = 0; c < COLUMNS; c++)
        sum[r][c] = v_mul(factor[c], v_load(out + r * LANES + c * V_WIDTH));
    for (int64_t j = 0; j < count; j++) {
        vfloat p[COLUMNS];
        V_UNROLL
        for (int c = 0; c < COLUMNS; c++)
            p[c] = v_load(scores + j * LANES + c * V_WIDTH);
        V_UNROLL
        for (int r = 0; r < step; r++) {
            vfloat value = v_all(values[j * step + r]);
            V_UNROLL
            for (int c = 0; c < COLUMNS; c++)
                sum[r][c] = v_fma(value, p[c], sum[r][c]);
        }
    }
    V_UNROLL
    for (int r = 0; r < step; r++)
        V_UNROLL
    for (int c = 0; c < COLUMNS; c++)
        v_store(out + r * LANES + c * V_WIDTH, sum[r][c]);
}

static inline void value_tile(float *out, const vfloat factor[COLUMNS], const float *scores, const float *values, int64_t head_dim,
                              int64_t count)
{
    int64_t x = 0;
    for (; x + STEP <= head_dim; x += STEP)
        value_step(out + x * LANES, factor, scores, values + x * count, count, STEP);
    for (; x < head_dim; x++)
        value_step(out + x * LANES, factor, scores, values + x * count, count, 1);
}

/* V of a tile, STEP columns at a time: [head_dim / STEP][count][STEP], the columns left over one by one */
static inline void pack_values(const tile_scratch *s, const ridge_attention *at, const void *v, int64_t unit, int64_t first, int64_t count)
{
    int64_t head_dim = at->head_dim, whole = head_dim / STEP * STEP;
    const float *rows = tile_rows(s, at, v, unit, first, count);
    for (int64_t j = 0; j < count; j++, rows += head_dim) {
        for (int64_t x = 0; x < whole; x += STEP)
            memcpy(s->values + x * count + j * STEP, rows + x, STEP * sizeof *rows);
        for (int64_t x = whole; x < head_dim; x++)
            s->values[x * count + j] = rows[x];
    }
}

/* ---- softmax ---- */

/* scores of keys that a lane does not attend to become RIDGE_ATTENTION_MASKED; scores are those of keys `first` on */
static inline void mask_tile(float *scores, const ridge_attention *at, int64_t block, int64_t first, int64_t count)
{
    if (ridge_attention_last_key(at, block * LANES) >= first + count - 1)
        return;
    for (int64_t lane = 0; lane < LANES; lane++) {
        int64_t row = block * LANES + lane;
        int64_t last = ridge_attention_last_key(at, row < at->rows ? row : at->rows - 1);
        for (int64_t j = last < first ? 0 : last - first + 1; j < count; j++)
            scores[j * LANES + lane] = RIDGE_ATTENTION_MASKED;
    }
}

/* Scores of a tile to exponentials; the largest and the sum so far go on, factor[] is what earlier exponentials are worth now
 * (Milakov, Gimelshein 2018, algorithm 3). */
static inline void soften_tile(vfloat factor[COLUMNS], const tile_scratch *s, float *scores, int64_t count)
{
    for (int c = 0; c < COLUMNS; c++) {
        vfloat old = v_load(s->largest + c * V_WIDTH), largest = old, sum = v_all(0);
        float *column = scores + c * V_WIDTH;
        for (int64_t j = 0; j < count; j++)
            largest = v_max(largest, v_load(column + j * LANES));
        for (int64_t j = 0; j < count; j++) {
            vfloat p = v_exp2(v_sub(v_load(column + j * LANES), largest));
            v_store(column + j * LANES, p);
            sum = v_add(sum, p);
        }
        factor[c] = v_exp2(v_sub(old, largest));
        v_store(s->largest + c * V_WIDTH, largest);
        v_store(s->sum + c * V_WIDTH, v_fma(v_load(s->sum + c * V_WIDTH), factor[c], sum));
    }
}

static inline void start_block(const tile_scratch *s, const ridge_attention *at)
{
    memset(s->out, 0, (size_t)(at->head_dim * LANES) * sizeof *s->out);
    for (int i = 0; i < LANES; i++) {
        s->largest[i] = 2 * RIDGE_ATTENTION_MASKED; /* below a masked score: a first tile's factor is 0, its masked keys' too in the end */
        s->sum[i] = 0;
    }
}

static inline int64_t tile_count(int64_t keys, int64_t first)
{
    return keys - first < TILE ? keys - first : TILE;
}

/* ---- flash: one pass over the keys, a tile at a time ---- */

static inline void flash_block(const ridge_kernel_run *run, const tile_scratch *s, int64_t unit, int64_t block)
{
    const ridge_attention *at = run->state;
    int64_t keys = ridge_attention_keys(at, block);
    vfloat factor[COLUMNS];
    load_queries(s, at, run->operands[RIDGE_ATTENTION_Q], unit, block);
    start_block(s, at);
    for (int64_t first = 0; first < keys; first += TILE) {
        int64_t count = tile_count(keys, first);
        score_tile(s->scores, s->query, tile_rows(s, at, run->operands[RIDGE_ATTENTION_K], unit, first, count), at->head_dim, count);
        mask_tile(s->scores, at, block, first, count);
        soften_tile(factor, s, s->scores, count);
        pack_values(s, at, run->operands[RIDGE_ATTENTION_V], unit, first, count);
        value_tile(s->out, factor, s->scores, s->values, at->head_dim, count);
    }
    store_output(run->operands[RIDGE_ATTENTION_O], s, at, unit, block);
}

static inline void flash_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    (void)phase;
    const ridge_attention *at = run->state;
    tile_scratch s = cut_scratch(at, thread);
    int64_t first, last;
    ridge_attention_share(&first, &last, at, thread);
    for (int64_t i = first; i < last; i++)
        flash_block(run, &s, i / at->blocks, i % at->blocks);
}

static inline int64_t flash_scratch(const ridge_attention *at)
{
    return scratch_floats(at, TILE);
}
static inline ridge_status flash_open(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_attention_open(run, &(ridge_attention_needs){LANES, false, false, flash_scratch}, err);
}

/* ---- fused and blocked: three passes over the scores of a block of rows, kept in memory ---- */

static inline void block_scores(const ridge_kernel_run *run, const tile_scratch *s, float *scores, int64_t unit, int64_t block)
{
    const ridge_attention *at = run->state;
    int64_t keys = ridge_attention_keys(at, block);
    load_queries(s, at, run->operands[RIDGE_ATTENTION_Q], unit, block);
    for (int64_t first = 0; first < keys; first += TILE) {
        int64_t count = tile_count(keys, first);
        const float *k = tile_rows(s, at, run->operands[RIDGE_ATTENTION_K], unit, first, count);
        score_tile(scores + first * LANES, s->query, k, at->head_dim, count);
        mask_tile(scores + first * LANES, at, block, first, count);
    }
}

static inline void block_output(const ridge_kernel_run *run, const tile_scratch *s, const float *scores, int64_t unit, int64_t block)
{
    const ridge_attention *at = run->state;
    int64_t keys = ridge_attention_keys(at, block);
    vfloat one[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        one[c] = v_all(1.0f);
    memset(s->out, 0, (size_t)(at->head_dim * LANES) * sizeof *s->out);
    for (int64_t first = 0; first < keys; first += TILE) {
        int64_t count = tile_count(keys, first);
        pack_values(s, at, run->operands[RIDGE_ATTENTION_V], unit, first, count);
        value_tile(s->out, one, scores + first * LANES, s->values, at->head_dim, count);
    }
    store_output(run->operands[RIDGE_ATTENTION_O], s, at, unit, block);
}

static inline void fused_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    (void)phase;
    const ridge_attention *at = run->state;
    tile_scratch s = cut_scratch(at, thread);
    vfloat factor[COLUMNS];
    int64_t first, last;
    ridge_attention_share(&first, &last, at, thread);
    for (int64_t i = first; i < last; i++) {
        int64_t unit = i / at->blocks, block = i % at->blocks;
        start_block(&s, at);
        block_scores(run, &s, s.scores, unit, block);
        soften_tile(factor, &s, s.scores, ridge_attention_keys(at, block));
        block_output(run, &s, s.scores, unit, block);
    }
}

static inline int64_t fused_scratch(const ridge_attention *at)
{
    return scratch_floats(at, at->total);
}
static inline ridge_status fused_open(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_attention_open(run, &(ridge_attention_needs){LANES, false, false, fused_scratch}, err);
}

/* A unit's blocks `from` .. `to` - 1: all scores, then all softmax (its sums kept at the end of each block's scores), then all output. */
static inline void blocked_unit(const ridge_kernel_run *run, const tile_scratch *s, int64_t unit, int64_t from, int64_t to)
{
    const ridge_attention *at = run->state;
    int64_t stride = (at->total + 1) * LANES;
    vfloat factor[COLUMNS];
    for (int64_t block = from; block < to; block++)
        block_scores(run, s, s->scores + block * stride, unit, block);
    for (int64_t block = from; block < to; block++) {
        float *scores = s->scores + block * stride;
        start_block(s, at);
        soften_tile(factor, s, scores, at->total);
        memcpy(scores + at->total * LANES, s->sum, LANES * sizeof *scores);
    }
    for (int64_t block = from; block < to; block++) {
        const float *scores = s->scores + block * stride;
        memcpy(s->sum, scores + at->total * LANES, LANES * sizeof *scores);
        block_output(run, s, scores, unit, block);
    }
}

static inline void blocked_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    (void)phase;
    const ridge_attention *at = run->state;
    tile_scratch s = cut_scratch(at, thread);
    int64_t first, last;
    ridge_attention_share(&first, &last, at, thread);
    while (first < last) {
        int64_t unit = first / at->blocks, end = (unit + 1) * at->blocks;
        end = end < last ? end : last;
        blocked_unit(run, &s, unit, first - unit * at->blocks, end - unit * at->blocks);
        first = end;
    }
}

static inline int64_t blocked_scratch(const ridge_attention *at)
{
    int64_t keys = ridge_attention_product(at->total + 1, at->blocks, 1);
    return keys < 0 ? -1 : scratch_floats(at, keys);
}
static inline ridge_status blocked_open(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_attention_open(run, &(ridge_attention_needs){LANES, true, false, blocked_scratch}, err);
}

#endif
