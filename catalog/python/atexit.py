"""atexit: nothing runs at the end."""


def register(function, *args, **kwargs):
    return function


def unregister(function):
    pass
