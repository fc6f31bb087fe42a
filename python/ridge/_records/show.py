"""Answers of `ridge show`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class ShowParameters(Record):
    """Numbers of parameters.

    total: parameters, tied ones once
    active: those a token runs: the total less the experts that it does not reach
    embedding: those of the input embedding tables
    """

    total: Optional[int] = None
    active: Optional[int] = None
    embedding: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class ShowFormat(Record):
    """The weights in one format.

    format: number format
    bytes: the weights in it [bytes]
    """

    format: Optional[str] = None
    bytes: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class ShowOwn(Record):
    """In the model's own formats.

    weights: format of the weights
    kv: format of the KV cache; null: the model keeps none
    weights_bytes: the weights in that format [bytes]
    kv_bytes: the cache of one sequence at the context [bytes]
    memory_bytes: weights, cache and activations of one sequence at the context [bytes]
    fits: into the memory; null: its size is not known
    max_context: tokens of one sequence that fit, at most the model's own maximum; null: not known
    max_batch: sequences of the context that fit; null: not known
    prompt_tokens_per_s: tokens of one prompt a second, of a model without text its images, of a graph its runs; null:
        not known [/s]
    generate_tokens_per_s: tokens that one sequence generates a second at the end of the context; null: not known [/s]
    bound: what bounds generation, or the one pass: memory or compute
    """

    weights: Optional[str] = None
    kv: Optional[str] = None
    weights_bytes: Optional[int] = None
    kv_bytes: Optional[int] = None
    memory_bytes: Optional[int] = None
    fits: Optional[bool] = None
    max_context: Optional[int] = None
    max_batch: Optional[int] = None
    prompt_tokens_per_s: Optional[float] = None
    generate_tokens_per_s: Optional[float] = None
    bound: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class Show(Answer):
    """A model on one screen.

    ridge: the version that answered
    model: the model as it was named
    architecture: the class that runs
    model_type: its config's model_type
    parameters: numbers of parameters
    weights_bytes: the weights in the model's own formats [bytes]
    formats: the weights in narrower formats
    kv_bytes_per_token: what a token more takes of the cache; null: the model keeps none [bytes]
    kv_bytes_at_maximum: the cache of one sequence at the model's maximum, or at the context where it has none [bytes]
    prompt_flops: FLOPs of the first piece of a prompt, or of one pass
    flops_per_token: FLOPs of a generated token at the end of the context; null: it generates none
    machine: id of the machine; null: a size of memory alone was asked about
    machine_known: how the machine is known: named, kept ('this'), detected, or told (its memory alone)
    capacity_bytes: memory of the device [bytes]
    context: tokens of a sequence
    model_context: the model's own largest number of positions
    own: in the model's own formats
    would_fit: the widest narrower format of the weights that fits
    note: what a reader should know of the machine
    next: commands to try next
    """
    _parts = (
        ("parameters", ShowParameters, 0),
        ("formats", ShowFormat, 1),
        ("own", ShowOwn, 0),
        ("would_fit", ShowOwn, 0),
    )

    ridge: Optional[str] = None
    model: Optional[str] = None
    architecture: Optional[str] = None
    model_type: Optional[str] = None
    parameters: Optional[ShowParameters] = None
    weights_bytes: Optional[int] = None
    formats: List[ShowFormat] = None  # type: ignore[assignment]
    kv_bytes_per_token: Optional[int] = None
    kv_bytes_at_maximum: Optional[int] = None
    prompt_flops: Optional[int] = None
    flops_per_token: Optional[int] = None
    machine: Optional[str] = None
    machine_known: Optional[str] = None
    capacity_bytes: Optional[int] = None
    context: Optional[int] = None
    model_context: Optional[int] = None
    own: ShowOwn = None  # type: ignore[assignment]
    would_fit: Optional[ShowOwn] = None
    note: Optional[str] = None
    next: List[str] = None  # type: ignore[assignment]
