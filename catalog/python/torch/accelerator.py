# No accelerator is here.
from torch._torch import autocast


def is_available():
    return False


def device_count():
    return 0


def current_device():
    return 0


def current_accelerator(check_available=False):
    return None


def empty_cache():
    pass


def synchronize(device=None):
    pass


def manual_seed(seed):
    pass


def manual_seed_all(seed):
    pass


def memory_allocated(device=None):
    return 0
