#include "catalog/entry.h"

#include <stdio.h>

#include "catalog/compile.h"

#define DEFAULT_SHOWN 24 /* characters; a longer default is ... */

const char *const ridge_kind_names[] = {RIDGE_KIND_LIST(RIDGE_WORD_TEXT)};
const char *const ridge_validation_names[] = {RIDGE_VALIDATION_LIST(RIDGE_WORD_TEXT)};
const char *const ridge_flop_names[] = {RIDGE_FLOP_LIST(RIDGE_WORD_NAME)};
const char *const ridge_byte_names[] = {RIDGE_BYTE_LIST(RIDGE_WORD_NAME)};
const char *const ridge_context_names[] = {RIDGE_CONTEXT_LIST(RIDGE_WORD_NAME) NULL};

int ridge_compile_word(ridge_str word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ridge_str_is(word, words[i]))
            return (int)i;
    return -1;
}

ridge_status ridge_compile_tolerate(ridge_compiler *c, ridge_status st)
{
    if (!st || !c->report || st == RIDGE_NOMEM)
        return st;
    if (c->err->code)
        c->report(c->report_data, c->err);
    ridge_err_clear(c->err);
    return RIDGE_OK;
}

ridge_status ridge_compile_wrong(ridge_compiler *c, const ridge_ancestor *from, const ridge_json *at, const char *what)
{
    return ridge_inherit_fail(c->err, RIDGE_TYPE, from, at, "%s", what);
}

int ridge_parameter_named(const ridge_parameter *parameters, size_t count, const ridge_symbol *name)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 4 && parameters[i].names[k]; k++)
            if (parameters[i].names[k] == name)
                return (int)i;
    return -1;
}

/* ---- formulas in JSON strings ---- */

static const ridge_symbol *reference(void *data, ridge_str name)
{
    return ridge_inherit_reference(data, name);
}

ridge_status ridge_compile_text(ridge_compiler *c, ridge_expr **out, const ridge_ancestor *from, const ridge_json *at, ridge_str text)
{
    /* a string without escapes stands in the file as it is, so positions inside it are exact */
    unsigned inside = text.p >= at->begin && text.p < at->end ? (unsigned)(text.p - at->begin) : 1;
    c->scope.module = reference;
    c->scope.module_data = (void *)(uintptr_t)from;
    ridge_status st = ridge_expr_parse(out, text, from->source->file, ridge_inherit_line(from, at->line),
                                       ridge_inherit_col(from, at->line, at->col) + inside, &c->scope, c->err);
    if (st)
        *out = NULL;
    if (st && c->chain && c->chain->implied && from != c->chain)
        ridge_err_append(c->err, ", in what %s inherits of the entry that it replaces", c->chain->source->key->text);
    return ridge_compile_tolerate(c, st);
}

ridge_status ridge_compile_expr(ridge_compiler *c, ridge_expr **out, const ridge_ancestor *from, const ridge_json *at)
{
    const char *word = at->type == RIDGE_JSON_NULL ? "None" : at->type == RIDGE_JSON_TRUE ? "True" : "False";
    switch (at->type) {
    case RIDGE_JSON_STRING:
    case RIDGE_JSON_NUMBER:
        return ridge_compile_text(c, out, from, at, at->u.text);
    case RIDGE_JSON_NULL:
    case RIDGE_JSON_TRUE:
    case RIDGE_JSON_FALSE:
        return ridge_compile_text(c, out, from, at, ridge_str_of(word));
    default:
        return ridge_inherit_fail(c->err, RIDGE_TYPE, from, at, "want a formula (a string), not %s", ridge_json_type_name(at->type));
    }
}

ridge_status ridge_compile_slot(ridge_compiler *c, uint32_t *slot, const ridge_symbol **name, ridge_str text)
{
    *name = ridge_intern(&c->registry->symbols, text);
    *slot = *name ? ridge_scope_add(&c->scope, *name) : UINT32_MAX;
    if (!*name)
        return ridge_no_memory(c->err);
    return *slot == UINT32_MAX ? ridge_scope_full(&c->scope, c->err) : RIDGE_OK;
}

