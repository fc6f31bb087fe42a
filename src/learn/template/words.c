/* What an entry says in words: what the module holds, and which lines of its source made which term. */
#include "learn/template/write.h"

static const char *file_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

static size_t count(const ridge_draft *d, const char *section)
{
    size_t n = 0;
    for (size_t i = 0; i < d->member_count; i++)
        n += strcmp(d->members[i].section, section) == 0;
    return n;
}

static void numbered(ridge_buf *out, size_t n, const char *one, const char *many)
{
    ridge_buf_addf(out, "%zu %s", n, n == 1 ? one : many);
}

/* what a line computes; a term that nobody could read at a glance is in the formulas alone */
static void term(ridge_buf *out, ridge_value flops)
{
    enum { READABLE = 160 };
    const size_t before = out->n;
    if (flops.type == RIDGE_V_UNSET)
        ridge_buf_addz(out, "something unknown");
    else
        ridge_value_print(out, flops);
    if (out->n - before <= READABLE)
        return;
    out->n = before;
    ridge_buf_addz(out, "a long term");
}

/* "its own lines compute 2*B*S*T*config.hidden_size (aten.bmm, modeling_llama.py:190), ..." */
static void lines(ridge_buf *out, const ridge_draft *d)
{
    enum { SHOWN = 8 };
    const ridge_sketch *s = d->instances[0];
    size_t shown = 0;
    for (size_t i = 0; i < s->line_count && shown < SHOWN; i++, shown++) {
        const ridge_sketch_line *l = &s->lines[i];
        ridge_buf_addz(out, shown ? "; " : " Its own lines compute ");
        term(out, l->flops);
        ridge_buf_addf(out, " (%s, %s:%u)", l->operator, file_name(l->file), l->line);
    }
    if (shown > 0)
        ridge_buf_addf(out, "%s, in %llu %s.", s->line_count > SHOWN ? "; and more" : "", (unsigned long long)s->runs,
                       s->runs == 1 ? "call" : "calls");
}

const char *ridge_draft_words(const ridge_draft *d, const ridge_calc *calc)
{
    ridge_buf out = {0};
    const ridge_sketch *s = d->instances[0];
    const char *class = strrchr(d->class_path, '.');
    size_t weights = count(d, "weights"), parts = count(d, "breakdown");
    ridge_buf_addf(&out, "%s holds ", class ? class + 1 : d->class_path);
    numbered(&out, weights, "parameter", "parameters");
    ridge_buf_addz(&out, " of its own and ");
    numbered(&out, parts, "part", "parts");
    ridge_buf_addf(&out, "; derived from %s%s in the runs.", *s->path ? s->path : "the model",
                   d->instance_count > 1 ? " and others like it" : "");
    lines(&out, d);
    return ridge_arena_take(calc->arena, &out);
}
