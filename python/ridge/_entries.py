"""Which entry of the catalog a module of torch.nn is, and with which arguments a call of it is that entry's.

In: a row of an inventory (class, values, calls). Out: FLOPs of the entry, or None where the entry does not say this module: what an entry
leaves out (padding of another kind, statistics of the batch) is not forced upon it. The formulas are the catalog's; only names are joined here.
"""

from ctypes import byref
from math import prod

from ridge import _errors
from ridge import _library as lib


class NotThis(Exception):
    """The catalog's entry says less than this module does."""


def _want(condition):
    if not condition:
        raise NotThis


def _all(value, n):
    """One number, or n of them, as n whole numbers."""
    value = value if isinstance(value, list) else [value] * n
    _want(len(value) == n and all(isinstance(one, int) for one in value))
    return value


def _padding(values, n):
    """The zeros at either end; 'valid' is none."""
    _want(values.get("padding_mode") == "zeros")
    return _all(0 if values["padding"] == "valid" else values["padding"], n)


def _images(call, n):
    """(batch, sizes of n dimensions) of [batch, channels, ...]; a single one has no batch."""
    shape = call["inputs"][0]["shape"]
    _want(len(shape) in (n + 1, n + 2))
    return (shape[0] if len(shape) == n + 2 else 1), shape[-n:]


def _elements(call):
    return prod(call["inputs"][0]["shape"])


def _results(call):
    return prod(call["outputs"][0]["shape"])


