#!/usr/bin/env python3
"""Kills commands that write (SIGKILL, at a random moment of their run) and looks at what is left: all of what they were to write or none of
it, readable, and after one more run no temporary file. Prints TAP.

    kill.py PROGRAM [--kills N] [--seed S] [--without=FEATURE,...]

--kills is the number of kills for each command (default 12; a long run is 1000). The seed is told, so that a run can be had again."""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import features  # noqa: E402


class Broken(Exception):
    pass


class Box:
    """A home of its own, and the program in it."""

    def __init__(self, program):
        self.program = program
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="ridge-kill-"))
        self.data = self.home / "data"
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "XDG_DATA_HOME": str(self.data), "LC_ALL": "C"}

    def start(self, *words):
        return subprocess.Popen([self.program, *map(str, words)], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *words, status=0):
        child = self.start(*words)
        out, err = child.communicate(timeout=60)
        if child.returncode != status:
            raise Broken(f"ridge {' '.join(map(str, words))}: exit {child.returncode}, wanted {status}: {err.strip()}")
        return out

    def leftovers(self):
        return sorted(str(p.relative_to(self.home)) for p in self.data.rglob(".*") if p.name != ".lock")


def whole_run(box, *words):
    """Seconds of a run that is not killed."""
    began = time.monotonic()
    box.run(*words)
    return time.monotonic() - began


def kill_at(box, seconds, *words):
    """Starts a command and kills it so many seconds later; was it killed before it ended?"""
    child = box.start(*words)
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    return child.returncode == -signal.SIGKILL


# ---- db add --replace over two files ----

def entries(value):
    return {name: {"parameters": ["n"], "flops": {"other": f"{value} * n"}} for name in ("my.A", "my.B")}


class DbAdd:
    """Two entries in two files of the user's own are replaced together."""

    name, needs = "db add --replace", None

    def __init__(self, box):
        self.box = box
        self.folder = box.data / "ridge/catalog"
        self.folder.mkdir(parents=True)
        for name, entry in entries(1).items():
            (self.folder / f"{name}.json").write_text(json.dumps({name: entry}))
        self.new = box.home / "new.json"
        self.value = 1

    def command(self):
        self.value += 1
        self.new.write_text(json.dumps(entries(self.value)))
        return "db", "add", "--replace", self.new

    def check(self):
        found = [json.loads(self.box.run("db", "show", name, "--json")) for name in ("my.A", "my.B")]
        values = {line.split(" ")[0] for line in (json.dumps(one).split('* n')[0].split('"')[-1] for one in found)}
        if len(values) != 1:
            raise Broken(f"half of it: {values}")


# ---- history import ----

def measurements(first, count):
    runs, rows = [], []
    for i in range(first, first + count):
        runs.append({"run": i + 1, "uuid": f"{i:032x}", "started": "2026-11-20T09:00:00Z", "finished": "2026-11-20T09:00:12Z", "ridge": "0.1.0",
                     "build": "gcc", "machine": "5f0c11aa22bb33cc", "machine_text": "cpu: a", "command": "ridge bench", "settings": {},
                     "row_count": 1})
        rows.append({"run": i + 1, "kernel": "gemv", "variant": "avx2", "provider": "ridge", "shape": {"n": 64, "k": 64}, "format": "q4_K",
                     "activations": "fp32", "threads": 1, "cache": "cold", "time_s": {"median": 0.004, "low": 0.003, "high": 0.005},
                     "mad_s": 1e-5, "minimum_s": 0.003, "kept": 9, "tried": 10, "calls_per_sample": 1, "stopped": False, "flops": 8192,
                     "bytes": 4096, "flops_per_s": 1e6, "bytes_per_s": 1e6, "percent_of_ceiling": 80, "predicted_s": None, "error": None,
                     "bound": "memory", "max_relative_error": 1e-6, "beats_roofline": False})
    return {"runs": runs, "rows": rows}


