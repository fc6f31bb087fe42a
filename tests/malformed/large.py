#!/usr/bin/env python3
"""Files as large as the readers take, made here: each must be answered or refused within its time and memory. Prints TAP.

    large.py PROGRAM

A time is that of one command on a machine that does other things too; a memory is the address space in bytes that the command gets."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SANITIZED = "ASAN_OPTIONS" in os.environ  # it is slow, reserves terabytes, and its frames are larger
SECONDS = 600 if SANITIZED else 60
MIB = 1 << 20


def config_of(model, **more):
    return {**json.loads((ROOT / "examples" / model / "config.json").read_text()), **more}


LLAMA, MIXTRAL, SWIN = "meta-llama--Llama-2-7b-hf", "mistralai--Mixtral-8x7B-v0.1", "microsoft--swin-tiny-patch4-window7-224"


def many_keys():
    return config_of(LLAMA, **{f"k{i}": 0 for i in range(1000000)}), ["cost", "config.json"], 0, "6,738,415,616", 1024


def many_nested_keys():
    return config_of(LLAMA, nested={f"k{i}": 0 for i in range(1000000)}), ["cost", "config.json"], 0, "6,738,415,616", 1024


def dense_list():
    text = json.dumps(config_of(LLAMA))[:-1] + ',"x":[' + "0," * 7000000 + "0]}"
    return text, ["cost", "config.json"], 1, "values: reading them would take more than 16 times", 1024


def many_experts():
    return config_of(MIXTRAL, num_local_experts=100000), ["cost", "config.json", "--symbolic"], 1, "(limit ", 2048


def many_layers_as_forms():
    """what adds up the forms counts its memory, too"""
    return config_of(SWIN, depths=[1000000, 2, 6, 2]), ["cost", "config.json", "--symbolic"], 1, "too much memory (limit ", 1024


def many_layers():
    return config_of(LLAMA, num_hidden_layers=100000), ["cost", "config.json", "--all"], 1, "a table of more than 250000 rows", 2048


def tree_of_many_layers():
    return config_of(LLAMA, num_hidden_layers=100000), ["inspect", "config.json", "--all"], 1, "a tree of more than 500000 modules", 512


def tree_of_half_as_many_modules():
    return config_of(LLAMA, num_hidden_layers=20000), ["inspect", "config.json", "--csv"], 0, "layers.19999.mlp.act_fn", 1024


def unknown_modules():
    entries = {f"my.A{i}": {"flops": {"other": "{my.B%d}(1)" % i}, "oops": 1} for i in range(20000)}
    return entries, ["db", "check", "config.json"], 3, "more than 10000 problems: the others are not told", 1024


def unknown_fields():
    entries = {f"my.A{i}": {"flops": {"other": f"config.hiden_size{i}"}} for i in range(20000)}
    return entries, ["db", "check", "config.json"], 3, "more than 10000 problems: the others are not told", 1024


def many_names():
    return {"my.A": {"let": {f"p{i}": "1" for i in range(20000)}}}, ["db", "check", "config.json"], 3, "20000 members: at most 4096", 512


def chain_of_operators():
    return {"my.A": {"kind": "formula", "value": "+".join(["1"] * 30000)}}, ["db", "check", "config.json"], 3, "nested too deeply", 512


def containers_in_containers():
    part = {"use": "{my.A}(n - 1) if n > 0 else None"}
    for _ in range(60):
        part = {"container": "torch.nn.Module", "children": {"c": part}}
    entry = {"parameters": ["n"], "weights": {"w": "[2]"}, "breakdown": {"a": part}}
    return {"my.A": entry}, ["formula", "my.A", "300", "--context", "params", "--catalog", "config.json"], 1, "nested too deeply (limit 400)", 512


def calls_of_itself():
    entry = {"kind": "formula", "parameters": ["n"], "value": "max(1, 2, {my.A}(n - 1)) if n > 0 else 1"}
    return {"my.A": entry}, ["formula", "my.A", "1000", "--catalog", "config.json"], 1, "nested too deeply (limit 400)", 512


def two_ways_of_two_ways():
    let = {"a0": "{torch.nn.Linear}(1, 2, 3)", "b0": "{torch.nn.Linear}(1, 4, 5)"}
    for i in range(1, 60):
        let[f"a{i}"] = f"a{i - 1} if S > {i} else b{i - 1}"
        let[f"b{i}"] = f"b{i - 1} if S > {i} else a{i - 1}"
    entry = {"let": let, "breakdown": {"x": {"use": "a59"}}}
    return {"my.A": entry}, ["formula", "my.A", "--symbolic", "--catalog", "config.json"], 1, "in more than 256 ways", 512


def nested_configs():
    entries = {}
    for i in range(30):
        entries[f"my.configuration_a.C{i}"] = {
            "kind": "config", "model_type": "a" if i == 0 else f"a{i}", "defaults": {"n": 1},
            "sub_configs": {s: f"my.configuration_a.C{i + 1}" for s in ("a", "b")} if i < 29 else {},
            "classes": {"A": "torch.nn.ReLU"}}
    return entries, ["cost", "model", "--catalog", "config.json"], 1, "(limit ", 1024


def pipe_in_a_folder():
    return {"my.A": {"kind": "formula", "value": "7"}}, ["formula", "my.A", "--catalog", "folder"], 0, "7", 512


CASES = [many_keys, many_nested_keys, dense_list, many_experts, many_layers_as_forms, many_layers, tree_of_many_layers,
         tree_of_half_as_many_modules, unknown_modules, unknown_fields, many_names, chain_of_operators,
         containers_in_containers, calls_of_itself, two_ways_of_two_ways, nested_configs, pipe_in_a_folder]


def prepare(folder, content):
    (folder / "config.json").write_text(content if isinstance(content, str) else json.dumps(content))
    (folder / "model").mkdir()
    (folder / "model" / "config.json").write_text('{"model_type": "a", "architectures": ["A"]}')
    (folder / "folder").mkdir()
    (folder / "folder" / "entry.json").symlink_to("../config.json")
    os.mkfifo(folder / "folder" / "pipe.json")


def limit(mebibytes):
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))
        resource.setrlimit(resource.RLIMIT_STACK, (2 * MIB, 2 * MIB))


def run(program, case):
    content, words, status, part, mebibytes = case()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder, content)
        env = {**os.environ, "HOME": name, "XDG_DATA_HOME": name}
        try:
            done = subprocess.run([program, *words], cwd=name, env=env, capture_output=True, text=True, timeout=SECONDS,
                                  preexec_fn=lambda: limit(mebibytes))
        except subprocess.TimeoutExpired:
            return f"more than {SECONDS} s"
    said = done.stdout + done.stderr
    if done.returncode != status or part not in said:
        return f"exit status {done.returncode}, wanted {status} and '{part}': {said[-600:]}"
    return ""


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for number, case in enumerate(CASES, 1):
        fault = run(os.path.abspath(sys.argv[1]), case)
        failed += fault != ""
        print(f"{'not ok' if fault else 'ok'} {number} - {case.__name__}", flush=True)
        for line in fault.splitlines():
            print(f"# {line}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
