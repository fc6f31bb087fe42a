# No accelerator is here.
from torch._torch import Event, Stream, autocast


class amp:
    autocast = autocast


default_generators = ()


def is_available():
    return False


def is_initialized():
    return False


def is_bf16_supported(including_emulation=True):
    return False


def is_current_stream_capturing():
    return False


def device_count():
    return 0


def current_device():
    return 0


def empty_cache():
    pass


def synchronize(device=None):
    pass


def manual_seed(seed):
    pass


def manual_seed_all(seed):
    pass


def set_device(device):
    pass


def get_device_capability(device=None):
    return (0, 0)


def get_device_name(device=None):
    return ""


def memory_allocated(device=None):
    return 0


def max_memory_allocated(device=None):
    return 0


def reset_peak_memory_stats(device=None):
    pass


def stream(stream):
    return Stream()


def current_stream(device=None):
    return Stream()


def default_stream(device=None):
    return Stream()
