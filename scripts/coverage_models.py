#!/usr/bin/env python3
"""Writes docs/coverage.md: which model types the shipped catalog knows, what of each was held against counts from outside, and what it
refuses, with the reason.

    scripts/coverage_models.py --ridge build/ridge --configs ../shared/models --truth ../shared/truth > docs/coverage.md"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import learn_entries  # noqa: E402
import learn_truth  # noqa: E402

BYTES = re.compile(r"bytes off ([\d.]+) %")
FIRST = "4.57.0.dev0"  # of entries that name no other version


class Family:
    """A model type: its entries, and what was checked."""

    def __init__(self):
        self.versions, self.modules, self.validated, self.derived, self.refusal = set(), 0, 0, False, None
        self.configs, self.found = 0, collections.Counter()  # found: equal, read, different, refused
        self.runs, self.models, self.off, self.wrong = 0, 0, 0.0, []

    def how(self):
        return "refused" if self.refusal else "" if not self.modules else "derived" if self.derived else "by hand"


def is_refusal(entry):
    """an entry that says why a type is not known"""
    return entry.get("refused")


def read_catalog(families):
    for path in sorted(pathlib.Path("catalog").rglob("*.json")):
        if path.parts[1] not in ("transformers", "diffusers"):
            continue
        own = json.loads(path.read_text())
        modules = [entry for entry in own.values() if entry.get("kind", "module") == "module" and "flop_analysis" not in entry]
        versions = {entry["source"]["version"] if "source" in entry else entry["code_location"].get("version", FIRST) for entry in modules if "code_location" in entry}
        for entry in own.values():
            if entry.get("kind") != "config" or not entry.get("model_type"):
                continue
            family = families[entry["model_type"]]
            family.refusal = is_refusal(entry)
            if entry.get("classes") or entry.get("classes+") or entry.get("inherits", "").endswith("Config"):
                family.versions |= versions
                family.modules = len(modules)
                family.validated = sum(module.get("validation", {}).get("status") == "validated" for module in modules)
                family.derived = any(module.get("source") for module in modules)


def ask(ridge, folder, *words):
    done = subprocess.run([ridge, "inspect", str(folder), "--json", "--depth", "0", *words], capture_output=True, text=True, check=False,
                          env=dict(os.environ, XDG_DATA_HOME="/nonexistent"))  # what somebody learned is not shipped
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "warning" not in line]
        return None, re.sub(r"(\.\./|/)[\w./@+-]*/", "", said[0].removeprefix("ridge: ") if said else "no message").replace("|", "\\|")[:220]
    return json.loads(done.stdout)["parameters"]["total"], ""


def read_configs(families, options):
    refused, different, as_class = [], [], []
    for row in json.loads((options.configs / "INDEX.json").read_text())["models"]:
        config = json.loads((options.configs / row["dir"] / "config.json").read_text())
        kind = row.get("model_type") or config.get("_class_name") or (row.get("architectures") or ["none"])[0]
        total, why = ask(options.ridge, options.configs / row["dir"])
        want = (row.get("computed") or {}).get("total_params")
        state = "refused" if total is None else "read" if want is None else "equal" if total == want else "different"
        head = (row.get("computed") or {}).get("class_")
        if state == "different" and head and ask(options.ridge, options.configs / row["dir"], "--class", head)[0] == want:
            state = "equal"  # PyTorch was asked for a class that the config does not name
            as_class.append((kind, row["dir"], f"{want:,} as {head}, which the config does not name; {total:,} as the class that it names or has by default"))
        families[kind].configs += 1
        families[kind].found[state] += 1
        if state == "refused":
            refused.append((kind, row["dir"], why))
        if state == "different":
            different.append((kind, row["dir"], f"{total:,} instead of {want:,}"))
    return refused, different, as_class


def read_records(families, options):
    for path in sorted(options.truth.glob("*.json.gz")):
        kind = learn_truth.load(path)["config"].get("model_type")
        verdict, why = learn_entries.judge(options, path, None)
        family = families[kind]
        if verdict == "refused":
            continue
        family.models += 1
        if verdict == "wrong":
            family.wrong.append((path.name.removesuffix(".json.gz"), why[0]))
            continue
        family.runs += int(why[0].split()[0])
        family.off = max([family.off, *(float(found[1]) for line in why for found in [BYTES.match(line)] if found)])


def table(families):
    print("| type | real configs | parameters equal | recorded models | runs with equal FLOPs | bytes off, at most | modules validated | reference | made |\n"
          "|---|---:|---:|---:|---:|---:|---:|---|---|")
    for kind, f in sorted(families.items(), key=lambda item: item[0].lower()):
        if not f.modules and not f.configs and not f.refusal:
            continue
        off = f"{f.off:.3f} %" if f.runs else ""
        print(f"| {kind} | {f.configs or ''} | {f.found['equal'] or ''} | {f.models or ''} | {f.runs or ''} | {off} | "
              f"{f'{f.validated} of {f.modules}' if f.modules else ''} | {', '.join(sorted(f.versions))} | {f.how()} |")


def rows(title, found, head="| type | config | what is said |"):
    if found:
        print(f"\n## {title}\n\n{head}\n|---|---|---|")
        for row in sorted(found, key=str):
            print("| " + " | ".join(map(str, row)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--configs", type=pathlib.Path, default=pathlib.Path("../shared/models"))
    parser.add_argument("--truth", type=pathlib.Path, default=pathlib.Path("../shared/truth"))
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    options.shipped, options.catalog = True, []
    families = collections.defaultdict(Family)
    read_catalog(families)
    refused, different, as_class = read_configs(families, options)
    read_records(families, options)
    sums = sum((f.found for f in families.values()), collections.Counter())
    known = [f for f in families.values() if f.modules and not f.refusal]
    print("# What the shipped catalog covers\n\nMade by `scripts/coverage_models.py`.\n\n| | |\n|---|---:|\n"
          f"| model types with entries | {len(known)} |\n| of them written by hand | {sum(not f.derived for f in known)} |\n"
          f"| derived from their source | {sum(f.derived for f in known)} |\n| real configs and parts of pipelines | {sum(f.configs for f in families.values())} |\n"
          f"| with the parameters that PyTorch counts | {sums['equal']} |\n| read, where no count is known | {sums['read']} |\n"
          f"| different | {sums['different']} |\n| refused | {sums['refused']} |\n| recorded models of PyTorch | {sum(f.models for f in families.values())} |\n"
          f"| recorded runs with equal FLOPs, in total and in every module | {sum(f.runs for f in families.values())} |\n\n"
          "The reference is the version of the library whose source the entries follow. `validated` modules are those that a recorded run covers, in tree, "
          "shapes, FLOPs and bytes.\n")
    table(families)
    rows("Recorded runs that differ", [(kind, *wrong) for kind, f in families.items() for wrong in f.wrong])
    rows("Configs that differ", different)
    rows("Configs counted as another class", as_class)
    rows("Refused", refused)


if __name__ == "__main__":
    main()
