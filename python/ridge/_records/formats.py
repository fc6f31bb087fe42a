"""Answers of `ridge formats`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class FormatsFormat(Record):
    """A number format.

    name: what options and configs call it
    bits_per_element: bits of an element, scales and zero points included
    block_elements: elements that share a scale; 1: none do
    block_bytes: bytes of a block, where they are whole
    compute: the format whose peak rate applies
    """

    name: Optional[str] = None
    bits_per_element: Optional[str] = None
    block_elements: int = None  # type: ignore[assignment]
    block_bytes: Optional[int] = None
    compute: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class Formats(Answer):
    """The number formats Ridge knows.

    ridge: the version that answered
    formats: the number formats
    """
    _parts = (("formats", FormatsFormat, 1),)

    ridge: Optional[str] = None
    formats: List[FormatsFormat] = None  # type: ignore[assignment]
