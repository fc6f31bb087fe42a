"""ridge.analyze, inventory and hooks on live modules (zoo.py) of the PyTorch that is there, against a count of real passes that knows nothing of
Ridge (reference_flops.py) and against numbers by hand.
    live.py RIDGE LIBRARY"""

import json
import os
import pathlib
import re
import sys
import tempfile
import warnings

SCRATCH = pathlib.Path(tempfile.mkdtemp())
os.environ.update(RIDGE_LIBRARY=str(pathlib.Path(sys.argv[2]).resolve()), HF_HUB_OFFLINE="1", XDG_DATA_HOME=str(SCRATCH / "data"), HF_HOME=str(SCRATCH / "hf"))
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/golden"), str(HERE)]
import driver  # noqa: E402
import ridge  # noqa: E402

try:
    import torch
except ImportError:
    print("1..0 # SKIP this Python has no PyTorch (Debian: python3-torch)")
    sys.exit(0)
import reference_flops  # noqa: E402
import zoo  # noqa: E402
from torch import nn  # noqa: E402

warnings.simplefilter("ignore")
TAP = driver.Tap()


def refused(name, kind, words, call, *arguments, **named):
    try:
        problem = [f"answered {call(*arguments, **named)!r}"]
    except Exception as error:
        problem = [] if type(error) is kind and words in str(error) else [f"{type(error).__name__}: {error}"]
    TAP.case(name, problem)


def same(name, found, wanted):
    TAP.case(name, [] if found == wanted else [f"{found!r}, wanted {wanted!r}"])


# ---- FLOPs, module by module ----


def differences(module, counted, told):
    """What is not as counted. FLOPs below a module are those of the paths below it: a list of layers, which is never called, has those of its
    layers, and a module that stands in two places has them in the first."""
    below = {path: sum(own for other, own in counted.own.items() if other == path or not path or other.startswith(path + ".")) for path in counted.own}
    if told.parameters != sum(p.numel() for p in module.parameters()):
        yield f"{told.parameters} parameters"
    if [row.path for row in told.modules] != [path for path, _ in module.named_modules()]:
        yield "other modules than named_modules()"
    for row in told.modules:
        found = row.calls, row.own_torch_flops, row.torch_flops
        wanted = counted.calls[row.path], counted.own[row.path], below[row.path]
        if found != wanted:
            yield f"'{row.path}': calls, FLOPs of its own, with its parts {found}, counted {wanted}"
        if row.parameters != sum(p.numel() for p in dict(module.named_modules())[row.path].parameters()):
            yield f"'{row.path}': {row.parameters} parameters"
    if told.torch_flops != counted.total[""]:
        yield f"{told.torch_flops} in all, counted {counted.total['']}"


def zoo_of_models():
    for name, (module, inputs) in zoo.build().items():
        counted = reference_flops.Counter(module).count(module, inputs)
        told = ridge.analyze(module, inputs)
        TAP.case(f"{name}: {counted.total['']:,} FLOPs", differences(module, counted, told))
        by_run = ridge.analyze(module, inputs, learn=False) if not any("no run was recorded" in note for note in told.notes) else None
        if by_run:
            TAP.case(f"{name}, nothing learned", differences(module, counted, by_run))
            same(f"{name}, the same FLOPs of all classes", by_run.flops, told.flops)


def where_numbers_come_from():
    models = zoo.build()
    residual = ridge.analyze(*models["residual"])
    places = {row.path: (row.source, row.by.partition(":")[0]) for row in residual.modules}
    same("an entry of the catalog", places["0"], ("catalog", "torch.nn.Conv2d"))
    same("the source of a class", places["2"], ("learned", "zoo.py"))
    same("nothing of its own", places[""], ("parts", ""))
    line = next(i for i, text in enumerate((HERE / "zoo.py").read_text().splitlines(), 1) if text.startswith("class Residual"))
    same("its line", residual.get("2").by, f"zoo.py:{line}")
    unet = ridge.analyze(*models["unet"])
    same("a class that does not keep what it is made with goes by the run", (unet.total.source, "width" in unet.total.note), ("run", True))
    given = ridge.analyze(*models["unet"], arguments={"width": 4})
    same("unless that is said", (given.total.source, given.flops), ("learned", unet.flops))
    wrong = ridge.analyze(*models["unet"], arguments={"width": 5})
    same("what is said wrongly is not believed", (wrong.total.source, wrong.flops), ("run", unet.flops))
    normed = ridge.analyze(nn.utils.weight_norm(nn.Linear(4, 6)), (3, 4), device="cpu")
    same("a module that does more than its class goes by the run", (normed.total.source, normed.torch_flops, "not by the catalog" in normed.total.note),
         ("run", 2 * 3 * 4 * 6, True))
    gpt = ridge.analyze(*models["gpt"])
    same("where the meta device cannot run it, the source says all", ({row.source for row in gpt.modules if row.calls}, gpt.read_bytes), ({"learned"}, None))


