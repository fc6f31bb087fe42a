"""Writes weight files for the tests: safetensors from the format's description, PyTorch checkpoints with Python's own pickle and zipfile.

Nothing of Ridge is used: what the tests expect of the files is what went into them.
"""
import io
import json
import pickle
import struct
import sys
import types
import zipfile

BITS = {"BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "I16": 16, "U16": 16,
        "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "F64": 64, "I64": 64, "U64": 64, "C64": 64}


def product(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def header(tensors, metadata=None):
    """The JSON of tensors [(name, dtype, shape)], one behind another, and the bytes that they take."""
    at, entries = 0, {}
    if metadata is not None:
        entries["__metadata__"] = metadata
    for name, dtype, shape in tensors:
        size = product(shape) * BITS[dtype] // 8
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    return entries, at


def safetensors(tensors, metadata=None):
    entries, size = header(tensors, metadata)
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(size)


def raw(text, data=b"", length=None):
    """A file with this header, well-formed or not."""
    text = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


# ---- PyTorch checkpoints: names that pickle writes as torch's, without torch ----

def _module(name, **members):
    module = types.ModuleType(name)
    for key, value in members.items():
        setattr(module, key, value)
        if hasattr(value, "__module__"):
            value.__module__ = name
            value.__qualname__ = key
    sys.modules[name] = module
    return module


def _call(name):
    def f(*args):
        raise RuntimeError(name)
    f.__name__ = name
    return f


def _class(name):
    return type(name, (), {})


STORAGES = {"torch.float64": "DoubleStorage", "torch.float32": "FloatStorage", "torch.float16": "HalfStorage",
            "torch.bfloat16": "BFloat16Storage", "torch.int64": "LongStorage", "torch.int32": "IntStorage", "torch.int16": "ShortStorage",
            "torch.int8": "CharStorage", "torch.uint8": "ByteStorage", "torch.bool": "BoolStorage",
            "torch.complex64": "ComplexFloatStorage", "torch.complex128": "ComplexDoubleStorage", "torch.qint8": "QInt8Storage"}
WIDTH = {"DoubleStorage": 8, "FloatStorage": 4, "HalfStorage": 2, "BFloat16Storage": 2, "LongStorage": 8, "IntStorage": 4, "ShortStorage": 2,
         "CharStorage": 1, "ByteStorage": 1, "BoolStorage": 1, "ComplexFloatStorage": 8, "ComplexDoubleStorage": 16, "QInt8Storage": 1,
         "UntypedStorage": 1}

_torch = _module("torch", float8_e4m3fn=_class("float8_e4m3fn"), uint16=_class("uint16"), Size=_class("Size"),
                 **{s: _class(s) for s in STORAGES.values()})
_storage = _module("torch.storage", UntypedStorage=_class("UntypedStorage"))
_utils = _module("torch._utils", **{n: _call(n) for n in ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_parameter",
                                                          "_rebuild_qtensor", "_rebuild_sparse_tensor")})
_tensor = _module("torch._tensor", _rebuild_from_type_v2=_call("_rebuild_from_type_v2"))
_nn = _module("torch.nn.modules.linear", Linear=_class("Linear"))
_evil = _module("evil", system=_call("system"), Thing=_class("Thing"))
OrderedDict = __import__("collections").OrderedDict


class Storage:
    """Elements of a type, by key; nbytes is what the file has of it."""

    def __init__(self, key, dtype, numel):
        self.key, self.numel = key, numel
        self.type = dtype if dtype == "UntypedStorage" else STORAGES[dtype]
        self.nbytes = numel * WIDTH[self.type]

    def id(self, legacy):
        where = _storage if self.type == "UntypedStorage" else _torch
        return ("storage", getattr(where, self.type), self.key, "cpu", self.numel) + ((None,) if legacy else ())


class Call:
    """What pickle writes as a call of `function` with `args`, with a state where one is given."""

    def __init__(self, function, args, state=None):
        self.reduced = (function, args) if state is None else (function, args, state)

    def __reduce__(self):
        return self.reduced


def strides(shape):
    out, step = [], 1
    for d in reversed(shape):
        out.insert(0, step)
        step *= d
    return tuple(out)


def tensor(storage, shape, first=0, stride=None):
    return Call(_utils._rebuild_tensor_v2, (storage, first, tuple(shape), strides(shape) if stride is None else stride, False, OrderedDict()))


def fresh(key, dtype, shape):
    return tensor(Storage(key, dtype, product(shape)), shape)


def parameter(data):
    return Call(_utils._rebuild_parameter, (data, True, OrderedDict()))


def of_bytes(storage, shape, dtype):
    return Call(_utils._rebuild_tensor_v3, (storage, 0, tuple(shape), strides(shape), False, OrderedDict(), dtype))


def module(**state):
    """A whole torch.nn.Module, as torch.save(model) has it."""
    made = _nn.Linear()
    made.__dict__.update(state)
    return made


class _Named:
    def __getnewargs_ex__(self):
        return (), self.__dict__["arguments"]

    def __getstate__(self):
        return None


_module("named", Named=_Named)


def named(**arguments):
    """What is made of named arguments (NEWOBJ_EX, protocol 4)."""
    made = _Named()
    made.__dict__["arguments"] = arguments
    return made


class _Pickler(pickle._Pickler):
    """Python's pickler in Python: that in C lets no one name storages."""

    def __init__(self, file, protocol, storages, legacy=False):
        super().__init__(file, protocol)
        self.storages, self.legacy = storages, legacy

    def persistent_id(self, obj):
        if isinstance(obj, Storage):
            self.storages[obj.key] = obj
            return obj.id(self.legacy)
        return None


def pickled(value, protocol=2, storages=None, legacy=False):
    out = io.BytesIO()
    _Pickler(out, protocol, {} if storages is None else storages, legacy).dump(value)
    return out.getvalue()


def archive(entries, compressed=(), zip64=False):
    """A zip of [(name, bytes)] as torch.save makes one: nothing compressed, no times."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data in entries:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED if name in compressed else zipfile.ZIP_STORED
            with z.open(info, "w", force_zip64=zip64) as f:
                f.write(data)
    return out.getvalue()


def checkpoint(value, protocol=2, name="archive", **how):
    storages = {}
    data = pickled(value, protocol, storages)
    entries = [(name + "/data.pkl", data), (name + "/byteorder", b"little")]
    entries += [("%s/data/%s" % (name, s.key), bytes(s.nbytes)) for s in storages.values()]
    return archive(entries + [(name + "/version", b"3\n")], **how)


MAGIC = 0x1950A86A20F9469CFC6C


def legacy(value, protocol=2):
    """As PyTorch before 1.6 wrote: five pickles, then each storage's length and bytes."""
    storages = {}
    data = pickled(value, protocol, storages, True)
    head = b"".join(pickled(v, protocol) for v in (MAGIC, 1001, {"protocol_version": 1001, "little_endian": True, "type_sizes": {}}))
    keys = sorted(storages)
    body = b"".join(struct.pack("<q", storages[k].numel) + bytes(storages[k].nbytes) for k in keys)
    return head + data + pickled(keys, protocol) + body


def main(folder, files):
    """Writes files [(name, bytes)] into a folder; with --check, TAP: are they there, and nothing else?"""
    files = dict(files)
    if "--check" not in sys.argv[1:]:
        for old in folder.iterdir():
            old.unlink()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        return 0
    there = {path.name: path.read_bytes() for path in folder.iterdir()}
    wrong = sorted(name for name in set(files) | set(there) if files.get(name) != there.get(name))
    print("1..1")
    print("%s 1 - %s has the files that are written for it" % ("not ok" if wrong else "ok", folder.name))
    for name in wrong:
        print("# %s differs" % name)
    return 1 if wrong else 0
