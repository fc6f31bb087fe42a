/* The best points of a sweep and its Pareto fronts: kept up to date block by block, so memory is that of the fronts. */
#include <stdlib.h>

#include "base/shown.h"
#include "sweep/rows.h"

enum { FRONT_MOST = 1 << 20 }; /* points of a front: beyond them it is no summary, and would take all memory */

ridge_status ridge_sweep_summary_init(ridge_sweep_summary *s, const ridge_sweep *sweep, ridge_err *err)
{
    const size_t n = sweep->request->machines.count * RIDGE_PHASES;
    *s =
        (ridge_sweep_summary){.sweep = sweep, .fastest = calloc(n + 1, sizeof *s->fastest), .shortest = calloc(n + 1, sizeof *s->shortest)};
    if (!s->fastest || !s->shortest)
        return ridge_no_memory(err);
    for (size_t i = 0; i < n; i++)
        s->fastest[i].index = s->shortest[i].index = -1;
    return RIDGE_OK;
}

void ridge_sweep_summary_free(ridge_sweep_summary *s)
{
    free(s->fastest);
    free(s->shortest);
    for (int i = 0; i < RIDGE_PHASES; i++)
        free(s->fronts[i].p);
    *s = (ridge_sweep_summary){0};
}

/* ---- which is better ---- */

