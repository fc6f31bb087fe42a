#!/usr/bin/env python3
"""GGUF files through the program: the bytes of a file are those of its weights, a GGUF is the model that it was made of, and what a file
takes is its header. TAP. Expected values are sums of this script and of gguf.py, recorded files (converted.json), or the config's own answer.

    run.py RIDGE [NAME...]
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import gguf as g

HERE = os.path.dirname(os.path.abspath(__file__))
RIDGE = os.path.abspath(sys.argv[1])
WANTED = sys.argv[2:]
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def run(*words, fails=False):
    done = subprocess.run([RIDGE, *words], capture_output=True, text=True, check=False)
    assert fails or done.returncode == 0, done.stderr.strip()
    return done


def answer(command, *words):
    return json.loads(run(command, *words, "--json").stdout)


# ---- a small model by hand ----

HIDDEN, HEADS, KV, INNER, VOCAB, LAYERS = 512, 8, 4, 1024, 1000, 4


def llama(**more):
    return g.pairs(general__architecture="llama", llama__block_count=LAYERS, llama__embedding_length=HIDDEN, llama__feed_forward_length=INNER,
                   llama__attention__head_count=HEADS, llama__attention__head_count_kv=KV, llama__context_length=2048,
                   llama__attention__layer_norm_rms_epsilon=1e-5, llama__rope__freq_base=10000.0, **more)


def layer(i, value="Q4_K", down="Q4_K"):
    """as llama.cpp's mix "Q4_K_M": some layers have their values and ffn_down in Q6_K"""
    kv = HIDDEN // HEADS * KV
    shapes = [("attn_norm", "F32", [HIDDEN]), ("attn_q", "Q4_K", [HIDDEN, HIDDEN]), ("attn_k", "Q4_K", [HIDDEN, kv]), ("attn_v", value, [HIDDEN, kv]),
              ("attn_output", "Q4_K", [HIDDEN, HIDDEN]), ("ffn_norm", "F32", [HIDDEN]), ("ffn_gate", "Q4_K", [HIDDEN, INNER]),
              ("ffn_up", "Q4_K", [HIDDEN, INNER]), ("ffn_down", down, [INNER, HIDDEN])]
    return [(f"blk.{i}.{name}.weight", kind, shape) for name, kind, shape in shapes]


def mixed(output=True):
    out = [("token_embd.weight", "Q4_K", [HIDDEN, VOCAB]), ("output_norm.weight", "F32", [HIDDEN]), ("rope_freqs.weight", "F32", [32])]
    out += [("output.weight", "Q6_K", [HIDDEN, VOCAB])] if output else []
    for i in range(LAYERS):
        out += layer(i, *(["Q6_K", "Q6_K"] if i < 2 else []))
    return out


def parameters_of(tensors):
    return sum(product(shape) for name, _, shape in tensors if name != "rope_freqs.weight")


def product(shape):
    n = 1
    for dim in shape:
        n *= dim
    return n


def rows(cost):
    return {row["path"]: row for row in cost["rows"]}


@check
def bytes_of_every_version(folder):
    for version in (1, 2, 3):
        path = f"{folder}/v{version}.gguf"
        total = g.write(path, llama(), mixed(), version=version)
        told = answer("inspect", path)
        assert told["weights_bytes"] == total, (version, told["weights_bytes"], total)
        assert told["parameters"]["total"] == parameters_of(mixed())
        assert {s["format"]: s["tensors"] for s in told["stored"]} == {"q4_K": 25, "q6_K": 5, "fp32": 10}
        assert sum(s["bytes"] for s in told["stored"]) == total
        assert answer("cost", path)["memory"]["weights"] == total


@check
def split_files(folder):
    whole = g.write(f"{folder}/whole.gguf", llama(), mixed())
    first = g.write_split(f"{folder}/split", "model", llama(), mixed(), 3)
    for path in (first, first.replace("-00001-", "-00003-")):
        assert answer("inspect", path)["weights_bytes"] == whole
    assert answer("cost", first)["rows"] == answer("cost", f"{folder}/whole.gguf")["rows"]


