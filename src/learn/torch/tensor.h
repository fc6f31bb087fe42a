/* tensor.h - a tensor without its numbers: shape, dtype, whose memory it is, and its contents where they are few and known.
 * Shapes are exact: each dimension is an INT with its symbols, or UNKNOWN where it depends on data. Views share a storage. */
#ifndef RIDGE_LEARN_TORCH_TENSOR_H
#define RIDGE_LEARN_TORCH_TENSOR_H

#include "learn/python/interp.h"

#define RIDGE_TENSOR_RANK 12

typedef enum ridge_dtype {
    RIDGE_DTYPE_BOOL,
    RIDGE_DTYPE_U8,
    RIDGE_DTYPE_I8,
    RIDGE_DTYPE_I16,
    RIDGE_DTYPE_I32,
    RIDGE_DTYPE_I64,
    RIDGE_DTYPE_F16,
    RIDGE_DTYPE_BF16,
    RIDGE_DTYPE_F32,
    RIDGE_DTYPE_F64,
    RIDGE_DTYPE_C64,
    RIDGE_DTYPE_C128,
    RIDGE_DTYPE_F8,
} ridge_dtype; /* in the order of promotion within their kinds; the names of torch are in dtype.c */

typedef enum ridge_storage_kind {
    RIDGE_STORAGE_ACTIVATION,
    RIDGE_STORAGE_PARAMETER,
    RIDGE_STORAGE_BUFFER,
    RIDGE_STORAGE_INPUT,
    RIDGE_STORAGE_CACHE
} ridge_storage_kind;
typedef struct ridge_storage {
    uint32_t id;
    ridge_storage_kind kind;
    uint32_t version;           /* writes so far: contents that a tensor knows of an earlier one are void */
    bool host;                  /* made in a forward pass without a device: it lies on the CPU, wherever the model is */
    struct ridge_tensor *owner; /* whose contents are those of the storage: views read theirs through it */
} ridge_storage;

/* Of a mixture of experts, what sums of data are known all the same: indices of the k best of E, their one-hot form, the places of one
 * expert. */
typedef enum ridge_tag_kind {
    RIDGE_TAG_NONE,
    RIDGE_TAG_TOP_INDEX,
    RIDGE_TAG_ONE_HOT,
    RIDGE_TAG_EXPERT_HIT,
    RIDGE_TAG_EXPERT_ROWS,
    RIDGE_TAG_COUNTS,
    RIDGE_TAG_RUNNING /* sums of ONE_HOT along the rows so far: at most each expert's share */
} ridge_tag_kind;
typedef struct ridge_tag {
    ridge_tag_kind kind;
    ridge_py rows;    /* INT: tokens * k, the rows that all experts share */
    ridge_py experts; /* INT: how many there are */
    uint32_t axis;    /* of the experts, in ONE_HOT */
} ridge_tag;

struct ridge_tensor {
    uint32_t rank;
    ridge_dtype dtype;
    bool contiguous;                    /* its elements lie in order: reshape and contiguous() copy nothing */
    bool conjugate;                     /* a view that is conjugated when an operator reads it: by a copy */
    bool array;                         /* NumPy's: what is done with arrays alone is no operator */
    bool expanded;                      /* a dimension has stride 0 */
    int64_t offset;                     /* of the first element in the storage, in elements of this dtype */
    int64_t strides[RIDGE_TENSOR_RANK]; /* in elements, of the concrete sizes: what decides where PyTorch copies; 0: expanded */
    bool requires_grad;
    bool differentiable; /* made of something that requires a gradient */
    ridge_storage *storage;
    /* Contents: `values` holds every element in order (INT, FLOAT, BOOL with their symbols), for at most RIDGE_TENSOR_KNOWN of them; else
     * `fill` is the one value of all of them; UNSET: not known. Long ranges are start + step*i along one axis, the same along all others.
     * Read them through content.h, which knows what was written since. */
    ridge_py *values;
    ridge_py fill;
    struct {
        ridge_py start, step; /* start UNSET: is none */
        uint32_t axis;
    } linear;
    const ridge_py_asks *asks; /* conditions under which the contents are these: asked once somebody reads them; NULL: none */
    bool shared;      /* another tensor has the same `values`: a write copies them first */
    uint32_t version; /* of the storage, when the contents were known */
    ridge_tag tag;
    ridge_py_instance *parameter; /* a Parameter's attributes, where it has some */
    uint32_t room;                /* for dims: there are many tensors, and few have many dimensions. Copy with ridge_tensor_read */
    ridge_py dims[RIDGE_TENSOR_RANK]; /* [room] INT or UNKNOWN */
};
#define RIDGE_TENSOR_KNOWN 65536

/* a new tensor with its own storage; dims are copied */
ridge_status ridge_tensor_new(ridge_tensor **out, ridge_dtype dtype, const ridge_py *dims, uint32_t rank, ridge_py_interp *in);
void ridge_tensor_read(ridge_tensor *out, const ridge_tensor *t); /* into a whole ridge_tensor, e.g. on the stack */
/* the same storage, another shape, contiguous strides where `of` is contiguous (a caller that knows better sets strides and calls
 * ridge_tensor_lay); contents are not taken over */
ridge_status ridge_tensor_view(ridge_tensor **out, const ridge_tensor *of, const ridge_py *dims, uint32_t rank, ridge_py_interp *in);
/* after dims or strides were set: works out `contiguous` and `expanded` */
void ridge_tensor_lay(ridge_tensor *t);
void ridge_tensor_lay_contiguous(ridge_tensor *t); /* sets strides, too */
/* one whole number, such as how many tokens a cache has seen: bookkeeping, and no part of what it holds */
static inline bool ridge_tensor_is_counter(const ridge_tensor *t)
{
    return t->rank == 0 && t->dtype <= RIDGE_DTYPE_I64;
}
static inline ridge_py ridge_py_tensor(ridge_tensor *tensor)
{
    return (ridge_py){.type = RIDGE_PY_T_TENSOR, .u.tensor = tensor};
}
ridge_status ridge_tensor_elements(ridge_py *out, const ridge_tensor *t, ridge_py_interp *in); /* INT with symbols, or UNKNOWN */
/* -1 is the last; raises IndexError where there is no such dimension */
ridge_status ridge_tensor_axis(uint32_t *out, const ridge_tensor *t, ridge_py axis, ridge_py_interp *in);
/* PyTorch's broadcast of shapes; asks for conditions where a symbol is 1; raises RuntimeError where they don't fit */
ridge_status ridge_tensor_broadcast(ridge_py *dims, uint32_t *rank, const ridge_tensor *const *tensors, size_t count, ridge_py_interp *in);
unsigned ridge_dtype_bytes(ridge_dtype dtype);
const char *ridge_dtype_name(ridge_dtype dtype);                                                   /* "float32" */
bool ridge_dtype_of(ridge_dtype *out, ridge_py word);                                              /* torch.float32 and its other names */
ridge_dtype ridge_dtype_promote(ridge_dtype a, bool a_is_number, ridge_dtype b, bool b_is_number); /* torch.result_type */

#endif
