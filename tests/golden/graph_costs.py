"""What graphs of operators cost, against others' counts: products by the shapes that Debian's onnx module infers, published multiply-adds of known
networks, bytes and memory of a small graph by hand."""
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

DEBIANS = "/usr/bin/python3"
try:
    import onnx
    from onnx import helper, numpy_helper, shape_inference
except ImportError:
    if os.path.realpath(sys.executable) != os.path.realpath(DEBIANS) and os.path.exists(DEBIANS):
        os.execv(DEBIANS, [DEBIANS] + sys.argv)
    onnx = None

import driver  # noqa: E402

# multiply-adds of one image in millions, as torchvision publishes them beside its weights ("_ops", GFLOPS, three decimals)
PUBLISHED = {"light_resnet50": 4089, "light_vgg19": 19632, "light_squeezenet": 349, "light_densenet121": 2834}


def cost(program, path, *options):
    done = subprocess.run([program, "cost", path, "--json", *options], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"cost {path}: {done.stderr}")
    return json.loads(done.stdout)


# ---- products, from shapes that onnx infers ----

def dims(value):
    shape = value.type.tensor_type
    return [d.dim_value if d.HasField("dim_value") else None for d in shape.shape.dim] if shape.HasField("shape") else None


def bound(path, size):
    """All open sizes of the inputs at `size`, and nothing said of what follows from them."""
    model = onnx.load(path)
    for value in model.graph.input:
        for d in value.type.tensor_type.shape.dim if value.type.HasField("tensor_type") else ():
            if not d.HasField("dim_value"):
                d.dim_value = size
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return shape_inference.infer_shapes(model, data_prop=True)


def products(model):
    """FLOPs of all products; None where onnx infers not all of their shapes."""
    shapes = {v.name: dims(v) for part in (model.graph.value_info, model.graph.input, model.graph.output) for v in part}
    shapes.update({i.name: list(i.dims) for i in model.graph.initializer})
    total = 0
    for node in model.graph.node:
        given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.domain not in ("", "ai.onnx") and node.op_type not in ("Gelu", "BiasGelu", "FastGelu"):
            return None
        if node.op_type not in ("Conv", "Gemm", "MatMul", "ConvTranspose", "MatMulInteger"):
            continue
        x, w, y = shapes.get(node.input[0]), shapes.get(node.input[1]), shapes.get(node.output[0])
        if not all(s is not None and None not in s for s in (x, w, y)):
            return None
        if node.op_type == "Conv":
            total += 2 * math.prod(y) * math.prod(w[1:])
        elif node.op_type == "ConvTranspose":
            total += 2 * math.prod(x) * math.prod(w[1:])
        else:
            total += 2 * math.prod(y) * (x[0] if given.get("transA") else x[-1])
    return total


def check_products(program, tap):
    compared = 0
    for path in sorted(glob.glob(os.path.join(driver.SHARED, "files", "onnx", "*.onnx"))):
        name = os.path.basename(path)
        problems = []
        names = [one.split("=")[0] for one in cost(program, path)["workload"]["bind"].split(",") if one]
        for size in (1, 3) if names else (1,):
            wanted = products(bound(path, size))
            if wanted is None:
                continue
            answer = cost(program, path, *(["--bind", ",".join(f"{n}={size}" for n in names)] if names else []))
            compared += 1
            if answer["flops"]["matmul"] != wanted and not answer["unknown"]:
                problems.append(f"sizes {size}: {answer['flops']['matmul']} FLOPs in products, onnx's shapes give {wanted}")
        tap.case(f"{name}: products by onnx's shapes", problems)
    tap.case("many of them have shapes that onnx infers", [] if compared >= 25 else [f"{compared} comparisons"])


def check_published(program, tap):
    for name, millions in PUBLISHED.items():
        found = cost(program, os.path.join(driver.SHARED, "files", "onnx", name + ".onnx"))["flops"]["torch"]
        tap.case(f"{name}: published multiply-adds", [] if round(found / 2e6) == millions else [f"{found / 2e6} M, not {millions}"])


