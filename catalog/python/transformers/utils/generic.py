"""Stands in for transformers.utils.generic: outputs that are dicts, tuples and objects at once; decorators of forward."""
from collections import OrderedDict, UserDict
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import wraps
from typing import Optional, TypedDict

import torch

from . import logging

logger = logging.get_logger(__name__)
TensorType = None
_CAN_RECORD_REGISTRY = {}


cached_property = property


class ModelOutput(OrderedDict):
    """A dataclass whose fields that are not None are also the items of a dict and, in order, of a tuple."""

    def __post_init__(self):
        names = [field.name for field in fields(self)]
        first = getattr(self, names[0])
        if all(getattr(self, name) is None for name in names[1:]) and not isinstance(first, torch.Tensor) and first is not None:
            if self._from_first(names[0], first):
                return
        for name in names:
            value = getattr(self, name)
            if value is not None:
                OrderedDict.__setitem__(self, name, value)

    def _from_first(self, name, first):
        """A single argument of (key, value) pairs gives the fields."""
        if isinstance(first, dict):
            pairs = list(first.items())
        elif isinstance(first, (list, tuple)):
            pairs = list(first)
        else:
            return False
        if len(pairs) == 0 or not all(isinstance(p, (list, tuple)) and len(p) == 2 and isinstance(p[0], str) for p in pairs):
            return False
        object.__setattr__(self, name, None)
        for key, value in pairs:
            object.__setattr__(self, key, value)
            if value is not None:
                OrderedDict.__setitem__(self, key, value)
        return True

    def __getitem__(self, key):
        if isinstance(key, str):
            return OrderedDict.__getitem__(self, key)
        return self.to_tuple()[key]

    def __setattr__(self, name, value):
        if value is not None and OrderedDict.__contains__(self, name):
            OrderedDict.__setitem__(self, name, value)
        object.__setattr__(self, name, value)

    def __setitem__(self, key, value):
        OrderedDict.__setitem__(self, key, value)
        object.__setattr__(self, key, value)

    def to_tuple(self):
        return tuple(OrderedDict.__getitem__(self, key) for key in self.keys())


class ExplicitEnum(str, Enum):
    pass


class PaddingStrategy(ExplicitEnum):
    LONGEST = "longest"
    MAX_LENGTH = "max_length"
    DO_NOT_PAD = "do_not_pad"


class TensorType(ExplicitEnum):
    PYTORCH = "pt"
    TENSORFLOW = "tf"
    NUMPY = "np"
    JAX = "jax"
    MLX = "mlx"


class TransformersKwargs(TypedDict, total=False):
    pass


class OutputRecorder:
    def __init__(self, target_class, index=0, layer_name=None, class_name=None):
        self.target_class = target_class
        self.index = index
        self.layer_name = layer_name
        self.class_name = class_name


class GeneralInterface(dict):
    """Functions by name: those of the class and those set here."""

    _global_mapping = {}

    def __init__(self):
        dict.__init__(self)
        self._local_mapping = {}

    def __getitem__(self, key):
        if key in self._local_mapping:
            return self._local_mapping[key]
        return self._global_mapping[key]

    def __setitem__(self, key, value):
        self._local_mapping[key] = value

    def __delitem__(self, key):
        del self._local_mapping[key]

    def __iter__(self):
        return iter(self.valid_keys())

    def __len__(self):
        return len(self.valid_keys())

    def __contains__(self, key):
        return key in self._local_mapping or key in self._global_mapping

    def get(self, key, default=None):
        return self[key] if key in self else default

    @classmethod
    def register(cls, key, value):
        cls._global_mapping[key] = value

    def valid_keys(self):
        return list({**self._global_mapping, **self._local_mapping}.keys())


def is_tensor(x):
    return isinstance(x, torch.Tensor)


def is_torch_tensor(x):
    return isinstance(x, torch.Tensor)


def is_torch_device(x):
    return isinstance(x, torch.device)


def is_torch_dtype(x):
    return isinstance(x, torch.dtype)


def is_numpy_array(x):
    return False


def is_tf_tensor(x):
    return False


def is_jax_tensor(x):
    return False


def is_mlx_array(x):
    return False


def is_timm_config_dict(config_dict):
    return "pretrained_cfg" in config_dict


def is_timm_local_checkpoint(path):
    return False


def strtobool(val):
    return 1 if val.lower() in ("y", "yes", "t", "true", "on", "1") else 0


