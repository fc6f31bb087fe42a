"""Stands in for transformers.models.auto.auto_factory: from a config's class to the model's, by the tables of modeling_auto."""
import importlib
from collections import OrderedDict

from .configuration_auto import model_type_to_module_name


def getattribute_from_module(module, attr):
    if attr is None:
        return None
    if isinstance(attr, tuple):
        return tuple(getattribute_from_module(module, a) for a in attr)
    if hasattr(module, attr):
        return getattr(module, attr)
    return getattr(importlib.import_module("transformers"), attr)


class _LazyAutoMapping:
    def __init__(self, config_mapping, model_mapping):
        self._config_mapping = config_mapping
        self._model_mapping = model_mapping
        self._extra_content = {}

    def _model_type(self, name):
        """The last model type of this config class, as in the table that the library turns round; else the first that has a model here."""
        types = [model_type for model_type, config in self._config_mapping.items() if config == name]
        for model_type in types[-1:] + types:
            if model_type in self._model_mapping:
                return model_type
        return None

    def _load(self, model_type, attr):
        module = importlib.import_module("." + model_type_to_module_name(model_type), "transformers.models")
        return getattribute_from_module(module, attr)

    def __getitem__(self, key):
        if key in self._extra_content:
            return self._extra_content[key]
        model_type = self._model_type(key.__name__)
        if model_type is None:
            raise KeyError(key)
        return self._load(model_type, self._model_mapping[model_type])

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __contains__(self, item):
        return item in self._extra_content or self._model_type(getattr(item, "__name__", "")) is not None

    def __len__(self):
        return len(self._model_mapping)

    def __bool__(self):
        return True

    def _keys(self):
        return [model_type for model_type in self._model_mapping.keys() if model_type in self._config_mapping]

    def keys(self):
        return [self._load(key, self._config_mapping[key]) for key in self._keys()] + list(self._extra_content.keys())

    def values(self):
        return [self._load(key, self._model_mapping[key]) for key in self._keys()] + list(self._extra_content.values())

    def items(self):
        return list(zip(self.keys(), self.values()))

    def __iter__(self):
        return iter(self.keys())

    def register(self, key, value, exist_ok=False):
        self._extra_content[key] = value


def _model_class(config, mapping):
    found = mapping[type(config)]
    if not isinstance(found, (list, tuple)):
        return found
    by_name = {model.__name__: model for model in found}
    for name in getattr(config, "architectures", None) or []:
        if name in by_name:
            return by_name[name]
    return found[0]


class _BaseAutoModelClass:
    _model_mapping = None

    @classmethod
    def from_config(cls, config, **kwargs):
        kwargs.pop("trust_remote_code", None)
        kwargs.pop("code_revision", None)
        if type(config) in cls._model_mapping:
            return _model_class(config, cls._model_mapping)._from_config(config, **kwargs)
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

        raise ValueError("Unrecognized configuration class " + type(config).__name__ + " for " + cls.__name__)

    _from_config = from_config

    @classmethod
    def from_pretrained(cls, *args, **kwargs):
        raise OSError("nothing is fetched")

    @classmethod
    def register(cls, config_class, model_class, exist_ok=False):
        cls._model_mapping.register(config_class, model_class)


class _BaseAutoBackboneClass(_BaseAutoModelClass):
    pass


def auto_class_update(cls, *args, **kwargs):
    return cls


def insert_head_doc(docstring, head_doc=""):
    return docstring


def get_values(model_mapping):
    found = []
    for model in model_mapping.values():
        found.extend(model if isinstance(model, (list, tuple)) else [model])
    return found


def add_generation_mixin_to_remote_model(model_class):
    return model_class
