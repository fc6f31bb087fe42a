"""Answers of `ridge compare`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.bench import BenchFailedItem, BenchMachine, BenchMetrics, BenchRow, BenchRowTimeS, BenchTotal
from ridge._records.machine import CalibrateCeilings


@dataclass(init=False, repr=False, eq=False)
class CompareSummaryWorstItem(Record):
    """A row that was far off.

    row: its place among the rows, from 0
    kernel: the kind of kernel
    variant: the implementation
    provider: whose it is
    shape: its sizes
    format: number format of the weights, of K and V
    activations: number format of everything else
    threads: threads that shared the work
    cache: where the operands were
    error: |predicted - measured| / measured
    """

    row: int = None  # type: ignore[assignment]
    kernel: Optional[str] = None
    variant: Optional[str] = None
    provider: Optional[str] = None
    shape: Any = None
    format: Optional[str] = None
    activations: Optional[str] = None
    threads: int = None  # type: ignore[assignment]
    cache: Optional[Literal["hot", "cold"]] = None
    error: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class CompareSummary(Record):
    """Errors of all rows.

    median_error: the median of the errors
    mean_error: their mean
    worst: the largest errors
    rows: rows compared
    predicted: rows with a prediction
    bounds_agree: rows whose bound was seen as predicted
    bounds_known: rows whose bound was predicted and seen
    beat_roofline: rows faster than their ceiling
    """
    _parts = (("worst", CompareSummaryWorstItem, 1),)

    median_error: Optional[float] = None
    mean_error: Optional[float] = None
    worst: List[CompareSummaryWorstItem] = None  # type: ignore[assignment]
    rows: int = None  # type: ignore[assignment]
    predicted: int = None  # type: ignore[assignment]
    bounds_agree: int = None  # type: ignore[assignment]
    bounds_known: int = None  # type: ignore[assignment]
    beat_roofline: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CompareCalibrationEfficiency(Record):
    """How much of its bound a group reaches.

    kernel: kind of kernel
    variant: class of its variants
    format_class: class of its formats
    bound: what bounds it
    efficiency: least time / measured, the median of the rows it was fitted on
    fitted_on: how many these are
    """

    kernel: Optional[str] = None
    variant: Optional[str] = None
    format_class: Optional[Literal["fp32", "16-bit", "8-bit", "4-bit"]] = None
    bound: Optional[Literal["memory", "cache", "compute"]] = None
    efficiency: Optional[float] = None
    fitted_on: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CompareCalibration(Record):
    """Errors before and after efficiencies.

    fitted: rows that efficiencies were fitted on
    tested: rows that were left out for the test
    theory_rows: rows predicted from the machine as detected
    theory_error: median error of these
    theory_error_tested: ... of those that were left out
    roofline_error: median error by measured ceilings
    roofline_error_tested: ... of the rows that were left out
    calibrated_error_tested: median error of these with efficiencies
    calibrated_mean_error_tested: the mean
    efficiencies: of each group
    """
    _parts = (("efficiencies", CompareCalibrationEfficiency, 1),)

    fitted: int = None  # type: ignore[assignment]
    tested: int = None  # type: ignore[assignment]
    theory_rows: int = None  # type: ignore[assignment]
    theory_error: Optional[float] = None
    theory_error_tested: Optional[float] = None
    roofline_error: Optional[float] = None
    roofline_error_tested: Optional[float] = None
    calibrated_error_tested: Optional[float] = None
    calibrated_mean_error_tested: Optional[float] = None
    efficiencies: List[CompareCalibrationEfficiency] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class Compare(Answer):
    """Predicted against measured.

    ridge: the version that answered
    machine: the machine here
    ceilings: what it reaches at best, measured just now
    rows: the kernels that were timed
    wrong: those that were not: wrong results
    failed: what could not be measured
    cpus: CPUs that the process may use
    metrics: what the run took of the machine
    planned: rows there were to be
    unsupported: cases that no kernel here takes
    slow_formats: formats that only plain C takes here: left out of all formats
    interrupted: Ctrl-C ended it
    totals: a model's pass, for each number of threads
    run: its number in the store
    summary: errors of all rows
    calibration: errors before and after efficiencies
    """
    _parts = (
        ("machine", BenchMachine, 0),
        ("ceilings", CalibrateCeilings, 0),
        ("rows", BenchRow, 1),
        ("wrong", BenchRow, 1),
        ("failed", BenchFailedItem, 1),
        ("metrics", BenchMetrics, 0),
        ("totals", BenchTotal, 1),
        ("summary", CompareSummary, 0),
        ("calibration", CompareCalibration, 0),
    )

    ridge: Optional[str] = None
    machine: BenchMachine = None  # type: ignore[assignment]
    ceilings: Optional[CalibrateCeilings] = None
    rows: List[BenchRow] = None  # type: ignore[assignment]
    wrong: List[BenchRow] = None  # type: ignore[assignment]
    failed: List[BenchFailedItem] = None  # type: ignore[assignment]
    cpus: int = None  # type: ignore[assignment]
    metrics: BenchMetrics = None  # type: ignore[assignment]
    planned: int = None  # type: ignore[assignment]
    unsupported: int = None  # type: ignore[assignment]
    slow_formats: List[str] = None  # type: ignore[assignment]
    interrupted: bool = None  # type: ignore[assignment]
    totals: List[BenchTotal] = None  # type: ignore[assignment]
    run: Optional[int] = None
    summary: CompareSummary = None  # type: ignore[assignment]
    calibration: Optional[CompareCalibration] = None


@dataclass(init=False, repr=False, eq=False)
class CompareRunMachine(Record):
    """Where it was measured.

    fingerprint: hash of what may change results there
    """

    fingerprint: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class CompareRunRow(Record):
    """A measured row beside its prediction.

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
    bound_seen: the ceiling of which the larger share was reached
    memory_percent: of the bandwidth measured beside it [%]
    compute_percent: of the arithmetic measured beside it [%]
    slowdown: measured time in multiples of the least one
    """
    _parts = (("time_s", BenchRowTimeS, 0),)

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
    bound_seen: Optional[Literal["memory", "compute"]] = None
    memory_percent: Optional[float] = None
    compute_percent: Optional[float] = None
    slowdown: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class CompareRun(Answer):
    """Predicted against measured before.

    ridge: the version that answered
    machine: where it was measured
    rows: the rows of the store
    summary: errors of all rows
    calibration: errors before and after efficiencies
    """
    _parts = (
        ("machine", CompareRunMachine, 0),
        ("rows", CompareRunRow, 1),
        ("summary", CompareSummary, 0),
        ("calibration", CompareCalibration, 0),
    )

    ridge: Optional[str] = None
    machine: CompareRunMachine = None  # type: ignore[assignment]
    rows: List[CompareRunRow] = None  # type: ignore[assignment]
    summary: CompareSummary = None  # type: ignore[assignment]
    calibration: Optional[CompareCalibration] = None


@dataclass(init=False, repr=False, eq=False)
class CompareFrameworksRow(Record):
    """A framework in one format.

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
    bound_seen: the ceiling of which the larger share was reached
    memory_percent: of the bandwidth measured beside it [%]
    compute_percent: of the arithmetic measured beside it [%]
    slowdown: measured time in multiples of the least one
    right: it agrees with the reference; else it was not timed
    tolerance: the most that max_relative_error may be
    memory_s: what memory alone would take, by the ceilings [s]
    compute_s: what arithmetic alone would take [s]
    peak_bytes: highest resident set with operands and results, less what the framework itself takes [bytes]
    busy_cpus: CPU time of all its threads over the time, in undisturbed samples; waiting in a loop counts
    fused: attention that does not write its scores out
    how: what was run
    rounds: rounds that its times are of
    times_fastest: its time over the fastest's of its format, in the same rounds
    times_fastest_low: where the 95 % interval of that begins
    times_fastest_high: where it ends
    why: why it is slower, as far as this run shows
    """
    _parts = (("time_s", BenchRowTimeS, 0),)

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
    bound_seen: Optional[Literal["memory", "compute"]] = None
    memory_percent: Optional[float] = None
    compute_percent: Optional[float] = None
    slowdown: Optional[float] = None
    right: bool = None  # type: ignore[assignment]
    tolerance: Optional[float] = None
    memory_s: Optional[float] = None
    compute_s: Optional[float] = None
    peak_bytes: Optional[int] = None
    busy_cpus: Optional[float] = None
    fused: bool = None  # type: ignore[assignment]
    how: Optional[str] = None
    rounds: int = None  # type: ignore[assignment]
    times_fastest: Optional[float] = None
    times_fastest_low: Optional[float] = None
    times_fastest_high: Optional[float] = None
    why: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class CompareFrameworksVerdict(Record):
    """Who wins.

    format: number format
    winner: who is faster than each of the others, sure to 95 %; null: nobody is
    sentence: that, and why
    """

    format: Optional[str] = None
    winner: Optional[str] = None
    sentence: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class CompareFrameworksVersion(Record):
    """A framework that ran.

    framework: which
    version: as it tells
    python: what it ran in; null: Ridge itself
    """

    framework: Optional[Literal["ridge", "torch", "jax", "numpy", "onnxruntime"]] = None
    version: Optional[str] = None
    python: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class CompareFrameworksAbsentItem(Record):
    """What did not run, or not to the end.

    framework: which
    format: in which format; null: in none
    reason: why
    """

    framework: Optional[Literal["ridge", "torch", "jax", "numpy", "onnxruntime"]] = None
    format: Optional[str] = None
    reason: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class CompareFrameworks(Answer):
    """The same work in several frameworks.

    ridge: the version that answered
    machine: the machine here
    ceilings: what it reaches at best, measured just now
    what: gemm, attention or layer
    model: whose layer it is; null: of none
    layers: layers like it that the model has; 0: no model
    threads: threads of each, on the same CPUs
    cpus: CPUs that the process may use
    rows: frameworks that were timed
    wrong: those that were not: wrong results
    summary: errors of the rows that were timed
    verdicts: who wins, in each format
    versions: what ran
    absent: what did not
    rounds: that were to be measured
    rounds_begun: that were begun
    interrupted: Ctrl-C ended it
    run: its number in the store
    """
    _parts = (
        ("machine", BenchMachine, 0),
        ("ceilings", CalibrateCeilings, 0),
        ("rows", CompareFrameworksRow, 1),
        ("wrong", CompareFrameworksRow, 1),
        ("summary", CompareSummary, 0),
        ("verdicts", CompareFrameworksVerdict, 1),
        ("versions", CompareFrameworksVersion, 1),
        ("absent", CompareFrameworksAbsentItem, 1),
    )

    ridge: Optional[str] = None
    machine: BenchMachine = None  # type: ignore[assignment]
    ceilings: Optional[CalibrateCeilings] = None
    what: Optional[str] = None
    model: Optional[str] = None
    layers: Optional[int] = None
    threads: int = None  # type: ignore[assignment]
    cpus: int = None  # type: ignore[assignment]
    rows: List[CompareFrameworksRow] = None  # type: ignore[assignment]
    wrong: List[CompareFrameworksRow] = None  # type: ignore[assignment]
    summary: CompareSummary = None  # type: ignore[assignment]
    verdicts: List[CompareFrameworksVerdict] = None  # type: ignore[assignment]
    versions: List[CompareFrameworksVersion] = None  # type: ignore[assignment]
    absent: List[CompareFrameworksAbsentItem] = None  # type: ignore[assignment]
    rounds: int = None  # type: ignore[assignment]
    rounds_begun: int = None  # type: ignore[assignment]
    interrupted: bool = None  # type: ignore[assignment]
    run: Optional[int] = None
