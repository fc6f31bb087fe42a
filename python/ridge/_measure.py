"""How long functions of Python take on this machine, what memory they take, and what that is of the machine's ceilings.

In: functions and their arguments. Out: dataclasses; times are seconds, memory is bytes, None is not known.
What a function starts on a GPU (PyTorch, JAX, CuPy, Numba) is waited for inside the measured time. Nothing is timed while it warms up.
Fails with OptionError on wrong types, UsageError on wrong values, and with whatever the function raises.
"""

from __future__ import annotations

import ctypes
import math
import sys
from ctypes import byref, c_double, c_int, c_uint64
from dataclasses import dataclass

from ridge import _ask, _commands, _errors
from ridge import _library as lib
from ridge._counter import whole

# ---- what is waited for ----


def _leaves(value, depth=0):
    """What containers hold, a few levels deep."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        yield value
        return
    if depth < 8:
        for one in value:
            yield from _leaves(one, depth + 1)


def _wait_of(value):
    """(key, function) that waits for the work behind one result; None: nothing runs behind it."""
    if callable(getattr(value, "block_until_ready", None)):  # JAX
        return id(value), value.block_until_ready
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        place = value.device
        backend = getattr(torch, place.type, None) if place.type != "cpu" else None
        wait = getattr(backend, "synchronize", None)
        return (str(place), (lambda: wait(place)) if place.type in ("cuda", "xpu") else wait) if wait else None
    if hasattr(type(value), "__cuda_array_interface__"):
        name = type(value).__module__.partition(".")[0]
        if name == "cupy":
            return "cupy", sys.modules["cupy"].cuda.runtime.deviceSynchronize
        if name == "numba":
            import numba.cuda  # type: ignore

            return "numba", numba.cuda.synchronize
    return None


def synchronize(*values) -> None:
    """Waits for what PyTorch (CUDA, XPU, MPS), JAX, CuPy and Numba still compute of these values, and of those in containers.

    Errors: what the framework raises of work that failed. Source: torch.cuda.synchronize, jax.Array.block_until_ready and their like.
    """
    waits: dict = {}
    for value in _leaves(values):
        found = _wait_of(value)
        if found:
            waits.setdefault(*found)
    for wait in waits.values():
        wait()


# ---- functions ----


def _called(function, args, kwargs, keep=False):
    """What the library calls, and what it caught: after an exception it does nothing more. A result that is not kept is given back before the next
    call, as in a loop by hand: a new one finds the memory of the last."""
    state = {}

    def call(_):
        if "error" not in state:
            try:
                result = function(*args, **kwargs)
                synchronize(args, kwargs, result)
                if keep:
                    state["result"] = result
            except BaseException as error:  # it must not go through the library; it is raised behind it
                state["error"] = error

    return lib.FUNCTION(call), state


def _arguments(function, args, kwargs):
    if not callable(function):
        raise _errors.OptionError(f"want a function, not {type(function).__name__}")
    return (tuple(args) if isinstance(args, (tuple, list)) else (args,)), dict(kwargs or {})


@dataclass(frozen=True)
class BenchmarkResult:
    """The time of one call of a function, in seconds.

    median_s; low_s .. high_s: the 95 % interval of the median; mad_s: median distance from the median; minimum_s: the fastest
    kept, tried: samples that count, of so many; one during which the thread lost its core is not kept
    calls_per_sample: short functions are called several times a sample
    Source: ridge_statistics of include/ridge_measure.h, docs/measuring.md.
    """

    median_s: float
    low_s: float
    high_s: float
    mad_s: float
    minimum_s: float
    kept: int
    tried: int
    calls_per_sample: int


def benchmark_function(function, args=(), warmup: int = 3, iterations: int = 30, kwargs: dict | None = None) -> BenchmarkResult:
    """How long function(*args, **kwargs) takes: calls it `warmup` times (at least once), then takes `iterations` samples; a BenchmarkResult.

    args: a tuple or list of positional arguments, or a single one. What the function starts on a GPU is waited for in every call.
    Errors: OptionError where it is no function, UsageError on numbers; what the function raises is raised, and ends the measurement.
    Source: ridge_benchmark of include/ridge_measure.h; docs/measuring.md.
    """
    args, kwargs = _arguments(function, args, kwargs)
    warmup, iterations = whole("warmup", warmup, least=0), whole("iterations", iterations)
    if warmup >= 1 << 32 or iterations >= 1 << 32:
        raise _errors.UsageError("warmup and iterations are below 2^32")
    call, state = _called(function, args, kwargs)
    out = lib.Statistics()
    status = lib.library().ridge_benchmark(call, None, warmup, iterations, byref(out))
    if "error" in state:
        raise state["error"]
    if status:
        raise _errors.RidgeError("no sample could be kept: the machine is too busy")
    names = ("median_s", "low_s", "high_s", "mad_s", "minimum_s", "kept", "tried", "calls_per_sample")
    return BenchmarkResult(**{name: getattr(out, name) for name in names})


@dataclass(frozen=True)
class MemoryUsage:
    """The memory that one call of a function took, in bytes; None is not known.

    device: "cpu", or the device whose allocator the first three are of ("cuda:0")
    peak_bytes: the most while it ran (cpu: resident set of the process); current_bytes: afterwards
    cached_bytes: what the framework's allocator keeps for later, allocated or not (torch.cuda.memory_reserved); None on the cpu, where there is no such
    heap_bytes, heap_change_bytes: what malloc holds for the process afterwards, and since before
    wall_s, cpu_s: seconds the call took, and CPU seconds of all threads
    result: what the function gave
    Source: ridge_memory_use of include/ridge_measure.h; torch.cuda's allocator.
    """

    device: str
    peak_bytes: int | None
    current_bytes: int | None
    cached_bytes: int | None
    heap_bytes: int | None
    heap_change_bytes: int | None
    wall_s: float
    cpu_s: float
    result: object = None


def _cuda_device(values):
    torch = sys.modules.get("torch")
    for value in _leaves(values):
        if torch is not None and isinstance(value, torch.Tensor) and value.is_cuda:
            return value.device
    return None


def _known(value):
    return None if value < 0 else value


def measure_memory_usage(function, args=(), kwargs: dict | None = None) -> MemoryUsage:
    """Calls function(*args, **kwargs) once and says what memory it took: a MemoryUsage (peak, current, cached).

    Where an argument is a CUDA tensor of PyTorch, peak, current and cached are those of that device's allocator.
    Errors: OptionError where it is no function; what the function raises is raised.
    Source: ridge_measure_memory of include/ridge_measure.h; torch.cuda.max_memory_allocated, memory_allocated, memory_reserved.
    """
    args, kwargs = _arguments(function, args, kwargs)
    device = _cuda_device((args, kwargs))
    cuda = sys.modules["torch"].cuda if device is not None else None
    if cuda:
        cuda.reset_peak_memory_stats(device)
    call, state = _called(function, args, kwargs, keep=True)
    use = lib.MemoryUse()
    lib.library().ridge_measure_memory(call, None, byref(use))
    if "error" in state:
        raise state["error"]
    peak, current, cached = use.peak_bytes, use.current_bytes, -1
    if cuda:
        peak, current, cached = cuda.max_memory_allocated(device), cuda.memory_allocated(device), cuda.memory_reserved(device)
    heap = _known(use.heap_bytes)
    return MemoryUsage(str(device) if cuda else "cpu", _known(peak), _known(current), _known(cached), heap,
                       use.heap_change_bytes if heap is not None else None, use.wall_s, use.cpu_s, state["result"])


# ---- ceilings ----


@dataclass(frozen=True)
class Bandwidth:
    """Bytes per second: of a function (bytes it moves, and its time), or of this machine's main memory (time is None).

    peak_flops_per_s: the fp32 peak that was measured beside the machine's bandwidth; None of a function
    Source: ridge_measure_ceilings, ridge_benchmark of include/ridge_measure.h.
    """

    bytes_per_s: float
    bytes_moved: int | None = None
    time: BenchmarkResult | None = None
    peak_flops_per_s: float | None = None

    @property
    def gb_per_s(self) -> float:
        """10^9 bytes per second."""
        return self.bytes_per_s / 1e9


def measure_bandwidth(function=None, args=(), bytes_moved: int | None = None, *, warmup: int = 3, iterations: int = 30, threads: int = 1,
                      seconds: float = 2.0) -> Bandwidth:
    """Bytes per second as a Bandwidth: of a function that moves `bytes_moved` bytes a call, by the median of its time; without a function the read
    bandwidth of this machine's main memory (and the fp32 peak) on so many threads, measured in about `seconds`.

    Errors: OptionError and UsageError on wrong arguments, ModelError where the machine cannot be measured; what the function raises.
    Source: ridge_measure_ceilings of include/ridge_measure.h; docs/measuring.md.
    """
    if function is None:
        bytes_per_s, flops_per_s = c_double(), c_double()
        threads = whole("threads", threads)
        if threads > 4096 or not 0 < seconds < math.inf:
            raise _errors.UsageError("want at most 4096 threads, and seconds above 0")
        lib.message_call(lib.library().ridge_measure_ceilings, byref(bytes_per_s), byref(flops_per_s), threads, float(seconds))
        return Bandwidth(bytes_per_s.value, peak_flops_per_s=flops_per_s.value)
    moved = whole("bytes_moved", bytes_moved)
    time = benchmark_function(function, args, warmup, iterations)
    return Bandwidth(moved / time.median_s, moved, time)


def _number(name, value, least=0.0):
    """A finite number above `least`, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) and not hasattr(value, "__float__"):
        raise _errors.OptionError(f"{name}: {value!r} is no number")
    value = float(value)
    if not least < value < math.inf:
        raise _errors.UsageError(f"{name}: {value} is not above {least:g} and finite")
    return value


