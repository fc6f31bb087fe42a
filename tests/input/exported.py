"""Writes archives of torch.export as every PyTorch since 2.1 does, from one description of a program; PyTorch itself is not needed.

The encodings are those of torch/_export/serde/{schema,serialize}.py and torch/export/pt2_archive/_package.py:

    generation  PyTorch        archive                                    JSON
    1           2.1            flat, serialized_state_dict.json           unions with all alternatives, {"meta": ...}, maps of parameters
    2           2.2            the same                                   input_specs; unions with all alternatives
    5           2.3, 2.4       flat, serialized_state_dict.pt             schema {"major", "minor"}; unions with the one that is set
    8           2.6            the same                                   names of expressions as str() prints them
    8.7         2.7            the same                                   ... as sympy.srepr() prints them
    8.8         2.8            folder/, data/weights/model.pt             the same
    8.20        2.9 and later  folder/, data/weights/weight_0, ...        the same, nodes have names
"""
import io
import json
import struct
import sys
import zipfile

import writers
from writers import OrderedDict, Storage, checkpoint, tensor

GENERATIONS = ("1", "2", "5", "8", "8.7", "8.8", "8.20")
DTYPES = {"torch.uint8": 1, "torch.int8": 2, "torch.int16": 3, "torch.int32": 4, "torch.int64": 5, "torch.float16": 6, "torch.float32": 7,
          "torch.float64": 8, "torch.complex64": 10, "torch.complex128": 11, "torch.bool": 12, "torch.bfloat16": 13, "torch.uint16": 28}
WIDTH = {"torch.uint8": 1, "torch.int8": 1, "torch.int16": 2, "torch.int32": 4, "torch.int64": 8, "torch.float16": 2, "torch.float32": 4,
         "torch.float64": 8, "torch.complex64": 8, "torch.complex128": 16, "torch.bool": 1, "torch.bfloat16": 2, "torch.uint16": 2}
ARGUMENT = ("as_none as_tensor as_tensors as_int as_ints as_float as_floats as_string as_strings as_sym_int as_sym_ints as_scalar_type as_memory_format "
            "as_layout as_device as_bool as_bools as_sym_bool as_sym_bools as_graph as_optional_tensors as_custom_obj").split()
MEMORY_FORMATS = {"torch.contiguous_format": 1, "torch.channels_last": 2, "torch.preserve_format": 4}


# ---- sizes: a number, a name, or (operation, ...) ----

class Size(tuple):
    """An expression, its text as str() and as srepr() print it, and what it was in the example."""

    def __new__(cls, text, srepr, hint):
        return super().__new__(cls, (text, srepr, hint))


def symbol(name, hint):
    return Size(name, f"Symbol('{name}', positive=True, integer=True)", hint)


def add(a, n):
    return Size(f"{a[0]} + {n}", f"Add({a[1]}, Integer({n}))", a[2] + n)


def times(n, a):
    text = f"({a[0]})" if "+" in a[0] else a[0]
    return Size(f"{n}*{text}", f"Mul(Integer({n}), {a[1]})", n * a[2])