def _linear(values, call):
    of, to = values["in_features"], values["out_features"]
    return {"rows": _results(call) // to, "in_features": of, "out_features": to, "bias": values["bias"]}


def _embedding(values, call):
    _want(values.get("max_norm") is None)
    return {"rows": _elements(call), "num_embeddings": values["num_embeddings"], "embedding_dim": values["embedding_dim"]}


def _layer_norm(values, call):
    dim = prod(_all(values["normalized_shape"], len(values["normalized_shape"])))
    affine = values["elementwise_affine"]
    return {"rows": _elements(call) // dim, "dim": dim, "bias": affine and values.get("bias", True), "affine": affine}


def _of_elements(values, call):
    return {"n": _elements(call)}


def _of_results(values, call):
    return {"n": _results(call)}


def _nothing(values, call):
    return {}


def _channels(values):
    return {"cin": values["in_channels"], "cout": values["out_channels"], "groups": values["groups"], "bias": values["bias"]}


def _conv1d(values, call):
    batch, (length,) = _images(call, 1)
    one = {"k": "kernel_size", "stride": "stride", "dilation": "dilation"}
    sizes = {name: _all(values[key], 1)[0] for name, key in one.items()}
    return {"L": length, **_channels(values), **sizes, "padding": _padding(values, 1)[0], "batch": batch}


def _conv2d(values, call):
    batch, (height, width) = _images(call, 2)
    kh, kw = _all(values["kernel_size"], 2)
    stride, stride_w = _all(values["stride"], 2)
    padding, pad_w = _padding(values, 2)
    dilation, dilation_w = _all(values["dilation"], 2)
    _want(dilation == dilation_w)
    return {"H": height, "W": width, **_channels(values), "kh": kh, "kw": kw, "stride": stride, "stride_w": stride_w, "padding": padding,
            "pad_w": pad_w, "dilation": dilation, "batch": batch}


def _conv3d(values, call):
    batch, (length, height, width) = _images(call, 3)
    kt, kh, kw = _all(values["kernel_size"], 3)
    stride_t, stride, stride_w = _all(values["stride"], 3)
    pad_t, pad, pad_w = _padding(values, 3)
    _want(_all(values["dilation"], 3) == [1, 1, 1])
    return {"T": length, "H": height, "W": width, **_channels(values), "kt": kt, "kh": kh, "kw": kw, "stride_t": stride_t, "stride": stride,
            "stride_w": stride_w, "pad_t": pad_t, "pad": pad, "pad_w": pad_w, "batch": batch}


def _transposed(values, call, n):
    """What both transposed convolutions say: squares, and one padding all round; an output that was asked for by size is another one."""
    batch, sizes = _images(call, n)
    sides = {name: _all(values[key], n) for name, key in {
        "k": "kernel_size", "stride": "stride", "padding": "padding", "output_padding": "output_padding", "dilation": "dilation"}.items()}
    _want(values.get("padding_mode") == "zeros" and len(call["inputs"]) == 1)
    _want(all(len(set(side)) == 1 for side in sides.values()) and sides.pop("dilation")[0] == 1)
    return batch, sizes, {name: side[0] for name, side in sides.items()}


def _conv_transpose1d(values, call):
    batch, (length,), sides = _transposed(values, call, 1)
    return {"L": length, **_channels(values), **sides, "batch": batch}


def _conv_transpose2d(values, call):
    batch, (height, width), sides = _transposed(values, call, 2)
    return {"H": height, "W": width, **_channels(values), **sides, "B": batch}


def _batch_norm(values, call):
    _want(values["track_running_stats"] and values["affine"])
    return {"n": _elements(call), "channels": values["num_features"]}


def _group_norm(values, call):
    _want(values["affine"])
    return {"n": _elements(call), "channels": values["num_channels"], "groups": values["num_groups"], "batch": call["inputs"][0]["shape"][0]}


def _adaptive(values, call):
    return {"n_in": _elements(call), "n_out": _results(call)}


def _p_relu(values, call):
    return {"n": _elements(call), "num_parameters": values["num_parameters"]}


_ACTIVATIONS = ("SiLU", "ReLU", "Tanh", "Sigmoid", "GELU", "ReLU6", "LeakyReLU", "Mish", "Hardswish", "ELU", "Softmax")

# class of torch.nn.modules -> the arguments of its entry, torch.nn.<class>
ARGUMENTS = {
    "linear.Linear": _linear,
    "linear.Identity": _nothing,
    "sparse.Embedding": _embedding,
    "dropout.Dropout": _nothing,
    "dropout.Dropout2d": _nothing,
    "flatten.Flatten": _nothing,
    "normalization.LayerNorm": _layer_norm,
    "normalization.GroupNorm": _group_norm,
    "batchnorm.BatchNorm1d": _batch_norm,
    "batchnorm.BatchNorm2d": _batch_norm,
    "conv.Conv1d": _conv1d,
    "conv.Conv2d": _conv2d,
    "conv.Conv3d": _conv3d,
    "conv.ConvTranspose1d": _conv_transpose1d,
    "conv.ConvTranspose2d": _conv_transpose2d,
    "pooling.AdaptiveAvgPool1d": _adaptive,
    "pooling.AdaptiveAvgPool2d": _adaptive,
    "pixelshuffle.PixelShuffle": _of_elements,
    "activation.PReLU": _p_relu,
    "activation.GLU": _of_results,
    **{f"activation.{name}": _of_elements for name in _ACTIVATIONS},
}
_PREFIX = "torch.nn.modules."


def _formula(path, name, arguments):
    """One FLOP class, or "flops" for all, of an entry."""
    session, out = lib.session(), lib.Count()
    given = [lib.text(f"{key}={value}") for key, value in arguments.items()]
    status = session._lib.ridge_compute(session, byref(out), name.encode(), path.encode(), lib.texts(given), len(given))
    if status:
        raise session.error(status)
    return int(out)


def entry_of(row):
    """The entry's name ("torch.nn.Linear") for a module of an inventory; None: the catalog has none that stands for it alone."""
    kind = row["class"]
    if not kind.startswith(_PREFIX) or kind[len(_PREFIX):] not in ARGUMENTS:
        return None
    return "torch.nn." + kind.rpartition(".")[2]


# entries whose FLOPs are those of products, which PyTorch's FlopCounterMode counts; a bias is none of them
_PRODUCTS = ("torch.nn.Linear", "torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.ConvTranspose1d", "torch.nn.ConvTranspose2d")
# entries that count another number per element than the operator that runs does
_OTHER_CONVENTION = ("torch.nn.ReLU6", "torch.nn.LeakyReLU", "torch.nn.PReLU", "torch.nn.Hardswish")


def count(row):
    """(FLOPs, FLOPs as FlopCounterMode counts, FLOPs as its operators count, the entry's name) of all recorded calls of a module; None where the
    entry is not it. Operators count no bias; where the entry has a convention of its own, what they count is None."""
    name = entry_of(row)
    if name is None or not row.get("calls"):
        return None
    flops = products = 0
    for call in row["calls"]:
        try:
            arguments = ARGUMENTS[row["class"][len(_PREFIX):]](row["values"], call)
            flops += call["count"] * _formula(name, "flops", arguments)
            if name in _PRODUCTS:
                products += call["count"] * _formula(name, "flops", {**arguments, "bias": False})
        except (NotThis, KeyError, IndexError, TypeError, ZeroDivisionError, _errors.RidgeError):
            return None
    by_operators = None if name in _OTHER_CONVENTION else products if name in _PRODUCTS else flops
    return flops, products, by_operators, name