static bool is_faster(const ridge_sweep_entry *a, const ridge_sweep_entry *than)
{
    const double x = ridge_sweep_rate(&a->point), y = ridge_sweep_rate(&than->point);
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

/* false when memory runs out, or more than can be told */
static bool offer(ridge_sweep_front *f, const ridge_sweep_entry *e)
{
    size_t at = first_longer(f, e->point.time_s), end;
    if (at > 0 && ridge_sweep_rate(&f->p[at - 1].point) >= ridge_sweep_rate(&e->point)) {
        ridge_sweep_entry *twin = &f->p[at - 1]; /* not worse; where it is equal, the earlier point stands for both */
        bool equal = twin->point.time_s >= e->point.time_s && ridge_sweep_rate(&twin->point) <= ridge_sweep_rate(&e->point);
        if (equal && e->index < twin->index)
            *twin = *e;
        return true;
    }
    if (at > 0 && f->p[at - 1].point.time_s >= e->point.time_s)
        at--; /* as short and slower: it goes */
    for (end = at; end < f->n && ridge_sweep_rate(&f->p[end].point) <= ridge_sweep_rate(&e->point);)
        end++;
    if (end == at && (f->n >= FRONT_MOST || !make_room(f)))
        return false;
    memmove(&f->p[at + 1], &f->p[end], (f->n - end) * sizeof *f->p);
    f->n = f->n - (end - at) + 1;
    f->p[at] = *e;
    return true;
}

/* ---- taking points in ---- */

/* could this point change anything? Most cannot, and need no more than this. */
static bool matters(const ridge_sweep_entry *fastest, const ridge_sweep_entry *shortest, const ridge_sweep_front *f,
                    const ridge_sweep_point *p)
{
    if (fastest->index < 0 || ridge_sweep_rate(p) >= ridge_sweep_rate(&fastest->point) || p->time_s <= shortest->point.time_s)
        return true;
    size_t at = first_longer(f, p->time_s);
    return at == 0 || ridge_sweep_rate(&f->p[at - 1].point) <= ridge_sweep_rate(p);
}

ridge_status ridge_sweep_summary_refuse(ridge_err *err)
{
    if (err)
        *err = (ridge_err){0};
    return ridge_fail(err, RIDGE_LIMIT, "the Pareto front has more than %d points: wider steps make it shorter", FRONT_MOST);
}

/* takes an entry into a front, or remembers why not */
static void keep(ridge_sweep_summary *s, ridge_sweep_front *front, const ridge_sweep_entry *e)
{
    if (offer(front, e))
        return;
    s->failed = true;
    s->full = s->full || front->n >= FRONT_MOST;
}

void ridge_sweep_summary_add(ridge_sweep_summary *s, const ridge_sweep_block *b)
{
    const size_t place = b->shared.machine * RIDGE_PHASES + b->shared.phase;
    ridge_sweep_entry *fastest = &s->fastest[place], *shortest = &s->shortest[place];
    ridge_sweep_front *front = &s->fronts[b->shared.phase];
    int64_t fit = 0; /* added once: summaries of other threads may lie in the same cache line */
    for (size_t i = 0; i < b->n; i++) {
        const ridge_sweep_point *p = &b->points[i];
        fit += p->fits > 0;
        if (!p->fits || ridge_sweep_rate(p) < 0 || !matters(fastest, shortest, front, p))
            continue;
        const ridge_sweep_entry e = ridge_sweep_entry_of(b, i);
        if (is_faster(&e, fastest))
            *fastest = e;
        if (is_shorter(&e, shortest))
            *shortest = e;
        keep(s, front, &e);
    }
    s->fit += fit;
}

void ridge_sweep_summary_merge(ridge_sweep_summary *s, const ridge_sweep_summary *other)
{
    for (size_t i = 0; i < s->sweep->request->machines.count * RIDGE_PHASES; i++) {
        if (other->fastest[i].index >= 0 && is_faster(&other->fastest[i], &s->fastest[i]))
            s->fastest[i] = other->fastest[i];
        if (other->shortest[i].index >= 0 && is_shorter(&other->shortest[i], &s->shortest[i]))
            s->shortest[i] = other->shortest[i];
    }
    for (int k = 0; k < RIDGE_PHASES; k++)
        for (size_t i = 0; i < other->fronts[k].n; i++)
            keep(s, &s->fronts[k], &other->fronts[k].p[i]);
    s->fit += other->fit;
    s->failed = s->failed || other->failed;
    s->full = s->full || other->full;
}

/* ---- what is told ---- */

static bool is_on_front(const ridge_sweep_told *told, const ridge_sweep_entry *e)
{
    for (size_t i = 0; i < told->pareto_count; i++)
        if (told->pareto[i].index == e->index)
            return true;
    return false;
}

/* a copy that knows whether it is on a front; NULL where none fits */
static ridge_status best_of(const ridge_sweep_entry **out, const ridge_sweep_told *told, const ridge_sweep_entry *e, ridge_arena *arena,
                            ridge_err *err)
{
    *out = NULL;
    if (e->index < 0)
        return RIDGE_OK;
    ridge_sweep_entry *copy = ridge_arena_alloc(arena, sizeof *copy);
    if (!copy)
        return ridge_no_memory(err);
    *copy = *e;
    copy->pareto = is_on_front(told, e);
    *out = copy;
    return RIDGE_OK;
}

static ridge_status tell_best(ridge_sweep_told *out, const ridge_sweep_summary *s, ridge_arena *arena, ridge_err *err)
{
    const ridge_sweep_request *r = s->sweep->request;
    ridge_status st = RIDGE_OK;
    if (!(out->best = ridge_arena_array(arena, r->machines.count * r->phases.n + 1, sizeof *out->best)))
        return ridge_no_memory(err);
    for (size_t k = 0; k < r->phases.n && !st; k++)
        for (size_t i = 0; i < r->machines.count && !st; i++) {
            const size_t place = i * RIDGE_PHASES + r->phases.items[k];
            ridge_sweep_best *b = &out->best[out->best_count++];
            *b = (ridge_sweep_best){.machine = s->sweep->machines[i]->id, .phase = r->phases.items[k]};
            if (!(st = best_of(&b->throughput, out, &s->fastest[place], arena, err)))
                st = best_of(&b->latency, out, &s->shortest[place], arena, err);
        }
    return st;
}

static ridge_status tell_fronts(ridge_sweep_told *out, const ridge_sweep_summary *s, ridge_arena *arena, ridge_err *err)
{
    const ridge_sweep_phases *phases = &s->sweep->request->phases;
    size_t count = 0;
    for (size_t k = 0; k < phases->n; k++)
        count += s->fronts[phases->items[k]].n;
    if (!(out->pareto = ridge_arena_array(arena, count + 1, sizeof *out->pareto)))
        return ridge_no_memory(err);
    for (size_t k = 0; k < phases->n; k++) {
        const ridge_sweep_front *f = &s->fronts[phases->items[k]];
        for (size_t i = 0; i < f->n; i++) {
            out->pareto[out->pareto_count] = f->p[i];
            out->pareto[out->pareto_count++].pareto = 1;
        }
    }
    return RIDGE_OK;
}

ridge_status ridge_sweep_tell(ridge_sweep_told *out, const ridge_sweep_summary *s, double elapsed_s, ridge_arena *arena, ridge_err *err)
{
    const ridge_sweep *sweep = s->sweep;
    *out = (ridge_sweep_told){.sweep = sweep,
                              .summary = s,
                              .model = sweep->model,
                              .points = sweep->done,
                              .fit = s->fit,
                              .complete = !sweep->stopped,
                              .notes = sweep->notes,
                              .threads = sweep->threads,
                              .elapsed_s = elapsed_s,
                              .points_per_s = elapsed_s > 0 ? (double)sweep->done / elapsed_s : 0};
    ridge_status st = s->full ? ridge_sweep_summary_refuse(err) : s->failed ? ridge_no_memory(err) : tell_fronts(out, s, arena, err);
    return st ? st : tell_best(out, s, arena, err);
}

#define BEST ridge_sweep_best
static const ridge_record_field best_fields[] = {
    RIDGE_R_TEXT(BEST, machine, "machine", NULL, RIDGE_IN_JSON, "the machine's id"),
    RIDGE_R_WORD(BEST, phase, ridge_phase_names, "phase", NULL, RIDGE_IN_JSON, "what is run"),
    RIDGE_R_AT(BEST, throughput, &ridge_sweep_record, "throughput", RIDGE_IN_JSON,
               "the point with the most tokens, or images, per second that fits", .compact = true),
    RIDGE_R_AT(BEST, latency, &ridge_sweep_record, "latency", RIDGE_IN_JSON, "the point with the least time that fits", .compact = true),
};
static const ridge_record best_record = RIDGE_RECORD(BEST, "best points", best_fields, "the best points of a machine and a phase");

#define TOLD ridge_sweep_told
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(TOLD, model, "model", NULL, RIDGE_IN_JSON, "the model as it was named"),
    RIDGE_R_WHOLE(TOLD, points, "points", NULL, RIDGE_IN_JSON, "points computed"),
    RIDGE_R_WHOLE(TOLD, fit, "fit", NULL, RIDGE_IN_JSON, "those that fit into their machine's memory"),
    RIDGE_R_BOOL(TOLD, complete, "complete", NULL, RIDGE_IN_JSON, "false where the user ended it"),
    RIDGE_R_TEXTS(TOLD, notes, "notes", NULL, RIDGE_IN_JSON, "what a reader must know of the numbers"),
    RIDGE_R_UNSIGNED(TOLD, threads, "threads", NULL, RIDGE_IN_JSON, "threads that computed"),
    RIDGE_R_REAL(TOLD, elapsed_s, "elapsed_s", NULL, RIDGE_IN_JSON, "time it took", .unit = RIDGE_UNIT_SECONDS),
    RIDGE_R_REAL(TOLD, points_per_s, "points_per_s", NULL, RIDGE_IN_JSON, "points per second", .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_LIST(TOLD, best, best_count, &best_record, "best", RIDGE_IN_JSON, "the best points of each machine and phase", .open = true),
    RIDGE_R_LIST(TOLD, pareto, pareto_count, &ridge_sweep_record, "pareto", RIDGE_IN_JSON, "the Pareto fronts of the phases"),
};
const ridge_record ridge_sweep_summary_record = RIDGE_RECORD(TOLD, "ridge sweep --summary", fields, "what the points of a sweep come to");

/* ---- text ---- */

enum { FRONT_SHOWN = 20 };

static const char *unit_of(const ridge_sweep_entry *e)
{
    return e->point.tokens_per_s >= 0 ? "tokens" : e->point.images_per_s >= 0 ? "images" : "samples";
}

static ridge_status best_table(ridge_buf *out, const ridge_sweep_told *t, bool latency, int width, ridge_err *err)
{
    ridge_arena arena;
    ridge_arena_init(&arena);
    ridge_sweep_entry *found = ridge_arena_array(&arena, t->best_count + 1, sizeof *found);
    size_t n = 0;
    for (size_t i = 0; found && i < t->best_count; i++) {
        const ridge_sweep_best *b = &t->best[i];
        const ridge_sweep_entry *e = latency ? b->latency : b->throughput;
        if (e)
            found[n++] = *e;
        else if (!latency)
            ridge_buf_addf(out, "%s: no %s point fits into its memory\n", ridge_shown(&arena, b->machine), ridge_phase_names[b->phase]);
    }
    ridge_status st = found ? RIDGE_OK : ridge_no_memory(err);
    if (n > 0) {
        if (latency)
            ridge_buf_addz(out, "\nleast time\n");
        else
            ridge_buf_addf(out, "\nmost %s per second\n", unit_of(&found[0]));
        st = ridge_sweep_table(out, found, n, RIDGE_FORM_TEXT, width, err);
    }
    out->failed |= arena.failed;
    ridge_arena_free(&arena);
    return st;
}

/* a long front in even steps, its ends included */
static ridge_status front_table(ridge_buf *out, const ridge_sweep_summary *s, ridge_phase phase, int width, ridge_err *err)
{
    const ridge_sweep_front *f = &s->fronts[phase];
    const size_t n = f->n < FRONT_SHOWN ? f->n : FRONT_SHOWN;
    ridge_sweep_entry shown[FRONT_SHOWN];
    char count[RIDGE_INT_COMMA_CHARS];
    if (!n)
        return RIDGE_OK;
    ridge_int_print_comma(count, (ridge_int)f->n);
    ridge_buf_addf(out, "\nPareto front of %s, less time against more %s per second: %s point%s that fit%s", ridge_phase_names[phase],
                   unit_of(&f->p[0]), count, RIDGE_PLURAL(f->n), f->n == 1 ? "s" : "");
    if (n < f->n)
        ridge_buf_addf(out, ", %zu of them here (" RIDGE_OPT("csv") " and " RIDGE_OPT("json") " have all)", n);
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < n; i++)
        shown[i] = f->p[n > 1 ? i * (f->n - 1) / (n - 1) : 0];
    return ridge_sweep_table(out, shown, n, RIDGE_FORM_TEXT, width, err);
}

