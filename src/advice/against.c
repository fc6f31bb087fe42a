#include "advice/against.h"

#include <math.h>
#include <stdlib.h>

double ridge_prediction_total_s(const ridge_prediction *p)
{
    return p->generation.generate ? p->generation.latency_s : p->time_s;
}

double ridge_prediction_tokens_per_s(const ridge_prediction *p)
{
    return p->generation.generate ? p->generation.tokens_per_s : p->tokens_per_s;
}

ridge_int ridge_prediction_memory(const ridge_prediction *p)
{
    ridge_int pass = p->model->memory.total, request = p->generation.memory_bytes;
    return p->generation.generate && request > pass ? request : pass;
}

/* ---- rows of now and then, by path ---- */

static int by_path(const void *a, const void *b)
{
    const ridge_predicted_row *const *x = a, *const *y = b;
    ridge_str p = (*x)->row->path, q = (*y)->row->path;
    int order = memcmp(p.p ? p.p : "", q.p ? q.p : "", p.n < q.n ? p.n : q.n);
    return order ? order : (p.n > q.n) - (p.n < q.n);
}

/* pointers to the rows in order of their paths; NULL when memory runs out */
static const ridge_predicted_row **sorted(const ridge_prediction *p, ridge_arena *arena)
{
    const ridge_predicted_row **rows = ridge_arena_array(arena, p->timed->rows.n + 1, sizeof *rows);
    if (!rows)
        return NULL;
    for (size_t i = 0; i < p->timed->rows.n; i++)
        rows[i] = &p->rows[i];
    qsort(rows, p->timed->rows.n, sizeof *rows, by_path);
    return rows;
}

static const ridge_predicted_row *same_path(const ridge_predicted_row **rows, size_t n, const ridge_predicted_row *row)
{
    const ridge_predicted_row **found = bsearch(&row, rows, n, sizeof *rows, by_path);
    return found ? *found : NULL;
}

/* rows of `then` that now has not, from its row `at` on */
static size_t add_new(ridge_variant *v, const ridge_prediction *now, const ridge_predicted_row **of_now, size_t at)
{
    while (at < v->then->timed->rows.n && !same_path(of_now, now->timed->rows.n, &v->then->rows[at]))
        v->rows[v->row_count++] = (ridge_against_row){.then = &v->then->rows[at++]};
    return at;
}

/* Rows of a leaf that another variant has not (rope+cache, fused; rope, cache, eager) stand where their siblings stand. */
static ridge_status match_rows(ridge_variant *v, const ridge_prediction *now, ridge_arena *arena, ridge_err *err)
{
    size_t n = now->timed->rows.n, m = v->then->timed->rows.n;
    const ridge_predicted_row **of_now = sorted(now, arena), **of_then = sorted(v->then, arena);
    v->rows = ridge_arena_array(arena, n + m + 1, sizeof *v->rows);
    if (!of_now || !of_then || !v->rows)
        return ridge_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        const ridge_predicted_row *then = same_path(of_then, m, &now->rows[i]);
        v->rows[v->row_count++] = (ridge_against_row){.now = &now->rows[i], .then = then};
        if (then)
            (void)add_new(v, now, of_now, (size_t)(then - v->then->rows) + 1);
    }
    return RIDGE_OK;
}

/* ---- figures beside each other ---- */

/* a side that is not there is negative */
static ridge_difference difference_of(double now_s, double then_s)
{
    return (ridge_difference){.now_s = now_s,
                              .time_s = then_s,
                              .difference_s = fmax(then_s, 0) - fmax(now_s, 0),
                              .ratio = now_s > 0 && then_s >= 0 ? then_s / now_s : -1,
                              .now_bound = -1,
                              .bound = -1};
}

static const ridge_against_totals no_totals = {.memory_bytes = -1,
                                               .tokens_per_s = -1,
                                               .images_per_s = -1,
                                               .fits = -1,
                                               .energy_j = -1,
                                               .cost_per_million_tokens = -1,
                                               .cost_per_million_images = -1,
                                               .latency_s = -1,
                                               .ttft_s = -1,
                                               .tpot_s = -1};

static ridge_against_totals totals_of(const char *name, const ridge_prediction *now, const ridge_prediction *p)
{
    const ridge_generation *g = &p->generation;
    ridge_against_totals t = no_totals;
    t.against = name;
    t.of_request = now->generation.generate > 0;
    t.total = t.of_request ? difference_of(now->generation.latency_s, g->latency_s) : difference_of(now->time_s, p->time_s);
    t.total.bound = (int)p->bound;
    t.tokens_per_s = t.of_request ? g->tokens_per_s : p->tokens_per_s;
    t.images_per_s = p->images_per_s;
    t.memory_bytes = ridge_prediction_memory(p);
    t.fits = p->capacity_bytes < 0 ? -1 : p->fits;
    t.energy_j = p->energy_j;
    t.cost_per_million_tokens = p->cost_per_million_tokens;
    t.cost_per_million_images = p->cost_per_million_images;
    if (g->generate > 0) {
        t.latency_s = g->latency_s;
        t.ttft_s = g->ttft_s;
        t.tpot_s = g->tpot_s;
    }
    return t;
}

static void complete_row(ridge_against_row *r, const ridge_against_totals *totals, const char *against, size_t place)
{
    const ridge_predicted_row *any = r->now ? r->now : r->then;
    r->against = against;
    r->label = any->label;
    r->name = any->name;
    r->path = any->path;
    r->class_name = any->class_name;
    r->difference = difference_of(r->now ? r->now->time_s : -1, r->then ? r->then->time_s : -1);
    r->difference.now_bound = r->now ? (int)r->now->bound : -1;
    r->difference.bound = r->then ? (int)r->then->bound : -1;
    r->totals = any->row->parent == UINT32_MAX ? *totals : no_totals;
    r->place = place;
}

