#!/usr/bin/env python3
"""Runs what README.md and docs/*.md show and compares it with what they say. Prints TAP, one case a block.

    run.py PROGRAM BUILD_FOLDER SANITIZERS [--without=FEATURE,...] [--update] [FILE.md...]

--without names what the program was built without. --update writes what the programs answer into the documents, and
docs/cost.svg, docs/show.svg, docs/pictures, docs/house.svg and docs/schema; review the diff.

    ```console          a block that is run, in a folder that the document's blocks share; `$ ` begins a command, `> ` continues it,
                        the lines after it are its output, stdout and stderr; a last line `...` leaves the rest open
    $ ridge x # exit 1  the exit status wanted, where it is not 0
    ```pycon            a session of Python with the package of this tree, one for all of a document's blocks, after its console blocks
                        (tests/docs/sessions.py); not under sanitizers
    <!-- file: NAME -->  before a block: its text is written to NAME in that folder
    <!-- needs sqlite -->  before a block: skipped in a build without it; tests/features.py has the names

The folder holds build/ridge, catalog, examples and include as the source tree does, and ./setup with a scripts/setup.sh that installs
and builds nothing; its block shows one command, since the output has lines like commands. `cc` is a compiler that links what the build
needs; pkg-config knows ridge. COLUMNS is 100; HOME and XDG_*_HOME are below the folder."""

import concurrent.futures
import dataclasses
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import features  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import figures  # noqa: E402
import sessions  # noqa: E402

KEPT = re.compile(r"(ASAN|UBSAN|LSAN|LLVM)_")


@dataclasses.dataclass
class Command:
    text: str
    wanted: list
    first: int  # lines of the document that hold the output: [first, last)
    last: int
    found: list = dataclasses.field(default_factory=list)
    said: list = dataclasses.field(default_factory=list)  # what is wrong


@dataclasses.dataclass
class Block:
    kind: str
    file: str  # to be written to, "" where none
    line: int  # of the opening fence, from 1
    lines: list
    commands: list = dataclasses.field(default_factory=list)
    skip: str = ""  # why it does not run
    said: list = dataclasses.field(default_factory=list)  # of a session: what is wrong


# ---- documents ----

def read_blocks(path, missing):
    blocks, block, name, skip = [], None, "", ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if block is not None and line == "```":
            blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
        elif line.startswith("```"):
            block, name, skip = Block(line[3:].strip(), name, number, [], skip=skip), "", ""
        else:
            comment = re.fullmatch(r"<!-- (.*) -->", line)
            file = re.fullmatch(r"file: ([\w./-]+)", comment[1]) if comment else None
            mark = features.read_mark(comment[1], f"{path}:{number}") if comment else None
            name = file[1] if file else name if mark else ""
            skip = features.reason_to_skip([mark], missing) if mark else skip if file else ""
    if block is not None:
        sys.exit(f"{path}:{block.line}: this block does not end")
    for block in blocks:
        if block.kind == "console":
            block.commands = list(commands_of(path, block))
    return blocks


def commands_of(path, block):
    at, lines = 0, block.lines
    while at < len(lines):
        if not lines[at].startswith("$ "):
            sys.exit(f"{path}:{block.line + at + 1}: a command begins with '$ '")
        text = lines[at][2:]
        at += 1
        while at < len(lines) and (lines[at].startswith("> ") or lines[at] == ">"):
            text += "\n" + lines[at][2:]
            at += 1
        first = at
        while at < len(lines) and (text == "./setup" or not lines[at].startswith("$ ")):
            at += 1
        yield Command(text, lines[first:at], block.line + first, block.line + at)


# ---- running ----

def environment(folder, program, build, sanitizers):
    tools = folder / "bin"
    tools.mkdir()
    (tools / "ridge").symlink_to(program)
    compiler = os.environ.get("CC", "cc")
    flags = "" if sanitizers == "none" else f"-fsanitize={sanitizers}"
    (tools / "cc").write_text(f'#!/bin/sh\nPATH=$OLD_PATH exec {compiler} {flags} "$@"\n')
    (tools / "cc").chmod(0o755)
    env = {name: value for name, value in os.environ.items() if KEPT.match(name)}
    env.update(
        PATH=f"{tools}:{os.environ['PATH']}", OLD_PATH=os.environ["PATH"], HOME=str(folder / "home"), XDG_DATA_HOME=str(folder / "data"), HF_HUB_OFFLINE="1",
        XDG_CACHE_HOME=str(folder / "cache"), XDG_CONFIG_HOME=str(folder / "config"), COLUMNS="100", LC_ALL="C.UTF-8", TERM="dumb",
        PKG_CONFIG_PATH=str(package(folder, build)), LD_LIBRARY_PATH=str(build),
    )
    return env