@check
def folders(folder):
    """a folder whose one model is a GGUF is that model; of several one must be chosen"""
    os.makedirs(f"{folder}/one")
    total = g.write(f"{folder}/one/model.gguf", llama(), mixed())
    g.write_split(f"{folder}/parts", "model", llama(), mixed(), 3)
    with open(f"{folder}/one/._model.gguf", "wb") as file:
        file.write(b"of another system")
    for place in ("one", "one/", "parts"):
        for command, *words in (("inspect",), ("cost",), ("fit", "--on", "h100-sxm-80"), ("predict", "--on", "h100-sxm-80")):
            told = answer(command, f"{folder}/{place}", *words)
            assert told["model"] == f"{folder}/{place}", told["model"]
        assert answer("inspect", f"{folder}/{place}")["weights_bytes"] == total
        assert "LlamaForCausalLM" in run(f"{folder}/{place}").stdout
    g.write(f"{folder}/one/other.gguf", llama(), mixed(output=False))
    said = run("cost", f"{folder}/one", fails=True)
    sizes = [os.path.getsize(f"{folder}/one/{name}.gguf") / 1e6 for name in ("model", "other")]
    assert said.returncode == 1 and f": 2 GGUFs are in this folder: give one of them: model.gguf ({sizes[0]:.3f} MB), other.gguf ({sizes[1]:.3f} MB)" in said.stderr, said
    os.remove(f"{folder}/parts/model-00002-of-00003.gguf")
    assert "model-00002-of-00003.gguf: No such file" in run("cost", f"{folder}/parts", fails=True).stderr
    for i in range(40):
        g.write(f"{folder}/one/a-model-with-a-long-name-{i:02}.gguf", llama(), mixed())
    said = run("cost", f"{folder}/one", fails=True).stderr
    assert "42 GGUFs" in said and said.rstrip().endswith(" more"), said


@check
def a_folder_of_two_kinds(folder):
    """safetensors beside a GGUF: which of them is the model is not told"""
    g.write(f"{folder}/model.gguf", llama(), mixed())
    with open(f"{folder}/model.safetensors", "wb") as file:
        file.write(b"\x02\0\0\0\0\0\0\0{}")
    said = run("cost", folder, fails=True)
    assert said.returncode == 1 and f"has model.safetensors and no config.json" in said.stderr and f"give {folder}/model.gguf" in said.stderr, said


@check
def each_weight_in_its_format(folder):
    """one decode step reads every matrix once: rows of the layers by hand"""
    path = f"{folder}/mixed.gguf"
    g.write(path, llama(), mixed())
    cost = answer("cost", path, "--phase", "decode", "--past", "10", "--all")
    size = {name: g.size_of(kind, shape) for name, kind, shape in mixed()}
    for i in range(LAYERS):
        for module, tensor in (("self_attn.q_proj", "attn_q"), ("self_attn.v_proj", "attn_v"), ("mlp.down_proj", "ffn_down"),
                               ("input_layernorm", "attn_norm")):
            read = rows(cost)[f"model.layers.{i}.{module}"]["bytes"]["reads"]["weights"]
            assert read == size[f"blk.{i}.{tensor}.weight"], (i, module, read)
    assert rows(cost)["lm_head"]["bytes"]["reads"]["weights"] == size["output.weight"]
    assert rows(cost)["model.embed_tokens"]["bytes"]["reads"]["weights"] == size["token_embd.weight"] // VOCAB
    read = sum(bytes_ for name, bytes_ in size.items() if name not in ("token_embd.weight", "rope_freqs.weight"))
    assert cost["bytes"]["reads"]["weights"] == read + size["token_embd.weight"] // VOCAB


@check
def unlike_layers_do_not_fold(folder):
    path = f"{folder}/fold.gguf"
    g.write(path, llama(), mixed())
    folded = rows(answer("cost", path))
    assert folded["model.layers.{0-1}"]["count"] == 2 and folded["model.layers.{2-3}"]["count"] == 2
    assert "model.layers.*" not in folded
    assert "model.layers.*" in rows(answer("cost", path, "--weights", "q4_K"))


@check
def a_tied_head(folder):
    path = f"{folder}/tied.gguf"
    total = g.write(path, llama(), mixed(output=False))
    told = answer("inspect", path)
    assert told["parameters"]["total"] == parameters_of(mixed(output=False)) and told["weights_bytes"] == total
    size = g.size_of("Q4_K", [HIDDEN, VOCAB])
    assert rows(answer("cost", path, "--all"))["lm_head"]["bytes"]["reads"]["weights"] == size


