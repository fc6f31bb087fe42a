#!/usr/bin/env python3
"""Writes docs/coverage.md: which model types of a set of real configs the shipped catalog knows, what was checked, and what it refuses.

    scripts/coverage_models.py --ridge build/ridge --configs ../shared/models > docs/coverage.md"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess


def entries():
    """model type -> (validated modules, all modules, references) of the files that have its config"""
    found = {}
    for path in sorted(pathlib.Path("catalog/transformers/models").glob("*.json")):
        own = json.loads(path.read_text())
        modules = [entry for entry in own.values() if entry.get("code_location") and entry.get("kind") != "config"]
        versions = {entry["source"]["version"] for entry in modules if "source" in entry} or {"4.57.0.dev0, by hand"}
        validated = sum(entry.get("validation", {}).get("status") == "validated" for entry in modules)
        for entry in own.values():
            if entry.get("kind") == "config" and ("classes" in entry or "classes+" in entry):
                found[entry.get("model_type")] = (validated, len(modules), ", ".join(sorted(versions)))
    return found


def ask(ridge, folder):
    done = subprocess.run([ridge, "cost", str(folder), "--json"], capture_output=True, text=True, check=False,
                          env=dict(os.environ, XDG_DATA_HOME="/nonexistent"))  # what somebody learned is not shipped
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "warning" not in line]
        return None, re.sub(r"(\.\./|/)[\w./@+-]*/", "", said[0].removeprefix("ridge: ") if said else "no message").replace("|", "\\|")[:150]
    return json.loads(done.stdout)["parameters"]["total"], ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--configs", type=pathlib.Path, default=pathlib.Path("../shared/models"))
    options = parser.parse_args()
    known, types, refused, different = entries(), collections.defaultdict(collections.Counter), [], []
    rows = json.loads((options.configs / "INDEX.json").read_text())["models"]
    for row in rows:
        kind = row.get("model_type") or (row.get("architectures") or ["none"])[0]
        total, why = ask(options.ridge, options.configs / row["dir"])
        want = (row.get("computed") or {}).get("total_params")
        state = "refused" if total is None else "read" if want is None else "equal" if total == want else "different"
        types[kind].update(["configs", state])
        if state == "refused":
            refused.append((kind, row["dir"], why))
        if state == "different":
            different.append((kind, row["dir"], f"{total:,} instead of {want:,}"))
    sums = sum(types.values(), collections.Counter())
    print("# What the shipped catalog covers\n\nMade by `scripts/coverage_models.py`. Types with entries: "
          f"{len(known)}.\n\n| real configs | {len(rows)} |\n|---|---:|\n| with the parameters that PyTorch counts | {sums['equal']} |\n"
          f"| read, where no count is known | {sums['read']} |\n| different | {sums['different']} |\n| refused | {sums['refused']} |\n\n"
          "`validated` is how many modules of the type's file recorded PyTorch runs cover, in tree, parameters and FLOPs. The others are derived or written by hand.\n\n"
          "| type | configs | parameters equal | modules validated | reference (transformers) | status |\n|---|---:|---:|---:|---|---|")
    for kind in sorted(set(known) | set(types), key=str):
        validated, modules, version = known.get(kind, (0, 0, ""))
        count = types.get(kind, collections.Counter())
        status = "not in the catalog" if kind not in known else f"{count['refused']} refused" if count["refused"] else "known"
        print(f"| {kind} | {count['configs']} | {count['equal']} | {validated} of {modules} | {version} | {status} |")
    for title, lines in (("Different", different), ("Refused", refused)):
        print(f"\n## {title}\n\n| type | config | what is said |\n|---|---|---|")
        print("\n".join(f"| {kind} | {name} | {why} |" for kind, name, why in sorted(lines, key=str)))


if __name__ == "__main__":
    main()
