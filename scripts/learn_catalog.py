#!/usr/bin/env python3
"""Writes the catalog's entries for every model type that a library's auto-mappings name, by derivation from the library's source.

    scripts/learn_catalog.py --ridge build/ridge --source 4.57=DIR --source 5.=DIR [--diffusers DIR] --out catalog

Of each class an entry is learned from its default config, or from a real one, and held against what is known otherwise: direct derivation on
its default and on random configurations, recorded results of PyTorch, counts of parameters. An entry that is wrong anywhere is left out. What
was written by hand stays. Types of the first source come from it, further ones from the next.
"""
import argparse
import ast
import collections
import concurrent.futures
import copy
import datetime
import fnmatch
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import learn_entries  # noqa: E402
import learn_general  # noqa: E402
import learn_truth  # noqa: E402

MEMORY = 3 << 30
LEARNED = "ridge learn"
WORKLOAD = ["--phase", "prefill", "--batch", "2"]
# what people bring first; of equal rank in the order of the mappings
RANK = ["ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "MTModel", "ForMaskedLM", "ForPreTraining", "ForImageClassification", "ForSequenceClassification",
        "ForTokenClassification", "ForQuestionAnswering", "Model"]


class Refused(Exception):
    """no answer, and why"""


# ---- the program ----
def ask(options, *words):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    try:
        done = subprocess.run([options.ridge, *map(str, words)], capture_output=True, text=True, timeout=options.timeout, preexec_fn=limit, check=False,
                              env=dict(os.environ, XDG_DATA_HOME="/nonexistent"))
    except subprocess.TimeoutExpired:
        raise Refused(f"{words[0]}: more than {options.timeout:g} s") from None
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "warning" not in line]
        raise Refused(re.sub(r"(/[\w.@+-]+)+/", "", f"{words[0]}: {said[0] if said else done.returncode}")[:300])
    return done.stdout


# ---- what there is to learn ----
def mappings(root):
    """model type -> its classes, in the order in which people want them"""
    found = collections.defaultdict(dict)
    tree = ast.parse((pathlib.Path(root) / "transformers/models/auto/modeling_auto.py").read_text())
    for node in tree.body:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "OrderedDict" and node.value.args):
            continue
        for pair in getattr(node.value.args[0], "elts", []):
            if isinstance(pair, ast.Tuple):
                kind, names = ast.literal_eval(pair)
                found[kind].update(dict.fromkeys([names] if isinstance(names, str) else names))
    rank = lambda name: next((i for i, ending in enumerate(RANK) if name.endswith(ending)), len(RANK) - 1.5)
    return {kind: sorted(names, key=rank) for kind, names in found.items()}


def diffusion_classes(root):
    """classes of diffusers that a config.json can name"""
    found = {}
    for path in sorted(pathlib.Path(root, "diffusers/models").rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and {"ModelMixin", "ConfigMixin"} <= {getattr(base, "id", "") for base in node.bases}:
                found[node.name] = [node.name]
    return found


def real_configs(options):
    """(type, class) -> configs with what is known of them: [(name, config, count of parameters or None, recorded results or None)]"""
    found = collections.defaultdict(list)
    if options.configs:
        for model in json.loads((options.configs / "INDEX.json").read_text())["models"]:
            config = json.loads((options.configs / model["dir"] / "config.json").read_text())
            known = model.get("computed") or {}
            add_real(found, model["dir"], config, known.get("class_"), known.get("total_params"), None)
    for path in sorted(options.truth.glob("*.json.gz")) if options.truth else []:
        truth = learn_truth.load(path)
        add_real(found, path.name.removesuffix(".json.gz"), truth["config"], truth["model_class"].rsplit(".", 1)[-1], truth["total_params"], truth)
    return found


def add_real(found, name, config, head, total, truth):
    head = head or (config.get("architectures") or [None])[0] or config.get("_class_name")
    if head and "_class_name" not in config:
        config = dict(config, architectures=[head])
    found[config.get("model_type") or head, head].append((name, config, total, truth))


# ---- one class ----
class Case:
    """A config that an entry is held against, and what is known of it."""

    def __init__(self, name, config, total=None, truth=None):
        self.name, self.config, self.total, self.truth = name, config, total, truth
        self.path = self.direct = None


def store(folder, name, config):
    path = folder / (re.sub(r"[^\w.@-]", "_", name) + "-" + hashlib.sha256(json.dumps(config).encode()).hexdigest()[:8]) / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(config))
    return path


