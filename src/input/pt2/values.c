/* Values of a graph: torch/_export/serde/schema.py, TensorMeta, SymInt, SymBool, SymFloat. */
#include "input/pt2/parts.h"

enum { VALUES_MOST = 1 << 26 };

/* ScalarType of the schema, and what safetensors.c calls the same */
static const struct {
    int number;
    const char *word, *dtype, *format;
} dtypes[] = {
    {1, "BYTE", "torch.uint8", "u8"},
    {2, "CHAR", "torch.int8", "int8"},
    {3, "SHORT", "torch.int16", "i16"},
    {4, "INT", "torch.int32", "i32"},
    {5, "LONG", "torch.int64", "i64"},
    {6, "HALF", "torch.float16", "fp16"},
    {7, "FLOAT", "torch.float32", "fp32"},
    {8, "DOUBLE", "torch.float64", "fp64"},
    {9, "COMPLEXHALF", "torch.complex32", "complex32"},
    {10, "COMPLEXFLOAT", "torch.complex64", "complex64"},
    {11, "COMPLEXDOUBLE", "torch.complex128", "complex128"},
    {12, "BOOL", "torch.bool", "bool"},
    {13, "BFLOAT16", "torch.bfloat16", "bf16"},
    {28, "UINT16", "torch.uint16", "u16"},
    {29, "FLOAT8E4M3FN", "torch.float8_e4m3fn", "fp8_e4m3"},
    {30, "FLOAT8E5M2", "torch.float8_e5m2", "fp8_e5m2"},
    {31, "FLOAT8E4M3FNUZ", "torch.float8_e4m3fnuz", "fp8_e4m3"},
    {32, "FLOAT8E5M2FNUZ", "torch.float8_e5m2fnuz", "fp8_e5m2"},
};

const char *pt2_dtype(const ridge_json *v, const ridge_format **format)
{
    ridge_int number = -1;
    if (v->type == RIDGE_JSON_NUMBER && !ridge_int_parse(&number, v->u.text))
        return NULL;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (number == dtypes[i].number || (v->type == RIDGE_JSON_STRING && ridge_str_is(v->u.text, dtypes[i].word))) {
            *format = ridge_format_find(ridge_str_of(dtypes[i].format));
            return dtypes[i].dtype;
        }
    return NULL;
}

/* ---- expressions, and the numbers of the example that they were made with ---- */

/* 3, or {"as_int": 3} since schema 3 */
static int64_t read_hint(const ridge_json *v)
{
    const ridge_json *number = v && v->type == RIDGE_JSON_OBJECT ? ridge_json_get(v, "as_int") : v;
    ridge_int value;
    if (!number || number->type != RIDGE_JSON_NUMBER || !ridge_int_parse(&value, number->u.text) || value < 0 || value > INT64_MAX)
        return -1;
    return (int64_t)value;
}

/* of a symbol that stands alone */
static ridge_status keep_hint(pt2_reader *r, ridge_str expression, int64_t hint)
{
    ridge_str name;
    size_t at = 0;
    if (hint < 0 || !pt2_next_symbol(&name, expression, &at) || name.n != expression.n)
        return RIDGE_OK;
    const uint32_t before = r->hint_names.count;
    if (!ridge_intern(&r->hint_names, name) || !ridge_arena_more(r->scratch, &r->hints, before, &r->hint_cap, sizeof *r->hints))
        return ridge_no_memory(r->err);
    if (r->hint_names.count != before)
        r->hints[before] = hint;
    return RIDGE_OK;
}

int64_t pt2_hint(const pt2_reader *r, ridge_str name)
{
    const ridge_symbol *symbol = ridge_intern_find(&r->hint_names, name);
    return symbol ? r->hints[symbol->id] : -1;
}

/* {"expr_str": "s0", "hint": ...}; of booleans in schema 1 the text alone */
static ridge_status read_expression(ridge_str *out, pt2_reader *r, const ridge_json *v)
{
    const ridge_json *text = v;
    ridge_status st = v->type == RIDGE_JSON_STRING ? RIDGE_OK : pt2_member(&text, r, v, "expr_str", RIDGE_JSON_STRING);
    st = st ? st : pt2_expression(out, r, text);
    return st ? st : keep_hint(r, *out, read_hint(ridge_json_get(v, "hint")));
}

static ridge_status dim_of_expression(ridge_opgraph_dim *out, pt2_reader *r, const ridge_json *v)
{
    ridge_int whole;
    ridge_status st = read_expression(&out->name, r, v);
    if (st || !ridge_int_parse(&whole, out->name))
        return st;
    if (whole < 0 || whole > INT64_MAX)
        return pt2_bad(r, RIDGE_VALUE, v, "a size is below 0, or above 2^63");
    *out = (ridge_opgraph_dim){.size = (int64_t)whole};
    return RIDGE_OK;
}

