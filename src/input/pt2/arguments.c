/* Arguments of nodes: torch/_export/serde/schema.py, Argument and NamedArgument. Old schemas write all alternatives, those that are not
 * there as null; newer ones the one that is. */
#include "input/pt2/parts.h"

enum { NESTED_MOST = 8 };

/* ---- names of values ---- */

/* {"name": "x"} of a tensor, {"as_name": "x"} of a number that a node hands on; NULL: it is no value (a number as it is, or None) */
static ridge_status name_of(const ridge_json **name, pt2_reader *r, const ridge_json *v)
{
    static const char *const keys[] = {"name", "as_name"};
    const ridge_json *tensor = ridge_json_get(v, "as_tensor");
    *name = NULL;
    if (v->type != RIDGE_JSON_OBJECT)
        return pt2_bad(r, RIDGE_TYPE, v, "a value: want an object, found %s", ridge_json_type_name(v->type));
    v = tensor && tensor->type == RIDGE_JSON_OBJECT ? tensor : v;
    for (size_t i = 0; i < 2 && !*name; i++)
        if ((*name = ridge_json_get(v, keys[i])) && (*name)->type == RIDGE_JSON_NULL)
            *name = NULL;
    return RIDGE_OK;
}

typedef enum ends { READS, MAKES } ends;

/* adds the value of one name to a list */
static ridge_status add_name(pt2_ids *ids, pt2_reader *r, pt2_scope *s, const ridge_json *name, ends how)
{
    uint32_t id;
    ridge_status st = how == MAKES ? pt2_make(&id, r, s, name) : pt2_value(&id, r, s, name);
    return st ? st : pt2_push(r, ids, id);
}

/* ---- kinds ---- */

typedef ridge_status kind(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v);

static ridge_status read_none(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    (void)r, (void)s, (void)v;
    a->kind = RIDGE_OPGRAPH_ARG_NONE;
    return RIDGE_OK;
}

static ridge_status read_whole(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    (void)s;
    a->kind = RIDGE_OPGRAPH_ARG_INT;
    return pt2_whole(&a->u.whole, r, v);
}

static ridge_status whole_of_bool(int64_t *out, pt2_reader *r, const ridge_json *v)
{
    *out = v->type == RIDGE_JSON_TRUE;
    return *out || v->type == RIDGE_JSON_FALSE ? RIDGE_OK
                                               : pt2_bad(r, RIDGE_TYPE, v, "want true or false, found %s", ridge_json_type_name(v->type));
}

static ridge_status read_bool(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    (void)s;
    a->kind = RIDGE_OPGRAPH_ARG_INT;
    return whole_of_bool(&a->u.whole, r, v);
}

static ridge_status read_real(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    (void)s;
    a->kind = RIDGE_OPGRAPH_ARG_REAL;
    return pt2_real(&a->u.real, r, v);
}

static ridge_status read_text(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    (void)s;
    a->kind = RIDGE_OPGRAPH_ARG_TEXT;
    if (v->type != RIDGE_JSON_STRING)
        return pt2_bad(r, RIDGE_TYPE, v, "want a text, found %s", ridge_json_type_name(v->type));
    return pt2_keep(&a->u.text, r, v->u.text);
}

/* room for the list's elements */
static ridge_status make_list(void **out, ridge_opgraph_argument *a, ridge_opgraph_argument_kind of, size_t size, pt2_reader *r,
                              const ridge_json *v)
{
    if (v->type != RIDGE_JSON_ARRAY)
        return pt2_bad(r, RIDGE_TYPE, v, "want a list, found %s", ridge_json_type_name(v->type));
    a->kind = of;
    a->count = v->count;
    *out = ridge_arena_array(r->arena, v->count + 1u, size);
    return *out ? RIDGE_OK : ridge_no_memory(r->err);
}

static ridge_status read_list_of_wholes(ridge_opgraph_argument *a, pt2_reader *r, const ridge_json *v,
                                        ridge_status (*one)(int64_t *, pt2_reader *, const ridge_json *))
{
    void *room;
    ridge_status st = make_list(&room, a, RIDGE_OPGRAPH_ARG_INTS, sizeof(int64_t), r, v);
    int64_t *ints = room;
    for (uint32_t i = 0; !st && i < v->count; i++)
        st = one(&ints[i], r, &v->u.items[i]);
    a->u.ints = ints;
    return st;
}