@check
def predicted_as_stored(folder):
    """memory-bound decode: a model of half the bytes takes less, and the sum of the weights is the file's"""
    path, wide = f"{folder}/p.gguf", f"{folder}/wide.gguf"
    g.write(path, llama(), mixed())
    g.write(wide, llama(), [(name, "F16" if len(shape) > 1 else kind, shape) for name, kind, shape in mixed()])
    words = ("--on", "h100-sxm-80", "--phase", "decode", "--past", "64", "--launch", "0")
    small, large = answer("predict", path, *words), answer("predict", wide, *words)
    assert small["memory"]["weights"] == answer("inspect", path)["weights_bytes"]
    assert small["time_s"] < large["time_s"]
    uniform = answer("predict", path, "--weights", "q4_K", *words)
    assert uniform["time_s"] < small["time_s"]


@check
def a_format_that_is_asked_for(folder):
    """--weights is what if: as if no file said how it is stored"""
    path = f"{folder}/asked.gguf"
    g.write(path, llama(), mixed())
    told = answer("inspect", path, "--weights", "fp16")
    assert told["weights_bytes"] == 2 * parameters_of(mixed()) and told["stored"] == []


@check
def every_type(folder):
    """the bytes of each of ggml's types, by the sums of gguf.py"""
    for kind, (number, block, size) in g.TYPES.items():
        if kind == "I16":
            continue
        tensors = [(name, kind if name.endswith("attn_output.weight") else k, shape) for name, k, shape in mixed()]
        total = g.write(f"{folder}/type.gguf", llama(), tensors)
        told = answer("inspect", f"{folder}/type.gguf")
        assert told["weights_bytes"] == total, (kind, told["weights_bytes"], total)


# ---- models of other programs ----

def llama_3_2_1b():
    """Llama-3.2-1B as llama.cpp's Q4_K_M: more bits for the first and the last eighth of the layers and every third between (use_more_bits)"""
    hidden, inner, kv, vocab, layers = 2048, 8192, 512, 128256, 16
    metadata = g.pairs(general__architecture="llama", llama__block_count=layers, llama__context_length=131072, llama__embedding_length=hidden,
                       llama__feed_forward_length=inner, llama__attention__head_count=32, llama__attention__head_count_kv=8,
                       llama__rope__freq_base=500000.0, llama__attention__layer_norm_rms_epsilon=1e-5, llama__attention__key_length=64,
                       llama__attention__value_length=64, llama__vocab_size=vocab, llama__rope__dimension_count=64)
    tensors = [("rope_freqs.weight", "F32", [32]), ("token_embd.weight", "Q6_K", [hidden, vocab]), ("output_norm.weight", "F32", [hidden])]
    for i in range(layers):
        more = "Q6_K" if i < layers // 8 or i >= 7 * layers // 8 or (i - layers // 8) % 3 == 2 else "Q4_K"
        tensors += [(f"blk.{i}.{name}.weight", kind, shape) for name, kind, shape in
                    (("attn_norm", "F32", [hidden]), ("attn_q", "Q4_K", [hidden, hidden]), ("attn_k", "Q4_K", [hidden, kv]),
                     ("attn_v", more, [hidden, kv]), ("attn_output", "Q4_K", [hidden, hidden]), ("ffn_norm", "F32", [hidden]),
                     ("ffn_gate", "Q4_K", [hidden, inner]), ("ffn_up", "Q4_K", [hidden, inner]), ("ffn_down", more, [inner, hidden]))]
    return metadata, tensors


@check
def a_published_file(folder):
    """1,235,814,400 parameters, as the model's index; llama.cpp prints 762.81 MiB of it, 34 tensors in f32, 96 in q4_K, 17 in q6_K. docs/gguf.md
    shows it"""
    path = "Llama-3.2-1B-Q4_K_M.gguf"
    g.write(f"{folder}/{path}", *llama_3_2_1b())
    told = answer("inspect", f"{folder}/{path}")
    assert told["parameters"]["total"] == 1235814400
    assert f"{told['weights_bytes'] / 2**20:.2f}" == "762.81"
    assert {s["format"]: s["tensors"] for s in told["stored"]} == {"fp32": 34, "q4_K": 96, "q6_K": 17}
    text = subprocess.run([RIDGE, "inspect", path], cwd=folder, capture_output=True, text=True, check=False).stdout
    with open(os.path.join(HERE, "..", "..", "docs", "gguf.md"), encoding="utf-8") as file:
        page = file.read()
    shown = page.split("$ ridge inspect " + path + "\n")[1].split("```")[0]
    assert text.startswith(shown), text[:600]


