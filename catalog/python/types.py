"""types: the classes of what the language makes."""
import sys


def _function():
    pass


class _Class:
    def method(self):
        pass


FunctionType = LambdaType = type(_function)
BuiltinFunctionType = BuiltinMethodType = type(len)
MethodType = type(_Class().method)
ModuleType = type(sys)
GeneratorType = CoroutineType = AsyncGeneratorType = type(iter(()))
NoneType = type(None)
EllipsisType = type(...)
NotImplementedType = type(NotImplemented)


class TracebackType:
    pass


class FrameType:
    pass


class CodeType:
    pass


class GenericAlias:
    pass


class UnionType:
    pass


class MappingProxyType(dict):
    pass


class SimpleNamespace:
    def __init__(self, /, **kwargs):
        self.__dict__.update(kwargs)

    def __eq__(self, other):
        return self.__dict__ == other.__dict__

    def __repr__(self):
        return "namespace(" + ", ".join([key + "=" + repr(value) for key, value in self.__dict__.items()]) + ")"


DynamicClassAttribute = property


def new_class(name, bases=(), kwds=None, exec_body=None):
    namespace = {}
    if exec_body is not None:
        exec_body(namespace)
    return type(name, bases, namespace)


def coroutine(function):
    return function
