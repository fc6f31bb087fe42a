/* Operators that work element by element: the shape is an input's, or that of all inputs broadcast (numpy's rules). */
#include "opgraph/onnx.h"

/* "n" and the shape of the first input; "a" is 1 where a bias is added in the same kernel (FastGelu) */
ridge_status ridge_onnx_rule_same(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (!st)
        st = ridge_opgraph_set_like(call, 0, ridge_opset_result_format(call, 0), call->in[0]);
    if (st)
        return st;
    ridge_opset_count(call, "n", call->in[0]);
    ridge_opgraph_size_is(call, "a", ridge_opset_has(call, 1) ? 1 : 0);
    (void)ridge_opset_fold_unary(call, ridge_opset_op(call), &st);
    return st;
}

/* Before version 7 the second operand may stand at an axis of the first: [2, 3, 4, 5] + [3, 4] with axis=1. */
static ridge_status placed(ridge_opgraph_tensor *b, int64_t *dims, ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *a = call->in[0];
    ridge_opset_list at = ridge_opset_attribute(call, "axis");
    *b = *call->in[1];
    if (call->node->opset >= 7 || call->node->opset < 1 || !at.count || b->rank >= a->rank)
        return RIDGE_OK;
    uint32_t axis;
    ridge_status st = ridge_opset_axis(&axis, call, at.at[0], a->rank);
    if (st)
        return st;
    if (axis + b->rank > a->rank)
        return ridge_opgraph_wrong(call, "%s does not fit into %s at axis %u", ridge_opgraph_shape_text(call, b),
                                   ridge_opgraph_shape_text(call, a), axis);
    for (uint32_t i = 0; i < a->rank - axis; i++)
        dims[i] = i < b->rank ? b->dims[i] : 1;
    b->rank = a->rank - axis;
    b->dims = dims;
    return RIDGE_OK;
}

ridge_status ridge_onnx_rule_broadcast(ridge_opgraph_call *call)
{
    ridge_opgraph_tensor b;
    int64_t at_axis[RIDGE_OPGRAPH_RANK];
    ridge_status st = ridge_opset_needs(call, 2);
    if (!st)
        st = placed(&b, at_axis, call);
    if (st)
        return st;
    ridge_opset_dims dims = ridge_opset_dims_of(call->in[0]);
    if (!(st = ridge_opset_broadcast(&dims, call, &b)))
        st = ridge_opset_set(call, 0, ridge_opset_result_format(call, 0), &dims);
    if (st)
        return st;
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(dims.at, 0, dims.rank));
    (void)ridge_opset_fold_binary(call, ridge_opset_op(call), call->in[0], &b, &st);
    return st;
}

/* Sum, Max, Min, Mean of "k" inputs */
ridge_status ridge_onnx_rule_variadic(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, call->in_count ? call->in_count : 1);
    if (st)
        return st;
    ridge_opset_dims dims = ridge_opset_dims_of(call->in[0]);
    for (uint32_t i = 1; !st && i < call->in_count; i++)
        st = ridge_opset_broadcast(&dims, call, call->in[i]);
    if (!st)
        st = ridge_opset_set(call, 0, ridge_opset_result_format(call, 0), &dims);
    if (st)
        return st;
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(dims.at, 0, dims.rank));
    ridge_opgraph_size_is(call, "k", call->in_count);
    if (call->in_count == 1)
        ridge_opset_hold_same(call, 0, call->in[0]);
    if (call->in_count == 2)
        (void)ridge_opset_fold_binary(call, ridge_opset_op(call), call->in[0], call->in[1], &st);
    return st;
}

/* ---- Where ---- */

/* of each element the branch that its condition says */
static ridge_status pick(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *condition = call->in[0], *x = call->in[1], *y = call->in[2];
    if (!ridge_opgraph_holds(call, 0) || !condition->ints || !ridge_opset_is_held(x) || !ridge_opset_is_held(y) || !x->ints != !y->ints)
        return RIDGE_OK;
    const ridge_opgraph_tensor *out = call->out[0];
    size_t count = (size_t)out->elements;
    int64_t at[RIDGE_OPGRAPH_RANK] = {0}, *ints = x->ints ? ridge_opgraph_room(call, 0) : NULL;
    double *reals = x->ints ? NULL : ridge_opgraph_room(call, 0);
    if (!ints && !reals)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < count; i++, ridge_opset_step(at, out)) {
        const ridge_opgraph_tensor *from = condition->ints[ridge_opset_place(condition, out->rank, at)] ? x : y;
        size_t place = ridge_opset_place(from, out->rank, at);
        if (ints)
            ints[i] = from->ints[place];
        else
            reals[i] = from->reals[place];
    }
    return ints ? ridge_opgraph_give_ints(call, 0, ints, count) : ridge_opgraph_give_reals(call, 0, reals, count);
}

