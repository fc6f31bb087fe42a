"""copy: shallow and deep copies; modules by their attributes, tensors as new tensors."""
import types

_ATOMS = (int, float, str, bool, type(None), type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, range)


class Error(Exception):
    pass


error = Error


def copy(value):
    kind = type(value)
    if value is None or isinstance(value, _ATOMS):
        return value
    if hasattr(kind, "__copy__"):
        return value.__copy__()
    if kind is list or kind is tuple or kind is set:
        return kind(value)
    if isinstance(value, dict) and not hasattr(value, "__dict__"):
        return value.copy()
    if hasattr(value, "clone") and hasattr(value, "dtype"):
        return value
    return _rebuild(value, lambda part: part)


def deepcopy(value, memo=None):
    if memo is None:
        memo = {}
    if value is None or isinstance(value, _ATOMS):
        return value
    key = id(value)
    if key in memo:
        return memo[key]
    made = _deep(value, memo)
    memo[key] = made
    return made


def _deep(value, memo):
    kind = type(value)
    if hasattr(kind, "__deepcopy__"):
        return value.__deepcopy__(memo)
    if kind is list:
        made = []
        memo[id(value)] = made
        for item in value:
            made.append(deepcopy(item, memo))
        return made
    if kind is tuple:
        return tuple([deepcopy(item, memo) for item in value])
    if kind is set:
        return set([deepcopy(item, memo) for item in value])
    if kind is dict:
        made = {}
        memo[id(value)] = made
        for key, item in value.items():
            made[deepcopy(key, memo)] = deepcopy(item, memo)
        return made
    if isinstance(value, types.MethodType):
        return value
    if hasattr(value, "clone") and hasattr(value, "dtype"):
        return value.clone()
    return _rebuild(value, lambda part: deepcopy(part, memo), memo)


def _rebuild(value, each, memo=None):
    if not hasattr(value, "__dict__"):
        return value
    kind = type(value)
    if isinstance(value, tuple):
        return kind(*[each(item) for item in value])
    made = kind.__new__(kind)
    if memo is not None:
        memo[id(value)] = made
    if isinstance(value, dict):
        for key, item in dict.items(value):
            dict.__setitem__(made, key, each(item))
    elif isinstance(value, list):
        for item in value:
            list.append(made, each(item))
    for name, part in value.__dict__.items():
        made.__dict__[name] = each(part)
    return made


def replace(value, /, **changes):
    return value.__replace__(**changes)
