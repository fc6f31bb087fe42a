#!/usr/bin/env python3
"""The commands of documents as shell, in their order, for scripts/fresh.sh:

    steps.py [--without=FEATURE,...] DOCUMENT [KIND...]      KIND: console, sh; console alone unless told

Each command is a call `step LINE STATUS 'COMMAND'`, each file a document shows `file NAME 'TEXT'`, in the shell that defines both. Comments
before a block choose: <!-- as: root, sudo --> for those users only, <!-- last --> after everything else."""

import pathlib
import re
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402
from run import features  # noqa: E402


def shell_commands(block):
    """(line, text) of each command of an sh block: a line, with those that a backslash continues"""
    text, first = "", 0
    for number, line in enumerate(block.lines, block.line + 1):
        first = first or number
        text += line
        if line.endswith("\\"):
            text += "\n"
            continue
        if text.strip() and not text.startswith("#"):
            yield first, text
        text, first = "", 0


def calls(block):
    if block.file:
        yield f"file {shlex.quote(block.file)} {shlex.quote(chr(10).join(block.lines))}"
    if block.kind == "console":
        for command in block.commands:
            status = re.search(r" # exit (\d+)$", command.text)
            yield f"step {command.first} {status[1] if status else 0} {shlex.quote(command.text)}"
    elif block.kind == "sh":
        for line, text in shell_commands(block):
            yield f"step {line} 0 {shlex.quote(text)}"


def marks(path):
    """{line of a fence: the words of comments right above it}"""
    found, words = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        comment = re.fullmatch(r"<!-- (.*) -->", line)
        if comment:
            words.append(comment[1])
        else:
            found[number] = words
            words = []
    return found


def main(arguments):
    arguments, missing = features.take_missing(arguments)
    if not arguments:
        sys.exit(__doc__)
    path, kinds = pathlib.Path(arguments[0]), arguments[1:] or ["console"]
    above, last = marks(path), []
    for block in run.read_blocks(path, missing):
        if block.skip or block.kind not in kinds and not block.file:
            continue
        words = above[block.line]
        users = [word[4:].split(", ") for word in words if word.startswith("as: ")]
        lines = list(calls(block))
        if users:
            lines = [f"case $user in {'|'.join(users[0])})", *lines, ";;", "esac"]
        if "last" in words:
            last += lines
        else:
            print("\n".join(lines))
    print("\n".join(last))


if __name__ == "__main__":
    main(sys.argv[1:])