def divided(a, n):
    return Size(f"({a[0]}//{n})", f"FloorDiv({a[1]}, Integer({n}))", a[2] // n)


def called(name, a, n):
    return Size(f"{name}({n}, {a[0]})", f"{name}(Integer({n}), {a[1]})", max(n, a[2]))


# ---- arguments of nodes ----

class Value(str):
    """The name of a tensor."""


class Number(str):
    """The name of a number that a node made."""


class Truth(str):
    """... of a boolean."""


class Dtype(str):
    pass


class Graph:
    """Nodes with what goes in and out; `values` {name: (dtype, sizes)}, `numbers` {name: size}, `truths` {name: True}."""

    def __init__(self, inputs, nodes, outputs, values, numbers=None, truths=None):
        self.inputs, self.nodes, self.outputs, self.values = inputs, nodes, outputs, values
        self.numbers, self.truths = numbers or {}, truths or {}


class Node:
    """`arguments` [(name, value)]; `outputs` names, None, or a list of names (Tensor[]); `stack` [(path, class)]."""

    def __init__(self, target, arguments, outputs, stack=()):
        self.target, self.arguments, self.outputs, self.stack = target, arguments, outputs, stack


class Program:
    """`inputs` names; `parameters`, `buffers`, `constants` {name in the graph: (own name, ...)}:
    a buffer has (own name, persistent), a constant (own name, numbers or None)."""

    def __init__(self, graph, parameters, buffers=None, constants=None, tied=(), ranges=None, calls=(), unused=()):
        self.graph, self.parameters, self.buffers, self.constants = graph, parameters, buffers or {}, constants or {}
        self.tied, self.ranges, self.calls, self.unused = tied, ranges or {}, calls, unused

    def meta(self, name):
        return self.graph.values[name]

    def is_parameter(self, own):
        return own in self.parameters.values() or own in [name for name, _, _ in self.unused]

    def own(self):
        """{own name: (dtype, sizes)} of what the state dict has."""
        out = OrderedDict((own, self.meta(name)) for name, own in self.parameters.items())
        out.update((own, self.meta(name)) for name, (own, persistent) in self.buffers.items() if persistent)
        out.update((own, (dtype, shape)) for own, dtype, shape in self.unused)
        return out


# ---- the JSON ----

class Encoder:
    def __init__(self, generation):
        self.generation = generation
        self.at = GENERATIONS.index(generation)
        self.all_alternatives = generation in ("1", "2")
        self.srepr = self.at >= GENERATIONS.index("8.7")

    def union(self, alternatives, key, value):
        return {**dict.fromkeys(alternatives), key: value} if self.all_alternatives else {key: value}

    def size(self, size):
        if isinstance(size, Size):
            hint = size[2] if self.all_alternatives else {"as_int": size[2]}
            return self.union(("as_expr", "as_int"), "as_expr", {"expr_str": size[1] if self.srepr else size[0], "hint": hint})
        return self.union(("as_expr", "as_int"), "as_int", size)

    def meta(self, dtype, sizes, strides=None, offset=0, gradient=False):
        concrete = [s[2] if isinstance(s, Size) else s for s in sizes]
        strides = writers.strides(concrete) if strides is None else strides
        return {"dtype": DTYPES[dtype], "sizes": [self.size(s) for s in sizes], "requires_grad": gradient, "device": {"type": "cpu", "index": None},
                "strides": [self.size(s) for s in strides], "storage_offset": offset if self.all_alternatives else {"as_int": offset}, "layout": 7}

    def named(self, name):
        return self.union(("as_name", "as_int"), "as_name", name)

    def argument(self, value):
        one = lambda key, v: self.union(ARGUMENT, key, v)
        if value is None:
            return one("as_none", [] if self.generation == "1" else True)
        if isinstance(value, Value):
            return one("as_tensor", {"name": str(value)})
        if isinstance(value, Number):
            return one("as_sym_int", self.named(str(value)))
        if isinstance(value, Truth):
            return one("as_sym_bool", self.union(("as_name", "as_bool"), "as_name", str(value)))
        if isinstance(value, Dtype):
            return one("as_scalar_type", DTYPES[value])
        if isinstance(value, Graph):
            return one("as_graph", {"name": "body", "graph": self.graph(value)})
        if isinstance(value, bool):
            return one("as_bool", value)
        if isinstance(value, int):
            return one("as_int", value)
        if isinstance(value, float):
            return one("as_float", value)
        if isinstance(value, str):
            return one("as_memory_format", MEMORY_FORMATS[value]) if value in MEMORY_FORMATS else one("as_string", value)
        return self.list(value, one)

    def list(self, value, one):
        if all(isinstance(v, bool) for v in value):
            return one("as_bools", list(value))
        if all(isinstance(v, int) for v in value):
            return one("as_ints", list(value))
        if all(isinstance(v, float) for v in value):
            return one("as_floats", list(value))
        if any(isinstance(v, Number) for v in value):
            return one("as_sym_ints", [self.named(str(v)) if isinstance(v, Number) else self.union(("as_name", "as_int"), "as_int", v) for v in value])
        if all(isinstance(v, Value) for v in value):
            return one("as_tensors", [{"name": str(v)} for v in value])
        pair = ("as_tensor", "as_none")
        return one("as_optional_tensors", [self.union(pair, "as_none", True) if v is None else self.union(pair, "as_tensor", {"name": str(v)}) for v in value])

    def stack(self, stack):
        key = lambda path: "L__self__" + ("_" + path.replace(".", "_") if path else "")
        if self.generation == "1":
            dynamo = lambda path: "L['self']" + "".join(f"[{p}]" if p.isdigit() else "." + p for p in path.split(".") if p)
            return ";".join(f"{key(path)}:({dynamo(path)},{cls})" for path, cls in stack)
        return ";".join(f"{key(path)},{path},{cls}" for path, cls in stack)

    def target(self, target):
        return target.replace("torch.ops.", "torch._ops.") if self.generation == "1" else target

    def node(self, node):
        arguments = [{"name": name, "arg": self.argument(value), **({} if self.at < 4 else {"kind": 1})} for name, value in node.arguments]
        out = {"target": self.target(node.target), "inputs": arguments, "outputs": [self.argument(v) for v in node.outputs],
               "metadata": {"stack_trace": 'File "x.py", line 1, in forward\n', **({"nn_module_stack": self.stack(node.stack)} if node.stack else {})}}
        if self.at >= 4:
            out["is_hop_single_tensor_return"] = None
        if self.generation == "8.20":
            out["name"] = node_name(node)
        return out

    def graph(self, g):
        meta = (lambda m: {"meta": m}) if self.generation == "1" else (lambda m: m)
        truth = lambda v: self.union(("as_expr", "as_bool"), "as_bool", v)
        return {"inputs": [self.argument(v) for v in g.inputs], "outputs": [self.argument(v) for v in g.outputs], "nodes": [self.node(n) for n in g.nodes],
                "tensor_values": {name: meta(self.meta(*value)) for name, value in g.values.items()},
                "sym_int_values": {name: self.size(size) for name, size in g.numbers.items()},
                "sym_bool_values": {name: truth(value) for name, value in g.truths.items()}, "is_single_tensor_return": False,
                **({"custom_obj_values": {}, "sym_float_values": {}} if self.at >= 4 else {})}

    def signature(self, p):
        if self.generation == "1":
            return {"inputs_to_parameters": dict(p.parameters), "inputs_to_buffers": {n: own for n, (own, _) in p.buffers.items()},
                    "user_inputs": [], "user_outputs": [], "buffers_to_mutate": {}, "backward_signature": None}
        kinds = ("user_input", "parameter", "buffer", "tensor_constant")
        specs = []
        for value in p.graph.inputs:
            arg = {"name": str(value)}
            if value in p.parameters:
                specs.append(self.union(kinds, "parameter", {"arg": arg, "parameter_name": p.parameters[value]}))
            elif value in p.buffers:
                own, persistent = p.buffers[value]
                specs.append(self.union(kinds, "buffer", {"arg": arg, "buffer_name": own, **({"persistent": persistent} if self.at >= 2 else {})}))
            elif value in p.constants:
                specs.append(self.union(kinds, "tensor_constant", {"arg": arg, "tensor_constant_name": p.constants[value][0]}))
            else:
                specs.append(self.union(kinds, "user_input", {"arg": self.argument(value)}))
        outputs = [self.union(("user_output", "buffer_mutation"), "user_output", {"arg": self.argument(v)}) for v in p.graph.outputs]
        return {"input_specs": specs, "output_specs": outputs}

    def program(self, p):
        infinite = float("inf") if self.all_alternatives else None
        ranges = {name: {"min_val": low, "max_val": infinite if high is None else high} for name, (low, high) in p.ranges.items()}
        schema = {"1": 1, "2": 2, "5": {"major": 5, "minor": 3}, "8": {"major": 8, "minor": 1}, "8.7": {"major": 8, "minor": 7},
                  "8.8": {"major": 8, "minor": 8}, "8.20": {"major": 8, "minor": 20}}[self.generation]
        out = {"graph_module": {"graph": self.graph(p.graph), "signature": self.signature(p),
                                "module_call_graph": [{"fqn": fqn, "signature": None} for fqn in p.calls]},
               "opset_version": {"aten": 10}, "range_constraints": ranges, "schema_version": schema}
        if self.all_alternatives:
            out["dialect"] = "ATEN"
        if self.at >= 3:
            out.update(verifiers=["ATEN"], torch_version={"8": "2.6.0+cu124", "8.7": "2.7.1", "8.8": "2.8.0", "8.20": "2.12.0+cpu"}[self.generation])
        return out


def node_name(node):
    return next(str(v) for o in node.outputs for v in (o if isinstance(o, list) else [o]) if v is not None)


# ---- the archive ----

def zipped(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data in entries:
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return out.getvalue()


def state_dict(p, made=None):
    """What torch.save writes of it: tensors that are tied share a storage."""
    storages, out = {}, OrderedDict()
    key_of = {name: names[0] for names in p.tied for name in names}
    for name, (dtype, shape) in (p.own() if made is None else made).items():
        key = key_of.get(name, name)
        if key not in storages:
            storages[key] = Storage(str(len(storages)), dtype, writers.product(shape))
        value = tensor(storages[key], shape)
        out[name] = writers.parameter(value) if p.is_parameter(name) else value
    return checkpoint(out)


def payload(e, p, made, prefix, numbers=None):
    """A config of data/weights or data/constants, and the entries that it names."""
    key_of = {name: names[0] for names in p.tied for name in names}
    config, entries, at = {}, [], {}
    for name, (dtype, shape) in made.items():
        key = key_of.get(name, name)
        if key not in at:
            at[key] = f"{prefix}{len(at)}"
            data = (numbers or {}).get(name)
            letter = {"torch.int64": "q", "torch.int32": "i", "torch.int16": "h", "torch.uint8": "B", "torch.bool": "?"}.get(dtype)
            raw = bytes(writers.product(shape) * WIDTH[dtype]) if data is None else struct.pack(f"<{len(data)}{letter}", *data)
            entries.append((at[key], raw))
        config[name] = {"path_name": at[key], "is_param": p.is_parameter(name), "use_pickle": False, "tensor_meta": e.meta(dtype, shape)}
    return json.dumps({"config": config}).encode(), entries


def constants_of(p):
    made = OrderedDict((own, p.meta(name)) for name, (own, _) in p.constants.items())
    made.update((own, p.meta(name)) for name, (own, persistent) in p.buffers.items() if not persistent)
    return made, {own: numbers for own, numbers in p.constants.values() if numbers is not None}


def archive(p, generation, change=None, changed=None):
    """The bytes of a .pt2. change(program) may spoil the JSON; changed(entries), which gives a list, what is in the archive."""
    e = Encoder(generation)
    program = e.program(p)
    if change:
        change(program)
    text = json.dumps(program).encode()
    if generation in ("1", "2"):
        entries = [("serialized_exported_program.json", text), ("serialized_state_dict.json", state_dict(p)), ("version", generation.encode())]
        if generation == "2":
            entries.insert(2, ("serialized_constants.json", state_dict(p, constants_of(p)[0])))
    elif generation in ("5", "8", "8.7"):
        entries = [("serialized_exported_program.json", text), ("serialized_state_dict.pt", state_dict(p)),
                   ("serialized_constants.pt", state_dict(p, constants_of(p)[0])), ("serialized_example_inputs.pt", b""), ("version", b"8.7")]
    else:
        entries = [("data/sample_inputs/model.pt", b""), ("models/model.json", text), ("archive_format", b"pt2"), ("byteorder", b"little"),
                   (".data/version", b"6\n"), ("archive_version", b"0")]
        if generation == "8.8":
            entries += [("data/weights/model.pt", state_dict(p)), ("data/constants/model.pt", state_dict(p, constants_of(p)[0]))]
        else:
            for folder, prefix, made, numbers in (("weights", "weight_", p.own(), None), ("constants", "tensor_", *constants_of(p))):
                config, stored = payload(e, p, made, prefix, numbers)
                entries += [(f"data/{folder}/model_{folder}_config.json", config)] + [(f"data/{folder}/{n}", data) for n, data in stored]
        entries = [("net/" + name, data) for name, data in entries]
    return zipped(changed(entries) if changed else entries)
