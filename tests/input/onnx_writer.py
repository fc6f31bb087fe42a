"""Writes ONNX files for the tests, message by message, from onnx.proto's field numbers; nothing of Ridge or of the onnx package is used.

A message is bytes; what is wrong on purpose is put together of the same parts."""
import struct

# TensorProto.DataType
TYPES = ["UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32", "UINT64",
         "COMPLEX64", "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4", "INT4", "FLOAT4E2M1",
         "FLOAT8E8M0", "UINT2", "INT2"]
TYPE = {name: i for i, name in enumerate(TYPES)}
# AttributeProto: field, AttributeType
KINDS = {"f": (2, 1), "i": (3, 2), "s": (4, 3), "t": (5, 4), "g": (6, 5), "floats": (7, 6), "ints": (8, 7), "strings": (9, 8), "tensors": (10, 9),
         "graphs": (11, 10), "sparse": (22, 11), "sparses": (23, 12), "type": (14, 13), "types": (15, 14)}


def varint(n):
    n &= 2**64 - 1
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def key(number, wire):
    return varint(number << 3 | wire)


def num(number, value):
    return key(number, 0) + varint(value)


def data(number, content):
    content = content.encode() if isinstance(content, str) else content
    return key(number, 2) + varint(len(content)) + content


def each(number, items):
    return b"".join(data(number, item) for item in items)


def single(number, value):
    return key(number, 5) + struct.pack("<f", value)


def tensor(name="", dtype="FLOAT", dims=(), raw=None, packed=False, more=b""):
    sizes = data(1, b"".join(varint(d) for d in dims)) if packed else b"".join(num(1, d) for d in dims)
    kind = TYPE[dtype] if isinstance(dtype, str) else dtype
    return sizes + num(2, kind) + (data(8, name) if name else b"") + (data(9, raw) if raw is not None else b"") + more


def floats(name, *dims):
    n = 1
    for d in dims:
        n *= d
    return tensor(name, "FLOAT", dims, bytes(4 * n))


def longs(name, values, scalar=False):
    return tensor(name, "INT64", () if scalar else (len(values),), struct.pack(f"<{len(values)}q", *values))


def external(name, dtype, dims, location="weights.bin", more=(), where=1):
    entries = [("location", location)] + list(more)
    return tensor(name, dtype, dims, more=each(13, [data(1, k) + data(2, v) for k, v in entries]) + num(14, where))


def shape(dims):
    return each(1, [data(2, d) if isinstance(d, str) else b"" if d is None else num(1, d) for d in dims])


def info(name, dtype="FLOAT", dims=()):
    content = num(1, TYPE[dtype]) + (data(2, shape(dims)) if dims is not None else b"")
    return data(1, name) + data(2, data(1, content))


def attribute(name, kind, value, ref=None, typed=True):
    field, number = KINDS[kind]
    if ref is not None:
        content = data(21, ref)
    elif kind in ("f", "floats"):
        content = b"".join(single(field, v) for v in (value if kind == "floats" else [value]))
    elif kind in ("i", "ints"):
        content = b"".join(num(field, v) for v in (value if kind == "ints" else [value]))
    else:
        content = each(field, value if kind in ("strings", "tensors", "graphs", "sparses", "types") else [value])
    return data(1, name) + content + (num(20, number) if typed else b"")


def node(op, inputs=(), outputs=(), attributes=(), name="", domain="", more=b""):
    return each(1, inputs) + each(2, outputs) + (data(3, name) if name else b"") + data(4, op) + each(5, attributes) + (
        data(7, domain) if domain else b"") + more


def graph(nodes=(), inputs=(), outputs=(), initializers=(), infos=(), name="g", more=b""):
    return each(1, nodes) + data(2, name) + each(5, initializers) + each(11, inputs) + each(12, outputs) + each(13, infos) + more


def opset(version, domain=""):
    return (data(1, domain) if domain else b"") + num(2, version)


def function(name, inputs=(), outputs=(), nodes=(), attributes=(), defaults=(), opsets=(opset(17),), domain="my", more=b""):
    return data(1, name) + each(4, inputs) + each(5, outputs) + each(6, attributes) + each(7, nodes) + each(9, opsets) + data(
        10, domain) + each(11, defaults) + more


def model(content, ir=8, opsets=(opset(17), opset(1, "my")), functions=(), producer="test", more=b""):
    return num(1, ir) + data(2, producer) + data(7, content) + each(8, opsets) + each(25, functions) + more
