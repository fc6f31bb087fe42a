"""FLOPs of layers whose shapes are known, one by one or added up.

In: shapes. Out: exact integers by class, as include/ridge_counter.h has them. The conventions stand in docs/layer-counters.md, the
formulas in catalog/ridge/profile_ops.json; nothing is counted here.
Fails with UsageError on a shape that is not positive, OptionError on a wrong type, ModelError beyond 128 bits.
"""

from __future__ import annotations

import ctypes
import json
import operator
import os
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_uint64, c_void_p
from dataclasses import dataclass, field, fields

from ridge import _errors
from ridge import _library as lib

CLASSES = ("matmul", "attention", "activation", "embedding", "other", "dequantisation")

_COUNTER_ADD = {
    "matmul": (c_uint64,) * 3 + (c_int,),
    "attention": (c_uint64,) * 4 + (c_int,),
    "ffn": (c_uint64,) * 4 + (c_int,) * 2,
    "layernorm": (c_uint64,) * 3,
    "embedding": (c_uint64,) * 3,
    "transformer_layer": (POINTER(lib.LayerShape),),
}


def _functions():
    """The library, with the functions that only this module calls described to ctypes."""
    loaded = lib.library()
    if not hasattr(loaded, "_counter_described"):
        for kind, takes in _COUNTER_ADD.items():
            function = getattr(loaded, f"ridge_counter_add_{kind}_with")
            function.restype = c_int
            function.argtypes = (c_void_p, c_char_p, *takes, c_char_p, c_void_p, ctypes.c_size_t)
        loaded.ridge_flops_overhead_percent.restype = c_double
        loaded.ridge_flops_overhead_percent.argtypes = (POINTER(lib.Flops),)
        loaded._counter_described = True
    return loaded


# ---- what callers give ----


def whole(name, value, least=1):
    """A size as the library takes it: an integer of 64 bits, `least` or more."""
    if isinstance(value, bool):
        raise _errors.OptionError(f"{name}: {value} is no whole number")
    try:
        value = operator.index(value)
    except TypeError:
        raise _errors.OptionError(f"{name}: {value!r} is no whole number") from None
    if not least <= value < 1 << 64:
        raise _errors.UsageError(f"{name}: {value} is not between {least} and 2^64 - 1")
    return value


def flag(name, value):
    """True or False (or 0, 1) as the library takes it."""
    if value not in (0, 1) or not hasattr(value, "__index__"):
        raise _errors.OptionError(f"{name}: {value!r} is neither True nor False")
    return int(value)


def _name(value):
    if not isinstance(value, str):
        raise _errors.OptionError(f"a layer's name is a text, not {type(value).__name__}")
    return lib.text(value, "a layer's name")


