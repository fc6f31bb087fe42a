/* Which rows of a cost table an output shows, and in which order: --depth, --top, --sort. */
#include "app/output.h"

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

static bool is_shown(const ridge_row *row, const ridge_view *view)
{
    if (view->depth >= 0 && row->depth > view->depth)
        return false;
    /* the most expensive modules are leaves: a parent would only repeat them */
    return view->top == 0 || row->leaf || (view->depth >= 0 && row->depth == view->depth);
}

ridge_status ridge_output_select(ridge_analysis *a, const ridge_view *view, ridge_err *err)
{
    line *lines = ridge_arena_array(&a->arena, a->rows.n + 1, sizeof *lines),
         *spare = ridge_arena_array(&a->arena, a->rows.n + 1, sizeof *spare);
    ridge_sort sort = view->top > 0 && view->sort == RIDGE_SORT_TREE ? RIDGE_SORT_FLOPS : view->sort;
    size_t n = 0;
    a->shown = ridge_arena_array(&a->arena, a->rows.n + 1, sizeof *a->shown);
    if (!lines || !spare || !a->shown)
        return ridge_fail(err, RIDGE_NOMEM, "out of memory");
    for (size_t i = 0; i < a->rows.n; i++) {
        ridge_status st = RIDGE_OK;
        if (is_shown(&a->rows.p[i], view)) {
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
