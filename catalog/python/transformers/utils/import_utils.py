"""Stands in for transformers.utils.import_utils: no optional library is here but torch."""
import _ridge
from _ridge_opaque import attribute as _opaque

_torch_version = "2.9.0"
BACKENDS_MAPPING = {}
ENV_VARS_TRUE_VALUES = {"1", "ON", "YES", "TRUE"}
ENV_VARS_TRUE_AND_AUTO_VALUES = {"1", "ON", "YES", "TRUE", "AUTO"}
VersionComparison = None


def _numbers(version):
    parts = []
    for part in version.split("+")[0].split("."):
        digits = ""
        for c in part:
            if not c.isdigit():
                break
            digits = digits + c
        if digits == "":
            break
        parts.append(int(digits))
    return parts


def _at_least(version, least):
    return _numbers(version) >= _numbers(least)


def is_torch_available(*args):
    return True


def is_torch_greater_or_equal(library_version, accept_dev=False):
    return _at_least(_torch_version, library_version)


def is_torch_less_or_equal(library_version, accept_dev=False):
    return not _at_least(_torch_version, library_version)


def is_transformers_greater_or_equal(library_version, accept_dev=False):
    return _at_least(_ridge.version("transformers"), library_version)


def get_torch_version():
    return _torch_version


def is_torch_sdpa_available():
    return True


def is_torch_flex_attn_available():
    return True  # its BlockMask is a class that masks are asked for


def is_vision_available():
    return True  # transformers.image_transforms is read; pictures themselves are never


def is_torch_fx_available():
    return False


def is_torch_cuda_available():
    return False


def is_torchdynamo_compiling():
    return False


def is_tracing(tensor=None):
    return False


def is_torch_fx_proxy(x):
    return False


_NOT_READ = ("timm", "natten", "detectron2")


def requires_backends(obj, backends):
    """Most libraries are needed by what a run of a model does not reach; of some the model itself is made."""
    for name in [backends] if isinstance(backends, str) else backends:
        if name in _NOT_READ:
            whose = obj.__name__ if hasattr(obj, "__name__") else type(obj).__name__
            raise ImportError("%s is made of parts of %s, whose source is not read" % (whose, name))


def requires(*, backends=()):
    def inner(fun):
        return fun

    return inner


def torch_only_method(fn):
    return fn


def torch_compilable_check(cond, msg, error_type=ValueError):
    """A check of inputs: those of a run are right. Of a tensor, all of its elements are looked at."""
    if callable(cond):
        cond = cond()
    if hasattr(cond, "all"):
        cond.all()


class OptionalDependencyNotAvailable(BaseException):
    pass


class DummyObject(type):
    pass


def direct_transformers_import(path, file="__init__.py"):
    import transformers

    return transformers