def _rate(name, amount, time_s):
    amount = _number(name, amount, -1.0)
    return None if amount is None else amount / time_s


def _share(rate, peak):
    return None if rate is None or peak is None else rate / peak


@dataclass(frozen=True)
class Utilization:
    """What a run reaches of a machine's ceilings, as shares from 0 to 1; None is not known.

    compute: FLOPs per second of the peak; memory: bytes per second of the bandwidth
    bound: "memory" or "compute", of which the larger share is reached; above: True where a share is above 1, so that a ceiling, the FLOPs or the
    bytes that were given are wrong
    flops_per_s, bytes_per_s: what was reached; arithmetic_intensity: FLOPs per byte
    Source: S. Williams et al., Roofline, CACM 2009.
    """

    compute: float | None
    memory: float | None
    bound: str | None
    above: bool
    flops_per_s: float | None
    bytes_per_s: float | None
    arithmetic_intensity: float | None


def compute_utilization(time_s: float, flops: float | None = None, bytes_moved: float | None = None, *, peak_flops_per_s: float | None = None,
                        peak_bytes_per_s: float | None = None, on: str | None = None, format: str = "fp32") -> Utilization:
    """What a run of `time_s` seconds reaches of the ceilings, a Utilization.

    flops, bytes_moved: what it computes and moves. The ceilings are given, or those of a machine: on="h100-sxm-80" takes its main memory's bandwidth
    and its peak for `format`.
    Errors: OptionError and UsageError on what is no positive number; ModelError where there is no such machine.
    Source: S. Williams et al., Roofline, CACM 2009; machines/*.json with their sources.
    """
    time_s = _number("time_s", time_s)
    if time_s is None:
        raise _errors.OptionError("time_s: None is no number")
    if on is not None:
        machine = _ask.answer("machine show", on)
        peak_flops_per_s = machine["peak_flops_per_s"].get(format) if peak_flops_per_s is None else peak_flops_per_s
        peak_bytes_per_s = machine["memory"][0]["bytes_per_s"] if peak_bytes_per_s is None else peak_bytes_per_s
    done, moved = _rate("flops", flops, time_s), _rate("bytes_moved", bytes_moved, time_s)
    compute = _share(done, _number("peak_flops_per_s", peak_flops_per_s))
    memory = _share(moved, _number("peak_bytes_per_s", peak_bytes_per_s))
    bound = None
    if compute is not None or memory is not None:
        bound = "memory" if (memory or 0) >= (compute or 0) else "compute"
    intensity = float(flops) / float(bytes_moved) if flops is not None and bytes_moved else None
    return Utilization(compute, memory, bound, max(compute or 0, memory or 0) > 1, done, moved, intensity)


