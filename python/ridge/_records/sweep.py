"""Answers of `ridge sweep`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class SweepRow(Record):
    """A point of the grid.

    model: the model as it was named
    machine: the machine's id
    phase: what is run
    batch: sequences at once
    seq: new tokens per sequence
    past: tokens in the cache before them
    weights: number format of the weights
    activations: number format of the activations
    kv: number format of the KV cache
    flops: FLOPs of the pass
    bytes: bytes moved; a mixture's weights are those of the expected experts [bytes]
    time_s: time of the pass [s]
    tokens_per_s: tokens of the pass per second [/s]
    bound: what most of the time is bound by
    memory_bytes: memory held [bytes]
    fits: does it fit into the machine's memory?
    pareto: is it on a Pareto front? not known while rows stream
    images_per_s: images of the pass per second [/s]
    """

    model: Optional[str] = None
    machine: Optional[str] = None
    phase: Optional[Literal["prefill", "decode", "train"]] = None
    batch: Optional[int] = None
    seq: Optional[int] = None
    past: Optional[int] = None
    weights: Optional[str] = None
    activations: Optional[str] = None
    kv: Optional[str] = None
    flops: Optional[int] = None
    bytes: Optional[int] = None
    time_s: Optional[float] = None
    tokens_per_s: Optional[float] = None
    bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    memory_bytes: Optional[int] = None
    fits: Optional[bool] = None
    pareto: Optional[bool] = None
    images_per_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class Sweep(Answer):
    """A prediction for every point of a grid.

    ridge: the version that answered
    points: points of the grid
    rows: a row for each, a line each
    complete: false where the user ended it
    notes: what a reader must know of the numbers
    """
    _parts = (("rows", SweepRow, 1),)

    ridge: Optional[str] = None
    points: Optional[int] = None
    rows: List[SweepRow] = None  # type: ignore[assignment]
    complete: bool = None  # type: ignore[assignment]
    notes: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class SweepSummaryBestItem(Record):
    """The best points of a machine and a phase.

    machine: the machine's id
    phase: what is run
    throughput: the point with the most tokens, or images, per second that fits
    latency: the point with the least time that fits
    """
    _parts = (("throughput", SweepRow, 0), ("latency", SweepRow, 0),)

    machine: Optional[str] = None
    phase: Optional[Literal["prefill", "decode", "train"]] = None
    throughput: Optional[SweepRow] = None
    latency: Optional[SweepRow] = None


@dataclass(init=False, repr=False, eq=False)
class SweepSummary(Answer):
    """What the points of a sweep come to.

    ridge: the version that answered
    model: the model as it was named
    points: points computed
    fit: those that fit into their machine's memory
    complete: false where the user ended it
    notes: what a reader must know of the numbers
    threads: threads that computed
    elapsed_s: time it took [s]
    points_per_s: points per second [/s]
    best: the best points of each machine and phase
    pareto: the Pareto fronts of the phases
    """
    _parts = (("best", SweepSummaryBestItem, 1), ("pareto", SweepRow, 1),)

    ridge: Optional[str] = None
    model: Optional[str] = None
    points: Optional[int] = None
    fit: Optional[int] = None
    complete: bool = None  # type: ignore[assignment]
    notes: List[str] = None  # type: ignore[assignment]
    threads: int = None  # type: ignore[assignment]
    elapsed_s: Optional[float] = None
    points_per_s: Optional[float] = None
    best: List[SweepSummaryBestItem] = None  # type: ignore[assignment]
    pareto: List[SweepRow] = None  # type: ignore[assignment]
