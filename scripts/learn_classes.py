#!/usr/bin/env python3
"""Derives every class that a library's auto-mappings name and counts where `ridge learn` answers without a hole.

    scripts/learn_classes.py --source DIR --results FILE [--ridge build/ridge] [--configs N] [--sample N] [--type PATTERN] [--class PATTERN] [--again PATTERN]
    scripts/learn_classes.py --results FILE --table

A class is derived at its default config, and with --configs at N random ones. No entry of the catalog is used. Each answer becomes a line of
JSON in FILE at once, so that a run that was ended goes on where it stopped; --again does those anew whose verdict or reason fits. Verdicts:
    whole     every workload that the class takes (prefill; decode where it keeps a cache) has every number, and none is unresolved
    hole      numbers are missing, and the records say which and why
    refused   no answer; the message
    limit     the time or the memory did not suffice
A default config that PyTorch itself refuses is repaired as learn_classes.json says, with the reason; a class that no config makes run counts
as refused. Exit status 3: a number is missing, and no record says so.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import learn_catalog  # noqa: E402
import learn_general  # noqa: E402

KNOWN = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
ORDER = ("whole", "hole", "refused", "limit", "silent")
TRIES = 6


# ---- configs ----
def merged(config, changes):
    """The config with changes; within parts, too."""
    out = dict(config)
    for key, value in changes.items():
        out[key] = merged(out.get(key) or {}, value) if isinstance(value, dict) and value else value
    return out


def repairs(kind, name):
    """Of the repairs that fit a class: (fields, reason, options)."""
    for repair in KNOWN["repairs"]:
        if any(fnmatch.fnmatchcase(word, pattern) for word in (name, "type:" + kind) for pattern in repair["classes"]):
            yield repair["config"], repair["why"], repair.get("options", [])


def default_config(kind, name):
    return {"model_type": kind, "architectures": [name]}


def repaired(kind, name):
    """The default config with all repairs that fit, their reasons, and options of `ridge learn`."""
    config, why, words = default_config(kind, name), [], []
    for fields, reason, options in repairs(kind, name):
        config = merged(config, fields)
        why.append(reason)
        words += options
    return config, why, words


def own(fields, common):
    """A part's fields without those that every config has: not every part takes them."""
    return {key: own(value, common) if isinstance(value, dict) else value for key, value in fields.items() if key not in common or value != common[key]}


def random_configs(options, kind, name, count):
    """Variations of the default config with its fields filled in."""
    luck = random.Random(f"{options.seed} {kind} {name}")
    fields = options.defaults["model_types"].get(kind, {}).get("defaults", {})
    base = merged(own(fields, options.defaults["base_class_defaults"]), repaired(kind, name)[0])
    for _ in range(count):
        config = json.loads(json.dumps(base))
        learn_general.vary(config, luck)
        yield config


# ---- one answer ----
def torch_too(name, message):
    """Why PyTorch refuses the class at any config that we know, or "" where it would not, or nobody looked."""
    for known in KNOWN["torch refuses"]:
        if re.search(known["message"], message) and any(fnmatch.fnmatchcase(name, one) for one in known.get("classes", ["*"])):
            return known["why"]
    return ""


def short(text, source):
    """A message with places as the library's own files have them."""
    return text.replace(str(source).rstrip("/") + "/", "")


def unresolved(answer):
    """kind and place of what is unresolved, without repetition"""
    records = answer["unresolved"] + [one for run in answer["model"]["runs"] for one in run["unresolved"]]
    return list(dict.fromkeys((one["kind"], re.sub(r"^.*/(?=\w+/[^/]*$)", "", one["where"]), one["unknown"]) for one in records))


def missing(answer):
    """numbers that an answer does not give"""
    for run in answer["model"]["runs"]:
        if not run["failed"]:
            yield from (f"{run['phase']}: {key}" for key in ("total", "torch") if run["flops"][key] is None)
            if run["bytes"]["total"] is None:
                yield f"{run['phase']}: bytes"
    if answer["model"]["parameters"] is None:
        yield "parameters"


