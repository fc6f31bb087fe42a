#!/usr/bin/env python3
"""Writes the files of tests/malformed/pt2: archives of torch.export that are wrong, one fault each.

    pt2.py           writes them
    pt2.py --check   says whether they are what it writes (as a test)
    pt2.py --cases   prints tests/malformed/pt2.case without its answers; tests/cli/run.py --update fills them in"""

import copy
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "input"))
import writers  # noqa: E402
from exported import Graph, Node, Program, Value, archive, state_dict, symbol  # noqa: E402

F32, I64 = "torch.float32", "torch.int64"
STACK = [("", "net.Net"), ("fc", "torch.nn.modules.linear.Linear")]


def program(head=True):
    """x [s0, 4] times a weight [2, 4], and a head tied to it."""
    s = symbol("s0", 3)
    values = {"p_w": (F32, [2, 4]), "p_h": (F32, [2, 4]), "c_n": (I64, [2]), "x": (F32, [s, 4]), "t": (F32, [4, 2]), "mm": (F32, [s, 2]), "index": (F32, [s, 2])}
    nodes = [Node("torch.ops.aten.t.default", [("self", Value("p_w"))], [Value("t")], STACK),
             Node("torch.ops.aten.mm.default", [("self", Value("x")), ("mat2", Value("t"))], [Value("mm")], STACK),
             Node("torch.ops.aten.index.Tensor", [("self", Value("mm")), ("indices", [None, Value("c_n")]), ("dims", [0, 1]), ("eps", 0.5), ("flag", True), ("mode", "a")],
                  [Value("index")], STACK)]
    graph = Graph([Value("p_w"), Value("p_h"), Value("c_n"), Value("x")], nodes, [Value("index")], values)
    return Program(graph, {"p_w": "fc.weight", "p_h": "head.weight"}, {}, {"c_n": ("n", [0, 1])}, tied=[("fc.weight", "head.weight")], ranges={"s0": (2, 8)}, calls=("", "fc"))


P = program()


def at(path):
    """A place of the JSON: "graph.nodes.0.inputs" of graph_module; "/schema_version" of the program."""
    parts = path.strip("/").split(".") if path.startswith("/") else ["graph_module"] + path.split(".")
    return [int(p) if p.isdigit() else p for p in parts]


def put(path, value, generation="8.20"):
    """An archive with a value of its JSON changed; `value` a function of the old one, too."""
    def change(tree):
        *parents, last = at(path)
        for part in parents:
            tree = tree[part]
        tree[last] = value(tree[last]) if callable(value) else value
    return archive(P, generation, change)


def without(path, generation="8.20"):
    def change(tree):
        *parents, last = at(path)
        for part in parents:
            tree = tree[part]
        del tree[last]
    return archive(P, generation, change)


def entries(change, generation="8.20"):
    return archive(P, generation, changed=change)


def replaced(name, data, generation="8.20"):
    return entries(lambda all_: [(n, data(d) if callable(data) else data) if n.endswith(name) else (n, d) for n, d in all_], generation)


def dropped(*names, generation="8.20"):
    return entries(lambda all_: [(n, d) for n, d in all_ if not n.endswith(names)], generation)


def config(change, name="weights"):
    def apply(data):
        tree = json.loads(data)
        change(tree["config"])
        return json.dumps(tree).encode()
    return replaced(f"model_{name}_config.json", apply)


def row(name, key, value):
    def change(tree):
        *parents, last = key.split(".")
        place = tree[name]
        for part in parents:
            place = place[part]
        place[last] = value
    return config(change)


def argument(value):
    return put("graph.nodes.2.inputs.1.arg", value)


def nested(depth):
    """A graph in an argument of a graph's node, and so on."""
    graph = {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}, "sym_int_values": {}, "sym_bool_values": {}}
    for _ in range(depth):
        node = {"target": "torch.ops.higher_order.x", "inputs": [{"name": "", "arg": {"as_graph": {"name": "g", "graph": graph}}}], "outputs": [], "metadata": {}}
        graph = {**graph, "nodes": [node]}
    return {"as_graph": {"name": "g", "graph": graph}}


def dictionaries(depth):
    value = {"as_int": 1}
    for _ in range(depth):
        value = {"as_string_to_argument": {"k": value}}
    return value


def expression(text):
    return put("graph.tensor_values.x.sizes.0", {"as_expr": {"expr_str": text, "hint": None}})


def node(**changed):
    return put("graph.nodes.1", lambda old: {**old, **changed})


def other(generation, **tensors):
    """A state dict with tensors of other names or shapes."""
    made = {name.replace("_", "."): value for name, value in tensors.items()}
    return replaced("serialized_state_dict.pt", state_dict(P, made), generation)


