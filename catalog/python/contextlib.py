"""contextlib: `with` runs the body of a generator around its block; the interpreter does that for functions marked here."""
from functools import wraps


class _GeneratorContext:
    def __init__(self, function, args, kwargs):
        self.gen = function(*args, **kwargs)
        self.function = function
        self.args = args
        self.kwargs = kwargs

    def __enter__(self):
        return next(self.gen)

    def __exit__(self, kind, value, traceback):
        for _ in self.gen:
            pass
        return False

    def __call__(self, function):
        @wraps(function)
        def call(*args, **kwargs):
            with _GeneratorContext(self.function, self.args, self.kwargs):
                return function(*args, **kwargs)

        return call


def contextmanager(function):
    @wraps(function)
    def make(*args, **kwargs):
        return _GeneratorContext(function, args, kwargs)

    return make


asynccontextmanager = contextmanager


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


AbstractAsyncContextManager = AbstractContextManager


class ContextDecorator:
    def __call__(self, function):
        @wraps(function)
        def call(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return call


class nullcontext(AbstractContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result


class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, kind, value, traceback):
        self.thing.close()


class suppress(AbstractContextManager):
    def __init__(self, *exceptions):
        self.exceptions = exceptions

    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self.exceptions)


class redirect_stdout(nullcontext):
    pass


class redirect_stderr(nullcontext):
    pass


class ExitStack(AbstractContextManager):
    def __init__(self):
        self.callbacks = []

    def enter_context(self, manager):
        value = manager.__enter__()
        self.callbacks.append(manager.__exit__)
        return value

    def push(self, exit):
        self.callbacks.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
        return exit

    def callback(self, function, *args, **kwargs):
        self.callbacks.append(lambda *details: function(*args, **kwargs))
        return function

    def pop_all(self):
        other = ExitStack()
        other.callbacks = self.callbacks
        self.callbacks = []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, value, traceback):
        while self.callbacks:
            self.callbacks.pop()(kind, value, traceback)
        return False


AsyncExitStack = ExitStack