def verdict_of(answer, name):
    """(verdict, reason, holes); a step that PyTorch refuses, too, is none that the class takes"""
    failed = [f"{run['phase']}: {run['failed']}" for run in answer["model"]["runs"] if run["failed"] and not (run["phase"] == "decode" and torch_too(name, run["failed"]))]
    holes, unknown = unresolved(answer), list(missing(answer))
    if failed and torch_too(name, failed[0]):
        return "refused", failed[0], holes
    if failed and holes:  # what follows a hole may not fit
        return "hole", holes[0][0] + ": " + holes[0][2], holes
    if failed:
        return "refused", failed[0], holes
    if unknown and not holes:
        return "silent", "no record says why: " + ", ".join(unknown), holes
    return ("hole", holes[0][0] + ": " + holes[0][2], holes) if holes else ("whole", "", [])


def judge(options, config, source, words=()):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "config.json")
        path.write_text(json.dumps(config))
        try:
            answer = json.loads(learn_general.ask(options, "learn", str(path), "--source", source, "--json", *words))
        except learn_general.Refused as refusal:
            why = short(str(refusal).removeprefix("learn: "), source)
            limit = why.startswith("more than") or "of memory" in why or "died of" in why
            return {"verdict": "limit" if limit else "refused", "why": why}
    verdict, why, holes = verdict_of(answer, config["architectures"][0])
    said = {"verdict": verdict, "why": short(why, source), "parameters": answer["model"]["parameters"], "flops": [run["flops"]["torch"] for run in answer["model"]["runs"] if not run["failed"]]}
    return dict(said, holes=holes) if holes else said


def at_default(options, kind, name):
    """The answer at the default config; where that is refused, at the repaired one."""
    said = judge(options, default_config(kind, name), options.source)
    config, why, words = repaired(kind, name)
    if said["verdict"] == "refused" and why:
        said = dict(judge(options, config, options.source, words), repaired=why, default=said["why"])
    return dict(said, line=line_of(options.source, said["why"]))


def drawn(options, kind, name, source):
    """Random configs that are none for the source (it raises) are drawn anew; what it said of those is kept. Where none is one, the last."""
    found, turned = [], []
    words = repaired(kind, name)[2]
    for config in random_configs(options, kind, name, options.configs + TRIES):
        said = dict(judge(options, config, source, words), config=config)
        (turned if said["verdict"] == "refused" else found).append(said)
        if len(found) == options.configs or len(turned) > TRIES:
            break
    return found or turned[-1:], turned if found else turned[:-1]


# ---- what refuses ----
def line_of(source, why):
    """The line of the source that a message names, as proof of who refuses."""
    place = re.search(r"((?:/?[\w.-]+/)*[\w.-]+\.py):(\d+)", why)
    if not place or place[1].startswith("catalog/"):
        return ""
    roots = [pathlib.Path(place[1]), pathlib.Path(source, "transformers/models", place[1]), pathlib.Path(source, place[1])]
    path = next((root for root in roots if root.is_file()), None)
    return path.read_text().split("\n")[int(place[2]) - 1].strip() if path else ""


# ---- all ----
def sampled(options):
    """The classes that are asked for; of a sample so many, drawn."""
    classes = list(wanted(options, options.source))
    if options.sample:
        random.Random(options.seed).shuffle(classes)
        classes = classes[:options.sample]
    return classes


def wanted(options, source):
    """(type, class), each class once, that the patterns name"""
    seen = set()
    for kind, names in learn_catalog.mappings(source).items():
        for name in names:
            fits = any(fnmatch.fnmatchcase(kind, one) for one in options.type) and any(fnmatch.fnmatchcase(name, one) for one in options.cls)
            if name not in seen:
                seen.add(name)
                if fits:
                    yield kind, name


def read_records(path):
    """The last record of every class and config."""
    records = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        record = json.loads(line)
        records[record["class"], record["config"]] = record
    return records


def again(options, record):
    return any(fnmatch.fnmatchcase(record["verdict"], one) or fnmatch.fnmatchcase(record["why"], one) for one in options.again)


def tell(file, record):
    file.write(json.dumps(record) + "\n")
    file.flush()
    print(f"{record['verdict']:8} {record['type']:28} {record['class']:48} {record['config']:8} {record['why'][:200]}", flush=True)


def run(options, file, known):
    for kind, name in sampled(options):
        before = known.get((name, "default"))
        if options.default and (not before or again(options, before)):
            tell(file, {"type": kind, "class": name, "config": "default", **at_default(options, kind, name)})
        if options.configs and ((name, "1") not in known or again(options, known[name, "1"])):
            found, turned = drawn(options, kind, name, options.source)
            for i, said in enumerate(found, 1):
                tell(file, {"type": kind, "class": name, "config": str(i), "fields": said.pop("config"), **said,
                            "turned": turned if i == 1 else [], "line": line_of(options.source, said["why"])})


