"""Predictions against arithmetic done another way: the kernels of `ridge predict` add up to what `ridge cost` counts, times follow the roofline of
the machine file, a generation is the sum of its steps, and examples worked out by hand come out.
    predict.py RIDGE"""
import json
import math
import os
import subprocess
import sys
import tempfile

RIDGE = sys.argv[1]
failures, number = 0, 0


def check(name, problem):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""))


def run(*words):
    done = subprocess.run([RIDGE, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"Bail out! ridge {' '.join(map(str, words))}: {done.stderr}")
    return json.loads(done.stdout)


def predict(model, *words, on="h100-sxm-80"):
    return run("predict", model, "--on", on, *words, "--json")


def far(a, b, tolerance=1e-9):
    return abs(a - b) > tolerance * max(abs(a), abs(b))


def machine(name):
    found = run("machine", "show", name, "--json")
    return found["peak_flops_per_s"], found["memory"][0]["bytes_per_s"]


# ---- the kernels add up; rows are sums of their leaves; every leaf follows the roofline ----

MIXTURES = {"mistralai/Mixtral-8x7B-v0.1": (8, 2), "deepseek-ai/DeepSeek-V2-Lite": (64, 6), "deepseek-ai/DeepSeek-V3": (256, 8)}


def is_below(path, parent):
    return not parent or path.startswith(parent + ".")


def adds_up(p, cost, mixture):
    leaves, root = [r for r in p["rows"] if r["leaf"]], p["rows"][0]
    if root["flops"] != cost["flops"]["total"]:
        return f"{root['flops']} FLOPs, ridge cost counts {cost['flops']['total']}"
    if not mixture and root["bytes"] != cost["bytes"]["total"]:
        return f"{root['bytes']} bytes, ridge cost counts {cost['bytes']['total']}"
    for row in p["rows"]:
        below = [r for r in leaves if r is row or is_below(r["path"], row["path"])]
        if not row["leaf"] and (far(row["time_s"], math.fsum(r["time_s"] for r in below)) or row["bytes"] != sum(r["bytes"] for r in below)):
            return f"{row['path']} is not the sum of its leaves"
    return None if far(p["time_s"], root["time_s"]) is False else "the total is not the model's row"


def follows_the_roofline(p, peak, bandwidth):
    """One kernel: max(compute, memory). A row of several kernels lies between the larger sum and both. Fused, a leaf of a forward pass is one."""
    one = p["workload"]["kernel"] == "fused" and p["workload"]["phase"] != "train"
    for row in p["rows"]:
        if not row["leaf"]:
            continue
        least, most = max(row["time_compute_s"], row["time_memory_s"]), row["time_compute_s"] + row["time_memory_s"]
        most = least if one else most
        if not least * (1 - 1e-12) <= row["time_s"] <= most * (1 + 1e-12):
            return f"{row['path']}: {row['time_s']} is not in {least} .. {most}"
        if far(row["time_memory_s"], row["bytes"] / bandwidth, 1e-6):
            return f"{row['path']}: {row['bytes']} bytes in {row['time_memory_s']} s"
        if row["time_compute_s"] < row["flops"] / peak * (1 - 1e-9):
            return f"{row['path']}: {row['flops']} FLOPs in {row['time_compute_s']} s beats the peak"
    return None


WORKLOADS = [("--phase", "prefill", "--batch", 2), ("--phase", "decode", "--batch", 3), ("--phase", "train", "--kernel", "eager")]
peaks, bandwidth = machine("h100-sxm-80")
for m in run("models", "--json")["models"]:
    for words in WORKLOADS:
        options = ("--kernel", "fused", "--attention", "causal", "--lm-head", "last", *words)
        done = subprocess.run([RIDGE, "cost", m["id"], *map(str, options), "--json"], capture_output=True, text=True)
        if done.returncode:
            continue  # a position table that ends, no decode
        p, cost = predict(m["id"], *options), json.loads(done.stdout)
        name = f"{m['id']} {' '.join(map(str, words))}"
        check(name + ": kernels add up", adds_up(p, cost, m["id"] in MIXTURES))
        check(name + ": roofline", follows_the_roofline(p, peaks["bf16"], bandwidth))

# ---- a mixture reads the experts it is expected to reach: E (1 - (1 - k/E)^n) ----

for model, (experts, k) in MIXTURES.items():
    for tokens in (1, 3, 64):
        cost = run("cost", model, "--phase", "decode", "--batch", experts * 100, "--past", 0, "--kernel", "fused", "--json")  # every expert is read
        p = predict(model, "--phase", "decode", "--batch", tokens, "--past", 0)
        every = [r for r in cost["rows"] if r["path"].endswith("experts.*") or ".experts.{" in r["path"]]
        weights = sum(r["bytes"]["reads"]["weights"] for r in every)
        row = next(r for r in p["rows"] if r["path"].endswith(".experts.*"))
        reached = experts * (1 - (1 - k / experts) ** tokens)
        activations = sum(r["bytes"]["total"] - r["bytes"]["reads"]["weights"] for r in every) / (experts * 100) * tokens
        wanted = weights * reached / experts + activations
        check(f"{model}, {tokens} tokens: {reached:.3f} of {experts} experts", far(row["bytes"], wanted, 1e-3) and f"{row['bytes']} bytes, not {wanted}")

# ---- worked out by hand ----

# Llama-2-7B in fp16: 6,738,415,616 parameters less the embedding table (32000 x 4096), which is gathered: 13.21 GB over 3.35 TB/s, and the cache
p = predict("meta-llama/Llama-2-7b-hf", "--phase", "decode", "--past", 1023, "--weights", "fp16", "--activations", "fp16")
weights, cache = 2 * (6738415616 - 32000 * 4096), 2 * 32 * 4096 * 1024 * 2
check("Llama-2-7B decode: 13.21 GB of weights", round(weights / 1e9, 2) != 13.21 and weights)
check("Llama-2-7B decode: weights and cache over the bandwidth", not 0 <= p["time_s"] - (weights + cache) / 3.35e12 < 4e-6 and p["time_s"])
# Llama-3-8B: 2 x 32 layers x 8 heads x 128 x 2 bytes a token
p = predict("meta-llama/Meta-Llama-3-8B", "--phase", "decode", "--past", 4095)
check("Llama-3-8B: 131072 bytes of cache a token", p["memory"]["kv_cache"] != 131072 * 4096 and p["memory"]["kv_cache"])
core = next(r for r in p["rows"] if r["path"].endswith("self_attn.core"))
check("Llama-3-8B: the core reads the cache, Q, and writes O", core["bytes"] != 131072 * 4096 + 32 * 2 * 4096 * 2 and core["bytes"])
# causal against full: S(S+1)/2 of S^2 pairs
causal, full = (predict("meta-llama/Llama-2-7b-hf", "--seq", 4096, "--attention", a) for a in ("causal", "full"))
cores = [next(r for r in p["rows"] if r["path"].endswith("self_attn.core"))["flops"] for p in (causal, full)]
pairs = 32 * 32 * (4 * 128 + 5 + 1 + 1)  # layers, heads; QK and PV of 128, softmax, scale, mask
check("causal against full attention", cores[1] - cores[0] != pairs * (4096 ** 2 - 4096 * 4097 // 2) and cores)
check("causal attention is faster", causal["time_s"] >= full["time_s"] and (causal["time_s"], full["time_s"]))
# weights in 4 bits on a chip without such a rate: bytes shrink, the peak stays that of 16 bits
p = predict("meta-llama/Llama-2-7b-hf", "--phase", "decode", "--weights", "q4_K", on="a100-sxm-80")
check("q4_K computes at bf16", p["rates"]["matmul"] != {"wanted": "fp16", "used": "fp16", "peak_flops_per_s": 312e12} and p["rates"]["matmul"])
p = predict("meta-llama/Llama-2-7b-hf", "--weights", "fp8", "--activations", "fp8", on="a100-sxm-80")
check("fp8 on an A100 says so", not (p["rates"]["matmul"]["used"] == "bf16" and any("no fp8 units" in n for n in p["notes"])) and p["rates"])

# ---- a generation is the sum of its steps ----

for model in ("gpt2", "mistralai/Mistral-7B-v0.1", "mistralai/Mixtral-8x7B-v0.1", "google/gemma-2-2b", "google-t5/t5-small", "state-spaces/mamba-130m-hf"):
    for method in ("roofline", "estimate"):
        prompt, generate, t5 = 700, 9, "t5" in model
        words = ("--batch", 2, "--method", method, "--launch", "2us")
        p = predict(model, "--prompt", prompt, "--generate", generate, *words)
        steps = [predict(model, "--phase", "decode", "--past", past, *(("--encoder-len", prompt) if t5 else ()), *words)["time_s"]
                 for past in range(1 if t5 else prompt, (1 if t5 else prompt) + generate - 1)]
        first = predict(model, "--seq", prompt, *(("--decoder-seq", 1) if t5 else ()), *words)["time_s"]
        check(f"{model} {method}: generation", far(p["generation_s"], math.fsum(steps)) and f"{p['generation_s']} is not {math.fsum(steps)}")
        check(f"{model} {method}: first token", far(p["ttft_s"], first) and f"{p['ttft_s']} is not {first}")
        check(f"{model} {method}: per token", far(p["tpot_s"], p["generation_s"] / (generate - 1)) or far(p["requests_per_s"], 2 / p["latency_s"]))

# ---- latent attention: fused kernels absorb kv_b_proj, whatever the class does with its cache ----

H, HIDDEN, RANK, C, R, NOPE, V, B, T = 4, 256, 96, 64, 32, 48, 40, 3, 101
LATENT = {"hidden_size": HIDDEN, "num_hidden_layers": 2, "num_attention_heads": H, "num_key_value_heads": H, "q_lora_rank": RANK, "kv_lora_rank": C, "qk_rope_head_dim": R,
          "qk_nope_head_dim": NOPE, "v_head_dim": V, "vocab_size": 512, "intermediate_size": 128, "torch_dtype": "bfloat16", "first_k_dense_replace": 2}
# q down and up, the latent, its expansion for the new tokens, the output; then scores and values of every pair
weights = HIDDEN * RANK + RANK * H * (NOPE + R) + HIDDEN * (C + R) + C * H * (NOPE + V) + H * V * HIDDEN
flops = 2 * B * weights + 2 * B * H * T * (NOPE + R + V)
for family, name in (("deepseek_v3", "DeepseekV3ForCausalLM"), ("youtu", "YoutuForCausalLM"), ("minicpm3", "MiniCPM3ForCausalLM"), ("mistral4", "Mistral4ForCausalLM")):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, family + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**LATENT, "model_type": family, "architectures": [name]}, file)
        c = run("cost", path, "--phase", "decode", "--batch", B, "--past", T - 1, "--kernel", "fused", "--all", "--json")
    row = next(r for r in c["rows"] if r["path"] == "model.layers.0.self_attn")
    check(f"{family}: FLOPs of a decoding step, absorbed", row["flops"]["torch"] != flops and (row["flops"], flops))
    check(f"{family}: the latents are read once", row["bytes"]["reads"]["kv"] != 2 * B * T * (C + R) and row["bytes"]["reads"])
    check(f"{family}: weights are read once", not 0 <= row["bytes"]["reads"]["weights"] - 2 * weights <= 2 * (RANK + C) and row["bytes"]["reads"])

# ---- shares are shares: of each peak that is used, of main memory's bandwidth without what a cache brings ----

L2 = {"id": "h100-l2", "inherits": "h100-sxm-80", "memory": [{"level": "l2", "bytes_per_s": 12000e9, "capacity_bytes": 52428800}], "sources": {"*": "a test"}}
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "h100-l2.json"), "w", encoding="utf-8") as file:
        json.dump(L2, file)
    SHARES = [("meta-llama/Llama-2-7b-hf", "h100-sxm-80", "--weights", "fp32", "--activations", "fp16", "--seq", 4096, "--batch", 8),
              ("meta-llama/Llama-2-7b-hf", "h100-sxm-80", "--activations", "fp8_e4m3", "--seq", 4096, "--batch", 8),
              ("openai-community/gpt2", "h100-sxm-80", "--weights", "fp32", "--activations", "fp16", "--seq", 1024, "--batch", 8),
              ("meta-llama/Llama-2-7b-hf", "m4-max", "--phase", "decode"), ("microsoft/resnet-50", "strix-halo", "--batch", 32),
              ("albert/albert-base-v2", "tpu-v4", "--phase", "train", "--seq", 21),
              ("openai-community/gpt2", L2["id"], "--phase", "decode", "--past", 10, "--weights", "q4_K"),
              ("google-t5/t5-small", L2["id"], "--seq", 20), ("google-t5/t5-small", L2["id"], "--seq", 20, "--method", "estimate")]
    for model, on, *words in SHARES:
        p = predict(model, "--advice", "none", "--machines", folder, *words, on=on)
        shares = [p[key] for key in ("mfu", "bandwidth_utilisation") if p[key] is not None]
        check(f"{model} on {on} {words}: shares from 0 to 1", not all(0 <= share <= 1 for share in shares) and shares)
