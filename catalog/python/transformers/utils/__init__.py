"""Stands in for transformers.utils."""
import _ridge

from . import logging
from .auto_docstring import ClassAttrs, ClassDocstring, ImageProcessorArgs, ModelArgs, ModelOutputArgs, auto_class_docstring, auto_docstring
from .doc import (
    add_code_sample_docstrings,
    add_end_docstrings,
    add_start_docstrings,
    add_start_docstrings_to_model_forward,
    copy_func,
    replace_return_docstrings,
)
from .generic import (
    ContextManagers,
    ExplicitEnum,
    ModelOutput,
    PaddingStrategy,
    TensorType,
    TransformersKwargs,
    cached_property,
    can_return_tuple,
    expand_dims,
    filter_out_non_signature_kwargs,
    flatten_dict,
    is_numpy_array,
    is_tensor,
    is_timm_config_dict,
    is_timm_local_checkpoint,
    is_torch_device,
    is_torch_dtype,
    is_torch_tensor,
    reshape,
    squeeze,
    strtobool,
    tensor_size,
    to_py_obj,
    torch_float,
    torch_int,
    transpose,
    working_or_temp_dir,
)
from .hub import PushToHubMixin, cached_file
from .import_utils import (
    torch_compilable_check,
    DummyObject,
    OptionalDependencyNotAvailable,
    direct_transformers_import,
    get_torch_version,
    is_torch_available,
    is_torch_cuda_available,
    is_torch_flex_attn_available,
    is_torch_fx_available,
    is_torch_fx_proxy,
    is_torch_greater_or_equal,
    is_torch_sdpa_available,
    is_torchdynamo_compiling,
    is_tracing,
    is_vision_available,
    requires_backends,
    torch_only_method,
)

WEIGHTS_NAME = "pytorch_model.bin"
WEIGHTS_INDEX_NAME = "pytorch_model.bin.index.json"
SAFE_WEIGHTS_NAME = "model.safetensors"
SAFE_WEIGHTS_INDEX_NAME = "model.safetensors.index.json"
CONFIG_NAME = "config.json"
GENERATION_CONFIG_NAME = "generation_config.json"
DUMMY_INPUTS = [[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]]
DUMMY_MASK = [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]
IMAGENET_DEFAULT_MEAN = IMAGENET_DEFAULT_STD = IMAGENET_STANDARD_MEAN = IMAGENET_STANDARD_STD = [0.5, 0.5, 0.5]


def check_min_version(min_version):
    return None
