"""importlib.util: a module is there if somebody has its source."""
import _ridge


class _Spec:
    def __init__(self, name):
        self.name = name
        self.origin = name
        self.loader = None
        self.submodule_search_locations = []


def find_spec(name, package=None):
    return _Spec(name) if _ridge.exists(name) else None


def spec_from_file_location(name, location=None, **kwargs):
    return _Spec(name)


def module_from_spec(spec):
    return _ridge.import_module(spec.name)
