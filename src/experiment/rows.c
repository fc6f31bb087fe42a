/* An experiment's points as rows of the store (rows.h). */
#include "experiment/rows.h"

#include <string.h>

#include "experiment/parts.h"

enum { ROWS_EACH = 2 }; /* quant-overhead: from memory, from cache */

typedef struct adding {
    const ridge_experiment *e;
    const char *machine;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err;
    ridge_measured_row *rows;
    size_t count;
    int64_t n, k;
    unsigned threads;
} adding;

/* one time of a product */
typedef struct point {
    int64_t m;
    unsigned calls; /* that the time is of */
    const ridge_format *weights;
    ridge_cache_state cache;
    unsigned threads;
    double time_s;
} point;

static double per_second(ridge_int amount, double time_s)
{
    return amount >= 0 && time_s > 0 ? ridge_rational_double(ridge_rational_of(amount)) / time_s : RIDGE_MEASURE_UNKNOWN;
}

/* a row of which sizes and time are known; bytes or flops negative: not known */
static ridge_measured_row *add(adding *a, double time_s, ridge_int flops, ridge_int bytes)
{
    ridge_measured_row *row = &a->rows[a->count++];
    *row = ridge_measured_row_unknown();
    row->threads = a->threads;
    row->time = (ridge_sample_statistics){.median_s = time_s, .low_s = time_s, .high_s = time_s};
    row->flops = flops;
    row->bytes = bytes;
    row->flops_per_s = per_second(flops, time_s);
    row->bytes_per_s = per_second(bytes, time_s);
    row->machine = a->machine;
    return row;
}

/* ---- products ---- */

/* {"m": 4, "n": 4096, "k": 4096, "calls": 64} */
static const char *shape_of(const ridge_problem *problem, unsigned calls, ridge_arena *arena)
{
    const char *shape = ridge_bench_shape_json(problem, arena);
    size_t n = shape ? strlen(shape) : 0;
    if (calls == 1 || n == 0)
        return shape;
    return ridge_arena_printf(arena, "%.*s, \"calls\": %u}", (int)(n - 1), shape, calls);
}

/* the variant is the first that takes the problem: what a chain runs (measure/model.h) */
static ridge_status add_product(adding *a, const point *at)
{
    const ridge_format *activations = a->e->request->activations ? a->e->request->activations : ridge_format_find(RIDGE_STR("fp32"));
    const ridge_experimenting sizes = {.k = a->k, .activations = activations};
    const ridge_problem problem = ridge_experiment_product(&sizes, at->weights, at->m, a->n);
    const ridge_kernel_variant *const *variants;
    size_t count;
    ridge_bench_cost cost;
    ridge_int flops, bytes;
    if (!(at->time_s > 0) || at->m < 1)
        return RIDGE_OK;
    ridge_status st = ridge_kernel_variants(&variants, &count, &problem, a->arena, a->err);
    if (st || (st = ridge_bench_cost_of(&cost, &problem, a->ops, a->arena, a->err)))
        return st;
    if (!ridge_int_mul(&flops, cost.record.flops.total, at->calls))
        flops = -1;
    if (!ridge_int_mul(&bytes, cost.record.bytes, at->calls))
        bytes = -1;
    ridge_measured_row *row = add(a, at->time_s, flops, bytes);
    row->kernel = ridge_kernel_kind_names[problem.kind];
    row->variant = variants[0]->name;
    row->provider = variants[0]->provider;
    row->shape = shape_of(&problem, at->calls, a->arena);
    row->format = at->weights->name;
    row->activations = activations->name;
    row->threads = at->threads;
    row->cache = at->cache;
    return row->shape ? RIDGE_OK : ridge_no_memory(a->err);
}

/* ---- reading alone ---- */

static ridge_status add_reading(adding *a, double time_s, ridge_int bytes, ridge_cache_state cache, const char *variant)
{
    ridge_measured_row *row = add(a, time_s, -1, bytes);
    row->kernel = "read";
    row->variant = variant;
    row->format = "bytes";
    row->cache = cache;
    row->shape = ridge_arena_printf(a->arena, "{\"bytes\": %lld}", (long long)bytes);
    return row->shape ? RIDGE_OK : ridge_no_memory(a->err);
}

/* ---- experiments ---- */

