#include "graph/config.h"

#include "graph/graph.h"

#include <stdio.h>

typedef struct binder {
    ridge_registry *registry;
    const ridge_config_spec *spec;
    const ridge_json *json;
    const char *file;
    ridge_object *object;
    ridge_evaluation *run;
    ridge_err *err;
    const ridge_entry *entry;
    const struct binder *outer; /* of the config that this one is nested in; NULL: none */
} binder;

static ridge_status object_value(ridge_value *out, ridge_registry *registry, const ridge_json *json, const char *file,
                                 const ridge_calc *calc)
{
    ridge_object *o = ridge_arena_alloc(calc->arena, sizeof *o);
    ridge_status st = RIDGE_OK;
    if (!o)
        return ridge_no_memory(calc->err);
    *o = (ridge_object){.what = "an object", .file = file};
    for (uint32_t i = 0; i < json->count && !st; i++) {
        const ridge_json_member *m = &json->u.members[i];
        const ridge_symbol *name = ridge_intern(&registry->symbols, m->key);
        ridge_field *f = name ? ridge_object_add(o, name, calc->arena) : NULL;
        if (!f)
            return ridge_no_memory(calc->err);
        f->line = m->line;
        f->col = m->col;
        st = ridge_config_value(&f->value, registry, &m->value, file, calc);
    }
    out->type = RIDGE_V_OBJECT;
    out->u.object = o;
    return st;
}

ridge_status ridge_config_value(ridge_value *out, ridge_registry *registry, const ridge_json *json, const char *file,
                                const ridge_calc *calc)
{
    ridge_rational r;
    ridge_status st = RIDGE_OK;
    *out = (ridge_value){.type = RIDGE_V_UNSET};
    switch (json->type) {
    case RIDGE_JSON_NULL:
        out->type = RIDGE_V_NONE;
        return RIDGE_OK;
    case RIDGE_JSON_TRUE:
    case RIDGE_JSON_FALSE:
        *out = ridge_value_bool(json->type == RIDGE_JSON_TRUE);
        return RIDGE_OK;
    case RIDGE_JSON_NUMBER:
        return ridge_rational_parse(&r, json->u.text) ? ridge_value_rational(out, r, calc) : RIDGE_OK;
    case RIDGE_JSON_STRING:
        *out = ridge_value_str(json->u.text);
        return RIDGE_OK;
    case RIDGE_JSON_OBJECT:
        return object_value(out, registry, json, file, calc);
    case RIDGE_JSON_ARRAY:
        break;
    }
    if ((st = ridge_value_list(out, json->count, calc)))
        return st;
    for (uint32_t i = 0; i < json->count && !st; i++)
        st = ridge_config_value(&out->u.list->items[i], registry, &json->u.items[i], file, calc);
    return st;
}

ridge_status ridge_config_assume(ridge_object *config, ridge_registry *registry, const char *name, ridge_value value,
                                 const ridge_calc *calc)
{
    const ridge_symbol *symbol = ridge_intern(&registry->symbols, ridge_str_of(name));
    ridge_field *f = symbol ? (ridge_field *)(uintptr_t)ridge_object_find(config, symbol) : NULL;
    if (!symbol || (!f && !(f = ridge_object_add(config, symbol, calc->arena))))
        return ridge_no_memory(calc->err);
    f->value = f->given = value;
    f->assumed = true;
    return RIDGE_OK;
}

/* ---- types ---- */

