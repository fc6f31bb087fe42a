"""sys: a Linux machine with Python 3.10."""
from _sys import modules


class _Version(tuple):
    major, minor, micro, releaselevel, serial = 3, 10, 12, "final", 0


version_info = _Version((3, 10, 12, "final", 0))
version = "3.10.12"
hexversion = 0x030A0CF0
platform = "linux"
byteorder = "little"
executable = "python"
maxsize = 9223372036854775807
maxunicode = 0x10FFFF
argv = [""]
path = []
meta_path = []
path_hooks = []
flags = None
stdin = None
warnoptions = []
exec_prefix = prefix = "/usr"
builtin_module_names = ()
dont_write_bytecode = True


class _Implementation:
    name = "cpython"
    version = version_info


class _Stream:
    def write(self, text):
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False


class float_info:
    max = 1.7976931348623157e308
    min = 2.2250738585072014e-308
    epsilon = 2.220446049250313e-16


implementation = _Implementation()
stdout = stderr = __stdout__ = __stderr__ = _Stream()


def getrecursionlimit():
    return 1000


def setrecursionlimit(limit):
    pass


def exc_info():
    return (None, None, None)


def getsizeof(value, default=0):
    return 0


def exit(code=None):
    raise SystemExit(code)


def gettrace():
    return None


def intern(text):
    return text


def getrefcount(value):
    return 2
