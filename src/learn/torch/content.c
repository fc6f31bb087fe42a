/* What tensors know of their elements, and what views make of it; content_write.c has writes through views. */
#include "learn/python/number.h"
#include "learn/torch/content_parts.h"
#include "learn/torch/size.h"

static const ridge_py no_values[1];

static bool current(const ridge_tensor *t)
{
    return t->storage && t->version == t->storage->version;
}

bool ridge_content_has_own(const ridge_tensor *t)
{
    return current(t) && (t->values || t->fill.type != RIDGE_PY_T_UNSET || t->linear.start.type != RIDGE_PY_T_UNSET);
}

/* the tensor through which t's storage is read, where that is another one and of the same dtype */
static const ridge_tensor *owner_of(const ridge_tensor *t)
{
    const ridge_tensor *owner = t->storage ? t->storage->owner : NULL;
    return owner && owner != t && owner->dtype == t->dtype && ridge_content_has_own(owner) ? owner : NULL;
}

int64_t ridge_content_count(const ridge_tensor *t)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i].type != RIDGE_PY_T_INT || __builtin_mul_overflow(n, t->dims[i].u.i, &n))
            return -1;
    return n;
}

bool ridge_content_known(const ridge_tensor *t)
{
    return ridge_content_has_own(t) || owner_of(t) || t->tag.kind == RIDGE_TAG_COUNTS;
}

bool ridge_content_filled(ridge_py *value, const ridge_tensor *t)
{
    const ridge_tensor *owner = owner_of(t);
    const ridge_tensor *known = ridge_content_has_own(t) ? t : owner;
    if (!known || known->fill.type == RIDGE_PY_T_UNSET)
        return false;
    *value = known->fill;
    return true;
}

/* ---- what contents depend on ---- */

static const ridge_py_asks *asks_of(const ridge_tensor *t)
{
    const ridge_tensor *owner = ridge_content_has_own(t) ? t : owner_of(t);
    if (owner && owner != t && t->asks) /* a view from a place that was asked for, with what the whole asks */
        return t->asks;
    return owner ? owner->asks : NULL;
}

ridge_status ridge_content_begin(ridge_content_hold *hold, const ridge_tensor *of, ridge_py_interp *in)
{
    *hold = (ridge_content_hold){.before = in->withheld};
    in->withheld = &hold->asks;
    return of ? ridge_content_settle(of, in) : RIDGE_OK;
}

ridge_status ridge_content_end(ridge_status status, ridge_tensor *out, ridge_content_hold *hold, ridge_py_interp *in)
{
    in->withheld = hold->before;
    if (!out || status)
        return status;
    if (out->tag.kind != RIDGE_TAG_NONE) /* tags are read without contents */
        return ridge_py_ask_withheld(&hold->asks, in);
    if (!ridge_content_has_own(out) && !owner_of(out))
        return RIDGE_OK;
    ridge_py_asks *kept = hold->asks.count ? ridge_arena_alloc(in->arena, sizeof *kept) : NULL;
    if (hold->asks.count && !kept)
        return ridge_no_memory(in->err);
    if (kept)
        *kept = hold->asks;
    out->asks = kept;
    return RIDGE_OK;
}

ridge_status ridge_content_settle(const ridge_tensor *t, ridge_py_interp *in)
{
    return ridge_py_ask_withheld(asks_of(t), in);
}

bool ridge_content_fill_like(ridge_tensor *out, const ridge_tensor *of)
{
    ridge_py fill;
    if (!ridge_content_filled(&fill, of))
        return false;
    ridge_content_fill(out, fill);
    out->asks = asks_of(of);
    return true;
}

bool ridge_content_linear(const ridge_tensor *t)
{
    return current(t) && t->linear.start.type != RIDGE_PY_T_UNSET;
}

void ridge_content_drop(ridge_tensor *t)
{
    t->values = NULL;
    t->fill = t->linear.start = ridge_py_unset();
    t->asks = NULL;
    t->tag = (ridge_tag){0};
}

