/* Products of matrices: b products of an [m, k] and a [k, n] matrix. */
#include "opgraph/onnx.h"

/* ---- MatMul and its kin, numpy's matmul ---- */

/* [m, k] of an operand after its own transpositions, batches before them */
typedef struct operand {
    ridge_opset_dims dims; /* rank >= 2 */
    bool vector;           /* it had one dimension; the other is a 1 that the result does not have */
} operand;

static operand operand_of(const ridge_opgraph_tensor *t, bool right)
{
    operand o = {.dims = ridge_opset_dims_of(t), .vector = t->rank == 1};
    if (o.vector) {
        o.dims.rank = 2;
        o.dims.at[1] = right ? 1 : o.dims.at[0];
        o.dims.at[0] = right ? o.dims.at[0] : 1;
    }
    return o;
}

/* FusedMatMul: transBatchA says that the matrix's first dimension stands before the batches, trans that its last two are turned */
static void turn(operand *o, bool turned, bool batches)
{
    uint32_t rank = o->dims.rank;
    int64_t *at = o->dims.at;
    if (o->vector || rank < 2)
        return;
    if (batches && rank > 2) {
        int64_t first = at[0];
        for (uint32_t i = 0; i + 2 < rank; i++)
            at[i] = at[i + 1];
        at[rank - 2] = first;
    }
    if (turned) {
        int64_t kept = at[rank - 2];
        at[rank - 2] = at[rank - 1];
        at[rank - 1] = kept;
    }
}

static ridge_status product(ridge_opgraph_call *call, operand a, operand b, const ridge_opgraph_tensor *at, const ridge_opgraph_tensor *bt,
                            const ridge_format *format)
{
    int64_t m = a.dims.at[a.dims.rank - 2], k = a.dims.at[a.dims.rank - 1], n = b.dims.at[b.dims.rank - 1];
    if (k != b.dims.at[b.dims.rank - 2])
        return ridge_opgraph_wrong(call, "the matrices %s and %s do not fit: %lld columns, %lld rows", ridge_opgraph_shape_text(call, at),
                                   ridge_opgraph_shape_text(call, bt), (long long)k, (long long)b.dims.at[b.dims.rank - 2]);
    ridge_opgraph_tensor batches = {.known = true, .rank = b.dims.rank - 2, .dims = b.dims.at};
    ridge_opset_dims out = a.dims;
    out.rank -= 2;
    ridge_status st = ridge_opset_broadcast(&out, call, &batches);
    if (st)
        return st;
    ridge_opgraph_size_is(call, "b", ridge_opgraph_product(out.at, 0, out.rank));
    ridge_opgraph_size_is(call, "m", m);
    ridge_opgraph_size_is(call, "k", k);
    ridge_opgraph_size_is(call, "n", n);
    if (out.rank + 2 > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "its result has more than %d dimensions", RIDGE_OPGRAPH_RANK);
    if (!a.vector)
        out.at[out.rank++] = m;
    if (!b.vector)
        out.at[out.rank++] = n;
    return ridge_opset_set(call, 0, format, &out);
}

/* of two inputs of the node */
static ridge_status matmul_of(ridge_opgraph_call *call, uint32_t ia, uint32_t ib, const ridge_format *format, bool fused)
{
    ridge_opgraph_tensor *a = ridge_opgraph_in(call, ia), *b = ridge_opgraph_in(call, ib);
    ridge_status st = ridge_opset_needs(call, ib + 1);
    if (st)
        return st;
    if (a->rank == 0 || b->rank == 0)
        return ridge_opgraph_wrong(call, "a matrix is %s, a single number", a->rank == 0 ? "A" : "B");
    operand left = operand_of(a, false), right = operand_of(b, true);
    if (fused) {
        turn(&left, ridge_opgraph_whole(call->node, "transA", 0) != 0, ridge_opgraph_whole(call->node, "transBatchA", 0) != 0);
        turn(&right, ridge_opgraph_whole(call->node, "transB", 0) != 0, ridge_opgraph_whole(call->node, "transBatchB", 0) != 0);
    }
    return product(call, left, right, a, b, format);
}

ridge_status ridge_onnx_rule_matmul(ridge_opgraph_call *call)
{
    return matmul_of(call, 0, 1, ridge_opset_format_of(call, 0), false);
}

ridge_status ridge_onnx_rule_fused_matmul(ridge_opgraph_call *call)
{
    return matmul_of(call, 0, 1, ridge_opset_format_of(call, 0), true);
}

/* 8 or 16 bits in, 32 bits out */
ridge_status ridge_onnx_rule_matmul_integer(ridge_opgraph_call *call)
{
    return matmul_of(call, 0, 1, ridge_opset_format_named("i32"), false);
}

/* QLinearMatMul: a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point */
ridge_status ridge_onnx_rule_matmul_quantised(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 8);
    return st ? st : matmul_of(call, 0, 3, ridge_opset_format_of(call, 7), false);
}

