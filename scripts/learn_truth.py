#!/usr/bin/env python3
"""Holds `ridge learn` against recorded results of real PyTorch: tree, parameters, FLOPs in total and per module, bytes, cache.

    scripts/learn_truth.py --ridge build/ridge --truth ../shared/truth --source 4.57=DIR [--source 5.5=DIR] [--only 'llama*'] [--runs 2]

A source is a folder that holds `transformers/`, for the recorded results whose library version begins with NAME. Per model it says
    equal        every number that was given is the recorded one, and none is missing
    unresolved   some numbers are unknown, for the reasons given; the others are equal
    differs      a number was given and it is wrong
    failed       no answer; the message
    limit        the time or the memory did not suffice
The table at the end groups by cause. Exit 3 where anything differs. --score FILE writes that table to a file as well.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

FORMATS = {"torch.float16": "fp16", "torch.bfloat16": "bf16", "torch.float32": "fp32"}
OPTIONS = {"seq": "--seq", "past_len": "--past", "decoder_seq": "--decoder-seq", "encoder_len": "--encoder-len", "images": "--images",
           "frames": "--video-frames", "encoder_frames": "--frames", "samples": "--samples"}
# they move no data, so that whether they are listed is a matter of taste
VIEWS = {"view", "_unsafe_view", "_reshape_alias", "alias", "as_strided", "detach", "diagonal", "expand", "permute", "select", "slice", "split",
         "split_with_sizes", "squeeze", "t", "transpose", "unbind", "unfold", "unsqueeze", "chunk", "_local_scalar_dense", "lift_fresh", "empty",
         "new_empty", "empty_like", "movedim", "real", "imag", "view_as_real", "view_as_complex", "_conj"}
ORDER = ["differs", "failed", "limit", "unresolved", "equal"]


class Failure(Exception):
    def __init__(self, verdict, message, answer=None):
        super().__init__(message)
        self.verdict, self.message, self.answer = verdict, message, answer


def load(path):
    with gzip.open(path, "rt") as file:
        return json.load(file)


def formats(run, config):
    """The number format of a run; none where the parts of a model have their own, and the whole none."""
    own = lambda c: c.get("dtype") or c.get("torch_dtype")
    if run["dtype"] == "torch.float32" and not own(config) and any(isinstance(c, dict) and own(c) for c in config.values()):
        return []
    number_format = FORMATS[run["dtype"]]
    return ["--weights", number_format, "--activations", number_format, "--kv", number_format]


def as_run(config):
    """the config of what ran, which was not quantised, whatever its checkpoint is"""
    return {key: as_run(value) if isinstance(value, dict) else value for key, value in config.items() if key != "quantization_config"}


def workload(run, config):
    """A recorded run as options; an image's height and width are told apart only where they differ."""
    words = ["--phase", run["phase"], "--batch", str(run["batch"])]
    for key, option in OPTIONS.items():
        if run.get(key) is not None:
            value = run[key] // run["batch"] if key == "images" else run[key]  # recorded: of all sequences
            words += [option, str(value)]
    if run.get("image_size") is not None:
        width = run.get("image_width")
        words += ["--image-size", f"{run['image_size']}x{width}" if width else str(run["image_size"])]
    return words + formats(run, config)


def title(run):
    keys = ("phase", "batch", "seq", "past_len", "decoder_seq", "encoder_len", "images", "image_size", "image_width", "frames", "encoder_frames",
            "samples", "dtype")
    return " ".join(f"{key}={run[key]}" for key in keys if run.get(key) is not None).replace("torch.", "")


def ask(options, config, source, run):
    """One call of the program: its answer, or a Failure."""
    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (options.memory << 20, options.memory << 20))

    with open(config) as file:
        command = [options.ridge, "learn", config, "--source", source, *workload(run, json.load(file)), "--json"]
    environment = dict(os.environ, XDG_DATA_HOME=os.path.dirname(config))
    try:
        done = subprocess.run(command, capture_output=True, timeout=options.timeout, preexec_fn=limits, env=environment, check=False)
    except subprocess.TimeoutExpired:
        raise Failure("limit", f"more than {options.timeout} s") from None
    text = done.stderr.decode(errors="replace").strip()
    if done.returncode:
        message = (text.splitlines() or [f"exit {done.returncode}"])[0].removeprefix("ridge: ")
        if done.returncode < 0:
            message = f"died of signal {-done.returncode}" + (f": {text.splitlines()[-1]}" if text else "")
        raise Failure("limit" if "memory" in message else "failed", message)
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        raise Failure("failed", f"its answer is no JSON: {error}") from None
    model = answer["model"]
    answer["run"] = model["runs"][0]
    if answer["run"]["failed"]:
        raise Failure("failed", answer["run"]["failed"], answer)
    return answer


def first_difference(what, mine, theirs):
    """Of two lists of lines, where they part."""
    for i, (a, b) in enumerate(zip(mine, theirs)):
        if a != b:
            return [f"{what}: {a} instead of {b} (place {i})"]
    if len(mine) != len(theirs):
        longer, word = (mine, "too much") if len(mine) > len(theirs) else (theirs, "missing")
        return [f"{what}: {len(mine)} instead of {len(theirs)}, {word}: {longer[min(len(mine), len(theirs))]}"]
    return []


