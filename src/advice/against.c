#include "advice/against.h"

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
        v->rows[v->row_count++] = (ridge_against_row){NULL, &v->then->rows[at++]};
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
        v->rows[v->row_count++] = (ridge_against_row){&now->rows[i], then};
        if (then)
            (void)add_new(v, now, of_now, (size_t)(then - v->then->rows) + 1);
    }
    return RIDGE_OK;
}

/* ---- the variants ---- */

static ridge_status make_variant(ridge_variant *v, ridge_against *a, ridge_err *err)
{
    const ridge_prediction *now = a->now;
    ridge_status st;
    v->request = now->request;
    if (!(v->text = ridge_changes_text(&v->changes, &a->arena)))
        return ridge_no_memory(err);
    if ((st = ridge_changes_apply(&v->request, &v->changes, &a->arena, err)) ||
        (st = ridge_prediction_make(&v->then, now->model->registry, now->machines, &v->request, err))) {
        ridge_err_append(err, " (" RIDGE_OPT("against") " %s)", v->text);
        return st;
    }
    return match_rows(v, now, &a->arena, err);
}

static ridge_status parse_all(ridge_against *a, const ridge_words *texts, ridge_err *err)
{
    size_t cap = 0;
    for (size_t i = 0; i < texts->count; i++) {
        ridge_changes *found;
        size_t n;
        ridge_status st = ridge_changes_parse(&found, &n, texts->items[i], a->now->machines, &a->arena, err);
        if (st)
            return st;
        if (!(a->variants = ridge_arena_grow(&a->arena, a->variants, a->count, &cap, a->count + n, sizeof *a->variants)))
            return ridge_no_memory(err);
        for (size_t k = 0; k < n; k++)
            a->variants[a->count++] = (ridge_variant){.changes = found[k]};
    }
    return RIDGE_OK;
}

ridge_status ridge_against_make(ridge_against **out, const ridge_prediction *now, const ridge_words *texts, ridge_err *err)
{
    ridge_against *a = *out = calloc(1, sizeof *a);
    if (!a)
        return ridge_no_memory(err);
    ridge_arena_init(&a->arena);
    a->now = now;
    ridge_status st = parse_all(a, texts, err);
    for (size_t i = 0; i < a->count && !st; i++)
        st = make_variant(&a->variants[i], a, err);
    return st;
}

void ridge_against_free(ridge_against *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->count; i++)
        ridge_prediction_free(a->variants[i].then);
    ridge_arena_free(&a->arena);
    free(a);
}
