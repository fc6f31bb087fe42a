/* methods.h - functions of torch and methods of its tensors that are written in C here: by name, with their signatures.
 * In: a name. Out: the native function, NULL where there is none here (learn/torch/operator.h has the rest). An `input` must be a tensor. */
#ifndef RIDGE_LEARN_TORCH_METHODS_H
#define RIDGE_LEARN_TORCH_METHODS_H

#include "learn/torch/tensor.h"

const ridge_py_native *ridge_tensor_function(const char *name); /* torch.NAME */
const ridge_py_native *ridge_tensor_method(const char *name);   /* torch.Tensor.NAME */

/* v: arguments in the order of the signature, v[0] a TENSOR where that begins with `input` */
typedef ridge_status ridge_tensor_call(ridge_py *out, const ridge_py *v, ridge_py_interp *in);

/* X(name, where, signature, function): F torch.name, M a method, B both */
// clang-format off
#define RIDGE_TENSOR_METHOD_LIST(X) \
    X(__bool__, M, "input", bool_) \
    X(__len__, M, "input", len_) \
    X(adjoint, B, "input", matrix_transpose) \
    X(alias, B, "input", detach) \
    X(arange, F, "start=None, end=None, step=1, dtype=None, out=None, layout=None, device=None, requires_grad=False, pin_memory=False", arange) \
    X(argwhere, B, "input", argwhere) \
    X(as_strided, B, "input, size, stride, storage_offset=None", as_strided) \
    X(as_tensor, F, "data, dtype=None, device=None", as_tensor) \
    X(asarray, F, "data, dtype=None, device=None, copy=None", as_tensor) \
    X(backward, M, "input", nothing) \
    X(bernoulli_, M, "input, p=0.5, generator=None", bernoulli_) \
    X(bfloat16, M, "input, memory_format=None", bfloat16) \
    X(bincount, B, "input, weights=None, minlength=0", bincount) \
    X(bool, M, "input, memory_format=None", bool) \
    X(broadcast_tensors, F, "*tensors", broadcast_tensors) \
    X(broadcast_to, B, "input, *size", expand) \
    X(byte, M, "input, memory_format=None", byte) \
    X(chunk, B, "input, chunks, dim=0", chunk) \
    X(clone, B, "input, memory_format=None", clone) \
    X(conj, B, "input", conj) \
    X(contiguous, M, "input, memory_format=None", contiguous) \
    X(copy_, M, "input, src, non_blocking=False", copy_) \
    X(cpu, M, "input", itself) \
    X(cuda, M, "input, device=None, non_blocking=False", itself) \
    X(data_ptr, M, "input", data_ptr) \
    X(detach, B, "input", detach) \
    X(detach_, M, "input", itself) \
    X(diagonal, B, "input, offset=0, dim1=0, dim2=1", diagonal) \
    X(dim, M, "input", dim) \
    X(double, M, "input, memory_format=None", double) \
    X(element_size, M, "input", element_size) \
    X(empty, F, "*sizes, dtype=None, size=None, requires_grad=False, out=None, layout=None, device=None, pin_memory=False, memory_format=None", empty) \
    X(empty_like, F, "input, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None", empty_like) \
    X(expand, M, "input, *size", expand) \
    X(expand_as, M, "input, other", expand_as) \
    X(exponential_, M, "input, lambd=1, generator=None", uniform_) \
    X(eye, F, "n, m=None, dtype=None, out=None, layout=None, device=None, requires_grad=False", eye) \
    X(fill_, M, "input, value", fill_) \
    X(flatten, B, "input, start_dim=0, end_dim=-1", flatten) \
    X(flip, B, "input, *dims", flip) \
    X(float, M, "input, memory_format=None", float) \
    X(from_numpy, F, "data, dtype=None", as_tensor) \
    X(full, F, "size, fill_value, dtype=None, out=None, layout=None, device=None, requires_grad=False, pin_memory=False", full) \
    X(full_like, F, "input, fill_value, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None", full_like) \
    X(gather, B, "input, dim, index, sparse_grad=False", gather) \
    X(half, M, "input, memory_format=None", half) \
    X(histc, B, "input, bins=100, min=0, max=0", histc) \
    X(index_select, B, "input, dim, index", index_select) \
    X(int, M, "input, memory_format=None", int) \
    X(is_complex, B, "input", is_complex) \
    X(is_contiguous, M, "input, memory_format=None", is_contiguous) \
    X(is_floating_point, B, "input", is_floating_point) \
    X(item, M, "input", item) \
    X(linspace, F, "start, end, steps, dtype=None, out=None, layout=None, device=None, requires_grad=False", linspace) \
    X(long, M, "input, memory_format=None", long) \
    X(masked_select, B, "input, mask", masked_select) \
    X(meshgrid, F, "*tensors, indexing=None", meshgrid) \
    X(moveaxis, B, "input, source, destination", movedim) \
    X(movedim, B, "input, source, destination", movedim) \
    X(narrow, B, "input, dim, start, length", narrow) \
    X(ndimension, M, "input", dim) \
    X(nelement, M, "input", numel) \
    X(new_empty, M, "input, *shape, dtype=None, size=None, device=None, layout=None, requires_grad=False, pin_memory=False", new_empty) \
    X(new_full, M, "input, size, fill_value, dtype=None, device=None, layout=None, requires_grad=False, pin_memory=False", new_full) \
    X(new_ones, M, "input, *shape, dtype=None, size=None, device=None, layout=None, requires_grad=False, pin_memory=False", new_ones) \
    X(new_tensor, M, "input, data, dtype=None, device=None, requires_grad=False", new_tensor) \
    X(new_zeros, M, "input, *shape, dtype=None, size=None, device=None, layout=None, requires_grad=False, pin_memory=False", new_zeros) \
    X(nonzero, B, "input, as_tuple=False", nonzero) \
    X(normal, F, "mean, std=1, size=None, dtype=None, out=None, layout=None, device=None, requires_grad=False, generator=None", normal) \
    X(normal_, M, "input, mean=0, std=1, generator=None", normal_) \
    X(numel, B, "input", numel) \
    X(numpy, M, "input, force=False", itself) \
    X(ones, F, "*sizes, dtype=None, size=None, requires_grad=False, out=None, layout=None, device=None, pin_memory=False", ones) \
    X(ones_like, F, "input, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None", ones_like) \
    X(permute, B, "input, *dims", permute) \
    X(pin_memory, M, "input", itself) \
    X(rand, F, "*sizes, dtype=None, size=None, requires_grad=False, out=None, layout=None, device=None, pin_memory=False, generator=None", rand) \
    X(rand_like, F, "input, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None", rand_like) \
    X(randint, F, "low=0, high=None, size=None, dtype=None, out=None, layout=None, device=None, requires_grad=False, generator=None", randint) \
    X(randn, F, "*sizes, dtype=None, size=None, requires_grad=False, out=None, layout=None, device=None, pin_memory=False, generator=None", randn) \
    X(randn_like, F, "input, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None, generator=None", randn_like) \
    X(random_, M, "input, a=0, b=None, generator=None", uniform_) \
    X(randperm, F, "n, dtype=None, out=None, layout=None, device=None, requires_grad=False, generator=None", randperm) \
    X(ravel, B, "input", reshape1) \
    X(repeat, M, "input, *repeats", repeat) \
    X(repeat_interleave, B, "input, repeats, dim=None, output_size=None", repeat_interleave) \
    X(requires_grad_, M, "input, requires_grad=True", requires_grad_) \
    X(reshape, B, "input, *shape", reshape) \
    X(reshape_as, M, "input, other", reshape_as) \
    X(resolve_conj, B, "input", resolve_conj) \
    X(result_type, F, "tensor1, tensor2", result_type) \
    X(retain_grad, M, "input", nothing) \
    X(roll, B, "input, shifts, dims=None", roll) \
    X(scalar_tensor, F, "s, dtype=None, device=None, layout=None", scalar_tensor) \
    X(select, B, "input, dim, index", select) \
    X(share_memory_, M, "input", itself) \
    X(short, M, "input, memory_format=None", short) \
    X(size, M, "input, dim=None", size) \
    X(split, B, "input, split_size_or_sections, dim=0", split) \
    X(split_with_sizes, B, "input, split_sizes, dim=0", split) \
    X(squeeze, B, "input, dim=None", squeeze) \
    X(squeeze_, M, "input, dim=None", squeeze_) \
    X(storage_offset, M, "input", storage_offset) \
    X(stride, M, "input, dim=None", stride) \
    X(swapaxes, B, "input, axis0, axis1", transpose) \
    X(swapdims, B, "input, dim0, dim1", transpose) \
    X(t, B, "input", t) \
    X(take_along_dim, B, "input, indices, dim", take_along_dim) \
    X(tensor, F, "data, dtype=None, device=None, requires_grad=False, pin_memory=False", tensor) \
    X(tensor_split, B, "input, indices_or_sections, dim=0", tensor_split) \
    X(tile, B, "input, *dims", tile) \
    X(to, M, "input, *args, dtype=None, other=None, copy=False, device=None, non_blocking=False, memory_format=None", to) \
    X(tolist, M, "input", tolist) \
    X(transpose, B, "input, dim0, dim1", transpose) \
    X(transpose_, M, "input, dim0, dim1", transpose_) \
    X(tril_indices, F, "row, col, offset=0, dtype=None, device=None, layout=None", tril_indices) \
    X(triu_indices, F, "row, col, offset=0, dtype=None, device=None, layout=None", triu_indices) \
    X(type, M, "input, dtype=None, non_blocking=False", type) \
    X(type_as, M, "input, other", type_as) \
    X(unbind, B, "input, dim=0", unbind) \
    X(unflatten, B, "input, dim, sizes", unflatten) \
    X(unfold, M, "input, dimension, size, step", unfold) \
    X(uniform_, M, "input, a=0, b=1, generator=None", uniform_) \
    X(unique, B, "input, sorted=True, return_inverse=False, return_counts=False, dim=None", unique) \
    X(unique_consecutive, B, "input, return_inverse=False, return_counts=False, dim=None", unique_consecutive) \
    X(unsqueeze, B, "input, dim", unsqueeze) \
    X(unsqueeze_, M, "input, dim", unsqueeze_) \
    X(view, M, "input, *shape", view) \
    X(view_as, M, "input, other", view_as) \
    X(view_as_complex, F, "input", view_as_complex) \
    X(view_as_real, F, "input", view_as_real) \
    X(zero_, M, "input", zero_) \
    X(zeros, F, "*sizes, dtype=None, size=None, requires_grad=False, out=None, layout=None, device=None, pin_memory=False", zeros) \
    X(zeros_like, F, "input, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None", zeros_like)
// clang-format on

ridge_tensor_call ridge_native_reversed; /* .T */
#define X(name, where, signature, function) ridge_tensor_call ridge_native_##function;
RIDGE_TENSOR_METHOD_LIST(X)
#undef X

#endif