void ridge_content_fill(ridge_tensor *t, ridge_py value)
{
    t->values = NULL;
    t->linear.start = ridge_py_unset();
    t->asks = NULL;
    t->fill = value;
    t->version = t->storage->version;
}

void ridge_content_void(ridge_tensor *t)
{
    t->storage->version++;
    t->tag = (ridge_tag){0};
}

/* ---- every element ---- */

static ridge_status linear_values(ridge_py *list, const ridge_tensor *t, size_t count, ridge_py_interp *in)
{
    size_t inner = 1, size = (size_t)t->dims[t->linear.axis].u.i;
    for (uint32_t d = t->linear.axis + 1; d < t->rank; d++)
        inner *= (size_t)t->dims[d].u.i;
    ridge_py start = t->linear.start, step = t->linear.step, at;
    for (size_t i = 0; i < count; i++) {
        size_t k = i / inner % size;
        if (k == i && i < size && start.type == RIDGE_PY_T_INT) { /* each value once */
            ridge_status st = ridge_size_mul(&at, step, ridge_py_int((int64_t)k), in);
            if (st || (st = ridge_size_add(&list[i], start, at, in)))
                return st;
        } else if (start.type != RIDGE_PY_T_INT) {
            list[i] = ridge_py_float(start.u.f + step.u.f * (double)k);
        } else if (i >= inner * size) {
            list[i] = list[i - inner * size];
        } else if (i % inner) {
            list[i] = list[i - 1];
        } else {
            ridge_status st = ridge_size_mul(&at, step, ridge_py_int((int64_t)k), in);
            if (st || (st = ridge_size_add(&list[i], start, at, in)))
                return st;
        }
    }
    return RIDGE_OK;
}

/* values through strides: list[i] = base[offset + ...]; false where a place lies outside */
static bool strided_values(ridge_py *list, const ridge_tensor *t, size_t count, const ridge_py *base, size_t base_count, int64_t offset)
{
    int64_t at[RIDGE_TENSOR_RANK] = {0}, place = offset;
    for (size_t i = 0; i < count; i++) {
        if (place < 0 || (size_t)place >= base_count)
            return false;
        list[i] = base[place];
        for (uint32_t d = t->rank; d-- > 0;) {
            place += t->strides[d];
            if (++at[d] < t->dims[d].u.i)
                break;
            place -= at[d] * t->strides[d];
            at[d] = 0;
        }
    }
    return true;
}

/* an owner's values in the order of its memory */
static ridge_status in_memory_order(const ridge_py **out, const ridge_tensor *owner, const ridge_py *values, size_t count,
                                    ridge_py_interp *in)
{
    int64_t at[RIDGE_TENSOR_RANK] = {0}, place = 0;
    *out = values;
    if (owner->contiguous)
        return RIDGE_OK;
    ridge_py *list = ridge_arena_array(in->arena, count + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < count; i++) {
        if (place >= 0 && (size_t)place < count)
            list[place] = values[i];
        for (uint32_t d = owner->rank; d-- > 0;) {
            place += owner->strides[d];
            if (++at[d] < owner->dims[d].u.i)
                break;
            place -= at[d] * owner->strides[d];
            at[d] = 0;
        }
    }
    *out = list;
    return RIDGE_OK;
}

