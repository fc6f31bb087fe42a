"""Inventories of small modules (modules.py): what tools/ridge_inventory.py writes is what Debian's PyTorch 1.13 once made it write (recorded/),
and the program tells parameters and FLOPs as they are by hand.

    run.py RIDGE              as a test
    run.py --record           writes recorded/ anew, where PyTorch 1.13 is"""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "golden"), os.path.join(ROOT, "tools"), HERE]
import driver  # noqa: E402
import modules  # noqa: E402

DEBIAN = "1.13.0a0"  # the version that Debian 12's python3-torch tells of itself


def recorded(name):
    return os.path.join(HERE, "recorded", name + ".json")


def made():
    """name: text, by the script itself."""
    import ridge_inventory
    modules.torch.manual_seed(0)
    return {name: ridge_inventory.dumps(ridge_inventory.inventory(module, inputs, modules.DEVICES.get(name, "meta")))
            for name, (module, inputs) in modules.build().items()}


def record():
    for name, text in made().items():
        text = text.replace(f'"python": "{".".join(map(str, sys.version_info[:3]))}"', '"python": "3.11.2"')
        with open(recorded(name), "w") as file:
            file.write(text)


def run(program, *words, stdin=None):
    return subprocess.run([program, *words], capture_output=True, text=True, input=stdin, env={**os.environ, "HF_HUB_OFFLINE": "1"})


def answer(program, *words):
    ran = run(program, *words, "--json")
    return json.loads(ran.stdout) if ran.returncode == 0 else {"error": ran.stderr}


def same_as_recorded(texts, name):
    """All but the versions: another Python writes the same."""
    ours, theirs = json.loads(texts[name]), json.load(open(recorded(name)))
    for key in ours.keys() | theirs.keys():
        if key != "python" and ours.get(key) != theirs.get(key):
            yield f"{key}: {str(ours.get(key))[:300]}, recorded {str(theirs.get(key))[:300]}"


def same_as_torch(module, text):
    """What PyTorch itself says of the module."""
    out = json.loads(text)
    if [m["path"] for m in out["modules"]] != [name for name, _ in module.named_modules()]:
        yield "other modules than named_modules()"
    wanted = {name: list(p.shape) for name, p in module.named_parameters()}
    found = {(m["path"] + "." if m["path"] else "") + p["name"]: p["shape"] for m in out["modules"] for p in m["parameters"] if "tied_to" not in p}
    if found != wanted:
        yield f"parameters {found}, PyTorch {wanted}"
    persistent = {(m["path"] + "." if m["path"] else "") + b["name"] for m in out["modules"] for b in m["buffers"] if b["persistent"]}
    stored = {name for name in module.state_dict() if name in dict(module.named_buffers())}
    if persistent != stored:
        yield f"buffers that are stored {persistent}, PyTorch {stored}"
    if out["total"] != sum(p.numel() for p in module.parameters()):
        yield f"total {out['total']}"
    if any(p.is_meta for p in module.parameters()):
        yield "the module itself went to the meta device"


def parameters(program, name):
    told = answer(program, "inspect", recorded(name))
    wanted = modules.COUNTS[name][0]
    if told.get("parameters", {}).get("total") != wanted:
        yield f"{told.get('error', told.get('parameters'))}, by hand {wanted}"


def flops(program, name):
    wanted = modules.COUNTS[name][1]
    told = answer(program, "cost", recorded(name))
    if wanted is None:
        if "is not recorded" not in told.get("error", ""):
            yield f"no reason why it has no cost: {told}"
        return
    if "error" in told:
        yield told["error"]
        return
    if told["flops"]["torch"] != wanted:
        yield f"{told['flops']}, by hand {wanted}"
    if told["flops"]["other"] != modules.OTHER.get(name, told["flops"]["other"]):
        yield f"{told['flops']}, by hand {modules.OTHER[name]} of class other"
    if told["parameters"]["total"] != modules.COUNTS[name][0]:
        yield f"parameters {told['parameters']}"
    yield from (f"not counted: {row}" for row in told["unknown"])


def traffic(program, name):
    reads, writes = modules.TRAFFIC[name]
    told = answer(program, "cost", recorded(name))
    found = (sum(told["bytes"]["reads"].values()), sum(told["bytes"]["writes"].values())) if "bytes" in told else told
    if found != (4 * reads, 4 * writes):
        yield f"{found}, by hand {(4 * reads, 4 * writes)}"


def piped(program):
    with open(recorded("mlp")) as file:
        text = file.read()
    for command in ("inspect", "cost"):
        ran = run(program, command, "/dev/stdin", "--json", stdin=text)
        direct = answer(program, command, recorded("mlp"))
        told = json.loads(ran.stdout) if ran.returncode == 0 else {"error": ran.stderr}
        for key in direct:
            if key != "model" and told.get(key) != direct[key]:
                yield f"{command} of a pipe, {key}: {told.get(key, told)}"


def printed(program):
    """The program has the script in it."""
    with open(os.path.join(ROOT, "tools", "ridge_inventory.py")) as file:
        if run(program, "inspect", "--inventory-script").stdout != file.read():
            yield "another script than tools/ridge_inventory.py"


SOURCE = """
from torch import nn
class Net(nn.Module):
    def __init__(self, hidden, bias=True, kind="relu"):
        super().__init__()
        self.hidden, self.kind = hidden, kind
        self.fc = nn.Linear(hidden, 2 * hidden, bias=bias)
    def forward(self, x, double=False):
        return self.fc(x) if not double else self.fc(x) + self.fc(x)
def make(size=3):
    return Net(size)
whole = nn.Linear(2, 2)
"""


