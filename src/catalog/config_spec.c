/* Compiles a config entry: what a config class says of its fields, and its head classes. */
#include "catalog/compile.h"

/* ---- types ---- */

static bool is_integer_text(ridge_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] < '0' || s.p[i] > '9') && !(i == 0 && s.p[i] == '-'))
            return false;
    return s.n > 0;
}

const char *ridge_config_type_of(const ridge_json *v)
{
    switch (v->type) {
    case RIDGE_JSON_NULL:
        return "null";
    case RIDGE_JSON_TRUE:
    case RIDGE_JSON_FALSE:
        return "bool";
    case RIDGE_JSON_NUMBER:
        return is_integer_text(v->u.text) ? "int" : "number";
    case RIDGE_JSON_STRING:
        return "string";
    case RIDGE_JSON_ARRAY:
        return "list";
    case RIDGE_JSON_OBJECT:
        return "object";
    }
    return "";
}

static ridge_config_default *find_default(ridge_config_spec *s, ridge_str name)
{
    for (size_t i = 0; i < s->default_count; i++)
        if (ridge_str_is(name, s->defaults[i].name->text))
            return &s->defaults[i];
    return NULL;
}

/* "entry", or {"use": "entry", "or": "the field whose config counts where this one is not given"} */
static ridge_status sub_config(ridge_compiler *c, ridge_config_default *d, const ridge_member *from)
{
    const bool both = from->value->type == RIDGE_JSON_OBJECT;
    const ridge_json *use = both ? ridge_json_get(from->value, "use") : from->value,
                     *other = both ? ridge_json_get(from->value, "or") : NULL;
    if (!use || use->type != RIDGE_JSON_STRING || (both && (!other || other->type != RIDGE_JSON_STRING || from->value->count != 2)) ||
        !(d->sub_key = ridge_inherit_reference(from->from, use->u.text)))
        return ridge_compile_wrong(c, from->from, from->value,
                                   "'sub_configs' names a config entry per field, or {\"use\": entry, \"or\": field}");
    if (other)
        d->sub_or = other->u.text;
    return RIDGE_OK;
}

static ridge_status defaults(ridge_compiler *c, ridge_config_spec *s)
{
    ridge_members m, subs;
    ridge_status st;
    if ((st = ridge_inherit_members(&m, c->chain, "defaults", c->err)) ||
        (st = ridge_inherit_members(&subs, c->chain, "sub_configs", c->err)))
        return st;
    if (!(s->defaults = ridge_compile_array(c, m.n + subs.n, sizeof *s->defaults)))
        return RIDGE_NOMEM;
    for (size_t i = 0; i < m.n + subs.n; i++) {
        const ridge_member *from = i < m.n ? &m.p[i] : &subs.p[i - m.n];
        ridge_config_default *d = i < m.n ? NULL : find_default(s, from->key);
        if (!d)
            d = &s->defaults[s->default_count++];
        if (!(d->name = ridge_intern(&c->registry->symbols, from->key)))
            return ridge_no_memory(c->err);
        d->file = from->from->source->file;
        d->line = ridge_inherit_line(from->from, from->value->line);
        d->col = ridge_inherit_col(from->from, from->value->line, from->value->col);
        if (i < m.n)
            d->value = from->value;
        else if ((st = sub_config(c, d, from)))
            return st;
    }
    return RIDGE_OK;
}

static ridge_status types(ridge_compiler *c, ridge_config_spec *s)
{
    ridge_members m;
    ridge_status st = ridge_inherit_members(&m, c->chain, "types", c->err);
    for (size_t i = 0; i < m.n && !st; i++) {
        ridge_config_default *d = find_default(s, m.p[i].key);
        if (!d || m.p[i].value->type != RIDGE_JSON_STRING)
            return ridge_compile_wrong(c, m.p[i].from, m.p[i].value,
                                       "'types' gives a string like \"int|null\" for a field that has a default");
        d->type = m.p[i].value;
    }
    return st;
}