@check
def architectures_are_listed(_):
    with open(os.path.join(HERE, "..", "..", "docs", "gguf.md"), encoding="utf-8") as file:
        listed = file.read().split("<!-- architectures:")[1].split("<!-- /architectures -->")[0].split("-->")[1].replace("`", "").split()
    known = []
    data = os.path.join(HERE, "..", "..", "gguf")
    for name in os.listdir(data):
        with open(os.path.join(data, name), encoding="utf-8") as file:
            known += [key for key in json.load(file) if ":" not in key]
    assert listed == sorted(known), sorted(set(listed) ^ set(known))


def format_of(name, shape):
    """as llama.cpp's converter has it: what is no matrix, and some small ones, stay in F32"""
    small = any(part in name for part in ("ffn_gate_inp", "ssm_conv1d", "shortconv.conv", "position_embd", "token_types", "time_mix_first", "time_mix_w",
                                          "time_mix_decay_w", "time_mix_lerp_fused"))
    return "F16" if len(shape) > 1 and name.endswith(".weight") and not small else "F32"


def expand(model):
    out = []
    for name, shape, layers in model["tensors"]:
        for i in layers:
            out.append((name.replace("{}", str(i)), format_of(name, shape), shape[::-1]))
    return out


def places(told):
    return {(m["path"], name): tensor["shape"] for m in told["modules"] for name, tensor in m["tensors"].items()}


