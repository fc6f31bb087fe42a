#include "catalog/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "catalog/compile.h"

#define CATALOG_FILE_LIMIT (64u << 20)

void ridge_check_init(ridge_check *c, ridge_registry *registry, ridge_arena *arena, ridge_err *err)
{
    *c = (ridge_check){.registry = registry, .arena = arena, .err = err};
}

/* ---- findings ---- */

static bool same_finding(const ridge_err *a, const ridge_err *b)
{
    return a->line == b->line && a->col == b->col && strcmp(a->msg, b->msg) == 0 && strcmp(a->file, b->file) == 0;
}

/* where the finding is in the set, or would be; NULL when memory runs out */
static uint32_t *place_of(ridge_check *c, const ridge_err *e)
{
    const ridge_hash_key key = c->registry->symbols.key;
    if (!c->known) {
        c->known_cap = 4 * RIDGE_FINDINGS_LIMIT; /* never more than a quarter full; no power of two is needed */
        if (!(c->known = ridge_arena_array(c->arena, c->known_cap, sizeof *c->known)))
            return NULL;
    }
    uint64_t h = ridge_hash_word(ridge_hash_text(ridge_str_of(e->msg), key), (uint64_t)e->line << 32 | e->col, key);
    size_t at = (size_t)(h % c->known_cap);
    while (c->known[at] && !same_finding(&c->findings[c->known[at] - 1].err, e))
        at = (at + 1) % c->known_cap;
    return &c->known[at];
}

ridge_status ridge_check_add(ridge_check *c, bool warning, ridge_err *fault)
{
    ridge_err e = *fault;
    ridge_err_clear(fault);
    if (e.code == RIDGE_NOMEM)
        return ridge_no_memory(c->err);
    uint32_t *place = e.code && !c->full ? place_of(c, &e) : NULL;
    if (!e.code || c->full || (place && *place))
        return RIDGE_OK;
    if (c->n == RIDGE_FINDINGS_LIMIT) {
        c->full = true;
        e = (ridge_err){.code = RIDGE_LIMIT};
        snprintf(e.msg, sizeof e.msg, "more than %d problems: the others are not told", RIDGE_FINDINGS_LIMIT);
        warning = false;
    }
    if (!place || !ridge_arena_more(c->arena, &c->findings, c->n, &c->cap, sizeof *c->findings))
        return ridge_no_memory(c->err);
    c->findings[c->n++] = (ridge_finding){warning, c->entry, e};
    if (!c->full)
        *place = (uint32_t)c->n;
    c->errors += !warning;
    c->warnings += warning;
    return RIDGE_OK;
}

void ridge_check_at(ridge_check *c, bool warning, ridge_status code, const ridge_ancestor *from, const ridge_json *at, const char *fmt, ...)
{
    char msg[400];
    ridge_err e = {0};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    ridge_inherit_fail(&e, code, from, at, "%s", msg);
    ridge_check_add(c, warning, &e);
}

static int compare_findings(const void *a, const void *b)
{
    const ridge_finding *p = a, *q = b;
    int by_file = strcmp(p->err.file, q->err.file);
    if (by_file)
        return by_file;
    if (p->err.line != q->err.line)
        return p->err.line < q->err.line ? -1 : 1;
    if (p->err.col != q->err.col)
        return p->err.col < q->err.col ? -1 : 1;
    return strcmp(p->err.msg, q->err.msg);
}

void ridge_check_sort(ridge_check *c)
{
    if (c->n)
        qsort(c->findings, c->n, sizeof *c->findings, compare_findings);
}

/* ---- loading ---- */

static ridge_status load_file(ridge_check *c, const char *path)
{
    ridge_err e = {0};
    ridge_str text;
    ridge_json *json;
    char *name = ridge_arena_strdup(&c->registry->arena, ridge_str_of(path));
    ridge_status st = name ? ridge_file_read(&text, path, CATALOG_FILE_LIMIT, &c->registry->arena, c->err) : RIDGE_NOMEM;
    if (st)
        return ridge_fail(c->err, st, "out of memory");
    c->files++;
    if (!ridge_json_parse(&json, text, name, (ridge_json_options){.unique_keys = true}, c->arena, &e))
        for (uint32_t i = 0; json->type == RIDGE_JSON_OBJECT && i < json->count; i++) {
            const ridge_json *v = &json->u.members[i].value;
            if (v->type == RIDGE_JSON_OBJECT)
                continue;
            ridge_fail_at(&e, RIDGE_TYPE, name, v->line, v->col, "entry '%.*s' must be an object, not %s",
                          RIDGE_STR_ARG(json->u.members[i].key), ridge_json_type_name(v->type));
            ridge_err_excerpt(&e, text.p, text.n, (size_t)(v->begin - text.p), (size_t)(v->end - v->begin));
            ridge_check_add(c, false, &e);
        }
    if (!e.code)
        ridge_registry_add(c->registry, text, name, &e);
    return ridge_check_add(c, false, &e);
}