static ridge_status read_wholes(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    (void)s;
    return read_list_of_wholes(a, r, v, pt2_whole);
}

static ridge_status read_bools(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    (void)s;
    return read_list_of_wholes(a, r, v, whole_of_bool);
}

static ridge_status read_reals(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    void *room;
    ridge_status st = make_list(&room, a, RIDGE_OPGRAPH_ARG_REALS, sizeof(double), r, v);
    double *reals = room;
    (void)s;
    for (uint32_t i = 0; !st && i < v->count; i++)
        st = pt2_real(&reals[i], r, &v->u.items[i]);
    a->u.reals = reals;
    return st;
}

static ridge_status read_texts(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    void *room;
    ridge_status st = make_list(&room, a, RIDGE_OPGRAPH_ARG_TEXTS, sizeof(ridge_str), r, v);
    ridge_str *texts = room;
    for (uint32_t i = 0; !st && i < v->count; i++) {
        ridge_opgraph_argument one;
        st = read_text(&one, r, s, &v->u.items[i]);
        texts[i] = st ? (ridge_str){NULL, 0} : one.u.text;
    }
    a->u.texts = texts;
    return st;
}

static ridge_status read_value(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    const ridge_json *name;
    ridge_status st = name_of(&name, r, v);
    if (st)
        return st;
    a->kind = RIDGE_OPGRAPH_ARG_VALUE;
    if (!name)
        return pt2_bad(r, RIDGE_TYPE, v, "a tensor without a name");
    st = add_name(&s->inputs, r, s, name, READS);
    a->u.value = st ? 0 : s->inputs.at[s->inputs.count - 1];
    return st;
}

/* {"as_tensor": ...} or {"as_none": true} */
static ridge_status read_optional(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    const ridge_json *name;
    ridge_status st = name_of(&name, r, v);
    if (!st && name)
        return read_value(a, r, s, v);
    a->kind = RIDGE_OPGRAPH_ARG_NONE;
    return st;
}

/* a number that a node made, {"as_name": ...}, or as it is */
static ridge_status read_number(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    const ridge_json_member *m;
    ridge_status st = pt2_union(&m, r, v, "a number");
    if (st)
        return st;
    if (ridge_str_is(m->key, "as_name"))
        return read_value(a, r, s, v);
    if (ridge_str_is(m->key, "as_int"))
        return read_whole(a, r, s, &m->value);
    if (ridge_str_is(m->key, "as_bool"))
        return read_bool(a, r, s, &m->value);
    if (ridge_str_is(m->key, "as_float"))
        return read_real(a, r, s, &m->value);
    return pt2_bad(r, RIDGE_NAME, &m->value, "a number as '%s' is not known", pt2_shown(r, m->key));
}

/* ---- lists of values ---- */

/* a constant for a number that stands among values */
static ridge_status add_constant(uint32_t *id, pt2_reader *r, const ridge_opgraph_argument *number)
{
    int64_t *ints = ridge_arena_alloc(r->arena, sizeof *ints);
    double *reals = ridge_arena_alloc(r->arena, sizeof *reals);
    ridge_opgraph_value value = {.origin = RIDGE_OPGRAPH_CONSTANT, .ranked = true, .content_count = 1, .host = true};
    if (!ints || !reals)
        return ridge_no_memory(r->err);
    if (number->kind == RIDGE_OPGRAPH_ARG_REAL) {
        *reals = number->u.real;
        value.reals = reals;
        value.dtype = "float";
        value.format = ridge_format_find(RIDGE_STR("fp64"));
    } else {
        *ints = number->u.whole;
        value.ints = ints;
        value.dtype = "int";
        value.format = ridge_format_find(RIDGE_STR("i64"));
    }
    return pt2_add_value(id, r, value);
}

