#include "measure/kernel_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/provider/provider.h"

/* output elements that are compared where a whole reference would take minutes: about this many rows of each side */
enum { SAMPLE_ROWS = 48, SAMPLE_COLUMNS = 96 };
/* Quantising is slow: later rows repeat the first, a prime number of them, so that rows a kernel takes together differ. */
enum { DISTINCT_ROWS = 509 };

/* the reference of a part of the output: a smaller problem made of some rows of the operands */
typedef struct checked_part {
    ridge_problem problem;
    void *data[RIDGE_PROBLEM_OPERANDS];
    size_t count;
    double *values; /* [rows, cols] of the part's output */
    int64_t *rows;  /* of A (gemm), heads (attention); as in the whole problem */
    int64_t *cols;  /* of W */
    int64_t row_count, col_count;
} checked_part;

struct ridge_kernel_bench {
    ridge_problem problem;
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    size_t count, bytes[RIDGE_PROBLEM_OPERANDS];
    void *data[RIDGE_PROBLEM_OPERANDS];
    float scales[RIDGE_PROBLEM_OPERANDS];
    bool huge;
    size_t output;                           /* index of the operand */
    bool rotates;                            /* some operand does */
    void *(*places)[RIDGE_PROBLEM_OPERANDS]; /* copies of the rotating operands; [0] is empty: the operands themselves */
    unsigned place_count;
    checked_part part;
};

static ridge_status nomem(ridge_err *err)
{
    return ridge_fail(err, RIDGE_NOMEM, "the operands do not fit in memory");
}

/* ---- operands ---- */

static size_t row_bytes(const ridge_format *f, int64_t cols)
{
    ridge_int bytes = 0;
    (void)ridge_format_bytes(&bytes, f, 1, cols);
    return (size_t)bytes - (cols > 0 ? f->tensor_bytes : 0);
}

/* What codes are multiplied by. int8: values up to 4 use all codes. NVFP4: the largest value a block can have is 6 (E2M1) x 448 (E4M3);
 * normal values of a large tensor stay below 6. */
static float tensor_scale(const ridge_format *f)
{
    if (strcmp(f->name, "int8") == 0)
        return 4.0f / 127.0f;
    return f->tensor_bytes ? 6.0f / (6.0f * 448.0f) : 1.0f;
}

static void fill_indices(int32_t *out, int64_t count, int64_t below)
{
    uint64_t state = 88172645463325252u;
    for (int64_t i = 0; i < count; i++) { /* xorshift64 (Marsaglia 2003) */
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out[i] = (int32_t)(state % (uint64_t)below);
    }
}

static ridge_status fill(ridge_kernel_bench *b, size_t i, ridge_err *err)
{
    const ridge_operand *o = &b->operands[i];
    size_t stride = row_bytes(o->format, o->cols);
    if (o->format->integer) {
        fill_indices(b->data[i], o->rows * o->cols, b->problem.n > 0 ? b->problem.n : 1);
        return RIDGE_OK;
    }
    float *row = malloc((size_t)o->cols * sizeof *row);
    ridge_status st = row ? RIDGE_OK : nomem(err);
    for (int64_t r = 0; r < o->rows && !st && ridge_measure_interrupted == 0; r++) {
        char *to = (char *)b->data[i] + (size_t)r * stride;
        if (r >= DISTINCT_ROWS) {
            memcpy(to, (char *)b->data[i] + (size_t)(r % DISTINCT_ROWS) * stride, stride);
            continue;
        }
        ridge_fill_normal(row, (size_t)o->cols, (uint64_t)r * RIDGE_PROBLEM_OPERANDS + i);
        if (!ridge_quantise_row(to, o->format, row, o->cols, b->scales[i]))
            st = ridge_fail(err, RIDGE_UNKNOWN, "%s: no kernel has operands in %s", o->name, o->format->name);
    }
    free(row);
    return st;
}

static ridge_status make_operands(ridge_kernel_bench *b, ridge_err *err)
{
    ridge_status st = ridge_problem_operands(b->operands, &b->count, &b->problem, err);
    for (size_t i = 0; i < b->count && !st && ridge_measure_interrupted == 0; i++) {
        bool huge = false;
        if ((st = ridge_operand_bytes(&b->bytes[i], &b->operands[i], err)))
            break;
        b->scales[i] = tensor_scale(b->operands[i].format);
        if (!(b->data[i] = ridge_buffer_make(b->bytes[i], &huge)))
            return ridge_fail(err, RIDGE_NOMEM, "no memory for operand %s of %.4g GiB", b->operands[i].name,
                              (double)b->bytes[i] / (1 << 30));
        b->huge = b->huge || huge;
        b->rotates = b->rotates || b->operands[i].rotates;
        if (b->operands[i].written)
            b->output = i;
        else
            st = fill(b, i, err);
    }
    return st;
}

