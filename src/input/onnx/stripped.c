#include "input/onnx/parts.h"

/* onnx.tools.replace_constants makes a model small: in place of a weight W stand its shape, an initializer or Constant named "W__SHAPE",
 * and a node ConstantOfShape that makes W of it. Such a node is the weight again, whose numbers nobody has. No other node has these names.
 */

static bool is_named_so(const onnx_node *n)
{
    static const char ending[] = "__SHAPE";
    if (n->domain->len || !ridge_str_is(ridge_onnx_text(n->op), "ConstantOfShape") || n->inputs.count != 1 || n->outputs.count != 1)
        return false;
    const ridge_str shape = ridge_onnx_text(n->inputs.items[0]), made = ridge_onnx_text(n->outputs.items[0]);
    return made.n && shape.n == made.n + sizeof ending - 1 && ridge_str_starts(shape, made) && ridge_str_ends(shape, RIDGE_STR("__SHAPE"));
}

/* its value's type; FLOAT where it has none (ONNX, ConstantOfShape) */
static const onnx_dtype *dtype_of(const onnx_node *n)
{
    const onnx_dtype *dtype = ridge_onnx_dtype(1);
    for (size_t i = 0; i < n->attribute_count; i++) {
        const onnx_attribute *a = &n->attributes[i];
        if (a->ref)
            return NULL;
        if (ridge_str_is(ridge_onnx_text(a->name), "value") && a->argument.kind == RIDGE_OPGRAPH_ARG_VALUE)
            dtype = a->tensors[0]->dtype;
    }
    return dtype;
}

static ridge_status weight_of(onnx_tensor **out, onnx_reader *r, const onnx_node *n, const ridge_opgraph_value *shape,
                              const onnx_dtype *dtype)
{
    onnx_tensor *t = ridge_arena_alloc(r->arena, sizeof *t);
    uint64_t *dims = ridge_arena_array(r->arena, shape->content_count + 1, sizeof *dims);
    if (!t || !dims)
        return ridge_no_memory(r->err);
    *t = (onnx_tensor){.name = n->outputs.items[0], .dtype = dtype, .rank = (uint32_t)shape->content_count, .dims = dims, .at = n->at};
    for (uint32_t i = 0; i < t->rank; i++) {
        if (shape->ints[i] < 0)
            return ridge_onnx_bad_node(r, n, RIDGE_VALUE, "its shape has a dimension below 0");
        dims[i] = (uint64_t)shape->ints[i];
    }
    t->stripped = true;
    *out = t;
    return ridge_onnx_measure(r, t);
}

ridge_status ridge_onnx_stripped(bool *is_value, onnx_reader *r, const onnx_node *n, const uint32_t *inputs)
{
    const onnx_dtype *dtype = is_named_so(n) ? dtype_of(n) : NULL;
    const onnx_tensor *from = dtype && dtype->format && inputs[0] != RIDGE_OPGRAPH_NONE ? r->tensor_of[inputs[0]] : NULL;
    onnx_tensor *t = NULL;
    uint32_t value;
    if (!from || from->dtype->number != 7 || from->rank != 1 || from->elements > RIDGE_OPGRAPH_RANK)
        return RIDGE_OK;
    ridge_opgraph_value shape = r->out->values[inputs[0]];
    ridge_status st = ridge_onnx_content(&shape, r, from);
    if (st || !shape.ints)
        return st;
    *is_value = true;
    if ((st = weight_of(&t, r, n, &shape, dtype)) || (st = ridge_onnx_tensor_value(&value, r, t, ridge_onnx_text(t->name))))
        return st;
    return ridge_onnx_define(r, t->name, value, NULL);
}
