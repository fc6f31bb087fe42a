"""Ridge: what a neural network costs (FLOPs, bytes, memory, time), before it runs and after it ran.

    >>> import ridge
    >>> ridge.cost("meta-llama/Llama-2-7b-hf").parameters.total
    6738415616

Every command of the program `ridge` is a function here, its options are keyword arguments, its answer is a dataclass with
exact integers. docs/python.md has the rest.
"""

from ridge._names import COMMANDS

# name -> the module of this package that has it; a module is read when one of its names is first asked for
_TABLE = {
    "_errors": ("RidgeError", "ModelError", "UsageError", "OptionError", "CheckError", "OutOfMemory", "LibraryError"),
    "_counter": (
        "FLOPsCounter", "LayerFLOPs", "TransformerLayerFLOPs", "ModelFLOPs", "profile_matmul_flops", "profile_attention_flops",
        "profile_ffn_flops", "profile_layernorm_flops", "profile_embedding_flops", "profile_transformer_layer_flops", "profile_model_flops",
    ),
    "_database": ("ModuleDatabase", "ModuleRegistry", "compute_flops"),
    "_inventory": ("inventory", "extract_module_parameters", "load_model_on_meta_device"),
    "_analyze": ("analyze", "Analysis", "ModuleCost", "FlopAnalyzer"),
    "_hooks": ("hooks", "Hooks", "ModuleTime", "ModuleTimes"),
    "_measure": (
        "benchmark_function", "BenchmarkResult", "measure_memory_usage", "MemoryUsage", "measure_bandwidth", "Bandwidth", "compute_utilization",
        "Utilization", "identify_bottleneck", "Bottleneck", "synchronize", "predict_gemv", "predict_gemm", "predict_attention",
    ),
    "_attention": ("optimize_attention", "profile_attention_components", "AttentionProfile", "AttentionPart"),
    "_library": ("Session", "library", "session"),
    "_call": ("RidgeWarning", "run"),
    "_answer": ("Answer", "Record"),
    "_serve": ("Server",),
    "_commands": COMMANDS,
}
_HOME = {name: module for module, names in _TABLE.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name):
    if name == "__version__":
        value = _module("_library").library().ridge_version().decode()
    elif name in _HOME:
        value = getattr(_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'ridge' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOME, "__version__"})


def _module(name):
    from importlib import import_module

    return import_module(f"ridge.{name}")
