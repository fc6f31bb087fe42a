"""Builds a model and runs it once: what `ridge learn` asks of Python."""
import _ridge
import _ridge_opaque
import torch

_CACHES = ("past_key_values", "cache_params", "state", "mems", "past_buckets_states", "layer_past", "past")


# ---- the config ----


def config_class(cls, model_type):
    """The class of the config that a model's class takes; None: it takes its fields as arguments."""
    found = getattr(cls, "config_class", None)
    if found is None:
        found = _ridge.annotated_type(cls, "config")
    parts = getattr(found, "sub_configs", None)
    for part in parts.values() if isinstance(parts, dict) and model_type is not None else ():
        if getattr(part, "model_type", None) == model_type and part.__name__.removesuffix("Config") + "Model" == cls.__name__:
            found = part  # the class of a part, annotated with the whole's config: as AutoModel makes it
    if found is None:
        found = _ridge.parameter_type(cls.__init__, "config")
    if isinstance(found, type) and found.__name__ not in ("PretrainedConfig", "PreTrainedConfig"):
        return found
    if model_type is not None:
        return _config_of_type(model_type)
    return None


def _config_of_type(model_type):
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    return CONFIG_MAPPING[model_type] if model_type in CONFIG_MAPPING else None


def make_config(cls, fields):
    """An instance of the config's class; of a composite config's fields the part that is this class's own."""
    wanted = getattr(cls, "model_type", "")
    given = fields.get("model_type", wanted)
    key = getattr(cls, "base_config_key", "")
    if wanted and given != wanted and key and isinstance(fields.get(key), dict):
        fields = fields[key]
    if hasattr(cls, "from_dict"):
        return cls.from_dict(fields)
    return cls(**fields)


def class_of_type(model_type):
    """The name of the class that a config of this type is usually for."""
    from transformers.models.auto import modeling_auto

    for table in ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES", "MODEL_MAPPING_NAMES"):
        names = getattr(modeling_auto, table, {})
        if model_type in names:
            found = names[model_type]
            return found[0] if isinstance(found, (tuple, list)) else found
    return None


# ---- the model ----


def _dtype(config, dtype):
    if dtype is not None:
        return getattr(torch, dtype)
    found = getattr(config, "dtype", None)
    if found is None:
        for name in ("text_config", "decoder", "llm_config"):
            found = getattr(getattr(config, name, None), "dtype", None)
            if found is not None:
                break
    return found


def _same_dtype(config, dtype, depth):
    """All parts of a model have one dtype, whatever their own configs say."""
    for part in config.__dict__.values():
        if hasattr(part, "sub_configs") and depth < 8:
            if part.dtype != dtype:
                part.dtype = dtype
            _same_dtype(part, dtype, depth + 1)


def build(cls, config, attention, dtype):
    before = torch.get_default_dtype()
    if isinstance(config, dict):
        if dtype is not None:
            torch.set_default_dtype(getattr(torch, dtype))
        fields = {key: value for key, value in config.items() if not key.startswith("_")}
        names = [name for name, kind, default in _ridge.parameters(cls.__init__)]
        if "kwargs" not in names:
            fields = {key: value for key, value in fields.items() if key in names}
        model = cls(**fields)
    else:
        if hasattr(config, "_attn_implementation"):
            config._attn_implementation = attention
        if getattr(config, "use_mamba_kernels", None):
            config.use_mamba_kernels = False  # kernels of another library: what PyTorch itself computes is followed
        wanted = _dtype(config, dtype)
        if wanted is not None and dtype is not None and hasattr(config, "dtype"):
            config.dtype = wanted
        if wanted is not None:
            _same_dtype(config, wanted, 0)
            torch.set_default_dtype(wanted)
        model = cls(config)
    torch.set_default_dtype(before)
    model.eval()
    return model


# ---- a run ----


def _call(model, inputs):
    return model(**inputs)


def _field(outputs, name):
    if isinstance(outputs, dict):
        return outputs.get(name, None)
    return getattr(outputs, name, None)


def cache_of(outputs):
    for name in _CACHES:
        found = _field(outputs, name)
        if found is not None:
            return name, found
    return None, None


def _kept(cache):
    """What counts as cache: keys, values and states, but not those of short convolutions and linear attention beside them."""
    apart = [name for name in ("conv_cache", "linear_cache") if hasattr(cache, name)]
    if not apart:
        return cache
    return [value for name, value in vars(cache).items() if name not in apart]


def run(model, workload):
    """As _run_batch; where what a text says decides, and nobody knows it, once more with words that are no special tokens."""
    before, given = _ridge.told(), dict(workload)
    try:
        outputs = _run_batch(model, workload)
    except Exception:
        if not _text_decides(model, given, before):
            raise
    if not _text_decides(model, given, before):
        return outputs
    _again(workload, given)
    _ridge.untell(before)
    try:
        workload["spoken"] = True
        outputs = _run_batch(model, workload)
    except Exception:
        outputs = None
    if outputs is not None and _ridge.told()[0] == before[0]:
        return outputs
    _again(workload, given)
    _ridge.untell(before)
    return _run_batch(model, workload)


def _text_decides(model, given, before):
    """Something was unknown, and the model reads a text that we made."""
    names = [name for name, kind, default in _ridge.parameters(type(model).forward)]
    return _ridge.told()[0] != before[0] and "input_ids" in names and "inputs" not in given


def _again(workload, given):
    workload.clear()
    workload.update(given)
    _ridge.restart()


def _run_batch(model, workload):
    """As _run; where no batch is asked for, a model that takes one sequence alone gets one."""
    if "batch" in workload:
        return _run(model, workload)
    given = dict(workload)
    try:
        return _run(model, workload)
    except ValueError as error:
        if "batch size" not in str(error):
            raise
    _again(workload, given)
    workload["batch"] = 1
    return _run(model, workload)


def _run(model, workload):
    """Runs what the workload asks for; only the step itself is recorded. Fills in the numbers that were left open."""
    from _ridge_workload import Inputs

    _ridge.set_recording(False)
    _ridge_opaque.running[0] = True
    inputs = Inputs(model, workload)
    step = inputs.prefill() if workload["phase"] == "prefill" else inputs.decode()
    _ridge.set_recording(True)
    if "spoken" in workload:
        torch._assume("a text has no padding and no special tokens but those that part it: here what it says decides")
    outputs = _call(model, step)
    _ridge.set_recording(False)
    name, cache = cache_of(outputs)
    workload["cache"] = _kept(cache)
    workload["decodes"] = int(cache is not None and inputs.decodes(name))
    return outputs
