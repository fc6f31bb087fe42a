/* memory-vs-compute and quant-overhead: a product with weights from memory, the same arithmetic from cache, reading alone (parts.h). */
#include <math.h>
#include <string.h>

#include "experiment/parts.h"

/* ---- reading alone ---- */

/* the weights' bytes through every loop that reads here, from memory each time */
enum { STREAMS_MOST = RIDGE_EXPERIMENT_WORKS - RIDGE_EXPERIMENT_CHAINS };
typedef struct reading {
    ridge_stream_job jobs[STREAMS_MOST];
    size_t count;
    char *buffer;
    size_t room;
} reading;

static bool make_reading(reading *r, const ridge_experimenting *x, double bytes)
{
    size_t each = (size_t)(bytes / x->threads) / RIDGE_STREAM_UNIT * RIDGE_STREAM_UNIT;
    each = each > 0 ? each : RIDGE_STREAM_UNIT;
    size_t places = 2 * ridge_last_level_cache() / (each * x->threads) + 2;
    *r = (reading){.room = each * x->threads * places};
    if (!(r->buffer = ridge_buffer_make(r->room, NULL)))
        return false;
    memset(r->buffer, 1, r->room); /* pages of their own */
    for (size_t i = 0; ridge_stream_at(i) && r->count < STREAMS_MOST; i++) {
        const ridge_stream *s = ridge_stream_at(i);
        if (s->kind == RIDGE_STREAM_READ && (s->isa & ~ridge_isa_have()) == 0)
            r->jobs[r->count++] = (ridge_stream_job){
                .stream = s, .arrays = {NULL, r->buffer, NULL}, .bytes = each, .places = places, .passes = 1, .threads = x->threads};
    }
    for (size_t i = 0; i < r->count; i++) /* apart, or one warms the next one's */
        r->jobs[i].first = places * i / r->count;
    return r->count > 0;
}

/* of the weights' bytes, by the loop whose rounds are the fastest */
static ridge_experiment_time read_time(const ridge_experiment_point *p, const reading *r, double bytes)
{
    ridge_experiment_time best = {.all.median_s = INFINITY};
    for (size_t i = 0; i < r->count; i++) {
        const ridge_experiment_time one = ridge_experiment_time_of(p, p->chain_count + i, bytes / ridge_stream_job_bytes(&r->jobs[i]));
        best = one.all.median_s < best.all.median_s ? one : best;
    }
    return best;
}

/* ---- calculating from cache, and both ---- */

enum { FULL, NEAR };

static void plan_point(ridge_experiment_point *p, const ridge_experimenting *x, const ridge_format *weights)
{
    int64_t cached = ridge_experiment_cached_rows(x, weights);
    p->chains[FULL] = (ridge_experiment_chain){
        .problem = ridge_experiment_product(x->request, weights, 1, x->request->n), .cache = RIDGE_CACHE_COLD, .repeat = 1};
    p->chains[NEAR] = (ridge_experiment_chain){.problem = ridge_experiment_product(x->request, weights, 1, cached),
                                               .cache = RIDGE_CACHE_HOT,
                                               .repeat = (unsigned)((x->request->n + cached - 1) / cached)};
    p->chain_count = 2;
}

/* calls of the cached rows make a few rows more than there are where those do not divide */
static ridge_experiment_time near_time(const ridge_experiment_point *p, const ridge_experimenting *x, const ridge_format *weights)
{
    double calls = (double)x->request->n / (double)ridge_experiment_cached_rows(x, weights);
    return ridge_experiment_time_of(p, NEAR, calls / ceil(calls));
}

/* ---- memory-vs-compute ---- */

/* rates: bytes and FLOPs, negative where the row does not have them */
static bool add_row(ridge_experimenting *x, const char *name, ridge_experiment_time time, const ridge_experiment_time *full, double bytes,
                    double flops)
{
    ridge_experiment_row *row = ridge_experiment_add(x, name);
    if (!row)
        return false;
    ridge_experiment_set_time(row, time);
    row->share = ridge_experiment_ratio_told(&time, full);
    row->bytes_per_s = bytes >= 0 ? bytes / time.all.median_s : RIDGE_MEASURE_UNKNOWN;
    row->flops_per_s = flops >= 0 ? flops / time.all.median_s : RIDGE_MEASURE_UNKNOWN;
    return true;
}

