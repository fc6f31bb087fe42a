#!/usr/bin/env python3
"""Checks what `ridge bench --json` and `ridge compare --json` print, given on stdin: the keys of the interface, what must hold between its
numbers, and FLOPs and bytes against `ridge op` of the same sizes. Prints one line a row, without anything that was timed."""

import json
import subprocess
import sys

ROW = {"kernel", "variant", "provider", "shape", "format", "threads", "cache", "time_s", "kept", "tried", "flops", "bytes", "flops_per_s",
       "bytes_per_s", "percent_of_ceiling", "predicted_s", "error", "bound", "max_relative_error", "machine"}
ELEMENTWISE = {"silu": ["elementwise", "--op", "silu"], "gelu": ["elementwise", "--op", "gelu"], "add": ["elementwise", "--op", "add"]}


def once(pairs):
    """an object whose names stand once each, as readers want them"""
    names = [name for name, _ in pairs]
    check(len(names) == len(set(names)), f"a name twice: {sorted(n for n in names if names.count(n) > 1)}")
    return dict(pairs)


def check(fine, what):
    if not fine:
        sys.exit(f"not so: {what}")


def operator(row):
    words = ["ridge", "op"] + ELEMENTWISE.get(row["kernel"], [row["kernel"]])
    for name, value in row["shape"].items():
        if (row["kernel"], name) == ("rope", "past"):  # where the rows stand costs nothing
            continue
        if value is True:
            words.append("--" + name)
        elif value is not False:
            words += ["--" + name.replace("_", "-"), str(value)]
    words += ["--dtype", row["activations"], "--json"]
    if row["kernel"] in ("gemv", "gemm"):
        words += ["--weights", row["format"]]
    if row["kernel"] == "attention":
        words += ["--kv", row["format"]]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def check_row(row, machine):
    check(ROW <= set(row), f"keys {sorted(ROW - set(row))} in a row")
    time = row["time_s"]
    check(0 < time["low"] <= time["median"] <= time["high"], f"low <= median <= high: {time}")
    check(0 <= row["kept"] <= row["tried"], "kept <= tried")
    check(row["machine"] == machine, "the machine's fingerprint")
    check(0 <= row["max_relative_error"] <= row["tolerance"], "the error is within the tolerance")
    check(abs(row["flops_per_s"] * time["median"] - row["flops"]) < 1e-6 * row["flops"], "FLOP/s x time = FLOPs")
    check(abs(row["bytes_per_s"] * time["median"] - row["bytes"]) < 1e-6 * row["bytes"], "byte/s x time = bytes")
    check(abs(row["error"] - abs(row["predicted_s"] - time["median"]) / time["median"]) < 1e-9, "the error")
    check(row["bound"] in ("memory", "compute") and row["bound_seen"] in ("memory", "compute"), "the bounds")
    check(abs(row["slowdown"] * row["percent_of_ceiling"] - 100) < 1e-6, "slowdown x percent_of_ceiling = 100")
    op = operator(row)
    check(row["flops"] == op["flops"] and row["bytes"] == op["bytes"]["total"], f"FLOPs and bytes of 'ridge op': {op}")
    print(row["kernel"], json.dumps(row["shape"]), row["format"], row["threads"], row["cache"], row["flops"], row["bytes"])


def main():
    answer = json.load(sys.stdin, object_pairs_hook=once)
    check({"ridge", "machine", "ceilings", "rows"} <= set(answer), "the members of the answer")
    check(isinstance(answer["ceilings"], dict) and answer["ceilings"], "ceilings is an object with something in it")
    for row in answer["rows"]:
        check_row(row, answer["machine"]["fingerprint"])
    check(answer["planned"] == len(answer["rows"]) + len(answer["wrong"]), "all that was planned is there")
    use = answer["metrics"]
    check(use["wall_s"] > 0 and use["user_s"] >= 0 and (use["counters"]["available"] or use["counters"]["reason"]), "what the run took")
    if "summary" in answer:
        errors = sorted(row["error"] for row in answer["rows"])
        middle = (errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) / 2
        check(abs(answer["summary"]["median_error"] - middle) < 1e-9, "the median error")
        check(abs(answer["summary"]["mean_error"] - sum(errors) / len(errors)) < 1e-9, "the mean error")
        check([w["error"] for w in answer["summary"]["worst"]] == sorted(errors, reverse=True)[:5], "the worst rows")


main()
