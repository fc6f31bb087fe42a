#!/usr/bin/env python3
"""hostile.py RIDGE LIBRARY: what a stranger's catalog says cannot become code. Prints TAP.

Texts that end comments, strings and docstrings stand in every place of an entry where a text may stand, and names of every kind where a
name may. The code has to compile without a warning, to run nothing of theirs, to stay in its folder, and to give the engine's numbers."""

import ast
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import arguments
import c
import python

EVIL = ('"""\nimport os\nos.environ["PWNED"] = "yes"\n"""', "'''\nimport os; os.environ['PWNED'] = 'yes'\n'''", "*/ int pwned(void) { return 1; } /*",
        "*\\\n/ int pwned(void) { return 1; }", "//\\\nint pwned(void) { return 1; }", '"; int pwned = 1; char *x = "', "\\", 'ends in "', 'ends in """',
        "ends in \\", "\\u0022\\x22 \\N{QUOTATION MARK}", "%s%n%d {0} ${x} #{y}", "??/\n??)", "\x07\x1b[31m\u202e\u2066\u2028\x85", "\r\nimport os\r\n",
        "a\tb\n\nc", "*" * 300 + "/", "/*" * 100, "\U0001f600 é ſ", "#define gm_int char", "_Pragma(\"GCC error\")", "\x0cimport os")
KEYS = ("lib/../../../evil__X", 'q"uote__Y', "q'uote__Z", "back\\slash__W", "lib__class", "lib__def", "base__Module", "registry__Run", "gm__fail",
        "describe__x", "exact__A", "stdio__H", "generated__G", "index__I", "int__main", "None__True", "lib__A__B", "lib__a__b", "lib__A_B", "lib__AB__2",
        "9lives__3D", "__init____x", "lib__" + "long" * 80, "Alone", "ünïcode__Größe", "lib__import", "lib__ ", "list_1__torch_nn", "os__system", "lib__%s")
WORDS = ("class", "lambda", "self", "cls", "add", "workload_", "int", "v", "r", "m", "t", "struct", "True_", "None_", "exec", "print", "min_", "own",
         "frame", "gm_add", "NULL", "errno", "__x", "_", "parts", "items", "total_n", "nested", "UNSET", "uses", "Fraction")


def text_entries():
    for i, evil in enumerate(EVIL):
        quote = "'" if "'" not in evil else '"'
        # strings of formulas have no escapes: what holds both quotes, or ends a line, cannot stand in one
        word = evil if quote not in evil and evil.isprintable() else "x"
        yield f"evil__text__T{i}", {
            "thinking": evil, "code_location": {"file": evil, "line_start": 1, "line_end": 2}, "parameters": ["n", f"w={quote}{word}{quote}"],
            "flops": {"other": f"n + (1 if w == {quote}{word}{quote} else 0)"}, "breakdown": {evil: "{torch__nn__ReLU}(n)"},
            "weights": {evil: "[n, 2]"}, "holds_when": [{"that": f"n > 0 and w != {quote}never{quote}", "why": evil}],
            "tied": {f"{evil}": "None"}}
        yield f"evil__choice__C{i}", {"kind": "choice", "parameters": ["w", "n"], "on": "w",
                                      "cases": {evil: "{torch__nn__ReLU}(n)", "plain": "{torch__nn__SiLU}(n)"}, "thinking": evil}
        yield f"evil__config__Config{i}", {
            "kind": "config", "model_type": evil, "thinking": evil, "defaults": {"n": 4, evil: evil, "list": [evil, 1.5, {"x": evil}]},
            "types": {"n": "int|null"}, "aliases": {"m" + evil: "n"}, "derived": {evil: "n" if False else "config.n + 1"},
            "checks": [{"key": "n", "that": "config.n > 0", "why": evil}]}


