/* What the inputs of a program are: torch/_export/serde/schema.py, InputSpec; of schema 1 the two maps that came before it. */
#include "input/pt2/parts.h"

/* an input that the caller does not give: its own name, its kind, its row among the weights */
static ridge_status set_origin(uint32_t *id, pt2_reader *r, pt2_scope *s, const ridge_json *graph_name, ridge_opgraph_origin origin,
                               ridge_str name)
{
    ridge_status st = pt2_value(id, r, s, graph_name);
    if (st)
        return st;
    ridge_opgraph_value *value = &r->out->values[*id];
    if (value->origin != RIDGE_OPGRAPH_INPUT)
        return pt2_bad(r, RIDGE_VALUE, graph_name, "'%s' is no input of the graph, or said to be two things",
                       pt2_shown(r, graph_name->u.text));
    value->origin = origin;
    return pt2_keep(&value->name, r, name);
}

/* `persistent` is said of buffers since schema 4 */
static ridge_status add_spec(pt2_reader *r, pt2_scope *s, const ridge_json *spec, ridge_opgraph_origin origin, const char *name_key)
{
    const ridge_json *arg, *graph_name, *persistent = ridge_json_get(spec, "persistent");
    ridge_str name;
    uint32_t id;
    ridge_status st = pt2_member(&arg, r, spec, "arg", RIDGE_JSON_OBJECT);
    if (st || (st = pt2_member(&graph_name, r, arg, "name", RIDGE_JSON_STRING)) || (st = pt2_text(&name, r, spec, name_key)) ||
        (st = set_origin(&id, r, s, graph_name, origin, name)) || origin == RIDGE_OPGRAPH_CONSTANT)
        return st;
    const bool buffer = origin == RIDGE_OPGRAPH_BUFFER;
    return pt2_add_weight(r, id, buffer, !buffer || (persistent && persistent->type == RIDGE_JSON_TRUE), spec);
}

static ridge_status read_spec(pt2_reader *r, pt2_scope *s, const ridge_json *spec)
{
    static const char *const nothing[] = {"user_input", "custom_obj", "token", "constant_input"};
    const ridge_json_member *m;
    ridge_status st = pt2_union(&m, r, spec, "an input");
    if (st)
        return st;
    if (ridge_str_is(m->key, "parameter"))
        return add_spec(r, s, &m->value, RIDGE_OPGRAPH_PARAMETER, "parameter_name");
    if (ridge_str_is(m->key, "buffer"))
        return add_spec(r, s, &m->value, RIDGE_OPGRAPH_BUFFER, "buffer_name");
    if (ridge_str_is(m->key, "tensor_constant"))
        return add_spec(r, s, &m->value, RIDGE_OPGRAPH_CONSTANT, "tensor_constant_name");
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        if (ridge_str_is(m->key, nothing[i]))
            return RIDGE_OK;
    return pt2_bad(r, RIDGE_NAME, &m->value, "an input as '%s' is not known", pt2_shown(r, m->key));
}

/* schema 1: {"arg0_1": "fc.weight"}; the name in the graph is a key there */
static ridge_status read_map(pt2_reader *r, pt2_scope *s, const ridge_json *signature, const char *key, ridge_opgraph_origin origin)
{
    const ridge_json *map;
    ridge_status st = pt2_member(&map, r, signature, key, RIDGE_JSON_OBJECT);
    for (uint32_t i = 0; !st && i < map->count; i++) {
        const ridge_json_member *m = &map->u.members[i];
        const ridge_json name = {.type = RIDGE_JSON_STRING, .line = m->line, .col = m->col, .u.text = m->key};
        uint32_t id = 0;
        if (m->value.type != RIDGE_JSON_STRING)
            return pt2_bad(r, RIDGE_TYPE, &m->value, "want a text, found %s", ridge_json_type_name(m->value.type));
        st = set_origin(&id, r, s, &name, origin, m->value.u.text);
        st = st ? st : pt2_add_weight(r, id, origin == RIDGE_OPGRAPH_BUFFER, origin == RIDGE_OPGRAPH_PARAMETER, &m->value);
    }
    return st;
}

