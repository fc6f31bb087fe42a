#include "sweep/axis.h"

#include "base/number.h"

typedef struct reader {
    const char *option;
    int64_t least, most;
    ridge_arena *arena;
    ridge_err *err;
    size_t cap;
} reader;

static ridge_status wrong(const reader *r, ridge_str piece, const char *what)
{
    return ridge_fail(r->err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%.*s' %s; ranges are a:b:*f and a:b:+d (128:4096:*2), lists 1,2,8",
                      r->option, RIDGE_STR_ARG(piece), what);
}

static ridge_status read_number(int64_t *out, const reader *r, ridge_str text, ridge_str piece)
{
    bool overflow = false;
    if (!ridge_count_parse(out, &overflow, text) && !overflow)
        return wrong(r, piece, text.n ? "is no number" : "lacks a number");
    if (!overflow && *out >= r->least && *out <= r->most)
        return RIDGE_OK;
    return ridge_fail(r->err, RIDGE_USAGE, RIDGE_OPT("%s") ": %.*s is out of range: it must be from %lld to %lld", r->option,
                      RIDGE_STR_ARG(text), (long long)r->least, (long long)r->most);
}

/* the text up to the next `end`, which is taken away with it */
static ridge_str take(ridge_str *rest, char end)
{
    const char *at = memchr(rest->p, end, rest->n);
    ridge_str part = {rest->p, at ? (size_t)(at - rest->p) : rest->n};
    size_t used = at ? part.n + 1 : part.n;
    *rest = (ridge_str){rest->p + used, rest->n - used};
    return part;
}

/* what stands after the second colon: *f or +d */
static ridge_status read_step(ridge_sweep_piece *p, const reader *r, ridge_str step, ridge_str piece)
{
    reader any = *r;
    ridge_status st;
    any.least = -INT64_MAX;
    any.most = INT64_MAX;
    if (!step.n || (step.p[0] != '*' && step.p[0] != '+'))
        return wrong(r, piece, "lacks its step, '*2' or '+1'");
    p->geometric = step.p[0] == '*';
    if ((st = read_number(&p->step, &any, (ridge_str){step.p + 1, step.n - 1}, piece)))
        return st;
    if (p->step < (p->geometric ? 2 : 1))
        return wrong(r, piece, p->geometric ? "never ends: the factor must be at least 2" : "never ends: the step must be at least 1");
    if (p->geometric && p->first == 0)
        return wrong(r, piece, "never ends: 0 times a factor is 0");
    return RIDGE_OK;
}

static int64_t count_values(const ridge_sweep_piece *p, int64_t last)
{
    if (!p->geometric)
        return (last - p->first) / p->step + 1;
    int64_t n = 1;
    for (int64_t v = p->first; v <= last / p->step; v *= p->step)
        n++;
    return n;
}

static ridge_status read_piece(ridge_sweep_piece *p, const reader *r, ridge_str piece)
{
    ridge_str rest = piece, first = take(&rest, ':'), end;
    int64_t last;
    ridge_status st;
    *p = (ridge_sweep_piece){.step = 1, .count = 1};
    if ((st = read_number(&p->first, r, first, piece)) || first.n == piece.n)
        return st;
    end = take(&rest, ':');
    if ((st = read_number(&last, r, end, piece)) || (st = read_step(p, r, rest, piece)))
        return st;
    if (last < p->first)
        return wrong(r, piece, "ends before it begins");
    p->count = count_values(p, last);
    return RIDGE_OK;
}

static ridge_status add_piece(ridge_sweep_axis *a, reader *r, ridge_sweep_piece p)
{
    int64_t largest;
    if (!ridge_arena_more(r->arena, &a->pieces, a->n, &r->cap, sizeof *a->pieces))
        return ridge_no_memory(r->err);
    p.before = a->count;
    a->pieces[a->n++] = p;
    if (__builtin_add_overflow(a->count, p.count, &a->count))
        return ridge_fail(r->err, RIDGE_USAGE, RIDGE_OPT("%s") ": too many values", r->option);
    largest = ridge_sweep_axis_at(a, a->count - 1);
    a->most = largest > a->most ? largest : a->most;
    return RIDGE_OK;
}

ridge_status ridge_sweep_axis_read(ridge_sweep_axis *out, const char *text, const char *option, int64_t least, int64_t most,
                                   ridge_arena *arena, ridge_err *err)
{
    reader r = {option, least, most, arena, err, 0};
    ridge_str rest = ridge_str_of(text);
    ridge_sweep_piece p;
    ridge_status st;
    bool more;
    *out = (ridge_sweep_axis){0};
    do {
        more = memchr(rest.p, ',', rest.n);
        if ((st = read_piece(&p, &r, take(&rest, ','))) || (st = add_piece(out, &r, p)))
            return st;
    } while (more);
    return RIDGE_OK;
}

ridge_status ridge_sweep_axis_of(ridge_sweep_axis *out, int64_t value, ridge_arena *arena, ridge_err *err)
{
    reader r = {.arena = arena, .err = err};
    *out = (ridge_sweep_axis){0};
    return add_piece(out, &r, (ridge_sweep_piece){.first = value, .step = 1, .count = 1});
}

int64_t ridge_sweep_axis_at(const ridge_sweep_axis *a, int64_t i)
{
    const ridge_sweep_piece *p = a->pieces;
    while (i >= p->before + p->count)
        p++;
    i -= p->before;
    if (!p->geometric)
        return p->first + i * p->step;
    int64_t v = p->first;
    for (; i > 0; i--)
        v *= p->step;
    return v;
}
