/* The configuration's instance and the symbols of its attributes; see config.h. */
#include "learn/package/config.h"

#include <stdlib.h>

#define NESTING 16

/* ---- JSON to values ---- */

/* what a symbol of this value is at least, whatever the configuration: sizes are, a token's number may be 0 */
static int64_t least_of(int64_t value)
{
    return value >= 1 ? 1 : value;
}

static const char *symbol_name(const char *path, ridge_py_interp *in)
{
    return path[0] != '\0' ? ridge_arena_printf(in->arena, "config.%s", path) : "config";
}

static ridge_status with_origin(ridge_py *v, const char *path, ridge_py_interp *in)
{
    v->by.origin = symbol_name(path, in);
    return v->by.origin ? RIDGE_OK : ridge_no_memory(in->err);
}

static ridge_status number(ridge_py *out, ridge_str text, const char *path, ridge_py_interp *in)
{
    char *end, buf[64];
    const char *name = symbol_name(path, in);
    if (!name || text.n >= sizeof buf)
        return name ? ridge_fail(in->err, RIDGE_VALUE, "%s: a number of %zu digits", name, text.n) : ridge_no_memory(in->err);
    memcpy(buf, text.p, text.n);
    buf[text.n] = '\0';
    if (!strpbrk(buf, ".eEnN")) {
        long long i = strtoll(buf, &end, 10);
        if (i == (int64_t)i && i < INT64_MAX && i > INT64_MIN)
            return ridge_py_named_int(out, (int64_t)i, name, least_of((int64_t)i), in);
    }
    double f = strncmp(buf, "NaN", 3) == 0 ? strtod("nan", NULL) : strtod(buf, &end);
    return ridge_py_named_float(out, f, name, in);
}

static const char *item_path(const char *path, size_t i, ridge_py_interp *in)
{
    return ridge_arena_printf(in->arena, "%s[%zu]", path, i);
}

static const char *member_path(const char *path, ridge_str key, ridge_py_interp *in)
{
    return path[0] == '\0' ? ridge_arena_strdup(in->arena, key) : ridge_arena_printf(in->arena, "%s.%.*s", path, RIDGE_STR_ARG(key));
}

static ridge_status array(ridge_py *out, const ridge_json *json, const char *path, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_LIST, json->count, in);
    for (uint32_t i = 0; !st && i < json->count; i++) {
        ridge_py item;
        const char *at = item_path(path, i, in);
        if (!(st = at ? ridge_learn_from_json(&item, &json->u.items[i], at, in) : ridge_no_memory(in->err)))
            st = ridge_py_append(out->u.list, item, in);
    }
    return st ? st : with_origin(out, path, in);
}

static ridge_status object(ridge_py *out, const ridge_json *json, const char *path, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
    for (uint32_t i = 0; !st && i < json->count; i++) {
        ridge_py item, key;
        const ridge_json_member *m = &json->u.members[i];
        const char *at = member_path(path, m->key, in);
        if (!(st = at ? ridge_learn_from_json(&item, &m->value, at, in) : ridge_no_memory(in->err)) &&
            !(st = ridge_py_str(&key, m->key, in)))
            st = ridge_py_dict_set(out->u.dict, key, item, in);
    }
    return st || path[0] == '\0' ? st : with_origin(out, path, in);
}

ridge_status ridge_learn_from_json(ridge_py *out, const ridge_json *json, const char *path, ridge_py_interp *in)
{
    ridge_status st;
    const char *name;
    switch (json->type) {
    case RIDGE_JSON_NULL:
        *out = ridge_py_none();
        return with_origin(out, path, in);
    case RIDGE_JSON_FALSE:
    case RIDGE_JSON_TRUE:
        name = symbol_name(path, in);
        return name ? ridge_py_named_bool(out, json->type == RIDGE_JSON_TRUE, name, in) : ridge_no_memory(in->err);
    case RIDGE_JSON_NUMBER:
        return number(out, json->u.text, path, in);
    case RIDGE_JSON_STRING:
        return (st = ridge_py_str(out, json->u.text, in)) ? st : with_origin(out, path, in);
    case RIDGE_JSON_ARRAY:
        return array(out, json, path, in);
    case RIDGE_JSON_OBJECT:
        return object(out, json, path, in);
    }
    return ridge_fail(in->err, RIDGE_TYPE, "no value of JSON");
}