/* ---- which rows are shown ---- */

static int larger_first(const void *a, const void *b)
{
    const ridge_against_row *x = a, *y = b;
    double of_x = fabs(x->difference.difference_s), of_y = fabs(y->difference.difference_s);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return x->place < y->place ? -1 : 1;
}

/* appends what the view shows of a variant; the top are the leaves that change most */
static void show_rows(ridge_against *a, ridge_variant *v, const ridge_predict_view *view)
{
    ridge_against_row *shown = a->rows + a->row_count;
    size_t n = 0;
    for (size_t i = 0; i < v->row_count; i++) {
        const ridge_predicted_row *row = v->rows[i].now ? v->rows[i].now : v->rows[i].then;
        if ((view->depth >= 0 && row->row->depth > (uint64_t)view->depth) || (view->top > 0 && !row->leaf))
            continue;
        shown[n] = v->rows[i];
        if (view->top > 0)
            shown[n].label = shown[n].name;
        n++;
    }
    if (view->top > 0)
        qsort(shown, n, sizeof *shown, larger_first);
    v->shown = shown;
    v->shown_count = view->top > 0 && (size_t)view->top < n ? (size_t)view->top : n;
    a->row_count += v->shown_count;
}

/* now first, then every variant: as lines of totals, and as rows */
static ridge_status show(ridge_against *a, const ridge_predict_view *view, ridge_err *err)
{
    size_t rows = 1;
    for (size_t i = 0; i < a->count; i++)
        rows += a->variants[i].row_count;
    a->lines = ridge_arena_array(a->arena, a->count + 1, sizeof *a->lines);
    a->rows = ridge_arena_array(a->arena, rows, sizeof *a->rows);
    if (!a->lines || !a->rows)
        return ridge_no_memory(err);
    a->lines[0] = totals_of("now", a->now, a->now);
    a->rows[a->row_count] = (ridge_against_row){.now = &a->now->rows[0], .then = &a->now->rows[0]};
    complete_row(&a->rows[a->row_count++], &a->lines[0], "", 0);
    a->lines[0].total.difference_s = (double)NAN; /* nothing is compared */
    a->lines[0].total.ratio = -1;
    for (size_t i = 0; i < a->count; i++) {
        a->lines[i + 1] = a->variants[i].totals;
        show_rows(a, &a->variants[i], view);
    }
    return RIDGE_OK;
}

/* ---- the variants ---- */

static ridge_status complete_variant(ridge_variant *v, const ridge_against *a, ridge_err *err)
{
    const ridge_prediction *then = v->then;
    ridge_status st = RIDGE_OK;
    ridge_prediction_tell(&v->told, then);
    v->pass = &v->rows[0].difference;
    v->totals = totals_of(v->text, a->now, then);
    v->latency_difference_s = v->totals.of_request ? v->totals.total.difference_s : (double)NAN;
    v->latency_ratio = v->totals.of_request ? v->totals.total.ratio : -1;
    for (size_t i = 0; i < v->row_count; i++)
        complete_row(&v->rows[i], &v->totals, v->text, i);
    for (size_t i = 0; i < then->notes.count && !st; i++)
        if (!ridge_words_find(&a->now->notes, then->notes.items[i]))
            st = ridge_words_add(&v->new_notes, then->notes.items[i], a->arena, err);
    return st;
}

static ridge_status make_variant(ridge_variant *v, const ridge_against *a, ridge_err *err)
{
    const ridge_prediction *now = a->now;
    ridge_status st;
    v->request = now->request;
    if (!(v->text = ridge_changes_text(&v->changes, a->arena)))
        return ridge_no_memory(err);
    if ((st = ridge_changes_apply(&v->request, &v->changes, a->arena, err)) ||
        (st = ridge_prediction_make(&v->then, now->model->registry, now->machines, &v->request, err))) {
        ridge_err_append(err, " (" RIDGE_OPT("against") " %s)", v->text);
        return st;
    }
    st = match_rows(v, now, a->arena, err);
    return st ? st : complete_variant(v, a, err);
}

static ridge_status parse_all(ridge_against *a, const ridge_words *texts, ridge_err *err)
{
    size_t cap = 0;
    for (size_t i = 0; i < texts->count; i++) {
        ridge_changes *found;
        size_t n;
        ridge_status st = ridge_changes_parse(&found, &n, texts->items[i], a->now->machines, a->arena, err);
        if (st)
            return st;
        ridge_variant *more = ridge_arena_grow(a->arena, a->variants, a->count, &cap, a->count + n, sizeof *more);
        if (!more)
            return ridge_no_memory(err);
        a->variants = more;
        for (size_t k = 0; k < n; k++)
            a->variants[a->count++] = (ridge_variant){.changes = found[k]};
    }
    return RIDGE_OK;
}

ridge_status ridge_against_make(ridge_against *out, const ridge_prediction *now, const ridge_words *texts, const ridge_predict_view *view,
                                ridge_err *err)
{
    *out = (ridge_against){.arena = &now->timed->arena, .now = now};
    ridge_status st = parse_all(out, texts, err);
    for (size_t i = 0; i < out->count && !st; i++)
        st = make_variant(&out->variants[i], out, err);
    return st ? st : show(out, view, err);
}

void ridge_against_free(ridge_against *a)
{
    for (size_t i = 0; i < a->count; i++)
        ridge_prediction_free(a->variants[i].then);
    *a = (ridge_against){0};
}