/* ---- the reference ---- */

/* some of 0 .. n-1, both ends among them, spread evenly */
static int64_t *some_of(int64_t n, int64_t most, int64_t *count)
{
    *count = n < most ? n : most;
    int64_t *out = malloc((size_t)(*count + 1) * sizeof *out);
    for (int64_t i = 0; out && i < *count; i++)
        out[i] = *count == 1 ? 0 : i * (n - 1) / (*count - 1);
    return out;
}

static bool copy_rows(void **out, const void *from, const ridge_operand *o, const int64_t *rows, int64_t count)
{
    size_t stride = row_bytes(o->format, o->cols);
    if (!(*out = aligned_alloc(64, ((size_t)count * stride + 64 + 63) / 64 * 64)))
        return false;
    for (int64_t i = 0; i < count; i++)
        memcpy((char *)*out + (size_t)i * stride, (const char *)from + (size_t)rows[i] * stride, stride);
    return true;
}

/* y[n] = W x, C[m,n] = A W^T: some rows of W and of A. The operands are W, x (A), y (C), found by their sizes. */
static bool part_of_product(ridge_kernel_bench *b)
{
    checked_part *t = &b->part;
    int64_t m = b->problem.kind == RIDGE_KERNEL_KIND_GEMM ? b->problem.m : 1;
    t->rows = some_of(m, SAMPLE_ROWS, &t->row_count);
    t->cols = some_of(b->problem.n, SAMPLE_COLUMNS, &t->col_count);
    if (!t->rows || !t->cols)
        return false;
    t->problem.n = t->col_count;
    t->problem.m = b->problem.kind == RIDGE_KERNEL_KIND_GEMM ? t->row_count : b->problem.m;
    for (size_t i = 0; i < b->count; i++) {
        bool weights = strcmp(b->operands[i].name, "W") == 0;
        if (i != b->output &&
            !copy_rows(&t->data[i], b->data[i], &b->operands[i], weights ? t->cols : t->rows, weights ? t->col_count : t->row_count))
            return false;
    }
    return true;
}

/* Attention of two heads, the first of the first sequence and the last of the last: a batch of two with one head each. */
static bool part_of_attention(ridge_kernel_bench *b)
{
    checked_part *t = &b->part;
    const ridge_problem *p = &b->problem;
    const int64_t kept = p->past + p->seq, batches[2] = {0, p->batch - 1}, heads[2] = {0, p->heads - 1}, shared = p->heads / p->kv_heads;
    int64_t *keys = malloc((size_t)(2 * kept) * sizeof *keys);
    t->row_count = 2 * p->seq;
    t->rows = malloc((size_t)t->row_count * sizeof *t->rows);
    t->cols = some_of(p->head_dim, p->head_dim, &t->col_count);
    bool ok = keys && t->rows && t->cols;
    for (int i = 0; i < 2 && ok; i++) {
        for (int64_t s = 0; s < p->seq; s++)
            t->rows[i * p->seq + s] = (batches[i] * p->seq + s) * p->heads + heads[i];
        for (int64_t s = 0; s < kept; s++)
            keys[i * kept + s] = (batches[i] * p->kv_heads + heads[i] / shared) * kept + s;
    }
    t->problem.batch = 2;
    t->problem.heads = t->problem.kv_heads = 1;
    for (size_t i = 0; i < b->count && ok; i++)
        if (i != b->output)
            ok = copy_rows(&t->data[i], b->data[i], &b->operands[i], i == 0 ? t->rows : keys, i == 0 ? t->row_count : 2 * kept);
    free(keys);
    return ok;
}

static bool whole(ridge_kernel_bench *b)
{
    checked_part *t = &b->part;
    const ridge_operand *o = &b->operands[b->output];
    t->rows = some_of(o->rows, o->rows, &t->row_count);
    t->cols = some_of(o->cols, o->cols, &t->col_count);
    for (size_t i = 0; i < b->count; i++)
        t->data[i] = i == b->output ? NULL : b->data[i];
    return t->rows && t->cols;
}

static bool is_product(const ridge_problem *p)
{
    return p->kind == RIDGE_KERNEL_KIND_GEMM || p->kind == RIDGE_KERNEL_KIND_GEMV;
}

/* does the part have operands of its own? */
static bool is_copied(const ridge_problem *p)
{
    return is_product(p) || p->kind == RIDGE_KERNEL_KIND_ATTENTION;
}

static bool make_part(ridge_kernel_bench *b)
{
    if (is_product(&b->problem))
        return part_of_product(b);
    return b->problem.kind == RIDGE_KERNEL_KIND_ATTENTION ? part_of_attention(b) : whole(b);
}

