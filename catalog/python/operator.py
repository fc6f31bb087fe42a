"""operator: the functions are in C (_operator)."""
from _operator import *
from _operator import add, and_, contains, eq, floordiv, ge, getitem, gt, invert, is_, is_not, le, lshift, lt, matmul, mod, mul, ne, neg, not_
from _operator import or_, pos, pow, rshift, sub, truediv, xor

iadd, isub, imul = add, sub, mul
__add__, __sub__, __mul__, __truediv__, __floordiv__, __mod__, __pow__ = add, sub, mul, truediv, floordiv, mod, pow
__eq__, __ne__, __lt__, __le__, __gt__, __ge__, __neg__, __not__ = eq, ne, lt, le, gt, ge, neg, not_


def truth(value):
    return bool(value)


def index(value):
    return value.__index__() if hasattr(value, "__index__") else value


def length_hint(value, default=0):
    return len(value) if hasattr(value, "__len__") else default


def itemgetter(*items):
    if len(items) == 1:
        return lambda value: value[items[0]]
    return lambda value: tuple([value[item] for item in items])


def attrgetter(*names):
    def one(value, path):
        for name in path.split("."):
            value = getattr(value, name)
        return value

    if len(names) == 1:
        return lambda value: one(value, names[0])
    return lambda value: tuple([one(value, name) for name in names])


def methodcaller(name, *args, **kwargs):
    return lambda value: getattr(value, name)(*args, **kwargs)


def setitem(container, key, value):
    container[key] = value


def delitem(container, key):
    del container[key]
