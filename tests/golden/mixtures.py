"""Mixtures of experts, in every form that models have them: a list of modules, one tensor for all experts, one matrix of all experts per projection. What
`ridge predict` reads beyond `ridge cost` is weights alone: those of the experts that the tokens are expected to reach, E (1 - (1 - k/E)^n), less those of
the even spread, min(E, n k). One expert's size is worked out here from the config.
Over several devices: experts are spread whole or split, each layer sums attention and mixture once, and tokens go to their experts and back.
    mixtures.py RIDGE"""
import json
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


def gated(hidden, width):
    return 3 * hidden * width


H, F, VOCABULARY, BF16 = 256, 96, 512, 2  # 96 is no other size of the configs
LLAMA = {"hidden_size": H, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": VOCABULARY, "intermediate_size": F,
         "torch_dtype": "bfloat16"}
LATENT = {"num_key_value_heads": 4, "q_lora_rank": 64, "kv_lora_rank": 32, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32, "n_group": 1, "topk_group": 1, "n_shared_experts": 1,
          "moe_intermediate_size": F}
SPARSE = {"index_n_heads": 4, "index_head_dim": 32, "index_topk": 64}
# family: class, config, experts, experts of a token, layers that have them, elements of one, is every expert read in eager PyTorch?
FAMILIES = {
    "mixtral": ("MixtralForCausalLM", {"num_local_experts": 8, "num_experts_per_tok": 2}, 8, 2, 2, gated(H, F), False),
    "qwen3_moe": ("Qwen3MoeForCausalLM", {"num_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": F}, 16, 4, 2, gated(H, F), False),
    # biases: 2 f on the way up, h on the way down
    "gpt_oss": ("GptOssForCausalLM", {"num_local_experts": 16, "num_experts_per_tok": 4}, 16, 4, 2, gated(H, F) + 2 * F + H, False),
    "minimax_m2": ("MiniMaxM2ForCausalLM", {"num_local_experts": 16, "num_experts_per_tok": 4}, 16, 4, 2, gated(H, F), False),
    "llama4_text": ("Llama4ForCausalLM", {"num_local_experts": 8, "num_experts_per_tok": 1, "interleave_moe_layer_step": 1}, 8, 1, 2, gated(H, F), True),
    "granitemoe": ("GraniteMoeForCausalLM", {"num_local_experts": 8, "num_experts_per_tok": 2}, 8, 2, 2, gated(H, F), True),
    "granitemoeshared": ("GraniteMoeSharedForCausalLM", {"shared_intermediate_size": F, "num_local_experts": 8, "num_experts_per_tok": 2}, 8, 2, 2, gated(H, F), True),
    "deepseek_v32": ("DeepseekV32ForCausalLM", {**LATENT, **SPARSE, "n_routed_experts": 16, "num_experts_per_tok": 4, "first_k_dense_replace": 1}, 16, 4, 1, gated(H, F), False),
    "glm_moe_dsa": ("GlmMoeDsaForCausalLM", {**LATENT, **SPARSE, "n_routed_experts": 16, "num_experts_per_tok": 4, "mlp_layer_types": ["dense", "sparse"]}, 16, 4, 1, gated(H, F), False),
    "lfm2_moe": ("Lfm2MoeForCausalLM", {"num_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": F, "num_dense_layers": 0,
                                        "layer_types": ["conv", "full_attention"]}, 16, 4, 2, gated(H, F), False),
    "dbrx": ("DbrxForCausalLM", {"d_model": H, "n_heads": 4, "n_layers": 2, "ffn_config": {"ffn_hidden_size": F, "moe_num_experts": 16, "moe_top_k": 4},
                                 "attn_config": {"kv_n_heads": 2, "clip_qkv": 8}}, 16, 4, 2, gated(H, F), False),
}


def expected(experts, k, tokens):
    return experts * (1 - (1 - k / experts) ** tokens)


def beyond_cost(path, tokens, kernel):
    options = ("--phase", "decode", "--batch", tokens, "--past", 10, "--kernel", kernel, "--attention", "causal", "--lm-head", "last")
    return run("predict", path, "--on", "h100-sxm-80", "--advice", "none", *options, "--json")["rows"][0]["bytes"] - run("cost", path, *options, "--json")["bytes"]["total"]