/* ---- symbols of attributes ---- */

typedef struct binder {
    ridge_learn_config *config;
    ridge_py_interp *in;
    const ridge_py_instance *seen[NESTING];
    unsigned depth;
} binder;

static ridge_status bind_instance(binder *b, ridge_py_instance *instance, const char *path, ridge_py raw);

/* parts of a value that no size is made of */
static bool is_label(const char *path)
{
    static const char *const names[] = {"id2label", "label2id", "task_specific_params", "architectures", "auto_map", "quantization_config"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ridge_str_ends(ridge_str_of(path), ridge_str_of(names[i])))
            return true;
    return false;
}

static ridge_status bind_value(binder *b, ridge_py *v, const char *path, unsigned depth);

static ridge_status bind_items(binder *b, ridge_py *v, const char *path, unsigned depth)
{
    ridge_py copy;
    ridge_status st = ridge_py_new_list(&copy, v->type, v->u.list->count, b->in);
    for (size_t i = 0; !st && i < v->u.list->count; i++) {
        ridge_py item = v->u.list->items[i];
        const char *at = item_path(path, i, b->in);
        if (!(st = at ? bind_value(b, &item, at, depth + 1) : ridge_no_memory(b->in->err)))
            st = ridge_py_append(copy.u.list, item, b->in);
    }
    *v = copy;
    return st ? st : with_origin(v, path, b->in);
}

static ridge_status bind_members(binder *b, ridge_py *v, const char *path, unsigned depth)
{
    ridge_py copy;
    const ridge_py_dict *d = v->u.dict;
    ridge_status st = ridge_py_new_dict(&copy, v->type, b->in);
    for (size_t i = 0; !st && i < d->used; i++) {
        ridge_py key = d->entries[i].key, item = d->entries[i].value;
        if (key.type == RIDGE_PY_T_UNSET)
            continue;
        if (key.type == RIDGE_PY_T_STR) {
            const char *at = member_path(path, key.u.s->text, b->in);
            st = at ? bind_value(b, &item, at, depth + 1) : ridge_no_memory(b->in->err);
        }
        if (!st)
            st = ridge_py_dict_set(copy.u.dict, key, item, b->in);
    }
    *v = copy;
    return st ? st : with_origin(v, path, b->in);
}

/* the same value, named by its path */
static ridge_status bind_value(binder *b, ridge_py *v, const char *path, unsigned depth)
{
    const char *name = symbol_name(path, b->in);
    if (!name)
        return ridge_no_memory(b->in->err);
    switch (v->type) {
    case RIDGE_PY_T_BOOL:
        return ridge_py_named_bool(v, v->u.b, name, b->in);
    case RIDGE_PY_T_INT:
        return ridge_py_named_int(v, v->u.i, name, least_of(v->u.i), b->in);
    case RIDGE_PY_T_FLOAT:
        return ridge_py_named_float(v, v->u.f, name, b->in);
    case RIDGE_PY_T_NONE:
    case RIDGE_PY_T_STR:
        v->by.origin = name;
        return RIDGE_OK;
    case RIDGE_PY_T_LIST:
    case RIDGE_PY_T_TUPLE:
        return depth < NESTING && !is_label(path) ? bind_items(b, v, path, depth) : RIDGE_OK;
    case RIDGE_PY_T_DICT:
        return depth < NESTING && !is_label(path) ? bind_members(b, v, path, depth) : RIDGE_OK;
    default:
        return RIDGE_OK;
    }
}

static ridge_py raw_of(ridge_py raw, const char *name)
{
    return raw.type == RIDGE_PY_T_DICT ? ridge_py_dict_getz(raw.u.dict, name) : ridge_py_unset();
}