static const char *with_article(ridge_str type)
{
    static const char *const names[][2] = {{"null", "null"},       {"bool", "a boolean"}, {"int", "an integer"},   {"number", "a number"},
                                           {"string", "a string"}, {"list", "a list"},    {"object", "an object"}, {"any", "any value"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ridge_str_is(type, names[i][0]))
            return names[i][1];
    return "a value";
}

const char *ridge_config_type_name(const ridge_json *json)
{
    return with_article(ridge_str_of(ridge_config_type_of(json)));
}

/* the first of "int|null"; the rest stays in *allowed */
static ridge_str next_type(ridge_str *allowed)
{
    const char *bar = memchr(allowed->p, '|', allowed->n);
    ridge_str one = {allowed->p, bar ? (size_t)(bar - allowed->p) : allowed->n};
    *allowed = bar ? (ridge_str){bar + 1, allowed->n - one.n - 1} : (ridge_str){NULL, 0};
    return one;
}

static bool type_allows(ridge_str allowed, const char *have)
{
    while (allowed.n) {
        ridge_str one = next_type(&allowed);
        if (ridge_str_is(one, have) || (ridge_str_is(one, "number") && strcmp(have, "int") == 0) || ridge_str_is(one, "any"))
            return true;
    }
    return false;
}

static ridge_status fail_value(const binder *b, ridge_status code, const ridge_json *at, const char *msg)
{
    return ridge_fail_at(b->err, code, b->file, at->line, at->col, "%s", msg);
}

/* "an integer or null" */
static ridge_status wrong_type(const binder *b, const ridge_config_default *d, ridge_str allowed, const ridge_json *v)
{
    ridge_buf want = {0};
    while (allowed.n)
        ridge_buf_addf(&want, "%s%s", want.n ? " or " : "", with_article(next_type(&allowed)));
    ridge_status st = ridge_fail_at(b->err, RIDGE_TYPE, b->file, v->line, v->col, "%s: want %s, found %s", d->name->text,
                                    want.p ? want.p : "", ridge_config_type_name(v));
    ridge_buf_free(&want);
    return st;
}

static ridge_status check_integer(const binder *b, const ridge_config_default *d, const ridge_json *v)
{
    char msg[300];
    bool default_small =
        d->value && d->value->type == RIDGE_JSON_NUMBER && (d->value->u.text.p[0] == '-' || ridge_str_is(d->value->u.text, "0"));
    bool negative = v->u.text.p[0] == '-', zero = ridge_str_is(v->u.text, "0");
    ridge_int n = 0;
    if (v->u.text.n > 18 || !ridge_int_parse(&n, v->u.text) || n > d->most) {
        snprintf(msg, sizeof msg, "%s: %.*s is out of range", d->name->text, (int)(v->u.text.n > 60 ? 60 : v->u.text.n), v->u.text.p);
        return fail_value(b, RIDGE_VALUE, v, msg);
    }
    if ((!negative && !zero) || (default_small && (zero || d->value->u.text.p[0] == '-')) || (zero && d->zero_ok))
        return RIDGE_OK;
    snprintf(msg, sizeof msg, "%s: %.*s makes no sense: want at least %d", d->name->text, RIDGE_STR_ARG(v->u.text),
             d->zero_ok || default_small ? 0 : 1);
    return fail_value(b, RIDGE_VALUE, v, msg);
}

static ridge_status check_type(const binder *b, const ridge_config_default *d, const ridge_json *v)
{
    char msg[300];
    const char *have = ridge_config_type_of(v);
    ridge_str allowed = d->type ? d->type->u.text : d->value ? ridge_str_of(ridge_config_type_of(d->value)) : RIDGE_STR("any");
    if (!d->type && d->value && d->value->type == RIDGE_JSON_NULL)
        allowed = RIDGE_STR("any");
    if (!type_allows(allowed, have))
        return wrong_type(b, d, allowed, v);
    if (strcmp(have, "int") == 0)
        return type_allows(allowed, "number") ? RIDGE_OK : check_integer(b, d, v);
    bool any = d->type && ridge_str_is(allowed, "any");
    bool int_list = !any && strcmp(have, "list") == 0 && d->value && d->value->type == RIDGE_JSON_ARRAY && d->value->count &&
                    strcmp(ridge_config_type_of(&d->value->u.items[0]), "int") == 0;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; int_list && i < v->count && !st; i++) {
        if (strcmp(ridge_config_type_of(&v->u.items[i]), "int") == 0) {
            st = check_integer(b, d, &v->u.items[i]);
        } else {
            snprintf(msg, sizeof msg, "%s: want a list of integers, found %s in it", d->name->text, ridge_config_type_name(&v->u.items[i]));
            st = fail_value(b, RIDGE_TYPE, &v->u.items[i], msg);
        }
    }
    return st;
}

/* ---- fields ---- */

