/* Elements and rows taken by indices, and written by them. What is read of the data is as much as is taken: bytes "gather". */
#include "opgraph/onnx.h"

static void takes(ridge_opgraph_call *call, const ridge_opset_dims *out)
{
    call->step->gathered = ridge_opgraph_product(out->at, 0, out->rank);
}

/* an index that counts from the end where below 0; false: outside */
static bool index_of(size_t *out, const ridge_opgraph_tensor *indices, size_t place, int64_t size)
{
    int64_t at = indices->ints[place];
    at = at < 0 ? at + size : at;
    *out = (size_t)at;
    return at >= 0 && at < size;
}

/* ---- Gather: rows along an axis ---- */
typedef struct rows_taken {
    const ridge_opgraph_tensor *from, *indices;
    uint32_t axis;
} rows_taken;

static size_t row_place(const void *how, const int64_t *at)
{
    const rows_taken *g = how;
    size_t place = 0, index = 0, taken;
    for (uint32_t i = 0; i < g->indices->rank; i++)
        index = index * (size_t)g->indices->dims[i] + (size_t)at[g->axis + i];
    if (!index_of(&taken, g->indices, index, g->from->dims[g->axis]))
        return SIZE_MAX - 1; /* beyond every content: nothing is held */
    for (uint32_t i = 0; i < g->from->rank; i++)
        place = place * (size_t)g->from->dims[i] + (i < g->axis    ? (size_t)at[i]
                                                    : i == g->axis ? taken
                                                                   : (size_t)at[i + g->indices->rank - 1]);
    return place;
}

static ridge_status rows_of(ridge_opset_dims *out, ridge_opgraph_call *call, uint32_t axis)
{
    const ridge_opgraph_tensor *x = call->in[0], *indices = call->in[1];
    if (x->rank - 1 + indices->rank > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "its result has more than %d dimensions", RIDGE_OPGRAPH_RANK);
    *out = (ridge_opset_dims){0};
    for (uint32_t i = 0; i < axis; i++)
        out->at[out->rank++] = x->dims[i];
    for (uint32_t i = 0; i < indices->rank; i++)
        out->at[out->rank++] = indices->dims[i];
    for (uint32_t i = axis + 1; i < x->rank; i++)
        out->at[out->rank++] = x->dims[i];
    return RIDGE_OK;
}

ridge_status ridge_onnx_rule_gather(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    ridge_opset_dims out;
    uint32_t axis;
    if (st || (st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", 0), call->in[0]->rank)) ||
        (st = rows_of(&out, call, axis)) || (st = ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out)))
        return st;
    takes(call, &out);
    rows_taken how = {call->in[0], call->in[1], axis};
    return call->in[1]->ints ? ridge_opset_hold_from(call, 0, call->in[0], row_place, &how, (ridge_opset_filling){0}) : RIDGE_OK;
}

/* ---- GatherBlockQuantized: data, indices, scales, zero_points, of which the same rows are read ---- */

static ridge_status read_rows(ridge_opgraph_call *call, uint32_t axis)
{
    static const uint32_t tables[] = {0, 2, 3};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < sizeof tables / sizeof *tables; i++) {
        const ridge_opgraph_tensor *t = ridge_opgraph_in(call, tables[i]);
        ridge_int taken;
        if (!t || t->rank <= axis || t->dims[axis] != call->in[0]->dims[axis] || t->elements == 0)
            continue;
        st = ridge_int_mul(&taken, t->elements / t->dims[axis], call->in[1]->elements) ? ridge_opset_reads(call, tables[i], taken)
                                                                                       : RIDGE_OK;
    }
    return st;
}

ridge_status ridge_onnx_rule_gather_block_quantised(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 3);
    ridge_opset_dims out;
    uint32_t axis;
    if (st || (st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "gather_axis", 0), call->in[0]->rank)) ||
        (st = rows_of(&out, call, axis)))
        return st;
    const ridge_opgraph_tensor *x = call->in[0];
    int64_t bits = ridge_opgraph_whole(call->node, "bits", 4);
    bool bytes = x->format && strcmp(x->format->name, "u8") == 0;
    if (bits != 2 && bits != 4 && bits != 8)
        return ridge_opgraph_wrong(call, "elements of %lld bits", (long long)bits);
    if (bytes && axis + 1 == x->rank)
        return ridge_opgraph_unknown(call, "it takes parts of bytes");
    if (bytes && __builtin_mul_overflow(out.at[out.rank - 1], 8 / bits, &out.at[out.rank - 1])) /* several elements in a byte */
        return ridge_opgraph_wrong(call, "its rows are too long");
    st = ridge_opset_set(call, 0, ridge_opset_format_of(call, 2), &out);
    return st ? st : read_rows(call, axis);
}

