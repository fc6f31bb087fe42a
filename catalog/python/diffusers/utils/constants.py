"""Stands in for diffusers.utils.constants."""
DIFFUSERS_ATTN_BACKEND = "native"
DIFFUSERS_ATTN_CHECKS = False
DIFFUSERS_ENABLE_HUB_KERNELS = False
DIFFUSERS_LOAD_ID_FIELDS = []
CONFIG_NAME = "config.json"
WEIGHTS_NAME = "diffusion_pytorch_model.bin"
SAFETENSORS_WEIGHTS_NAME = "diffusion_pytorch_model.safetensors"
HF_MODULES_CACHE = "."
MIN_PEFT_VERSION = "0.17.0"
DEPRECATED_REVISION_ARGS = []