static ridge_status make_reference(ridge_kernel_bench *b, ridge_err *err)
{
    checked_part *t = &b->part;
    t->problem = b->problem;
    if (!make_part(b) || !(t->values = malloc((size_t)(t->row_count * t->col_count) * sizeof *t->values)))
        return nomem(err);
    return ridge_kernel_reference(t->values, &t->problem, t->data, b->scales, err);
}

ridge_status ridge_kernel_bench_make(ridge_kernel_bench **out, const ridge_problem *problem, ridge_err *err)
{
    ridge_kernel_bench *b = *out = calloc(1, sizeof *b);
    if (!b)
        return nomem(err);
    b->problem = *problem;
    ridge_status st = make_operands(b, err);
    if (!st && ridge_measure_interrupted == 0)
        st = make_reference(b, err);
    if (!st && ridge_measure_interrupted != 0) {
        ridge_kernel_bench_free(b);
        *out = NULL;
    }
    return st;
}

void ridge_kernel_bench_free(ridge_kernel_bench *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->count && is_copied(&b->problem); i++)
        free(b->part.data[i]);
    free(b->part.values);
    free(b->part.rows);
    free(b->part.cols);
    for (unsigned i = 1; i < b->place_count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (b->places[i][k])
                ridge_buffer_free(b->places[i][k], b->bytes[k]);
    free(b->places);
    for (size_t i = 0; i < b->count; i++)
        if (b->data[i])
            ridge_buffer_free(b->data[i], b->bytes[i]);
    free(b);
}

/* ---- runs: one per place ---- */

typedef struct runs {
    ridge_kernel_run *p;
    unsigned count;
} runs;

static void phase_of(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    const runs *r = context;
    const ridge_kernel_run *run = &r->p[call % r->count];
    run->variant->phase(run, phase, thread);
}

static void close_runs(runs *r)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->p[i].variant->close)
            r->p[i].variant->close(&r->p[i]);
    free(r->p);
    *r = (runs){NULL, 0};
}

static ridge_status open_runs(runs *r, const ridge_kernel_bench *b, const ridge_kernel_variant *v, unsigned threads, unsigned places,
                              ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    *r = (runs){calloc(places, sizeof *r->p), 0};
    if (!r->p)
        return nomem(err);
    for (unsigned i = 0; i < places && !st && !(i > 0 && ridge_measure_interrupted); i++) {
        ridge_kernel_run *run = &r->p[i];
        *run = (ridge_kernel_run){.variant = v, .problem = b->problem, .like = i > 0 ? r->p : NULL, .threads = threads, .phases = 1};
        memcpy(run->operands, b->data, sizeof run->operands);
        memcpy(run->tensor_scales, b->scales, sizeof run->tensor_scales);
        for (size_t k = 0; k < b->count && i > 0; k++)
            if (b->places[i][k])
                run->operands[k] = b->places[i][k];
        if (!(st = v->open(run, err)))
            r->count++;
    }
    if (st)
        close_runs(r);
    return st;
}

/* ---- the gate ---- */

static bool output_row(float *out, const ridge_kernel_bench *b, int64_t row)
{
    const ridge_operand *o = &b->operands[b->output];
    return ridge_dequantise_row(out, o->format, (const char *)b->data[b->output] + (size_t)row * row_bytes(o->format, o->cols), o->cols,
                                b->scales[b->output]);
}

static double difference(const ridge_kernel_bench *b, ridge_err *err)
{
    const ridge_operand *o = &b->operands[b->output];
    const checked_part *t = &b->part;
    float *row = malloc((size_t)o->cols * sizeof *row);
    double worst = 0, squares = 0;
    if (!row) {
        (void)nomem(err);
        return INFINITY;
    }
    for (int64_t i = 0; i < t->row_count; i++)
        for (int64_t k = 0; k < t->col_count; k++) {
            double want = t->values[i * t->col_count + k], got;
            if (k == 0 && !output_row(row, b, t->rows[i]))
                row[0] = NAN;
            got = row[t->cols[k]];
            worst = isfinite(got) && isfinite(want) ? fmax(worst, fabs(got - want)) : INFINITY;
            squares += want * want;
        }
    free(row);
    double scale = sqrt(squares / (double)(t->row_count * t->col_count));
    return scale > 0 ? worst / scale : worst;
}

static ridge_status check(ridge_kernel_result *out, ridge_kernel_bench *b, runs *r, ridge_team *team, ridge_err *err)
{
    const ridge_work work = {phase_of, r, r->p[0].phases};
    memset(b->data[b->output], 0xff, b->bytes[b->output]); /* NaN in every float format: what is not written shows */
    ridge_team_run(team, &work, 0);
    out->max_relative_error = difference(b, err);
    out->tolerance = ridge_kernel_tolerance(&b->problem, r->p[0].variant);
    out->right = out->max_relative_error <= out->tolerance;
    out->packed_bytes = r->p[0].packed_bytes;
    out->huge_pages = b->huge;
    if (strcmp(r->p[0].variant->provider, "ridge") != 0)
        (void)ridge_provider_detail(out->library, sizeof out->library, r->p[0].variant->provider, &r->p[0]);
    return RIDGE_OK;
}

