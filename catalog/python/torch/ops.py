# torch.ops.aten.NAME.OVERLOAD: the operators by their own names.
from torch import _operator


class _Packet:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, overload):
        return _operator("aten." + self._name + "." + overload)

    def __call__(self, *args, **kwargs):
        return _operator("aten." + self._name + ".default")(*args, **kwargs)


class _Namespace:
    def __init__(self, name):
        self._space = name

    def __getattr__(self, name):
        return _Packet(name)


aten = _Namespace("aten")


class _Library:
    def __getattr__(self, name):
        raise AttributeError(name)


torchvision = _Library()
transformers = _Library()