ridge_status ridge_check_load(ridge_check *c, const char *path)
{
    char **paths = NULL;
    size_t count = 0;
    if (!ridge_file_is_folder(path))
        return load_file(c, path);
    ridge_status st = ridge_file_list(&paths, &count, path, ".json", c->arena, c->err);
    for (size_t i = 0; i < count && !st; i++)
        st = load_file(c, paths[i]);
    return st;
}

/* the same entry in two of the files */
static void check_duplicates(ridge_check *c)
{
    for (size_t i = c->from_user; i < c->registry->user_count; i++) {
        const ridge_source *s = c->registry->user[i], *old = s->overridden;
        ridge_err e = {0};
        if (!old || old->origin != RIDGE_ORIGIN_USER || old->order < c->from_user)
            continue;
        c->entry = s->key;
        ridge_fail_at(&e, RIDGE_NAME, s->file, s->line, s->col, "%s is also given at %s:%u; this one counts", s->key->text, old->file,
                      old->line);
        ridge_check_add(c, true, &e);
    }
}

/* ---- calls ---- */

const ridge_entry *ridge_check_entry(ridge_check *c, const ridge_symbol *key)
{
    ridge_err unused = {0};
    ridge_entry *e;
    ridge_status st = ridge_registry_find(c->registry, key) ? ridge_registry_entry(&e, c->registry, key, &unused) : RIDGE_UNKNOWN;
    if (st == RIDGE_NOMEM || ridge_registry_failed(c->registry))
        (void)ridge_no_memory(c->err); /* ends the check: what is not found may be there */
    return st ? NULL : e;
}

static void fault_of_call(ridge_check *c, const ridge_use *u, ridge_status code, const char *text)
{
    ridge_err e = {0};
    ridge_expr_fail(&e, code, u->expr, u->call.at, u->call.span, "%s", text);
    ridge_check_add(c, false, &e);
}

/* what is wrong with the arguments of a call; `takes` is "(rows, bias=False)" */
static void fault_arguments(ridge_check *c, const ridge_use *u, const ridge_parameter *p, size_t n, const char *takes)
{
    char text[400];
    const char *path = ridge_registry_path(c->registry, u->call.module);
    size_t given = u->call.positional + u->call.named_count;
    if (u->call.positional > n) {
        snprintf(text, sizeof text, "%s takes (%s), not %zu arguments", path, takes, given);
        fault_of_call(c, u, RIDGE_ARITY, text);
        return;
    }
    for (size_t i = 0; i < u->call.named_count; i++) {
        int at = ridge_parameter_named(p, n, u->call.named[i]);
        if (at >= 0 && (size_t)at >= u->call.positional)
            continue;
        snprintf(text, sizeof text, at < 0 ? "%s has no parameter '%s': it takes (%s)" : "%s gets '%s' twice: it takes (%s)", path,
                 u->call.named[i]->text, takes);
        fault_of_call(c, u, RIDGE_ARITY, text);
    }
    for (size_t i = u->call.positional; i < n; i++) {
        bool found = p[i].fallback;
        for (size_t k = 0; k < u->call.named_count && !found; k++)
            found = ridge_parameter_named(&p[i], 1, u->call.named[k]) == 0;
        if (found)
            continue;
        snprintf(text, sizeof text, "%s takes (%s): %zu argument%s given, '%s' is missing", path, takes, given, RIDGE_PLURAL(given),
                 p[i].names[0]->text);
        fault_of_call(c, u, RIDGE_ARITY, text);
        return;
    }
}

/* do the arguments fit these parameters */
static void check_arguments(ridge_check *c, const ridge_use *u, const ridge_parameter *p, size_t n)
{
    ridge_buf takes = {0};
    ridge_parameters_print(&takes, p, n);
    fault_arguments(c, u, p, n, takes.p ? takes.p : "");
    ridge_buf_free(&takes);
}

