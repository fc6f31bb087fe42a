/* onnx.h - what the rules of ONNX's operators share, and the rules themselves.
 * In: a node about to run (opgraph/run.h). Out: shapes, formats, contents and sizes of its results; lists live in the run's arena.
 * Fails with VALUE on shapes and attributes that do not fit; what only data decides stays open (ridge_opgraph_unknown), or is what the file
 * says. Source: ONNX's Operators.md of version 1 to 24 of the operator set, ONNX Runtime's ContribOperators.md, its results where both are
 * silent. */
#ifndef RIDGE_OPGRAPH_ONNX_H
#define RIDGE_OPGRAPH_ONNX_H

#include "opgraph/run.h"

typedef struct ridge_opset_dims {
    uint32_t rank;
    int64_t at[RIDGE_OPGRAPH_RANK];
} ridge_opset_dims;

/* whole numbers of an attribute or of an input's content */
typedef struct ridge_opset_list {
    const int64_t *at;
    size_t count;
    bool there; /* the attribute or the input is there */
} ridge_opset_list;

/* ---- inputs and attributes ---- */
/* VALUE where one of the first `count` inputs is left out, or any has a dimension above 2^48 */
ridge_status ridge_opset_needs(ridge_opgraph_call *call, uint32_t count);
/* ... or where an input has another rank; what: its name, "X" */
ridge_status ridge_opset_rank_is(ridge_opgraph_call *call, uint32_t input, const char *what, uint32_t rank);
static inline bool ridge_opset_has(const ridge_opgraph_call *call, uint32_t input)
{
    return ridge_opgraph_in(call, input) != NULL;
}
ridge_opset_list ridge_opset_attribute(const ridge_opgraph_call *call, const char *name);
/* What an input holds. false: it is there, and that is not known. */
bool ridge_opset_held(ridge_opset_list *out, const ridge_opgraph_call *call, uint32_t input);
/* ... of the attribute, or, where there is none, of the input: what older versions of an operator have as an attribute */
bool ridge_opset_listed(ridge_opset_list *out, const ridge_opgraph_call *call, const char *attribute, uint32_t input);
/* one number of an input: of integers, or of floats */
bool ridge_opset_number(double *out, const ridge_opgraph_call *call, uint32_t input);
bool ridge_opset_whole(int64_t *out, const ridge_opgraph_call *call, uint32_t input);
/* how many results the node has, and is one of them wanted */
static inline bool ridge_opset_wants(const ridge_opgraph_call *call, uint32_t out)
{
    return out < call->out_count && call->out[out];
}

/* VALUE where a list has another length: "perm has 1 number; it wants 3" */
ridge_status ridge_opset_count_is(ridge_opgraph_call *call, const char *what, size_t count, size_t wanted);

/* ---- formats ---- */
/* of TensorProto.DataType (onnx.proto); NULL: none of ours (texts, undefined) */
const ridge_format *ridge_opset_format(int64_t type);
const ridge_format *ridge_opset_format_named(const char *name); /* of the table */
const ridge_format *ridge_opset_format_of(const ridge_opgraph_call *call, uint32_t input);
/* The format of the first result: what the entry's dtype says ("bool", "int64", "int32"), else that of the input. */
const ridge_format *ridge_opset_result_format(const ridge_opgraph_call *call, uint32_t input);
bool ridge_opset_is_whole(const ridge_format *format); /* of integers and booleans */

/* ---- dimensions ---- */
int64_t ridge_opset_times(int64_t a, int64_t b); /* INT64_MAX where it does not fit */
ridge_opset_dims ridge_opset_dims_of(const ridge_opgraph_tensor *t);
ridge_status ridge_opset_set(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, const ridge_opset_dims *dims);
/* what the file says of a result's shape, names bound; *said: it says all of it */
ridge_status ridge_opset_declared(bool *said, ridge_opset_dims *out, ridge_opgraph_call *call, uint32_t result);
/* The one result has the shape that the file says; where it says none, the node is unknown, with `why`. */
ridge_status ridge_opset_as_declared(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, const char *why);
/* an attribute or a number that is an axis; VALUE where it is outside of -rank..rank-1 */
ridge_status ridge_opset_axis(uint32_t *out, ridge_opgraph_call *call, int64_t axis, uint32_t rank);
/* ... each of a list once: marks them in `is` (RIDGE_OPGRAPH_RANK of them) */
ridge_status ridge_opset_axes(bool *is, ridge_opgraph_call *call, ridge_opset_list axes, uint32_t rank);
/* numpy's rules; VALUE, naming both shapes, where they do not fit */
ridge_status ridge_opset_broadcast(ridge_opset_dims *dims, ridge_opgraph_call *call, const ridge_opgraph_tensor *with);
/* "n" = elements of a result (of the first input, where the result is not wanted) */
void ridge_opset_count(ridge_opgraph_call *call, const char *name, const ridge_opgraph_tensor *t);

