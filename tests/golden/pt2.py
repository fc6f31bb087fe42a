"""Archives of torch.export, read by the library and beside it from their JSON: one program as every PyTorch since 2.1 writes it, which must become
the same graph each time, and a real one. The archives are written by tests/input/exported.py."""
import json
import os
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "input"))
import driver  # noqa: E402
import exported  # noqa: E402
import writers  # noqa: E402
from exported import Dtype, Graph, Node, Number, Program, Truth, Value, add, called, divided, symbol, times  # noqa: E402

REAL = os.path.join(driver.SHARED, "files", "pt2", "exported_program.pt2")
F32, I64, BOOL = "torch.float32", "torch.int64", "torch.bool"
MOST = 2 ** 63 - 1


def values(*names):
    return [Value(name) for name in names]


def program(constants=True):
    """An embedding whose table is the head's too, batch normalisation, a branch, arguments of all kinds. PyTorch 2.1 had no constants of their own."""
    s, t = symbol("s0", 4), symbol("s1", 6)
    root, block = ("", "net.Net"), ("layers.0", "net.<locals>.Block")
    linear, norm, head = ("layers.0.fc", "torch.nn.modules.linear.Linear"), ("layers.0.bn", "torch.nn.modules.batchnorm.BatchNorm1d"), ("head", "torch.nn.modules.linear.Linear")
    metas = {"p_embed": (F32, [16, 8]), "p_head": (F32, [16, 8]), "p_fc": (F32, [8, 8]), "p_bias": (F32, [8]), "b_mean": (F32, [8]), "b_count": (I64, []),
             "b_positions": (F32, [6]), "ids": (I64, [s, add(t, 1)]), "mask": (BOOL, [times(2, s), divided(t, 2), called("Max", t, 1)]),
             "embedding": (F32, [s, add(t, 1), 8]), "view": (F32, [times(2, s), 8]), "addmm": (F32, [s, 8]), "split_0": (F32, [s, 4]), "split_1": (F32, [s, 4]),
             "norm": (F32, [s, 8]), "mean": (F32, [8]), "index": (F32, [s, 8]), "to": ("torch.bfloat16", [s, 8]), "cond": (F32, [s, 8]), "out": (F32, [s, 16]),
             **({"c_shape": (I64, [3])} if constants else {})}
    numbers = {"size": s, "product": times(2, s), "three": 3, "n": symbol("s7", 9)}
    branch = lambda op: Graph(values("x"), [Node(f"torch.ops.aten.{op}.default", [("self", Value("x"))], values("y"), [root, block])], values("y"),
                              {"x": (F32, [s, 8]), "y": (F32, [s, 8])})
    nodes = [
        Node("torch.ops.aten.embedding.default", [("weight", Value("p_embed")), ("indices", Value("ids"))], values("embedding"),
             [root, ("embed", "torch.nn.modules.sparse.Embedding")]),
        Node("torch.ops.aten.sym_size.int", [("self", Value("ids")), ("dim", 0)], [Number("size")]),
        Node("_operator.mul", [("a", 2), ("b", Number("size"))], [Number("product")]),
        Node("torch.ops.aten.view.default", [("self", Value("embedding")), ("size", [Number("product"), 8])], values("view"), [root, block]),
        Node("torch.ops.aten.addmm.default", [("self", Value("p_bias")), ("mat1", Value("view")), ("mat2", Value("p_fc")), ("beta", 1), ("alpha", 0.5)],
             values("addmm"), [root, block, linear]),
        Node("torch.ops.aten.split.Tensor", [("self", Value("addmm")), ("split_size", 4), ("dim", -1)], [values("split_0", "split_1")], [root, block]),
        Node("torch.ops.aten._native_batch_norm_legit_functional.default",
             [("input", Value("addmm")), ("weight", None), ("running_mean", Value("b_mean")), ("training", False), ("eps", 1e-05)],
             [Value("norm"), Value("mean"), None], [root, block, norm]),
        Node("torch.ops.aten.index.Tensor", [("self", Value("norm")), ("indices", [None, Value("b_count")])], values("index"), [root, block]),
        Node("torch.ops.aten.to.dtype", [("self", Value("index")), ("dtype", Dtype("torch.bfloat16")), ("memory_format", "torch.preserve_format")], values("to"), [root]),
        Node("_operator.gt", [("a", Number("size")), ("b", 1)], [Truth("yes")]),
        Node("torch.ops.higher_order.cond", [("", Truth("yes")), ("", branch("sin")), ("", branch("cos")), ("", values("norm"))], values("cond"), [root]),
        Node("torch.ops.mylib.head.default", [("x", Value("cond")), ("w", Value("p_head")), ("axes", [1, 2]), ("flags", [True, False]), ("scales", [0.5, 2.0]),
             ("mode", "fast"), ("none", []), ("both", values("split_0", "split_1"))], values("out"), [root, head]),
    ]
    inputs = values("p_embed", "p_head", "p_fc", "p_bias", "b_mean", "b_count", "b_positions") + (values("c_shape") if constants else []) + values("ids", "mask") + [Number("n")]
    graph = Graph(inputs, nodes, values("out", "split_1") + [Number("product")], metas, numbers, {"yes": True})
    return Program(graph, {"p_embed": "embed.weight", "p_head": "head.weight", "p_fc": "layers.0.fc.weight", "p_bias": "layers.0.fc.bias"},
                   {"b_mean": ("layers.0.bn.running_mean", True), "b_count": ("layers.0.bn.count", True), "b_positions": ("positions", False)},
                   {"c_shape": ("lifted", [1, -1, 2 ** 40])} if constants else {}, tied=[("embed.weight", "head.weight")],
                   ranges={"s0": (2, 1024), "s0 + 1": (3, 1025), "s1": (0, None)}, calls=("", "embed", "layers", "layers.0", "layers.0.fc", "layers.0.fc@1", "dropout"),
                   unused=[("layers.0.unused", F32, (3,))])


