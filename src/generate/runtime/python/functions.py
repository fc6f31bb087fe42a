"""The functions of the formulas, by their names there: exact, and strict about what they take. Some stand for Python's own."""

import builtins
import math

from .base import number_of
from .values import NO_CONFIG, Config, Fraction, GeneratedError, UnknownError, is_number, whole

LARGEST_RANGE = 1_000_000
LARGEST_POWER = 1 << 12  # bits of a result


def _number(value, name):
    value = number_of(value)
    if not is_number(value):
        raise GeneratedError(f"{name} does not work on {value!r}")
    return value


def _numbers(values, name):
    one_list = builtins.len(values) == 1 and isinstance(values[0], list)
    values = [_number(value, name) for value in (values[0] if one_list else values)]
    if not values:
        raise GeneratedError(f"{name} of an empty list")
    return values


def min(*values):
    """Of numbers, or of one list of them."""
    return builtins.min(_numbers(values, "min"))


def max(*values):
    """Of numbers, or of one list of them."""
    return builtins.max(_numbers(values, "max"))


def ceil(value):
    return math.ceil(_number(value, "ceil"))


def floor(value):
    return math.floor(_number(value, "floor"))


def int(value):
    """Towards 0."""
    return math.trunc(_number(value, "int"))


def abs(value):
    return builtins.abs(_number(value, "abs"))


def len(value):
    """Of a list, an object (its fields), or a text (its bytes)."""
    return builtins.len(value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value)


def _list(value, name):
    if not isinstance(value, list):
        raise GeneratedError(f"{name} does not work on {value!r}")
    return value


def sum(values):
    return builtins.sum(_list(values, "sum"))


def any(values):
    return builtins.any(_list(values, "any"))


def all(values):
    return builtins.all(_list(values, "all"))


def range(*bounds):
    """A list of integers."""
    found = builtins.range(*(whole(number_of(bound)) for bound in bounds))
    if builtins.len(found) > LARGEST_RANGE:
        raise GeneratedError(f"a range of more than {LARGEST_RANGE:,} items")
    return list(found)


def ceil_div(a, b):
    return -(-_number(a, "ceil_div") // _number(b, "ceil_div"))


def split(text, by):
    if not isinstance(text, str) or not isinstance(by, str) or not by:
        raise GeneratedError("split wants two texts, the second not empty")
    return text.split(by)


# ---- what the formulas write otherwise than Python ----

def ratio(a, b):
    """a / b."""
    return whole(Fraction(_number(a, "/")) / _number(b, "/"))


def power(base, exponent):
    """base ** exponent: the exponent is an integer, since roots are not exact."""
    base, exponent = _number(base, "**"), whole(_number(exponent, "**"))
    if not isinstance(exponent, builtins.int):
        raise GeneratedError("an exponent must be an integer: roots are not exact")
    bits = builtins.max(base.numerator.bit_length(), base.denominator.bit_length())
    if builtins.abs(base) != 1 and bits * builtins.abs(exponent) > LARGEST_POWER:
        raise GeneratedError(f"{base}**{exponent} is too large")
    return whole(Fraction(base) ** exponent)


def repeated(items, times):
    """items * times, of a list."""
    times = whole(number_of(times))
    if not isinstance(times, builtins.int) or times * builtins.len(items) > LARGEST_RANGE:
        raise GeneratedError(f"a list cannot be repeated {times} times")
    return items * times


def element_at(items, index):
    """items[index], of a list."""
    index = whole(index)
    if not isinstance(items, list) or not isinstance(index, builtins.int):
        raise GeneratedError(f"{items!r} cannot be indexed with {index!r}")
    return items[index]


def coalesce(value, otherwise):
    """value ?? otherwise(): what stands second where the first is None."""
    return otherwise() if value is None else value


def member(owner, name):
    """owner.name, of an object."""
    if not isinstance(owner, Config):
        raise GeneratedError(f"{owner!r} has no field {name!r}")
    return owner[name]


def field(owner, name):
    """owner.name, of an object; None where it has none of this name."""
    if owner is None:
        return None
    if owner is NO_CONFIG:
        raise UnknownError(f"there is no config here that has {name!r}")
    if not isinstance(owner, Config):
        raise GeneratedError(f"{owner!r} has no field {name!r}")
    return vars(owner).get(name)
