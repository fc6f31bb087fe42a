"""Attention on this machine: its parts timed, and one kernel at four levels on arrays of NumPy and PyTorch.

In: shapes, or arrays [batch, heads, seq, head_dim] of fp32 in main memory. Out: an AttentionProfile; an array like Q.
Arrays are used where they lie: nothing is copied here, and what is not as wanted is refused, with what would make it so.
"""

from __future__ import annotations

import sys
from ctypes import byref, c_void_p
from dataclasses import dataclass
from math import prod

from ridge import _errors
from ridge import _library as lib
from ridge._counter import flag, whole
from ridge._measure import _bound, _known

LEVELS = ("naive", "blocked", "fused", "flash")

# ---- its parts, timed ----


@dataclass(frozen=True)
class AttentionPart:
    """A part of attention: seconds, percent of all, seconds by the roofline of this machine's measured ceilings, what of these it reaches in percent.

    bound: "memory" or "compute", of which the larger share is reached; None is not known
    Source: ridge_attention_component of include/ridge_measure.h.
    """

    name: str
    time_s: float
    percent: float
    predicted_s: float | None
    percent_of_ceiling: float | None
    bound: str | None


@dataclass(frozen=True)
class AttentionProfile:
    """Where the time of attention goes: components (a list of AttentionPart: qkv_projection, scores, softmax, weighted_sum, output_projection), the
    sum of their seconds, the name of the slowest, and what would help. Source: ridge_attention_profile of include/ridge_measure.h."""

    components: list[AttentionPart]
    total_s: float
    bottleneck: str
    recommendation: str


def profile_attention_components(seq_len: int, d_model: int, num_heads: int, *, batch: int = 1, past: int = 0, kv_heads: int | None = None,
                                 head_dim: int | None = None, format: str = "fp32", threads: int = 1, seconds: float = 8.0) -> AttentionProfile:
    """Runs attention over [batch, seq_len, d_model] with random weights on this machine, part by part, in about `seconds`: an AttentionProfile.

    head_dim: d_model / num_heads; kv_heads: num_heads; past: tokens already in the cache; format: that of the weights ("bf16", "q4_K", ...).
    Errors: UsageError on sizes, formats, and heads that do not divide d_model; ModelError where it cannot be run.
    Source: ridge_profile_attention of include/ridge_measure.h; docs/profile.md.
    """
    seq_len, d_model, heads = whole("seq_len", seq_len), whole("d_model", d_model), whole("num_heads", num_heads)
    if head_dim is None and d_model % heads:
        raise _errors.UsageError(f"d_model: {d_model} is not a multiple of num_heads, {heads}: give head_dim")
    shape = lib.AttentionShape(batch=whole("batch", batch), seq=seq_len, past=whole("past", past, 0), heads=heads,
                               kv_heads=heads if kv_heads is None else whole("kv_heads", kv_heads),
                               head_dim=d_model // heads if head_dim is None else whole("head_dim", head_dim), hidden=d_model,
                               threads=_threads(threads))
    if not isinstance(seconds, (int, float)) or not 0 < seconds < 86400:
        raise _errors.UsageError(f"seconds: {seconds!r} is not between 0 and 86400")
    out = lib.AttentionProfile()
    lib.message_call(lib.library().ridge_profile_attention, byref(out), byref(shape), lib.text(format, "format"), float(seconds))
    parts = [AttentionPart(lib.told(c.name), c.time_s, c.percent, _known(c.predicted_s), _known(c.percent_of_ceiling), _bound(c.memory_bound))
             for c in out.components]
    return AttentionProfile(parts, out.total_s, lib.told(out.bottleneck), lib.told(out.recommendation))


def _threads(threads):
    threads = whole("threads", threads)
    if threads > 1024:
        raise _errors.UsageError(f"threads: {threads} is above 1024")
    return threads


# ---- arrays ----


