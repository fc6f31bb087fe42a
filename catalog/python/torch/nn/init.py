# What fills parameters: they have no numbers here, so nothing happens.
import math


def calculate_gain(nonlinearity, param=None):
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    return 3.0 / 4 if nonlinearity == "selu" else 1


def _calculate_fan_in_and_fan_out(tensor):
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = 1
    for size in tensor.shape[2:]:
        field *= size
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor, mode):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode.lower() == "fan_in" else fan_out


def uniform_(tensor, *args, **kwargs):
    return tensor


def normal_(tensor, *args, **kwargs):
    return tensor


def trunc_normal_(tensor, *args, **kwargs):
    return tensor


def constant_(tensor, *args, **kwargs):
    return tensor


def ones_(tensor, *args, **kwargs):
    return tensor


def zeros_(tensor, *args, **kwargs):
    return tensor


def eye_(tensor, *args, **kwargs):
    return tensor


def dirac_(tensor, *args, **kwargs):
    return tensor


def xavier_uniform_(tensor, *args, **kwargs):
    return tensor


def xavier_normal_(tensor, *args, **kwargs):
    return tensor


def kaiming_uniform_(tensor, *args, **kwargs):
    return tensor


def kaiming_normal_(tensor, *args, **kwargs):
    return tensor


def orthogonal_(tensor, *args, **kwargs):
    return tensor


def sparse_(tensor, *args, **kwargs):
    return tensor


uniform = uniform_
normal = normal_
constant = constant_
eye = eye_
dirac = dirac_
xavier_uniform = xavier_uniform_
xavier_normal = xavier_normal_
kaiming_uniform = kaiming_uniform_
kaiming_normal = kaiming_normal_
orthogonal = orthogonal_
sparse = sparse_
