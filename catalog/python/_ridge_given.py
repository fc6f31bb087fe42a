"""The inputs of forward as a person named them: `--inputs 'pixels=B,3,32,32 mask=B,S:bool'`."""
import _ridge
import torch

_NUMBERS = {"B": ("batch", 3, 1), "S": ("seq", 29, 1), "past": ("past", 37, 0)}


def _size(inputs, size):
    if isinstance(size, int):
        return size
    if size == "B":
        return inputs.batch
    key, default, least = _NUMBERS[size]
    return inputs.number(key, size, default, least)


def make(inputs, spec):
    out = {}
    for name, tensor in spec.items():
        shape = tuple(_size(inputs, size) for size in tensor["shape"])
        dtype = getattr(torch, tensor["dtype"]) if "dtype" in tensor else torch.get_default_dtype()
        out[name] = _ridge.as_input(torch.empty(shape, dtype=dtype))
    return out
