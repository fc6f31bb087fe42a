#!/usr/bin/env python3
"""Which lines and branches of src/ the tests run: builds into build-coverage/, runs every test there, and writes the table of
docs/architecture.md, a row per room. Takes minutes; needs gcovr (scripts/setup.sh --coverage)."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD, PAGE = ROOT / "build-coverage", ROOT / "docs/architecture.md"
BEGIN, END = "<!-- coverage: scripts/coverage.py -->\n", "<!-- /coverage -->\n"


def run(*words, **more):
    print("+", *words, file=sys.stderr)
    return subprocess.run([str(word) for word in words], cwd=ROOT, check=True, **more)


def files():
    """[(path below src, lines, covered lines, branches, covered branches)]"""
    words = ["gcovr", "--root", ROOT, "--filter", "src/", "--exclude-throw-branches", "--json-summary", "-j", os.cpu_count(), BUILD]
    answer = json.loads(run(*words, stdout=subprocess.PIPE, text=True).stdout)
    for one in answer["files"]:
        path = pathlib.PurePath(one["filename"]).relative_to("src")
        yield path, one["line_total"], one["line_covered"], one["branch_total"], one["branch_covered"]


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table():
    rooms = {}
    for path, *counts in files():
        for name in (path.parts[0], "all of src"):
            rooms[name] = [a + b for a, b in zip(rooms.get(name, [0] * 4), counts)]
    yield "| room | lines | run | branches | taken |"
    yield "|---|--:|--:|--:|--:|"
    for name in sorted(rooms, key=lambda name: (name == "all of src", name)):
        lines, lines_run, branches, taken = rooms[name]
        yield f"| {name} | {lines:,} | {percent(lines_run, lines)} | {branches:,} | {percent(taken, branches)} |"


def main():
    if not shutil.which("gcovr"):
        sys.exit("coverage.py: no gcovr here; sh scripts/setup.sh --coverage installs it")
    if not (BUILD / "build.ninja").exists():
        run("meson", "setup", BUILD, "-Db_coverage=true", "-Doptimization=0")
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    run("meson", "test", "-C", BUILD, "--timeout-multiplier", "10", stdout=sys.stderr)
    text = PAGE.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(before + BEGIN + "\n".join(table()) + "\n" + END + after)


if __name__ == "__main__":
    main()