def tree(answer, truth):
    """Paths, classes, order; parameters of each module and, where recorded, of each tensor."""
    mine, theirs = answer["model"]["modules"], truth["modules"]
    out = first_difference("tree", [f"{m['path']} {m['class']}" for m in mine], [f"{m['name']} {m['class']}" for m in theirs])
    if out:
        return out
    for a, b in zip(mine, theirs):
        for key, other in (("parameters", "params"), ("parameters_total", "params_total")):
            if a.get(key) is not None and a[key] != b[other]:
                out.append(f"{key} of {a['path'] or 'the model'} ({a['class']}): {a[key]} instead of {b[other]}")
        shapes = {name: tensor["shape"] for name, tensor in (a.get("tensors") or {}).items()}
        if "param_shapes" in b and shapes and shapes != b["param_shapes"]:
            out.append(f"shapes of {a['path'] or 'the model'}: {shapes} instead of {b['param_shapes']}")
    total = answer["model"]["parameters"]
    if total is not None and total != truth["total_params"]:
        out.append(f"parameters: {total} instead of {truth['total_params']}")
    return out


def flops(answer, run):
    """In total, by operator and per module, those that recorded results leave out excepted (they are 0, or single experts)."""
    out, unknown = [], 0
    total = answer["run"]["flops"]["torch"]
    if total is None:
        unknown += 1
    elif total != run["flops_total_matmul"]:
        out.append(f"FLOPs: {total} instead of {run['flops_total_matmul']}")
    classes = {module["path"]: module["class"] for module in answer["model"]["modules"]}
    rows = {row["path"]: row for row in answer["run"]["rows"]}
    theirs = run.get("flops_by_module") or {}
    for path, wanted in theirs.items():
        row = rows.get(path)
        if row is not None and row["torch"] is None:
            unknown += 1
        elif (row["torch"] if row else 0) != wanted:
            word = classes.get(path, "no module") + ("" if row else ", not called")
            out.append(f"FLOPs of {path or 'the model'} ({word}): {row['torch'] if row else 0} instead of {wanted}")
    if theirs and not run.get("_slimmed"):
        out += [f"FLOPs of {path}: {row['torch']}, recorded: none" for path, row in rows.items() if row["torch"] and path not in theirs]
    return out, unknown


def operators(answer, run):
    """What ran: names that differ in number, for whoever looks for lost bytes. Not part of the verdict."""
    mine, theirs = answer["run"].get("operators"), run["aten_op_counts"]
    if not mine:
        return []
    names = [n for n in sorted(set(mine) | set(theirs)) if (n.split(".") + [n])[1] not in VIEWS]
    return [f"{name} {mine.get(name, 0)}/{theirs.get(name, 0)}" for name in names if mine.get(name, 0) != theirs.get(name, 0)]


def traffic(answer, run):
    """How far the bytes are off, as a share; None where they are unknown."""
    mine = answer["run"].get("bytes") or {}
    if mine.get("reads") is None or mine.get("writes") is None:
        return None
    wanted = run["bytes_read"] + run["bytes_written"]
    return (mine["reads"] + mine["writes"] - wanted) / wanted if wanted else 0.0


def cache(answer, run):
    mine, wanted = answer["run"].get("kv_cache"), run.get("kv_cache_bytes_out")
    return [] if mine is None or wanted is None or mine == wanted else [f"cache: {mine} bytes instead of {wanted}"]


def holes(answer):
    return [f"{h['kind']}: {h.get('unknown') or h.get('what')} ({h.get('where')})" for h in (answer.get("unresolved") or []) + (answer["run"].get("unresolved") or [])]


def chosen_runs(options, truth):
    """Those in eager mode; of many the first of each phase come first."""
    runs = [run for run in truth["runs"] if run["attn_impl"] == "eager"]
    runs = [run for run in runs if (run.get("extra") or "").startswith("GptOss")] or runs  # its loop over experts, not the dense product of devices
    first, rest, seen = [], [], set()
    for run in runs:
        kind = (run["phase"], run.get("image_size") is not None)
        (rest if kind in seen else first).append(run)
        seen.add(kind)
    return (first + rest)[:options.runs] if options.runs else runs


