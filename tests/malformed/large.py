#!/usr/bin/env python3
"""Files as large as the readers take, made here: each must be answered or refused within its time and memory. Prints TAP.

    large.py PROGRAM

A time is that of one command on a machine that does other things too; a memory is the address space in bytes that the command gets."""

import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "input"))
import exported  # noqa: E402
import onnx_writer as onnx  # noqa: E402
import writers  # noqa: E402

SANITIZED = "ASAN_OPTIONS" in os.environ  # it is slow, reserves terabytes, and its frames are larger
SECONDS = 600 if SANITIZED else 60
MIB = 1 << 20


def config_of(model, **more):
    return {**json.loads((ROOT / "examples" / model / "config.json").read_text()), **more}


LLAMA, MIXTRAL, SWIN = "meta-llama--Llama-2-7b-hf", "mistralai--Mixtral-8x7B-v0.1", "microsoft--swin-tiny-patch4-window7-224"


def many_keys():
    return config_of(LLAMA, **{f"k{i}": 0 for i in range(1000000)}), ["cost", "config.json"], 0, "6,738,415,616", 1024


def many_nested_keys():
    return config_of(LLAMA, nested={f"k{i}": 0 for i in range(1000000)}), ["cost", "config.json"], 0, "6,738,415,616", 1024


def dense_list():
    text = json.dumps(config_of(LLAMA))[:-1] + ',"x":[' + "0," * 7000000 + "0]}"
    return text, ["cost", "config.json"], 1, "values: reading them would take more than 16 times", 1024


def many_experts():
    return config_of(MIXTRAL, num_local_experts=100000), ["cost", "config.json", "--symbolic"], 1, "(limit ", 2048


def many_layers_as_forms():
    """what adds up the forms counts its memory, too"""
    return config_of(SWIN, depths=[1000000, 2, 6, 2]), ["cost", "config.json", "--symbolic"], 1, "too much memory (limit ", 1024


def many_layers():
    return config_of(LLAMA, num_hidden_layers=100000), ["cost", "config.json", "--all"], 1, "a table of more than 250000 rows", 2048


def tree_of_many_layers():
    return config_of(LLAMA, num_hidden_layers=100000), ["inspect", "config.json", "--all"], 1, "a tree of more than 500000 modules", 512


def tree_of_half_as_many_modules():
    return config_of(LLAMA, num_hidden_layers=20000), ["inspect", "config.json", "--csv"], 0, "layers.19999.mlp.act_fn", 1024


def unknown_modules():
    entries = {f"my.A{i}": {"flops": {"other": "{my.B%d}(1)" % i}, "oops": 1} for i in range(20000)}
    return entries, ["db", "check", "config.json"], 3, "more than 10000 problems: the others are not told", 1024


def unknown_fields():
    entries = {f"my.A{i}": {"flops": {"other": f"config.hiden_size{i}"}} for i in range(20000)}
    return entries, ["db", "check", "config.json"], 3, "more than 10000 problems: the others are not told", 1024


def many_names():
    return {"my.A": {"let": {f"p{i}": "1" for i in range(20000)}}}, ["db", "check", "config.json"], 3, "20000 members: at most 4096", 512


def chain_of_operators():
    return {"my.A": {"kind": "formula", "value": "+".join(["1"] * 30000)}}, ["db", "check", "config.json"], 3, "nested too deeply", 512


def containers_in_containers():
    part = {"use": "{my.A}(n - 1) if n > 0 else None"}
    for _ in range(60):
        part = {"container": "torch.nn.Module", "children": {"c": part}}
    entry = {"parameters": ["n"], "weights": {"w": "[2]"}, "breakdown": {"a": part}}
    return {"my.A": entry}, ["formula", "my.A", "300", "--context", "params", "--catalog", "config.json"], 1, "nested too deeply (limit 400)", 512


def calls_of_itself():
    entry = {"kind": "formula", "parameters": ["n"], "value": "max(1, 2, {my.A}(n - 1)) if n > 0 else 1"}
    return {"my.A": entry}, ["formula", "my.A", "1000", "--catalog", "config.json"], 1, "nested too deeply (limit 400)", 512


def two_ways_of_two_ways():
    let = {"a0": "{torch.nn.Linear}(1, 2, 3)", "b0": "{torch.nn.Linear}(1, 4, 5)"}
    for i in range(1, 60):
        let[f"a{i}"] = f"a{i - 1} if S > {i} else b{i - 1}"
        let[f"b{i}"] = f"b{i - 1} if S > {i} else a{i - 1}"
    entry = {"let": let, "breakdown": {"x": {"use": "a59"}}}
    return {"my.A": entry}, ["formula", "my.A", "--symbolic", "--catalog", "config.json"], 1, "in more than 256 ways", 512


