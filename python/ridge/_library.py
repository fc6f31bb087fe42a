"""The shared library: found, loaded, and its functions described to ctypes; a session per thread.

In: nothing. Out: library(), session(), exact integers of the C structs. ctypes gives the GIL back during every call (CDLL).
Fails with LibraryError where there is no library, or one of another version.
"""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from ridge import _errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

NAME = "libridge.so.0"
MOST_BITS = 127


class Count(Structure):
    """ridge_count: a signed 128-bit integer, hi * 2^64 + lo"""

    _fields_ = [("lo", c_uint64), ("hi", c_int64)]

    def __int__(self):
        return (self.hi << 64) + self.lo

    __index__ = __int__

    @classmethod
    def of(cls, value):
        """A Python integer as the library takes it; OverflowError beyond 128 bits."""
        value = value.__index__()
        if not -(1 << MOST_BITS) <= value < 1 << MOST_BITS:
            raise OverflowError(f"{value} does not fit in 128 bits")
        return cls(value & 0xFFFFFFFFFFFFFFFF, value >> 64)


class ErrorPlace(Structure):
    """ridge_error_place: what the last failed call says, in parts"""

    _fields_ = [("code", c_char_p), ("message", c_char_p), ("file", c_char_p), ("excerpt", c_char_p), ("line", c_uint32), ("column", c_uint32)]


class Flops(Structure):
    """ridge_flops"""

    _fields_ = [(name, Count) for name in ("total", "matmul", "attention", "activation", "embedding", "other", "dequantisation")]


class LayerShape(Structure):
    """ridge_layer_shape"""

    _fields_ = [(name, c_uint64) for name in ("batch", "seq_len", "hidden", "heads", "head_dim", "intermediate")] + [
        (name, c_int32) for name in ("causal", "gated", "quantised", "reserved")
    ]


class LayerFlops(Structure):
    """ridge_layer_flops"""

    _fields_ = [(name, Flops) for name in ("total", "attention", "ffn", "layernorm")]


class ModelFlops(Structure):
    """ridge_model_flops"""

    _fields_ = [(name, Flops) for name in ("total", "embedding", "layers", "lm_head")]


class Layer(Structure):
    """ridge_layer: strings are the counter's own"""

    _fields_ = [("name", c_char_p), ("kind", c_char_p), ("metadata", c_char_p), ("index", c_uint64), ("percent", c_double), ("flops", Flops)]


class Statistics(Structure):
    """ridge_statistics: seconds of one call"""

    _fields_ = [(name, c_double) for name in ("median_s", "low_s", "high_s", "mad_s", "minimum_s")] + [
        ("kept", c_uint32), ("tried", c_uint32), ("calls_per_sample", c_uint32), ("reserved", c_int32)
    ]


class MemoryUse(Structure):
    """ridge_memory_use: bytes, seconds"""

    _fields_ = [(name, c_int64) for name in ("peak_bytes", "current_bytes", "heap_bytes", "heap_change_bytes")] + [
        ("wall_s", c_double), ("cpu_s", c_double)
    ]


class RunUse(Structure):
    """ridge_run_use: -1 where the system does not tell"""

    _fields_ = [("memory", MemoryUse), ("user_s", c_double), ("system_s", c_double)] + [
        (name, c_int64)
        for name in (
            "voluntary_switches", "involuntary_switches", "minor_faults", "major_faults",
            "cycles", "instructions", "cache_references", "cache_misses", "branches", "branch_misses",
        )
    ] + [("reason", ctypes.c_char * 128)]


class TimedRow(Structure):
    """ridge_timed_row"""

    _fields_ = [("name", c_char_p), ("time_s", c_double), ("flops", c_double), ("bytes", c_double)]


class Bottleneck(Structure):
    """ridge_bottleneck"""

    _fields_ = [("index", c_uint64), ("percent", c_double), ("memory_share", c_double), ("compute_share", c_double),
                ("memory_bound", c_int32), ("reserved", c_int32)]


class AttentionShape(Structure):
    """ridge_attention_shape"""

    _fields_ = [(name, c_uint64) for name in ("batch", "seq", "past", "heads", "kv_heads", "head_dim", "hidden")] + [
        ("causal", c_int32), ("threads", c_uint32)
    ]


class AttentionComponent(Structure):
    """ridge_attention_component"""

    _fields_ = [("name", c_char_p)] + [(name, c_double) for name in ("time_s", "percent", "predicted_s", "percent_of_ceiling")] + [
        ("memory_bound", c_int32), ("reserved", c_int32)
    ]


class AttentionProfile(Structure):
    """ridge_attention_profile"""

    _fields_ = [("components", AttentionComponent * 5), ("total_s", c_double), ("bottleneck", ctypes.c_char * 64),
                ("recommendation", ctypes.c_char * 512)]


PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
_TEXTS = POINTER(c_char_p)
_MESSAGE = (c_void_p, c_size_t)  # char *message, size_t size
_FLAG = c_int

