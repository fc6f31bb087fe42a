"""Answers of `ridge models`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record


@dataclass(init=False, repr=False, eq=False)
class ModelsModel(Record):
    """A shipped config.

    id: the id that names it
    architecture: the class that runs
    model_type: its config's model_type
    parameters: its parameters
    """

    id: Optional[str] = None
    architecture: Optional[str] = None
    model_type: Optional[str] = None
    parameters: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class ModelsModelType(Record):
    """A family of models.

    model_type: the model_type of its configs
    config: its config class
    classes: the classes that run such a config
    """

    model_type: Optional[str] = None
    config: Optional[str] = None
    classes: List[str] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class Models(Answer):
    """What the catalog and the examples hold.

    ridge: the version that answered
    models: the shipped configs
    cached: ids of models in the Hugging Face cache whose config is there
    model_types: the families of the catalog
    """
    _parts = (("models", ModelsModel, 1), ("model_types", ModelsModelType, 1),)

    ridge: Optional[str] = None
    models: List[ModelsModel] = None  # type: ignore[assignment]
    cached: List[str] = None  # type: ignore[assignment]
    model_types: List[ModelsModelType] = None  # type: ignore[assignment]
