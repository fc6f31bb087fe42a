"""Stands in for transformers.modeling_utils: how models are put together, and what they ask of their base class."""
import copy
import re

import _ridge
import torch
from torch import nn

from .configuration_utils import PreTrainedConfig, PretrainedConfig
from .utils.generic import _CAN_RECORD_REGISTRY, GeneralInterface
from .utils.hub import PushToHubMixin
from .utils.import_utils import is_transformers_greater_or_equal

_V5 = is_transformers_greater_or_equal("5.0.0.dev0")
_init_weights = True
XLA_USE_BF16 = "0"
XLA_DOWNCAST_BF16 = "0"
PARAM_RENAME_WARNING = ""


def _scaled_dot_product(module, query, key, value, attention_mask, **kwargs):
    from .integrations.sdpa_attention import sdpa_attention_forward

    return sdpa_attention_forward(module, query, key, value, attention_mask, **kwargs)


class AttentionInterface(GeneralInterface):
    _global_mapping = {"sdpa": _scaled_dot_product}

    def get_interface(self, attn_implementation, default):
        if attn_implementation in ("eager", None) or attn_implementation not in self:
            return default
        return self[attn_implementation]


ALL_ATTENTION_FUNCTIONS = AttentionInterface()


def no_init_weights(*args, **kwargs):
    from contextlib import nullcontext

    return nullcontext()


def get_parameter_dtype(module):
    for parameter in module.parameters():
        if parameter.is_floating_point():
            return parameter.dtype
    return torch.get_default_dtype()


def get_parameter_device(module):
    return torch.device("meta")


def unwrap_model(model, recursive=False):
    return model


def set_zero3_state():
    return no_init_weights()


class ModuleUtilsMixin:
    @property
    def device(self):
        return get_parameter_device(self)

    @property
    def dtype(self):
        return get_parameter_dtype(self)

    @property
    def framework(self):
        return "pt"

    def invert_attention_mask(self, encoder_attention_mask):
        if encoder_attention_mask.dim() == 3:
            mask = encoder_attention_mask[:, None, :, :]
        else:
            mask = encoder_attention_mask[:, None, None, :]
        mask = mask.to(dtype=self.dtype)
        return (1.0 - mask) * torch.finfo(self.dtype).min

    @staticmethod
    def create_extended_attention_mask_for_decoder(input_shape, attention_mask, device=None):
        batch_size, seq_length = input_shape
        seq_ids = torch.arange(seq_length, device=attention_mask.device)
        mask = seq_ids[None, None, :].repeat(batch_size, seq_length, 1) <= seq_ids[None, :, None]
        mask = mask.to(attention_mask.dtype)
        if mask.shape[1] < attention_mask.shape[1]:
            before = attention_mask.shape[1] - mask.shape[1]
            mask = torch.cat([torch.ones((batch_size, seq_length, before), dtype=mask.dtype), mask], dim=-1)
        return mask[:, None, :, :] * attention_mask[:, None, None, :]

    def get_extended_attention_mask(self, attention_mask, input_shape, device=None, dtype=None):
        if dtype is None:
            dtype = self.dtype
        if attention_mask.dim() == 3:
            mask = attention_mask[:, None, :, :]
        elif attention_mask.dim() == 2:
            if self.config.is_decoder:
                mask = ModuleUtilsMixin.create_extended_attention_mask_for_decoder(input_shape, attention_mask, device)
            else:
                mask = attention_mask[:, None, None, :]
        else:
            raise ValueError("Wrong shape for input_ids or attention_mask")
        mask = mask.to(dtype=dtype)
        return (1.0 - mask) * torch.finfo(dtype).min

    def get_head_mask(self, head_mask, num_hidden_layers, is_attention_chunked=False):
        if head_mask is None:
            return [None] * num_hidden_layers
        if head_mask.dim() == 1:
            head_mask = head_mask.unsqueeze(0).unsqueeze(0).unsqueeze(-1).unsqueeze(-1)
            head_mask = head_mask.expand(num_hidden_layers, -1, -1, -1, -1)
        elif head_mask.dim() == 2:
            head_mask = head_mask.unsqueeze(1).unsqueeze(-1).unsqueeze(-1)
        head_mask = head_mask.to(dtype=self.dtype)
        return head_mask.unsqueeze(-1) if is_attention_chunked is True else head_mask

    def num_parameters(self, only_trainable=False, exclude_embeddings=False):
        return sum(p.numel() for p in self.parameters())


