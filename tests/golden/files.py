"""Small models made here, tensor by tensor, and the program's comparison of them with the tree of their config (`ridge inspect --verify`): what
the libraries tie, rename, join, split and quantise is explained, and anything else is found. What a file holds is what went into it."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "input"))
import driver  # noqa: E402
import writers  # noqa: E402
from writers import OrderedDict, Storage, checkpoint, fresh, safetensors, tensor  # noqa: E402

H, VOCAB, INNER, LAYERS = 8, 16, 12, 2
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": H, "intermediate_size": INNER, "num_hidden_layers": LAYERS,
         "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": VOCAB, "max_position_embeddings": 32, "tie_word_embeddings": False,
         "torch_dtype": "bfloat16"}
BERT = {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": H, "intermediate_size": INNER, "num_hidden_layers": 1,
        "num_attention_heads": 2, "vocab_size": VOCAB, "max_position_embeddings": 32, "type_vocab_size": 2}
MOE = {"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": H, "intermediate_size": INNER, "num_hidden_layers": 1,
       "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "vocab_size": VOCAB, "num_experts": 3, "num_experts_per_tok": 2,
       "moe_intermediate_size": 6, "decoder_sparse_step": 1, "mlp_only_layers": [], "tie_word_embeddings": False}
GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": H, "n_layer": 1, "n_head": 2, "vocab_size": VOCAB, "n_positions": 32}


def llama(dtype="BF16"):
    """Names and shapes as transformers' modeling_llama.py has them; Linear keeps [out, in]."""
    one = [("self_attn.q_proj", (8, 8)), ("self_attn.k_proj", (4, 8)), ("self_attn.v_proj", (4, 8)), ("self_attn.o_proj", (8, 8)),
           ("mlp.gate_proj", (INNER, H)), ("mlp.up_proj", (INNER, H)), ("mlp.down_proj", (H, INNER)), ("input_layernorm", (H,)),
           ("post_attention_layernorm", (H,))]
    out = [("model.embed_tokens.weight", dtype, (VOCAB, H))]
    out += [(f"model.layers.{i}.{name}.weight", dtype, shape) for i in range(LAYERS) for name, shape in one]
    return out + [("model.norm.weight", dtype, (H,)), ("lm_head.weight", dtype, (VOCAB, H))]


def bert():
    two = lambda name, *shape: [(name + ".weight", "F32", shape), (name + ".bias", "F32", shape[:1])]
    out = [(f"embeddings.{n}_embeddings.weight", "F32", (rows, H)) for n, rows in (("word", VOCAB), ("position", 32), ("token_type", 2))]
    out += two("embeddings.LayerNorm", H)
    layer = "encoder.layer.0."
    for name, *shape in (("attention.self.query", H, H), ("attention.self.key", H, H), ("attention.self.value", H, H),
                         ("attention.output.dense", H, H), ("attention.output.LayerNorm", H), ("intermediate.dense", INNER, H),
                         ("output.dense", H, INNER), ("output.LayerNorm", H)):
        out += two(layer + name, *shape)
    return out + two("pooler.dense", H, H)


def moe():
    a = "model.layers.0."
    out = [("model.embed_tokens.weight", "BF16", (VOCAB, H)), (a + "self_attn.q_proj.weight", "BF16", (8, 8)), (a + "self_attn.k_proj.weight", "BF16", (4, 8)),
           (a + "self_attn.v_proj.weight", "BF16", (4, 8)), (a + "self_attn.o_proj.weight", "BF16", (8, 8)), (a + "self_attn.q_norm.weight", "BF16", (4,)),
           (a + "self_attn.k_norm.weight", "BF16", (4,)), (a + "mlp.gate.weight", "BF16", (3, H))]
    for e in range(3):
        out += [(a + f"mlp.experts.{e}.{n}_proj.weight", "BF16", s) for n, s in (("gate", (6, H)), ("up", (6, H)), ("down", (H, 6)))]
    return out + [(a + "input_layernorm.weight", "BF16", (H,)), (a + "post_attention_layernorm.weight", "BF16", (H,)), ("model.norm.weight", "BF16", (H,)),
                  ("lm_head.weight", "BF16", (VOCAB, H))]


