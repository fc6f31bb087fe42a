"""The graphs that onnxruntime runs for `ridge compare --frameworks`: model files in memory, written field by field (onnx.proto).

Stands behind ridge_frameworks.py in what python3 is given, and uses what is defined there: math, check_scores, wants_mask, mask_of, rope_tables.
"""


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


ONNX_FLOAT, ONNX_INT64 = 1, 7
ATTRIBUTE_INT, ATTRIBUTE_INTS = 2, 7


def onnx_tensor(name, kind, dims, raw):
    return b"".join(number(1, d) for d in dims) + number(2, kind) + message(8, name) + message(9, raw)


def onnx_value(name, dims):
    shape = b"".join(message(1, number(1, d)) for d in dims)
    return message(1, name) + message(2, message(1, number(1, ONNX_FLOAT) + message(2, shape)))


def onnx_attribute(name, value):
    if isinstance(value, int):
        return message(1, name) + number(3, value) + number(20, ATTRIBUTE_INT)
    return message(1, name) + b"".join(number(8, v) for v in value) + number(20, ATTRIBUTE_INTS)


class Graph:
    """An ONNX graph of opset 13 while it is written."""

    def __init__(self, np):
        self.np, self.parts, self.count = np, [], 0

    def constant(self, array, name=None):
        array = self.np.ascontiguousarray(array)
        kind = ONNX_INT64 if array.dtype == self.np.int64 else ONNX_FLOAT
        name = name or self.name("c")
        self.parts.append(message(5, onnx_tensor(name, kind, array.shape, array.tobytes())))
        return name

    def floats(self, values):
        return self.constant(self.np.asarray(values, self.np.float32))

    def ints(self, *values):
        return self.constant(self.np.asarray(values, self.np.int64))

    def name(self, what):
        self.count += 1
        return f"{what}{self.count}"

    def op(self, kind, *inputs, **attributes):
        out = attributes.pop("to", None) or self.name(kind)
        body = b"".join(message(1, i) for i in inputs) + message(2, out) + message(4, kind)
        body += b"".join(message(5, onnx_attribute(k, v)) for k, v in attributes.items())
        self.parts.append(message(1, body))
        return out

    def model(self, inputs, output, dims):
        graph = b"".join(self.parts) + message(2, "ridge")
        graph += b"".join(message(11, onnx_value(name, shape)) for name, shape in inputs.items())
        graph += message(12, onnx_value(output, dims))
        return number(1, 7) + message(2, "ridge") + message(7, graph) + message(8, message(1, "") + number(2, 13))


class OnnxMath:
    """The tasks as graphs; products take their weights turned, [k, n]."""

    def __init__(self, graph, sizes):
        self.g, self.n = graph, sizes

    def product(self, x, w):
        return self.g.op("MatMul", x, self.g.constant(w.T))

    def attention(self, q, k, v):
        g, n = self.g, self.n
        check_scores(n)
        rows = g.op("Reshape", q, g.ints(n.batch, n.kv_heads, n.heads // n.kv_heads * n.seq, n.head_dim))
        scores = g.op("Mul", g.op("MatMul", rows, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.floats(1 / math.sqrt(n.head_dim)))
        if wants_mask(n):
            scores = g.op("Add", scores, g.constant(mask_of(g.np, n)))
        out = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        return g.op("Reshape", out, g.ints(n.batch, n.heads, n.seq, n.head_dim))

    def norm(self, x, gamma):
        g = self.g
        mean = g.op("ReduceMean", g.op("Mul", x, x), axes=[-1], keepdims=1)
        root = g.op("Sqrt", g.op("Add", mean, g.floats(RMS_EPSILON)))
        return g.op("Mul", g.op("Div", x, root), g.constant(gamma))

    def rope(self, x, cos, sin):
        g, half = self.g, self.n.head_dim // 2
        first = g.op("Slice", x, g.ints(0), g.ints(half), g.ints(3))
        second = g.op("Slice", x, g.ints(half), g.ints(2 * half), g.ints(3))
        turned = g.op("Concat", g.op("Neg", second), first, axis=3)
        return g.op("Add", g.op("Mul", x, cos), g.op("Mul", turned, sin))

    def heads(self, x, w, count):
        n = self.n
        apart = self.g.op("Reshape", self.product(x, w), self.g.ints(n.batch, n.seq, count, n.head_dim))
        return self.g.op("Transpose", apart, perm=[0, 2, 1, 3])

    def layer(self, t, to):
        g, n = self.g, self.n
        cos, sin = (g.floats(table) for table in rope_tables(n))
        h = self.norm("x", t["norm1"])
        q = self.rope(self.heads(h, t["Wq"], n.heads), cos, sin)
        k = self.rope(self.heads(h, t["Wk"], n.kv_heads), cos, sin)
        v = self.heads(h, t["Wv"], n.kv_heads)
        if n.past:
            k, v = (g.op("Concat", g.constant(t[name], name), new, axis=2) for name, new in (("K", k), ("V", v)))
        o = g.op("Transpose", self.attention(q, k, v), perm=[0, 2, 1, 3])
        o = g.op("Reshape", o, g.ints(n.batch, n.seq, n.heads * n.head_dim))
        x = g.op("Add", "x", self.product(o, t["Wo"]))
        h = self.norm(x, t["norm2"])
        gate = self.product(h, t["Wgate"])
        gated = g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), self.product(h, t["Wup"]))
        return g.op("Add", x, self.product(gated, t["Wdown"]), to=to)
