#!/usr/bin/env python3
"""Writes the files of tests/malformed/inventory: what no inventory of a module may be, one fault each.

    inventory.py           writes them
    inventory.py --check   says whether they are what it writes (as a test)"""

import copy
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "inventory"


def tensor(name, *shape, **more):
    return {"name": name, "shape": list(shape), "dtype": "float32", **more}


def module(path, parameters=(), buffers=(), **more):
    return {"path": path, "class": "m." + (path.split(".")[-1].capitalize() or "Model"), "values": {}, "parameters": list(parameters),
            "buffers": list(buffers), **more}


# y = relu(x w^T) and a head that is the table
GOOD = {
    "ridge_inventory": 1, "python": "3.11.2", "torch": "1.13.0", "class": "m.Model", "total": 48,
    "modules": [module("", calls=[{"count": 1, "inputs": [], "outputs": []}]), module("body", [tensor("weight", 4, 4)]), module("body.act"),
                module("table", [tensor("weight", 8, 4)]), module("head", [tensor("weight", 8, 4, tied_to="table.weight")], [tensor("mask", 2)])],
    "aliases": [{"path": "again", "of": "body"}],
    "run": {"device": "meta", "inputs": [1], "outputs": [4],
            "values": [{"shape": [4, 4], "dtype": "float32", "of": "parameter", "name": "body.weight"}, {"shape": [2, 4], "dtype": "float32", "of": "input", "name": "x"},
                       {"shape": [4, 4], "dtype": "float32"}, {"shape": [2, 4], "dtype": "float32"}, {"shape": [2, 4], "dtype": "float32"}],
            "operators": [{"op": "aten.t.default", "module": "body", "arguments": {"self": {"value": 0}}, "outputs": [2]},
                          {"op": "aten.mm.default", "module": "body", "arguments": {"self": {"value": 1}, "mat2": {"value": 2}}, "outputs": [3]},
                          {"op": "aten.relu.default", "module": "body.act", "arguments": {"self": {"value": 3}}, "outputs": [4]}]},
}
GONE = object()


def changed(*changes):
    """GOOD with values put at paths: (("modules", 1, "class"), 3); GONE takes a member away."""
    made = copy.deepcopy(GOOD)
    for path, value in changes:
        at = made
        for step in path[:-1]:
            at = at[step]
        if value is GONE:
            del at[path[-1]]
        elif path[-1] == "+":
            at.append(value)
        else:
            at[path[-1]] = value
    return json.dumps(made)


def at(*path_and_value):
    return changed((path_and_value[:-1], path_and_value[-1]))


