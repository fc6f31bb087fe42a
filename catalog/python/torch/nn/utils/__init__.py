from torch.nn.utils import parametrizations, parametrize, rnn
from torch.nn.utils.weight_norm import remove_weight_norm, weight_norm


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    return None


def clip_grad_value_(parameters, clip_value, foreach=None):
    return None


def skip_init(module_cls, *args, **kwargs):
    return module_cls(*args, **kwargs)


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    raise NotImplementedError("torch.nn.utils.spectral_norm is not followed")


def remove_spectral_norm(module, name="weight"):
    return module


def parameters_to_vector(parameters):
    import torch
    return torch.cat([parameter.reshape(-1) for parameter in parameters])


def fuse_conv_bn_eval(conv, bn, transpose=False):
    raise NotImplementedError("fuse_conv_bn_eval is not followed")