ridge_status ridge_sweep_told_text(ridge_buf *out, const ridge_sweep_told *t, int width, ridge_err *err)
{
    const ridge_sweep_phases *phases = &t->sweep->request->phases;
    ridge_arena scratch;
    char done[RIDGE_INT_COMMA_CHARS], fit[RIDGE_INT_COMMA_CHARS], speed[RIDGE_INT_COMMA_CHARS];
    ridge_status st = RIDGE_OK;
    ridge_int_print_comma(done, t->points);
    ridge_int_print_comma(fit, t->fit);
    ridge_int_print_comma(speed, (ridge_int)t->points_per_s);
    ridge_arena_init(&scratch);
    ridge_buf_addf(out, "%s: %s point%s%s, %s fit; %s on %u thread%s, %s points/s\n", ridge_shown(&scratch, t->model ? t->model : ""), done,
                   RIDGE_PLURAL(t->points), t->complete ? "" : " until it was stopped", fit, ridge_units_seconds(&scratch, t->elapsed_s),
                   t->threads, RIDGE_PLURAL(t->threads), speed);
    out->failed = out->failed || scratch.failed;
    ridge_arena_free(&scratch);
    if ((st = best_table(out, t, false, width, err)) || (st = best_table(out, t, true, width, err)))
        return st;
    for (size_t k = 0; k < phases->n && !st; k++)
        st = front_table(out, t->summary, phases->items[k], width, err);
    return st;
}
