/* Runs of one model with several workloads, merged: one number for all of them, or one for each side of a condition. */
#include "learn/template/sketch.h"

enum { RUNS = RIDGE_SKETCH_RUNS };

typedef struct merger {
    const ridge_sketch_run *runs;
    size_t count;
    const ridge_sketch_condition *conditions;
    size_t condition_count;
    bool *names_used; /* [run][name]: does the run have this name in its numbers, or did it hold it constant? */
    const ridge_calc *calc;
} merger;

/* ---- what a run holds constant ---- */

/* is the name in the polynomial? */
static bool mentions(const ridge_poly *p, const char *name, unsigned depth)
{
    for (uint32_t i = 0; p && depth < 60 && i < p->count; i++)
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            const ridge_atom *a = p->terms[i].factors[k].atom;
            if ((a->kind == RIDGE_ATOM_NAME && !a->p && strcmp(a->name, name) == 0) || mentions(a->p, name, depth + 1) ||
                mentions(a->q, name, depth + 1))
                return true;
        }
    return false;
}

static bool in_amounts(const ridge_sketch_amounts *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i].value.type == RIDGE_V_SYM && mentions(list->p[i].value.u.sym, name, 0))
            return true;
    return false;
}

static bool in_run(const ridge_sketch_run *run, const char *name)
{
    for (size_t i = 0; i < run->sketches.count; i++) {
        const ridge_sketch *s = run->sketches.p[i];
        if (in_amounts(&s->flops, name) || in_amounts(&s->reads, name) || in_amounts(&s->writes, name))
            return true;
    }
    return false;
}

/* the value with what this run holds constant put in */
static ridge_status as_run(ridge_value *out, ridge_value v, size_t run, const merger *m)
{
    const ridge_sketch_run *r = &m->runs[run];
    ridge_sketch_argument fixed[32];
    ridge_translation t = {.calc = m->calc, .fixed = fixed};
    *out = v;
    if (v.type != RIDGE_V_SYM)
        return RIDGE_OK;
    for (size_t i = 0; i < r->name_count && t.fixed_count < sizeof fixed / sizeof *fixed; i++)
        if (!m->names_used[run * r->name_count + i] && strncmp(r->names[i].name, "config.", 7) != 0)
            fixed[t.fixed_count++] = r->names[i];
    return ridge_translate(out, v.u.sym, &t);
}

/* ---- one value of several runs ---- */

static bool same(ridge_value a, ridge_value b)
{
    return a.type == b.type && (a.type == RIDGE_V_UNSET || ridge_value_equal(a, b));
}

/* A value of one of the runs that all others are cases of. */
static ridge_status general(bool *found, ridge_value *out, const ridge_value *values, const bool *in, const merger *m)
{
    *found = false;
    for (size_t k = 0; k < m->count && !*found; k++) {
        *found = in[k];
        for (size_t r = 0; r < m->count && *found; r++) {
            ridge_value v;
            if (!in[r] || same(values[r], values[k]))
                continue;
            ridge_status st = as_run(&v, values[k], r, m);
            if (st == RIDGE_NOMEM)
                return st;
            if (st) /* a division by 0 */
                ridge_err_clear(m->calc->err);
            *found = !st && same(v, values[r]);
        }
        *out = values[k];
    }
    return RIDGE_OK;
}

static ridge_status within(ridge_value *out, const ridge_value *values, const bool *in, const merger *m, unsigned depth);

/* one value for each side of a condition, and each side with at most `depth` more */
static ridge_status split(ridge_value *out, const ridge_value *values, const bool *in, const merger *m, unsigned depth)
{
    ridge_status st;
    out->type = RIDGE_V_UNSET;
    for (size_t c = 0; c < m->condition_count; c++) {
        bool yes[RUNS] = {false}, no[RUNS] = {false}, some_yes = false, some_no = false;
        ridge_value then, otherwise;
        for (size_t r = 0; r < m->count; r++) {
            yes[r] = in[r] && m->conditions[c].truth[r];
            no[r] = in[r] && !m->conditions[c].truth[r];
            some_yes |= yes[r];
            some_no |= no[r];
        }
        if (!m->conditions[c].known || !some_yes || !some_no)
            continue;
        if ((st = within(&then, values, yes, m, depth)) || then.type == RIDGE_V_UNSET ||
            (st = within(&otherwise, values, no, m, depth)) || otherwise.type == RIDGE_V_UNSET) {
            if (st)
                return st;
            continue;
        }
        return ridge_sym_select(out, m->conditions[c].value, then, otherwise, m->calc);
    }
    return RIDGE_OK;
}

/* Few conditions before many: two that happen to tell the runs apart are not believed where one does. */
static ridge_status within(ridge_value *out, const ridge_value *values, const bool *in, const merger *m, unsigned depth)
{
    bool found;
    ridge_status st = general(&found, out, values, in, m);
    if (st || found)
        return st;
    out->type = RIDGE_V_UNSET;
    for (unsigned d = 0; d < depth && out->type == RIDGE_V_UNSET && !st; d++)
        st = split(out, values, in, m, d);
    return st;
}

/* One value for all runs that are in; UNSET where nothing tells different ones apart. */
static ridge_status merged(ridge_value *out, const ridge_value *values, const bool *in, const merger *m)
{
    return within(out, values, in, m, 3);
}

/* ---- amounts ---- */

static const ridge_sketch_amount *like(const ridge_sketch_amounts *list, const ridge_sketch_amount *a)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i].what == a->what &&
            (list->p[i].format == a->format || (list->p[i].format && a->format && strcmp(list->p[i].format, a->format) == 0)))
            return &list->p[i];
    return NULL;
}