def flatten_dict(d, parent_key="", delimiter="."):
    out = {}
    for key, value in d.items():
        name = parent_key + delimiter + str(key) if parent_key else key
        if isinstance(value, dict) and value:
            out.update(flatten_dict(value, name, delimiter))
        else:
            out[name] = value
    return out


def torch_int(x):
    return int(x)


def torch_float(x):
    return int(x)


def transpose(array, axes=None):
    return array.T if axes is None else array.permute(*axes)


def reshape(array, newshape):
    return array.reshape(*newshape)


def squeeze(array, axis=None):
    return array.squeeze() if axis is None else array.squeeze(dim=axis)


def expand_dims(array, axis):
    return array.unsqueeze(dim=axis)


def tensor_size(array):
    return array.numel()


def to_py_obj(obj):
    return obj


def filter_out_non_signature_kwargs(extra=None):
    """Keyword arguments that the function does not name are left out."""

    def decorator(func):
        import _ridge

        names = [name for name, kind, default in _ridge.parameters(func) if kind in ("positional", "keyword")]
        if extra:
            names = names + list(extra)

        @wraps(func)
        def wrapper(*args, **kwargs):
            return func(*args, **{key: value for key, value in kwargs.items() if key in names})

        return wrapper

    return decorator


def can_return_tuple(func):
    @wraps(func)
    def wrapper(self, *args, **kwargs):
        return_dict = self.config.return_dict if hasattr(self, "config") else True
        passed = kwargs.pop("return_dict", return_dict)
        if passed is not None:
            return_dict = passed
        output = func(self, *args, **kwargs)
        if not return_dict and not isinstance(output, tuple):
            output = output.to_tuple()
        return output

    return wrapper


def set_attribute_for_modules(module, key, value):
    setattr(module, key, value)
    for child in module.children():
        set_attribute_for_modules(child, key, value)


def del_attribute_from_modules(module, key):
    if hasattr(module, key):
        delattr(module, key)
    for child in module.children():
        del_attribute_from_modules(child, key)


def _wanted_outputs(self, kwargs):
    """Which outputs of layers are collected: those that the model can record and that the call or the config asks for."""
    specs = getattr(self, "_can_record_outputs", None) or {}
    wanted = {}
    for key in specs:
        default = getattr(self.config, "output_" + key, None)
        if default is None:
            default = kwargs.get("output_attentions", getattr(self.config, "output_attentions", False))
        if kwargs.get("output_" + key, default):
            wanted[key] = specs[key]
    if "output_attentions" in kwargs and kwargs["output_attentions"] and "cross_attentions" in specs:
        wanted["cross_attentions"] = specs["cross_attentions"]
    return wanted


def _recorders(key, specs):
    found = []
    for spec in specs if isinstance(specs, list) else [specs]:
        if not isinstance(spec, OutputRecorder):
            index = 0 if "hidden_states" in key else 1
            spec = OutputRecorder(None if isinstance(spec, str) else spec, index, None, spec if isinstance(spec, str) else None)
        found.append(spec)
    return found


def _capturing(forward, collected, key, index):
    def wrapped(*args, **kwargs):
        if key == "hidden_states" and len(collected[key]) == 0:
            collected[key].append(args[0] if args else kwargs.get("hidden_states"))
        output = forward(*args, **kwargs)
        if not isinstance(output, tuple):
            collected[key].append(output)
        elif output[index] is not None:
            collected[key].append(output[index])
        return output

    return wrapped


def _patch(self, wanted, collected):
    patched = []
    for key, specs in wanted.items():
        collected[key] = []
        for spec in _recorders(key, specs):
            for name, module in self.named_modules():
                right = (spec.target_class is not None and isinstance(module, spec.target_class)) or (
                    spec.class_name is not None and name.endswith(spec.class_name)
                )
                if right and (spec.layer_name is None or spec.layer_name in name):
                    original = module.forward
                    module.forward = _capturing(original, collected, key, spec.index)
                    patched.append((module, original))
    return patched


def _hand_over(outputs, collected, wanted):
    for key, values in collected.items():
        if len(values) == 0:
            continue
        if key == "hidden_states":
            last = getattr(outputs, "vision_hidden_states", None)
            if last is None:
                last = getattr(outputs, "last_hidden_state", None)
            if last is not None:
                values = values[:-1] + [last]
        elif key == "attentions" and isinstance(wanted[key], list) and len(wanted[key]) == 2:
            outputs["cross_" + key] = tuple(values[1::2])
            values = values[0::2]
        outputs[key] = tuple(values)


