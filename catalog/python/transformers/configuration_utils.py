"""Stands in for transformers.configuration_utils: a config is an object with the attributes that it is given."""
import copy

import _ridge
import torch

from .utils.hub import PushToHubMixin
from .utils.import_utils import is_transformers_greater_or_equal

CONFIG_NAME = "config.json"
_GENERATION = {
    "max_length": 20,
    "min_length": 0,
    "do_sample": False,
    "early_stopping": False,
    "num_beams": 1,
    "temperature": 1.0,
    "top_k": 50,
    "top_p": 1.0,
    "typical_p": 1.0,
    "repetition_penalty": 1.0,
    "length_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "encoder_no_repeat_ngram_size": 0,
    "bad_words_ids": None,
    "num_return_sequences": 1,
    "output_scores": False,
    "return_dict_in_generate": False,
    "forced_bos_token_id": None,
    "forced_eos_token_id": None,
    "remove_invalid_values": False,
    "exponential_decay_length_penalty": None,
    "suppress_tokens": None,
    "begin_suppress_tokens": None,
    "num_beam_groups": 1,
    "diversity_penalty": 0.0,
}
ALLOWED_LAYER_TYPES = (
    "full_attention",
    "sliding_attention",
    "chunked_attention",
    "linear_attention",
    "conv",
    "mamba",
    "attention",
    "sparse",
    "dense",
    "hybrid",
    "moe",
)
ALLOWED_ATTENTION_LAYER_TYPES = ALLOWED_LAYER_TYPES
ALLOWED_MLP_LAYER_TYPES = ("sparse", "dense")
_V5 = is_transformers_greater_or_equal("5.0.0.dev0")


def _torch_dtype(dtype):
    return getattr(torch, dtype.split(".")[-1]) if isinstance(dtype, str) and dtype not in ("auto",) else dtype


class _Common(_ridge.Mapped):
    """What configs of all versions have."""

    model_type = ""
    base_config_key = ""
    sub_configs = {}
    has_no_defaults_at_init = False
    attribute_map = {}
    base_model_tp_plan = None
    base_model_pp_plan = None
    base_model_ep_plan = None
    keys_to_ignore_at_inference = []
    is_composition = False
    _auto_class = None
    name_or_path = ""
    _name_or_path = ""
    _commit_hash = None
    _output_attentions = False
    _attn_implementation_internal = None
    _experts_implementation_internal = None

    @property
    def use_return_dict(self):
        return self.return_dict and not getattr(self, "torchscript", False)

    @property
    def output_attentions(self):
        return self._output_attentions

    @output_attentions.setter
    def output_attentions(self, value):
        self._output_attentions = value

    @property
    def torch_dtype(self):
        return self.dtype

    @torch_dtype.setter
    def torch_dtype(self, value):
        self.dtype = _torch_dtype(value)

    @property
    def _attn_implementation(self):
        return self._attn_implementation_internal

    @_attn_implementation.setter
    def _attn_implementation(self, value):
        self._set_implementation("_attn_implementation", value)

    @property
    def _experts_implementation(self):
        return self._experts_implementation_internal

    @_experts_implementation.setter
    def _experts_implementation(self, value):
        self._set_implementation("_experts_implementation", value)

    def _set_implementation(self, name, value):
        current = getattr(self, name + "_internal", None)
        setattr(self, name + "_internal", value.get("", current) if isinstance(value, dict) else value)
        for key in self.sub_configs:
            config = getattr(self, key, None)
            if config is not None and hasattr(config, name):
                setattr(config, name, value.get(key, getattr(config, name)) if isinstance(value, dict) else value)

    def _set_labels(self, id2label, num_labels):
        if id2label is None:
            self.num_labels = 2 if num_labels is None else num_labels
            self.id2label = {0: "LABEL_0", 1: "LABEL_1"}
            self.label2id = {"LABEL_0": 0, "LABEL_1": 1}
        else:
            self.id2label = {int(key): value for key, value in id2label.items()}
            self.num_labels = len(id2label)

    @classmethod
    def from_dict(cls, config_dict, **kwargs):
        config = cls(**config_dict)
        for key, value in kwargs.items():
            if hasattr(config, key):
                setattr(config, key, value)
        return config

    def to_dict(self):
        out = {}
        for key, value in self.__dict__.items():
            out[key] = value.to_dict() if isinstance(value, _Common) else copy.deepcopy(value)
        out["model_type"] = self.model_type
        return out

    def to_diff_dict(self):
        return self.to_dict()

    def update(self, config_dict):
        for key, value in config_dict.items():
            setattr(self, key, value)

    def get_text_config(self, decoder=None, encoder=None):
        """The nested config of the text part, where there is one."""
        decoders = ("decoder", "generator", "text_config")
        encoders = ("text_encoder",)
        both = decoder == encoder
        names = encoders + decoders if both else decoders if decoder else encoders
        found = [name for name in names if getattr(self, name, None) is not None and hasattr(self, name)]
        if len(found) > 1:
            raise ValueError("several text configs")
        if len(found) == 1:
            return getattr(self, found[0])
        if both or not getattr(self, "is_encoder_decoder", False):
            return self
        return self._one_side(bool(decoder))

    def _one_side(self, decoder):
        """Of an encoder-decoder with one config: attributes of the decoder (encoder) stand in the place of those of the model."""
        config = copy.copy(self)
        keep, drop = ("decoder", "encoder") if decoder else ("encoder", "decoder")
        names = {"layers": "num_hidden_layers", "attention_heads": "num_attention_heads"}
        for key in list(self.__dict__.keys()):
            if key.startswith(drop) and not _V5 and key not in self.attribute_map.values():
                delattr(config, key)
            if key.startswith(keep):
                new = key[len(keep) + 1 :]
                new = names.get(new, new)
                value = getattr(config, key)
                delattr(config, key)
                setattr(config, self.attribute_map.get(new, new), value)
        return config

    def __iter__(self):
        return iter(list(self.__dict__.keys()))

    @property
    def rope_scaling(self):
        return self.rope_parameters

    def _get_generation_parameters(self):
        return {}

    _get_non_default_generation_parameters = _get_generation_parameters

    @staticmethod
    def _get_global_generation_defaults():
        return _GENERATION

    @classmethod
    def get_config_dict(cls, *args, **kwargs):
        raise OSError("nothing is fetched")

    from_pretrained = get_config_dict