def compare(options, truth, source):
    """A row of the table: verdict, cause, and lines of detail."""
    result = {"model": truth["model"], "type": truth["config"].get("model_type"), "verdict": "equal", "cause": "", "detail": [], "bytes": [], "seconds": 0.0}
    start, unknown = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "config.json")
        with open(config, "w") as file:
            json.dump(dict(truth["config"], architectures=[truth["model_class"].rsplit(".", 1)[-1]]), file)
        for run in chosen_runs(options, truth):
            try:
                answer = ask(options, config, source, run)
                wrong, missing = flops(answer, run)
                wrong = tree(answer, truth) + wrong + cache(answer, run)
            except Failure as failure:
                result.update(verdict=failure.verdict, cause=failure.message)
                result["detail"].append(title(run) + ": " + failure.message)
                if failure.answer:
                    result["detail"] += tree(failure.answer, truth)[:options.lines] or ["the tree and its parameters are equal"]
                break
            except (KeyError, TypeError, AttributeError) as error:
                result.update(verdict="failed", cause=f"its answer lacks something: {error!r}")
                break
            share, listed = traffic(answer, run), operators(answer, run)
            result["bytes"].append(share)
            if options.operators and listed:
                result["detail"].append(f"{title(run)}: operators (mine/recorded): {', '.join(listed)}")
            reasons = holes(answer)
            unknown += reasons if reasons or not missing else ["nothing says why numbers are missing"]
            if wrong:
                result.update(verdict="differs", cause=wrong[0])
                result["detail"] += [f"{title(run)}: {line}" for line in wrong[:options.lines]]
                break
    if unknown:
        result["detail"] += [f"hole: {line}" for line in dict.fromkeys(unknown)]
        if result["verdict"] == "equal":
            result.update(verdict="unresolved", cause=unknown[0])
    result["seconds"] = time.monotonic() - start
    return result


def group(cause):
    """What is alike in messages: without places and numbers."""
    cause = re.sub(r"\(?[\w./-]+\.(py|json):\d+(:\d+)?\)?:?", "", cause)
    cause = re.sub(r"0x[0-9a-f]+", "N", cause)
    return re.sub(r"(?<![\w.])\d+(?![\w.]*[A-Za-z])", "N", cause).strip()[:160]


def off(result):
    known = [abs(share) for share in result["bytes"] if share is not None]
    return f"{100 * max(known):.3g} %" if known else ""


def table(results, seconds):
    """The whole picture as text: counts, causes with their models, then every model."""
    counts = collections.Counter(r["verdict"] for r in results)
    lines = [time.strftime("%H:%M:%S ") + f"{len(results)} models in {seconds:.0f} s: " + ", ".join(f"{counts[v]} {v}" for v in ORDER if counts[v]), ""]
    for verdict in ORDER[:-1]:
        causes = collections.defaultdict(list)
        for r in results:
            if r["verdict"] == verdict:
                causes[group(r["cause"])].append(r["model"])
        if causes:
            lines.append(f"## {verdict}")
        for cause, models in sorted(causes.items(), key=lambda item: -len(item[1])):
            lines.append(f"{len(models):4} : {cause}")
            lines.append("       " + ", ".join(models[:12]) + (", ..." if len(models) > 12 else ""))
    lines += ["", f"{'model':40} {'verdict':11} {'bytes off':>9} {'s':>5}  cause"]
    for r in sorted(results, key=lambda r: (ORDER.index(r["verdict"]), r["model"])):
        lines.append(f"{r['model']:40} {r['verdict']:11} {off(r):>9} {r['seconds']:5.1f}  {r['cause'][:200]}")
    return "\n".join(lines) + "\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ridge", default="build/ridge", help="the program")
    parser.add_argument("--truth", default="../shared/truth", help="folder of recorded results")
    parser.add_argument("--source", action="append", required=True, metavar="VERSION=DIR", help="source for the versions that begin so; repeatable")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="model names (shell patterns); repeatable")
    parser.add_argument("--family", action="append", help="model types; repeatable")
    parser.add_argument("--runs", type=int, default=0, help="at most so many runs of each model (default: all)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=20, help="seconds per run")
    parser.add_argument("--memory", type=int, default=1024, help="MiB per run")
    parser.add_argument("--lines", type=int, default=5, help="differences shown per run")
    parser.add_argument("--operators", action="store_true", help="show operators whose counts differ")
    parser.add_argument("--score", help="write the table to this file, too")
    return parser.parse_args()


def wanted(options):
    """(path of the recorded results, source) of every model that is asked for and has one."""
    sources = [text.split("=", 1) for text in options.source]
    for path in sorted(glob.glob(os.path.join(options.truth, "*.json.gz"))):
        name = os.path.basename(path).removesuffix(".json.gz")
        if options.only and not any(fnmatch.fnmatch(name, pattern) for pattern in options.only):
            continue
        yield path, sources


def one(options, path, sources):
    truth = load(path)
    if options.family and truth["config"].get("model_type") not in options.family:
        return None
    source = next((folder for version, folder in sources if truth["transformers_version"].startswith(version)), None)
    return compare(options, truth, source) if source else None


def save(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


def main():
    options = arguments()
    results, start = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda item: one(options, *item), list(wanted(options))):
            if not result:
                continue
            results.append(result)
            print(f"{result['verdict']:10} {result['model']} {off(result)}", flush=True)
            for line in result["detail"]:
                print("    " + line[:400], flush=True)
    text = table(results, time.monotonic() - start)
    print("\n" + text)
    if options.score:
        save(options.score, text)
    if not results:
        sys.exit("no model was compared")
    return 3 if any(r["verdict"] == "differs" for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
