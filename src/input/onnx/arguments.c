#include "input/onnx/parts.h"

/* The value of a tensor in an attribute: a node Constant's by the name of its result. */
static ridge_status attribute_value(uint32_t *out, onnx_reader *r, const onnx_node *n, const onnx_attribute *a, onnx_tensor *t)
{
    ridge_str name = ridge_onnx_text(t->name);
    t->constant |= !n->domain->len && ridge_str_is(ridge_onnx_text(n->op), "Constant");
    if (t->constant && n->outputs.count)
        name = ridge_onnx_text(n->outputs.items[0]);
    else if (!name.n && !t->value) {
        const char *made = ridge_arena_printf(r->arena, "%s.%s", n->name->len ? n->name->text : n->op->text, a->name->text);
        if (!made)
            return ridge_no_memory(r->err);
        name = ridge_str_of(made);
    }
    return ridge_onnx_tensor_value(out, r, t, name);
}

static ridge_status value_argument(ridge_opgraph_argument *out, onnx_reader *r, const onnx_node *n, const onnx_attribute *a)
{
    const bool list = out->kind == RIDGE_OPGRAPH_ARG_VALUES;
    uint32_t *values = list ? ridge_arena_array(r->arena, out->count + 1, sizeof *values) : &out->u.value;
    ridge_status st = values ? RIDGE_OK : ridge_no_memory(r->err);
    for (size_t i = 0; i < (list ? out->count : 1) && !st; i++)
        st = attribute_value(&values[i], r, n, a, a->tensors[i]);
    if (list)
        out->u.values = values;
    return st;
}

static ridge_status own_argument(ridge_opgraph_argument *out, onnx_reader *r, const onnx_node *n, const onnx_attribute *a)
{
    *out = a->argument;
    if (out->kind == RIDGE_OPGRAPH_ARG_VALUE || out->kind == RIDGE_OPGRAPH_ARG_VALUES)
        return value_argument(out, r, n, a);
    if (out->kind == RIDGE_OPGRAPH_ARG_BODY)
        return ridge_onnx_body(&out->u.body, r, a->graph);
    return RIDGE_OK;
}

/* The call's attribute, else the function's own, else there is none. */
static ridge_status referred(ridge_opgraph_argument *out, bool *there, onnx_reader *r, const onnx_node *n, const onnx_attribute *a)
{
    const ridge_str ref = ridge_onnx_text(a->ref);
    if (!r->function)
        return ridge_onnx_bad_node(r, n, RIDGE_VALUE, "its attribute '%s' is one of a function's call, and this is no function",
                                   ridge_weight_shown(r->arena, ridge_onnx_text(a->name)));
    for (size_t i = 0; i < r->call_count && !*there; i++)
        if (ridge_str_eq(r->call[i].name, ref)) {
            *out = r->call[i];
            *there = true;
        }
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < r->function->default_count && !*there && !st; i++)
        if (r->function->defaults[i].name == a->ref) {
            st = own_argument(out, r, n, &r->function->defaults[i]);
            *there = true;
        }
    out->name = ridge_onnx_text(a->name);
    return st;
}

ridge_status ridge_onnx_arguments(ridge_opgraph_argument **out, uint32_t *count, onnx_reader *r, const onnx_node *n)
{
    ridge_status st = RIDGE_OK;
    *count = 0;
    if (!(*out = ridge_arena_array(r->arena, n->attribute_count + 1, sizeof **out)))
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < n->attribute_count && !st; i++) {
        const onnx_attribute *a = &n->attributes[i];
        bool there = !a->ref;
        st = there ? own_argument(&(*out)[*count], r, n, a) : referred(&(*out)[*count], &there, r, n, a);
        *count += there;
    }
    return st;
}
