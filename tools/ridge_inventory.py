#!/usr/bin/env python3
"""Lists a torch.nn.Module for Ridge, without its weights: paths, classes, constructor values, shapes, ties; with example inputs also what a forward
pass on the meta device calls and which operators of ATen it runs. Needs Python 3.8 and PyTorch 1.13 or later, nothing else.

    from ridge_inventory import inventory, write
    write(model, "model.json", inputs={"input_ids": torch.zeros(1, 128, dtype=torch.int64)})

    python3 ridge_inventory.py package.module:Class --config hidden=64 --input 1x64 > model.json
    python3 ridge_inventory.py folder_with_config_json --input input_ids:1x128:int64 > model.json
    ridge inspect model.json
"""
import argparse
import ast
import collections.abc
import copy
import dataclasses
import importlib
import importlib.util
import inspect
import json
import math
import os
import platform
import sys
import types

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

FORMAT = 1
DEPTH = 8  # of containers that are looked into


# ---- the modules ----

def _walk(module):
    """(path, module) as named_modules() has them, and (path, path listed) of modules that are seen again."""
    first, modules, aliases = {}, [], []
    stack = [("", module)]
    while stack:
        path, one = stack.pop()
        if id(one) in first:
            aliases.append((path, first[id(one)]))
            continue
        first[id(one)] = path
        modules.append((path, one))
        children = [(f"{path}.{name}" if path else name, child) for name, child in one._modules.items() if child is not None]
        stack.extend(reversed(children))
    return modules, aliases


def _class(module):
    kind = type(module)
    return f"{kind.__module__}.{kind.__qualname__}"


def _dtype(dtype):
    return str(dtype).replace("torch.", "", 1)


def _plain(value, depth=0):
    """(True, value as JSON has it) of numbers, texts, None, dtypes and tuples of them; else (False, None)."""
    if value is None or isinstance(value, (bool, int, str)):
        return True, value
    if isinstance(value, float):
        return True, value if math.isfinite(value) else str(value)
    if isinstance(value, (torch.dtype, torch.device)):
        return True, str(value)
    if isinstance(value, (tuple, list)) and depth < 3 and len(value) <= 64:
        items = [_plain(item, depth + 1) for item in value]
        return all(ok for ok, _ in items), [item for _, item in items]
    return False, None


def _parameters_of_init(kind):
    """The names that a constructor takes; where it hands on what it does not name, those of the next class too."""
    names = []
    for base in kind.__mro__:
        init = base.__dict__.get("__init__")
        if base is torch.nn.Module or base is object:
            break
        if init is None:
            continue
        try:
            taken = list(inspect.signature(init).parameters.values())[1:]
        except (TypeError, ValueError):
            break
        names += [p.name for p in taken if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in names]
        if not any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in taken):
            break
    return names


def _values(module):
    """The constructor's values that the module keeps, and its __constants__."""
    out = {}
    constants = getattr(type(module), "__constants__", ())
    for name in _parameters_of_init(type(module)) + [c for c in constants if isinstance(c, str)]:
        if name in out:
            continue
        if name in module._parameters:
            out[name] = module._parameters[name] is not None
            continue
        ok, value = _plain(module.__dict__.get(name, torch))
        if ok:
            out[name] = value
    return out


def _tensor(name, tensor, path):
    if isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin):
        raise ValueError(f"'{path}' has no shape yet (a lazy module): run the model once, then list it")
    return {"name": name, "shape": list(tensor.shape), "dtype": _dtype(tensor.dtype)}


def _tensors(tensors, path, first):
    """Of one module; first: the path where each tensor was seen first, by its identity."""
    out = []
    for name, tensor in tensors.items():
        if tensor is None:
            continue
        full = f"{path}.{name}" if path else name
        row = _tensor(name, tensor, full)
        if id(tensor) in first:
            row["tied_to"] = first[id(tensor)]
        else:
            first[id(tensor)] = full
        out.append(row)
    return out


def _module(path, module, parameters, buffers):
    row = {"path": path, "class": _class(module), "values": _values(module), "parameters": _tensors(module._parameters, path, parameters)}
    row["buffers"] = _tensors(module._buffers, path, buffers)
    transient = getattr(module, "_non_persistent_buffers_set", ())
    for buffer in row["buffers"]:
        buffer["persistent"] = buffer["name"] not in transient
    return row


def _config(module):
    """What transformers and diffusers keep as .config; None: nothing of that kind."""
    config = getattr(module, "config", None)
    if callable(getattr(config, "to_dict", None)):
        config = config.to_dict()
    elif isinstance(config, collections.abc.Mapping):
        config = dict(config)
        if "model_type" not in config:
            config.setdefault("_class_name", type(module).__name__)
    else:
        return None
    return json.loads(json.dumps(config, default=str))


