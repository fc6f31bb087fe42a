"""Random arguments for the generated modules, and what the engine answers to them: the C API of the library, through ctypes."""

import ctypes
import random

WHOLE = {"flops": "flops", "reads": "reads", "writes": "writes", "intermediates": "intermediates", "parameters": "params"}
SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128)
WORDS = ("gelu", "relu", "silu", "gelu_new", "swish", "tanh", "quick_gelu", "gelu_pytorch_tanh", "gated-gelu", "sigmoid", "default",
         "linear", "mish", "eager", "sdpa", "full", "fp32", "bf16", "int8", "absolute", "relative_key", "group", "layer", "batch")
INTEGERS = {"B": (1, 2, 3, 5), "S": (1, 2, 7, 16, 33, 128, 500), "past": (0, 1, 9, 64, 300), "enc": (0, 1, 16, 50),
            "image": (32, 64, 224), "image_height": (32, 64, 96, 224), "image_width": (32, 48, 64, 224), "images": (0, 1, 2),
            "video_frames": (1, 2, 8, 16), "frames": (1, 64, 300, 1000), "samples": (400, 1000, 16000)}
CHOICES = {"phase": ("prefill", "decode", "train"), "attention": ("full", "causal"), "act": ("fp32", "fp16", "bf16"),
           "kv": ("fp32", "fp16"), "weights_format": ("fp32", "bf16")}


class Count(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_int64)]


class Engine:
    """The library's answer to ridge formula."""

    def __init__(self, library, catalogs=()):
        self.library = ctypes.CDLL(library)
        self.library.ridge_session_open.restype = ctypes.c_void_p
        self.library.ridge_session_error.restype = ctypes.c_char_p
        names = (ctypes.c_char_p * len(catalogs))(*(name.encode() for name in catalogs))
        self.session = ctypes.c_void_p(self.library.ridge_session_open(names, ctypes.c_size_t(len(catalogs))))

    def ask(self, quantity, path, words):
        """(number, None), or (None, why there is none)."""
        count = Count()
        texts = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        failed = self.library.ridge_compute(self.session, ctypes.byref(count), WHOLE[quantity].encode(), path.encode(), texts,
                                            ctypes.c_size_t(len(words)))
        if failed:
            return None, self.library.ridge_session_error(self.session).decode("utf-8", "replace")
        return (count.high << 64) | count.low, None


def argument(name, may_be_word, chance):
    """One value for a parameter, most of the time a size."""
    roll = chance.random()
    if may_be_word and roll < 0.35:
        return chance.choice(WORDS)
    if name.startswith(("is_", "use_", "with_", "has_")) or name.endswith("bias") or name in ("bias", "affine", "causal", "cross"):
        return chance.choice((True, False))
    if may_be_word and roll < 0.5:
        return [chance.choice(SIZES[:6]) for _ in range(chance.choice((1, 2, 2, 3, 4)))]
    if roll > 0.97:
        return chance.choice((None, True, False, 0))
    return chance.choice(SIZES)


def workload(names, chance):
    return {name: chance.choice(INTEGERS.get(name) or CHOICES[name]) for name in names}


def word(name, value):
    """An argument as `ridge formula` takes it."""
    return f"{name}={value!r}" if not isinstance(value, str) else f"{name}={value}"


def seeded(seed):
    return random.Random(seed)