GOOD = archive(P, "8.20")
TWO = entries(lambda all_: all_ + [("net/models/second.json", dict(all_)["net/models/model.json"])])
FILES = {
    # the archive
    "no_json": replaced("models/model.json", b"\x80\x02."),
    "json_cut": replaced("models/model.json", lambda d: d[:-20]),
    "json_empty": replaced("models/model.json", b""),
    "json_is_array": replaced("models/model.json", b"[]"),
    "json_of_one_name_twice": replaced("models/model.json", b'{"a":1,"a":2}'),
    "no_model": dropped("models/model.json"),
    "two_models": TWO,
    "aotinductor": entries(lambda all_: [(n, d) for n, d in all_ if "models/" not in n] + [("net/data/aotinductor/model/x.wrapper.so", b"\x7fELF")]),
    "executorch": entries(lambda all_: [(n, d) for n, d in all_ if "models/" not in n] + [("net/data/executorch/model.pte", b"")]),
    "format_is_another": replaced("archive_format", b"pt3"),
    "format_is_deep": entries(lambda all_: [("a/" + n, d) for n, d in all_]),
    "model_compressed": writers.archive([("archive_format", b"pt2"), ("models/model.json", b"{}" * 100)], compressed=("models/model.json",)),
    "zip_cut": GOOD[:-30],
    "schema_9": put("/schema_version", {"major": 9, "minor": 0}),
    "schema_0": put("/schema_version", 0),
    "schema_is_text": put("/schema_version", "8"),
    "schema_without_major": put("/schema_version", {"minor": 1}),
    # its parts
    "no_graph_module": without("/graph_module"),
    "no_graph": without("graph"),
    "no_signature": without("signature"),
    "no_nodes": without("graph.nodes"),
    "nodes_are_object": put("graph.nodes", {}),
    "no_tensor_values": without("graph.tensor_values"),
    "calls_are_object": put("module_call_graph", {}),
    "call_without_name": put("module_call_graph.1", {}),
    # values
    "dtype_unknown": put("graph.tensor_values.x.dtype", 99),
    "dtype_unknown_word": put("graph.tensor_values.x.dtype", "FLOAT4"),
    "dtype_missing": without("graph.tensor_values.x.dtype"),
    "size_negative": put("graph.tensor_values.x.sizes.1", {"as_int": -4}),
    "size_is_fraction": put("graph.tensor_values.x.sizes.1", {"as_int": 4.5}),
    "size_above_2_63": put("graph.tensor_values.x.sizes.1", {"as_int": 2 ** 64}),
    "size_is_nothing": put("graph.tensor_values.x.sizes.1", {"as_int": None, "as_expr": None}),
    "size_is_two": put("graph.tensor_values.x.sizes.1", {"as_int": 4, "as_expr": {"expr_str": "s0"}}),
    "size_as_float": put("graph.tensor_values.x.sizes.1", {"as_float": 4.0}),
    "size_is_null": put("graph.tensor_values.x.sizes.1", None),
    "sizes_of_33": put("graph.tensor_values.x.sizes", [{"as_int": 1}] * 33),
    "expression_open": expression("Add(Symbol('s0', positive=True), Integer(1)"),
    "expression_of_nothing": expression("Add()Integer(1)"),
    "expression_of_odd_characters": expression("s0; import os"),
    "expression_empty": expression(""),
    "expression_deep": expression("Abs(" * 70 + "Integer(1)" + ")" * 70),
    "expression_negative": expression("Integer(-1)"),
    "expression_is_number": put("graph.tensor_values.x.sizes.0", {"as_expr": 3}),
    "number_is_text": put("graph.sym_int_values", {"n": {"as_int": "3"}}),
    "number_of_odd_kind": put("graph.sym_int_values", {"n": {"as_list": []}}),
    "number_and_tensor": put("graph.sym_int_values", {"x": {"as_int": 3}}),
    "value_made_twice": node(outputs=[{"as_tensor": {"name": "t"}}]),
    "value_read_too_early": put("graph.nodes.0.inputs.0.arg", {"as_tensor": {"name": "mm"}}),
    "value_not_there": put("graph.nodes.0.inputs.0.arg", {"as_tensor": {"name": "nobody"}}),
    "value_without_name": put("graph.nodes.0.inputs.0.arg", {"as_tensor": {}}),
    "value_name_is_number": put("graph.nodes.0.inputs.0.arg", {"as_tensor": {"name": 3}}),
    "input_twice": put("graph.inputs", lambda old: old + old[:1]),
    "input_is_text": put("graph.inputs.0", "p_w"),
    "output_not_there": put("graph.outputs.0", {"as_tensor": {"name": "nobody"}}),
    "output_of_odd_kind": put("graph.outputs.0", {"as_thing": 3}),
    # nodes and their arguments
    "node_is_text": put("graph.nodes.1", "mm"),
    "node_without_target": without("graph.nodes.1.target"),
    "node_of_no_operator": put("graph.nodes.1.target", "torch.ops."),
    "node_without_outputs": without("graph.nodes.1.outputs"),
    "argument_without_name": without("graph.nodes.1.inputs.0.name"),
    "argument_of_odd_kind": argument({"as_thing": 3}),
    "argument_of_two_kinds": argument({"as_int": 3, "as_bool": True}),
    "argument_of_no_kind": argument({"as_int": None}),
    "argument_int_is_text": argument({"as_int": "3"}),
    "argument_bool_is_number": argument({"as_bool": 1}),
    "argument_float_is_word": argument({"as_float": "many"}),
    "argument_ints_are_number": argument({"as_ints": 3}),
    "argument_dtype_unknown": argument({"as_scalar_type": 77}),
    "argument_layout_unknown": argument({"as_layout": 77}),
    "argument_text_is_number": argument({"as_string": 3}),
    "graphs_too_deep": argument(nested(18)),
    "dictionaries_too_deep": argument(dictionaries(12)),
    "branch_reads_outside": argument({"as_graph": {"name": "g", "graph": {"inputs": [], "nodes": [], "outputs": [{"as_tensor": {"name": "x"}}], "tensor_values": {}}}}),
    # the signature
    "spec_of_odd_kind": put("signature.input_specs.0", {"thing": {}}),
    "spec_without_arg": put("signature.input_specs.0", {"parameter": {"parameter_name": "a"}}),
    "spec_of_a_result": put("signature.input_specs.0.parameter.arg.name", "mm"),
    "spec_twice": put("signature.input_specs.1.parameter.arg.name", "p_w"),
    "parameter_name_twice": put("signature.input_specs.1.parameter.parameter_name", "fc.weight"),
    "parameter_of_symbols": put("graph.tensor_values.p_w.sizes.0", {"as_expr": {"expr_str": "s0"}}),
    "parameter_overflows": put("graph.tensor_values.p_w.sizes", [{"as_int": 2 ** 40}] * 2),
    # what is stored
    "weights_missing": dropped("model_weights_config.json"),
    "weight_missing": config(lambda c: c.pop("fc.weight")),
    "weight_not_in_the_archive": dropped("data/weights/weight_0"),
    "weight_of_another_shape": row("fc.weight", "tensor_meta.sizes", [{"as_int": 4}, {"as_int": 2}]),
    "weight_of_another_type": row("fc.weight", "tensor_meta.dtype", 6),
    "weight_too_short": replaced("data/weights/weight_0", bytes(12)),
    "weight_beyond": row("head.weight", "tensor_meta.storage_offset", {"as_int": 1}),
    "weight_of_wide_strides": row("head.weight", "tensor_meta.strides", [{"as_int": 5}, {"as_int": 1}]),
    "weight_of_endless_strides": row("head.weight", "tensor_meta.strides", [{"as_int": 2 ** 63 - 1}, {"as_int": 2 ** 63 - 1}]),
    "weight_of_few_strides": row("head.weight", "tensor_meta.strides", [{"as_int": 1}]),
    "weight_without_path": config(lambda c: c["fc.weight"].pop("path_name")),
    "weight_is_no_tensor": row("fc.weight", "tensor_meta", None),
    "config_is_array": replaced("model_weights_config.json", b'{"config": []}'),
    "constant_of_another_shape": config(lambda c: c["n"]["tensor_meta"].update(sizes=[{"as_int": 3}], strides=[{"as_int": 1}]), "constants"),
    "state_dict_missing": dropped("serialized_state_dict.pt", generation="8"),
    "state_dict_empty": replaced("serialized_state_dict.pt", b"", "8"),
    "state_dict_is_no_archive": replaced("serialized_state_dict.pt", b"nothing of the kind", "8"),
    "state_dict_without_one": other("8", fc_weight=(F32, (2, 4))),
    "state_dict_of_another_shape": other("8", fc_weight=(F32, (2, 4)), head_weight=(F32, (4, 2))),
    "weight_pickled": config(lambda c: c["fc.weight"].update(use_pickle=True)),
    "weight_empty": replaced("data/weights/weight_0", b""),
    # fine after all
    "fine_one_more": config(lambda c: c.update({"unused": {**copy.deepcopy(c["fc.weight"]), "is_param": True}})),
}


def files():
    yield from ((name + ".pt2", data) for name, data in FILES.items())


def cases():
    print("# Archives of torch.export that must be refused (some are fine after all: they say so), each with its exact message. tests/malformed/pt2.py writes them.")
    print("# Answers: tests/cli/run.py --update, then read the diff.")
    for name in sorted(FILES):
        print(f"\n## {name.replace('_', ' ')}\n$ ridge inspect tests/malformed/pt2/{name}.pt2")
    return 0


if __name__ == "__main__":
    sys.exit(cases() if "--cases" in sys.argv[1:] else writers.main(HERE / "pt2", files()))
