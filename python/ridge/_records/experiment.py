"""Answers of `ridge experiment`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class ExperimentCache(Record):
    """A cache of this machine.

    name: which one
    bytes: that all threads together have of it [bytes]
    """

    name: Optional[str] = None
    bytes: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class Experiment(Answer):
    """One comparison, one sentence.

    ridge: the version that answered
    experiment: which one
    subject: what was measured
    rows: its points
    caches: of size-sweep: where the system says that caches end
    rounds: times that every point was to be measured
    verdict: a word or a number; null where the intervals carry none
    sentence: what to do
    interrupted: Ctrl-C ended it
    cpus: CPUs that the process may use
    run: its number in the store
    """
    _parts = (("caches", ExperimentCache, 1),)

    ridge: Optional[str] = None
    experiment: Optional[Literal["memory-vs-compute", "quant-overhead", "tile-sweep", "thread-sweep", "size-sweep", "batch-sweep"]] = None
    subject: Optional[str] = None
    rows: List[Any] = None  # type: ignore[assignment]
    caches: List[ExperimentCache] = None  # type: ignore[assignment]
    rounds: Optional[int] = None
    verdict: Optional[str] = None
    sentence: Optional[str] = None
    interrupted: bool = None  # type: ignore[assignment]
    cpus: int = None  # type: ignore[assignment]
    run: Optional[int] = None