void *ridge_compile_array(ridge_compiler *c, size_t count, size_t size)
{
    void *p = ridge_arena_array(c->arena, count ? count : 1, size);
    if (!p)
        ridge_no_memory(c->err);
    return p;
}

/* ---- parameters: "rows|batch_elements", "bias=False" ---- */

static ridge_str trim(ridge_str s)
{
    while (s.n && s.p[0] == ' ')
        s = (ridge_str){s.p + 1, s.n - 1};
    while (s.n && s.p[s.n - 1] == ' ')
        s.n--;
    return s;
}

bool ridge_compile_is_name(ridge_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool letter = (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] == '_';
        if (!letter && (i == 0 || s.p[i] < '0' || s.p[i] > '9'))
            return false;
    }
    return s.n > 0;
}

static ridge_status parameter(ridge_compiler *c, ridge_parameter *out, const ridge_ancestor *from, const ridge_json *at)
{
    if (at->type != RIDGE_JSON_STRING)
        return ridge_inherit_fail(c->err, RIDGE_TYPE, from, at, "a parameter is a string like \"rows\" or \"bias=False\"");
    ridge_str text = at->u.text;
    const char *equals = memchr(text.p, '=', text.n);
    ridge_str head = {text.p, equals ? (size_t)(equals - text.p) : text.n};
    uint32_t slot = UINT32_MAX;
    for (size_t k = 0; head.n || k == 0; k++) {
        const char *bar = memchr(head.p, '|', head.n);
        ridge_str name = trim((ridge_str){head.p, bar ? (size_t)(bar - head.p) : head.n});
        if (!ridge_compile_is_name(name) || k >= 4)
            return ridge_inherit_fail(c->err, RIDGE_SYNTAX, from, at, "'%.*s' is not a parameter: want name|alias=default",
                                      RIDGE_STR_ARG(text));
        out->names[k] = ridge_intern(&c->registry->symbols, name);
        if (!out->names[k])
            return ridge_no_memory(c->err);
        for (uint32_t i = 0; i < c->scope.slots; i++)
            if (c->scope.names[i] == out->names[k])
                return ridge_inherit_fail(c->err, RIDGE_NAME, from, at, "parameter '%s' stands twice", out->names[k]->text);
        if (k == 0 && (slot = ridge_scope_add(&c->scope, out->names[0])) == UINT32_MAX)
            return ridge_scope_full(&c->scope, c->err);
        head = bar ? (ridge_str){bar + 1, (size_t)(head.p + head.n - bar - 1)} : (ridge_str){NULL, 0};
    }
    if (!equals)
        return RIDGE_OK;
    return ridge_compile_text(c, &out->fallback, from, at, trim((ridge_str){equals + 1, (size_t)(text.p + text.n - equals - 1)}));
}

ridge_status ridge_compile_parameters(ridge_compiler *c, ridge_parameter **out, size_t *count, ridge_member field)
{
    ridge_status st = RIDGE_OK;
    *count = 0;
    if (!field.value)
        return RIDGE_OK;
    if (field.value->type != RIDGE_JSON_ARRAY)
        return ridge_inherit_fail(c->err, RIDGE_TYPE, field.from, field.value, "'parameters' is a list");
    if (!(*out = ridge_compile_array(c, field.value->count, sizeof **out)))
        return RIDGE_NOMEM;
    for (uint32_t i = 0; i < field.value->count && !st; i++)
        st = ridge_compile_tolerate(c, parameter(c, &(*out)[i], field.from, &field.value->u.items[i]));
    *count = field.value->count;
    return st;
}

void ridge_parameters_print(ridge_buf *out, const ridge_parameter *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ridge_buf_addf(out, "%s%s", i ? ", " : "", p[i].names[0]->text);
        if (p[i].fallback && p[i].fallback->text.n <= DEFAULT_SHOWN)
            ridge_buf_addf(out, "=%.*s", RIDGE_STR_ARG(p[i].fallback->text));
        else if (p[i].fallback)
            ridge_buf_addz(out, "=...");
    }
}

