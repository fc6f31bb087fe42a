/* tiles_tmpl.h - the GEMV kernels, written once over a vocabulary of vectors (lanes_*.h): lane r is row r of a tile.
 * In: a state whose weights are packed. Out: y. Included once per instruction set.
 * Sums of products of codes are exact in 32-bit integers; each block's sum is then scaled and added in single precision. */
#ifndef RIDGE_KERNEL_GEMV_TILES_TMPL_H
#define RIDGE_KERNEL_GEMV_TILES_TMPL_H

#include "kernel/gemv/gemv.h"
#include "kernel/gemv/wide_tmpl.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNROLL /* gcc does not unroll there, and says so */
#elif defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* A tile's vectors are pairs of registers: what is read of the activations serves both. */
enum { TILE = 2 * LANES, VECTOR = 4 * TILE };

/* A vector of packed weights. They are one ascending stream, which the processor fetches ahead by itself: prefetch instructions, at any
 * distance from 1 to 8 KiB, cost half of the bandwidth where this was measured; so do loop bodies of several KiB, each load of which
 * strides far (docs/kernels.md). */
INLINE wide_ints stream(const uint8_t *at)
{
    wide_ints loaded = w_load(at);
    /* kept in registers: compilers would rather read memory once for each use */
    __asm__("" : "+" VECTOR_REGISTER(loaded.a), "+" VECTOR_REGISTER(loaded.b));
    return loaded;
}

/* ---- phase 0: activations ---- */

/* activations [from, from + LANES) as floats, those beyond k as 0 */
INLINE floats x_at(const void *x, ridge_element element, int64_t from, int64_t k)
{
    if (from + LANES > k) {
        float some[LANES] = {0};
        for (int64_t i = from; i < k; i++)
            some[i - from] = ridge_element_get(x, element, i);
        return f_load(some);
    }
    const void *at = ridge_element_at(x, element, from);
    return element == RIDGE_ELEMENT_FP32 ? f_load(at) : element == RIDGE_ELEMENT_BF16 ? f_bf16(at) : f_halves(at);
}

static void x_values(const ridge_kernel_run *run, int64_t from, int64_t end)
{
    const ridge_gemv_state *s = run->state;
    for (; from < end; from += LANES)
        f_store(s->values + from, x_at(run->operands[1], s->activations, from, run->problem.k));
}

/* The sum of a block of q4_K goes where v_dot16 wants it: minima 0 and 2, 1 and 3 of four bytes share words. */
INLINE int64_t sum_place(ridge_gemv_code code, int64_t i)
{
    static const uint8_t order[4] = {0, 2, 1, 3};
    return code == RIDGE_GEMV_Q4_K ? i / 4 * 4 + order[i % 4] : i;
}

/* one block of x: its step, its codes, and the sums of its parts */
static void x_block(const ridge_kernel_run *run, int64_t from)
{
    const ridge_gemv_state *s = run->state;
    const ridge_gemv_layout *l = s->layout;
    floats sizes = f_zero();
    for (int64_t i = from; i < from + l->x_block; i += LANES)
        sizes = f_larger_size(sizes, x_at(run->operands[1], s->activations, i, run->problem.k));
    const float largest = f_largest(sizes), codes = l->bits == 8 ? (float)RIDGE_GEMV_LARGEST_8 : (float)RIDGE_GEMV_LARGEST_16;
    const floats inverse = f_set(largest > 0x1p-100f ? codes / largest : 0);
    s->steps[from / l->x_block] = largest / codes * l->factor;
    for (int64_t part = from; part < from + l->x_block; part += l->sum_block) {
        ints sum = v_set(0);
        for (int64_t i = part; i < part + l->sum_block; i += LANES) {
            ints rounded = v_round(f_times(x_at(run->operands[1], s->activations, i, run->problem.k), inverse));
            sum = v_add(sum, rounded);
            if (l->bits == 8)
                v_store8((int8_t *)s->codes + i, rounded);
            else
                v_store16((int16_t *)s->codes + i, rounded);
        }
        s->sums[sum_place(l->code, part / l->sum_block)] = -l->offset * v_total(sum);
    }
}

static void prepare_x(const ridge_kernel_run *run, unsigned thread)
{
    const ridge_gemv_state *s = run->state;
    int64_t begin, end;
    ridge_kernel_share(&begin, &end, s->padded / RIDGE_GEMV_BLOCK, thread, run->threads);
    if (!s->layout)
        x_values(run, begin * RIDGE_GEMV_BLOCK, end * RIDGE_GEMV_BLOCK);
    for (int64_t i = begin * RIDGE_GEMV_BLOCK; s->layout && i < end * RIDGE_GEMV_BLOCK; i += s->layout->x_block)
        x_block(run, i);
}