def gpt2():
    a = "transformer.h.0."
    names = [("transformer.wte.weight", (VOCAB, H)), ("transformer.wpe.weight", (32, H)), (a + "ln_1.weight", (H,)), (a + "ln_1.bias", (H,)),
             (a + "attn.c_attn.weight", (H, 3 * H)), (a + "attn.c_attn.bias", (3 * H,)), (a + "attn.c_proj.weight", (H, H)), (a + "attn.c_proj.bias", (H,)),
             (a + "ln_2.weight", (H,)), (a + "ln_2.bias", (H,)), (a + "mlp.c_fc.weight", (H, 4 * H)), (a + "mlp.c_fc.bias", (4 * H,)),
             (a + "mlp.c_proj.weight", (4 * H, H)), (a + "mlp.c_proj.bias", (H,)), ("transformer.ln_f.weight", (H,)), ("transformer.ln_f.bias", (H,))]
    return [(n, "F32", s) for n, s in names]


def without(tensors, *names):
    return [t for t in tensors if t[0] not in names]


def renamed(tensors, change):
    return [(change(n), d, s) for n, d, s in tensors]


def replaced(tensors, ending, make):
    """Each tensor of that ending becomes several."""
    out = []
    for t in tensors:
        out += make(*t) if t[0].endswith(ending) else [t]
    return out


