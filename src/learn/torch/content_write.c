/* Contents of a tensor that is written through a view of it. */
#include "learn/python/number.h"
#include "learn/torch/content_parts.h"
#include "learn/torch/size.h"

/* the value that is written everywhere, of this dtype; false where there is none */
static ridge_status one_value(ridge_py *out, ridge_py value, ridge_dtype dtype, ridge_py_interp *in)
{
    *out = ridge_py_unset();
    if (value.type == RIDGE_PY_T_TENSOR && !ridge_content_filled(&value, value.u.tensor))
        return RIDGE_OK;
    return ridge_py_is_number(value) ? ridge_content_cast(out, value, dtype, in) : RIDGE_OK;
}

/* values[place of the view] = written[...], where the owner lies in order and `written` has a value for each element of the view */
static bool write_values(ridge_py *values, size_t count, const ridge_tensor *view, size_t written_count, const ridge_py *written, bool one,
                         int64_t offset)
{
    int64_t at[RIDGE_TENSOR_RANK] = {0}, place = offset;
    for (size_t i = 0; i < written_count; i++) {
        if (place < 0 || (size_t)place >= count)
            return false;
        values[place] = written[one ? 0 : i];
        for (uint32_t d = view->rank; d-- > 0;) {
            place += view->strides[d];
            if (++at[d] < view->dims[d].u.i)
                break;
            place -= at[d] * view->strides[d];
            at[d] = 0;
        }
    }
    return true;
}

/* every element of `view` that is written, of its dtype; NULL: not known */
static ridge_status written_values(const ridge_py **out, const ridge_tensor *view, ridge_py value, int64_t count, ridge_py_interp *in)
{
    ridge_tensor *wide;
    ridge_py one;
    ridge_status st;
    *out = NULL;
    if (value.type != RIDGE_PY_T_TENSOR || count < 0 || count > RIDGE_CONTENT_COMPUTED)
        return RIDGE_OK;
    if ((st = ridge_tensor_new(&wide, view->dtype, view->dims, view->rank, in)))
        return st;
    if (value.u.tensor->rank > view->rank)
        return RIDGE_OK;
    one = value;
    size_t n;
    st = ridge_content_elementwise(wide, "to", &one, 1, in);
    return st ? st : ridge_content_values(out, &n, wide, RIDGE_CONTENT_COMPUTED, in);
}

static bool covers(const ridge_tensor *view, const ridge_tensor *owner, ridge_py_interp *in)
{
    if (view == owner || (ridge_content_count(view) == 1 && ridge_content_count(owner) == 1))
        return true;
    if (view->rank != owner->rank || view->offset != owner->offset)
        return false;
    for (uint32_t d = 0; d < view->rank; d++)
        if (!ridge_size_same(view->dims[d], owner->dims[d], in) ||
            (view->strides[d] != owner->strides[d] && !ridge_size_is(view->dims[d], 1)))
            return false;
    return true;
}

static ridge_status write_held(ridge_tensor *view, ridge_py value, ridge_py_interp *in)
{
    ridge_tensor *owner = view->storage->owner;
    ridge_py one, before;
    const ridge_py *written, *old = NULL;
    int64_t count = ridge_content_count(view), all = owner ? ridge_content_count(owner) : -1;
    ridge_status st = one_value(&one, value, view->dtype, in);
    if (st)
        return st;
    bool known = owner && owner->dtype == view->dtype && ridge_content_has_own(owner),
         whole = owner && covers(view, owner, in) && owner->dtype == view->dtype;
    if (one.type == RIDGE_PY_T_UNSET && (known || whole) && (st = written_values(&written, view, value, count, in)))
        return st;
    if (one.type != RIDGE_PY_T_UNSET)
        written = &one;
    else if (!known && !whole)
        written = NULL;
    if (known && written && !whole && all >= 0 && all <= RIDGE_TENSOR_KNOWN &&
        (st = ridge_content_own_values(&old, owner, (size_t)all, in)))
        return st;
    bool same = known && !whole && one.type != RIDGE_PY_T_UNSET && ridge_content_filled(&before, owner) && before.type == one.type &&
                before.u.i == one.u.i && before.by.sym == one.by.sym;
    view->tag = (ridge_tag){0};
    view->storage->version++;
    if (!owner)
        return RIDGE_OK;
    if (whole && one.type != RIDGE_PY_T_UNSET) {
        ridge_content_fill(owner, one);
    } else if (whole && written) {
        return ridge_content_set(owner, written, (size_t)count, in);
    } else if (same) {
        owner->version = owner->storage->version;
    } else if (old && count >= 0 && owner->contiguous) {
        if (!owner->values || owner->shared) {
            if ((st = ridge_content_set(owner, old, (size_t)all, in)))
                return st;
        }
        if (all > 1 &&
            write_values(owner->values, (size_t)all, view, (size_t)count, written, written == &one, view->offset - owner->offset))
            owner->version = owner->storage->version;
        else if (all > 1)
            ridge_content_drop(owner);
    }
    return RIDGE_OK;
}

ridge_status ridge_content_write(ridge_tensor *view, ridge_py value, ridge_py_interp *in)
{
    ridge_content_hold hold;
    ridge_tensor *owner = view->storage->owner;
    ridge_status st = ridge_content_begin(&hold, owner && !covers(view, owner, in) ? owner : NULL, in);
    if (!st && value.type == RIDGE_PY_T_TENSOR)
        st = ridge_content_settle(value.u.tensor, in);
    if (!st)
        st = write_held(view, value, in);
    return ridge_content_end(st, owner, &hold, in);
}