# ---- what comes out, written down by hand; s1 stands nowhere alone, so its number in the example is not said ----

SYMBOLS = [["s0", 2, 1024, 4], ["s1", 0, MOST, -1], ["s7", 0, MOST, 9]]
MODULES = [["", "Net"], ["embed", "Embedding"], ["layers.0", "Block"], ["layers.0.fc", "Linear"], ["layers.0.bn", "BatchNorm1d"], ["head", "Linear"], ["layers", ""], ["dropout", ""]]
OWN = {"p_embed": "embed.weight", "p_head": "head.weight", "p_fc": "layers.0.fc.weight", "p_bias": "layers.0.fc.bias", "b_mean": "layers.0.bn.running_mean",
       "b_count": "layers.0.bn.count", "b_positions": "positions", "c_shape": "lifted"}
ORIGINS = {"p": "parameter", "b": "buffer", "c": "constant"}
NODES = [
    ("aten.embedding.default", "embed", "Embedding", ["p_embed", "ids"], ["embedding"], [["weight", "value", "p_embed"], ["indices", "value", "ids"]]),
    ("aten.sym_size.int", "", "", ["ids"], ["size"], [["self", "value", "ids"], ["dim", "int", 0]]),
    ("_operator.mul", "", "", ["size"], ["product"], [["a", "int", 2], ["b", "value", "size"]]),
    ("aten.view.default", "layers.0", "Block", ["embedding", "product"], ["view"], [["self", "value", "embedding"], ["size", "values", ["product", 8]]]),
    ("aten.addmm.default", "layers.0.fc", "Linear", ["p_bias", "view", "p_fc"], ["addmm"],
     [["self", "value", "p_bias"], ["mat1", "value", "view"], ["mat2", "value", "p_fc"], ["beta", "int", 1], ["alpha", "real", 0.5]]),
    ("aten.split.Tensor", "layers.0", "Block", ["addmm"], ["split_0", "split_1"], [["self", "value", "addmm"], ["split_size", "int", 4], ["dim", "int", -1]]),
    ("aten._native_batch_norm_legit_functional.default", "layers.0.bn", "BatchNorm1d", ["addmm", "b_mean"], ["norm", "mean", None],
     [["input", "value", "addmm"], ["weight", "none", None], ["running_mean", "value", "b_mean"], ["training", "int", 0], ["eps", "real", 1e-05]]),
    ("aten.index.Tensor", "layers.0", "Block", ["norm", "b_count"], ["index"], [["self", "value", "norm"], ["indices", "values", [None, "b_count"]]]),
    ("aten.to.dtype", "", "Net", ["index"], ["to"], [["self", "value", "index"], ["dtype", "text", "torch.bfloat16"], ["memory_format", "text", "torch.preserve_format"]]),
    ("_operator.gt", "", "", ["size"], ["yes"], [["a", "value", "size"], ["b", "int", 1]]),
    ("higher_order.cond", "", "Net", ["yes", "norm"], ["cond"], [["", "value", "yes"], ["", "body", 0], ["", "body", 1], ["", "values", ["norm"]]]),
    ("mylib.head.default", "head", "Linear", ["cond", "p_head", "split_0", "split_1"], ["out"],
     [["x", "value", "cond"], ["w", "value", "p_head"], ["axes", "ints", [1, 2]], ["flags", "ints", [1, 0]], ["scales", "reals", [0.5, 2]], ["mode", "text", "fast"],
      ["none", "ints", []], ["both", "values", ["split_0", "split_1"]]]),
]
FORMATS = {F32: "fp32", I64: "i64", BOOL: "bool", "torch.bfloat16": "bf16"}