static const ridge_config_default *default_of(const ridge_config_spec *spec, const ridge_symbol *name)
{
    for (size_t i = 0; i < spec->default_count; i++)
        if (spec->defaults[i].name == name)
            return &spec->defaults[i];
    return NULL;
}

static const ridge_symbol *real_name(const ridge_config_spec *spec, const ridge_symbol *name)
{
    for (size_t i = 0; i < spec->alias_count; i++)
        if (spec->aliases[i].alias == name)
            return spec->aliases[i].field;
    return name;
}

bool ridge_config_knows(const ridge_config_spec *spec, const ridge_symbol *name)
{
    return default_of(spec, real_name(spec, name));
}

/* A nested config that the file does not give is made of defaults alone: within itself it would be so without end. */
static ridge_status check_cycle(const binder *b, const ridge_entry *entry)
{
    const binder *again = b;
    while (again && again->entry != entry)
        again = again->outer;
    if (!again)
        return RIDGE_OK;
    ridge_buf text = {0};
    for (const binder *at = b; at != again->outer; at = at->outer) {
        ridge_buf inner = text;
        text = (ridge_buf){0};
        ridge_buf_addf(&text, "%s%s%s", ridge_registry_path(b->registry, at->entry->key), inner.n ? " -> " : "", inner.n ? inner.p : "");
        ridge_buf_free(&inner);
    }
    ridge_status st =
        ridge_fail_at(b->err, RIDGE_CYCLE, entry->source->file, entry->source->line, entry->source->col,
                      "nested configs in a circle: %s -> %s", text.p ? text.p : "", ridge_registry_path(b->registry, entry->key));
    ridge_buf_free(&text);
    return st;
}

static ridge_status bind_object(ridge_object **out, const binder *outer, ridge_registry *registry, const ridge_entry *entry,
                                const ridge_json *json, const char *file, ridge_evaluation *run);

static ridge_status bind_sub(const binder *b, ridge_value *out, const ridge_config_default *d, const ridge_json *json)
{
    static const ridge_json empty = {.type = RIDGE_JSON_OBJECT, .line = 1, .col = 1};
    ridge_entry *entry;
    ridge_object *object;
    if ((!json || json->type == RIDGE_JSON_NULL) && d->sub_or.n)
        json = ridge_json_get_str(b->json, d->sub_or);
    const ridge_json *type = ridge_json_get(json, "model_type");
    ridge_source *by_type =
        type && type->type == RIDGE_JSON_STRING ? ridge_registry_config(b->registry, type->u.text, RIDGE_STR("")) : NULL;
    if (ridge_registry_failed(b->registry))
        return ridge_no_memory(b->err);
    ridge_status st = ridge_registry_config_entry(&entry, b->registry, d->sub_key, b->err);
    /* a part that gives its whole's type (Idefics 2's vision_config) means what the entry names */
    if (!st && by_type && !ridge_str_eq(entry->config->model_type, type->u.text) && !ridge_str_eq(b->spec->model_type, type->u.text))
        st = ridge_registry_config_entry(&entry, b->registry, by_type->key, b->err);
    bool given = json && json->type == RIDGE_JSON_OBJECT;
    if (st || (!given && (st = check_cycle(b, entry))))
        return st;
    if ((st = bind_object(&object, b, b->registry, entry, given ? json : &empty, b->file, b->run)))
        return st;
    out->type = RIDGE_V_OBJECT;
    out->u.object = object;
    return RIDGE_OK;
}

