"""Answers of `ridge cost`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.show import ShowParameters


@dataclass(init=False, repr=False, eq=False)
class CostWorkload(Record):
    """The workload as run.

    phase: what is run
    batch: sequences at once
    seq: new tokens per sequence
    past: tokens in the cache before them
    decoder_seq: of an encoder-decoder, the decoder's tokens
    encoder_len: length of the encoder's output that the decoder attends
    images: images per sequence of text
    image_size: pixels of an image's height
    image_width: pixels of its width, where that is another number
    video_frames: pictures of a film
    frames: spectrogram frames
    samples: audio samples
    weights: number format of the weights; of those of a file, that of most bytes
    weights_stored: of a file that says how its weights are stored, their formats
    activations: number format of the activations
    kv: number format of the KV cache
    attention: pairs of queries and keys that count
    kernel: whose traffic counts: every operator's, or that of fused chains
    lm_head: positions that the output head runs on
    optimizer: of a training step, the optimiser
    recompute: of a training step, the activations computed again
    bind: of a graph of operators, the sizes that its file leaves open
    """

    phase: Optional[Literal["prefill", "decode", "train"]] = None
    batch: Optional[int] = None
    seq: Optional[int] = None
    past: Optional[int] = None
    decoder_seq: Optional[int] = None
    encoder_len: Optional[int] = None
    images: Optional[int] = None
    image_size: Optional[int] = None
    image_width: Optional[int] = None
    video_frames: Optional[int] = None
    frames: Optional[int] = None
    samples: Optional[int] = None
    weights: Optional[str] = None
    weights_stored: List[str] = None  # type: ignore[assignment]
    activations: Optional[str] = None
    kv: Optional[str] = None
    attention: Optional[Literal["full", "causal"]] = None
    kernel: Optional[Literal["eager", "fused"]] = None
    lm_head: Optional[Literal["all", "last"]] = None
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None
    recompute: Optional[Literal["none", "full", "selective"]] = None
    bind: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class CostFlops(Record):
    """FLOPs of the whole pass.

    total: FLOPs of all classes; a fused multiply-add is 2
    matmul: FLOPs of the class matmul
    attention: FLOPs of the class attention
    activation: FLOPs of the class activation
    embedding: FLOPs of the class embedding
    other: FLOPs of the class other
    torch: matmul + attention: what PyTorch's FlopCounterMode counts where attention is full
    """

    total: Optional[int] = None
    matmul: Optional[int] = None
    attention: Optional[int] = None
    activation: Optional[int] = None
    embedding: Optional[int] = None
    other: Optional[int] = None
    torch: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class CostBytesReads(Record):
    """Bytes read, by kind.

    weights: bytes of weights in reads [bytes]
    activations: bytes of activations in reads [bytes]
    kv: bytes of kv in reads [bytes]
    intermediates: bytes of intermediates in reads [bytes]
    """

    weights: Optional[int] = None
    activations: Optional[int] = None
    kv: Optional[int] = None
    intermediates: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class CostBytesWrites(Record):
    """Bytes written, by kind.

    activations: bytes of activations in writes [bytes]
    kv: bytes of kv in writes [bytes]
    intermediates: bytes of intermediates in writes [bytes]
    """

    activations: Optional[int] = None
    kv: Optional[int] = None
    intermediates: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class CostBytes(Record):
    """Bytes moved in the whole pass.

    total: bytes read and written [bytes]
    reads: bytes read, by kind
    writes: bytes written, by kind
    """
    _parts = (("reads", CostBytesReads, 0), ("writes", CostBytesWrites, 0),)

    total: Optional[int] = None
    reads: CostBytesReads = None  # type: ignore[assignment]
    writes: CostBytesWrites = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CostMemory(Record):
    """Memory held.

    weights: the weights [bytes]
    kv_cache: the KV cache, or a recurrent state [bytes]
    activations_peak: the most that activations take at once, the KV cache left out [bytes]
    gradients: the gradients of a training step [bytes]
    optimizer: the optimiser's state and master weights [bytes]
    total: the sum of the parts [bytes]
    """

    weights: Optional[int] = None
    kv_cache: Optional[int] = None
    activations_peak: Optional[int] = None
    gradients: Optional[int] = None
    optimizer: Optional[int] = None
    total: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class CostRow(Record):
    """A module, or equal modules, with all that is below.

    path: as named_modules() gives it, equal layers folded: model.layers.*
    class_: the module's class
    count: modules that the row stands for; its figures are those of all
    calls: how often they are called in all, where that is not once each
    flops: FLOPs by class
    bytes: bytes moved
    arithmetic_intensity: FLOPs per byte moved [FLOP/byte]
    """
    _parts = (("flops", CostFlops, 0), ("bytes", CostBytes, 0),)
    _renamed = ("class",)

    path: Optional[str] = None
    class_: Optional[str] = None
    count: Optional[int] = None
    calls: Optional[int] = None
    flops: CostFlops = None  # type: ignore[assignment]
    bytes: CostBytes = None  # type: ignore[assignment]
    arithmetic_intensity: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class CostUnknownItem(Record):
    """What was not counted.

    module: a class that the catalog does not have
    needed_by: what uses it
    why: why it is not counted, where it is not that the catalog lacks it
    """

    module: Optional[str] = None
    needed_by: Optional[str] = None
    why: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class Cost(Answer):
    """What a model costs, before it runs.

    ridge: the version that answered
    model: the model as it was named
    architecture: the class that runs
    workload: the workload as run
    parameters: numbers of parameters
    flops: FLOPs of the whole pass
    bytes: bytes moved in the whole pass
    arithmetic_intensity: FLOPs per byte moved [FLOP/byte]
    memory: memory held
    rows: the modules
    unknown: what was not counted
    warnings: what a reader should know
    """
    _parts = (
        ("workload", CostWorkload, 0),
        ("parameters", ShowParameters, 0),
        ("flops", CostFlops, 0),
        ("bytes", CostBytes, 0),
        ("memory", CostMemory, 0),
        ("rows", CostRow, 1),
        ("unknown", CostUnknownItem, 1),
    )

    ridge: Optional[str] = None
    model: Optional[str] = None
    architecture: Optional[str] = None
    workload: Optional[CostWorkload] = None
    parameters: Optional[ShowParameters] = None
    flops: Optional[CostFlops] = None
    bytes: Optional[CostBytes] = None
    arithmetic_intensity: Optional[float] = None
    memory: Optional[CostMemory] = None
    rows: List[CostRow] = None  # type: ignore[assignment]
    unknown: List[CostUnknownItem] = None  # type: ignore[assignment]
    warnings: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CostSymbolicFlops(Record):
    """FLOPs of all classes.

    form: the closed form as text
    polynomial: is it a polynomial, without minima and floors?
    """

    form: Any = None
    polynomial: bool = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CostSymbolic(Answer):
    """Costs as closed forms.

    ridge: the version that answered
    model: the model as it was named
    architecture: the class that runs
    phase: what is run
    symbols: the names in the forms
    flops: FLOPs of all classes
    torch: matmul + attention
    matmul: FLOPs of matrix products
    attention: FLOPs of attention
    activation: FLOPs of activation functions
    other: all other FLOPs
    read_bytes: bytes read
    written_bytes: bytes written
    """
    _parts = (
        ("flops", CostSymbolicFlops, 0),
        ("torch", CostSymbolicFlops, 0),
        ("matmul", CostSymbolicFlops, 0),
        ("attention", CostSymbolicFlops, 0),
        ("activation", CostSymbolicFlops, 0),
        ("other", CostSymbolicFlops, 0),
        ("read_bytes", CostSymbolicFlops, 0),
        ("written_bytes", CostSymbolicFlops, 0),
    )

    ridge: Optional[str] = None
    model: Optional[str] = None
    architecture: Optional[str] = None
    phase: Optional[Literal["prefill", "decode", "train"]] = None
    symbols: List[str] = None  # type: ignore[assignment]
    flops: CostSymbolicFlops = None  # type: ignore[assignment]
    torch: CostSymbolicFlops = None  # type: ignore[assignment]
    matmul: CostSymbolicFlops = None  # type: ignore[assignment]
    attention: CostSymbolicFlops = None  # type: ignore[assignment]
    activation: CostSymbolicFlops = None  # type: ignore[assignment]
    other: CostSymbolicFlops = None  # type: ignore[assignment]
    read_bytes: CostSymbolicFlops = None  # type: ignore[assignment]
    written_bytes: CostSymbolicFlops = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CostExplainTemplate(Record):
    """Where its template stands.

    file: the catalog's file
    line: the line, from 1
    """

    file: Optional[str] = None
    line: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CostExplainLocalName(Record):
    """A local name of a template.

    name: the local name
    formula: what it is bound to
    value: its value here
    """

    name: Optional[str] = None
    formula: Optional[str] = None
    value: Any = None


@dataclass(init=False, repr=False, eq=False)
class CostExplainFormula(Record):
    """A formula of the module itself.

    what: flops, reads or writes
    kind: the class of FLOPs, the kind of bytes
    formula: the template's formula
    value: its value here
    template: where the formula stands
    """
    _parts = (("template", CostExplainTemplate, 0),)

    what: Optional[str] = None
    kind: Optional[str] = None
    formula: Optional[str] = None
    value: Any = None
    template: CostExplainTemplate = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CostExplainPart(Record):
    """A part of the module.

    name: the part's name
    calls: how often it is called
    formula: how the template calls it
    template: where that stands
    flops: FLOPs of one call
    bytes: bytes of one call; of what a fused kernel replaces none
    """
    _parts = (("template", CostExplainTemplate, 0), ("flops", CostFlops, 0), ("bytes", CostBytes, 0),)

    name: Optional[str] = None
    calls: Any = None
    formula: Optional[str] = None
    template: Optional[CostExplainTemplate] = None
    flops: CostFlops = None  # type: ignore[assignment]
    bytes: CostBytes = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class CostExplain(Answer):
    """Where a module's numbers come from.

    ridge: the version that answered
    model: the model as it was named
    architecture: the class that runs
    path: the module's path
    class_: its class
    template: where its template stands
    source: the file and line of its PyTorch source
    thinking: what it computes, in words
    arguments: the arguments it is called with
    local_names: names bound in the template
    formulas: formulas of the module itself
    parts: what it is built from: modules, functions, fused kernels
    flops: FLOPs of one call
    bytes: bytes of one call
    """
    _parts = (
        ("template", CostExplainTemplate, 0),
        ("local_names", CostExplainLocalName, 1),
        ("formulas", CostExplainFormula, 1),
        ("parts", CostExplainPart, 1),
        ("flops", CostFlops, 0),
        ("bytes", CostBytes, 0),
    )
    _renamed = ("class",)

    ridge: Optional[str] = None
    model: Optional[str] = None
    architecture: Optional[str] = None
    path: Optional[str] = None
    class_: Optional[str] = None
    template: Optional[CostExplainTemplate] = None
    source: Optional[str] = None
    thinking: Optional[str] = None
    arguments: Any = None
    local_names: Optional[List[CostExplainLocalName]] = None
    formulas: Optional[List[CostExplainFormula]] = None
    parts: List[CostExplainPart] = None  # type: ignore[assignment]
    flops: CostFlops = None  # type: ignore[assignment]
    bytes: CostBytes = None  # type: ignore[assignment]
