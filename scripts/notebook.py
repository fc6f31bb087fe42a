#!/usr/bin/env python3
"""Makes a Jupyter notebook (nbformat 4.5, without outputs) of a script whose cells begin at '# %%': docs/notebooks.

    scripts/notebook.py FILE.py...      writes FILE.ipynb beside each"""

import json
import pathlib
import sys


def cells(text):
    """(kind, lines) of each cell: "code" or "markdown"; what stands before the first is none"""
    found = []
    for line in text.splitlines():
        if line.startswith("# %%"):
            found.append(("markdown" if "[markdown]" in line else "code", []))
        elif found:
            kind, lines = found[-1]
            lines.append(line.removeprefix("#").removeprefix(" ") if kind == "markdown" else line)
    return [(kind, "\n".join(lines).strip("\n")) for kind, lines in found]


def notebook(text):
    made = []
    for number, (kind, source) in enumerate(cells(text)):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}
        made.append({**cell, "execution_count": None, "outputs": []} if kind == "code" else cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        path.with_suffix(".ipynb").write_text(json.dumps(notebook(path.read_text()), indent=1) + "\n")
        print(path.with_suffix(".ipynb"))


if __name__ == "__main__":
    main()