/* ---- tables of formulas ---- */

ridge_status ridge_compile_named(ridge_compiler *c, ridge_named_list *out, const ridge_member *members, size_t count, bool slots)
{
    ridge_status st = RIDGE_OK;
    out->n = 0;
    if (!(out->p = ridge_compile_array(c, count, sizeof *out->p)))
        return RIDGE_NOMEM;
    for (size_t i = 0; i < count && !st; i++) {
        ridge_named *n = &out->p[i];
        n->slot = UINT32_MAX;
        if (slots)
            st = ridge_compile_slot(c, &n->slot, &n->name, members[i].key);
        else if (!(n->name = ridge_intern(&c->registry->symbols, members[i].key)))
            st = ridge_no_memory(c->err);
        if (!st)
            st = ridge_compile_tolerate(c, ridge_compile_expr(c, &n->expr, members[i].from, members[i].value));
    }
    out->n = count;
    return st;
}

static ridge_status named_field(ridge_compiler *c, ridge_named_list *out, const char *field, bool slots)
{
    ridge_members m;
    ridge_status st = ridge_inherit_members(&m, c->chain, field, c->err);
    return st ? st : ridge_compile_named(c, out, m.p, m.n, slots);
}

/* "intermediates:fp32" -> kind and format (a format's name, or a name bound to one) */
static ridge_status amount(ridge_compiler *c, ridge_amount *out, const ridge_member *m, const char *const *words, size_t word_count)
{
    const char *colon = memchr(m->key.p, ':', m->key.n);
    ridge_str what = {m->key.p, colon ? (size_t)(colon - m->key.p) : m->key.n};
    ridge_status st;
    out->slot = UINT32_MAX;
    if (words) {
        int k = ridge_compile_word(what, words, word_count);
        if (k < 0)
            return ridge_inherit_fail(c->err, RIDGE_NAME, m->from, m->value, "'%.*s' is not a kind that can be counted here",
                                      RIDGE_STR_ARG(what));
        out->what = (unsigned)k;
    } else {
        out->what = RIDGE_BYTE_KV;
        if (!(out->name = ridge_intern(&c->registry->symbols, what)))
            return ridge_no_memory(c->err);
    }
    if (colon &&
        (st = ridge_compile_text(c, &out->format, m->from, m->value, (ridge_str){colon + 1, (size_t)(m->key.p + m->key.n - colon - 1)})))
        return st;
    return ridge_compile_expr(c, &out->expr, m->from, m->value);
}

static ridge_status amounts(ridge_compiler *c, ridge_amounts *out, const char *field, const char *const *words, size_t word_count)
{
    ridge_members m;
    ridge_status st = ridge_inherit_members(&m, c->chain, field, c->err);
    if (st)
        return st;
    if (!(out->p = ridge_compile_array(c, m.n, sizeof *out->p)))
        return RIDGE_NOMEM;
    for (size_t i = 0; i < m.n && !st; i++)
        st = ridge_compile_tolerate(c, amount(c, &out->p[i], &m.p[i], words, word_count));
    out->n = m.n;
    return st;
}

/* weights stand for their shapes in the formulas after them */
static ridge_status weights(ridge_compiler *c, ridge_entry *e)
{
    ridge_status st = amounts(c, &e->weights, "weights", NULL, 0);
    for (size_t i = 0; i < e->weights.n && !st; i++) {
        e->weights.p[i].what = RIDGE_BYTE_WEIGHTS;
        if ((e->weights.p[i].slot = ridge_scope_add(&c->scope, e->weights.p[i].name)) == UINT32_MAX)
            st = ridge_scope_full(&c->scope, c->err);
    }
    return st;
}

