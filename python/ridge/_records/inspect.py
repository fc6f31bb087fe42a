"""Answers of `ridge inspect`; made by scripts/python_stubs.py of what the program says of itself; not written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional

from ridge._answer import Answer, Record
from ridge._records.cost import CostUnknownItem
from ridge._records.show import ShowParameters


@dataclass(init=False, repr=False, eq=False)
class InspectStoredItem(Record):
    """What a file stores in one number format.

    format: a number format
    tensors: tensors of the file in it
    elements: their elements
    bytes: their bytes in the file [bytes]
    """

    format: Optional[str] = None
    tensors: Optional[int] = None
    elements: Optional[int] = None
    bytes: Optional[int] = None


@dataclass(init=False, repr=False, eq=False)
class InspectModule(Record):
    """A module of named_modules().

    path: as named_modules() gives it
    class_: the module's class
    parameters: its own parameters; a tied one counts in every module that holds it
    parameters_total: parameters of the module and all below it, tied ones once
    tensors: name, shape and tie of its own tensors
    """
    _renamed = ("class",)

    path: Optional[str] = None
    class_: Optional[str] = None
    parameters: Optional[int] = None
    parameters_total: Optional[int] = None
    tensors: Any = None


@dataclass(init=False, repr=False, eq=False)
class InspectFiles(Record):
    """The weight files; null where they were not read.

    kind: what the files are
    paths: their paths
    tensors: tensors in all of them
    tied: tensors that share the bytes of another
    bytes: their bytes, shared ones once [bytes]
    part: the member of a checkpoint that was read
    left: the members that were not
    metadata: what the file says of itself
    """

    kind: Optional[str] = None
    paths: List[str] = None  # type: ignore[assignment]
    tensors: int = None  # type: ignore[assignment]
    tied: int = None  # type: ignore[assignment]
    bytes: Optional[int] = None
    part: Optional[str] = None
    left: Optional[str] = None
    metadata: Any = None


@dataclass(init=False, repr=False, eq=False)
class InspectInventory(Record):
    """Of a model that is an inventory, how it was made.

    torch: the version of PyTorch that it was made with
    python: the version of Python
    operators: operators of the recorded forward pass; null where none is recorded
    failed: why the pass could not be recorded; null where it was, or was not asked for
    """

    torch: Optional[str] = None
    python: Optional[str] = None
    operators: Optional[int] = None
    failed: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class InspectVerifyMissingItem(Record):
    """A tensor on one side, on both, or neither.

    name: the parameter's name in the model
    stored: the tensor's name in the files; of several, the first
    shape: in the model
    stored_shape: in the files
    why: what explains it
    """

    name: Optional[str] = None
    stored: Optional[str] = None
    shape: Any = None
    stored_shape: Any = None
    why: Optional[str] = None


@dataclass(init=False, repr=False, eq=False)
class InspectVerify(Record):
    """The tree beside the files.

    tensors: tensors in the files
    parameters: tensors of the model
    matched: of them, those that a tensor of the files is
    compared: what was compared
    unexplained: missing, extra and reshaped ones
    missing: of the model, and not in the files
    extra: in the files, and not of the model
    reshaped: of another shape
    tied: shared with one that is in the files
    fused: one on this side, several on the other
    renamed: under a name that the libraries rename
    quantised: what a quantised checkpoint keeps beside a weight or in its place
    buffers: no parameters
    """
    _parts = (
        ("missing", InspectVerifyMissingItem, 1),
        ("extra", InspectVerifyMissingItem, 1),
        ("reshaped", InspectVerifyMissingItem, 1),
        ("tied", InspectVerifyMissingItem, 1),
        ("fused", InspectVerifyMissingItem, 1),
        ("renamed", InspectVerifyMissingItem, 1),
        ("quantised", InspectVerifyMissingItem, 1),
        ("buffers", InspectVerifyMissingItem, 1),
    )

    tensors: int = None  # type: ignore[assignment]
    parameters: int = None  # type: ignore[assignment]
    matched: int = None  # type: ignore[assignment]
    compared: Optional[str] = None
    unexplained: int = None  # type: ignore[assignment]
    missing: List[InspectVerifyMissingItem] = None  # type: ignore[assignment]
    extra: List[InspectVerifyMissingItem] = None  # type: ignore[assignment]
    reshaped: List[InspectVerifyMissingItem] = None  # type: ignore[assignment]
    tied: List[InspectVerifyMissingItem] = None  # type: ignore[assignment]
    fused: List[InspectVerifyMissingItem] = None  # type: ignore[assignment]
    renamed: List[InspectVerifyMissingItem] = None  # type: ignore[assignment]
    quantised: List[InspectVerifyMissingItem] = None  # type: ignore[assignment]
    buffers: List[InspectVerifyMissingItem] = None  # type: ignore[assignment]


@dataclass(init=False, repr=False, eq=False)
class Inspect(Answer):
    """The module tree of a model.

    ridge: the version that answered
    model: the model as it was named
    architecture: the class that runs
    class_: that class with its Python module
    parameters: numbers of parameters
    weights_bytes: the weights in their format [bytes]
    stored: of a file that says how its weights are stored, its number formats
    buffers_bytes: registered buffers [bytes]
    assumed: defaults taken because the config lacks the field
    modules: every module, in the order of named_modules()
    unknown: what the catalog does not have
    files: the weight files; null where they were not read
    inventory: of a model that is an inventory, how it was made
    verify: the tree beside the files
    warnings: what a reader should know
    """
    _parts = (
        ("parameters", ShowParameters, 0),
        ("stored", InspectStoredItem, 1),
        ("modules", InspectModule, 1),
        ("unknown", CostUnknownItem, 1),
        ("files", InspectFiles, 0),
        ("inventory", InspectInventory, 0),
        ("verify", InspectVerify, 0),
    )
    _renamed = ("class",)

    ridge: Optional[str] = None
    model: Optional[str] = None
    architecture: Optional[str] = None
    class_: Optional[str] = None
    parameters: Optional[ShowParameters] = None
    weights_bytes: Optional[int] = None
    stored: List[InspectStoredItem] = None  # type: ignore[assignment]
    buffers_bytes: Optional[int] = None
    assumed: Any = None
    modules: List[InspectModule] = None  # type: ignore[assignment]
    unknown: List[CostUnknownItem] = None  # type: ignore[assignment]
    files: Optional[InspectFiles] = None
    inventory: Optional[InspectInventory] = None
    verify: Optional[InspectVerify] = None
    warnings: List[str] = None  # type: ignore[assignment]
