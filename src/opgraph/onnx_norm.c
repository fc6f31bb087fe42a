/* Norms: "n" elements of the result. */
#include "opgraph/onnx.h"

static ridge_status as_input(ridge_opgraph_call *call)
{
    ridge_opset_count(call, "n", call->in[0]);
    return ridge_opgraph_set_like(call, 0, ridge_opset_format_of(call, 0), call->in[0]);
}

/* a number per channel */
static ridge_status check_channels(ridge_opgraph_call *call, uint32_t from, uint32_t to)
{
    const ridge_opgraph_tensor *x = call->in[0];
    for (uint32_t i = from; i < to; i++) {
        const ridge_opgraph_tensor *t = ridge_opgraph_in(call, i);
        if (t && (t->rank != 1 || x->rank < 2 || t->dims[0] != x->dims[1]))
            return ridge_opgraph_wrong(call, "input %u is %s; the channels of X are those of %s", i + 1, ridge_opgraph_shape_text(call, t),
                                       ridge_opgraph_shape_text(call, x));
    }
    return RIDGE_OK;
}

/* X, scale, B, mean, var; results 1 and later are numbers per channel: running mean and variance, and before version 9 saved ones.
 * Before version 7 X of rank 1 and spatial=0 (numbers per element) are possible. */
ridge_status ridge_onnx_rule_batch_norm(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 5);
    bool spatial = ridge_opgraph_whole(call->node, "spatial", 1) != 0;
    if (!st && spatial && call->in[0]->rank > 1)
        st = check_channels(call, 1, 5);
    if (!st)
        st = as_input(call);
    for (uint32_t i = 1; !st && i < call->out_count; i++)
        st = ridge_opgraph_set_like(call, i, ridge_opset_format_of(call, 3), call->in[3]);
    return st;
}

/* of channels, groups or rows; "a": 1 where a SiLU follows in the same kernel (GroupNorm of ONNX Runtime) */
ridge_status ridge_onnx_rule_norm(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (!st && strcmp(ridge_opset_op(call), "InstanceNormalization") == 0)
        st = check_channels(call, 1, 3);
    ridge_opgraph_size_is(call, "a", ridge_opgraph_whole(call->node, "activation", 0) == 1);
    return st ? st : as_input(call);
}

/* mean and deviation have 1 where rows were summed; stash_type is their format */
static ridge_status statistics(ridge_opgraph_call *call, uint32_t first, uint32_t count, uint32_t axis, const ridge_format *format)
{
    ridge_opset_dims kept = ridge_opset_dims_of(call->in[0]);
    ridge_status st = RIDGE_OK;
    for (uint32_t i = axis; i < kept.rank; i++)
        kept.at[i] = 1;
    for (uint32_t i = first; !st && i < first + count; i++)
        st = ridge_opset_set(call, i, format, &kept);
    return st;
}

