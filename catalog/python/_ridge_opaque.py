"""Stands in for modules that nobody has: importing them works, decorating with them changes nothing, what a call in a run gives is unknown."""
import _ridge

running = [False]  # the model is built, and forward is being run


class Opaque:
    def __init__(self, name):
        self.opaque_name = name

    def __call__(self, *args, **kwargs):
        return called(self.opaque_name, args, kwargs)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return attribute(self.opaque_name, name)

    def __getitem__(self, key):
        return self

    def __contains__(self, key):
        return False

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __bool__(self):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def __or__(self, other):
        return self

    def __ror__(self, other):
        return self

    def __ge__(self, other):
        return False

    __gt__ = __le__ = __lt__ = __ge__


def called(name, args, kwargs):
    """A decorator gives back what it decorates; in a run a result is not known."""
    if len(args) == 1 and not kwargs and callable(args[0]):
        return args[0]
    if running[0]:
        return _ridge.unknown("unknown function", "what " + name + " gives")
    return Opaque(name)


def never(*args, **kwargs):
    return False


def made(name):
    """A class that others may be derived from: only its own instances are opaque."""

    class Made:
        def __new__(cls, *args, **kwargs):
            if cls is Made:
                return called(name, (), {})
            return super().__new__(cls)

    Made.__name__ = name.split(".")[-1]
    return Made


def attribute(module, name):
    """What `from module import name` gives: a class where it looks like one, a function that says no to is_..., else anything."""
    if name == "__version__":
        return "0.0.0"
    if name.startswith("is_") or name.startswith("_is_"):
        return never
    if name.isupper():
        return Opaque(module + "." + name)
    if name[:1].isupper() or (name[:1] == "_" and name[1:2].isupper()):
        return made(module + "." + name)
    return Opaque(module + "." + name)