def name_entries():
    for key in KEYS:
        yield key, {"parameters": ["n"], "flops": {"other": "3*n"}, "weights": {"weight": "[n]"}, "reads": {"weights": "weight"}}
    for i, word in enumerate(WORDS):
        yield f"evil__names__N{i}", {
            "parameters": ["n", f"{word}=2" if word != "_" else "n2=2"], "let": {f"{word}_let": f"n*{word if word != '_' else 'n2'}"},
            "weights": {"w": f"[n, {word}_let]"}, "flops": {"other": f"sum([{word}_let + e for e in range(n)])"},
            "breakdown": {"p": {"use": "{torch__nn__ReLU}(i + 1)", "for": "i in range(n)"}, "q": f"{{evil__names__use}}(n, {word if word != '_' else 'n2'}=5)"
                          if word != "_" else "None"}}
        if word != "_":
            yield f"evil__names__U{i}", {"kind": "function", "parameters": ["n", f"{word}=1"], "flops": {"other": f"n*{word}"}}


def catalog():
    entries = dict(text_entries()) | dict(name_entries())
    for i, word in enumerate(WORDS):  # each calls the function that has its word as a parameter
        entry = entries[f"evil__names__N{i}"]
        if word != "_":
            entry["breakdown"]["q"] = f"{{evil__names__U{i}}}(n, {word}=5)"
    # a loop that changes a name of the module: its terms mean the value before
    entries["evil__loop__L"] = {
        "parameters": ["n", "k=3"], "flops": {"other": "100*n + k"}, "holds": {"activations": "k"},
        "breakdown": {"p": {"use": "{torch__nn__ReLU}(n)", "for": "k in range(3)", "start": {"n": "n"}, "carry": {"n": "n*2"}},
                      "after": "{torch__nn__ReLU}(n)"}}
    # sums in products in sums: what a macro of C writes twice at each level is more than a compiler takes
    deep = "n"
    for _ in range(24):
        deep = f"min(({deep} + 1 + 2)*2*1, 10**9)"
    entries["evil__deep__D"] = {"parameters": ["n"], "flops": {"other": deep}}
    entries["evil__cycle__A"] = {"parameters": ["n"], "breakdown": {"b": "{evil__cycle__B}(n)"}}
    entries["evil__cycle__B"] = {"parameters": ["n"], "breakdown": {"a": "{evil__cycle__A}(n)"}}
    entries["evil__missing__M"] = {"parameters": ["n=1"], "breakdown": {"a": "{not__there}(n)"}}
    entries["evil__bad__Negative"] = {"parameters": ["n"], "flops": {"other": "1 - n"}}
    entries["evil__bad__Half"] = {"parameters": ["n"], "flops": {"other": "n/2"}}
    entries["evil__bad__Field"] = {"parameters": ["n"], "flops": {"other": "config.__class__.__init__ + n"}}
    entries["evil__math__All"] = {
        "kind": "formula", "parameters": ["a", "b=-3"],
        "value": "-a**2 + b//2*3 % 5 - (a - b)//4 + int(a/b) + ceil(a/3) + floor(a*0.1) + abs(b) + (a > 1 < 5) + len('é') + (not a) + max([a, b, 1/2])*2"
                 " + min(a, b) + ceil_div(a, 3) + sum([e*f for e in range(4) if e != 2 for_]) ".replace("*f for e", " for e").replace(" for_", "")
                 + "+ (b or a) + (a and b) + [a, b, 7][-1] + any([a == 2]) + all([]) + (None ?? a) + 2**3**2 + (1e2 if 'a' in 'cat' else 0) + ([1]*3)[2]"
                 " + len(split('a-b-c', '-')) + (1 in [True]) + True + +b"}
    return entries


def check(number, name, fault):
    print(f"{'not ok' if fault else 'ok'} {number} - {name}")
    if fault:
        print("# " + str(fault)[:1500].replace("\n", "\n# "))
    return not fault


def parsed(folder):
    """Files that are no Python, or have more than imports, constants and classes."""
    for path in folder.rglob("*.py"):
        if path.parent == folder:
            continue
        tree = ast.parse(path.read_text())
        for node in tree.body:
            if not isinstance(node, (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Assign, ast.Expr)):
                return f"{path}: {ast.dump(node)[:200]}"
            if isinstance(node, (ast.Import, ast.ImportFrom)) and any("os" == alias.name for alias in node.names):
                return f"{path} imports {ast.dump(node)}"
    return None


