"""The list of a live torch.nn.Module: what tools/ridge_inventory.py writes, which the library carries and which is not written a second time.

In: a module, and example inputs or their shapes. Out: the inventory as a dict, or a file of it (docs/inventory.md).
Fails with LibraryError without PyTorch, OptionError on what is no module or no input.
"""

from __future__ import annotations

import linecache
import types

from ridge import _ask, _errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    import torch  # type: ignore

SHOWN = "<ridge inspect --inventory-script>"
_script = None


def script():
    """The inventory script, as a module."""
    global _script
    if _script is None:
        _ask.need("torch", "an inventory of a module")
        text = _ask.text("inspect", inventory_script=True)
        made = types.ModuleType("ridge_inventory")
        made.__file__ = SHOWN
        linecache.cache[SHOWN] = (len(text), None, text.splitlines(keepends=True), SHOWN)  # so that tracebacks show its lines
        exec(compile(text, SHOWN, "exec"), made.__dict__)
        _script = made
    return _script


def check_module(module: torch.nn.Module):
    """OptionError where it is no torch.nn.Module."""
    torch = _ask.need("torch", "a live module")
    if not isinstance(module, torch.nn.Module):
        raise _errors.OptionError(f"want a torch.nn.Module, not {type(module).__name__}")


def _is_shape(value):
    return isinstance(value, (tuple, list)) and all(isinstance(n, int) and not isinstance(n, bool) for n in value)


def _named(module, named):
    """A dict of inputs whose texts are shapes ("1x3x224x224", "2x10:int64")."""
    return {name: _input(module, value) for name, value in named.items()}


def _input(module, value):
    torch = script().torch
    if isinstance(value, str):
        try:
            return script()._example(value, module)[1]
        except SystemExit:
            raise _errors.OptionError(f"'{value}' is no shape: want 1x3x224x224 or 1x128:int64") from None
    if _is_shape(value) and len(value) > 0:
        if min(value) < 0:
            raise _errors.OptionError(f"{tuple(value)} is no shape")
        return torch.empty(tuple(value), dtype=script()._float_of(module), device="meta")
    return value


def example_inputs(module: torch.nn.Module, inputs):
    """inputs as the script takes them: a tensor, a tuple, a dict or None. A shape stands for a tensor of it: (2, 10) in the module's floating-point
    dtype, or "2x10:int64"; a tuple or list of inputs is the positional arguments of forward()."""
    if inputs is None:
        return None
    if isinstance(inputs, dict):
        return _named(module, inputs)
    if isinstance(inputs, (tuple, list)) and not (_is_shape(inputs) and len(inputs) > 0):
        return tuple(_input(module, one) for one in inputs)
    return (_input(module, inputs),)


def inventory(module: torch.nn.Module, inputs=None, path: str | os.PathLike | None = None, device: str = "meta") -> dict:
    """What Ridge reads of a torch.nn.Module, as a dict; with `path` it is also written there, for ridge.cost and the program `ridge`.

    inputs: example inputs of forward(): a tensor, a tuple of positional arguments, or a dict by name; a shape stands for a tensor of it: (2, 10)
    in the module's floating-point dtype, or "2x10:int64". With them a forward pass of a copy is recorded, operator by operator.
    device: where that copy runs: "meta" without memory, or "cpu" on zeros, for what the meta device cannot run; the dict's "run" says why
    where it failed. The module is not changed.

    Errors: LibraryError without PyTorch, OptionError on what is no module or no shape, OSError of the file.
    Source: tools/ridge_inventory.py; the format: docs/inventory.md.
    """
    check_module(module)
    made = script().inventory(module, example_inputs(module, inputs), device)
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(script().dumps(made))
    return made


def extract_module_parameters(module: torch.nn.Module) -> dict:
    """What the constructor of a torch.nn.Module was called with, as far as the module keeps it under the same names: {"in_features": 64, ...}.
    Whole numbers, floats, bools, texts, None, dtypes and lists of them; a parameter such as `bias` is True or False.

    Errors: LibraryError without PyTorch, OptionError on what is no module. Source: `values` of docs/inventory.md.
    """
    check_module(module)
    return script()._values(module)


def load_model_on_meta_device(model_id: str, trust_remote_code: bool = False, **config) -> torch.nn.Module:
    """A model of transformers, built of its config without weights and without memory: a torch.nn.Module on the meta device.

    model_id: an id, a folder or a config.json; config: values that replace those of the config.
    Errors: LibraryError without transformers or PyTorch; what transformers raises where it has no such model. Source: tools/ridge_inventory.py.
    """
    _ask.need("transformers", "load_model_on_meta_device")
    return script()._of_transformers(model_id, config, trust_remote_code).eval()
