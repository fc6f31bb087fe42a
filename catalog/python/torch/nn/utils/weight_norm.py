# weight = g * v / |v|, worked out before each forward.
import torch
from torch.nn.parameter import Parameter


def _norm_shape(weight, dim):
    if dim is None or dim == -1:
        return ()
    return tuple([size if i == dim else 1 for i, size in enumerate(weight.shape)])


def weight_norm(module, name="weight", dim=0):
    weight = getattr(module, name)
    if dim is not None and dim < -1:
        dim = weight.dim() + dim
    delattr(module, name)
    module.register_parameter(name + "_g", Parameter(torch.empty(_norm_shape(weight, dim), dtype=weight.dtype)))
    module.register_parameter(name + "_v", Parameter(torch.empty(weight.shape, dtype=weight.dtype)))
    setattr(module, name, torch.empty(weight.shape, dtype=weight.dtype))
    axis = -1 if dim is None else dim

    def compute(module, args):
        setattr(module, name, torch._weight_norm(getattr(module, name + "_v"), getattr(module, name + "_g"), axis))

    module._weight_norm_name = name
    module._weight_norm_handle = module.register_forward_pre_hook(compute)
    return module


def remove_weight_norm(module, name="weight"):
    if getattr(module, "_weight_norm_name", None) != name:
        raise ValueError(f"weight_norm of '{name}' not found")
    module._weight_norm_handle.remove()
    weight = getattr(module, name + "_v")
    delattr(module, name + "_g")
    delattr(module, name + "_v")
    delattr(module, name)
    setattr(module, name, Parameter(torch.empty(weight.shape, dtype=weight.dtype)))
    return module