def compared(package, engine, paths):
    """The first differences from the engine."""
    faults = []
    for path in paths:
        for n in (0, 2, 7):
            words = [f"n={n}"] if "n" in package.registry.get(path).takes else [f"a={n}"] if path.endswith("All") else []
            named = dict(word.split("=") for word in words)
            for quantity in arguments.WHOLE:
                want, refusal = engine.ask(quantity, path, words)
                try:
                    have = package.compute(quantity, path, **{name: int(value) for name, value in named.items()})
                except package.GeneratedError as error:
                    have = None if refusal else f"{error}"
                if have != want and not (refusal and not isinstance(have, int)):
                    faults.append(f"{path} {quantity} {words}: {have}, not {want} ({refusal})")
    return "\n".join(faults[:8])


def compared_in_c(program, engine, paths, package):
    lines, faults = [], []
    for path in paths:
        for n in (0, 2, 7):
            words = [f"n={n}"] if "n" in package.registry.get(path).takes else [f"a={n}"] if path.endswith("All") else []
            lines += [(quantity, path, words) for quantity in arguments.WHOLE if "\t" not in path and "\n" not in path]
    text = "\n".join("\t".join([quantity, path, *words]) for quantity, path, words in lines) + "\n"
    answers = subprocess.run([program], input=text.encode("utf-8", "surrogateescape"), capture_output=True, check=True).stdout.decode().split("\n")[:-1]
    for (quantity, path, words), have in zip(lines, answers):
        want, refusal = engine.ask(quantity, path, words)
        if have.startswith("!") != bool(refusal) or (not refusal and have != str(want)):
            faults.append(f"{path} {quantity} {words}: {have}, not {want} ({refusal})")
    return "\n".join(faults[:8]) or (None if len(answers) == len(lines) else "answers are missing")


def main():
    ridge, library = sys.argv[1:]
    sys.dont_write_bytecode = True
    good = True
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        folder = top / "inside"
        folder.mkdir()
        file = top / "evil.json"
        file.write_text(json.dumps(catalog()))
        options = ["--builtin-only", "--catalog", str(file)]
        engine = arguments.Engine(library, [str(file)])
        before = set(top.rglob("*"))
        made = subprocess.run([ridge, "generate", "python", *options, "--out", folder / "generated_modules", "evil.*", *KEYS], capture_output=True,
                              text=True)
        good &= check(1, "a package is made of a hostile catalog", made.returncode and made.stderr)
        strays = [path for path in set(top.rglob("*")) - before if folder / "generated_modules" not in (path, *path.parents)]
        good &= check(2, "no file lies outside of its folder", strays)
        good &= check(3, "every file is Python: imports, names and classes alone", parsed(folder / "generated_modules"))
        sys.path.insert(0, str(folder))
        package = importlib.import_module("generated_modules")
        paths = [path for path in package.registry if path.split(".")[0] not in ("torch", "aten", "kernel", "ridge", "transformers")]
        for path in paths:
            package.registry.get(path)
        good &= check(4, "nothing in it runs when it is imported", os.environ.get("PWNED"))
        good &= check(5, "it has the engine's numbers", compared(package, engine, paths))
        cycles = [[path for path in cycle if "cycle" in path] for cycle in package.registry.cycles()]
        good &= check(6, "cycles are found and printed", not any(len(cycle) == 3 for cycle in cycles) and cycles)
        try:
            package.compute_flops("evil.cycle.A", 1)
            told = "no error"
        except package.CycleError as error:
            told = None if "evil.cycle.A -> evil.cycle.B -> evil.cycle.A" in str(error) else str(error)
        good &= check(7, "a cycle is an error that prints it", told)
        subprocess.run([ridge, "generate", "c", *options, "--out", folder / "generated", "evil.*", *KEYS], check=True, stdout=subprocess.DEVNULL)
        compiler = os.environ.get("CC", "cc").split()
        if not shutil.which(compiler[0]):
            print("ok 8 - C compiles # SKIP there is no compiler\n1..8")
            return 0 if good else 1
        program = c.build(compiler, folder / "generated")
        good &= check(8, "C compiles without a warning", not program and "it does not")
        symbols = program and subprocess.run(["nm", program], capture_output=True, text=True).stdout
        good &= check(9, "nothing of theirs is defined in it", "pwned" in (symbols or "") and symbols)
        good &= check(10, "it has the engine's numbers", compared_in_c(program, engine, paths, package) if program else "no program")
        print("1..10")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