/* ---- GatherElements: an index for each element of the result ---- */
typedef struct elements_taken {
    const ridge_opgraph_tensor *from, *indices;
    uint32_t axis;
} elements_taken;

static size_t element_place(const void *how, const int64_t *at)
{
    const elements_taken *g = how;
    size_t place = 0, index = 0, taken;
    for (uint32_t i = 0; i < g->indices->rank; i++)
        index = index * (size_t)g->indices->dims[i] + (size_t)at[i];
    if (!index_of(&taken, g->indices, index, g->from->dims[g->axis]))
        return SIZE_MAX - 1;
    for (uint32_t i = 0; i < g->from->rank; i++)
        place = place * (size_t)g->from->dims[i] + (i == g->axis ? taken : (size_t)at[i]);
    return place;
}

static ridge_status same_rank(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *x = call->in[0], *indices = call->in[1];
    return x->rank == indices->rank ? RIDGE_OK
                                    : ridge_opgraph_wrong(call, "the data is %s and the indices are %s", ridge_opgraph_shape_text(call, x),
                                                          ridge_opgraph_shape_text(call, indices));
}

ridge_status ridge_onnx_rule_gather_elements(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    uint32_t axis;
    if (st || (st = same_rank(call)) || (st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", 0), call->in[0]->rank)))
        return st;
    ridge_opset_dims out = ridge_opset_dims_of(call->in[1]);
    for (uint32_t i = 0; i < out.rank; i++)
        if (i != axis && out.at[i] > call->in[0]->dims[i])
            return ridge_opgraph_wrong(call, "the indices are %s, more than the data's %s", ridge_opgraph_shape_text(call, call->in[1]),
                                       ridge_opgraph_shape_text(call, call->in[0]));
    if ((st = ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out)))
        return st;
    takes(call, &out);
    elements_taken how = {call->in[0], call->in[1], axis};
    return call->in[1]->ints ? ridge_opset_hold_from(call, 0, call->in[0], element_place, &how, (ridge_opset_filling){0}) : RIDGE_OK;
}

/* ---- GatherND: the last dimension of the indices is a place in the data, after the batches ---- */

/* how many dimensions of the data an index names */
static ridge_status depth_of(uint32_t *depth, ridge_opgraph_call *call, uint32_t batches)
{
    const ridge_opgraph_tensor *x = call->in[0], *indices = call->in[1];
    if (indices->rank < 1 || batches >= indices->rank || batches > x->rank)
        return ridge_opgraph_wrong(call, "the data is %s and the indices are %s, of %u batch dimensions", ridge_opgraph_shape_text(call, x),
                                   ridge_opgraph_shape_text(call, indices), batches);
    int64_t names = indices->dims[indices->rank - 1];
    if (names > (int64_t)x->rank - batches)
        return ridge_opgraph_wrong(call, "an index has %lld numbers, the data is %s", (long long)names, ridge_opgraph_shape_text(call, x));
    for (uint32_t i = 0; i < batches; i++)
        if (x->dims[i] != indices->dims[i])
            return ridge_opgraph_wrong(call, "the batches of %s and of %s are not the same", ridge_opgraph_shape_text(call, x),
                                       ridge_opgraph_shape_text(call, indices));
    *depth = (uint32_t)names;
    return RIDGE_OK;
}

ridge_status ridge_onnx_rule_gather_nd(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 2);
    int64_t batches = ridge_opgraph_whole(call->node, "batch_dims", 0);
    uint32_t depth;
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *indices = call->in[1];
    if (batches < 0 || batches > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "batch_dims is %lld", (long long)batches);
    if ((st = depth_of(&depth, call, (uint32_t)batches)))
        return st;
    uint32_t rest = x->rank - (uint32_t)batches - depth;
    if (indices->rank - 1 + rest > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "its result has more than %d dimensions", RIDGE_OPGRAPH_RANK);
    ridge_opset_dims out = ridge_opset_dims_of(indices);
    out.rank--;
    for (uint32_t i = x->rank - rest; i < x->rank; i++)
        out.at[out.rank++] = x->dims[i];
    takes(call, &out);
    return ridge_opset_set(call, 0, x->format, &out);
}

/* ---- written by indices: the shape is the data's; "f" elements are joined with what is there by a reduction ---- */

static bool replaces(const ridge_opgraph_call *call)
{
    return ridge_str_is(ridge_opgraph_text(call->node, "reduction", "none"), "none");
}

static ridge_status scattered(ridge_opgraph_call *call, ridge_int written)
{
    ridge_opgraph_size_is(call, "f", replaces(call) ? 0 : written);
    return ridge_opgraph_set_like(call, 0, ridge_opset_format_of(call, 0), call->in[0]);
}

