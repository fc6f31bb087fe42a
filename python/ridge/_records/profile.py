"""Answers of `ridge profile`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.bench import BenchMachine
from ridge._records.machine import CalibrateCeilings


@dataclass(init=False, repr=False, eq=False)
class ProfileWorkload(Record):
    """What goes through it.

    batch: sequences at once
    seq: new tokens of each; null where the model takes none
    past: tokens before them; null where the model keeps no cache
    weights: number format of the weights
    activations: ... of activations
    kv: ... of K and V
    """

    batch: Optional[int] = None
    seq: Optional[int] = None
    past: Optional[int] = None
    weights: Optional[str] = None
    activations: Optional[str] = None
    kv: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class ProfileShape(Record):
    """Sizes of the layer; a model's layers have their own.

    hidden: length of the residual stream
    heads: query heads
    kv_heads: key and value heads
    head_dim: length of a head
    intermediate: length inside the MLP
    """

    hidden: Optional[int] = None
    heads: Optional[int] = None
    kv_heads: Optional[int] = None
    head_dim: Optional[int] = None
    intermediate: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class ProfileComponent(Record):
    """A part, timed inside the pass.

    name: what is run; of a model, its row
    count: how often in all that is profiled
    time_s: of all of them [s]
    low_s: where the 95 % interval begins [s]
    high_s: where it ends [s]
    percent: of the total [%]
    predicted_s: from the ceilings [s]
    bound: the ceiling of which the larger fraction is reached
    percent_of_ceiling: how much of it is reached [%]
    beats_roofline: faster than it: then a ceiling or a byte count is wrong
    error: |predicted - measured| / measured
    flops: FLOPs of all of them, by the catalog
    bytes: bytes they move, by the catalog [bytes]
    variant: the implementation of its longest kernel
    max_relative_error: of its worst kernel, against the reference
    tolerance: the most that that may be
    """

    name: Optional[str] = None
    count: Optional[int] = None
    time_s: Optional[float] = None
    low_s: Optional[float] = None
    high_s: Optional[float] = None
    percent: Optional[float] = None
    predicted_s: Optional[float] = None
    bound: Optional[Literal["memory", "compute"]] = None
    percent_of_ceiling: Optional[float] = None
    beats_roofline: bool = None  # type: ignore[assignment]
    error: Optional[float] = None
    flops: Optional[int] = None
    bytes: Optional[int] = None
    variant: Optional[str] = None
    max_relative_error: Optional[float] = None
    tolerance: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class ProfileGroup(Record):
    """What runs one after the other.

    name: the layer; empty outside of layers
    count: layers like it
    pass_s: one pass through it [s]
    low_s: where the 95 % interval begins [s]
    high_s: where it ends [s]
    kept: passes that nothing disturbed
    tried: passes timed
    places: copies of the weights that passes go through
    """

    name: Optional[str] = None
    count: Optional[int] = None
    pass_s: Optional[float] = None
    low_s: Optional[float] = None
    high_s: Optional[float] = None
    kept: int = None  # type: ignore[assignment]
    tried: int = None  # type: ignore[assignment]
    places: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class ProfileLevel(Record):
    """Attention as one kernel.

    level: of the option
    name: how the score matrix is treated
    variant: the implementation
    right: it matched the reference; else it is not timed
    time_s: the median [s]
    low_s: where its 95 % interval begins [s]
    high_s: where it ends [s]
    speedup: over level 0
    max_relative_error: the largest, against the reference
    tolerance: the most that that may be
    """

    level: int = None  # type: ignore[assignment]
    name: Optional[Literal["naive", "blocked", "fused", "flash"]] = None
    variant: Optional[str] = None
    right: bool = None  # type: ignore[assignment]
    time_s: Optional[float] = None
    low_s: Optional[float] = None
    high_s: Optional[float] = None
    speedup: Optional[float] = None
    max_relative_error: Optional[float] = None
    tolerance: Optional[float] = None


@dataclass(init=False, repr=False, eq=False)
class Profile(Answer):
    """Where the time goes on this machine.

    ridge: the version that answered
    what: attention, layer or model
    model: whose it is
    phase: prefill or decode
    workload: what goes through it
    shape: sizes of the layer; a model's layers have their own
    threads: threads that shared the work
    cpus: CPUs that the process may use
    cache: where weights, K and V come from
    machine: the machine here
    ceilings: what it reaches at best, measured just now
    components: its parts
    groups: what ran in a pass
    levels: attention as one kernel
    total_s: the sum of the components [s]
    predicted_s: the same, from the ceilings [s]
    error: |predicted - measured| / measured
    tokens_per_s: of a model [/s]
    predicted_tokens_per_s: ... as predicted [/s]
    images_per_s: of a model that takes images [/s]
    predicted_images_per_s: ... as predicted [/s]
    left_out: rows that no kernel here runs
    left_out_predicted_s: what they are predicted to take [s]
    bottleneck: the component that takes longest
    recommendation: what to do about it
    interrupted: Ctrl-C ended it
    run: its number in the store
    """
    _parts = (
        ("workload", ProfileWorkload, 0),
        ("shape", ProfileShape, 0),
        ("machine", BenchMachine, 0),
        ("ceilings", CalibrateCeilings, 0),
        ("components", ProfileComponent, 1),
        ("groups", ProfileGroup, 1),
        ("levels", ProfileLevel, 1),
    )

    ridge: Optional[str] = None
    what: Optional[Literal["attention", "layer", "model"]] = None
    model: Optional[str] = None
    phase: Optional[Literal["prefill", "decode", "train"]] = None
    workload: ProfileWorkload = None  # type: ignore[assignment]
    shape: Optional[ProfileShape] = None
    threads: Optional[int] = None
    cpus: int = None  # type: ignore[assignment]
    cache: Optional[Literal["hot", "cold"]] = None
    machine: BenchMachine = None  # type: ignore[assignment]
    ceilings: Optional[CalibrateCeilings] = None
    components: List[ProfileComponent] = None  # type: ignore[assignment]
    groups: List[ProfileGroup] = None  # type: ignore[assignment]
    levels: List[ProfileLevel] = None  # type: ignore[assignment]
    total_s: Optional[float] = None
    predicted_s: Optional[float] = None
    error: Optional[float] = None
    tokens_per_s: Optional[float] = None
    predicted_tokens_per_s: Optional[float] = None
    images_per_s: Optional[float] = None
    predicted_images_per_s: Optional[float] = None
    left_out: List[str] = None  # type: ignore[assignment]
    left_out_predicted_s: Optional[float] = None
    bottleneck: Optional[str] = None
    recommendation: Optional[str] = None
    interrupted: bool = None  # type: ignore[assignment]
    run: Optional[int] = None
