#!/usr/bin/env python3
"""Which lines and branches of src/ the tests run: builds into build-coverage/, runs every test there, and writes the table of
docs/architecture.md, a row per room, from what gcov (which comes with gcc) counts. Takes minutes.

    coverage.py          builds, tests, counts, writes
    coverage.py --count  counts what an earlier run left in build-coverage/"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD, PAGE = ROOT / "build-coverage", ROOT / "docs/architecture.md"
BEGIN, END = "<!-- coverage: scripts/coverage.py -->\n", "<!-- /coverage -->\n"


def run(*words, **more):
    print("+", *words, file=sys.stderr)
    return subprocess.run([str(word) for word in words], cwd=ROOT, check=True, **more)


def answers():
    """what gcov says of each object; it may leave files where it runs, so that is a folder that goes again"""
    with tempfile.TemporaryDirectory(prefix="ridge-coverage-") as folder:
        for data in sorted(BUILD.rglob("*.gcda")):
            words = ["gcov", "-b", "--json-format", "--stdout", data]
            said = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout
            yield json.loads(said) if said else {"files": []}


def counts():
    """{(file below src, line): [times run, {branch: times taken}]}, over all objects"""
    found = {}
    for answer in answers():
        for one in answer["files"]:
            path = pathlib.Path(os.path.normpath(BUILD / one["file"]))
            for line in one["lines"] if path.is_relative_to(ROOT / "src") else []:
                counted = found.setdefault((path.relative_to(ROOT / "src"), line["line_number"]), [0, {}])
                counted[0] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    key = line.get("function_name"), i  # templates stand in several functions
                    counted[1][key] = counted[1].get(key, 0) + branch["count"]
    return found


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table():
    rooms = {}
    for (path, _), (executed, taken) in counts().items():
        one = 1, executed > 0, len(taken), sum(count > 0 for count in taken.values())
        for name in (path.parts[0], "all of src"):
            rooms[name] = [a + b for a, b in zip(rooms.get(name, [0] * 4), one)]
    yield "| room | lines | run | branches | taken |"
    yield "|---|--:|--:|--:|--:|"
    for name in sorted(rooms, key=lambda name: (name == "all of src", name)):
        lines, lines_run, branches, taken = rooms[name]
        yield f"| {name} | {lines:,} | {percent(lines_run, lines)} | {branches:,} | {percent(taken, branches)} |"


def test():
    if not (BUILD / "build.ninja").exists():
        run("meson", "setup", BUILD, "-Db_coverage=true", "-Doptimization=0")
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    run("meson", "test", "-C", BUILD, "--timeout-multiplier", "10", stdout=sys.stderr)


def main(arguments):
    if arguments not in ([], ["--count"]):
        sys.exit(__doc__)
    if not arguments:
        test()
    text = PAGE.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(before + BEGIN + "\n".join(table()) + "\n" + END + after)


if __name__ == "__main__":
    main(sys.argv[1:])
