"""The closed forms of a model's costs against the costs themselves: for every recorded model that the catalog covers, the residual program of each FLOP
class and each kind of byte, run at the recorded workloads and some more, gives what the analysis with those numbers gives."""
import glob
import gzip
import json
import os
import sys

import driver

KINDS = ["weights", "activations", "kv", "intermediates"]
# model types whose cost has no closed form in B and S, and why; anything else that refuses is a failure
OPEN = {}


def vector(answer):
    """The costs in the order of the driver's answer."""
    flops, reads, writes = answer["flops"], answer["bytes"]["reads"], answer["bytes"]["writes"]
    return [flops[key] for key in ("matmul", "attention", "activation", "embedding", "other")] + [reads[kind] for kind in KINDS] + [
        writes.get(kind, 0) for kind in KINDS]


def points_of(runs, phase, encoder_decoder):
    """Workloads (B, S, past, enc) of one phase: those recorded, and others not longer than the longest recorded."""
    recorded = set()
    for run in runs:
        past = run.get("past_len") or 0
        encoder = run.get("encoder_len") or run.get("seq", 0) if encoder_decoder else 0
        new = run.get("decoder_seq") or run.get("seq", 1) if phase != "decode" else 1
        recorded.add((run["batch"], new, past, encoder))
    longest = max(max(point[1:]) for point in recorded)
    more = {(3, min(s, longest) if phase != "decode" else 1, 0 if phase != "decode" else min(p, longest - 1), (11 if encoder_decoder else 0))
            for s, p in ((1, 1), (7, 5), (77, 99), (100, 300))}
    return sorted(recorded | more)


def concrete(point, phase, encoder_decoder):
    """The same workload as request options."""
    batch, new, past, encoder = point
    if not encoder_decoder:
        return {"batch": batch, "seq": new, "past": past}
    if phase == "decode":
        return {"batch": batch, "seq": new, "past": past, "encoder_len": encoder}
    return {"batch": batch, "seq": encoder or None, "decoder_seq": new}  # an encoder of images has no tokens


def compare(ridge, config, options, runs):
    phase, encoder_decoder = options["phase"], any("encoder_len" in run or "decoder_seq" in run for run in runs)
    points = points_of(runs, phase, encoder_decoder)
    start = {"seq": 1} if phase == "decode" else {}
    found = ridge.ask("symbolic", config, [",".join(map(str, point)) for point in points], **options, **start)
    for point, values in zip(points, found):
        wanted = vector(ridge.ask("cost", config, no_rows=1, **options, **concrete(point, phase, encoder_decoder)))
        if values != wanted:
            yield f"B, S, past, enc = {point}: {values}, with numbers {wanted}"


def check(ridge, truth, name, tap):
    head, family = truth["model_class"].split(".")[-1], truth["config"]["model_type"]
    config = json.dumps(truth["config"])
    groups = {}
    for run in truth["runs"]:
        if run.get("attn_impl") == "eager" and "loop" not in run.get("extra", ""):
            groups.setdefault((run["phase"], run["dtype"], run.get("image_size")), []).append(run)
            if run["phase"] == "prefill":
                groups.setdefault(("train", run["dtype"], run.get("image_size")), []).append(run)
    for (phase, dtype, image), runs in groups.items():
        number_format = driver.FORMATS[dtype]
        for kernel, attention in (("eager", 0), ("fused", 1)):
            options = {"model": name, "class": head, "phase": phase, "weights": number_format, "activations": number_format, "kv": number_format,
                       "image": image, "kernel": kernel, "causal": attention}
            label = f"{name}: {phase} {number_format} {kernel}{' causal' if attention else ''}{f' image {image}' if image else ''}"
            try:
                tap.case(label, compare(ridge, config, options, runs))
            except driver.Refused as refusal:
                if str(refusal).startswith("UNKNOWN"):
                    return  # truth.py says which families are missing
                tap.case(label, [] if family in OPEN else [f"refused: {refusal}"], skip=OPEN.get(family))


def main():
    ridge, tap = driver.Driver(sys.argv[1]), driver.Tap()
    for path in sorted(glob.glob(os.path.join(driver.shared_or_skip("truth"), "*.json.gz"))):
        name = os.path.basename(path)[:-len(".json.gz")]
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        with gzip.open(path) as file:
            truth = json.load(file)
        check(ridge, truth, name, tap)
    tap.case("some models were compared", ["none"] if tap.count < 20 and len(sys.argv) == 2 else [])
    tap.case("the driver ended well", ["it did not"] if ridge.close() else [])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
