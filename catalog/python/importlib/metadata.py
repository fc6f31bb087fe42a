"""importlib.metadata: versions of the packages whose source is there."""
import _ridge


class PackageNotFoundError(ModuleNotFoundError):
    pass


def version(name):
    if name == "torch":
        return "2.6.0"
    if not _ridge.exists(name.replace("-", "_")):
        raise PackageNotFoundError(name)
    return _ridge.version(name)


def packages_distributions():
    return {}


def distributions():
    return iter(())


def distribution(name):
    raise PackageNotFoundError(name)


def metadata(name):
    raise PackageNotFoundError(name)


def entry_points(**kwargs):
    return []


def requires(name):
    return []