if not _V5:
    del _Common.rope_scaling


class _Plain(_Common, PushToHubMixin):
    """Configs whose classes have an __init__ of their own, which hands over the rest."""

    def __init__(
        self,
        *,
        output_hidden_states=False,
        output_attentions=False,
        return_dict=True,
        torchscript=False,
        dtype=None,
        pruned_heads=None,
        tie_word_embeddings=True,
        chunk_size_feed_forward=0,
        is_encoder_decoder=False,
        is_decoder=False,
        cross_attention_hidden_size=None,
        add_cross_attention=False,
        tie_encoder_decoder=False,
        architectures=None,
        finetuning_task=None,
        id2label=None,
        label2id=None,
        num_labels=None,
        task_specific_params=None,
        problem_type=None,
        tokenizer_class=None,
        prefix=None,
        bos_token_id=None,
        pad_token_id=None,
        eos_token_id=None,
        sep_token_id=None,
        decoder_start_token_id=None,
        **kwargs,
    ):
        torch_dtype = kwargs.pop("torch_dtype", None)
        if dtype is None:
            dtype = torch_dtype
        self.return_dict = return_dict
        self.output_hidden_states = output_hidden_states
        self.torchscript = torchscript
        self.dtype = _torch_dtype(dtype)
        self._output_attentions = output_attentions
        self.pruned_heads = pruned_heads if pruned_heads is not None else {}
        self.tie_word_embeddings = tie_word_embeddings
        self.chunk_size_feed_forward = chunk_size_feed_forward
        self.is_encoder_decoder = is_encoder_decoder
        self.is_decoder = is_decoder
        self.cross_attention_hidden_size = cross_attention_hidden_size
        self.add_cross_attention = add_cross_attention
        self.tie_encoder_decoder = tie_encoder_decoder
        self.architectures = architectures
        self.finetuning_task = finetuning_task
        self.label2id = label2id
        self.task_specific_params = task_specific_params
        self.problem_type = problem_type
        self._set_labels(id2label, num_labels)
        self.tokenizer_class = tokenizer_class
        self.prefix = prefix
        self.bos_token_id = bos_token_id
        self.pad_token_id = pad_token_id
        self.eos_token_id = eos_token_id
        self.sep_token_id = sep_token_id
        self.decoder_start_token_id = decoder_start_token_id
        for key, value in _GENERATION.items():
            setattr(self, key, kwargs.pop(key, value))
        kwargs.pop("name_or_path", None)
        kwargs.pop("_commit_hash", None)
        implementation = kwargs.pop("attn_implementation", None)
        self._attn_implementation = implementation
        self.transformers_version = kwargs.pop("transformers_version", None)
        for key, value in kwargs.items():
            setattr(self, key, value)


if _V5:
    from .modeling_rope_utils import RotaryEmbeddingConfigMixin
else:

    class RotaryEmbeddingConfigMixin:
        pass


