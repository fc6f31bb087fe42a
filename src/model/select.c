/* Which rows of a cost table an output shows, and in which order: --depth, --top, --sort. */
#include "model/output.h"

typedef struct line {
    const ridge_row *row;
    ridge_flop_sums flops;
    ridge_byte_sums bytes;
} line;

static double sort_key(const line *l, ridge_sort sort)
{
    switch (sort) {
    case RIDGE_SORT_FLOPS:
        return (double)l->flops.total;
    case RIDGE_SORT_BYTES:
        return (double)l->bytes.total;
    default:
        return ridge_output_intensity(&l->flops, &l->bytes);
    }
}

static bool comes_first(const line *a, const line *b, ridge_sort sort)
{
    if (sort == RIDGE_SORT_PATH) {
        size_t n = a->row->path.n < b->row->path.n ? a->row->path.n : b->row->path.n;
        int order = memcmp(a->row->path.p, b->row->path.p, n);
        return order < 0 || (order == 0 && a->row->path.n < b->row->path.n);
    }
    return sort_key(a, sort) > sort_key(b, sort);
}

/* stable merge sort: equal rows stay in registration order */
static void sort_lines(line *p, size_t n, line *spare, ridge_sort sort)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, k = half, out = 0;
    sort_lines(p, half, spare, sort);
    sort_lines(p + half, n - half, spare, sort);
    while (i < half && k < n)
        spare[out++] = comes_first(&p[k], &p[i], sort) ? p[k++] : p[i++];
    while (i < half)
        spare[out++] = p[i++];
    while (k < n)
        spare[out++] = p[k++];
    memcpy(p, spare, n * sizeof *p);
}

/* does a parent do more by itself (an attention core) than the modules below it? */
static ridge_status outweighs(bool *out, const ridge_analysis *a, size_t at, ridge_sort sort, ridge_err *err)
{
    const ridge_row *parent = &a->rows.p[at];
    line whole = {.row = parent}, part;
    double below = 0;
    unsigned level = 0;
    ridge_status st = ridge_output_sums(&whole.flops, &whole.bytes, &parent->cost, err);
    for (size_t i = at + 1; i < a->rows.n && a->rows.p[i].depth > parent->depth && !st; i++) {
        level = level ? level : (unsigned)a->rows.p[i].depth;
        if ((unsigned)a->rows.p[i].depth > level)
            continue;
        st = ridge_output_sums(&part.flops, &part.bytes, &a->rows.p[i].cost, err);
        below += sort_key(&part, sort);
    }
    *out = sort_key(&whole, sort) > 2 * below;
    return st;
}

/* The most expensive modules are leaves: a parent would only repeat them, unless most of the work is its own. */
static ridge_status is_shown(bool *out, const ridge_analysis *a, size_t i, const ridge_view *view, ridge_sort sort, ridge_err *err)
{
    const ridge_row *row = &a->rows.p[i];
    *out = view->depth < 0 || row->depth <= view->depth;
    if (!*out || view->top == 0 || row->leaf || (view->depth >= 0 && row->depth == view->depth))
        return RIDGE_OK;
    *out = false;
    return sort == RIDGE_SORT_FLOPS || sort == RIDGE_SORT_BYTES ? outweighs(out, a, i, sort, err) : RIDGE_OK;
}

ridge_status ridge_output_select(ridge_analysis *a, const ridge_view *view, ridge_err *err)
{
    line *lines = ridge_arena_array(&a->arena, a->rows.n + 1, sizeof *lines),
         *spare = ridge_arena_array(&a->arena, a->rows.n + 1, sizeof *spare);
    ridge_sort sort = view->top > 0 && view->sort == RIDGE_SORT_TREE ? RIDGE_SORT_FLOPS : view->sort;
    size_t n = 0;
    a->shown = ridge_arena_array(&a->arena, a->rows.n + 1, sizeof *a->shown);
    if (!lines || !spare || !a->shown)
        return ridge_no_memory(err);
    for (size_t i = 0; i < a->rows.n; i++) {
        bool shown;
        ridge_status st = is_shown(&shown, a, i, view, sort, err);
        if (!st && shown) {
            lines[n].row = &a->rows.p[i];
            st = ridge_output_sums(&lines[n].flops, &lines[n].bytes, &a->rows.p[i].cost, err);
            n++;
        }
        if (st)
            return st;
    }
    if (sort != RIDGE_SORT_TREE)
        sort_lines(lines, n, spare, sort);
    a->shown_count = view->top > 0 && (size_t)view->top < n ? (size_t)view->top : n;
    for (size_t i = 0; i < a->shown_count; i++)
        a->shown[i] = lines[i].row;
    return RIDGE_OK;
}
