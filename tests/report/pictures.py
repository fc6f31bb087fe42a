#!/usr/bin/env python3
"""Looks at the pictures that `pictures` draws, as far as a program can. Prints TAP.
usage: pictures.py PICTURES"""
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
LEAST_EM = 0.42  # average width of a letter in a narrow sans serif: what is closer than this overlaps in any font


def text_box(node):
    size, x, y = float(node.get("font-size")), float(node.get("x")), float(node.get("y"))
    width = len(node.text or "") * size * LEAST_EM
    left = {"middle": x - width / 2, "end": x - width}.get(node.get("text-anchor"), x)
    return left, y - size * 0.36, left + width, y + size * 0.36


def overlaps(root):
    """pairs of level texts that cover each other"""
    nodes = [n for n in root.iter(SVG + "text") if not n.get("transform")]
    boxes = [text_box(n) for n in nodes]
    for i, a in enumerate(boxes):
        for j in range(i):
            b = boxes[j]
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
                yield f"'{nodes[j].text}' and '{nodes[i].text}'"


def outside(root):
    """level texts that stick out of the picture"""
    _, _, width, height = map(float, root.get("viewBox").split())
    for node in root.iter(SVG + "text"):
        x0, y0, x1, y1 = text_box(node)
        if not node.get("transform") and (x0 < 0 or y0 < 0 or x1 > width or y1 > height):
            yield f"'{node.text}'"


# ---- names of ceilings, and points ----

def discs(root):
    """(position in the drawing, x, y, radius) of every point; of a marker with corners, of the circle inside it"""
    for order, node in enumerate(root.iter()):
        tip = node.find(SVG + "title")
        if tip is None or "% of the time" not in tip.text:
            continue
        if node.tag == SVG + "circle":
            yield order, float(node.get("cx")), float(node.get("cy")), float(node.get("r"))
            continue
        corners = [tuple(map(float, pair.split(","))) for pair in node.get("points").split()]
        x, y = (sum(values) / len(corners) for values in zip(*corners))
        yield order, x, y, math.dist((x, y), corners[0]) * math.cos(math.pi / len(corners))


def ceiling_names(root):
    """(text, x, y, half width, angle) of the names beside ceilings: the middle of each, and how it is turned, clockwise"""
    for node in root.iter(SVG + "text"):
        if not re.search(r" [kMGTPE]?(FLOP|B)/s$", node.text or ""):
            continue
        turned = re.search(r"rotate\(([-\d.]+) ", node.get("transform") or "")
        half = len(node.text) * float(node.get("font-size")) * LEAST_EM / 2
        middle = half if node.get("text-anchor") == "end" else 0
        yield node.text, float(node.get("x")) - middle, float(node.get("y")), half, math.radians(float(turned[1])) if turned else 0


def has_ground(root, name, order):
    """whether a ground of the panel's colour lies below a name and above what is drawn at `order`"""
    _, x, y, _, _ = name
    for at, node in enumerate(root.iter()):
        if at > order and node.tag == SVG + "polygon" and node.get("class") == "panel" and node.get("fill-opacity"):
            corners = [tuple(map(float, pair.split(","))) for pair in node.get("points").split()]
            if math.dist((x, y), [sum(values) / 4 for values in zip(*corners)]) < 8 + 0.1 * math.dist(corners[0], corners[1]):
                return True
    return False


def covered_names(root):
    """(name of a ceiling that a point's disc enters by more than half a pixel, whether a ground keeps it legible)"""
    for name in ceiling_names(root):
        text, x, y, half, angle = name
        hits = []
        for order, px, py, radius in discs(root):
            along = (px - x) * math.cos(angle) + (py - y) * math.sin(angle)
            across = (py - y) * math.cos(angle) - (px - x) * math.sin(angle)
            if math.hypot(max(abs(along) - half, 0), max(abs(across) - 4, 0)) < radius - 0.5:
                hits.append(order)
        if hits:
            yield text, has_ground(root, name, max(hits))


def check_ceilings(root, picture):
    covered = list(covered_names(root))
    yield from (f"a point covers the name '{text}'" for text, ground in covered if not ground or picture != "everywhere")
    if picture == "everywhere" and not covered:
        yield "no point is under any name: nothing is tested"
    if picture in ("heavy", "everywhere") and len(list(ceiling_names(root))) < 5:
        yield "names of ceilings are missing"


def check_svg(path):
    root = xml.parse(path).getroot()
    yield from (f"overlap: {pair}" for pair in overlaps(root))
    yield from (f"outside: {text}" for text in outside(root))
    yield from check_ceilings(root, path.stem.split("-")[0])
    marks = [n for n in root.iter() if n.tag in (SVG + "circle", SVG + "polygon") and n.find(SVG + "title") is not None]
    want = re.match(r"points-(\d+)", path.stem)
    points = sum("% of the time" in n.find(SVG + "title").text for n in marks)
    if want and points != int(want[1]):
        yield f"{points} points are drawn, not {want[1]}"


def check_page(path):
    text = path.read_text()
    root = xml.fromstring(text)
    yield from (f"overlap: {pair}" for svg in root.iter(SVG + "svg") for pair in overlaps(svg))
    if len(list(root.iter(SVG + "svg"))) != 12:
        yield "not every picture is there"
    for what in re.findall(r"""<script|<link|<img|src=|href=|url\(|@import|https?://(?!www\.w3\.org/2000/svg")""", text):
        yield f"it asks for something outside: {what}"
    if "prefers-color-scheme:dark" not in text:
        yield "it has no dark colours"


def check_text(path):
    width = int(re.search(r"-(\d+)(-ascii)?\.txt$", path.name)[1])
    for line in path.read_text().splitlines():
        if len(line) > width:
            yield f"longer than {width}: {line}"
        if "-ascii" in path.name and not line.isascii():
            yield f"not ASCII: {line}"


def check_png(path):
    head = path.read_bytes()[:24]
    if head[:8] != b"\x89PNG\r\n\x1a\n" or int.from_bytes(head[16:20], "big") != 1920:
        yield "no PNG 1920 pixels wide"


CHECKS = {".svg": (check_svg, 36), ".html": (check_page, 1), ".txt": (check_text, 48), ".png": (check_png, 36)}


def problems(program, ending):
    check, count = CHECKS[ending]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, folder, ending], capture_output=True, text=True)
        if done.returncode != 0:
            return [done.stderr]
        paths = sorted(pathlib.Path(folder).iterdir())
        found = [f"{path.name}: {problem}" for path in paths for problem in check(path)]
        return found + ([f"{len(paths)} files, not {count}"] if len(paths) != count else [])


def main():
    print(f"1..{len(CHECKS)}")
    failed = False
    for number, ending in enumerate(CHECKS, 1):
        if ending == ".png" and not shutil.which("gnuplot"):
            print(f"ok {number} - {ending} # SKIP no gnuplot")
            continue
        found = problems(sys.argv[1], ending)
        failed = failed or bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {ending}")
        for problem in found[:20]:
            print(f"# {problem}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
