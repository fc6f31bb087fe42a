"""docs/python-models.md: its python blocks run one after the other, and print what the text blocks behind them say.
    models_doc.py RIDGE LIBRARY [--update]"""

import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import traceback

SCRATCH = pathlib.Path(tempfile.mkdtemp())
os.environ.update(RIDGE_LIBRARY=str(pathlib.Path(sys.argv[2]).resolve()), XDG_DATA_HOME=str(SCRATCH / "data"), HF_HUB_OFFLINE="1")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENT = ROOT / "docs/python-models.md"
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/golden"), str(SCRATCH)]
import driver  # noqa: E402

try:
    import torch  # noqa: F401
except ImportError:
    print("1..0 # SKIP this Python has no PyTorch (Debian: python3-torch)")
    sys.exit(0)
TAP = driver.Tap()
BLOCK = re.compile(r"(?:<!-- file: (\S+) -->\n)?```(python|text)\n(.*?)```", re.S)


def run(code, names):
    """What it prints, lines without blanks at their ends."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(code, DOCUMENT.name, "exec"), names)
    except Exception:
        said.write(traceback.format_exc())
    return "".join(line.rstrip() + "\n" for line in said.getvalue().rstrip("\n").splitlines())


text, names, printed, replaced = DOCUMENT.read_text(), {}, "", []
for file, kind, body in BLOCK.findall(text):
    if file:
        (SCRATCH / file).write_text(body)
    elif kind == "python":
        printed = run(body, names)
    else:
        wanted, found = body.splitlines(), printed.splitlines()
        TAP.case(f"prints {wanted[0]!r}", [f"{a!r}, the document has {b!r}" for a, b in zip(found, wanted) if a != b] + ([printed] if len(found) != len(wanted) else []))
        replaced.append((body, printed))
if "--update" in sys.argv:
    for body, printed in replaced:
        text = text.replace(f"```text\n{body}```", f"```text\n{printed}```", 1)
    DOCUMENT.write_text(text)
sys.exit(TAP.end())
