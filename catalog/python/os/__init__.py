"""os: an empty environment on a machine without files."""
from os import path

name = "posix"
sep = "/"
altsep = None
linesep = "\n"
pathsep = ":"
curdir = "."
pardir = ".."
extsep = "."
devnull = "/dev/null"
environ = {}
error = OSError


class PathLike:
    pass


def getenv(key, default=None):
    return environ.get(key, default)


def putenv(key, value):
    pass


def fspath(value):
    return value if isinstance(value, str) else value.__fspath__()


def getcwd():
    return "/"


def listdir(path="."):
    return []


def walk(top, topdown=True, onerror=None, followlinks=False):
    return iter(())


def scandir(path="."):
    return iter(())


def cpu_count():
    return 1


def getpid():
    return 1


def makedirs(name, mode=0o777, exist_ok=False):
    raise OSError("nothing is written here")


mkdir = remove = unlink = rename = rmdir = replace = symlink = chmod = makedirs


def stat(path):
    raise FileNotFoundError(path)


def access(path, mode):
    return False


F_OK = R_OK = W_OK = X_OK = 0


def urandom(n):
    return "\0" * n


def sched_getaffinity(pid):
    return {0}


def get_terminal_size():
    return (80, 24)


class _Uname:
    sysname, release, machine = "Linux", "6.1", "x86_64"


def uname():
    return _Uname()