# ---- bottlenecks ----


@dataclass(frozen=True)
class Bottleneck:
    """A row that takes much of the time: its name and index, its share of the sum of all in percent, and what it reaches of the ceilings (0 to 1).

    bound: "memory" or "compute", the larger share; None where neither is known
    Source: ridge_bottleneck of include/ridge_measure.h.
    """

    name: str
    index: int
    time_s: float
    percent: float
    memory_share: float | None
    compute_share: float | None
    bound: str | None


def _timed(row):
    """(name, seconds, FLOPs or -1, bytes or -1) of a tuple, a dict or an object."""
    if isinstance(row, (tuple, list)):
        name, time_s, flops, moved = (*row, None, None)[:4]
    else:
        get = row.get if isinstance(row, dict) else lambda key: getattr(row, key, None)
        name, time_s, flops, moved = get("name"), get("time_s"), get("flops"), get("bytes")
    time_s = _number(f"time of {name!r}", time_s)
    if time_s is None or not isinstance(name, str):
        raise _errors.OptionError(f"a row is (name, seconds[, FLOPs[, bytes]]), not {row!r}")
    flops, moved = _number("FLOPs", flops, -1.0), _number("bytes", moved, -1.0)
    return name, time_s, -1.0 if flops is None else flops, -1.0 if moved is None else moved