static ridge_status costs(ridge_compiler *c, ridge_entry *e)
{
    const size_t bytes = RIDGE_BYTE_SCORES;
    ridge_status st;
    if ((st = amounts(c, &e->buffers, "buffers", NULL, 0)) || (st = amounts(c, &e->cache, "cache", NULL, 0)) ||
        (st = amounts(c, &e->flops, "flops", ridge_flop_names, RIDGE_FLOP_COUNT)) ||
        (st = amounts(c, &e->reads, "reads", ridge_byte_names, bytes)) ||
        (st = amounts(c, &e->writes, "writes", ridge_byte_names, bytes)) || (st = amounts(c, &e->holds, "holds", ridge_byte_names, bytes)))
        return st;
    return amounts(c, &e->saved, "saved", ridge_byte_names, RIDGE_BYTE_COUNT);
}

/* ---- the whole entry ---- */

static ridge_status check_fields(ridge_compiler *c)
{
    static const char *const known[] = {
        "kind",       "class",         "module_path",   "code_location",   "thinking",  "parameters",  "let",     "skip",       "weights",
        "buffers",    "flops",         "reads",         "writes",          "breakdown", "cache",       "tied",    "fused",      "holds",
        "saved",      "inherits",      "examples",      "validation",      "on",        "cases",       "value",   "model_type", "defaults",
        "types",      "zero_ok",       "most",          "aliases",         "derived",   "sub_configs", "checks",  "positions",  "image",
        "classes",    "default_class", "flop_analysis", "memory_analysis", "role",      "heads",       "kernel",  "split",      "source",
        "holds_when", "functions",     "signature",     "shape",           "dtype",     "bytes",       "fuses",   "scalar",     "whole",
        "in_place",   "mode",          "video_frames",  "frames",          "samples",   "refused",     "experts", "seq"};
    for (const ridge_ancestor *a = c->chain; a; a = a->parent)
        for (uint32_t i = 0; i < a->json->count; i++) {
            const ridge_json_member *m = &a->json->u.members[i];
            ridge_str key = m->key;
            if (key.n && key.p[key.n - 1] == '+')
                key.n--;
            if (ridge_compile_word(key, known, sizeof known / sizeof *known) >= 0)
                continue;
            const char *near = ridge_compile_nearest(key, known, sizeof known / sizeof *known);
            ridge_status st = ridge_inherit_fail(c->err, RIDGE_NAME, a, &m->value, "unknown field '%.*s'%s%s%s", RIDGE_STR_ARG(m->key),
                                                 RIDGE_MEANT(near));
            if ((st = ridge_compile_tolerate(c, st)))
                return st;
        }
    return RIDGE_OK;
}

static ridge_status kind_and_class(ridge_compiler *c, ridge_entry *e)
{
    ridge_member kind = ridge_inherit_field(c->chain, "kind"), name = ridge_inherit_field(c->chain, "class");
    if (kind.value) {
        int k = kind.value->type == RIDGE_JSON_STRING ? ridge_compile_word(kind.value->u.text, ridge_kind_names, RIDGE_KIND_COUNT) : -1;
        if (k < 0)
            return ridge_inherit_fail(c->err, RIDGE_NAME, kind.from, kind.value,
                                      "want kind module, function, formula, choice, config or operator");
        e->kind = (ridge_kind)k;
    }
    if (name.value && name.value->type != RIDGE_JSON_STRING)
        return ridge_inherit_fail(c->err, RIDGE_TYPE, name.from, name.value, "'class' is a string");
    e->learned = ridge_json_get(c->chain->json, "source") != NULL;
    e->class_name = name.value ? ridge_arena_strdup(c->arena, name.value->u.text) : ridge_registry_path(c->registry, e->key);
    return e->class_name ? RIDGE_OK : ridge_no_memory(c->err);
}

