"""FLOPsCounter and its like, the catalog by name: against numbers by hand, with what is refused.
    counter.py RIDGE LIBRARY"""

import inspect
import os
import pathlib
import sys
import threading

os.environ["RIDGE_LIBRARY"] = str(pathlib.Path(sys.argv[2]).resolve())
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/golden")]
import driver  # noqa: E402
import ridge  # noqa: E402

TAP = driver.Tap()
LAYER = dict(batch=1, seq_len=2048, hidden=4096, heads=32, intermediate=11008)


def same(name, found, wanted):
    TAP.case(name, [] if found == wanted and type(found) is type(wanted) else [f"{found!r}, wanted {wanted!r}"])


def refused(name, kind, words, call, *arguments, **named):
    try:
        problem = [f"answered {call(*arguments, **named)!r}"]
    except Exception as error:
        problem = [] if type(error) is kind and words in str(error) else [f"{type(error).__name__}: {error}"]
    TAP.case(name, problem)


def functions():
    """2 m n k; softmax 5 per score; 8 per activation, 1 per gate product; 5 per element of a norm (docs/layer-counters.md)"""
    same("matmul", ridge.profile_matmul_flops(2, 3, 5).total_flops, 60)
    quantized = ridge.profile_matmul_flops(2, 3, 5, quantized=True)
    same("matmul, quantised", (quantized.total_flops, quantized.matmul, quantized.dequantisation), (120, 60, 60))
    same("its overhead in percent", quantized.quantization_overhead_percent, 100.0)
    same("beyond 64 bits", ridge.profile_matmul_flops(15000000000000, 405000, 1000000).total_flops, 12150000000000000000000000)
    attention = ridge.profile_attention_flops(1, 3, 1, 4)
    same("attention", (attention.total_flops, attention.attention, attention.other), (189, 2 * 2 * 9 * 4, 5 * 9))
    same("attention, causal", ridge.profile_attention_flops(1, 3, 1, 4, causal=True).total_flops, 72 + 22)
    ffn = ridge.profile_ffn_flops(1, 1, 1, 1, gated=True, quantized=True)
    same("ffn", (ffn.matmul, ffn.activation, ffn.other, ffn.dequantisation, ffn.total_flops), (6, 8, 1, 6, 21))
    same("ffn's overhead", ffn.quantization_overhead_percent, 40.0)
    same("layernorm", ridge.profile_layernorm_flops(2, 3, 4).total_flops, 5 * 24)
    same("embedding", ridge.profile_embedding_flops(2, 3, 4).embedding, 24)
    layer = ridge.profile_transformer_layer_flops(**LAYER)
    parts = layer.attention.total_flops, layer.ffn.total_flops, layer.layernorm.total_flops
    same("transformer layer", (*parts, layer.total_flops), (69390565376, 369547542528, 83886080, 439021993984))
    same("in TFLOPs", layer.tflops, 0.439021993984)
    model = ridge.profile_model_flops(32, 32000, **LAYER)
    same("model", (model.total_flops, model.lm_head.total_flops), (14585583108096, 536870912000))


def counter():
    c = ridge.FLOPsCounter()
    c.add_embedding("embed", 1, 2048, 4096, metadata={"stage": 0})
    c.add_transformer_layer("layer", **LAYER, metadata={"stage": 1})
    c.add_layernorm("norm", 1, 2048, 4096, metadata={"note": "ä"})
    c.add_matmul("lm_head", 2048, 32000, 4096, metadata={})
    c.add_attention("extra", 1, 3, 1, 4, causal=True, metadata={"tags": [1, None]})
    c.add_ffn("ffn", 1, 2, 3, 5, gated=True, quantized=True, metadata={"expert": 7})
    same("the sum", c.total_flops, 8388608 + 439021993984 + 41943040 + 536870912000 + 94 + 450)
    same("in 10^9 and 10^12", (c.total_gflops, c.tflops), (975.943238176, 0.975943238176))
    same("layers in order", [one.name for one in c.layers], ["embed", "layer", "norm", "lm_head", "extra", "ffn"])
    given = [one.metadata.get(key) for one, key in zip(c.layers, ("stage", "stage", "note", "m", "tags", "expert"))]
    same("metadata of all", given, [0, 1, "ä", 2048, [1, None], 7])
    same("metadata beside the shape", c.get_layer("extra").metadata["seq_len"], 3)
    same("the top two", [one.name for one in c.top(2)], ["lm_head", "layer"])
    same("percent", round(c.get_layer("lm_head").percent, 6), round(100 * 536870912000 / 975943238176, 6))
    same("summary", c.summary(1).splitlines()[1].split(), ["lm_head", "matmul", "536,870,912,000", "55.0"])
    same("repr", repr(c), "<FLOPsCounter of 6 layers, 975,943,238,176 FLOPs>")
    other = ridge.FLOPsCounter()
    for layer in c:
        other.add_layer(layer.name, layer)
    other.add_layer("more", 2**70, metadata={"from": "elsewhere"})
    other.add_layer("classes", matmul=3, other=4)
    same("layers of another counter", other.total_flops, c.total_flops + 2**70 + 7)
    same("what they keep", (other.layers[1].metadata["stage"], other.get_layer("ffn").dequantisation), (1, 180))
    c.clear()
    same("cleared", (len(c), c.total_flops, list(c)), (0, 0, []))