def identify_bottleneck(rows, top: int = 3, *, bytes_per_s: float = 0.0, flops_per_s: float = 0.0) -> list[Bottleneck]:
    """The rows that take longest, longest first: a list of at most `top` Bottleneck.

    rows: {name: seconds}, or a list of (name, seconds[, FLOPs[, bytes]]), dicts or objects with name, time_s, flops, bytes
    bytes_per_s, flops_per_s: the machine's ceilings, 0 where not known
    Errors: UsageError where there is no row or a time is not above 0; OptionError on other rows.
    Source: ridge_identify_bottlenecks of include/ridge_measure.h.
    """
    listed = [_timed(row) for row in (rows.items() if isinstance(rows, dict) else rows)]
    if not listed:
        raise _errors.UsageError("there is no row")
    top = min(whole("top", top), len(listed))
    timed = (lib.TimedRow * len(listed))(*[lib.TimedRow(lib.text(name), *numbers) for name, *numbers in listed])
    out, count = (lib.Bottleneck * top)(), c_uint64()
    function = lib.library().ridge_identify_bottlenecks
    function.restype = c_int
    function.argtypes = (ctypes.POINTER(lib.Bottleneck), c_uint64, ctypes.POINTER(c_uint64), ctypes.POINTER(lib.TimedRow), c_uint64, c_double, c_double)
    if function(out, top, byref(count), timed, len(listed), float(bytes_per_s), float(flops_per_s)):
        raise _errors.UsageError("the rows are refused")
    return [Bottleneck(listed[one.index][0], one.index, listed[one.index][1], one.percent, _known(one.memory_share), _known(one.compute_share),
                       _bound(one.memory_bound)) for one in out[:count.value]]


def _bound(side):
    return None if side < 0 else "memory" if side else "compute"


# ---- predictions of one operator ----


def predict_gemv(n: int, k: int, on: str, **options):
    """How long y[n] = W[n, k] x[k] takes on a machine: what ridge.op("gemv", on=...) answers, with exact counts and seconds.

    on: a machine of ridge.machines; options: those of ridge.op (weights="q4_K", dtype=, launch=, ...).
    Errors: those of ridge.op. Source: docs/operators.md.
    """
    return _commands.op("gemv", n=n, k=k, on=on, **options)


def predict_gemm(m: int, n: int, k: int, on: str, **options):
    """How long C[m, n] = A[m, k] B[k, n] takes on a machine: what ridge.op("gemm", on=...) answers, with exact counts and seconds.

    on: a machine of ridge.machines; options: those of ridge.op (dtype="bf16", weights=, launch=, ...).
    Errors: those of ridge.op. Source: docs/operators.md.
    """
    return _commands.op("gemm", m=m, n=n, k=k, on=on, **options)


def predict_attention(batch: int, seq: int, heads: int, head_dim: int, on: str, **options):
    """How long attention over [batch, heads, seq, head_dim] takes on a machine: what ridge.op("attention", on=...) answers.

    on: a machine of ridge.machines; options: those of ridge.op (kv_len=, kv_heads=, causal=True, dtype=, kv=, ...).
    Errors: those of ridge.op. Source: docs/operators.md.
    """
    return _commands.op("attention", batch=batch, seq=seq, heads=heads, head_dim=head_dim, on=on, **options)
