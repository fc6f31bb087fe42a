"""logging: nothing is logged."""
CRITICAL = FATAL = 50
ERROR = 40
WARNING = WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0


class Filter:
    def filter(self, record):
        return True


class Formatter:
    def __init__(self, *args, **kwargs):
        pass


class Handler:
    def __init__(self, *args, **kwargs):
        pass

    def setFormatter(self, formatter):
        pass

    def setLevel(self, level):
        pass

    def addFilter(self, one):
        pass

    def flush(self):
        pass


StreamHandler = FileHandler = NullHandler = Handler


class Logger:
    def __init__(self, name, level=NOTSET):
        self.name = name
        self.level = level
        self.handlers = []
        self.propagate = False
        self.disabled = False
        self.parent = None

    def debug(self, *args, **kwargs):
        pass

    info = warning = warn = error = exception = critical = fatal = log = debug
    warning_once = info_once = warning_advice = debug

    def setLevel(self, level):
        self.level = level

    def getEffectiveLevel(self):
        return WARNING

    def isEnabledFor(self, level):
        return False

    def addHandler(self, handler):
        pass

    removeHandler = addFilter = removeFilter = addHandler

    def hasHandlers(self):
        return False

    def getChild(self, name):
        return getLogger(self.name + "." + name)


class LoggerAdapter(Logger):
    def __init__(self, logger, extra=None):
        Logger.__init__(self, "adapter")
        self.logger = logger
        self.extra = extra


_loggers = {}
root = Logger("root")
lastResort = None


def getLogger(name=None):
    if name is None:
        return root
    if name not in _loggers:
        _loggers[name] = Logger(name)
    return _loggers[name]


def debug(*args, **kwargs):
    pass


info = warning = warn = error = exception = critical = log = basicConfig = captureWarnings = disable = debug


def getLevelName(level):
    return "WARNING"


def addLevelName(level, name):
    pass


def setLoggerClass(cls):
    pass


def getLoggerClass():
    return Logger