def _metadata(value):
    """A dict as the library takes it; None: none."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _errors.OptionError(f"metadata is a dict, not {type(value).__name__}")
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise _errors.OptionError(f"metadata is what JSON can hold: {error}") from None


# ---- results ----


@dataclass(frozen=True)
class LayerFLOPs:
    """The FLOPs of one layer, in classes that add up to `total_flops`; all are exact integers (1 add or multiply = 1).

    name, kind: as it was added ("matmul", "attention", "ffn", "layernorm", "embedding", "layer", "custom")
    matmul, attention, activation, embedding, other: FLOPs by class
    dequantisation: what unpacking quantised weights adds
    metadata: the layer's shape, and what the caller gave
    index, percent: its place in its counter, and its share of the counter's total when it was read; 0, 100 outside of one

    Source: ridge_flops and ridge_layer of include/ridge_counter.h.
    """

    name: str
    kind: str
    total_flops: int
    matmul: int = 0
    attention: int = 0
    activation: int = 0
    embedding: int = 0
    other: int = 0
    dequantisation: int = 0
    metadata: dict = field(default_factory=dict)
    index: int = 0
    percent: float = 100.0

    @property
    def flops(self) -> int:
        """The same as total_flops."""
        return self.total_flops

    @property
    def gflops(self) -> float:
        """Total in 10^9 FLOPs (not per second)."""
        return self.total_flops / 10**9

    @property
    def tflops(self) -> float:
        """Total in 10^12 FLOPs (not per second)."""
        return self.total_flops / 10**12

    @property
    def quantization_overhead_percent(self) -> float:
        """What unpacking quantised weights adds, in percent of the total without it."""
        return _overhead(self)


def _overhead(flops):
    of = lib.Flops(total=lib.Count.of(flops.total_flops), dequantisation=lib.Count.of(flops.dequantisation))
    return _functions().ridge_flops_overhead_percent(byref(of))


class _Parts:
    """What is made of parts: the whole and each part are LayerFLOPs."""

    total: LayerFLOPs

    @property
    def total_flops(self) -> int:
        """FLOPs of the whole, an exact integer."""
        return self.total.total_flops

    @property
    def gflops(self) -> float:
        """The whole in 10^9 FLOPs."""
        return self.total.gflops

    @property
    def tflops(self) -> float:
        """The whole in 10^12 FLOPs."""
        return self.total.tflops

    @property
    def quantization_overhead_percent(self) -> float:
        """What unpacking quantised weights adds to the whole, in percent of it without."""
        return self.total.quantization_overhead_percent


@dataclass(frozen=True)
class TransformerLayerFLOPs(_Parts):
    """The FLOPs of a transformer layer and of its parts, each a LayerFLOPs; `layernorm` is both norms.

    A layer here is attention + FFN + 2 norms, without the projections to Q, K, V and O. Source: ridge_layer_flops; docs/layer-counters.md.
    """

    total: LayerFLOPs
    attention: LayerFLOPs
    ffn: LayerFLOPs
    layernorm: LayerFLOPs


@dataclass(frozen=True)
class ModelFLOPs(_Parts):
    """The FLOPs of a model and of its parts, each a LayerFLOPs: embedding, all layers together, lm_head on every position.

    Source: ridge_model_flops of include/ridge_counter.h; docs/layer-counters.md.
    """

    total: LayerFLOPs
    embedding: LayerFLOPs
    layers: LayerFLOPs
    lm_head: LayerFLOPs


def _of(flops, name, kind, **more):
    counts = {one: int(getattr(flops, one)) for one in CLASSES}
    return LayerFLOPs(name, kind, int(flops.total), **counts, **more)


# ---- one layer ----


def _profile(kind, shape, *arguments):
    flops = lib.Flops()
    lib.message_call(getattr(_functions(), f"ridge_op_{kind}"), byref(flops), *arguments)
    return _of(flops, kind, kind, metadata=shape)


def _shape(names, values):
    """The sizes and flags by name, checked: flags are those that are not counted."""
    return {name: flag(name, value) if name in ("causal", "gated", "quantized") else whole(name, value) for name, value in zip(names, values)}


def _matmul(m, n, k, quantized):
    return _shape(("m", "n", "k", "quantized"), (m, n, k, quantized))


def _attention(batch, seq_len, heads, head_dim, causal):
    return _shape(("batch", "seq_len", "heads", "head_dim", "causal"), (batch, seq_len, heads, head_dim, causal))


def _ffn(batch, seq_len, hidden, intermediate, gated, quantized):
    return _shape(("batch", "seq_len", "hidden", "intermediate", "gated", "quantized"), (batch, seq_len, hidden, intermediate, gated, quantized))


def _rows(batch, seq_len, hidden):
    return _shape(("batch", "seq_len", "hidden"), (batch, seq_len, hidden))


def _layer(batch, seq_len, hidden, heads, intermediate, head_dim, causal, gated, quantized):
    shape = _shape(("batch", "seq_len", "hidden", "heads", "intermediate", "causal", "gated", "quantized"),
                   (batch, seq_len, hidden, heads, intermediate, causal, gated, quantized))
    shape["head_dim"] = 0 if head_dim is None else whole("head_dim", head_dim)
    flags = {"causal": shape["causal"], "gated": shape["gated"], "quantised": shape["quantized"]}
    sizes = {name: shape[name] for name in ("batch", "seq_len", "hidden", "heads", "head_dim", "intermediate")}
    return shape, lib.LayerShape(**sizes, **flags)


def profile_matmul_flops(m: int, n: int, k: int, quantized: bool = False) -> LayerFLOPs:
    """FLOPs of C[m, n] = A[m, k] B[k, n]: 2 m n k, and as many again for unpacking `quantized` weights. Answers a LayerFLOPs.

    m, n, k: whole numbers of at least 1. Errors: UsageError, OptionError; ModelError beyond 128 bits.
    Source: docs/layer-counters.md.
    """
    shape = _matmul(m, n, k, quantized)
    return _profile("matmul", shape, *shape.values())


def profile_attention_flops(batch: int, seq_len: int, heads: int, head_dim: int, causal: bool = False) -> LayerFLOPs:
    """FLOPs of attention over [batch, heads, seq_len, head_dim], without projections: two products, 4 batch heads seq_len^2 head_dim, and 5 per
    score for the softmax; each halved (rounded down) when `causal`. Answers a LayerFLOPs.

    Errors: UsageError, OptionError; ModelError beyond 128 bits. Source: docs/layer-counters.md.
    """
    shape = _attention(batch, seq_len, heads, head_dim, causal)
    return _profile("attention", shape, *shape.values())


def profile_ffn_flops(batch: int, seq_len: int, hidden: int, intermediate: int, gated: bool = False, quantized: bool = False) -> LayerFLOPs:
    """FLOPs of a feed-forward block on [batch, seq_len, hidden]: products up and down, 2 batch seq_len hidden intermediate each, 8 per
    activation; `gated`: one more product, and 1 per gate product. `quantized` counts the products once more. Answers a LayerFLOPs.

    Errors: UsageError, OptionError; ModelError beyond 128 bits. Source: docs/layer-counters.md.
    """
    shape = _ffn(batch, seq_len, hidden, intermediate, gated, quantized)
    return _profile("ffn", shape, *shape.values())


def profile_layernorm_flops(batch: int, seq_len: int, hidden: int) -> LayerFLOPs:
    """FLOPs of a layer norm on [batch, seq_len, hidden]: 5 per element. Answers a LayerFLOPs.

    Errors: UsageError, OptionError; ModelError beyond 128 bits. Source: docs/layer-counters.md.
    """
    shape = _rows(batch, seq_len, hidden)
    return _profile("layernorm", shape, *shape.values())


def profile_embedding_flops(batch: int, seq_len: int, hidden: int) -> LayerFLOPs:
    """FLOPs of looking up [batch, seq_len] rows of `hidden` elements: 1 per element, an accounting unit (a lookup does no arithmetic).
    Answers a LayerFLOPs.

    Errors: UsageError, OptionError; ModelError beyond 128 bits. Source: docs/layer-counters.md.
    """
    shape = _rows(batch, seq_len, hidden)
    return _profile("embedding", shape, *shape.values())


def _parts(kind, struct, made, shape, *arguments):
    out = struct()
    lib.message_call(getattr(_functions(), f"ridge_op_{kind}"), byref(out), *arguments)
    parts = {f.name: _of(getattr(out, f.name), f.name, f.name) for f in fields(made) if f.name != "total"}
    return made(total=_of(out.total, kind, kind, metadata=shape), **parts)


def profile_transformer_layer_flops(batch: int, seq_len: int, hidden: int, heads: int, intermediate: int, head_dim: int | None = None,
                                    causal: bool = False, gated: bool = False, quantized: bool = False) -> TransformerLayerFLOPs:
    """FLOPs of a transformer layer on [batch, seq_len, hidden]: attention + FFN + 2 norms, without the projections to Q, K, V and O.
    head_dim: hidden / heads where it is not given. Answers a TransformerLayerFLOPs.

    Errors: UsageError (also where heads do not divide hidden), OptionError; ModelError beyond 128 bits. Source: docs/layer-counters.md.
    """
    shape, struct = _layer(batch, seq_len, hidden, heads, intermediate, head_dim, causal, gated, quantized)
    return _parts("transformer_layer", lib.LayerFlops, TransformerLayerFLOPs, shape, byref(struct))


def profile_model_flops(layers: int, vocab: int, batch: int, seq_len: int, hidden: int, heads: int, intermediate: int, head_dim: int | None = None,
                        causal: bool = False, gated: bool = False, quantized: bool = False) -> ModelFLOPs:
    """FLOPs of a model of such layers (profile_transformer_layer_flops): embedding + layers + lm_head on every position over `vocab` rows.
    Answers a ModelFLOPs. A model with a config is counted exactly, projections included, by ridge.cost.

    Errors: UsageError, OptionError; ModelError beyond 128 bits. Source: docs/layer-counters.md.
    """
    shape, struct = _layer(batch, seq_len, hidden, heads, intermediate, head_dim, causal, gated, quantized)
    shape.update(layers=whole("layers", layers), vocab=whole("vocab", vocab))
    return _parts("model", lib.ModelFlops, ModelFLOPs, shape, byref(struct), shape["layers"], shape["vocab"])


# ---- the counter ----


class FLOPsCounter:
    """Adds up layers whose shapes are known. Names need not be unique; a layer that fails to count is not added.

        >>> counter = FLOPsCounter()
        >>> counter.add_matmul("lm_head", 2048, 32000, 4096, metadata={"stage": 1})
        >>> counter.total_flops
        536870912000

    metadata of every add function: a dict of what JSON can hold, kept behind the layer's shape; a name of the shape's is refused.
    Errors: UsageError on a shape that is not positive, OptionError on a wrong type, ModelError beyond 128 bits.
    May be used by several threads. Source: include/ridge_counter.h; conventions: docs/layer-counters.md.
    """

    def __init__(self):
        self._lib, self._lock, self._pid, self._at = _functions(), threading.Lock(), os.getpid(), None
        at = c_void_p()
        lib.message_call(self._lib.ridge_counter_new, byref(at))
        self._at = at

    def __del__(self):
        at, self._at = getattr(self, "_at", None), None
        if at and self._pid == os.getpid():
            self._lib.ridge_counter_free(at)

    def _call(self, name, *arguments):
        with self._lock:
            lib.message_call(getattr(self._lib, name), *arguments)

    def _add(self, kind, name, shape, metadata):
        self._call(f"ridge_counter_add_{kind}_with", self._at, _name(name), *shape, _metadata(metadata))

    def add_matmul(self, name: str, m: int, n: int, k: int, quantized: bool = False, metadata: dict | None = None) -> None:
        """Adds a product C[m, n] = A[m, k] B[k, n], as profile_matmul_flops counts it."""
        self._add("matmul", name, _matmul(m, n, k, quantized).values(), metadata)

    def add_attention(self, name: str, batch: int, seq_len: int, heads: int, head_dim: int, causal: bool = False,
                      metadata: dict | None = None) -> None:
        """Adds attention over [batch, heads, seq_len, head_dim], as profile_attention_flops counts it."""
        self._add("attention", name, _attention(batch, seq_len, heads, head_dim, causal).values(), metadata)

    def add_ffn(self, name: str, batch: int, seq_len: int, hidden: int, intermediate: int, gated: bool = False, quantized: bool = False,
                metadata: dict | None = None) -> None:
        """Adds a feed-forward block on [batch, seq_len, hidden], as profile_ffn_flops counts it."""
        self._add("ffn", name, _ffn(batch, seq_len, hidden, intermediate, gated, quantized).values(), metadata)

    def add_layernorm(self, name: str, batch: int, seq_len: int, hidden: int, metadata: dict | None = None) -> None:
        """Adds a layer norm on [batch, seq_len, hidden], as profile_layernorm_flops counts it."""
        self._add("layernorm", name, _rows(batch, seq_len, hidden).values(), metadata)

    def add_embedding(self, name: str, batch: int, seq_len: int, hidden: int, metadata: dict | None = None) -> None:
        """Adds a lookup of [batch, seq_len] rows of `hidden` elements, as profile_embedding_flops counts it."""
        self._add("embedding", name, _rows(batch, seq_len, hidden).values(), metadata)

    def add_transformer_layer(self, name: str, batch: int, seq_len: int, hidden: int, heads: int, intermediate: int, head_dim: int | None = None,
                              causal: bool = False, gated: bool = False, quantized: bool = False, metadata: dict | None = None) -> None:
        """Adds a transformer layer on [batch, seq_len, hidden] as one record, as profile_transformer_layer_flops counts it; its
        metadata holds the FLOPs of attention, ffn and layernorm."""
        _, struct = _layer(batch, seq_len, hidden, heads, intermediate, head_dim, causal, gated, quantized)
        self._add("transformer_layer", name, (byref(struct),), metadata)

    def add_layer(self, name: str, flops=None, *, matmul: int = 0, attention: int = 0, activation: int = 0, embedding: int = 0, other: int = 0,
                  dequantisation: int = 0, metadata: dict | None = None) -> None:
        """Adds FLOPs that were counted elsewhere: by class, or `flops`, a LayerFLOPs or what is made of such (its classes and, without
        metadata of yours, its metadata are taken) or a whole number, which counts in class other. None may be negative."""
        counts = dict(zip(CLASSES, (matmul, attention, activation, embedding, other, dequantisation)))
        flops = getattr(flops, "total", flops)
        if isinstance(flops, LayerFLOPs):
            counts = {one: counts[one] + getattr(flops, one) for one in CLASSES}
            metadata = flops.metadata if metadata is None else metadata
        elif flops is not None:
            counts["other"] += _whole(flops)
        own = lib.Flops(**{one: _count(one, count) for one, count in counts.items()})
        self._call("ridge_counter_add_layer", self._at, _name(name), byref(own), _metadata(metadata))

    @property
    def layers(self) -> list[LayerFLOPs]:
        """All layers in the order in which they were added, a list of LayerFLOPs."""
        with self._lock:
            count = self._lib.ridge_counter_layer_count(self._at)
            rows = (lib.Layer * count)()
            self._lib.ridge_counter_layers(rows, count, None, self._at)
            return [_layer_of(row) for row in rows]

    def get_layer(self, name: str) -> LayerFLOPs:
        """The first layer of this name, a LayerFLOPs; ModelError where there is none."""
        row = lib.Layer()
        with self._lock:
            lib.message_call(self._lib.ridge_counter_get_layer, byref(row), self._at, _name(name))
            return _layer_of(row)

    def top(self, top_n: int = 3) -> list[LayerFLOPs]:
        """The top_n (0: all) most expensive layers, most expensive first, a list of LayerFLOPs."""
        top_n = whole("top_n", top_n, least=0)
        with self._lock:
            most, count = self._lib.ridge_counter_layer_count(self._at), c_uint64()
            rows = (lib.Layer * most)()
            lib.message_call(self._lib.ridge_counter_top, rows, most, byref(count), self._at, top_n)
            return [_layer_of(row) for row in rows[:count.value]]

    @property
    def total(self) -> LayerFLOPs:
        """All layers together by class, a LayerFLOPs named "total"."""
        flops = lib.Flops()
        with self._lock:
            self._lib.ridge_counter_total(byref(flops), self._at)
        return _of(flops, "total", "total")

    @property
    def total_flops(self) -> int:
        """FLOPs of all layers, an exact integer."""
        return self.total.total_flops

    @property
    def total_gflops(self) -> float:
        """FLOPs of all layers in 10^9 (not per second)."""
        return self.total.gflops

    @property
    def total_tflops(self) -> float:
        """FLOPs of all layers in 10^12 (not per second)."""
        return self.total.tflops

    gflops = total_gflops
    tflops = total_tflops

    @property
    def quantization_overhead_percent(self) -> float:
        """What unpacking quantised weights adds, in percent of the total without it."""
        return self.total.quantization_overhead_percent

    def summary(self, top_n: int = 0) -> str:
        """A table of the top_n (0: all) most expensive layers with their share of all FLOPs, as text."""
        top_n, length = whole("top_n", top_n, least=0), ctypes.c_size_t()
        with self._lock:
            lib.message_call(self._lib.ridge_counter_summary, None, 0, byref(length), self._at, top_n)
            text = ctypes.create_string_buffer(length.value + 1)
            lib.message_call(self._lib.ridge_counter_summary, text, len(text), None, self._at, top_n)
        return lib.told(text.value)

    def print_summary(self, top_n: int = 0) -> None:
        """Prints summary(top_n)."""
        print(self.summary(top_n), end="")

    def clear(self) -> None:
        """Forgets all layers; the counter is as new."""
        with self._lock:
            self._lib.ridge_counter_clear(self._at)

    def __len__(self):
        return self._lib.ridge_counter_layer_count(self._at)

    def __iter__(self):
        return iter(self.layers)

    def __repr__(self):
        return f"<FLOPsCounter of {len(self)} layers, {self.total_flops:,} FLOPs>"


def _whole(value):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _errors.OptionError(f"FLOPs: {value!r} is no whole number")
    return value.__index__()


def _count(name, value):
    try:
        return lib.Count.of(_whole(value))
    except OverflowError as error:
        raise _errors.UsageError(f"{name}: {error}") from None


def _layer_of(row):
    return _of(row.flops, lib.told(row.name), lib.told(row.kind), metadata=json.loads(row.metadata), index=row.index, percent=row.percent)
