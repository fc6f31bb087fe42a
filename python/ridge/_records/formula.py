"""Answers of `ridge formula`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class FormulaTraceItem(Record):
    """A step of a formula's evaluation.

    depth: in the resolution tree
    step: a call with its arguments, or what a formula of it counts
    expression: the template's text
    value: a number, a truth, null or text
    """

    depth: int = None  # type: ignore[assignment]
    step: Optional[str] = None
    expression: Optional[str] = None
    value: Any = None


@dataclass(init=False, repr=False, eq=False)
class Formula(Answer):
    """One entry evaluated alone.

    ridge: the version that answered
    module: the entry's dotted path
    context: what is evaluated
    arguments: what was given
    value: a number, a truth, null or text
    trace: the resolution tree, top down
    """
    _parts = (("trace", FormulaTraceItem, 1),)

    ridge: Optional[str] = None
    module: Optional[str] = None
    context: Optional[Literal["flops", "reads", "writes", "intermediates", "params"]] = None
    arguments: Any = None
    value: Any = None
    trace: List[FormulaTraceItem] = None  # type: ignore[assignment]
