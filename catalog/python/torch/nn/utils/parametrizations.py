import torch
from torch.nn.modules.module import Module
from torch.nn.utils import parametrize


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return torch._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        if self.dim == -1:
            shape = ()
        else:
            axis = self.dim if self.dim >= 0 else weight.dim() + self.dim
            shape = tuple([size if i == axis else 1 for i, size in enumerate(weight.shape)])
        return torch.empty(shape, dtype=weight.dtype), weight


def weight_norm(module, name="weight", dim=0):
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    return module


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    raise NotImplementedError("parametrizations.spectral_norm is not followed")


def orthogonal(module, name="weight", orthogonal_map=None, use_trivialization=True):
    raise NotImplementedError("parametrizations.orthogonal is not followed")
