"""Answers of `ridge fit`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.show import ShowOwn


@dataclass(init=False, repr=False, eq=False)
class Fit(Answer):
    """Which formats of a model fit, how far and how fast.

    ridge: the version that answered
    model: the model as it was named
    machine: id of the machine; null: a size of memory alone was asked about
    machine_known: how the machine is known: named, kept ('this'), detected, or told (its memory alone)
    capacity_bytes: memory of the device [bytes]
    context: tokens of a sequence
    model_context: the model's own largest number of positions
    rows: a row per choice of formats
    notes: what a reader must know
    """
    _parts = (("rows", ShowOwn, 1),)

    ridge: Optional[str] = None
    model: Optional[str] = None
    machine: Optional[str] = None
    machine_known: Optional[str] = None
    capacity_bytes: Optional[int] = None
    context: Optional[int] = None
    model_context: Optional[int] = None
    rows: List[ShowOwn] = None  # type: ignore[assignment]
    notes: List[str] = None  # type: ignore[assignment]
