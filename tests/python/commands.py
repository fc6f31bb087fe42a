"""Every function of the Python package against the command line: equal bytes where the answer is one; where it is measured, the same
members and the same counts.
    commands.py RIDGE LIBRARY"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

RIDGE, LIBRARY = str(pathlib.Path(sys.argv[1]).resolve()), str(pathlib.Path(sys.argv[2]).resolve())
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = pathlib.Path(tempfile.mkdtemp())
HERE, THERE = SCRATCH / "here", SCRATCH / "there"  # what the user keeps: for Python, for the command line
os.environ.update(RIDGE_LIBRARY=LIBRARY, RIDGE_PROGRAM=RIDGE, HF_HUB_OFFLINE="1", HF_HOME=str(SCRATCH / "hf"), XDG_DATA_HOME=str(HERE),
                  XDG_CACHE_HOME=str(SCRATCH / "cache"), RIDGE_LAST_LEVEL_CACHE="1Mi", LC_ALL="C.UTF-8")
sys.path.insert(0, str(ROOT / "python"))
import ridge  # noqa: E402

GPT2, LLAMA, T5 = "openai-community/gpt2", "meta-llama/Llama-2-7b-hf", "google-t5/t5-small"
H100 = "h100-sxm-80"
SHORT = {"budget": "5ms", "ceilings_budget": "5ms", "rounds": 1}
TINY = {"hidden": 64, "heads": 4, "budget": "20ms", "threads": 1, "no_store": True}
# function, operands, options. `same`: byte for byte; `measured`: members and counts; `fails`: the same refusal.
CASES = [
    ("same", "cost", [LLAMA], {}),
    ("same", "cost", [LLAMA], {"phase": "decode", "batch": 8, "past": 4095, "weights": "q4_K", "kernel": "fused", "depth": 2}),
    ("same", "cost", [GPT2], {"all": True, "phase": "train", "optimizer": "sgd", "class_": "GPT2Model"}),
    ("same", "cost", [T5], {"batch": "2", "seq": "1Ki"}),
    ("same", "symbolic", [LLAMA], {"phase": "decode"}),
    ("same", "explain", [LLAMA, "model.layers.0.mlp"], {"batch": 3}),
    ("same", "inspect", [GPT2], {"all": True}),
    ("same", "inspect", [LLAMA], {"depth": 3}),
    ("same", "show", [LLAMA], {"on": H100}),
    ("same", "predict", [LLAMA], {"on": H100, "phase": "decode", "batch": 8}),
    ("same", "predict", [LLAMA], {"on": H100, "prompt": 1024, "generate": 256, "tensor_parallel": 2, "launch": 2.5e-6}),
    ("same", "fit", [LLAMA], {"on": "l4"}),
    ("same", "sweep", [LLAMA], {"on": [H100, "l4"], "batch": [1, 2, 4], "weights": ["bf16", "q4_K"]}),
    ("same", "sweep", [LLAMA], {"on": H100, "batch": "1:256:*2", "summary": True}),
    ("same", "models", [], {}),
    ("same", "models", ["llama"], {}),
    ("same", "formula", ["torch.nn.Linear", "rows=8", "in_features=4", "out_features=2"], {}),
    ("same", "formula", ["torch.nn.Linear", {"rows": 2**40, "in_features": 2**40, "out_features": 3}], {"context": "params"}),
    ("same", "op", ["gemm"], {"m": 4096, "n": 4096, "k": 4096, "on": H100}),
    ("same", "op", ["attention"], {"seq": 2048, "heads": 32, "head_dim": 128, "causal": True, "on": [H100, "l4"]}),
    ("same", "op", ["conv"], {"in_channels": 3, "out_channels": 64, "height": 224, "width": 224, "kernel": "7x7", "stride": 2}),
    ("same", "formats", [], {}),
    ("same", "machines", [], {}),
    ("same", "machine", [H100], {}),
    ("same", "machine_compare", [H100, "l4"], {}),
    ("same", "machine_check", [H100], {}),
    ("same", "db_list", ["Linear"], {}),
    ("same", "db_show", ["torch.nn.Linear"], {}),
    ("same", "db_check", [], {}),
    ("same", "db_export", [], {}),
    ("same", "generate_python", ["torch.nn.Linear"], {"out": "made"}),
    ("same", "generate_c", ["torch.nn.*"], {"out": "made"}),
    ("same", "learn", ["mine.Twice"], {"source": "mine.py", "arguments": "dim=8", "inputs": "x=B,8"}),
    ("same", "db_add", ["broken-entry.json"], {}),
    ("same", "db_add", ["mine.json"], {}),
    ("same", "db_show", ["my.A"], {}),
    ("same", "formula", ["my.A", 2**40], {}),
    ("same", "machine_add", ["machines/mine.json"], {}),
    ("same", "machine", ["mine"], {}),
    ("same", "op", ["gemv"], {"n": 64, "k": 64, "on": "mine"}),
    ("fails", "pull", ["nobody/nothing"], {}),
    ("fails", "validate", ["nothing.Nothing"], {"python": "/nonexistent"}),
    ("fails", "cost", ["nobody/nothing"], {}),
    ("fails", "cost", [LLAMA], {"batch": -1}),
    ("fails", "cost", ["broken.json"], {}),
    ("fails", "predict", [LLAMA], {"on": "no-such-machine"}),
    ("keys", "detect", [], {}),
    ("keys", "live", [], {}),
    ("measured", "bench", ["gemv"], {"n": 64, "k": 64, **SHORT}),
    ("measured", "compare", ["gemv"], {"n": 64, "k": 64, **SHORT}),
    ("measured", "profile", ["attention"], TINY),
    ("measured", "experiment", ["memory-vs-compute"], {"n": 64, "k": 64, "threads": 1, "rounds": 3, "budget": "20ms", "no_store": True}),
    ("measured", "calibrate", [], {"threads": 1, "budget": "20ms", "memory": "16Mi", "no_save": True}),
    ("keys", "history", [], {}),
    ("keys", "history", [], {"runs": True}),
    ("keys", "history_show", ["1"], {}),
    ("text", "baseline_set", ["before"], {}),
    ("keys", "baseline_list", [], {}),
    ("measured", "bench", ["gemv"], {"n": 64, "k": 64, **SHORT}),
    ("keys", "baseline_check", ["before"], {"tolerance": 9}),
    ("same", "baseline_delete", ["before"], {}),
    ("text", "history_export", [], {}),
    ("text", "history_import", ["exported.json"], {}),
    ("text", "history_delete", ["1"], {}),
]
NOT_HERE = {"serve"}  # tests/python/calls.py
COMMANDS = {"machines": "machine list", "machine": "machine show", "detect": "machine detect", "calibrate": "machine calibrate",
            "live": "machine live", "symbolic": "cost --symbolic"}
COUNTS = {"flops", "bytes", "parameters", "shape", "m", "n", "k"}
failures, number = 0, 0


def check(name, problem=None):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


# ---- both sides ----


def spelled(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def command_line(function, operands, options):
    """The words that a person types for a call."""
    words = COMMANDS.get(function, function.replace("_", " ")).split()
    if function == "explain":
        words, operands = ["cost", "--explain", operands[1]], operands[:1]
    for operand in operands:
        words += [f"{name}={value}" for name, value in operand.items()] if isinstance(operand, dict) else [str(operand)]
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(option)
        else:
            words.append(option + "=" + (",".join(map(spelled, value)) if isinstance(value, list) else spelled(value)))
    return words


def by_command(words, json_wanted=True):
    environment = {**os.environ, "XDG_DATA_HOME": str(THERE)}
    done = subprocess.run([RIDGE, *words, *(["--json"] if json_wanted else [])], capture_output=True, text=True, env=environment, cwd=SCRATCH)
    return done.returncode, done.stdout.replace(str(THERE), "KEPT"), done.stderr.replace(str(THERE), "KEPT")


def by_python(function, operands, options):
    """(exit status, text, what is the answer)"""
    try:
        answer = getattr(ridge, function)(*operands, **options)
    except ridge.CheckError as error:
        return 3, error.answer.to_json().replace(str(HERE), "KEPT"), error.answer
    text = answer if isinstance(answer, str) else answer.to_json()
    return 0, text.replace(str(HERE), "KEPT"), answer


# ---- comparing ----


def first_difference(one, other):
    for at, (left, right) in enumerate(zip(one.splitlines(), other.splitlines())):
        if left != right:
            return f"line {at + 1}: {left[:120]!r} here, {right[:120]!r} there"
    return f"{len(one)} bytes here, {len(other)} there"


ELAPSED = re.compile(r'"(elapsed_s|points_per_s)": [0-9.e+-]+')


def same(function, operands, options):
    has_json = function not in ("db_export", "history_import", "baseline_set", "baseline_delete")
    status, text, _ = by_command(command_line(function, operands, options), has_json)
    here, mine, answer = by_python(function, operands, options)
    if here != status:
        return f"exit status {here} here, {status} there"
    if function == "sweep":  # says how long it took
        return first_difference(*pair) if len(set(pair := [ELAPSED.sub("", one) for one in (mine, text)])) > 1 else wrong_integers(answer)
    if mine != text:
        return first_difference(mine, text)
    if not isinstance(answer, str) and json.dumps(answer.to_dict(), sort_keys=True).replace(str(HERE), "KEPT") != json.dumps(json.loads(text), sort_keys=True):
        return "to_dict() is not what JSON has"
    return wrong_integers(answer)


def wrong_integers(answer):
    """integers are Python's, and nothing that JSON has is missing"""
    if isinstance(answer, ridge.Record):
        names = {name.rstrip("_") for name in type(answer).__dataclass_fields__}
        extra = set(answer.to_dict()) - names
        return f"{type(answer).__name__} has no {extra}" if extra else next(filter(None, map(wrong_integers, vars(answer).values())), None)
    if isinstance(answer, list):
        return next(filter(None, map(wrong_integers, answer)), None)
    return None


