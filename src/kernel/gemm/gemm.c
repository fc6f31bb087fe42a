#include "kernel/gemm/gemm.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "kernel/codec/codec.h"
#include "kernel/codec/element.h"
#include "kernel/parts.h"
#include "kernel/provider/provider.h"

enum { LINE = 64, HUGE_PAGE = 2 << 20, SMALL_M = 64, LARGE_M = 512 };

/* ---- what can be done ---- */

ridge_gemm_layout ridge_gemm_layout_of(const ridge_format *format)
{
    static const struct {
        const char *name;
        ridge_gemm_layout layout;
    } plain[] = {{"fp32", RIDGE_GEMM_FP32}, {"bf16", RIDGE_GEMM_BF16}, {"fp16", RIDGE_GEMM_FP16}, {"int8", RIDGE_GEMM_INT8}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(format->name, plain[i].name) == 0)
            return plain[i].layout;
    return RIDGE_GEMM_CODEC;
}

bool ridge_gemm_takes_any(const ridge_problem *problem)
{
    return problem->kind == RIDGE_KERNEL_KIND_GEMM && problem->weights && ridge_is_activation_format(problem->activations) &&
           problem->k % problem->weights->block_elements == 0 && ridge_has_codec(problem->weights);
}

/* ---- values in and out ---- */

const float *ridge_gemm_values(float *room, const ridge_gemm_matrix *matrix, int64_t row, int64_t k, int64_t count)
{
    const unsigned char *from = matrix->data + (size_t)row * matrix->row_bytes;
    if (matrix->layout == RIDGE_GEMM_FP32)
        return (const float *)(const void *)from + k;
    (void)ridge_dequantise_part(room, matrix->format, from, matrix->cols, k, count, matrix->tensor_scale);
    return room;
}

void ridge_gemm_store(const ridge_gemm_matrix *c, int64_t row, int64_t column, const float *sums, int64_t count)
{
    unsigned char *to = c->data + (size_t)row * c->row_bytes;
    if (c->layout == RIDGE_GEMM_FP32) {
        memcpy((float *)(void *)to + column, sums, (size_t)count * sizeof *sums);
        return;
    }
    uint16_t *words = (uint16_t *)(void *)to + column;
    for (int64_t i = 0; i < count; i++)
        words[i] = c->layout == RIDGE_GEMM_BF16 ? ridge_float_to_bf16(sums[i]) : ridge_float_to_fp16(sums[i]);
}

/* ---- opening ---- */

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* zeroed, on a page of its own where it is large; NULL: none left, or too many */
static void *scratch(int64_t count, int64_t size)
{
    int64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(bytes, 4 * LINE, &bytes))
        return NULL;
    size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : LINE;
    void *out = aligned_alloc(unit, (size_t)round_up(bytes, (int64_t)unit));
    if (!out)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (unit == HUGE_PAGE)
        (void)madvise(out, (size_t)round_up(bytes, HUGE_PAGE), MADV_HUGEPAGE);
#endif
    memset(out, 0, (size_t)bytes);
    return out;
}

static ridge_gemm_matrix matrix_of(const ridge_kernel_run *run, const ridge_operand *operand, size_t index)
{
    const ridge_format *format = operand->format;
    ridge_gemm_matrix out = {
        .data = run->operands[index],
        .format = format,
        .layout = ridge_gemm_layout_of(format),
        .cols = operand->cols,
        .block_bytes = format->block_bits / 8,
        .tensor_scale = run->tensor_scales[index],
    };
    (void)ridge_row_bytes(&out.row_bytes, format, operand->cols); /* ridge_problem_operands has seen it fit */
    return out;
}

/* Few rows: panel after panel, each through all of k. Many: a block of A, mc x kc, stays in the second-level cache for nc / nr panels. */
static void choose_blocks(ridge_gemm_state *s)
{
    const ridge_gemm_engine *e = s->engine;
    bool small = s->m <= SMALL_M;
    s->nc = small ? e->nr : e->nc;
    s->kc = round_up(e->kc, s->w.format->block_elements);
    s->stride = s->nc + LINE / (int64_t)sizeof(float); /* not a power of two: rows would meet in the same sets */
    s->mc = round_up(s->m < LARGE_M ? s->m : LARGE_M, e->mr);
}

