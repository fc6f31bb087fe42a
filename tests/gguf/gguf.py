"""Writes GGUF files (ggml's docs/gguf.md), well-formed and otherwise, for the tests. The bytes of the tensors are a hole: a file of any
size takes no more than its header.

    write("a.gguf", pairs(general__architecture="llama", llama__block_count=2), [("blk.0.attn_q.weight", "Q4_K", [256, 512])])
"""
import os
import struct

U8, I8, U16, I16, U32, I32, F32, BOOL, TEXT, ARRAY, U64, I64, F64 = range(13)
CODES = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "B", U64: "Q", I64: "q", F64: "d"}

# ggml.h: number, elements and bytes of a block (ggml-common.h, sums of its structs' fields)
TYPES = {
    "F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 2 + 16), "Q4_1": (3, 32, 4 + 16), "Q5_0": (6, 32, 2 + 4 + 16),
    "Q5_1": (7, 32, 4 + 4 + 16), "Q8_0": (8, 32, 2 + 32), "Q8_1": (9, 32, 4 + 32), "Q2_K": (10, 256, 4 + 16 + 64),
    "Q3_K": (11, 256, 2 + 64 + 32 + 12), "Q4_K": (12, 256, 4 + 12 + 128), "Q5_K": (13, 256, 4 + 12 + 128 + 32),
    "Q6_K": (14, 256, 2 + 16 + 192), "Q8_K": (15, 256, 4 + 256 + 32), "IQ2_XXS": (16, 256, 2 + 64), "IQ2_XS": (17, 256, 2 + 64 + 8),
    "IQ3_XXS": (18, 256, 2 + 96), "IQ1_S": (19, 256, 2 + 32 + 16), "IQ4_NL": (20, 32, 2 + 16), "IQ3_S": (21, 256, 2 + 104 + 4),
    "IQ2_S": (22, 256, 2 + 64 + 16), "IQ4_XS": (23, 256, 2 + 2 + 4 + 128), "I8": (24, 1, 1), "I16": (25, 1, 2), "I32": (26, 1, 4),
    "I64": (27, 1, 8), "F64": (28, 1, 8), "IQ1_M": (29, 256, 32 + 16 + 8), "BF16": (30, 1, 2), "Q4_0_4_4": (31, 32, 18),
    "Q4_0_4_8": (32, 32, 18), "Q4_0_8_8": (33, 32, 18), "TQ1_0": (34, 256, 2 + 4 + 48), "TQ2_0": (35, 256, 2 + 64),
    "MXFP4": (39, 32, 1 + 16), "NVFP4": (40, 64, 4 + 32), "Q1_0": (41, 128, 2 + 16), "Q2_0": (42, 64, 2 + 16),
}


def pairs(**given):
    """llama__block_count=2 -> ("llama.block_count", U32, 2); the type by the value"""
    return [(key.replace("__", "."), *typed(value)) for key, value in given.items()]


def typed(value):
    if isinstance(value, bool):
        return BOOL, value
    if isinstance(value, int):
        return U32, value
    if isinstance(value, float):
        return F32, value
    if isinstance(value, str):
        return TEXT, value
    return ARRAY, (typed(value[0])[0] if value else I32, value)


class Writer:
    """the parts of a file, each as version `version` has it"""

    def __init__(self, version=3):
        self.version = version

    def count(self, n):
        return struct.pack("<I" if self.version == 1 else "<Q", n)

    def text(self, text):
        raw = text if isinstance(text, bytes) else text.encode()
        return self.count(len(raw)) + raw

    def value(self, kind, value):
        if kind == TEXT:
            return self.text(value)
        if kind == ARRAY:
            inner, items = value
            return struct.pack("<I", inner) + self.count(len(items)) + b"".join(self.value(inner, item) for item in items)
        return struct.pack("<" + CODES[kind], value)

    def pair(self, key, kind, value):
        return self.text(key) + struct.pack("<I", kind) + self.value(kind, value)

    def tensor(self, name, number, shape, offset):
        """shape: innermost first"""
        return self.text(name) + struct.pack("<I", len(shape)) + b"".join(self.count(n) for n in shape) + struct.pack("<IQ", number, offset)

    def header(self, tensors, pair_count, magic=b"GGUF"):
        return magic + struct.pack("<I", self.version) + self.count(tensors) + self.count(pair_count)


def size_of(kind, shape):
    """bytes of a tensor; shape innermost first"""
    _, block, size = TYPES[kind]
    n = 1
    for dim in shape:
        n *= dim
    assert shape == [] or shape[0] % block == 0, (kind, shape)
    return n // block * size


def head(metadata, tensors, version=3, alignment=32):
    """all bytes up to the tensors' own, and how many of those there are"""
    w = Writer(version)
    out = w.header(len(tensors), len(metadata)) + b"".join(w.pair(*pair) for pair in metadata)
    at = 0
    for name, kind, shape in tensors:
        out += w.tensor(name, TYPES[kind][0], shape, at)
        at += -(-size_of(kind, shape) // alignment) * alignment
    return out + bytes(-len(out) % alignment), at


def write(path, metadata, tensors, version=3, alignment=32):
    """returns the bytes of all tensors"""
    begin, data = head(metadata, tensors, version, alignment)
    with open(path, "wb") as file:
        file.write(begin)
        file.truncate(len(begin) + data)
    return sum(size_of(kind, shape) for _, kind, shape in tensors)


def write_split(folder, name, metadata, tensors, parts):
    """the tensors over several files, as llama-gguf-split does; returns the path of the first"""
    os.makedirs(folder, exist_ok=True)
    per = -(-len(tensors) // parts)
    for i in range(parts):
        own = [("split.no", U16, i), ("split.count", U16, parts), ("split.tensors.count", I32, len(tensors))]
        path = os.path.join(folder, f"{name}-{i + 1:05d}-of-{parts:05d}.gguf")
        write(path, (metadata if i == 0 else []) + own, tensors[i * per:(i + 1) * per])
    return os.path.join(folder, f"{name}-00001-of-{parts:05d}.gguf")
