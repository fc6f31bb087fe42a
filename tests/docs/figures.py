"""Figures that documents state of what is in the tree, each against what is there: (document, expression with the figure in a group, count).
A number of configs, machines and the like in the running text that no row here covers is told too: it would rot."""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBER = r"(\d[\d,]*)"
# figures of recordings that are not in the tree
ELSEWHERE = ("37 models of 25 model types",)
COUNTED = re.compile(
    r"\b(\d[\d,]*|[A-Za-z]*(?:teen|ty)(?:-[a-z]+)?) (?:[a-z]+ )?(?:configs|machines|models|model types|formats|entries|kinds|modules|commands|tests)\b"
)


def listed(program, *words):
    return json.loads(subprocess.run([program, *words, "--json"], capture_output=True, check=True).stdout)


def limit(header, name):
    """what a #define says"""
    return int(re.search(rf"#define {name}\s+(\d+)", (ROOT / header).read_text())[1])


def modules(program, model):
    """modules of a model's tree, as `ridge inspect` counts them below its title"""
    text = subprocess.run([program, "inspect", model, "--depth", "1"], capture_output=True, check=True, text=True).stdout
    return int(re.search(r"   modules ([\d,]+)", text)[1].replace(",", ""))


def rows(program):
    known = len(list((ROOT / "tests/golden/known").glob("*.json")))
    deepseek = modules(program, "deepseek-ai/DeepSeek-V3")
    yield "README.md", NUMBER + " configs of published models are built in", len(listed(program, "models")["models"])
    yield "README.md", NUMBER + " machines are built in", len(listed(program, "machine", "list")["machines"])
    yield "README.md", "repeat the comparison for " + NUMBER + " of these models", known
    yield "docs/architecture.md", "DeepSeek-V3, with " + NUMBER + " modules", deepseek
    yield "docs/performance.md", r"DeepSeek-V3` \(" + NUMBER + r" modules\)", deepseek
    yield "docs/performance.md", NUMBER + " modules of DeepSeek-V3", deepseek
    yield "docs/formula.md", r"\| steps of one run \| " + NUMBER, limit("src/formula/expr.h", "RIDGE_STEP_LIMIT")
    yield "docs/formula.md", r"invocations included \| " + NUMBER, limit("src/formula/expr.h", "RIDGE_DEPTH_LIMIT")
    yield "docs/formula.md", r"\| nesting of its text \| " + NUMBER, limit("src/formula/parse.h", "RIDGE_PARSE_DEPTH_LIMIT")
    yield "docs/formula.md", r"lists in it \| " + NUMBER, limit("src/formula/value.h", "RIDGE_LIST_LIMIT")
    yield "docs/formula.md", r"\| terms of a closed form \| " + NUMBER, limit("src/formula/poly_terms.h", "RIDGE_TERM_LIMIT")
    yield "docs/formula.md", r"\| chain of `inherits` \| " + NUMBER, limit("src/catalog/inherit.c", "CHAIN_LIMIT")


def prose(path):
    """(line, text) outside of fences"""
    inside = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        inside ^= line.startswith("```")
        if not inside:
            yield number, line


def wrong(documents, program, updating):
    """what is not so; with `updating` the figures are written"""
    names = {path.relative_to(ROOT).as_posix(): path for path in documents}
    covered = {name: [] for name in names}
    for name, expression, count in rows(program):
        if name not in names:
            continue
        text = names[name].read_text()
        found = re.search(expression, text)
        if not found:
            yield f"{name} no longer says /{expression}/: take the row out of tests/docs/figures.py, or put the sentence back"
            continue
        covered[name].append(expression)
        if found[1] != f"{count:,}":
            yield f"{name}: '{found[0]}', but there are {count:,}"
            if updating:
                names[name].write_text(text[: found.start(1)] + f"{count:,}" + text[found.end(1) :])
    for name, path in names.items():
        for number, line in prose(path):
            for expression in covered[name]:
                line = re.sub(expression, "", line)
            for phrase in ELSEWHERE:
                line = line.replace(phrase, "")
            for counted in COUNTED.finditer(line):
                yield f"{name}:{number}: '{counted[0]}' is typed by hand: give it a row in tests/docs/figures.py"