static ridge_status read_list_of_values(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v, kind *one)
{
    void *room;
    ridge_status st = make_list(&room, a, RIDGE_OPGRAPH_ARG_VALUES, sizeof(uint32_t), r, v);
    uint32_t *values = room;
    for (uint32_t i = 0; !st && i < v->count; i++) {
        ridge_opgraph_argument element;
        st = one(&element, r, s, &v->u.items[i]);
        values[i] = RIDGE_OPGRAPH_NONE;
        if (!st && element.kind == RIDGE_OPGRAPH_ARG_VALUE)
            values[i] = element.u.value;
        else if (!st && element.kind != RIDGE_OPGRAPH_ARG_NONE)
            st = add_constant(&values[i], r, &element);
    }
    a->u.values = values;
    return st;
}

static ridge_status read_values(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    return read_list_of_values(a, r, s, v, read_value);
}

static ridge_status read_optionals(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    return read_list_of_values(a, r, s, v, read_optional);
}

static bool all_are_plain(const ridge_json *list)
{
    for (uint32_t i = 0; list->type == RIDGE_JSON_ARRAY && i < list->count; i++) {
        const ridge_json *name = ridge_json_get(&list->u.items[i], "as_name");
        if (name && name->type != RIDGE_JSON_NULL)
            return false;
    }
    return true;
}

static ridge_status whole_of_number(int64_t *out, pt2_reader *r, const ridge_json *v)
{
    ridge_opgraph_argument a;
    ridge_status st = read_number(&a, r, NULL, v); /* it has no name: nothing is looked up */
    if (!st && a.kind != RIDGE_OPGRAPH_ARG_INT)
        return pt2_bad(r, RIDGE_TYPE, v, "a number that is not whole among whole ones");
    *out = st ? 0 : a.u.whole;
    return st;
}

static ridge_status read_numbers(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    return all_are_plain(v) ? read_list_of_wholes(a, r, v, whole_of_number) : read_list_of_values(a, r, s, v, read_number);
}

/* numbers that nodes made, or are as they are, as floats */
static ridge_status read_float_numbers(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    return read_list_of_values(a, r, s, v, read_number);
}

/* [[x, y], [z]]: one list */
static ridge_status read_nested(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    pt2_ids all = {0};
    ridge_status st = RIDGE_OK;
    uint32_t count;
    if (v->type != RIDGE_JSON_ARRAY)
        return pt2_bad(r, RIDGE_TYPE, v, "want a list, found %s", ridge_json_type_name(v->type));
    for (uint32_t i = 0; i < v->count && !st; i++) {
        ridge_opgraph_argument one = {0};
        st = read_values(&one, r, s, &v->u.items[i]);
        for (size_t k = 0; k < one.count && !st; k++)
            st = pt2_push(r, &all, one.u.values[k]);
    }
    a->kind = RIDGE_OPGRAPH_ARG_VALUES;
    st = st ? st : pt2_keep_ids(&a->u.values, &count, r, &all);
    a->count = all.count;
    return st;
}

/* ---- what is neither number nor tensor ---- */

static ridge_status keep_word(ridge_opgraph_argument *a, pt2_reader *r, const char *word)
{
    a->kind = RIDGE_OPGRAPH_ARG_TEXT;
    return pt2_keep(&a->u.text, r, ridge_str_of(word));
}

static ridge_status read_dtype(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    const ridge_format *format;
    const char *dtype = pt2_dtype(v, &format);
    (void)s;
    return dtype ? keep_word(a, r, dtype) : pt2_bad(r, RIDGE_VALUE, v, "a dtype that is not known");
}

static ridge_status read_enum(ridge_opgraph_argument *a, pt2_reader *r, const ridge_json *v, const char *const *words, size_t count,
                              const char *what)
{
    ridge_int number = -1;
    if (v->type == RIDGE_JSON_STRING)
        return read_text(a, r, NULL, v);
    if (v->type != RIDGE_JSON_NUMBER || !ridge_int_parse(&number, v->u.text) || number < 0 || number >= (ridge_int)count)
        return pt2_bad(r, RIDGE_VALUE, v, "a %s that is not known", what);
    return keep_word(a, r, words[number]);
}

