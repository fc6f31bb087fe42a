#!/usr/bin/env python3
"""Changes what the table of operators says, one entry at a time, and asks whether a test notices.

    tests/learn/mutations.py --build BUILD [--every N]

Each entry of catalog/torch/operators.json is changed three ways where it says so: its FLOPs doubled, its traffic taken for a view's, its dtype
for another. A change that tests/learn/operators (and, where recorded results and sources are there, scripts/learn_truth.py) does not notice
is printed. Works on a copy of the tree, so that nothing here changes. Exit 3 where one goes unnoticed.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile


def changes(table):
    for key, entry in table.items():
        if entry["shape"] if "shape" in entry else "inherits" in entry:
            if "flops" in entry:
                word, formula = next(iter(entry["flops"].items()))
                yield key, "flops", dict(entry, flops={word: f"2*({formula})"})
            if entry.get("bytes") != "view" and "shape" in entry:
                yield key, "bytes", dict(entry, bytes="view")
            if "dtype" in entry:
                yield key, "dtype", dict(entry, dtype="int64" if entry["dtype"] != "int64" else "bool")


def notices(build, commands):
    if subprocess.run(["ninja", "-C", build, "ridge", "tests/unit"], stdout=subprocess.DEVNULL).returncode:
        return True
    return any(subprocess.run(c, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode for c in commands)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="only each N-th change")
    parser.add_argument("--truth", help="folder of recorded results")
    parser.add_argument("--source", help="folder of the library they were made with")
    options = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree, build = os.path.join(folder, "tree"), os.path.join(folder, "build")
        shutil.copytree(root, tree, symlinks=True, ignore=shutil.ignore_patterns("build*", ".git"))
        subprocess.run(["meson", "setup", build, tree], check=True, stdout=subprocess.DEVNULL)
        commands = [[os.path.join(build, "tests", "unit"), "learn_operators"]]
        if options.truth and options.source:
            commands.append([sys.executable, os.path.join(root, "scripts", "learn_truth.py"), "--ridge", os.path.join(build, "ridge"),
                             "--truth", options.truth, "--source", options.source, "--runs", "1", "--only", "[a-g]*"])
        path = os.path.join(tree, "catalog", "torch", "operators.json")
        with open(path) as file:
            text = file.read()
        table = json.loads(text)
        if notices(build, commands):
            sys.exit("the tests fail before anything is changed")
        for i, (key, what, entry) in enumerate(changes(table)):
            if i % options.every:
                continue
            with open(path, "w") as file:
                json.dump(dict(table, **{key: entry}), file)
            if not notices(build, commands):
                print(f"{key}: nobody notices that its {what} changed")
                missed += 1
    sys.exit(3 if missed else 0)


main()