def dump(tool, *paths):
    done = subprocess.run([tool, *paths], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def text(size):
    return size[0] if isinstance(size, exported.Size) else size


def named(graph, ids):
    """Names of values; a constant without one is its number."""
    return [None if i is None else graph["values"][i]["name"] or graph["values"][i]["content"][0] for i in ids]


def nodes_of(graph, body):
    for n in body["nodes"]:
        arguments = []
        for name, kind, value in n["arguments"]:
            if kind == "value":
                value = named(graph, [value])[0]
            elif kind == "values":
                value = named(graph, value)
            arguments.append([name, kind, value])
        yield n["op"], n["module"], n["class"], named(graph, n["inputs"]), named(graph, n["outputs"]), arguments


def own(value):
    if isinstance(value, list):
        return [own(v) for v in value]
    return OWN.get(value, value) if isinstance(value, str) else value


def check_values(graph, p, generation):
    found = {v["name"]: v for v in graph["values"][:len(p.graph.values) + len(p.graph.numbers) + len(p.graph.truths)]}
    for name, (dtype, sizes) in p.graph.values.items():
        v = found.get(OWN.get(name, name))
        origin = ORIGINS[name[0]] if name[1:2] == "_" else "input" if name in ("ids", "mask") else "result"
        wanted = (origin, FORMATS[dtype], dtype, [text(s) for s in sizes])
        if not v or (v["origin"], v["format"], v["dtype"], v["dims"]) != wanted:
            yield f"value {name}: {v}, expected {wanted}"
    for name, size in p.graph.numbers.items():
        v = found.get(name)
        wanted = {"number": text(size)} if isinstance(size, exported.Size) else {"content": [size]}
        if not v or v["format"] != "i64" or v["dims"] != [] or {k: v[k] for k in ("number", "content") if k in v} != wanted:
            yield f"number {name}: {v}, expected {wanted}"
    if found["yes"]["format"] != "bool" or found["yes"]["content"] != [1]:
        yield f"boolean: {found['yes']}"
    if p.constants and found["lifted"].get("content") != ([1, -1, 2 ** 40] if generation == "8.20" else None):
        yield f"constant: {found['lifted']}"


def check_weights(graph, p):
    found = [(w["name"], w["format"], w["shape"], w["bytes"], w["tied"], w["buffer"]) for w in graph["weights"]]
    wanted = [("embed.weight", "fp32", [16, 8], 512, 0, False), ("head.weight", "fp32", [16, 8], 512, 1, False), ("layers.0.fc.weight", "fp32", [8, 8], 256, 0, False),
              ("layers.0.fc.bias", "fp32", [8], 32, 0, False), ("layers.0.bn.running_mean", "fp32", [8], 32, 0, True), ("layers.0.bn.count", "i64", [], 8, 0, True),
              ("positions", "fp32", [6], 24, 0, True), ("layers.0.unused", "fp32", [3], 12, 0, False)]
    if found != wanted:
        yield f"weights {found}, expected {wanted}"
    rows = {v["name"]: v["weight"] for v in graph["values"] if v["weight"]}
    if rows != {w[0]: i + 1 for i, w in enumerate(wanted)}:
        yield f"rows of weights {rows}"


def check_graph(graph, p, generation):
    if isinstance(graph, str):
        yield graph
        return
    producer = {"8": "pytorch 2.6.0+cu124", "8.7": "pytorch 2.7.1", "8.8": "pytorch 2.8.0", "8.20": "pytorch 2.12.0+cpu"}.get(generation, "")
    for key, wanted in (("name", "Net"), ("producer", producer), ("symbols", SYMBOLS), ("modules", MODULES)):
        if graph[key] != wanted:
            yield f"{key}: {graph[key]}, expected {wanted}"
    if named(graph, graph["main"]["inputs"]) != ["ids", "mask", "n"] or named(graph, graph["main"]["outputs"]) != ["out", "split_1", "product"]:
        yield f"inputs and outputs: {named(graph, graph['main']['inputs'])}, {named(graph, graph['main']['outputs'])}"
    for found, wanted in zip(nodes_of(graph, graph["main"]), NODES, strict=True):
        wanted = tuple(own(part) for part in wanted)
        if found != wanted:
            yield f"node {found}, expected {wanted}"
    for i, op in enumerate(("sin", "cos")):
        body = graph["bodies"][i]
        if [n[:5] for n in nodes_of(graph, body)] != [(f"aten.{op}.default", "layers.0", "Block", ["x"], ["y"])]:
            yield f"branch: {body}"
        if named(graph, body["inputs"]) != ["x"] or named(graph, body["outputs"]) != ["y"] or graph["values"][body["inputs"][0]]["origin"] != "input":
            yield f"branch: {body}"
    if generation == "8.20" and [n["name"] for n in graph["main"]["nodes"]] != [exported.node_name(n) for n in p.graph.nodes]:
        yield "names of nodes"
    yield from check_values(graph, p, generation)
    yield from check_weights(graph, p)


def check_offsets(path, graph):
    """Raw weights lie where the archive's own entries say."""
    with zipfile.ZipFile(path) as z, open(path, "rb") as file:
        config = json.loads(z.read("net/data/weights/model_weights_config.json"))["config"]
        for w in graph["weights"]:
            row = config.get(w["name"])
            if not row:
                continue
            info = z.getinfo("net/data/weights/" + row["path_name"])
            file.seek(info.header_offset + 26)
            lengths = file.read(4)
            at = info.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
            if w["offset"] != at:
                yield f"{w['name']} at {w['offset']}, expected {at}"


def check_inspect(tool, path):
    """The head's table is the embedding's: it counts once, and so does a parameter that nothing reads."""
    done = subprocess.run([tool, "inspect", path, "--json"], capture_output=True, text=True)
    answer = json.loads(done.stdout) if done.stdout else None
    parameters, buffers = 16 * 8 + 8 * 8 + 8 + 3, 4 * 8 + 8 + 4 * 6
    if not answer or (answer["parameters"]["total"], answer["weights_bytes"], answer["buffers_bytes"]) != (parameters, 4 * parameters, buffers):
        yield f"{answer['parameters'] if answer else done.stderr}, expected {parameters}"
        return
    tensors = {(m["path"] + "." if m["path"] else "") + n: t for m in answer["modules"] for n, t in m["tensors"].items()}
    if tensors["head.weight"]["tied_to"] != "embed.weight" or set(tensors) != {"embed.weight", "head.weight", "layers.0.fc.weight", "layers.0.fc.bias", "layers.0.unused"}:
        yield f"{tensors}"


def check_generations(tap, tool, ridge, folder):
    for generation in exported.GENERATIONS:
        p = program(constants=generation != "1")
        path = os.path.join(folder, generation + ".pt2")
        with open(path, "wb") as file:
            file.write(exported.archive(p, generation))
        graph = dump(tool, path)[0]
        problems = list(check_graph(graph, p, generation))
        if generation == "8.20" and not problems:
            problems += check_offsets(path, graph)
        problems += check_inspect(ridge, path)
        tap.case(f"schema {generation}", problems)


# ---- a real one, read here from its JSON ----

def set_of(union):
    return next((k, v) for k, v in union.items() if v is not None)


def tensors_of(union):
    key, value = set_of(union)
    return [value["name"]] if key == "as_tensor" else [v["name"] for v in value] if key == "as_tensors" else []


def check_real(tap, tool, ridge):
    if not os.path.exists(REAL):
        tap.case("a real archive", skip="shared/files is not here")
        return
    with zipfile.ZipFile(REAL) as z:
        module = json.loads(z.read("serialized_exported_program.json"))["graph_module"]
    g, graph = module["graph"], dump(tool, REAL)[0]
    own_names = {}
    for spec in module["signature"]["input_specs"]:
        kind, value = set_of(spec)
        if kind in ("parameter", "buffer"):
            own_names[value["arg"]["name"]] = value[kind + "_name"]
    name = lambda n: own_names.get(n, n)
    problems = []
    if len(graph["main"]["nodes"]) != len(g["nodes"]) or len(graph["values"]) != len(g["tensor_values"]) or len(graph["weights"]) != len(own_names):
        problems.append(f"{len(graph['main']['nodes'])} nodes, {len(graph['values'])} values, {len(graph['weights'])} weights")
    for found, wanted in zip(graph["main"]["nodes"], g["nodes"]):
        reads = [name(n) for a in wanted["inputs"] for n in tensors_of(a["arg"])]
        makes = [name(n) for a in wanted["outputs"] for n in tensors_of(a)]
        path = wanted["metadata"]["nn_module_stack"].split(";")[-1].split(",")[1]
        if ("torch.ops." + found["op"], named(graph, found["inputs"]), named(graph, found["outputs"]), found["module"]) != (wanted["target"], reads, makes, path):
            problems.append(f"node {found}, expected {wanted['target']} {reads} {makes} {path}")
    shapes = {name(n): [s["as_int"] for s in meta["sizes"]] for n, meta in g["tensor_values"].items()}
    if {v["name"]: v["dims"] for v in graph["values"]} != shapes:
        problems.append("shapes differ")
    elements = sum(writers.product(shapes[n]) for a, n in own_names.items() if g["tensor_values"][a]["dtype"] == 7 and "running" not in n)
    answer = json.loads(subprocess.run([ridge, "inspect", REAL, "--json"], capture_output=True, text=True).stdout or "{}")
    if answer.get("parameters", {}).get("total") != elements:
        problems.append(f"{answer.get('parameters')}, expected {elements}")
    tap.case("a real archive", problems)


def main():
    tool, ridge, tap = sys.argv[1], sys.argv[2], driver.Tap()
    with tempfile.TemporaryDirectory() as folder:
        check_generations(tap, tool, ridge, folder)
    check_real(tap, tool, ridge)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
