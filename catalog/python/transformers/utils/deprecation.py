"""Stands in for transformers.utils.deprecation: old names of arguments are given on under the new ones."""
from enum import Enum
from functools import wraps


class Action(str, Enum):
    NONE = "none"
    NOTIFY = "notify"
    NOTIFY_ALWAYS = "notify_always"
    RAISE = "raise"


def deprecate_kwarg(old_name, version=None, new_name=None, warn_if_greater_or_equal_version=False, raise_if_greater_or_equal_version=False,
                    raise_if_both_names=False, additional_message=None):
    def decorate(func):
        if new_name is None:
            return func

        @wraps(func)
        def wrapped(*args, **kwargs):
            if old_name in kwargs:
                old = kwargs.pop(old_name)
                if kwargs.get(new_name) is None:
                    kwargs[new_name] = old
            return func(*args, **kwargs)

        return wrapped

    return decorate
