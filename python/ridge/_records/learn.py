"""Answers of `ridge learn`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class Learn(Answer):
    """What was derived of a model from its Python source.

    ridge: the version that answered
    what: the class or the model as it was named
    library: the package that the class belongs to
    version: the version that the package tells of itself
    class_: the model's class with its Python module
    classes: every class of the source that the model is made of: where it stands, what of it is unresolved
    model: parameters, the modules of named_modules(), and what each run of it costs, module by module
    unresolved: what could not be derived while the model was built
    assumed: what was taken for granted where the source leaves it to data, and where a cost is near but not exact
    pending: answers of the agent that the numbers rest on, which nobody has validated
    refused: answers of the agent that were no answers, and why
    """
    _renamed = ("class",)

    ridge: Optional[str] = None
    what: Optional[str] = None
    library: Optional[str] = None
    version: Optional[str] = None
    class_: Optional[str] = None
    classes: Any = None
    model: Any = None
    unresolved: Any = None
    assumed: Any = None
    pending: Any = None
    refused: Any = None