def package(folder, build):
    """a folder with ridge.pc of the build that is not installed; its paths are links, since `$(pkg-config ...)` is split where a path has a space"""
    packages = folder / "packages"
    packages.mkdir()
    for name, target in (("prefix", build), ("srcdir", ROOT)):
        (packages / name).symlink_to(target)
    made = build / "meson-uninstalled/ridge-uninstalled.pc"
    text = made.read_text() if made.exists() else ""
    text = re.sub(r"^(prefix|srcdir)=.*$", rf"\1={packages}/\1", text, flags=re.M)
    (packages / "ridge.pc").write_text(re.sub(r"^libdir=.*$", f"libdir={packages}/prefix", text, flags=re.M))
    return packages


def scratch(folder, program):
    work = folder / "work"
    (work / "build").mkdir(parents=True)
    (work / "build/ridge").symlink_to(program)
    for name in ("catalog", "examples", "include"):
        (work / name).symlink_to(ROOT / name)
    (work / "setup").symlink_to(ROOT / "setup")
    (work / "scripts").mkdir()
    said = [line for line in (ROOT / "scripts/setup.sh").read_text().splitlines() if line.startswith('echo "setup: built')]
    (work / "scripts/setup.sh").write_text("\n".join(said) + "\n")
    return work


def run_command(command, work, env, hide):
    said = re.search(r" # exit (\d+)$", command.text)
    status = int(said[1]) if said else 0
    done = subprocess.run(
        ["sh", "-c", command.text], cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=120, check=False,
    )  # fmt: skip
    text = done.stdout.decode("utf-8", "backslashreplace")
    for real, shown in hide:
        text = text.replace(real, shown)
    command.found = text.splitlines()
    if done.returncode != status:
        command.said.append(f"exit status {done.returncode}, wanted {status}")
    if "\n".join(command.found) + "\n" != text and text:
        command.said.append("the output does not end in a newline")
    open_end = command.wanted[-1:] == ["..."]
    wanted = command.wanted[:-1] if open_end else command.wanted
    found = command.found[: len(wanted)] if open_end else command.found
    if wanted != found:
        command.said += difflib.unified_diff(wanted, found, "wanted", "found", lineterm="")


def run_document(path, program, build, sanitizers, missing):
    """[(name, what is wrong)] of every block of a document"""
    blocks = read_blocks(path, missing)
    with tempfile.TemporaryDirectory(prefix="ridge-docs-") as name:
        folder = pathlib.Path(name).resolve()
        work, env = scratch(folder, program), environment(folder, program, build, sanitizers)
        hide = [(str(work) + "/", ""), (str(folder / "home"), "~"), (str(folder / "data"), "~/.local/share"), (str(folder / "cache"), "~/.cache"), (str(folder), "/tmp")]
        for block in blocks:
            if block.skip:
                continue
            if block.file:
                target = work / block.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(block.lines) + "\n")
            for command in block.commands:
                run_command(command, work, env, hide)
        run_sessions(blocks, work, {**env, "PYTHONPATH": str(ROOT / "python"), "RIDGE_LIBRARY": str(build / "libridge.so.0"), "RIDGE_PROGRAM": str(program)}, sanitizers)
    return blocks


def run_sessions(blocks, work, env, sanitizers):
    wanted = [block for block in blocks if block.kind == "pycon" and not block.skip]
    for block in wanted if sanitizers != "none" else ():
        block.skip = "a library with sanitizers is none for Python"
    wanted = [block for block in wanted if not block.skip]
    for block, said in zip(wanted, sessions.run(["\n".join(block.lines) + "\n" for block in wanted], work, env)):
        block.said = said


def update(path, blocks):
    lines = path.read_text().splitlines()
    for block in reversed(blocks):
        for command in reversed(block.commands):
            if command.said:
                kept = max(len(command.wanted) - 1, 1)
                cut = command.wanted[-1:] == ["..."]
                lines[command.first : command.last] = command.found[:kept] + ["..."] if cut else command.found
    path.write_text("\n".join(lines) + "\n")


# ---- what else documents can get wrong ----

def anchors(path):
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            title = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            yield title.replace(" ", "-")


def broken_links(path):
    for target in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"|href=\"([^\"]+)\"", path.read_text()):
        link = next(part for part in target if part)
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        to = (path.parent / file).resolve() if file else path
        if not to.exists():
            yield f"{link}: there is no such file"
        elif anchor and to.suffix == ".md" and anchor not in anchors(to):
            yield f"{link}: there is no such heading"