static bool allocate(ridge_gemm_state *s)
{
    const ridge_gemm_engine *e = s->engine;
    int64_t steps = (s->k + e->step - 1) / e->step, tiles = (s->m + e->mr - 1) / e->mr;
    s->tile_bytes = (size_t)steps * e->a_step_bytes;
    s->a_packed = scratch(tiles, (int64_t)s->tile_bytes);
    s->row_scales = scratch(s->m, sizeof *s->row_scales);
    s->row_sums = scratch(s->m, sizeof *s->row_sums);
    s->own = calloc(s->threads, sizeof *s->own);
    bool fine = s->a_packed && s->row_scales && s->row_sums && s->own;
    for (unsigned t = 0; fine && t < s->threads; t++) {
        s->own[t].w = scratch((s->kc + e->step - 1) / e->step, e->w_step_bytes);
        s->own[t].sums = scratch(s->mc, s->stride * (int64_t)sizeof(float));
        s->own[t].values = scratch(e->nr > e->mr ? e->nr : e->mr, (s->k > s->kc ? s->k : s->kc) * (int64_t)sizeof(float));
        fine = s->own[t].w && s->own[t].sums && s->own[t].values;
    }
    return fine;
}

static ridge_gemm_state *make_state(const ridge_kernel_run *run, const ridge_gemm_engine *engine, const ridge_operand *operands)
{
    ridge_gemm_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (ridge_gemm_state){
        .engine = engine,
        .w = matrix_of(run, &operands[0], 0),
        .a = matrix_of(run, &operands[1], 1),
        .c = matrix_of(run, &operands[2], 2),
        .m = run->problem.m,
        .n = run->problem.n,
        .k = run->problem.k,
        .threads = run->threads > 0 ? run->threads : 1,
    };
    choose_blocks(s);
    return s;
}

ridge_status ridge_gemm_open(ridge_kernel_run *run, const ridge_gemm_engine *engine, ridge_err *err)
{
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    size_t count;
    ridge_status st = ridge_problem_operands(operands, &count, &run->problem, err);
    if (st)
        return st;
    ridge_gemm_state *s = make_state(run, engine, operands);
    run->state = s;
    run->phases = 2;
    run->packed_bytes = 0;
    if (s && allocate(s))
        return RIDGE_OK;
    ridge_gemm_close(run);
    return ridge_fail(err, RIDGE_NOMEM, "gemm %lldx%lldx%lld: no memory for its packed operands", (long long)run->problem.m,
                      (long long)run->problem.n, (long long)run->problem.k);
}

void ridge_gemm_close(ridge_kernel_run *run)
{
    ridge_gemm_state *s = run->state;
    if (!s)
        return;
    for (unsigned t = 0; s->own && t < s->threads; t++) {
        free(s->own[t].w);
        free(s->own[t].sums);
        free(s->own[t].values);
    }
    free(s->own);
    free(s->a_packed);
    free(s->row_scales);
    free(s->row_sums);
    free(s);
    run->state = NULL;
}

/* ---- running ---- */

static int64_t at_most(int64_t value, int64_t limit)
{
    return value < limit ? value : limit;
}

/* the `thread`th of `threads` even shares of `count` things */
static int64_t share(int64_t count, unsigned thread, unsigned threads)
{
    return count * thread / threads;
}

static void pack_tiles(const ridge_gemm_state *s, unsigned thread)
{
    const ridge_gemm_engine *e = s->engine;
    int64_t tiles = (s->m + e->mr - 1) / e->mr;
    for (int64_t t = share(tiles, thread, s->threads); t < share(tiles, thread + 1, s->threads); t++) {
        int64_t row = t * e->mr;
        e->pack_a(s, &s->own[thread], s->a_packed + (size_t)t * s->tile_bytes, row, (unsigned)at_most(s->m - row, e->mr));
    }
}

/* a part of the product: rows and columns of C, and of k what is being added */
typedef struct block {
    int64_t row, rows, column, columns, k, count;
} block;

