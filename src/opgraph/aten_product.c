/* ATen's composite products: matmul, einsum, the recurrent layers. */
#include "opgraph/aten.h"
#include "opgraph/onnx.h"

/* another operator does the work: its entry has the formula */
static ridge_status runs_as(ridge_opgraph_call *call, const char *name)
{
    ridge_status st = ridge_opgraph_spec_find(&call->spec, call->run, name);
    if (!st && !call->spec)
        return ridge_opgraph_unknown(call, "'%s' is not in the catalog", name);
    call->step->spec = call->spec;
    return st;
}

static const ridge_opgraph_tensor *operand(const ridge_opgraph_call *call, const char *name, uint32_t place)
{
    const ridge_opgraph_tensor *t = ridge_opgraph_named(call, name);
    return t ? t : ridge_opgraph_in(call, place);
}

/* Tensors of any rank, their batches broadcast: n elements of the result, each a sum of k terms. A row vector by a matrix is 1 x k. */
ridge_status ridge_aten_matmul(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *a = operand(call, "self", 0), *b = operand(call, "other", 1), *c = call->out_count ? call->out[0] : NULL;
    if (!a || !b || !c || !c->known || !a->rank || !b->rank)
        return ridge_opgraph_unknown(call, "its operands are not the ones that the catalog's signature has");
    const int64_t k = a->dims[a->rank - 1];
    if (k != b->dims[b->rank > 1 ? b->rank - 2 : 0])
        return ridge_opgraph_wrong(call, "a product of %s and %s", ridge_opgraph_shape_text(call, a), ridge_opgraph_shape_text(call, b));
    const int64_t n = b->rank > 1 ? b->dims[b->rank - 1] : 1;
    ridge_opgraph_size_is(call, "m", n ? c->elements / n : 0);
    ridge_opgraph_size_is(call, "k", k);
    ridge_opgraph_size_is(call, "n", n);
    if (b->rank > 1)
        return RIDGE_OK;
    return runs_as(call, a->rank > 1 ? "aten.mv.default" : "aten.dot.default");
}

/* Of two operands bmm does the product; where nothing is summed away it is a product of elements. How three are paired depends on what is
 * installed beside PyTorch (opt_einsum). */
ridge_status ridge_aten_einsum(ridge_opgraph_call *call)
{
    if (call->in_count > 2)
        return ridge_opgraph_unknown(call, "in which order PyTorch pairs %u operands is not known", call->in_count);
    ridge_status st = ridge_onnx_rule_einsum(call);
    const ridge_opgraph_tensor *out = call->out_count ? call->out[0] : NULL;
    const ridge_opgraph_step *s = call->step;
    for (unsigned i = 0; !st && i < s->size_count && call->in_count == 2 && out; i++)
        if (strcmp(s->sizes[i].name, "p") == 0 && s->sizes[i].value == out->elements)
            return runs_as(call, "aten.mul.Tensor");
    return st;
}

/* Every matrix of weights is read in every step of every sequence: input [steps, batch, i] or [batch, steps, i]; without a batch
 * [steps, i]. */
ridge_status ridge_aten_recurrent(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *x = operand(call, "input", 0);
    const ridge_opgraph_argument *params = ridge_opgraph_argument_of(call->node, "params");
    ridge_int weights = 0, p;
    if (!x || !x->rank || !params || params->kind != RIDGE_OPGRAPH_ARG_VALUES)
        return ridge_opgraph_unknown(call, "its operands are not the ones that the catalog's signature has");
    for (size_t i = 0; i < params->count; i++) {
        const ridge_opgraph_tensor *w = params->u.values[i] == RIDGE_OPGRAPH_NONE ? NULL : &call->run->tensors[params->u.values[i]];
        if (w && w->known && w->rank == 2 && !ridge_int_add(&weights, weights, w->elements))
            return ridge_overflow(call->run->err, "the weights of a recurrent layer");
    }
    if (!ridge_int_mul(&p, weights, ridge_opgraph_product(x->dims, 0, x->rank - 1)))
        return ridge_overflow(call->run->err, "the products of a recurrent layer");
    ridge_opgraph_size_is(call, "p", p);
    return RIDGE_OK;
}
