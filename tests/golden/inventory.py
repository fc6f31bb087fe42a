"""Trees that real PyTorch recorded, as inventories: `ridge inspect` shows each module with the parameters that PyTorch counted, its own and those
of its subtree, and `ridge cost` of an inventory that keeps its config is `ridge cost` of that config. A module that is not the one that the
catalog counts is refused."""
import copy
import gzip
import json
import os
import subprocess
import sys
import tempfile

import driver

# what shares its tensor with another, and what is another module's second name; the recorded trees leave it to the sums
TIES = {
    "albert-base-v2": {"predictions.decoder.weight": "albert.embeddings.word_embeddings.weight", "predictions.decoder.bias": "predictions.bias"},
    "bert-base-uncased": {"cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.bias": "cls.predictions.bias"},
    "gpt2": {"lm_head.weight": "transformer.wte.weight"},
    "mamba-130m": {"lm_head.weight": "backbone.embeddings.weight"},
    "qwen2.5-vl-3b": {"lm_head.weight": "model.language_model.embed_tokens.weight"},
    "t5-base": {"lm_head.weight": "shared.weight"},
    "whisper-tiny": {"proj_out.weight": "model.decoder.embed_tokens.weight"},
}
ALIASES = {"t5-base": {"encoder.embed_tokens": "shared", "decoder.embed_tokens": "shared"}}
MODELS = sorted(TIES) + ["deepseek-v2-lite", "llama-2-7b", "mixtral-8x7b", "resnet-50", "vit-base-patch16-224"]


def truth(name):
    path = os.path.join(driver.SHARED, "truth", name + ".json.gz")
    if not os.path.exists(path):
        return None
    with gzip.open(path) as file:
        return json.load(file)


def inventory(name, recorded):
    """As tools/ridge_inventory.py would have listed it: parameters in fp32, no buffers, which the recorded trees do not have."""
    ties, modules = TIES.get(name, {}), []
    for m in recorded["modules"]:
        rows = []
        for own, shape in m.get("param_shapes", {}).items():
            row = {"name": own, "shape": shape, "dtype": "float32"}
            tied = ties.get(f"{m['name']}.{own}" if m["name"] else own)
            rows.append({**row, "tied_to": tied} if tied else row)
        modules.append({"path": m["name"], "class": m["class"], "values": {}, "parameters": rows, "buffers": []})
    return {"ridge_inventory": 1, "torch": "2.6.0", "python": "3.11.2", "class": recorded["model_class"], "total": recorded["total_params"],
            "config": recorded["config"], "modules": modules,
            "aliases": [{"path": path, "of": of} for path, of in ALIASES.get(name, {}).items()]}


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *words):
        return subprocess.run([self.path, *words], capture_output=True, text=True, cwd=self.folder, env={**os.environ, "HF_HUB_OFFLINE": "1"})

    def json(self, *words):
        ran = self.run(*words, "--json")
        if ran.returncode:
            raise driver.Refused(ran.stderr)
        return json.loads(ran.stdout)

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w") as file:
            json.dump(value, file)
        return name


def same_tree(program, recorded, file):
    answer = program.json("inspect", file)
    if answer["parameters"]["total"] != recorded["total_params"]:
        yield f"total {answer['parameters']['total']}, PyTorch {recorded['total_params']}"
    if len(answer["modules"]) != len(recorded["modules"]):
        yield f"{len(answer['modules'])} modules, PyTorch {len(recorded['modules'])}"
    for m, t in zip(answer["modules"], recorded["modules"]):
        found = (m["path"], m["class"], m["parameters"], m["parameters_total"], {n: w["shape"] for n, w in m["tensors"].items()})
        wanted = (t["name"], t["class"], t["params"], t["params_total"], t.get("param_shapes", {}))
        if found != wanted:
            yield f"{found}, PyTorch {wanted}"


def same_cost(program, recorded, file):
    config = program.json("cost", program.write("config.json", recorded["config"]), "--dtype", "bf16")
    own = program.json("cost", file, "--dtype", "bf16")
    for key in config:
        if key not in ("model", "warnings") and config[key] != own[key]:
            yield f"{key}: {str(own[key])[:200]}, of the config {str(config[key])[:200]}"


