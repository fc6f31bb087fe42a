"""Answers of `ridge generate`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class GeneratePythonLibrary(Record):
    """The code of one library.

    library: the folder, or the file, of the modules of a library
    modules: modules of it that became code
    functions: functions: what costs and is no module
    formulas: formulas and choices: what is worth a number or a module
    configs: config classes
    files: files
    lines: lines in them
    bytes: bytes in them [bytes]
    """

    library: Optional[str] = None
    modules: int = None  # type: ignore[assignment]
    functions: int = None  # type: ignore[assignment]
    formulas: int = None  # type: ignore[assignment]
    configs: int = None  # type: ignore[assignment]
    files: int = None  # type: ignore[assignment]
    lines: Optional[int] = None
    bytes: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class GeneratePythonLeftOutItem(Record):
    """An entry without code.

    module: the entry's dotted path
    why: why no code is made of it
    """

    module: Optional[str] = None
    why: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class GeneratePython(Answer):
    """Code that was made of the catalog.

    ridge: the version that answered
    language: python or c
    out: the folder
    modules: modules that became code
    functions: functions: what costs and is no module
    formulas: formulas and choices: what is worth a number or a module
    configs: config classes
    operators: operators of the catalog, which are no modules and become no code; none where modules were named
    files: files
    lines: lines in them
    bytes: bytes in them [bytes]
    libraries: library by library
    left_out: entries that could not become code
    """
    _parts = (("libraries", GeneratePythonLibrary, 1), ("left_out", GeneratePythonLeftOutItem, 1),)

    ridge: Optional[str] = None
    language: Optional[Literal["python", "c"]] = None
    out: Optional[str] = None
    modules: int = None  # type: ignore[assignment]
    functions: int = None  # type: ignore[assignment]
    formulas: int = None  # type: ignore[assignment]
    configs: int = None  # type: ignore[assignment]
    operators: int = None  # type: ignore[assignment]
    files: int = None  # type: ignore[assignment]
    lines: Optional[int] = None
    bytes: Optional[int] = None
    libraries: List[GeneratePythonLibrary] = None  # type: ignore[assignment]
    left_out: List[GeneratePythonLeftOutItem] = None  # type: ignore[assignment]
