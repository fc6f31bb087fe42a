#!/usr/bin/env python3
"""Looks at the pictures that `pictures` draws, as far as a program can. Prints TAP.
usage: pictures.py PICTURES"""
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


def check_svg(path):
    root = xml.parse(path).getroot()
    yield from (f"overlap: {pair}" for pair in overlaps(root))
    yield from (f"outside: {text}" for text in outside(root))
    marks = [n for n in root.iter() if n.tag in (SVG + "circle", SVG + "polygon") and n.find(SVG + "title") is not None]
    want = re.match(r"points-(\d+)", path.stem)
    points = sum("% of the time" in n.find(SVG + "title").text for n in marks)
    if want and points != int(want[1]):
        yield f"{points} points are drawn, not {want[1]}"


def check_page(path):
    text = path.read_text()
    root = xml.fromstring(text)
    yield from (f"overlap: {pair}" for svg in root.iter(SVG + "svg") for pair in overlaps(svg))
    if len(list(root.iter(SVG + "svg"))) != 10:
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


CHECKS = {".svg": (check_svg, 30), ".html": (check_page, 1), ".txt": (check_text, 40), ".png": (check_png, 30)}


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
