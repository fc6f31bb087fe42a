from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

Container = Module


class _Numbered(Module):
    # children whose names are their places
    def _take(self, modules):
        self._replace([str(i) for i in range(len(modules))], modules)

    def _place(self, index):
        count = self._child_count()
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of range")
        return index + count if index < 0 else index

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._sliced(self._child_list()[index], index)
        return self._child(index)

    def __setitem__(self, index, module):
        return setattr(self, list(self._modules.keys())[self._place(index)], module)

    def __delitem__(self, index):
        modules = self._child_list()
        del modules[index]
        self._take(modules)

    def __len__(self):
        return self._child_count()

    def __iter__(self):
        return iter(self._child_list())

    def __bool__(self):
        return self._child_count() > 0

    def append(self, module):
        self.add_module(str(self._child_count()), module)
        return self

    def insert(self, index, module):
        modules = self._child_list()
        modules.insert(index, module)
        self._take(modules)

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def pop(self, key):
        module = self[key]
        del self[key]
        return module

    def __iadd__(self, modules):
        return self.extend(modules)


class Sequential(_Numbered):
    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    def _sliced(self, modules, index):
        names = list(self._modules.keys())[index]
        made = Sequential()
        made._replace(names, modules)
        return made

    def insert(self, index, module):
        super().insert(index, module)
        return self

    def __add__(self, other):
        return Sequential(*(self._child_list() + other._child_list()))

    def forward(self, input):
        for module in self._child_list():
            input = module(input)
        return input


class ModuleList(_Numbered):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _sliced(self, modules, index):
        return type(self)(modules)

    def __add__(self, other):
        return ModuleList(self._child_list() + list(other))


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        if key not in self._modules:
            raise KeyError(key)
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        self.pop(key)

    def __len__(self):
        return self._child_count()

    def __iter__(self):
        return iter(list(self._modules.keys()))

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        self._replace([], [])

    def pop(self, key):
        children = self._modules
        module = children.pop(key)
        self._replace(list(children.keys()), list(children.values()))
        return module

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def get(self, key, default=None):
        return self._modules.get(key, default)

    def update(self, modules):
        pairs = modules.items() if hasattr(modules, "items") else modules
        for key, module in pairs:
            self.add_module(key, module)


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return ParameterList([self[i] for i in range(*index.indices(self._size))])
        if not -self._size <= index < self._size:
            raise IndexError(f"index {index} is out of range")
        return getattr(self, str(index + self._size if index < 0 else index))

    def __setitem__(self, index, value):
        if hasattr(value, "shape") and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(index + self._size if index < 0 else index), value)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(self._size)])

    def append(self, value):
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, values):
        return self.extend(values)


class ParameterDict(Module):
    def __init__(self, parameters=None):
        super().__init__()
        self._names = []
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        if key not in self._names:
            raise KeyError(key)
        return getattr(self, str(key))

    def __setitem__(self, key, value):
        if hasattr(value, "shape") and not isinstance(value, Parameter):
            value = Parameter(value)
        if key not in self._names:
            self._names.append(key)
        setattr(self, str(key), value)

    def __delitem__(self, key):
        self._names.remove(key)
        delattr(self, str(key))

    def __len__(self):
        return len(self._names)

    def __iter__(self):
        return iter(self._names)

    def __contains__(self, key):
        return key in self._names

    def get(self, key, default=None):
        return self[key] if key in self._names else default

    def keys(self):
        return list(self._names)

    def values(self):
        return [self[key] for key in self._names]

    def items(self):
        return [(key, self[key]) for key in self._names]

    def update(self, parameters):
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        for key, value in pairs:
            self[key] = value
