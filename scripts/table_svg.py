#!/usr/bin/env python3
"""Draws what `ridge cost` prints as a picture: table_svg.py PROGRAM >docs/cost.svg. The docs test compares it with the one that is there."""

import html
import re
import subprocess
import sys

COMMAND = ["cost", "meta-llama/Llama-2-7b-hf", "--depth", "3"]
ADVANCE, LINE, SIZE = 7.5, 19, 12.5  # pixels: a character's width, a line's height, the letters' size
MARGIN, TOP = 18, 26
COLOURS = {  # light, dark
    "ground": ("#fbfcfe", "#151a21"), "edge": ("#c9d1db", "#39424e"), "ink": ("#1c2733", "#d7dee7"), "faint": ("#68747f", "#8d99a6"),
    "accent": ("#1f5f99", "#7db8ee"), "bar": ("#d3e4f5", "#223f5c"),
}  # fmt: skip


def style():
    light, dark = ("".join(f"--{name}:{pair[k]};" for name, pair in COLOURS.items()) for k in (0, 1))
    fallback = "".join(f".{name}{{fill:{pair[0]};fill:var(--{name})}}" for name, pair in COLOURS.items() if name != "edge")
    return (
        f"<style>svg{{{light}}}@media (prefers-color-scheme:dark){{svg{{{dark}}}}}{fallback}"
        f".ground{{stroke:{COLOURS['edge'][0]};stroke:var(--edge)}}text{{font:{SIZE}px 'DejaVu Sans Mono',Menlo,Consolas,monospace}}.strong{{font-weight:bold}}</style>"
    )


def text(x, y, words, kind):
    """Words at a column; their width is fixed, whatever the font."""
    width = len(words) * ADVANCE
    return f'<text class="{kind}" x="{MARGIN + x * ADVANCE:g}" y="{y:g}" textLength="{width:g}" lengthAdjust="spacingAndGlyphs">{html.escape(words)}</text>'


def pieces(line):
    """Runs of words that one space separates, with their columns."""
    return [(found.start(), found[0]) for found in re.finditer(r"\S+(?: \S+)*", line)]


def draw_line(line, y, number, table, share):
    """share: columns of the table's percentages, for the bar below them"""
    parts = []
    found = pieces(line)
    if number > table and found:
        end = share[1]
        cell = line[share[0] : end].strip()
        length = float(cell) / 100 * (end - share[0]) * ADVANCE if cell else 0
        left = MARGIN + share[0] * ADVANCE
        parts.append(f'<rect class="bar" x="{left:g}" y="{y - 13:g}" width="{length:.1f}" height="17" rx="2"/>')
    for column, words in found:
        kind = "strong accent" if number == 0 else "faint strong" if number == table else "ink"
        if number < table and number > 2 and column == 0:
            kind = "faint"
        if number == 1 or (number < table and column > 12 and words.split()[0].islower() and not words[0].isdigit()):
            kind = "faint"
        parts.append(text(column, y, words, kind))
    return parts


def main(program):
    lines = subprocess.run([program, *COMMAND], capture_output=True, text=True, check=True, env={"COLUMNS": "100", "LC_ALL": "C"}).stdout.splitlines()
    table = next(number for number, line in enumerate(lines) if line.startswith("module"))
    percent = lines[table].index("%")
    share = (percent - 8, percent + 1)
    prompt = "$ ridge " + " ".join(COMMAND)
    width = 2 * MARGIN + max(len(line) for line in [*lines, prompt]) * ADVANCE
    height = TOP + (len(lines) + 2) * LINE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{html.escape(prompt[2:])}</title>", style(),
        f'<rect class="ground" x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>', text(0, TOP, prompt, "faint"),
    ]  # fmt: skip
    for number, line in enumerate(lines):
        out += draw_line(line, TOP + (number + 2) * LINE - 4, number, table, share)
    print("\n".join([*out, "</svg>"]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