def gptq(name, dtype, shape):
    stem, (rows, columns) = name[:-len("weight")], shape
    return [(stem + "qweight", "I32", (columns // 4, rows)), (stem + "qzeros", "I32", (1, rows // 4)), (stem + "scales", "F16", (1, rows)),
            (stem + "g_idx", "I32", (columns,)), (stem + "bias", "F16", (rows,))]


def nf4(name, dtype, shape):
    n = shape[0] * shape[1]
    return [(name, "U8", (n // 2, 1)), (name + ".absmax", "F32", (n // 64 + 1,)), (name + ".quant_map", "F32", (16,)),
            (name + ".quant_state.bitsandbytes__nf4", "U8", (70,))]


def fp8(name, dtype, shape):
    return [(name, "F8_E4M3", shape), (name + "_scale_inv", "F32", (1, 1))]


def fused_qkv(tensors):
    out = []
    for n, d, s in tensors:
        if n.endswith("q_proj.weight"):
            out.append((n.replace("q_proj", "qkv_proj"), d, (16, 8)))
        elif n.endswith("gate_proj.weight"):
            out.append((n.replace("gate_proj", "gate_up_proj"), d, (2 * INNER, H)))
        elif not n.endswith(("k_proj.weight", "v_proj.weight", "up_proj.weight")):
            out.append((n, d, s))
    return out


def stacked(tensors):
    a = "model.layers.0.mlp.experts."
    return [t for t in tensors if ".experts." not in t[0]] + [(a + "gate_up_proj", "BF16", (3, 12, H)), (a + "down_proj", "BF16", (3, H, 6))]


LINEAR = ("_proj.weight",)
QUANT_BIAS = 14  # each GPTQ module's own bias: seven in each of two layers
# name, config, tensors, what is expected: numbers of rows by kind; unexplained ones end with exit status 3
CASES = [
    ("as it is", LLAMA, llama(), {}),
    ("another order", LLAMA, sorted(llama(), reverse=True), {}),
    ("one is missing", LLAMA, without(llama(), "model.norm.weight"), {"missing": 1}),
    ("one is extra", LLAMA, llama() + [("model.layers.2.input_layernorm.weight", "BF16", (H,))], {"extra": 1}),
    ("one is turned", LLAMA, [(n, d, (INNER, H) if n.endswith("0.mlp.down_proj.weight") else s) for n, d, s in llama()], {"reshaped": 1}),
    ("a larger vocabulary", LLAMA, [(n, d, (20, H) if s == (VOCAB, H) else s) for n, d, s in llama()], {"reshaped": 2}),
    ("of another model", LLAMA, gpt2(), {"missing": 21, "extra": 16}),
    ("nothing", LLAMA, [], {"missing": 21}),
    ("tied, stored once", {**LLAMA, "tie_word_embeddings": True}, without(llama(), "lm_head.weight"), {"tied": 1}),
    ("tied, stored twice", {**LLAMA, "tie_word_embeddings": True}, llama(), {}),
    ("tied, only the head stored", {**LLAMA, "tie_word_embeddings": True}, without(llama(), "model.embed_tokens.weight"), {"tied": 1}),
    ("tied, neither stored", {**LLAMA, "tie_word_embeddings": True}, without(llama(), "model.embed_tokens.weight", "lm_head.weight"), {"missing": 2}),
    ("not tied, the head is missing", LLAMA, without(llama(), "lm_head.weight"), {"missing": 1}),
    ("buffers", LLAMA, llama() + [(f"model.layers.{i}.self_attn.rotary_emb.inv_freq", "F32", (2,)) for i in range(LAYERS)], {"buffers": 2}),
    ("without the base model's prefix", LLAMA, renamed(llama(), lambda n: n.replace("model.", "", 1) if n.startswith("model.") else n), {"renamed": 20}),
    ("with a prefix", BERT, renamed(bert(), lambda n: "bert." + n), {"renamed": 23}),
    ("with a prefix and a head", BERT, renamed(bert(), lambda n: "bert." + n) + [("cls.predictions.bias", "F32", (VOCAB,))], {"renamed": 23, "extra": 1}),
    ("gamma and beta", BERT, renamed(bert(), lambda n: n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")),
     {"renamed": 6}),
    ("position numbers", BERT, bert() + [("embeddings.position_ids", "I64", (1, 32))], {"buffers": 1}),
    ("masks of gpt2, tied head", GPT2, gpt2() + [("transformer.h.0.attn.bias", "F32", (1, 1, 32, 32)), ("transformer.h.0.attn.masked_bias", "F32", ())],
     {"tied": 1, "buffers": 2}),
    ("gpt2 as its first checkpoint", GPT2, renamed(gpt2(), lambda n: n.replace("transformer.", "", 1)), {"tied": 1, "renamed": 16}),
    ("query, key and value joined", LLAMA, fused_qkv(llama()), {"fused": 10}),
    ("joined, of another size", LLAMA, [(n, d, (17, 8) if n.endswith("qkv_proj.weight") else s) for n, d, s in fused_qkv(llama())],
     {"fused": 4, "missing": 6, "extra": 2}),
    ("experts one by one", MOE, moe(), {}),
    ("experts stacked", MOE, stacked(moe()), {"fused": 9}),
    ("experts stacked, one short", MOE, [(n, d, (2, 12, H) if n.endswith("gate_up_proj") else s) for n, d, s in stacked(moe())],
     {"fused": 3, "missing": 6, "extra": 1}),
    ("an expert is missing", MOE, without(moe(), "model.layers.0.mlp.experts.2.up_proj.weight"), {"missing": 1}),
    ("GPTQ", LLAMA, replaced(llama(), LINEAR, gptq), {"quantised": 14 * 4 + QUANT_BIAS}),
    ("bitsandbytes", LLAMA, replaced(llama(), LINEAR, nf4), {"quantised": 14 * 4}),
    ("fp8", LLAMA, replaced(llama(), LINEAR, fp8), {"quantised": 14}),
    ("a scale of nothing", LLAMA, llama() + [("model.layers.7.self_attn.q_proj.weight_scale_inv", "F32", (1, 1))], {"extra": 1}),
]
KINDS = ("missing", "extra", "reshaped", "tied", "fused", "renamed", "quantised", "buffers")
UNEXPLAINED = KINDS[:3]


def run(program, *words):
    done = subprocess.run([program, "inspect", *words], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else None, done.stderr


def write(folder, config, files):
    os.makedirs(folder, exist_ok=True)
    if config:
        files = {"config.json": json.dumps(config).encode(), **files}
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    return folder


def compare(program, folder, wanted):
    status, answer, words = run(program, folder, "--verify", "--json")
    if answer is None:
        yield words
        return
    found = {kind: len(answer["verify"][kind]) for kind in KINDS if answer["verify"][kind]}
    if found != wanted:
        yield f"{found}, expected {wanted}"
        for kind in UNEXPLAINED:
            yield f"{kind}: {[row['name'] or row['stored'] for row in answer['verify'][kind]][:8]}"
    unexplained = sum(wanted.get(kind, 0) for kind in UNEXPLAINED)
    if answer["verify"]["unexplained"] != unexplained or status != (3 if unexplained else 0):
        yield f"exit status {status}, {answer['verify']['unexplained']} unexplained, expected {unexplained}"


def check_verify(program, tap, folder):
    for i, (name, config, tensors, wanted) in enumerate(CASES):
        place = write(os.path.join(folder, str(i)), config, {"model.safetensors": safetensors(tensors)})
        tap.case(f"verify: {name}", list(compare(program, place, wanted)))


# ---- the same tensors in other files ----

TORCH = {"BF16": "torch.bfloat16", "F32": "torch.float32", "I64": "torch.int64"}


def shards(tensors, ending, write_one):
    """Two files and their index."""
    half, names = len(tensors) // 2, ("a" + ending, "b" + ending)
    parts = (tensors[:half], tensors[half:])
    index = {"metadata": {}, "weight_map": {t[0]: name for name, part in zip(names, parts) for t in part}}
    return {**{name: write_one(part) for name, part in zip(names, parts)}, f"model{ending}.index.json": json.dumps(index).encode()}


def torch_file(tensors):
    return checkpoint(OrderedDict((n, fresh(str(i), TORCH[d], s)) for i, (n, d, s) in enumerate(tensors)))


def tied_file(tensors):
    """The head shares the embedding's storage, as torch.save writes a tied model."""
    table = Storage("table", "torch.bfloat16", VOCAB * H)
    return checkpoint(OrderedDict((n, tensor(table, s) if s == (VOCAB, H) else fresh(str(i), TORCH[d], s)) for i, (n, d, s) in enumerate(tensors)))


def forms():
    yield "one file", {"model.safetensors": safetensors(llama())}
    yield "shards with an index", shards(llama(), ".safetensors", safetensors)
    yield "files without an index", {n: d for n, d in shards(llama(), ".safetensors", safetensors).items() if not n.endswith(".json")}
    yield "a checkpoint", {"pytorch_model.bin": torch_file(llama())}
    yield "checkpoints with an index", {**{n: d for n, d in shards(llama(), ".bin", torch_file).items() if not n.endswith(".json")},
                                        "pytorch_model.bin.index.json": shards(llama(), ".bin", torch_file)["model.bin.index.json"]}
    yield "a pipeline's part", {"diffusion_pytorch_model.safetensors": safetensors(llama())}
    yield "safetensors beside a checkpoint, which is not looked at", {"model.safetensors": safetensors(llama()), "pytorch_model.bin": b"no checkpoint"}


def check_forms(program, tap, folder):
    """Names, shapes and bytes of what is stored, whatever stores it, with a config and without."""
    tensors = llama()
    elements = sum(writers.product(s) for _, _, s in tensors)
    for i, (name, files) in enumerate(forms()):
        place = write(os.path.join(folder, f"form{i}"), LLAMA, files)
        problems = list(compare(program, place, {}))
        os.unlink(os.path.join(place, "config.json"))
        status, answer, words = run(program, place, "--json")
        if status:
            problems.append(words)
        else:
            problems += list(compare_answer(answer, tensors, elements))
        tap.case(f"files: {name}", problems)


def compare_answer(answer, tensors, elements):
    found = {(m["path"] + "." if m["path"] else "") + n: (tuple(t["shape"]), t["bytes"]) for m in answer["modules"] for n, t in m["tensors"].items()}
    wanted = {n: (s, writers.product(s) * writers.BITS[d] // 8) for n, d, s in tensors}
    if found != wanted:
        yield f"tensors differ: {sorted(set(found.items()) ^ set(wanted.items()))[:4]}"
    if answer["parameters"]["total"] != elements or answer["weights_bytes"] != 2 * elements or answer["files"]["bytes"] != 2 * elements:
        yield f"{answer['parameters']}, {answer['weights_bytes']} bytes; expected {elements} and {2 * elements}"
    totals = {m["path"]: m["parameters_total"] for m in answer["modules"]}
    layer = sum(writers.product(s) for n, _, s in tensors if n.startswith("model.layers.0."))
    if totals.get("model.layers.0") != layer or totals.get("model.layers") != 2 * layer or totals.get("") != elements:
        yield f"totals of modules: {totals}"


def check_tied_file(program, tap, folder):
    place = write(os.path.join(folder, "tied"), {**LLAMA, "tie_word_embeddings": True}, {"pytorch_model.bin": tied_file(llama())})
    problems = list(compare(program, place, {}))
    os.unlink(os.path.join(place, "config.json"))
    _, answer, words = run(program, place, "--json")
    elements = sum(writers.product(s) for _, _, s in llama()) - VOCAB * H
    if answer is None or (answer["parameters"]["total"], answer["files"]["bytes"], answer["files"]["tied"]) != (elements, 2 * elements, 1):
        problems.append(f"{words or answer['files']}")
    tap.case("files: a checkpoint whose head shares the embedding's storage", problems)


def checkpoints():
    """Three tensors, as checkpoints have them: name of the form, file, the member that is read, what is left beside it."""
    a, b, c = (lambda: fresh("0", "torch.float32", (2, 3))), (lambda: fresh("1", "torch.bfloat16", (4,))), (lambda: fresh("2", "torch.int64", ()))
    state = lambda: OrderedDict([("a.weight", writers.parameter(a())), ("a.bias", b()), ("n", c())])
    module = lambda: writers.module(training=True, _parameters=OrderedDict(), _buffers=OrderedDict(n=c()), _modules=OrderedDict(
        a=writers.module(_parameters=OrderedDict(weight=writers.parameter(a()), bias=b()), _buffers=OrderedDict(), _modules=OrderedDict())))
    script = lambda: writers.module(training=False, a=writers.module(weight=a(), bias=b()), n=c())
    for protocol in (2, 3, 4, 5):
        yield f"protocol {protocol}", checkpoint(state(), protocol), None, None
    yield "zip64", checkpoint(state(), zip64=True), None, None
    yield "another name inside", checkpoint(state(), name="pytorch_model"), None, None
    yield "before PyTorch 1.6", writers.legacy(state()), None, None
    yield "nested dicts", checkpoint({"a": {"weight": a(), "bias": b()}, "n": c()}), None, None
    yield "of training", checkpoint({"epoch": 3, "model_state_dict": state(), "optimizer": {"state": {0: {"m": fresh("9", "torch.float32", (5,))}}}}), \
        "model_state_dict", "epoch, optimizer"
    yield "a whole module", checkpoint(module()), None, None
    yield "a whole module of training", checkpoint({"model": module(), "best": 0.5}), "model", "best"
    yield "OrderedDict of Python 2", checkpoint(writers.Call(OrderedDict, ([["a.weight", a()], ["a.bias", b()], ["n", c()]],))), None, None
    yield "named arguments", checkpoint({"a": writers.named(weight=a(), bias=b()), "n": c()}, 4), None, None
    yield "a script's module", checkpoint(script()), None, None
    yield "a subclass", checkpoint(OrderedDict([("a.weight", writers.Call(sys.modules["torch._tensor"]._rebuild_from_type_v2, (
        sys.modules["torch._utils"]._rebuild_tensor_v2, sys.modules["evil"].Thing, (Storage("0", "torch.float32", 6), 0, (2, 3), (3, 1), False, OrderedDict()),
        {}))), ("a.bias", b()), ("n", c())])), None, None


def check_checkpoints(program, tap, folder):
    wanted = {"a.weight": ([2, 3], "torch.float32", 24), "a.bias": ([4], "torch.bfloat16", 8), "n": ([], "torch.int64", 8)}
    for i, (name, data, part, left) in enumerate(checkpoints()):
        path = os.path.join(write(os.path.join(folder, f"checkpoint{i}"), None, {"model.pt": data}), "model.pt")
        _, answer, words = run(program, path, "--json")
        if answer is None:
            tap.case(f"checkpoint: {name}", [words])
            continue
        found = {(m["path"] + "." if m["path"] else "") + n: (t["shape"], t["stored_as"], t["bytes"]) for m in answer["modules"] for n, t in m["tensors"].items()}
        problems = [] if found == wanted else [f"{found}, expected {wanted}"]
        if (answer["files"]["part"], answer["files"]["left"], answer["parameters"]["total"]) != (part, left, 10):
            problems.append(f"{answer['files']}, {answer['parameters']}")
        tap.case(f"checkpoint: {name}", problems)


def check_large(program, tap, folder):
    """Of 100 GB, whose bytes are nowhere, the header alone is read; 10,000 tensors of two layers' names."""
    entries, size = writers.header([("big", "F32", (25_000_000_000,))])
    path = os.path.join(folder, "big.safetensors")
    with open(path, "wb") as file:
        file.write(writers.raw(json.dumps(entries)))
        file.truncate(file.tell() + size)
    status, answer, words = run(program, path, "--json")
    tap.case("a sparse file of 100 GB", [] if status == 0 and answer["weights_bytes"] == 100_000_000_000 else [words])
    os.unlink(path)
    many = [(f"model.layers.{i}.w.weight", "BF16", (2, 3)) for i in range(10_000)]
    place = write(os.path.join(folder, "many"), None, {"model.safetensors": safetensors(many)})
    status, answer, words = run(program, place, "--json")
    fine = status == 0 and answer["files"]["tensors"] == 10_000 and answer["parameters"]["total"] == 60_000
    order = fine and [m["path"] for m in answer["modules"] if m["path"].count(".") == 2] == [f"model.layers.{i}" for i in range(10_000)]
    tap.case("10,000 tensors, in the order of their numbers", [] if order else [words or answer["files"]])


def main():
    program, tap = sys.argv[1], driver.Tap()
    with tempfile.TemporaryDirectory() as folder:
        check_verify(program, tap, folder)
        check_forms(program, tap, folder)
        check_tied_file(program, tap, folder)
        check_checkpoints(program, tap, folder)
        check_large(program, tap, folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
