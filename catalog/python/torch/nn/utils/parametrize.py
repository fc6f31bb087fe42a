# A parametrized tensor is a property of a class of its own: module.weight runs module.parametrizations.weight().
import contextlib

from torch.nn.modules.container import ModuleDict, ModuleList
from torch.nn.parameter import Parameter


@contextlib.contextmanager
def cached():
    yield


class ParametrizationList(ModuleList):
    def __init__(self, modules, original, unsafe=False):
        super().__init__(modules)
        self.unsafe = unsafe
        new = original
        for module in reversed(modules):
            if hasattr(module, "right_inverse"):
                new = module.right_inverse(new)
        self.is_tensor = not isinstance(new, (tuple, list))
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self.original = original
        else:
            for i, originali in enumerate(new):
                setattr(self, f"original{i}", Parameter(originali))

    def forward(self):
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        for i in range(1, len(self)):
            x = self[i](x)
        return x


def is_parametrized(module, tensor_name=None):
    parametrizations = getattr(module, "parametrizations", None)
    if parametrizations is None or not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def _inject(module, tensor_name):
    cls = type(module)
    name = cls.__name__ if is_parametrized(module) else "Parametrized" + cls.__name__
    module.__class__ = type(name, (cls,), {tensor_name: property(lambda self: self.parametrizations[tensor_name]()),
                                           "__module__": "torch.nn.utils.parametrize"})


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    if is_parametrized(module, tensor_name):
        module.parametrizations[tensor_name].append(parametrization)
        return module
    original = getattr(module, tensor_name)
    made = ParametrizationList([parametrization], original, unsafe=unsafe)
    delattr(module, tensor_name)
    _inject(module, tensor_name)
    if "parametrizations" not in module._modules:
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = made
    return module


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    raise NotImplementedError("remove_parametrizations is not followed")