def script(folder, *words):
    """Its main() in this process: PyTorch takes a second to load."""
    import ridge_inventory
    out, err, code = io.StringIO(), io.StringIO(), 0
    here = os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = ridge_inventory.main(list(words))
    except SystemExit as error:
        code, text = 1, "" if isinstance(error.code, int) else str(error.code)
        err.write(text)
    except Exception as error:
        code = 1
        err.write(f"{type(error).__name__}: {error}")
    finally:
        os.chdir(here)
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def from_the_program(program, folder):
    """What --inventory-script prints is a program."""
    text = run(program, "inspect", "--inventory-script").stdout
    ran = subprocess.run([sys.executable, "-", "net.py:Net", "--config", "hidden=4", "--input", "3x4"], input=text, capture_output=True, text=True, cwd=folder)
    if ran.returncode or json.loads(ran.stdout)["total"] != 40:
        yield f"exit {ran.returncode}: {ran.stderr}"


def as_command(folder):
    """The command line: classes, functions and modules of a file or a package, and what is wrong with it."""
    with open(os.path.join(folder, "net.py"), "w") as file:
        file.write(SOURCE)
    good = [
        (("net.py:Net", "--config", "hidden=4", "bias=False"), 32, None),
        (("net:Net", "--config", "hidden=4", "--input", "3x4"), 40, 1),
        (("net:Net", "--config", "hidden=4", "--input", "x:3x4:float32", "--argument", "double=True"), 40, 2),
        (("net:make",), 24, None),
        (("net.py:whole", "--input", "2"), 6, 1),
    ]
    for words, total, calls in good:
        ran = script(folder, *words)
        out = json.loads(ran.stdout) if ran.returncode == 0 else {}
        if out.get("total") != total:
            yield f"{words}: {ran.stderr.strip()} {out.get('total')}, wanted {total}"
        elif calls is not None and sum(c["count"] for c in out["modules"][-1]["calls"]) != calls:
            yield f"{words}: {out['modules'][-1]['calls']}"
    if (values := json.loads(script(folder, *good[0][0]).stdout)["modules"][0]["values"]) != {"hidden": 4, "kind": "relu"}:
        yield f"values {values}"
    bad = [(("net:Net",), "hidden"), (("net.py:SOURCE",), "SOURCE"), (("net:Net", "--config", "hidden"), "want NAME=VALUE"),
           (("net:Net", "--config", "hidden=4", "--input", "3xq"), "want [NAME:]SHAPE[:DTYPE]"), (("nothing",), "needs that package"),
           (("builtins:dict",), "gives a dict, not a torch.nn.Module")]
    for words, text in bad:
        ran = script(folder, *words)
        if ran.returncode == 0 or text not in ran.stderr:
            yield f"{words}: exit {ran.returncode}, no '{text}' in {ran.stderr[-200:]}"
    ran = script(folder, "net:Net", "--config", "hidden=4", "--input", "3x5", "--out", "wrong.json")
    if ran.returncode or "does not run on meta" not in ran.stderr or "failed" not in json.load(open(os.path.join(folder, "wrong.json")))["run"]:
        yield f"shapes that do not fit: {ran.stderr}"


def documented(folder):
    """docs/inventory.md shows what the script writes."""
    with open(os.path.join(ROOT, "docs", "inventory.md")) as file:
        page = file.read()
    shown = {name: page.split(f"<!-- file: {name} -->\n", 1)[1].split("\n", 1)[1].split("```", 1)[0] for name in ("net.py", "net.json")}
    folder = os.path.join(folder, "documented")
    os.mkdir(folder)
    with open(os.path.join(folder, "net.py"), "w") as file:
        file.write(shown["net.py"])
    ran = script(folder, "net.py:Net", "--config", "hidden=32", "--input", "ids:2x10:int64")
    ours, theirs = json.loads(ran.stdout or "{}"), json.loads(shown["net.json"])
    if {**ours, "python": ""} != {**theirs, "python": ""}:
        yield f"{ran.stderr}{ran.stdout[:300]}"


def lazy():
    import ridge_inventory
    try:
        ridge_inventory.inventory(modules.nn.LazyLinear(4))
        yield "a lazy module was listed"
    except ValueError as error:
        if "has no shape yet" not in str(error):
            yield str(error)


def main(program):
    tap = driver.Tap()
    for name in modules.COUNTS:
        tap.case(f"parameters of {name}", parameters(program, name))
        tap.case(f"FLOPs of {name}", flops(program, name))
    for name in modules.TRAFFIC:
        tap.case(f"bytes of {name}", traffic(program, name))
    tap.case("an inventory that is piped", piped(program))
    tap.case("the script is in the program", printed(program))
    if not modules.torch:
        tap.case("the script itself", skip="no PyTorch (python3-torch)")
        return tap.end()
    texts = made()
    built = modules.build()
    same = modules.torch.__version__ == DEBIAN
    for name in modules.COUNTS:
        tap.case(f"{name} as PyTorch has it", same_as_torch(built[name][0], texts[name]))
        tap.case(f"{name} as recorded", same_as_recorded(texts, name) if same else (), skip=None if same else f"PyTorch is not {DEBIAN}")
    tap.case("a lazy module is refused", lazy())
    with tempfile.TemporaryDirectory(prefix="ridge-inventory-") as folder:
        tap.case("as a command", as_command(folder))
        tap.case("as documented", documented(folder) if same else (), skip=None if same else f"PyTorch is not {DEBIAN}")
        tap.case("as the program prints it", from_the_program(program, folder))
    return tap.end()


if __name__ == "__main__":
    sys.exit(record() if sys.argv[1:] == ["--record"] else main(os.path.abspath(sys.argv[1])))
