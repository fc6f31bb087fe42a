"""collections.abc: what a value can do, told by its methods."""


class _ByMethods(type):
    def __instancecheck__(cls, value):
        wanted = cls.__dict__.get("_types")
        if wanted is not None and isinstance(value, wanted):
            return True
        methods = cls.__dict__.get("_methods")
        if methods is None:
            return type.__instancecheck__(cls, value)
        if isinstance(value, (int, float, bool)) or value is None:
            return False
        for name in methods:
            if not hasattr(type(value), name):
                return cls in type(value).__mro__
        return True

    def __subclasscheck__(cls, other):
        wanted = cls.__dict__.get("_types")
        if wanted is not None and issubclass(other, wanted):
            return True
        return cls in other.__mro__


class Hashable(metaclass=_ByMethods):
    _types = (int, float, str, bool, tuple)
    _methods = ("__hash__",)


class Callable(metaclass=_ByMethods):
    _types = (type(len), type(lambda: None))
    _methods = ("__call__",)

    def __class_getitem__(cls, item):
        return cls


class Iterable(metaclass=_ByMethods):
    _types = (list, tuple, dict, set, str, range, type(iter(())))
    _methods = ("__iter__",)

    def __class_getitem__(cls, item):
        return cls


class Iterator(metaclass=_ByMethods):
    _types = (type(iter(())),)
    _methods = ("__iter__", "__next__")

    def __class_getitem__(cls, item):
        return cls


class Generator(Iterator):
    _types = (type(iter(())),)
    _methods = ("__iter__", "__next__", "send")


class Sized(metaclass=_ByMethods):
    _types = (list, tuple, dict, set, str, range)
    _methods = ("__len__",)


class Container(metaclass=_ByMethods):
    _types = (list, tuple, dict, set, str, range)
    _methods = ("__contains__",)


class Collection(Iterable):
    _types = (list, tuple, dict, set, str, range)
    _methods = ("__len__", "__iter__", "__contains__")


class Sequence(Collection):
    _types = (list, tuple, str, range)
    _methods = None


class MutableSequence(Sequence):
    _types = (list,)
    _methods = None


class Set(Collection):
    _types = (set,)
    _methods = None


class MutableSet(Set):
    _types = (set,)
    _methods = None


class Mapping(Collection):
    _types = (dict,)
    _methods = None

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        return [key for key in self]

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]


class MutableMapping(Mapping):
    _types = (dict,)
    _methods = None

    def update(self, other=(), **kwargs):
        for key, value in dict(other, **kwargs).items():
            self[key] = value

    def pop(self, key, *default):
        if key in self:
            value = self[key]
            del self[key]
            return value
        if default:
            return default[0]
        raise KeyError(key)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]


KeysView = ValuesView = ItemsView = Collection
Awaitable = Coroutine = AsyncIterator = AsyncIterable = AsyncGenerator = Reversible = Buffer = ByteString = Hashable
