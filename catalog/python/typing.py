"""typing: everything may be subscripted and means nothing, but for NamedTuple and what tests types."""
import collections
import collections.abc as _abc

TYPE_CHECKING = False


class _Form:
    def __init__(self, name, args=()):
        self._name = name
        self.__origin__ = None
        self.__args__ = args

    def __getitem__(self, item):
        made = _Form(self._name, item if isinstance(item, tuple) else (item,))
        made.__origin__ = self
        return made

    def __call__(self, *args, **kwargs):
        return args[0] if args else None

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]

    def __mro_entries__(self, bases):
        return ()

    def __repr__(self):
        return "typing." + self._name


Any = _Form("Any")
Union = _Form("Union")
Optional = _Form("Optional")
Literal = _Form("Literal")
Final = _Form("Final")
ClassVar = _Form("ClassVar")
Annotated = _Form("Annotated")
Concatenate = _Form("Concatenate")
TypeAlias = _Form("TypeAlias")
TypeGuard = _Form("TypeGuard")
Unpack = _Form("Unpack")
Required = _Form("Required")
NotRequired = _Form("NotRequired")
ReadOnly = _Form("ReadOnly")
Self = _Form("Self")
Never = _Form("Never")
NoReturn = _Form("NoReturn")
LiteralString = _Form("LiteralString")
Type = _Form("Type")
AnyStr = _Form("AnyStr")
Text = str
IO = TextIO = BinaryIO = _Form("IO")
Pattern = Match = _Form("Pattern")
List = list
Tuple = tuple
Dict = dict
Set = set
FrozenSet = frozenset
DefaultDict = collections.defaultdict
OrderedDict = collections.OrderedDict
Counter = collections.Counter
Deque = collections.deque
Callable = _abc.Callable
Iterable = _abc.Iterable
Iterator = _abc.Iterator
Generator = _abc.Generator
Sequence = _abc.Sequence
MutableSequence = _abc.MutableSequence
Mapping = _abc.Mapping
MutableMapping = _abc.MutableMapping
Collection = _abc.Collection
Container = _abc.Container
Sized = _abc.Sized
Hashable = _abc.Hashable
AbstractSet = _abc.Set
MutableSet = _abc.MutableSet
Awaitable = Coroutine = AsyncIterator = AsyncIterable = AsyncGenerator = ContextManager = _Form("Awaitable")
KeysView = ValuesView = ItemsView = _abc.Collection
ForwardRef = _Form("ForwardRef")
SupportsInt = SupportsFloat = SupportsIndex = SupportsAbs = _Form("Supports")


class Generic:
    def __class_getitem__(cls, item):
        return cls


class Protocol:
    def __class_getitem__(cls, item):
        return cls


class TypedDict(dict):
    def __init_subclass__(cls, **kwargs):
        pass


class TypeVar:
    def __init__(self, name, *constraints, **kwargs):
        self.__name__ = name

    def __getitem__(self, item):
        return self

    def __or__(self, other):
        return self

    def __ror__(self, other):
        return self


class ParamSpec(TypeVar):
    args = None
    kwargs = None


TypeVarTuple = TypeVar


class NamedTuple(tuple):
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__()
        names = tuple(cls.__dict__.get("__annotations__", {}))
        if not names:
            return
        defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
        for name, value in collections._make_namedtuple(cls.__name__, names, defaults).items():
            setattr(cls, name, value)


def NewType(name, kind):
    return kind


def cast(kind, value):
    return value


def overload(function):
    return function


def final(value):
    return value


def no_type_check(value):
    return value


def runtime_checkable(cls):
    return cls


def override(function):
    return function


def dataclass_transform(**kwargs):
    return lambda cls: cls


def assert_type(value, kind):
    return value


def reveal_type(value):
    return value


def get_type_hints(value, globalns=None, localns=None, include_extras=False):
    found = {}
    for cls in reversed(getattr(value, "__mro__", (value,))):
        found.update(getattr(cls, "__annotations__", {}) or {})
    return found


def get_origin(kind):
    return getattr(kind, "__origin__", None)


def get_args(kind):
    return getattr(kind, "__args__", ())


def is_typeddict(kind):
    return False


def deprecated(message, **kwargs):
    return lambda value: value
