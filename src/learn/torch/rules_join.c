/* Tensors put together, rows looked up, and borders. */
#include "learn/torch/content.h"
#include "learn/torch/rules.h"
#include "learn/torch/size.h"
#include "learn/torch/torch.h"

static ridge_status parts_of(ridge_tensor ***out, size_t *count, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_py list = values[0];
    if ((list.type != RIDGE_PY_T_TUPLE && list.type != RIDGE_PY_T_LIST) || !list.u.list->count)
        return ridge_py_raise(in, "TypeError", "%s(): expected a non-empty list of Tensors", op->name);
    *count = list.u.list->count;
    ridge_tensor **parts = *out = ridge_arena_array(in->arena, *count, sizeof *parts);
    if (!parts)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < *count; i++) {
        const ridge_py item = list.u.list->items[i];
        if (item.type != RIDGE_PY_T_TENSOR)
            return ridge_py_raise(in, "TypeError", "expected Tensor as element %zu, but got %s", i, ridge_py_type_text(item));
        parts[i] = item.u.tensor;
    }
    return RIDGE_OK;
}

/* a list in which something is unknown gives what is unknown */
static bool unknown_part(ridge_py *out, ridge_py list)
{
    for (size_t i = 0; (list.type == RIDGE_PY_T_TUPLE || list.type == RIDGE_PY_T_LIST) && i < list.u.list->count; i++)
        if (list.u.list->items[i].type == RIDGE_PY_T_UNKNOWN) {
            *out = list.u.list->items[i];
            return true;
        }
    return false;
}

/* PyTorch passes over one-dimensional tensors without elements, whatever the rank of the others */
static bool is_legacy_empty(const ridge_tensor *t)
{
    return t->rank == 1 && ridge_size_is(t->dims[0], 0);
}

static const ridge_tensor *model_part(ridge_tensor *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_legacy_empty(parts[i]))
            return parts[i];
    return parts[0];
}

ridge_status ridge_rule_cat(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor **parts;
    size_t count;
    uint32_t axis;
    ridge_py dims[RIDGE_TENSOR_RANK];
    if (unknown_part(out, values[0]))
        return RIDGE_OK;
    ridge_status st = parts_of(&parts, &count, op, values, in);
    if (st)
        return st;
    const ridge_tensor *model = model_part(parts, count);
    st = ridge_tensor_axis(&axis, model, ridge_operator_value(op, values, "dim"), in);
    if (st)
        return st;
    memcpy(dims, model->dims, model->rank * sizeof *dims);
    dims[axis] = ridge_py_int(0);
    for (size_t i = 0; !st && i < count; i++) {
        if (is_legacy_empty(parts[i]) && model->rank != 1)
            continue;
        bool fits = parts[i]->rank == model->rank;
        for (uint32_t k = 0; fits && k < model->rank; k++)
            fits = k == axis || !ridge_dims_differ(parts[i]->dims[k], model->dims[k]);
        if (!fits)
            return ridge_py_raise(in, "RuntimeError", "Sizes of tensors must match except in dimension %u: %s and %s", axis,
                                  ridge_shape_text(model, in), ridge_shape_text(parts[i], in));
        st = ridge_size_add(&dims[axis], dims[axis], parts[i]->dims[axis], in);
    }
    if (!st)
        st = ridge_operator_result(out, op, values, dims, model->rank, in);
    if (!st)
        st = ridge_content_cat(out->u.tensor, parts, count, axis, in);
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}

static ridge_status unsqueezed(ridge_tensor **parts, size_t count, uint32_t axis, ridge_py_interp *in)
{
    for (size_t i = 0; i < count; i++) {
        const ridge_py at = ridge_py_int(axis);
        ridge_py view;
        ridge_status st = ridge_py_call_method(&view, ridge_py_tensor(parts[i]), "unsqueeze", &at, 1, in);
        if (st)
            return st;
        parts[i] = view.u.tensor;
    }
    return RIDGE_OK;
}

ridge_status ridge_rule_stack(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor **parts;
    size_t count;
    int64_t axis;
    ridge_py dims[RIDGE_TENSOR_RANK];
    if (unknown_part(out, values[0]))
        return RIDGE_OK;
    ridge_status st = parts_of(&parts, &count, op, values, in);
    if (!st)
        st = ridge_py_concrete(&axis, ridge_operator_value(op, values, "dim"), in);
    if (st)
        return st;
    uint32_t rank = parts[0]->rank;
    axis += axis < 0 ? rank + 1 : 0;
    if (axis < 0 || axis > rank || rank == RIDGE_TENSOR_RANK)
        return ridge_py_raise(in, "IndexError", "Dimension out of range in stack");
    for (size_t i = 1; i < count; i++) {
        bool fits = parts[i]->rank == rank;
        for (uint32_t k = 0; fits && k < rank; k++)
            fits = !ridge_dims_differ(parts[i]->dims[k], parts[0]->dims[k]);
        if (!fits)
            return ridge_py_raise(in, "RuntimeError", "stack expects each tensor to be equal size, but got %s and %s",
                                  ridge_shape_text(parts[0], in), ridge_shape_text(parts[i], in));
    }
    for (uint32_t k = 0; k <= rank; k++)
        dims[k] = k == axis ? ridge_py_int((int64_t)count) : parts[0]->dims[k < axis ? k : k - 1];
    st = ridge_operator_result(out, op, values, dims, rank + 1, in);
    if (!st)
        st = unsqueezed(parts, count, (uint32_t)axis, in);
    if (!st)
        st = ridge_content_cat(out->u.tensor, parts, count, (uint32_t)axis, in);
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}