def words(entries):
    return ["--catalog", str(entries)]


def against_source(options, case, source, entries):
    """"" where the entries say what the source itself says, prefill and decode, of one sequence and of three; else what differs"""
    if case.direct is None:
        case.direct = learn_general.reference(options, str(case.path), source)
    model, runs = case.direct
    differences = [learn_general.tree_difference(options, str(case.path), words(entries), model)]
    differences += [learn_general.run_difference(options, str(case.path), words(entries), run) for run in runs]
    return next((f"{case.name}: {one}" for one in differences if one), "")


def against_records(options, case, entries):
    """what differs from counted parameters and recorded runs; the count of runs that agree"""
    answer = json.loads(ask(options, "inspect", case.path, "--json", *words(entries)))
    if answer["parameters"]["total"] != case.total:
        return f"{case.name}: {answer['parameters']['total']} parameters instead of {case.total}", 0
    if not case.truth:
        ask(options, "cost", case.path, *words(entries), *WORKLOAD)
        return "", 0
    off, runs = collections.defaultdict(list), [run for run in case.truth["runs"] if run["attn_impl"] == "eager" and not run.get("extra")]
    wrong = list(learn_entries.tree_faults(options, case.truth, str(case.path), words(entries)))
    for run in runs:
        wrong += learn_entries.run_faults(options, run, case.truth, str(case.path), words(entries), off)
    wrong += [why for part, why in off["bytes"] if part > options.bytes / 100] + off["cache"]
    return f"{case.name}: {wrong[0]}" if wrong else "", len(runs)


def judge(options, case, source, entries):
    """(equal | wrong | refused, why, runs)"""
    try:
        if case.total is not None:
            why, runs = against_records(options, case, entries)
        else:
            why, runs = against_source(options, case, source, entries), 0
    except (Refused, learn_general.Refused, learn_entries.Refused) as reason:
        return "refused", str(reason), 0
    return ("wrong", why, 0) if why else ("equal", "", runs)


class Learned:
    """A class's entries from one config, and how they stood the cases."""

    def __init__(self, head, base, entries, verdicts):
        self.head, self.base, self.entries, self.verdicts = head, base, entries, verdicts
        count = collections.Counter(verdict for verdict, _, _ in verdicts.values())
        self.wrong, self.equal, self.refused = count["wrong"], count["equal"], count["refused"]

    def worth(self):
        return (not self.wrong, self.equal, -self.refused)


def learn_from(options, head, base, source, folder):
    """the file of entries that one config teaches, and the config's own entry in it"""
    path = folder / f"{head}-from-{base.path.parent.name}.json"
    if not (options.keep and path.exists()):
        ask(options, "learn", base.path, "--source", source, "--out", path)
        entries = json.loads(path.read_text())
        guard(entries)
        path.write_text(json.dumps(entries, indent=1))
    top = next((entry for entry in json.loads(path.read_text()).values() if "classes" in entry), None)
    if top is None:
        raise Refused("learn: its config is of no library")
    return path, top


def guard(entries):
    """A nested config of another type has other modules: the entry says which types it is of."""
    tops = [key for key, entry in entries.items() if "classes" in entry]
    for key in tops:
        for name, nested in (entries[key].get("sub_configs") or {}).items():
            kind = entries.get(nested, {}).get("model_type")
            if not kind or kind in ("",):
                continue
            entries[nested]["defaults+"].setdefault("model_type", kind)
            entries[nested].get("types+", {}).setdefault("model_type", "any")
            condition = {"that": f"config.{name}.model_type == '{kind}'", "why": "the modules within are of that type's classes"}
            for use in entries[key]["classes"].values():
                needs = entries[use["use"] if isinstance(use, dict) else use].setdefault("holds_when", [])
                if condition not in needs:
                    needs.append(condition)


EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")


def small(options, kind, named):
    """The defaults with few experts: what repeats teaches no more than its first few."""
    path = options.configs / "CONFIG_DEFAULTS.json"
    defaults = json.loads(path.read_text())["model_types"].get(kind, {}).get("defaults", {}) if path.exists() else {}
    few = lambda fields: {field: 8 for field, value in fields.items() if field in EXPERTS and type(value) is int and value > 8}
    return dict(named, **few(defaults), **{field: dict(value, **few(value)) for field, value in defaults.items() if isinstance(value, dict) and few(value)})


def make_case(folder, *known):
    case = Case(*known)
    case.path = store(folder, case.name, case.config)
    return case


def random_cases(options, base, top, source, folder, head):
    """configs that the source takes, as far as some are found"""
    luck, cases = random.Random(head), []
    for i in range(options.random):
        path = folder / f"{head}-random{i + 1}.json"
        config, said = learn_general.variation(options, learn_general.filled(base.config, top.get("defaults+", {})), source, luck, path)
        if config is not None:
            case = make_case(folder, f"random {i + 1}", config)
            case.direct = said
            cases.append(case)
    return cases


def learn_class(options, kind, head, source, real, folder, first):
    """the best entries of a class, and what was tried: (Learned | None, reason)"""
    named = {"_class_name": head} if source == options.diffusers else {"model_type": kind, "architectures": [head]}
    default = make_case(folder, "default", named)
    known = [make_case(folder, *one) for one in real]
    best, reason, cases = None, "", None
    for base in [make_case(folder, "small", small(options, kind, named)), default, *sorted(known, key=lambda case: case.truth is None)][:options.bases + 1]:
        try:
            path, top = learn_from(options, head, base, source, folder)
        except Refused as refusal:
            reason = reason or str(refusal)
            continue
        if cases is None:
            cases = [default, *known, *(random_cases(options, default, top, source, folder, head) if first else [])]
        tried = Learned(head, base, json.loads(path.read_text()), {case.name: judge(options, case, source, path) for case in cases})
        if not best or tried.worth() > best.worth():
            best = tried
        if not best.wrong and not any(best.verdicts[case.name][0] == "refused" for case in known):
            break
    return best, reason


# ---- a type's classes in one file ----
def canonical(entry):
    return json.dumps({field: value for field, value in entry.items() if field not in ("thinking", "validation")}, sort_keys=True)


def rename(value, names):
    """the same with the keys that it mentions renamed"""
    if isinstance(value, str):
        return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), value)
    if isinstance(value, list):
        return [rename(item, names) for item in value]
    return {field: item if field in ("class", "thinking", "code_location", "source") else rename(item, names) for field, item in value.items()} \
        if isinstance(value, dict) else value


def parts_first(learned):
    """the modules, each after those that it is made of"""
    order = {}

    def visit(key):
        if key in order or learned[key].get("kind") == "config":
            return
        for word in re.findall(r"\w+", json.dumps({field: value for field, value in learned[key].items() if field != "thinking"})):
            if word in learned and word != key:
                visit(word)
        order[key] = True

    for key in learned:
        visit(key)
    return list(order)