/* ---- phase 1: blocks of packed weights ---- */

/* where a tile's loop is: its next chunk and the activations that meet it */
typedef struct cursor {
    const uint8_t *w;
    const int8_t *x;
    const int16_t *x16; /* the same, where codes are of 16 bits */
    const float *steps;
    const int32_t *sums;
} cursor;

/* `quads` vectors of four bytes a lane against 4 * quads activations */
INLINE wide_ints dot_bytes(wide_ints sum, const uint8_t *w, const int8_t *x, unsigned quads)
{
    for (unsigned q = 0; q < quads; q++)
        sum = w_dot(sum, stream(w + q * VECTOR), w_spread(x + 4 * q));
    return sum;
}

/* `vectors` vectors of half bytes: 4 * vectors activations meet the low halves, as many more the high ones */
INLINE void dot_halves(wide_ints *low, wide_ints *high, const uint8_t *w, const int8_t *x, unsigned vectors)
{
    for (unsigned v = 0; v < vectors; v++) {
        wide_ints both = stream(w + v * VECTOR);
        *low = w_dot_small(*low, w_low(both), w_spread(x + 4 * v));
        *high = HIGH_SHIFT ? w_dot(*high, w_high(both), w_spread(x + 4 * (vectors + v)))
                           : w_dot_small(*high, w_high(both), w_spread(x + 4 * (vectors + v)));
    }
}

/* the same where codes stand for bytes of a table */
INLINE wide_ints dot_table(wide_ints sum, ints table, const uint8_t *w, const int8_t *x, unsigned vectors, bool small)
{
    for (unsigned v = 0; v < vectors; v++) {
        wide_ints both = stream(w + v * VECTOR);
        wide_ints low = w_lookup_low(table, both), high = w_lookup_high(table, both);
        wide_ints x_low = w_spread(x + 4 * v), x_high = w_spread(x + 4 * (vectors + v));
        sum = small ? w_dot_small(sum, low, x_low) : w_dot(sum, low, x_low);
        sum = small ? w_dot_small(sum, high, x_high) : w_dot(sum, high, x_high);
    }
    return sum;
}

INLINE wide_floats chunk_int8(const cursor *c, wide_floats sum)
{
    wide_ints even = dot_bytes(w_set(c->sums[0]), c->w, c->x, 8), odd = dot_bytes(w_set(0), c->w + 8 * VECTOR, c->x + 32, 8);
    return g_fma(g_from(w_add(even, odd)), g_set(c->steps[0]), sum);
}

INLINE wide_floats chunk_q8_0(const cursor *c, wide_floats sum)
{
    UNROLL
    for (unsigned b = 0; b < 2; b++) {
        wide_ints dot = dot_bytes(w_set(c->sums[b]), c->w + (1 + 8 * b) * VECTOR, c->x + 32 * b, 8);
        sum = g_fma(g_from(dot), g_times(g_halves(c->w + b * VECTOR / 2), g_set(c->steps[b])), sum);
    }
    return sum;
}

INLINE wide_floats chunk_q4_0(const cursor *c, wide_floats sum)
{
    UNROLL
    for (unsigned b = 0; b < 2; b++) {
        wide_ints low = w_set(c->sums[b]), high = w_set(0);
        dot_halves(&low, &high, c->w + (1 + 4 * b) * VECTOR, c->x + 32 * b, 4);
        wide_ints dot = w_add(low, w_right_signed(high, HIGH_SHIFT));
        sum = g_fma(g_from(dot), g_times(g_halves(c->w + b * VECTOR / 2), g_set(c->steps[b])), sum);
    }
    return sum;
}

INLINE wide_floats chunk_iq4_nl(const cursor *c, wide_floats sum, ints table)
{
    UNROLL
    for (unsigned b = 0; b < 2; b++) {
        wide_ints dot = dot_table(w_set(c->sums[b]), table, c->w + (1 + 4 * b) * VECTOR, c->x + 32 * b, 4, false);
        sum = g_fma(g_from(dot), g_times(g_halves(c->w + b * VECTOR / 2), g_set(c->steps[b])), sum);
    }
    return sum;
}

