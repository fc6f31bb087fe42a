# Modules whose shapes follow from their first input: not known before a run.
from torch.nn.modules.module import Module


class LazyModuleMixin:
    pass


class _Lazy(Module):
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("lazy modules have no shapes before they run")


class LazyLinear(_Lazy):
    pass


class LazyConv1d(_Lazy):
    pass


class LazyConv2d(_Lazy):
    pass
