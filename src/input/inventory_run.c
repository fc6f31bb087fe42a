/* What a recorded forward pass ran, as a graph of operators: values in the order in which they came to be, an operator for each call of
 * ATen. */
#include <stdlib.h>

#include "input/inventory_parts.h"

typedef struct builder {
    ridge_inventory_reader *r;
    ridge_opgraph *graph;
    bool *made; /* of the values: inputs, weights and constants are there from the start, a result once its operator ran */
} builder;

/* ---- values ---- */

static const struct {
    const char *word;
    ridge_opgraph_origin origin;
} origins[] = {
    {"input", RIDGE_OPGRAPH_INPUT},
    {"parameter", RIDGE_OPGRAPH_PARAMETER},
    {"buffer", RIDGE_OPGRAPH_BUFFER},
    {"constant", RIDGE_OPGRAPH_CONSTANT},
};

static ridge_status read_origin(ridge_opgraph_value *out, const builder *b, const ridge_json *v)
{
    const ridge_json *of;
    ridge_status st = ridge_inventory_member(&of, b->r, v, "of", RIDGE_JSON_STRING, false);
    out->origin = RIDGE_OPGRAPH_RESULT;
    if (st || !of)
        return st;
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        if (ridge_str_is(of->u.text, origins[i].word)) {
            out->origin = origins[i].origin;
            return RIDGE_OK;
        }
    return ridge_inventory_bad(b->r, RIDGE_VALUE, of, "of: '%s' is none of input, parameter, buffer, constant",
                               ridge_weight_shown(b->r->arena, of->u.text));
}

static ridge_status read_dims(ridge_opgraph_value *out, const builder *b, const ridge_json *v)
{
    const ridge_json *shape;
    ridge_int elements = 1;
    ridge_status st = ridge_inventory_member(&shape, b->r, v, "shape", RIDGE_JSON_ARRAY, true);
    if (st)
        return st;
    if (shape->count > RIDGE_OPGRAPH_RANK)
        return ridge_inventory_bad(b->r, RIDGE_LIMIT, shape, "shape: more than %d dimensions", RIDGE_OPGRAPH_RANK);
    ridge_opgraph_dim *dims = ridge_arena_array(b->r->arena, shape->count + 1u, sizeof *dims);
    if (!dims)
        return ridge_no_memory(b->r->err);
    for (uint32_t i = 0; i < shape->count; i++) {
        if (!ridge_inventory_whole(&dims[i].size, &shape->u.items[i]))
            return ridge_inventory_bad(b->r, RIDGE_VALUE, &shape->u.items[i], "shape: a dimension is no whole number below 2^63");
        if (!ridge_int_mul(&elements, elements, dims[i].size) || elements > INT64_MAX)
            return ridge_inventory_bad(b->r, RIDGE_OVERFLOW, shape, "shape: more than 2^63 elements");
    }
    out->ranked = true;
    out->rank = shape->count;
    out->dims = dims;
    return RIDGE_OK;
}

/* A parameter or buffer of the run is one of the modules, of the same shape and dtype. */
static ridge_status find_weight(ridge_opgraph_value *out, const builder *b, const ridge_json *v)
{
    const ridge_weights *all = &b->r->out->weights;
    const ridge_symbol *symbol = ridge_intern_find(&b->r->names.names, out->name);
    if (!symbol)
        return ridge_inventory_bad(b->r, RIDGE_NAME, v, "name: no module has the tensor '%s'", ridge_weight_shown(b->r->arena, out->name));
    out->weight = b->r->names.at[symbol->id] + 1;
    const ridge_weight *w = &all->tensors[out->weight - 1];
    bool same = w->format == out->format && w->rank == out->rank;
    for (uint32_t i = 0; same && i < w->rank; i++)
        same = w->shape[i] == (uint64_t)out->dims[i].size;
    return same ? RIDGE_OK
                : ridge_inventory_bad(b->r, RIDGE_VALUE, v, "'%s' has another shape or dtype in its module",
                                      ridge_weight_shown(b->r->arena, out->name));
}

static ridge_status read_value(builder *b, uint32_t at, const ridge_json *v)
{
    ridge_opgraph_value *out = &b->graph->values[at];
    ridge_status st;
    if (v->type != RIDGE_JSON_OBJECT)
        return ridge_inventory_bad(b->r, RIDGE_TYPE, v, "a value: want an object, found %s", ridge_json_type_name(v->type));
    if ((st = read_origin(out, b, v)) || (st = ridge_inventory_text(&out->name, b->r, v, "name", false)) ||
        (st = ridge_inventory_dtype(&out->format, &out->dtype, b->r, v)) || (st = read_dims(out, b, v)))
        return st;
    b->made[at] = out->origin != RIDGE_OPGRAPH_RESULT;
    return out->origin == RIDGE_OPGRAPH_PARAMETER || out->origin == RIDGE_OPGRAPH_BUFFER ? find_weight(out, b, v) : RIDGE_OK;
}