static ridge_status choice(ridge_compiler *c, ridge_entry *e)
{
    ridge_member on = ridge_inherit_field(c->chain, "on");
    ridge_members m;
    ridge_status st = ridge_inherit_members(&m, c->chain, "cases", c->err);
    if (st)
        return st;
    const ridge_symbol *name =
        on.value && on.value->type == RIDGE_JSON_STRING ? ridge_intern(&c->registry->symbols, on.value->u.text) : NULL;
    for (e->on = 0; e->on < e->parameter_count && e->parameters[e->on].names[0] != name; e->on++)
        continue;
    if (e->on == e->parameter_count)
        return ridge_inherit_fail(c->err, RIDGE_NAME, c->chain, c->chain->json, "a choice is \"on\" one of its parameters");
    if (!(e->cases = ridge_compile_array(c, m.n, sizeof *e->cases)))
        return RIDGE_NOMEM;
    for (size_t i = 0; i < m.n && !st; i++) {
        e->cases[i].name = m.p[i].key;
        st = ridge_compile_expr(c, &e->cases[i].expr, m.p[i].from, m.p[i].value);
    }
    e->case_count = m.n;
    return st;
}

static ridge_status optional(ridge_compiler *c, ridge_expr **out, const char *field)
{
    ridge_member m = ridge_inherit_field(c->chain, field);
    return m.value ? ridge_compile_expr(c, out, m.from, m.value) : RIDGE_OK;
}

/* [{"that": formula, "why": text}] */
static ridge_status needs(ridge_compiler *c, ridge_entry *e)
{
    ridge_member field = ridge_inherit_field(c->chain, "holds_when");
    ridge_status st = RIDGE_OK;
    if (!field.value)
        return RIDGE_OK;
    if (field.value->type != RIDGE_JSON_ARRAY)
        return ridge_compile_wrong(c, field.from, field.value, "'holds_when' is a list");
    if (!(e->needs = ridge_compile_array(c, field.value->count, sizeof *e->needs)))
        return RIDGE_NOMEM;
    for (uint32_t i = 0; i < field.value->count && !st; i++) {
        const ridge_json *o = &field.value->u.items[i], *that = ridge_json_get(o, "that"), *why = ridge_json_get(o, "why");
        ridge_need *need = &e->needs[i];
        if (!that || !why || that->type != RIDGE_JSON_STRING || why->type != RIDGE_JSON_STRING)
            return ridge_compile_wrong(c, field.from, o, "what must hold is {\"that\", \"why\"}");
        need->text = ridge_arena_strdup(c->arena, that->u.text);
        need->why = ridge_arena_strdup(c->arena, why->u.text);
        if (!need->text || !need->why)
            return ridge_no_memory(c->err);
        st = ridge_compile_expr(c, &need->that, field.from, that);
        e->need_count = i + 1;
    }
    return st;
}

static ridge_status body(ridge_compiler *c, ridge_entry *e)
{
    ridge_status st;
    if ((st = ridge_compile_parameters(c, &e->parameters, &e->parameter_count, ridge_inherit_field(c->chain, "parameters"))))
        return st;
    if (e->kind == RIDGE_KIND_CHOICE)
        return choice(c, e);
    if ((st = named_field(c, &e->lets, "let", true)) || (st = needs(c, e)) || (st = optional(c, &e->skip, "skip")) ||
        (st = optional(c, &e->value, "value")))
        return st;
    if (e->kind == RIDGE_KIND_FORMULA && !ridge_inherit_field(c->chain, "value").value)
        return ridge_inherit_fail(c->err, RIDGE_SYNTAX, c->chain, c->chain->json, "a formula has a 'value'");
    if ((st = weights(c, e)) || (st = costs(c, e)) || (st = named_field(c, &e->tied, "tied", false)))
        return st;
    st = ridge_compile_breakdown(c, e);
    return st ? st : ridge_compile_purpose(c, e);
}

