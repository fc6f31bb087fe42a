from torch._torch import _Context


class matmul:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True


def is_built():
    return False


def is_flash_attention_available():
    return False


def flash_sdp_enabled():
    return True


def mem_efficient_sdp_enabled():
    return True


def math_sdp_enabled():
    return True


def cudnn_sdp_enabled():
    return False


def enable_flash_sdp(enabled):
    pass


def enable_mem_efficient_sdp(enabled):
    pass


def enable_math_sdp(enabled):
    pass


def sdp_kernel(*args, **kwargs):
    return _Context()
