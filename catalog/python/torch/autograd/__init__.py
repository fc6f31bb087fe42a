# Functions with a backward pass of their own run forward.
from torch._torch import no_grad, enable_grad, set_grad_enabled
from torch.autograd.function import Function


class Variable:
    pass


class profiler:
    pass


def grad(*args, **kwargs):
    return None


def backward(*args, **kwargs):
    pass