def by_hand():
    """ReLU 1 per element, a bias 1 per output; Bilinear 2mk + 2k per pair and form; a bag's sum 1 per element (catalog/torch)"""
    told = ridge.analyze(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4, bias=False)), (5, 8))
    same("Linear, ReLU, Linear", [row.own_flops for row in told.modules], [0, 2 * 5 * 8 * 16 + 5 * 16, 5 * 16, 2 * 5 * 16 * 4])
    traffic = (40 + 128 + 16 + 80) + 2 * 80 + (80 + 64 + 20)
    same("its traffic, in fp32", told.read_bytes + told.written_bytes, 4 * traffic)
    models = zoo.build()
    same("Bilinear", ridge.analyze(*models["pair"]).get("form").flops, 2 * 3 * (2 * 4 * 5 + 2 * 5) + 2 * 3)
    same("EmbeddingBag", ridge.analyze(*models["bag"]).get("bag").flops, 3 * 4 * 6)
    twice = ridge.analyze(*models["twice"]).get("fc")
    same("one layer on two sizes", (twice.calls, twice.flops), (3, (2 + 7 + 7) * (2 * 8 * 8 + 8)))


def shapes():
    layer = nn.Linear(8, 4)
    wanted = ridge.analyze(layer, torch.zeros(2, 3, 8)).flops
    for name, inputs in (("a tuple", (2, 3, 8)), ("a text", "2x3x8"), ("a dict", {"input": (2, 3, 8)}), ("a list of tensors", [torch.zeros(2, 3, 8)])):
        same(f"inputs as {name}", ridge.analyze(layer, inputs).flops, wanted)
    same("whole numbers", ridge.analyze(nn.Embedding(5, 3), "2x3:int64").get("").written_bytes, 2 * 3 * 3 * 4)
    refused("no module", ridge.OptionError, "want a torch.nn.Module, not int", ridge.analyze, 3, (1,))
    refused("no inputs", ridge.OptionError, "a forward pass needs example inputs", ridge.analyze, layer, None)
    refused("a shape that is none", ridge.OptionError, "is no shape", ridge.analyze, layer, "2xq")
    refused("a size below 0", ridge.OptionError, "is no shape", ridge.analyze, layer, (2, -3))
    refused("inputs that do not fit", ridge.ModelError, "no run of it could be recorded", ridge.analyze, nn.Sequential(layer), (2, 3))


class Loop(nn.Module):
    """How often it runs depends on values."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        while x.sum().item() > 0:
            x = self.fc(x)
        return x


class Eigen(nn.Module):
    """An operator that the catalog does not have, beside one that it has."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.linalg.eigvals(self.fc(x))


def unknown():
    refused("what depends on values is refused", ridge.ModelError, "no run of it could be recorded", ridge.analyze, Loop(), (2, 4))
    refused("an operator that is not in the catalog", ridge.ModelError, "aten.linalg_eig.default: the catalog does not have", ridge.analyze, Eigen(), (4, 4), device="cpu")
    partly = ridge.analyze(Eigen(), (4, 4), device="cpu", partial=True)
    same("the part that is known, named as such", (partly.complete, partly.torch_flops), (False, 2 * 4 * 4 * 4))


# ---- a class that the catalog has with its config ----


class Config:
    def __init__(self, values):
        self.values = values

    def to_dict(self):
        return dict(self.values)


def stand_in(config, forward):
    """A module with the tree that Ridge knows of a model, its classes under their names in transformers, and this forward()."""
    rows = ridge.inspect(config).modules
    made = {}
    for row in rows:
        module, _, name = row.class_.rpartition(".")
        kind = type(name, (nn.Module,), {"__module__": module, "forward": forward})
        made[row.path] = one = kind()
        for tensor, about in row.tensors.items():
            tied = about.get("tied_to") if isinstance(about, dict) else about.tied_to
            shape = about["shape"] if isinstance(about, dict) else about.shape
            if tied:
                path, _, other = tied.rpartition(".")
                one.register_parameter(tensor, getattr(made[path], other))
            else:
                one.register_parameter(tensor, nn.Parameter(torch.empty(shape, device="meta")))
        if row.path:
            parent, _, last = row.path.rpartition(".")
            made[parent].add_module(last, one)
    made[""].config = Config(config)
    return made[""]


def by_config():
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
              "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 50, "max_position_embeddings": 64, "torch_dtype": "float32"}

    def stuck(self, input_ids, attention_mask=None):
        return input_ids.sum().item()

    def nothing(self, input_ids):
        return input_ids

    ids = torch.zeros(3, 10, dtype=torch.int64)
    wanted = ridge.cost(config, batch=3, seq=10, all=True)
    told = ridge.analyze(stand_in(config, stuck), {"input_ids": ids, "attention_mask": ids})
    rows = {row.path: row.flops.total for row in wanted.rows}
    same("a class of the catalog goes by its config", {row.path: row.flops for row in told.modules if row.path in rows}, rows)
    same("and says so", {row.source for row in told.modules}, {"catalog"})
    same("its own code is what is left", sum(row.own_flops for row in told.modules), told.flops)
    other = ridge.analyze(stand_in(config, nothing), ids)
    same("but not where the module does something else", (other.flops, any("was not used" in note for note in other.notes)), (0, True))