def nested_configs():
    entries = {}
    for i in range(30):
        entries[f"my.configuration_a.C{i}"] = {
            "kind": "config", "model_type": "a" if i == 0 else f"a{i}", "defaults": {"n": 1},
            "sub_configs": {s: f"my.configuration_a.C{i + 1}" for s in ("a", "b")} if i < 29 else {},
            "classes": {"A": "torch.nn.ReLU"}}
    return entries, ["cost", "model", "--catalog", "config.json"], 1, "(limit ", 1024


def pipe_in_a_folder():
    return {"my.A": {"kind": "formula", "value": "7"}}, ["formula", "my.A", "--catalog", "folder"], 0, "7", 512


# ---- weight files: the file of a case is named config.json too, and what it is shows in its bytes ----

INSPECT = ["inspect", "config.json", "--depth", "0"]


def safetensors(header, data=b""):
    return struct.pack("<Q", len(header)) + header + data


def header_of_100_mb():
    """as many tensors as a header may name"""
    names = (b'"%07d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}' % i for i in range(1700000))
    return safetensors(b"{" + b",".join(names) + b"}"), ["inspect", "config.json", "--csv"], 0, ",,0,0", 2500


def header_of_many_tensors():
    names = (b'"%07d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}' % i for i in range(200000))
    return safetensors(b"{" + b",".join(names) + b"}"), INSPECT, 0, "tensors 200000", 1024


def header_above_100_mb():
    return safetensors(b"{" + b" " * 100000000 + b"}"), INSPECT, 1, "at most 100000000 are read", 512


def header_of_brackets():
    return safetensors(b'{"a":' + b"[" * 50000000), INSPECT, 1, "nested deeper than 256", 512


def name_of_50_mb():
    name = b"a." * 25000000
    return safetensors(b'{"%s":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}' % name, b"0"), INSPECT, 0, "tensors 1", 1024


def names_of_many_modules():
    names = (b'"%s%07d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}' % (b"a.b.c.d.%d.e.f." % i, i) for i in range(200000))
    return safetensors(b"{" + b",".join(names) + b"}"), INSPECT, 1, "more than 500,000 modules", 2048


def pickle_of(opcodes):
    return writers.archive([("archive/data.pkl", b"\x80\x02" + opcodes)])


def pickle_of_many_values():
    return pickle_of(b"(" + b"N" * 5000000 + b"t."), INSPECT, 1, "more than 4,000,000 values", 2048


def pickle_of_many_opcodes():
    return pickle_of(b"N" + b"20" * 30000000 + b"."), INSPECT, 1, "more than 50,000,000 opcodes", 512


def pickle_of_many_marks():
    return pickle_of(b"(" * 20000000 + b"."), INSPECT, 1, "too many marks", 1024


def pickle_of_a_list_in_itself():
    return pickle_of(b"]q\x00(" + b"h\x00" * 1000000 + b"e."), INSPECT, 1, "its dicts are more than 32 deep, or hold themselves", 1024


def checkpoint_of_one_tensor_many_times():
    tensor = writers.pickled(writers.fresh("0", "torch.float32", (2,)))[2:-1]
    return pickle_of(b"](" + tensor + b"q\xff" + b"h\xff" * 1100000 + b"e."), INSPECT, 1, "more than 1,000,000 tensors", 2048


def exported_program(nodes):
    """a linear layer behind a linear layer, each in a module of its own"""
    size, values, outputs, parameters = [exported.symbol("s0", 4), 4], {}, [exported.Value("x")], {}
    for i in range(nodes):
        path, weight, made = f"layers.{i // 20}.fc{i % 20}", f"p_{i}", exported.Value(f"linear_{i}")
        stack = [("", "net.Net"), (f"layers.{i // 20}", "net.Layer"), (path, "torch.nn.modules.linear.Linear")]
        parameters[weight] = path + ".weight"
        values.update({weight: ("torch.float32", [4, 4]), made: ("torch.float32", size)})
        outputs.append(exported.Node("torch.ops.aten.linear.default", [("input", outputs[-1].outputs[0] if i else outputs[-1]), ("weight", exported.Value(weight))], [made], stack))
    graph = exported.Graph([exported.Value(p) for p in parameters] + outputs[:1], outputs[1:], outputs[-1].outputs, {**values, "x": ("torch.float32", size)})
    return exported.Program(graph, parameters)


def exported_program_of_10000_nodes():
    return exported.archive(exported_program(10000), "8.20"), INSPECT, 0, "160,000", 512


def exported_program_of_10000_nodes_as_pytorch_2_2_wrote():
    return exported.archive(exported_program(10000), "2"), INSPECT, 0, "160,000", 768


def exported_program_of_brackets():
    change = lambda entries: [(n, b"[" * 50000000 if n.endswith("model.json") else d) for n, d in entries]
    return exported.archive(exported_program(1), "8.20", changed=change), INSPECT, 1, "nested deeper than 256", 512


