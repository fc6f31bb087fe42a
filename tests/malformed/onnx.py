#!/usr/bin/env python3
"""Writes the files of tests/malformed/onnx: what protobuf or ONNX forbids, one fault each, and files that are no ONNX.

    onnx.py           writes them
    onnx.py --check   says whether they are what it writes (as a test)
    onnx.py --cases   writes tests/malformed/onnx.case without its answers; tests/cli/run.py --update fills them in"""

import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "input"))
import onnx_writer as w  # noqa: E402
import writers  # noqa: E402

X, Y = w.info("x", dims=["n", 2]), w.info("y", dims=None)
ADD = w.node("Add", ["x", "w"], ["y"], name="add")


def whole(nodes=(ADD,), inputs=(X,), outputs=(Y,), initializers=(w.floats("w", 2),), more=b"", **model):
    return w.model(w.graph(nodes, inputs, outputs, initializers, more=more), **model)


def tensor(content):
    """the graph with one more initializer"""
    return whole(initializers=[w.floats("w", 2), content])


def attribute(content, **more):
    return whole(nodes=[w.node("Every", ["x", "w"], ["y"], [content], "every", "my")], **more)


def calls(nodes, functions, **more):
    return whole(nodes=nodes, functions=functions, **more)


def inside(depth):
    """graphs in graphs: the innermost reads x"""
    g = w.graph([w.node("Relu", ["x"], ["r"])], [], [w.info("r")])
    for _ in range(depth):
        g = w.graph([w.node("If", ["x"], ["r"], [w.attribute("then_branch", "g", g)])], [], [w.info("r")])
    return attribute(w.attribute("body", "g", g))


def call(name="F", outputs=("y",), inputs=("x",), attributes=()):
    return w.node(name, inputs, outputs, attributes, "call", "my")


GOOD = whole()
GRAPH = w.graph([ADD], [X], [Y], [w.floats("w", 2)])
F = w.function("F", ["a"], ["b"], [w.node("Relu", ["a"], ["b"])])
CHAIN = [w.function(f"F{i}", ["a"], ["b"], [w.node(f"F{i + 1}", ["a"], ["b"], domain="my")]) for i in range(70)] + [
    w.function("F70", ["a"], ["b"], [w.node("Relu", ["a"], ["b"])])]
DOUBLE = [w.function(f"F{i}", ["a"], ["b"], [w.node(f"F{i + 1}", ["a"], ["c"], domain="my"), w.node(f"F{i + 1}", ["c"], ["b"], domain="my")])
          for i in range(30)] + [w.function("F30", ["a"], ["b"], [w.node("Relu", ["a"], ["b"])])]
