"""The real configs of ../shared/models whose family the catalog covers: parameter counts against those that PyTorch computed (INDEX.json), and module
trees against the printed ones (_trees, _trees/class_defaults)."""
import glob
import json
import os
import re
import sys

import driver

# docs/differences.md says why these differ and are right as they are
SAME_CLASS = {"DistilBertSdpaAttention": "MultiHeadSelfAttention"}
NO_EMBEDDING_TABLE = ("CLIPVisionModel", "CLIPVisionModelWithProjection", "SiglipVisionModel")
# one module that stands at several places is printed at each
SHARED_MODULES = ("openai-gpt", "rt_detr", "rt_detr_v2", "zamba", "zamba2")
# the class's own defaults cannot run (no attention layer for the cache to look for; no vocabulary), which a check says
NO_DEFAULTS = ("bamba", "paligemma", "voxtral")
# counted with diffusers 0.32, where all activations of one kind were one module
SHARED_ACTIVATIONS = ("diffusers 0.32.2",)


def inspect(ridge, config, name, head):
    """The answer, or None where the family or the class is not in the catalog."""
    try:
        return ridge.ask("inspect", config, model=re.sub(r"\s", "_", name), **{"class": head})
    except driver.Refused as refusal:
        if str(refusal).startswith(("UNKNOWN", "USAGE class: no class")):
            return None
        raise


# ---- parameter counts ----

def unique_tensors(modules):
    """Parameter tensors, tied ones once."""
    return sum(tensor["tied_to"] is None for module in modules for tensor in module["tensors"].values())


def compare_counts(computed, answer):
    pairs = [("parameters", answer["parameters"]["total"], computed["total_params"])]
    if "modules" in computed and computed.get("runtime") not in SHARED_ACTIVATIONS:
        pairs.append(("modules", len(answer["modules"]), computed["modules"]))
    if "unique_tensors" in computed:
        pairs.append(("tensors", unique_tensors(answer["modules"]), computed["unique_tensors"]))
    if computed.get("input_embedding_params") is not None and computed.get("class_") not in NO_EMBEDDING_TABLE:
        pairs.append(("embedding parameters", answer["parameters"]["embedding"], computed["input_embedding_params"]))
    for what, found, expected in pairs:
        if found != expected:
            yield f"{what}: {found}, PyTorch has {expected} ({found - expected:+d})"


def check_counts(ridge, tap, folder):
    with open(os.path.join(folder, "INDEX.json")) as file:
        rows = json.load(file)["models"]
    compared, missing = 0, set()
    for row in rows:
        computed, path = row.get("computed") or {}, os.path.join(folder, row["dir"], "config.json")
        if "total_params" not in computed or not os.path.exists(path):
            continue
        with open(path, "rb") as file:
            config = file.read()
        head = computed.get("class_") or (row.get("architectures") or [None])[0]
        try:
            answer = inspect(ridge, config, row["model_id"], head)
        except driver.Refused as refusal:
            tap.case(f"{row['model_id']} {head}", [f"refused: {refusal}"])
            continue
        if answer is None:
            missing.add(f"{row.get('model_type')} {head}")
            continue
        compared += 1
        tap.case(f"{row['model_id']}: {computed['total_params']} parameters", compare_counts(computed, answer))
    tap.case("at least 100 real configs were compared", [f"only {compared}"] if compared < 100 else [])
    print(f"# {compared} configs compared; not in the catalog: {', '.join(sorted(missing))}")


# ---- printed trees ----

LINE = re.compile(r"^( *)(\[[^\]]*\]|[^\s:]+)(?: \((\d+) x\))?: (\w+)(.*)$")