# name -> (what it answers, what it takes), as include/ridge*.h have them
FUNCTIONS = {
    "ridge_version": (c_char_p, ()),
    "ridge_session_open": (c_void_p, (_TEXTS, c_size_t)),
    "ridge_session_close": (None, (c_void_p,)),
    "ridge_session_error": (c_char_p, (c_void_p,)),
    "ridge_session_error_place": (None, (POINTER(ErrorPlace), c_void_p)),
    "ridge_session_warnings": (c_char_p, (c_void_p,)),
    "ridge_session_listen": (None, (c_void_p, PROGRESS, c_void_p)),
    "ridge_session_cancel": (None, (c_void_p,)),
    "ridge_session_draw": (None, (c_void_p, c_int)),
    "ridge_session_picture": (c_char_p, (c_void_p,)),
    "ridge_free": (None, (c_void_p,)),
    "ridge_run": (c_int, (c_void_p, POINTER(c_void_p), c_char_p, _TEXTS, c_size_t, _TEXTS, c_size_t)),
    "ridge_run_config": (c_int, (c_void_p, POINTER(c_void_p), c_char_p, c_char_p, c_char_p, c_size_t, _TEXTS, c_size_t)),
    "ridge_compute": (c_int, (c_void_p, POINTER(Count), c_char_p, c_char_p, _TEXTS, c_size_t)),
    "ridge_compute_flops": (c_int, (c_void_p, POINTER(Count), c_char_p, _TEXTS, c_size_t)),
    # ridge_counter.h
    "ridge_op_matmul": (c_int, (POINTER(Flops), c_uint64, c_uint64, c_uint64, _FLAG, *_MESSAGE)),
    "ridge_op_attention": (c_int, (POINTER(Flops), c_uint64, c_uint64, c_uint64, c_uint64, _FLAG, *_MESSAGE)),
    "ridge_op_ffn": (c_int, (POINTER(Flops), c_uint64, c_uint64, c_uint64, c_uint64, _FLAG, _FLAG, *_MESSAGE)),
    "ridge_op_layernorm": (c_int, (POINTER(Flops), c_uint64, c_uint64, c_uint64, *_MESSAGE)),
    "ridge_op_embedding": (c_int, (POINTER(Flops), c_uint64, c_uint64, c_uint64, *_MESSAGE)),
    "ridge_op_transformer_layer": (c_int, (POINTER(LayerFlops), POINTER(LayerShape), *_MESSAGE)),
    "ridge_op_model": (c_int, (POINTER(ModelFlops), POINTER(LayerShape), c_uint64, c_uint64, *_MESSAGE)),
    "ridge_counter_new": (c_int, (POINTER(c_void_p), *_MESSAGE)),
    "ridge_counter_free": (None, (c_void_p,)),
    "ridge_counter_clear": (None, (c_void_p,)),
    "ridge_counter_add_matmul": (c_int, (c_void_p, c_char_p, c_uint64, c_uint64, c_uint64, _FLAG, *_MESSAGE)),
    "ridge_counter_add_attention": (c_int, (c_void_p, c_char_p, c_uint64, c_uint64, c_uint64, c_uint64, _FLAG, *_MESSAGE)),
    "ridge_counter_add_ffn": (c_int, (c_void_p, c_char_p, c_uint64, c_uint64, c_uint64, c_uint64, _FLAG, _FLAG, *_MESSAGE)),
    "ridge_counter_add_layernorm": (c_int, (c_void_p, c_char_p, c_uint64, c_uint64, c_uint64, *_MESSAGE)),
    "ridge_counter_add_embedding": (c_int, (c_void_p, c_char_p, c_uint64, c_uint64, c_uint64, *_MESSAGE)),
    "ridge_counter_add_transformer_layer": (c_int, (c_void_p, c_char_p, POINTER(LayerShape), *_MESSAGE)),
    "ridge_counter_add_layer": (c_int, (c_void_p, c_char_p, POINTER(Flops), c_char_p, *_MESSAGE)),
    "ridge_counter_layer_count": (c_uint64, (c_void_p,)),
    "ridge_counter_layer_at": (c_int, (POINTER(Layer), c_void_p, c_uint64, *_MESSAGE)),
    "ridge_counter_get_layer": (c_int, (POINTER(Layer), c_void_p, c_char_p, *_MESSAGE)),
    "ridge_counter_layers": (None, (POINTER(Layer), c_uint64, POINTER(c_uint64), c_void_p)),
    "ridge_counter_top": (c_int, (POINTER(Layer), c_uint64, POINTER(c_uint64), c_void_p, c_uint64, *_MESSAGE)),
    "ridge_counter_total": (None, (POINTER(Flops), c_void_p)),
    "ridge_counter_gflops": (c_double, (c_void_p,)),
    "ridge_counter_tflops": (c_double, (c_void_p,)),
    "ridge_counter_summary": (c_int, (c_void_p, c_size_t, POINTER(c_size_t), c_void_p, c_uint64, *_MESSAGE)),
    # ridge_measure.h
    "ridge_benchmark": (c_int, (FUNCTION, c_void_p, c_uint32, c_uint32, POINTER(Statistics))),
    "ridge_measure_memory": (c_int, (FUNCTION, c_void_p, POINTER(MemoryUse))),
    "ridge_measure_run": (c_int, (FUNCTION, c_void_p, POINTER(RunUse))),
    "ridge_identify_bottleneck": (c_int, (POINTER(Bottleneck), POINTER(TimedRow), c_uint64, c_double, c_double)),
    "ridge_profile_attention": (c_int, (POINTER(AttentionProfile), POINTER(AttentionShape), c_char_p, c_double, *_MESSAGE)),
    "ridge_optimize_attention": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(AttentionShape), c_int, *_MESSAGE)),
    "ridge_measure_ceilings": (c_int, (POINTER(c_double), POINTER(c_double), c_uint32, c_double, *_MESSAGE)),
}