def plain(why):
    """A message without what differs from class to class."""
    why = re.sub(r"^(prefill|decode|building the model|making the config): ", "", why)
    why = re.sub(r"(/?[\w.-]+/)*[\w.-]+\.py:\d+(:\d+)?: ", "", why)
    why = re.sub(r" \((/?[\w.-]+/)*[\w.-]+\.py:\d+\)", "", why)
    return re.sub(r"\d+", "N", re.sub(r"'[A-Z]\w+'|\b[A-Z]\w*(Encoder|Model|Config|Backbone|Head|For\w+)\b", "C", why))[:110]


def rows(records):
    """(verdict, reason, why PyTorch does so, too) -> records"""
    table = collections.defaultdict(list)
    for record in records:
        reason = "" if record["verdict"] == "whole" else plain(record["why"])
        table[record["verdict"], reason, torch_too(record["class"], record["why"]) if record["verdict"] == "refused" else ""].append(record)
    return sorted(table.items(), key=lambda item: (ORDER.index(item[0][0]), -len(item[1])))


def table(records, title):
    if not records:
        return
    count = collections.Counter(record["verdict"] for record in records)
    refused = sum(bool(torch_too(record["class"], record["why"])) for record in records if record["verdict"] == "refused")
    print(f"\n{title}: {len(records)}, " + ", ".join(f"{count[one]} {one}" for one in ORDER if count[one]))
    print(f"without a hole: {100 * count['whole'] / len(records):.1f} %; of the {len(records) - refused} that PyTorch takes: {100 * count['whole'] / (len(records) - refused):.1f} %")
    for (verdict, reason, torch), those in rows(records):
        names = " ".join(dict.fromkeys(record["class"] for record in those))
        print(f"{len(those):5} {verdict:8} {reason}" + (f"\n{'':15}PyTorch, too: {torch}" if torch else "") + (f"\n{'':15}{names[:300]}" if reason else ""))
        if those[0].get("line"):
            print(f"{'':15}> {those[0]['line'][:160]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--source", help="folder that holds transformers/")
    parser.add_argument("--results", type=pathlib.Path, required=True, metavar="FILE", help="lines of JSON, one per class and config")
    parser.add_argument("--ridge", default="build/ridge")
    parser.add_argument("--configs", type=int, default=0, help="random configs of each class")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many classes, drawn at random (default: all)")
    parser.add_argument("--no-default", dest="default", action="store_false", help="the random configs alone")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--type", action="append", default=[], metavar="PATTERN", help="model types; repeatable")
    parser.add_argument("--class", dest="cls", action="append", default=[], metavar="PATTERN", help="classes; repeatable")
    parser.add_argument("--again", action="append", default=[], metavar="PATTERN", help="do classes anew whose verdict or reason fits; repeatable")
    parser.add_argument("--defaults", type=pathlib.Path, default=pathlib.Path("../shared/models/CONFIG_DEFAULTS.json"), help="default fields per model type, for random configs")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--memory", type=int, default=2048, help="of one command, in MiB")
    parser.add_argument("--table", action="store_true", help="only print the table")
    options = parser.parse_args()
    options.type, options.cls = options.type or ["*"], options.cls or ["*"]
    options.defaults = json.loads(options.defaults.read_text()) if options.defaults.exists() else {"model_types": {}, "base_class_defaults": {}}
    if not options.table:
        if not options.source:
            parser.error("--source says where the library is")
        with open(options.results, "a") as file:
            run(options, file, read_records(options.results))
    records = list(read_records(options.results).values())
    table([record for record in records if record["config"] == "default"], "classes at their default config")
    drawn = [record for record in records if record["config"] != "default"]
    table(drawn, f"random configs of {len({record['class'] for record in drawn})} classes")
    turned = [dict(said, **{"class": record["class"]}) for record in drawn for said in record.get("turned", [])]
    if turned:
        print(f"\ndrawn anew, as the source raised: {len(turned)}")
        for reason, count in collections.Counter(plain(said["why"]) for said in turned).most_common():
            print(f"{count:5} {reason}")
    return 3 if any(record["verdict"] == "silent" for record in records) else 0


if __name__ == "__main__":
    sys.exit(main())
