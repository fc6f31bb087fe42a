/* Points by arithmetic: a batch of lanes at a time, nothing looked up or allocated in it. */
#include <math.h>
#include <stdlib.h>

#include "sweep/group.h"

void ridge_sweep_worker_free(ridge_sweep_worker *w)
{
    ridge_plan_room_free(&w->plan);
    ridge_counts_room_free(&w->costs);
    ridge_counts_room_free(&w->memory);
    free(w->numbers);
    free(w->integers);
    memset(w, 0, sizeof *w);
}

static size_t most_inputs(const ridge_sweep_group *g)
{
    return (g->timed_inputs.count > g->forms_inputs.count ? g->timed_inputs.count : g->forms_inputs.count) + 1;
}

ridge_status ridge_sweep_worker_set(ridge_sweep_worker *w, ridge_sweep_group *g, size_t machine, ridge_err *err)
{
    if (w->group == g && w->machine == machine)
        return RIDGE_OK;
    ridge_sweep_worker_free(w);
    w->group = g;
    w->machine = machine;
    if (!g->timed)
        return RIDGE_OK;
    w->numbers = calloc(most_inputs(g), sizeof *w->numbers);
    w->integers = calloc(most_inputs(g), sizeof *w->integers);
    if (!w->numbers || !w->integers || !ridge_plan_room_make(&w->plan, g->plans[machine]) || !ridge_counts_room_make(&w->costs, g->costs) ||
        (g->forms && !ridge_counts_room_make(&w->memory, g->memory)))
        return ridge_no_memory(err);
    return RIDGE_OK;
}

/* ---- the workloads of a batch ---- */

static void set_lengths(ridge_sweep_point *p, const ridge_sweep_group *g, int64_t length)
{
    bool decode = g->request.model.phase == RIDGE_PHASE_DECODE;
    p->seq = decode ? g->fixed : length;
    p->past = decode ? length : g->fixed;
}

static void set_workloads(ridge_sweep_point *out, const ridge_sweep_group *g, int64_t first, size_t n)
{
    int64_t row = first / g->length.count, at = first % g->length.count, batch = ridge_sweep_axis_at(&g->batch, row);
    for (size_t i = 0; i < n; i++) {
        out[i].batch = batch;
        set_lengths(&out[i], g, ridge_sweep_axis_at(&g->length, at));
        if (++at == g->length.count && i + 1 < n) {
            at = 0;
            batch = ridge_sweep_axis_at(&g->batch, ++row);
        }
    }
}

/* new tokens of the sequence that is made (an encoder-decoder's seq is its encoder's, in prefill) */
static int64_t made(const ridge_sweep_group *g, const ridge_sweep_point *p)
{
    return g->encoder_decoder && g->request.model.phase != RIDGE_PHASE_DECODE && g->decoder_seq != RIDGE_UNSET ? g->decoder_seq : p->seq;
}

/* unused lanes repeat the last point */
static void set_inputs(ridge_sweep_worker *w, const ridge_sweep_inputs *in, const ridge_sweep_point *points, size_t n)
{
    const ridge_sweep_group *g = w->group;
    for (size_t k = 0; k < RIDGE_LANES; k++) {
        const ridge_sweep_point *p = &points[k < n ? k : n - 1];
        if (in->batch >= 0)
            w->integers[in->batch][k] = p->batch;
        if (in->seq >= 0)
            w->integers[in->seq][k] = made(g, p);
        if (in->past >= 0)
            w->integers[in->past][k] = p->past;
        if (in->encoder >= 0)
            w->integers[in->encoder][k] = g->encoder_len != RIDGE_UNSET ? g->encoder_len : p->seq;
    }
}

/* ---- what they come to ---- */

static ridge_bound bound_of(const ridge_plan_times *t, size_t k)
{
    if (t->launch_s[k] > t->time_s[k] / 2)
        return RIDGE_BOUND_LAUNCH;
    return t->memory_s[k] >= (t->time_s[k] - t->launch_s[k]) / 2 ? RIDGE_BOUND_MEMORY : RIDGE_BOUND_COMPUTE;
}

static ridge_status run_costs(ridge_sweep_point *out, ridge_sweep_worker *w, size_t n, ridge_err *err)
{
    const ridge_sweep_group *g = w->group;
    const ridge_takes *takes = &g->exact->workload.takes;
    const int64_t images = ridge_workload_images(&g->exact->workload);
    ridge_int flops[RIDGE_LANES], bytes[RIDGE_LANES];
    set_inputs(w, &g->timed_inputs, out, n);
    for (size_t i = 0; i < g->timed_inputs.count; i++)
        for (size_t k = 0; k < RIDGE_LANES; k++)
            w->numbers[i][k] = (double)w->integers[i][k];
    ridge_plan_run(g->plans[w->machine], &w->plan, &w->times, (const double(*)[RIDGE_LANES])w->numbers);
    ridge_counts_run(g->costs, &w->costs, (const int64_t(*)[RIDGE_LANES])w->integers);
    ridge_counts_output(flops, g->costs, &w->costs, 0);
    ridge_counts_output(bytes, g->costs, &w->costs, 1);
    for (size_t k = 0; k < n; k++) {
        double tokens = (double)out[k].batch * (double)made(g, &out[k]), time = w->times.time_s[k];
        if (!w->costs.good[k])
            return ridge_overflow(err, "a total");
        out[k].flops = flops[k];
        out[k].bytes = bytes[k] + (ridge_int)w->times.expert_bytes[k];
        out[k].time_s = time;
        out[k].tokens_per_s = time > 0 && takes->tokens ? tokens / time : RIDGE_PREDICT_UNKNOWN;
        out[k].images_per_s = time > 0 && images > 0 ? (double)(images * out[k].batch) / time : RIDGE_PREDICT_UNKNOWN;
        out[k].bound = bound_of(&w->times, k);
    }
    return RIDGE_OK;
}

static ridge_status run_memory(ridge_sweep_point *out, ridge_sweep_worker *w, size_t n, ridge_err *err)
{
    ridge_sweep_group *g = w->group;
    const ridge_int capacity = g->sweep->machines[w->machine]->levels[0].capacity_bytes;
    ridge_int bytes[RIDGE_LANES];
    ridge_status st = RIDGE_OK;
    if (g->forms) {
        set_inputs(w, &g->forms_inputs, out, n);
        ridge_counts_run(g->memory, &w->memory, (const int64_t(*)[RIDGE_LANES])w->integers);
        ridge_counts_output(bytes, g->memory, &w->memory, 0);
    }
    for (size_t k = 0; k < n && !st; k++) {
        if (g->forms && w->memory.good[k])
            out[k].memory_bytes = bytes[k];
        else
            st = ridge_sweep_slow_memory(&out[k], g, err);
        out[k].fits = capacity < 0 ? -1 : out[k].memory_bytes <= capacity;
    }
    return st;
}

ridge_status ridge_sweep_worker_run(ridge_sweep_point *out, ridge_sweep_worker *w, int64_t first, size_t n, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    set_workloads(out, w->group, first, n);
    for (size_t at = 0; at < n && w->group->timed && !st; at += RIDGE_LANES) {
        size_t some = n - at < RIDGE_LANES ? n - at : RIDGE_LANES;
        if (!(st = run_costs(out + at, w, some, err)))
            st = run_memory(out + at, w, some, err);
    }
    for (size_t i = 0; i < n && !w->group->timed && !st; i++)
        st = ridge_sweep_slow_point(&out[i], w->group, w->machine, err);
    return st;
}
