/* An experiment's points as rows of the store (experiment.h). */
#include "experiment/parts.h"

enum { ROWS_EACH = 2 }; /* quant-overhead: from memory, from cache */

typedef struct point_rows {
    const ridge_experiment *e;
    const char *machine;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err;
    ridge_measured_row *rows;
    size_t count;
} point_rows;

/* one time of a product */
typedef struct product_point {
    int64_t m;
    unsigned calls; /* that the time is of */
    const ridge_format *weights;
    ridge_cache_state cache;
    unsigned threads;
    ridge_sample_statistics time;
} product_point;

static double per_second(ridge_int amount, double time_s)
{
    return amount >= 0 && time_s > 0 ? ridge_rational_double(ridge_rational_of(amount)) / time_s : RIDGE_MEASURE_UNKNOWN;
}

/* a row of which sizes and time are known; bytes or flops negative: not known */
static ridge_measured_row *add(point_rows *a, const ridge_sample_statistics *time, ridge_int flops, ridge_int bytes)
{
    ridge_measured_row *row = &a->rows[a->count++];
    *row = ridge_measured_row_unknown();
    row->threads = (unsigned)a->e->request.threads;
    row->time = *time;
    row->flops = flops;
    row->bytes = bytes;
    row->flops_per_s = per_second(flops, time->median_s);
    row->bytes_per_s = per_second(bytes, time->median_s);
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
static ridge_status add_product(point_rows *a, const product_point *at)
{
    const ridge_experiment_request *q = &a->e->request;
    const ridge_problem problem = ridge_experiment_product(q, at->weights, at->m, q->n);
    const ridge_kernel_variant *const *variants;
    size_t count;
    ridge_bench_cost cost;
    ridge_int flops, bytes;
    if (!(at->time.median_s > 0) || at->m < 1)
        return RIDGE_OK;
    ridge_status st = ridge_kernel_variants(&variants, &count, &problem, a->arena, a->err);
    if (st || (st = ridge_bench_cost_of(&cost, &problem, a->ops, a->arena, a->err)))
        return st;
    if (!ridge_int_mul(&flops, cost.record.flops.total, at->calls))
        flops = -1;
    if (!ridge_int_mul(&bytes, cost.record.bytes, at->calls))
        bytes = -1;
    ridge_measured_row *row = add(a, &at->time, flops, bytes);
    row->kernel = ridge_kernel_kind_names[problem.kind];
    row->variant = variants[0]->name;
    row->provider = variants[0]->provider;
    row->shape = shape_of(&problem, at->calls, a->arena);
    row->format = at->weights->name;
    row->activations = q->activations->name;
    row->threads = at->threads;
    row->cache = at->cache;
    return row->shape ? RIDGE_OK : ridge_no_memory(a->err);
}

/* ---- reading alone ---- */

static ridge_status add_reading(point_rows *a, const ridge_experiment_row *point, ridge_int bytes, ridge_cache_state cache,
                                const char *variant)
{
    ridge_measured_row *row = add(a, &point->time.all, -1, bytes);
    row->kernel = "read";
    row->variant = variant;
    row->format = "bytes";
    row->cache = cache;
    row->shape = ridge_arena_printf(a->arena, "{\"bytes\": %lld}", (long long)bytes);
    return row->shape ? RIDGE_OK : ridge_no_memory(a->err);
}

/* ---- experiments ---- */

/* one row of x, once, with the weights from memory */
static product_point point_of(const ridge_experiment *e, const ridge_format *weights, const ridge_experiment_time *time)
{
    return (product_point){1, 1, weights, RIDGE_CACHE_COLD, (unsigned)e->request.threads, time->all};
}

/* rows: reading, calculating from cache, both */
static ridge_status add_both(point_rows *a, const ridge_format *weights, const ridge_experiment_time *near_time,
                             const ridge_experiment_time *full_time, bool near_first)
{
    product_point near = point_of(a->e, weights, near_time);
    const product_point full = point_of(a->e, weights, full_time);
    near.cache = RIDGE_CACHE_HOT;
    ridge_status st = add_product(a, near_first ? &near : &full);
    return st ? st : add_product(a, near_first ? &full : &near);
}

static ridge_status add_memory(point_rows *a)
{
    const ridge_experiment_request *q = &a->e->request;
    const ridge_experiment_row *rows = a->e->rows;
    ridge_int bytes;
    if (a->e->row_count < 3)
        return RIDGE_OK;
    if (!ridge_format_bytes(&bytes, q->formats.items[0], q->n, q->k))
        bytes = -1;
    ridge_status st = add_reading(a, &rows[0], bytes, RIDGE_CACHE_COLD, "fastest");
    return st ? st : add_both(a, q->formats.items[0], &rows[1].time, &rows[2].time, true);
}

static ridge_status add_quant(point_rows *a, const ridge_experiment_row *row)
{
    const ridge_format *weights = ridge_format_find(ridge_str_of(row->name));
    return weights ? add_both(a, weights, &row->compute, &row->time, false) : RIDGE_OK;
}

static ridge_status add_size(point_rows *a, const ridge_experiment_row *row)
{
    const ridge_stream *stream = ridge_experiment_stream();
    return add_reading(a, row, row->bytes, RIDGE_CACHE_HOT, stream ? stream->name : "fastest");
}

static ridge_status add_point(point_rows *a, const ridge_experiment_row *row)
{
    const ridge_experiment_request *q = &a->e->request;
    product_point at = point_of(a->e, q->formats.items[0], &row->time);
    switch (q->kind) {
    case RIDGE_EXPERIMENT_QUANT:
        return add_quant(a, row);
    case RIDGE_EXPERIMENT_SIZES:
        return add_size(a, row);
    case RIDGE_EXPERIMENT_TILE:
        at.calls = (unsigned)(q->m / row->rows);
        at.m = row->rows;
        break;
    case RIDGE_EXPERIMENT_BATCH:
        at.m = row->rows;
        break;
    case RIDGE_EXPERIMENT_THREADS:
        at.threads = (unsigned)row->threads;
        break;
    default:
        return RIDGE_OK;
    }
    return add_product(a, &at);
}

ridge_status ridge_experiment_measured(ridge_measured_row **out, size_t *count, const ridge_experiment *e, const char *machine,
                                       ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    bool memory = e->request.kind == RIDGE_EXPERIMENT_MEMORY;
    point_rows a = {.e = e,
                    .machine = machine,
                    .ops = ops,
                    .arena = arena,
                    .err = err,
                    .rows = ridge_arena_array(arena, ROWS_EACH * e->row_count + 1, sizeof *a.rows)};
    ridge_status st = !a.rows ? ridge_no_memory(err) : memory ? add_memory(&a) : RIDGE_OK;
    for (size_t i = 0; i < e->row_count && !st && !memory; i++)
        st = add_point(&a, &e->rows[i]);
    *out = a.rows;
    *count = st ? 0 : a.count;
    return st;
}
