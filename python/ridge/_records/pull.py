"""Answers of `ridge pull`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class PullFile(Record):
    """A file of the model.

    file: its path in the repository
    bytes: of the whole file [bytes]
    tensors: of a weight file, how many it has
    elements: of its tensors
    path: in the cache; null: of a weight file the header alone was read
    """

    file: Optional[str] = None
    bytes: Optional[int] = None
    tensors: Optional[int] = None
    elements: Optional[int] = None
    path: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class Pull(Answer):
    """What was fetched of a model.

    ridge: the version that answered
    model: its id
    revision: the branch, tag or commit that was asked for
    commit: what that is now
    files: what was read
    tensors: of all weight files
    elements: of all tensors
    weights_bytes: of all tensors [bytes]
    """
    _parts = (("files", PullFile, 1),)

    ridge: Optional[str] = None
    model: Optional[str] = None
    revision: Optional[str] = None
    commit: Optional[str] = None
    files: List[PullFile] = None  # type: ignore[assignment]
    tensors: Optional[int] = None
    elements: Optional[int] = None
    weights_bytes: Optional[int] = None