INLINE wide_floats chunk_mxfp4(const cursor *c, wide_floats sum, ints table)
{
    UNROLL
    for (unsigned b = 0; b < 4; b++) {
        wide_ints dot = dot_table(w_set(c->sums[b]), table, c->w + (1 + 4 * b) * VECTOR, c->x + 32 * b, 4, true);
        sum = g_fma(g_from(dot), g_times(g_e8m0(c->w + b * TILE), g_set(c->steps[b])), sum);
    }
    return sum;
}

INLINE wide_floats chunk_nvfp4(const cursor *c, wide_floats sum, ints table)
{
    UNROLL
    for (unsigned b = 0; b < 4; b++) {
        wide_ints dot = dot_table(w_set(c->sums[b]), table, c->w + (1 + 2 * b) * VECTOR, c->x + 16 * b, 2, true);
        sum = g_fma(g_from(dot), g_times(g_e4m3(c->w + b * TILE), g_set(c->steps[b / 2])), sum);
    }
    return sum;
}

INLINE wide_floats chunk_int4(const cursor *c, wide_floats sum)
{
    for (unsigned g = 0; g < 2; g++) {
        wide_ints low = w_set(0), high = w_set(0), zeros = w_widen_u8(c->w + VECTOR + g * TILE);
        dot_halves(&low, &high, c->w + (2 + 16 * g) * VECTOR, c->x + 128 * g, 16);
        wide_ints dot = w_add(low, w_right_signed(high, HIGH_SHIFT));
        dot = w_sub(dot, w_times(zeros, w_set(c->sums[g])));
        sum = g_fma(g_from(dot), g_times(g_halves(c->w + g * VECTOR / 2), g_set(c->steps[g])), sum);
    }
    return sum;
}

/* three vectors of bytes to four of six bits */
INLINE void six_bits(wide_ints out[4], const uint8_t *at)
{
    const wide_ints low = w_set(0x3f3f3f3f);
    wide_ints a = stream(at), b = stream(at + VECTOR), c = stream(at + 2 * VECTOR);
    out[0] = w_and(a, low);
    out[1] = w_and(b, low);
    out[2] = w_and(c, low);
    out[3] = w_or(w_and(w_right(a, 6), w_set(0x03030303)),
                  w_or(w_and(w_right(b, 4), w_set(0x0c0c0c0c)), w_and(w_right(c, 2), w_set(0x30303030))));
}

/* d * (sum of scale * codes * x) - dmin * (sum of minimum * x); scale and minimum times their sums are integers too */
INLINE wide_floats chunk_q4_k(const cursor *c, wide_floats sum)
{
    const wide_ints byte = w_set(255), words = w_set(0x00ff00ff);
    wide_ints sixes[4], total = w_set(0), minima = w_set(0);
    int16_t x_sums[8];
    six_bits(sixes, c->w + VECTOR);
    for (int i = 0; i < 8; i++)
        x_sums[i] = (int16_t)c->sums[i];
    UNROLL
    for (unsigned h = 0; h < 2; h++) {
        minima = w_dot16(minima, w_and(sixes[2 + h], words), w_spread(x_sums + 4 * h));
        minima = w_dot16(minima, w_and(w_right(sixes[2 + h], 8), words), w_spread(x_sums + 4 * h + 2));
    }
    UNROLL
    for (unsigned pair = 0; pair < 4; pair++) {
        wide_ints low = w_set(0), high = w_set(0), scales = w_right(sixes[pair / 2], pair % 2 * 16);
        dot_halves(&low, &high, c->w + (4 + 8 * pair) * VECTOR, c->x + 64 * pair, 8);
        total = w_add(total, w_times(low, w_and(scales, byte)));
        total = w_add(total, w_times(w_right_signed(high, HIGH_SHIFT), w_and(w_right(scales, 8), byte)));
    }
    const wide_floats step = g_set(c->steps[0]);
    sum = g_fma(g_from(total), g_times(g_halves(c->w), step), sum);
    return g_fnma(g_from(minima), g_times(g_halves(c->w + VECTOR / 2), step), sum);
}

/* four times the scales of four sub-blocks, four bytes of a lane, and their codes: the stream never goes back */
INLINE wide_floats chunk_q6_k(const cursor *c, wide_floats sum)
{
    const wide_floats step = g_times(g_load((const float *)(const void *)c->w), g_set(c->steps[0]));
    wide_ints total = w_set(0);
    for (unsigned four = 0; four < 4; four++) {
        const uint8_t *w = c->w + (1 + 13 * four) * VECTOR;
        const int8_t *x = c->x + 64 * four;
        const wide_ints scales = stream(w);
        UNROLL
        for (unsigned b = 0; b < 4; b++) {
            wide_ints sixes[4], dot = w_set(c->sums[4 * four + b]);
            six_bits(sixes, w + (1 + 3 * b) * VECTOR);
            UNROLL
            for (unsigned q = 0; q < 4; q++)
                dot = w_dot_small(dot, sixes[q], w_spread(x + 16 * b + 4 * q));
            total = w_add(total, w_times(dot, w_right_signed(w_left(scales, (SHIFT)(24 - 8 * b)), 24)));
        }
    }
    return g_fma(g_from(total), step, sum);
}

