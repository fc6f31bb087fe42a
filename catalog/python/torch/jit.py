# Nothing is compiled: what would be is taken as it stands.


def is_tracing():
    return False


def is_scripting():
    return False


def script(obj=None, *args, **kwargs):
    if obj is None:
        return lambda function: function
    return obj


def script_if_tracing(fn):
    return fn


def trace(func, *args, **kwargs):
    return func


def ignore(drop=False, **kwargs):
    if callable(drop):
        return drop
    return lambda function: function


def unused(fn):
    return fn


def export(fn):
    return fn


def interface(obj):
    return obj


def freeze(module, *args, **kwargs):
    return module


def annotate(the_type, the_value):
    return the_value


def isinstance(obj, target_type):
    return True


class ScriptModule:
    pass


class ScriptFunction:
    pass


class Final:
    pass


class Attribute:
    pass


class _TopLevelTracedModule:
    pass
