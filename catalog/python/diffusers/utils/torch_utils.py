"""Stands in for diffusers.utils.torch_utils."""
import torch

from .import_utils import is_torch_version


def maybe_allow_in_graph(cls):
    return cls


def is_compiled_module(module):
    return False


def unwrap_module(module):
    return module


def lru_cache_unless_export(maxsize=128, typed=False):
    def decorate(function):
        return function

    return decorate


def maybe_adjust_dtype_for_device(dtype, device):
    return dtype


def randn_tensor(shape, generator=None, device=None, dtype=None, layout=None):
    return torch.randn(shape, dtype=dtype)


def get_device():
    return "cpu"


def empty_device_cache(*args):
    return None


def is_torch_dist_rank_zero():
    return True


def fourier_filter(x_in, threshold, scale):
    import _ridge

    return _ridge.unknown("unknown function", "a Fourier filter")


def apply_freeu(resolution_idx, hidden_states, res_hidden_states, **freeu_kwargs):
    return hidden_states, res_hidden_states