# ---- the copy on the meta device ----

def _like(tensor, device):
    return torch.empty_like(tensor, device=device) if device == "meta" else torch.zeros_like(tensor, device=device)


def _copy(module, device):
    """On the meta device tensors have shapes and no values, so that a model of any size takes no memory; elsewhere they are zeros."""
    known = {}
    for one in module.modules():
        for _, tensor in _leaves(vars(one), objects=False):  # parameters, buffers, and what stands in attributes
            if id(tensor) in known:
                continue
            with torch.no_grad():
                other = _like(tensor, device)
            if isinstance(tensor, torch.nn.Parameter):
                other = torch.nn.Parameter(other, requires_grad=tensor.requires_grad)
            known[id(tensor)] = other
    return copy.deepcopy(module, known)


_FACTORIES = {getattr(torch, name) for name in (
    "arange", "empty", "empty_strided", "eye", "full", "hann_window", "linspace", "logspace", "normal", "ones", "rand", "randint", "randn",
    "randperm", "tensor", "zeros", "as_tensor") if hasattr(torch, name)}


class _Factories(TorchFunctionMode):
    """Tensors are made on a device where nothing else is said: torch.device('meta') as a context, which PyTorch has from 2.0 on."""

    def __init__(self, device):
        super().__init__()
        self.device = device

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func in _FACTORIES and kwargs.get("device") is None:
            kwargs["device"] = self.device
        return func(*args, **kwargs)


def _on(device):
    place = torch.device(device)
    return place if hasattr(place, "__enter__") else _Factories(device)


# ---- the run ----

def _items(value, objects):
    """What a container holds; objects: of any other object, such as a cache of keys and values, its attributes."""
    if isinstance(value, collections.abc.Mapping):
        return list(value.items())
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f.name, getattr(value, f.name, None)) for f in dataclasses.fields(value)]
    if objects and hasattr(value, "__dict__") and not callable(value) and not isinstance(value, (torch.nn.Module, types.ModuleType)):
        return list(vars(value).items())
    return []


def _leaves(value, name="", inside=(), objects=True):
    """(name, tensor) of all tensors in a value, in containers and in what these hold."""
    if isinstance(value, torch.Tensor):
        yield name, value
        return
    if len(inside) >= DEPTH or id(value) in inside:
        return
    for key, item in _items(value, objects):
        yield from _leaves(item, f"{name}.{key}" if name else str(key), inside + (id(value),), objects)


def _moved(value, device):
    """The same with every tensor on that device."""
    if isinstance(value, torch.Tensor):
        return _like(value, device)
    if isinstance(value, dict):
        return {key: _moved(item, device) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_moved(item, device) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_moved(item, device) for item in value)
    return value


def _call_inputs(module, args, kwargs):
    """Arguments by the names that forward() gives them."""
    try:
        names = [p.name for p in inspect.signature(module.forward).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    named = {(names[i] if i < len(names) else str(i)): value for i, value in enumerate(args)}
    return {**named, **kwargs}


def _shapes(value):
    return [{"name": name, "shape": list(t.shape), "dtype": _dtype(t.dtype)} for name, t in _leaves(value)]


class _Recorder(TorchDispatchMode):
    """What a forward pass does: operators with the values that go in and out, each under the module whose own code ran it."""

    def __init__(self, module):
        super().__init__()
        self.values, self.operators, self.calls = [], [], {}
        self.number = {}  # of a tensor's latest value, by its identity
        self.kept = []  # tensors stay alive, so that no identity is used twice
        self.stack = [""]
        self.modules, _ = _walk(module)
        self.path_of = {id(one): path for path, one in self.modules}
        for path, one in self.modules:
            self._know(one._parameters, path, "parameter")
            self._know(one._buffers, path, "buffer")

    def _know(self, tensors, path, of):
        for name, tensor in tensors.items():
            if tensor is not None and id(tensor) not in self.number:
                self.add(tensor, of, f"{path}.{name}" if path else name)

    def add(self, tensor, of=None, name=None):
        row = {"shape": list(tensor.shape), "dtype": _dtype(tensor.dtype)}
        if of:
            row["of"] = of
        if name:
            row["name"] = name
        self.number[id(tensor)] = len(self.values)
        self.kept.append(tensor)
        self.values.append(row)
        return len(self.values) - 1

    def value_of(self, tensor):
        """A tensor that neither an operator nor the model made is a constant."""
        known = self.number.get(id(tensor))
        return known if known is not None else self.add(tensor, "constant")

    def argument(self, value):
        if isinstance(value, torch.Tensor):
            return {"value": self.value_of(value)}
        if isinstance(value, (tuple, list)) and any(isinstance(item, torch.Tensor) for item in value):
            return {"values": [self.value_of(item) if isinstance(item, torch.Tensor) else None for item in value]}
        ok, plain = _plain(value)
        return plain if ok else str(value)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        names = [a.name for a in func._schema.arguments]
        given = {(names[i] if i < len(names) else str(i)): value for i, value in enumerate(args)}
        arguments = {name: self.argument(value) for name, value in {**given, **kwargs}.items()}
        out = func(*args, **kwargs)
        outputs = [self.add(tensor) for _, tensor in _leaves(out)]
        self.operators.append({"op": str(func), "module": self.stack[-1], "arguments": arguments, "outputs": outputs})
        return out

    def call(self, original, module, args, kwargs):
        path = self.path_of.get(id(module))
        if path is None:
            return original(module, *args, **kwargs)
        inputs = _shapes(_call_inputs(module, args, kwargs))
        self.stack.append(path)
        try:
            out = original(module, *args, **kwargs)
        finally:
            self.stack.pop()
        call = {"count": 1, "inputs": inputs, "outputs": _shapes(out)}
        calls = self.calls.setdefault(path, [])
        if calls and (calls[-1]["inputs"], calls[-1]["outputs"]) == (call["inputs"], call["outputs"]):
            calls[-1]["count"] += 1
        else:
            calls.append(call)
        return out

    def run(self, module, args, kwargs, device):
        original = torch.nn.Module.__call__
        torch.nn.Module.__call__ = lambda one, *a, **k: self.call(original, one, a, k)
        try:
            with torch.no_grad(), _on(device), self:
                return module(*args, **kwargs)
        finally:
            torch.nn.Module.__call__ = original


def _inputs(inputs):
    """(args, kwargs) of a tensor, a tuple of arguments, or a dict of named ones."""
    if isinstance(inputs, collections.abc.Mapping):
        return (), dict(inputs)
    return (tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)), {}


