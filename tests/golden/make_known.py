"""Copies PyTorch's numbers for some models from ../shared/truth into tests/golden/known/, so that a clone without ../shared has them too.
Nothing in there comes from this project's output. Run by hand: python3 tests/golden/make_known.py"""
import collections
import gzip
import json
import os

import driver

MODELS = {"llama-2-7b": "meta-llama/Llama-2-7b-hf", "llama-3.1-8b": "meta-llama/Llama-3.1-8B", "mistral-7b-v0.1": "mistralai/Mistral-7B-v0.1",
          "mixtral-8x7b": "mistralai/Mixtral-8x7B-v0.1", "qwen2-0.5b": "Qwen/Qwen2-0.5B", "gemma2-2b": "google/gemma-2-2b", "gpt2": "openai-community/gpt2",
          "bert-base-uncased": "google-bert/bert-base-uncased", "falcon-7b": "tiiuae/falcon-7b", "t5-small": "google-t5/t5-small",
          "vit-base-patch16-224": "google/vit-base-patch16-224", "resnet-50": "microsoft/resnet-50", "mamba-130m": "state-spaces/mamba-130m-hf",
          "swin-tiny-patch4-window7-224": "microsoft/swin-tiny-patch4-window7-224", "deepseek-v2-lite": "deepseek-ai/DeepSeek-V2-Lite",
          "clip-vit-base-patch32": "openai/clip-vit-base-patch32", "albert-base-v2": "albert/albert-base-v2", "phi-3-mini-4k": "microsoft/Phi-3-mini-4k-instruct",
          "qwen3-8b": "Qwen/Qwen3-8B", "opt-125m": "facebook/opt-125m",
          "rwkv-4-169m": "RWKV/rwkv-4-169m-pile"}
KEPT = ("phase", "batch", "seq", "past_len", "decoder_seq", "encoder_len", "image_size", "dtype", "flops_total_matmul", "bytes_read", "bytes_written",
        "kv_cache_bytes_out")

for name, model_id in MODELS.items():
    with gzip.open(os.path.join(driver.SHARED, "truth", name + ".json.gz")) as file:
        truth = json.load(file)
    runs = [run for run in truth["runs"] if run.get("attn_impl") == "eager"]
    first = {run["phase"]: run for run in reversed(runs)}
    known = {"source": f"shared/truth/{name}.json.gz", "id": model_id, "model_class": truth["model_class"], "config": truth["config"],
             "total_params": truth["total_params"], "weight_bytes": truth["weight_bytes"], "buffer_bytes": truth["buffer_bytes"],
             "modules": len(truth["modules"]), "classes": dict(collections.Counter(module["class"] for module in truth["modules"])),
             "runs": [{key: run[key] for key in KEPT if run.get(key) is not None} for run in list(first.values()) + runs[-1:]]}
    for run in known["runs"]:
        if truth["config"]["model_type"].startswith("deepseek"):
            del run["kv_cache_bytes_out"]  # transformers caches K and V decompressed, the architecture needs the latent (truth/README 9)
    with open(os.path.join(driver.ROOT, "tests/golden/known", name + ".json"), "w") as file:
        json.dump(known, file, indent=1)
        file.write("\n")
