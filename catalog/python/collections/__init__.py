"""collections: containers made of the built-in ones."""
from collections import abc


class OrderedDict(dict):
    pass


class defaultdict(dict):
    def __init__(self, default_factory=None, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.default_factory = default_factory
        dict._missing_(self, default_factory)


class Counter(dict):
    def __init__(self, iterable=None, **kwargs):
        super().__init__()
        self.update(iterable, **kwargs)

    def __getitem__(self, key):
        return self.get(key, 0)

    def update(self, iterable=None, **kwargs):
        if isinstance(iterable, dict):
            for key, count in iterable.items():
                self[key] = self.get(key, 0) + count
        elif iterable is not None:
            for key in iterable:
                self[key] = self.get(key, 0) + 1
        for key, count in kwargs.items():
            self[key] = self.get(key, 0) + count

    def most_common(self, n=None):
        return sorted(self.items(), key=lambda item: item[1], reverse=True)[:n]

    def elements(self):
        return [key for key, count in self.items() for _ in range(count)]


class deque(list):
    def __init__(self, iterable=(), maxlen=None):
        super().__init__(iterable)
        self.maxlen = maxlen
        if maxlen is not None:
            while len(self) > maxlen:
                self.popleft()

    def append(self, item):
        list.append(self, item)
        if self.maxlen is not None and len(self) > self.maxlen:
            self.pop(0)

    def appendleft(self, item):
        self.insert(0, item)

    def popleft(self):
        return self.pop(0)

    def extendleft(self, items):
        for item in items:
            self.insert(0, item)

    def rotate(self, n=1):
        for _ in range(n):
            self.insert(0, self.pop())


class UserDict:
    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(self.__class__, "__missing__"):
            return self.__class__.__missing__(self, key)
        raise KeyError(key)

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def get(self, key, default=None):
        return self[key] if key in self else default

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()

    def update(self, other=(), **kwargs):
        for key, value in dict(other, **kwargs).items():
            self[key] = value

    def pop(self, key, *default):
        return self.data.pop(key, *default)

    def setdefault(self, key, default=None):
        return self.data.setdefault(key, default)

    def copy(self):
        return self.__class__(self.data)


class UserList(list):
    pass


class ChainMap(dict):
    def __init__(self, *maps):
        super().__init__()
        for one in reversed(maps):
            self.update(one)


def _field_names(names):
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    return tuple(names)


def _make_namedtuple(typename, field_names, defaults):
    count = len(field_names)

    def __new__(cls, *args, **kwargs):
        if len(args) > count:
            raise TypeError(typename + " takes " + str(count) + " values")
        values = list(args)
        for name in field_names[len(args):]:
            if name in kwargs:
                values.append(kwargs[name])
            elif name in defaults:
                values.append(defaults[name])
            else:
                raise TypeError(typename + " lacks " + name)
        return tuple.__new__(cls, values)

    def _asdict(self):
        return dict(zip(field_names, self))

    def _replace(self, **changes):
        return self.__class__(**{**self._asdict(), **changes})

    def __repr__(self):
        return self.__class__.__name__ + "(" + ", ".join([name + "=" + repr(value) for name, value in zip(field_names, self)]) + ")"

    namespace = {
        "__new__": __new__,
        "__repr__": __repr__,
        "_fields": field_names,
        "_field_defaults": defaults,
        "_asdict": _asdict,
        "_replace": _replace,
        "_make": classmethod(lambda cls, values: cls(*values)),
    }
    for place, name in enumerate(field_names):
        namespace[name] = property(lambda self, place=place: tuple.__getitem__(self, place))
    return namespace


def namedtuple(typename, field_names, rename=False, defaults=None, module=None):
    names = _field_names(field_names)
    values = {}
    if defaults:
        values = dict(zip(names[len(names) - len(defaults):], defaults))
    return type(typename, (tuple,), _make_namedtuple(typename, names, values))