# ---- a small graph by hand ----

def float_tensor(name, *shape):
    return helper.make_tensor(name, onnx.TensorProto.FLOAT, shape, [0.0] * math.prod(shape))


def check_small(program, tap, folder):
    """h = relu(x W + b); y = h + h V, of x [n, 8], W [8, 16], V [16, 16]: h has two readers, so relu joins the product and the sum joins V's."""
    n, f = 5, 4
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w", "b"], ["g"], "first"), helper.make_node("Relu", ["g"], ["h"], "act"),
         helper.make_node("MatMul", ["h", "v"], ["m"], "second"), helper.make_node("Add", ["h", "m"], ["y"], "sum")], "small",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 8])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 16])],
        [float_tensor("w", 8, 16), float_tensor("b", 16), float_tensor("v", 16, 16)])
    path = os.path.join(folder, "small.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    eager, fused = (cost(program, path, "--bind", f"n={n}", "--kernel", kernel) for kernel in ("eager", "fused"))
    x, h, weights = n * 8, n * 16, 8 * 16 + 16 + 16 * 16
    wanted = [("parameters", eager["parameters"]["total"], weights),
              ("products", eager["flops"]["matmul"], 2 * n * (8 * 16 + 16 * 16)),
              ("relu", eager["flops"]["activation"], h), ("sum", eager["flops"]["other"], h),
              ("weights read", eager["bytes"]["reads"]["weights"], f * weights),
              ("read", eager["bytes"]["reads"]["activations"], f * (x + h + h + 2 * h)),
              ("written", eager["bytes"]["writes"]["activations"], f * 4 * h),
              ("fused, read", fused["bytes"]["reads"]["activations"], f * (x + h)),
              ("fused, written", fused["bytes"]["writes"]["activations"], f * 2 * h),
              ("fused, FLOPs", fused["flops"]["total"], eager["flops"]["total"]),
              ("alive at the sum: h, m, y", eager["memory"]["activations_peak"], f * 3 * h)]
    tap.case("a small graph by hand", [f"{what}: {found}, not {by_hand}" for what, found, by_hand in wanted if found != by_hand])


def check_layers(program, tap, folder):
    """Twelve equal layers are one row, named as torch.onnx names them; each is an entry once."""
    nodes, weights = [], []
    for i in range(12):
        weights.append(float_tensor(f"encoder.layers.{i}.fc.weight", 4, 4))
        nodes.append(helper.make_node("MatMul", [f"x{i}", weights[-1].name], [f"x{i + 1}"], f"/encoder/layers.{i}/fc/MatMul"))
    graph = helper.make_graph(nodes, "deep", [helper.make_tensor_value_info("x0", onnx.TensorProto.FLOAT, ["batch", 4])],
                              [helper.make_tensor_value_info("x12", onnx.TensorProto.FLOAT, ["batch", 4])], weights)
    path = os.path.join(folder, "deep.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    answer = cost(program, path, "--batch", "2")
    rows = {row["path"]: row for row in answer["rows"]}
    problems = [] if answer["workload"]["batch"] == 2 and answer["workload"]["bind"] == "batch=2" else [answer["workload"]]
    row = rows.get("encoder.layers.*.fc.MatMul")
    if not row or row["count"] != 12 or row["flops"]["matmul"] != 12 * 2 * 2 * 4 * 4:
        problems.append(f"rows {sorted(rows)}: {row}")
    tap.case("equal layers fold", problems)


def main():
    program, tap = sys.argv[1], driver.Tap()
    if not onnx:
        print("1..0 # SKIP no onnx module (python3-onnx)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        check_small(program, tap, folder)
        check_layers(program, tap, folder)
    if os.path.exists(os.path.join(driver.SHARED, "files", "onnx")):
        check_products(program, tap)
        check_published(program, tap)
    else:
        tap.case("files of ../shared", skip="../shared/files/onnx is not here")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
