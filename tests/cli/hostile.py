#!/usr/bin/env python3
"""hostile.py PROGRAM [--without=FEATURE,...]: names that a terminal would obey, in every place that a name can come from. Prints TAP.

Every text of a machine's file, a config, a catalog entry and exported runs is replaced in turn by one that clears the screen, turns the
line round, begins a line that looks like the program's own and ends in half a character where its file may hold that; so are words of
the command line and names of files. No command may print any of that as it is. JSON must still be JSON."""

import concurrent.futures
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import features  # noqa: E402

sys.path.insert(0, str(ROOT / "tests" / "input"))
import onnx_writer
import writers  # noqa: E402

EVIL = "a\x1b[31m\u009b31m\x07\u202e\u2066\u200b\u2028\r\nridge: forged\tz"
EVIL_BYTES = EVIL.replace("\t", "").encode() + b"\xff\xfd31m\xc3"
# what no answer may hold: control characters but the line break, C1, bidirectional and invisible characters
BANNED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
FORGED = re.compile(r"^ridge: forged", re.M)

MACHINE = json.loads((ROOT / "machines/t4.json").read_text())
MACHINE |= {"id": "box", "notes": ["a note"], "achieved": {"flops_per_s": {"fp16": 5e13}, "source": "here"}}
CONFIG = json.loads((ROOT / "examples/openai-community--gpt2/config.json").read_text())
ENTRY = {"my.A": {"thinking": "It adds.", "source": "a.py", "parameters": ["n=2"], "where": {"m": "n+1"}, "flops": {"other": "n*m"}}}
RUNS = json.loads((ROOT / "tests/cli/history/box.json").read_text())

# %: the file, !: the folder it lies in
COMMANDS = {
    "machine": ["machine show %", "machine show % --json", "machine show % --markdown", "machine list --machines %", "machine check %",
                "machine compare % h100-sxm-80", "predict gpt2 --on %", "predict gpt2 --on % --json", "predict gpt2 --on % --advice",
                "op gemm --m 8 --n 8 --k 8 --on %", "machine add %", "sweep gpt2 --on % --batch 1,2", "predict gpt2 --on % --roofline",
                "predict gpt2 --on % --html drawn.html --plot drawn.svg"],
    "config": ["cost !", "cost % --depth 1", "cost ! --json", "cost ! --markdown --depth 1", "inspect !", "inspect ! --json", "cost ! --symbolic",
               "cost ! --explain transformer.h.0.mlp", "predict ! --on t4", "sweep ! --on t4 --batch 1,2", "compare !"],
    "entry": ["db check %", "db add %", "db show my.A --catalog %", "db show my.A --catalog % --json", "db list --catalog %",
              "formula my.A 3 --catalog %", "formula my.A --trace --catalog %", "models --catalog %",
              "generate python --catalog % --out made my.A", "generate python --catalog % --out made my.A --json"],
    "runs": ["history import %", "history", "history show 1", "history show 1 --json", "history --json", "history --markdown",
             "baseline set x --run 1", "baseline list", "history export - --form json"],
}  # fmt: skip
WORDS = ["@", "cost @", "cost gpt2 --@", "cost gpt2 --@=3", "cost gpt2 -@", "cost gpt2 @", "cost gpt2 --batch @", "cost gpt2 --phase @",
         "cost gpt2 --weights @", "cost gpt2 --explain @", "predict gpt2 --on @", "predict gpt2 --on t4 --against @", "op @", "op gemm --m @",
         "formula @", "formula torch.nn.Linear @", "formula torch.nn.Linear x=@", "db show @", "db check @", "db add @", "db list --catalog @", "generate python --out @/x torch.nn.Linear", "generate c --out x @", "generate c --out x *@", "generate @",
         "machine show @", "machine add @", "machine check @", "models @", "history show @", "history import @", "history --kernel @",
         "history --db @", "baseline set @", "baseline check @", "experiment @", "bench @", "profile @", "compare @", "help @", "help cost @",
         "inspect @", "sweep gpt2 --on t4 --batch @", "formats @", "cost gpt2 --catalog @", "machine list --machines @",
         "predict gpt2 --on t4 --html @/x", "predict gpt2 --on t4 --plot @/x.svg"]  # fmt: skip


