#!/usr/bin/env python3
"""Commands that write, on a file system that is full: a tmpfs of 256 KiB with so and so much room left. Each ends with its work whole and
exit status 0; or it ends with 1 and says that there is no space, what was there before is as it was, and no temporary file is left. With
all the room it is the first, with none the second. Prints TAP.

    full.py PROGRAM [--without=FEATURE,...]

Mounts the tmpfs in a namespace of its own; where nobody may do that, it is skipped."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import features  # noqa: E402
import kill  # noqa: E402

KIB = 1024
SIZE = 256 * KIB
ROOM = (0, 4, 12, 40, 100, 180)  # KiB left, of blocks of 4


def catalog(box):
    folder = box.data / "ridge/catalog"
    folder.mkdir(parents=True)
    for name, entry in kill.entries(1).items():
        (folder / f"{name}.json").write_text(kill.json.dumps({name: entry}))
    new = kill.entries(2)
    for entry in new.values():
        entry["flops"]["other"] = "sum(i * n for i in [" + ", ".join(["2"] * 2000) + "])"  # more than a block each
    (box.home / "new.json").write_text(kill.json.dumps(new))
    return "db", "add", "--replace", box.home / "new.json"


def machine(box):
    (box.home / "my-card.json").write_text(
        kill.json.dumps({"id": "my-card", "name": "My card", "inherits": "t4", "notes": ["n" * 100] * 300}))
    return "machine", "add", "--force", box.home / "my-card.json"


def store(box):
    (box.home / "first.json").write_text(kill.json.dumps(kill.measurements(0, 2)))
    (box.home / "runs.json").write_text(kill.json.dumps(kill.measurements(2, 60)))
    box.run("history", "import", box.home / "first.json")
    return "history", "import", box.home / "runs.json"


def first_store(box):
    (box.home / "runs.json").write_text(kill.json.dumps(kill.measurements(0, 60)))
    return "history", "import", box.home / "runs.json"


def export(box):
    command = store(box)
    box.run(*command)
    return "history", "export", box.data / "out.json"


def picture(box):
    return "predict", "openai-community/gpt2", "--on", "l4", "--plot", box.data / "p.svg"


def page(box):
    return "predict", "openai-community/gpt2", "--on", "l4", "--html", box.data / "p.html"


CASES = [(catalog, None), (machine, None), (store, "sqlite"), (first_store, "sqlite"), (export, "sqlite"), (picture, None), (page, None)]


def state(box):
    """What is kept, as its user sees it: the files, of a store the runs."""
    files = {}
    for path in sorted(box.data.rglob("*")):
        if path.name.startswith((".", "filler", "measurements.db-")) or not path.is_file():
            continue
        if path.name == "measurements.db":
            files[path] = box.run("history", "--runs", "--json") if path.stat().st_size > 0 else "empty"
        else:
            files[path] = path.read_bytes()
    return files


def fill(box, room):
    """Leaves `room` bytes."""
    with open(box.data / "filler", "wb", buffering=0) as filler:
        try:
            while filler.write(b"x" * KIB):
                pass
        except OSError:
            pass
        filler.truncate(max(0, (filler.tell() - room) // 4096 * 4096))


def attempt(program, prepare, room):
    """Runs the command with so much room; was its work done?"""
    box = kill.Box(program)
    box.data.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", box.data], check=True)
    try:
        command = prepare(box)
        before = state(box)
        fill(box, room)
        child = box.start(*command)
        out, err = child.communicate(timeout=120)
        (box.data / "filler").unlink()
        after = state(box)
        if box.leftovers():
            raise kill.Broken(f"{room // KIB} KiB left: left behind: {box.leftovers()}")
        if child.returncode == 0 and after != before:
            if prepare is catalog and any(after.get(path) == text for path, text in before.items()):
                raise kill.Broken(f"{room // KIB} KiB left: one entry is replaced, the other is not")
            return True
        if child.returncode != 1 or not any(word in err for word in ("No space left", "disk is full")):
            raise kill.Broken(f"{room // KIB} KiB left: exit status {child.returncode}, says: {err.strip()}")
        if out or after != before:
            raise kill.Broken(f"{room // KIB} KiB left: half of it: {sorted(map(str, after))}, before {sorted(map(str, before))}")
        return False
    finally:
        subprocess.run(["umount", "-l", box.data], check=False)
        kill.shutil.rmtree(box.home)


def try_case(program, prepare):
    done = [attempt(program, prepare, room * KIB) for room in ROOM]
    if done[0] or not done[-1] or done != sorted(done):
        raise kill.Broken(f"done with {ROOM} KiB left: {done}")
    return sum(done)


def inside(program, missing):
    print(f"1..{len(CASES)}", flush=True)
    bad = 0
    for number, (prepare, needs) in enumerate(CASES, 1):
        if needs in missing:
            print(f"ok {number} - {prepare.__name__} # SKIP built without {needs}", flush=True)
            continue
        try:
            print(f"ok {number} - {prepare.__name__}: done in {try_case(program, prepare)} of {len(ROOM)}", flush=True)
        except kill.Broken as why:
            bad += 1
            print(f"not ok {number} - {prepare.__name__}\n# {why}", flush=True)
    return bad > 0


def main():
    rest, missing = features.take_missing([word for word in sys.argv[1:] if word != "--inside"])
    if "--inside" in sys.argv:
        return inside(rest[0], missing)
    if "namespaces" in missing:
        print("1..0 # SKIP nobody here may mount a file system")
        return 0
    words = [sys.executable, __file__, "--inside", os.path.abspath(rest[0]), *sys.argv[2:]]
    return subprocess.run(["unshare", "--map-root-user", "--mount", *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
