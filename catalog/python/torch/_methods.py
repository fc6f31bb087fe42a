# Methods of tensors that are made of others; the tensor is their first argument.
import _ridge
import torch
from torch._torch import (
    addbmm, addmv, allclose, argsort, bernoulli, diff, equal, hypot, inner, isclose, isfinite, max, min, outer, ger, pow, square, stft, trace, xlogy,
)


def where(self, condition, other):
    return torch.where(condition, self, other)


def fill_diagonal_(self, value, wrap=False):
    self.diagonal().fill_(value)
    return self


def diag(self, diagonal=0):
    return torch.diag(self, diagonal)


def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    return torch.diag_embed(self, offset, dim1, dim2)


def softmax_(self, dim):
    return self.copy_(torch.softmax(self, dim))


def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
    return torch.norm(self, p, dim, keepdim, dtype)


def is_complex(self):
    return torch.is_complex(self)


def is_floating_point(self):
    return torch.is_floating_point(self)


def cosine_similarity(self, other, dim=1, eps=1e-08):
    return torch.cosine_similarity(self, other, dim, eps)


def unfold_(self, *args):
    return self.unfold(*args)


def tensordot(self, other, dims=2):
    return torch.tensordot(self, other, dims)


def new(self, *args):
    return torch.empty(*args, dtype=self.dtype)


def numpy(self, force=False):
    return _ridge.as_array(self)


def astype(self, dtype, copy=True):
    return self.to({float: torch.float64, int: torch.int64, bool: torch.bool}.get(dtype, dtype))


def copy(self):
    return self.clone()


def backward(self, *args, **kwargs):
    pass


def register_hook(self, hook):
    pass


def retain_grad(self):
    pass


def requires_grad_(self, requires_grad=True):
    return self


def pin_memory(self):
    return self


def share_memory_(self):
    return self


def is_shared(self):
    return False


def is_pinned(self):
    return False


def is_inference(self):
    return False