static ridge_status read_values(builder *b, const ridge_json *run)
{
    const ridge_json *list;
    ridge_status st = ridge_inventory_member(&list, b->r, run, "values", RIDGE_JSON_ARRAY, true);
    if (st)
        return st;
    b->graph->values = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *b->graph->values);
    b->made = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *b->made);
    if (!b->graph->values || !b->made)
        return ridge_no_memory(b->r->err);
    b->graph->value_count = list->count;
    for (uint32_t i = 0; !st && i < list->count; i++)
        st = read_value(b, i, &list->u.items[i]);
    return st;
}

/* the number of a value that is there by now */
static ridge_status read_number(uint32_t *out, const builder *b, const ridge_json *v)
{
    int64_t n;
    if (!ridge_inventory_whole(&n, v))
        return ridge_inventory_bad(b->r, RIDGE_TYPE, v, "want the number of a value");
    if (n >= (int64_t)b->graph->value_count)
        return ridge_inventory_bad(b->r, RIDGE_NAME, v, "there is no value %lld, there are %zu", (long long)n, b->graph->value_count);
    *out = (uint32_t)n;
    return RIDGE_OK;
}

static ridge_status read_known(uint32_t *out, const builder *b, const ridge_json *v)
{
    const ridge_status st = read_number(out, b, v);
    if (st || b->made[*out])
        return st;
    return ridge_inventory_bad(b->r, RIDGE_VALUE, v, "the value %u is read before an operator made it", *out);
}

/* ---- arguments ---- */

static bool all_are(const ridge_json *list, ridge_json_type type)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->u.items[i].type != type)
            return false;
    return true;
}

/* [+-]digits within 64 bits; true and false are 1 and 0 */
static bool is_whole(int64_t *out, const ridge_json *v)
{
    ridge_int n;
    if (v->type == RIDGE_JSON_TRUE || v->type == RIDGE_JSON_FALSE) {
        *out = v->type == RIDGE_JSON_TRUE;
        return true;
    }
    if (v->type != RIDGE_JSON_NUMBER || !ridge_int_parse(&n, v->u.text) || n < INT64_MIN || n > INT64_MAX)
        return false;
    *out = (int64_t)n;
    return true;
}

static double real_of(const builder *b, const ridge_json *v)
{
    const char *text = ridge_arena_strdup(b->r->arena, v->u.text);
    return text ? strtod(text, NULL) : 0;
}

static ridge_status read_reals(ridge_opgraph_argument *out, const builder *b, const ridge_json *list)
{
    double *reals = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *reals);
    if (!reals)
        return ridge_no_memory(b->r->err);
    for (uint32_t i = 0; i < list->count; i++)
        reals[i] = real_of(b, &list->u.items[i]);
    out->kind = RIDGE_OPGRAPH_ARG_REALS;
    out->u.reals = reals;
    return RIDGE_OK;
}

static ridge_status read_texts(ridge_opgraph_argument *out, const builder *b, const ridge_json *list)
{
    ridge_str *texts = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *texts);
    if (!texts)
        return ridge_no_memory(b->r->err);
    for (uint32_t i = 0; i < list->count; i++)
        texts[i] = list->u.items[i].u.text;
    out->kind = RIDGE_OPGRAPH_ARG_TEXTS;
    out->u.texts = texts;
    return RIDGE_OK;
}

/* whole numbers, numbers or texts; a list of anything else is a kind that no rule reads */
static ridge_status read_list(ridge_opgraph_argument *out, const builder *b, const ridge_json *list)
{
    int64_t *ints = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *ints);
    uint32_t n = 0;
    if (!ints)
        return ridge_no_memory(b->r->err);
    out->count = list->count;
    while (n < list->count && is_whole(&ints[n], &list->u.items[n]))
        n++;
    if (n == list->count) {
        out->kind = RIDGE_OPGRAPH_ARG_INTS;
        out->u.ints = ints;
        return RIDGE_OK;
    }
    if (all_are(list, RIDGE_JSON_NUMBER))
        return read_reals(out, b, list);
    if (all_are(list, RIDGE_JSON_STRING))
        return read_texts(out, b, list);
    out->count = 0;
    return RIDGE_OK;
}