class EmbeddingAccessMixin:
    _input_embed_layer = "embed_tokens"

    def get_input_embeddings(self):
        name = getattr(self, "_input_embed_layer", "embed_tokens")
        found = getattr(self, name, None)
        if found is not None:
            return found
        embeddings = getattr(self, "embeddings", None)
        if _V5 and embeddings is not None and hasattr(embeddings, name):
            return getattr(embeddings, name)
        model = getattr(self, "model", None)
        if model is not None and hasattr(model, name):
            return getattr(model, name)
        if model is not None and hasattr(model, "embed_tokens"):
            return model.embed_tokens
        language = getattr(self, "language_model", None)
        if _V5 and language is not None and language is not self and hasattr(language, "get_input_embeddings"):
            return language.get_input_embeddings()
        prefix = getattr(self, "base_model_prefix", None)
        base = getattr(self, prefix, None) if prefix else None
        if base is not None and base is not self:
            return base.get_input_embeddings()
        raise NotImplementedError("get_input_embeddings of " + type(self).__name__)

    def set_input_embeddings(self, value):
        name = getattr(self, "_input_embed_layer", "embed_tokens")
        model = getattr(self, "model", None)
        if model is not None and hasattr(model, name):
            setattr(model, name, value)
        elif hasattr(self, name):
            setattr(self, name, value)
        else:
            getattr(self, self.base_model_prefix).set_input_embeddings(value)

    def get_output_embeddings(self):
        if not hasattr(self, "lm_head"):
            return None
        try:
            self.get_input_embeddings()
        except NotImplementedError:
            return None
        return self.lm_head

    def set_output_embeddings(self, new_embeddings):
        if getattr(self, "lm_head", None):
            self.lm_head = new_embeddings