def keys(function, operands, options):
    status, text, said = by_command(command_line(function, operands, options))
    _, mine, answer = by_python(function, operands, options)
    if status not in (0, 3):
        return f"the command line: {said}"
    left, right = set(json.loads(mine)), set(json.loads(text))
    return wrong_integers(answer) or (f"{left ^ right} is on one side" if left != right else None)


def counts(value, path=""):
    """{path: number} of what does not depend on the clock"""
    found = {}
    if isinstance(value, dict):
        for name, one in value.items():
            if name in COUNTS and (isinstance(one, (int, str)) or name == "shape"):
                found[f"{path}.{name}"] = one
            else:
                found.update(counts(one, f"{path}.{name}"))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            found.update(counts(one, f"{path}[{at}]"))
    return found


def measured(function, operands, options):
    status, text, said = by_command(command_line(function, operands, options))
    lines = []
    here, mine, answer = by_python(function, operands, {**options, "progress": lines.append})
    if here != status or status not in (0, 3):
        return f"exit status {here} here, {status} there: {said}"
    left, right = json.loads(mine), json.loads(text)
    if set(left) != set(right):
        return f"{set(left) ^ set(right)} is on one side"
    if counts(left) != counts(right):
        return f"counts differ: {sorted(set(counts(left).items()) ^ set(counts(right).items()), key=str)[:4]}"
    return wrong_integers(answer) or (None if lines else "no progress was told")


