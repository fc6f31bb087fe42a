"""Answers of `ridge op`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class OpFormats(Record):
    """Number formats of the operands.

    activations: of the activations
    weights: of the weights
    kv: of K and V
    """

    activations: Optional[str] = None
    weights: Optional[str] = None
    kv: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class OpFlopsByClass(Record):
    """FLOPs by class, the sum too.

    total: all of them
    matmul: those of class matmul
    attention: those of class attention
    activation: those of class activation
    embedding: those of class embedding
    other: those of class other
    dequantisation: unpacking weights, in no class
    """

    total: Optional[int] = None
    matmul: Optional[int] = None
    attention: Optional[int] = None
    activation: Optional[int] = None
    embedding: Optional[int] = None
    other: Optional[int] = None
    dequantisation: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class OpBytes(Record):
    """Bytes moved.

    total: all of them [bytes]
    operands: by operand, each read or written once: "A", of a composite kind "ffn.up.A"
    """

    total: Optional[int] = None
    operands: Any = None


@dataclass(init=False, repr=False, eq=False)
class OpPrecision(Record):
    """What most of the arithmetic computes at.

    wanted: the precision that the formats compute in
    used: the precision of the machine's that stands for it
    unit: the units that compute
    peak_flops_per_s: their peak rate [FLOP/s]
    """

    wanted: Optional[Literal["fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "int4", "mxfp4", "nvfp4"]] = None
    used: Optional[Literal["fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "int4", "mxfp4", "nvfp4"]] = None
    unit: Optional[Literal["matrix", "vector"]] = None
    peak_flops_per_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class OpTilingTile(Record):
    """What a block computes.

    m: rows
    n: columns
    k: step of the reduction
    """

    m: Optional[int] = None
    n: Optional[int] = None
    k: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class OpTilingGrid(Record):
    """How many blocks there are.

    m: tiles one below the other
    n: tiles side by side
    splits: parts of the reduction
    """

    m: Optional[float] = None
    n: Optional[float] = None
    splits: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class OpTiling(Record):
    """How the GPU cuts it into tiles.

    tile: what a block computes
    grid: how many blocks there are
    blocks: all of them
    stages: steps of the reduction in flight
    shared_bytes_per_block: shared memory of a block [bytes]
    blocks_per_unit: blocks that a unit holds at once
    waves: rounds of the busiest unit
    wave_efficiency: blocks over what the rounds have room for
    tile_efficiency: the product over the tiles that cover it
    time_s: time with this tiling, at sustained rates [s]
    """
    _parts = (("tile", OpTilingTile, 0), ("grid", OpTilingGrid, 0),)

    tile: OpTilingTile = None  # type: ignore[assignment]
    grid: OpTilingGrid = None  # type: ignore[assignment]
    blocks: Optional[float] = None
    stages: Optional[int] = None
    shared_bytes_per_block: Optional[float] = None
    blocks_per_unit: Optional[int] = None
    waves: Optional[float] = None
    wave_efficiency: Optional[float] = None
    tile_efficiency: Optional[float] = None
    time_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class Op(Answer):
    """What one operator costs.

    ridge: the version that answered
    kind: what operator it is
    shape: the dimensions given, under the names of the catalog's parameters, and the kind's flags
    formats: number formats of the operands
    flops: FLOPs
    flops_by_class: FLOPs by class, the sum too
    parts: FLOPs of the parts that it is made of
    bytes: bytes moved
    parameters: of a table whose size was given
    stored_bytes: what the table takes [bytes]
    arithmetic_intensity: FLOPs per byte [FLOP/byte]
    machine: the machine's id; null: none was asked for
    ridge_point: the arithmetic intensity from which arithmetic bounds: peak over bandwidth of main memory [FLOP/byte]
    precision: what most of the arithmetic computes at
    attention_precision: what products with K and V compute at, where there are others too
    memory_level: where the operands come from
    time_memory_s: what the memory alone takes [s]
    time_compute_s: what the arithmetic alone takes [s]
    time_s: the longer of the two, of each kernel, added up [s]
    bound: what most of the time is bound by
    flops_per_s: all FLOPs over the time [FLOP/s]
    bytes_per_s: all bytes over the time [bytes/s]
    percent_of_peak: of the time, the units work [%]
    percent_of_bandwidth: of the time, the memory works [%]
    launch_s: launch overhead of all kernels [s]
    launch_counted: does the time have it?
    tiling: how the GPU cuts it into tiles
    warnings: what a reader should know
    """
    _parts = (
        ("formats", OpFormats, 0),
        ("flops_by_class", OpFlopsByClass, 0),
        ("bytes", OpBytes, 0),
        ("precision", OpPrecision, 0),
        ("attention_precision", OpPrecision, 0),
        ("tiling", OpTiling, 0),
    )

    ridge: Optional[str] = None
    kind: Optional[Literal["gemm", "gemv", "attention", "conv", "layernorm", "rmsnorm", "softmax", "silu", "gelu", "relu", "tanh", "sigmoid", "add", "mul", "rope", "wkv", "ffn", "embedding", "layer", "model", "matmul", "attention"]] = None
    shape: Any = None
    formats: OpFormats = None  # type: ignore[assignment]
    flops: Optional[int] = None
    flops_by_class: OpFlopsByClass = None  # type: ignore[assignment]
    parts: Any = None
    bytes: OpBytes = None  # type: ignore[assignment]
    parameters: Optional[int] = None
    stored_bytes: Optional[int] = None
    arithmetic_intensity: Optional[float] = None
    machine: Optional[str] = None
    ridge_point: Optional[float] = None
    precision: Optional[OpPrecision] = None
    attention_precision: Optional[OpPrecision] = None
    memory_level: Optional[str] = None
    time_memory_s: Optional[float] = None
    time_compute_s: Optional[float] = None
    time_s: Optional[float] = None
    bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    flops_per_s: Optional[float] = None
    bytes_per_s: Optional[float] = None
    percent_of_peak: Optional[float] = None
    percent_of_bandwidth: Optional[float] = None
    launch_s: Optional[float] = None
    launch_counted: bool = None  # type: ignore[assignment]
    tiling: Optional[OpTiling] = None
    warnings: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class OpRowsRow(Record):
    """An operator in a format, on a machine.

    machine: the machine's id; null: none was asked for
    format: what the row is about: the format of weights, K and V, or activations
    bits_per_element: bits of an element in it
    formats: number formats of the operands
    flops: FLOPs
    bytes: bytes moved [bytes]
    arithmetic_intensity: FLOPs per byte [FLOP/byte]
    ridge_point: the arithmetic intensity from which arithmetic bounds: peak over bandwidth of main memory [FLOP/byte]
    precision: what most of the arithmetic computes at
    attention_precision: what products with K and V compute at, where there are others too
    memory_level: where the operands come from
    time_memory_s: what the memory alone takes [s]
    time_compute_s: what the arithmetic alone takes [s]
    time_s: the longer of the two, of each kernel, added up [s]
    bound: what most of the time is bound by
    flops_per_s: all FLOPs over the time [FLOP/s]
    bytes_per_s: all bytes over the time [bytes/s]
    percent_of_peak: of the time, the units work [%]
    percent_of_bandwidth: of the time, the memory works [%]
    launch_s: launch overhead of all kernels [s]
    launch_counted: does the time have it?
    speedup: the first row's time over this one's
    problem: why there is no time
    """
    _parts = (("formats", OpFormats, 0), ("precision", OpPrecision, 0), ("attention_precision", OpPrecision, 0),)

    machine: Optional[str] = None
    format: Optional[str] = None
    bits_per_element: Optional[str] = None
    formats: OpFormats = None  # type: ignore[assignment]
    flops: Optional[int] = None
    bytes: Optional[int] = None
    arithmetic_intensity: Optional[float] = None
    ridge_point: Optional[float] = None
    precision: Optional[OpPrecision] = None
    attention_precision: Optional[OpPrecision] = None
    memory_level: Optional[str] = None
    time_memory_s: Optional[float] = None
    time_compute_s: Optional[float] = None
    time_s: Optional[float] = None
    bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    flops_per_s: Optional[float] = None
    bytes_per_s: Optional[float] = None
    percent_of_peak: Optional[float] = None
    percent_of_bandwidth: Optional[float] = None
    launch_s: Optional[float] = None
    launch_counted: bool = None  # type: ignore[assignment]
    speedup: Optional[float] = None
    problem: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class OpRows(Answer):
    """An operator in several formats, or on several machines.

    ridge: the version that answered
    kind: what operator it is
    shape: the dimensions given, under the names of the catalog's parameters, and the kind's flags
    flops: FLOPs
    flops_by_class: FLOPs by class, the sum too
    rows: a row for each machine and format
    warnings: what a reader should know
    """
    _parts = (("flops_by_class", OpFlopsByClass, 0), ("rows", OpRowsRow, 1),)

    ridge: Optional[str] = None
    kind: Optional[Literal["gemm", "gemv", "attention", "conv", "layernorm", "rmsnorm", "softmax", "silu", "gelu", "relu", "tanh", "sigmoid", "add", "mul", "rope", "wkv", "ffn", "embedding", "layer", "model", "matmul", "attention"]] = None
    shape: Any = None
    flops: Optional[int] = None
    flops_by_class: OpFlopsByClass = None  # type: ignore[assignment]
    rows: List[OpRowsRow] = None  # type: ignore[assignment]
    warnings: List[str] = None  # type: ignore[assignment]