static bool constant(ridge_py v)
{
    return ridge_py_is_number(v) ? !v.by.sym : v.type == RIDGE_PY_T_STR || v.type == RIDGE_PY_T_NONE ? !v.by.origin : false;
}

static ridge_status note(binder *b, const char *path, ridge_py raw, ridge_py before, ridge_py value)
{
    ridge_learn_config *c = b->config;
    if (!ridge_arena_more(b->in->arena, &c->fields, c->count, &c->cap, sizeof *c->fields))
        return ridge_no_memory(b->in->err);
    ridge_learn_field *f = &c->fields[c->count++];
    *f = (ridge_learn_field){.path = path, .raw = raw, .before = before, .value = value};
    f->is_default = raw.type == RIDGE_PY_T_UNSET && constant(before);
    bool own = ridge_py_is_number(raw) && ridge_py_is_number(before) && raw.by.sym == before.by.sym;
    if (!own && !constant(before) && (ridge_py_is_number(before) || before.type == RIDGE_PY_T_STR))
        f->formula = ridge_py_formula(before, b->in);
    return RIDGE_OK;
}

static ridge_status bind_attribute(binder *b, ridge_py_binding *at, const char *path, ridge_py raw)
{
    ridge_py before = at->value;
    if (before.type == RIDGE_PY_T_INSTANCE && before.u.instance->attributes.count > 0)
        return bind_instance(b, before.u.instance, path, raw);
    ridge_status st = bind_value(b, &at->value, path, 0);
    return st ? st : note(b, path, raw, before, at->value);
}

static ridge_status bind_instance(binder *b, ridge_py_instance *instance, const char *path, ridge_py raw)
{
    for (unsigned i = 0; i < b->depth; i++)
        if (b->seen[i] == instance)
            return RIDGE_OK;
    if (b->depth == NESTING)
        return RIDGE_OK;
    b->seen[b->depth++] = instance;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; !st && i < instance->attributes.count; i++) {
        ridge_py_binding *at = &instance->attributes.items[i];
        if (at->name->text[0] == '_' || at->value.type == RIDGE_PY_T_UNSET)
            continue;
        const char *below = member_path(path, ridge_str_of(at->name->text), b->in);
        st = below ? bind_attribute(b, at, below, raw_of(raw, at->name->text)) : ridge_no_memory(b->in->err);
    }
    b->depth--;
    return st;
}

/* fields of a class that takes them as arguments */
static ridge_status bind_arguments(binder *b, ridge_py raw)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < raw.u.dict->used; i++) {
        const ridge_py_entry *e = &raw.u.dict->entries[i];
        if (e->key.type == RIDGE_PY_T_STR)
            st = note(b, e->key.u.s->text.p, e->value, e->value, e->value);
    }
    return st;
}

ridge_status ridge_learn_config_make(ridge_learn_config *out, ridge_py class, const ridge_json *json, ridge_py_interp *in)
{
    ridge_py workload, args[2];
    binder b = {.config = out, .in = in};
    *out = (ridge_learn_config){.first_condition = in->condition_count};
    ridge_status st = json ? ridge_learn_from_json(&out->raw, json, "", in) : ridge_py_new_dict(&out->raw, RIDGE_PY_T_DICT, in);
    if (st)
        return st;
    if (class.type != RIDGE_PY_T_CLASS) {
        out->instance = out->raw;
        out->last_condition = in->condition_count;
        return bind_arguments(&b, out->raw);
    }
    args[0] = class;
    args[1] = out->raw;
    if ((st = ridge_py_import(&workload, "_ridge_model", in)) ||
        (st = ridge_py_call_method(&out->instance, workload, "make_config", args, 2, in)))
        return st;
    out->last_condition = in->condition_count;
    return out->instance.type == RIDGE_PY_T_INSTANCE ? bind_instance(&b, out->instance.u.instance, "", out->raw) : RIDGE_OK;
}