class Family:
    """What goes into one file: entries of one folder of the library."""

    def __init__(self, name):
        self.name, self.entries, self.variants = name, {}, collections.defaultdict(list)

    def home(self, key):
        """keys of other families' modules carry this one's name, and no other library's listing has them"""
        if not key.startswith("transformers__"):
            return f"transformers__models__{self.name}__{key}"
        return key if f"__{self.name}__" in key else f"{key}__of_{self.name}"

    def key_for(self, key, entry):
        for taken in self.variants[key]:
            if canonical(self.entries[taken]) == canonical(entry):
                return taken
        name, n = self.home(key), 2
        while name in self.entries:
            name, n = f"{self.home(key)}__{n}", n + 1
        return name

    def add(self, learned):
        names = {}
        for key in parts_first(learned):
            entry = learned[key]
            entry = rename(entry, names)
            names[key] = self.key_for(key, entry)
            if names[key] not in self.entries:
                self.variants[key].append(names[key])
                self.entries[names[key]] = entry
        for key, entry in learned.items():
            if entry.get("kind") == "config":
                self.add_config(key, rename(entry, names))

    def add_config(self, key, entry):
        mine = self.entries.setdefault(key, entry)
        if mine is entry:
            return
        for field in ("defaults+", "types+", "derived+", "sub_configs", "classes", "aliases", "aliases+"):
            if field in entry:
                mine[field] = {**entry[field], **mine.get(field, {})} if field != "classes" else {**mine.get(field, {}), **entry[field]}
        for field in ("zero_ok", "checks"):
            if field in entry:
                mine[field] = mine.get(field, []) + [item for item in entry[field] if item not in mine.get(field, [])]
        for field in ("positions", "image"):
            if field in entry:
                mine.setdefault(field, entry[field])

    def reached(self, key):
        """every entry that one's text leads to"""
        seen, ahead = set(), [key]
        while ahead:
            key = ahead.pop()
            if key not in seen and key in self.entries:
                seen.add(key)
                ahead += re.findall(r"\w+", json.dumps({k: v for k, v in self.entries[key].items() if k != "thinking"}))
        return seen

    def text(self):
        """configs first, then models before their parts"""
        order = sorted(self.entries, key=lambda key: self.entries[key].get("kind") != "config")
        configs = [key for key in order if self.entries[key].get("kind") == "config"]
        modules = [key for key in order if self.entries[key].get("kind") != "config"][::-1]
        lines = []
        for key in configs + modules:
            fields = ",\n".join(f"  {json.dumps(field)}: {laid_out(value)}" for field, value in self.entries[key].items())
            lines.append(f"{json.dumps(key)}: {{\n{fields}\n}}")
        return "{\n" + ",\n".join(lines) + "\n}\n"


def laid_out(value):
    """on one line where that is short, else a line per member"""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) <= 140 or not isinstance(value, (dict, list)):
        return short
    if isinstance(value, list):
        return short if not any(isinstance(item, dict) for item in value) else "[\n" + ",\n".join("    " + json.dumps(item, ensure_ascii=False) for item in value) + "]"
    return "{\n" + ",\n".join(f"    {json.dumps(field)}: {json.dumps(item, ensure_ascii=False)}" for field, item in value.items()) + "}"


# ---- all ----
def folder_of(learned, kind):
    key = next(key for key, entry in learned.entries.items() if "classes" in entry)
    found = re.search(r"models__(\w+?)__(?:configuration_|modeling_)", key)
    return found[1] if found else kind.replace("-", "_")


def validated(family, learned, records):
    """recorded results cover every module class that they list"""
    key = next(use["use"] if isinstance(use, dict) else use for entry in family.entries.values() for name, use in entry.get("classes", {}).items() if name == learned.head)
    for case_name, truth in records:
        classes = {module["class"] for module in truth["modules"]}
        for name in family.reached(key):
            entry = family.entries[name]
            if entry.get("class") in classes:
                entry["validation"] = {"status": "validated", "validator": f"recorded PyTorch run ({case_name}, {truth.get('transformers_version', '')}), FlopCounterMode convention",
                                       "date": str(datetime.date.today())}


def families(options, todo, real):
    """learns everything that is asked for; yields (type, class, source, Learned | None, reason)"""
    def one(item):
        kind, head, source, first = item
        return (*item, *learn_class(options, kind, head, source, real.get((kind, head), []), options.work, first))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(one, todo)


def hand_written(out):
    """types and classes that have entries nobody learned"""
    kinds = set()
    for path in (out / "transformers").rglob("*.json"):
        for entry in json.loads(path.read_text()).values():
            if isinstance(entry, dict) and entry.get("kind") == "config" and entry.get("classes", entry.get("classes+")) and entry.get("validation", {}).get("validator") != LEARNED:
                kinds.add(entry.get("model_type"))
    return kinds