INLINE wide_floats chunk_nf4(const cursor *c, wide_floats sum, words_table table)
{
    for (unsigned b = 0; b < 2; b++) {
        wide_ints even = w_set(0), odd = w_set(0);
        for (unsigned v = 0; v < 8; v++) {
            wide_ints words = stream(c->w + (1 + 8 * b + v) * VECTOR);
            const int16_t *at = c->x16 + 64 * b + 8 * v;
            even = w_dot16(even, w_lookup16(table, words), w_spread(at));
            odd = w_dot16(odd, w_lookup16(table, w_right(words, 4)), w_spread(at + 2));
            even = w_dot16(even, w_lookup16(table, w_right(words, 8)), w_spread(at + 4));
            odd = w_dot16(odd, w_lookup16(table, w_right(words, 12)), w_spread(at + 6));
        }
        sum = g_fma(g_from(w_add(even, odd)), g_times(g_halves(c->w + b * VECTOR / 2), g_set(c->steps[b])), sum);
    }
    return sum;
}

/* ---- phase 1: tiles ---- */

/* the levels of a format, made unsigned by its offset */
static ints level_table(const ridge_gemv_layout *l)
{
    uint8_t table[16];
    for (int i = 0; i < 16; i++)
        table[i] = (uint8_t)((l->code == RIDGE_GEMV_IQ4_NL ? ridge_iq4_values[i] : ridge_fp4_doubled[i]) + l->offset);
    return v_table(table);
}
static words_table nf4_table(void)
{
    int16_t table[16];
    for (int i = 0; i < 16; i++)
        table[i] = (int16_t)ridge_round_int(ridge_nf4_values[i] * RIDGE_GEMV_NF4_LARGEST);
    return v_table16(table);
}

/* what a tile's loop keeps in registers */
typedef struct tables {
    ints levels;
    words_table words;
} tables;

INLINE wide_floats chunk(ridge_gemv_code code, const cursor *c, wide_floats sum, const tables *t)
{
    switch (code) {
    case RIDGE_GEMV_INT8:
        return chunk_int8(c, sum);
    case RIDGE_GEMV_Q8_0:
        return chunk_q8_0(c, sum);
    case RIDGE_GEMV_Q4_0:
        return chunk_q4_0(c, sum);
    case RIDGE_GEMV_IQ4_NL:
        return chunk_iq4_nl(c, sum, t->levels);
    case RIDGE_GEMV_MXFP4:
        return chunk_mxfp4(c, sum, t->levels);
    case RIDGE_GEMV_NVFP4:
        return chunk_nvfp4(c, sum, t->levels);
    case RIDGE_GEMV_Q4_K:
        return chunk_q4_k(c, sum);
    case RIDGE_GEMV_Q6_K:
        return chunk_q6_k(c, sum);
    case RIDGE_GEMV_INT4:
        return chunk_int4(c, sum);
    case RIDGE_GEMV_NF4:
        return chunk_nf4(c, sum, t->words);
    }
    return sum;
}

/* tiles [begin, end); `code` is a constant where this is called, so that a loop of one format's chunks is left */
INLINE void tiles_of(ridge_gemv_code code, const ridge_kernel_run *run, int64_t begin, int64_t end)
{
    const ridge_gemv_state *s = run->state;
    const ridge_gemv_layout l = *s->layout;
    const tables t = {level_table(&l), nf4_table()};
    for (int64_t tile = begin; tile < end; tile++) {
        cursor c = {s->packed + (size_t)tile * s->tile_bytes, s->codes, s->codes, s->steps, s->sums};
        wide_floats sum = g_zero();
        for (int64_t i = 0; i < s->chunks; i++) {
            sum = chunk(code, &c, sum, &t);
            c.w += l.vectors * VECTOR;
            c.x += l.chunk;
            c.x16 += l.chunk;
            c.steps += l.chunk / l.x_block;
            c.sums += l.chunk / l.sum_block;
        }
        float results[TILE];
        g_store(results, sum);
        ridge_gemv_store(run, tile * TILE, results, TILE);
    }
}