def workload(model, tokens):
    return ("--seq", str(tokens // 2)) if model.get("encoder") else ("--phase", "decode", "--past", str(tokens))


@check
def the_model_it_was_made_of(folder):
    """a GGUF's parameters, shapes, FLOPs, bytes and memory are those of the config that llama.cpp made it of"""
    with open(os.path.join(HERE, "converted.json"), encoding="utf-8") as file:
        models = json.load(file)["models"]
    for model in models:
        config, path = f"{folder}/config.json", f"{folder}/{model['name']}.gguf"
        with open(config, "w", encoding="utf-8") as file:
            json.dump(model["config"], file)
        total = g.write(path, [(key, kind, tuple(value) if kind == g.ARRAY else value) for key, kind, value in model["metadata"]], expand(model))
        mine, theirs = answer("inspect", path), answer("inspect", config)
        assert mine["parameters"] == theirs["parameters"], (model["name"], mine["parameters"], theirs["parameters"])
        assert mine["class"] == theirs["class"] and places(mine) == places(theirs), model["name"]
        assert mine["weights_bytes"] == total, (model["name"], mine["weights_bytes"], total)
        same = ("--weights", "bf16", "--activations", "bf16", "--kv", "bf16", *workload(model, 900), "--kernel", "fused")
        a, b = answer("cost", path, *same), answer("cost", config, *same)
        assert a["flops"] == b["flops"] and a["bytes"] == b["bytes"], model["name"]
        a["memory"].pop("weights"), b["memory"].pop("weights"), a["memory"].pop("total"), b["memory"].pop("total")
        assert a["memory"] == b["memory"], model["name"]
        run("predict", path, "--on", "h100-sxm-80", *workload(model, 100))
        os.remove(path)
    print(f"# {len(models)} models")


MIX = ("Q8_0", "Q4_0", "F16", "Q5_0")


@check
def any_mix_of_formats(folder):
    """neighbours in unlike formats, experts' three matrices too: the bytes are the file's, costs and times are known"""
    with open(os.path.join(HERE, "converted.json"), encoding="utf-8") as file:
        models = json.load(file)["models"]
    for model in models:
        path, tensors = f"{folder}/{model['name']}.gguf", []
        for number, (name, kind, shape) in enumerate(expand(model)):
            if kind == "F16" and shape[0] % 32 == 0:
                kind = MIX[number % len(MIX)]
            tensors.append((name, kind, shape))
        total = g.write(path, [(key, kind, tuple(value) if kind == g.ARRAY else value) for key, kind, value in model["metadata"]], tensors)
        for kernel in ("eager", "fused"):
            cost = answer("cost", path, *workload(model, 100), "--kernel", kernel)
            assert cost["memory"]["weights"] == total, model["name"]
            assert 0 < cost["bytes"]["reads"]["weights"] < 2 * total, model["name"]
        run("predict", path, "--on", "h100-sxm-80", *workload(model, 100), "--advice", "none")
        os.remove(path)


@check
def tables_of_an_encoder(folder):
    """one kernel looks up, adds and normalises embeddings of three tables in three formats, also where there are as many tokens as rows"""
    with open(os.path.join(HERE, "converted.json"), encoding="utf-8") as file:
        model = next(m for m in json.load(file)["models"] if m["name"] == "bert-base-uncased")
    formats = {"token_embd.weight": "Q8_0", "position_embd.weight": "F16", "token_types.weight": "F32"}
    tensors = [(name, formats.get(name, kind), shape) for name, kind, shape in expand(model)]
    total = g.write(f"{folder}/bert.gguf", model["metadata"], tensors)
    row = {name: g.size_of(formats[name], shape[:1]) for name, _, shape in tensors if name in formats}
    for batch, tokens in ((1, 100), (3, 512), (1, 512), (1, 2), (2, 1)):
        cost = answer("cost", f"{folder}/bert.gguf", "--batch", str(batch), "--seq", str(tokens), "--kernel", "fused")
        read = rows(cost)["embeddings"]["bytes"]["reads"]["weights"]
        norm = 2 * 768 * 4
        want = batch * tokens * row["token_embd.weight"] + tokens * row["position_embd.weight"] + min(tokens, 2) * row["token_types.weight"] + norm
        assert read == want, (batch, tokens, read, want)
        assert cost["memory"]["weights"] == total


@check
def rows_of_one_tensor(folder):
    """query, key and value in one tensor: each is a third of it, and another size of any is an error"""
    with open(os.path.join(HERE, "converted.json"), encoding="utf-8") as file:
        model = next(m for m in json.load(file)["models"] if m["name"] == "nomic-embed-text-v1.5")
    tensors = [(name, "Q4_0" if "attn_qkv" in name else kind, shape) for name, kind, shape in expand(model)]
    total = g.write(f"{folder}/nomic.gguf", model["metadata"], tensors)
    cost = answer("cost", f"{folder}/nomic.gguf", "--seq", "10", "--all")
    for part in "qkv":
        assert rows(cost)[f"layers.1.self_attn.{part}_proj"]["bytes"]["reads"]["weights"] == g.size_of("Q4_0", [768, 768])
    assert cost["memory"]["weights"] == total
    for columns in (768 * 3 + 32, 768 * 3 - 32, 768 * 2):
        changed = [(name, kind, [shape[0], columns] if "blk.2.attn_qkv" in name else shape) for name, kind, shape in tensors]
        g.write(f"{folder}/nomic.gguf", model["metadata"], changed)
        said = run("inspect", f"{folder}/nomic.gguf", fails=True)
        assert said.returncode == 1 and "the tensor 'blk.2.attn_qkv.weight'" in said.stderr, said


@check
def encoders_that_are_refused(folder):
    """a head of classes is no weight of the encoder; RoBERTa is a BERT whose table of positions was cut, and has the bytes of the file"""
    with open(os.path.join(HERE, "converted.json"), encoding="utf-8") as file:
        models = {m["name"]: m for m in json.load(file)["models"]}
    for name in ("bert-base-uncased", "ModernBERT-base"):
        model = models[name]
        for tensor in ("cls.weight", "cls.output.weight"):
            g.write(f"{folder}/head.gguf", model["metadata"], expand(model) + [(tensor, "F16", [768, 768])])
            said = run("inspect", f"{folder}/head.gguf", fails=True)
            assert said.returncode == 1 and "it has a head of classes or scores" in said.stderr, said
    model = models["bert-base-uncased"]
    tensors = [(name, kind, [768, 514] if name.startswith("position_embd") else [768, 1] if name.startswith("token_types") else shape)
               for name, kind, shape in expand(model)]
    total = g.write(f"{folder}/roberta.gguf", model["metadata"], tensors)
    told = answer("inspect", f"{folder}/roberta.gguf")
    assert told["weights_bytes"] == total and told["parameters"]["total"] == parameters_of(tensors)


@check
def experts_read_what_they_are(folder):
    """one token of a mixture whose experts' matrices are in three formats: k of E slices of each, the rest once, a row of the embedding"""
    with open(os.path.join(HERE, "converted.json"), encoding="utf-8") as file:
        models = {m["name"]: m for m in json.load(file)["models"]}
    for name, used in (("Mixtral-8x7B", 2), ("Qwen3-30B-A3B", 8), ("q35moe", 8), ("MiniMax-M2.5", 8), ("gpt-oss-20b", 4), ("DeepSeek-V3", 8)):
        model = next(m for full, m in models.items() if name in full)
        path, read, tensors = f"{folder}/experts.gguf", 0, []
        formats = {"ffn_gate_exps.weight": "Q4_0", "ffn_up_exps.weight": "Q4_0", "ffn_down_exps.weight": "Q8_0"}
        for tensor, kind, shape in expand(model):
            part = tensor.split(".", 2)[-1]
            kind = formats.get(part, kind)
            tensors.append((tensor, kind, shape))
            size = g.size_of(kind, shape)
            if "_exps." in tensor:
                size = size // shape[-1] * used
            if tensor == "token_embd.weight":
                size //= shape[-1]
            read += 0 if tensor == "rope_freqs.weight" or "exp_probs_b" in tensor else size
        g.write(path, [(key, kind, tuple(value) if kind == g.ARRAY else value) for key, kind, value in model["metadata"]], tensors)
        cost = answer("cost", path, "--phase", "decode", "--past", "10", "--kernel", "fused")
        assert cost["bytes"]["reads"]["weights"] == read, (name, cost["bytes"]["reads"]["weights"], read)


# ---- what a file takes ----

def used_bytes():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


@check
def a_hole_of_100_gb(folder):
    """only the header is read"""
    path = f"{folder}/large.gguf"
    layers = 80
    metadata = [(k, t, layers if k.endswith("block_count") else 8192 if k.endswith("embedding_length") else 65536
                 if k.endswith("feed_forward_length") else 64 if k.endswith("head_count") else 8 if k.endswith("kv") else v) for k, t, v in llama()]
    tensors = [("token_embd.weight", "F16", [8192, 32000]), ("output_norm.weight", "F32", [8192])]
    for i in range(layers):
        tensors += [(f"blk.{i}.{n}.weight", "F16" if len(s) > 1 else "F32", s) for n, s in
                    (("attn_norm", [8192]), ("attn_q", [8192, 8192]), ("attn_k", [8192, 1024]), ("attn_v", [8192, 1024]), ("attn_output", [8192, 8192]),
                     ("ffn_norm", [8192]), ("ffn_gate", [8192, 65536]), ("ffn_up", [8192, 65536]), ("ffn_down", [65536, 8192]))]
    try:
        total = g.write(path, metadata, tensors)
    except OSError as error:
        print(f"# no such file here: {error}")
        return
    assert total > 100 * 10**9
    assert answer("inspect", path)["weights_bytes"] == total
    assert os.stat(path).st_blocks * 512 < 1 << 20
    if "ASAN_OPTIONS" not in os.environ:  # a sanitizer's own memory is no reader's
        assert used_bytes() < 400 << 20


@check
def a_vocabulary(folder):
    """long arrays of text are passed by"""
    path = f"{folder}/vocabulary.gguf"
    tokens = [f"token{i}" for i in range(300000)]
    metadata = llama() + [("tokenizer.ggml.tokens", g.ARRAY, (g.TEXT, tokens)), ("tokenizer.ggml.scores", g.ARRAY, (g.F32, [0.5] * len(tokens)))]
    total = g.write(path, metadata, mixed())
    assert answer("inspect", path)["weights_bytes"] == total


def main():
    checks = [c for c in CHECKS if not WANTED or c.__name__ in WANTED]
    failed = 0
    print(f"1..{len(checks)}")
    for number, function in enumerate(checks, 1):
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="ridge-gguf-") as folder:
            try:
                function(folder)
                print(f"ok {number} - {function.__name__}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"not ok {number} - {function.__name__}\n# {str(error)[:1500]}", flush=True)
        print(f"# {time.monotonic() - started:.1f} s")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