ridge_status ridge_content_own_values(const ridge_py **out, const ridge_tensor *t, size_t count, ridge_py_interp *in)
{
    *out = t->values;
    if (t->values)
        return RIDGE_OK;
    ridge_py *list = ridge_arena_array(in->arena, count + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    *out = list;
    if (t->linear.start.type != RIDGE_PY_T_UNSET)
        return linear_values(list, t, count, in);
    for (size_t i = 0; i < count; i++)
        list[i] = t->fill;
    return RIDGE_OK;
}

static ridge_status owner_values(const ridge_py **out, const ridge_tensor *t, size_t count, const ridge_tensor *owner, ridge_py_interp *in)
{
    int64_t n = ridge_content_count(owner);
    const ridge_py *base;
    ridge_status st;
    *out = NULL;
    if (n < 0 || n > RIDGE_TENSOR_KNOWN)
        return RIDGE_OK;
    if ((st = ridge_content_own_values(&base, owner, (size_t)n, in)) || (st = in_memory_order(&base, owner, base, (size_t)n, in)))
        return st;
    ridge_py *list = ridge_arena_array(in->arena, count + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    if (strided_values(list, t, count, base, (size_t)n, t->offset - owner->offset))
        *out = list;
    return RIDGE_OK;
}

static ridge_status count_values(const ridge_py **out, const ridge_tensor *t, size_t count, ridge_py_interp *in)
{
    ridge_py *list = ridge_arena_array(in->arena, count + 1, sizeof *list);
    ridge_status st = list ? RIDGE_OK : ridge_no_memory(in->err);
    for (size_t e = 0; e < count && !st; e++)
        st = ridge_expert_share(&list[e], t->tag.rows, t->tag.experts, (int64_t)e, in);
    *out = list;
    return st;
}

ridge_status ridge_content_values(const ridge_py **out, size_t *count, const ridge_tensor *t, size_t limit, ridge_py_interp *in)
{
    int64_t n = ridge_content_count(t);
    const ridge_tensor *owner;
    ridge_status st = RIDGE_OK;
    *out = NULL;
    if (n < 0 || n > RIDGE_TENSOR_KNOWN || (uint64_t)n > limit)
        return RIDGE_OK;
    *count = (size_t)n;
    if ((st = ridge_content_settle(t, in)))
        return st;
    if (n == 0)
        *out = no_values;
    else if (ridge_content_has_own(t))
        return ridge_content_own_values(out, t, (size_t)n, in);
    else if (t->tag.kind == RIDGE_TAG_COUNTS && ridge_size_is(t->tag.experts, n))
        st = count_values(out, t, (size_t)n, in);
    else if ((owner = owner_of(t)))
        st = owner_values(out, t, (size_t)n, owner, in);
    return st;
}

ridge_status ridge_content_single(ridge_py *out, const ridge_tensor *t, ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count;
    *out = ridge_py_unset();
    if (ridge_content_filled(out, t))
        return ridge_content_settle(t, in);
    ridge_status st = ridge_content_values(&values, &count, t, 1, in);
    if (!st && values && count == 1)
        *out = values[0];
    return st;
}

ridge_status ridge_content_set(ridge_tensor *t, const ridge_py *values, size_t count, ridge_py_interp *in)
{
    t->values = NULL;
    t->fill = t->linear.start = ridge_py_unset();
    t->asks = NULL;
    if (count > RIDGE_TENSOR_KNOWN || count == 0)
        return RIDGE_OK;
    if (count == 1) {
        ridge_content_fill(t, values[0]);
        return RIDGE_OK;
    }
    ridge_py *copy = ridge_arena_array(in->arena, count, sizeof *copy);
    if (!copy)
        return ridge_no_memory(in->err);
    memcpy(copy, values, count * sizeof *copy);
    t->values = copy;
    t->shared = false;
    t->version = t->storage->version;
    return RIDGE_OK;
}

ridge_status ridge_content_ask(const ridge_tensor *t, ridge_py_interp *in)
{
    int64_t concrete;
    ridge_py fill;
    ridge_status st = RIDGE_OK;
    if (ridge_content_filled(&fill, t))
        return RIDGE_OK;
    for (uint32_t d = 0; d < t->rank && !st; d++)
        if (t->dims[d].type == RIDGE_PY_T_INT && t->dims[d].by.sym)
            st = ridge_py_concrete(&concrete, t->dims[d], in);
    return st;
}

/* ---- views ---- */

/* which dimension of `out`, a reshaped `of`, is dimension `axis` of it as a whole */
static bool map_axis(uint32_t *mapped, const ridge_tensor *out, const ridge_tensor *of, uint32_t axis)
{
    int64_t inner = 1, have = 1;
    bool same = out->rank == of->rank; /* among several of size 1 each stays itself */
    for (uint32_t d = 0; d < of->rank && same; d++)
        same = ridge_size_concrete(out->dims[d]) == ridge_size_concrete(of->dims[d]);
    if (same) {
        *mapped = axis;
        return true;
    }
    for (uint32_t d = axis + 1; d < of->rank; d++)
        inner *= ridge_size_concrete(of->dims[d]);
    for (uint32_t d = out->rank; d-- > 0;) {
        if (have == inner && ridge_size_concrete(out->dims[d]) == ridge_size_concrete(of->dims[axis])) {
            *mapped = d;
            return true;
        }
        have *= ridge_size_concrete(out->dims[d]);
    }
    return false;
}

static void copy_tag(ridge_tensor *out, const ridge_tensor *of)
{
    uint32_t axis = of->tag.axis;
    out->tag = of->tag;
    if (of->tag.kind == RIDGE_TAG_ONE_HOT && !map_axis(&axis, out, of, of->tag.axis))
        out->tag = (ridge_tag){0};
    else
        out->tag.axis = axis;
}

static ridge_status copy_held(ridge_tensor *out, const ridge_tensor *of, ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count;
    ridge_py fill;
    uint32_t axis;
    copy_tag(out, of);
    if (ridge_content_filled(&fill, of)) {
        ridge_content_fill(out, fill);
        return RIDGE_OK;
    }
    if (ridge_content_linear(of) && map_axis(&axis, out, of, of->linear.axis)) {
        out->linear.start = of->linear.start;
        out->linear.step = of->linear.step;
        out->linear.axis = axis;
        out->version = out->storage->version;
        return RIDGE_OK;
    }
    if (out->storage == of->storage || (!ridge_content_has_own(of) && !owner_of(of)))
        return RIDGE_OK;
    ridge_status st = ridge_content_values(&values, &count, of, RIDGE_TENSOR_KNOWN, in);
    if (st || !values || count == 0)
        return st;
    out->values = (ridge_py *)(uintptr_t)values;
    out->shared = true;
    if (of->values == values)
        ((ridge_tensor *)(uintptr_t)of)->shared = true;
    out->version = out->storage->version;
    return RIDGE_OK;
}

ridge_status ridge_content_copy(ridge_tensor *out, const ridge_tensor *of, ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, of, in);
    return ridge_content_end(st ? st : copy_held(out, of, in), out, &hold, in);
}

/* start + step*index of a range, of integers or of whole reals */
static ridge_status range_at(ridge_py *out, const ridge_tensor *of, ridge_py index, ridge_py_interp *in)
{
    ridge_py shift;
    ridge_status st = ridge_py_binary(&shift, RIDGE_PY_OP_MUL, of->linear.step, index, in);
    return st ? st : ridge_py_binary(out, RIDGE_PY_OP_ADD, of->linear.start, shift, in);
}

static ridge_status slice_held(ridge_tensor *out, const ridge_tensor *of, uint32_t axis, ridge_py start, ridge_py step, ridge_py_interp *in)
{
    ridge_py fill;
    ridge_status st;
    if (ridge_size_same(out->dims[axis], of->dims[axis], in))
        out->tag = of->tag;
    if (ridge_content_filled(&fill, of)) {
        ridge_content_fill(out, fill);
        return RIDGE_OK;
    }
    if (!ridge_content_linear(of))
        return RIDGE_OK;
    out->linear.start = of->linear.start;
    out->linear.step = of->linear.step;
    out->linear.axis = of->linear.axis;
    out->version = out->storage->version;
    if (axis != of->linear.axis)
        return RIDGE_OK;
    if (start.type != RIDGE_PY_T_INT || step.type != RIDGE_PY_T_INT) {
        out->linear.start = ridge_py_unset();
        return RIDGE_OK;
    }
    if ((st = range_at(&out->linear.start, of, start, in)))
        return st;
    return ridge_py_binary(&out->linear.step, RIDGE_PY_OP_MUL, of->linear.step, step, in);
}

/* Which elements a view has that begins at a place with symbols, the last one for instance, is known of this run alone where they are read
 * one by one: who reads them asks for that place. */
static ridge_status ask_place(const ridge_tensor *out, ridge_py place, ridge_py_interp *in)
{
    int64_t concrete;
    if (place.type != RIDGE_PY_T_INT || !place.by.sym || ridge_content_has_own(out))
        return RIDGE_OK;
    return ridge_py_concrete(&concrete, place, in);
}

ridge_status ridge_content_slice(ridge_tensor *out, const ridge_tensor *of, uint32_t axis, ridge_py start, ridge_py step,
                                 ridge_py_interp *in)
{
    ridge_content_hold hold;
    ridge_status st = ridge_content_begin(&hold, of, in);
    if (!st && !(st = slice_held(out, of, axis, start, step, in)))
        st = ask_place(out, start, in);
    return ridge_content_end(st, out, &hold, in);
}

static ridge_status select_held(ridge_tensor *out, const ridge_tensor *of, uint32_t axis, ridge_py index, ridge_py_interp *in)
{
    ridge_py fill, shift;
    ridge_status st;
    out->tag = (ridge_tag){0};
    if (of->tag.kind == RIDGE_TAG_ONE_HOT && of->tag.axis == axis && index.type == RIDGE_PY_T_INT) {
        out->tag.kind = RIDGE_TAG_EXPERT_ROWS;
        if ((st = ridge_expert_share(&out->tag.rows, of->tag.rows, of->tag.experts, index.u.i, in)))
            return st;
    }
    if (of->tag.kind == RIDGE_TAG_COUNTS && index.type == RIDGE_PY_T_INT) {
        if ((st = ridge_expert_share(&fill, of->tag.rows, of->tag.experts, index.u.i, in)))
            return st;
        ridge_content_fill(out, fill);
        return RIDGE_OK;
    }
    if (ridge_content_filled(&fill, of)) {
        ridge_content_fill(out, fill);
        return RIDGE_OK;
    }
    if (!ridge_content_linear(of))
        return RIDGE_OK;
    if (axis != of->linear.axis) {
        out->linear.start = of->linear.start;
        out->linear.step = of->linear.step;
        out->linear.axis = of->linear.axis - (axis < of->linear.axis);
        out->version = out->storage->version;
        return RIDGE_OK;
    }
    if (index.type != RIDGE_PY_T_INT)
        return RIDGE_OK;
    if ((st = range_at(&shift, of, index, in)))
        return st;
    ridge_content_fill(out, shift);
    return RIDGE_OK;
}

ridge_status ridge_content_select(ridge_tensor *out, const ridge_tensor *of, uint32_t axis, ridge_py index, ridge_py_interp *in)
{
    ridge_content_hold hold;
    ridge_status st = ridge_content_begin(&hold, of, in);
    if (!st && !(st = select_held(out, of, axis, index, in)))
        st = ask_place(out, index, in);
    return ridge_content_end(st, out, &hold, in);
}

void ridge_content_permute(ridge_tensor *out, const ridge_tensor *of, const uint32_t *order)
{
    ridge_py fill;
    out->tag = of->tag;
    for (uint32_t d = 0; d < of->rank; d++) {
        if (order[d] == of->tag.axis)
            out->tag.axis = d;
        if (ridge_content_linear(of) && order[d] == of->linear.axis) {
            out->linear.start = of->linear.start;
            out->linear.step = of->linear.step;
            out->linear.axis = d;
            out->version = out->storage->version;
        }
    }
    if (ridge_content_filled(&fill, of))
        ridge_content_fill(out, fill);
    out->asks = ridge_content_has_own(out) ? asks_of(of) : NULL;
}

void ridge_content_expand(ridge_tensor *out, const ridge_tensor *of)
{
    ridge_py fill;
    if (ridge_content_filled(&fill, of)) {
        ridge_content_fill(out, fill);
    } else if (ridge_content_linear(of) && ridge_size_is(of->dims[of->linear.axis], 1)) {
        ridge_content_fill(out, of->linear.start);
    } else if (ridge_content_linear(of)) {
        out->linear.start = of->linear.start;
        out->linear.step = of->linear.step;
        out->linear.axis = of->linear.axis + out->rank - of->rank;
        out->version = out->storage->version;
    }
    out->asks = ridge_content_has_own(out) ? asks_of(of) : NULL;
}
