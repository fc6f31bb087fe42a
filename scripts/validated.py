#!/usr/bin/env python3
"""Writes into the catalog which entries recorded results of PyTorch cover: of every recorded model that the shipped entries count as PyTorch
did (tree, shapes, parameters, buffers, FLOPs in total and per module, bytes within --bytes percent), the classes of its modules are
`validated`, and name the result and the library's version. Exit status 3: a model is counted differently; its entries are left alone.

    scripts/validated.py --ridge build/ridge --truth ../shared/truth [PATTERN...]"""
import argparse
import collections
import datetime
import fnmatch
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import learn_entries  # noqa: E402
import learn_truth  # noqa: E402

CATALOG = pathlib.Path("catalog")
BYTES = re.compile(r"bytes off ([\d.]+) %")


def read_catalog():
    """key -> (file, entry)"""
    return {key: (path, entry) for path in sorted(CATALOG.rglob("*.json")) if path.parts[1] != "python"
            for key, entry in json.loads(path.read_text()).items() if isinstance(entry, dict)}


def entries(catalog):
    """class path -> [(file, key)]"""
    found = collections.defaultdict(list)
    for key, (path, entry) in catalog.items():
        if entry.get("kind", "module") == "module" and "flop_analysis" not in entry:
            found[entry.get("class", key.replace("__", "."))].append((path, key))
    return found


def reached(catalog, model_type):
    """Keys that the configs of a model type lead to. Several entries may have one class: what a family has beside the class's own entry is its own."""
    todo = [key for key, (_, entry) in catalog.items() if entry.get("kind") == "config" and entry.get("model_type") == model_type]
    seen = set()
    while todo:
        key = todo.pop()
        if key in seen or key not in catalog:
            continue
        seen.add(key)
        todo += re.findall(r"\w+__\w+", json.dumps({name: value for name, value in catalog[key][1].items() if name not in ("thinking", "code_location")}))
    return seen


def with_validation(text, key, validation):
    """The file's text with the entry's validation replaced, or added as its last field."""
    start = re.search(r'^"' + re.escape(key) + r'": ', text, re.M).end()
    _, end = json.JSONDecoder().raw_decode(text, start)
    body, field = text[start:end], '"validation": ' + json.dumps(validation)
    old = re.search(r'"validation": (\{[^{}]*\})', body)
    if old:
        said = json.loads(old[1])
        if said.get("status") == "validated" and said.get("validator"):
            return text
        body = body.replace(old[0], field)
    else:
        inside = body[:-1].rstrip()
        body = f"{inside},\n  {field}\n}}" if "\n" in body else f"{inside}, {field}}}"
    return text[:start] + body + text[end:]


def covered(options):
    """class path -> [(result, version, model type)]; names of models that are counted differently"""
    classes, wrong = collections.defaultdict(list), []
    for path in sorted(options.truth.glob("*.json.gz")):
        name, truth = path.name.removesuffix(".json.gz"), learn_truth.load(path)
        if not any(fnmatch.fnmatch(one, pattern) for one in (name, str(truth["config"].get("model_type"))) for pattern in options.pattern):
            continue
        verdict, why = learn_entries.judge(options, path, None)
        off = max([float(found[1]) for line in why for found in [BYTES.match(line)] if found], default=0)
        if verdict == "refused":
            continue
        if verdict == "wrong" or off > options.bytes:
            wrong.append(f"{name}: {why[0] if verdict == 'wrong' else f'bytes off {off} %'}")
            continue
        for module in truth["modules"]:
            classes[module["class"]].append((name, truth.get("transformers_version", ""), truth["config"].get("model_type")))
    return classes, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("pattern", nargs="*", default=["*"])
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--truth", type=pathlib.Path, default=pathlib.Path("../shared/truth"))
    parser.add_argument("--bytes", type=float, default=1)
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    options.shipped, options.catalog = True, []
    classes, wrong = covered(options)
    catalog = read_catalog()
    known, files, count, reach = entries(catalog), {}, 0, {}
    for name, results in sorted(classes.items()):
        for path, key in known.get(name, []):
            own = key.replace("__", ".") == name
            for kind in {kind for _, _, kind in results if not own and kind not in reach}:
                reach[kind] = reached(catalog, kind)
            found = [(result, version) for result, version, kind in results if own or key in reach[kind]]
            if not found:
                continue
            result, version = found[0]
            text = files.get(path) or path.read_text()
            said = {"status": "validated", "validator": f"recorded PyTorch run ({result}, transformers {version}), FlopCounterMode convention",
                    "date": str(datetime.date.today())}
            files[path] = with_validation(text, key, said)
            count += 1
    for path, text in files.items():
        json.loads(text)
        path.write_text(text)
    print(f"{count} entries are covered, in {len(files)} files")
    for line in wrong:
        print("different:", line)
    return 3 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
