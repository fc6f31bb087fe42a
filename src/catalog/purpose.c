/* Compiles what an entry says beside its costs: what it is for, how its parts split over devices, which kernel here runs it. */
#include "base/option.h"
#include "catalog/compile.h"

const char *const ridge_role_names[] = {RIDGE_ROLE_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_split_way_names[] = {RIDGE_SPLIT_WAY_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_runnable_names[] = {RIDGE_RUNNABLE_LIST(RIDGE_WORD_NAME) NULL};
const char *const ridge_run_size_names[] = {RIDGE_RUN_SIZE_LIST(RIDGE_WORD_NAME) NULL};

/* the index of a word; NAME, with the nearest or all of them */
static ridge_status word(ridge_compiler *c, int *out, const char *field, ridge_str text, const char *const *words, size_t count,
                         const ridge_ancestor *from, const ridge_json *at)
{
    *out = ridge_compile_word(text, words, count);
    if (*out >= 0)
        return RIDGE_OK;
    const char *near = ridge_compile_nearest(text, words, count);
    if (near)
        return ridge_inherit_fail(c->err, RIDGE_NAME, from, at, "unknown word '%.*s' of '%s'; did you mean '%s'?", RIDGE_STR_ARG(text),
                                  field, near);
    return ridge_inherit_fail(c->err, RIDGE_NAME, from, at, "unknown word '%.*s' of '%s'; it takes %s", RIDGE_STR_ARG(text), field,
                              ridge_option_words(words, c->arena));
}

static ridge_status string_word(ridge_compiler *c, int *out, const char *field, const char *const *words, size_t count,
                                const ridge_ancestor *from, const ridge_json *at)
{
    if (at->type != RIDGE_JSON_STRING)
        return ridge_inherit_fail(c->err, RIDGE_TYPE, from, at, "'%s' is a string", field);
    return word(c, out, field, at->u.text, words, count, from, at);
}

ridge_status ridge_compile_role(ridge_compiler *c, ridge_role *out, const ridge_ancestor *from, const ridge_json *at)
{
    int role = 0;
    ridge_status st = string_word(c, &role, "role", ridge_role_names, RIDGE_ROLE_COUNT, from, at);
    *out = st ? RIDGE_ROLE_NONE : (ridge_role)role;
    return st;
}

/* ---- kernels ---- */

static ridge_status run_spec(ridge_compiler *c, ridge_run_spec *out, const ridge_ancestor *from, const ridge_json_member *m)
{
    const ridge_json *sizes = &m->value;
    int what = 0, size = 0;
    ridge_status st = word(c, &what, "kernel", m->key, ridge_runnable_names, RIDGE_RUNNABLE_COUNT, from, sizes);
    if (!st && sizes->type != RIDGE_JSON_OBJECT)
        st = ridge_inherit_fail(c->err, RIDGE_TYPE, from, sizes, "a kernel's sizes are an object: name to formula");
    if (st)
        return st;
    out->what = (ridge_runnable)what;
    for (uint32_t i = 0; i < sizes->count && !st; i++) {
        const ridge_json_member *one = &sizes->u.members[i];
        if (!(st = word(c, &size, "kernel", one->key, ridge_run_size_names, RIDGE_RUN_SIZE_COUNT, from, &one->value)))
            st = ridge_compile_expr(c, &out->sizes[size], from, &one->value);
    }
    return st;
}

ridge_status ridge_compile_runs(ridge_compiler *c, ridge_run_specs *out, const ridge_ancestor *from, const ridge_json *at)
{
    const bool is_list = at->type == RIDGE_JSON_ARRAY;
    const uint32_t count = is_list ? at->count : at->type == RIDGE_JSON_NULL ? 0 : 1;
    ridge_status st = RIDGE_OK;
    if (!(out->p = ridge_compile_array(c, count, sizeof *out->p)))
        return RIDGE_NOMEM;
    for (uint32_t i = 0; i < count && !st; i++) {
        const ridge_json *one = is_list ? &at->u.items[i] : at;
        if (one->type != RIDGE_JSON_OBJECT || one->count != 1)
            st = ridge_inherit_fail(c->err, RIDGE_TYPE, from, one, "'kernel' is {\"name\": {\"size\": formula}}, or a list of such");
        else
            st = run_spec(c, &out->p[i], from, &one->u.members[0]);
        st = ridge_compile_tolerate(c, st);
    }
    out->n = count;
    out->given = true;
    return st;
}

bool ridge_entry_runs(const ridge_entry *e, ridge_runnable what)
{
    return e->runs.n == 1 && e->runs.p[0].what == what;
}

/* ---- splits ---- */

/* the components that a name of `split` means; "*": all that no other name does */
static ridge_status split_parts(ridge_compiler *c, ridge_entry *e, const ridge_member *m, ridge_split_way way)
{
    const bool rest = ridge_str_is(m->key, "*");
    bool found = rest;
    if (rest)
        e->split = way;
    for (size_t i = 0; i < e->breakdown_count; i++) {
        ridge_component *part = &e->breakdown[i];
        if (rest ? part->split == RIDGE_SPLIT_WAY_UNKNOWN : part->name && ridge_str_is(m->key, part->name->text)) {
            part->split = way;
            found = true;
        }
    }
    return found ? RIDGE_OK
                 : ridge_inherit_fail(c->err, RIDGE_NAME, m->from, m->value, "'split' names '%.*s', which the breakdown does not have",
                                      RIDGE_STR_ARG(m->key));
}

/* names first, then what "*" leaves to be said */
static ridge_status splits(ridge_compiler *c, ridge_entry *e)
{
    ridge_members m;
    ridge_status st = ridge_inherit_members(&m, c->chain, "split", c->err);
    for (int rest = 0; rest < 2; rest++)
        for (size_t i = 0; i < m.n && !st; i++) {
            int way = 0;
            if (ridge_str_is(m.p[i].key, "*") != (rest == 1))
                continue;
            if (!(st = string_word(c, &way, "split", ridge_split_way_names, RIDGE_SPLIT_WAY_COUNT, m.p[i].from, m.p[i].value)))
                st = split_parts(c, e, &m.p[i], (ridge_split_way)way);
            st = ridge_compile_tolerate(c, st);
        }
    return st;
}

ridge_status ridge_compile_purpose(ridge_compiler *c, ridge_entry *e)
{
    const ridge_member role = ridge_inherit_field(c->chain, "role"), heads = ridge_inherit_field(c->chain, "heads"),
                       kernel = ridge_inherit_field(c->chain, "kernel"), experts = ridge_inherit_field(c->chain, "experts");
    ridge_status st;
    if ((role.value && (st = ridge_compile_tolerate(c, ridge_compile_role(c, &e->role, role.from, role.value)))) ||
        (heads.value && (st = ridge_compile_expr(c, &e->heads, heads.from, heads.value))) ||
        (experts.value && (st = ridge_compile_expr(c, &e->experts, experts.from, experts.value))) ||
        (kernel.value && (st = ridge_compile_runs(c, &e->runs, kernel.from, kernel.value))))
        return st;
    return splits(c, e);
}