static ridge_status bind_member(const binder *b, const ridge_json_member *m)
{
    const ridge_symbol *name = ridge_intern(&b->registry->symbols, m->key);
    ridge_status st = RIDGE_OK;
    if (!name)
        return ridge_no_memory(b->err);
    const ridge_config_default *d = default_of(b->spec, name = real_name(b->spec, name));
    ridge_field *f = (ridge_field *)(uintptr_t)ridge_object_find(b->object, name);
    if (!f && !(f = ridge_object_add(b->object, name, b->run->calc.arena)))
        return ridge_no_memory(b->err);
    f->line = m->value.line;
    f->col = m->value.col;
    if (d && d->sub_key && m->value.type != RIDGE_JSON_OBJECT && m->value.type != RIDGE_JSON_NULL)
        return fail_value(b, RIDGE_TYPE, &m->value, "want a nested config (an object)");
    if (d && !d->sub_key && (st = check_type(b, d, &m->value)))
        return st;
    if (d && d->sub_key) {
        ridge_value v; /* binding it may grow the fields */
        size_t at = (size_t)(f - b->object->fields);
        if ((st = bind_sub(b, &v, d, &m->value)))
            return st;
        b->object->fields[at].value = v;
        return RIDGE_OK;
    }
    return ridge_config_value(&f->value, b->registry, &m->value, b->file, &b->run->calc);
}

static ridge_status fill_defaults(const binder *b)
{
    for (size_t i = 0; i < b->spec->default_count; i++) {
        const ridge_config_default *d = &b->spec->defaults[i];
        ridge_status st;
        if (ridge_object_find(b->object, d->name))
            continue;
        ridge_value v = {.type = RIDGE_V_NONE};
        st = d->sub_key ? bind_sub(b, &v, d, NULL) : ridge_config_value(&v, b->registry, d->value, b->file, &b->run->calc);
        ridge_field *f = st ? NULL : ridge_object_add(b->object, d->name, b->run->calc.arena);
        if (!f)
            return st ? st : ridge_no_memory(b->err);
        f->value = f->given = v;
        f->assumed = true;
    }
    return RIDGE_OK;
}

/* ---- checks ---- */

/* the fields a failed check reads, but for the one it is about */
typedef struct blame {
    const binder *b;
    const ridge_symbol *key;
    const ridge_field *others[8];
    size_t count;
} blame;

static void add_other(void *data, const ridge_expr *expr, const ridge_symbol *name, uint32_t at, uint32_t span)
{
    blame *l = data;
    const ridge_field *f = ridge_object_find(l->b->object, real_name(l->b->spec, name));
    (void)expr;
    (void)at;
    (void)span;
    if (!f || f->name == l->key || (f->derived && !f->assumed) || l->count == sizeof l->others / sizeof *l->others)
        return;
    for (size_t i = 0; i < l->count; i++)
        if (l->others[i] == f)
            return;
    l->others[l->count++] = f;
}

static bool is_default(const ridge_field *f)
{
    return f->assumed && ridge_value_equal(f->value, f->given);
}

/* " (num_attention_heads = 32, the class's default)" */
static void print_others(ridge_buf *out, const blame *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const ridge_field *f = l->others[i];
        ridge_buf_addf(out, "%s%s = ", i ? "; " : " (", f->name->text);
        ridge_value_print(out, f->value);
        ridge_buf_addz(out, is_default(f) ? ", the class's default" : "");
    }
    ridge_buf_addz(out, l->count ? ")" : "");
}

/* a check that fails is the config's fault: the error stands at its field, or at the first other one that is in the file */
static ridge_status blame_field(const binder *b, const ridge_config_check *c)
{
    blame l = {.b = b, .key = real_name(b->spec, c->field)};
    const ridge_field *f = ridge_object_find(b->object, l.key), *at = f && f->line ? f : NULL;
    ridge_buf text = {0};
    ridge_expr_config_fields(c->that, add_other, &l);
    for (size_t i = 0; i < b->spec->derived.n && f && !at; i++) /* a default that another field overruled */
        if (b->spec->derived.p[i].name == l.key && !is_default(f))
            ridge_expr_config_fields(b->spec->derived.p[i].expr, add_other, &l);
    for (size_t i = 0; i < l.count && !at; i++)
        at = l.others[i]->line ? l.others[i] : NULL;
    ridge_buf_addf(&text, "%s: ", c->field->text);
    if (f) {
        ridge_value_print(&text, f->value);
        ridge_buf_addz(&text, is_default(f) ? " (the class's default) " : " ");
    }
    ridge_buf_addz(&text, c->why);
    print_others(&text, &l);
    ridge_err_clear(b->err);
    ridge_status st = ridge_fail_at(b->err, RIDGE_VALUE, b->file, at ? at->line : 0, at ? at->col : 0, "%s", text.p ? text.p : c->why);
    ridge_buf_free(&text);
    return st;
}

