"""What measures from Python: functions, memory, bandwidth, bottlenecks, attention on arrays, against arithmetic by hand and NumPy.
    measuring.py RIDGE LIBRARY

    measuring.py RIDGE LIBRARY --timed    by hand, on a machine with nothing else to do: benchmark_function against a loop"""

import math
import os
import pathlib
import sys
import time

os.environ.update(RIDGE_LIBRARY=str(pathlib.Path(sys.argv[2]).resolve()), RIDGE_LAST_LEVEL_CACHE="1Mi")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/golden")]
import driver  # noqa: E402
import ridge  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None
TAP = driver.Tap()


def case(name, *problems):
    """problems: (what holds, what is said where it does not)"""
    TAP.case(name, [said for holds, said in problems if not holds])


def refused(name, kind, words, call, *arguments, **named):
    try:
        problem = [f"answered {call(*arguments, **named)!r}"]
    except BaseException as error:  # KeyboardInterrupt too
        problem = [] if type(error) is kind and words in str(error) else [f"{type(error).__name__}: {error}"]
    TAP.case(name, problem)


class Lazy:
    """A result that is waited for, as JAX has it."""

    waited = 0

    def block_until_ready(self):
        Lazy.waited += 1


def benchmark():
    seen = []
    found = ridge.benchmark_function(seen.append, (1,), warmup=2, iterations=10)
    case("samples", (found.tried >= 10, found), (len(seen) == 2 + found.tried * found.calls_per_sample or found.calls_per_sample > 1, len(seen)))
    case("an interval around the median", (0 < found.minimum_s <= found.low_s <= found.median_s <= found.high_s, found))
    slow = ridge.benchmark_function(time.sleep, (0.003,), warmup=1, iterations=5)
    case("what sleeps 3 ms takes 3 ms or more", (0.003 <= slow.minimum_s < 1, slow))
    ridge.benchmark_function(lambda: {"a": [Lazy(), (Lazy(),)]}, iterations=3)
    case("results in containers are waited for", (Lazy.waited >= 2 * 4 and Lazy.waited % 2 == 0, Lazy.waited))
    named = ridge.benchmark_function(lambda *, power: 2**power, kwargs={"power": 9}, iterations=2)
    case("named arguments", (named.tried >= 2, named))
    refused("what the function raises is raised", ZeroDivisionError, "division by zero", ridge.benchmark_function, lambda: 1 / 0)
    refused("Ctrl-C in it too", KeyboardInterrupt, "", ridge.benchmark_function, interrupted)
    refused("no function", ridge.OptionError, "want a function, not int", ridge.benchmark_function, 3)
    refused("no iteration", ridge.UsageError, "iterations: 0", ridge.benchmark_function, len, ([],), iterations=0)


def interrupted():
    raise KeyboardInterrupt


def memory():
    used = ridge.measure_memory_usage(lambda n: bytearray(n), (30_000_000,))
    known = used.heap_change_bytes is not None and used.heap_change_bytes >= 0
    case("what it keeps", (not known or 30_000_000 <= used.heap_change_bytes < 40_000_000, used.heap_change_bytes), (len(used.result) == 30_000_000, "the result"))
    case("its device", (used.device == "cpu" and used.cached_bytes is None, used.device), (used.peak_bytes is None or used.peak_bytes > 0, used.peak_bytes))
    refused("what the function raises", IndexError, "", ridge.measure_memory_usage, lambda: [][0])


