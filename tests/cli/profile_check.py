#!/usr/bin/env python3
"""Reads an answer of `ridge profile --json` and a timeline of --trace and says what holds.

    profile_check.py ANSWER [TIMELINE]"""

import json
import math
import sys

with open(sys.argv[1]) as f:
    answer = json.load(f)
for key in ("ridge", "what", "machine", "components", "total_s", "bottleneck", "recommendation", "levels"):
    assert key in answer, key
components = answer["components"]
for c in components:
    assert c["time_s"] > 0 and c["low_s"] <= c["time_s"] <= c["high_s"], c
    assert c["bound"] in ("memory", "compute", None), c
    assert c["max_relative_error"] <= c["tolerance"], c
print(answer["what"], answer["phase"], *(c["name"] for c in components))
assert math.isclose(sum(c["time_s"] for c in components), answer["total_s"], rel_tol=1e-9)
assert math.isclose(sum(c["percent"] for c in components), 100, rel_tol=1e-9)
print("components are the total, percents are 100")
assert answer["bottleneck"] == max(components, key=lambda c: c["time_s"])["name"]
if answer["levels"]:
    assert all(level["right"] for level in answer["levels"])
    print("levels", *(level["name"] for level in answer["levels"]))

if len(sys.argv) > 2:
    with open(sys.argv[2]) as f:
        events = [e for e in json.load(f)["traceEvents"] if e["ph"] == "X"]
    assert events
    for tid in {e["tid"] for e in events}:
        open_until = []
        for e in sorted((e for e in events if e["tid"] == tid), key=lambda e: (e["ts"], -e["dur"])):
            while open_until and open_until[-1] <= e["ts"]:
                open_until.pop()
            assert not open_until or e["ts"] + e["dur"] <= open_until[-1] + 1e-3, e
            open_until.append(e["ts"] + e["dur"])
    print("the timeline nests")