def leaves(value, path=()):
    """Paths to all texts in it, keys of objects among them (as a path that ends in a tuple)."""
    if isinstance(value, dict):
        for key in value:
            yield path + ((key,),)
            yield from leaves(value[key], path + (key,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, path + (i,))
    elif isinstance(value, str):
        yield path


def replaced(value, path):
    value = copy.deepcopy(value)
    at = value
    for step in path[:-1]:
        at = at[step]
    if isinstance(path[-1], tuple):
        at[EVIL] = at.pop(path[-1][0])
    else:
        at[path[-1]] = EVIL
    return value


def run(program, words, folder):
    home = folder / "home"
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_DATA_HOME": str(home), "HF_HUB_OFFLINE": "1", "LC_ALL": "C.UTF-8", "TERM": "xterm",
           "RIDGE_LAST_LEVEL_CACHE": "1Mi"}  # fmt: skip
    env |= {name: value for name, value in os.environ.items() if re.match("(ASAN|UBSAN|LSAN|LLVM)_", name)}
    return subprocess.run([program, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)


def judge(words, done):
    """What is wrong with an answer."""
    said = []
    if done.returncode not in (0, 1, 2, 3):
        said.append(f"exit status {done.returncode}")
    for name, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            said.append(f"{name}: {error}")
            continue
        banned = sorted({hex(ord(c)) for c in BANNED.findall(text)})
        said += [f"{name} has {' '.join(banned)}"] if banned else []
        said += [f"{name} has a forged line"] if FORGED.search(text) else []
    if "--json" in words and done.returncode == 0:
        json.loads(done.stdout)
    return [f"{words}: {what}" for what in said]


def from_file(program, kind, document, number):
    with tempfile.TemporaryDirectory(prefix="ridge-hostile-") as name:
        folder = pathlib.Path(name)
        inside = folder / ("box" if number % 2 else EVIL.replace("/", ""))
        inside.mkdir()
        file = inside / {"config": "config.json", "machine": "box.json"}.get(kind, "my.json")
        file.write_text(json.dumps(document, ensure_ascii=number % 3 == 0))
        said = []
        for command in COMMANDS[kind]:
            words = [w.replace("%", str(file)).replace("!", str(inside)) for w in command.split()]
            said += judge(words, run(program, words, folder))
        for drawn in folder.glob("drawn.*"):  # by a command above
            said += [f"{drawn.name} has {c!r}" for c in set(BANNED.findall(drawn.read_text()))]
        return said


def from_words(program, command):
    with tempfile.TemporaryDirectory(prefix="ridge-hostile-") as name:
        folder = pathlib.Path(name)
        words = [word.encode().replace(b"@", EVIL_BYTES) for word in command.split()]
        return judge(words, run(program, words, folder))


def inventories():
    """Every text of an inventory, in turn."""
    word = EVIL.replace(".", "")
    tensor = {"name": word, "shape": [2], "dtype": "float32"}
    good = {"ridge_inventory": 1, "torch": EVIL, "python": EVIL, "class": EVIL, "total": 2,
            "modules": [{"path": "", "class": EVIL, "values": {EVIL: EVIL}, "parameters": [], "buffers": []},
                        {"path": word, "class": "a." + word, "parameters": [tensor], "buffers": [{**tensor, "name": "b" + word}]},
                        {"path": "z", "class": word, "parameters": [{**tensor, "tied_to": word + "." + word}], "buffers": []}],
            "aliases": [{"path": "a" + word, "of": word}],
            "run": {"inputs": [0], "outputs": [1], "values": [{"of": "input", "name": EVIL, "shape": [2], "dtype": "float32"}, {"name": EVIL, "shape": [2], "dtype": "float32"}],
                    "operators": [{"op": EVIL, "module": word, "arguments": {EVIL: EVIL, "self": {"value": 0}}, "outputs": [1]}]}}
    yield good
    yield {**good, "run": {"failed": EVIL}}
    yield {**good, "config": {"model_type": EVIL, "architectures": [EVIL]}, "run": {**good["run"], "operators": [{**good["run"]["operators"][0], "op": "aten.relu.default"}]}}
    for key, value in (("path", EVIL + ".x"), ("class", ""), ("parameters", [{**tensor, "dtype": EVIL}]), ("parameters", [{**tensor, "name": EVIL + "."}]),
                       ("parameters", [{**tensor, "tied_to": EVIL}]), ("parameters", [tensor, tensor])):
        yield {**good, "modules": [good["modules"][0], {**good["modules"][1], key: value}]}
    yield {**good, "aliases": [{"path": EVIL, "of": EVIL}]}
    yield {**good, "run": {**good["run"], "values": [{**good["run"]["values"][0], "of": EVIL}]}}
    yield {**good, "run": {**good["run"], "operators": [{**good["run"]["operators"][0], "module": EVIL}]}}


def weight_files():
    """Names of tensors, files, members, calls and entries, in the files and what those are called."""
    one = ("F32", (2, 3))
    bad = json.dumps({EVIL: {"dtype": EVIL, "shape": [1], "data_offsets": [0, 4]}})
    tensor = writers.fresh("0", "torch.float32", (2, 3))
    yield "a.safetensors", writers.safetensors([(EVIL, *one), (f"a.{EVIL}.b", *one), (f"a.{EVIL}.c", *one)], {EVIL: EVIL, "b": EVIL})
    yield "b.safetensors", writers.raw(bad, bytes(4))
    yield "c.safetensors", writers.raw(json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4], EVIL: 1}}), bytes(4))
    yield "d.safetensors", writers.raw(EVIL)
    yield "x.safetensors.index.json", json.dumps({"metadata": {EVIL: EVIL}, "weight_map": {EVIL: EVIL.replace("/", "") + ".safetensors"}}).encode()
    yield "y.safetensors.index.json", json.dumps({"weight_map": {EVIL: "a.safetensors", "b" + EVIL: "a.safetensors"}}).encode()
    yield "a.pt", writers.checkpoint({EVIL: tensor, "b": {EVIL: tensor}})
    yield "b.pt", writers.checkpoint({"state_dict": {EVIL: tensor}, EVIL: 1})
    yield "c.pt", writers.checkpoint({EVIL: writers.Call(sys.modules["torch._utils"]._rebuild_sparse_tensor, (1,))})
    yield "d.pt", writers.checkpoint({"a": tensor}).replace(b"_rebuild_tensor_v2", b"_rebuild_\x1b[2J\r\tv2\x85")
    yield "e.pt", writers.checkpoint({"a": tensor}, name=EVIL.replace("/", ""))
    yield "f.pt", writers.archive([(EVIL, b""), (EVIL + "1", b"")]).replace((EVIL + "1").encode(), EVIL.encode() + b"2")
    for number, text in enumerate(inventories()):
        yield f"inventory{number}.json", json.dumps(text).encode()
    yield from onnx_files(onnx_writer)
    yield "config.json", json.dumps(CONFIG).encode()


