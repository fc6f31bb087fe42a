/* index.h - t[...] read and written: ints, slices, None, Ellipsis and tensors, as PyTorch orders the dimensions of the result.
 * In: a tensor and Python's index. Out: a view, or a copy (aten.index) where tensors are among the indices. A mask takes as many rows as
 * its contents or its tag tell, else a number that nobody knows: UNKNOWN with a hole. */
#ifndef RIDGE_LEARN_TORCH_INDEX_H
#define RIDGE_LEARN_TORCH_INDEX_H

#include "learn/torch/tensor.h"

/* what an index came to: a view by its ints and slices, and tensors (never of bool) for some dimensions of the view */
typedef struct ridge_index {
    ridge_tensor *view;
    ridge_tensor *tensors[RIDGE_TENSOR_RANK]; /* [view's rank], NULL: all of the dimension */
    ridge_tensor *given[RIDGE_TENSOR_RANK];   /* as they were written, masks unsolved */
    uint32_t tensor_count, given_count;
} ridge_index;
ridge_status ridge_index_read(ridge_index *out, ridge_tensor *t, ridge_py index, ridge_py_interp *in);
/* dims of view[tensors]: *front: they stand before all others, else at `place` */
ridge_status ridge_index_shape(ridge_py *dims, uint32_t *rank, const ridge_index *index, ridge_py_interp *in);

/* how many elements of a mask are true: INT, or UNKNOWN with a hole */
ridge_status ridge_index_count(ridge_py *out, const ridge_tensor *mask, ridge_py_interp *in);
/* a size that data decide, of what is done with a tensor; bounded: at most as many as it has elements */
ridge_status ridge_index_ask(ridge_py *out, const char *what, const ridge_tensor *of, bool bounded, ridge_py_interp *in);
/* the places where a mask is true: one index tensor for each of its dimensions */
ridge_status ridge_index_places(ridge_tensor **out, const ridge_tensor *mask, ridge_py_interp *in);
/* a tensor of a list of numbers, or of lists of them */
ridge_status ridge_tensor_from(ridge_tensor **out, ridge_py data, ridge_py dtype /* a WORD or NONE */, ridge_py_interp *in);

#endif
