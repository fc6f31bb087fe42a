#!/usr/bin/env python3
"""Makes the table of docs/testing.md: how often each fuzzer ran, of tests/fuzz/executions.csv, to which `scripts/fuzz.sh --record` adds.

    scripts/fuzzed.py            writes the table
    scripts/fuzzed.py --check    says whether it is current"""

import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = ROOT / "tests/fuzz/executions.csv"
PAGE = ROOT / "docs/testing.md"
BEGIN, END = "<!-- executions: scripts/fuzzed.py -->\n", "<!-- /executions -->"
COLUMNS = ["date", "commit", "fuzzer", "build", "seconds", "executions", "failed"]


def read_runs():
    with RUNS.open(newline="") as file:
        return [dict(zip(COLUMNS, row, strict=True)) for row in csv.reader(file)]


def total(runs, build, key):
    return sum(int(run[key]) for run in runs if run["build"] == build)


def tabulate(runs):
    lines = [
        "| fuzzer | inputs | of them under sanitizers | a second under sanitizers | a second, fast | runs | last | runs that found a fault |",
        "|---|--:|--:|--:|--:|--:|---|--:|",
    ]
    for name in [*sorted({run["fuzzer"] for run in runs}), ""]:
        of = [run for run in runs if name in ("", run["fuzzer"])]
        inputs = {build: total(of, build, "executions") for build in ("sanitizers", "fast")}
        speeds = (f"{count // seconds:,}" if (seconds := total(of, build, "seconds")) else "-" for build, count in inputs.items())
        found = sum(int(run["failed"]) for run in of)
        last = max((run["date"] for run in of), default="-")
        lines.append(f"| {name or 'all'} | {sum(inputs.values()):,} | {inputs['sanitizers']:,} | {' | '.join(speeds)} | {len(of)} | {last} | {found} |")
    return "\n".join(lines) + "\n"


def main(check):
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    wanted = text[:begin] + tabulate(read_runs()) + text[end:]
    if wanted == text:
        return 0
    if check:
        print(f"{PAGE.relative_to(ROOT)} is not what {RUNS.relative_to(ROOT)} tells; run scripts/fuzzed.py")
        return 1
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
