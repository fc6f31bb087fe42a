"""Mixtures of experts, in every form that models have them: a list of modules, one tensor for all experts, one matrix of all experts per projection. What
`ridge predict` reads beyond `ridge cost` is weights alone: those of the experts that the tokens are expected to reach, E (1 - (1 - k/E)^n), less those of
the even spread, min(E, n k). One expert's size is worked out here from the config.
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


H, F = 256, 64
LLAMA = {"hidden_size": H, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 512, "intermediate_size": F,
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
    "granitemoeshared": ("GraniteMoeSharedForCausalLM", {"num_local_experts": 8, "num_experts_per_tok": 2}, 8, 2, 2, gated(H, F), True),
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


with tempfile.TemporaryDirectory() as folder:
    for family, (name, config, *_) in FAMILIES.items():
        path = os.path.join(folder, family + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**LLAMA, **config, "model_type": family, "architectures": [name]}, file)
        check_family(path, family)

print(f"1..{number}")
sys.exit(failures > 0)
