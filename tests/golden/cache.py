"""A quantised cache has one size everywhere: in memory, read by a fused decode step, in predictions, sweeps and operators. Expected are whole blocks in every
row (a head of a token, a latent, a channel's state), from the shapes of the configs and the block sizes of ggml-common.h, OCP MX, bitsandbytes and AWQ.
    cache.py RIDGE"""
import csv
import io
import json
import subprocess
import sys

import driver

RIDGE = sys.argv[1]
# format: elements of a block, its bits (a tensor of nvfp4 has one fp32 scale besides)
BLOCKS = {"fp16": (1, 16), "fp8_e4m3": (1, 8), "nvfp4": (16, 72), "q8_0": (32, 272), "q4_0": (32, 144), "mxfp4": (32, 136), "nf4": (64, 272),
          "int4_g128": (128, 532), "q4_K": (256, 1152), "q6_K": (256, 1680)}
TENSOR_BYTES = {"nvfp4": 4}
B, PAST, ENC = 3, 100, 70
T = PAST + 1


def heads(layers, kv_heads, dim):
    """K and V of every token: (tensors, rows of each, elements of a row)"""
    return [(2 * layers, B * kv_heads * T, dim)]


# model: the tensors of its cache
MODELS = {
    "openai-community/gpt2": heads(12, 12, 64),
    "facebook/opt-6.7b": heads(32, 32, 128),
    "meta-llama/Llama-3.2-1B": heads(16, 8, 64),
    "meta-llama/Meta-Llama-3-8B": heads(32, 8, 128),
    "mistralai/Mistral-7B-v0.1": heads(32, 8, 128),
    "mistralai/Mixtral-8x7B-v0.1": heads(32, 8, 128),
    "microsoft/Phi-3-mini-4k-instruct": heads(32, 32, 96),
    "google/gemma-2b": heads(18, 1, 256),
    "google/gemma-2-2b": heads(26, 4, 256),
    "Qwen/Qwen2-0.5B": heads(24, 2, 64),
    "Qwen/Qwen3-8B": heads(36, 8, 128),
    "tiiuae/falcon-7b": heads(32, 1, 64),
    "bigscience/bloom-560m": heads(24, 16, 64),
    "EleutherAI/gpt-j-6b": heads(28, 16, 256),
    "EleutherAI/gpt-neox-20b": heads(44, 64, 96),
    # the latent and the rotated key part that all heads share
    "deepseek-ai/DeepSeek-V2-Lite": [(27, B * T, 512), (27, B * T, 64)],
    "deepseek-ai/DeepSeek-V3": [(61, B * T, 512), (61, B * T, 64)],
    # self-attention of the decoder; cross-attention over the encoder's tokens
    "google-t5/t5-small": [(2 * 6, B * 8 * T, 64), (2 * 6, B * 8 * ENC, 64)],
    # convolution window and state of every channel
    "state-spaces/mamba-130m-hf": [(24, B * 1536, 4), (24, B * 1536, 16)],
}