class Import:
    """All runs of a file or none."""

    name, needs, each = "history import", "sqlite", 50

    def __init__(self, box):
        self.box = box
        self.done = 0
        self.file = box.home / "runs.json"

    def command(self):
        self.file.write_text(json.dumps(measurements(self.done, self.each)))
        return "history", "import", self.file

    def check(self):
        runs = json.loads(self.box.run("history", "--runs", "--json"))["runs"]
        if len(runs) % self.each != 0 or any(run["row_count"] != 1 for run in runs):
            raise Broken(f"{len(runs)} runs, of files with {self.each}")
        self.done = len(runs)


class Baseline:
    """The old baseline or the new one."""

    name, needs = "baseline set", "sqlite"

    def __init__(self, box):
        self.box = box
        self.run = 1
        file = box.home / "runs.json"
        file.write_text(json.dumps(measurements(0, 2)))
        box.run("history", "import", file)
        box.run("baseline", "set", "before", "--run", 1)

    def command(self):
        self.run = 3 - self.run
        return "baseline", "set", "before", "--run", self.run

    def check(self):
        found = json.loads(self.box.run("baseline", "list", "--json"))["baselines"]
        if [one["name"] for one in found] != ["before"] or found[0]["run"] not in (1, 2):
            raise Broken(f"baselines {found}")


# ---- machine add ----

class MachineAdd:
    """The old file or the new one."""

    name, needs = "machine add --force", None

    def __init__(self, box):
        self.box = box
        self.file = box.home / "my-card.json"
        self.units = 1

    def command(self):
        self.units += 1
        self.file.write_text(json.dumps({"id": "my-card", "name": "My card", "inherits": "t4", "notes": [f"{self.units} times"] * 2000}))
        return "machine", "add", "--force", self.file

    def check(self):
        folder = self.box.data / "ridge/machines"
        for path in folder.glob("*.json") if folder.is_dir() else ():
            if len(set(json.loads(path.read_text())["notes"])) != 1:
                raise Broken("two machines in one file")
            self.box.run("machine", "show", path.stem)


# ---- the runs ----

def run_kills(program, kind, kills, random_source):
    box = Box(program)
    try:
        work = kind(box)
        length = max(whole_run(box, *work.command()), whole_run(box, *work.command()))
        work.check()
        killed = 0
        for _ in range(kills):
            killed += kill_at(box, random_source.uniform(0, 1.1 * length), *work.command())
            work.check()
        box.run(*work.command())
        work.check()
        if box.leftovers():
            raise Broken("left behind: " + ", ".join(box.leftovers()))
        return killed
    finally:
        shutil.rmtree(box.home)


def add_at_once(program, count=8):
    """Of `count` that add one machine without --force, one does."""
    box = Box(program)
    try:
        file = box.home / "my-card.json"
        file.write_text(json.dumps({"id": "my-card", "name": "My card", "inherits": "t4"}))
        children = [box.start("machine", "add", file) for _ in range(count)]
        codes = sorted((child.communicate(), child.returncode)[1] for child in children)
        if codes != [0] + [2] * (count - 1) and codes != [0] + [1] * (count - 1):
            raise Broken(f"exit statuses {codes}")
        if box.leftovers():
            raise Broken("left behind: " + ", ".join(box.leftovers()))
    finally:
        shutil.rmtree(box.home)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    rest, missing = features.take_missing(sys.argv[1:])
    options = parser.parse_args(rest)
    program = os.path.abspath(options.program)
    kinds = [DbAdd, Import, Baseline, MachineAdd]
    random_source = random.Random(options.seed)
    print(f"1..{len(kinds) + 1}\n# seed {options.seed}, {options.kills} kills each", flush=True)
    bad = 0
    for number, kind in enumerate(kinds, 1):
        if kind.needs in missing:
            print(f"ok {number} - {kind.name} # SKIP built without {kind.needs}", flush=True)
            continue
        try:
            killed = run_kills(program, kind, options.kills, random_source)
            print(f"ok {number} - {kind.name}: {killed} of {options.kills} were killed in time", flush=True)
        except Broken as why:
            bad += 1
            print(f"not ok {number} - {kind.name}\n# {why}", flush=True)
    try:
        add_at_once(program)
        print(f"ok {len(kinds) + 1} - machine add, eight at once", flush=True)
    except Broken as why:
        bad += 1
        print(f"not ok {len(kinds) + 1} - machine add, eight at once\n# {why}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