# the seconds of the matrix products at their peak and of attention at its own, and nothing else, are MFU's
p = predict("meta-llama/Llama-2-7b-hf", "--advice", "none", *SHARES[0][2:])
c = run("cost", "meta-llama/Llama-2-7b-hf", "--attention", "causal", "--lm-head", "last", *SHARES[0][2:], "--json")["flops"]
check("MFU of two peaks", far(p["mfu"] * p["time_s"], c["matmul"] / peaks["fp32"] + c["attention"] / peaks["fp16"]) and p["mfu"])

# ---- an estimate is never below the bound ----

for model in ("meta-llama/Llama-2-7b-hf", "mistralai/Mixtral-8x7B-v0.1", "openai-community/gpt2", "microsoft/resnet-50", "google-bert/bert-base-uncased"):
    for on in ("h100-sxm-80", "a100-sxm-80", "mi300x", "tpu-v5e", "m2-max", "epyc-9654"):
        fast, real = (predict(model, "--batch", 4, "--weights", "bf16", "--activations", "bf16", "--method", method, on=on) for method in ("roofline", "estimate"))
        slower = all(b["time_s"] >= a["time_s"] * (1 - 1e-12) for a, b in zip(fast["rows"], real["rows"]))
        check(f"{model} on {on}: estimate above the roofline", not slower and (fast["time_s"], real["time_s"]))

print(f"1..{number}")
sys.exit(failures > 0)
