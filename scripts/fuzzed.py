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
COLUMNS = ["date", "commit", "fuzzer", "seconds", "executions", "failed"]


def read_runs():
    with RUNS.open(newline="") as file:
        return [dict(zip(COLUMNS, row, strict=True)) for row in csv.reader(file)]


def tabulate(runs):
    lines = ["| fuzzer | inputs | seconds | inputs a second | runs | last | runs that found a fault |", "|---|--:|--:|--:|--:|---|--:|"]
    for name in [*sorted({run["fuzzer"] for run in runs}), ""]:
        of = [run for run in runs if name in ("", run["fuzzer"])]
        inputs, seconds = (sum(int(run[key]) for run in of) for key in ("executions", "seconds"))
        found = sum(int(run["failed"]) for run in of)
        last = max((run["date"] for run in of), default="-")
        lines.append(f"| {name or 'all'} | {inputs:,} | {seconds:,} | {inputs // max(seconds, 1):,} | {len(of)} | {last} | {found} |")
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
