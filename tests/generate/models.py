#!/usr/bin/env python3
"""models.py RIDGE [EVERY]: whole models of their config.json, in the generated package and as `ridge cost` has them: FLOPs by class,
parameters. Prints TAP.

Every shipped example, and each EVERY-th head class of the catalog (1: all of them) with its config's defaults, runs the workload that the
engine's answer names."""

import json
import pathlib
import subprocess
import sys
import tempfile

import python

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORKLOADS = ({"B": 2, "S": 33, "past": 0}, {"B": 1, "S": 1, "past": 70})


def engine(ridge, folder, phase, workload):
    """(answer, why there is none)"""
    options = ["--phase", phase, "--batch", workload["B"], "--weights", "fp32", "--activations", "fp32", "--kv", "fp32"]
    options += ["--past", workload["past"]] if phase == "decode" else ["--seq", workload["S"]]
    done = subprocess.run([ridge, "cost", folder, *map(str, options), "--depth", "0", "--builtin-only", "--json"], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0]
    return json.loads(done.stdout), None


def workload_of(answer):
    """What the answer says of the workload, by the formulas' names."""
    said = {name: value for name, value in answer["workload"].items() if value is not None}
    names = {"batch": "B", "seq": "S", "past": "past", "encoder_len": "enc", "images": "images", "video_frames": "video_frames",
             "frames": "frames", "samples": "samples", "phase": "phase", "decoder_seq": "S"}
    found = {names[name]: value for name, value in said.items() if name in names}
    if "image_size" in said:
        found["image_height"], found["image_width"] = said["image_size"], said.get("image_width", said["image_size"])
        if found["image_height"] == found["image_width"]:
            found["image"] = found["image_height"]
    return found


def compare(package, ridge, folder, config, phase, workload):
    answer, why = engine(ridge, folder, phase, workload)
    if answer is None:
        return "none", why
    try:
        made = package.model(config, **workload_of(answer))
        have = {"parameters": made.parameters, **made.cost.by_class, "total": made.flops}
    except package.GeneratedError as error:  # the answer does not name the size of a picture whose number it does not name
        untold = "does not give 'image" in str(error) and answer["workload"]["image_size"] is None
        return ("none" if untold else "fault"), str(error)
    flops = answer["flops"]
    want = {"parameters": answer["parameters"]["total"] if isinstance(answer["parameters"], dict) else answer["parameters"],
            **{name: flops[name] for name in ("matmul", "attention", "activation", "embedding", "other", "total")}}
    wrong = [f"{name} {have[name]}, not {want[name]}" for name in want if have[name] != want[name]]
    return ("fault", "; ".join(wrong)) if wrong else ("same", None)


def tried(package, ridge, folder, config, counts):
    """What is wrong, phase by phase."""
    faults = []
    for phase, workload in zip(("prefill", "decode"), WORKLOADS):
        result, why = compare(package, ridge, folder, config, phase, workload)
        counts[result] += 1
        if result == "fault":
            faults.append(f"{phase}: {why}")
    return faults


def default_configs(package):
    """A config.json for each head class, without fields."""
    for path in sorted(package.index.CONFIGS):
        rule = package.registry.config(path)
        for head in rule.classes:
            diffusers = path.startswith("diffusers.")
            yield f"{path} {head}", {"_class_name": head} if diffusers else {"model_type": rule.model_type, "architectures": [head]}


def main():
    ridge = str(pathlib.Path(sys.argv[1]).resolve())
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 80
    sys.dont_write_bytecode = True
    counts, number, failed = {"same": 0, "none": 0, "fault": 0}, 0, []
    with tempfile.TemporaryDirectory() as name:
        package = python.package_in(pathlib.Path(name), ridge)
        for number, folder in enumerate(sorted((ROOT / "examples").iterdir()), 1):
            faults = tried(package, ridge, folder, json.loads((folder / "config.json").read_text()), counts)
            failed += faults
            print("\n# ".join([f"{'not ok' if faults else 'ok'} {number} - {folder.name}", *(fault[:400] for fault in faults)]))
        shipped, faults = counts["same"] >= number, []
        scratch = pathlib.Path(name) / "model"
        scratch.mkdir()
        for head, config in list(default_configs(package))[every // 2::every]:
            (scratch / "config.json").write_text(json.dumps(config))
            faults += [f"{head}: {fault}" for fault in tried(package, ridge, scratch, config, counts)]
    print("\n# ".join([f"{'not ok' if faults else 'ok'} {number + 1} - head classes with defaults", *(fault[:400] for fault in faults[:40])]))
    print(f"{'ok' if shipped else 'not ok'} {number + 2} - shipped models have numbers")
    print(f"# {counts['same']} the same, {counts['none']} that the engine does not count so")
    print(f"1..{number + 2}")
    return 0 if shipped and not failed and not faults else 1


if __name__ == "__main__":
    sys.exit(main())
