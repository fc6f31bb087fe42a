/* ATen operators that hand their input on, or copy it: which, their strides, dtypes and arguments say, as torch.export has them. What the
 * file says too little for is counted as a copy. */
#include "opgraph/aten.h"
#include "opgraph/parts.h"

typedef struct layout {
    int64_t size[RIDGE_OPGRAPH_RANK], stride[RIDGE_OPGRAPH_RANK];
    uint32_t rank;
    ridge_int elements;
} layout;

/* *known false: strides are not said, or open */
static ridge_status layout_of(layout *out, bool *known, const ridge_opgraph_call *call, const ridge_opgraph_tensor *t)
{
    const char *why = NULL;
    *known = t && t->known && t->value->strides && t->value->rank == t->rank;
    if (!*known)
        return RIDGE_OK;
    out->rank = t->rank;
    out->elements = t->elements;
    for (uint32_t i = 0; i < t->rank && *known; i++) {
        ridge_status st = ridge_opgraph_dim_size(&out->stride[i], &why, call->run, &t->value->strides[i]);
        if (st)
            return st;
        out->size[i] = t->dims[i];
        *known = out->stride[i] >= 0;
    }
    return RIDGE_OK;
}

/* Can a tensor of this layout be seen in other sizes? ATen's computeStride (aten/src/ATen/TensorUtils.cpp): dimensions that lie behind each
 * other without a gap are one run, and each run must be a product of new dimensions. */
static bool can_be_seen_as(const layout *from, const int64_t *sizes, uint32_t rank)
{
    uint32_t left = rank; /* new dimensions that no run has yet */
    ridge_int run = 1, seen = 1, step = from->rank ? from->stride[from->rank - 1] : 1;
    if (from->elements == 0 || !from->rank)
        return true;
    for (uint32_t i = from->rank; i-- > 0;) {
        run *= from->size[i];
        if (i && (from->size[i - 1] == 1 || from->stride[i - 1] == run * step))
            continue;
        while (left && (seen < run || sizes[left - 1] == 1))
            seen *= sizes[--left];
        if (seen != run)
            return false;
        run = seen = 1;
        step = i ? from->stride[i - 1] : 1;
    }
    return left == 0;
}

/* of another tensor that is there for its shape or dtype alone nothing is read, which the traffic of a copy would count */
static ridge_status copies(ridge_opgraph_call *call)
{
    if (call->step->is_view || !ridge_opgraph_named(call, "other"))
        return RIDGE_OK;
    return ridge_opgraph_unknown(call, "a copy in the likeness of another tensor is not counted");
}

ridge_status ridge_aten_reshape(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *out = call->out_count ? call->out[0] : NULL;
    layout from;
    bool known;
    ridge_status st = layout_of(&from, &known, call, ridge_opgraph_in(call, 0));
    if (!st && known && out && out->known)
        call->step->is_view = can_be_seen_as(&from, out->dims, out->rank);
    return st ? st : copies(call);
}

/* dimensions of one element lie anywhere */
static bool lie_alike(const layout *a, const layout *b)
{
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->size[i] != 1 && a->stride[i] != b->stride[i])
            return a->elements == 0;
    return true;
}

ridge_status ridge_aten_contiguous(ridge_opgraph_call *call)
{
    layout from, to;
    bool known, said = false;
    ridge_status st = layout_of(&from, &known, call, ridge_opgraph_in(call, 0));
    if (!st && known)
        st = layout_of(&to, &said, call, call->out_count ? call->out[0] : NULL);
    if (!st && said && from.rank == to.rank)
        call->step->is_view = lie_alike(&from, &to);
    return st;
}

ridge_status ridge_aten_to(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *in = ridge_opgraph_in(call, 0), *out = call->out_count ? call->out[0] : NULL;
    call->step->is_view = in && out && in->format && in->format == out->format && !ridge_opgraph_whole(call->node, "copy", 0);
    return copies(call);
}

ridge_status ridge_aten_dropout(ridge_opgraph_call *call)
{
    const ridge_opgraph_argument *train = ridge_opgraph_argument_of(call->node, "train");
    if (!train || train->kind != RIDGE_OPGRAPH_ARG_INT || train->u.whole)
        return ridge_opgraph_unknown(call, "what dropout costs in training is not counted: export the model in evaluation");
    call->step->is_view = true;
    return RIDGE_OK;
}
