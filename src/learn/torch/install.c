/* The torch package: a run, its operators, the hooks of tensors, the native modules. */
#include "learn/torch/hooks.h"
#include "learn/torch/torch.h"

static const ridge_py_tensor_hooks hooks = {
    .binary = ridge_torch_binary,
    .unary = ridge_torch_unary,
    .get = ridge_tensor_get,
    .set = ridge_tensor_set,
    .get_item = ridge_tensor_get_item,
    .set_item = ridge_tensor_set_item,
    .length = ridge_tensor_length,
    .truth = ridge_tensor_truth,
    .iterate = ridge_tensor_iterate,
    .number = ridge_tensor_number,
    .skipped = ridge_torch_skipped,
};

ridge_status ridge_torch_install(ridge_py_interp *in)
{
    ridge_status st = ridge_run_start(in);
    if (st)
        return st;
    ridge_run_of(in)->default_dtype = RIDGE_DTYPE_F32;
    in->tensors = &hooks;
    st = ridge_operators_load(in);
    if (!st)
        st = ridge_torch_modules(in);
    return st ? st : ridge_nn_install(in);
}
