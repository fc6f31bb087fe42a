"""One model, one workload: the text, JSON and CSV of `ridge cost`, the C API's struct and JSON, and the library's own answer hold the same numbers; every
row's parts add up to its parent's.
    agreement.py DRIVER RIDGE [SHARED LIBRARY]     the library is left out where Python cannot load it (a sanitizer's build)"""
import csv
import ctypes
import io
import json
import re
import subprocess
import sys

import driver

MODELS = ["gpt2", "meta-llama/Llama-2-7b-hf", "mistralai/Mixtral-8x7B-v0.1", "google-t5/t5-small", "google-bert/bert-base-uncased", "microsoft/resnet-50",
          "deepseek-ai/DeepSeek-V3", "meta-llama/Llama-3.1-405B", "state-spaces/mamba-130m-hf", "google/vit-base-patch16-224"]
WORKLOADS = [{}, {"batch": 3, "seq": 77, "kernel": "fused", "attention": "causal", "lm-head": "last"}, {"phase": "decode", "batch": 8, "past": 500},
             {"phase": "train", "batch": 2, "seq": 128, "optimizer": "sgd"}, {"weights": "q4_K", "kv": "fp8_e4m3", "batch": 1000}]
FLOPS = ["total", "matmul", "attention", "activation", "embedding", "other", "torch"]


ENCODERS = {"google-bert/bert-base-uncased", "microsoft/resnet-50", "google/vit-base-patch16-224"}  # they keep no cache


class Count(ctypes.Structure):
    _fields_ = [("lo", ctypes.c_uint64), ("hi", ctypes.c_int64)]

    def __int__(self):
        return (self.hi << 64) + self.lo


class Totals(ctypes.Structure):
    _fields_ = [(name, Count) for name in
                ["parameters", "active", "embedding"] + ["flops_" + name for name in FLOPS] +
                ["bytes", "read_weights", "read_activations", "read_kv", "read_intermediates", "written_activations", "written_kv", "written_intermediates"] +
                ["memory", "weights", "kv_cache", "activations_peak", "gradients", "optimizer"]]


class Library:
    """The C API."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ("ridge_session_open", "ridge_model_cost_json"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.lib.ridge_session_error.restype = ctypes.c_char_p
        self.session = ctypes.c_void_p(self.lib.ridge_session_open(None, ctypes.c_size_t(0)))

    def close(self):
        self.lib.ridge_session_close(self.session)

    def arguments(self, options):
        words = [f"{key}={value}".encode() for key, value in options.items()]
        return (ctypes.c_char_p * len(words))(*words), ctypes.c_size_t(len(words))

    def totals(self, model, options):
        out, (words, count) = Totals(), self.arguments(options)
        if self.lib.ridge_model_cost(self.session, ctypes.byref(out), model.encode(), words, count):
            raise driver.Refused(self.lib.ridge_session_error(self.session).decode())
        return {name: int(getattr(out, name)) for name, _ in Totals._fields_}

    def json(self, model, options):
        words, count = self.arguments(options)
        text = self.lib.ridge_model_cost_json(self.session, model.encode(), words, count)
        if not text:
            raise driver.Refused(self.lib.ridge_session_error(self.session).decode())
        value = json.loads(ctypes.string_at(text))
        self.lib.ridge_free(ctypes.c_void_p(text))
        return value


def run(program, model, options, *more):
    words = [part for key, value in options.items() for part in (f"--{key}", str(value))]
    done = subprocess.run([program, "cost", model, *words, *more], capture_output=True, check=False, timeout=60)
    if done.returncode:
        raise driver.Refused(done.stderr.decode())
    return done.stdout.decode()


def flat(answer):
    """The JSON's totals under the names of the C struct."""
    reads, writes, memory, parameters = answer["bytes"]["reads"], answer["bytes"]["writes"], answer["memory"], answer["parameters"]
    return {"parameters": parameters["total"], "active": parameters["active"], "embedding": parameters["embedding"],
            **{f"flops_{name}": answer["flops"][name] for name in FLOPS}, "bytes": answer["bytes"]["total"],
            **{f"read_{kind}": reads[kind] for kind in reads}, **{f"written_{kind}": writes[kind] for kind in writes},
            "memory": memory["total"], **{name: memory[name] for name in ("weights", "kv_cache", "activations_peak", "gradients", "optimizer")}}


def row_numbers(row):
    """A JSON row under the names of the CSV's columns."""
    reads, writes, flops = row["bytes"]["reads"], row["bytes"]["writes"], row["flops"]
    return {"path": row["path"], "class": row["class"], "count": row["count"], "calls": row.get("calls", row["count"]), "flops": flops["total"],
            **{f"flops_{name}": flops[name] for name in FLOPS[1:]}, "bytes": row["bytes"]["total"],
            **{f"reads_{kind}": reads[kind] for kind in reads}, **{f"writes_{kind}": writes[kind] for kind in writes}}


