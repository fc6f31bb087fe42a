"""Counts a forward pass as PyTorch's FlopCounterMode does (torch.utils.flop_counter, which PyTorch has from 2.0 on): products, convolutions and
attention, under every module that is being called. Written from its published formulas; it knows nothing of Ridge."""

import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode


def product(a, b):
    """[m, k] x [k, n]: 2 m k n"""
    return 2 * a[0] * a[1] * b[1]


def batched(a, b):
    """[b, m, k] x [b, k, n]"""
    return a[0] * product(a[1:], b[1:])


def convolution(x, weight, out, transposed):
    """every place of the output (transposed: of the input), with every weight"""
    places = (x if transposed else out)[2:]
    return 2 * x[0] * math.prod(places) * math.prod(weight)


def attention(q, k, v):
    """scores, and their weighted sums"""
    b, h, s, d = q
    return 2 * b * h * s * k[-2] * (d + v[-1])


def flops_of(name, shapes, args, out):
    """Of one operator; what is none of these costs nothing here."""
    if name == "aten.mm":
        return product(shapes[0], shapes[1])
    if name == "aten.addmm":
        return product(shapes[1], shapes[2])
    if name == "aten.bmm":
        return batched(shapes[0], shapes[1])
    if name == "aten.baddbmm":
        return batched(shapes[1], shapes[2])
    if name in ("aten.convolution", "aten._convolution"):
        return convolution(shapes[0], shapes[1], out.shape, args[6])
    if "scaled_dot_product" in name:
        return attention(*shapes[:3])
    return 0


class Counter(TorchDispatchMode):
    """total: {path: FLOPs of all calls, with what they call}; own: without."""

    def __init__(self, module):
        super().__init__()
        self.paths = {one: path for path, one in module.named_modules()}
        self.total = {path: 0 for path in self.paths.values()}
        self.own = dict(self.total)
        self.calls = dict(self.total)
        self.stack = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        shapes = [tuple(a.shape) if isinstance(a, torch.Tensor) else None for a in args]
        flops = flops_of(str(func).rpartition(".")[0], shapes, args, out)
        for path in set(self.stack):
            self.total[path] += flops
        self.own[self.stack[-1]] += flops
        return out

    def count(self, module, inputs):
        """Runs it on real tensors, with gradients, so that PyTorch takes no shortcut that its counter would not see."""
        original = torch.nn.Module.__call__

        def call(one, *args, **kwargs):
            self.stack.append(self.paths[one])
            self.calls[self.paths[one]] += 1
            try:
                return original(one, *args, **kwargs)
            finally:
                self.stack.pop()

        torch.nn.Module.__call__ = call
        try:
            with torch.enable_grad(), self:
                module.eval()(*inputs)
        finally:
            torch.nn.Module.__call__ = original
        return self
