#!/usr/bin/env python3
"""Draws the house: docs/house.svg and the table of docs/architecture.md, from tests/layers/layers.txt and the #includes of src/.

    house.py          writes both
    house.py --check  says which of them is not what the tree is, and exits with 1"""

import html
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE, PAGE = ROOT / "docs/house.svg", ROOT / "docs/architecture.md"
BEGIN, END = "<!-- rooms: scripts/house.py -->\n", "<!-- /rooms -->\n"

WIDTH, MARGIN, GAP = 1000, 36, 10  # pixels: the picture, its edge, between rooms
CHARACTER, LINE = 5.75, 14  # of the small letters: a column's width, a line's height
KINDS = {  # what a room stands on: fill and edge on a light page, on a dark one, words of the legend
    "plain": ("#eef1f4", "#7d8996", "#262d35", "#8d99a6", "neither"),
    "formula": ("#e3eefa", "#2f6aa8", "#1d3247", "#7db8ee", "formulas: what a model should take"),
    "kernel": ("#fdeede", "#b9731b", "#402e19", "#e3a65b", "kernels: what a machine does"),
    "both": ("#e6f3e4", "#3f8a45", "#1f3a24", "#7fce86", "both"),
}


def read_rooms():
    """name -> (layer, what it holds), lowest layer first"""
    rooms = {}
    for line in (ROOT / "tests/layers/layers.txt").read_text().splitlines():
        if not line.startswith("#"):
            layer, name, words = line.split(None, 2)
            rooms[name] = (int(layer), words)
    return rooms


def read_uses(rooms):
    """name -> the rooms its files include"""
    uses = {}
    for name in rooms:
        text = "".join(path.read_text() for path in sorted((ROOT / "src" / name).rglob("*.[ch]")) if "node_modules" not in path.parts)
        uses[name] = {other for other in re.findall(r'#include "(\w+)/', text) if other in rooms and other != name}
    return uses


def all_below(name, uses):
    below, waiting = set(), [name]
    while waiting:
        for other in uses[waiting.pop()] - below:
            below.add(other)
            waiting.append(other)
    return below


def kind_of(name, uses):
    stands_on = all_below(name, uses) | {name}
    formula, kernel = "formula" in stands_on, "kernel" in stands_on
    return "both" if formula and kernel else "formula" if formula else "kernel" if kernel else "plain"


def inside(name):
    """the rooms of a room"""
    return [path.name + "/" for path in sorted((ROOT / "src" / name).iterdir()) if path.is_dir()]


# ---- the picture ----


def style():
    light = "".join(f".{kind}{{fill:{fill};stroke:{edge}}}" for kind, (fill, edge, *_) in KINDS.items())
    dark = "".join(f".{kind}{{fill:{fill};stroke:{edge}}}" for kind, (_, _, fill, edge, _) in KINDS.items())
    return (
        "<style>text{font:10.5px 'DejaVu Sans',Helvetica,Arial,sans-serif;fill:#3c4c5c}.name{font-size:14px;font-weight:bold;fill:#12263a}"
        f".ground{{fill:#fbfcfe;stroke:#8d99a6;stroke-opacity:.5}}.number{{text-anchor:middle;fill:#7d8996}}{light}"
        "@media(prefers-color-scheme:dark){text{fill:#b4c0cc}.name{fill:#e4ebf3}.ground{fill:#151a21}" + dark + "}</style>"
    )


def draw_text(x, y, words, kind=""):
    attribute = f' class="{kind}"' if kind else ""
    return f'<text{attribute} x="{x:g}" y="{y:g}">{html.escape(words)}</text>'


def draw_room(name, lines, x, y, width, height, uses):
    below = ", ".join(sorted(uses[name])) or "no other room"
    return [
        f"<g><title>{html.escape(name)} uses {html.escape(below)}</title>",
        f'<rect class="{kind_of(name, uses)}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"/>',
        draw_text(x + 10, y + 19, name, "name"),
        *(draw_text(x + 10, y + 19 + LINE * (number + 1), line) for number, line in enumerate(lines)),
        "</g>",
    ]


def draw_legend(y):
    out, x = [draw_text(MARGIN, y, "A room stands on")], MARGIN + 105
    for kind in ("formula", "kernel", "both", "plain"):
        words = KINDS[kind][-1]
        out += [f'<rect class="{kind}" x="{x:g}" y="{y - 10}" width="16" height="12" rx="3"/>', draw_text(x + 22, y, words)]
        x += 22 + len(words) * 6.2 + 20
    return out


def draw_floor(number, rooms, y, uses):
    """rooms: (name, what it holds); what is drawn, and the floor's height"""
    width = (WIDTH - 2 * MARGIN - GAP * (len(rooms) - 1)) / len(rooms)
    lines = [textwrap.wrap(words, int((width - 20) / CHARACTER)) for _, words in rooms]
    height = 30 + LINE * max(len(several) for several in lines)
    out = [draw_text(MARGIN / 2, y + height / 2 + 4, str(number), "number")]
    for place, (name, _) in enumerate(rooms):
        out += draw_room(name, lines[place], MARGIN + place * (width + GAP), y, width, height, uses)
    return out, height


def draw(rooms, uses):
    out, y = [], 20
    for floor in sorted({layer for layer, _ in rooms.values()}, reverse=True):
        drawn, height = draw_floor(floor, [(name, words) for name, (layer, words) in rooms.items() if layer == floor], y, uses)
        out += drawn
        y += height + GAP
    height = y + 32
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>The house: a room knows itself and the floors below it</title>", style(),
        f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
    ]  # fmt: skip
    return "\n".join([*head, *out, *draw_legend(height - 18), "</svg>", ""])


# ---- the table ----


def tabulate(rooms, uses):
    lines = ["| layer | room | what it holds | uses, beside `base` |", "|---|---|---|---|"]
    for name, (layer, words) in rooms.items():
        parts = f" (in it: {', '.join(inside(name))})" if inside(name) else ""
        lines.append(f"| {layer} | `src/{name}` | {words}{parts} | {', '.join(sorted(uses[name] - {'base'}, key=list(rooms).index))} |")
    return "\n".join(lines) + "\n"


def page_with(table):
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:begin] + table + text[end:]


def main(check):
    rooms = read_rooms()
    uses = read_uses(rooms)
    wanted = {PICTURE: draw(rooms, uses), PAGE: page_with(tabulate(rooms, uses))}
    stale = [path for path, text in wanted.items() if path.read_text() != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is not what the tree is; run scripts/house.py")
        else:
            path.write_text(wanted[path])
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