static ridge_status derive(const binder *b)
{
    for (size_t i = 0; i < b->spec->derived.n; i++) {
        const ridge_named *n = &b->spec->derived.p[i];
        ridge_value v;
        ridge_status st = ridge_expr_eval(&v, n->expr, b->run);
        if (st)
            return st;
        ridge_field *f = (ridge_field *)(uintptr_t)ridge_object_find(b->object, n->name);
        if (!f && !(f = ridge_object_add(b->object, n->name, b->run->calc.arena)))
            return ridge_no_memory(b->err);
        f->derived = !f->assumed && !f->line;
        f->value = v;
    }
    return RIDGE_OK;
}

static ridge_status run_checks(const binder *b)
{
    for (size_t i = 0; i < b->spec->check_count; i++) {
        const ridge_config_check *c = &b->spec->checks[i];
        ridge_value v;
        bool unknown;
        ridge_status st = ridge_expr_eval(&v, c->that, b->run);
        if (st || (st = ridge_value_truth(&v, &unknown, v, &b->run->calc)))
            return st;
        if (!v.u.b)
            return blame_field(b, c);
    }
    return RIDGE_OK;
}

/* the other spellings read the same value */
static ridge_status add_aliases(const binder *b)
{
    for (size_t i = 0; i < b->spec->alias_count; i++) {
        const ridge_field *f = ridge_object_find(b->object, b->spec->aliases[i].field);
        if (!f || ridge_object_find(b->object, b->spec->aliases[i].alias))
            continue;
        ridge_value v = f->value;
        ridge_field *alias = ridge_object_add(b->object, b->spec->aliases[i].alias, b->run->calc.arena);
        if (!alias)
            return ridge_no_memory(b->err);
        alias->value = v;
        alias->derived = true;
    }
    return RIDGE_OK;
}

/* the fields that the file gives, then the defaults */
static ridge_status bind_fields(const binder *b)
{
    ridge_status st = ridge_run_charge(b->run, (uint64_t)b->json->count + b->spec->default_count + 1);
    for (uint32_t i = 0; i < b->json->count && !st; i++)
        st = bind_member(b, &b->json->u.members[i]);
    return st ? st : fill_defaults(b);
}

static ridge_status bind_object(ridge_object **out, const binder *outer_binder, ridge_registry *registry, const ridge_entry *entry,
                                const ridge_json *json, const char *file, ridge_evaluation *run)
{
    ridge_object *o = ridge_arena_alloc(run->calc.arena, sizeof *o);
    binder b = {registry, entry->config, json, file, o, run, run->calc.err, entry, outer_binder};
    const ridge_object *outer = run->config;
    ridge_value *slots = run->slots;
    ridge_status st;
    if (!o)
        return ridge_no_memory(run->calc.err);
    *o = (ridge_object){.what = entry->class_name, .file = file};
    if ((st = ridge_graph_note_use(run->data, entry)) || (st = ridge_run_deeper(run)))
        return st;
    st = bind_fields(&b);
    run->config = o;
    run->slots = ridge_arena_array(run->calc.arena, entry->slots + 1u, sizeof *run->slots);
    o->slots = run->slots;
    if (!st && !run->slots)
        st = ridge_no_memory(run->calc.err);
    if (!st && !(st = add_aliases(&b)) && !(st = derive(&b)))
        st = run_checks(&b);
    run->config = outer;
    run->slots = slots;
    run->depth--;
    *out = o;
    return st;
}

ridge_status ridge_config_bind(ridge_object **out, ridge_registry *registry, const ridge_entry *entry, const ridge_json *json,
                               const char *file, ridge_evaluation *run)
{
    return bind_object(out, NULL, registry, entry, json, file, run);
}

ridge_status ridge_config_eval(ridge_value *out, const ridge_expr *expr, ridge_evaluation *run)
{
    ridge_value *outer = run->slots;
    run->slots = run->config->slots;
    ridge_status st = ridge_expr_eval(out, expr, run);
    run->slots = outer;
    return st;
}
