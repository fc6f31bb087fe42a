"""`ridge fit` and `ridge show` against arithmetic done by hand and against `ridge cost` and `ridge predict`: what a model weighs, what a token takes of
the cache, the largest context and batch that fit, tokens a second.
    fit.py RIDGE"""
import json
import pathlib
import subprocess
import sys

RIDGE = sys.argv[1]
GIB = 1 << 30
failures, number = 0, 0


def check(name, problem):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""))


def run(*words):
    done = subprocess.run([RIDGE, *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"Bail out! ridge {' '.join(map(str, words))}: {done.stderr}")
    return json.loads(done.stdout)


def differs(got, want):
    return None if got == want else f"{got}, want {want}"


# ---- by hand ----

# model: parameters, bytes of one, bytes of the cache per token (layers x heads of K and V x head_dim x 2 x bytes; DeepSeek: 512 + 64 a layer)
KNOWN = {
    "meta-llama/Llama-3.1-8B": (8030261248, 2, 32 * 8 * 128 * 2 * 2),
    "meta-llama/Llama-2-7b-hf": (6738415616, 2, 32 * 32 * 128 * 2 * 2),
    "deepseek-ai/DeepSeek-V3": (671026404352, 2, 61 * (512 + 64) * 2),
    "openai-community/gpt2": (124439808, 4, 12 * 12 * 64 * 2 * 4),
}
for model, (parameters, width, cache) in KNOWN.items():
    card = run("show", model, "--on", "h100-sxm-80")
    tokens = card["model_context"]
    check(f"{model}: weights", differs(card["weights_bytes"], parameters * width))
    check(f"{model}: a token of the cache", differs(card["kv_bytes_per_token"], cache))
    check(f"{model}: the cache at its maximum", differs(card["kv_bytes_at_maximum"], cache * tokens))

# generation reads every weight but the embedding table once, and the cache: 1008e9 bytes/s of an RTX 4090
card = run("show", "meta-llama/Llama-3.1-8B", "--on", "rtx-4090")
moved = (8030261248 - 128256 * 4096) * 2 + 8191 * 131072
got = card["own"]["generate_tokens_per_s"]
check("Llama-3.1-8B on rtx-4090: generation is the bandwidth over the bytes", None if abs(got * moved / 1008e9 - 1) < 0.005 else f"{got} tokens/s")

card = run("show", "meta-llama/Llama-3.1-8B", "--memory", "16GB")
check("--memory 16GB: the bytes are those", differs(card["capacity_bytes"], 16 * 10**9))
check("--memory 16GB: no machine, no times", differs((card["machine"], card["own"]["generate_tokens_per_s"]), (None, None)))
check("--memory 16GB: fp8 would fit", differs((card["own"]["fits"], card["would_fit"]["weights"]), (False, "fp8_e4m3")))

# ---- the same as ridge cost and ridge predict ----

PIECE = 2048


def memory(model, row, context, decode=False, batch=1):
    """what `ridge cost` counts of the last piece of a prompt, or of a step"""
    lengths = ["--phase", "decode", "--past", context - 1] if decode else ["--seq", min(PIECE, context), "--past", max(context - PIECE, 0)]
    formats = ["--weights", row["weights"], "--kv", row["kv"]]
    return run("cost", model, "--kernel", "fused", "--attention", "causal", "--lm-head", "last", "--batch", batch, *lengths, *formats)["memory"]["total"]


def wrong_largest(model, row, context, room, most):
    found = row["max_context"]
    if found and memory(model, row, found) > room:
        return f"context {found} does not fit"
    if found < (most or 1 << 62) and memory(model, row, found + 1) <= room:
        return f"context {found + 1} fits too"
    batch = row["max_batch"]
    if batch and memory(model, row, context, decode=True, batch=batch) > room:
        return f"batch {batch} does not fit"
    return f"batch {batch + 1} fits too" if memory(model, row, context, decode=True, batch=batch + 1) <= room else None


def wrong_times(model, row, context, machine):
    formats = ["--on", machine, "--weights", row["weights"], "--kv", row["kv"], "--advice", "none"]
    prompt = run("predict", model, "--seq", min(PIECE, context), *formats)
    step = run("predict", model, "--phase", "decode", "--past", context - 1, *formats)
    want = (prompt["tokens_per_s"], step["tokens_per_s"], step["bound"])
    return differs((row["prompt_tokens_per_s"], row["generate_tokens_per_s"], row["bound"]), want)


for model, machine, context, gib in [
    ("meta-llama/Llama-3.1-8B", "rtx-4090", 32768, 24), ("mistralai/Mixtral-8x7B-v0.1", "h100-sxm-80", 8192, 80), ("google/gemma-2-2b", "l4", 1000, 24),
]:  # fmt: skip
    answer = run("fit", model, "--on", machine, "--context", context, "--weights", "bf16,q8_0,q4_K", "--kv", "bf16,fp8_e4m3")
    check(f"{model}: a row per choice", differs(len(answer["rows"]), 6))
    for row in answer["rows"][::2] + answer["rows"][1:2]:
        what = f"{model} on {machine}, {row['weights']}, cache {row['kv']}"
        check(f"{what}: memory", differs((row["memory_bytes"], row["fits"]), ((m := memory(model, row, context)), m <= gib * GIB)))
        check(f"{what}: the largest", wrong_largest(model, row, context, gib * GIB, answer["model_context"]))
        check(f"{what}: times", wrong_times(model, row, context, machine))

# ---- a prompt that runs in no pieces, a text that ends earlier than others: both still have their screen ----

MODELS = pathlib.Path(__file__).resolve().parent.parent.parent.parent / "shared/models"
for name, context in [("LiquidAI--LFM2-1.2B", 8192), ("IDEA-Research--grounding-dino-tiny", 256)]:
    if (MODELS / name).exists():
        check(f"{name}: its own context", differs(run("show", MODELS / name, "--on", "l4")["context"], context))
    else:
        check(f"{name}: its own context # SKIP no ../shared/models", None)

print(f"1..{number}")
sys.exit(bool(failures))