/* integers that may be 0, over the whole chain */
static ridge_status zero_ok(ridge_compiler *c, ridge_config_spec *s)
{
    for (const ridge_ancestor *a = c->chain; a; a = a->parent) {
        const ridge_json *list = ridge_json_get(a->json, "zero_ok");
        for (uint32_t i = 0; list && list->type == RIDGE_JSON_ARRAY && i < list->count; i++) {
            const ridge_json *n = &list->u.items[i];
            ridge_config_default *d = n->type == RIDGE_JSON_STRING ? find_default(s, n->u.text) : NULL;
            if (!d)
                return ridge_compile_wrong(c, a, n, "'zero_ok' names a field that has no default");
            d->zero_ok = true;
        }
    }
    return RIDGE_OK;
}

/* how large an integer may be: guards against absurd values before anything is built from them */
static ridge_status most(ridge_compiler *c, ridge_config_spec *s)
{
    ridge_members m;
    ridge_status st = ridge_inherit_members(&m, c->chain, "most", c->err);
    for (size_t i = 0; i < s->default_count; i++)
        s->defaults[i].most = INT64_MAX;
    for (size_t i = 0; i < m.n && !st; i++) {
        ridge_config_default *d = find_default(s, m.p[i].key);
        ridge_int n;
        if (m.p[i].value->type != RIDGE_JSON_NUMBER || !ridge_int_parse(&n, m.p[i].value->u.text) || n < 1 || n > INT64_MAX)
            return ridge_compile_wrong(c, m.p[i].from, m.p[i].value, "'most' gives an integer per field");
        if (d)
            d->most = (int64_t)n;
    }
    return st;
}

static ridge_status aliases(ridge_compiler *c, ridge_config_spec *s)
{
    ridge_members m;
    ridge_status st = ridge_inherit_members(&m, c->chain, "aliases", c->err);
    if (st)
        return st;
    if (!(s->aliases = ridge_compile_array(c, m.n, sizeof *s->aliases)))
        return RIDGE_NOMEM;
    for (size_t i = 0; i < m.n; i++) {
        if (m.p[i].value->type != RIDGE_JSON_STRING)
            return ridge_compile_wrong(c, m.p[i].from, m.p[i].value, "'aliases' maps a spelling to a field");
        s->aliases[i].alias = ridge_intern(&c->registry->symbols, m.p[i].key);
        s->aliases[i].field = ridge_intern(&c->registry->symbols, m.p[i].value->u.text);
        if (!s->aliases[i].alias || !s->aliases[i].field)
            return ridge_no_memory(c->err);
    }
    s->alias_count = m.n;
    return RIDGE_OK;
}

static ridge_status checks(ridge_compiler *c, ridge_config_spec *s)
{
    size_t n = 0;
    ridge_status st = RIDGE_OK;
    for (const ridge_ancestor *a = c->chain; a; a = a->parent) {
        const ridge_json *list = ridge_json_get(a->json, "checks");
        n += list && list->type == RIDGE_JSON_ARRAY ? list->count : 0;
    }
    ridge_member field = ridge_inherit_field(c->chain, "checks");
    if (!(s->checks = ridge_compile_array(c, n, sizeof *s->checks)))
        return RIDGE_NOMEM;
    if (!field.value)
        return RIDGE_OK;
    if (field.value->type != RIDGE_JSON_ARRAY)
        return ridge_compile_wrong(c, field.from, field.value, "'checks' is a list");
    for (uint32_t i = 0; i < field.value->count && !st; i++) {
        const ridge_json *o = &field.value->u.items[i], *key = ridge_json_get(o, "key"), *that = ridge_json_get(o, "that"),
                         *why = ridge_json_get(o, "why");
        ridge_config_check *check = &s->checks[s->check_count++];
        if (!key || !that || !why || key->type != RIDGE_JSON_STRING || why->type != RIDGE_JSON_STRING)
            return ridge_compile_wrong(c, field.from, o, "a check is {\"key\", \"that\", \"why\"}");
        check->field = ridge_intern(&c->registry->symbols, key->u.text);
        check->why = ridge_arena_strdup(c->arena, why->u.text);
        if (!check->field || !check->why)
            return ridge_no_memory(c->err);
        st = ridge_compile_expr(c, &check->that, field.from, that);
    }
    return st;
}

