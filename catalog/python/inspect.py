"""inspect: parameters of functions, and what a value is."""
import types

import _ridge


class _Empty:
    pass


class Parameter:
    empty = _Empty
    POSITIONAL_ONLY = 0
    POSITIONAL_OR_KEYWORD = 1
    VAR_POSITIONAL = 2
    KEYWORD_ONLY = 3
    VAR_KEYWORD = 4

    def __init__(self, name, kind, *, default=_Empty, annotation=_Empty):
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation

    def replace(self, **changes):
        return Parameter(
            changes.get("name", self.name),
            changes.get("kind", self.kind),
            default=changes.get("default", self.default),
            annotation=changes.get("annotation", self.annotation),
        )


_KINDS = {"positional": 1, "rest": 2, "keyword": 3, "keywords": 4, "": 1}


class BoundArguments:
    def __init__(self, arguments):
        self.arguments = arguments

    def apply_defaults(self):
        pass


class Signature:
    empty = _Empty

    def __init__(self, parameters=None, *, return_annotation=_Empty):
        self.parameters = {one.name: one for one in parameters or []}
        self.return_annotation = return_annotation

    @classmethod
    def from_callable(cls, value, **kwargs):
        return signature(value)

    def replace(self, parameters=None, return_annotation=_Empty):
        return Signature(self.parameters.values() if parameters is None else parameters, return_annotation=return_annotation)

    def bind(self, *args, **kwargs):
        names = list(self.parameters)
        found = dict(zip(names, args))
        found.update(kwargs)
        return BoundArguments(found)

    bind_partial = bind


def unwrap(value, *, stop=None):
    while hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return value


def signature(value, *, follow_wrapped=True, **kwargs):
    skip = False
    if isinstance(value, type):
        value = value.__init__
        skip = True
    if isinstance(value, types.MethodType):
        value = value.__func__
        skip = True
    if follow_wrapped:
        value = unwrap(value)
    if not isinstance(value, types.FunctionType):
        if hasattr(value, "func"):
            return signature(value.func)
        call = getattr(type(value), "__call__", None)
        if not isinstance(call, types.FunctionType):
            return Signature()
        value = call
        skip = True
    found = [Parameter(name, _KINDS[kind], default=_Empty if default is ... else default) for name, kind, default in _ridge.parameters(value)]
    return Signature(found[1:] if skip else found)


class FullArgSpec:
    def __init__(self, args, varargs, varkw, defaults, kwonlyargs):
        self.args = args
        self.varargs = varargs
        self.varkw = varkw
        self.defaults = defaults
        self.kwonlyargs = kwonlyargs
        self.kwonlydefaults = None
        self.annotations = {}


def getfullargspec(value):
    every = list(signature(value).parameters.values())
    return FullArgSpec(
        [one.name for one in every if one.kind <= 1],
        next(iter([one.name for one in every if one.kind == 2]), None),
        next(iter([one.name for one in every if one.kind == 4]), None),
        tuple([one.default for one in every if one.kind <= 1 and one.default is not _Empty]),
        [one.name for one in every if one.kind == 3],
    )


def isfunction(value):
    return isinstance(value, types.FunctionType)


def ismethod(value):
    return isinstance(value, types.MethodType)


def isbuiltin(value):
    return isinstance(value, types.BuiltinFunctionType)


def isroutine(value):
    return isfunction(value) or ismethod(value) or isbuiltin(value)


def isclass(value):
    return isinstance(value, type)


def ismodule(value):
    return isinstance(value, types.ModuleType)


def isgeneratorfunction(value):
    return False


def isgenerator(value):
    return False


def iscoroutinefunction(value):
    return False


def isabstract(value):
    return False


def getmembers(value, predicate=None):
    found = [(name, getattr(value, name)) for name in dir(value) if hasattr(value, name)]
    return [pair for pair in found if predicate is None or predicate(pair[1])]


def getmro(cls):
    return cls.__mro__


def getmodule(value):
    import sys

    return sys.modules.get(getattr(value, "__module__", None))


def getsource(value):
    raise OSError("source is not handed out")


def getsourcefile(value):
    return None


getsourcelines = getsource


def getfile(value):
    return ""


def getdoc(value):
    return None


def cleandoc(text):
    return text


def stack():
    return []


def currentframe():
    return None


def getattr_static(value, name, *default):
    return getattr(value, name, *default)