/* {"value": 3} or {"values": [3, null, 4]}; `inputs` gets each */
static ridge_status read_tensors(ridge_opgraph_argument *out, const builder *b, const ridge_json *v, uint32_t *inputs, uint32_t *count)
{
    const ridge_json *one = ridge_json_get(v, "value"), *list = ridge_json_get(v, "values");
    if (one) {
        out->kind = RIDGE_OPGRAPH_ARG_VALUE;
        const ridge_status st = read_known(&out->u.value, b, one);
        if (!st)
            inputs[(*count)++] = out->u.value;
        return st;
    }
    if (!list || list->type != RIDGE_JSON_ARRAY)
        return ridge_inventory_bad(b->r, RIDGE_TYPE, v, "an argument that is an object has a 'value', or a list of 'values'");
    uint32_t *values = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *values);
    if (!values)
        return ridge_no_memory(b->r->err);
    for (uint32_t i = 0; i < list->count; i++) {
        values[i] = RIDGE_OPGRAPH_NONE;
        if (list->u.items[i].type == RIDGE_JSON_NULL)
            continue;
        const ridge_status st = read_known(&values[i], b, &list->u.items[i]);
        if (st)
            return st;
        inputs[(*count)++] = values[i];
    }
    out->kind = RIDGE_OPGRAPH_ARG_VALUES;
    out->count = list->count;
    out->u.values = values;
    return RIDGE_OK;
}

static ridge_status read_argument(ridge_opgraph_argument *out, const builder *b, const ridge_json_member *m, uint32_t *inputs,
                                  uint32_t *count)
{
    const ridge_json *v = &m->value;
    *out = (ridge_opgraph_argument){.name = m->key};
    switch (v->type) {
    case RIDGE_JSON_OBJECT:
        return read_tensors(out, b, v, inputs, count);
    case RIDGE_JSON_ARRAY:
        return read_list(out, b, v);
    case RIDGE_JSON_STRING:
        out->kind = RIDGE_OPGRAPH_ARG_TEXT;
        out->u.text = v->u.text;
        return RIDGE_OK;
    case RIDGE_JSON_NULL:
        return RIDGE_OK;
    default:
        if (is_whole(&out->u.whole, v)) {
            out->kind = RIDGE_OPGRAPH_ARG_INT;
            return RIDGE_OK;
        }
        out->kind = RIDGE_OPGRAPH_ARG_REAL;
        out->u.real = real_of(b, v);
        return RIDGE_OK;
    }
}

/* how many tensors the arguments can have at most */
static size_t tensors_most(const ridge_json *arguments)
{
    size_t n = 0;
    for (uint32_t i = 0; i < arguments->count; i++) {
        const ridge_json *list = ridge_json_get(&arguments->u.members[i].value, "values");
        n += list && list->type == RIDGE_JSON_ARRAY ? list->count : 1;
    }
    return n;
}

static ridge_status read_arguments(ridge_opgraph_node *out, const builder *b, const ridge_json *v)
{
    const ridge_json *arguments;
    ridge_status st = ridge_inventory_member(&arguments, b->r, v, "arguments", RIDGE_JSON_OBJECT, true);
    if (st)
        return st;
    ridge_opgraph_argument *all = ridge_arena_array(b->r->arena, arguments->count + 1u, sizeof *all);
    uint32_t *inputs = ridge_arena_array(b->r->arena, tensors_most(arguments) + 1u, sizeof *inputs);
    if (!all || !inputs)
        return ridge_no_memory(b->r->err);
    for (uint32_t i = 0; !st && i < arguments->count; i++)
        st = read_argument(&all[i], b, &arguments->u.members[i], inputs, &out->input_count);
    out->arguments = all;
    out->argument_count = arguments->count;
    out->inputs = inputs;
    return st;
}

/* ---- operators ---- */

static ridge_status read_outputs(ridge_opgraph_node *out, builder *b, const ridge_json *v)
{
    const ridge_json *list;
    ridge_status st = ridge_inventory_member(&list, b->r, v, "outputs", RIDGE_JSON_ARRAY, true);
    if (st)
        return st;
    uint32_t *outputs = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *outputs);
    if (!outputs)
        return ridge_no_memory(b->r->err);
    for (uint32_t i = 0; i < list->count; i++) {
        if ((st = read_number(&outputs[i], b, &list->u.items[i])))
            return st;
        if (b->made[outputs[i]])
            return ridge_inventory_bad(b->r, RIDGE_VALUE, &list->u.items[i], "the value %u is there already", outputs[i]);
        b->made[outputs[i]] = true;
    }
    out->outputs = outputs;
    out->output_count = list->count;
    return RIDGE_OK;
}

