"""ONNX files as Ridge reads them beside what Debian's onnx module says of them: nodes, names, attributes, types, initializers and small
constants. Files of ../shared, where that is here, and files that the module's helper and the tests' own writer make. Without the module
the first are read, and not compared."""
import glob
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

DEBIANS = "/usr/bin/python3"
try:
    import onnx
    from onnx import helper, numpy_helper
except ImportError:
    if os.path.realpath(sys.executable) != os.path.realpath(DEBIANS) and os.path.exists(DEBIANS):
        os.execv(DEBIANS, [DEBIANS] + sys.argv)
    onnx = None

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "input"))
import driver  # noqa: E402
import onnx_writer as w  # noqa: E402

KEPT = 4096
# parameters of the models that onnx's light files are, counted by others: torchvision's (ResNet-50, VGG-19, SqueezeNet 1.1; DenseNet-121 with
# the scale and bias that Caffe's batch normalisation has beside its own), Caffe's (AlexNet), and by hand (mnist-8: 320 + 18,496 + 401,536 + 1,290)
PARAMETERS = {"light_resnet50": 25557032, "light_vgg19": 143667240, "light_squeezenet": 1235496, "light_densenet121": 7978856 + 83648,
              "light_bvlc_alexnet": 60965224, "mnist-8": 421642}


