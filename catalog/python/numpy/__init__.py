"""Stands in for numpy: arrays are tensors whose making nobody counts."""
import math

import _ridge
import torch

pi = math.pi
inf = math.inf
nan = math.nan
e = math.e
newaxis = None
float16, float32, float64 = torch.float16, torch.float32, torch.float64
int8, int16, int32, int64, uint8 = torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8
bool_ = torch.bool


class ndarray:
    pass


class dtype:
    pass


def _quiet(function):
    def call(*args, **kwargs):
        on = _ridge.recording()
        _ridge.set_recording(False)
        try:
            made = function(*args, **kwargs)
        finally:
            _ridge.set_recording(on)
        return [_ridge.as_array(a, True, True) for a in made] if isinstance(made, (list, tuple)) else _ridge.as_array(made, True, True)

    return call


def _type(dtype, default):
    if dtype is float:
        return torch.float64
    if dtype is int:
        return torch.int64
    if dtype is bool:
        return torch.bool
    return default if dtype is None else dtype


def _is(x):
    return isinstance(x, torch.Tensor)


def _wide(x):
    """A tensor as numpy has it: whole numbers or double precision."""
    t = torch.tensor(x)
    return t.to(torch.float64) if t.is_floating_point() else t


@_quiet
def array(x, dtype=None, copy=True):
    x = x if _is(x) else _wide(x)
    return x if dtype is None else x.to(_type(dtype, None))


asarray = array


@_quiet
def arange(*args, dtype=None):
    return torch.arange(*args, dtype=_type(dtype, None)) if dtype is not None else torch.arange(*args)


@_quiet
def linspace(start, stop, num=50, endpoint=True, dtype=None):
    count = num - 1 if endpoint else num
    step = (stop - start) / count if count > 0 else 0.0
    return torch.tensor([start + i * step for i in range(num)], dtype=_type(dtype, torch.float64))


@_quiet
def zeros(shape, dtype=None):
    return torch.zeros(shape, dtype=_type(dtype, torch.float64))


@_quiet
def ones(shape, dtype=None):
    return torch.ones(shape, dtype=_type(dtype, torch.float64))


@_quiet
def empty(shape, dtype=None):
    return torch.empty(shape, dtype=_type(dtype, torch.float64))


@_quiet
def full(shape, fill_value, dtype=None):
    return torch.full(shape if isinstance(shape, (tuple, list)) else (shape,), fill_value, dtype=_type(dtype, torch.float64))


@_quiet
def concatenate(arrays, axis=0):
    return torch.cat([array(a) for a in arrays], dim=axis)


@_quiet
def stack(arrays, axis=0):
    return torch.stack([array(a) for a in arrays], dim=axis)


def expand_dims(a, axis):
    return array(a).unsqueeze(axis)


def reshape(a, shape):
    return array(a).reshape(shape)


def transpose(a, axes=None):
    return array(a).T if axes is None else array(a).permute(*axes)


def broadcast_to(a, shape):
    return array(a).expand(shape)


@_quiet
def meshgrid(*arrays, indexing="xy"):
    return torch.meshgrid(*[array(a) for a in arrays], indexing=indexing)


def _either(number, tensor):
    """math's function of a number, torch's of a tensor."""

    def call(x):
        return _quiet(tensor)(x if _is(x) else _wide(x)) if _is(x) or isinstance(x, (list, tuple)) else number(x)

    return call


sqrt = _either(math.sqrt, torch.sqrt)
log = _either(math.log, torch.log)
log2 = _either(math.log2, torch.log2)
log10 = _either(math.log10, torch.log10)
log1p = _either(math.log1p, torch.log1p)
exp = _either(math.exp, torch.exp)
sin = _either(math.sin, torch.sin)
cos = _either(math.cos, torch.cos)
tanh = _either(math.tanh, torch.tanh)


class _Whole(float):
    """A fraction without a part behind the point, of which numpy makes other numbers."""

    def astype(self, dtype):
        return _Count(int(self)) if dtype in (int, "int", "int64", "int32", int64, int32) else self

    def item(self):
        return float(self)


class _Count(int):
    def item(self):
        return int(self)


ceil = _either(lambda x: _Whole(math.ceil(x)), torch.ceil)
floor = _either(lambda x: _Whole(math.floor(x)), torch.floor)
round = _either(round, torch.round)
rint = round
abs = _either(abs, torch.abs)
absolute = abs


power = _ridge.power


@_quiet
def prod(a, axis=None, dtype=None):
    if _is(a):
        return a.prod() if axis is None else a.prod(axis)
    if isinstance(a, (int, float)):
        return a
    out = 1
    for x in a:
        out = out * x
    return out


@_quiet
def sum(a, axis=None):
    if not _is(a):
        a = _wide(a)
    return a.sum() if axis is None else a.sum(axis)


@_quiet
def mean(a, axis=None):
    a = array(a)
    a = a if a.is_floating_point() else a.to(torch.float64)
    return a.mean() if axis is None else a.mean(axis)


@_quiet
def cumsum(a, axis=0):
    return array(a).cumsum(axis)


@_quiet
def cumprod(a, axis=0):
    out, product = [], 1
    for x in a:
        product = product * x
        out.append(product)
    return out


@_quiet
def einsum(equation, *operands):
    return torch.einsum(equation, *[array(operand) for operand in operands])


@_quiet
def maximum(a, b):
    return torch.maximum(array(a), array(b)) if _is(a) or _is(b) else max(a, b)


@_quiet
def clip(a, low, high):
    return a.clamp(low, high) if _is(a) else min(max(a, low), high)


@_quiet
def where(condition, x, y):
    return torch.where(condition, x, y)


@_quiet
def triu(a, k=0):
    return torch.triu(array(a), diagonal=k)


@_quiet
def eye(n, m=None, dtype=None):
    return torch.eye(n, n if m is None else m)


def lcm(a, b):
    return math.lcm(a, b)


def isscalar(x):
    return isinstance(x, (int, float, str))