def threads():
    c = ridge.FLOPsCounter()

    def add():
        for _ in range(200):
            c.add_matmul("x", 1, 1, 1)
            c.summary(1)

    running = [threading.Thread(target=add) for _ in range(4)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    same("four threads on one counter", (len(c), c.total_flops), (800, 1600))


def refusals():
    c, usage, option, model = ridge.FLOPsCounter(), ridge.UsageError, ridge.OptionError, ridge.ModelError
    refused("a negative size", usage, "m: -1 is not between 1 and 2^64 - 1", c.add_matmul, "a", -1, 2, 3)
    refused("zero", usage, "k: 0", c.add_matmul, "a", 1, 2, 0)
    refused("a fraction", option, "n: 2.5 is no whole number", c.add_matmul, "a", 1, 2.5, 3)
    refused("NaN", option, "nan is no whole number", ridge.profile_matmul_flops, float("nan"), 2, 3)
    refused("True as a size", option, "True is no whole number", c.add_matmul, "a", True, 2, 3)
    refused("a huge size", usage, "is not between", c.add_matmul, "a", 10**400, 2, 3)
    refused("beyond 128 bits", model, "does not fit in 128 bits", c.add_matmul, "a", 2**63, 2**63, 2**63)
    refused("a flag that is none", option, "quantized: 2 is neither True nor False", c.add_matmul, "a", 1, 2, 3, quantized=2)
    refused("a name that is none", option, "name", c.add_matmul, 3, 1, 2, 3)
    refused("metadata in the shape's place", model, "'m' is a name of the layer's shape", c.add_matmul, "a", 1, 2, 3, metadata={"m": 1})
    refused("metadata that JSON cannot hold", option, "what JSON can hold", c.add_matmul, "a", 1, 2, 3, metadata={"x": object()})
    refused("metadata that is no dict", option, "metadata is a dict, not list", c.add_layernorm, "a", 1, 2, 3, metadata=[1])
    refused("a negative count", model, "a negative number of FLOPs", c.add_layer, "a", other=-1)
    refused("a layer that is not there", model, "there is no layer 'nothing'", c.get_layer, "nothing")
    refused("heads that do not divide", usage, "give head_dim", ridge.profile_transformer_layer_flops, 1, 2, 10, 3, 4)
    same("nothing of it was added", len(c), 0)


def catalog():
    same("compute_flops by name", ridge.compute_flops("torch.nn.Linear", rows=2048, in_features=4096, out_features=11008), 184683593728)
    same("compute_flops by position, other spelling", ridge.compute_flops("torch__nn__Linear", 2, 3, 4, bias=True), 2 * 2 * 3 * 4 + 8)
    refused("an unknown module", ridge.ModelError, "'torch.nn.Linaer' is not in the catalog", ridge.compute_flops, "torch.nn.Linaer")
    refused("a missing argument", ridge.ModelError, "misses its argument 'in_features'", ridge.compute_flops, "torch.nn.Linear", 1)
    refused("an argument that is no number", ridge.OptionError, "3.5 is no whole number", ridge.compute_flops, "torch.nn.Linear", 1, 2, 3.5)
    database = ridge.ModuleDatabase()
    same("the database's formula", database["torch.nn.Linear"].resolved["flops"]["matmul"], "2*rows*in_features*out_features")
    same("what it holds", ("torch__nn__Linear" in database, "torch.nn.Linaer" in database, database.get("nothing")), (True, False, None))
    refused("an entry that is not there", KeyError, "is not in the catalog", database.__getitem__, "nothing")
    refused("a catalog that is not there", ridge.ModelError, "No such file", ridge.ModuleDatabase("/nowhere.json").__getitem__, "torch.nn.Linear")
    TAP.case("search", [] if "torch.nn.Conv2d" in database.search("nn.Conv") else ["no torch.nn.Conv2d"])
    registry = ridge.ModuleRegistry(database)
    sizes = dict(rows=1, in_features=10, out_features=3, bias=True)
    found = registry.params("torch.nn.Linear", **sizes), registry.reads("torch.nn.Linear", **sizes), registry.writes("torch.nn.Linear", **sizes)
    same("the registry's other formulas", found, (33, 33 + 10, 3))
    same("what an entry takes", registry.parameters("torch.nn.Linear")[:2], ["rows|batch_elements", "in_features|input_features"])


def docstrings():
    """Every public name here says where its numbers come from, every function what it raises, every method what it is."""
    for home in ("_counter", "_database", "_inventory", "_analyze", "_hooks", "_measure", "_attention"):
        for name in ridge._TABLE[home]:
            made = getattr(ridge, name)
            wanted = ["Source"] if inspect.isclass(made) else ["Errors", "Source"]
            said = inspect.getdoc(made) or ""
            bare = [key for key, value in vars(made).items() if not key.startswith("_") and (callable(value) or isinstance(value, property))
                    and not inspect.getdoc(value)] if inspect.isclass(made) else []
            TAP.case(f"the docstring of {name}", [f"no {word}" for word in wanted if word not in said] + [f"{key} has none" for key in bare])


for part in (functions, docstrings, counter, threads, refusals, catalog):
    part()
sys.exit(TAP.end())
