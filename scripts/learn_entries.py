#!/usr/bin/env python3
"""Holds catalog entries that `ridge learn --out` makes of a model's own config against recorded results of PyTorch: what `ridge inspect`
and `ridge cost` say with them, with images, sound and films, too. Exit status 3: an entry says something wrong.

    scripts/learn_entries.py --source 4.57=DIR [--truth ../shared/truth] [--ridge build/ridge] [PATTERN...]"""

import argparse
import collections
import fnmatch
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import learn_truth  # noqa: E402

LEFT_OUT = ("extra",)
MEMORY = 2 << 30


class Refused(Exception):
    """no answer: which command, and why"""


def ask(options, *words):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    try:
        done = subprocess.run([options.ridge, *words], capture_output=True, text=True, timeout=options.timeout, preexec_fn=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Refused(f"{words[0]}: more than {options.timeout} s") from None
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "warning" not in line]
        raise Refused(f"{words[0]}: {said[0] if said else done.returncode}"[:300])
    return done.stdout


def tree_faults(options, truth, config, entries):
    answer = json.loads(ask(options, "inspect", config, "--json", "--catalog", entries))
    mine = [(m["path"], m["class"], m["parameters"]) for m in answer["modules"]]
    theirs = [(m["name"], m["class"], m["params"]) for m in truth["modules"]]
    yield from learn_truth.first_difference("tree", mine, theirs)
    if answer["parameters"]["total"] != truth["total_params"]:
        yield f"parameters: {answer['parameters']['total']} instead of {truth['total_params']}"


def run_faults(options, run, truth, config, entries, bytes_off):
    answer = json.loads(ask(options, "cost", config, "--all", "--json", "--catalog", entries, *learn_truth.workload(run, truth["config"])))
    rows = {row["path"]: row["flops"]["torch"] for row in answer["rows"]}
    for path, flops in (run.get("flops_by_module") or {"": run["flops_total_matmul"]}).items():
        if rows.get(path, 0) != flops:
            yield f"FLOPs of {path or 'the model'}: {rows.get(path)} instead of {flops} ({learn_truth.title(run)})"
            return
    recorded = run["bytes_read"] + run["bytes_written"]
    bytes_off.append(abs(answer["bytes"]["total"] - recorded) / recorded)


def faults(options, truth, source, folder, bytes_off):
    config, entries = str(folder / "config.json"), str(folder / "entries.json")
    fields = dict(truth["config"], architectures=[truth["model_class"].rsplit(".", 1)[-1]])
    pathlib.Path(config).write_text(json.dumps(fields))
    ask(options, "learn", config, "--source", source, "--out", entries)
    yield from tree_faults(options, truth, config, entries)
    for run in truth["runs"]:
        if run["attn_impl"] == "eager" and not any(run.get(key) for key in LEFT_OUT):
            yield from run_faults(options, run, truth, config, entries, bytes_off)


def judge(options, path, source):
    """("equal" | "wrong" | "refused", why)"""
    bytes_off = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            wrong = list(faults(options, learn_truth.load(path), source, pathlib.Path(folder), bytes_off))
        except Refused as reason:
            return "refused", str(reason)
    if wrong:
        return "wrong", wrong[0]
    return ("equal", f"{len(bytes_off)} runs, bytes off {100 * max(bytes_off):.3f} %") if bytes_off else ("equal", "the tree; no run to compare")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("pattern", nargs="*", default=["*"])
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--truth", default="../shared/truth")
    parser.add_argument("--source", action="append", required=True, metavar="VERSION=DIR")
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    sources, verdicts = dict(pair.split("=", 1) for pair in options.source), collections.Counter()
    for path in sorted(pathlib.Path(options.truth).glob("*.json.gz")):
        name = path.name.removesuffix(".json.gz")
        version = learn_truth.load(path)["transformers_version"]
        source = next((folder for prefix, folder in sources.items() if version.startswith(prefix)), None)
        if source is None or not any(fnmatch.fnmatch(name, pattern) for pattern in options.pattern):
            continue
        verdict, why = judge(options, path, source)
        verdicts[verdict] += 1
        print(f"{verdict:8} {name:40} {why}", flush=True)
    print(*(f"{count} {verdict}" for verdict, count in verdicts.most_common()), sep=", ")
    return 3 if verdicts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