/* ---- contents ---- */
bool ridge_opset_is_held(const ridge_opgraph_tensor *t);
/* the next coordinates in a shape, row by row */
void ridge_opset_step(int64_t *at, const ridge_opgraph_tensor *t);
/* place of an element in a tensor that is broadcast to these coordinates of `rank` dimensions */
size_t ridge_opset_place(const ridge_opgraph_tensor *t, uint32_t rank, const int64_t *at);
/* Where an element of a result comes from: its place in the input, row by row, or SIZE_MAX, the filling. at: its coordinates. */
typedef size_t ridge_opset_source(const void *how, const int64_t *at);
typedef struct ridge_opset_filling {
    int64_t whole;
    double real;
} ridge_opset_filling;
ridge_status ridge_opset_hold_from(ridge_opgraph_call *call, uint32_t out, const ridge_opgraph_tensor *from, ridge_opset_source *source,
                                   const void *how, ridge_opset_filling filling);
/* the same elements in the same order, in another shape: the list itself */
void ridge_opset_hold_same(ridge_opgraph_call *call, uint32_t out, const ridge_opgraph_tensor *from);
/* the result rounded to its format; false: it cannot be held exactly enough to go on with */
bool ridge_opset_round(double *value, const ridge_format *format);
/* integers that do not fit in the format are not kept */
bool ridge_opset_fits(int64_t value, const ridge_format *format);
void ridge_opset_strides(int64_t *strides, const ridge_opgraph_tensor *t); /* in elements, row by row */

/* ---- arithmetic on contents (onnx_fold.c); false: this operator has none, or not on these ---- */
bool ridge_opset_fold_unary(ridge_opgraph_call *call, const char *op, ridge_status *st);
bool ridge_opset_fold_binary(ridge_opgraph_call *call, const char *op, const ridge_opgraph_tensor *a, const ridge_opgraph_tensor *b,
                             ridge_status *st);
ridge_status ridge_opset_fold_cast(ridge_opgraph_call *call, const ridge_opgraph_tensor *from);
ridge_status ridge_opset_fold_reduce(ridge_opgraph_call *call, const char *op, const bool *axes);

/* ---- windows of convolutions and pools (onnx_window.c) ---- */
typedef struct ridge_opset_window {
    uint32_t axes; /* spatial */
    int64_t kernel[RIDGE_OPGRAPH_RANK], stride[RIDGE_OPGRAPH_RANK], dilation[RIDGE_OPGRAPH_RANK];
    int64_t before[RIDGE_OPGRAPH_RANK], after[RIDGE_OPGRAPH_RANK]; /* padding */
    bool same, valid, ceil;                                        /* auto_pad; ceil_mode */
} ridge_opset_window;
/* of the attributes; kernel: where kernel_shape is not given, NULL: it must be */
ridge_status ridge_opset_window_read(ridge_opset_window *out, ridge_opgraph_call *call, uint32_t axes, const int64_t *kernel);
/* the size of a result along an axis */
ridge_status ridge_opset_window_size(int64_t *out, ridge_opgraph_call *call, const ridge_opset_window *w, uint32_t axis, int64_t in);
ridge_int ridge_opset_window_places(const ridge_opset_window *w); /* of the kernel */

/* Of this input so many elements are read, not all: rows of a table. */
ridge_status ridge_opset_reads(ridge_opgraph_call *call, uint32_t input, ridge_int elements);
/* sizes b, s, t, d, v of attention */
void ridge_opset_attends(ridge_opgraph_call *call, ridge_int heads, int64_t queries, int64_t keys, int64_t size, int64_t value_size);

/* the operator without its domain: "FusedMatMul" */
const char *ridge_opset_op(const ridge_opgraph_call *call);