def wanted(options, real):
    """(type, class, source, whether it is its type's first), those that people bring most before others"""
    known, todo, count = hand_written(options.out), [], collections.Counter(kind for (kind, _), cases in real.items() for _ in cases)
    seen = set(known)
    for _, root in options.source:
        found = mappings(root)
        for (kind, head), _ in real.items():  # classes that no mapping names
            if kind in found and head not in found[kind] and any(re.search(rf"^class {re.escape(head)}\b", path.read_text(), re.M) for path in pathlib.Path(root, "transformers/models").glob("*/modeling_*.py")):
                found[kind].append(head)
        for kind, heads in found.items():
            if kind in seen:
                continue
            heads = [head for head in heads if real.get((kind, head))] + [head for head in heads if not real.get((kind, head))]
            todo += [(kind, head, root, i) for i, head in enumerate(heads[:options.heads])]
        seen |= set(found)
    if options.diffusers:
        todo += [(head, head, options.diffusers, 0) for head in diffusion_classes(options.diffusers)]
    todo = [item for item in todo if item[0] not in options.without and (not options.type or any(fnmatch.fnmatch(item[0], pattern) for pattern in options.type))]
    return [(kind, head, root, i == 0) for kind, head, root, i in sorted(todo, key=lambda item: (not real.get(item[:2]), item[3], -count[item[0]]))]


def write_family(options, family, library):
    path = options.out / library / ("models" if library == "transformers" else "") / f"{family.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and f'"validator": "{LEARNED}"' not in path.read_text():
        path = path.with_name(f"{family.name}_learned.json")
    path.write_text(family.text())
    return path


def main():
    options = arguments()
    real, report = real_configs(options), open(options.report, "a")
    found, library = {}, {}
    for kind, head, source, first, best, reason in families(options, wanted(options, real), real):
        ok = best and best.equal and not best.wrong
        verdicts = {name: verdict for name, verdict in best.verdicts.items()} if best else {}
        report.write(json.dumps({"type": kind, "class": head, "kept": bool(ok), "reason": reason, "base": best and best.base.name, "cases": verdicts}) + "\n")
        report.flush()
        print(f"{'kept' if ok else 'out ':4} {kind:26} {head:44} {best.equal if best else 0} equal {best.refused if best else 0} refused "
              f"{next((why for v, why, _ in verdicts.values() if v == 'wrong'), '') or reason or next((why for v, why, _ in verdicts.values() if v == 'refused'), '')}"[:260], flush=True)
        if not ok:
            continue
        name = folder_of(best, kind)
        family = found.setdefault(name, Family(name))
        library[name] = "diffusers" if source == options.diffusers else "transformers"
        for entry in best.entries.values():
            entry["validation"] = {"status": "derived", "validator": LEARNED}
        family.add(copy.deepcopy(best.entries))
        validated(family, best, [(name, truth) for name, _, _, truth in real.get((kind, head), []) if truth and best.verdicts.get(name, ("",) * 3)[0] == "equal" and best.verdicts[name][2]])
        write_family(options, family, library[name])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--source", action="append", required=True, metavar="VERSION=DIR", type=lambda text: text.split("=", 1))
    parser.add_argument("--diffusers", metavar="DIR")
    parser.add_argument("--configs", type=pathlib.Path, default=pathlib.Path("../shared/models"), help="folder of real configs with an INDEX.json")
    parser.add_argument("--truth", type=pathlib.Path, default=pathlib.Path("../shared/truth"), help="folder of recorded results")
    parser.add_argument("--type", action="append", metavar="PATTERN", help="model types; repeatable")
    parser.add_argument("--heads", type=int, default=99, help="at most so many classes of a type")
    parser.add_argument("--random", type=int, default=2, help="random configurations of a type's first class")
    parser.add_argument("--bases", type=int, default=2, help="real configs to try where the default one does not do")
    parser.add_argument("--bytes", type=float, default=1, help="by how many percent bytes may differ")
    parser.add_argument("--memory", type=int, default=2048, help="of one command, in MiB")
    parser.add_argument("--without", action="append", default=[], metavar="TYPE", help="a model type to leave out; repeatable")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--keep", action="store_true", help="use what the work folder has")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for what is learned on the way")
    parser.add_argument("--report", default="/dev/null", help="a file to which a line of JSON per class is added")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("catalog"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