/* An override stands where the built-in entry stood, so it is of its kind; what rests on it says so. */
static ridge_status overrides(ridge_compiler *c, ridge_entry *e)
{
    size_t n = 0;
    for (const ridge_ancestor *a = c->chain; a; a = a->parent)
        n += ridge_source_replaced(a->source) ? 1 : 0;
    if (!n)
        return RIDGE_OK;
    if (!(e->overrides = ridge_compile_array(c, n, sizeof *e->overrides)))
        return RIDGE_NOMEM;
    for (const ridge_ancestor *a = c->chain; a; a = a->parent)
        if (ridge_source_replaced(a->source))
            e->overrides[e->override_count++] = a->source;
    ridge_source *builtin = ridge_source_replaced(e->source);
    ridge_ancestor *chain;
    ridge_status st = builtin ? ridge_inherit_chain(&chain, c->registry, builtin, c->err) : RIDGE_OK;
    if (st || !builtin)
        return st;
    ridge_member kind = ridge_inherit_field(chain, "kind");
    int was = kind.value ? ridge_compile_word(kind.value->u.text, ridge_kind_names, RIDGE_KIND_COUNT) : RIDGE_KIND_MODULE;
    if (was == (int)e->kind)
        return RIDGE_OK;
    return ridge_inherit_fail(c->err, RIDGE_TYPE, c->chain, c->chain->json, "it is a %s, the built-in entry that it replaces a %s",
                              ridge_kind_names[e->kind], ridge_kind_names[was < 0 ? RIDGE_KIND_MODULE : was]);
}

static ridge_status compile(ridge_entry **out, ridge_compiler *c, ridge_source *source)
{
    ridge_entry *e = ridge_arena_alloc(c->arena, sizeof *e);
    ridge_status st;
    if (!e || ridge_registry_failed(c->registry))
        return ridge_no_memory(c->err);
    if ((st = ridge_inherit_chain(&c->chain, c->registry, source, c->err)))
        return st;
    e->source = source;
    e->key = source->key;
    if ((st = check_fields(c)) || (st = kind_and_class(c, e)) || (st = overrides(c, e)))
        return st;
    if (e->kind == RIDGE_KIND_CONFIG)
        st = ridge_compile_config(c, e);
    else if (e->kind == RIDGE_KIND_OPERATOR)
        st = ridge_compile_operator(c);
    else if (ridge_json_get(c->chain->json, "flop_analysis") || ridge_json_get(c->chain->json, "memory_analysis"))
        st = ridge_compile_flat(c, e);
    else
        st = body(c, e);
    if (!st && ridge_registry_failed(c->registry)) /* a reference may mean another entry */
        st = ridge_no_memory(c->err);
    e->slots = c->scope.slots;
    *out = e;
    return st;
}

ridge_status ridge_entry_compile(ridge_entry **out, ridge_registry *r, ridge_source *source, ridge_err *err)
{
    ridge_compiler c = {.registry = r, .arena = &r->arena, .err = err, .scope = {.arena = &r->arena, .symbols = &r->symbols}};
    return compile(out, &c, source);
}

ridge_status ridge_entry_inspect(ridge_entry **out, ridge_registry *r, ridge_source *source, ridge_report *report, void *data,
                                 ridge_err *err)
{
    ridge_err fault = {0};
    ridge_compiler c = {.registry = r,
                        .arena = &r->arena,
                        .err = &fault,
                        .scope = {.arena = &r->arena, .symbols = &r->symbols},
                        .report = report,
                        .report_data = data};
    *out = NULL;
    ridge_status st = ridge_compile_tolerate(&c, compile(out, &c, source));
    return st ? ridge_fail(err, st, "out of memory") : RIDGE_OK;
}

ridge_status ridge_registry_entry(ridge_entry **out, ridge_registry *r, const ridge_symbol *key, ridge_err *err)
{
    ridge_source *s = ridge_registry_find(r, key);
    if (!s)
        return ridge_registry_unknown(r, key, err);
    if (!s->entry) {
        ridge_entry *e = NULL;
        ridge_status st = ridge_entry_compile(&e, r, s, err);
        if (st)
            return st;
        s->entry = e;
    }
    *out = s->entry;
    return RIDGE_OK;
}

ridge_status ridge_registry_config_entry(ridge_entry **out, ridge_registry *r, const ridge_symbol *key, ridge_err *err)
{
    ridge_status st = ridge_registry_entry(out, r, key, err);
    if (st || (*out)->config)
        return st;
    return ridge_fail_at(err, RIDGE_TYPE, (*out)->source->file, (*out)->source->line, (*out)->source->col, "%s is a %s, not a config",
                         ridge_registry_path(r, key), ridge_kind_names[(*out)->kind]);
}
