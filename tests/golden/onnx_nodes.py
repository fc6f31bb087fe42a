"""What the nodes of ONNX's own tests make: Debian's onnx module has hundreds of nodes with inputs and the arrays that they must give. Each is a
file here twice, all inputs constants, and those alone that hold shapes; shape and format of every result are those of the array, and what
Ridge knows of its content is in it. The file says no shape of a result. Without the module nothing is compared."""
import os
import subprocess
import sys
import tempfile

DEBIANS = "/usr/bin/python3"
try:
    import numpy as np
    import onnx
    from onnx import mapping, numpy_helper
except ImportError:
    if os.path.realpath(sys.executable) != os.path.realpath(DEBIANS) and os.path.exists(DEBIANS):
        os.execv(DEBIANS, [DEBIANS] + sys.argv)
    onnx = None

import json  # noqa: E402

import driver  # noqa: E402

FORMATS = {1: "fp32", 2: "u8", 3: "int8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 8: None, 9: "bool", 10: "fp16", 11: "fp64", 12: "u32", 13: "u64",
           14: "complex64", 15: "complex128", 16: "bf16"}
# operators that the catalog does not have, or whose result only data decide; how many are open for them is checked below
OPEN = {"NonMaxSuppression", "Unique", "SequenceConstruct", "SequenceMap", "SequenceInsert", "SequenceLength", "SequenceAt",
        "SequenceEmpty", "SplitToSequence", "ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement", "Identity",
        "StringNormalizer", "TfIdfVectorizer", "ai.onnx.preview.training.Adagrad", "ai.onnx.preview.training.Adam",
        "ai.onnx.preview.training.Momentum"}
# bfloat16 arrays stand in these as integers of 16 bits, which numpy has in its place
SKIPPED = ("BFLOAT16",)


def cases():
    for name, kind in (("float", float), ("int", int), ("bool", bool), ("object", object), ("str", str), ("complex", complex)):
        if name not in vars(np):  # names that numpy 1.24 took away, and onnx 1.12 uses
            setattr(np, name, kind)
    from onnx.backend.test.case.node import collect_testcases
    return [t for t in collect_testcases(None) if t.data_sets and not any(s in t.name for s in SKIPPED)]


def is_tensor(value, info):
    return not isinstance(value, (list, dict, type(None))) and info.type.HasField("tensor_type")


def constant(model, info, value):
    tensor = onnx.TensorProto()
    tensor.CopyFrom(value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(np.asarray(value), info.name))
    tensor.name = info.name
    model.graph.initializer.append(tensor)


def holds_shape(value):
    array = numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)
    return array.dtype.kind in "iub" or array.ndim <= 1


def write(path, case, everything):
    """The model with inputs as constants, and without what it says of its results."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    given, left = case.data_sets[0][0], []
    for info, value in zip(case.model.graph.input, given):
        if is_tensor(value, info) and (everything or holds_shape(value)):
            constant(model, info, value)
        else:
            left.append(info)
    del model.graph.input[:], model.graph.value_info[:]
    model.graph.input.extend(left)
    for info in model.graph.output:
        if info.type.HasField("tensor_type"):
            info.type.tensor_type.ClearField("shape")
    with open(path, "wb") as out:
        out.write(model.SerializeToString())


def compare_content(name, found, array):
    wanted = array.ravel().astype(np.float64)
    found = np.asarray(found, np.float64)
    with np.errstate(invalid="ignore"):
        near = (np.abs(found - wanted) <= 1e-5 * np.maximum(1, np.abs(wanted))) | (found == wanted)
    return [] if found.shape == wanted.shape and near.all() else [f"{name} holds {found[:16]}, expected {wanted[:16]}"]


def compare_result(found, wanted):
    if isinstance(wanted, (list, dict, type(None))):
        return []
    array = numpy_helper.to_array(wanted) if isinstance(wanted, onnx.TensorProto) else np.asarray(wanted)
    if found["dims"] is None:
        return [f"{found['name']} is not known"]
    kind = 8 if array.dtype.kind in "OU" else mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]
    problems = [] if found["dims"] == list(array.shape) else [f"{found['name']} is {found['dims']}, expected {list(array.shape)}"]
    if found["format"] != FORMATS[kind]:
        problems.append(f"{found['name']} is of {found['format']}, expected {FORMATS[kind]}")
    if not problems and found["content"] is not None:
        problems = compare_content(found["name"], found["content"], array)
    return problems


def compare(found, case):
    """problems; None where the node is one that stays open, or runs bodies whose shapes are data's"""
    if "error" in found:
        return [found["error"]]
    bodies = any(node.op_type in ("If", "Loop", "Scan") for node in case.model.graph.node)
    if found["unknown"] and (bodies or all(op in OPEN for op, _ in found["unknown"])):
        return None
    wanted = case.data_sets[0][1]
    return [f"{op}: {why}" for op, why in found["unknown"]] + sum(map(compare_result, found["outputs"], wanted), [])


def main():
    tap = driver.Tap()
    if onnx is None:
        tap.case("nodes of onnx's own tests", skip="no onnx module (python3-onnx)")
        return tap.end()
    all_cases = cases()
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{i}_{int(all_inputs)}.onnx") for i in range(len(all_cases)) for all_inputs in (True, False)]
        for i, path in enumerate(paths):
            write(path, all_cases[i // 2], i % 2 == 0)
        done = subprocess.run([sys.argv[1]], input="\n".join(paths) + "\n", capture_output=True, text=True)
    lines = done.stdout.splitlines()
    if len(lines) != len(paths):
        raise SystemExit(f"{sys.argv[1]} ended with {done.returncode} after {len(lines)} of {len(paths)}: {done.stderr}")
    problems, opened, held = {True: [], False: []}, 0, 0
    for i, line in enumerate(lines):
        case, found = all_cases[i // 2], json.loads(line)
        wrong = compare(found, case)
        opened += wrong is None
        held += wrong is not None and sum(o["content"] is not None for o in found.get("outputs", []))
        problems[i % 2 == 0] += [f"{case.name}: {w}" for w in wrong or []]
    tap.case(f"nodes whose inputs are constants ({len(all_cases)})", problems[True])
    tap.case("nodes whose inputs that hold shapes are constants", problems[False])
    few = [f"{opened} of {len(lines)} nodes are open"] if opened > len(lines) // 12 else []
    tap.case("most of them are known", few + ([f"the content of {held} results is known"] if held < 300 else []))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
