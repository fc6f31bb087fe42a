"""What `ridge learn` derives of the class of a live module from its source, without running it.

In: the module, its inventory, a call's inputs. Out: FLOPs by path below the module, or NotLearned with the reason.
A result is taken only where every argument of the constructor is known and the tree that comes out is the module's own, tensor by tensor.
"""

import inspect
import os
import re
import sys

from ridge import _ask, _errors, _inventory

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_WORD = re.compile(r"[^\s=,\[\]]+\Z")


class NotLearned(Exception):
    """The source does not say it, and why."""


def _place(kind):
    """(class by its path, folder or file that --source takes)"""
    if "<locals>" in kind.__qualname__:
        raise NotLearned(f"{kind.__qualname__} is defined inside a function")
    try:
        file = inspect.getsourcefile(kind)
    except TypeError:
        file = None
    if not file or not os.path.isfile(file):
        raise NotLearned(f"{kind.__qualname__} has no source file")
    top = kind.__module__.partition(".")[0]
    package = getattr(sys.modules.get(top), "__path__", None)
    if package:
        return f"{kind.__module__}.{kind.__qualname__}", os.path.dirname(list(package)[0])
    stem = os.path.splitext(os.path.basename(file))[0]
    if not _NAME.match(stem):
        raise NotLearned(f"{os.path.basename(file)} is no name of a module")
    return f"{stem}.{kind.__qualname__}", file


def _value(name, value):
    if isinstance(value, list):
        return "[" + ",".join(_value(name, one) for one in value) + "]"
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str) and _WORD.match(value) and value not in ("True", "False", "None", "true", "false", "null"):
        return value
    raise NotLearned(f"the constructor's {name} is no plain value")


def _arguments(module, given):
    """What the constructor was called with, as --arguments takes it. One that the module does not keep, and nobody gives, might be anything."""
    script = _inventory.script()
    values = {**script._values(module), **(given or {})}
    names = [name for name in script._parameters_of_init(type(module)) if name in values or name not in ("device", "dtype")]
    missing = [name for name in names if name not in values]
    if missing:
        raise NotLearned(f"the module does not keep what its constructor got as {', '.join(missing)}")
    return " ".join(f"{name}={_value(name, values[name])}" for name in names)


def _inputs(rows):
    """The tensors of a call, as --inputs takes them."""
    for row in rows:
        if not _NAME.match(row["name"]) or not row["shape"]:
            raise NotLearned(f"the input {row['name'] or '?'} is no named tensor with sizes")
    return " ".join(f"{row['name']}={','.join(map(str, row['shape']))}:{row['dtype']}" for row in rows)


def _same_tree(told, inventory, path):
    """NotLearned where the tree that the source builds is not the module's own below this path."""
    below = [row for row in inventory["modules"] if row["path"] == path or row["path"].startswith(f"{path}." if path else "")]
    cut = len(path) + 1 if path else 0
    ours = {row["path"][cut:]: (row["class"], {p["name"]: p["shape"] for p in row["parameters"]}) for row in below}
    theirs = {row["path"]: (row["class"], {name: t["shape"] for name, t in row["tensors"].items()}) for row in told["modules"]}
    for place in {**ours, **theirs}:
        mine, other = ours.get(place), theirs.get(place)
        if not mine or not other or mine[1] != other[1] or mine[0].rpartition(".")[2] != other[0].rpartition(".")[2]:
            raise NotLearned(f"the source builds another module at '{place}'")


def _answer(kind, source, arguments, inputs, said_before):
    """What `ridge learn` says; equal layers are asked once."""
    key = (kind, source, arguments, inputs)
    if key not in said_before:
        try:
            said_before[key] = _ask_once(*key)
        except NotLearned as reason:
            said_before[key] = reason
    if isinstance(said_before[key], NotLearned):
        raise said_before[key]
    return said_before[key]


def _ask_once(kind, source, arguments, inputs):
    try:
        said = _ask.answer("learn", kind, source=source, arguments=arguments or None, inputs=inputs, phase="prefill")
    except _errors.RidgeError as error:
        raise NotLearned(error.message) from error
    for what in ("unresolved", "pending", "refused"):
        if said[what]:
            one = said[what][0]
            raise NotLearned(f"{one.get('where', '')}: {one.get('unknown') or one.get('why') or what}" if isinstance(one, dict) else str(one))
    runs = said["model"]["runs"] if said["model"] else []
    if len(runs) != 1 or runs[0]["failed"] or runs[0]["unresolved"]:
        raise NotLearned((runs[0]["failed"] if runs else None) or "the source gives no run")
    return said


def learn(module, inventory, path, inputs, said_before, given=None):
    """({path: (FLOPs, FLOPs as FlopCounterMode counts, calls)} below `path`, where the class stands: "net.py:12") for one call with these inputs.
    said_before: a dict that keeps answers between calls."""
    kind, source = _place(type(module))
    said = _answer(kind, source, _arguments(module, given), _inputs(inputs), said_before)
    _same_tree(said["model"], inventory, path)
    place = next((f"{os.path.basename(one['source']['file'])}:{one['source']['line_start']}"
                  for one in said["classes"] if one["path"] == kind and one["source"]), kind)
    rows = {}
    for row in said["model"]["runs"][0]["rows"]:
        full = ".".join(part for part in (path, row["path"]) if part)
        if row["flops"] is None or row["torch"] is None:
            raise NotLearned(f"the source leaves the FLOPs of '{full}' open")
        rows[full] = (row["flops"], row["torch"], row["calls"])
    return rows, place