def read(program, *paths):
    done = subprocess.run([program, *paths], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if len(lines) != len(paths):
        raise SystemExit(f"{program} ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in lines]


def product(dims):
    n = 1
    for d in dims:
        n *= d
    return n


# ---- what onnx says ----

def domain(node):
    return "" if node.domain in ("", "ai.onnx") else node.domain + "."


def is_value(node):
    """stands for its value: Constant, or a weight that onnx.tools.replace_constants took out"""
    return node.op_type == "Constant" and not domain(node) or stripped(node)


def stripped(node):
    return node.op_type == "ConstantOfShape" and node.input[0] == node.output[0] + "__SHAPE"


def number(x):
    x = float(x)
    return "nan" if math.isnan(x) else ("inf" if x > 0 else "-inf") if math.isinf(x) else x


def content_of(tensor):
    array = numpy_helper.to_array(tensor)
    if array.dtype.kind in "biu":
        return [int(x) for x in array.ravel()]
    return [number(x) for x in array.ravel()]


class Comparison:
    def __init__(self, dump, model):
        self.dump, self.model, self.problems, self.compared = dump, model, [], 0

    def same(self, what, found, wanted):
        self.compared += 1
        if found != wanted:
            self.problems.append(f"{what}: {str(found)[:200]}, expected {str(wanted)[:200]}")

    def name(self, index):
        return "" if index < 0 else self.dump["values"][index]["name"]

    def named(self, indices):
        return [self.name(i) for i in indices]

    def tensor(self, what, value, tensor):
        self.same(what + " dims", value["dims"], list(tensor.dims))
        self.same(what + " dtype", value["dtype"], onnx.TensorProto.DataType.Name(tensor.data_type))
        if value["content"] is not None:
            self.same(what + " content", value["content"], content_of(tensor))
        elif value["origin"] == "constant" and product(tensor.dims) <= KEPT and tensor.data_type in (2, 3, 4, 5, 6, 7, 9, 12) and not tensor.external_data:
            self.problems.append(f"{what}: its content is not there")

    def type(self, what, value, info):
        kind = info.type.WhichOneof("value")
        if kind != "tensor_type":
            return
        t = info.type.tensor_type
        if t.elem_type:
            self.same(what + " dtype", value["dtype"], onnx.TensorProto.DataType.Name(t.elem_type))
        if t.HasField("shape"):
            wanted = [d.dim_param if d.WhichOneof("value") == "dim_param" and d.dim_param != "?" else d.dim_value if
                      d.WhichOneof("value") == "dim_value" and d.dim_value >= 0 else "" for d in t.shape.dim]
            found = ["" if isinstance(f, str) and f == f"{value['name']}_dim_{i}" else f for i, f in enumerate(value["dims"] or [])]
            self.same(what + " dims", found if value["dims"] is not None else None, wanted)

    def attribute(self, what, found, a):
        kind, value = found
        if a.type in (a.INT, a.INTS):
            self.same(what, found, ["int", a.i] if a.type == a.INT else ["ints", list(a.ints)])
        elif a.type in (a.FLOAT, a.FLOATS):
            self.same(what, found, ["real", number(a.f)] if a.type == a.FLOAT else ["reals", [number(f) for f in a.floats]])
        elif a.type in (a.STRING, a.STRINGS):
            self.same(what, found, ["text", a.s.decode()] if a.type == a.STRING else ["texts", [s.decode() for s in a.strings]])
        elif a.type == a.TENSOR:
            self.same(what, kind, "value")
            self.tensor(what, self.dump["values"][value], a.t)
        elif a.type == a.TENSORS:
            self.same(what, kind, "values")
            for i, t in zip(value, a.tensors):
                self.tensor(what, self.dump["values"][i], t)
        elif a.type == a.GRAPH:
            self.same(what, kind, "body")
            self.graph(what, self.dump["bodies"][value], a.g, False)

    def opset(self, node):
        return max([o.version for o in self.model.opset_import if ("" if o.domain == "ai.onnx" else o.domain) == domain(node)[:-1]], default=0)

    def node(self, what, found, node):
        self.same(what + " operator", found["op"], domain(node) + node.op_type)
        self.same(what + " name", found["name"], node.name)
        self.same(what + " inputs", self.named(found["inputs"]), list(node.input))
        self.same(what + " outputs", self.named(found["outputs"]), list(node.output))
        self.same(what + " opset", found["opset"], self.opset(node))
        self.same(what + " attributes", list(found["arguments"]), [a.name for a in node.attribute])
        for a in node.attribute:
            self.attribute(f"{what} {a.name}", found["arguments"][a.name], a)

    def constant(self, what, values, node):
        value = values.get(node.output[0])
        if value is None or value["origin"] not in ("parameter", "buffer", "constant"):
            self.problems.append(f"{what}: {node.output[0]} is {value}")
        elif stripped(node):
            shapes = {t.name: content_of(t) for t in self.model.graph.initializer if t.name == node.input[0]}
            self.same(what, value["dims"], shapes[node.input[0]])
        elif node.attribute[0].type == onnx.AttributeProto.TENSOR:
            self.tensor(what, value, node.attribute[0].t)
        else:
            a = node.attribute[0]
            wanted = {a.INT: [a.i], a.INTS: list(a.ints), a.FLOAT: [number(a.f)], a.FLOATS: [number(f) for f in a.floats]}.get(a.type)
            self.same(what + " content", value["content"], wanted)
            self.same(what + " dims", value["dims"], [len(wanted)] if a.type in (a.INTS, a.FLOATS) else [])

    def graph(self, what, body, graph, is_main):
        constants = {t.name for t in graph.initializer} | {t.values.name for t in graph.sparse_initializer}
        inputs = [i for i in graph.input if not is_main or i.name not in constants]
        self.same(what + " inputs", self.named(body["inputs"]), [i.name for i in inputs])
        self.same(what + " outputs", self.named(body["outputs"]), [o.name for o in graph.output])
        kept = [n for n in graph.node if not is_value(n)]
        self.same(what + " number of nodes", len(body["nodes"]), len(kept))
        for i, (found, node) in enumerate(zip(body["nodes"], kept)):
            self.node(f"{what} node {i}", found, node)
        for i, info in zip(body["inputs"], inputs):
            self.type(f"{what} input {info.name}", self.dump["values"][i], info)
        if is_main:
            self.values(what, graph)

    def values(self, what, graph):
        values = {v["name"]: v for v in self.dump["values"]}
        for t in graph.initializer:
            self.tensor(f"{what} initializer {t.name}", values[t.name], t)
        for n in graph.node:
            if is_value(n):
                self.constant(f"{what} {n.op_type}", values, n)
        for info in list(graph.value_info) + list(graph.output):
            if info.name in values and values[info.name]["origin"] == "result":
                self.type(f"{what} value {info.name}", values[info.name], info)

    def whole(self):
        m = self.model
        self.same("name", self.dump["name"], m.graph.name)
        self.same("producer", self.dump["producer"], (m.producer_name + " " + m.producer_version).strip())
        self.graph("graph", self.dump["main"], m.graph, True)
        for weight in self.dump["weights"]:
            self.weight(weight)
        return self.problems

    def weight(self, weight):
        """The bytes at a weight's place are its own."""
        tensors = {t.name: t for t in self.model.graph.initializer}
        t = tensors.get(weight["name"])
        if t is not None and t.HasField("raw_data"):
            self.same("bytes of " + weight["name"], weight["bytes"], len(t.raw_data))
            with open(weight["file"], "rb") as file:
                file.seek(weight["offset"])
                self.same("place of " + weight["name"], file.read(weight["bytes"]), t.raw_data)


def parameters(dump):
    weights = [dump["weights"][v["weight"]] for v in dump["values"] if v["origin"] == "parameter"]
    return sum(product(t["shape"]) for t in weights if t["tied"] is None)


def check_shared(program, tap):
    folder = os.path.join(driver.SHARED, "files", "onnx")
    paths = sorted(glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True))
    if not paths:
        tap.case("real files", skip="../shared/files/onnx is not here")
        return
    for path, dump in zip(paths, read(program, *paths)):
        name = os.path.splitext(os.path.basename(path))[0]
        problems = [dump["error"]] if "error" in dump else []
        if not problems and name in PARAMETERS and parameters(dump) != PARAMETERS[name]:
            problems.append(f"{parameters(dump)} parameters, expected {PARAMETERS[name]}")
        if onnx and not problems:
            problems = Comparison(dump, onnx.load(path, load_external_data=False)).whole()
        tap.case(f"{name}: {'read and compared' if onnx else 'read'}", problems)


# ---- files of onnx's helper ----

def numbers():
    """name of a dtype, what make_tensor takes"""
    small = {"BOOL": [True, False, True], "UINT8": [0, 7, 255], "INT8": [-128, 0, 127], "UINT16": [0, 1, 65535], "INT16": [-32768, 5, 32767],
             "INT32": [-2**31, 0, 2**31 - 1], "INT64": [-2**63, -1, 2**63 - 1], "UINT32": [0, 1, 2**32 - 1], "UINT64": [0, 3, 2**63 - 1]}
    real = [0.0, -1.5, 65504.0]
    yield from small.items()
    yield from ((name, real) for name in ("FLOAT", "DOUBLE", "FLOAT16"))
    yield "BFLOAT16", [0.0, -1.5, 3.140625]
    yield "FLOAT", [float("inf"), float("-inf"), float("nan"), 1e-45, 3.4028234663852886e38]
    yield "FLOAT16", [float("inf"), float("-inf"), 5.960464477539063e-08, 6.097555160522461e-05]


def tensors():
    for name, values in numbers():
        kind = getattr(onnx.TensorProto, name)
        yield f"{name} listed", helper.make_tensor("t", kind, [len(values)], values)
        if name != "BFLOAT16":
            array = numpy_helper.to_array(helper.make_tensor("t", kind, [len(values)], values))
            yield f"{name} raw", numpy_helper.from_array(array, "t")


def check_tensors(program, tap, folder):
    made = list(tensors())
    paths = []
    for i, (_, tensor) in enumerate(made):
        node = helper.make_node("Constant", [], ["y"], value=tensor)
        out = helper.make_tensor_value_info("y", tensor.data_type, list(tensor.dims))
        paths.append(save(folder, f"tensor{i}", helper.make_graph([node], "g", [], [out])))
    for (name, tensor), dump in zip(made, read(program, *paths)):
        found = dump.get("error") or dump["values"][0]["content"]
        tap.case(f"content: {name}", [] if found == content_of(tensor) else [f"{found}, expected {content_of(tensor)}"])


def save(folder, name, graph, **more):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15), helper.make_opsetid("my", 2)], **more)
    path = os.path.join(folder, name + ".onnx")
    onnx.save(model, path)
    return path