ridge_status pt2_dim(ridge_opgraph_dim *out, pt2_reader *r, const ridge_json *v)
{
    const ridge_json_member *m;
    ridge_status st = RIDGE_OK;
    *out = (ridge_opgraph_dim){.size = -1};
    if (v->type != RIDGE_JSON_NUMBER) {
        if ((st = pt2_union(&m, r, v, "a size")))
            return st;
        if (ridge_str_is(m->key, "as_expr"))
            return dim_of_expression(out, r, &m->value);
        if (!ridge_str_is(m->key, "as_int"))
            return pt2_bad(r, RIDGE_NAME, &m->value, "a size as '%s' is not known", pt2_shown(r, m->key));
        v = &m->value;
    }
    if ((st = pt2_whole(&out->size, r, v)))
        return st;
    return out->size >= 0 ? RIDGE_OK : pt2_bad(r, RIDGE_VALUE, v, "a size is below 0");
}

/* Strides say what is a view and what is copied. One that is not understood leaves them out, and is no fault of the file's. */
static ridge_status read_strides(ridge_opgraph_value *value, pt2_reader *r, const ridge_json *meta)
{
    const ridge_json *list = ridge_json_get(meta, "strides");
    ridge_err *err = r->err;
    ridge_status st = RIDGE_OK;
    if (!list || list->type != RIDGE_JSON_ARRAY || list->count != value->rank)
        return RIDGE_OK;
    ridge_opgraph_dim *strides = ridge_arena_array(r->arena, list->count + 1u, sizeof *strides);
    if (!strides)
        return ridge_no_memory(r->err);
    r->err = NULL;
    for (uint32_t i = 0; i < list->count && !st; i++)
        st = pt2_dim(&strides[i], r, &list->u.items[i]);
    r->err = err;
    value->strides = st ? NULL : strides;
    return st == RIDGE_NOMEM ? ridge_no_memory(err) : RIDGE_OK;
}

ridge_status pt2_tensor_meta(ridge_opgraph_value *value, pt2_reader *r, const ridge_json *meta)
{
    const ridge_json *sizes, *dtype = ridge_json_get(meta, "dtype");
    ridge_status st = pt2_member(&sizes, r, meta, "sizes", RIDGE_JSON_ARRAY);
    if (st)
        return st;
    if (!dtype)
        return pt2_bad(r, RIDGE_TYPE, meta, "there is no 'dtype' here");
    if (!(value->dtype = pt2_dtype(dtype, &value->format)))
        return pt2_bad(r, RIDGE_VALUE, dtype, "a dtype that is not known");
    if (sizes->count > RIDGE_OPGRAPH_RANK)
        return pt2_bad(r, RIDGE_LIMIT, sizes, "a tensor of more than %d dimensions", RIDGE_OPGRAPH_RANK);
    ridge_opgraph_dim *dims = ridge_arena_array(r->arena, sizes->count + 1u, sizeof *dims);
    if (!dims)
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < sizes->count && !st; i++)
        st = pt2_dim(&dims[i], r, &sizes->u.items[i]);
    value->ranked = true;
    value->rank = sizes->count;
    value->dims = dims;
    return st ? st : read_strides(value, r, meta);
}

ridge_status pt2_add_value(uint32_t *id, pt2_reader *r, ridge_opgraph_value value)
{
    ridge_opgraph *g = r->out;
    if (g->value_count >= VALUES_MOST)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: more than 67,108,864 values", r->json_path);
    if (!ridge_arena_more(r->arena, &g->values, g->value_count, &r->value_cap, sizeof *g->values))
        return ridge_no_memory(r->err);
    *id = (uint32_t)g->value_count;
    g->values[g->value_count++] = value;
    return RIDGE_OK;
}

/* ---- the values of one graph ---- */

/* {"as_expr": ...}, or the number itself as `as_int`, `as_bool` or `as_float` */
static ridge_status read_number(ridge_opgraph_value *value, pt2_reader *r, const ridge_json *v)
{
    const ridge_json_member *m;
    int64_t *ints = ridge_arena_alloc(r->arena, sizeof *ints);
    double *reals = (double *)ints;
    _Static_assert(sizeof *ints == sizeof *reals, "one room for both");
    ridge_status st = pt2_union(&m, r, v, "a number");
    if (st || !ints)
        return st ? st : ridge_no_memory(r->err);
    if (ridge_str_is(m->key, "as_expr"))
        return read_expression(&value->number, r, &m->value);
    value->content_count = 1;
    if (ridge_str_is(m->key, "as_bool") && (m->value.type == RIDGE_JSON_TRUE || m->value.type == RIDGE_JSON_FALSE)) {
        *ints = m->value.type == RIDGE_JSON_TRUE;
        value->ints = ints;
        return RIDGE_OK;
    }
    if (ridge_str_is(m->key, "as_int")) {
        value->ints = ints;
        return pt2_whole(ints, r, &m->value);
    }
    if (ridge_str_is(m->key, "as_float")) {
        value->reals = reals;
        return pt2_real(reals, r, &m->value);
    }
    return pt2_bad(r, RIDGE_NAME, &m->value, "a number as '%s' is not known", pt2_shown(r, m->key));
}

