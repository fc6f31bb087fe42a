"""Answers of `ridge predict`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.cost import CostWorkload


@dataclass(init=False, repr=False, eq=False)
class PredictGeneration(Record):
    """The request when its last token is made.

    prompt: tokens of the prompt
    generate: tokens generated
    tokens_per_s: generated tokens of the whole batch [/s]
    kv_cache_bytes: the cache when the last token is made [bytes]
    memory_bytes: all memory then, of one device [bytes]
    max_batch: the largest batch that fits then
    """

    prompt: Optional[int] = None
    generate: Optional[int] = None
    tokens_per_s: Optional[float] = None
    kv_cache_bytes: Optional[int] = None
    memory_bytes: Optional[int] = None
    max_batch: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class PredictRatesMatmul(Record):
    """Matrix products.

    wanted: the precision that the formats compute in
    used: the precision of the machine's that stands for it
    peak_flops_per_s: the peak rate of that [FLOP/s]
    """

    wanted: Optional[Literal["fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "int4", "mxfp4", "nvfp4"]] = None
    used: Optional[Literal["fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "int4", "mxfp4", "nvfp4"]] = None
    peak_flops_per_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class PredictRates(Record):
    """The rates of the machine that count.

    matmul: matrix products
    attention: attention scores
    vector_flops_per_s: the vector units [FLOP/s]
    bytes_per_s: main memory [bytes/s]
    ridge_point: the arithmetic intensity from which arithmetic bounds matrix products [FLOP/byte]
    launch_overhead_s: the overhead of a kernel's launch [s]
    """
    _parts = (("matmul", PredictRatesMatmul, 0), ("attention", PredictRatesMatmul, 0),)

    matmul: PredictRatesMatmul = None  # type: ignore[assignment]
    attention: PredictRatesMatmul = None  # type: ignore[assignment]
    vector_flops_per_s: Optional[float] = None
    bytes_per_s: Optional[float] = None
    ridge_point: Optional[float] = None
    launch_overhead_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class PredictMemory(Record):
    """Memory of a device, and what fits.

    weights: the weights [bytes]
    kv_cache: the KV cache, or a recurrent state [bytes]
    activations_peak: the most that activations take at once, the KV cache left out [bytes]
    gradients: the gradients of a training step [bytes]
    optimizer: the optimiser's state and master weights [bytes]
    total: the sum of the parts [bytes]
    capacity: memory of a device [bytes]
    fits: does the total fit into the capacity without the reserve?
    max_batch: the largest batch that fits at this context
    max_context: the longest context that fits at this batch
    model_context: the model's own largest number of positions
    reserve: of the capacity, what is kept for the runtime [bytes]
    """

    weights: Optional[int] = None
    kv_cache: Optional[int] = None
    activations_peak: Optional[int] = None
    gradients: Optional[int] = None
    optimizer: Optional[int] = None
    total: Optional[int] = None
    capacity: Optional[int] = None
    fits: Optional[bool] = None
    max_batch: Optional[int] = None
    max_context: Optional[int] = None
    model_context: Optional[int] = None
    reserve: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class PredictParallel(Record):
    """How devices share the model.

    devices: devices in all
    tensor: devices that share each layer
    pipeline: devices that share the layers
    expert: replicas that share the experts
    data: replicas that share the batch
    microbatches: parts of a replica's batch
    zero: stage of ZeRO
    link_bytes_per_s: bandwidth of a device's link, one direction [bytes/s]
    link_latency_s: latency of a message [s]
    link_s: of the time, messages [s]
    link_bytes: what one device sends [bytes]
    bubble: share of the time that a pipeline's devices wait
    """

    devices: Optional[int] = None
    tensor: Optional[int] = None
    pipeline: Optional[int] = None
    expert: Optional[int] = None
    data: Optional[int] = None
    microbatches: Optional[int] = None
    zero: Optional[int] = None
    link_bytes_per_s: Optional[float] = None
    link_latency_s: Optional[float] = None
    link_s: Optional[float] = None
    link_bytes: Optional[float] = None
    bubble: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class PredictRow(Record):
    """The time of a module or a kernel.

    path: as in ridge cost; functions and fused kernels are rows of their own
    class_: the module's class
    count: modules that the row stands for; its figures are those of all
    time_s: time; a parent's is the sum of its leaves' [s]
    time_compute_s: what the arithmetic alone takes [s]
    time_memory_s: what the memory alone takes [s]
    waits_s: latencies that nothing overlaps [s]
    launch_s: launches [s]
    link_s: messages to other devices [s]
    link_bytes: what one device sends [bytes]
    bound: what most of the time is bound by
    flops: FLOPs of all devices
    bytes: bytes that all devices move [bytes]
    arithmetic_intensity: FLOPs per byte [FLOP/byte]
    device_flops: FLOPs of one device in that time, also those that others repeat
    device_bytes: bytes that one device moves in that time [bytes]
    leaf: a kernel, or several of the same kind
    """
    _renamed = ("class",)

    path: Optional[str] = None
    class_: Optional[str] = None
    count: Optional[int] = None
    time_s: Optional[float] = None
    time_compute_s: Optional[float] = None
    time_memory_s: Optional[float] = None
    waits_s: Optional[float] = None
    launch_s: Optional[float] = None
    link_s: Optional[float] = None
    link_bytes: Optional[float] = None
    bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    flops: Optional[int] = None
    bytes: Optional[int] = None
    arithmetic_intensity: Optional[float] = None
    device_flops: Optional[float] = None
    device_bytes: Optional[float] = None
    leaf: bool = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class PredictAdviceItem(Record):
    """A change that makes it faster.

    action: what would be changed
    gain_s: time saved; of throughput: of the tokens of now [s]
    time_s: time with the options, of the request where one is asked [s]
    speedup: how many times as fast, for the same tokens
    tokens_per_s: tokens per second with the options
    options: the options and their values
    of: what is saved: time of a pass, or of the tokens that now has
    lossy: are results changed, as numbers are rounded more?
    fits: does it fit into the memory?
    to_fit: where it does not, what would make it fit
    memory_bytes: memory held at the most [bytes]
    why: where the time goes now
    images_per_s: images per second with the options
    """

    action: Optional[str] = None
    gain_s: Optional[float] = None
    time_s: Optional[float] = None
    speedup: Optional[float] = None
    tokens_per_s: Optional[float] = None
    options: Any = None
    of: Optional[Literal["time", "throughput"]] = None
    lossy: bool = None  # type: ignore[assignment]
    fits: Optional[bool] = None
    to_fit: Optional[str] = None
    memory_bytes: Optional[int] = None
    why: Optional[str] = None
    images_per_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class PredictPrecisionDecodeAttentionProjectionsCandidate(Record):
    """Formats that were tried.

    weights: of the weights that the kind has
    activations: of the activations
    kv: of the KV cache that it reads
    time_s: time of the kind's kernels [s]
    """

    weights: Optional[str] = None
    activations: Optional[str] = None
    kv: Optional[str] = None
    time_s: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class PredictPrecisionDecodeAttentionProjections(Record):
    """Attention projections.

    weights: of the weights that the kind has
    activations: of the activations
    kv: of the KV cache that it reads
    changed: are they others than now?
    now_s: time as it is [s]
    share: of the pass as it is
    bound: what most of the time is bound by
    time_s: time in the formats [s]
    gain_s: time saved [s]
    speedup: how many times as fast
    why: why these
    candidates: all that were tried
    """
    _parts = (("candidates", PredictPrecisionDecodeAttentionProjectionsCandidate, 1),)

    weights: Optional[str] = None
    activations: Optional[str] = None
    kv: Optional[str] = None
    changed: bool = None  # type: ignore[assignment]
    now_s: Optional[float] = None
    share: Optional[float] = None
    bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    time_s: Optional[float] = None
    gain_s: Optional[float] = None
    speedup: Optional[float] = None
    why: Optional[str] = None
    candidates: List[PredictPrecisionDecodeAttentionProjectionsCandidate] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class PredictPrecisionDecode(Record):
    """Null where the model has no such situation.

    batch: sequences at once
    seq: new tokens per sequence
    past: tokens in the cache before them
    now_s: the pass as it is [s]
    time_s: each kind in its best formats [s]
    attention_projections: attention projections
    mlp: MLP
    experts: experts
    lm_head: lm_head
    attention: attention, KV cache
    norms: norms
    other_matrices: other matrices
    rest: rest
    """
    _parts = (
        ("attention_projections", PredictPrecisionDecodeAttentionProjections, 0),
        ("mlp", PredictPrecisionDecodeAttentionProjections, 0),
        ("experts", PredictPrecisionDecodeAttentionProjections, 0),
        ("lm_head", PredictPrecisionDecodeAttentionProjections, 0),
        ("attention", PredictPrecisionDecodeAttentionProjections, 0),
        ("norms", PredictPrecisionDecodeAttentionProjections, 0),
        ("other_matrices", PredictPrecisionDecodeAttentionProjections, 0),
        ("rest", PredictPrecisionDecodeAttentionProjections, 0),
    )

    batch: Optional[int] = None
    seq: Optional[int] = None
    past: Optional[int] = None
    now_s: Optional[float] = None
    time_s: Optional[float] = None
    attention_projections: Optional[PredictPrecisionDecodeAttentionProjections] = None
    mlp: Optional[PredictPrecisionDecodeAttentionProjections] = None
    experts: Optional[PredictPrecisionDecodeAttentionProjections] = None
    lm_head: Optional[PredictPrecisionDecodeAttentionProjections] = None
    attention: Optional[PredictPrecisionDecodeAttentionProjections] = None
    norms: Optional[PredictPrecisionDecodeAttentionProjections] = None
    other_matrices: Optional[PredictPrecisionDecodeAttentionProjections] = None
    rest: Optional[PredictPrecisionDecodeAttentionProjections] = None


@dataclass(init=False, repr=False, eq=False)
class PredictPrecision(Record):
    """Formats per kind of operator, by situation.

    decode: null where the model has no such situation
    prefill: null where the model has no such situation
    long_context: null where the model has no such situation
    """
    _parts = (
        ("decode", PredictPrecisionDecode, 0),
        ("prefill", PredictPrecisionDecode, 0),
        ("long_context", PredictPrecisionDecode, 0),
    )

    decode: Optional[PredictPrecisionDecode] = None
    prefill: Optional[PredictPrecisionDecode] = None
    long_context: Optional[PredictPrecisionDecode] = None


@dataclass(init=False, repr=False, eq=False)
class PredictAgainstItemRow(Record):
    """A module or a kernel now and then.

    path: as in ridge cost; functions and fused kernels are rows of their own
    now_s: time now [s]
    time_s: time with the changes [s]
    difference_s: then less now [s]
    ratio: then over now
    now_bound: what most of the time is bound by now
    bound: ... and with the changes
    """

    path: Optional[str] = None
    now_s: Optional[float] = None
    time_s: Optional[float] = None
    difference_s: Optional[float] = None
    ratio: Optional[float] = None
    now_bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    bound: Optional[Literal["memory", "compute", "launch", "link"]] = None


@dataclass(init=False, repr=False, eq=False)
class PredictAgainstItem(Record):
    """The prediction with some options changed.

    change: what is changed: options and their values
    machine: the machine's id
    workload: the workload as run
    now_s: time now [s]
    time_s: time with the changes [s]
    difference_s: then less now [s]
    ratio: then over now
    now_bound: what most of the time is bound by now
    bound: ... and with the changes
    tokens_per_s: tokens of the pass per second [/s]
    images_per_s: images of the pass per second [/s]
    energy_j: at the machine's power [J]
    cost_per_million_tokens: in the unit of the price
    cost_per_million_images: in the unit of the price
    ttft_s: time to the first token: the prefill [s]
    tpot_s: mean time of a token after it [s]
    generation_s: all steps after the first token [s]
    latency_s: the whole request [s]
    requests_per_s: requests of the whole batch [/s]
    latency_difference_s: latency less that of now [s]
    latency_ratio: latency over that of now
    memory: memory of a device
    rows: modules and kernels
    notes: what a reader must know of the numbers
    """
    _parts = (("workload", CostWorkload, 0), ("memory", PredictMemory, 0), ("rows", PredictAgainstItemRow, 1),)

    change: Any = None
    machine: Optional[str] = None
    workload: Optional[CostWorkload] = None
    now_s: Optional[float] = None
    time_s: Optional[float] = None
    difference_s: Optional[float] = None
    ratio: Optional[float] = None
    now_bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    tokens_per_s: Optional[float] = None
    images_per_s: Optional[float] = None
    energy_j: Optional[float] = None
    cost_per_million_tokens: Optional[float] = None
    cost_per_million_images: Optional[float] = None
    ttft_s: Optional[float] = None
    tpot_s: Optional[float] = None
    generation_s: Optional[float] = None
    latency_s: Optional[float] = None
    requests_per_s: Optional[float] = None
    latency_difference_s: Optional[float] = None
    latency_ratio: Optional[float] = None
    memory: PredictMemory = None  # type: ignore[assignment]
    rows: List[PredictAgainstItemRow] = None  # type: ignore[assignment]
    notes: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class Predict(Answer):
    """How fast a model could be on a machine, what bounds it, whether it fits.

    ridge: the version that answered
    model: the model as it was named
    architecture: the class that runs
    machine: the machine's id
    workload: the workload as run
    method: how times are found
    time_s: a pass [s]
    tokens_per_s: tokens of the pass per second; null where the model takes none [/s]
    images_per_s: images of the pass per second; null where the model takes none [/s]
    bound: what most of the time is bound by
    mfu: model FLOPs utilisation: matmul and attention, each of the peak it computes at
    bandwidth_utilisation: of main memory's bandwidth: what no cache holds
    energy_j: at the machine's power, of the pass, or of a request's batch [J]
    cost_per_million_tokens: in the unit of the price
    cost_per_million_images: in the unit of the price
    ttft_s: time to the first token: the prefill [s]
    tpot_s: mean time of a token after it [s]
    generation_s: all steps after the first token [s]
    latency_s: the whole request [s]
    requests_per_s: requests of the whole batch [/s]
    generation: the request when its last token is made
    rates: the rates of the machine that count
    memory: memory of a device, and what fits
    parallel: how devices share the model
    rows: modules and kernels
    advice: what would make it faster, the largest gain first
    precision: formats per kind of operator, by situation
    against: the same with some options changed
    notes: what a reader must know of the numbers
    warnings: what a reader should know of the model
    """
    _parts = (
        ("workload", CostWorkload, 0),
        ("generation", PredictGeneration, 0),
        ("rates", PredictRates, 0),
        ("memory", PredictMemory, 0),
        ("parallel", PredictParallel, 0),
        ("rows", PredictRow, 1),
        ("advice", PredictAdviceItem, 1),
        ("precision", PredictPrecision, 0),
        ("against", PredictAgainstItem, 1),
    )

    ridge: Optional[str] = None
    model: Optional[str] = None
    architecture: Optional[str] = None
    machine: Optional[str] = None
    workload: Optional[CostWorkload] = None
    method: Optional[Literal["roofline", "estimate"]] = None
    time_s: Optional[float] = None
    tokens_per_s: Optional[float] = None
    images_per_s: Optional[float] = None
    bound: Optional[Literal["memory", "compute", "launch", "link"]] = None
    mfu: Optional[float] = None
    bandwidth_utilisation: Optional[float] = None
    energy_j: Optional[float] = None
    cost_per_million_tokens: Optional[float] = None
    cost_per_million_images: Optional[float] = None
    ttft_s: Optional[float] = None
    tpot_s: Optional[float] = None
    generation_s: Optional[float] = None
    latency_s: Optional[float] = None
    requests_per_s: Optional[float] = None
    generation: Optional[PredictGeneration] = None
    rates: PredictRates = None  # type: ignore[assignment]
    memory: PredictMemory = None  # type: ignore[assignment]
    parallel: Optional[PredictParallel] = None
    rows: List[PredictRow] = None  # type: ignore[assignment]
    advice: List[PredictAdviceItem] = None  # type: ignore[assignment]
    precision: Optional[PredictPrecision] = None
    against: Optional[List[PredictAgainstItem]] = None
    notes: List[str] = None  # type: ignore[assignment]
    warnings: List[str] = None  # type: ignore[assignment]