def onnx_files(w):
    """Names of graphs, values, nodes, operators, attributes, sizes and external files."""
    node = w.node(EVIL, [EVIL, "w" + EVIL], ["y"], [w.attribute(EVIL, "s", EVIL)], EVIL, EVIL)
    inputs, outputs, weights = [w.info(EVIL, dims=[EVIL, 2])], [w.info("y", dims=None)], [w.floats("w" + EVIL, 2)]
    yield "a.onnx", w.model(w.graph([node], inputs, outputs, weights, name=EVIL), producer=EVIL)
    yield "b.onnx", w.model(w.graph([node], [], outputs, weights))
    yield "c.onnx", w.model(w.graph([], [], [], [w.external(EVIL, "FLOAT", [2], "../" + EVIL)]))
    yield "d.onnx", w.model(w.graph([node, node], inputs, outputs, weights))
    yield "e.onnx", EVIL.encode()
    yield "f.onnx", w.model(w.graph([w.node("Gemm", [EVIL, "w" + EVIL], ["y"], [w.attribute(EVIL, "s", EVIL)], EVIL)], inputs, outputs, weights))


def from_weights(program, name):
    with tempfile.TemporaryDirectory(prefix="ridge-hostile-") as place:
        inside = pathlib.Path(place) / EVIL.replace("/", "")
        inside.mkdir()
        for other, data in weight_files():
            (inside / other).write_bytes(data)
        file = str(inside / name)
        said = []
        for words in (["inspect", file], ["inspect", file, "--json"], ["inspect", file, "--markdown", "--all"], ["inspect", file, "--verify"],
                      ["inspect", file, "--verify", "--json"], ["cost", file]):  # fmt: skip
            said += judge(words, run(program, words, pathlib.Path(place)))
        return said


def from_names(program):
    """names of files in folders that are listed"""
    with tempfile.TemporaryDirectory(prefix="ridge-hostile-") as name:
        folder = pathlib.Path(name)
        for part, document in (("machines", MACHINE), ("catalog", ENTRY)):
            (folder / "home/ridge" / part).mkdir(parents=True)
            with open(os.fsencode(folder / "home/ridge" / part) + b"/" + EVIL_BYTES.replace(b"/", b"") + b".json", "w") as file:
                json.dump(document, file)
        said = []
        for command in ("machine list", "machine list --markdown", "machine check", "predict gpt2 --on bo", "db list", "db check", "models", "db show my.A",
                        "cost gpt2"):  # fmt: skip
            said += judge(command.split(), run(program, command.split(), folder))
        return said


def main(arguments):
    arguments, missing = features.take_missing(arguments)
    program = str(pathlib.Path(arguments[0]).resolve())
    tasks = [("names of files", from_names, (program,))]
    tasks += [(f"weights: {name}", from_weights, (program, name)) for name, _ in weight_files() if name != "config.json"]
    tasks += [(f"word: {words.replace('#', '')}", from_words, (program, words)) for words in WORDS]
    for kind, document in (("machine", MACHINE), ("config", CONFIG), ("entry", ENTRY), ("runs", RUNS)):
        if kind == "runs" and "sqlite" in missing:
            continue
        paths = list(leaves(document))
        if kind == "runs":  # one run and one row stand for all
            paths = [p for p in paths if len(p) < 2 or p[1] == 0]
        tasks += [(f"{kind}: {path}".replace("#", ""), from_file, (program, kind, replaced(document, path), i)) for i, path in enumerate(paths)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        answers = [pool.submit(function, *values) for _, function, values in tasks]
    print(f"1..{len(tasks)}")
    failed = 0
    for number, ((name, _, _), answer) in enumerate(zip(tasks, answers), 1):
        said = answer.result()
        failed += bool(said)
        print(f"{'not ok' if said else 'ok'} {number} - {name}")
        for line in said:
            print(f"# {line}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