def differences(what, wanted, found):
    for name in wanted:
        if str(wanted[name]) != str(found.get(name)):
            yield f"{what}: {name} is {found.get(name)}, in the JSON {wanted[name]}"


def compare_csv(answer, text):
    rows = list(csv.DictReader(io.StringIO(text)))
    if len(rows) != len(answer["rows"]):
        yield f"CSV: {len(rows)} rows, in the JSON {len(answer['rows'])}"
    for wanted, found in zip(answer["rows"], rows):
        yield from differences(f"CSV row '{wanted['path']}'", row_numbers(wanted), found)


def compare_text(answer, text):
    """Every figure printed in full."""
    full = lambda word: re.search(rf"^{word} +([\d,]+)", text, re.M)[1].replace(",", "")
    wanted = {"parameters": answer["parameters"]["total"], "FLOPs": answer["flops"]["total"], "reads": sum(answer["bytes"]["reads"].values()),
              "writes": sum(answer["bytes"]["writes"].values()), "memory": answer["memory"]["total"]}
    yield from differences("text", wanted, {word: full(word) for word in wanted})
    table = text[text.index("\nmodule ") + 1:].splitlines()[1:]
    table = [line for line in table if line.strip()][:len(answer["rows"])]
    if len(table) != len(answer["rows"]):
        yield f"text: {len(table)} rows, in the JSON {len(answer['rows'])}"
    for row, line in zip(answer["rows"], table):
        found = line.split()
        columns = {"count": found[1].replace(",", ""), "FLOPs": found[2].replace(",", ""), "read": found[4].replace(",", ""), "written": found[5].replace(",", "")}
        yield from differences(f"text row '{row['path']}'", {
            "count": row["count"], "FLOPs": row["flops"]["total"], "read": sum(row["bytes"]["reads"].values()),
            "written": sum(row["bytes"]["writes"].values())}, columns)


def compare_sums(answer):
    flops, amounts, memory = answer["flops"], answer["bytes"], answer["memory"]
    pairs = [("flops.total", flops["total"], sum(flops[name] for name in FLOPS[1:6])),
             ("bytes.total", amounts["total"], sum(amounts["reads"].values()) + sum(amounts["writes"].values())),
             ("memory.total", memory["total"], sum(value for name, value in memory.items() if name != "total")),
             ("the first row's FLOPs", answer["rows"][0]["flops"]["total"], flops["total"]),
             ("the first row's bytes", answer["rows"][0]["bytes"]["total"], amounts["total"])]
    for what, left, right in pairs:
        if left != right:
            yield f"{what}: {left} is not {right}"
    for row in answer["rows"]:
        children = [other for other in answer["rows"] if other["path"].rpartition(".")[0] == row["path"] and other is not row and other["path"]]
        for what, value in (("FLOPs", lambda r: r["flops"]["total"]), ("bytes", lambda r: r["bytes"]["total"])):
            if sum(map(value, children)) > value(row):
                yield f"'{row['path']}': its parts have more {what} than it has"


def main():
    ridge, tap = driver.Driver(sys.argv[1]), driver.Tap()
    program, library = sys.argv[2], Library(sys.argv[3]) if len(sys.argv) > 3 else None
    for model in MODELS:
        for options in WORKLOADS:
            label = f"{model} {' '.join(f'{key}={value}' for key, value in options.items())}"
            if options.get("phase") == "decode" and model in ENCODERS:
                done = subprocess.run([program, "cost", model, "--phase", "decode"], capture_output=True, text=True, check=False)
                tap.case(label, [] if done.returncode == 2 and "--phase decode" in done.stderr else ["an encoder decodes"])
                continue
            try:
                answer = json.loads(run(program, model, options, "--json"))
            except driver.Refused as refusal:
                tap.case(label, [f"refused: {refusal}"])
                continue
            problems = list(compare_sums(answer)) + list(compare_csv(answer, run(program, model, options, "--csv")))
            problems += compare_text(answer, run(program, model, options, "--exact"))
            if library:
                problems += differences("C struct", flat(answer), library.totals(model, options))
                if library.json(model, options) != answer:
                    problems.append("the C API's JSON is another")
            names = {"attention": "causal", "lm-head": "lm_head_last"}
            request = {names.get(key, key): 1 if key in names else value for key, value in options.items() if key != "optimizer"}
            if "optimizer" not in options:
                own = ridge.ask("cost", model=model, **request)
                problems += differences("driver", flat(answer), flat(own))
            tap.case(label, problems)
    if library:
        library.close()
    tap.case("the driver ended well", ["it did not"] if ridge.close() else [])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