static ridge_status find_module(ridge_opgraph_node *out, const builder *b, const ridge_json *v)
{
    const ridge_inventory *i = b->r->out;
    ridge_status st = ridge_inventory_text(&out->module, b->r, v, "module", true);
    if (st)
        return st;
    const ridge_symbol *symbol = ridge_intern_find(&b->r->paths, out->module);
    if (!symbol || symbol->id >= i->count)
        return ridge_inventory_bad(b->r, RIDGE_NAME, v, "module: there is no module '%s'", ridge_weight_shown(b->r->arena, out->module));
    out->class_name = i->modules[symbol->id].class_name;
    return RIDGE_OK;
}

static ridge_status read_node(ridge_opgraph_node *out, builder *b, const ridge_json *v)
{
    ridge_status st;
    if (v->type != RIDGE_JSON_OBJECT)
        return ridge_inventory_bad(b->r, RIDGE_TYPE, v, "an operator: want an object, found %s", ridge_json_type_name(v->type));
    if ((st = ridge_inventory_text(&out->op, b->r, v, "op", true)) || (st = find_module(out, b, v)) || (st = read_arguments(out, b, v)))
        return st;
    if (!out->op.n)
        return ridge_inventory_bad(b->r, RIDGE_VALUE, v, "op: the name is empty");
    return read_outputs(out, b, v);
}

static ridge_status read_nodes(builder *b, const ridge_json *run)
{
    const ridge_json *list;
    ridge_status st = ridge_inventory_member(&list, b->r, run, "operators", RIDGE_JSON_ARRAY, true);
    if (st)
        return st;
    ridge_opgraph_node *nodes = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *nodes);
    if (!nodes)
        return ridge_no_memory(b->r->err);
    for (uint32_t i = 0; !st && i < list->count; i++)
        st = read_node(&nodes[i], b, &list->u.items[i]);
    b->graph->main.nodes = nodes;
    b->graph->main.count = list->count;
    return st;
}

/* ---- what goes in and out ---- */

static ridge_status read_ends(const uint32_t **out, uint32_t *count, const builder *b, const ridge_json *run, const char *key, bool inputs)
{
    const ridge_json *list;
    ridge_status st = ridge_inventory_member(&list, b->r, run, key, RIDGE_JSON_ARRAY, true);
    if (st)
        return st;
    uint32_t *ends = ridge_arena_array(b->r->arena, list->count + 1u, sizeof *ends);
    if (!ends)
        return ridge_no_memory(b->r->err);
    for (uint32_t i = 0; i < list->count; i++) {
        if ((st = read_known(&ends[i], b, &list->u.items[i])))
            return st;
        if (inputs && b->graph->values[ends[i]].origin != RIDGE_OPGRAPH_INPUT)
            return ridge_inventory_bad(b->r, RIDGE_VALUE, &list->u.items[i], "inputs: the value %u is no input", ends[i]);
    }
    *out = ends;
    *count = list->count;
    return RIDGE_OK;
}

static ridge_status name_modules(builder *b)
{
    const ridge_inventory *i = b->r->out;
    b->graph->modules = ridge_arena_array(b->r->arena, i->count + 1u, sizeof *b->graph->modules);
    if (!b->graph->modules)
        return ridge_no_memory(b->r->err);
    for (uint32_t k = 0; k < i->count; k++)
        b->graph->modules[k] = (ridge_opgraph_module){i->modules[k].path, i->modules[k].class_name};
    b->graph->module_count = i->count;
    b->graph->weights = i->weights;
    return RIDGE_OK;
}

ridge_status ridge_inventory_run(ridge_inventory_reader *r, const ridge_json *run)
{
    const ridge_json *failed;
    ridge_status st = ridge_inventory_member(&failed, r, run, "failed", RIDGE_JSON_STRING, false);
    if (st || failed) {
        r->out->failed = st ? NULL : ridge_arena_strdup(r->arena, failed->u.text);
        return st || r->out->failed ? st : ridge_no_memory(r->err);
    }
    ridge_opgraph *g = ridge_arena_alloc(r->arena, sizeof *g);
    const char *torch = ridge_arena_printf(r->arena, "PyTorch %.*s", RIDGE_STR_ARG(r->out->torch));
    if (!g || !torch)
        return ridge_no_memory(r->err);
    *g = (ridge_opgraph){.kind = "inventory", .path = r->out->path, .name = ridge_inventory_class(r->out)};
    g->producer = r->out->torch.n ? ridge_str_of(torch) : (ridge_str){"", 0};
    builder b = {.r = r, .graph = g};
    if ((st = read_values(&b, run)) || (st = read_nodes(&b, run)) ||
        (st = read_ends(&g->main.inputs, &g->main.input_count, &b, run, "inputs", true)) ||
        (st = read_ends(&g->main.outputs, &g->main.output_count, &b, run, "outputs", false)) || (st = name_modules(&b)))
        return st;
    r->out->graph = g;
    return RIDGE_OK;
}
