"""abc: marks only; a class with abstract methods may be instantiated here."""


class ABCMeta(type):
    def register(cls, subclass):
        return subclass


class ABC:
    pass


def abstractmethod(function):
    return function


abstractproperty = property
abstractclassmethod = classmethod
abstractstaticmethod = staticmethod


def update_abstractmethods(cls):
    return cls