def refused(program, made, change, status, words):
    changed = copy.deepcopy(made)
    change(changed)
    ran = program.run("cost", program.write("changed.json", changed))
    if ran.returncode != status or words not in ran.stderr:
        yield f"exit {ran.returncode}, wanted {status} and '{words}': {ran.stderr.strip()}"


def module(made, path):
    return next(m for m in made["modules"] if m["path"] == path)


def widen(made):
    rows = module(made, "transformer.wpe")["parameters"]
    made["total"] += rows[0]["shape"][1]
    rows[0]["shape"][0] += 1


def untie(made):
    row = next(row for m in made["modules"] for row in m["parameters"] if "tied_to" in row)
    made["total"] += row["shape"][0] * row["shape"][1]
    del row["tied_to"]


def take_away(made):
    made["total"] -= module(made, "transformer.ln_f")["parameters"].pop(0)["shape"][0]


def move(made):
    made["modules"][0]["class"] = "my.own.GPT2LMHeadModel"


RUN = {"inputs": [0], "outputs": [1], "values": [{"of": "input", "name": "x", "shape": [2, 3], "dtype": "float32"}, {"shape": [2, 3], "dtype": "float32"}],
       "operators": [{"op": "aten.relu.default", "module": "", "arguments": {"self": {"value": 0}}, "outputs": [1]}]}


def by_operators(program, made, change, words):
    """With a recorded pass there is another way than the catalog's."""
    changed = {**copy.deepcopy(made), "run": RUN}
    change(changed)
    ran = program.run("cost", program.write("changed.json", changed), "--json")
    if ran.returncode or words not in ran.stderr or json.loads(ran.stdout)["flops"]["total"] != 6:
        yield f"exit {ran.returncode}, wanted 6 FLOPs and '{words}': {ran.stdout[:300]} {ran.stderr}"


def spoil(made):
    made["config"]["n_head"] = 7


def warned(program, made):
    """Another version's class of attention counts as the catalog's, and that is told; so is another dtype than the config's."""
    changed = copy.deepcopy(made)
    for m in changed["modules"]:
        m["class"] = m["class"].replace("GPT2Attention", "GPT2SdpaAttention")
    changed["config"]["torch_dtype"] = "float16"
    text = program.run("cost", program.write("changed.json", changed)).stderr
    for words in ("12 modules are of another class", "GPT2SdpaAttention", "are fp32, and its config says fp16"):
        if words not in text:
            yield f"no '{words}' in: {text}"


def main(program):
    tap = driver.Tap()
    with tempfile.TemporaryDirectory(prefix="ridge-inventory-") as folder:
        p = Program(os.path.abspath(program), folder)
        for name in MODELS:
            recorded = truth(name)
            if not recorded:
                tap.case(name, skip="../shared/truth is not there")
                continue
            file = p.write("inventory.json", inventory(name, recorded))
            tap.case(f"the tree of {name}", same_tree(p, recorded, file))
            tap.case(f"the cost of {name}", same_cost(p, recorded, file))
        recorded = truth("gpt2")
        if recorded:
            made = inventory("gpt2", recorded)
            tap.case("another shape is refused", refused(p, made, widen, 3, "1 parameter differs: transformer.wpe.weight, the first, has another shape"))
            tap.case("a tie that is missing is refused", refused(p, made, untie, 3, "the module has 163,037,184 parameters"))
            tap.case("a missing parameter is refused", refused(p, made, take_away, 3, "transformer.ln_f.weight, the first, is not in the inventory"))
            tap.case("a class of another module is no class of the catalog", refused(p, made, move, 1, "of a class that the catalog does not have"))
            tap.case("a fault of the config has its place", refused(p, made, spoil, 1, "changed.json:1:"))
            tap.case("another shape counts by operators", by_operators(p, made, widen, "transformer.wpe.weight, the first, has another shape; counted by"))
            tap.case("a config that is wrong counts by operators", by_operators(p, made, spoil, "; counted by the operators"))
            tap.case("a class of another module counts by operators", by_operators(p, made, move, ""))
            tap.case("other classes and formats are told", warned(p, made))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
