"""importlib: by the interpreter's own import."""
import _ridge
from importlib import metadata, util


def import_module(name, package=None):
    return _ridge.import_module(name, package)


def reload(module):
    return module


def invalidate_caches():
    pass