def stored(tensors, name):
    elements, bits = BLOCKS[name]
    return sum(count * (-(-rows * -(-columns // elements) * bits // 8) + TENSOR_BYTES.get(name, 0)) for count, rows, columns in tensors)


def run(*words):
    done = subprocess.run([RIDGE, *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise SystemExit(f"Bail out! ridge {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def step(command, model, *options):
    encoder = ["--encoder-len", ENC] if "t5" in model else []
    return run(command, model, "--phase", "decode", "--batch", B, "--past", PAST, *encoder, *options)


def problems(model, tensors):
    for name in BLOCKS:
        want = stored(tensors, name)
        cost = json.loads(step("cost", model, "--kernel", "fused", "--lm-head", "last", "--attention", "causal", "--kv", name, "--json"))
        warned = any("KV cache in" in text for text in cost["warnings"])
        if cost["memory"]["kv_cache"] != want:
            yield f"{name}: memory has {cost['memory']['kv_cache']}, expected {want}"
        if cost["bytes"]["reads"]["kv"] != want:
            yield f"{name}: a step reads {cost['bytes']['reads']['kv']}, expected {want}"
        if warned != any(columns % BLOCKS[name][0] for _, _, columns in tensors):
            yield f"{name}: warnings are {cost['warnings']}"


def predicted(model, tensors):
    rows = csv.DictReader(io.StringIO(step("sweep", model, "--kv", ",".join(BLOCKS), "--on", "h200-sxm-141", "--csv")))
    for name, row in zip(BLOCKS, rows, strict=True):
        p = json.loads(step("predict", model, "--kv", name, "--on", "h200-sxm-141", "--json"))
        want = stored(tensors, name)
        if p["memory"]["kv_cache"] != want:
            yield f"{name}: predict keeps {p['memory']['kv_cache']}, expected {want}"
        if (row["kv"], int(row["memory_bytes"])) != (name, p["memory"]["total"]) or int(row["bytes"]) != sum(r["bytes"] for r in p["rows"] if r["leaf"]):
            yield f"{name}: sweep has {row}, predict {p['memory']}"
        core = sum(r["bytes"] for r in p["rows"] if r["path"].endswith("attn.core"))
        q_and_o = 2 * B * 12 * 12 * 64 * 4  # fp32 activations
        if model.endswith("/gpt2") and core != want + q_and_o:
            yield f"{name}: attention moves {core} bytes, expected {want} of the cache and {q_and_o} of Q and O"


def operator(dim, kv_heads):
    for name in BLOCKS:
        answer = json.loads(run("op", "attention", "--batch", B, "--seq", 1, "--kv-len", T, "--heads", kv_heads, "--head-dim", dim, "--kv", name, "--json"))
        moved = answer["bytes"]["operands"]["K"] + answer["bytes"]["operands"]["V"]
        if moved != stored(heads(1, kv_heads, dim), name):
            yield f"{name}: K and V take {moved} bytes, expected {stored(heads(1, kv_heads, dim), name)}"
        if bool(answer["warnings"]) != (dim % BLOCKS[name][0] != 0):
            yield f"{name}: warnings are {answer['warnings']}"


def fitting(model, tensors):
    """The largest batch fits, and one more does not."""
    for name in ("fp16", "q8_0", "q4_K"):
        def memory(command, *options):
            return json.loads(run(command, model, "--phase", "decode", "--past", PAST, "--kv", name, *options, "--json"))["memory"]
        p = memory("predict", "--on", "t4")
        one, more = (memory("cost", "--kernel", "fused", "--lm-head", "last", "--batch", batch) for batch in (p["max_batch"], p["max_batch"] + 1))
        if not one["total"] <= p["capacity"] < more["total"]:
            yield f"{name}: batch {p['max_batch']} takes {one['total']}, one more {more['total']} of {p['capacity']}"
        if one["kv_cache"] * B != p["max_batch"] * stored(tensors, name):
            yield f"{name}: the cache of batch {p['max_batch']} has {one['kv_cache']} bytes"


def main():
    tap = driver.Tap()
    for model, tensors in MODELS.items():
        tap.case(f"{model}: a step reads the cache that memory holds", problems(model, tensors))
    for model in ("openai-community/gpt2", "deepseek-ai/DeepSeek-V2-Lite", "google-t5/t5-small", "meta-llama/Llama-3.2-1B"):
        tap.case(f"{model}: predict and sweep", predicted(model, MODELS[model]))
    for dim, kv_heads in ((64, 12), (80, 32), (96, 3), (128, 8), (256, 1)):
        tap.case(f"op attention, heads of {dim}", operator(dim, kv_heads))
    tap.case("gpt2: the largest batch", fitting("openai-community/gpt2", MODELS["openai-community/gpt2"]))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