static ridge_status read_memory_format(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    static const char *const words[] = {"unknown", "torch.contiguous_format", "torch.channels_last", "torch.channels_last_3d",
                                        "torch.preserve_format"};
    (void)s;
    return read_enum(a, r, v, words, sizeof words / sizeof *words, "memory format");
}

static ridge_status read_layout(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    static const char *const words[] = {"unknown",          "torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc",
                                        "torch.sparse_bsr", "torch.sparse_bsc", "torch._mkldnn",    "torch.strided"};
    (void)s;
    return read_enum(a, r, v, words, sizeof words / sizeof *words, "layout");
}

/* {"type": "cuda", "index": 0}: "cuda", as which of several says nothing here */
static ridge_status read_device(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    ridge_str type;
    ridge_status st = pt2_text(&type, r, v, "type");
    (void)s;
    a->kind = RIDGE_OPGRAPH_ARG_TEXT;
    return st ? st : pt2_keep(&a->u.text, r, type);
}

static ridge_status read_body(ridge_opgraph_argument *a, pt2_reader *r, pt2_scope *s, const ridge_json *v)
{
    const ridge_json *graph;
    pt2_scope inner = {0};
    ridge_opgraph_body body;
    ridge_opgraph *g = r->out;
    ridge_status st = pt2_member(&graph, r, v, "graph", RIDGE_JSON_OBJECT);
    if (st)
        return st;
    if (s->depth + 1 > RIDGE_OPGRAPH_DEPTH)
        return pt2_bad(r, RIDGE_LIMIT, graph, "graphs in graphs, more than %d deep", RIDGE_OPGRAPH_DEPTH);
    if ((st = pt2_graph(&body, &inner, r, graph, s->depth + 1)))
        return st;
    if (!ridge_arena_more(r->arena, &g->bodies, g->body_count, &r->body_cap, sizeof *g->bodies))
        return ridge_no_memory(r->err);
    a->kind = RIDGE_OPGRAPH_ARG_BODY;
    a->u.body = (uint32_t)g->body_count;
    g->bodies[g->body_count++] = body;
    return RIDGE_OK;
}