# ---- the inventory, the answer in other forms ----


def inventories():
    module, inputs = zoo.build()["cnn"]
    path = SCRATCH / "cnn.json"
    made = ridge.inventory(module, inputs, path=path)
    same("the file is the dict", json.loads(path.read_text()), made)
    counted = reference_flops.Counter(module).count(module, inputs)
    same("ridge.cost takes it", ridge.cost(path).flops.torch, counted.total[""])
    sys.path.append(str(ROOT / "tools"))
    import ridge_inventory

    same("it is what tools/ridge_inventory.py writes", path.read_text(), ridge_inventory.dumps(ridge_inventory.inventory(module, inputs)))
    same("constructor values", ridge.extract_module_parameters(nn.Linear(3, 5, bias=False)), {"in_features": 3, "out_features": 5, "bias": False})
    refused("no module", ridge.OptionError, "want a torch.nn.Module", ridge.extract_module_parameters, 5)
    try:
        import transformers  # noqa: F401
    except ImportError:
        refused("no transformers", ridge.LibraryError, "load_model_on_meta_device needs transformers", ridge.load_model_on_meta_device, "gpt2")


def forms():
    told = ridge.analyze(*zoo.build()["residual"])
    lines = told.table(top=2).splitlines()
    costly = max((row for row in told.modules if row.path), key=lambda row: row.own_flops)
    same("a table", (len(lines), lines[1].split()[0]), (3, costly.path))
    TAP.case("HTML", [] if told.html().count("<tr>") == len(told.modules) + 1 and "zoo" not in told._repr_html_().partition("<caption>")[0] else [told.html()])
    same("a dict", [row["flops"] for row in told.to_dict()["modules"]], [row.flops for row in told.modules])
    refused("a path that is not there", KeyError, "nothing", told.get, "nothing")
    analyzer = ridge.FlopAnalyzer(learn=False)
    same("FlopAnalyzer of a module", analyzer.total_flops(*zoo.build()["mlp"]), 2 * 5 * 8 * 16 + 5 * 16 + 8 * 5 * 16 + 2 * 5 * 16 * 4)
    same("FlopAnalyzer of an id", analyzer.total_flops("openai-community/gpt2", seq=16), ridge.cost("openai-community/gpt2", seq=16).flops.total)


# ---- hooks ----


class Fails(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.broken = True

    def forward(self, x):
        x = self.fc(x)
        if self.broken:
            raise ValueError("as wanted")
        return x


def hooks():
    module, (x,) = zoo.build()["residual"]
    module.eval()
    with ridge.hooks(module, on="l4", skip=1) as measured:
        for _ in range(5):
            module(x)
        inside = measured.result()
    same("passes without the first", (measured.result().passes, inside.passes), (4, 4))
    module(x)
    told = measured.result()
    same("hooks that are off see nothing", told.passes, 4)
    same("every module that is called", [(row.path, row.calls) for row in told.modules], [(path, 1) for path, _ in module.named_modules()])
    inner = sum(told.get(path).time_s for path in "012")
    problems = [row for row in told.modules if not 0 < row.low_s <= row.time_s <= row.high_s or row.own_s > row.time_s]
    TAP.case("intervals, and parts within the whole", problems + ([] if inner <= told.total.high_s * 4 else [f"{inner} in {told.total}"]))
    predicted = ridge.predict(_file(module, x), on="l4", all=True, kernel="eager")
    times = {row.path: row.time_s for row in predicted.rows if not row.class_.startswith("aten.")}
    same("beside what ridge.predict says", {row.path: row.predicted_s for row in told.modules}, times)
    twice, inputs = zoo.build()["twice"]
    with ridge.hooks(twice, predict=False) as measured:
        twice(*inputs)
    row = measured.result().get("fc")
    same("calls of one module", (row.calls, row.predicted_s, row.ratio), (3, None, None))
    fails = Fails()
    with ridge.hooks(fails, predict=False) as measured:
        try:
            fails(torch.zeros(1, 4))
        except ValueError:
            fails.broken = False
        fails(torch.zeros(1, 4))
    same("a pass that fails is not counted", (measured.result().passes, measured.result().get("fc").calls), (1, 1))
    loop = Loop()
    with ridge.hooks(loop, on="l4") as measured:
        loop(torch.zeros(1, 4))
    TAP.case("what cannot be predicted is measured", [] if re.match("nothing is predicted", "".join(measured.result().notes)) else [measured.result()])
    refused("no pass", ridge.UsageError, "was not called", ridge.hooks(loop).result)
    refused("no module", ridge.OptionError, "want a torch.nn.Module", ridge.hooks, 3)


def _file(module, x):
    path = SCRATCH / "hooked.json"
    ridge.inventory(module, x, path=path)
    return path


for part in (zoo_of_models, where_numbers_come_from, by_hand, shapes, unknown, by_config, inventories, forms, hooks):
    part()
sys.exit(TAP.end())
