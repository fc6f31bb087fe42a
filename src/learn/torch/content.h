/* content.h - what is known of a tensor's elements: all of them, one value for all, a range along an axis; and the tags of a mixture of
 * experts. In: operands. Out: contents of `out`, whose shape and dtype are set, where they are known; else nothing, and that is no error.
 * Names of operators are ATen's without overload ("add", "eq", "cumsum"). */
#ifndef RIDGE_LEARN_TORCH_CONTENT_H
#define RIDGE_LEARN_TORCH_CONTENT_H

#include "learn/torch/tensor.h"

/* Contents are computed between these two: what is asked of symbols meanwhile, and what the contents that are read ask (those of `of` at
 * once, others by ridge_content_settle), is withheld and becomes out's. `of` and `out` may be NULL; `status` is the computation's, and
 * given back. Both are called whatever the status. */
typedef struct ridge_content_hold {
    ridge_py_asks asks, *before;
} ridge_content_hold;
ridge_status ridge_content_begin(ridge_content_hold *hold, const ridge_tensor *of, ridge_py_interp *in);
ridge_status ridge_content_end(ridge_status status, ridge_tensor *out, ridge_content_hold *hold, ridge_py_interp *in);
/* asks, or withholds, what the contents of t depend on */
ridge_status ridge_content_settle(const ridge_tensor *t, ridge_py_interp *in);
/* the same one value as `of`, where it has one; false: nothing was done */
bool ridge_content_fill_like(ridge_tensor *out, const ridge_tensor *of);

bool ridge_content_known(const ridge_tensor *t); /* and not written over since */
bool ridge_content_filled(ridge_py *value, const ridge_tensor *t);
bool ridge_content_linear(const ridge_tensor *t);
void ridge_content_drop(ridge_tensor *t);
void ridge_content_fill(ridge_tensor *t, ridge_py value);
/* Every element in order; NULL where not known or more than `limit` (at most RIDGE_TENSOR_KNOWN). */
ridge_status ridge_content_values(const ridge_py **out, size_t *count, const ridge_tensor *t, size_t limit, ridge_py_interp *in);
ridge_status ridge_content_set(ridge_tensor *t, const ridge_py *values, size_t count,
                               ridge_py_interp *in); /* copies; drops them if too many */
/* of `out`, a view or copy of `of` with the same elements in the same order, whatever the shape */
ridge_status ridge_content_copy(ridge_tensor *out, const ridge_tensor *of, ridge_py_interp *in);

ridge_status ridge_content_elementwise(ridge_tensor *out, const char *name, const ridge_py *operands, size_t count, ridge_py_interp *in);
/* axes NULL: all */
ridge_status ridge_content_reduce(ridge_tensor *out, const char *name, const ridge_tensor *of, const uint32_t *axes, uint32_t axis_count,
                                  ridge_py_interp *in);
ridge_status ridge_content_cumulate(ridge_tensor *out, const char *name, const ridge_tensor *of, uint32_t axis, ridge_py_interp *in);
ridge_status ridge_content_cat(ridge_tensor *out, ridge_tensor *const *parts, size_t count, uint32_t axis, ridge_py_interp *in);
ridge_status ridge_content_sort(ridge_tensor *values, ridge_tensor *indices, const ridge_tensor *of, uint32_t axis, bool descending,
                                ridge_py_interp *in);
ridge_status ridge_content_pad(ridge_tensor *out, const ridge_tensor *of, const int64_t *before, const int64_t *after, ridge_py value,
                               ridge_py_interp *in);
ridge_status ridge_content_triangle(ridge_tensor *out, const ridge_tensor *of, int64_t diagonal, bool upper, ridge_py_interp *in);
ridge_status ridge_content_one_hot(ridge_tensor *out, const ridge_tensor *indices, ridge_py_interp *in);
/* out[i] = of[index[i]] along axis, where index has the shape of out (gather) */
ridge_status ridge_content_gather(ridge_tensor *out, const ridge_tensor *of, const ridge_tensor *index, uint32_t axis, ridge_py_interp *in);

/* A view reads its elements through the storage's owner, whenever they are asked for; these carry what is known without them: one value for
 * all, ranges, tags. */
ridge_status ridge_content_slice(ridge_tensor *out, const ridge_tensor *of, uint32_t axis, ridge_py start, ridge_py step,
                                 ridge_py_interp *in);
ridge_status ridge_content_select(ridge_tensor *out, const ridge_tensor *of, uint32_t axis, ridge_py index, ridge_py_interp *in);
void ridge_content_permute(ridge_tensor *out, const ridge_tensor *of, const uint32_t *order);
void ridge_content_expand(ridge_tensor *out, const ridge_tensor *of); /* broadcast on the left and from 1 */
/* a write through `view`: `value` is a number or a tensor that broadcasts to it */
ridge_status ridge_content_write(ridge_tensor *view, ridge_py value, ridge_py_interp *in);
/* t was written over with what nobody knows */
void ridge_content_void(ridge_tensor *t);
/* A value of these contents leaves the tensor: where sizes with symbols decided which elements there are, those are written down as
 * conditions. */
ridge_status ridge_content_ask(const ridge_tensor *t, ridge_py_interp *in);
/* a number of this dtype: True in an integer tensor is 1 */
ridge_status ridge_content_cast(ridge_py *out, ridge_py v, ridge_dtype dtype, ridge_py_interp *in);
/* one operator on numbers; UNSET: not known. Names as above. */
ridge_status ridge_content_scalar(ridge_py *out, const char *name, const ridge_py *args, size_t count, ridge_py_interp *in);

/* the one number of a tensor with one element; UNSET: not known */
ridge_status ridge_content_single(ridge_py *out, const ridge_tensor *t, ridge_py_interp *in);
/* (e+1)*n//E - e*n//E: what expert e gets of n rows in an even spread over E */
ridge_status ridge_expert_share(ridge_py *out, ridge_py rows, ridge_py experts, int64_t expert, ridge_py_interp *in);
/* which experts get any: a list of them as contents of `out` is set by the caller; count and numbers */
ridge_status ridge_experts_hit(ridge_py *count, ridge_py **numbers, const ridge_tag *tag, ridge_py_interp *in);
/* tags of an elementwise operator's result, and its contents where the tag tells them */
ridge_status ridge_tag_elementwise(ridge_tensor *out, const char *name, const ridge_py *operands, size_t count, ridge_py_interp *in);
ridge_status ridge_tag_reduce(ridge_tensor *out, const char *name, const ridge_tensor *of, const uint32_t *axes, uint32_t axis_count,
                              ridge_py_interp *in);
ridge_status ridge_tag_join(ridge_tensor *out, ridge_tensor *const *parts, size_t count, ridge_py_interp *in);
/* the best of each row along an axis: an expert of each of `rows`, unless it is known which */
void ridge_tag_choice(ridge_tensor *index, const ridge_tensor *of, uint32_t axis, ridge_py rows);
/* what a number scattered into `into` by the indices of chosen experts makes of it: one-hot where it was 0 everywhere; else no tag */
ridge_tag ridge_tag_scatter(const ridge_tensor *into, const ridge_tensor *index, uint32_t axis, ridge_py value);
/* the number of elements where all sizes are known, else -1 */
int64_t ridge_content_count(const ridge_tensor *t);
/* Elements that are computed one by one, at most: places and sizes. Real numbers are of tables of angles, of which few lead to a place;
 * what is in symbols takes ten times the memory. */
enum { RIDGE_CONTENT_COMPUTED = 8192, RIDGE_CONTENT_SYMBOLIC = 4096, RIDGE_CONTENT_REAL = 8192 };

#endif
