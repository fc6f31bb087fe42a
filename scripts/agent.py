#!/usr/bin/env python3
"""An agent for `ridge learn --agent`: turns Ridge's question into a prompt, gives that to a command line of yours which calls a language
model, and takes the JSON out of what it says.

    ridge learn MODEL --agent 'scripts/agent.py COMMAND...'      the prompt is on COMMAND's standard input, its words are read from its output
    RIDGE_AGENT_LLM=COMMAND ridge learn MODEL --agent scripts/agent.py

Nothing that the model says is run: Ridge reads it as formulas, checks them, and marks what rests on them as pending. Python 3, standard
library alone."""

import json
import os
import shlex
import subprocess
import sys

RULES = """You are asked for one quantity that could not be derived from the source of a neural network, because it depends on data or on a
function whose source is not there. Answer with one JSON object and nothing else.
Formulas are texts in a subset of Python's expressions over the symbols listed, and over nothing else: + - * // % ** comparisons,
`x if c else y`, min, max, ceil_div. Each must be a whole number of at least 0 for all values of the symbols. A constant is right only where the
quantity is the same for every size. `thinking` says in a sentence why. If it cannot be told, answer {"cannot": "why"}: no answer is better
than a wrong one."""


def prompt(question):
    source = question["source"] or {"text": "(not there)", "line": "?", "function": "?"}
    parts = [RULES, f"Wanted: {question['unknown']} ({question['kind']}), at line {source['line']} of {source['function']}:", source["text"]]
    parts.append("Arguments:\n" + "\n".join(json.dumps(a) for a in question["arguments"]))
    parts.append("Symbols:\n" + "\n".join(f"{s['name']}: {s['meaning']}, here {s['value']}" for s in question["symbols"]))
    parts.append("The answer's form: " + question["wanted"]["answer"])
    if question["wanted"]["at_most"]:
        parts.append("It is at most " + question["wanted"]["at_most"])
    for refused in question["refused"]:
        parts.append(f"Refused before: {refused['answer']}\nbecause: {refused['reason']}")
    return "\n\n".join(parts) + "\n"


def first_object(text):
    """The first JSON object in a text: models like to talk around it."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            return decoder.raw_decode(text, at)[0]
        except ValueError:
            at = text.find("{", at + 1)
    raise SystemExit("the model's words hold no JSON object: " + text[:200])


def main():
    command = sys.argv[1:] or shlex.split(os.environ.get("RIDGE_AGENT_LLM", ""))
    if not command or command[0] in ("-h", "--help"):
        raise SystemExit(__doc__)
    said = subprocess.run(command, input=prompt(json.load(sys.stdin)), stdout=subprocess.PIPE, text=True, check=False)
    if said.returncode:
        raise SystemExit(f"{command[0]} ended with status {said.returncode}")
    print(json.dumps(first_object(said.stdout)))


main()
