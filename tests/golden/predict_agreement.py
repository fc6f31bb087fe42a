"""One prediction, every form of it: the JSON of the program and of the C API are the same bytes; the CSV, the struct, the table and the page hold the
same numbers.
    predict_agreement.py RIDGE [SHARED LIBRARY]     the library is left out where Python cannot load it (a sanitizer's build)"""
import csv
import ctypes
import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile

RIDGE = sys.argv[1]
LIBRARY = sys.argv[2] if len(sys.argv) > 2 else None
CASES = [("gpt2", {"on": "a100-sxm-80"}),
         ("meta-llama/Llama-2-7b-hf", {"on": "h100-sxm-80", "phase": "decode", "batch": 8, "weights": "q4_K"}),
         ("mistralai/Mixtral-8x7B-v0.1", {"on": "h200-sxm-141", "prompt": 300, "generate": 5, "batch": 3}),
         ("google-t5/t5-small", {"on": "l40s", "method": "estimate", "launch": "2us"}),
         ("microsoft/resnet-50", {"on": "rtx-4090", "batch": 16, "kernel": "eager"}),
         ("openai-community/gpt2", {"on": "mi300x", "phase": "train", "batch": 2, "recompute": "full"})]


class Count(ctypes.Structure):
    _fields_ = [("lo", ctypes.c_uint64), ("hi", ctypes.c_int64)]

    def __int__(self):
        return (self.hi << 64) + self.lo


DOUBLES = ["time_s", "tokens_per_s", "mfu", "bandwidth_utilisation", "ttft_s", "tpot_s", "generation_s", "requests_per_s"]


class Totals(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in DOUBLES] + [(name, Count) for name in ("flops", "bytes", "memory", "capacity")] + [
        ("fits", ctypes.c_int), ("memory_bound", ctypes.c_int)]


def run(model, options, *more):
    words = [w for key, value in options.items() for w in ("--" + key, str(value))]
    done = subprocess.run([RIDGE, "predict", model, *words, *more], capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"})
    if done.returncode:
        raise SystemExit(f"Bail out! {model} {options}: {done.stderr}")
    return done.stdout


def same_rows(p, table):
    rows = list(csv.DictReader(io.StringIO(table)))
    if len(rows) != len(p["rows"]):
        return f"{len(rows)} rows in CSV, {len(p['rows'])} in JSON"
    for a, b in zip(rows, p["rows"]):
        for key in ("path", "class", "bound"):
            if a[key] != b[key]:
                return f"{b['path']}: {key} is {a[key]} in CSV"
        for key in ("count", "flops", "bytes"):
            if int(a[key]) != b[key]:
                return f"{b['path']}: {key} is {a[key]} in CSV, {b[key]} in JSON"
        for key in ("time_s", "time_compute_s", "time_memory_s", "launch_s", "arithmetic_intensity"):
            if (float(a[key]) if a[key] else None) != b[key]:
                return f"{b['path']}: {key} is {a[key]} in CSV, {b[key]} in JSON"
    return None


def cells(text):
    """The numbers of a table's rows, without the indented names."""
    return [re.split(r"  +", line.strip())[1:] for line in text.splitlines()]


SCALE = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}


def same_quantity(cell, told, head, exact):
    """a number of the page in its column's unit, and what is told on hover, against JSON's"""
    scale = SCALE[re.search(r"\((.?)[sB]?\)$|$", head)[1] or ""] if not head.endswith(("(s)", "(B)")) else 1
    if float(told.split(" ")[0]) != exact:
        return False
    return exact < 1e-5 * scale if cell.startswith("<") else abs(float(cell) * scale - exact) <= 6e-4 * exact


def same_page(text, page, rows):
    heads = [html.unescape(head) for head in re.findall(r"<th[^>]*>(.*?)</th>", page)]
    found = [[(html.unescape(cell), html.unescape(told or "")) for told, cell in re.findall(r'<td(?: class="n")?(?: title="([^"]*)")?>(.*?)</td>', row)]
             for row in re.findall(r"<tr>(.*?)</tr>", page, re.S)]
    found = [row for row in found if len(row) == 8]
    start = text.index("\nmodule ") + 1
    table = [row for row in cells(text[start:]) if row][1:len(found) + 1]
    quantities = {2: "time_s", 5: "flops", 6: "bytes"}
    for row, printed, exact in zip(found, table, rows):
        for column, (cell, told) in enumerate(row[1:], 1):
            same = same_quantity(cell, told, heads[column], exact[quantities[column]]) if column in quantities else cell == printed[column - 1]
            if not same:
                return f"'{cell}' ({told}) in the column '{heads[column]}' of {row[0][0]}"
    return None if found and len(found) == len(rows) else f"{len(found)} rows on the page, {len(rows)} in JSON"


def same_struct(p, totals):
    for name in DOUBLES:
        if getattr(totals, name) != (p[name] if p.get(name) is not None else -1):
            return f"{name}: {getattr(totals, name)} in C, {p.get(name)} in JSON"
    wanted = {"flops": p["rows"][0]["flops"], "bytes": p["rows"][0]["bytes"], "memory": p["memory"]["total"], "capacity": p["memory"]["capacity"] or 0}
    for name, value in wanted.items():
        if int(getattr(totals, name)) != value:
            return f"{name}: {int(getattr(totals, name))} in C, {value} in JSON"
    return None if bool(totals.fits) == p["memory"]["fits"] and bool(totals.memory_bound) == (p["bound"] == "memory") else "fits or bound differ"


def main():
    failures = number = 0
    lib = ctypes.CDLL(LIBRARY) if LIBRARY else None
    if lib:
        for name in ("ridge_session_open", "ridge_model_predict_json"):
            getattr(lib, name).restype = ctypes.c_void_p
        session = ctypes.c_void_p(lib.ridge_session_open(None, ctypes.c_size_t(0)))
    for model, options in CASES:
        as_json = run(model, options, "--json")
        p, problems = json.loads(as_json), {}
        problems["CSV"] = same_rows(p, run(model, options, "--csv"))
        with tempfile.TemporaryDirectory() as folder:
            text = run(model, options, "--html", folder + "/page.html", "--advice", "none")
            with open(folder + "/page.html", encoding="utf-8") as f:
                problems["page"] = same_page(text, f.read(), p["rows"])
        if lib:
            words = [f"{key}={value}".encode() for key, value in options.items()]
            array, totals = (ctypes.c_char_p * len(words))(*words), Totals()
            status = lib.ridge_model_predict(session, ctypes.byref(totals), model.encode(), array, ctypes.c_size_t(len(words)))
            problems["struct"] = f"status {status}" if status else same_struct(p, totals)
            c_json = ctypes.string_at(lib.ridge_model_predict_json(session, model.encode(), array, ctypes.c_size_t(len(words)))).decode()
            problems["C JSON"] = None if c_json == as_json else "the JSON of the C API differs"
        for form, problem in problems.items():
            number += 1
            failures += bool(problem)
            print(f"{'not ok' if problem else 'ok'} {number} - {model} {form}" + (f"\n  # {problem}" if problem else ""))
    print(f"1..{number}")
    return failures > 0


sys.exit(main())
