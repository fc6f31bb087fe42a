"""Every recorded model and eager run of ../shared/truth against the library: tree, parameters, shapes and FLOPs, module by module, difference 0.
Of the families of REQUIRED bytes, cache and the activations peak are equal, too; of others bytes are within 0.1 % where there is a cache, else within
1 %, and the cache is equal unless STATES or LATENT say why it is not. A family that is not in the catalog is skipped by name, unless it is required."""
import glob
import gzip
import json
import os
import re
import sys

import driver

REQUIRED = set("llama mistral mixtral qwen2 qwen3 gemma gemma2 phi3 gpt2 gpt_neox gptj opt bloom falcon bert roberta distilbert t5 vit albert resnet swin "
               "mamba clip deepseek_v2 rwkv".split())

# The recorder counts keys and values alone, and where the model gives them back itself; these keep states of convolutions, scans, earlier segments or
# compressed keys beside them, or (BLIP-2) in the outputs of a part, which are cache as well.
STATES = set("qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text nemotron_h lfm2 lfm2_moe deepseek_v4 zaya minimax_m3_vl minimax_m3 recurrent_gemma "
             "xlnet blip-2".split())
# Latent attention: the architecture needs the latent, transformers keeps keys and values decompressed (truth/README 9).
LATENT = set("deepseek_v2 deepseek_v3 deepseek_v32 glm_moe_dsa kimi_k25 kimi_k2 youtu minicpm3 longcat_flash".split())
# recorded with 5.16, counted as 4.57 has it: another rotary embedding keeps another buffer
OTHER_VERSION = {"qwen3_vl", "qwen3_vl_moe"}
# weights in the dtype of the run, not of the config, which names none or several
OTHER_DTYPE = set("gpt_oss cosmos qwen3_vl qwen3_vl_moe falcon_mamba hunyuan_v1_moe".split())

# their methods are called, so PyTorch's hooks see nothing: what they compute stands in the rows above them
CALLED_BY_METHODS = ("Gemma3nTextAltUp",)
# the recorded class keeps what it gathered in the first run; every run is counted as a first one
KEPT_FROM_THE_FIRST_RUN = {"levit"}
# One block that stands in many layers is one module of the tree: the first layer has all of its calls, the others none. The layers are compared together.
SHARED_BLOCKS = {"zamba", "zamba2"}

# names in 5.16 of what 4.57, which Ridge follows where it has the family, calls otherwise
RENAMED = {"transformers.activations.GELUTanh": "transformers.activations.PytorchGELUTanh",
           "transformers.activations.SiLUActivation": "torch.nn.modules.activation.SiLU"}


def is_hybrid_layer(path):
    return re.fullmatch(r"(model\.)?layers\.\d+", path)


def compare_modules(want, got, family):
    if len(want) != len(got):
        yield f"{len(got)} modules, PyTorch has {len(want)}"
    for w, g in zip(want, got):
        pairs = [("path", w["name"], g["path"]), ("class", RENAMED.get(w["class"], w["class"]), RENAMED.get(g["class"], g["class"])), ("own parameters", w["params"], g["parameters"]),
                 ("total parameters", w["params_total"], g["parameters_total"]),
                 ("shapes", w.get("param_shapes", {}), {name: tensor["shape"] for name, tensor in g["tensors"].items()})]
        for what, expected, found in pairs:
            if expected != found and not (family in SHARED_BLOCKS and what == "total parameters" and is_hybrid_layer(w["name"])):
                yield f"module '{w['name']}': {what} {found}, PyTorch has {expected}"


def compare_inspect(truth, answer):
    yield from compare_modules(truth["modules"], answer["modules"], truth["config"]["model_type"])
    pairs = [("parameters", answer["parameters"]["total"], truth["total_params"]), ("class", answer["class"], truth["model_class"])]
    if truth["config"]["model_type"] not in OTHER_VERSION:
        pairs.append(("buffers_bytes", answer["buffers_bytes"], truth["buffer_bytes"]))
    if truth["config"]["model_type"] not in OTHER_DTYPE:
        pairs.append(("weights_bytes", answer["weights_bytes"], truth["weight_bytes"]))
    for what, found, expected in pairs:
        if found != expected:
            yield f"{what}: {found}, PyTorch has {expected}"