def check_family(path, family):
    name, _, experts, k, layers, elements, all_are_read = FAMILIES[family]
    for kernel in ("fused", "eager"):
        for tokens in (1, 3, experts // k, 64):
            read = expected(experts, k, tokens) - min(experts, tokens * k)
            wanted = 0 if kernel == "eager" and all_are_read else layers * 2 * elements * read
            found = beyond_cost(path, tokens, kernel)
            # a sum over kernels is rounded once for each
            check(f"{family}, {kernel}, {tokens} tokens: {read:+.3f} experts", abs(found - wanted) > 1 + 2 * layers and f"{found} bytes, not {wanted}")


# ---- over devices ----

def on_devices(path, tokens, *words):
    options = ("--phase", "decode", "--batch", tokens, "--past", 10, "--attention", "causal", "--lm-head", "last")
    return run("predict", path, "--on", "h100-sxm-80", "--advice", "none", *options, *words, "--json")


# sums of a layer: of attention and of the mixture with its shared experts; Granite's shared MLP is one of its own, and LFM2's convolution is done whole by every device
SUMS = {"granitemoeshared": 3 * 2, "lfm2_moe": 2 + 1}
LAYERS, DEVICES = 2, 2


def check_experts(path, family):
    """Four replicas, each with a quarter of the experts and its own tokens: k rows of each go out, and come back, three quarters of them to others."""
    _, _, experts, k, layers, elements, _ = FAMILIES[family]
    for kernel in ("fused", "eager"):
        p, one = on_devices(path, 8, "--expert-parallel", 4, "--kernel", kernel), on_devices(path, 2, "--kernel", kernel)
        held = one["memory"]["weights"] - layers * experts * elements * BF16 * 3 // 4
        check(f"{family}, {kernel}: a quarter of the experts", p["memory"]["weights"] != held and f"{p['memory']['weights']} bytes, not {held}")
        sent = layers * 2 * (2 * k * H * BF16) * 3 / 4
        check(f"{family}, {kernel}: routed rows are sent", p["rows"][0]["link_bytes"] != sent and f"{p['rows'][0]['link_bytes']} bytes, not {sent}")
        # a replica's own work as alone, but a quarter of what all eight tokens reach
        read = expected(experts, k, 8) / 4 - expected(experts, k, 2) if kernel == "fused" or not FAMILIES[family][6] else -experts * 3 / 4
        wanted = layers * elements * BF16 * read / 3.35e12
        found = p["rows"][0]["time_s"] - p["rows"][0]["link_s"] - one["rows"][0]["time_s"]
        check(f"{family}, {kernel}: reads its part of the experts", abs(found - wanted) > 1e-3 * abs(wanted) and f"{found} s, not {wanted}")


def held(folder, family, width, *words):
    """Weights of a device where every MLP and every expert is so wide."""
    name, config, *_ = FAMILIES[family]
    path = os.path.join(folder, f"{family}-{width}.json")
    wide = json.loads(json.dumps({**LLAMA, **config, "model_type": family, "architectures": [name]}).replace(f": {F}", f": {width}"))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(wide, file)
    return on_devices(path, 8, *words)["memory"]["weights"]


def check_widths(folder, family):
    """What a width adds is shared by two devices, all of it."""
    whole, half = (held(folder, family, 2 * F, *words) - held(folder, family, F, *words) for words in ((), ("--tensor-parallel", DEVICES)))
    _, _, experts, _, layers, elements, _ = FAMILIES[family]
    check(f"{family}: half of every expert is held", (half != whole // 2 or half < layers * experts * gated(H, F) * BF16 // 2) and f"{half} of {whole} bytes")


def check_tensor(path, family):
    """Two devices: half of every expert, and every token's stream summed over both, once more for the embedding; half of the logits are sent."""
    name, _, experts, k, layers, elements, _ = FAMILIES[family]
    for kernel in ("fused", "eager"):
        p = on_devices(path, 8, "--tensor-parallel", DEVICES, "--kernel", kernel)
        stream, logits = 8 * H * BF16, 8 * VOCABULARY * BF16
        sent = (SUMS.get(family, 2 * LAYERS) + 1) * stream * 2 * (DEVICES - 1) / DEVICES + logits * (DEVICES - 1) / DEVICES
        check(f"{family}, {kernel}: one sum for attention, one for the mixture", p["rows"][0]["link_bytes"] != sent and f"{p['rows'][0]['link_bytes']} bytes, not {sent}")


# layers without an attention, and one that is an attention with its MLP: (class, config, sums of a pass: of the layers, and of an embedding that is split; Molmo's, of two tables, is not)
OTHERS = {
    "qwen3_next": ("Qwen3NextForCausalLM", {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 32, "linear_value_head_dim": 32, "num_experts": 0,
                                            "layer_types": ["linear_attention", "full_attention"]}, 4 + 1),
    "nemotron_h": ("NemotronHForCausalLM", {"num_hidden_layers": 3, "layers_block_type": ["mamba", "attention", "moe"], "mamba_num_heads": 8, "mamba_head_dim": 32, "n_groups": 4, "ssm_state_size": 16,
                                            "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": F, "moe_shared_expert_intermediate_size": F}, 3 + 1),
    "molmo": ("MolmoForCausalLM", {"num_attention_heads": 4, "num_key_value_heads": 4, "embedding_size": VOCABULARY}, 4),
}


def check_sums(path, family):
    p = on_devices(path, 8, "--tensor-parallel", DEVICES)
    stream = 8 * H * BF16
    sent = sum(r["link_bytes"] for r in p["rows"] if r["class"] == "collective.all_reduce")
    wanted = OTHERS[family][2] * stream
    check(f"{family}: {OTHERS[family][2]} sums", sent != wanted and f"{sent} bytes, not {wanted}")


# experts under names of their own: (class, config, experts, experts of a token, elements of one, is every expert read in eager PyTorch?)
PAIRS = {
    "switch_transformers": ("SwitchTransformersForConditionalGeneration", {"d_model": H, "d_ff": F, "d_kv": 64, "num_heads": 4, "num_layers": 2, "num_decoder_layers": 2,
                            "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1, "num_experts": 8}, 8, 1, 2 * H * F, False),
    "nllb-moe": ("NllbMoeForConditionalGeneration", {"d_model": H, "encoder_ffn_dim": F, "decoder_ffn_dim": F, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                 "encoder_layers": 2, "decoder_layers": 2, "encoder_sparse_step": 2, "decoder_sparse_step": 2, "num_experts": 8}, 8, 2, 2 * H * F + H + F, True),
}


def check_pair(path, family):
    """An encoder with one mixture on 2 x 3 tokens, a decoder with one on 2 x 1."""
    _, _, experts, k, elements, all_are_read = PAIRS[family]
    options = ("--batch", 2, "--seq", 3, "--decoder-seq", 1, "--attention", "causal", "--lm-head", "last")
    for kernel in ("fused", "eager"):
        p = run("predict", path, "--on", "h100-sxm-80", "--advice", "none", *options, "--kernel", kernel, "--json")
        c = run("cost", path, *options, "--kernel", kernel, "--json")
        read = sum(expected(experts, k, tokens) - min(experts, tokens * k) for tokens in (6, 2))
        wanted = 0 if kernel == "eager" and all_are_read else BF16 * elements * read
        found = p["rows"][0]["bytes"] - c["bytes"]["total"]
        check(f"{family}, {kernel}: {read:+.3f} experts", abs(found - wanted) > 4 and f"{found} bytes, not {wanted}")
        active, idle = c["parameters"]["active"], 2 * (experts - k) * elements
        check(f"{family}, {kernel}: active parameters", active != c["parameters"]["total"] - idle and f"{active} of {c['parameters']['total']}, not {idle} less")


with tempfile.TemporaryDirectory() as folder:
    for family, (name, config, *_) in PAIRS.items():
        path = os.path.join(folder, family + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"model_type": family, "architectures": [name], "torch_dtype": "bfloat16", "vocab_size": VOCABULARY, **config}, file)
        check_pair(path, family)
    for family, (name, config, _) in OTHERS.items():
        path = os.path.join(folder, family + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**LLAMA, **config, "model_type": family, "architectures": [name]}, file)
        check_sums(path, family)
    for family, (name, config, *_) in FAMILIES.items():
        path = os.path.join(folder, family + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**LLAMA, **config, "model_type": family, "architectures": [name]}, file)
        check_family(path, family)
        check_experts(path, family)
        check_tensor(path, family)
        check_widths(folder, family)

print(f"1..{number}")
sys.exit(failures > 0)