/* bytes from the piece of W at (column, k) to the one that is wanted next, to be fetched meanwhile */
static ptrdiff_t bytes_ahead(const ridge_gemm_state *s, const block *b, int64_t j)
{
    int64_t rows = s->engine->nr, values = 0;
    if (j + rows >= b->columns) { /* back to the block's first panel, further along; or on to the next block */
        bool last = b->k + s->kc >= s->k;
        rows = last ? rows : -j;
        values = last ? -b->k : s->kc;
    }
    return (ptrdiff_t)rows * (ptrdiff_t)s->w.row_bytes + (ptrdiff_t)(values / s->w.format->block_elements) * (ptrdiff_t)s->w.block_bytes;
}

/* panel by panel, each used for all rows while it is in the first-level cache */
static void multiply_block(const ridge_gemm_state *s, ridge_gemm_thread *own, const block *b)
{
    const ridge_gemm_engine *e = s->engine;
    size_t from = (size_t)(b->k / e->step) * e->a_step_bytes, steps = (size_t)((b->count + e->step - 1) / e->step);
    const unsigned char *tile = s->a_packed + (size_t)(b->row / e->mr) * s->tile_bytes + from;
    for (int64_t j = 0; j < b->columns; j += e->nr) {
        own->ahead = bytes_ahead(s, b, j);
        e->pack_w(s, own, own->w, b->column + j, (unsigned)at_most(b->columns - j, e->nr), b->k, b->count);
        for (int64_t i = 0; i < b->rows; i += e->mr)
            e->multiply(own->sums + (size_t)(i * s->stride + j) * sizeof(float), (size_t)s->stride,
                        tile + (size_t)(i / e->mr) * s->tile_bytes, own->w, steps, (unsigned)at_most(b->rows - i, e->mr));
    }
}

static void store_block(const ridge_gemm_state *s, const ridge_gemm_thread *own, const block *b)
{
    for (int64_t i = 0; i < b->rows; i++) {
        float *sums = (float *)(void *)own->sums + i * s->stride;
        if (s->engine->store)
            s->engine->store(s, b->row + i, b->column, sums, b->columns);
        else
            ridge_gemm_store(&s->c, b->row + i, b->column, sums, b->columns);
    }
}

/* this thread's panels of W against all rows of A */
static void multiply_share(const ridge_gemm_state *s, unsigned thread)
{
    const ridge_gemm_engine *e = s->engine;
    ridge_gemm_thread *own = &s->own[thread];
    int64_t panels = (s->n + e->nr - 1) / e->nr;
    int64_t end = at_most(share(panels, thread + 1, s->threads) * e->nr, s->n);
    for (int64_t column = share(panels, thread, s->threads) * e->nr; column < end; column += s->nc)
        for (int64_t row = 0; row < s->m; row += s->mc) {
            block b = {.row = row, .rows = at_most(s->m - row, s->mc), .column = column, .columns = at_most(end - column, s->nc)};
            memset(own->sums, 0, (size_t)(b.rows * s->stride) * sizeof(float));
            for (b.k = 0; b.k < s->k; b.k += s->kc) {
                b.count = at_most(s->k - b.k, s->kc);
                multiply_block(s, own, &b);
            }
            store_block(s, own, &b);
        }
}

void ridge_gemm_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    if (phase == 0)
        pack_tiles(run->state, thread);
    else
        multiply_share(run->state, thread);
}

/* ---- the list ---- */

const ridge_kernel_variant *const ridge_gemm_variants[] = {
#if defined(__x86_64__)
    &ridge_gemm_avx512_int8, &ridge_gemm_avx512_blocks, &ridge_gemm_avx512_bf16, &ridge_gemm_avx2_int8, &ridge_gemm_avx2_blocks,
    &ridge_gemm_avx512,      &ridge_gemm_avx2,
#elif defined(__aarch64__)
    &ridge_gemm_neon,
#endif
    &ridge_gemm_onednn_int8, &ridge_gemm_onednn,        &ridge_gemm_openblas,    &ridge_gemm_generic,   NULL,
};