def cache_bytes(truth, run):
    """What the cache must hold; the DeepSeek architecture needs the latent only, transformers caches it decompressed (truth/README 9)."""
    config = truth["config"]
    if config["model_type"] not in ("deepseek_v2", "deepseek_v3"):
        return run["kv_cache_bytes_out"]
    tokens = run["batch"] * ((run.get("past_len") or 0) + run["seq"])
    return tokens * config["num_hidden_layers"] * (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * 2


def cache_alive(truth, run):
    """The least and the most of the cache that PyTorch's recorded peak holds: none of it where a state is updated in place, not the cross-attention's K
    and V, which a decoding step only reads, and what there is by then where the encoder has the peak."""
    config, decode, whole = truth["config"], run["phase"] == "decode", run["kv_cache_bytes_out"]
    if config["model_type"] in ("mamba", "rwkv") and decode:
        return 0, 0
    if config["model_type"] == "t5" and decode:
        element = {"torch.float32": 4, "torch.bfloat16": 2, "torch.float16": 2}[run["dtype"]]
        layers = config.get("num_decoder_layers") or config["num_layers"]
        cross = 2 * layers * run["batch"] * run["encoder_len"] * config["num_heads"] * config["d_kv"] * element
        return whole - cross, whole - cross
    return 0 if run.get("decoder_seq", run.get("seq")) != run.get("seq") else whole, whole


def compare_peak(truth, run, answer):
    """Activation bytes alive at once; Gemma's 2 bytes: docs/differences.md."""
    least, most = (answer["memory"]["activations_peak"] + cache for cache in cache_alive(truth, run))
    expected = run["peak_activation_bytes"]
    if not least <= expected <= most and not (truth["config"]["model_type"].startswith("gemma") and expected - most == 2):
        yield f"activations peak with the cache: {least} to {most}, PyTorch has {expected}"


def compare_rows(by_module, rows, family, slim=False):
    """One row per recorded module. Modules that run no operator (dropout, identity) are not recorded: theirs must cost nothing; one file (DeepSeek's)
    leaves out every module without FLOPs, and slim ones single experts, too."""
    zeros_left_out = 0 not in by_module.values()
    found = {row["path"]: row for row in rows}
    if len(found) != len(rows):
        yield "two rows have one path"
    if family in SHARED_BLOCKS:
        layers = [path for path in by_module if is_hybrid_layer(path)]
        expected, sum_found = sum(by_module[path] for path in layers), sum(found[path]["flops"]["torch"] for path in layers)
        if expected != sum_found:
            yield f"FLOPs of all layers: {sum_found}, PyTorch has {expected}"
        by_module = {path: found[path]["flops"]["torch"] if path in layers else flops for path, flops in by_module.items()}
    for path, flops in by_module.items():
        if path not in found or found[path]["flops"]["torch"] != flops:
            yield f"FLOPs of '{path}': {found[path]['flops']['torch'] if path in found else 'no row'}, PyTorch has {flops}"
    for path, row in found.items():
        if path not in by_module and not slim and not row["class"].endswith(CALLED_BY_METHODS) and (row["flops"]["torch"] if zeros_left_out else row["flops"]["total"] or row["bytes"]["total"]):
            yield f"a row for '{path}' ({row['class']}), which PyTorch does not call: {row['flops']} {row['bytes']}"


def compare_sdpa(run, answer):
    """The fused kernel's FLOPs are counted alike; its bytes are another model's."""
    if answer["flops"]["torch"] != run["flops_total_matmul"]:
        yield f"FLOPs: {answer['flops']['torch']}, PyTorch has {run['flops_total_matmul']}"


def compare_near(truth, run, answer):
    """Of a family that is not required: FLOPs equal, bytes near, the cache explained."""
    family, cache, recorded = truth["config"]["model_type"], answer["memory"]["kv_cache"], run["kv_cache_bytes_out"]
    part = 0.001 if recorded else 0.01
    mixed = driver.has_own_formats(run, truth["config"])  # text in bf16, the rest and the head in fp32: Ridge has one format for all weights
    sums = [("reads", sum(answer["bytes"]["reads"].values()), run["bytes_read"]),
            ("writes", sum(answer["bytes"]["writes"].values()), run["bytes_written"])]
    later = family in KEPT_FROM_THE_FIRST_RUN and run is not truth["runs"][0]
    for what, found, expected in [] if mixed or later else sums:
        # a part that is off by little of all that moves is no matter of its own: a decoding step writes a hundredth of what it reads
        if abs(found - expected) > part * (run["bytes_read"] + run["bytes_written"]):
            yield f"{what}: {found}, PyTorch has {expected} ({found - expected:+d})"
    if answer["flops"]["torch"] != run["flops_total_matmul"]:
        yield f"FLOPs: {answer['flops']['torch']}, PyTorch has {run['flops_total_matmul']}"
    if cache != recorded and not (family in STATES and cache > recorded) and not (family in LATENT and cache < recorded):
        yield f"cache bytes: {cache}, PyTorch has {recorded}"
    if "flops_by_module" in run:
        yield from compare_rows(run["flops_by_module"], answer["rows"], family, len(truth["modules"]) > 3000)
    if answer["unknown"]:
        yield f"unknown: {answer['unknown']}"


def compare_cost(truth, run, answer):
    if truth["config"]["model_type"] not in REQUIRED:
        yield from compare_near(truth, run, answer)
        return
    reads, writes = sum(answer["bytes"]["reads"].values()), sum(answer["bytes"]["writes"].values())
    pairs = [("FLOPs", answer["flops"]["torch"], run["flops_total_matmul"]), ("reads", reads, run["bytes_read"]),
             ("writes", writes, run["bytes_written"]), ("cache bytes", answer["memory"]["kv_cache"], cache_bytes(truth, run)),
             ("bytes.total", answer["bytes"]["total"], reads + writes),
             ("flops.torch", answer["flops"]["torch"], answer["flops"]["matmul"] + answer["flops"]["attention"])]
    for what, found, expected in pairs:
        if found != expected:
            yield f"{what}: {found}, PyTorch has {expected} ({found - expected:+d})"
    yield from compare_peak(truth, run, answer)
    if "flops_by_module" in run:
        yield from compare_rows(run["flops_by_module"], answer["rows"], truth["config"]["model_type"])
    if answer["unknown"]:
        yield f"unknown: {answer['unknown']}"


def without_quantization(config):
    """what ran was not quantised"""
    return {k: without_quantization(v) if isinstance(v, dict) else v for k, v in config.items() if k != "quantization_config"}


def check(ridge, truth, name, tap):
    head = truth["model_class"].split(".")[-1]
    config = json.dumps(without_quantization(truth["config"]))
    try:
        answer = ridge.ask("inspect", config, model=name, **{"class": head})
    except driver.Refused as refusal:
        family = truth["config"]["model_type"]
        if str(refusal).startswith("UNKNOWN") and family not in REQUIRED:
            tap.case(name, skip=f"the family {family} is not in the catalog")
        else:
            tap.case(name, [f"refused: {refusal}"])
        return
    tap.case(f"{name}: {len(truth['modules'])} modules, {truth['total_params']} parameters", compare_inspect(truth, answer))
    # gpt-oss's default run computes every expert densely; the run named loop is the one to agree with (truth/README 6)
    loop = any("loop" in run.get("extra", "") for run in truth["runs"])
    for run in truth["runs"]:
        sdpa = run.get("attn_impl") == "sdpa"
        if loop and "loop" not in run.get("extra", ""):
            continue
        label = " ".join(f"{key} {run[key]}" for key in ("phase", "batch", "seq", "past_len", "decoder_seq", "encoder_len", "image_size", "dtype", "attn_impl")
                         if run.get(key) is not None)
        try:
            answer = ridge.ask("cost", config, model=name, all=1, **{"class": head}, **driver.workload(run, truth["config"]))
            tap.case(f"{name}: {label}", compare_sdpa(run, answer) if sdpa else compare_cost(truth, run, answer))
        except driver.Refused as refusal:
            tap.case(f"{name}: {label}", [f"refused: {refusal}"])


def main():
    files = sorted(glob.glob(os.path.join(driver.shared_or_skip("truth"), "*.json.gz")))
    ridge, tap = driver.Driver(sys.argv[1]), driver.Tap()
    seen = set()
    for path in files:
        name = os.path.basename(path)[:-len(".json.gz")]
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        with gzip.open(path) as file:
            truth = json.load(file)
        seen.add(truth["config"]["model_type"])
        check(ridge, truth, name, tap)
    if len(sys.argv) == 2:
        tap.case("every required family has a recorded model", sorted(REQUIRED - seen))
    tap.case("the driver ended well", ["it did not"] if ridge.close() else [])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
