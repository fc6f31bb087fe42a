#!/usr/bin/env python3
"""Draws what ridge prints as a picture: table_svg.py PROGRAM cost >docs/cost.svg, table_svg.py PROGRAM show >docs/show.svg. Behind a module's
name in the table of `ridge cost`, a bar is its share of the FLOPs. The docs test compares the pictures with those that are there."""

import html
import re
import subprocess
import sys

COMMANDS = {
    "cost": ["cost", "meta-llama/Llama-2-7b-hf", "--depth", "3"],
    "show": ["meta-llama/Llama-3.1-8B", "--on", "rtx-4090"],
}
ADVANCE, LINE, SIZE = 7.5, 19, 12.5  # pixels: a character's width, a line's height, the letters' size
MARGIN, TOP = 18, 28
COLOURS = {  # on a light page, on a dark one
    "ground": ("#fbfcfe", "#151a21"), "ink": ("#1c2733", "#d7dee7"), "faint": ("#68747f", "#8d99a6"),
    "accent": ("#1f5f99", "#7db8ee"), "bar": ("#d3e4f5", "#23415f"),
}  # fmt: skip


def style():
    light, dark = ("".join(f".{name}{{fill:{pair[k]}}}" for name, pair in COLOURS.items()) for k in (0, 1))
    return (
        f"<style>text{{font:{SIZE}px 'DejaVu Sans Mono',Menlo,Consolas,monospace}}.strong{{font-weight:bold}}"
        f".ground{{stroke:#8d99a6;stroke-opacity:.5}}{light}@media(prefers-color-scheme:dark){{{dark}}}</style>"
    )


def text(column, y, words, kind):
    """Words at a column; their width is fixed, whatever the font."""
    at, width = MARGIN + column * ADVANCE, len(words) * ADVANCE
    return f'<text class="{kind}" x="{at:g}" y="{y:g}" textLength="{width:g}" lengthAdjust="spacingAndGlyphs">{html.escape(words)}</text>'


def draw_words(line, y, kind_of):
    """Runs of words that one space separates, each at its column."""
    return [text(found.start(), y, found[0], kind_of(found.start())) for found in re.finditer(r"\S+(?: \S+)*", line)]


def draw_row(line, y, percent):
    """percent: the column where the share of the FLOPs ends; the bar is as wide as the name's column at 100 %"""
    share = float(line[percent - 4 : percent + 1])
    length = share / 100 * (percent - 18) * ADVANCE
    bar = f'<rect class="bar" x="{MARGIN - 4}" y="{y - 13.5:g}" width="{length + 4:.1f}" height="18" rx="2"/>'
    return [*([bar] if share else []), *draw_words(line, y, lambda column: "ink")]


def draw_table(lines):
    """the head, then a row per module with its bar"""
    table = next(number for number, line in enumerate(lines) if line.startswith("module"))
    percent = lines[table].index("%")
    for number, line in enumerate(lines[1:], 1):
        y = TOP + (number + 1.5) * LINE
        if number < table:
            yield from draw_words(line, y, lambda column: "ink" if column == 12 else "faint")
        elif number == table:
            yield from draw_words(line, y, lambda column: "strong faint")
        else:
            yield from draw_row(line, y, percent)


def draw_screen(lines):
    """labels, and what is said of them"""
    for number, line in enumerate(lines[1:], 1):
        yield from draw_words(line, TOP + (number + 1.5) * LINE, lambda column: "ink" if column else "faint")


def main(program, name):
    command = COMMANDS[name]
    lines = subprocess.run([program, *command], capture_output=True, text=True, check=True, env={"COLUMNS": "100", "LC_ALL": "C"}).stdout.splitlines()
    prompt = "$ ridge " + " ".join(command)
    width = 2 * MARGIN + max(len(line) for line in [*lines, prompt]) * ADVANCE
    height = TOP + (len(lines) + 2) * LINE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{html.escape(prompt[2:])}</title>", style(),
        f'<rect class="ground" x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>', text(0, TOP, prompt, "faint"),
        *draw_words(lines[0], TOP + 1.5 * LINE, lambda column: "strong accent"),
    ]  # fmt: skip
    out += draw_table(lines) if name == "cost" else draw_screen(lines)
    print("\n".join([*out, "</svg>"]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
