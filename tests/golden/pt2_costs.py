"""What operators of exported programs cost, one in a program each: FLOPs by class, bytes read and written, worked out by hand from the shapes. The
composite operators are those that torch.export keeps whole (catalog/torch/export.json); fp32 has 4 bytes, int64 8."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "input"))
import driver  # noqa: E402
import exported  # noqa: E402
from exported import Dtype, Graph, Node, Number, Program, Value, symbol  # noqa: E402

F32, BF16, I64, BOOL = "torch.float32", "torch.bfloat16", "torch.int64", "torch.bool"
V = Value


def f(*shape, strides=None):
    return (F32, list(shape)) if strides is None else (F32, list(shape), list(strides))


# operator, arguments, inputs, results, {class: FLOPs}, bytes read, bytes written; None: it is not counted
CASES = [
    # 6 rows of 8 by [8, 5]: 2*6*8*5; x, W and b are read
    ("aten.linear.default", [("input", V("x")), ("weight", V("w")), ("bias", V("b"))], {"x": f(2, 3, 8), "w": f(5, 8), "b": f(5)}, {"y": f(2, 3, 5)},
     {"matmul": 480}, 4 * (48 + 40 + 5), 4 * 30),
    ("aten.linear.default", [("input", V("x")), ("weight", V("w"))], {"x": f(8), "w": f(5, 8)}, {"y": f(5)}, {"matmul": 80}, 4 * 48, 4 * 5),
    # [2, 1, 3, 4] x [5, 4, 6], batches broadcast to [2, 5]: 2*10*3*4*6
    ("aten.matmul.default", [("self", V("a")), ("other", V("b"))], {"a": f(2, 1, 3, 4), "b": f(5, 4, 6)}, {"y": f(2, 5, 3, 6)}, {"matmul": 1440}, 4 * (24 + 120), 4 * 180),
    ("aten.matmul.default", [("self", V("a")), ("other", V("b"))], {"a": f(2, 3, 4), "b": f(4)}, {"y": f(2, 3)}, {"other": 48}, 4 * 28, 4 * 6),
    ("aten.matmul.default", [("self", V("a")), ("other", V("b"))], {"a": f(4), "b": f(4)}, {"y": f()}, {"other": 8}, 4 * 8, 4),
    ("aten.matmul.default", [("self", V("a")), ("other", V("b"))], {"a": f(4), "b": f(4, 6)}, {"y": f(6)}, {"matmul": 48}, 4 * 28, 4 * 6),
    # bhqd,bhkd->bhqk: 2 * b*h*q*k*d; bi,bj->bij sums nothing away
    ("aten.einsum.default", [("equation", "bhqd,bhkd->bhqk"), ("tensors", [V("a"), V("b")])], {"a": f(2, 3, 4, 8), "b": f(2, 3, 5, 8)}, {"y": f(2, 3, 4, 5)},
     {"matmul": 2 * 2 * 3 * 4 * 5 * 8}, 4 * (192 + 240), 4 * 120),
    ("aten.einsum.default", [("equation", "bi,bj->bij"), ("tensors", [V("a"), V("b")])], {"a": f(2, 3), "b": f(2, 4)}, {"y": f(2, 3, 4)}, {"other": 24}, 4 * 14, 4 * 24),
    ("aten.einsum.default", [("equation", "a,b,c->abc"), ("tensors", [V("a"), V("b"), V("c")])], {"a": f(2), "b": f(3), "c": f(4)}, {"y": f(2, 3, 4)}, None, 0, 0),
    # 4 groups of one input channel each, 3 x 3: 2 * (1*8*5*5) * 1 * 9; the bias adds nothing, and is read
    ("aten.conv2d.default", [("input", V("x")), ("weight", V("w")), ("bias", V("b")), ("stride", [1, 1]), ("padding", [0, 0]), ("dilation", [1, 1]), ("groups", 4)],
     {"x": f(1, 4, 7, 7), "w": f(8, 1, 3, 3), "b": f(8)}, {"y": f(1, 8, 5, 5)}, {"matmul": 3600}, 4 * (196 + 72 + 8), 4 * 200),
    ("aten.conv1d.padding", [("input", V("x")), ("weight", V("w")), ("bias", None), ("stride", [1]), ("padding", "same")], {"x": f(2, 3, 10), "w": f(4, 3, 5)},
     {"y": f(2, 4, 10)}, {"matmul": 2 * 80 * 15}, 4 * (60 + 60), 4 * 80),
    # each of 2*3*4 inputs is added to 5 channels at 6 places
    ("aten.conv_transpose1d.default", [("input", V("x")), ("weight", V("w"))], {"x": f(2, 3, 4), "w": f(3, 5, 6)}, {"y": f(2, 5, 9)}, {"matmul": 2 * 24 * 30},
     4 * (24 + 90), 4 * 90),
    # 8 query heads, 2 of keys: 2 * 16 heads * 4 * 6 * (8 + 8)
    ("aten.scaled_dot_product_attention.default", [("query", V("q")), ("key", V("k")), ("value", V("v")), ("attn_mask", None), ("dropout_p", 0.0), ("enable_gqa", True)],
     {"q": f(2, 8, 4, 8), "k": f(2, 2, 6, 8), "v": f(2, 2, 6, 8)}, {"y": f(2, 8, 4, 8)}, {"attention": 2 * 16 * 4 * 6 * 16}, 4 * (512 + 192 + 192), 4 * 512),
    ("aten._scaled_dot_product_flash_attention_for_cpu.default", [("query", V("q")), ("key", V("k")), ("value", V("v"))],
     {"q": f(1, 2, 4, 8), "k": f(1, 2, 6, 8), "v": f(1, 2, 6, 8)}, {"y": f(1, 2, 4, 8), "lse": f(1, 4, 2)}, {"attention": 2 * 2 * 4 * 6 * 16}, 4 * (64 + 96 + 96), 4 * 72),
    ("aten.layer_norm.default", [("input", V("x")), ("normalized_shape", [8]), ("weight", V("w")), ("bias", V("b")), ("eps", 1e-5)], {"x": f(3, 8), "w": f(8), "b": f(8)},
     {"y": f(3, 8)}, {"other": 120}, 4 * 40, 4 * 24),
    ("aten.rms_norm.default", [("input", V("x")), ("normalized_shape", [8]), ("weight", V("w"))], {"x": f(3, 8), "w": f(8)}, {"y": f(3, 8)}, {"other": 120}, 4 * 32, 4 * 24),
    ("aten.batch_norm.default", [("input", V("x")), ("weight", V("w")), ("bias", V("b")), ("running_mean", V("m")), ("running_var", V("v")), ("training", False),
     ("momentum", 0.1), ("eps", 1e-5), ("cudnn_enabled", True)], {"x": f(2, 4, 3), "w": f(4), "b": f(4), "m": f(4), "v": f(4)}, {"y": f(2, 4, 3)}, {"other": 48},
     4 * (24 + 16), 4 * 24),
    ("aten._native_batch_norm_legit_no_training.default", [("input", V("x")), ("weight", V("w")), ("bias", V("b")), ("running_mean", V("m")), ("running_var", V("v")),
     ("momentum", 0.1), ("eps", 1e-5)], {"x": f(2, 4, 3), "w": f(4), "b": f(4), "m": f(4), "v": f(4)}, {"y": f(2, 4, 3), "mean": f(0), "rstd": f(0)}, {"other": 48},
     4 * (24 + 16), 4 * 24),
    ("aten.softmax.int", [("self", V("x")), ("dim", -1)], {"x": f(3, 8)}, {"y": f(3, 8)}, {"other": 120}, 96, 96),
    ("aten.max_pool2d.default", [("self", V("x")), ("kernel_size", [3, 2])], {"x": f(1, 2, 6, 6)}, {"y": f(1, 2, 2, 3)}, {"other": 12 * 6}, 4 * 72, 4 * 12),
    ("aten.avg_pool1d.default", [("self", V("x")), ("kernel_size", [3])], {"x": f(1, 2, 6)}, {"y": f(1, 2, 2)}, {"other": 12}, 48, 16),
    ("aten.adaptive_avg_pool2d.default", [("self", V("x")), ("output_size", [1, 1])], {"x": f(1, 2, 6, 6)}, {"y": f(1, 2, 1, 1)}, {"other": 72}, 4 * 72, 8),
    # two layers, four gates of 3: [12, 5] and [12, 3], then [12, 3] and [12, 3], in each of 7 steps of 2 sequences
    ("aten.lstm.input", [("input", V("x")), ("hx", [V("h"), V("c")]), ("params", [V("w0"), V("r0"), V("b0"), V("w1"), V("r1"), V("b1")]), ("has_biases", True),
     ("num_layers", 2), ("dropout", 0.0), ("train", False), ("bidirectional", False), ("batch_first", False)],
     {"x": f(7, 2, 5), "h": f(2, 2, 3), "c": f(2, 2, 3), "w0": f(12, 5), "r0": f(12, 3), "b0": f(12), "w1": f(12, 3), "r1": f(12, 3), "b1": f(12)},
     {"y": f(7, 2, 3), "hn": f(2, 2, 3), "cn": f(2, 2, 3)}, {"matmul": 2 * 14 * (60 + 36 + 36 + 36)}, 4 * (70 + 24 + 168 + 24), 4 * (42 + 24)),
    ("aten.hardtanh_.default", [("self", V("x")), ("min_val", 0), ("max_val", 6)], {"x": f(5)}, {"y": f(5)}, {"activation": 5}, 20, 20),
    ("aten.relu6.default", [("self", V("x"))], {"x": f(5)}, {"y": f(5)}, {"activation": 5}, 20, 20),
    ("aten.silu.default", [("self", V("x"))], {"x": f(5)}, {"y": f(5)}, {"activation": 40}, 20, 20),
    ("aten.mul.Scalar", [("self", V("x")), ("other", 2.0)], {"x": f(5)}, {"y": f(5)}, {"other": 5}, 20, 20),
    ("aten.embedding.default", [("weight", V("w")), ("indices", V("i"))], {"w": f(100, 8), "i": (I64, [2, 3])}, {"y": f(2, 3, 8)}, {}, 4 * 48 + 8 * 6, 4 * 48),
    # of a cache [2, 16, 8], rows 3 and 4 of both sequences are written: 2*2*8 elements; in a copy, all of it is read and written before
    ("aten.index_put_.default", [("self", V("x")), ("indices", [None, V("i")]), ("values", V("v"))], {"x": f(2, 16, 8), "i": (I64, [2]), "v": f(2, 2, 8)}, {"y": f(2, 16, 8)},
     {}, 8 * 2 + 4 * 32, 4 * 32),
    ("aten.index_put.default", [("self", V("x")), ("indices", [None, V("i")]), ("values", V("v"))], {"x": f(2, 16, 8), "i": (I64, [2]), "v": f()}, {"y": f(2, 16, 8)},
     {}, 4 * 256 + 8 * 2 + 4, 4 * (256 + 32)),
    ("aten.index_put.default", [("self", V("x")), ("indices", [V("i")]), ("values", V("v"))], {"x": f(6), "i": (BOOL, [6]), "v": f()}, {"y": f(6)}, None, 0, 0),
    ("aten.scatter_.src", [("self", V("x")), ("dim", 0), ("index", V("i")), ("src", V("v"))], {"x": f(9, 2), "i": (I64, [3, 2]), "v": f(5, 2)}, {"y": f(9, 2)}, {},
     8 * 6 + 4 * 10, 4 * 6),
    ("aten.scatter_add.default", [("self", V("x")), ("dim", 0), ("index", V("i")), ("src", V("v"))], {"x": f(9), "i": (I64, [3]), "v": f(3)}, {"y": f(9)}, {"other": 3},
     4 * (9 + 3 + 3) + 8 * 3, 4 * (9 + 3)),
    # of these the first operand gives shape and dtype alone
    ("aten.zeros_like.default", [("self", V("x"))], {"x": f(7)}, {"y": f(7)}, {}, 0, 28),
    ("aten.new_zeros.default", [("self", V("x")), ("size", [3])], {"x": f(7)}, {"y": f(3)}, {}, 0, 12),
    ("aten.copy.default", [("self", V("x")), ("src", V("s"))], {"x": f(7), "s": (BF16, [7])}, {"y": f(7)}, {}, 14, 28),
    # what is handed on, and what is copied
    ("aten.dropout.default", [("input", V("x")), ("p", 0.5), ("train", False)], {"x": f(5)}, {"y": f(5)}, {}, 0, 0),
    ("aten.dropout.default", [("input", V("x")), ("p", 0.5), ("train", True)], {"x": f(5)}, {"y": f(5)}, None, 0, 0),
    ("aten.chunk.default", [("self", V("x")), ("chunks", 2)], {"x": f(6)}, {"y": f(3), "z": f(3)}, {}, 0, 0),
    ("aten.reshape.default", [("self", V("x")), ("shape", [6, 4])], {"x": f(2, 3, 4)}, {"y": f(6, 4)}, {}, 0, 0),
    ("aten.reshape.default", [("self", V("x")), ("shape", [2, 3, 2, 2])], {"x": f(2, 3, 4, strides=(4, 8, 1))}, {"y": f(2, 3, 2, 2)}, {}, 0, 0),
    ("aten.reshape.default", [("self", V("x")), ("shape", [6, 4])], {"x": f(2, 3, 4, strides=(4, 8, 1))}, {"y": f(6, 4)}, {}, 96, 96),
    ("aten.reshape.default", [("self", V("x")), ("shape", [2, 12])], {"x": f(2, 3, 4, strides=(12, 1, 3))}, {"y": f(2, 12)}, {}, 96, 96),
    ("aten.flatten.using_ints", [("self", V("x")), ("start_dim", 1)], {"x": f(2, 3, 1, 1, strides=(3, 1, 77, 99))}, {"y": f(2, 3)}, {}, 0, 0),
    ("aten.contiguous.default", [("self", V("x"))], {"x": f(2, 3)}, {"y": f(2, 3)}, {}, 0, 0),
    ("aten.contiguous.default", [("self", V("x"))], {"x": f(2, 3, strides=(1, 2))}, {"y": f(2, 3)}, {}, 24, 24),
    ("aten.contiguous.default", [("self", V("x"))], {"x": f(1, 3, strides=(77, 1))}, {"y": f(1, 3)}, {}, 0, 0),
    ("aten.to.dtype", [("self", V("x")), ("dtype", Dtype(BF16))], {"x": f(6)}, {"y": (BF16, [6])}, {}, 24, 12),
    ("aten.to.dtype", [("self", V("x")), ("dtype", Dtype(F32))], {"x": f(6)}, {"y": f(6)}, {}, 0, 0),
    ("aten.to.dtype", [("self", V("x")), ("dtype", Dtype(F32)), ("non_blocking", False), ("copy", True)], {"x": f(6)}, {"y": f(6)}, {}, 24, 24),
    ("aten.type_as.default", [("self", V("x")), ("other", V("o"))], {"x": f(6), "o": (BF16, [600])}, {"y": (BF16, [6])}, None, 0, 0),
    ("mylib.own.default", [("x", V("x"))], {"x": f(6)}, {"y": f(6)}, None, 0, 0),
]


def program(target, arguments, inputs, results):
    """The operator alone; all are inputs, so that weights are not told from activations."""
    return Program(Graph([V(n) for n in inputs], [Node("torch.ops." + target, arguments, [V(n) for n in results])], [V(n) for n in results], {**inputs, **results}), {})


def cost(ridge, path, *options):
    done = subprocess.run([ridge, "cost", path, "--json", *options], capture_output=True, text=True)
    return (json.loads(done.stdout) if done.stdout else None), done.stderr


def compare(answer, said, flops, read, written):
    if answer is None:
        yield said
        return
    found = {k: v for k, v in answer["flops"].items() if v and k not in ("total", "torch")}
    if bool(answer["unknown"]) != (flops is None):
        yield f"unknown: {answer['unknown']}"
    bytes_ = answer["bytes"]
    if (found, sum(bytes_["reads"].values()), sum(bytes_["writes"].values())) != (flops or {}, read, written):
        yield f"{found}, {bytes_}; expected {flops}, {read}, {written}"


def check_numbers_of_the_host(tap, ridge, folder):
    """Numbers that nodes hand on move no bytes: of full([s0, 4], 0.0) the result is written alone."""
    s = symbol("s0", 3)
    nodes = [Node("torch.ops.aten.sym_size.int", [("self", V("x")), ("dim", 0)], [Number("n")]),
             Node("torch.ops.aten.full.default", [("size", [Number("n"), 4]), ("fill_value", 0.0)], [V("y")])]
    p = Program(Graph([V("x")], nodes, [V("y")], {"x": (F32, [s]), "y": (F32, [s, 4])}, {"n": s}), {}, ranges={"s0": (2, 64)})
    path = os.path.join(folder, "numbers.pt2")
    with open(path, "wb") as file:
        file.write(exported.archive(p, "8.20"))
    tap.case("numbers of the host", compare(*cost(ridge, path, "--bind", "s0=5"), {}, 0, 4 * 20))


def main():
    ridge, tap = sys.argv[1], driver.Tap()
    with tempfile.TemporaryDirectory() as folder:
        for i, (target, arguments, inputs, results, flops, read, written) in enumerate(CASES):
            path = os.path.join(folder, f"{i}.pt2")
            with open(path, "wb") as file:
                file.write(exported.archive(program(target, arguments, inputs, results), "8.20"))
            tap.case(f"{i} {target}", compare(*cost(ridge, path), flops, read, written))
        check_numbers_of_the_host(tap, ridge, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