def exported_program_of_many_values():
    change = lambda entries: [(n, b"[" + b"0," * 20000000 + b"0]" if n.endswith("model.json") else d) for n, d in entries]
    return exported.archive(exported_program(1), "8.20", changed=change), INSPECT, 1, "values: reading them would take more than 16 times", 2048


def onnx_of(nodes=b"", more=b"", **model):
    graph = nodes + onnx.data(11, onnx.info("x", dims=["n"])) + onnx.data(12, onnx.info("x", dims=None)) + more
    return onnx.model(graph, **model), INSPECT


def onnx_of_many_nodes():
    return *onnx_of(onnx.data(1, onnx.node("Relu", ["x"])) * 100000), 0, "modules 100001", 2048


def onnx_of_too_many_nodes():
    return *onnx_of(onnx.data(1, onnx.node("Relu", ["x"])) * 1000001), 1, "more than 1000000 nodes", 2048


def onnx_of_many_initializers():
    return *onnx_of(more=b"".join(onnx.data(5, onnx.floats(f"{i}.w", 2)) for i in range(100000))), 0, "buffers 800.0 kB", 2048


def onnx_of_small_attributes():
    """what takes a few bytes in the file, and many more when it is read"""
    attribute = onnx.data(5, onnx.data(1, "a") + onnx.num(20, 7))
    nodes = onnx.data(1, onnx.data(4, "Every") + onnx.data(7, "my") + attribute + b"".join(
        onnx.data(5, onnx.data(1, chr(33 + i // 90) + chr(33 + i % 90))) for i in range(8000))) * 1500
    return *onnx_of(nodes), 1, "take more than 1024 MiB", 3072


def onnx_of_a_node_of_many_inputs():
    return *onnx_of(onnx.data(1, onnx.data(1, "x") * 5000000 + onnx.data(4, "Sum"))), 0, "parameters  0", 2048


def onnx_of_a_large_function_often_called():
    many = onnx.function("F", [f"a{i}" for i in range(100000)], ["b"], [onnx.node("Relu", ["a0"], ["b"])])
    call = onnx.data(1, onnx.node("F", ["x"], [], domain="my"))
    return *onnx_of(call * 400000, functions=[many]), 1, "have more than 200000000 names", 2048


def onnx_of_graphs_in_graphs():
    graph = b""
    for _ in range(2000):
        graph = onnx.data(1, onnx.data(4, "If") + onnx.data(5, onnx.data(1, "a") + onnx.data(6, graph)))
    return *onnx_of(graph), 1, "is inside more than 16 others", 512


CASES = [onnx_of_many_nodes, onnx_of_too_many_nodes, onnx_of_many_initializers, onnx_of_small_attributes, onnx_of_a_node_of_many_inputs,
         onnx_of_a_large_function_often_called, onnx_of_graphs_in_graphs, exported_program_of_10000_nodes, exported_program_of_10000_nodes_as_pytorch_2_2_wrote, exported_program_of_brackets, exported_program_of_many_values,
         header_of_100_mb, header_of_many_tensors, header_above_100_mb, header_of_brackets, name_of_50_mb, names_of_many_modules, pickle_of_many_values,
         pickle_of_many_opcodes, pickle_of_many_marks, pickle_of_a_list_in_itself, checkpoint_of_one_tensor_many_times, many_keys, many_nested_keys, dense_list, many_experts, many_layers_as_forms, many_layers, tree_of_many_layers,
         tree_of_half_as_many_modules, unknown_modules, unknown_fields, many_names, chain_of_operators,
         containers_in_containers, calls_of_itself, two_ways_of_two_ways, nested_configs, pipe_in_a_folder]


def prepare(folder, content):
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    (folder / "config.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "model").mkdir()
    (folder / "model" / "config.json").write_text('{"model_type": "a", "architectures": ["A"]}')
    (folder / "folder").mkdir()
    (folder / "folder" / "entry.json").symlink_to("../config.json")
    os.mkfifo(folder / "folder" / "pipe.json")


def limit(mebibytes):
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))
        resource.setrlimit(resource.RLIMIT_STACK, (2 * MIB, 2 * MIB))


def run(program, case):
    content, words, status, part, mebibytes = case()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder, content)
        env = {**os.environ, "HOME": name, "XDG_DATA_HOME": name}
        try:
            done = subprocess.run([program, *words], cwd=name, env=env, capture_output=True, text=True, timeout=SECONDS,
                                  preexec_fn=lambda: limit(mebibytes))
        except subprocess.TimeoutExpired:
            return f"more than {SECONDS} s"
    said = done.stdout + done.stderr
    if done.returncode != status or part not in said:
        return f"exit status {done.returncode}, wanted {status} and '{part}': {said[-600:]}"
    return ""


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for number, case in enumerate(CASES, 1):
        fault = run(os.path.abspath(sys.argv[1]), case)
        failed += fault != ""
        print(f"{'not ok' if fault else 'ok'} {number} - {case.__name__}", flush=True)
        for line in fault.splitlines():
            print(f"# {line}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