def unnamed(document, header, macro):
    """names of an X-macro list that a document does not have in backquotes"""
    text = (ROOT / header).read_text()
    body = re.search(rf"#define {macro}\(X\)(.*?)\n\n", text, re.S)[1]
    said = (ROOT / document).read_text()
    for name in [quoted or plain for plain, quoted in re.findall(r'X\((\w+)(?:, "(\w+)")?', body)]:
        if not re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", said):
            yield f"{document} does not have `{name}` of {header}"


ROOFLINE = ["predict", "meta-llama/Meta-Llama-3-8B", "--on", "h100-sxm-80", "--batch", "4", "--method", "estimate", "--plot"]


def roofline(program):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "roofline.svg"
        subprocess.run([program, *ROOFLINE, path], capture_output=True, check=True)
        return path.read_text()


def screen(program, name):
    words = [sys.executable, ROOT / "scripts/table_svg.py", program, name]
    return subprocess.run(words, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]}).stdout


def picture(name, made, updating):
    path = ROOT / name
    if path.exists() and path.read_text() == made:
        return []
    if updating:
        path.write_text(made)
    return ["it is not what the program makes; write it anew with --update"]


def made_by(script, *arguments, updating):
    """what a script that makes documents says of them"""
    words = [sys.executable, ROOT / "scripts" / script, *arguments, *([] if updating else ["--check"])]
    done = subprocess.run(words, capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()


def cases(documents, answers, program, updating):
    for path, blocks in zip(documents, answers):
        name = path.relative_to(ROOT)
        for block in blocks:
            if block.commands:
                first = block.commands[0].text.splitlines()[0]
                said = [f"$ {c.text.splitlines()[0]}: {line}" for c in block.commands for line in c.said]
                yield f"{name}:{block.line}: {first}" + (f" # SKIP {block.skip}" if block.skip else ""), said
            elif block.kind == "pycon":
                yield f"{name}:{block.line}: {block.lines[0]}" + (f" # SKIP {block.skip}" if block.skip else ""), block.said
        yield f"{name}: links", list(broken_links(path))
    if len(documents) > 1:
        yield "docs/formula.md has every function", list(unnamed("docs/formula.md", "src/formula/ast.h", "RIDGE_BUILTIN_LIST"))
        yield "docs/formula.md has every name of the workload", list(unnamed("docs/formula.md", "src/formula/expr.h", "RIDGE_GLOBAL_LIST"))
        yield "docs/catalog.md has every kind of entry", list(unnamed("docs/catalog.md", "src/catalog/entry.h", "RIDGE_KIND_LIST"))
        yield "figures are those of the tree", list(figures.wrong([path for path in documents if path.name != "NEWS.md"], program, updating))
        for name in ("cost", "show"):
            yield f"docs/{name}.svg is current", picture(f"docs/{name}.svg", screen(program, name), updating)
        yield "docs/pictures/roofline.svg is current", picture("docs/pictures/roofline.svg", roofline(program), updating)
        yield "docs/house.svg and docs/architecture.md have the rooms", made_by("house.py", updating=updating)
        yield "docs/testing.md has the fuzzers' executions", made_by("fuzzed.py", updating=updating)
        yield "docs/schema and docs/records.md are current", made_by("schema.py", program, updating=updating)
        yield "python/ridge has the program's commands and records", made_by("python_stubs.py", program, updating=updating)


def main(arguments):
    updating = "--update" in arguments
    arguments, missing = features.take_missing(arguments)
    arguments = [argument for argument in arguments if argument != "--update"]
    if len(arguments) < 3:
        sys.exit(__doc__)
    program, build, sanitizers = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]).resolve(), arguments[2]
    documents = [pathlib.Path(name).resolve() for name in arguments[3:]] or [ROOT / "README.md", ROOT / "NEWS.md", *sorted(ROOT.glob("docs/*.md"))]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        answers = list(pool.map(lambda path: run_document(path, program, build, sanitizers, missing), documents))
    failed = number = 0
    for number, (name, said) in enumerate(cases(documents, answers, program, updating), 1):
        failed += bool(said)
        print(f"{'not ok' if said else 'ok'} {number} - {name}")
        for line in said:
            print(f"# {line}")
    print(f"1..{number}")
    for path, blocks in zip(documents, answers) if updating else []:
        update(path, blocks)
    return failed != 0 and not updating


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
