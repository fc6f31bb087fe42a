"""What formulas compute with: exact numbers, objects of a config, and the errors of what cannot be told.

A number is an int or a fractions.Fraction and never a float, so a result is exact or an error. Unknown is an error and never 0: a
name without a value, a negative or fractional count, a module that is not here, a module that holds itself."""

from fractions import Fraction


class GeneratedError(ValueError):
    """There is no number for these arguments; the text says why."""


class UnknownError(GeneratedError):
    """A name that has no value, or a module that is not here."""


class CycleError(GeneratedError):
    """A module that needs itself; the text has the way from it to itself."""


class _Unset:
    """Stands for what has no value yet; to compute with it is an error."""

    def __repr__(self):
        return "<no value>"


UNSET = _Unset()


# ---- numbers ----

def is_number(value):
    return isinstance(value, (int, Fraction))


def whole(value):
    """A fraction that is whole as the int that it is."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def given(value):
    """What a caller gives as a value: a float is the decimal that it is written as, a tuple a list, a dict an object."""
    if isinstance(value, float):  # inf and nan are no numbers
        return whole(Fraction(repr(value))) if value - value == 0 else UNSET
    if isinstance(value, (list, tuple)):
        return [given(one) for one in value]
    if isinstance(value, dict):
        return Config("an object", {name: given(one) for name, one in value.items()})
    if value is None or value is UNSET or isinstance(value, (bool, int, str, Config)):
        return value
    if isinstance(value, Fraction):
        return whole(value)
    raise GeneratedError(f"{value!r} is no number, truth, text, list or None")


def count_of(value, what):
    """A count: an integer that is not negative."""
    value = whole(value)
    if isinstance(value, Fraction):
        raise GeneratedError(f"a fractional number of {what}: {value}")
    if not isinstance(value, int):
        raise GeneratedError(f"{what} must be a number, not {value!r}")
    if value < 0:
        raise GeneratedError(f"a negative number of {what}: {value}")
    return int(value)


def elements_of(value):
    """A number of elements, the product of a shape ([]: of a scalar, 1), or the sum over a list of shapes; None is nothing."""
    if value is None:
        return 0
    if not isinstance(value, list):
        return count_of(value, "elements")
    if any(one is None or isinstance(one, list) for one in value):
        return sum(elements_of(one) for one in value)
    rows, columns = 1, 1
    if len(value) > 1:
        rows, value = whole(value[0]), value[1:]
    for one in value:
        if not is_number(one):
            raise GeneratedError(f"want a number of elements, a shape or a list of shapes, not {one!r}")
        columns *= one
    columns = count_of(columns, "elements")
    if not is_number(rows):
        raise GeneratedError(f"want a number of elements, a shape or a list of shapes, not {rows!r}")
    if isinstance(rows, int) and rows < 0:
        raise GeneratedError(f"a negative number of elements: {rows}")
    return rows * columns


# ---- objects ----

class Config:
    """A model's config.json with defaults and derived fields, or an object in it: its fields are its attributes."""

    __slots__ = ("__dict__", "_what")

    def __init__(self, what, fields=None):
        self._what = what
        vars(self).update(fields or {})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnknownError(f"{self._what} has no {name!r}, and no default for it is known")

    def __getitem__(self, name):
        """The field of a name that is no name in Python."""
        if name not in vars(self):
            raise UnknownError(f"{self._what} has no {name!r}, and no default for it is known")
        return vars(self)[name]

    def __setitem__(self, name, value):
        vars(self)[name] = value

    def __len__(self):
        return len(vars(self))

    def __contains__(self, name):
        if not isinstance(name, str):
            raise GeneratedError(f"'in' does not work on {name!r} and an object")
        return name in vars(self)

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class _NoConfig(Config):
    """Stands for the config where there is none; to read it is an error."""

    __slots__ = ()

    def __getattr__(self, name):
        raise UnknownError(f"there is no config here that has {name!r}")

    def __len__(self):
        raise UnknownError("there is no config here")

    def __contains__(self, name):
        raise UnknownError("there is no config here")

    __getitem__ = __getattr__


NO_CONFIG = _NoConfig("the config")
