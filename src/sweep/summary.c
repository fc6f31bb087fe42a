/* The best points of a sweep and its Pareto fronts: kept up to date block by block, so memory is that of the fronts. */
#include <stdlib.h>

#include "sweep/rows.h"
#include "model/output.h"

enum { PHASES = 3 };

ridge_status ridge_sweep_summary_init(ridge_sweep_summary *s, const ridge_sweep *sweep, ridge_err *err)
{
    const size_t n = sweep->request->machines.n * PHASES;
    *s = (ridge_sweep_summary){.sweep = sweep, .best = calloc(n + 1, sizeof *s->best)};
    if (!s->best)
        return ridge_no_memory(err);
    for (size_t i = 0; i < n; i++)
        s->best[i].fastest.index = s->best[i].shortest.index = -1;
    return RIDGE_OK;
}

void ridge_sweep_summary_free(ridge_sweep_summary *s)
{
    free(s->best);
    for (int i = 0; i < PHASES; i++)
        free(s->fronts[i].p);
    *s = (ridge_sweep_summary){0};
}

/* ---- which is better ---- */

static bool is_faster(const ridge_sweep_entry *a, const ridge_sweep_entry *than)
{
    const double x = a->point.tokens_per_s, y = than->point.tokens_per_s;
    return than->index < 0 || x > y || (x >= y && a->index < than->index);
}

static bool is_shorter(const ridge_sweep_entry *a, const ridge_sweep_entry *than)
{
    const double x = a->point.time_s, y = than->point.time_s;
    return than->index < 0 || x < y || (x <= y && a->index < than->index);
}

/* the first of the front that takes longer than this */
static size_t first_longer(const ridge_sweep_front *f, double time_s)
{
    size_t low = 0, high = f->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->p[middle].point.time_s > time_s)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool make_room(ridge_sweep_front *f)
{
    if (f->n < f->cap)
        return true;
    size_t cap = f->cap ? f->cap * 2 : 64;
    ridge_sweep_entry *p = realloc(f->p, cap * sizeof *p);
    if (!p)
        return false;
    f->p = p;
    f->cap = cap;
    return true;
}

/* false when memory runs out */
static bool offer(ridge_sweep_front *f, const ridge_sweep_entry *e)
{
    size_t at = first_longer(f, e->point.time_s), end;
    if (at > 0 && f->p[at - 1].point.tokens_per_s >= e->point.tokens_per_s) {
        ridge_sweep_entry *twin = &f->p[at - 1]; /* not worse; where it is equal, the earlier point stands for both */
        bool equal = twin->point.time_s >= e->point.time_s && twin->point.tokens_per_s <= e->point.tokens_per_s;
        if (equal && e->index < twin->index)
            *twin = *e;
        return true;
    }
    if (at > 0 && f->p[at - 1].point.time_s >= e->point.time_s)
        at--; /* as short and slower: it goes */
    for (end = at; end < f->n && f->p[end].point.tokens_per_s <= e->point.tokens_per_s;)
        end++;
    if (end == at && !make_room(f))
        return false;
    memmove(&f->p[at + 1], &f->p[end], (f->n - end) * sizeof *f->p);
    f->n = f->n - (end - at) + 1;
    f->p[at] = *e;
    return true;
}

/* ---- taking points in ---- */

/* could this point change anything? Most cannot, and need no more than this. */
static bool matters(const ridge_sweep_best *best, const ridge_sweep_front *f, const ridge_sweep_point *p)
{
    if (best->fastest.index < 0 || p->tokens_per_s >= best->fastest.point.tokens_per_s || p->time_s <= best->shortest.point.time_s)
        return true;
    size_t at = first_longer(f, p->time_s);
    return at == 0 || f->p[at - 1].point.tokens_per_s <= p->tokens_per_s;
}