M, V, O = "modules", ("run", "values"), ("run", "operators")
FILES = {
    # the whole
    "empty_object": '{"ridge_inventory": 1}',
    "cut_off": json.dumps(GOOD)[:300],
    "key_twice": '{"ridge_inventory": 1, "ridge_inventory": 1, "total": 0, "modules": []}',
    "version_unknown": at("ridge_inventory", 2),
    "version_zero": at("ridge_inventory", 0),
    "version_is_text": at("ridge_inventory", "1"),
    "version_is_fraction": at("ridge_inventory", 1.0),
    "torch_is_number": at("torch", 2.6),
    "config_is_list": at("config", []),
    "total_missing": at("total", GONE),
    "total_is_text": at("total", "48"),
    "total_is_wrong": at("total", 80),
    "total_is_negative": at("total", -48),
    # modules
    "modules_missing": at(M, GONE),
    "modules_is_object": at(M, {}),
    "modules_empty": at(M, []),
    "module_is_text": at(M, 1, "body"),
    "module_without_path": at(M, 1, "path", GONE),
    "module_without_class": at(M, 1, "class", GONE),
    "module_class_is_empty": at(M, 1, "class", ""),
    "module_class_is_null": at(M, 1, "class", None),
    "module_twice": at(M, 2, "path", "body"),
    "module_first_is_no_root": at(M, 0, "path", "model"),
    "module_root_twice": at(M, 2, "path", ""),
    "module_without_parent": at(M, 2, "path", "other.act"),
    "module_out_of_order": changed(((M, "+"), module("body.late"))),
    "module_path_begins_with_dot": at(M, 3, "path", ".table"),
    "module_path_ends_with_dot": at(M, 3, "path", "table."),
    "module_path_has_two_dots": at(M, 2, "path", "body..act"),
    "module_too_deep": changed(((M,), [module(".".join("a" * i)) for i in range(131)]), (("total",), 0), (("aliases",), []), (("run",), GONE)),
    "module_values_are_list": at(M, 1, "values", []),
    "module_without_parameters": at(M, 1, "parameters", GONE),
    "module_buffers_are_null": at(M, 1, "buffers", None),
    "calls_are_number": at(M, 0, "calls", 1),
    "call_is_number": at(M, 0, "calls", [1]),
    "call_without_count": at(M, 0, "calls", [{}]),
    "call_count_is_zero": at(M, 0, "calls", 0, "count", 0),
    # tensors
    "tensor_is_list": at(M, 1, "parameters", 0, []),
    "tensor_without_name": at(M, 1, "parameters", 0, "name", GONE),
    "tensor_name_is_empty": at(M, 1, "parameters", 0, "name", ""),
    "tensor_name_has_dot": at(M, 1, "parameters", 0, "name", "a.b"),
    "tensor_twice": at(M, 1, "parameters", "+", tensor("weight", 1)),
    "tensor_is_buffer_too": at(M, 4, "buffers", "+", tensor("weight", 8, 4)),
    "dtype_missing": at(M, 1, "parameters", 0, "dtype", GONE),
    "dtype_unknown": at(M, 1, "parameters", 0, "dtype", "float12"),
    "dtype_with_torch": at(M, 1, "parameters", 0, "dtype", "torch.float32"),
    "shape_missing": at(M, 1, "parameters", 0, "shape", GONE),
    "shape_is_text": at(M, 1, "parameters", 0, "shape", "4x4"),
    "shape_negative": at(M, 1, "parameters", 0, "shape", [4, -4]),
    "shape_fraction": at(M, 1, "parameters", 0, "shape", [4, 0.5]),
    "shape_above_64_bits": at(M, 1, "parameters", 0, "shape", [2**63]),
    "shape_overflows": at(M, 1, "parameters", 0, "shape", [2**62, 2**62, 2**62]),
    "shape_above_2_63_bytes": at(M, 1, "parameters", 0, "shape", [2**62]),
    "shape_of_33_dimensions": at(M, 1, "parameters", 0, "shape", [1] * 33),
    "tie_is_number": at(M, 4, "parameters", 0, "tied_to", 3),
    "tie_to_nothing": at(M, 4, "parameters", 0, "tied_to", "nobody.weight"),
    "tie_to_itself": at(M, 4, "parameters", 0, "tied_to", "head.weight"),
    "tie_to_what_comes_later": at(M, 3, "parameters", 0, "tied_to", "head.weight"),
    "tie_to_what_is_tied": changed(((M, "+"), module("last", [tensor("weight", 8, 4, tied_to="head.weight")]))),
    "tie_in_a_circle": changed(((M, 3, "parameters", 0, "tied_to"), "head.weight"), ((M, 4, "parameters", 0, "tied_to"), "table.weight")),
    "tie_of_another_shape": at(M, 4, "parameters", 0, "shape", [4, 8]),
    "tie_of_another_dtype": at(M, 4, "parameters", 0, "dtype", "float16"),
    "tie_of_a_buffer_to_a_parameter": at(M, 4, "buffers", 0, tensor("mask", 8, 4, tied_to="table.weight")),
    # aliases
    "alias_is_text": at("aliases", ["again"]),
    "alias_of_nothing": at("aliases", 0, "of", "nobody"),
    "alias_of_an_alias": at("aliases", "+", {"path": "third", "of": "again"}),
    "alias_of_itself": at("aliases", 0, "of", "again"),
    "alias_is_a_module": at("aliases", 0, "path", "head"),
    "alias_twice": at("aliases", "+", {"path": "again", "of": "body"}),
    "alias_in_nothing": at("aliases", 0, "path", "nobody.again"),
    "alias_without_a_name": at("aliases", 0, "path", "body."),
    # the recorded pass
    "run_is_list": at("run", []),
    "run_failed_is_number": at("run", "failed", 1),
    "run_without_values": at(*V, GONE),
    "value_is_number": at(*V, 3, 5),
    "value_without_shape": at(*V, 3, "shape", GONE),
    "value_without_dtype": at(*V, 3, "dtype", GONE),
    "value_of_a_kind_unknown": at(*V, 1, "of", "weight"),
    "value_of_no_module": at(*V, 0, "name", "body.wait"),
    "value_of_another_shape": at(*V, 0, "shape", [4, 5]),
    "value_overflows": at(*V, 3, "shape", [2**40, 2**40]),
    "run_without_operators": at(*O, GONE),
    "operator_is_text": at(*O, 1, "aten.mm.default"),
    "operator_without_op": at(*O, 1, "op", GONE),
    "operator_op_is_empty": at(*O, 1, "op", ""),
    "operator_without_module": at(*O, 1, "module", GONE),
    "operator_of_no_module": at(*O, 1, "module", "nobody"),
    "operator_of_an_alias": at(*O, 1, "module", "again"),
    "operator_without_arguments": at(*O, 1, "arguments", GONE),
    "operator_arguments_are_list": at(*O, 1, "arguments", []),
    "argument_object_of_nothing": at(*O, 1, "arguments", "self", {}),
    "argument_values_are_number": at(*O, 1, "arguments", "self", {"values": 1}),
    "argument_value_is_text": at(*O, 1, "arguments", "self", "value", "1"),
    "argument_value_is_negative": at(*O, 1, "arguments", "self", "value", -1),
    "argument_value_is_not_there": at(*O, 1, "arguments", "self", "value", 5),
    "argument_value_is_huge": at(*O, 1, "arguments", "self", "value", 2**64 + 1),
    "argument_is_read_too_early": at(*O, 1, "arguments", "self", "value", 4),
    "argument_is_its_own_result": at(*O, 1, "arguments", "self", "value", 3),
    "argument_in_a_list_is_not_there": at(*O, 1, "arguments", "self", {"values": [1, 9]}),
    "outputs_missing": at(*O, 1, "outputs", GONE),
    "output_is_an_input": at(*O, 1, "outputs", [1]),
    "output_twice": at(*O, 1, "outputs", [3, 3]),
    "output_again": at(*O, 2, "outputs", [3]),
    "inputs_missing": at("run", "inputs", GONE),
    "input_is_a_weight": at("run", "inputs", [0]),
    "result_is_not_there": at("run", "outputs", [9]),
    "result_was_never_made": changed(((*V, "+"), {"shape": [], "dtype": "float32"}), (("run", "outputs"), [5])),
    # fine
    "fine": json.dumps(GOOD),
    "fine_spread_out": json.dumps(GOOD, indent=2),
    "fine_mark": "\ufeff" + json.dumps(GOOD),
    "fine_key_comes_last": json.dumps({**{k: v for k, v in GOOD.items() if k != "ridge_inventory"}, "ridge_inventory": 1}),
    "fine_unknown_members": changed((("more",), {"x": [1]}), ((M, 1, "more"), 1)),
    "fine_no_run": at("run", GONE),
    "fine_failed": at("run", {"device": "meta", "failed": "NotImplementedError: \u001b[31m"}),
    "fine_odd_arguments": at(*O, 2, "arguments", {"self": {"value": 3}, "a": None, "b": [1, "x"], "c": [0.5, 2], "d": ["x"], "e": 1e400, "f": {"values": [None, 3]},
                                                  "g": [], "h": True, "i": 2**70, "j": [[1]]}),
}


def main():
    FOLDER.mkdir(exist_ok=True)
    names = {name + ".json": text.encode() for name, text in FILES.items()}
    if sys.argv[1:] != ["--check"]:
        for path in FOLDER.iterdir():
            path.unlink()
        for name, data in names.items():
            (FOLDER / name).write_bytes(data)
        return 0
    there = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    print(f"1..1\n{'ok' if there == names else 'not ok'} 1 - the files are what inventory.py writes")
    for name in sorted(there.keys() ^ names.keys()) + [n for n in there.keys() & names.keys() if there[n] != names[n]]:
        print(f"#   {name}")
    return there != names


if __name__ == "__main__":
    sys.exit(main())
