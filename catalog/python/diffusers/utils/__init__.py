"""Stands in for diffusers.utils."""
from transformers.utils import logging
from transformers.utils.generic import ModelOutput

from .import_utils import is_torch_available, is_torch_version, is_transformers_available

USE_PEFT_BACKEND = False
CONFIG_NAME = "config.json"
WEIGHTS_NAME = "diffusion_pytorch_model.bin"
SAFETENSORS_WEIGHTS_NAME = "diffusion_pytorch_model.safetensors"
HF_HUB_OFFLINE = True
DIFFUSERS_SLOW_IMPORT = False
SAFE_WEIGHTS_INDEX_NAME = "diffusion_pytorch_model.safetensors.index.json"
WEIGHTS_INDEX_NAME = "diffusion_pytorch_model.bin.index.json"


class BaseOutput(ModelOutput):
    pass


def deprecate(*args, take_from=None, standard_warn=True, stacklevel=2):
    """What old names of arguments were given as, in order."""
    values = []
    if isinstance(args[0], str):
        args = (args,)
    for name, version, message in args:
        if isinstance(take_from, dict) and name in take_from:
            values.append(take_from.pop(name))
        elif take_from is not None and not isinstance(take_from, dict) and hasattr(take_from, name):
            values.append(getattr(take_from, name))
    if len(values) == 0:
        return None
    return values[0] if len(values) == 1 else tuple(values)


def scale_lora_layers(model, weight):
    return None


def unscale_lora_layers(model, weight=None):
    return None


def apply_lora_scale(kwargs_name="joint_attention_kwargs"):
    def decorate(forward):
        return forward

    return decorate


def recurse_remove_peft_layers(model):
    return model


def get_logger(name=None):
    return logging.get_logger(name)
