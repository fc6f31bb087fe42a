from torch.nn import functional as F
from torch.nn.modules.module import Module
from torch.nn.modules.utils import _ntuple


class _Pad(Module):
    _spatial = 0
    _mode = "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = _ntuple(2 * self._spatial)(padding)
        self.value = 0.0

    def forward(self, input):
        if self._mode == "constant":
            return F.pad(input, self.padding, "constant", self.value)
        return F.pad(input, self.padding, self._mode)


class _ConstantPad(_Pad):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad):
    _spatial = 1


class ConstantPad2d(_ConstantPad):
    _spatial = 2


class ConstantPad3d(_ConstantPad):
    _spatial = 3


class ZeroPad1d(_Pad):
    _spatial = 1


class ZeroPad2d(_Pad):
    _spatial = 2


class ZeroPad3d(_Pad):
    _spatial = 3


class ReflectionPad1d(_Pad):
    _spatial = 1
    _mode = "reflect"


class ReflectionPad2d(_Pad):
    _spatial = 2
    _mode = "reflect"


class ReflectionPad3d(_Pad):
    _spatial = 3
    _mode = "reflect"


class ReplicationPad1d(_Pad):
    _spatial = 1
    _mode = "replicate"


class ReplicationPad2d(_Pad):
    _spatial = 2
    _mode = "replicate"


class ReplicationPad3d(_Pad):
    _spatial = 3
    _mode = "replicate"


class CircularPad1d(_Pad):
    _spatial = 1
    _mode = "circular"


class CircularPad2d(_Pad):
    _spatial = 2
    _mode = "circular"


class CircularPad3d(_Pad):
    _spatial = 3
    _mode = "circular"