/* X, Scale, B -> Y, Mean, InvStdDev; SimplifiedLayerNormalization has Y and InvStdVar */
ridge_status ridge_onnx_rule_layer_norm(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    uint32_t axis;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    ridge_opset_dims dims = ridge_opset_dims_of(x);
    if ((st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", -1), x->rank)) ||
        (st = ridge_opset_broadcast(&dims, call, call->in[1])))
        return st;
    if (dims.rank != x->rank || ridge_opgraph_product(dims.at, 0, dims.rank) != x->elements)
        return ridge_opgraph_wrong(call, "a scale of %s does not broadcast to %s", ridge_opgraph_shape_text(call, call->in[1]),
                                   ridge_opgraph_shape_text(call, x));
    if (!(st = as_input(call)))
        st = statistics(call, 1, 2, axis, ridge_opset_format(ridge_opgraph_whole(call->node, "stash_type", 1)));
    return st;
}

/* input, skip, gamma, beta, bias -> output, mean, inv_std_var, the sum; the simplified one has no beta. "a": 1 where a bias is added */
ridge_status ridge_onnx_rule_skip_norm(ridge_opgraph_call *call)
{
    bool simplified = strcmp(ridge_opset_op(call), "SkipSimplifiedLayerNormalization") == 0;
    ridge_status st = ridge_opset_needs(call, 3);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *skip = call->in[1];
    ridge_opset_dims dims = ridge_opset_dims_of(x);
    if (x->rank < 1 || (st = ridge_opset_broadcast(&dims, call, skip)))
        return st ? st : ridge_opgraph_wrong(call, "its input is a single number");
    if (ridge_opgraph_product(dims.at, 0, dims.rank) != x->elements)
        return ridge_opgraph_wrong(call, "a skip of %s does not broadcast to %s", ridge_opgraph_shape_text(call, skip),
                                   ridge_opgraph_shape_text(call, x));
    ridge_opgraph_size_is(call, "a", ridge_opset_has(call, simplified ? 3 : 4) ? 1 : 0);
    if (!(st = as_input(call)) && !(st = statistics(call, 1, 2, x->rank - 1, ridge_opset_format_named("fp32"))))
        st = ridge_opgraph_set_like(call, 3, x->format, x);
    return st;
}

/* "s" channels are summed for each element */
ridge_status ridge_onnx_rule_lrn(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    int64_t size = ridge_opgraph_whole(call->node, "size", -1);
    if (!st && (size < 1 || size > INT32_MAX))
        st = ridge_opgraph_wrong(call, "size is %lld", (long long)size);
    ridge_opgraph_size_is(call, "s", size);
    return st ? st : as_input(call);
}

/* input_ids, segment_ids, and tables of words, positions and segments, gamma, beta, mask, position_ids -> output [B, S, H], mask_index [B],
 * the sum; rows of the tables are read: one per token of words and segments, one per position where none are given.
 * "t" tables are summed. */
ridge_status ridge_onnx_rule_embed_norm(ridge_opgraph_call *call)
{
    enum { IDS, SEGMENTS, WORDS, POSITIONS, SEGMENT_TABLE, GAMMA, BETA, MASK, POSITION_IDS };
    const ridge_opgraph_tensor *ids = ridge_opgraph_in(call, IDS), *words = ridge_opgraph_in(call, WORDS),
                               *positions = ridge_opgraph_in(call, POSITIONS);
    if (!ids || !words || !positions)
        return ridge_opgraph_wrong(call, "it wants ids and tables of words and positions");
    if (ids->rank != 2 || words->rank != 2)
        return ridge_opgraph_wrong(call, "the ids are %s and the table of words is %s", ridge_opgraph_shape_text(call, ids),
                                   ridge_opgraph_shape_text(call, words));
    ridge_status st = ridge_opset_needs(call, 1);
    ridge_opset_dims out = {.rank = 3, .at = {ids->dims[0], ids->dims[1], words->dims[1]}};
    ridge_int taken = ridge_opgraph_product(out.at, 0, 3), at_once = (ridge_int)ids->dims[1] * words->dims[1];
    if (taken < 0)
        return ridge_opgraph_wrong(call, "its result is too large");
    if (!st)
        st = ridge_opset_reads(call, WORDS, taken);
    if (!st)
        st = ridge_opset_reads(call, POSITIONS, ridge_opset_has(call, POSITION_IDS) ? taken : at_once);
    if (!st && ridge_opset_has(call, SEGMENT_TABLE))
        st = ridge_opset_reads(call, SEGMENT_TABLE, ridge_opset_has(call, SEGMENTS) ? taken : words->dims[1]);
    ridge_opgraph_size_is(call, "t", ridge_opset_has(call, SEGMENT_TABLE) ? 3 : 2);
    ridge_opgraph_size_is(call, "n", taken);
    if (st || (st = ridge_opset_set(call, 0, words->format, &out)) ||
        (st = ridge_opgraph_set(call, 1, ridge_opset_format_named("i32"), ids->dims, 1)))
        return st;
    return ridge_opset_set(call, 2, words->format, &out);
}
