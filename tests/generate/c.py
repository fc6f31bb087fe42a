#!/usr/bin/env python3
"""The generated C against the engine: compiled without a warning, the same numbers for random arguments, the same refusals.

    c.py RIDGE LIBRARY [--every N] [--sets N] [--seed N] [--cc COMMAND] [PATH...]

Arguments are found with the generated package, as in python.py. Answers in TAP."""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import arguments
import python

FLAGS = ["-std=c11", "-O0", "-Wall", "-Wextra", "-Werror"]


def build(compiler, folder):
    """The driver with all sources of the folder."""
    driver = pathlib.Path(__file__).with_name("driver.c")
    sources = sorted(folder.glob("*.c"), key=lambda source: -source.stat().st_size) + [driver]
    objects = {source: folder.parent / (source.stem + ".o") for source in sources}

    def compiled(source):
        return subprocess.run([*compiler, *FLAGS, "-I", folder, "-c", source, "-o", objects[source]]).returncode == 0

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        if not all(list(pool.map(compiled, sources))):
            return None
    program = folder.parent / "driver"
    subprocess.run([*compiler, *objects.values(), "-o", program], check=True)
    return program


def questions(package, engine, paths, sets, seed):
    """(line for the driver, number, refusal) for each quantity of each set"""
    for path in paths:
        chance = arguments.seeded(f"{seed} {path}")
        for _ in range(sets):
            case = python.Case(package, package.registry.get(path), chance)
            case.narrow()
            words = python.words_of({**case.workload, **case.fields}, case.parameters)
            for quantity in arguments.WHOLE:
                yield "\t".join([quantity, path, *words]), *engine.ask(quantity, path, words)


def compare(line, want, refusal, have):
    """None, "skipped", or what is wrong"""
    if refusal and any(limit in refusal for limit in python.LIMITS):
        return "skipped"
    if refusal:
        return None if have.startswith("!") else f"{line}: {have}, but the engine refuses: {refusal}"
    return None if have == str(want) else f"{line}: {have}, not {want}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ridge")
    parser.add_argument("library")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--every", type=int, default=300)
    parser.add_argument("--sets", type=int, default=2)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    options = parser.parse_args()
    compiler = options.cc.split()
    if not shutil.which(compiler[0]):
        print("1..0 # SKIP there is no C compiler")
        return 0
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        package = python.package_in(folder, options.ridge)
        paths = options.paths or list(package.registry)[options.seed % options.every::options.every]
        chosen = paths if options.every > 1 or options.paths else []
        subprocess.run([options.ridge, "generate", "c", "--builtin-only", "--out", folder / "generated", *chosen], check=True,
                       stdout=subprocess.DEVNULL)
        program = build(compiler, folder / "generated")
        print(f"{'ok' if program else 'not ok'} 1 - compiles without a warning")
        if not program:
            print("1..1")
            return 1
        asked = list(questions(package, arguments.Engine(options.library), paths, options.sets, options.seed))
        answers = subprocess.run([program], input="\n".join(line for line, _, _ in asked) + "\n", capture_output=True, text=True, check=True)
        results = [compare(*one, have) for one, have in zip(asked, answers.stdout.split("\n")[:-1])]
        faults = [result for result in results if result and result != "skipped"]
        numbers = sum(result is None and refusal is None for result, (_, _, refusal) in zip(results, asked))
        print(f"{'ok' if not faults and len(results) == len(asked) else 'not ok'} 2 - numbers as the engine has them")
        for fault in faults[:40]:
            print(f"# {fault[:600]}")
        print(f"{'ok' if numbers > len(paths) else 'not ok'} 3 - most arguments have numbers")
        print(f"# {len(paths)} paths, {numbers} numbers and {results.count(None) - numbers} refusals compared")
        print("1..3")
        return 1 if faults or len(results) != len(asked) or numbers <= len(paths) else 0


if __name__ == "__main__":
    sys.exit(main())
