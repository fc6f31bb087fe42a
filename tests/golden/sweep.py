"""Every point of `ridge sweep` against `ridge predict` with the same options: equal in every digit, times included. The grids are random (seeded), over models of
every kind and over several machines and formats. Also: threads change nothing, CSV and JSON say the same, and the summary's best points and Pareto
fronts are those that a search through the rows finds.
    sweep.py RIDGE"""
import csv
import io
import json
import random
import signal
import subprocess
import sys

import driver

RIDGE = sys.argv[1]
MACHINES = ["h100-sxm-80", "l4", "mi300x", "epyc-9654", "m2-max", "h200-sxm-141"]
FORMATS = ["fp16", "bf16", "fp8_e4m3", "q4_K", "int8"]
PREFILL, DECODE, TRAIN = (["--phase", phase] for phase in ("prefill", "decode", "train"))
ESTIMATE = ["--method", "estimate", "--activations", "bf16"]
# model, longest sequence, the options of its sweeps
MODELS = [
    ("meta-llama/Llama-2-7b-hf", 5000, [PREFILL, DECODE, TRAIN, PREFILL + ["--kernel", "eager", "--attention", "full", "--lm-head", "all"]]),
    ("meta-llama/Llama-3.1-405B", 131072, [PREFILL, DECODE, DECODE + ["--launch", "3us"]]),
    ("mistralai/Mistral-7B-v0.1", 32000, [PREFILL, DECODE]),
    ("google/gemma-2-2b", 8192, [PREFILL, DECODE, PREFILL + ESTIMATE]),
    ("mistralai/Mixtral-8x7B-v0.1", 9000, [PREFILL, DECODE, DECODE + ESTIMATE, PREFILL + ["--kernel", "eager"]]),
    ("deepseek-ai/DeepSeek-V2-Lite", 9000, [PREFILL, DECODE]),
    ("deepseek-ai/DeepSeek-V3", 9000, [PREFILL, DECODE]),
    ("tiiuae/falcon-7b", 2048, [PREFILL, DECODE]),
    ("bigscience/bloom-560m", 2048, [PREFILL, DECODE + ["--method", "estimate"]]),
    ("Qwen/Qwen3-8B", 9000, [PREFILL + ["--method", "estimate"], DECODE]),
    ("openai-community/gpt2", 1000, [PREFILL, DECODE, TRAIN + ["--recompute", "full", "--optimizer", "sgd"], TRAIN + ["--recompute", "selective"]]),
    ("google-t5/t5-small", 3000, [PREFILL, PREFILL + ["--decoder-seq", "17"], DECODE + ["--encoder-len", "300"], TRAIN]),
    ("google-bert/bert-base-uncased", 512, [PREFILL, TRAIN]),
    ("state-spaces/mamba-130m-hf", 3000, [PREFILL, DECODE, PREFILL + ESTIMATE, TRAIN + ESTIMATE]),
    ("google/vit-base-patch16-224", 0, [[], ["--image-size", "384"], ESTIMATE]),
    ("microsoft/resnet-50", 0, [[]]),
    ("microsoft/swin-tiny-patch4-window7-224", 0, [[]]),
    ("openai/clip-vit-base-patch32", 77, [PREFILL]),
]
ENCODERS = {"google-bert/bert-base-uncased", "google/vit-base-patch16-224", "microsoft/resnet-50", "microsoft/swin-tiny-patch4-window7-224",
            "openai/clip-vit-base-patch32"}  # they keep no cache, whose format would be refused
SAMPLES = 4