class PreTrainedModel(nn.Module, EmbeddingAccessMixin, ModuleUtilsMixin, PushToHubMixin):
    config_class = None
    base_model_prefix = ""
    main_input_name = "input_ids"
    model_tags = None
    input_modalities = "text"
    _auto_class = None
    _no_split_modules = None
    _skip_keys_device_placement = None
    _keep_in_fp32_modules = None
    _keep_in_fp32_modules_strict = None
    _keys_to_ignore_on_load_missing = None
    _keys_to_ignore_on_load_unexpected = None
    _keys_to_ignore_on_save = None
    _tied_weights_keys = None
    _can_record_outputs = None
    _checkpoint_conversion_mapping = {}
    is_parallelizable = False
    supports_gradient_checkpointing = False
    gradient_checkpointing = False
    _is_stateful = False
    _supports_flash_attn = False
    _supports_flash_attn_2 = False
    _supports_sdpa = False
    _supports_flex_attn = False
    _supports_attention_backend = False
    _supports_cache_class = True
    _can_compile_fullgraph = False
    _is_hf_initialized = False
    _use_experts_implementation = False
    is_remote_code = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("config_class") is None:
            found = _ridge.annotated_type(cls, "config")
            if found is not None:
                cls.config_class = found

    def __init__(self, config, *inputs, **kwargs):
        super().__init__()
        self.config = config
        config._attn_implementation_internal = self._implementation(config._attn_implementation)
        if _V5 and config._experts_implementation is None:
            config._experts_implementation_internal = "eager"
        self.loss_type = None
        self.name_or_path = ""
        self.warnings_issued = {}
        self.generation_config = None
        self._keep_in_fp32_modules = copy.copy(self._keep_in_fp32_modules)
        self._keep_in_fp32_modules_strict = copy.copy(self._keep_in_fp32_modules_strict)
        self._no_split_modules = self._no_split_modules or []

    def _implementation(self, wanted):
        """Attention that was not chosen is torch's own function where the class can use it."""
        if wanted is None:
            return "sdpa" if self._supports_sdpa else "eager"
        if wanted == "sdpa" and not self._supports_sdpa:
            raise ValueError(type(self).__name__ + " does not support sdpa")
        return wanted

    # how weights are shared

    def post_init(self):
        self.init_weights()

    def init_weights(self):
        if getattr(self.config, "pruned_heads", None):
            self.prune_heads(self.config.pruned_heads)
        if _V5:
            self._tie_by_name()
        else:
            self.tie_weights()

    def initialize_weights(self):
        return None

    def _init_weights(self, module):
        return None

    def _initialize_weights(self, module, *args):
        return None

    def tie_weights(self, *args, **kwargs):
        if _V5:
            for module in _ridge.modules_with(self, "_tie_by_name"):
                module._tie_by_name()
            return
        for module in _ridge.modules_with(self, "_tie_weights", "tie_embeddings_and_encoder_decoder"):
            if isinstance(module, PreTrainedModel):
                module.tie_embeddings_and_encoder_decoder()
            if hasattr(module, "_tie_weights"):
                module._tie_weights()

    def tie_embeddings_and_encoder_decoder(self):
        if getattr(self.config.get_text_config(decoder=True), "tie_word_embeddings", True):
            output = self.get_output_embeddings()
            if output is not None:
                self._tie_or_clone_weights(output, self.get_input_embeddings())
        if getattr(self.config, "is_encoder_decoder", False) and getattr(self.config, "tie_encoder_decoder", False):
            model = getattr(self, self.base_model_prefix) if hasattr(self, self.base_model_prefix) else self
            _share_modules(model.decoder, model.encoder)

    def _tie_encoder_decoder_weights(self, encoder, decoder, base_model_prefix, base_encoder_name=""):
        _share_modules(decoder, encoder)
        return []

    def _tie_or_clone_weights(self, output_embeddings, input_embeddings):
        output_embeddings.weight = input_embeddings.weight
        if hasattr(output_embeddings, "out_features") and hasattr(input_embeddings, "num_embeddings"):
            output_embeddings.out_features = input_embeddings.num_embeddings

    def get_expanded_tied_weights_keys(self, all_submodels=False):
        """{target: source} of parameters, where _tied_weights_keys may name modules or patterns."""
        keys = self._tied_weights_keys
        if not getattr(self.config, "tie_word_embeddings", False) or not isinstance(keys, dict):
            return {}
        plain = re.compile(r"^[A-Za-z0-9_\.]+(weight|bias)$")
        if all(plain.match(k) and plain.match(v) for k, v in keys.items()):
            return dict(keys)
        names = [name for name, p in self.named_parameters(remove_duplicate=False)]
        names = names + [name for name, b in self.named_buffers(remove_duplicate=False)]
        out = {}
        for target, source in keys.items():
            sources = sorted([name for name in names if re.search("^" + source, name)])
            targets = sorted([name for name in names if re.search("^" + target, name)])
            for i, name in enumerate(targets):
                if len(sources) > 0:
                    origin = sources[i % len(sources)]
                    out[name] = out.get(origin, origin)
        return out

    def _tie_by_name(self):
        for target, source in self.get_expanded_tied_weights_keys().items():
            parameter = self.get_parameter_or_buffer(source)
            parent_name, dot, name = target.rpartition(".")
            parent = self.get_submodule(parent_name) if dot else self
            setattr(parent, name, parameter)

    def get_parameter_or_buffer(self, target):
        parent_name, dot, name = target.rpartition(".")
        parent = self.get_submodule(parent_name) if dot else self
        return getattr(parent, name)

    @property
    def all_tied_weights_keys(self):
        return self.get_expanded_tied_weights_keys()

    def prune_heads(self, heads_to_prune):
        self.base_model._prune_heads(heads_to_prune)

    def resize_token_embeddings(self, *args, **kwargs):
        return self.get_input_embeddings()

    # parts

    @property
    def base_model(self):
        return getattr(self, self.base_model_prefix, self)

    def get_decoder(self):
        if hasattr(self, "decoder"):
            return self.decoder
        if hasattr(self, "model"):
            inner = self.model
            if hasattr(inner, "get_decoder") and type(inner) is not type(self):
                return inner.get_decoder()
            return inner
        return self

    def set_decoder(self, decoder):
        if hasattr(self, "decoder"):
            self.decoder = decoder
        elif hasattr(self, "model"):
            self.model = decoder

    def get_encoder(self, modality=None):
        for name in ("encoder", "text_encoder"):
            if hasattr(self, name):
                return getattr(self, name)
        base = self.base_model
        if base is not self and hasattr(base, "get_encoder"):
            return base.get_encoder()
        return self

    # made from a config

    @classmethod
    def _from_config(cls, config, **kwargs):
        dtype = kwargs.pop("dtype", config.dtype)
        other = kwargs.pop("torch_dtype", None)
        dtype = dtype if other is None else other
        if isinstance(dtype, str):
            dtype = getattr(torch, dtype)
        if "attn_implementation" in kwargs:
            config._attn_implementation = kwargs.pop("attn_implementation")
        before = torch.get_default_dtype()
        if dtype is not None:
            torch.set_default_dtype(dtype)
        model = cls(config, **kwargs)
        torch.set_default_dtype(before)
        return model

    from_config = _from_config

    @classmethod
    def from_pretrained(cls, *args, **kwargs):
        raise OSError("nothing is fetched")

    @classmethod
    def can_generate(cls):
        return True

    @classmethod
    def register_for_auto_class(cls, auto_class="AutoModel"):
        return None

    @classmethod
    def is_backend_compatible(cls):
        return cls._supports_attention_backend

    def set_attn_implementation(self, implementation):
        self.config._attn_implementation = implementation

    def get_correct_attn_implementation(self, requested_attention, is_init_check=False):
        return self._implementation(requested_attention)

    def get_correct_experts_implementation(self, requested_experts):
        return "eager" if requested_experts is None else requested_experts

    # what forward asks

    def warn_if_padding_and_no_attention_mask(self, input_ids, attention_mask):
        if attention_mask is None and self.config.pad_token_id is not None:
            (input_ids[:, [-1, 0]] == self.config.pad_token_id).any()

    def add_model_tags(self, tags):
        return None

    def gradient_checkpointing_enable(self, *args, **kwargs):
        return None

    def gradient_checkpointing_disable(self):
        return None

    @property
    def is_gradient_checkpointing(self):
        return False

    def enable_input_require_grads(self):
        return None

    @property
    def loss_function(self):
        return _no_loss

    @loss_function.setter
    def loss_function(self, value):
        return None

    @property
    def can_record_outputs(self):
        return self._can_record_outputs or {}

    @property
    def dummy_inputs(self):
        return {}


def _no_loss(*args, **kwargs):
    return _ridge.unknown("unknown function", "a loss")


def _share_modules(source, target):
    """Parameters of target become those of source, module by module."""
    if hasattr(source, "weight"):
        target.weight = source.weight
        if hasattr(source, "bias"):
            target.bias = source.bias
        return
    theirs = dict(target.named_children())
    for name, child in source.named_children():
        if name in theirs:
            _share_modules(child, theirs[name])


class PreTrainedAudioTokenizerBase(PreTrainedModel):
    base_model_prefix = "audio_tokenizer"
    main_input_name = "input_values"


class PoolerStartLogits(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, 1)

    def forward(self, hidden_states, p_mask=None):
        x = self.dense(hidden_states).squeeze(-1)
        if p_mask is not None:
            x = x * (1 - p_mask) - 1e30 * p_mask
        return x


def caching_allocator_warmup(*args, **kwargs):
    return None
