"""numbers: kinds of numbers."""


class _Kind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, cls._kinds)


class Number(metaclass=_Kind):
    _kinds = (int, float)


class Complex(Number):
    pass


class Real(Number):
    pass


class Rational(Number):
    _kinds = (int,)


class Integral(Number):
    _kinds = (int,)