def run(*words):
    done = subprocess.run([RIDGE, *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise SystemExit(f"Bail out! ridge {' '.join(map(str, words))}: {done.stderr}")
    return done


def answer(*words):
    return run(*words).stdout


def commas(values):
    return ",".join(map(str, values))


def grid_of(rng, model, longest, fixed):
    """Options that vary, as a dict of lists."""
    grid = {"on": rng.sample(MACHINES, 2), "batch": sorted({rng.randint(1, 9), rng.randint(1, 700)})}
    if longest:
        decode, spare = "decode" in fixed, max(longest - 40, 1)
        lengths = sorted({rng.randint(1, min(50, spare)), rng.randint(1, spare), rng.randint(1, spare)})
        grid["past" if decode else "seq"] = lengths
        if decode and rng.random() < 0.4:
            grid["seq"] = [1, rng.randint(2, 30)]
        elif "prefill" in fixed and rng.random() < 0.3 and longest > 4000:
            grid["past"] = [0, rng.randint(1, 40)]
    if "train" not in fixed:
        grid["weights"] = rng.sample(FORMATS, 2)
        if rng.random() < 0.5 and model not in ENCODERS:
            grid["kv"] = rng.sample(["fp16", "fp8_e4m3", "bf16"], 2)
    if rng.random() < 0.3 and "--activations" not in fixed:
        grid["activations"] = ["bf16", "fp16"]
    return grid


def differences(row, p):
    """A sweep's row and `ridge predict`'s answer."""
    top, workload = p["rows"][0], p["workload"]
    same = [(key, row[key], workload[key]) for key in ("phase", "batch", "seq", "past", "weights", "activations", "kv") if workload[key] is not None]
    same += [("flops", row["flops"], top["flops"]), ("bytes", row["bytes"], top["bytes"]), ("memory_bytes", row["memory_bytes"], p["memory"]["total"]),
             ("fits", row["fits"], p["memory"]["fits"]), ("bound", row["bound"], p["bound"]), ("machine", row["machine"], p["machine"]),
             ("model", row["model"], p["model"]), ("time_s", row["time_s"], p["time_s"]), ("tokens_per_s", row["tokens_per_s"], p["tokens_per_s"])]
    yield from (f"{key} is {a}, predict says {b}" for key, a, b in same if a != b)


def predict(model, row, fixed, grid):
    words = [word for key in ("batch", "seq", "past", "weights", "activations", "kv") if key in grid for word in (f"--{key}", row[key])]
    return json.loads(answer("predict", model, "--on", row["machine"], *words, *fixed, "--json"))


def compare(rng, model, fixed, grid, rows):
    wanted = 1
    for values in grid.values():
        wanted *= len(values)
    if len(rows) != wanted:
        yield f"{len(rows)} rows, the grid has {wanted}"
    keys = [key if key != "on" else "machine" for key in grid]
    if len({tuple(row[key] for key in keys) for row in rows}) != wanted:
        yield "a point is missing, another is there twice"
    for row in rng.sample(rows, min(SAMPLES, len(rows))) + rows[-1:]:
        for problem in differences(row, predict(model, row, fixed, grid)):
            yield f"{ {key: row[key] for key in keys} }: {problem}"


def words_of(model, fixed, grid):
    return ["sweep", model, *fixed, *(word for key, values in grid.items() for word in (f"--{key}", commas(values)))]


def check_models(rng, tap):
    for model, longest, kinds in MODELS:
        for fixed in kinds:
            grid = grid_of(rng, model, longest, fixed)
            done = run(*words_of(model, fixed, grid), "--json")
            rows = json.loads(done.stdout)["rows"]
            label = f"{model} {' '.join(fixed)} {grid}"
            tap.case(label, compare(rng, model, fixed, grid, rows))
            slow = [line for line in done.stderr.splitlines() if "no closed form" in line]
            tap.case(f"{model} {' '.join(fixed)}: a point is arithmetic", [] if bool(slow) == ("full" in fixed and "train" in fixed) else slow or ["?"])


# where a closed form and one workload have not the same kernels: operators that are equal at batch 1 or for a single token, experts without rows
EAGER = ["--kernel", "eager"]
EDGES = [("google/flan-t5-xl", "tpu-v7x", DECODE + EAGER, {"batch": [1], "past": [1]}),
         ("bigscience/bloom-7b1", "m2", TRAIN + EAGER, {"batch": [1], "seq": [1]}),
         ("facebook/opt-6.7b", "h100-sxm-80", PREFILL + EAGER, {"batch": [1, 2], "seq": [1]}),
         ("facebook/opt-125m", "tpu-v7x", DECODE + EAGER, {"batch": [1], "past": [7]}),
         ("deepseek-ai/DeepSeek-V3", "mi355x", PREFILL + EAGER + ["--launch", "3us"], {"batch": [1, 2], "seq": [1, 15]}),
         ("deepseek-ai/DeepSeek-V3", "h100-sxm-80", DECODE + EAGER + ["--method", "estimate"], {"batch": [3], "past": [20]})]


def check_edges(rng, tap):
    for model, machine, fixed, lengths in EDGES:
        grid = {"on": [machine], **lengths}
        rows = json.loads(answer(*words_of(model, fixed, grid), "--json"))["rows"]
        tap.case(f"{model} on {machine} {' '.join(fixed)} {lengths}", compare(rng, model, fixed, grid, rows))


# ---- one big grid, seen in every way ----

BIG = ["sweep", "meta-llama/Meta-Llama-3-8B", "--on", "h100-sxm-80,l4", "--batch", "1:40:+1", "--seq", "1:300:+7", "--phase", "prefill,decode",
       "--past", "0,100", "--weights", "bf16,q4_K"]


def typed(row):
    """A CSV row with JSON's types."""
    out = {key: value for key, value in row.items()}
    for key in ("batch", "seq", "past", "flops", "bytes", "memory_bytes"):
        out[key] = int(row[key])
    for key in ("time_s", "tokens_per_s", "images_per_s"):
        out[key] = float(row[key]) if row[key] else None
    out["fits"], out["pareto"] = row["fits"] == "true", None if row["pareto"] == "" else row["pareto"]
    return out


def front_of(rows):
    """Points that fit and are dominated by none, by rising time; of equal ones the first."""
    front, best = [], -1
    for row in sorted(rows, key=lambda row: (row["time_s"], -row["tokens_per_s"])):
        if row["tokens_per_s"] > best:
            front.append(row)
            best = row["tokens_per_s"]
    return front


def without(row, *keys):
    return {key: value for key, value in row.items() if key not in keys}


def check_forms(tap):
    text = answer(*BIG, "--csv", "--threads", 1)
    answer_json = json.loads(answer(*BIG, "--json", "--threads", 2))
    rows = answer_json["rows"]
    tap.case(f"{len(rows)} rows, as many as announced", [] if len(rows) == answer_json["points"] > 10000 else [answer_json["points"]])
    for threads in (2, 3, 16):
        tap.case(f"{threads} threads give the rows of one", [] if answer(*BIG, "--csv", "--threads", threads) == text else ["they do not"])
    found = [typed(row) for row in csv.DictReader(io.StringIO(text))]
    tap.case("CSV and JSON hold the same", [f"{a} and {b}" for a, b in zip(found, rows) if a != b] or [] if len(found) == len(rows) else ["length"])
    check_summary(tap, rows)


def check_summary(tap, rows):
    summary = json.loads(answer(*BIG, "--summary", "--json", "--threads", 2))
    fit = [row for row in rows if row["fits"]]
    problems = [] if (summary["points"], summary["fit"], summary["complete"]) == (len(rows), len(fit), True) else ["the numbers of points"]
    wanted = [row for phase in ("prefill", "decode") for row in front_of([row for row in fit if row["phase"] == phase])]
    front = [without(row, "model", "pareto") for row in summary["pareto"]]
    if [without(row, "model", "pareto") for row in wanted] != front or not all(row["pareto"] is True for row in summary["pareto"]):
        problems.append(f"the Pareto front: {len(summary['pareto'])} points, a search finds {len(wanted)}")
    for best in summary["best"]:
        mine = [row for row in fit if row["phase"] == best["phase"] and row["machine"] == best["machine"]]
        for key, row in (("throughput", max(mine, key=lambda row: row["tokens_per_s"])), ("latency", min(mine, key=lambda row: row["time_s"]))):
            if without(row, "model", "pareto") != without(best[key], "model", "pareto"):
                problems.append(f"{key} of {best['phase']} on {best['machine']}: {best[key]}, a search finds {row}")
    tap.case("the summary is that of the rows", problems)
    lines = list(csv.DictReader(io.StringIO(answer(*BIG, "--summary", "--csv"))))
    same = [dict(without(typed(row), "model", "pareto"), phase=row["phase"]) for row in lines] == front
    tap.case("as CSV the summary is the front", [] if same and all(row["pareto"] == "true" for row in lines) else ["it is not"])


def interrupted(form):
    """^C after some rows: status 130, whole rows, and JSON that parses."""
    words = [RIDGE, "sweep", "openai-community/gpt2", "--on", "l4", "--batch", "1:1000000:+1", "--seq", "1:1000:+1", *form]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        text = process.stdout.read(1 << 20)
        process.send_signal(signal.SIGINT)
        text += process.stdout.read()
    if process.returncode != 130:
        yield f"status {process.returncode}"
    if "--json" in form:
        value = json.loads(text)
        if value["complete"] or not 1000 < len(value["rows"]) < value["points"]:
            yield f"{len(value['rows'])} rows, complete: {value['complete']}"
    elif not text.endswith("\n") or any(line.count(",") != 17 for line in text.splitlines()):
        yield "a row is not whole"


def main():
    rng, tap = random.Random(20240), driver.Tap()
    check_models(rng, tap)
    check_edges(rng, tap)
    check_forms(tap)
    for form in (["--csv"], ["--json"], ["--csv", "--threads", "1"]):
        tap.case(f"^C ends {' '.join(form)} after whole rows", interrupted(form))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