/* F.embedding(input, weight): the rows of weight that input names */
ridge_status ridge_rule_embedding(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_tensor *ids = ridge_operator_tensor(op, values, "input"), *weight = ridge_operator_tensor(op, values, "weight");
    if (!ids || !weight || weight->rank != 2 || ids->rank >= RIDGE_TENSOR_RANK)
        return ridge_py_raise(in, "RuntimeError", "'weight' must be 2-D");
    if (ids->dtype != RIDGE_DTYPE_I64 && ids->dtype != RIDGE_DTYPE_I32)
        return ridge_py_raise(in, "RuntimeError",
                              "Expected tensor for argument 'indices' to have scalar types Long, Int; but got %s instead",
                              ridge_dtype_name(ids->dtype));
    ridge_py dims[RIDGE_TENSOR_RANK];
    ridge_tensor *result;
    memcpy(dims, ids->dims, ids->rank * sizeof *dims);
    dims[ids->rank] = weight->dims[1];
    ridge_status st = ridge_tensor_new(&result, weight->dtype, dims, ids->rank + 1, in);
    if (st)
        return st;
    *out = ridge_py_tensor(result);
    const ridge_py inputs[2] = {ridge_operator_value(op, values, "weight"), ridge_operator_value(op, values, "input")};
    return ridge_operator_record_of(op, values, inputs, 2, out, 1, NULL, 0, in);
}

static ridge_status zeros(ridge_py *out, const ridge_py *dims, uint32_t rank, ridge_py_interp *in)
{
    ridge_py sizes, function;
    ridge_py_word *word = ridge_arena_alloc(in->arena, sizeof *word);
    const ridge_py_keyword keyword = {ridge_py_symbol(in, "dtype"), {.type = RIDGE_PY_T_WORD, .u.word = word}};
    if (!word || !keyword.name)
        return ridge_no_memory(in->err);
    *word = (ridge_py_word){.kind = "dtype", .text = ridge_dtype_name(RIDGE_DTYPE_I64)};
    ridge_status st = ridge_py_new_list(&sizes, RIDGE_PY_T_TUPLE, rank, in);
    for (uint32_t i = 0; !st && i < rank; i++)
        st = ridge_py_append(sizes.u.list, dims[i], in);
    if (!st)
        st = ridge_torch_function(&function, "torch.zeros", in);
    return st ? st : ridge_py_call_value(out, function, &sizes, 1, &keyword, 1, in);
}

/* F.one_hot(tensor, num_classes): zeros into which ones are scattered */
ridge_status ridge_rule_one_hot(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_py dims[RIDGE_TENSOR_RANK], classes;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (!st)
        st = ridge_size_of(&classes, ridge_operator_value(op, values, "num_classes"), in);
    if (!st && t->rank >= RIDGE_TENSOR_RANK)
        st = ridge_py_raise(in, "RuntimeError", "one_hot: too many dimensions");
    if (!st && ridge_size_is(classes, -1))
        st = ridge_py_unknown(&classes, "shape from data", "one_hot without num_classes has as many columns as the largest index says",
                              NULL, NULL, in);
    if (st)
        return st;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[t->rank] = classes;
    st = zeros(out, dims, t->rank + 1, in);
    if (!st)
        st = ridge_content_one_hot(out->u.tensor, t, in);
    const ridge_operator *scatter = ridge_operator_find("aten.scatter_.value", in);
    const ridge_py inputs[2] = {*out, values[0]};
    return st || !scatter ? st : ridge_operator_record(scatter, inputs, 2, out, 1, NULL, 0, in);
}

/* F.pad(input, (left, right, top, bottom, ...)): from the last dimension on */
ridge_status ridge_rule_pad(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t;
    const ridge_py pad = ridge_operator_value(op, values, "pad");
    ridge_status st = ridge_operator_input(&t, op, values, in);
    if (st)
        return st;
    if ((pad.type != RIDGE_PY_T_TUPLE && pad.type != RIDGE_PY_T_LIST) || pad.u.list->count % 2 || pad.u.list->count / 2 > t->rank)
        return ridge_py_raise(in, "RuntimeError", "Padding length should be a pair for each of at most %u dimensions", t->rank);
    ridge_py dims[RIDGE_TENSOR_RANK];
    int64_t before[RIDGE_TENSOR_RANK] = {0}, after[RIDGE_TENSOR_RANK] = {0};
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    for (uint32_t i = 0; !st && i < pad.u.list->count / 2; i++) {
        uint32_t axis = t->rank - 1 - i;
        ridge_py left, right;
        st = ridge_size_of(&left, pad.u.list->items[2 * i], in);
        if (!st)
            st = ridge_size_of(&right, pad.u.list->items[2 * i + 1], in);
        if (!st)
            st = ridge_size_add(&dims[axis], dims[axis], left, in);
        if (!st)
            st = ridge_size_add(&dims[axis], dims[axis], right, in);
        if (!st && ridge_size_concrete(dims[axis]) < 0)
            return ridge_py_raise(in, "RuntimeError", "padding takes more than there is of dimension %u of %s", axis,
                                  ridge_shape_text(t, in));
        before[axis] = left.type == RIDGE_PY_T_INT ? left.u.i : 0;
        after[axis] = right.type == RIDGE_PY_T_INT ? right.u.i : 0;
    }
    if (!st)
        st = ridge_operator_result(out, op, values, dims, t->rank, in);
    ridge_py value = ridge_operator_value(op, values, "value");
    if (!st && strstr(op->name, "constant_pad"))
        st = ridge_content_pad(out->u.tensor, t, before, after, ridge_operator_given(value) ? value : ridge_py_int(0), in);
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}
