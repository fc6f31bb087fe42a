"""Stands in for diffusers.models.modeling_utils."""
import torch
from torch import nn


def get_parameter_dtype(parameter):
    for p in parameter.parameters():
        if p.is_floating_point():
            return p.dtype
    return torch.float32


def get_parameter_device(parameter):
    return torch.device("meta")


class ModelMixin(nn.Module):
    config_name = "config.json"
    _automatically_saved_args = ["_diffusers_version", "_class_name", "_name_or_path"]
    _supports_gradient_checkpointing = False
    _keys_to_ignore_on_load_unexpected = None
    _no_split_modules = None
    _keep_in_fp32_modules = None
    _skip_layerwise_casting_patterns = None
    _supports_group_offloading = True
    _repeated_blocks = []
    _parallel_config = None
    _cp_plan = None
    _tp_plan = None

    def __init__(self):
        super().__init__()
        self._gradient_checkpointing_func = None

    def __getattr__(self, name):
        """A field of the config may be read from the model."""
        config = self.__dict__.get("_internal_dict")
        if config is not None and name in config and name not in self.__dict__:
            return config[name]
        return super().__getattr__(name)

    @property
    def dtype(self):
        return get_parameter_dtype(self)

    @property
    def device(self):
        return get_parameter_device(self)

    @property
    def is_gradient_checkpointing(self):
        return False

    def enable_gradient_checkpointing(self, *args, **kwargs):
        return None

    def set_use_memory_efficient_attention_xformers(self, *args, **kwargs):
        return None

    def num_parameters(self, only_trainable=False, exclude_embeddings=False):
        return sum(p.numel() for p in self.parameters())

    @classmethod
    def from_pretrained(cls, *args, **kwargs):
        raise OSError("nothing is fetched")

    @classmethod
    def _set_default_torch_dtype(cls, dtype):
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        return before


class LegacyModelMixin(ModelMixin):
    pass