def indices(text):
    """[3], [0-31], [0-2,4], [1,3,..,31 step 2] -> numbers; None where the list is cut short."""
    inside = text[1:-1]
    step = re.fullmatch(r"(\d+),\d+,\.\.,(\d+) step (\d+)", inside)
    if step:
        return range(int(step[1]), int(step[2]) + 1, int(step[3]))
    if "..." in inside:
        return None
    numbers = []
    for part in inside.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def eager_class(kind):
    """of a tree printed with the default attention"""
    return SAME_CLASS.get(kind) or re.sub("Sdpa(?=(Self)?Attention)", "", kind)


def read_tree(lines):
    """path -> (class, shapes), every range unfolded; None where a range is cut short."""
    modules, parents = {}, {}
    for line in lines:
        found = LINE.match(line)
        if not found:
            continue
        depth, name, kind, rest = len(found[1]) // 2, found[2], found[4], found[5]
        names = [name] if not name.startswith("[") else indices(name)
        if names is None:
            return None
        above = parents[depth - 1] if depth else [None]
        paths = [str(n) if not path else f"{path}.{n}" for path in above for n in names] if depth else [""]
        parents[depth] = paths
        shapes = {tensor: [int(n) for n in shape.split(",") if n] for tensor, shape in re.findall(r" (?<!:)(\w+)\[([\d,]*)\]", rest)}
        modules.update({path: (eager_class(kind), shapes) for path in paths})
    return modules


def compare_trees(wanted, aliases, answer, shared):
    found = {module["path"]: (eager_class(module["class"].split(".")[-1]), {name: t["shape"] for name, t in module["tensors"].items()})
             for module in answer["modules"]}
    for path, module in wanted.items():
        if path not in found:
            if not shared and not any(f"{path}.{tensor}" in aliases for tensor in module[1]):  # an alias is printed and not listed
                yield f"no module '{path}': {module}"
        elif found[path] != module:
            yield f"'{path}' is {found[path]}, PyTorch has {module}"
    for path, module in found.items():
        if path not in wanted and module[0] not in ("Dropout", "Identity", "Dropout2d") and not module[0].endswith("DropPath"):
            yield f"a module '{path}' ({module[0]}) that PyTorch does not print"


def check_tree(ridge, tap, path, folder):
    with open(path) as file:
        text = file.read()
    head, family = re.search(r"# class: (\S+)", text)[1].split(".")[-1], re.search(r"# model_type: (\S+)", text)[1]
    source = re.search(r"config in models/([^)\s]+)\)", text)
    label = os.path.relpath(path, folder)
    config = json.dumps({"model_type": family, "architectures": [head]})
    if source:
        source = os.path.join(folder, source[1])
        with open(source if source.endswith(".json") else os.path.join(source, "config.json"), "rb") as file:
            config = file.read()
    wanted = read_tree(line for line in text.splitlines() if not line.startswith("#"))
    try:
        answer = inspect(ridge, config, label, head)
    except driver.Refused as refusal:
        tap.case(label, [] if family in NO_DEFAULTS and not source else [f"refused: {refusal}"])
        return
    if answer is None:
        return
    total = re.search(r"# parameters \(unique tensors\): (\d+)(?: in (\d+))?", text)  # trees of class defaults do not say how many tensors
    computed = {"total_params": int(total[1])} | ({"unique_tensors": int(total[2])} if total[2] else {})
    aliases = set(re.findall(r"[\w.]+", " ".join(re.findall(r"# tied: (.*)", text))))
    tap.case(f"{label}: parameters", compare_counts(computed, answer))
    if wanted is not None:
        tap.case(f"{label}: {len(wanted)} modules", compare_trees(wanted, aliases, answer, family in SHARED_MODULES))


def main():
    folder = driver.shared_or_skip("models")
    ridge, tap = driver.Driver(sys.argv[1]), driver.Tap()
    check_counts(ridge, tap, folder)
    for path in sorted(glob.glob(os.path.join(folder, "_trees/*.txt")) + glob.glob(os.path.join(folder, "_trees/class_defaults/*.txt"))):
        check_tree(ridge, tap, path, folder)
    tap.case("the driver ended well", ["it did not"] if ridge.close() else [])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