static void check_call(ridge_check *c, const ridge_source *from, const ridge_use *u)
{
    ridge_source *s = ridge_registry_find(c->registry, u->call.module);
    if (!s) {
        ridge_err e = {0};
        ridge_registry_unknown(c->registry, u->call.module, &e);
        fault_of_call(c, u, RIDGE_UNKNOWN, e.msg);
        return;
    }
    /* what is wrong between the built-in catalog and an override is told at the override */
    if (from->origin == RIDGE_ORIGIN_BUILTIN && s->origin == RIDGE_ORIGIN_USER)
        return;
    const ridge_entry *e = ridge_check_entry(c, u->call.module);
    if (!e)
        return;
    if (e->kind == RIDGE_KIND_CONFIG || e->kind == RIDGE_KIND_OPERATOR)
        fault_of_call(c, u, RIDGE_TYPE, e->kind == RIDGE_KIND_CONFIG ? "this is a config, not a module" : "this is an operator, not a module");
    else if (!e->flat)
        check_arguments(c, u, e->parameters, e->parameter_count);
    else if (e->flat->templates[u->context].expr)
        check_arguments(c, u, e->flat->templates[u->context].parameters, e->flat->templates[u->context].parameter_count);
}

/* ---- config fields ---- */

static ridge_status know_field(ridge_check *c, const ridge_symbol *name)
{
    if (name->id >= c->config_field_count) {
        uint32_t cap = (name->id + 1) * 2;
        bool *more = ridge_arena_array(c->arena, cap, sizeof *more);
        if (!more)
            return ridge_no_memory(c->err);
        if (c->config_field_count)
            memcpy(more, c->config_fields, c->config_field_count * sizeof *more);
        c->config_fields = more;
        c->config_field_count = cap;
    }
    c->config_fields[name->id] = true;
    return RIDGE_OK;
}

static ridge_status know_config(ridge_check *c, const ridge_config_spec *s)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < s->default_count && !st; i++)
        if (s->defaults[i].name)
            st = know_field(c, s->defaults[i].name);
    for (size_t i = 0; i < s->derived.n && !st; i++)
        if (s->derived.p[i].name)
            st = know_field(c, s->derived.p[i].name);
    return st;
}

static ridge_status gather_config_fields(ridge_check *c)
{
    ridge_source **all;
    size_t count;
    ridge_status st = ridge_registry_all(&all, &count, c->registry, c->err);
    for (size_t i = 0; i < count && !st; i++) {
        if (!memmem(all[i]->text.p, all[i]->text.n, "\"model_type\"", 12) && !memmem(all[i]->text.p, all[i]->text.n, "\"config\"", 8))
            continue;
        const ridge_entry *e = ridge_check_entry(c, all[i]->key);
        if (e && e->config)
            st = know_config(c, e->config);
    }
    return st;
}

static const char *nearest_field(ridge_check *c, const ridge_symbol *name)
{
    ridge_str word = {name->text, name->len};
    const char *best = NULL;
    unsigned limit = word.n > 5 ? 3 : 2;
    if (c->full || c->registry->symbols.cap > RIDGE_HINT_BUDGET - c->registry->hints_spent)
        return NULL;
    c->registry->hints_spent += c->registry->symbols.cap;
    for (uint32_t i = 0; i < c->registry->symbols.cap; i++) {
        const ridge_symbol *s = c->registry->symbols.slots[i];
        if (!s || s->id >= c->config_field_count || !c->config_fields[s->id])
            continue;
        unsigned d = ridge_str_distance(word, (ridge_str){s->text, s->len}, limit);
        if (d < limit || (d == limit && best && strcmp(s->text, best) < 0)) { /* the table's order is no order */
            limit = d;
            best = s->text;
        }
    }
    return best;
}

static void check_config_field(void *data, const ridge_expr *expr, const ridge_symbol *name, uint32_t at, uint32_t span)
{
    ridge_check *c = data;
    ridge_err e = {0};
    if (name->id < c->config_field_count && c->config_fields[name->id])
        return;
    const char *near = nearest_field(c, name);
    ridge_expr_fail(&e, RIDGE_NAME, expr, at, span, "no config class has a field '%s'%s%s%s", name->text, RIDGE_MEANT(near));
    ridge_check_add(c, true, &e);
}

static ridge_status check_expression(void *data, const ridge_expr *expr, ridge_context context)
{
    (void)context;
    ridge_expr_config_fields(expr, check_config_field, data);
    return RIDGE_OK;
}

/* ---- cycles ---- */

typedef struct search {
    ridge_check *check;
    ridge_use **uses;       /* [count] of each entry */
    size_t *use_count, *at; /* the call looked at now */
    char *state;            /* 0 new, 1 on the way, 2 done */
    size_t *way;            /* indices of the entries on the way */
    size_t depth;
} search;

/* the index of an entry among those checked; SIZE_MAX: not one of them */
static size_t index_of(const ridge_check *c, const ridge_symbol *key)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(c->sources[middle]->key->text, key->text);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