ridge_status ridge_onnx_rule_where(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 3);
    if (st)
        return st;
    ridge_opset_dims dims = ridge_opset_dims_of(call->in[0]);
    for (uint32_t i = 1; !st && i < 3; i++)
        st = ridge_opset_broadcast(&dims, call, call->in[i]);
    if (!st)
        st = ridge_opset_set(call, 0, ridge_opset_format_of(call, 1), &dims);
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(dims.at, 0, dims.rank));
    return st ? st : pick(call);
}

/* ---- casts ---- */

static ridge_status cast_to(ridge_opgraph_call *call, const ridge_format *format)
{
    ridge_status st = ridge_opgraph_set_like(call, 0, format, call->in[0]);
    ridge_opset_count(call, "n", call->in[0]);
    return st ? st : ridge_opset_fold_cast(call, call->in[0]);
}

/* `to` is a number of TensorProto.DataType; in version 1 its name */
ridge_status ridge_onnx_rule_cast(ridge_opgraph_call *call)
{
    static const char *const names[] = {"UNDEFINED", "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",
                                        "INT32",     "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE",
                                        "UINT32",    "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16"};
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    int64_t to = ridge_opgraph_whole(call->node, "to", 0);
    ridge_str word = ridge_opgraph_text(call->node, "to", "");
    for (size_t i = 0; word.n && i < sizeof names / sizeof *names; i++)
        if (ridge_str_is(word, names[i]))
            to = (int64_t)i;
    enum { STRING = 8 };
    if (to != STRING && !ridge_opset_format(to))
        return ridge_opgraph_wrong(call, "there is no type %lld to cast to", (long long)to);
    return cast_to(call, ridge_opset_format(to));
}

ridge_status ridge_onnx_rule_cast_like(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    return st ? st : cast_to(call, ridge_opset_format_of(call, 1));
}

/* ---- what leaves its input as it is ---- */

ridge_status ridge_onnx_rule_identity(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (!st)
        st = ridge_opgraph_set_like(call, 0, ridge_opset_format_of(call, 0), call->in[0]);
    if (!st)
        ridge_opset_hold_same(call, 0, call->in[0]);
    return st;
}

/* In inference nothing is dropped, and ONNX Runtime takes the node out; a mask that is wanted is written. */
ridge_status ridge_onnx_rule_dropout(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (!st)
        st = ridge_opgraph_set_like(call, 0, ridge_opset_format_of(call, 0), call->in[0]);
    int64_t training = 0;
    if (!st && ridge_opset_has(call, 2) && !ridge_opset_whole(&training, call, 2))
        return ridge_opgraph_unknown(call, "whether it drops anything is decided by data");
    bool old = call->node->opset > 0 && call->node->opset < 10; /* the mask has the data's format */
    if (!st && ridge_opset_wants(call, 1))
        st = ridge_opgraph_set_like(call, 1, old ? ridge_opset_format_of(call, 0) : ridge_opset_format_named("bool"), call->in[0]);
    call->step->is_view = !training && !ridge_opset_wants(call, 1);
    if (!st && !training)
        ridge_opset_hold_same(call, 0, call->in[0]);
    return st;
}

/* ---- bounds and slopes ---- */

/* the bounds are attributes or inputs */
ridge_status ridge_onnx_rule_clip(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (!st)
        st = ridge_opgraph_set_like(call, 0, ridge_opset_format_of(call, 0), call->in[0]);
    if (st)
        return st;
    ridge_opset_count(call, "n", call->in[0]);
    const ridge_opgraph_tensor *x = call->in[0];
    if (!x->ints || !ridge_opgraph_holds(call, 0))
        return RIDGE_OK;
    int64_t low = INT64_MIN, high = INT64_MAX;
    if ((ridge_opset_has(call, 1) && !ridge_opset_whole(&low, call, 1)) || (ridge_opset_has(call, 2) && !ridge_opset_whole(&high, call, 2)))
        return RIDGE_OK;
    int64_t *ints = ridge_opgraph_room(call, 0);
    if (!ints)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < x->content_count; i++) {
        int64_t raised = x->ints[i] < low ? low : x->ints[i];
        ints[i] = raised > high ? high : raised;
    }
    return ridge_opgraph_give_ints(call, 0, ints, x->content_count);
}

/* the slope broadcasts to X, never X to the slope; before version 7 it is one number per channel */
ridge_status ridge_onnx_rule_prelu(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *slope = call->in[1];
    ridge_opset_dims dims = ridge_opset_dims_of(x);
    bool per_channel = call->node->opset > 0 && call->node->opset < 7 && slope->rank == 1 && x->rank > 1;
    if (!per_channel && (st = ridge_opset_broadcast(&dims, call, slope)))
        return st;
    if (ridge_opgraph_product(dims.at, 0, dims.rank) != x->elements || (per_channel && slope->dims[0] != 1 && slope->dims[0] != x->dims[1]))
        return ridge_opgraph_wrong(call, "a slope of %s does not broadcast to %s", ridge_opgraph_shape_text(call, slope),
                                   ridge_opgraph_shape_text(call, x));
    ridge_opset_count(call, "n", x);
    return ridge_opgraph_set_like(call, 0, ridge_opset_format_of(call, 0), x);
}