def _reason(error):
    """The first line of what went wrong."""
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def _run(module, inputs, device):
    """(what ran, calls by path). A model that does not run on the device says why."""
    args, kwargs = _inputs(inputs)
    try:
        there = _copy(module, device).eval()
        args, kwargs = _moved(args, device), _moved(kwargs, device)
        recorder = _Recorder(there)
        given = _call_inputs(there, args, kwargs)
        numbers = [recorder.add(tensor, "input", name) for name, tensor in _leaves(given)]
        out = recorder.run(there, args, kwargs, device)
    except Exception as error:  # whatever the model's code raises is the reason
        return {"device": device, "failed": _reason(error)}, {}
    results = [recorder.value_of(tensor) for _, tensor in _leaves(out)]
    return {"device": device, "inputs": numbers, "outputs": results, "values": recorder.values, "operators": recorder.operators}, recorder.calls


def inventory(module, inputs=None, device="meta"):
    """Everything Ridge reads of a module, as a dict. inputs: example inputs of forward(), a tensor, a tuple, or a dict by name; their shapes and
    dtypes matter, their values do not. device: where a copy runs on them, "meta" without memory, or "cpu" with zeros in all tensors, for what
    the meta device cannot run. The module itself is not changed."""
    modules, aliases = _walk(module)
    parameters, buffers = {}, {}
    rows = [_module(path, one, parameters, buffers) for path, one in modules]
    out = {"ridge_inventory": FORMAT, "python": platform.python_version(), "torch": str(torch.__version__)}
    if "transformers" in sys.modules:
        out["transformers"] = str(sys.modules["transformers"].__version__)
    out["class"] = _class(module)
    out["total"] = sum(p.numel() for p in module.parameters())
    config = _config(module)
    if config is not None:
        out["config"] = config
    out["modules"] = rows
    out["aliases"] = [{"path": path, "of": of} for path, of in aliases]
    if inputs is not None:
        out["run"], calls = _run(module, inputs, device)
        for row in rows:
            if calls:
                row["calls"] = calls.get(row["path"], [])
    return out


# ---- writing ----

def _lines(value, lists, indent=""):
    """JSON with a line for each member, and for each item of the lists of these names."""
    out = []
    for key, item in value.items():
        if key in lists and isinstance(item, list) and item:
            text = "[\n" + ",\n".join(f"{indent}  {json.dumps(row, allow_nan=False)}" for row in item) + f"\n{indent} ]"
        elif key == "run" and isinstance(item, dict):
            text = _lines(item, lists, indent + " ")
        else:
            text = json.dumps(item)
        out.append(f"{indent} {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(out) + f"\n{indent}}}"


def dumps(rows):
    return _lines(rows, {"modules", "aliases", "values", "operators"}) + "\n"


def write(module, path, inputs=None, device="meta"):
    """Writes the inventory of a module to a file."""
    text = dumps(inventory(module, inputs, device))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# ---- as a command ----