PAGE = b"<!DOCTYPE html><html><body>404</body></html>"
FILES = {
    # what is no ONNX
    "empty": b"",
    "git_lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
    "web_page": PAGE,
    "web_page_lower": b"\n<html><head></head></html>",
    "text": b'ir_version: 8\nproducer_name: "test"\ngraph {\n}\n',
    "json": b'{"irVersion":"8","producerName":"test","graph":{}}',
    "onnx_runtime": b"\x18\x00\x00\x00ORTM\x00\x00\x00\x00" + bytes(64),
    "tensorrt": b"ftrt\x00\x00\x00\x00" + bytes(64),
    "encrypted": bytes((i * 197 + 91) & 255 for i in range(256)),
    "gzip": b"\x1f\x8b\x08\x00" + bytes(20),
    "zip": b"PK\x03\x04" + bytes(30),
    "tensorflow_graph": w.data(1, w.data(1, "x") + w.data(2, "Placeholder")),
    "only_a_version": w.num(1, 8),
    "no_version": w.data(7, GRAPH) + w.data(8, w.opset(17)),
    "no_graph": w.num(1, 8) + w.data(2, "test") + w.data(8, w.opset(17)),
    "version_0": whole(ir=0),
    "version_negative": whole(ir=-3),
    "two_graphs": GOOD + w.data(7, GRAPH),
    # protobuf
    "cut_in_the_graph": GOOD[:60],
    "cut_in_a_key": GOOD[:-1] + b"\x80",
    "cut_behind_a_length": w.num(1, 8) + b"\x3a",
    "length_huge": w.num(1, 8) + b"\x3a" + w.varint(2**64 - 1) + GRAPH,
    "length_of_11_bytes": w.num(1, 8) + b"\x3a" + b"\xff" * 10 + b"\x01",
    "field_0": GOOD + b"\x02\x00",
    "field_huge": GOOD + w.varint(2**40 << 3 | 2) + b"\0",
    "wire_type_3": GOOD + w.key(7, 3),
    "wire_type_6": GOOD + w.key(9, 6),
    "graph_as_number": w.num(1, 8) + w.num(7, 3),
    "version_as_text": w.data(1, "8") + w.data(7, GRAPH),
    "fixed_cut": attribute(w.data(1, "a") + w.key(2, 5) + b"\0\0"),
    "node_longer_than_graph": w.num(1, 8) + w.data(7, w.key(1, 2) + w.varint(50) + bytes(10)),
    # names and texts
    "name_not_utf8": whole(nodes=[w.node("Add", ["x", b"\xff\xfe"], ["y"])]),
    "name_with_nul": whole(nodes=[w.node("Add", ["x", "a\0b"], ["y"])]),
    "name_long": whole(nodes=[w.node("Add", ["x", "n" * 70000], ["y"])]),
    "name_foreign": whole(nodes=[w.node("Add", ["x", "a\x1b[31m\u202eb"], ["y"])]),
    "no_operator": whole(nodes=[w.each(1, ["x"]) + w.each(2, ["y"])]),
    "input_without_name": whole(inputs=[w.data(2, b"")]),
    "output_without_name": whole(outputs=[w.info("", dims=None)]),
    "operators_name_long": whole(nodes=[w.node("A" * 200, ["x"], ["y"], domain="b" * 100)]),
    # names of values
    "read_of_nothing": whole(nodes=[w.node("Add", ["x", "v"], ["y"], name="add")]),
    "read_before_made": whole(nodes=[w.node("Relu", ["a"], ["y"], name="late"), w.node("Abs", ["x"], ["a"], name="early")]),
    "read_of_itself": whole(nodes=[w.node("Relu", ["y"], ["y"], name="own")]),
    "cycle": whole(nodes=[w.node("Add", ["x", "b"], ["a"], name="one"), w.node("Relu", ["a"], ["c"]), w.node("Abs", ["c"], ["b"], name="two"),
                          w.node("Neg", ["b"], ["y"])]),
    "made_twice": whole(nodes=[ADD, w.node("Relu", ["x"], ["y"])]),
    "made_twice_by_one_node": whole(nodes=[w.node("Split", ["x"], ["y", "y"])]),
    "made_is_input": whole(nodes=[w.node("Relu", ["x"], ["x"]), ADD]),
    "made_is_initializer": whole(nodes=[w.node("Relu", ["x"], ["w"]), ADD]),
    "input_twice": whole(inputs=[X, X]),
    "initializer_twice": whole(initializers=[w.floats("w", 2), w.floats("w", 2)]),
    "output_of_nothing": whole(outputs=[w.info("z", dims=None)]),
    "body_reads_later": whole(nodes=[w.node("If", ["x"], ["y"], [w.attribute("then_branch", "g", w.graph(
        [w.node("Relu", ["z"], ["r"], name="inner")], [], [w.info("r")]))], "if"), w.node("Abs", ["x"], ["z"], name="behind")]),
    "body_output_of_nothing": whole(nodes=[w.node("If", ["x"], ["y"], [w.attribute("then_branch", "g", w.graph([], [], [w.info("r")]))])]),
    "body_is_not_seen_outside": whole(nodes=[w.node("If", ["x"], ["a"], [w.attribute("then_branch", "g", w.graph(
        [w.node("Relu", ["x"], ["r"])], [], [w.info("r")]))]), w.node("Add", ["a", "r"], ["y"], name="outer")]),
    # operators' versions
    "no_opset": whole(opsets=[]),
    "no_opset_of_onnx": whole(opsets=[w.opset(1, "my")]),
    "opset_negative": whole(opsets=[w.opset(-1)]),
    "opset_huge": whole(opsets=[w.opset(2**40)]),
    "opsets_many": whole(opsets=[w.opset(17)] * 300),
    # tensors
    "dimension_negative": tensor(w.tensor("t", "FLOAT", [-1], b"")),
    "dimensions_overflow": tensor(w.tensor("t", "FLOAT", [2**62] * 4)),
    "dimensions_of_2_63_bytes": tensor(w.tensor("t", "DOUBLE", [2**62])),
    "dimensions_many": tensor(w.tensor("t", "FLOAT", [1] * 33, bytes(4))),
    "type_of_input_has_33_dimensions": whole(inputs=[w.info("x", dims=[1] * 33)]),
    "type_99": tensor(w.tensor("t", 99, [2], bytes(8))),
    "type_0": tensor(w.tensor("t", 0, [2], bytes(8))),
    "type_negative": tensor(w.tensor("t", -1, [2], bytes(8))),
    "type_of_input_99": whole(inputs=[w.data(1, "x") + w.data(2, w.data(1, w.num(1, 99)))]),
    "raw_short": tensor(w.tensor("t", "FLOAT", [2, 3], bytes(20))),
    "raw_long": tensor(w.tensor("t", "FLOAT", [2], bytes(12))),
    "raw_of_4_bits": tensor(w.tensor("t", "INT4", [3], bytes(1))),
    "raw_twice": tensor(w.tensor("t", "FLOAT", [2], bytes(8), more=w.data(9, bytes(8)))),
    "raw_behind_the_end": w.num(1, 8) + w.key(7, 2) + w.varint(60) + w.key(5, 2) + w.varint(50) + w.num(1, 2) + w.num(2, 1) + w.key(9, 2) + w.varint(
        2**40) + bytes(60),
    "numbers_few": tensor(w.tensor("t", "FLOAT", [3], more=w.data(4, bytes(8)))),
    "numbers_many": tensor(w.tensor("t", "INT64", [1], more=w.num(7, 1) + w.num(7, 2))),
    "numbers_of_half_a_float": tensor(w.tensor("t", "FLOAT", [2], more=w.data(4, bytes(7)))),
    "numbers_in_the_wrong_field": tensor(w.tensor("t", "INT64", [2], more=w.data(4, bytes(8)))),
    "numbers_cut": tensor(w.tensor("t", "INT64", [2], more=w.data(7, b"\x01\x80"))),
    "segment": tensor(w.tensor("t", "FLOAT", [2], bytes(8), more=w.data(3, b""))),
    "initializer_without_name": tensor(w.tensor("", "FLOAT", [2], bytes(8))),
    # external data
    "external_nowhere": tensor(w.tensor("t", "FLOAT", [2], more=w.num(14, 1))),
    "external_above": tensor(w.external("t", "FLOAT", [2], "../weights.bin")),
    "external_above_later": tensor(w.external("t", "FLOAT", [2], "a/../../weights.bin")),
    "external_above_in_windows": tensor(w.external("t", "FLOAT", [2], "a\\..\\..\\weights.bin")),
    "external_absolute": tensor(w.external("t", "FLOAT", [2], "/etc/passwd")),
    "external_of_a_drive": tensor(w.external("t", "FLOAT", [2], "C:\\weights.bin")),
    "external_of_no_name": tensor(w.external("t", "FLOAT", [2], "")),
    "external_offset_text": tensor(w.external("t", "FLOAT", [2], more=[("offset", "0x10")])),
    "external_offset_huge": tensor(w.external("t", "FLOAT", [2], more=[("offset", str(2**64))])),
    "external_length": tensor(w.external("t", "FLOAT", [2], more=[("length", "7")])),
    "external_where_2": tensor(w.external("t", "FLOAT", [2], where=2)),
    "external_text": tensor(w.external("t", "STRING", [2])),
    # sparse tensors
    "sparse_without_indices": whole(more=w.data(15, w.data(1, w.floats("s", 2)) + w.num(3, 4))),
    "sparse_without_values": whole(more=w.data(15, w.data(2, w.longs("", [1, 2])) + w.num(3, 4))),
    "sparse_indices_few": whole(more=w.data(15, w.data(1, w.floats("s", 2)) + w.data(2, w.longs("", [1])) + w.num(3, 4))),
    "sparse_more_than_there_are": whole(more=w.data(15, w.data(1, w.floats("s", 2)) + w.data(2, w.longs("", [0, 1])) + w.num(3, 1))),
    # attributes
    "attribute_without_name": attribute(w.num(3, 5) + w.num(20, 2)),
    "attribute_twice": whole(nodes=[w.node("Every", ["x"], ["y"], [w.attribute("a", "i", 1), w.attribute("a", "i", 2)], "every", "my")]),
    "attribute_type_99": attribute(w.data(1, "a") + w.num(20, 99)),
    "attribute_of_two_types": attribute(w.data(1, "a") + w.num(3, 5) + w.single(2, 1.0)),
    "attribute_two_graphs": attribute(w.data(1, "a") + w.data(6, b"") + w.data(6, b"") + w.num(20, 5)),
    "attribute_two_tensors": attribute(w.data(1, "a") + w.data(5, w.floats("", 1)) * 2 + w.num(20, 4)),
    "attribute_floats_half": attribute(w.data(1, "a") + w.data(7, bytes(6)) + w.num(20, 6)),
    "attribute_refers_outside": attribute(w.attribute("a", "i", 0, ref="b")),
    "graphs_deep": inside(40),
    # functions
    "function_without_name": calls([ADD], [w.function("", ["a"], ["b"], [])]),
    "function_twice": calls([ADD], [F, F]),
    "function_of_itself": calls([call()], [w.function("F", ["a"], ["b"], [w.node("F", ["a"], ["b"], domain="my", name="again")])]),
    "functions_of_one_another": calls([call()], [w.function("F", ["a"], ["b"], [w.node("G", ["a"], ["b"], domain="my")]),
                                                 w.function("G", ["a"], ["b"], [w.node("F", ["a"], ["b"], domain="my")])]),
    "function_reads_outside": calls([call()], [w.function("F", ["a"], ["b"], [w.node("Add", ["a", "w"], ["b"], name="inner")])]),
    "function_makes_nothing": calls([call()], [w.function("F", ["a"], ["b"], [])]),
    "function_makes_twice": calls([call()], [w.function("F", ["a"], ["b"], [w.node("Relu", ["a"], ["b"]), w.node("Abs", ["a"], ["b"])])]),
    "function_inputs_twice": calls([call()], [w.function("F", ["a", "a"], ["b"], [w.node("Relu", ["a"], ["b"])])]),
    "function_inputs_many": calls([call(inputs=["x", "x"])], [F]),
    "function_outputs_many": calls([call(outputs=["y", "z"])], [F]),
    "function_hands_on_what_is_left_out": calls([call(inputs=[""])], [w.function("F", ["a"], ["a"], [])]),
    "functions_deep": calls([call("F0")], CHAIN),
    "functions_double": calls([call("F0")], DOUBLE),
    # fine: what looks odd and is not
    "fine": GOOD,
    "fine_graph_first": w.data(7, GRAPH) + w.data(8, w.opset(17)) + w.num(1, 8),
    "fine_unknown_fields": GOOD + w.num(900, 5) + w.data(901, "new"),
    "fine_version_1": whole(nodes=[w.node("Clip", ["x"], ["y"], [w.attribute("max", "f", 6.0, typed=False)])], ir=1, opsets=[]),
    "fine_shadowed": whole(nodes=[w.node("If", ["c"], ["a"], [w.attribute(branch, "g", w.graph(
        [w.node("Relu", ["x"], ["w"])], [], [w.info("w", dims=None)])) for branch in ("then_branch", "else_branch")]), w.node("Add", ["a", "w"], ["y"])],
        inputs=[X, w.info("c", "BOOL")]),
    "fine_packed": whole(initializers=[w.tensor("w", "FLOAT", [3, 2], packed=True, more=w.data(4, struct.pack("<6f", *range(6))))]),
    "fine_without_data": whole(initializers=[w.tensor("w", "FLOAT", [300, 2])]),
    "fine_no_elements": tensor(w.tensor("t", "FLOAT", [0, 7], b"")),
    "fine_external": tensor(w.external("t", "FLOAT16", [2, 3], "..a/w..bin", [("offset", "16"), ("length", "12"), ("checksum", "00")])),
    "fine_call": calls([call()], [F]),
}


def files():
    yield from ((name + ".onnx", data) for name, data in FILES.items())
    yield "other_name.bin", GOOD


def cases():
    text = ("# ONNX files that must be refused (some are fine after all: they say so), each with its exact message. tests/malformed/onnx.py writes them.\n"
            "# Answers: tests/cli/run.py --update, then read the diff.\n")
    for name, _ in files():
        text += f"\n## {name.rsplit('.', 1)[0].replace('_', ' ')}\n$ ridge inspect tests/malformed/onnx/{name}\n"
    (HERE / "onnx.case").write_text(text)
    return 0


if __name__ == "__main__":
    (HERE / "onnx").mkdir(exist_ok=True)
    sys.exit(cases() if "--cases" in sys.argv[1:] else writers.main(HERE / "onnx", files()))
