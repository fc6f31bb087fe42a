"""Answers of `ridge machine`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class MachinesMachinePeakFlopsPerS(Record):
    """Dense rates of the whole device.

    fp64: - [FLOP/s]
    fp32: - [FLOP/s]
    tf32: - [FLOP/s]
    bf16: - [FLOP/s]
    fp16: - [FLOP/s]
    fp8: - [FLOP/s]
    int8: - [FLOP/s]
    fp6: - [FLOP/s]
    int4: - [FLOP/s]
    mxfp4: - [FLOP/s]
    nvfp4: - [FLOP/s]
    """

    fp64: Optional[int] = None
    fp32: Optional[int] = None
    tf32: Optional[int] = None
    bf16: Optional[int] = None
    fp16: Optional[int] = None
    fp8: Optional[int] = None
    int8: Optional[int] = None
    fp6: Optional[int] = None
    int4: Optional[int] = None
    mxfp4: Optional[int] = None
    nvfp4: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class MachinesMachineMemoryItem(Record):
    """A level of memory.

    level: dram (the main memory), llc, l2 or l1
    type: HBM3, 8x DDR5-4800
    bytes_per_s: read bandwidth of the whole device [bytes/s]
    capacity_bytes: size, of the whole device [bytes]
    """

    level: Optional[str] = None
    type: Optional[str] = None
    bytes_per_s: Optional[int] = None
    capacity_bytes: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class MachinesMachineLink(Record):
    """A link to other devices.

    kind: to its peers, or to the CPU's memory
    name: NVLink4
    bytes_per_s: of one device, one direction [bytes/s]
    latency_s: its latency [s]
    """

    kind: Optional[Literal["device", "host"]] = None
    name: Optional[str] = None
    bytes_per_s: Optional[int] = None
    latency_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class MachinesMachineAchieved(Record):
    """What somebody reached.

    flops_per_s: rates reached, by precision
    bytes_per_s: bandwidth of the main memory reached [bytes/s]
    source: who reached it, with what
    """
    _parts = (("flops_per_s", MachinesMachinePeakFlopsPerS, 0),)

    flops_per_s: MachinesMachinePeakFlopsPerS = None  # type: ignore[assignment]
    bytes_per_s: Optional[int] = None
    source: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class MachinesMachine(Record):
    """A machine.

    id: what options call it
    name: what its vendor calls it
    vendor: its vendor
    kind: gpu, cpu, tpu, accelerator or apple
    arch: its architecture
    year: the year it came out
    inherits: the machine that its file starts from
    file: where it was read
    peak_flops_per_s: dense rates of the whole device
    lacks: precisions that it has no units for: it computes in the next wider one
    memory: levels, the outermost first
    links: links to peers and to the CPU's memory
    compute_units: SMs, compute units or cores
    shared_bytes: L1 or shared memory of one unit [bytes]
    clock_hz: the clock that the peaks are stated at [Hz]
    power_w: the limit that the vendor states [W]
    launch_overhead_s: least time of one kernel, with launches queued ahead [s]
    achieved: what somebody reached
    sources: where each number comes from, by its name
    unverified: numbers not checked at their source
    notes: what else is to be said
    """
    _parts = (
        ("peak_flops_per_s", MachinesMachinePeakFlopsPerS, 0),
        ("memory", MachinesMachineMemoryItem, 1),
        ("links", MachinesMachineLink, 1),
        ("achieved", MachinesMachineAchieved, 0),
    )

    id: Optional[str] = None
    name: Optional[str] = None
    vendor: Optional[str] = None
    kind: Optional[str] = None
    arch: Optional[str] = None
    year: Optional[int] = None
    inherits: Optional[str] = None
    file: Optional[str] = None
    peak_flops_per_s: MachinesMachinePeakFlopsPerS = None  # type: ignore[assignment]
    lacks: Any = None
    memory: List[MachinesMachineMemoryItem] = None  # type: ignore[assignment]
    links: List[MachinesMachineLink] = None  # type: ignore[assignment]
    compute_units: Optional[int] = None
    shared_bytes: Optional[int] = None
    clock_hz: Optional[int] = None
    power_w: Optional[int] = None
    launch_overhead_s: Optional[float] = None
    achieved: Optional[MachinesMachineAchieved] = None
    sources: Any = None
    unverified: List[str] = None  # type: ignore[assignment]
    notes: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class Machines(Answer):
    """The machines there are.

    ridge: the version that answered
    machines: the machines
    """
    _parts = (("machines", MachinesMachine, 1),)

    ridge: Optional[str] = None
    machines: List[MachinesMachine] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class Machine(Answer):
    """What a machine can do.

    ridge: the version that answered
    id: what options call it
    name: what its vendor calls it
    vendor: its vendor
    kind: gpu, cpu, tpu, accelerator or apple
    arch: its architecture
    year: the year it came out
    inherits: the machine that its file starts from
    file: where it was read
    peak_flops_per_s: dense rates of the whole device
    lacks: precisions that it has no units for: it computes in the next wider one
    memory: levels, the outermost first
    links: links to peers and to the CPU's memory
    compute_units: SMs, compute units or cores
    shared_bytes: L1 or shared memory of one unit [bytes]
    clock_hz: the clock that the peaks are stated at [Hz]
    power_w: the limit that the vendor states [W]
    launch_overhead_s: least time of one kernel, with launches queued ahead [s]
    achieved: what somebody reached
    sources: where each number comes from, by its name
    unverified: numbers not checked at their source
    notes: what else is to be said
    """
    _parts = (
        ("peak_flops_per_s", MachinesMachinePeakFlopsPerS, 0),
        ("memory", MachinesMachineMemoryItem, 1),
        ("links", MachinesMachineLink, 1),
        ("achieved", MachinesMachineAchieved, 0),
    )

    ridge: Optional[str] = None
    id: Optional[str] = None
    name: Optional[str] = None
    vendor: Optional[str] = None
    kind: Optional[str] = None
    arch: Optional[str] = None
    year: Optional[int] = None
    inherits: Optional[str] = None
    file: Optional[str] = None
    peak_flops_per_s: MachinesMachinePeakFlopsPerS = None  # type: ignore[assignment]
    lacks: Any = None
    memory: List[MachinesMachineMemoryItem] = None  # type: ignore[assignment]
    links: List[MachinesMachineLink] = None  # type: ignore[assignment]
    compute_units: Optional[int] = None
    shared_bytes: Optional[int] = None
    clock_hz: Optional[int] = None
    power_w: Optional[int] = None
    launch_overhead_s: Optional[float] = None
    achieved: Optional[MachinesMachineAchieved] = None
    sources: Any = None
    unverified: List[str] = None  # type: ignore[assignment]
    notes: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class MachineCompareRow(Record):
    """A number of several machines.

    number: its name
    values: that of each machine; null: not known
    ratios: to the first machine's
    """

    number: Optional[str] = None
    values: Any = None
    ratios: Any = None


@dataclass(init=False, repr=False, eq=False)
class MachineCompare(Answer):
    """Machines side by side.

    ridge: the version that answered
    machines: ids of the machines
    rows: the numbers that one of them knows
    """
    _parts = (("rows", MachineCompareRow, 1),)

    ridge: Optional[str] = None
    machines: List[str] = None  # type: ignore[assignment]
    rows: List[MachineCompareRow] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class MachineCheckMachine(Record):
    """What is wrong with a machine.

    id: the machine, or its file where that cannot be read
    findings: what is wrong
    gaps: what cannot be said of it, and why: nothing is wrong
    unknown: numbers that nobody gives
    unverified: numbers not checked at their source
    """

    id: Optional[str] = None
    findings: List[str] = None  # type: ignore[assignment]
    gaps: List[str] = None  # type: ignore[assignment]
    unknown: List[str] = None  # type: ignore[assignment]
    unverified: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class MachineCheck(Answer):
    """What is wrong with machines.

    ridge: the version that answered
    machines: those that were checked
    """
    _parts = (("machines", MachineCheckMachine, 1),)

    ridge: Optional[str] = None
    machines: List[MachineCheckMachine] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class MachineAdd(Answer):
    """A machine that was added.

    ridge: the version that answered
    id: what options call the machine
    file: where its file lies now
    overrides: does it stand for a machine that is built in?
    """

    ridge: Optional[str] = None
    id: Optional[str] = None
    file: Optional[str] = None
    overrides: bool = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class DetectCpu(Record):
    """The CPU.

    vendor: its vendor
    brand: what it calls itself
    family: of cpuid; on arm64 the implementer
    model: of cpuid; on arm64 the part
    stepping: of cpuid; on arm64 the revision
    microarchitecture: Zen 4
    isa: instruction sets that it has and the system enabled
    sockets: sockets
    cores: physical cores
    threads: threads online
    numa_nodes: NUMA nodes
    hybrid: are its cores of several kinds?
    clock_hz: base clock [Hz]
    clock_source: what tells the clock
    max_clock_hz: highest clock [Hz]
    topology_source: what tells cores and caches
    """

    vendor: Optional[str] = None
    brand: Optional[str] = None
    family: Optional[int] = None
    model: Optional[int] = None
    stepping: Optional[int] = None
    microarchitecture: Optional[str] = None
    isa: Any = None
    sockets: Optional[int] = None
    cores: Optional[int] = None
    threads: Optional[int] = None
    numa_nodes: Optional[int] = None
    hybrid: bool = None  # type: ignore[assignment]
    clock_hz: Optional[int] = None
    clock_source: Optional[str] = None
    max_clock_hz: Optional[int] = None
    topology_source: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class DetectCache(Record):
    """The caches of one level and type.

    level: 1 is next to the core
    type: data, instruction or unified
    size_bytes: of one [bytes]
    count: how many there are
    shared_by_threads: threads that share one
    """

    level: Optional[int] = None
    type: Optional[str] = None
    size_bytes: Optional[int] = None
    count: Optional[int] = None
    shared_by_threads: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class DetectHugePages(Record):
    """Huge pages.

    size_bytes: of one [bytes]
    total: reserved
    free: of them free
    transparent: always, madvise or never
    """

    size_bytes: Optional[int] = None
    total: Optional[int] = None
    free: Optional[int] = None
    transparent: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class DetectMemoryModules(Record):
    """Memory modules, from DMI.

    count: modules
    channels: channels
    transfers_per_s: transfers a second [/s]
    channel_bits: width of a channel
    """

    count: Optional[int] = None
    channels: Optional[int] = None
    transfers_per_s: Optional[int] = None
    channel_bits: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class DetectContainer(Record):
    """The container.

    name: what it is
    evidence: what shows it
    """

    name: Optional[str] = None
    evidence: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class DetectGpu(Record):
    """An NVIDIA GPU.

    name: the driver's name for it
    machine: its machine file's id
    uuid: never recorded
    memory_total_bytes: its memory [bytes]
    memory_free_bytes: of its memory, what is free [bytes]
    sm_clock_max_hz: highest clock of its SMs [Hz]
    memory_clock_max_hz: highest clock of its memory [Hz]
    power_limit_w: the power limit that is enforced [W]
    pcie_generation: highest PCI Express generation
    pcie_width: highest number of PCI Express lanes
    compute_capability: 8.0
    """

    name: Optional[str] = None
    machine: Optional[str] = None
    uuid: Optional[str] = None
    memory_total_bytes: Optional[int] = None
    memory_free_bytes: Optional[int] = None
    sm_clock_max_hz: Optional[int] = None
    memory_clock_max_hz: Optional[int] = None
    power_limit_w: Optional[int] = None
    pcie_generation: Optional[int] = None
    pcie_width: Optional[int] = None
    compute_capability: Any = None


@dataclass(init=False, repr=False, eq=False)
class Detect(Answer):
    """The machine that the program runs on.

    ridge: the version that answered
    id: what options call it
    name: what its vendor calls it
    vendor: its vendor
    kind: gpu, cpu, tpu, accelerator or apple
    arch: its architecture
    year: the year it came out
    inherits: the machine that its file starts from
    file: where it was read
    peak_flops_per_s: dense rates of the whole device
    lacks: precisions that it has no units for: it computes in the next wider one
    memory: levels, the outermost first
    links: links to peers and to the CPU's memory
    compute_units: SMs, compute units or cores
    shared_bytes: L1 or shared memory of one unit [bytes]
    clock_hz: the clock that the peaks are stated at [Hz]
    power_w: the limit that the vendor states [W]
    launch_overhead_s: least time of one kernel, with launches queued ahead [s]
    achieved: what somebody reached
    sources: where each number comes from, by its name
    unverified: numbers not checked at their source
    notes: what else is to be said
    cpu: the CPU
    caches: the caches
    memory_total_bytes: main memory [bytes]
    memory_available_bytes: free, and what can be freed [bytes]
    memory_limit_bytes: the cgroup's limit [bytes]
    memory_node_bytes: memory of each NUMA node
    huge_pages: huge pages
    memory_modules: memory modules, from DMI
    usable_threads: by cpuset and affinity
    cpu_quota: CPUs that the cgroup allows; null: any number
    container: the container
    virtual_machine: the hypervisor
    gpu_driver: version of the NVIDIA driver
    gpus: NVIDIA GPUs
    saved: the file that it was kept in
    """
    _parts = (
        ("peak_flops_per_s", MachinesMachinePeakFlopsPerS, 0),
        ("memory", MachinesMachineMemoryItem, 1),
        ("links", MachinesMachineLink, 1),
        ("achieved", MachinesMachineAchieved, 0),
        ("cpu", DetectCpu, 0),
        ("caches", DetectCache, 1),
        ("huge_pages", DetectHugePages, 0),
        ("memory_modules", DetectMemoryModules, 0),
        ("container", DetectContainer, 0),
        ("virtual_machine", DetectContainer, 0),
        ("gpus", DetectGpu, 1),
    )

    ridge: Optional[str] = None
    id: Optional[str] = None
    name: Optional[str] = None
    vendor: Optional[str] = None
    kind: Optional[str] = None
    arch: Optional[str] = None
    year: Optional[int] = None
    inherits: Optional[str] = None
    file: Optional[str] = None
    peak_flops_per_s: MachinesMachinePeakFlopsPerS = None  # type: ignore[assignment]
    lacks: Any = None
    memory: List[MachinesMachineMemoryItem] = None  # type: ignore[assignment]
    links: List[MachinesMachineLink] = None  # type: ignore[assignment]
    compute_units: Optional[int] = None
    shared_bytes: Optional[int] = None
    clock_hz: Optional[int] = None
    power_w: Optional[int] = None
    launch_overhead_s: Optional[float] = None
    achieved: Optional[MachinesMachineAchieved] = None
    sources: Any = None
    unverified: List[str] = None  # type: ignore[assignment]
    notes: List[str] = None  # type: ignore[assignment]
    cpu: DetectCpu = None  # type: ignore[assignment]
    caches: List[DetectCache] = None  # type: ignore[assignment]
    memory_total_bytes: Optional[int] = None
    memory_available_bytes: Optional[int] = None
    memory_limit_bytes: Optional[int] = None
    memory_node_bytes: Any = None
    huge_pages: DetectHugePages = None  # type: ignore[assignment]
    memory_modules: DetectMemoryModules = None  # type: ignore[assignment]
    usable_threads: Optional[int] = None
    cpu_quota: Any = None
    container: Optional[DetectContainer] = None
    virtual_machine: Optional[DetectContainer] = None
    gpu_driver: Optional[str] = None
    gpus: List[DetectGpu] = None  # type: ignore[assignment]
    saved: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class CalibrateCeilingsBandwidthItem(Record):
    """Bandwidth of a memory level.

    level: level of memory
    operation: what was done to the memory
    variant: the fastest loop for that
    threads: threads
    footprint_bytes: all arrays of all threads [bytes]
    bytes_per_s: bandwidth, the median [bytes/s]
    low: where the median's 95 % interval begins [bytes/s]
    high: where it ends [bytes/s]
    kept: samples that nothing disturbed
    tried: samples taken
    """

    level: Optional[Literal["dram", "llc", "l2", "l1"]] = None
    operation: Optional[Literal["read", "write", "write-nt", "copy", "copy-nt", "triad", "triad-nt"]] = None
    variant: Optional[str] = None
    threads: int = None  # type: ignore[assignment]
    footprint_bytes: int = None  # type: ignore[assignment]
    bytes_per_s: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    kept: int = None  # type: ignore[assignment]
    tried: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CalibrateCeilingsFlop(Record):
    """Rate of multiply-adds.

    precision: precision of the multiply-adds
    variant: instructions that they are made with
    threads: threads
    flops_per_s: the rate, by the median time [FLOP/s]
    low: where the 95 % interval begins [FLOP/s]
    high: where it ends [FLOP/s]
    clock_hz: clock of a core under that load [Hz]
    flops_per_cycle: FLOPs of one thread in a cycle
    kept: samples that nothing disturbed
    tried: samples taken
    """

    precision: Optional[str] = None
    variant: Optional[str] = None
    threads: int = None  # type: ignore[assignment]
    flops_per_s: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    clock_hz: Optional[float] = None
    flops_per_cycle: Optional[float] = None
    kept: int = None  # type: ignore[assignment]
    tried: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CalibrateCeilingsOverheadItem(Record):
    """What it takes to have threads do nothing.

    threads: threads
    barrier_s: a barrier between two phases [s]
    region_s: an empty parallel region of threads that wait for it [s]
    wake_s: ... of threads that sleep [s]
    """

    threads: int = None  # type: ignore[assignment]
    barrier_s: Optional[float] = None
    region_s: Optional[float] = None
    wake_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class CalibrateCeilings(Record):
    """What was measured.

    bandwidth: bandwidths
    flops: rates of arithmetic
    overhead: cost of parallel regions
    clock_resolution_s: resolution of the clock [s]
    huge_pages: the large buffers had them
    interrupted: not all was measured
    """
    _parts = (
        ("bandwidth", CalibrateCeilingsBandwidthItem, 1),
        ("flops", CalibrateCeilingsFlop, 1),
        ("overhead", CalibrateCeilingsOverheadItem, 1),
    )

    bandwidth: List[CalibrateCeilingsBandwidthItem] = None  # type: ignore[assignment]
    flops: List[CalibrateCeilingsFlop] = None  # type: ignore[assignment]
    overhead: List[CalibrateCeilingsOverheadItem] = None  # type: ignore[assignment]
    clock_resolution_s: Optional[float] = None
    huge_pages: bool = None  # type: ignore[assignment]
    interrupted: bool = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class Calibrate(Answer):
    """This machine's ceilings.

    ridge: the version that answered
    machine: the machine, as of ridge machine
    ceilings: what was measured
    cpus: CPUs that the process may use
    saved: file of the machine 'this'
    """
    _parts = (("machine", MachinesMachine, 0), ("ceilings", CalibrateCeilings, 0),)

    ridge: Optional[str] = None
    machine: MachinesMachine = None  # type: ignore[assignment]
    ceilings: Optional[CalibrateCeilings] = None
    cpus: int = None  # type: ignore[assignment]
    saved: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class LiveGpu(Record):
    """An NVIDIA GPU at this moment.

    name: as its driver calls it
    busy_percent: share of the last moments in which something ran on it, in percent
    memory_total_bytes: its memory [bytes]
    memory_used_bytes: what of it is in use [bytes]
    sm_clock_hz: clock of its multiprocessors now [Hz]
    memory_clock_hz: clock of its memory now [Hz]
    power_w: what it draws now [W]
    temperature_c: its temperature in degrees Celsius
    """

    name: Optional[str] = None
    busy_percent: Optional[int] = None
    memory_total_bytes: Optional[int] = None
    memory_used_bytes: Optional[int] = None
    sm_clock_hz: Optional[int] = None
    memory_clock_hz: Optional[int] = None
    power_w: Optional[int] = None
    temperature_c: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class Live(Answer):
    """What this machine does at this moment.

    ridge: the version that answered
    cpus: processors that are on
    load_1m: processes that ran or waited for a processor, over a minute
    load_5m: over five minutes
    load_15m: over fifteen minutes
    busy: share of all processors' time that was used while this was answered
    memory_total_bytes: main memory [bytes]
    memory_available_bytes: what of it a new process could have [bytes]
    clock_least_hz: clock of the slowest processor now [Hz]
    clock_most_hz: clock of the fastest processor now [Hz]
    driver: version of the NVIDIA driver
    gpus: the NVIDIA GPUs
    """
    _parts = (("gpus", LiveGpu, 1),)

    ridge: Optional[str] = None
    cpus: Optional[int] = None
    load_1m: Optional[float] = None
    load_5m: Optional[float] = None
    load_15m: Optional[float] = None
    busy: Optional[float] = None
    memory_total_bytes: Optional[int] = None
    memory_available_bytes: Optional[int] = None
    clock_least_hz: Optional[int] = None
    clock_most_hz: Optional[int] = None
    driver: Optional[str] = None
    gpus: List[LiveGpu] = None  # type: ignore[assignment]