def _value(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _named_values(pairs):
    out = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise SystemExit(f"ridge_inventory: '{pair}': want NAME=VALUE")
        out[name] = _value(value)
    return out


def _load(name):
    """The object of 'package.module:name', or of 'file.py:name'."""
    where, _, attribute = name.rpartition(":")
    if where.endswith(".py"):
        spec = importlib.util.spec_from_file_location(os.path.basename(where)[:-3], where)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(where)
    for part in attribute.split("."):
        module = getattr(module, part)
    return module


def _of_transformers(name, values, trust):
    """Built of a config, without weights: an id, a folder or a config.json."""
    try:
        import transformers
    except ImportError:
        raise SystemExit(f"ridge_inventory: '{name}' is no package.module:Class; as a model of transformers it needs that package")
    config = transformers.AutoConfig.from_pretrained(name, trust_remote_code=trust, **values)
    kind = getattr(transformers, (getattr(config, "architectures", None) or [""])[0], None)
    with _on("meta"):
        return kind(config) if kind else transformers.AutoModel.from_config(config, trust_remote_code=trust)


def _build(args):
    values = _named_values(args.config)
    if ":" not in args.target:
        return _of_transformers(args.target, values, args.trust_remote_code)
    made = _load(args.target)
    if not isinstance(made, torch.nn.Module):
        with _on("meta"):
            made = made(**values)
    if not isinstance(made, torch.nn.Module):
        raise SystemExit(f"ridge_inventory: {args.target} gives a {type(made).__name__}, not a torch.nn.Module")
    return made


def _float_of(module):
    return next((p.dtype for p in module.parameters() if p.is_floating_point()), torch.float32)


def _example(text, module):
    """(name or None, tensor) of 'NAME:1x3x224x224:int64'; name and dtype may be left out, no dimensions are 'scalar'."""
    parts = text.split(":")
    known = hasattr(torch, parts[-1]) and isinstance(getattr(torch, parts[-1]), torch.dtype)
    dtype = getattr(torch, parts.pop()) if len(parts) > 1 and known else _float_of(module)
    name = parts.pop(0) if len(parts) > 1 else None
    try:
        shape = [] if parts == ["scalar"] else [int(n) for n in parts[0].split("x")]
    except ValueError:
        shape = [-1]
    if len(parts) != 1 or any(n < 0 for n in shape):
        raise SystemExit(f"ridge_inventory: --input {text}: want [NAME:]SHAPE[:DTYPE], such as 1x3x224x224 or input_ids:1x128:int64")
    return name, torch.empty(shape, dtype=dtype, device="meta")


def _example_inputs(args, module):
    named = [_example(text, module) for text in args.input]
    if not named and not args.argument:
        return None
    others = _named_values(args.argument)
    positional = [tensor for name, tensor in named if name is None]
    names = list(inspect.signature(module.forward).parameters)
    given = dict(zip(names, positional)) if len(positional) <= len(names) else None
    if given is None:
        raise SystemExit(f"ridge_inventory: {len(positional)} inputs without a name, and forward() takes {len(names)}")
    return {**given, **{name: tensor for name, tensor in named if name is not None}, **others}


def _options():
    parser = argparse.ArgumentParser(prog="ridge_inventory", description="Lists a torch.nn.Module for Ridge, without its weights.")
    parser.add_argument("target", metavar="MODEL", help="package.module:Class, file.py:Class, a function or a module in such a place, or an id, a "
                        "folder or a config.json of transformers")
    parser.add_argument("--config", metavar="NAME=VALUE", nargs="+", action="extend", default=[], help="what the class or function is called with")
    parser.add_argument("--input", metavar="[NAME:]SHAPE[:DTYPE]", action="append", default=[],
                        help="an example input: 1x3x224x224, input_ids:1x128:int64; then a forward pass is recorded")
    parser.add_argument("--argument", metavar="NAME=VALUE", nargs="+", action="extend", default=[], help="another argument of forward(): use_cache=False")
    parser.add_argument("--device", metavar="NAME", default="meta", help="where the pass runs: meta (default), or cpu, which takes the model's memory and time")
    parser.add_argument("--trust-remote-code", action="store_true", help="run code that comes with a model of transformers")
    parser.add_argument("--out", metavar="FILE", help="where to write (default: standard output)")
    return parser


def main(argv=None):
    args = _options().parse_args(argv)
    module = _build(args)
    made = inventory(module, _example_inputs(args, module), args.device)
    failed = made.get("run", {}).get("failed")
    if failed:
        other = "; --device cpu may" if args.device == "meta" else ""
        print(f"ridge_inventory: the forward pass does not run on {args.device}{other}; nothing of it is recorded: {failed}", file=sys.stderr)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(dumps(made))
    else:
        sys.stdout.write(dumps(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
