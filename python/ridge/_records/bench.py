"""Answers of `ridge bench`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.machine import CalibrateCeilings, MachinesMachine


@dataclass(init=False, repr=False, eq=False)
class BenchMachine(Record):
    """The machine here.

    fingerprint: hash of what may change results here
    name: the machine in one line
    detected: its description, as of ridge machine
    """
    _parts = (("detected", MachinesMachine, 0),)

    fingerprint: Optional[str] = None
    name: Optional[str] = None
    detected: MachinesMachine = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class BenchRowTimeS(Record):
    """The time of one call.

    median: the median [s]
    low: where the median's 95 % interval begins [s]
    high: where it ends [s]
    """

    median: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class BenchRow(Record):
    """A kernel, timed beside its ceilings.

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
    theory_s: predicted from the machine as detected [s]
    memory_s: what memory alone would take, as predicted [s]
    compute_s: what arithmetic alone would take [s]
    memory_level: where operands are predicted to come from
    tolerance: the most that max_relative_error may be
    packed_bytes: a copy that is read in place of the weights; 0: none [bytes]
    places: copies of the large operand that a cold run goes through
    huge_pages: operands lie in huge pages
    library: what computed it where Ridge did not
    dense_flops_per_s: attention: the rate if masked pairs counted [FLOP/s]
    rounds: rounds that its times are of
    count: calls in a pass of the model; 1
    where: rows of the model that run it
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
    theory_s: Optional[float] = None
    memory_s: Optional[float] = None
    compute_s: Optional[float] = None
    memory_level: Optional[str] = None
    tolerance: Optional[float] = None
    packed_bytes: int = None  # type: ignore[assignment]
    places: int = None  # type: ignore[assignment]
    huge_pages: bool = None  # type: ignore[assignment]
    library: Optional[str] = None
    dense_flops_per_s: Optional[float] = None
    rounds: int = None  # type: ignore[assignment]
    count: Optional[int] = None
    where: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class BenchFailedItem(Record):
    """What could not be measured.

    kernel: the kind of kernel
    format: number format of the weights
    shape: its sizes in words
    reason: why it could not be measured
    """

    kernel: Optional[Literal["gemv", "gemm", "attention", "softmax", "layernorm", "rmsnorm", "silu", "gelu", "rope", "add", "embedding", "wkv"]] = None
    format: Optional[str] = None
    shape: Optional[str] = None
    reason: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class BenchMetricsCounters(Record):
    """Hardware counters.

    cycles: counted in user space
    instructions: counted in user space
    cache_references: counted in user space
    cache_misses: counted in user space
    branches: counted in user space
    branch_misses: counted in user space
    available: one of them at least is known
    reason: why one is not known
    """

    cycles: Optional[int] = None
    instructions: Optional[int] = None
    cache_references: Optional[int] = None
    cache_misses: Optional[int] = None
    branches: Optional[int] = None
    branch_misses: Optional[int] = None
    available: bool = None  # type: ignore[assignment]
    reason: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class BenchMetrics(Record):
    """What the run took of the machine.

    wall_s: time that passed [s]
    user_s: CPU time of all threads in the program [s]
    system_s: ... in the system [s]
    peak_bytes: most memory resident [bytes]
    peak_is_of_run: that is the run's, else of the process since it began
    current_bytes: memory resident at the end [bytes]
    heap_bytes: held by the allocator at the end [bytes]
    heap_change_bytes: more than at the beginning [bytes]
    voluntary_switches: context switches to wait
    involuntary_switches: context switches against its will
    minor_faults: page faults without I/O
    major_faults: page faults with I/O
    counters: hardware counters
    """
    _parts = (("counters", BenchMetricsCounters, 0),)

    wall_s: Optional[float] = None
    user_s: Optional[float] = None
    system_s: Optional[float] = None
    peak_bytes: Optional[int] = None
    peak_is_of_run: bool = None  # type: ignore[assignment]
    current_bytes: Optional[int] = None
    heap_bytes: Optional[int] = None
    heap_change_bytes: Optional[int] = None
    voluntary_switches: Optional[int] = None
    involuntary_switches: Optional[int] = None
    minor_faults: Optional[int] = None
    major_faults: Optional[int] = None
    counters: BenchMetricsCounters = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class BenchTotal(Record):
    """A pass of a model.

    threads: threads
    calls: calls of all kernels in a pass, or in a layer
    measured_s: what they take together [s]
    predicted_s: ... as predicted [s]
    """

    threads: int = None  # type: ignore[assignment]
    calls: Optional[float] = None
    measured_s: Optional[float] = None
    predicted_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class Bench(Answer):
    """Kernels timed on this machine.

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
    """
    _parts = (
        ("machine", BenchMachine, 0),
        ("ceilings", CalibrateCeilings, 0),
        ("rows", BenchRow, 1),
        ("wrong", BenchRow, 1),
        ("failed", BenchFailedItem, 1),
        ("metrics", BenchMetrics, 0),
        ("totals", BenchTotal, 1),
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
