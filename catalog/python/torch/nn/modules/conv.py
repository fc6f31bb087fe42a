import torch
from torch.nn import functional as F
from torch.nn.modules.module import Module
from torch.nn.modules.utils import _ntuple, _reverse_repeat_tuple
from torch.nn.parameter import Parameter


class _ConvNd(Module):
    _spatial = 0
    _is_transposed = False

    def _set_up(self, in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias, padding_mode, dtype):
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        each = _ntuple(self._spatial)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = each(kernel_size)
        self.stride = each(stride)
        self.padding = padding if isinstance(padding, str) else each(padding)
        self.dilation = each(dilation)
        self.transposed = self._is_transposed
        self.output_padding = each(output_padding)
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._padding_twice()
        if self.transposed:
            shape = (in_channels, out_channels // groups) + self.kernel_size
        else:
            shape = (out_channels, in_channels // groups) + self.kernel_size
        self.weight = Parameter(torch.empty(shape, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, dtype=dtype))
        else:
            self.register_parameter("bias", None)

    def _padding_twice(self):
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        both = [0, 0] * len(self.kernel_size)
        if self.padding == "same":
            last = len(self.kernel_size) - 1
            for i, (d, k) in enumerate(zip(self.dilation, self.kernel_size)):
                total = d * (k - 1)
                both[2 * (last - i)] = total // 2
                both[2 * (last - i) + 1] = total - total // 2
        return both

    def reset_parameters(self):
        pass


class _Conv(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros",
                 device=None, dtype=None):
        super().__init__()
        self._set_up(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, dtype)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input, weight, bias):
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self._spatial
        return self._function()(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv):
    _spatial = 1

    def _function(self):
        return F.conv1d


class Conv2d(_Conv):
    _spatial = 2

    def _function(self):
        return F.conv2d


class Conv3d(_Conv):
    _spatial = 3

    def _function(self):
        return F.conv3d


class _ConvTransposeNd(_ConvNd):
    _is_transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self._set_up(in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias, padding_mode, dtype)

    def forward(self, input, output_size=None):
        output_padding = self._output_padding(input, output_size)
        return self._function()(input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation)

    def _output_padding(self, input, output_size):
        if output_size is None:
            return self.output_padding
        n = self._spatial
        wanted = list(output_size)[-n:]
        made = []
        for d in range(n):
            least = ((input.size(d - n) - 1) * self.stride[d] - 2 * self.padding[d] + self.dilation[d] * (self.kernel_size[d] - 1) + 1)
            made.append(wanted[d] - least)
        return made


class ConvTranspose1d(_ConvTransposeNd):
    _spatial = 1

    def _function(self):
        return F.conv_transpose1d


class ConvTranspose2d(_ConvTransposeNd):
    _spatial = 2

    def _function(self):
        return F.conv_transpose2d


class ConvTranspose3d(_ConvTransposeNd):
    _spatial = 3

    def _function(self):
        return F.conv_transpose3d
