#!/usr/bin/env python3
"""Looks at the pictures that `pictures` draws, as far as a program can. Prints TAP.
usage: pictures.py PICTURES"""
import itertools
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree as xml
import zlib

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


def leaders(root):
    """lines from points to their labels, as places on them two pixels apart"""
    for node in root.iter(SVG + "polyline"):
        if "faint-line" not in node.get("class"):
            continue
        (x0, y0), (x1, y1) = [tuple(map(float, pair.split(","))) for pair in node.get("points").split()]
        steps = int(math.dist((x0, y0), (x1, y1)) / 2) + 1
        yield [(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps) for i in range(steps + 1)]


def crossed(root):
    """level texts that a leader runs through; it ends at the edge of its own label"""
    texts = [(n.text, text_box(n)) for n in root.iter(SVG + "text") if not n.get("transform")]
    for places in leaders(root):
        for text, (left, top, right, bottom) in texts:
            inside = [x for x, y in places if left < x < right and top < y < bottom]
            if len(inside) > 3 and (left < places[-1][0] < right) * (top < places[-1][1] < bottom) == 0:
                yield f"'{text}'"


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


def steering(text):
    """characters that steer what shows them: nothing of a foreign name may"""
    for c in sorted(set(text) - set("\n")):
        if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cn", "Co", "Cs"):
            yield f"it has U+{ord(c):04X}"


def legend_is_whole(root):
    """of the picture of many series, every name"""
    text = " ".join(n.text or "" for n in root.iter(SVG + "text"))
    for name in ("weights", "a runtime's buffers and whatever it keeps", "the ninth", "12th", "written out in full"):
        if name not in text:
            yield f"'{name}' is missing"


def check_svg(path):
    yield from steering(path.read_text())
    if path.stem.startswith("series"):
        yield from legend_is_whole(xml.parse(path).getroot())
    root = xml.parse(path).getroot()
    yield from (f"overlap: {pair}" for pair in overlaps(root))
    yield from (f"outside: {text}" for text in outside(root))
    yield from (f"a leader crosses {text}" for text in crossed(root))
    yield from check_ceilings(root, path.stem.split("-")[0])
    marks = [n for n in root.iter() if n.tag in (SVG + "circle", SVG + "polygon") and n.find(SVG + "title") is not None]
    want = re.match(r"points-(\d+)", path.stem)
    points = sum("% of the time" in n.find(SVG + "title").text for n in marks)
    if want and points != int(want[1]):
        yield f"{points} points are drawn, not {want[1]}"


def check_page(path):
    text = path.read_text()
    yield from steering(text)
    root = xml.fromstring(text)
    for svg in root.iter(SVG + "svg"):
        yield from (f"overlap: {pair}" for pair in overlaps(svg))
        yield from (f"a leader crosses {text}" for text in crossed(svg))
    if len(list(root.iter(SVG + "svg"))) != 2 * 14:  # one for a wide page, one for a phone
        yield "not every picture is there"
    for what in re.findall(r"""<script|<link|<img|src=|href=|url\(|@import|https?://(?!www\.w3\.org/2000/svg")""", text):
        yield f"it asks for something outside: {what}"
    if "prefers-color-scheme:dark" not in text:
        yield "it has no dark colours"


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def check_text(path):
    width = int(re.search(r"-(\d+)(-ascii)?\.txt$", path.name)[1])
    text = path.read_text()
    yield from steering(text)
    for line in text.split("\n"):
        if columns(line) > width:
            yield f"longer than {width}: {line}"
        if "-ascii" in path.name and not line.isascii():
            yield f"not ASCII: {line}"


def unfiltered(method, row, above, size):
    """a row without its filter (PNG, 9.2): 1 from the left, 2 from above, 3 from their mean, 4 from the nearest to left + up - corner"""
    if method == 2:
        return bytearray((a + b) & 255 for a, b in zip(row, above))
    for i in range(len(row) if method else 0):
        left, up, corner = row[i - size] if i >= size else 0, above[i], above[i - size] if i >= size else 0
        if method == 4:  # mostly one of the two is the corner, and the other the nearest
            near = left if up == corner else up if left == corner else min((left, up, corner), key=lambda v: abs(left + up - corner - v))
        else:
            near = left if method == 1 else (left + up) // 2
        row[i] = (row[i] + near) & 255
    return row


def pixels(png):
    """rows of (red, green, blue); of an 8-bit PNG without a palette"""
    width, height, depth, kind = *struct.unpack(">II", png[16:24]), png[24], png[25]
    size, at, data = {2: 3, 6: 4}[kind], 8, b""
    assert depth == 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        data += png[at + 8 : at + 8 + length] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    data, stride, above = zlib.decompress(data), width * size, bytes(width * size)
    for y in range(height):
        method, row = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        row = bytearray(above) if method in (2, 4) and not any(row) else unfiltered(method, row, above, size)
        yield [tuple(row[i : i + 3]) for i in range(0, stride, size)]
        above = row


def check_png(path):
    png = path.read_bytes()
    if png[:8] != b"\x89PNG\r\n\x1a\n" or int.from_bytes(png[16:20], "big") != 1920:
        yield "no PNG 1920 pixels wide"
    elif path.stem == "hostile-light":  # a missing glyph was once drawn over half of the picture
        dark = count = 0
        for row in itertools.islice(pixels(png), 0, None, 8):
            dark += sum(max(pixel) < 0x60 for pixel in row)
            count += len(row)
        if not 0.001 < dark / count < 0.1:
            yield f"{dark / count:.1%} of it is dark"


def check_pdf(path):
    if not path.read_bytes().startswith(b"%PDF-"):
        yield "no PDF"


CHECKS = {".svg": (check_svg, 42), ".html": (check_page, 1), ".txt": (check_text, 56), ".png": (check_png, 28), ".pdf": (check_pdf, 14)}


def problems(program, ending):
    check, count = CHECKS[ending]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([pathlib.Path(program).resolve(), folder, ending], capture_output=True, text=True, cwd=folder)
        if done.returncode != 0:
            return [done.stderr]
        paths = sorted(pathlib.Path(folder).iterdir())
        found = [f"{path.name}: {problem}" for path in paths for problem in check(path)]
        return found + ([f"{len(paths)} files, not {count}"] if len(paths) != count else [])


def main():
    print(f"1..{len(CHECKS)}")
    failed = False
    for number, ending in enumerate(CHECKS, 1):
        if ending in (".png", ".pdf") and not shutil.which("gnuplot"):
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