static ridge_sketch_amounts *list_of(ridge_sketch *s, unsigned which)
{
    return which == 0 ? &s->flops : which == 1 ? &s->reads : &s->writes;
}

/* every amount that any run has, into the first */
static ridge_status amounts(const merger *m, size_t at, unsigned which)
{
    ridge_sketch *into = m->runs[0].sketches.p[at];
    ridge_sketch_amounts all = {0};
    bool in[RUNS];
    for (size_t r = 0; r < m->count; r++) {
        const ridge_sketch_amounts *list = list_of(m->runs[r].sketches.p[at], which);
        in[r] = m->runs[r].sketches.p[at]->runs > 0;
        for (size_t i = 0; i < list->n; i++) {
            if (like(&all, &list->p[i]))
                continue;
            if (!ridge_arena_more(m->calc->arena, &all.p, all.n, &all.cap, sizeof *all.p))
                return ridge_no_memory(m->calc->err);
            all.p[all.n++] = list->p[i];
        }
    }
    for (size_t i = 0; i < all.n; i++) {
        ridge_value values[RUNS];
        for (size_t r = 0; r < m->count; r++) {
            const ridge_sketch_amount *a = like(list_of(m->runs[r].sketches.p[at], which), &all.p[i]);
            values[r] = a ? a->value : ridge_value_int(0);
        }
        ridge_status st = merged(&all.p[i].value, values, in, m);
        if (st)
            return st;
    }
    *list_of(into, which) = all;
    return RIDGE_OK;
}

static ridge_status calls(const merger *m, size_t at)
{
    ridge_sketch *into = m->runs[0].sketches.p[at];
    ridge_value values[RUNS];
    bool in[RUNS], any = false;
    for (size_t r = 0; r < m->count; r++) {
        const ridge_sketch *s = m->runs[r].sketches.p[at];
        values[r] = s->calls;
        in[r] = s->calls.type != RIDGE_V_NONE;
        any |= in[r];
    }
    return any ? merged(&into->calls, values, in, m) : RIDGE_OK;
}

/* sizes that may become parameters: those that can be merged */
static ridge_status arguments(const merger *m, size_t at)
{
    ridge_sketch *into = m->runs[0].sketches.p[at];
    for (size_t k = 0; k < into->argument_count; k++) {
        ridge_value values[RUNS];
        bool in[RUNS];
        for (size_t r = 0; r < m->count; r++) {
            const ridge_sketch *s = m->runs[r].sketches.p[at];
            in[r] = s->runs > 0 && k < s->argument_count && strcmp(s->arguments[k].name, into->arguments[k].name) == 0;
            values[r] = in[r] ? s->arguments[k].value : ridge_value_none();
        }
        if (!in[0])
            continue;
        ridge_status st = merged(&into->arguments[k].value, values, in, m);
        if (st)
            return st;
    }
    return RIDGE_OK;
}

/* what it keeps: the same tensors in every run that calls it */
static ridge_status caches(const merger *m, size_t at)
{
    ridge_sketch *into = m->runs[0].sketches.p[at];
    for (size_t k = 0; k < into->cache_count; k++)
        for (uint32_t dim = 0; dim < into->cache[k].rank; dim++) {
            ridge_value values[RUNS];
            bool in[RUNS];
            for (size_t r = 0; r < m->count; r++) {
                const ridge_sketch *s = m->runs[r].sketches.p[at];
                in[r] = k < s->cache_count && s->cache[k].rank == into->cache[k].rank;
                values[r] = in[r] ? s->cache[k].dims[dim] : ridge_value_none();
            }
            ridge_status st = merged(&into->cache[k].dims[dim], values, in, m);
            if (st)
                return st;
        }
    return RIDGE_OK;
}

/* what is said of the module by a later run alone: the first did not call it */
static void take_first(const merger *m, size_t at)
{
    ridge_sketch *into = m->runs[0].sketches.p[at];
    for (size_t r = 1; r < m->count; r++) {
        const ridge_sketch *s = m->runs[r].sketches.p[at];
        into->passed_by |= s->passed_by;
        if (into->runs == 0 && s->runs > 0) {
            into->arguments = s->arguments;
            into->argument_count = s->argument_count;
            into->lines = s->lines;
            into->line_count = s->line_count;
            into->first = s->first;
            into->runs = s->runs;
        }
    }
    if (into->runs > 0)
        into->passed_by = false;
}

ridge_status ridge_sketches_merge(ridge_sketch_run *runs, size_t count, const ridge_sketch_condition *conditions, size_t condition_count,
                                  const ridge_calc *calc)
{
    merger m = {
        .runs = runs, .count = count < RUNS ? count : RUNS, .conditions = conditions, .condition_count = condition_count, .calc = calc};
    m.names_used = ridge_arena_array(calc->arena, m.count * runs[0].name_count + 1, sizeof *m.names_used);
    if (!m.names_used)
        return ridge_no_memory(calc->err);
    for (size_t r = 0; r < m.count; r++)
        for (size_t i = 0; i < runs[r].name_count; i++)
            m.names_used[r * runs[r].name_count + i] =
                strncmp(runs[r].names[i].name, "config.", 7) != 0 && in_run(&runs[r], runs[r].names[i].name);
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < runs[0].sketches.count && !st; i++) {
        if ((st = calls(&m, i)))
            return st;
        for (unsigned which = 0; which < 3 && !st; which++)
            st = amounts(&m, i, which);
        if (!st && !(st = caches(&m, i)) && !(st = arguments(&m, i)))
            take_first(&m, i);
    }
    return st;
}
