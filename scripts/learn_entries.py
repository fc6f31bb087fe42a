#!/usr/bin/env python3
"""Holds catalog entries against recorded results of PyTorch: what `ridge inspect` and `ridge cost` say with them, with images, sound and
films, too: tree, shapes, parameters, buffers, FLOPs in total and per module, bytes, cache. Exit status 3: an entry says something wrong.

    scripts/learn_entries.py --source 4.57=DIR [--truth ../shared/truth] [--ridge build/ridge] [PATTERN...]
    scripts/learn_entries.py --shipped [--catalog PATH] [PATTERN...]

With --source the entries are those that `ridge learn --out` makes of a model's own config, with --shipped those of the program (and of the
files or folders of --catalog). PATTERN is of file names, or a model_type. How far bytes and the activations peak are off is told."""

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
    answer = json.loads(ask(options, "inspect", config, "--json", *entries))
    mine = [(m["path"], m["class"], m["parameters"], m["parameters_total"], {k: t["shape"] for k, t in m["tensors"].items()}) for m in answer["modules"]]
    theirs = [(m["name"], m["class"], m["params"], m["params_total"], m.get("param_shapes", {})) for m in truth["modules"]]
    yield from learn_truth.first_difference("tree", mine, theirs)
    if answer["parameters"]["total"] != truth["total_params"]:
        yield f"parameters: {answer['parameters']['total']} instead of {truth['total_params']}"
    if "buffer_bytes" in truth and answer["buffers_bytes"] != truth["buffer_bytes"]:
        yield f"bytes of buffers: {answer['buffers_bytes']} instead of {truth['buffer_bytes']}"


def run_faults(options, run, truth, config, entries, off):
    answer = json.loads(ask(options, "cost", config, "--all", "--json", *entries, *learn_truth.workload(run, truth["config"])))
    title = learn_truth.title(run)
    if answer["flops"]["torch"] != run["flops_total_matmul"]:
        yield f"FLOPs: {answer['flops']['torch']} instead of {run['flops_total_matmul']} ({title})"
    rows = {row["path"]: row["flops"]["torch"] for row in answer["rows"]}
    for path, flops in (run.get("flops_by_module") or {"": run["flops_total_matmul"]}).items():
        if rows.get(path, 0) != flops:
            yield f"FLOPs of {path or 'the model'}: {rows.get(path)} instead of {flops} ({title})"
            break
    if run.get("kv_cache_bytes_out") is not None and answer["memory"]["kv_cache"] != run["kv_cache_bytes_out"]:
        off["cache"].append(f"cache: {answer['memory']['kv_cache']} instead of {run['kv_cache_bytes_out']} ({title})")
    for kind, found, recorded in (("bytes", answer["bytes"]["total"], run["bytes_read"] + run["bytes_written"]),
                                  ("reads", sum(answer["bytes"]["reads"].values()), run["bytes_read"]),
                                  ("peak", answer["memory"]["activations_peak"] + answer["memory"]["kv_cache"], run["peak_activation_bytes"])):
        if recorded:
            off[kind].append((abs(found - recorded) / recorded, f"{found} instead of {recorded} ({title})"))


def faults(options, truth, source, folder, off):
    config, entries = str(folder / "config.json"), [word for path in options.catalog for word in ("--catalog", path)]
    fields = dict(learn_truth.as_run(truth["config"]), architectures=[truth["model_class"].rsplit(".", 1)[-1]])
    pathlib.Path(config).write_text(json.dumps(fields))
    if not options.shipped:
        entries = ["--catalog", str(folder / "entries.json")]
        ask(options, "learn", config, "--source", source, "--out", entries[1])
    yield from tree_faults(options, truth, config, entries)
    loop = any("loop" in run.get("extra", "") for run in truth["runs"])  # the run to agree with, where there is one
    for run in truth["runs"]:
        wanted = "loop" in run.get("extra", "") if loop and options.shipped else not any(run.get(key) for key in LEFT_OUT)
        if run["attn_impl"] == "eager" and wanted:
            yield from run_faults(options, run, truth, config, entries, off)


def judge(options, path, source):
    """("equal" | "wrong" | "refused", lines that say why)"""
    off = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        try:
            wrong = list(faults(options, learn_truth.load(path), source, pathlib.Path(folder), off))
        except Refused as reason:
            return "refused", [str(reason)]
    notes = off["cache"][:1]
    for kind in ("bytes", "reads", "peak"):
        if off[kind]:
            worst = max(off[kind])
            notes.append(f"{kind} off {100 * worst[0]:.3f} %" + (f": {worst[1]}" if worst[0] and options.shipped else ""))
    if options.shipped:
        return ("wrong", wrong + notes) if wrong else ("equal", [f"{len(off['bytes'])} runs", *notes])
    return ("wrong", wrong[:1]) if wrong else ("equal", [f"{len(off['bytes'])} runs, " + ", ".join(notes)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("pattern", nargs="*", default=["*"])
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--truth", default="../shared/truth")
    parser.add_argument("--source", action="append", default=[], metavar="VERSION=DIR")
    parser.add_argument("--shipped", action="store_true", help="hold the program's own entries against the results")
    parser.add_argument("--catalog", action="append", default=[], metavar="PATH", help="entries besides the program's own")
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    sources, verdicts = dict(pair.split("=", 1) for pair in options.source), collections.Counter()
    for path in sorted(pathlib.Path(options.truth).glob("*.json.gz")):
        name = path.name.removesuffix(".json.gz")
        truth = learn_truth.load(path)
        names = (name, str(truth["config"].get("model_type")))
        source = next((folder for prefix, folder in sources.items() if truth["transformers_version"].startswith(prefix)), None)
        if not (source or options.shipped) or not any(fnmatch.fnmatch(one, pattern) for one in names for pattern in options.pattern):
            continue
        verdict, why = judge(options, path, source)
        verdicts[verdict] += 1
        print(f"{verdict:8} {name:40} " + ("\n" + 50 * " ").join(why), flush=True)
    print(*(f"{count} {verdict}" for verdict, count in verdicts.most_common()), sep=", ")
    return 3 if verdicts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