class _Fields(_Common, PushToHubMixin, RotaryEmbeddingConfigMixin):
    """Configs of 5.x: a class lists its fields; what is given beyond them goes to __post_init__."""

    transformers_version: str = None
    architectures: list = None
    output_hidden_states: bool = False
    return_dict: bool = True
    dtype: str = None
    chunk_size_feed_forward: int = 0
    is_encoder_decoder: bool = False
    id2label: dict = None
    label2id: dict = None
    problem_type: str = None

    def __init__(self, **kwargs):
        given = kwargs
        for cls in reversed(type(self).__mro__):
            for name in _ridge.annotated(cls):
                if name in given:
                    setattr(self, name, given.pop(name))
                elif hasattr(cls, name):
                    default = cls.__dict__.get(name, None)
                    if hasattr(default, "default_factory"):
                        default = _default_of(default)
                    setattr(self, name, copy.copy(default))
        if hasattr(self, "__post_init__"):
            self.__post_init__(**given)

    def __post_init__(self, **kwargs):
        torch_dtype = kwargs.pop("torch_dtype", None)
        if self.dtype is None:
            self.dtype = torch_dtype
        self.dtype = _torch_dtype(self.dtype)
        self._set_labels(self.id2label, kwargs.pop("num_labels", None))
        if hasattr(self, "rope_parameters") or (kwargs.get("rope_scaling") and kwargs.get("rope_theta")):
            kwargs = self.convert_rope_params_to_dict(**kwargs)
        for key in _GENERATION:
            kwargs.pop(key, None)
        kwargs.pop("name_or_path", None)
        kwargs.pop("_commit_hash", None)
        self._output_attentions = kwargs.pop("output_attentions", False)
        self._attn_implementation = kwargs.pop("attn_implementation", None)
        self._experts_implementation = kwargs.pop("experts_implementation", None)
        per_layer = kwargs.pop("per_layer_config", None)
        for key, value in kwargs.items():
            if key not in ("_attn_implementation_internal", "_experts_implementation_internal"):
                setattr(self, key, value)
        self.per_layer_config = per_layer  # last: it speaks of the others

    def validate_rope(self, *args, **kwargs):
        return None

    validate_layer_type = validate_architecture = validate_token_ids = validate_output_attentions = validate_rope

    @property
    def is_heterogeneous(self):
        return "_per_layer" in self.__dict__

    @property
    def per_layer_config(self):
        return _LayerConfigs(self)

    @per_layer_config.setter
    def per_layer_config(self, overrides):
        if overrides is not None:
            self._per_layer = {int(layer): dict(changed) for layer, changed in overrides.items()}


class _LayerConfigs:
    """What a config says for one layer, by its index, or for all layers of one type where they agree."""

    def __init__(self, config):
        self._config = config

    def __len__(self):
        return self._config.num_hidden_layers

    def __getitem__(self, layer):
        if isinstance(layer, slice):
            return [self[i] for i in range(*layer.indices(len(self)))]
        if isinstance(layer, str):
            return self._of(self._changes_of_type(layer))
        if layer < 0:
            layer += len(self)
        if layer < 0 or layer >= len(self):
            raise IndexError("list index out of range")
        return self._of(self._changes(layer))

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def _changes(self, layer):
        return self._config._per_layer.get(layer, {}) if self._config.is_heterogeneous else {}

    def _changes_of_type(self, kind):
        kinds = getattr(self._config, "layer_types", None)
        if kinds is None or kind not in kinds:
            raise ValueError("no layers of type " + kind)
        found = [self._changes(i) for i, own in enumerate(kinds) if own == kind]
        if any(changes != found[0] for changes in found):
            raise ValueError("layers of type " + kind + " differ")
        return found[0]

    def _of(self, changes):
        if not self._config.is_heterogeneous:
            return self._config
        config = copy.copy(self._config)
        del config._per_layer
        config.skip = changes.get("skip", [])
        for name, value in changes.items():
            setattr(config, name, value)
        return config


def _default_of(field):
    if field.default_factory is not None and callable(field.default_factory):
        return field.default_factory()
    return field.default


if _V5:

    class PreTrainedConfig(_Fields):
        pass

    PretrainedConfig = PreTrainedConfig
else:

    class PretrainedConfig(_Plain):
        pass

    PreTrainedConfig = PretrainedConfig


def get_configuration_file(configuration_files):
    return CONFIG_NAME


def recursive_diff_dict(dict_a, dict_b, config_obj=None):
    return dict_a


def remap_legacy_layer_types(layer_types):
    names = {"conv": "linear_attention", "mamba": "linear_attention", "attention": "full_attention"}
    return [names.get(kind, kind) for kind in layer_types]


def strict(cls):
    return cls


def layer_type_validation(layer_types, num_hidden_layers=None, attention=True):
    return None
