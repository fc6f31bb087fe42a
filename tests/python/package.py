"""The Python package as it is handed out: the wheel's content, an installation for a user without pip and its removal, what an import
loads, names, docstrings and stubs.
    package.py RIDGE LIBRARY"""

import ast
import base64
import hashlib
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

RIDGE, LIBRARY = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = pathlib.Path(tempfile.mkdtemp())
PACKAGE = ROOT / "python/ridge"
# the back end, with what is built already in place of meson and ninja
BUILT = f"import sys, pathlib; sys.path.insert(0, {str(ROOT / 'python')!r}); import backend; backend.build = lambda settings: (pathlib.Path({str(LIBRARY)!r}), pathlib.Path({str(RIDGE)!r}))\n"
failures, number = 0, 0


def check(name, problem=None):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


def python(text, home=SCRATCH, cwd="/"):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RIDGE", "PYTHON", "VIRTUAL"))}
    environment.update(HOME=str(home), HF_HUB_OFFLINE="1", PYTHONDONTWRITEBYTECODE="1")
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=cwd, env=environment)


def version():
    return re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(), re.MULTILINE)[1]


# ---- the wheel ----


def wheel_problem(path):
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        info = f"ridge-{version()}.dist-info"
        for wanted in ("ridge/__init__.py", "ridge/__init__.pyi", "ridge/_commands.pyi", "ridge/py.typed", "ridge/_records/cost.py", "ridge/libridge.so.0",
                       "ridge/bin/ridge", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/entry_points.txt", f"{info}/LICENSE", f"{info}/RECORD"):  # fmt: skip
            if wanted not in names:
                return f"it has no {wanted}"
        if any("__pycache__" in name for name in names):
            return "it has __pycache__"
        listed = dict(line.rsplit(",", 2)[:2] for line in wheel.read(f"{info}/RECORD").decode().splitlines())
        if set(listed) != set(names):
            return f"RECORD: {set(listed) ^ set(names)}"
        for name, digest in listed.items():
            found = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
            if digest and digest != found:
                return f"RECORD is wrong about {name}"
        if not wheel.getinfo("ridge/bin/ridge").external_attr >> 16 & 0o111:
            return "the program cannot be run"
        return None if f"\nVersion: {version()}\n" in wheel.read(f"{info}/METADATA").decode() else "METADATA has another version"


def wheels():
    for name in ("one", "two"):
        (SCRATCH / name).mkdir()
        done = python(BUILT + f"print(backend.build_wheel({str(SCRATCH / name)!r}))")
        if done.returncode:
            check("a wheel is built", done.stderr[-300:])
            return
    one, two = next((SCRATCH / "one").iterdir()), next((SCRATCH / "two").iterdir())
    check("a wheel has the package, the library, the program and what describes them", wheel_problem(one))
    check("equal sources make equal wheels", None if one.read_bytes() == two.read_bytes() else "they differ")
    check("the wheel's name says for what it is", None if re.fullmatch(rf"ridge-{re.escape(version())}-py3-none-\w+\.whl", one.name) else one.name)


def sources():
    done = python(BUILT + "print(*backend.sources(), sep='\\n')")
    names = set(done.stdout.splitlines())
    missing = {"pyproject.toml", "meson.build", "python/backend.py", "python/ridge/__init__.py", "src/api/session.c", "include/ridge.h"} - names
    check("a source distribution has what a build wants", f"not {missing}: {done.stderr[-200:]}" if missing or any(name.startswith("build") for name in names) else None)


# ---- installed ----


def installed():
    home = SCRATCH / "home"
    home.mkdir()
    done = python(BUILT + "backend.main(['install'])", home)
    check("it is installed for a user, without pip", done.stderr[-300:] if done.returncode else None)
    answer = python("import ridge; print(ridge.cost('meta-llama/Llama-2-7b-hf').parameters.total, ridge.__file__)", home)
    check("the installed package answers, from there", None if answer.stdout.startswith("6738415616 " + str(home)) else answer.stdout + answer.stderr[-300:])
    script = home / ".local/bin/ridge"
    said = [subprocess.run(words, capture_output=True, text=True, env={**os.environ, "HOME": str(home)}, cwd="/").stdout
            for words in ([script, "--version"], [sys.executable, "-m", "ridge", "--version"])]
    check("ridge and python -m ridge are the program", None if said == [f"ridge {version()}\n"] * 2 else f"{said}")
    again = python(BUILT + "backend.main(['install'])", home)
    check("it is installed over itself", again.stderr[-300:] if again.returncode else None)
    python(BUILT + "backend.main(['remove'])", home)
    left = [path for path in home.rglob("*") if path.is_file()]
    check("it is removed whole", f"{left[:3]} are left" if left else None)
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text("another")
    python(BUILT + "backend.main(['install'])\nbackend.main(['remove'])", home)
    check("a program that is there already stays", None if script.read_text() == "another" else "it was replaced")


# ---- names ----


def names():
    loaded = python(f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); before = set(sys.modules); import ridge; print(*(set(sys.modules) - before))").stdout.split()
    check("an import loads the package's names and nothing else", None if set(loaded) <= {"ridge", "ridge._names"} else f"{loaded}")
    os.environ.update(RIDGE_LIBRARY=str(LIBRARY), RIDGE_PROGRAM=str(RIDGE))
    sys.path.insert(0, str(ROOT / "python"))
    import ridge

    bare = [name for name in ridge.__all__ if not (inspect.getdoc(getattr(ridge, name)) or "").strip()]
    check("every public name has a docstring", f"{bare} have none" if bare else None)
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
    stubbed = {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    check("the stub has every public name", None if stubbed == set(ridge.__all__) else f"{stubbed ^ set(ridge.__all__)}")
    for path in PACKAGE.rglob("*.pyi"):
        ast.parse(path.read_text(), feature_version=(3, 9))
    for path in PACKAGE.rglob("*.py"):
        ast.parse(path.read_text(), feature_version=(3, 9))
    check("sources and stubs are Python 3.9")
    missing = set(dir(ridge)) >= set(ridge.__all__)
    check("dir() has every public name", None if missing else "not all")
    check("the version is the library's", None if ridge.__version__ == version() else ridge.__version__)


def types():
    """what mypy says of the package, and of a program that is wrong, where mypy is"""
    if subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True).returncode:
        check("types # SKIP no mypy")
        return
    words = [sys.executable, "-m", "mypy", "--cache-dir", SCRATCH / "mypy"]
    done = subprocess.run([*words, "-p", "ridge"], capture_output=True, text=True, cwd=ROOT / "python")
    check("mypy finds nothing in the package", done.stdout[-300:] if done.returncode else None)
    (SCRATCH / "wrong.py").write_text('import ridge\nridge.cost("x", btch=1)\nridge.cost("x", phase="sleep")\nridge.cost("x").parameters.total.x\n')
    found = subprocess.run([*words, SCRATCH / "wrong.py"], capture_output=True, text=True, cwd=ROOT / "python", env={**os.environ, "MYPYPATH": str(ROOT / "python")}).stdout
    check("mypy finds wrong calls", None if [f"wrong.py:{line}:" in found for line in (2, 3, 4)] == [True] * 3 else found)


def headers():
    """every function of the table is in a header, with as many arguments"""
    os.environ["RIDGE_LIBRARY"] = str(LIBRARY)
    from ridge import _library

    text = "".join((ROOT / "include" / name).read_text() for name in ("ridge.h", "ridge_counter.h", "ridge_measure.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    declared = {}
    for name, arguments in re.findall(r"RIDGE_API[^;(]*?(\w+)\(((?:[^()]|\([^()]*\))*)\);", text):
        flat = re.sub(r"\([^()]*\)", "", arguments).strip()
        declared[name] = 0 if flat == "void" else flat.count(",") + 1
    wrong = [f"{name}: {len(takes)} arguments, {declared.get(name)} in the header" for name, (_, takes) in _library.FUNCTIONS.items() if declared.get(name) != len(takes)]
    check("functions are declared as the headers have them", "; ".join(wrong))


def main():
    wheels()
    sources()
    installed()
    names()
    types()
    headers()
    print(f"1..{number}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