static ridge_status add_named(pt2_scope *s, pt2_reader *r, const ridge_json_member *m, ridge_opgraph_value *value)
{
    const uint32_t before = s->names.count;
    uint32_t id;
    if (!ridge_intern(&s->names, m->key))
        return ridge_no_memory(r->err);
    if (s->names.count == before)
        return ridge_fail_at(r->err, RIDGE_VALUE, r->json_path, m->line, m->col, "'%s' is a tensor and a number", pt2_shown(r, m->key));
    ridge_status st = pt2_keep(&value->name, r, m->key);
    return st ? st : pt2_add_value(&id, r, *value);
}

/* schema 1 has {"meta": {...}} */
static ridge_status add_tensor(pt2_scope *s, pt2_reader *r, const ridge_json_member *m)
{
    ridge_opgraph_value value = {.origin = RIDGE_OPGRAPH_RESULT};
    const ridge_json *meta = ridge_json_get(&m->value, "meta");
    ridge_status st = pt2_tensor_meta(&value, r, meta ? meta : &m->value);
    return st ? st : add_named(s, r, m, &value);
}

static const struct {
    const char *key, *format, *dtype; /* NULL: of tensors */
} lists[] = {
    {"tensor_values", NULL, NULL},
    {"sym_int_values", "i64", "int"},
    {"sym_bool_values", "bool", "bool"},
    {"sym_float_values", "fp64", "float"},
};
enum { LISTS = sizeof lists / sizeof *lists };

static ridge_status add_list(pt2_scope *s, pt2_reader *r, const ridge_json *graph, size_t list)
{
    const ridge_json *all = ridge_json_get(graph, lists[list].key);
    ridge_status st = RIDGE_OK;
    if (!all || all->type == RIDGE_JSON_NULL)
        return list ? RIDGE_OK : pt2_member(&all, r, graph, lists[list].key, RIDGE_JSON_OBJECT);
    if ((st = pt2_member(&all, r, graph, lists[list].key, RIDGE_JSON_OBJECT)))
        return st;
    for (uint32_t i = 0; i < all->count && !st; i++) {
        const ridge_json_member *m = &all->u.members[i];
        ridge_opgraph_value value = {.origin = RIDGE_OPGRAPH_RESULT, .ranked = true, .dtype = lists[list].dtype, .host = true};
        if (!lists[list].format) {
            st = add_tensor(s, r, m);
            continue;
        }
        value.format = ridge_format_find(ridge_str_of(lists[list].format));
        st = read_number(&value, r, &m->value);
        st = st ? st : add_named(s, r, m, &value);
    }
    return st;
}

ridge_status pt2_values(pt2_scope *s, pt2_reader *r, const ridge_json *graph)
{
    ridge_status st = RIDGE_OK;
    s->first = (uint32_t)r->out->value_count;
    if (!ridge_symtab_init(&s->names, r->scratch))
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < LISTS && !st; i++)
        st = add_list(s, r, graph, i);
    s->made = ridge_arena_array(r->scratch, s->names.count + 1u, sizeof *s->made);
    return st || s->made ? st : ridge_no_memory(r->err);
}

static ridge_status find(const ridge_symbol **out, pt2_reader *r, pt2_scope *s, const ridge_json *name)
{
    if (name->type != RIDGE_JSON_STRING)
        return pt2_bad(r, RIDGE_TYPE, name, "the name of a value: want a text, found %s", ridge_json_type_name(name->type));
    *out = ridge_intern_find(&s->names, name->u.text);
    return *out ? RIDGE_OK : pt2_bad(r, RIDGE_NAME, name, "'%s' is no value of this graph", pt2_shown(r, name->u.text));
}

ridge_status pt2_value(uint32_t *id, pt2_reader *r, pt2_scope *s, const ridge_json *name)
{
    const ridge_symbol *symbol;
    ridge_status st = find(&symbol, r, s, name);
    if (st)
        return st;
    *id = s->first + symbol->id;
    return s->made[symbol->id] ? RIDGE_OK : pt2_bad(r, RIDGE_VALUE, name, "'%s' is read before it is made", pt2_shown(r, name->u.text));
}

ridge_status pt2_make(uint32_t *id, pt2_reader *r, pt2_scope *s, const ridge_json *name)
{
    const ridge_symbol *symbol;
    ridge_status st = find(&symbol, r, s, name);
    if (st)
        return st;
    if (s->made[symbol->id])
        return pt2_bad(r, RIDGE_VALUE, name, "'%s' is made twice", pt2_shown(r, name->u.text));
    s->made[symbol->id] = true;
    *id = s->first + symbol->id;
    return RIDGE_OK;
}