class _Array:
    """An array of NumPy or PyTorch as the library sees it: address, shape, strides in elements."""

    def __init__(self, name, value):
        self.name, self.value = name, value
        torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
        if torch is not None and isinstance(value, torch.Tensor):
            self.kind = torch
            self._tensor(torch)
            self.strides, self.address = value.stride(), value.data_ptr
        elif numpy is not None and isinstance(value, numpy.ndarray):
            self.kind = numpy
            self._want(value.dtype == numpy.float32 and value.dtype.isnative, f"is {value.dtype}, not float32: {name}.astype(numpy.float32)")
            self.strides = tuple(n // 4 if n % 4 == 0 else -1 for n in value.strides)
            self.address = lambda: value.ctypes.data
        else:
            raise _errors.OptionError(f"{name}: want an array of NumPy or a tensor of PyTorch, not {type(value).__name__}")
        self.shape = tuple(value.shape)
        self._want(len(self.shape) == 4 and all(self.shape), f"has shape {self.shape}, not [batch, heads, seq, head_dim]")
        self._want(self.address() % 4 == 0, "is not aligned to 4 bytes")

    def _want(self, condition, otherwise):
        if not condition:
            raise _errors.OptionError(f"{self.name} {otherwise}")

    def _tensor(self, torch):
        name, value = self.name, self.value
        self._want(value.device.type == "cpu", f"is on {value.device}, not on the cpu: {name}.cpu()")
        self._want(value.layout == torch.strided, f"is {value.layout}, not strided")
        self._want(value.dtype == torch.float32, f"is {value.dtype}, not float32: {name}.float()")
        self._want(not (value.requires_grad and torch.is_grad_enabled()), f"wants a gradient, and none goes through here: torch.no_grad(), or {name}.detach()")
        conjugate = getattr(value, "is_neg", None)
        self._want(not (conjugate and conjugate()), f"is a negated view: {name}.resolve_neg()")

    def lies(self, order):
        """Does memory hold the axes in this order, without gaps? An axis of one element may have any stride."""
        wanted = 1
        for axis in reversed(order):
            if self.shape[axis] != 1 and self.strides[axis] != wanted:
                return False
            wanted *= self.shape[axis]
        return True

    def like(self):
        """An empty array of the same shape, in the same order of memory."""
        return _Array("out", self.kind.empty_like(self.value.detach() if hasattr(self.value, "detach") else self.value))

    def span(self):
        """(first byte, byte after the last)"""
        return self.address(), self.address() + 4 * prod(self.shape)


BY_HEADS, BY_TOKENS = (0, 1, 2, 3), (0, 2, 1, 3)  # memory is [batch, heads, seq, head_dim], or [batch, seq, heads, head_dim] seen through transpose(1, 2)


def _check(q, k, v, out):
    for one in (k, v):
        one._want(one.shape[0] == q.shape[0] and one.shape[3] == q.shape[3], f"has shape {one.shape}: batch and head_dim are not those of Q, {q.shape}")
        one._want(one.lies(BY_HEADS), f"does not lie in memory as [batch, heads, seq, head_dim]: {one.name}.contiguous(), numpy.ascontiguousarray({one.name})")
    v._want(v.shape == k.shape, f"has shape {v.shape}, K {k.shape}")
    k._want(q.shape[1] % k.shape[1] == 0, f"has {k.shape[1]} heads, which do not divide Q's {q.shape[1]}")
    k._want(k.shape[2] >= q.shape[2], f"has {k.shape[2]} keys for {q.shape[2]} queries: the queries stand at the end of the keys")
    order = BY_TOKENS if q.lies(BY_TOKENS) else BY_HEADS
    q._want(q.lies(order), "lies in memory neither as [batch, heads, seq, head_dim] nor as [batch, seq, heads, head_dim]: Q.contiguous(), numpy.ascontiguousarray(Q)")
    out._want(out.shape == q.shape and out.lies(order), f"has shape {out.shape}, or does not lie in memory as Q does")
    for one in (q, k, v):
        out._want(out.span()[1] <= one.span()[0] or one.span()[1] <= out.span()[0], f"overlaps {one.name}")
    if hasattr(out.value, "flags"):
        out._want(out.value.flags.writeable, "is read-only")
    return order


def _run(arrays, shape, level, offsets=(0, 0, 0, 0)):
    places = [c_void_p(one.address() + 4 * offset) for one, offset in zip(arrays, offsets)]
    lib.message_call(lib.library().ridge_optimize_attention, *places, byref(shape), level)


def _by_heads(arrays, shape, level):
    """Queries that lie head by head: each head is attention of one head, with the keys of its group."""
    batch, heads, seq, dim = arrays[0].shape
    kv_heads, keys = arrays[1].shape[1:3]
    if heads == kv_heads:  # all of them are one batch
        shape.batch, shape.heads, shape.kv_heads = batch * heads, 1, 1
        _run(arrays, shape, level)
        return
    shape.batch = shape.heads = shape.kv_heads = 1
    for b in range(batch):
        for h in range(heads):
            at, from_ = (b * heads + h) * seq * dim, (b * kv_heads + h // (heads // kv_heads)) * keys * dim
            _run(arrays, shape, level, (at, from_, from_, at))


def _level(level):
    if isinstance(level, str):
        if level not in LEVELS:
            raise _errors.UsageError(f"level '{level}': want 0 to 3, or {', '.join(LEVELS)}")
        return LEVELS.index(level)
    level = whole("level", level, least=0)
    if level >= len(LEVELS):
        raise _errors.UsageError(f"level {level}: 0 naive, 1 blocked, 2 fused, 3 flash")
    return level


def optimize_attention(Q, K, V, level: int | str = 3, *, causal: bool = False, out=None, threads: int = 1):
    """softmax(Q K^T / sqrt(head_dim)) V by one kernel of Ridge, on arrays of NumPy or tensors of PyTorch where they lie; answers an array like Q.

    Q: float32 [batch, heads, seq, head_dim], in memory in that order or as [batch, seq, heads, head_dim] (what transpose(1, 2) of it shows)
    K, V: float32 [batch, kv_heads, keys, head_dim], contiguous; kv_heads divides heads; the queries stand at the end of the keys
    level: 0 naive (the scores in memory), 1 blocked, 2 fused (online softmax), 3 flash (tiles); or the name
    causal: keys after a query are masked; out: where to write the result, of Q's shape and order of memory; threads: of the kernel
    No array is copied in Python; the kernels themselves copy one that is not 64-byte aligned.

    Errors: OptionError where an array is of another type, dtype, shape or order, on a GPU, or wants a gradient; UsageError on a level.
    Source: Vaswani et al. 2017, eq. 1; ridge_optimize_attention of include/ridge_measure.h; docs/profile.md.
    """
    number = _level(level)
    q, k, v = _Array("Q", Q), _Array("K", K), _Array("V", V)
    result = q.like() if out is None else _Array("out", out)
    order = _check(q, k, v, result)
    shape = lib.AttentionShape(batch=q.shape[0], seq=q.shape[2], past=k.shape[2] - q.shape[2], heads=q.shape[1], kv_heads=k.shape[1],
                               head_dim=q.shape[3], causal=flag("causal", causal), threads=_threads(threads))
    if order == BY_TOKENS:
        _run((q, k, v, result), shape, number)
    else:
        _by_heads((q, k, v, result), shape, number)
    return result.value
