"""Stands in for transformers.integrations: no kernels but torch's own."""
from .hub_kernels import (
    lazy_load_kernel,
    use_kernel_forward_from_hub,
    use_kernel_func_from_hub,
    use_kernelized_func,
)


def is_deepspeed_zero3_enabled():
    return False


def is_fsdp_managed_module(module):
    return False
