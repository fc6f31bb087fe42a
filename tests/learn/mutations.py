#!/usr/bin/env python3
"""Changes what the table of operators says, one rule at a time, and asks whether a recorded model notices.

    tests/learn/mutations.py --ridge RIDGE --truth DIR --source 4.57=DIR [--source 5.16=DIR] [--every N]

Each entry of catalog/torch/operators.json is changed in four ways where it says so: its FLOPs doubled, its traffic taken for a view's, its
dtype for another, its shape for the first operand's. `ridge learn --operators` then derives a recorded model that runs the operator, and its
FLOPs and bytes must no longer be the recorded ones. A change that none of --models models notices is printed; operators that no recorded model
runs are counted (tests/learn/operators.c holds them against PyTorch's documentation). Exit 3 where a change goes unnoticed.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import learn_truth  # noqa: E402


def resolved(table, key):
    """an entry with what it inherits"""
    entry = table[key]
    return {**resolved(table, entry["inherits"]), **entry} if "inherits" in entry else entry


def changes(table):
    for key in table:
        entry = resolved(table, key)
        if "shape" not in entry:
            continue
        if entry.get("flops"):
            word, formula = next(iter(entry["flops"].items()))
            yield key, "flops", {"flops": {word: f"2*({formula})"}}
        if entry.get("bytes") != "view":
            yield key, "bytes", {"bytes": "view"}
        if "dtype" in entry:
            yield key, "dtype", {"dtype": "int64" if entry["dtype"] != "int64" else "bool"}
        if entry["shape"] != "same" and entry.get("bytes") != "view":
            yield key, "shape", {"shape": "same"}


class Model:
    """A recorded run, and what is derived of it."""

    def __init__(self, path, options):
        truth = learn_truth.load(path)
        self.name = path.name.removesuffix(".json.gz")
        self.run = next(run for run in truth["runs"] if run["attn_impl"] == "eager")
        self.source = next((folder for prefix, folder in options.sources.items() if truth["transformers_version"].startswith(prefix)), None)
        folder = options.work / self.name
        folder.mkdir()
        self.config = folder / "config.json"
        self.config.write_text(json.dumps(dict(truth["config"], architectures=[truth["model_class"].rsplit(".", 1)[-1]])))
        self.words = learn_truth.workload(self.run, truth["config"])
        self.said = self.ask(options, []) if self.source else None
        self.operators = set(self.said[2]) if self.said else set()

    def ask(self, options, more):
        """(FLOPs, bytes, operators) of the run; None: no answer"""
        try:
            done = subprocess.run([options.ridge, "learn", str(self.config), "--source", self.source, "--json", *self.words, *more], capture_output=True,
                                  text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode:
            return None
        run = next((run for run in json.loads(done.stdout)["model"]["runs"] if run["phase"] == self.run["phase"]), None)
        if run is None or run["failed"]:
            return None
        return run["flops"]["total"], run["bytes"]["total"], sorted(run["operators"])


def recorded(options):
    models = []
    for path in sorted(options.truth.glob("*.json.gz")):
        if path.stat().st_size < 400_000:  # large mixtures take long, and run what small ones run
            models.append(Model(path, options))
    return [model for model in models if model.said]


def notices(options, model, key, change):
    path = options.work / "operators.json"
    path.write_text(json.dumps({key: {"kind": "operator", "inherits": key, **change}}))
    return model.ask(options, ["--operators", str(path)]) != model.said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--truth", type=pathlib.Path, default=ROOT.parent / "shared/truth")
    parser.add_argument("--source", action="append", required=True, metavar="VERSION=DIR")
    parser.add_argument("--every", type=int, default=1, help="only each N-th change")
    parser.add_argument("--models", type=int, default=4, help="how many models may notice")
    options = parser.parse_args()
    options.sources = dict(pair.split("=", 1) for pair in options.source)
    table = json.loads((ROOT / "catalog/torch/operators.json").read_text())
    count, unused = collections.Counter(), set()
    with tempfile.TemporaryDirectory() as folder:
        options.work = pathlib.Path(folder)
        models = sorted(recorded(options), key=lambda model: len(model.operators))
        for i, (key, what, change) in enumerate(changes(table)):
            name = resolved(table, key).get("class", key.replace("__", "."))
            runs = [model for model in models if name in model.operators][:options.models]
            if i % options.every or not runs:
                unused |= {key} if not runs else set()
                continue
            seen = any(notices(options, model, key, change) for model in runs)
            count["noticed" if seen else "unnoticed"] += 1
            if not seen:
                print(f"unnoticed: {key}: {what} {change[what]} ({', '.join(model.name for model in runs)})", flush=True)
    print(f"{len(models)} models; {count['noticed']} changes noticed, {count['unnoticed']} not; {len(unused)} operators that none of them runs")
    return 3 if count["unnoticed"] else 0


if __name__ == "__main__":
    sys.exit(main())
