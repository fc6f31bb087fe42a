"""Answers of `ridge history`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.bench import BenchRowTimeS


@dataclass(init=False, repr=False, eq=False)
class HistoryRun(Record):
    """A command that measured.

    run: its number in this store
    uuid: its name, the same in every store
    started: when, before anything was measured; UTC
    finished: when it ended; not known where it was killed or still runs
    ridge: version of Ridge
    build: how that was built: compiler, flags, commit
    machine: fingerprint of the machine
    machine_text: what the fingerprint is of
    command: the command line
    settings: budget, rounds and the like
    interrupted: Ctrl-C ended it: rows it was to have may be missing
    row_count: rows it has, shown or not
    """

    run: Optional[int] = None
    uuid: Optional[str] = None
    started: Optional[str] = None
    finished: Optional[str] = None
    ridge: Optional[str] = None
    build: Optional[str] = None
    machine: Optional[str] = None
    machine_text: Optional[str] = None
    command: Optional[str] = None
    settings: Any = None
    interrupted: bool = None  # type: ignore[assignment]
    row_count: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class HistoryRow(Record):
    """A kernel that was timed, and when.

    run: number of its run in this store
    kernel: the kind of kernel
    variant: the implementation
    provider: whose it is
    shape: its sizes
    format: number format of the weights, of K and V
    activations: number format of everything else
    threads: threads that shared the work
    cache: where the operands were
    time_s: the time of one call
    mad_s: median absolute deviation [s]
    minimum_s: the shortest [s]
    kept: samples that nothing disturbed
    tried: samples taken
    calls_per_sample: calls in a sample
    stopped: the budget or Ctrl-C ended it before the wanted confidence
    flops: FLOPs of one call, by the catalog
    bytes: bytes it moves, by the catalog [bytes]
    flops_per_s: FLOPs over the time [FLOP/s]
    bytes_per_s: bytes over the time [bytes/s]
    percent_of_ceiling: how much of the ceiling that bounds it is reached [%]
    predicted_s: the least time by measured ceilings [s]
    error: |predicted - measured| / measured
    bound: the side of the roofline that bounds it, as predicted
    max_relative_error: how far results are off the reference, in parts of its root mean square
    beats_roofline: faster than its ceiling: then a ceiling or a byte count is wrong
    machine: fingerprint of the machine
    """
    _parts = (("time_s", BenchRowTimeS, 0),)

    run: Optional[int] = None
    kernel: Optional[str] = None
    variant: Optional[str] = None
    provider: Optional[str] = None
    shape: Any = None
    format: Optional[str] = None
    activations: Optional[str] = None
    threads: int = None  # type: ignore[assignment]
    cache: Optional[Literal["hot", "cold"]] = None
    time_s: BenchRowTimeS = None  # type: ignore[assignment]
    mad_s: Optional[float] = None
    minimum_s: Optional[float] = None
    kept: int = None  # type: ignore[assignment]
    tried: int = None  # type: ignore[assignment]
    calls_per_sample: int = None  # type: ignore[assignment]
    stopped: bool = None  # type: ignore[assignment]
    flops: Optional[int] = None
    bytes: Optional[int] = None
    flops_per_s: Optional[float] = None
    bytes_per_s: Optional[float] = None
    percent_of_ceiling: Optional[float] = None
    predicted_s: Optional[float] = None
    error: Optional[float] = None
    bound: Optional[Literal["memory", "compute"]] = None
    max_relative_error: Optional[float] = None
    beats_roofline: bool = None  # type: ignore[assignment]
    machine: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class History(Answer):
    """Runs that were kept, and their rows.

    ridge: the version that answered
    runs: the runs, oldest first
    rows: their rows, run by run
    """
    _parts = (("runs", HistoryRun, 1), ("rows", HistoryRow, 1),)

    ridge: Optional[str] = None
    runs: List[HistoryRun] = None  # type: ignore[assignment]
    rows: List[HistoryRow] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class HistoryRuns(Answer):
    """Runs that were kept.

    ridge: the version that answered
    runs: the runs, oldest first
    """
    _parts = (("runs", HistoryRun, 1),)

    ridge: Optional[str] = None
    runs: List[HistoryRun] = None  # type: ignore[assignment]
