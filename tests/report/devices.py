#!/usr/bin/env python3
"""Pictures of predictions: what is drawn of one device and of several, against the roof that is drawn beside it and the JSON. Prints TAP.
usage: devices.py RIDGE"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
LLAMA, BIG, MIXTRAL = "meta-llama/Llama-2-7b-hf", "meta-llama/Llama-3.1-405B", "mistralai/Mixtral-8x7B-v0.1"
PREFIX = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "m": 1e-3, "µ": 1e-6, "n": 1e-9, "p": 1e-12}

CASES = [
    (LLAMA, "h100-sxm-80"),
    (LLAMA, "h100-sxm-80", "--phase", "decode", "--weights", "q4_K", "--kv", "fp8_e4m3"),
    (LLAMA, "rtx-4090", "--phase", "train"),
    ("tiiuae/falcon-7b", "mi300x", "--kernel", "eager", "--all"),
    ("meta-llama/Llama-3.1-8B", "h100-sxm-80", "--seq", "32768", "--weights", "bf16", "--activations", "fp8_e4m3"),
    (LLAMA, "CACHED", "--phase", "decode"),
    ("tiiuae/falcon-7b", "h100-sxm-80"),
    ("google-t5/t5-small", "t4"),
    ("microsoft/resnet-50", "t4", "--batch", "32"),
    (BIG, "h200-sxm-141", "--tensor-parallel", "8"),
    (BIG, "h100-sxm-80", "--phase", "decode", "--batch", "8", "--weights", "fp8_e4m3", "--devices", "8"),
    (BIG, "h200-sxm-141", "--tensor-parallel", "4", "--pipeline-parallel", "2", "--batch", "8", "--microbatches", "4"),
    (MIXTRAL, "h100-sxm-80", "--phase", "decode", "--batch", "64", "--expert-parallel", "8"),
    (LLAMA, "h100-sxm-80", "--phase", "train", "--batch", "64", "--tensor-parallel", "2", "--pipeline-parallel", "4", "--microbatches", "16",
     "--data-parallel", "2", "--zero", "1"),
    ("deepseek-ai/DeepSeek-V3", "h200-sxm-141", "--phase", "decode", "--batch", "64", "--tensor-parallel", "8", "--method", "estimate"),
]


def places(node):
    return [tuple(map(float, pair.split(","))) for pair in node.get("points").split()]


def points(root):
    """(x, y, what is told of it) of every point on the roofline that is not on the edge"""
    for node in root.iter():
        tip = node.find(SVG + "title")
        if tip is None or "% of the time" not in tip.text or re.search(r", (0|infinite) FLOP/byte", tip.text):
            continue
        if node.tag == SVG + "circle":
            yield float(node.get("cx")), float(node.get("cy")), tip.text
        else:
            corners = places(node)
            yield sum(x for x, _ in corners) / len(corners), sum(y for _, y in corners) / len(corners), tip.text


def roof_at(root, x, cached):
    """The height of the bold roof over x; axes are logarithmic, so its parts are straight. With a cache that has a bandwidth, what it holds
    is under its line, which is thin."""
    heights = []
    for node in root.iter(SVG + "polyline"):
        bold, thin = ("roof-line", 2.5), ("ceiling-line", 1.2)
        if any(name in node.get("class") and float(node.get("stroke-width")) == width for name, width in [bold, thin][: 1 + cached]):
            (x0, y0), (x1, y1) = places(node)
            if x0 - 0.02 <= x <= x1 + 0.02:
                heights.append(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return min(heights, default=None)


def above_the_roof(root, cached=False):
    for x, y, told in points(root):
        roof = roof_at(root, x, cached)
        if roof is None:
            yield f"no roof over {told}"
        elif y < roof - 0.5:
            yield f"{roof - y:.1f} pixels above its roof: {told}"


def amount(text):
    number, prefix = re.match(r"([\d.e+-]+) ([a-zµA-Z]?)(?:s|B)$", text).groups()
    return float(number) * PREFIX[prefix]


def sections(page):
    """heading: the section, its pictures inside"""
    return {section.find("h2").text: section for section in xml.fromstring(page).iter("section")}


def tips(section):
    """of the first picture, what is told on hover"""
    return [node.text for node in next(section.iter(SVG + "svg")).iter(SVG + "title")]


def check_memory(section, answer, devices):
    memory = answer["memory"]
    weights = next(tip for tip in tips(section) if tip.startswith("weights:"))
    if abs(amount(weights.split(": ")[1].split(" to ")[0]) / memory["weights"] - 1) > 1e-3:
        yield f"{weights}, though one device has {memory['weights']}"
    title = section.find("h3").text
    if (devices > 1) != ("of one device" in title):
        yield f"the title is '{title}'"


def check_labels(section):
    """Every bar has a name of its own, which is a whole one."""
    names = [n.text for n in next(section.iter(SVG + "svg")).iter(SVG + "text") if n.get("text-anchor") == "end" and n.get("class") == "ink"]
    yield from (f"two bars are called '{name}'" for name in sorted(set(names)) if names.count(name) > 1)
    yield from (f"'{name}' is a piece of a name" for name in names if name.startswith((".", "*")))
    if len(names) < 5:
        yield f"only {len(names)} bars have names"


def check_time(section, answer):
    messages = sum(amount(re.search(r"messages between devices: (.*) \(", tip)[1]) for tip in tips(section) if "messages between devices" in tip)
    wanted = answer.get("parallel", {}).get("link_s", 0)
    if abs(messages - wanted) > 2e-3 * wanted:
        yield f"messages take {messages} s in the picture, {wanted} s in the answer"
    times = sum(amount(re.search(r": (\S+ \S+) \(", tip)[1]) for tip in tips(section))
    if abs(times / answer["time_s"] - 1) > 2e-3:
        yield f"bars come to {times} s of {answer['time_s']} s"


def check_page(page, answer, devices):
    found = sections(page)
    yield from check_time(found["Where the time goes"], answer)
    yield from check_labels(found["Where the time goes"])
    if "Memory by context" in found:
        yield from check_memory(found["Memory by context"], answer, devices)
    fits = answer["memory"]["fits"]
    verdict = re.search(r'<p class="(verdict[^"]*)">([^<]*)', page)
    if (verdict[1] == "verdict alarm", verdict[2].startswith("Does not fit:")) != (fits is False, fits is False):
        yield f"fits is {fits}, and the page begins with '{verdict[2]}'"
    if page.index("verdict") > page.index("<dl"):
        yield "the verdict is not first"
    if answer["advice"] and "What would make it faster" not in found:
        yield "the advice is missing"


def check_units(page):
    """Numbers of a column are plain, its unit stands in its head; every digit is there on hover."""
    table = next(iter(sections(page)["Modules"].iter("table")))
    heads = [cell.text for cell in table.iter("th")]
    for unit in ("time (", "FLOPs (", "bytes ("):
        column = next((i for i, head in enumerate(heads) if head.startswith(unit)), None)
        if column is None:
            yield f"no column '{unit}'"
            continue
        for row in table.find("tbody"):
            cell = row[column]
            plain, digits = re.fullmatch(r"-|0|< 0\.00001|[\d.]+", cell.text), re.sub(r"^[< 0.]+|\.", "", cell.text)
            if not plain or (len(digits) > 4 and "." in cell.text):
                yield f"'{cell.text}' in the column '{heads[column]}'"
            if cell.text not in ("-", "0") and not re.match(r"[\d.e-]+", cell.get("title") or ""):
                yield f"'{cell.text}' does not tell its digits"


def predict(program, case, folder):
    model, machine, *options = case
    svg, html = folder / "x.svg", folder / "x.html"
    if machine == "CACHED":
        machine = folder / "cached.json"
        machine.write_text(json.dumps({"id": "cached", "inherits": "h100-sxm-80", "memory": [{"level": "l2", "bytes_per_s": 7e12}]}))
    words = [program, "predict", model, "--on", machine, *options]
    done = subprocess.run([*words, "--plot", svg, "--html", html, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        return None, None, done.stderr
    return xml.parse(svg).getroot(), html.read_text(), json.loads(done.stdout)


def problems(program, case):
    with tempfile.TemporaryDirectory() as folder:
        root, page, answer = predict(program, case, pathlib.Path(folder))
    if root is None:
        return [answer]
    devices = answer.get("parallel", {}).get("devices", 1)
    found = list(above_the_roof(root, case[1] == "CACHED"))
    drawn = len(list(points(root)))
    if drawn < 5:
        found.append(f"only {drawn} points are drawn: nothing is tested")
    title = root.get("aria-label")
    if devices > 1 and not (f" {devices} × " in title and "one device" in title):
        found.append(f"the title does not tell of one of {devices} devices: {title}")
    labels = {node.text for node in root.iter(SVG + "text")}
    if ("messages between devices" in labels) != (answer.get("parallel", {}).get("link_s", 0) > 0):
        found.append("messages are not in the legend as they are in the answer")
    return found + list(check_page(page, answer, devices)) + list(check_units(page))


def main():
    print(f"1..{len(CASES)}")
    failed = False
    for number, case in enumerate(CASES, 1):
        found = problems(sys.argv[1], case)
        failed = failed or bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {' '.join(case)}")
        for problem in found[:12]:
            print(f"# {problem}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
