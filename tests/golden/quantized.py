"""The bytes of quantised checkpoints: published sizes of index files and repositories, and the layouts of each method worked out once more for a small Llama.
    quantized.py RIDGE"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

RIDGE = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ROOT.parent / "shared/models"
failures, number = 0, 0


def check(name, problem, skip=None):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f" # SKIP {skip}" if skip else "") + (f"\n  # {problem}" if problem else ""))


def run(*words):
    return subprocess.run([RIDGE, *map(str, words)], capture_output=True, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})


def answer(*words):
    done = run(*words, "--json")
    return json.loads(done.stdout) if done.returncode == 0 else {"weights_bytes": done.stderr}


# ---- a small Llama: the sizes of its matrices, by hand ----

H, I, LAYERS, HEADS, KV, VOCAB = 256, 512, 2, 4, 2, 1000
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": H, "intermediate_size": I, "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS, "num_key_value_heads": KV, "vocab_size": VOCAB, "max_position_embeddings": 128, "torch_dtype": "bfloat16",
}  # fmt: skip
PROJECTIONS = {"q_proj": (H, H), "k_proj": (H // 2, H), "v_proj": (H // 2, H), "o_proj": (H, H), "gate_proj": (I, H), "up_proj": (I, H), "down_proj": (H, I)}  # out, in
NORMS = (2 * LAYERS + 1) * H * 2
TABLE = VOCAB * H * 2  # the embedding table, and the head, in 16 bits


def up(a, b):
    return -(-a // b)


def total(matrix, skipped=(), table=TABLE, head=TABLE):
    """matrix(out, in): the bytes of one"""
    layer = sum(out * inp * 2 if name in skipped else matrix(out, inp) for name, (out, inp) in PROJECTIONS.items())
    return LAYERS * layer + NORMS + table + head


def gptq(bits, group):  # qweight, qzeros, scales, g_idx
    return lambda o, i: i // 32 * bits * o * 4 + up(i, group) * (o // 32 * bits * 4) + up(i, group) * o * 2 + i * 4


def awq(group):  # qweight, qzeros, scales
    return lambda o, i: i * o // 8 * 4 + i // group * o // 8 * 4 + i // group * o * 2


def nf4(o, i):  # weight, absmax, quant_map, quant_state
    return o * i // 2 + o * i // 64 * 4 + 64 + 80


def nf4_double(o, i):  # weight, absmax of 8 bits, its own scales per 256, the two maps, quant_state
    return o * i // 2 + o * i // 64 + up(o * i // 64, 256) * 4 + 64 + 1024 + 150


def packed(group, zeros):  # weight_packed, weight_scale, weight_shape, weight_zero_point
    return lambda o, i: o * up(i, 8) * 4 + o * up(i, group) * 2 + 16 + (up(i, group) * up(o, 8) * 4 if zeros else 0)


def mlx(bits, group):
    return lambda o, i: o * up(i * bits, 32) * 4 + o * (i // group) * 4


def compressed(weights, activations=None, form="pack-quantized", ignore=("lm_head",)):
    return {"quant_method": "compressed-tensors", "format": form, "ignore": list(ignore),
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights, "input_activations": activations}}}  # fmt: skip


int8_rows = {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": True}
float8 = {"num_bits": 8, "type": "float", "dynamic": True, "strategy": "token"}
CASES = [
    ("GPTQ, 4 bits", {"quant_method": "gptq", "bits": 4, "group_size": 128}, total(gptq(4, 128))),
    ("GPTQ, 3 bits, a scale per row", {"quant_method": "gptq", "bits": 3, "group_size": -1}, total(gptq(3, 1 << 30))),
    ("GPTQ, 8 bits", {"quant_method": "gptq", "bits": 8, "group_size": 32}, total(gptq(8, 32))),
    ("AWQ", {"quant_method": "awq", "bits": 4, "group_size": 64, "zero_point": True}, total(awq(64))),
    ("AWQ without some", {"quant_method": "awq", "w_bit": 4, "q_group_size": 64, "modules_to_not_convert": ["o_proj", "down"]}, total(awq(64), ("o_proj", "down_proj"))),
    ("nf4", {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, total(nf4)),
    ("nf4, double", {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True}, total(nf4_double)),
    ("LLM.int8", {"quant_method": "bitsandbytes", "load_in_8bit": True}, total(lambda o, i: o * i + o * 4 + 1)),
    ("LLM.int8 with the head", {"quant_method": "bitsandbytes", "load_in_8bit": True, "llm_int8_skip_modules": ["mlp"]},
     total(lambda o, i: o * i + o * 4 + 1, ("gate_proj", "up_proj", "down_proj"), head=VOCAB * H + VOCAB * 4 + 1)),
    ("fp8 in blocks", {"quant_method": "fp8", "weight_block_size": [128, 128]}, total(lambda o, i: o * i + up(o, 128) * up(i, 128) * 4)),
    ("fp8, one scale", {"quant_method": "fp8", "activation_scheme": "static"}, total(lambda o, i: o * i + 8)),
    ("fp8 without some", {"quant_method": "fp8", "weight_block_size": [128, 128], "modules_to_not_convert": ["model.layers.0.mlp", "model.layers.1.mlp"]},
     total(lambda o, i: o * i + up(o, 128) * up(i, 128) * 4, ("gate_proj", "up_proj", "down_proj"), head=VOCAB * H + up(VOCAB, 128) * 2 * 4)),
    ("compressed-tensors, W4A16", compressed({"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "symmetric": True}), total(packed(128, False))),
    ("compressed-tensors, asymmetric", compressed({"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": False}), total(packed(32, True))),
    ("compressed-tensors, W8A8", compressed(int8_rows, {"num_bits": 8, "type": "int", "dynamic": True}, "int-quantized"), total(lambda o, i: o * i + o * 2)),
    ("compressed-tensors, fp8", compressed({"num_bits": 8, "type": "float", "strategy": "channel"}, float8, "float-quantized"), total(lambda o, i: o * i + o * 2)),
    ("compressed-tensors, patterns", compressed(int8_rows, None, "int-quantized", ["lm_head", r"re:.*mlp\.(gate|up)_proj", "model.layers.0.self_attn.q_proj"]),
     total(lambda o, i: o * i + o * 2, ("gate_proj", "up_proj")) + H * H * 2 - (H * H + H * 2)),
    ("compressed-tensors, nvfp4", compressed({"num_bits": 4, "type": "float", "group_size": 16}, {"num_bits": 4, "type": "float", "group_size": 16, "dynamic": "local"}, "nvfp4-pack-quantized"),
     total(lambda o, i: o * i // 2 + o * i // 16 + 8)),
    ("ModelOpt, NVFP4", {"quant_method": "modelopt", "quant_algo": "NVFP4", "exclude_modules": ["lm_head", "model.layers.*.self_attn*"]},
     total(lambda o, i: o * i // 2 + o * i // 16 + 8, ("q_proj", "k_proj", "v_proj", "o_proj"))),
    ("ModelOpt, FP8", {"quant_method": "modelopt", "quant_algo": "FP8", "exclude_modules": ["lm_head"]}, total(lambda o, i: o * i + 8)),
    ("ModelOpt, layer by layer", {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {
        f"model.layers.{n}.mlp.{p}": {"quant_algo": "FP8"} for n in range(LAYERS) for p in ("gate_proj", "up_proj", "down_proj")}},
     total(lambda o, i: o * i + 8, ("q_proj", "k_proj", "v_proj", "o_proj"))),
    ("Quark, fp8", {"quant_method": "quark", "exclude": ["lm_head"], "layer_quant_config": {}, "global_quant_config": {
        "weight": {"dtype": "fp8_e4m3", "qscheme": "per_tensor"}, "input_tensors": {"dtype": "fp8_e4m3"}}}, total(lambda o, i: o * i + 8)),
    ("Quark, mxfp4", {"quant_method": "quark", "exclude": ["lm_head"], "global_quant_config": {"weight": {"dtype": "fp4", "qscheme": "per_group", "group_size": 32}}},
     total(lambda o, i: o * i // 2 + o * i // 32)),
    ("torchao, int4", {"quant_method": "torchao", "quant_type": "int4_weight_only", "quant_type_kwargs": {"group_size": 64}}, total(lambda o, i: o * i // 2 + o * (i // 64) * 4)),
    ("torchao, int8", {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_data": {}}}}, total(lambda o, i: o * i + o * 2)),
]  # fmt: skip
MLX = [
    ("MLX, 4 bits", {"bits": 4, "group_size": 64}, total(mlx(4, 64), table=mlx(4, 64)(VOCAB, H), head=mlx(4, 64)(VOCAB, H))),
    ("MLX, 6 bits", {"bits": 6, "group_size": 64}, total(mlx(6, 64), table=mlx(6, 64)(VOCAB, H), head=mlx(6, 64)(VOCAB, H))),
    ("MLX, 5 bits", {"bits": 5, "group_size": 64}, total(mlx(5, 64), table=mlx(5, 64)(VOCAB, H), head=mlx(5, 64)(VOCAB, H))),
    ("MLX, 3 bits", {"bits": 3, "group_size": 32}, total(mlx(3, 32), table=mlx(3, 32)(VOCAB, H), head=mlx(3, 32)(VOCAB, H))),
    ("MLX, the head in 8 bits, the table as it is", {"bits": 4, "group_size": 64, "lm_head": {"bits": 8, "group_size": 64}, "model.embed_tokens": False},
     total(mlx(4, 64), head=mlx(8, 64)(VOCAB, H))),
]  # fmt: skip
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "config.json"
    for name, member, want in [(n, {"quantization_config": q}, w) for n, q, w in CASES] + [(n, {"quantization": q}, w) for n, q, w in MLX]:
        path.write_text(json.dumps({**CONFIG, **member}))
        got = answer("inspect", path)["weights_bytes"]
        problem = None if got == want else f"{got} bytes, want {want}"
        if not problem:  # memory, and what a step reads of the weights: all but the table, of which it reads a row
            cost = answer("cost", path, "--phase", "decode", "--past", 7)
            table = next(r["bytes"] for r in answer("cost", path, "--phase", "decode", "--past", 7, "--all")["rows"] if r["path"] == "model.embed_tokens")
            problem = None if cost["memory"]["weights"] == want else f"memory {cost['memory']['weights']}"
        check(name, problem)
    path.write_text(json.dumps({**CONFIG, "quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}}))
    check("--weights counts instead", None if answer("cost", path, "--weights", "bf16")["memory"]["weights"] == total(lambda o, i: o * i * 2) else "other bytes")
    path.write_text(json.dumps(CONFIG))
    mixed = answer("cost", path, "--weights", "mlp=q8_0,layers.0=fp8_e4m3,*norm*=fp32,*=bf16")["memory"]["weights"]
    mlp, attention = (sum(o * i for n, (o, i) in PROJECTIONS.items() if (n in ("gate_proj", "up_proj", "down_proj")) == which) for which in (True, False))
    want = LAYERS * mlp // 32 * 34 + attention + 2 * H + attention * 2 + 2 * H * 4 + H * 4 + 2 * TABLE  # layer 0's norms are fp8, others fp32
    check("--weights by patterns: the first that matches", None if mixed == want else f"{mixed}, want {want}")
    done = run("cost", path, "--weights", "experts")
    check("--weights: no format", None if done.returncode == 2 else done.stderr)
    path.write_text(json.dumps({**CONFIG, "quantization": {"bits": 6, "group_size": 64}}))
    six = answer("cost", path)
    told = "weights of int6_g64 count with their own bytes; where one format is named for all of them, q6_K stands for it, which kernels multiply alike"
    check("MLX, 6 bits: the format that is named is not the layout", None if six["warnings"] == [told] and six["workload"]["weights"] == "q6_K"
          and six["workload"]["weights_stored"] == ["int6_g64", "bf16"] else six)
    path.write_text(json.dumps({**CONFIG, "quantization_config": {"quant_method": "aqlm"}}))
    done = run("cost", path)
    check("a method that is not known is said", None if done.returncode == 0 and "quantised by aqlm, which is not read" in done.stderr else done.stderr)

# ---- published sizes ----

# what is known to differ, in bytes of the index less ours, and why
EXPLAINED = {
    "mlx-community--Mistral-Small-4-119B-4bit": "the repository has the text model alone; the vision tower is in the tree",
    "Qwen--Qwen-VL-Chat-Int4": "older AutoGPTQ stores a bias of zeros for each matrix that has none: 32 layers of 30,208 numbers, 1,933,312 bytes",
    "allenai--Molmo-7B-D-0924-NF4": "JSON texts of quant_state, whose length is estimated",
}
OFFICIAL = {  # metadata.total_size of the repositories' index files
    "openai--gpt-oss-20b": 13761264768,
    "openai--gpt-oss-120b": 65248815744,
}
if not (MODELS / "INDEX.json").exists():
    check("published sizes", None, "no ../shared/models")
else:
    rows = json.loads((MODELS / "INDEX.json").read_text())["models"]
    sizes = {r["dir"]: r["index_files"][0]["total_size"] for r in rows if r.get("index_files")}
    for where, size in {**sizes, **OFFICIAL}.items():
        path = MODELS / where / "config.json"
        if not path.exists() or '"quantization' not in path.read_text():
            continue
        got = answer("inspect", path)["weights_bytes"]
        if not isinstance(got, int):
            check(f"{where}: {size} bytes", got)
        elif where in EXPLAINED:
            check(f"{where}: {size} bytes, within 0.5 %: {EXPLAINED[where]}", None if abs(got / size - 1) < 0.005 else f"{got} bytes")
        else:
            check(f"{where}: {size} bytes", None if got == size else f"{got} bytes")

print(f"1..{number}")
sys.exit(bool(failures))
