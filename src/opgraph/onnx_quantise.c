/* To integers of 8 bits and back, and work on them; gated activations of ONNX Runtime. */
#include "opgraph/onnx.h"

/* x, y_scale, y_zero_point: the zero point's format, or that of output_dtype (version 21) */
ridge_status ridge_onnx_rule_quantise(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    if (st)
        return st;
    const ridge_format *said = ridge_opset_format(ridge_opgraph_whole(call->node, "output_dtype", 0));
    const ridge_format *format = ridge_opset_has(call, 2) ? ridge_opset_format_of(call, 2) : said ? said : ridge_opset_format_named("u8");
    ridge_opset_count(call, "n", call->in[0]);
    return ridge_opgraph_set_like(call, 0, format, call->in[0]);
}

/* x, x_scale, x_zero_point: the scale's format */
ridge_status ridge_onnx_rule_dequantise(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    if (st)
        return st;
    const ridge_format *said = ridge_opset_format(ridge_opgraph_whole(call->node, "output_dtype", 0));
    ridge_opset_count(call, "n", call->in[0]);
    return ridge_opgraph_set_like(call, 0, said ? said : ridge_opset_format_of(call, 1), call->in[0]);
}

/* y, y_scale, y_zero_point */
ridge_status ridge_onnx_rule_quantise_dynamic(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    ridge_opset_count(call, "n", call->in[0]);
    if ((st = ridge_opgraph_set_like(call, 0, ridge_opset_format_named("u8"), call->in[0])) ||
        (st = ridge_opgraph_set(call, 1, ridge_opset_format_of(call, 0), NULL, 0)))
        return st;
    return ridge_opgraph_set(call, 2, ridge_opset_format_named("u8"), NULL, 0);
}

static ridge_status broadcast_of(ridge_opgraph_call *call, const uint32_t *inputs, uint32_t count, const ridge_format *format)
{
    ridge_opset_dims dims = {0};
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; !st && i < count; i++)
        st = ridge_opgraph_in(call, inputs[i]) ? ridge_opset_broadcast(&dims, call, call->in[inputs[i]])
                                               : ridge_opset_needs(call, inputs[i] + 1);
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(dims.at, 0, dims.rank));
    return st ? st : ridge_opset_set(call, 0, format, &dims);
}

/* A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale, C_zero_point */
ridge_status ridge_onnx_rule_binary_quantised(ridge_opgraph_call *call)
{
    static const uint32_t operands[] = {0, 3};
    return broadcast_of(call, operands, 2, ridge_opset_format_of(call, 0));
}

/* condition, X, x_scale, x_zero_point, Y, y_scale, y_zero_point, z_scale, z_zero_point */
ridge_status ridge_onnx_rule_where_quantised(ridge_opgraph_call *call)
{
    static const uint32_t operands[] = {0, 1, 4};
    return broadcast_of(call, operands, 3, ridge_opset_format_of(call, 1));
}

/* BiasSplitGelu: X [N, S, 2*D] and a bias of 2*D; one half times the GELU of the other */
ridge_status ridge_onnx_rule_half_gelu(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    if (st)
        return st;
    ridge_opset_dims dims = ridge_opset_dims_of(call->in[0]);
    if (dims.rank < 1 || dims.at[dims.rank - 1] % 2 != 0)
        return ridge_opgraph_wrong(call, "X is %s, whose last dimension has no halves", ridge_opgraph_shape_text(call, call->in[0]));
    dims.at[dims.rank - 1] /= 2;
    ridge_opgraph_size_is(call, "n", ridge_opgraph_product(dims.at, 0, dims.rank));
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &dims);
}