def ceilings():
    """1e9 bytes in 1 ms are 1e12 per second, of 3.35e12; 1e9 FLOP of 2e12 per second are half"""
    found = ridge.compute_utilization(1e-3, flops=1e9, bytes_moved=1e9, peak_flops_per_s=2e12, peak_bytes_per_s=4e12)
    case("shares of ceilings", (found.compute == 0.5 and found.memory == 0.25 and found.bound == "compute", found), (found.arithmetic_intensity == 1, found))
    machine = ridge.compute_utilization(1e-3, bytes_moved=1e9, on="h100-sxm-80")
    case("those of a machine", (machine.memory == 1e12 / 3.35e12 and machine.compute is None and machine.bound == "memory", machine))
    case("more than the ceiling is told", (ridge.compute_utilization(1, flops=2, peak_flops_per_s=1).above, "not above"))
    refused("no time", ridge.UsageError, "time_s: 0.0 is not above 0", ridge.compute_utilization, 0)
    refused("NaN", ridge.UsageError, "flops: nan", ridge.compute_utilization, 1, flops=float("nan"))
    rows = [("a", 1e-3), {"name": "b", "time_s": 4e-3, "flops": 1e9}, ("c", 2e-3, None, 1e7), ("d", 4e-3)]
    worst = ridge.identify_bottleneck(rows, bytes_per_s=1e10, flops_per_s=1e12)
    case("the top three", ([one.name for one in worst] == ["b", "d", "c"], worst), (math.isclose(worst[0].percent, 400 / 11), worst[0]))
    case("what they reach", ((worst[0].bound, worst[1].bound, worst[2].bound) == ("compute", None, "memory"), worst), (math.isclose(worst[0].compute_share, 0.25), worst[0]))
    refused("no row", ridge.UsageError, "there is no row", ridge.identify_bottleneck, {})
    refused("a time that is none", ridge.UsageError, "is not above 0", ridge.identify_bottleneck, {"a": -1.0})
    moved = ridge.measure_bandwidth(bytes, (bytearray(1 << 20),), bytes_moved=2 << 20, iterations=5)
    case("bandwidth of a function", (moved.bytes_per_s == (2 << 20) / moved.time.median_s, moved))
    here = ridge.measure_bandwidth(seconds=0.2)
    case("bandwidth of the machine", (here.bytes_per_s > 1e8 and here.peak_flops_per_s > 1e8, here))