static ridge_status head_classes(ridge_compiler *c, ridge_config_spec *s)
{
    ridge_members m;
    ridge_status st = ridge_inherit_members(&m, c->chain, "classes", c->err);
    if (st)
        return st;
    if (!(s->classes = ridge_compile_array(c, m.n, sizeof *s->classes)))
        return RIDGE_NOMEM;
    for (size_t i = 0; i < m.n; i++) {
        const ridge_json *v = m.p[i].value, *use = v->type == RIDGE_JSON_OBJECT ? ridge_json_get(v, "use") : v;
        const ridge_json *both = ridge_json_get(v, "encoder_decoder");
        if (!use || use->type != RIDGE_JSON_STRING)
            return ridge_compile_wrong(c, m.p[i].from, v, "a head class names its entry, or is {\"use\", \"encoder_decoder\"}");
        s->classes[i] =
            (ridge_head_class){m.p[i].key, ridge_inherit_reference(m.p[i].from, use->u.text), both && both->type == RIDGE_JSON_TRUE};
        if (!s->classes[i].entry)
            return ridge_no_memory(c->err);
    }
    s->class_count = m.n;
    return RIDGE_OK;
}

static ridge_status optional(ridge_compiler *c, ridge_expr **out, const ridge_ancestor *from, const ridge_json *v)
{
    return v ? ridge_compile_expr(c, out, from, v) : RIDGE_OK;
}

/* of what a model reads, sees and hears, where nobody asks for others */
static ridge_status sizes(ridge_compiler *c, ridge_config_spec *s)
{
    const struct {
        const char *name;
        ridge_expr **at;
    } fields[] = {
        {"image", &s->image}, {"video_frames", &s->video_frames}, {"frames", &s->frames}, {"samples", &s->samples}, {"seq", &s->seq}};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !st; i++) {
        const ridge_member field = ridge_inherit_field(c->chain, fields[i].name);
        st = optional(c, fields[i].at, field.from, field.value);
    }
    return st;
}

ridge_status ridge_compile_config(ridge_compiler *c, ridge_entry *e)
{
    ridge_config_spec *s = e->config = ridge_compile_array(c, 1, sizeof *s);
    ridge_member type = ridge_inherit_field(c->chain, "model_type"), positions = ridge_inherit_field(c->chain, "positions"),
                 head = ridge_inherit_field(c->chain, "default_class"), refused = ridge_inherit_field(c->chain, "refused");
    ridge_members derived;
    ridge_status st;
    if (!s)
        return RIDGE_NOMEM;
    if (!type.value || type.value->type != RIDGE_JSON_STRING)
        return ridge_compile_wrong(c, c->chain, c->chain->json, "a config entry has a 'model_type'");
    s->model_type = type.value->u.text;
    if (head.value && head.value->type == RIDGE_JSON_STRING)
        s->default_class = head.value->u.text;
    if (refused.value && refused.value->type != RIDGE_JSON_STRING)
        return ridge_compile_wrong(c, refused.from, refused.value, "'refused' says why, as a text");
    if (refused.value)
        s->refused = refused.value->u.text;
    if ((st = defaults(c, s)) || (st = types(c, s)) || (st = zero_ok(c, s)) || (st = most(c, s)) || (st = aliases(c, s)))
        return st;
    if ((st = ridge_inherit_members(&derived, c->chain, "derived", c->err)) ||
        (st = ridge_compile_named(c, &s->derived, derived.p, derived.n, false)) || (st = checks(c, s)))
        return st;
    if ((st = optional(c, &s->positions_max, positions.from, ridge_json_get(positions.value, "max"))) ||
        (st = optional(c, &s->positions_learned, positions.from, ridge_json_get(positions.value, "learned"))) || (st = sizes(c, s)))
        return st;
    return head_classes(c, s);
}
