"""Answers of `ridge baseline`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.bench import BenchRowTimeS


@dataclass(init=False, repr=False, eq=False)
class BaselineListBaseline(Record):
    """A run with a name.

    name: its name
    set: when it was given
    run: the run that it names
    started: when that was measured
    machine: fingerprint of the machine
    row_count: its rows
    """

    name: Optional[str] = None
    set: Optional[str] = None
    run: Optional[int] = None
    started: Optional[str] = None
    machine: Optional[str] = None
    row_count: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class BaselineList(Answer):
    """Runs with names.

    ridge: the version that answered
    baselines: the baselines by name
    """
    _parts = (("baselines", BaselineListBaseline, 1),)

    ridge: Optional[str] = None
    baselines: List[BaselineListBaseline] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class BaselineCheckRow(Record):
    """A row then and now.

    kernel: the kind of kernel
    variant: the implementation
    provider: whose it is
    shape: its sizes
    format: number format of the weights, of K and V
    activations: number format of everything else
    threads: threads that shared the work
    cache: where the operands were
    was_s: the baseline's time
    is_s: the run's time
    ratio: is / was
    verdict: what that means
    """
    _parts = (("was_s", BenchRowTimeS, 0), ("is_s", BenchRowTimeS, 0),)

    kernel: Optional[str] = None
    variant: Optional[str] = None
    provider: Optional[str] = None
    shape: Any = None
    format: Optional[str] = None
    activations: Optional[str] = None
    threads: int = None  # type: ignore[assignment]
    cache: Optional[Literal["hot", "cold"]] = None
    was_s: Optional[BenchRowTimeS] = None
    is_s: Optional[BenchRowTimeS] = None
    ratio: Optional[float] = None
    verdict: Optional[Literal["slower", "faster", "same", "missing", "new", "unreached", "uncertain"]] = None


@dataclass(init=False, repr=False, eq=False)
class BaselineCheckSummary(Record):
    """Rows by verdict.

    slower: rows of that verdict
    faster: rows of that verdict
    same: rows of that verdict
    missing: rows of that verdict
    new: rows of that verdict
    unreached: rows of that verdict
    uncertain: rows of that verdict
    """

    slower: int = None  # type: ignore[assignment]
    faster: int = None  # type: ignore[assignment]
    same: int = None  # type: ignore[assignment]
    missing: int = None  # type: ignore[assignment]
    new: int = None  # type: ignore[assignment]
    unreached: int = None  # type: ignore[assignment]
    uncertain: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class BaselineCheck(Answer):
    """A run against a baseline.

    ridge: the version that answered
    baseline: its name
    baseline_run: the run that it names
    run: the run that was checked
    complete: both came to their end
    tolerance: how much slower is still the same
    rows: the rows of both
    summary: rows by verdict
    """
    _parts = (("rows", BaselineCheckRow, 1), ("summary", BaselineCheckSummary, 0),)

    ridge: Optional[str] = None
    baseline: Optional[str] = None
    baseline_run: Optional[int] = None
    run: Optional[int] = None
    complete: bool = None  # type: ignore[assignment]
    tolerance: Optional[float] = None
    rows: List[BaselineCheckRow] = None  # type: ignore[assignment]
    summary: BaselineCheckSummary = None  # type: ignore[assignment]