/* by the column's key, as in JSON; not known where there is none */
static double value(const ridge_experiment *e, size_t row, const char *key)
{
    for (size_t i = 0; i < e->column_count && row < e->row_count; i++)
        if (strcmp(e->columns[i].key, key) == 0)
            return e->rows[row].values[i];
    return RIDGE_MEASURE_UNKNOWN;
}

static const ridge_format *weights_of(const ridge_experiment *e)
{
    return e->request->format_count > 0 ? e->request->formats[0] : ridge_format_find(RIDGE_STR("bf16"));
}

/* rows: reading, calculating from cache, both */
static ridge_status add_memory(adding *a)
{
    const ridge_format *weights = weights_of(a->e);
    ridge_int bytes;
    if (a->e->row_count < 3)
        return RIDGE_OK;
    if (!ridge_format_bytes(&bytes, weights, a->n, a->k))
        bytes = -1;
    const point near = {1, 1, weights, RIDGE_CACHE_HOT, a->threads, value(a->e, 1, "time_s")},
                full = {1, 1, weights, RIDGE_CACHE_COLD, a->threads, value(a->e, 2, "time_s")};
    ridge_status st = add_reading(a, value(a->e, 0, "time_s"), bytes, RIDGE_CACHE_COLD, "fastest");
    if (!st)
        st = add_product(a, &near);
    return st ? st : add_product(a, &full);
}

static ridge_status add_quant(adding *a, size_t i)
{
    const ridge_format *weights = ridge_format_find(ridge_str_of(a->e->rows[i].name));
    const point full = {1, 1, weights, RIDGE_CACHE_COLD, a->threads, value(a->e, i, "time_s")},
                near = {1, 1, weights, RIDGE_CACHE_HOT, a->threads, value(a->e, i, "compute_s")};
    ridge_status st = weights ? add_product(a, &full) : RIDGE_OK;
    return st || !weights ? st : add_product(a, &near);
}

static ridge_status add_point(adding *a, size_t i)
{
    const ridge_experiment_request *q = a->e->request;
    const ridge_stream *stream;
    point at = {1, 1, weights_of(a->e), RIDGE_CACHE_COLD, a->threads, value(a->e, i, "time_s")};
    switch (q->kind) {
    case RIDGE_EXPERIMENT_QUANT:
        return add_quant(a, i);
    case RIDGE_EXPERIMENT_TILE:
        at.m = (int64_t)value(a->e, i, "rows");
        at.calls = (unsigned)((q->m > 0 ? q->m : 256) / at.m);
        return add_product(a, &at);
    case RIDGE_EXPERIMENT_BATCH:
        at.m = (int64_t)value(a->e, i, "rows");
        return add_product(a, &at);
    case RIDGE_EXPERIMENT_THREADS:
        at.threads = (unsigned)value(a->e, i, "threads");
        return add_product(a, &at);
    case RIDGE_EXPERIMENT_SIZES:
        stream = ridge_experiment_stream();
        return add_reading(a, value(a->e, i, "time_s"), (ridge_int)value(a->e, i, "bytes"), RIDGE_CACHE_HOT,
                           stream ? stream->name : "fastest");
    default:
        return RIDGE_OK;
    }
}

ridge_status ridge_experiment_rows(ridge_measured_row **out, size_t *count, const ridge_experiment *e, const char *machine, ridge_ops *ops,
                                   ridge_arena *arena, ridge_err *err)
{
    const ridge_experiment_request *q = e->request;
    adding a = {.e = e,
                .machine = machine,
                .ops = ops,
                .arena = arena,
                .err = err,
                .rows = ridge_arena_array(arena, ROWS_EACH * e->row_count + 1, sizeof *a.rows),
                .n = q->n > 0 ? q->n : 4096,
                .k = q->k > 0 ? q->k : 4096,
                .threads = q->threads > 0 ? q->threads : e->cpus};
    ridge_status st = a.rows ? RIDGE_OK : ridge_no_memory(a.err);
    if (!st && q->kind == RIDGE_EXPERIMENT_MEMORY)
        st = add_memory(&a);
    for (size_t i = 0; i < e->row_count && !st && q->kind != RIDGE_EXPERIMENT_MEMORY; i++)
        st = add_point(&a, i);
    *out = a.rows;
    *count = st ? 0 : a.count;
    return st;
}
