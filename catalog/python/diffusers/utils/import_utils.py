"""Stands in for diffusers.utils.import_utils: no optional library is here."""
from transformers.utils.import_utils import _at_least, _torch_version


def is_torch_available():
    return True


def is_transformers_available():
    return True


def _compare(version, operation, least):
    at_least = _at_least(version, least)
    same = at_least and _at_least(least, version)
    return {">=": at_least, ">": at_least and not same, "<": not at_least, "<=": not at_least or same, "==": same, "!=": not same}[operation]


def is_torch_version(operation, version):
    return _compare(_torch_version, operation, version)


def is_transformers_version(operation, version):
    return _compare("4.57.0", operation, version)


def requires_backends(obj, backends):
    return None


ENV_VARS_TRUE_VALUES = {"1", "ON", "YES", "TRUE"}


class OptionalDependencyNotAvailable(BaseException):
    pass