static const struct {
    const char *key;
    kind *read;
} kinds[] = {
    {"as_tensor", read_value},
    {"as_int", read_whole},
    {"as_ints", read_wholes},
    {"as_float", read_real},
    {"as_bool", read_bool},
    {"as_none", read_none},
    {"as_tensors", read_values},
    {"as_sym_int", read_number},
    {"as_sym_ints", read_numbers},
    {"as_floats", read_reals},
    {"as_string", read_text},
    {"as_strings", read_texts},
    {"as_scalar_type", read_dtype},
    {"as_memory_format", read_memory_format},
    {"as_layout", read_layout},
    {"as_device", read_device},
    {"as_bools", read_bools},
    {"as_sym_bool", read_number},
    {"as_sym_bools", read_numbers},
    {"as_sym_float", read_number},
    {"as_sym_floats", read_float_numbers},
    {"as_graph", read_body},
    {"as_optional_tensor", read_optional},
    {"as_optional_tensors", read_optionals},
    {"as_nested_tensors", read_nested},
    {"as_operator", read_text},
    {"as_custom_obj", read_none},
    {"as_complex", read_none},
    {"as_int_lists", read_none},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- an argument of a node ---- */

static ridge_status add_argument(pt2_reader *r, pt2_scope *s, ridge_str name, const ridge_json *v, unsigned depth);

/* {"x": {"as_tensor": ...}, ...}: each an argument of its own, "kwargs.x" */
static ridge_status add_dictionary(pt2_reader *r, pt2_scope *s, ridge_str name, const ridge_json *v, unsigned depth)
{
    ridge_status st = RIDGE_OK;
    if (v->type != RIDGE_JSON_OBJECT)
        return pt2_bad(r, RIDGE_TYPE, v, "want an object, found %s", ridge_json_type_name(v->type));
    for (uint32_t i = 0; i < v->count && !st; i++) {
        const ridge_json_member *m = &v->u.members[i];
        const char *path = ridge_arena_printf(r->scratch, "%.*s%s%.*s", RIDGE_STR_ARG(name), name.n ? "." : "", RIDGE_STR_ARG(m->key));
        st = path ? add_argument(r, s, ridge_str_of(path), &m->value, depth + 1) : ridge_no_memory(r->err);
    }
    return st;
}

static ridge_status add_argument(pt2_reader *r, pt2_scope *s, ridge_str name, const ridge_json *v, unsigned depth)
{
    const ridge_json_member *m;
    ridge_opgraph_argument a = {0};
    size_t k = 0;
    ridge_status st = pt2_union(&m, r, v, "an argument");
    if (st)
        return st;
    if (depth > NESTED_MOST)
        return pt2_bad(r, RIDGE_LIMIT, v, "arguments in arguments, more than %d deep", NESTED_MOST);
    if (ridge_str_is(m->key, "as_string_to_argument"))
        return add_dictionary(r, s, name, &m->value, depth);
    while (k < KINDS && !ridge_str_is(m->key, kinds[k].key))
        k++;
    if (k == KINDS)
        return pt2_bad(r, RIDGE_NAME, &m->value, "an argument as '%s' is not known", pt2_shown(r, m->key));
    if ((st = kinds[k].read(&a, r, s, &m->value)) || (st = pt2_keep(&a.name, r, name)))
        return st;
    if (!ridge_arena_more(r->scratch, &s->arguments, s->argument_count, &s->argument_cap, sizeof *s->arguments))
        return ridge_no_memory(r->err);
    s->arguments[s->argument_count++] = a;
    return RIDGE_OK;
}

ridge_status pt2_argument(pt2_reader *r, pt2_scope *s, ridge_str name, const ridge_json *v)
{
    return add_argument(r, s, name, v, 0);
}

/* ---- what goes into a graph, out of it, out of a node ---- */

static ridge_status add_end(pt2_ids *out, pt2_reader *r, pt2_scope *s, const ridge_json *v, bool make, bool gaps)
{
    const ridge_json *name;
    ridge_status st = name_of(&name, r, v);
    if (!st && name)
        return add_name(out, r, s, name, make ? MAKES : READS);
    return st || !gaps ? st : pt2_push(r, out, RIDGE_OPGRAPH_NONE);
}

static ridge_status add_ends(pt2_ids *out, pt2_reader *r, pt2_scope *s, const ridge_json *v, bool make, bool gaps)
{
    static const char *const values[] = {"as_tensor", "as_sym_int", "as_sym_bool", "as_sym_float", "as_optional_tensor"},
                             *const several[] = {"as_tensors", "as_optional_tensors", "as_sym_ints", "as_sym_bools", "as_sym_floats"};
    const ridge_json_member *m;
    ridge_status st = pt2_union(&m, r, v, "a value");
    if (st)
        return st;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (ridge_str_is(m->key, values[i]))
            return add_end(out, r, s, &m->value, make, gaps);
    for (size_t i = 0; i < sizeof several / sizeof *several; i++)
        if (ridge_str_is(m->key, several[i])) {
            if (m->value.type != RIDGE_JSON_ARRAY)
                return pt2_bad(r, RIDGE_TYPE, &m->value, "want a list, found %s", ridge_json_type_name(m->value.type));
            for (uint32_t k = 0; k < m->value.count && !st; k++)
                st = add_end(out, r, s, &m->value.u.items[k], make, gaps);
            return st;
        }
    for (size_t k = 0; k < KINDS; k++) /* a number, None, an object of a class */
        if (ridge_str_is(m->key, kinds[k].key) && kinds[k].read != read_nested && kinds[k].read != read_body)
            return gaps ? pt2_push(r, out, RIDGE_OPGRAPH_NONE) : RIDGE_OK;
    return pt2_bad(r, RIDGE_NAME, &m->value, "a value as '%s' is not known", pt2_shown(r, m->key));
}

ridge_status pt2_ends(pt2_ids *out, pt2_reader *r, pt2_scope *s, const ridge_json *list, bool make, bool gaps)
{
    ridge_status st = RIDGE_OK;
    out->count = 0;
    for (uint32_t i = 0; i < list->count && !st; i++)
        st = add_ends(out, r, s, &list->u.items[i], make, gaps);
    return st;
}