def _with_outputs(func, self, args, kwargs, cache=True):
    if cache:
        use_cache = kwargs.get("use_cache")
        if use_cache is None:
            use_cache = getattr(self.config, "use_cache", None)
        if use_cache is not None:
            kwargs["use_cache"] = use_cache
    return_dict = kwargs.pop("return_dict", None)
    if return_dict is None:
        return_dict = getattr(self.config, "return_dict", True)
    wanted = _wanted_outputs(self, kwargs)
    if not wanted:
        outputs = func(self, *args, **kwargs)
    else:
        collected = {}
        patched = _patch(self, wanted, collected)
        outputs = func(self, *args, **kwargs)
        for module, original in patched:
            module.forward = original
        _hand_over(outputs, collected, wanted)
    if return_dict is False and not isinstance(outputs, tuple):
        outputs = outputs.to_tuple()
    return outputs


def check_model_inputs(func=None, *, tie_last_hidden_states=True, post_ln_hiddens=True):
    """Fills in use_cache and return_dict, and collects outputs of layers where they are wanted."""
    from .import_utils import is_transformers_greater_or_equal

    def decorate(function):
        if is_transformers_greater_or_equal("5.0.0"):
            return merge_with_config_defaults(capture_outputs(function, tie_last_hidden_states=tie_last_hidden_states))

        @wraps(function)
        def wrapper(self, *args, **kwargs):
            return _with_outputs(function, self, args, kwargs)

        return wrapper

    return decorate if func is None else decorate(func)


def capture_outputs(func=None, *, tie_last_hidden_states=True):
    def decorate(function):
        @wraps(function)
        def wrapper(self, *args, **kwargs):
            return _with_outputs(function, self, args, kwargs, False)

        return wrapper

    return decorate if func is None else decorate(func)


def merge_with_config_defaults(func):
    """Some arguments that are not given come from the config."""
    import _ridge

    names = [name for name, kind, default in _ridge.parameters(func)][1:]

    @wraps(func)
    def wrapper(self, *args, **kwargs):
        for name in ("use_cache", "vision_feature_layer", "vision_feature_select_strategy", "vision_aspect_ratio"):
            place = names.index(name) if name in names else -1
            by_place = place >= 0 and len(args) > place
            if by_place and args[place] is not None:
                continue
            value = kwargs.get(name)
            if value is None:
                value = getattr(self.config, name, None)
            if value is None:
                continue
            if by_place:
                args = args[:place] + (value,) + args[place + 1 :]
            else:
                kwargs[name] = value
        is_causal = kwargs.get("is_causal", getattr(self.config, "is_causal", None))
        if is_causal is not None:
            kwargs["is_causal"] = is_causal
        return func(self, *args, **kwargs)

    return wrapper


class ContextManagers:
    def __init__(self, context_managers):
        self.context_managers = context_managers

    def __enter__(self):
        for manager in self.context_managers:
            manager.__enter__()

    def __exit__(self, *args):
        return None


@contextmanager
def working_or_temp_dir(working_dir, use_temp_dir=False):
    yield working_dir


def maybe_autocast(*args, **kwargs):
    return nullcontext()


def is_flash_attention_requested(config=None, requested_attention_implementation=None):
    implementation = requested_attention_implementation
    if config is not None:
        implementation = config._attn_implementation
    return implementation is not None and "flash" in implementation


def get_max_seqlen(cu_seqlens, config, kwargs=None, kwarg_name="max_seqlen"):
    """The longest of packed sequences: asked for by the kernels of flash attention alone."""
    given = kwargs.pop(kwarg_name, None) if kwargs is not None else None
    if given is not None or not is_flash_attention_requested(config):
        return given
    return (cu_seqlens[1:] - cu_seqlens[:-1]).max().item()


def accepts_precomputed_kwargs(modality):
    """Arguments of one kind of input lose its name as a prefix, those of other kinds are dropped."""
    import _ridge

    others = tuple(kind + "_" for kind in ("image", "video", "audio") if kind != modality)

    def decorator(func):
        names = [name for name, kind, default in _ridge.parameters(func)]

        @wraps(func)
        def wrapper(*args, **kwargs):
            own = {}
            for key, value in kwargs.items():
                if key.startswith(others):
                    continue
                is_own = key.startswith(modality + "_") and key not in names
                own[key[len(modality) + 1 :] if is_own else key] = value
            return func(*args, **own)

        return wrapper

    return decorator


def no_inherit_decorator(func):
    return func


def split_attention_implementation(implementation):
    return False, implementation