_loading = threading.Lock()
_loaded = None


def places():
    """Where the library is looked for, in this order: the package's folder, $RIDGE_LIBRARY, a build tree beside the source."""
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, NAME)
    if os.environ.get("RIDGE_LIBRARY"):
        yield os.environ["RIDGE_LIBRARY"]
    yield os.path.join(here, "..", "..", "build", NAME)


def path():
    """The library's file; LibraryError where there is none."""
    for place in places():
        if os.path.exists(place):
            return os.path.normpath(place)
    raise _errors.LibraryError(f"{NAME} is not beside the package, RIDGE_LIBRARY names none, and there is no build tree: "
                               "build it (./setup), or install the package (./setup --python)")


def _load():
    file = path()
    try:
        lib = ctypes.CDLL(file)
        for name, (answer, takes) in FUNCTIONS.items():
            function = getattr(lib, name)
            function.restype = answer
            function.argtypes = takes
    except (OSError, AttributeError) as error:
        raise _errors.LibraryError(f"{file} is not the library of this package: {error}") from error
    return lib


def library() -> ctypes.CDLL:
    """The library, loaded when it is first asked for; a ctypes.CDLL whose functions know their types."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                _loaded = _load()
    return _loaded


# ---- texts ----


def text(value, what="a text"):
    """A str, bytes or path as the library takes it (UTF-8); TypeError and ValueError name `what`."""
    if not isinstance(value, (str, bytes)):
        value = os.fspath(value)
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    if b"\0" in value:
        raise _errors.UsageError(f"{what} has a NUL character in it")
    return value


def texts(values):
    """bytes as the array of C strings that the library takes"""
    return (c_char_p * len(values))(*values)


def told(value):
    """A text of the library."""
    return value.decode("utf-8", "replace") if value else ""


def message_call(function, *arguments):
    """Calls a function that takes (..., message, size) and raises what it says."""
    message = ctypes.create_string_buffer(512)
    status = function(*arguments, message, len(message))
    if status:
        said = told(message.value)
        raise (_errors.UsageError if status == 2 else _errors.ModelError)(said)


# ---- sessions ----


class Session:
    """An open catalog: what calls of one thread go through. catalogs: folders or files over the built-in one."""

    def __init__(self, catalogs: Sequence[str | os.PathLike[str]] = ()) -> None:
        self._lib = library()
        self._as_parameter_ = None
        self._pid = os.getpid()
        names = texts([text(one, "a catalog's path") for one in catalogs])
        self._as_parameter_ = self._lib.ridge_session_open(names if catalogs else None, len(catalogs))
        if not self._as_parameter_:
            raise _errors.OutOfMemory("out of memory", "NOMEM")

    def close(self) -> None:
        """Gives the catalog's memory back; a closed session takes no more calls."""
        # after a fork the parent's memory is not ours to give back: it may be in the middle of a call
        at, self._as_parameter_ = self._as_parameter_, None
        if at and self._pid == os.getpid():
            self._lib.ridge_session_close(at)

    __del__ = close

    def error(self, status):
        """The exception for this session's last call, which answered `status`."""
        place = ErrorPlace()
        self._lib.ridge_session_error_place(byref(place), self._as_parameter_)
        return _errors.of_session(status, told(place.message), told(place.code), told(place.file), place.line, place.column,
                                  told(place.excerpt))

    def warnings(self) -> list[str]:
        """What the last call warned of, a list of sentences."""
        return told(self._lib.ridge_session_warnings(self._as_parameter_)).splitlines()


_local = threading.local()


def session() -> Session:
    """This thread's session, opened when it is first asked for and closed when the thread ends."""
    found = getattr(_local, "session", None)
    if found is None:
        found = _local.session = Session()
    return found


def _after_fork():
    global _loading, _local
    _loading = threading.Lock()
    _local = threading.local()


os.register_at_fork(after_in_child=_after_fork)