def predictions():
    """q4_K: 144 bytes for 256 weights; fp32 and bf16: 2 m n k"""
    gemv = ridge.predict_gemv(4096, 4096, "l4", weights="q4_K")
    case("gemv", (gemv.flops == 2 * 4096 * 4096 and gemv.bytes.operands["W"] == 4096 * 4096 // 256 * 144 and gemv.bound == "memory", gemv))
    gemm = ridge.predict_gemm(128, 256, 512, "l4")
    case("gemm", (gemm.flops == 2 * 128 * 256 * 512 and gemm.time_s > 0, gemm))
    attention = ridge.predict_attention(2, 64, 4, 32, "l4", causal=True)
    case("attention", (attention.flops_by_class.attention == 4 * 2 * 4 * 32 * (64 * 65 // 2), attention.flops_by_class))
    refused("no such machine", ridge.ModelError, "unknown machine 'nothing'", ridge.predict_gemv, 2, 2, "nothing")


def attention_reference(q, k, v, causal):
    """Vaswani 2017, eq. 1, in double precision; the queries stand at the end of the keys"""
    heads, seq, keys = q.shape[1], q.shape[2], k.shape[2]
    k, v = numpy.repeat(k, heads // k.shape[1], 1), numpy.repeat(v, heads // v.shape[1], 1)
    scores = q.astype("f8") @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[3])
    if causal:
        scores[..., numpy.arange(keys)[None] > numpy.arange(seq)[:, None] + keys - seq] = -numpy.inf
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def by_tokens(q):
    """The same array, in memory as [batch, seq, heads, head_dim]"""
    return numpy.ascontiguousarray(q.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)


def arrays():
    draw = numpy.random.default_rng(0).standard_normal
    for batch, heads, kv_heads, seq, keys, dim in [(2, 4, 4, 5, 8, 16), (1, 4, 2, 7, 7, 32), (2, 6, 2, 1, 9, 16), (1, 1, 1, 3, 3, 8)]:
        q, k, v = (draw((batch, n, length, dim), dtype="f4") for n, length in ((heads, seq), (kv_heads, keys), (kv_heads, keys)))
        problems = []
        for causal in (False, True):
            wanted = attention_reference(q, k, v, causal)
            for level in (0, "blocked", 2, 3):
                for given in (q, by_tokens(q)):
                    found = ridge.optimize_attention(given, k, v, level, causal=causal)
                    problems.append((abs(found - wanted).max() < 1e-5 and found.strides == numpy.empty_like(given).strides, f"level {level}"))
                    if torch:
                        found = ridge.optimize_attention(*map(torch.from_numpy, (given, k, v)), level, causal=causal).numpy()
                        problems.append((abs(found - wanted).max() < 1e-5, f"level {level}, torch"))
        case(f"attention of {heads} heads, {kv_heads} of keys, {seq} of {keys} tokens", *problems)
    out = numpy.full_like(q, numpy.nan)
    case("out=", (ridge.optimize_attention(q, k, v, out=out) is out and numpy.isfinite(out).all(), out))


def refused_arrays():
    q = numpy.zeros((1, 4, 3, 16), "f4")
    refuse = [
        ("a list", "want an array of NumPy or a tensor of PyTorch, not list", ([1], q, q)),
        ("another dtype", "Q is float64, not float32: Q.astype(numpy.float32)", (q.astype("f8"), q, q)),
        ("three axes", "not [batch, heads, seq, head_dim]", (q[0], q, q)),
        ("keys with gaps", "K does not lie in memory", (q, numpy.zeros((1, 4, 3, 32), "f4")[..., ::2], q)),
        ("queries with gaps", "Q lies in memory neither", (numpy.zeros((1, 4, 3, 32), "f4")[..., ::2], q, q)),
        ("fewer keys than queries", "has 2 keys for 3 queries", (q, q[:, :, :2].copy(), q[:, :, :2].copy())),
        ("heads that do not divide", "has 3 heads, which do not divide Q's 4", (q, q[:, :3].copy(), q[:, :3].copy())),
        ("values of another shape", "V has shape", (q, q, numpy.zeros((1, 4, 5, 16), "f4"))),
        ("nothing", "has shape (1, 0, 3, 16)", (q[:, :0], q, q)),
    ]
    for name, words, given in refuse:
        refused(name, ridge.OptionError, words, ridge.optimize_attention, *given)
    refused("the result over an input", ridge.OptionError, "out overlaps Q", ridge.optimize_attention, q, q.copy(), q.copy(), out=q)
    refused("a level that there is not", ridge.UsageError, "level 4: 0 naive", ridge.optimize_attention, q, q, q, 4)
    refused("a level's name that there is not", ridge.UsageError, "want 0 to 3, or naive, blocked, fused, flash", ridge.optimize_attention, q, q, q, "fast")
    if torch:
        wants = torch.zeros(1, 4, 3, 16, requires_grad=True)
        refused("a gradient", ridge.OptionError, "Q wants a gradient", ridge.optimize_attention, wants, wants, wants)
        refused("no values", ridge.OptionError, "Q is on meta, not on the cpu", ridge.optimize_attention, *[wants.to("meta")] * 3)


def profile():
    found = ridge.profile_attention_components(32, 64, 4, seconds=0.2)
    names = ["qkv_projection", "scores", "softmax", "weighted_sum", "output_projection"]
    case("parts of attention", ([one.name for one in found.components] == names, found), (math.isclose(sum(one.time_s for one in found.components), found.total_s), found))
    refused("heads that do not divide", ridge.UsageError, "is not a multiple of num_heads", ridge.profile_attention_components, 32, 64, 5)
    refused("a format that there is not", ridge.UsageError, "did you mean 'bf16'", ridge.profile_attention_components, 32, 64, 4, format="bf17")


def by_hand(function, arguments, samples=101):
    """The median of a loop; calls during which the thread had its core for less than 97 % of the time do not count, as in docs/measuring.md."""
    times = []
    for _ in range(samples):
        cpu, start = time.thread_time(), time.perf_counter()
        function(*arguments)
        took, used = time.perf_counter() - start, time.thread_time() - cpu
        if used >= 0.97 * took:
            times.append(took)
    return sorted(times)[len(times) // 2]


def timed():
    """The median by hand lies in the interval of benchmark_function, or within 10 % of its median: a virtual machine's pace changes between the two,
    and asking for the thread's time costs some 10 us a call."""
    work = numpy.random.default_rng(0).standard_normal((256, 256))
    for name, function, arguments in (("numpy", numpy.sort, (work,)), ("python", sum, (range(20000),))):
        found = ridge.benchmark_function(function, arguments, warmup=5, iterations=101)
        median = by_hand(function, arguments)
        low, high = min(found.low_s, found.median_s * 0.9), max(found.high_s, found.median_s * 1.1)
        case(f"{name}: {median:.3e} s by hand, {found.median_s:.3e} s in {low:.3e} .. {high:.3e}", (low <= median <= high, "outside"))


if "--timed" in sys.argv:
    timed()
else:
    for part in (benchmark, memory, ceilings, predictions, profile):
        part()
    if numpy:
        arrays()
        refused_arrays()
    else:
        TAP.case("attention on arrays", skip="no NumPy")
sys.exit(TAP.end())
