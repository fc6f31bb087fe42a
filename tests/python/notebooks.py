"""The notebooks of docs/notebooks, cell by cell as Jupyter runs them: what a cell ends with is shown, as a table and a picture where it has them.
    notebooks.py RIDGE LIBRARY"""
import ast
import importlib.util
import os
import pathlib
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ |= {"RIDGE_LIBRARY": sys.argv[2], "HF_HUB_OFFLINE": "1", "XDG_DATA_HOME": tempfile.mkdtemp(), "RIDGE_LAST_LEVEL_CACHE": "1Mi"}
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts")]
import notebook  # noqa: E402 - the script that makes .ipynb

warnings.simplefilter("ignore")  # a warning of torch or numpy of another version is none of ours
number, failed = 0, 0


def check(name, problem=None):
    global number, failed
    number += 1
    failed += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


def shown(source, names):
    """runs a cell; what its last expression is, None where it ends otherwise"""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def problem_of(value):
    html, svg = getattr(value, "_repr_html_", None), getattr(value, "_repr_svg_", None)
    if html and "<table" not in html():
        return f"no table: {html()[:200]}"
    picture = svg() if svg else None
    if picture is not None and not picture.startswith("<svg"):
        return f"no picture: {picture[:200]}"
    return None if repr(value) else "nothing is shown"


def run(path):
    names, text = {"__name__": "__main__"}, path.read_text()
    tables = pictures = 0
    for kind, source in notebook.cells(text):
        if kind == "markdown":
            continue
        first = source.strip().splitlines()[0][:70]
        try:
            value = shown(source, names)
            check(f"{path.name}: {first}", problem_of(value))
        except Exception as error:
            check(f"{path.name}: {first}", f"{type(error).__name__}: {error}")
            return
        tables += hasattr(value, "_repr_html_")
        pictures += bool(getattr(value, "_repr_svg_", lambda: None)())
    check(f"{path.name}: {tables} tables and {pictures} pictures", None if tables >= 4 and pictures >= 1 else "too few")
    made = notebook.notebook(text)
    back = "\n".join("".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code")
    check(f"{path.name}: the .ipynb has the same code", None if back == "\n".join(s for k, s in notebook.cells(text) if k == "code") else "another code")


for path in sorted((ROOT / "docs/notebooks").glob("*.py")):
    if "import torch" in path.read_text() and not importlib.util.find_spec("torch"):
        number += 1
        print(f"ok {number} - {path.name} # SKIP there is no torch for {sys.executable}")
    else:
        run(path)
print(f"1..{number}")
sys.exit(failed > 0)
