"""PyTorch's numbers for some models (known/, copied from recorded runs by make_known.py) against the library, difference 0; they need no ../shared.
Where an example of that id is shipped, its parameters and FLOPs are compared too."""
import collections
import glob
import json
import os
import sys

import driver


def differences(pairs):
    for what, found, expected in pairs:
        if found != expected:
            yield f"{what}: {found}, PyTorch has {expected}"


def compare_inspect(known, answer):
    classes = collections.Counter(module["class"] for module in answer["modules"])
    yield from differences([
        ("parameters", answer["parameters"]["total"], known["total_params"]), ("class", answer["class"], known["model_class"]),
        ("weights_bytes", answer["weights_bytes"], known["weight_bytes"]), ("buffers_bytes", answer["buffers_bytes"], known["buffer_bytes"]),
        ("modules", len(answer["modules"]), known["modules"]), ("classes", dict(classes), known["classes"])])


def compare_cost(run, answer):
    yield from differences([
        ("FLOPs", answer["flops"]["torch"], run["flops_total_matmul"]), ("reads", sum(answer["bytes"]["reads"].values()), run["bytes_read"]),
        ("writes", sum(answer["bytes"]["writes"].values()), run["bytes_written"]),
        ("cache bytes", answer["memory"]["kv_cache"], run.get("kv_cache_bytes_out", answer["memory"]["kv_cache"]))])


def check(ridge, tap, label, known, text, options):
    try:
        tap.case(f"{label}: tree", compare_inspect(known, ridge.ask("inspect", text, **options)))
        for run in known["runs"]:
            tap.case(f"{label}: {run['phase']} {run['dtype']}", compare_cost(run, ridge.ask("cost", text, **options, **driver.workload(run))))
    except driver.Refused as refusal:
        tap.case(label, [f"refused: {refusal}"])


def main():
    ridge, tap = driver.Driver(sys.argv[1]), driver.Tap()
    for path in sorted(glob.glob(os.path.join(driver.ROOT, "tests/golden/known/*.json"))):
        with open(path) as file:
            known = json.load(file)
        head = {"class": known["model_class"].split(".")[-1]}
        name = os.path.basename(path)[:-5]
        check(ridge, tap, name, known, json.dumps(known["config"]), dict(head, model=name))
        if os.path.exists(os.path.join(driver.ROOT, "examples", known["id"].replace("/", "--"), "config.json")):
            check(ridge, tap, f"example {known['id']}", known, None, dict(head, model=known["id"]))
    tap.case("the driver ended well", ["it did not"] if ridge.close() else [])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