static void report_cycle(search *s, size_t again, const ridge_use *u)
{
    ridge_buf text = {0};
    ridge_check *c = s->check;
    size_t i = s->depth;
    while (i > 0 && s->way[i - 1] != again)
        i--;
    for (i--; i < s->depth; i++)
        ridge_buf_addf(&text, "%s -> ", ridge_registry_path(c->registry, c->sources[s->way[i]]->key));
    ridge_buf_addz(&text, ridge_registry_path(c->registry, c->sources[again]->key));
    ridge_err e = {0};
    ridge_expr_fail(&e, RIDGE_CYCLE, u->expr, u->call.at, u->call.span, "dependency cycle: %s", text.p ? text.p : "");
    ridge_buf_free(&text);
    c->entry = c->sources[s->way[s->depth - 1]]->key;
    ridge_check_add(c, false, &e);
}

/* depth first, with a stack of its own: a chain may be as long as the catalog */
static void search_from(search *s, size_t root)
{
    s->way[0] = root;
    s->depth = 1;
    s->state[root] = 1;
    while (s->depth) {
        size_t here = s->way[s->depth - 1];
        if (s->at[here] == s->use_count[here]) {
            s->state[here] = 2;
            s->depth--;
            continue;
        }
        const ridge_use *u = &s->uses[here][s->at[here]++];
        size_t next = index_of(s->check, u->call.module);
        if (next == SIZE_MAX || s->state[next] == 2)
            continue;
        if (s->state[next] == 1) {
            report_cycle(s, next, u);
            continue;
        }
        s->state[next] = 1;
        s->way[s->depth++] = next;
    }
}

static ridge_status search_cycles(ridge_check *c, ridge_use **uses, size_t *use_count)
{
    search s = {.check = c, .uses = uses, .use_count = use_count};
    s.at = ridge_arena_array(c->arena, c->count + 1, sizeof *s.at);
    s.way = ridge_arena_array(c->arena, c->count + 1, sizeof *s.way);
    s.state = ridge_arena_alloc(c->arena, c->count + 1);
    if (!s.at || !s.way || !s.state)
        return ridge_no_memory(c->err);
    for (size_t i = 0; i < c->count; i++)
        if (!s.state[i])
            search_from(&s, i);
    return RIDGE_OK;
}

/* ---- all entries ---- */

static void report(void *data, const ridge_err *fault)
{
    ridge_err copy = *fault;
    ridge_check_add(data, false, &copy);
}

static ridge_status check_one(ridge_check *c, size_t i, ridge_use **uses, size_t *use_count)
{
    ridge_source *s = c->sources[i];
    ridge_ancestor *chain;
    ridge_err fault = {0};
    c->entry = s->key;
    ridge_status st = ridge_entry_inspect(&c->entries[i], c->registry, s, report, c, c->err);
    if (st)
        return st;
    if (!ridge_inherit_chain(&chain, c->registry, s, &fault)) {
        ridge_check_identity(c, chain);
        if (c->entries[i] && c->entries[i]->flat)
            ridge_check_flat(c, chain, c->entries[i]);
        if (c->entries[i]) {
            ridge_check_config_heir(c, chain, c->entries[i]);
            ridge_check_override(c, chain, c->entries[i]);
        }
    }
    const ridge_entry *whole = ridge_check_entry(c, s->key); /* NULL where it is faulty: its nested configs wait */
    if (whole && (st = ridge_check_nested_configs(c, s, whole)))
        return st;
    if (!c->entries[i])
        return RIDGE_OK;
    if ((st = ridge_entry_calls(uses, use_count, c->entries[i], c->arena, c->err)))
        return st;
    for (size_t k = 0; k < *use_count; k++)
        check_call(c, s, &(*uses)[k]);
    return ridge_entry_expressions(c->entries[i], check_expression, c);
}

static ridge_status choose_sources(ridge_check *c)
{
    ridge_source **all;
    size_t count;
    ridge_status st = ridge_registry_all(&all, &count, c->registry, c->err);
    for (size_t i = 0; i < count && !st; i++)
        if (!c->only_user || (all[i]->origin == RIDGE_ORIGIN_USER && all[i]->order >= c->from_user))
            all[c->count++] = all[i];
    c->sources = all;
    return st;
}

ridge_status ridge_check_entries(ridge_check *c)
{
    check_duplicates(c);
    ridge_status st = choose_sources(c);
    if (st || (st = gather_config_fields(c)))
        return st;
    ridge_use **uses = ridge_arena_array(c->arena, c->count + 1, sizeof *uses);
    size_t *use_count = ridge_arena_array(c->arena, c->count + 1, sizeof *use_count);
    c->entries = ridge_arena_array(c->arena, c->count + 1, sizeof *c->entries);
    if (!uses || !use_count || !c->entries)
        return ridge_no_memory(c->err);
    for (size_t i = 0; i < c->count && !st; i++)
        st = check_one(c, i, &uses[i], &use_count[i]);
    return st ? st : search_cycles(c, uses, use_count);
}