void ridge_sweep_summary_add(ridge_sweep_summary *s, const ridge_sweep_block *b)
{
    ridge_sweep_best *best = &s->best[b->machine * PHASES + b->phase];
    ridge_sweep_front *front = &s->fronts[b->phase];
    ridge_sweep_entry e = {.machine = b->machine, .phase = b->phase, .weights = b->weights, .activations = b->activations, .kv = b->kv};
    int64_t fit = 0; /* added once: summaries of other threads may lie in the same cache line */
    for (size_t i = 0; i < b->n; i++) {
        const ridge_sweep_point *p = &b->points[i];
        fit += p->fits;
        if (!p->fits || p->tokens_per_s < 0 || !matters(best, front, p))
            continue;
        e.index = b->first + (int64_t)i;
        e.point = *p;
        if (is_faster(&e, &best->fastest))
            best->fastest = e;
        if (is_shorter(&e, &best->shortest))
            best->shortest = e;
        s->failed = s->failed || !offer(front, &e);
    }
    s->fit += fit;
}

void ridge_sweep_summary_merge(ridge_sweep_summary *s, const ridge_sweep_summary *other)
{
    for (size_t i = 0; i < s->sweep->request->machines.n * PHASES; i++) {
        const ridge_sweep_best *o = &other->best[i];
        if (o->fastest.index >= 0 && is_faster(&o->fastest, &s->best[i].fastest))
            s->best[i].fastest = o->fastest;
        if (o->shortest.index >= 0 && is_shorter(&o->shortest, &s->best[i].shortest))
            s->best[i].shortest = o->shortest;
    }
    for (int k = 0; k < PHASES; k++)
        for (size_t i = 0; i < other->fronts[k].n; i++)
            s->failed = s->failed || !offer(&s->fronts[k], &other->fronts[k].p[i]);
    s->fit += other->fit;
    s->failed = s->failed || other->failed;
}

/* ---- JSON ---- */

static void json_entry(ridge_json_writer *w, const ridge_sweep_summary *s, const ridge_sweep_entry *e)
{
    if (e->index < 0) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "machine", s->sweep->machines[e->machine]->id);
    ridge_sweep_json_members(w, e->phase, (const char *const[]){e->weights, e->activations, e->kv}, &e->point);
    ridge_jw_end_object(w);
}

static void json_best(ridge_json_writer *w, const ridge_sweep_summary *s, size_t machine, ridge_phase phase)
{
    const ridge_sweep_best *best = &s->best[machine * PHASES + phase];
    ridge_jw_object(w);
    ridge_jw_member_text(w, "machine", s->sweep->machines[machine]->id);
    ridge_jw_member_text(w, "phase", ridge_phase_names[phase]);
    ridge_jw_key(w, "throughput");
    json_entry(w, s, &best->fastest);
    ridge_jw_key(w, "latency");
    json_entry(w, s, &best->shortest);
    ridge_jw_end_object(w);
}

static ridge_status complete(const ridge_sweep_summary *s, ridge_err *err)
{
    return s->failed ? ridge_no_memory(err) : RIDGE_OK;
}

ridge_status ridge_sweep_summary_json(ridge_buf *out, const ridge_sweep_summary *s, double elapsed_s, ridge_err *err)
{
    const ridge_sweep_request *r = s->sweep->request;
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_member_text(&w, "model", s->sweep->model);
    ridge_jw_key(&w, "points");
    ridge_jw_int(&w, s->sweep->done);
    ridge_jw_key(&w, "fit");
    ridge_jw_int(&w, s->fit);
    ridge_jw_key(&w, "complete");
    ridge_jw_bool(&w, !s->sweep->stopped);
    ridge_jw_key(&w, "threads");
    ridge_jw_int(&w, s->sweep->threads);
    ridge_jw_key(&w, "elapsed_s");
    ridge_jw_double(&w, elapsed_s);
    ridge_jw_key(&w, "points_per_s");
    ridge_jw_double(&w, elapsed_s > 0 ? (double)s->sweep->done / elapsed_s : 0);
    ridge_jw_key(&w, "best");
    ridge_jw_array(&w);
    for (size_t k = 0; k < r->phase_count; k++)
        for (size_t i = 0; i < r->machines.n; i++)
            json_best(&w, s, i, r->phases[k]);
    ridge_jw_end_array(&w);
    ridge_jw_key(&w, "pareto");
    ridge_jw_array(&w);
    for (size_t k = 0; k < r->phase_count; k++)
        for (size_t i = 0; i < s->fronts[r->phases[k]].n; i++)
            json_entry(&w, s, &s->fronts[r->phases[k]].p[i]);
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
    return complete(s, err);
}
