"""dataclasses: fields from annotations, __init__, equality."""


class _Missing:
    pass


MISSING = _Missing()
KW_ONLY = _Missing()


class FrozenInstanceError(AttributeError):
    pass


class Field:
    def __init__(self, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=False):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.metadata = metadata or {}
        self.kw_only = kw_only


class InitVar:
    def __class_getitem__(cls, item):
        return cls


def field(default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=False, **kwargs):
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def _is_class_var(annotation):
    return "ClassVar" in str(annotation)


def _own_fields(cls, kw_only):
    found = {}
    for name, annotation in (cls.__dict__.get("__annotations__") or {}).items():
        if annotation is KW_ONLY:
            kw_only = True
            continue
        if _is_class_var(annotation):
            continue
        default = cls.__dict__.get(name, MISSING)
        one = default if isinstance(default, Field) else Field(default=default)
        one.name = name
        one.type = annotation
        one.kw_only = one.kw_only or kw_only
        found[name] = one
        if isinstance(default, Field):
            if default.default is not MISSING:
                setattr(cls, name, default.default)
            else:
                delattr(cls, name)
    return found


def _value(one, args):
    if one.name in args:
        return args.pop(one.name)
    if one.default_factory is not MISSING:
        return one.default_factory()
    if one.default is not MISSING:
        return one.default
    raise TypeError("__init__() missing a required argument: '" + one.name + "'")


def _make_init(fields):
    order = [one for one in fields.values() if one.init and not one.kw_only]
    all_fields = list(fields.values())

    def __init__(self, *args, **kwargs):
        if len(args) > len(order):
            raise TypeError("__init__() takes " + str(len(order)) + " positional arguments but " + str(len(args)) + " were given")
        for one, value in zip(order, args):
            if one.name in kwargs:
                raise TypeError("__init__() got multiple values for argument '" + one.name + "'")
            kwargs[one.name] = value
        for one in all_fields:
            if one.init:
                object.__setattr__(self, one.name, _value(one, kwargs)) if self.__dataclass_params__["frozen"] else setattr(
                    self, one.name, _value(one, kwargs)
                )
            elif one.default_factory is not MISSING:
                setattr(self, one.name, one.default_factory())
        if kwargs:
            raise TypeError("__init__() got an unexpected keyword argument '" + list(kwargs)[0] + "'")
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    return __init__


def _make_eq(fields):
    names = [one.name for one in fields.values() if one.compare]

    def __eq__(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in names)

    return __eq__


def _make_repr(fields):
    names = [one.name for one in fields.values() if one.repr]

    def __repr__(self):
        return self.__class__.__name__ + "(" + ", ".join([name + "=" + repr(getattr(self, name)) for name in names]) + ")"

    return __repr__


def _process(cls, init, repr, eq, frozen, kw_only):
    fields = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get("__dataclass_fields__") or {})
    fields.update(_own_fields(cls, kw_only))
    cls.__dataclass_fields__ = fields
    cls.__dataclass_params__ = {"frozen": frozen}
    if init and "__init__" not in cls.__dict__:
        cls.__init__ = _make_init(fields)
    if repr and "__repr__" not in cls.__dict__:
        cls.__repr__ = _make_repr(fields)
    if eq and "__eq__" not in cls.__dict__:
        cls.__eq__ = _make_eq(fields)
    cls.__match_args__ = tuple([one.name for one in fields.values() if one.init and not one.kw_only])
    return cls


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False):
    if cls is None:
        return lambda cls: _process(cls, init, repr, eq, frozen, kw_only)
    return _process(cls, init, repr, eq, frozen, kw_only)


def fields(value):
    found = getattr(value, "__dataclass_fields__", None)
    if found is None:
        raise TypeError("must be called with a dataclass type or instance")
    return tuple(found.values())


def is_dataclass(value):
    return hasattr(value, "__dataclass_fields__")


def _plain(value):
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, (list, tuple)):
        return type(value)([_plain(item) for item in value])
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def asdict(value, dict_factory=dict):
    return dict_factory([(one.name, _plain(getattr(value, one.name))) for one in fields(value)])


def astuple(value):
    return tuple([_plain(getattr(value, one.name)) for one in fields(value)])


def replace(value, /, **changes):
    values = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
    values.update(changes)
    return value.__class__(**values)


def make_dataclass(name, members, bases=(), **kwargs):
    annotations = {}
    for member in members:
        annotations[member if isinstance(member, str) else member[0]] = object
    return dataclass(type(name, bases, {"__annotations__": annotations}))