/* MatMulIntegerToFloat: the format of the scale of A; DynamicQuantizeMatMul: that of A itself */
ridge_status ridge_onnx_rule_matmul_to_float(ridge_opgraph_call *call)
{
    const ridge_format *a = ridge_opset_format_of(call, 0);
    return matmul_of(call, 0, 1, ridge_opset_is_whole(a) ? ridge_opset_format_of(call, 2) : a, false);
}

/* ---- weights of a few bits, packed: N rows of K; the attributes say what they are ---- */
ridge_status ridge_onnx_rule_matmul_bits(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    if (st)
        return st;
    const ridge_opgraph_tensor *a = call->in[0];
    int64_t k = ridge_opgraph_whole(call->node, "K", -1), n = ridge_opgraph_whole(call->node, "N", -1);
    if (k < 0 || n < 0)
        return ridge_opgraph_wrong(call, "it does not say K and N");
    if (a->rank < 1 || a->dims[a->rank - 1] != k)
        return ridge_opgraph_wrong(call, "A is %s, and K is %lld", ridge_opgraph_shape_text(call, a), (long long)k);
    ridge_opset_dims out = ridge_opset_dims_of(a);
    out.at[out.rank - 1] = n;
    ridge_opgraph_size_is(call, "m", ridge_opgraph_product(a->dims, 0, a->rank - 1));
    ridge_opgraph_size_is(call, "k", k);
    ridge_opgraph_size_is(call, "n", n);
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out);
}

/* ---- Gemm ---- */
static ridge_status gemm_of(ridge_opgraph_call *call, uint32_t ib, uint32_t ic, const ridge_format *format)
{
    const ridge_opgraph_tensor *a = ridge_opgraph_in(call, 0), *b = ridge_opgraph_in(call, ib), *c = ridge_opgraph_in(call, ic);
    ridge_status st = ridge_opset_needs(call, ib + 1);
    if (st)
        return st;
    if (a->rank != 2 || b->rank != 2)
        return ridge_opgraph_wrong(call, "A is %s and B %s; it wants two matrices", ridge_opgraph_shape_text(call, a),
                                   ridge_opgraph_shape_text(call, b));
    bool ta = ridge_opgraph_whole(call->node, "transA", 0) != 0, tb = ridge_opgraph_whole(call->node, "transB", 0) != 0;
    int64_t m = a->dims[ta ? 1 : 0], k = a->dims[ta ? 0 : 1], n = b->dims[tb ? 0 : 1];
    if (k != b->dims[tb ? 1 : 0])
        return ridge_opgraph_wrong(call, "the matrices %s%s and %s%s do not fit", ridge_opgraph_shape_text(call, a), ta ? " turned" : "",
                                   ridge_opgraph_shape_text(call, b), tb ? " turned" : "");
    ridge_opset_dims out = {.rank = 2, .at = {m, n}}, joined = out;
    st = c ? ridge_opset_broadcast(&joined, call, c) : RIDGE_OK;
    if (!st && (joined.rank != 2 || joined.at[0] != m || joined.at[1] != n))
        st = ridge_opgraph_wrong(call, "C is %s, which does not broadcast to [%lld, %lld]", ridge_opgraph_shape_text(call, c), (long long)m,
                                 (long long)n);
    ridge_opgraph_size_is(call, "m", m);
    ridge_opgraph_size_is(call, "k", k);
    ridge_opgraph_size_is(call, "n", n);
    return st ? st : ridge_opset_set(call, 0, format, &out);
}

ridge_status ridge_onnx_rule_gemm(ridge_opgraph_call *call)
{
    return gemm_of(call, 1, 2, ridge_opset_format_of(call, 0));
}

/* QGemm: A, a_scale, a_zero_point, B, b_scale, b_zero_point, C, y_scale, y_zero_point; without the last two the result is of floats */
ridge_status ridge_onnx_rule_qgemm(ridge_opgraph_call *call)
{
    enum { A_SCALE = 1, B = 3, C = 6, Y_ZERO = 8 };
    return gemm_of(call, B, C, ridge_opset_format_of(call, ridge_opset_has(call, Y_ZERO) ? Y_ZERO : A_SCALE));
}

/* ---- Det, Inverse: of the last two dimensions, "b" times "m" rows and columns ---- */
ridge_status ridge_onnx_rule_determinant(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 1);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    if (x->rank < 2 || x->dims[x->rank - 1] != x->dims[x->rank - 2])
        return ridge_opgraph_wrong(call, "X is %s, which are no square matrices", ridge_opgraph_shape_text(call, x));
    ridge_opgraph_size_is(call, "b", ridge_opgraph_product(x->dims, 0, x->rank - 2));
    ridge_opgraph_size_is(call, "m", x->dims[x->rank - 1]);
    return ridge_opgraph_set(call, 0, ridge_opset_format_of(call, 0), x->dims,
                             strcmp(ridge_opset_op(call), "Det") == 0 ? x->rank - 2 : x->rank);
}
