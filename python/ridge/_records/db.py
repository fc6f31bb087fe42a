"""Answers of `ridge db`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class DbListEntry(Record):
    """An entry in a list.

    name: its dotted path
    key: its key in a catalog file
    kind: module, function, formula, choice or config
    library: the first part of its path
    origin: built-in, or the user's own
    file: the catalog file
    line: its line there, from 1
    validation: pending, derived, validated or failed, where it says so
    """

    name: Optional[str] = None
    key: Optional[str] = None
    kind: Optional[Literal["module", "function", "formula", "choice", "config", "operator"]] = None
    library: Optional[str] = None
    origin: Optional[Literal["built-in", "user"]] = None
    file: Optional[str] = None
    line: int = None  # type: ignore[assignment]
    validation: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class DbList(Answer):
    """Entries of the catalog.

    ridge: the version that answered
    entries: by library, then by key
    count: how many there are
    """
    _parts = (("entries", DbListEntry, 1),)

    ridge: Optional[str] = None
    entries: List[DbListEntry] = None  # type: ignore[assignment]
    count: int = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class DbShow(Answer):
    """One entry in full.

    ridge: the version that answered
    name: its dotted path
    key: its key in a catalog file
    kind: module, function, formula, choice or config
    library: the first part of its path
    origin: built-in, or the user's own
    file: the catalog file
    line: its line there, from 1
    class_: the class name that is printed
    overrides_builtin: does it replace another entry of its name?
    code_location: where its source stands
    validation: who compared it with what
    entry: as it stands in its file
    resolved: its fields after inheritance
    depends: the entries it needs itself
    depends_all: and all those that they need
    used_by: the entries that need it themselves
    """
    _renamed = ("class",)

    ridge: Optional[str] = None
    name: Optional[str] = None
    key: Optional[str] = None
    kind: Optional[Literal["module", "function", "formula", "choice", "config", "operator"]] = None
    library: Optional[str] = None
    origin: Optional[Literal["built-in", "user"]] = None
    file: Optional[str] = None
    line: int = None  # type: ignore[assignment]
    class_: Optional[str] = None
    overrides_builtin: bool = None  # type: ignore[assignment]
    code_location: Any = None
    validation: Any = None
    entry: Any = None
    resolved: Any = None
    depends: List[str] = None  # type: ignore[assignment]
    depends_all: Optional[List[str]] = None
    used_by: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class DbCheckProblem(Record):
    """Something wrong with a catalog file.

    severity: error or warning
    code: the kind of fault
    entry: the entry looked at; none: the file as a whole
    file: where it stands
    line: from 1; 0: not known
    column: the byte of the line, from 1; 0: not known
    message: what is wrong
    excerpt: the line, with the place underlined
    """

    severity: Optional[str] = None
    code: Optional[str] = None
    entry: Optional[str] = None
    file: Optional[str] = None
    line: int = None  # type: ignore[assignment]
    column: int = None  # type: ignore[assignment]
    message: Optional[str] = None
    excerpt: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class DbCheckChange(Record):
    """A shipped model that an override changes.

    model: a shipped model
    parameters_before: its parameters with the built-in catalog
    parameters_after: ... and with these entries
    flops_before: FLOPs of a prefill with the built-in catalog
    flops_after: ... and with these entries
    bytes_before: bytes moved in it with the built-in catalog [bytes]
    bytes_after: ... and with these entries [bytes]
    error: why it cannot be counted any more
    """

    model: Optional[str] = None
    parameters_before: Optional[int] = None
    parameters_after: Optional[int] = None
    flops_before: Optional[int] = None
    flops_after: Optional[int] = None
    bytes_before: Optional[int] = None
    bytes_after: Optional[int] = None
    error: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class DbCheck(Answer):
    """Everything wrong with catalog files.

    ridge: the version that answered
    entries: how many were looked at
    errors: how many problems are errors
    warnings: how many are warnings
    problems: by place
    changes: the shipped models that overrides among the entries change
    """
    _parts = (("problems", DbCheckProblem, 1), ("changes", DbCheckChange, 1),)

    ridge: Optional[str] = None
    entries: int = None  # type: ignore[assignment]
    errors: int = None  # type: ignore[assignment]
    warnings: int = None  # type: ignore[assignment]
    problems: List[DbCheckProblem] = None  # type: ignore[assignment]
    changes: List[DbCheckChange] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class DbAddEntry(Record):
    """An entry of the file.

    name: the entry's dotted path
    change: what became of the entry of this name
    """

    name: Optional[str] = None
    change: Optional[Literal["added", "overridden", "replaced", "unchanged"]] = None


@dataclass(init=False, repr=False, eq=False)
class DbAdd(Answer):
    """What was added to the user's catalog.

    ridge: the version that answered
    entries: the entries of the file
    changes: the shipped models that overrides among the entries change
    """
    _parts = (("entries", DbAddEntry, 1), ("changes", DbCheckChange, 1),)

    ridge: Optional[str] = None
    entries: List[DbAddEntry] = None  # type: ignore[assignment]
    changes: List[DbCheckChange] = None  # type: ignore[assignment]