/* ---- the rules, by their names in catalog/onnx/operators.json ---- */
#define RIDGE_ONNX_RULE_LIST(X)                                                                                                            \
    /* onnx_elementwise.c */                                                                                                               \
    X(same, false)                                                                                                                         \
    X(broadcast, false)                                                                                                                    \
    X(variadic, false)                                                                                                                     \
    X(where, false)                                                                                                                        \
    X(cast, false)                                                                                                                         \
    X(cast_like, false)                                                                                                                    \
    X(identity, false)                                                                                                                     \
    X(dropout, false)                                                                                                                      \
    X(clip, false)                                                                                                                         \
    X(prelu, false)                                                                                                                        \
    /* onnx_matmul.c */                                                                                                                    \
    X(matmul, false)                                                                                                                       \
    X(fused_matmul, false)                                                                                                                 \
    X(gemm, false)                                                                                                                         \
    X(qgemm, false)                                                                                                                        \
    X(matmul_integer, false)                                                                                                               \
    X(matmul_quantised, false)                                                                                                             \
    X(matmul_to_float, false)                                                                                                              \
    X(matmul_bits, false)                                                                                                                  \
    X(determinant, false)                                                                                                                  \
    X(einsum, false) /* onnx_einsum.c */                                                                                                   \
    /* onnx_conv.c */                                                                                                                      \
    X(conv, false)                                                                                                                         \
    X(conv_integer, false)                                                                                                                 \
    X(conv_quantised, false)                                                                                                               \
    X(conv_channels_last, false)                                                                                                           \
    X(conv_transpose, false)                                                                                                               \
    X(deform_conv, false)                                                                                                                  \
    X(col2im, false)                                                                                                                       \
    /* onnx_pool.c */                                                                                                                      \
    X(pool, false)                                                                                                                         \
    X(pool_global, false)                                                                                                                  \
    X(unpool, false)                                                                                                                       \
    X(roi_align, false)                                                                                                                    \
    X(roi_pool, false)                                                                                                                     \
    /* onnx_shape.c */                                                                                                                     \
    X(shape, true)                                                                                                                         \
    X(size, false)                                                                                                                         \
    X(reshape, false)                                                                                                                      \
    X(squeeze, false)                                                                                                                      \
    X(unsqueeze, false)                                                                                                                    \
    X(flatten, false)                                                                                                                      \
    X(transpose, false)                                                                                                                    \
    X(expand, false)                                                                                                                       \
    X(tile, false)                                                                                                                         \
    /* onnx_join.c */                                                                                                                      \
    X(concat, false)                                                                                                                       \
    X(concat_quantised, false)                                                                                                             \
    X(split, false)                                                                                                                        \
    X(slice, false)                                                                                                                        \
    X(pad, false)                                                                                                                          \
    X(center_crop_pad, false)                                                                                                              \
    /* onnx_gather.c */                                                                                                                    \
    X(gather, false)                                                                                                                       \
    X(gather_elements, false)                                                                                                              \
    X(gather_nd, false)                                                                                                                    \
    X(scatter_elements, false)                                                                                                             \
    X(scatter_nd, false)                                                                                                                   \
    X(gather_block_quantised, false)                                                                                                       \
    /* onnx_reduce.c */                                                                                                                    \
    X(reduce, false)                                                                                                                       \
    X(arg, false)                                                                                                                          \
    X(scan_sum, false)                                                                                                                     \
    X(softmax, false)                                                                                                                      \
    X(topk, false)                                                                                                                         \
    X(loss, false)                                                                                                                         \
    /* onnx_norm.c */                                                                                                                      \
    X(batch_norm, false)                                                                                                                   \
    X(norm, false)                                                                                                                         \
    X(layer_norm, false)                                                                                                                   \
    X(skip_norm, false)                                                                                                                    \
    X(lrn, false)                                                                                                                          \
    X(embed_norm, false)                                                                                                                   \
    /* onnx_make.c */                                                                                                                      \
    X(constant, false)                                                                                                                     \
    X(constant_of_shape, false)                                                                                                            \
    X(range, false)                                                                                                                        \
    X(like, false)                                                                                                                         \
    X(random, false)                                                                                                                       \
    X(multinomial, false)                                                                                                                  \
    X(bernoulli, false)                                                                                                                    \
    X(one_hot, false)                                                                                                                      \
    X(window_function, false)                                                                                                              \
    X(mel_weights, false)                                                                                                                  \
    /* onnx_image.c */                                                                                                                     \
    X(resize, false)                                                                                                                       \
    X(upsample, false)                                                                                                                     \
    X(depth_to_space, false)                                                                                                               \
    X(space_to_depth, false)                                                                                                               \
    X(grid_sample, false)                                                                                                                  \
    X(affine_grid, false)                                                                                                                  \
    X(dft, false)                                                                                                                          \
    X(stft, false)                                                                                                                         \
    /* onnx_recurrent.c */                                                                                                                 \
    X(recurrent, false)                                                                                                                    \
    X(recurrent_turned, false)                                                                                                             \
    /* onnx_quantise.c */                                                                                                                  \
    X(quantise, false)                                                                                                                     \
    X(dequantise, false)                                                                                                                   \
    X(quantise_dynamic, false)                                                                                                             \
    X(binary_quantised, false)                                                                                                             \
    X(where_quantised, false)                                                                                                              \
    X(half_gelu, false)                                                                                                                    \
    /* onnx_data.c */                                                                                                                      \
    X(nonzero, false)                                                                                                                      \
    X(compress, false)                                                                                                                     \
    X(unique, false)                                                                                                                       \
    X(nms, false)                                                                                                                          \
    /* onnx_attention.c */                                                                                                                 \
    X(attention, false)                                                                                                                    \
    X(rotary, false)                                                                                                                       \
    /* onnx_transformer.c: ONNX Runtime's own */                                                                                           \
    X(attention_packed, false)                                                                                                             \
    X(attention_multi_head, false)                                                                                                         \
    X(attention_masked, false)                                                                                                             \
    X(attention_grouped, false)                                                                                                            \
    X(attention_paged, false)                                                                                                              \
    X(mixture, false)

#define X(name, lenient) ridge_opgraph_rule ridge_onnx_rule_##name;
RIDGE_ONNX_RULE_LIST(X)
#undef X

#endif