/* ---- cold runs ---- */

static bool make_place(ridge_kernel_bench *b, size_t i)
{
    for (size_t k = 0; k < b->count; k++) {
        bool huge;
        if (!b->operands[k].rotates)
            continue;
        if (!(b->places[i][k] = ridge_buffer_make(b->bytes[k], &huge))) {
            for (; k-- > 0; b->places[i][k] = NULL)
                if (b->places[i][k])
                    ridge_buffer_free(b->places[i][k], b->bytes[k]);
            return false;
        }
        memcpy(b->places[i][k], b->data[k], b->bytes[k]);
    }
    return true;
}

/* copies of the rotating operands, over twice the last-level cache in all; fewer where memory is short, two at least */
static ridge_status make_places(ridge_kernel_bench *b, ridge_err *err)
{
    size_t each = 1, wanted;
    if (b->places)
        return RIDGE_OK;
    for (size_t k = 0; k < b->count; k++)
        each += b->operands[k].rotates ? b->bytes[k] : 0;
    wanted = 2 * ridge_last_level_cache() / each + 2;
    if (!(b->places = calloc(wanted, sizeof *b->places)))
        return nomem(err);
    for (b->place_count = 1; b->place_count < wanted && !ridge_measure_interrupted; b->place_count++)
        if (!make_place(b, b->place_count))
            break;
    return b->place_count > 1 || ridge_measure_interrupted ? RIDGE_OK : nomem(err);
}

/* the kernel and what stands beside it, in turn */
static ridge_status measure(ridge_kernel_result *out, ridge_kernel_beside *beside, ridge_team *team, const ridge_work *kernel,
                            const ridge_measure_options *options, ridge_err *err)
{
    ridge_work works[1 + RIDGE_KERNEL_BESIDE] = {*kernel};
    ridge_sample_statistics times[1 + RIDGE_KERNEL_BESIDE];
    size_t count = beside ? beside->count : 0;
    for (size_t i = 0; i < count; i++)
        works[1 + i] = beside->works[i];
    ridge_status st = ridge_measure_interleaved(times, team, works, 1 + count, options, err);
    if (st)
        return st;
    out->time = times[0];
    for (size_t i = 0; i < count; i++)
        beside->times[i] = times[1 + i];
    return RIDGE_OK;
}

/* Every place once before any is timed: a variant's scratch of a place that was never used is not in memory yet, and the fault of a huge
 * page takes as long as a small kernel a hundred times. */
static void touch_places(const runs *r, ridge_team *team, const ridge_work *work)
{
    for (unsigned i = 1; i < r->count && !ridge_measure_interrupted; i++)
        ridge_team_run(team, work, i);
}

ridge_status ridge_kernel_bench_run_beside(ridge_kernel_result *out, ridge_kernel_beside *beside, ridge_kernel_bench *b,
                                           const ridge_kernel_variant *variant, ridge_team *team, unsigned threads, ridge_cache_state cache,
                                           const ridge_measure_options *options, ridge_err *err)
{
    bool cold = cache == RIDGE_CACHE_COLD && b->rotates;
    runs r;
    ridge_status st = cold ? make_places(b, err) : RIDGE_OK;
    *out = (ridge_kernel_result){0};
    if (st || (st = open_runs(&r, b, variant, threads, cold ? b->place_count : 1, err)))
        return st;
    out->stopped = ridge_measure_interrupted != 0; /* packing places takes a while */
    if (!out->stopped && !(st = check(out, b, &r, team, err)) && out->right) {
        const ridge_work work = {phase_of, &r, r.p[0].phases};
        out->places = r.count;
        touch_places(&r, team, &work);
        st = measure(out, beside, team, &work, options, err);
    }
    close_runs(&r);
    return st;
}

ridge_status ridge_kernel_bench_run(ridge_kernel_result *out, ridge_kernel_bench *b, const ridge_kernel_variant *variant, ridge_team *team,
                                    unsigned threads, ridge_cache_state cache, const ridge_measure_options *options, ridge_err *err)
{
    return ridge_kernel_bench_run_beside(out, NULL, b, variant, team, threads, cache, options, err);
}

ridge_status ridge_kernel_bench_check(ridge_kernel_result *out, ridge_kernel_bench *b, const ridge_kernel_variant *variant,
                                      ridge_team *team, unsigned threads, ridge_err *err)
{
    runs r;
    *out = (ridge_kernel_result){0};
    ridge_status st = open_runs(&r, b, variant, threads, 1, err);
    if (st)
        return st;
    st = check(out, b, &r, team, err);
    close_runs(&r);
    return st;
}