/* the data's content, with some of it written over */
static ridge_status hold_written(ridge_opgraph_call *call, size_t count, bool (*place)(size_t *, const ridge_opgraph_call *, size_t),
                                 size_t block)
{
    const ridge_opgraph_tensor *x = call->in[0], *updates = call->in[2];
    if (!ridge_opgraph_holds(call, 0) || !replaces(call) || !call->in[1]->ints || !ridge_opset_is_held(x) ||
        !ridge_opset_is_held(updates) || !x->ints != !updates->ints)
        return RIDGE_OK;
    size_t at;
    char *copy = ridge_opgraph_room(call, 0);
    if (!copy)
        return ridge_no_memory(call->run->err);
    memcpy(copy, x->ints ? (const void *)x->ints : (const void *)x->reals, x->content_count * sizeof *x->ints);
    for (size_t i = 0; i < count; i++) {
        if (!place(&at, call, i) || at + block > x->content_count || (i + 1) * block > updates->content_count)
            return RIDGE_OK;
        if (x->ints)
            memcpy((int64_t *)(void *)copy + at, updates->ints + i * block, block * sizeof *x->ints);
        else
            memcpy((double *)(void *)copy + at, updates->reals + i * block, block * sizeof *x->reals);
    }
    return x->ints ? ridge_opgraph_give_ints(call, 0, (int64_t *)(void *)copy, x->content_count)
                   : ridge_opgraph_give_reals(call, 0, (double *)(void *)copy, x->content_count);
}

/* the i-th index of ScatterElements */
static bool element_written(size_t *out, const ridge_opgraph_call *call, size_t i)
{
    const ridge_opgraph_tensor *x = call->in[0], *indices = call->in[1];
    int64_t at[RIDGE_OPGRAPH_RANK];
    size_t taken, rest = i, place = 0;
    uint32_t axis;
    for (uint32_t d = indices->rank; d-- > 0; rest /= (size_t)indices->dims[d])
        at[d] = (int64_t)(rest % (size_t)indices->dims[d]);
    if (!ridge_opgraph_axis(&axis, ridge_opgraph_whole(call->node, "axis", 0), x->rank) || !index_of(&taken, indices, i, x->dims[axis]))
        return false;
    for (uint32_t d = 0; d < x->rank; d++)
        place = place * (size_t)x->dims[d] + (d == axis ? taken : (size_t)at[d]);
    *out = place;
    return true;
}

ridge_status ridge_onnx_rule_scatter_elements(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 3);
    uint32_t axis;
    if (st || (st = same_rank(call)) || (st = ridge_opset_axis(&axis, call, ridge_opgraph_whole(call->node, "axis", 0), call->in[0]->rank)))
        return st;
    const ridge_opgraph_tensor *indices = call->in[1], *updates = call->in[2];
    bool fits = indices->rank == updates->rank;
    for (uint32_t i = 0; fits && i < indices->rank; i++)
        fits = indices->dims[i] == updates->dims[i];
    if (!fits)
        return ridge_opgraph_wrong(call, "the indices are %s and the updates %s", ridge_opgraph_shape_text(call, indices),
                                   ridge_opgraph_shape_text(call, updates));
    st = scattered(call, updates->elements);
    return st ? st : hold_written(call, (size_t)indices->content_count, element_written, 1);
}

/* the place that the i-th index of ScatterND names */
static bool block_written(size_t *out, const ridge_opgraph_call *call, size_t i)
{
    const ridge_opgraph_tensor *x = call->in[0], *indices = call->in[1];
    uint32_t depth = (uint32_t)indices->dims[indices->rank - 1];
    size_t place = 0, taken;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (d < depth && !index_of(&taken, indices, i * depth + d, x->dims[d]))
            return false;
        place = place * (size_t)x->dims[d] + (d < depth ? taken : 0);
    }
    *out = place;
    return true;
}

ridge_status ridge_onnx_rule_scatter_nd(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, 3);
    uint32_t depth;
    if (st || (st = depth_of(&depth, call, 0)))
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *indices = call->in[1], *updates = call->in[2];
    uint32_t before = indices->rank - 1;
    bool fits = updates->rank == before + x->rank - depth;
    for (uint32_t i = 0; fits && i < updates->rank; i++)
        fits = updates->dims[i] == (i < before ? indices->dims[i] : x->dims[depth + i - before]);
    if (!fits)
        return ridge_opgraph_wrong(call, "the data is %s, the indices are %s and the updates %s", ridge_opgraph_shape_text(call, x),
                                   ridge_opgraph_shape_text(call, indices), ridge_opgraph_shape_text(call, updates));
    st = scattered(call, updates->elements);
    size_t block = (size_t)ridge_opgraph_product(x->dims, depth, x->rank);
    return st || !depth ? st : hold_written(call, indices->content_count / depth, block_written, block);
}