static void multiply_tiles(const ridge_kernel_run *run, unsigned thread)
{
    const ridge_gemv_state *s = run->state;
    int64_t begin, end;
    ridge_kernel_share(&begin, &end, s->tiles, thread, run->threads);
    /* clang-format off */
    switch (s->layout->code) {
#define X(code) case RIDGE_GEMV_##code: tiles_of(RIDGE_GEMV_##code, run, begin, end); break;
        X(INT8) X(Q8_0) X(Q4_0) X(IQ4_NL) X(MXFP4) X(NVFP4) X(Q4_K) X(Q6_K) X(INT4) X(NF4)
#undef X
    }
    /* clang-format on */
}

/* ---- phase 1: fp32, bf16, fp16: a lane is a row here too ---- */

/* Two columns of one register's rows. Gemv.h, ridge_gemv_open_plain, says how they lie. */
INLINE void two_columns(floats *even, floats *odd, const uint8_t *w, ridge_element element)
{
    if (element == RIDGE_ELEMENT_FP16) {
        *even = f_halves(w);
        *odd = f_halves(w + 2 * LANES);
        return;
    }
    ints both = v_load(w); /* bf16: a float's upper half */
    __asm__("" : "+" VECTOR_REGISTER(both));
    *even = f_bits(v_left(both, 16));
    *odd = f_bits(v_and(both, v_set((int)0xffff0000)));
}

/* One line of weights a register and round, no more: where a round strides over more lines the processor fetches less far ahead. */
INLINE void plain_tile(const ridge_kernel_run *run, ridge_element element, unsigned registers, int64_t tile)
{
    const ridge_gemv_state *s = run->state;
    const unsigned columns = element == RIDGE_ELEMENT_FP32 ? 1 : 2;
    const uint8_t *w = s->packed + (size_t)tile * s->tile_bytes;
    floats even[PLAIN_REGISTERS], odd[PLAIN_REGISTERS];
    float results[PLAIN_REGISTERS * LANES];
    UNROLL
    for (unsigned r = 0; r < registers; r++)
        even[r] = odd[r] = f_zero();
    for (const float *x = s->values, *end = x + columns * s->chunks; x < end; x += columns) {
        UNROLL
        for (unsigned r = 0; r < registers; r++, w += VECTOR / 2) {
            if (columns == 1) {
                even[r] = f_fma(f_load((const float *)(const void *)w), f_set(x[0]), even[r]);
                continue;
            }
            floats w_even, w_odd;
            two_columns(&w_even, &w_odd, w, element);
            even[r] = f_fma(w_even, f_set(x[0]), even[r]);
            odd[r] = f_fma(w_odd, f_set(x[1]), odd[r]);
        }
    }
    UNROLL
    for (unsigned r = 0; r < registers; r++)
        f_store(results + r * LANES, f_add(even[r], odd[r]));
    ridge_gemv_store(run, tile * registers * LANES, results, registers * LANES);
}

INLINE void plain_share(const ridge_kernel_run *run, ridge_element element, unsigned thread)
{
    const ridge_gemv_state *s = run->state;
    int64_t begin, end;
    ridge_kernel_share(&begin, &end, s->tiles, thread, run->threads);
    for (int64_t tile = begin; tile < end; tile++)
        if (s->lanes > LANES)
            plain_tile(run, element, PLAIN_REGISTERS, tile);
        else
            plain_tile(run, element, 1, tile);
}

/* ---- the variants' functions ---- */

static void packed_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    if (phase == 0)
        prepare_x(run, thread);
    else
        multiply_tiles(run, thread);
}
static void plain_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    const ridge_gemv_state *s = run->state;
    if (phase == 0)
        prepare_x(run, thread);
    else if (s->weights == RIDGE_ELEMENT_FP32)
        plain_share(run, RIDGE_ELEMENT_FP32, thread);
    else if (s->weights == RIDGE_ELEMENT_BF16)
        plain_share(run, RIDGE_ELEMENT_BF16, thread);
    else
        plain_share(run, RIDGE_ELEMENT_FP16, thread);
}
static ridge_status open_plain(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemv_open_plain(run, LANES, PLAIN_REGISTERS, err);
}
static ridge_status open_8(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemv_open_packed(run, TILE, 8, err);
}
static ridge_status open_16(ridge_kernel_run *run, ridge_err *err)
{
    return ridge_gemv_open_packed(run, TILE, 16, err);
}

#endif
