"""Answers of `ridge validate`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class ValidateCaseDifference(Record):
    """What two sides say otherwise.

    path: where the module is, "" the model
    what: what differs: module, class, parameters, FLOPs, order
    ours: what Ridge says, null where it has none
    theirs: what PyTorch says, null where it has none
    """

    path: Optional[str] = None
    what: Optional[str] = None
    ours: Optional[str] = None
    theirs: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class ValidateCase(Record):
    """A configuration, run by both.

    config: fields of the config, or arguments of the class
    workload: batch B, length S, length D of a decoder
    skipped: why PyTorch did not run it, null where it did
    failed: why Ridge has no answer to it, null where it has
    modules: modules that PyTorch names
    parameters: parameters that PyTorch counts
    flops: FLOPs of matrix products and attention that PyTorch runs
    differing: how many rows differ
    differences: the first hundred of them
    """
    _parts = (("differences", ValidateCaseDifference, 1),)

    config: Any = None
    workload: Any = None
    skipped: Optional[str] = None
    failed: Optional[str] = None
    modules: Optional[int] = None
    parameters: Optional[int] = None
    flops: Optional[int] = None
    differing: int = None  # type: ignore[assignment]
    differences: List[ValidateCaseDifference] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class Validate(Answer):
    """A class held against the user's own PyTorch.

    ridge: the version that answered
    class_: the class
    status: validated, or failed
    by: where Ridge's numbers come from: the catalog or the source
    validator: versions of PyTorch, the library and Python
    date: the day, in UTC
    kept: the file that says so of the catalog's entry, null where none does
    ran: cases that PyTorch ran
    cases: the cases, those that PyTorch did not take among them
    """
    _parts = (("cases", ValidateCase, 1),)
    _renamed = ("class",)

    ridge: Optional[str] = None
    class_: Optional[str] = None
    status: Optional[str] = None
    by: Optional[str] = None
    validator: Optional[str] = None
    date: Optional[str] = None
    kept: Optional[str] = None
    ran: int = None  # type: ignore[assignment]
    cases: List[ValidateCase] = None  # type: ignore[assignment]