static ridge_status add_rows(ridge_experimenting *x, const ridge_experiment_point *p, const reading *r, double flops)
{
    double bytes = ridge_experiment_weight_bytes(x, x->weights, x->request->n);
    const ridge_experiment_time full = ridge_experiment_time_of(p, FULL, 1), near = near_time(p, x, x->weights),
                                read = read_time(p, r, bytes);
    bool good = add_row(x, "read only", read, &full, bytes, -1) && add_row(x, "compute only", near, &full, -1, flops) &&
                add_row(x, "full", full, &full, bytes, flops);
    return good ? RIDGE_OK : ridge_no_memory(x->err);
}

/* the three take turns: none is done before the others */
ridge_status ridge_experiment_memory(ridge_experimenting *x)
{
    ridge_experiment_point *point = ridge_experiment_points(x, 1);
    double flops = 0;
    reading r = {0};
    x->out->subject = ridge_experiment_subject(x, "");
    ridge_status st = point ? ridge_experiment_flops(&flops, x, 1) : ridge_no_memory(x->err);
    if (st)
        return st;
    plan_point(point, x, x->weights);
    if (!make_reading(&r, x, ridge_experiment_weight_bytes(x, x->weights, x->request->n)))
        st = ridge_no_memory(x->err);
    for (size_t i = 0; i < r.count && !st; i++)
        point->others[point->other_count++] = ridge_stream_work(&r.jobs[i]);
    if (!st)
        st = ridge_experiment_measure(x, point, 1, "reading, calculating, both", x->request->budget_s);
    if (!st && point->rounds > 0)
        st = add_rows(x, point, &r, flops);
    ridge_buffer_free(r.buffer, r.room);
    bool too_little;
    if (st || (st = ridge_experiment_say_too_little(&too_little, x, 3)) || too_little)
        return st;
    return ridge_experiment_say_memory(x);
}

/* ---- quant-overhead ---- */

/* "its overhead": what calculating takes more than with 16 bits, in percent of that */
static ridge_rounds_ratio more_percent(ridge_rounds_ratio ratio)
{
    const bool sure = isfinite(ratio.high);
    return (ridge_rounds_ratio){100 * (ratio.value - 1), sure ? 100 * (ratio.low - 1) : NAN, sure ? 100 * (ratio.high - 1) : NAN};
}

static ridge_status add_format(ridge_experimenting *x, const ridge_experiment_point *p, const ridge_format *weights)
{
    ridge_experiment_row *row = ridge_experiment_add(x, weights->name);
    if (!row)
        return ridge_no_memory(x->err);
    const ridge_experiment_row *first = x->out->rows;
    double bytes = ridge_experiment_weight_bytes(x, weights, x->request->n);
    ridge_experiment_set_time(row, ridge_experiment_time_of(p, FULL, 1));
    row->compute = near_time(p, x, weights);
    row->bytes = (int64_t)bytes;
    row->bytes_ratio = (double)first->bytes / bytes;
    row->bytes_per_s = bytes / row->time.all.median_s;
    row->speedup = ridge_experiment_ratio_told(&first->time, &row->time);
    row->compute_share = ridge_experiment_ratio_told(&row->compute, &row->time);
    if (row == first) /* nothing is unpacked: these are what the others are compared with */
        return RIDGE_OK;
    row->dequantisation_share = row->compute_share.value;
    row->unpack_percent = more_percent(ridge_experiment_ratio_of(&row->compute, &first->compute));
    return RIDGE_OK;
}

ridge_status ridge_experiment_quant(ridge_experimenting *x)
{
    const ridge_experiment_formats *given = &x->request->formats;
    const ridge_format *formats[RIDGE_EXPERIMENT_FORMATS + 1] = {ridge_format_find(RIDGE_STR("bf16"))};
    const size_t count = given->count + 1;
    ridge_experiment_point *points = ridge_experiment_points(x, count);
    x->weights = formats[0];
    x->out->subject = ridge_experiment_subject(x, "");
    if (!points)
        return ridge_no_memory(x->err);
    for (size_t i = 0; i < count; i++) {
        formats[i] = i == 0 ? formats[0] : given->items[i - 1];
        points[i].name = formats[i]->name;
        plan_point(&points[i], x, formats[i]);
    }
    ridge_status st = ridge_experiment_measure(x, points, count, "formats", x->request->budget_s);
    for (size_t i = 0; i < ridge_experiment_done(points, count) && !st; i++)
        st = add_format(x, &points[i], formats[i]);
    bool too_little;
    if (st || (st = ridge_experiment_say_too_little(&too_little, x, count)) || too_little)
        return st;
    return ridge_experiment_say_quant(x);
}
