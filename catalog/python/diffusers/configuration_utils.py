"""Stands in for diffusers.configuration_utils: a model's config is what its __init__ was given."""
from collections import OrderedDict
from functools import wraps

import _ridge


class FrozenDict(OrderedDict):
    """A dict whose items are attributes, too."""

    def __init__(self, *args, **kwargs):
        OrderedDict.__init__(self, *args, **kwargs)
        for key, value in self.items():
            object.__setattr__(self, key, value)


class ConfigMixin:
    config_name = "config.json"
    ignore_for_config = []
    has_compatibles = False
    _deprecated_kwargs = []

    def register_to_config(self, **kwargs):
        kwargs.pop("kwargs", None)
        before = dict(self._internal_dict) if "_internal_dict" in self.__dict__ else {}
        before.update(kwargs)
        self._internal_dict = FrozenDict(before)

    @property
    def config(self):
        return self._internal_dict

    @classmethod
    def from_config(cls, config=None, return_unused_kwargs=False, **kwargs):
        names = [name for name, kind, default in _ridge.parameters(cls.__init__)]
        return cls(**{key: value for key, value in dict(config, **kwargs).items() if key in names})

    @classmethod
    def load_config(cls, *args, **kwargs):
        raise OSError("nothing is fetched")


class LegacyConfigMixin(ConfigMixin):
    pass


def register_to_config(init):
    """Writes down what __init__ is called with, defaults included."""
    parameters = [(name, default) for name, kind, default in _ridge.parameters(init)[1:] if kind in ("positional", "keyword")]

    @wraps(init)
    def wrapped(self, *args, **kwargs):
        given = {key: value for key, value in kwargs.items() if not key.startswith("_")}
        ignored = getattr(self, "ignore_for_config", [])
        config = {}
        for place, (name, default) in enumerate(parameters):
            if name in ignored:
                continue
            if place < len(args):
                config[name] = args[place]
            elif name in given or default is not ...:
                config[name] = given.get(name, default)
        self.register_to_config(**config)
        init(self, *args, **given)

    return wrapped


def flax_register_to_config(cls):
    return cls
