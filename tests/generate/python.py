#!/usr/bin/env python3
"""The generated package against the engine: the same numbers for random arguments, the same refusals.

    python.py RIDGE LIBRARY [--every N] [--sets N] [--seed N] [PATH...]

Of all modules, functions, formulas and choices each N-th is asked (1: all of them), with so many sets of arguments. Workload names and
config fields that the module reads are set at random, too. Answers in TAP."""

import argparse
import importlib
import pathlib
import re
import subprocess
import sys
import tempfile

import arguments
from arguments import WHOLE

# what the engine refuses to do, and code need not: numbers beyond 128 bits, and words that no formula reads
LIMITS = ("overflow", "does not fit", "has no effect", "too many steps", "too much memory", "takes too long")


def words_of(given, positional):
    return [arguments.word(name, value) for name, value in {**positional, **given}.items()]


class Case:
    """One set of arguments: it is found out which names of the workload and fields of the config count, so that the engine is told no
    others."""

    def __init__(self, package, cls, chance):
        self.package, self.cls, self.chance = package, cls, chance
        defaults = len(cls.body().__defaults__ or ())
        self.parameters = {}
        for i, name in enumerate(cls.takes):
            if i < len(cls.takes) - defaults or chance.random() < 0.6:
                self.parameters[name] = arguments.argument(name, name in cls.words, chance)
        names = [name for name in list(arguments.INTEGERS) + list(arguments.CHOICES) if name not in cls.takes and name not in cls.aliases]
        self.workload = arguments.workload(names, chance)
        self.fields = {}

    def read_names(self):
        """Names of the workload that the package reads on the way, and integers among the config's fields."""
        run, registry = self.package.run, self.package.registry
        asked = importlib.import_module(registry.__module__)  # its file: the package has the registry itself by that name
        read, fields = set(), {}

        class Watched(run.Workload):
            def __getattribute__(self, name):
                if name in run.Workload.INTEGERS or name in run.Workload.WORDS:
                    read.add(name)
                return object.__getattribute__(self, name)

        asked.Workload, normal = Watched, asked.Workload
        try:
            self.answers(("flops", "parameters"))
        finally:
            asked.Workload = normal
        if self.cls.family:
            for name, rule in registry.config(self.cls.family).fields.items():
                counts = isinstance(rule.default, int) and not isinstance(rule.default, bool) and rule.default > 0
                if counts and name not in self.cls.takes and name not in self.cls.aliases:
                    fields[name] = rule.default
        read.update(("S", "past") if "T" in read else (), ("B", "S") if "head_rows" in read else ())
        return read - {"T", "head_rows"}, fields

    def find_fields(self):
        """Where a family has several configs, a module's fields are what is given: of the first config that has them."""
        registry = self.package.registry
        family = self.cls.path.split(".modeling_")[0] + ".configuration"
        configs = [registry.config(path) for path in self.package.index.CONFIGS if path.startswith(family)]
        for _ in range(40):
            why = self.answers(("flops",))["flops"][1]
            missing = re.search(r"(?:no config here that has|an object has no) '(\w+)'", why or "")
            if not missing or missing[1] in self.fields or missing[1] in self.cls.takes:
                return
            defaults = [rule.fields[missing[1]].default for rule in configs if missing[1] in rule.fields]
            plain = [value for value in defaults if isinstance(value, (bool, int, str, list))]
            self.fields[missing[1]] = plain[0] if plain else self.chance.choice(arguments.SIZES)

    def narrow(self):
        if not self.cls.family and ".modeling_" in self.cls.path:
            self.find_fields()
        read, fields = self.read_names()
        self.workload = {name: value for name, value in self.workload.items() if name in read}
        if fields and self.chance.random() < 0.6:
            name = self.chance.choice(sorted(fields))
            layers = "layers" in name or "depth" in name
            self.fields[name] = self.chance.choice((1, 2, 3)) if layers else fields[name] * self.chance.choice((1, 2, 3))

    def answers(self, quantities):
        """quantity -> (number, None) or (None, why there is none)"""
        found = {}
        named = {**self.parameters, **self.workload, **self.fields}
        is_module = issubclass(self.cls, self.package.BaseModule)
        try:
            module = self.package.module(self.cls.path, **named) if is_module else None
        except self.package.GeneratedError as error:
            return {quantity: (None, str(error)) for quantity in quantities}
        for quantity in quantities:
            try:
                if is_module:
                    number = getattr(module, quantity)
                else:
                    number = self.package.compute(quantity, self.cls.path, **named)
                found[quantity] = number, None
            except (self.package.GeneratedError, TypeError, ZeroDivisionError, IndexError, AttributeError) as error:
                found[quantity] = None, str(error)
        return found


def compare(engine, case, quantity, answer):
    """None where both agree, "skipped", or what is wrong."""
    have, why = answer
    words = words_of({**case.workload, **case.fields}, case.parameters)
    want, refusal = engine.ask(quantity, case.cls.path, words)
    if refusal and any(limit in refusal for limit in LIMITS):
        return "skipped"
    told = f"{case.cls.path} {quantity} {' '.join(words)}"
    if refusal: # the C API has integers alone: a list, a text, a fraction is no number there
        if have is None or not isinstance(have, int) or isinstance(have, bool):
            return None
        return f"{told}: {have}, but the engine refuses: {refusal}"
    if have != want:
        return f"{told}: {have if why is None else why}, not {want}"
    return None


def check(package, engine, path, sets, seed):
    """(faults, numbers compared, refusals compared)"""
    chance = arguments.seeded(f"{seed} {path}")
    cls = package.registry.get(path)
    faults, numbers, refusals = [], 0, 0
    for _ in range(sets):
        case = Case(package, cls, chance)
        case.narrow()
        for quantity, answer in case.answers(WHOLE).items():
            result = compare(engine, case, quantity, answer)
            if result is None:
                numbers += answer[1] is None
                refusals += answer[1] is not None
            elif result != "skipped":
                faults.append(result)
    return faults, numbers, refusals


def package_in(folder, ridge, *words):
    """Generates the package into a folder, and imports it."""
    subprocess.run([ridge, "generate", "python", "--builtin-only", "--out", folder / "generated_modules", *words], check=True,
                   stdout=subprocess.DEVNULL)
    sys.path.insert(0, str(folder))
    return importlib.import_module("generated_modules")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ridge")
    parser.add_argument("library")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--every", type=int, default=40)
    parser.add_argument("--sets", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as folder:
        package = package_in(pathlib.Path(folder), options.ridge)
        engine = arguments.Engine(options.library)
        paths = options.paths or list(package.registry)[options.seed % options.every::options.every]
        by_library, totals = {}, [0, 0]
        for path in paths:
            faults, numbers, refusals = check(package, engine, path, options.sets, options.seed)
            by_library.setdefault(path.split(".")[0], []).extend(faults)
            totals[0] += numbers
            totals[1] += refusals
        for i, (library, faults) in enumerate(sorted(by_library.items()), 1):
            print(f"{'not ok' if faults else 'ok'} {i} - numbers of {library} as the engine has them")
            for fault in faults[:20]:
                print(f"# {fault[:600]}")
        enough = totals[0] > len(paths)
        print(f"{'ok' if enough else 'not ok'} {len(by_library) + 1} - most arguments have numbers")
        print(f"# {len(paths)} paths, {totals[0]} numbers and {totals[1]} refusals compared")
        print(f"1..{len(by_library) + 1}")
        return 0 if enough and not any(by_library.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
