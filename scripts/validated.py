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


def entries():
    """class path -> [(file, key)]"""
    found = collections.defaultdict(list)
    for path in sorted(CATALOG.rglob("*.json")):
        if path.parts[1] == "python":
            continue
        for key, entry in json.loads(path.read_text()).items():
            if isinstance(entry, dict) and entry.get("kind", "module") == "module" and "flop_analysis" not in entry:
                found[entry.get("class", key.replace("__", "."))].append((path, key))
    return found


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
    """class path -> (result, version); names of models that are counted differently"""
    classes, wrong = {}, []
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
            classes.setdefault(module["class"], (name, truth.get("transformers_version", "")))
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
    known, files, count = entries(), {}, 0
    for name, (result, version) in sorted(classes.items()):
        for path, key in known.get(name, []):
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