/* of the inputs those that the caller gives are left */
static void keep_user_inputs(pt2_reader *r)
{
    ridge_opgraph_body *g = &r->out->main;
    uint32_t *inputs = (uint32_t *)(uintptr_t)g->inputs, left = 0; /* of the arena, made by this reader */
    for (uint32_t i = 0; i < g->input_count; i++)
        if (r->out->values[inputs[i]].origin == RIDGE_OPGRAPH_INPUT)
            inputs[left++] = inputs[i];
    g->input_count = left;
}

ridge_status pt2_signature(pt2_reader *r, pt2_scope *s, const ridge_json *signature)
{
    const ridge_json *specs;
    ridge_status st = RIDGE_OK;
    if (ridge_json_get(signature, "inputs_to_parameters")) {
        st = read_map(r, s, signature, "inputs_to_parameters", RIDGE_OPGRAPH_PARAMETER);
        st = st ? st : read_map(r, s, signature, "inputs_to_buffers", RIDGE_OPGRAPH_BUFFER);
    } else {
        st = pt2_member(&specs, r, signature, "input_specs", RIDGE_JSON_ARRAY);
        for (uint32_t i = 0; !st && i < specs->count; i++)
            st = read_spec(r, s, &specs->u.items[i]);
    }
    keep_user_inputs(r);
    return st;
}

/* ---- symbols ---- */

/* {"min_val": 2, "max_val": null}; what is no whole number of 64 bits (Infinity) is no bound */
static int64_t bound_of(const ridge_json *range, const char *key, int64_t otherwise)
{
    const ridge_json *v = ridge_json_get(range, key);
    ridge_int value;
    if (!v || v->type != RIDGE_JSON_NUMBER || !ridge_int_parse(&value, v->u.text))
        return otherwise;
    return value < 0 ? 0 : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static ridge_status add_symbol(pt2_reader *r, ridge_symtab *seen, const ridge_json *ranges, ridge_str name)
{
    ridge_opgraph *g = r->out;
    const uint32_t before = seen->count;
    const ridge_json *range = ridge_json_get_str(ranges, name);
    if (!ridge_intern(seen, name))
        return ridge_no_memory(r->err);
    if (seen->count == before)
        return RIDGE_OK;
    if (!ridge_arena_more(r->arena, &g->symbols, g->symbol_count, &r->symbol_cap, sizeof *g->symbols))
        return ridge_no_memory(r->err);
    ridge_opgraph_symbol symbol = {
        .low = bound_of(range, "min_val", 0), .high = bound_of(range, "max_val", INT64_MAX), .hint = pt2_hint(r, name)};
    ridge_status st = pt2_keep(&symbol.name, r, name);
    g->symbols[g->symbol_count++] = symbol;
    return st;
}

static ridge_status add_symbols_of(pt2_reader *r, ridge_symtab *seen, const ridge_json *ranges, ridge_str expression)
{
    ridge_str name;
    ridge_status st = RIDGE_OK;
    for (size_t at = 0; !st && pt2_next_symbol(&name, expression, &at);)
        st = add_symbol(r, seen, ranges, name);
    return st;
}

ridge_status pt2_symbols(pt2_reader *r, const ridge_json *program)
{
    const ridge_json *ranges = ridge_json_get(program, "range_constraints");
    const ridge_opgraph_body *g = &r->out->main;
    ridge_symtab seen;
    ridge_status st = ridge_symtab_init(&seen, r->scratch) ? RIDGE_OK : ridge_no_memory(r->err);
    for (uint32_t i = 0; i < g->input_count && !st; i++) {
        const ridge_opgraph_value *v = &r->out->values[g->inputs[i]];
        st = add_symbols_of(r, &seen, ranges, v->number);
        for (uint32_t k = 0; k < v->rank && !st; k++)
            st = v->dims[k].size < 0 ? add_symbols_of(r, &seen, ranges, v->dims[k].name) : RIDGE_OK;
    }
    return st;
}
