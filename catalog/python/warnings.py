"""warnings: none are shown."""


def warn(message, category=None, stacklevel=1, source=None, **kwargs):
    pass


def warn_explicit(*args, **kwargs):
    pass


def filterwarnings(action, message="", category=None, module="", lineno=0, append=False):
    pass


def simplefilter(action, category=None, lineno=0, append=False):
    pass


def resetwarnings():
    pass


class catch_warnings:
    def __init__(self, *, record=False, module=None, **kwargs):
        self.record = record

    def __enter__(self):
        return [] if self.record else None

    def __exit__(self, kind, value, traceback):
        return None


def deprecated(message, **kwargs):
    return lambda value: value


filters = []