def text(function, operands, options):
    status, there, said = by_command(command_line(function, operands, options), False)
    _, mine, _ = by_python(function, operands, options)
    if function == "history_export":
        (SCRATCH / "exported.json").write_text(mine)
    return None if status == 0 and bool(mine) == bool(there) else f"{status}: {said}"


def fails(function, operands, options):
    status, _, said = by_command(command_line(function, operands, options))
    try:
        answer = getattr(ridge, function)(*operands, **options)
    except ridge.RidgeError as error:
        if error.exit_status != status:
            return f"exit status {error.exit_status} here, {status} there"
        words = said.removeprefix("ridge: ").replace("--", "").split("\nTry 'ridge")[0]
        return None if same_words(str(error), words) else f"{str(error)!r} here, {words!r} there"
    return f"no error here: {answer!r}"


def same_words(left, right):
    return left.split() == right.split() or left.split()[1:] == right.split()[1:]


# ---- what the cases want ----


def prepare():
    (SCRATCH / "mine.py").write_text("import torch\n\n\nclass Twice(torch.nn.Module):\n    def __init__(self, dim):\n"
                                     "        super().__init__()\n        self.one = torch.nn.Linear(dim, dim)\n\n"
                                     "    def forward(self, x):\n        return self.one(self.one(x))\n")
    (SCRATCH / "broken.json").write_text('{"model_type": "llama",\n  "hidden_size": }\n')
    (SCRATCH / "mine.json").write_text('{"my.A": {"parameters": ["n"], "flops": {"other": "n * n"}}}')
    (SCRATCH / "broken-entry.json").write_text('{"my.B": {"flops": {"other": "n"}}}')
    machine = json.loads((ROOT / "machines/l4.json").read_text())
    (SCRATCH / "machines").mkdir()
    (SCRATCH / "machines/mine.json").write_text(json.dumps({**machine, "id": "mine"}))
    os.chdir(SCRATCH)


def main():
    warnings.simplefilter("ignore", ridge.RidgeWarning)
    prepare()
    kinds = {"same": same, "keys": keys, "measured": measured, "text": text, "fails": fails}
    for kind, function, operands, options in CASES:
        try:
            problem = kinds[kind](function, operands, options)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        check(f"{function} {' '.join(command_line(function, operands, options))}"[:150], problem)
    from ridge._names import COMMANDS as functions

    left = set(functions) - {case[1] for case in CASES} - NOT_HERE
    check("every function is held against the command line", f"not {left}" if left else None)
    print(f"1..{number}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
