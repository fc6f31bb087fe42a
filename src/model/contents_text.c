/* The modules of a weight file for people. */
#include "base/shown.h"
#include "model/contents.h"

typedef struct printer {
    ridge_buf *out;
    const ridge_contents *contents;
    ridge_arena *arena;
    bool all;
    int64_t depth;
} printer;

/* "weight [768, 768] F32", "= other.weight" where it shares the bytes of one */
static void add_tensor(const printer *p, uint32_t at, bool first)
{
    const ridge_weight *w = &p->contents->weights->tensors[p->contents->order[at]];
    const ridge_str name = ridge_contents_own_name(w->name);
    ridge_buf_addf(p->out, "%s%s[", first ? "" : ", ", name.n ? ridge_weight_shown(p->arena, name) : "");
    for (uint32_t i = 0; i < w->rank; i++)
        ridge_buf_addf(p->out, "%s%llu", i ? ", " : "", (unsigned long long)w->shape[i]);
    ridge_buf_addf(p->out, "] %s", w->format->name);
    if (w->tied)
        ridge_buf_addf(p->out, " = %s", ridge_weight_shown(p->arena, p->contents->weights->tensors[w->tied - 1].name));
}

static bool is_number(ridge_str name)
{
    return name.n && ridge_is_digit(name.p[0]);
}

/* how many siblings from `at` on are numbered and alike */
static uint32_t equal_run(const printer *p, uint32_t at, uint32_t *next, uint32_t *last)
{
    const ridge_contents_module *m = p->contents->modules;
    const uint32_t end = m[at].parent == UINT32_MAX ? m[at].end : m[m[at].parent].end;
    uint32_t run = 1;
    *last = at;
    for (*next = m[at].end; !p->all && is_number(m[at].name) && *next < end && m[*next].alike == m[at].alike; *next = m[*next].end) {
        *last = *next;
        run++;
    }
    return run;
}

static void add_line(const printer *p, uint32_t at, uint32_t run, uint32_t last)
{
    const ridge_contents_module *m = &p->contents->modules[at];
    ridge_buf_addf(p->out, "%*s%s", (int)(2 * (m->depth - 1)), "", ridge_weight_shown(p->arena, m->name));
    if (run > 1)
        ridge_buf_addf(p->out, "-%s: %u x", ridge_weight_shown(p->arena, p->contents->modules[last].name), run);
    if (m->count) {
        ridge_buf_addz(p->out, run > 1 ? "  " : ": ");
        for (uint32_t i = 0; i < m->count; i++)
            add_tensor(p, m->first + i, i == 0);
    }
    if (m->parameters_total)
        ridge_buf_addf(p->out, "  %s", ridge_units_exact(p->arena, m->parameters_total));
    ridge_buf_addc(p->out, '\n');
}

static void add_level(const printer *p, uint32_t at, uint32_t end)
{
    while (at < end) {
        uint32_t next, last;
        const uint32_t run = equal_run(p, at, &next, &last);
        if (p->depth < 0 || p->contents->modules[at].depth <= p->depth) {
            add_line(p, at, run, last);
            add_level(p, at + 1, p->contents->modules[at].end);
        }
        at = next;
    }
}

/* "stored      13.48 GB: bf16 13.47 GB (290 tensors), fp32 4 B (1)" */
static void add_formats(const printer *p)
{
    const ridge_contents *s = p->contents;
    ridge_buf_addf(p->out, "stored      %s", ridge_units_bytes(p->arena, s->bytes));
    for (size_t i = 0; i < s->format_count; i++) {
        const ridge_stored_share *f = &s->formats[i];
        ridge_buf_addf(p->out, "%s%s %s (%s tensor%s)", i ? ", " : ": ", f->format->name, ridge_units_bytes(p->arena, f->bytes),
                       ridge_units_exact(p->arena, f->tensors), RIDGE_PLURAL(f->tensors));
    }
    ridge_buf_addc(p->out, '\n');
}

/* texts of __metadata__ on one line */
static void add_metadata(const printer *p)
{
    const ridge_json *m = p->contents->weights->metadata;
    size_t told = 0;
    for (uint32_t i = 0; m && m->type == RIDGE_JSON_OBJECT && i < m->count && told < 8; i++) {
        const ridge_json *v = &m->u.members[i].value;
        if (v->type != RIDGE_JSON_STRING && v->type != RIDGE_JSON_NUMBER)
            continue;
        ridge_buf_addf(p->out, "%s%s=", told++ ? ", " : "metadata    ", ridge_weight_shown(p->arena, m->u.members[i].key));
        ridge_buf_addz(p->out, ridge_weight_shown(p->arena, v->u.text));
    }
    ridge_buf_addz(p->out, told ? "\n" : "");
}

void ridge_contents_text(ridge_buf *out, const ridge_contents *s, const char *model, bool all, int64_t depth, ridge_arena *arena)
{
    const printer p = {out, s, arena, all, depth};
    ridge_buf_addf(out, "%s  %s, %zu file%s\n", ridge_shown(arena, model), s->kind, s->file_count, RIDGE_PLURAL(s->file_count));
    ridge_buf_addf(out, "parameters  %s   tensors %zu", ridge_units_exact(arena, s->parameters), s->tensors);
    if (s->tied)
        ridge_buf_addf(out, ", %zu of them share%s bytes of another", s->tied, s->tied == 1 ? "s" : "");
    ridge_buf_addc(out, '\n');
    add_formats(&p);
    if (s->part)
        ridge_buf_addf(out, "read        the member '%s'%s%s\n", s->part, s->left ? "; beside it: " : "", s->left ? s->left : "");
    add_metadata(&p);
    ridge_buf_addc(out, '\n');
    for (uint32_t i = 0; i < s->modules[0].count; i++) {
        add_tensor(&p, s->modules[0].first + i, true);
        ridge_buf_addc(out, '\n');
    }
    add_level(&p, 1, s->modules[0].end);
}