def info(name, dims=(2,), kind=1):
    return helper.make_tensor_value_info(name, kind, dims)


def branch(name, read_too):
    node = helper.make_node("Add", [read_too, name + "_w"], [name + "_y"], name=name)
    weight = helper.make_tensor(name + "_w", 1, [2], [1.0, 2.0])
    return helper.make_graph([node], name, [], [info(name + "_y")], [weight])


def graphs():
    tensor = helper.make_tensor("t", 7, [3], [1, 2, 3])
    every = helper.make_node("Every", ["x", "", "w"], ["y", "", "z"], "every", domain="my", i=-5, f=0.25, s="text", t=tensor, floats=[1.0, -2.5],
                             ints=[1, -2, 2**62], strings=["a", "b\u00e4"], g=branch("in", "x"))
    every.attribute.extend([helper.make_attribute("tensors", [tensor, helper.make_tensor("u", 1, [1], [0.5])]),
                            helper.make_attribute("graphs", [branch("one", "x")])])
    weight = helper.make_tensor("w", 1, [2], [1.0, 2.0])
    yield "every kind of attribute", helper.make_graph([every], "g", [info("x", ["n", 2, None, "n + 1"])], [info("y"), info("z")], [weight])
    yield "values of If", helper.make_graph(
        [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("If", ["c"], ["y"], then_branch=branch("then", "r"), else_branch=branch("else", "x"))],
        "g", [info("x"), info("c", [], 9)], [info("y")])
    body = helper.make_graph([helper.make_node("Add", ["a", "w"], ["b"]), helper.make_node("Identity", ["go"], ["on"])], "loop",
                             [info("i", [], 7), info("go", [], 9), info("a")], [info("on", [], 9), info("b")])
    yield "values of Loop", helper.make_graph([helper.make_node("Loop", ["m", "c", "x"], ["y"], body=body)], "g",
                                              [info("m", [], 7), info("c", [], 9), info("x")], [info("y")], [weight])
    numbers_only = [helper.make_node("Constant", [], [n], **{n: v}) for n, v in
                    (("value_int", 3), ("value_ints", [4, -5]), ("value_float", 0.5), ("value_floats", [1.0, 2.5]))]
    yield "numbers of Constant", helper.make_graph(numbers_only, "g", [], [info("value_int", [], 7)])
    yield "an initializer that is an input", helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [info("w"), info("x")],
                                                               [info("y")], [weight])
    yield "types of values", helper.make_graph(
        [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Abs", ["r"], ["y"])], "g", [info("x", ["b", 2])], [info("y", ["b", 2])],
        value_info=[info("r", ["b", 2])])


def check_graphs(program, tap, folder):
    made = list(graphs())
    paths = [save(folder, f"graph{i}", graph) for i, (_, graph) in enumerate(made)]
    for path, (name, _), dump in zip(paths, made, read(program, *paths)):
        tap.case(f"graph: {name}", [dump["error"]] if "error" in dump else Comparison(dump, onnx.load(path)).whole())


# ---- files of the tests' own writer: what the module of Debian 12 does not know yet ----

def bits(width, values):
    """small numbers in bytes, the first in the low bits"""
    out, room = bytearray(), 8 // width
    for i in range(0, len(values), room):
        out.append(sum((v & 2**width - 1) << width * k for k, v in enumerate(values[i:i + room])))
    return bytes(out)


# OCP OFP8 v1.0 table 1 (E4M3, E5M2), OCP MX v1.0 (E2M1, E8M0), arXiv 2206.02915 (FNUZ): patterns and what they are
SMALL = {
    "FLOAT8E4M3FN": ([0x00, 0x80, 0x38, 0x7e, 0xfe, 0x01, 0x08, 0x7f], [0.0, -0.0, 1.0, 448.0, -448.0, 2.0**-9, 2.0**-6, "nan"]),
    "FLOAT8E4M3FNUZ": ([0x00, 0x40, 0x7f, 0x01, 0x08, 0x80, 0xc0], [0.0, 1.0, 240.0, 2.0**-10, 2.0**-7, "nan", -1.0]),
    "FLOAT8E5M2": ([0x00, 0x3c, 0x7b, 0x01, 0x04, 0x7c, 0xfc, 0x7e], [0.0, 1.0, 57344.0, 2.0**-16, 2.0**-14, "inf", "-inf", "nan"]),
    "FLOAT8E5M2FNUZ": ([0x00, 0x40, 0x7f, 0x01, 0x80], [0.0, 1.0, 57344.0, 2.0**-17, "nan"]),
    "FLOAT8E8M0": ([0x7f, 0x80, 0x00, 0xfe, 0xff], [1.0, 2.0, 2.0**-127, 2.0**127, "nan"]),
    "FLOAT4E2M1": (list(range(16)), [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0]),
    "BFLOAT16": ([0x3f80, 0xc040, 0x7f80, 0x0001], [1.0, -3.0, "inf", 2.0**-133]),
    "UINT4": ([0, 1, 15], [0, 1, 15]), "INT4": ([0, 7, 8, 15], [0, 7, -8, -1]),
    "UINT2": ([0, 1, 2, 3, 3], [0, 1, 2, 3, 3]), "INT2": ([0, 1, 2, 3, 1], [0, 1, -2, -1, 1]),
}
WIDTH = {"FLOAT4E2M1": 4, "UINT4": 4, "INT4": 4, "UINT2": 2, "INT2": 2, "BFLOAT16": 16}


def small_tensors():
    for name, (patterns, wanted) in SMALL.items():
        width = WIDTH.get(name, 8)
        raw = struct.pack(f"<{len(patterns)}H", *patterns) if width == 16 else bits(width, patterns)
        items = patterns if width >= 8 else list(raw)
        yield f"{name} raw", w.tensor("t", name, [len(patterns)], raw), wanted
        yield f"{name} listed", w.tensor("t", name, [len(patterns)], more=b"".join(w.num(5, v) for v in items)), wanted
        yield f"{name} packed", w.tensor("t", name, [len(patterns)], packed=True, more=w.data(5, b"".join(w.varint(v) for v in items))), wanted


def write(folder, name, content):
    path = os.path.join(folder, name + ".onnx")
    with open(path, "wb") as file:
        file.write(content)
    return path


def check_small(program, tap, folder):
    made = list(small_tensors())
    paths = []
    for i, (_, tensor, _) in enumerate(made):
        node = w.node("Constant", [], ["y"], [w.attribute("value", "t", tensor)])
        paths.append(write(folder, f"small{i}", w.model(w.graph([node], [], [w.info("y", "FLOAT", None)]))))
    for (name, _, wanted), dump in zip(made, read(program, *paths)):
        found = dump.get("error") or dump["values"][0]["content"]
        tap.case(f"content: {name}", [] if found == wanted else [f"{found}, expected {wanted}"])


def functions():
    """a function in a function, with attributes of the call and of the function itself: model, nodes as they run"""
    scale = w.function("Scale", ["a", "b"], ["c"], [w.node("Mul", ["a", "b"], ["m"], name="mul"), w.node(
        "LeakyRelu", ["m"], ["c"], [w.attribute("alpha", "f", 0, ref="slope"), w.attribute("axis", "i", 0, ref="nothing")], name="act")],
        ["nothing"], [w.attribute("slope", "f", 0.125)])
    twice = w.function("Twice", ["x", "y", "z"], ["r", "s"], [
        w.node("Scale", ["x", "y"], ["t"], [w.attribute("slope", "f", 0, ref="slope")], "first", "my"), w.node("Scale", ["t", "t"], ["r"], [], "", "my"),
        w.node("Clip", ["r", "", "z"], ["s"])], ["slope"], opsets=[w.opset(11), w.opset(1, "my")])
    nodes = [w.node("Relu", ["in"], ["x"]), w.node("Twice", ["x", "w"], ["out", ""], [w.attribute("slope", "f", 0.5)], "call", "my")]
    yield "in functions", w.model(w.graph(nodes, [w.info("in", dims=[2])], [w.info("out", dims=[2])], [w.floats("w", 2)]), functions=[twice, scale]), [
        ("Relu", "", ["in"], ["x"], {}, 17), ("Mul", "call/first/mul", ["x", "w"], ["m"], {}, 17),
        ("LeakyRelu", "call/first/act", ["m"], ["t"], {"alpha": ["real", 0.5]}, 17), ("Mul", "call/mul", ["t", "t"], ["m"], {}, 17),
        ("LeakyRelu", "call/act", ["m"], ["out"], {"alpha": ["real", 0.125]}, 17), ("Clip", "call/", ["out", "", ""], ["s"], {}, 11)]
    shadows = w.function("F", ["x"], ["y"], [w.node("Neg", ["x"], ["in"]), w.node("Abs", ["in"], ["y"])])
    yield "with names of its own", w.model(w.graph([w.node("F", ["in"], ["a"], [], "", "my"), w.node("F", ["a"], ["b"], [], "", "my")],
                                                   [w.info("in")], [w.info("b")]), functions=[shadows]), [
        ("Neg", "", ["in"], ["in"], {}, 17), ("Abs", "", ["in"], ["a"], {}, 17), ("Neg", "", ["a"], ["in"], {}, 17), ("Abs", "", ["in"], ["b"], {}, 17)]


def check_functions(program, tap, folder):
    for name, content, wanted in functions():
        dump = read(program, write(folder, "function", content))[0]
        problems = [dump["error"]] if "error" in dump else []
        if not problems:
            names = lambda indices: ["" if i < 0 else dump["values"][i]["name"] for i in indices]
            found = [(n["op"], n["name"], names(n["inputs"]), names(n["outputs"]), n["arguments"], n["opset"]) for n in dump["main"]["nodes"]]
            problems = [f"{f}, expected {t}" for f, t in zip(found, wanted) if f != t] + ([] if len(found) == len(wanted) else [str(found)])
        tap.case(f"functions: nodes {name}", problems)


def weights():
    """initializers and who reads them: what is a parameter, what a buffer, what a constant"""
    q = lambda name, kind, *dims: w.tensor(name, kind, dims, bytes(product(dims) * (4 if kind in ("FLOAT", "INT32") else 1)))
    yield "of batch normalisation", [w.node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"])], [w.floats(n, 3) for n in "sbmv"], {
        "s": "parameter", "b": "parameter", "m": "buffer", "v": "buffer"}
    yield "behind Identity", [w.node("Identity", ["i"], ["m"]), w.node("BatchNormalization", ["x", "s", "b", "m", "m"], ["y"])], [
        w.floats(n, 3) for n in "sbi"], {"s": "parameter", "b": "parameter", "i": "buffer"}
    yield "of QLinearConv", [w.node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"])], [
        q("xs", "FLOAT"), q("xz", "UINT8"), q("w", "INT8", 4, 3, 3, 3), q("ws", "FLOAT", 4), q("wz", "INT8", 4), q("ys", "FLOAT"), q("yz", "UINT8"),
        q("b", "INT32", 4)], {"w": "parameter", "b": "parameter", **{n: "buffer" for n in ("xs", "xz", "ws", "wz", "ys", "yz")}}
    yield "of DequantizeLinear behind Transpose", [w.node("Transpose", ["w"], ["t"]), w.node("DequantizeLinear", ["t", "s", "z"], ["d"]),
                                                   w.node("MatMul", ["x", "d"], ["y"])], [
        q("w", "INT8", 2, 2), q("s", "FLOAT"), q("z", "INT8")], {"w": "parameter", "s": "buffer", "z": "buffer"}
    yield "of MatMulNBits", [w.node("MatMulNBits", ["x", "w", "s", "z", "g"], ["y"], domain="com.microsoft")], [
        q("w", "UINT8", 8, 2, 16), q("s", "FLOAT", 16), q("z", "UINT8", 8), q("g", "INT32", 64)], {
        "w": "parameter", "s": "buffer", "z": "buffer", "g": "buffer"}
    yield "shapes, masks and numbers", [w.node("Reshape", ["x", "shape"], ["r"]), w.node("Where", ["mask", "r", "low"], ["a"]),
                                        w.node("Resize", ["a", "", "scales"], ["b"]), w.node("Gather", ["table", "ids"], ["c"]),
                                        w.node("Mul", ["b", "c"], ["y"])], [
        w.longs("shape", [2, 3]), q("mask", "BOOL", 64, 128), q("low", "FLOAT"), q("scales", "FLOAT", 4), q("table", "FLOAT", 5, 3),
        w.longs("ids", [1, 2])], {"shape": "constant", "mask": "buffer", "low": "constant", "scales": "constant", "table": "parameter", "ids": "constant"}
    yield "that nobody reads", [w.node("Relu", ["x"], ["y"])], [w.floats("w", 3)], {"w": "buffer"}


def check_weights(program, tap, folder):
    opsets = [w.opset(17), w.opset(1, "com.microsoft")]
    for name, nodes, initializers, wanted in weights():
        dump = read(program, write(folder, "weights", w.model(w.graph(nodes, [w.info("x", dims=[2])], [w.info("y", dims=None)], initializers), opsets=opsets)))[0]
        found = {v["name"]: v["origin"] for v in dump.get("values", []) if v["origin"] in ("parameter", "buffer", "constant")}
        tap.case(f"weights: {name}", [] if found == wanted else [dump.get("error") or f"{found}, expected {wanted}"])


def check_places(program, tap, folder):
    """external data that is not here, tied and of several files; sparse and stripped weights; names of torch.onnx"""
    initializers = [w.external("a", "FLOAT", [2, 3]), w.external("b", "INT8", [5], "more/b.bin", [("offset", "4096"), ("length", "5")]),
                    w.external("c", "FLOAT", [3, 2]), w.floats("d", 2)]
    sparse = w.data(1, w.floats("s", 2)) + w.data(2, w.tensor("", "INT64", [2, 2], bytes(32))) + w.num(3, 4) + w.num(3, 5)
    nodes = [w.node("Sum", ["a", "b", "c", "d", "s", "e"], ["y"])]
    nodes = [w.node("DequantizeLinear", ["b", "d"], ["q"]), w.node("ConstantOfShape", ["e__SHAPE"], ["e"])] + nodes
    graph = w.graph(nodes, [], [w.info("y", dims=None)], initializers + [w.longs("e__SHAPE", [7, 9])], more=w.data(15, sparse))
    dump = read(program, write(folder, "places", w.model(graph)))[0]
    found = {t["name"]: (t["stored_as"], t["shape"], t["bytes"], os.path.relpath(t["file"], folder), t["tied"]) for t in dump.get("weights", [])}
    wanted = {"a": ("FLOAT", [2, 3], 24, "weights.bin", None), "b": ("INT8", [5], 5, "more/b.bin", None), "c": ("FLOAT", [3, 2], 24, "weights.bin", 0),
              "d": ("FLOAT", [2], 8, "places.onnx", None), "s": ("sparse FLOAT", [4, 5], 40, "places.onnx", None),
              "e": ("FLOAT", [7, 9], 252, "places.onnx", None)}
    tap.case("weights: where they lie", [] if found == wanted else [dump.get("error") or f"{found}, expected {wanted}"])


def check_modules(program, tap, folder):
    notes = lambda scopes, classes: w.data(9, w.data(1, "pkg.torch.onnx.name_scopes") + w.data(2, scopes)) + w.data(
        9, w.data(1, "pkg.torch.onnx.class_hierarchy") + w.data(2, classes))
    cases = [("/features/features.1/conv/conv.0/conv.0.0/Conv", b"", ("features.1.conv.0.0", "")), ("/Reshape_1", b"", ("", "")), ("x", b"", ("", "")),
             ("/layer1/layer1.0/conv1/Conv", b"", ("layer1.0.conv1", "")), ("/encoder/layer.11/attention/self/query/MatMul", b"",
                                                                          ("encoder.layer.11.attention.self.query", "")),
             ("node_linear", notes("['', 'fc', 'linear']", "['m.Model', 'torch.nn.modules.linear.Linear', 'aten.linear.default']"),
              ("fc", "torch.nn.modules.linear.Linear"))]
    nodes = [w.node("Relu", ["x"], [f"y{i}"], [], name, more=more) for i, (name, more, _) in enumerate(cases)]
    dump = read(program, write(folder, "modules", w.model(w.graph(nodes, [w.info("x")], [w.info("y0")]), producer="pytorch")))[0]
    found = [(n["module"], n["class"]) for n in dump.get("main", {"nodes": []})["nodes"]]
    wanted = [module for _, _, module in cases]
    tap.case("modules that torch.onnx notes", [] if found == wanted else [dump.get("error") or f"{found}, expected {wanted}"])


def check_symbols(program, tap, folder):
    inputs = [w.info("ids", "INT64", ["batch_size", "seq-len", None]), w.info("past", "FLOAT", ["batch_size", 4, "past + seq", "2*floor(n/2)"]),
              w.info("x", "FLOAT", ["?", -1, 3])]
    dump = read(program, write(folder, "symbols", w.model(w.graph([], inputs, [w.info("x", dims=None)]))))[0]
    wanted = ["batch_size", "seq-len", "ids_dim_2", "past", "seq", "n", "x_dim_0", "x_dim_1"]
    tap.case("names of sizes", [] if dump.get("symbols") == wanted else [dump.get("error") or f"{dump['symbols']}, expected {wanted}"])


def main():
    program, tap = sys.argv[1], driver.Tap()
    check_shared(program, tap)
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_small, check_functions, check_weights, check_places, check_modules, check_symbols):
            check(program, tap, folder)
        if not onnx:
            tap.case("files of onnx's helper", skip="no onnx module (python3-onnx)")
        else:
            check_tensors(program, tap, folder)
            check_graphs(program, tap, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
