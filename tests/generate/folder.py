#!/usr/bin/env python3
"""folder.py RIDGE: the folder of generated code is written whole or not at all, and holds nothing of anybody else. Prints TAP."""

import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

MODULES = ["torch.*", "ridge.*", "transformers.models.llama.*"]
LIST = ".ridge-generated"
done = []


def check(name, fault):
    done.append(not fault)
    print(f"{'not ok' if fault else 'ok'} {len(done)} - {name}")
    if fault:
        print("# " + str(fault).replace("\n", "\n# "))


def generate(ridge, folder, *words, language="python", **options):
    return subprocess.run([ridge, "generate", language, "--builtin-only", "--out", folder, *words], capture_output=True, text=True, **options)


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}


def is_whole(folder):
    """Its list names the files that are there."""
    files = set(content(folder))
    return LIST in files and files - {LIST} == set((folder / LIST).read_text().splitlines())


def refusals(ridge, top):
    theirs = top / "theirs"
    theirs.mkdir()
    (theirs / "mine.txt").write_text("mine")
    made = generate(ridge, theirs, *MODULES)
    check("a folder with something else in it is refused", made.returncode != 1 and made or content(theirs) != {"mine.txt": b"mine"})
    check("and the message names what is in it", "mine.txt" not in made.stderr and made.stderr)
    file = top / "file"
    file.write_text("x")
    check("a file is no folder", generate(ridge, file, *MODULES).returncode != 1 or file.read_text() != "x")
    check("a missing parent is an error", generate(ridge, top / "none" / "out", *MODULES).returncode != 1)
    link = top / "dangling"
    link.symlink_to(top / "nowhere")
    made = generate(ridge, link, *MODULES)
    check("a link to nothing is no folder", made.returncode == 0 and made)
    ours = top / "ours"
    generate(ridge, ours, *MODULES)
    (ours / "torch" / "notes.py").write_text("mine")
    before = content(ours)
    made = generate(ridge, ours, "torch.nn.Linear")
    check("a folder of ours that holds another file by now is refused", made.returncode != 1 or content(ours) != before)
    (ours / "torch" / "notes.py").unlink()
    (ours / "torch" / "notes.py").symlink_to("nn_linear.py")
    check("a link in it, too", generate(ridge, ours, "torch.nn.Linear").returncode != 1)


def replaced(ridge, top):
    out = top / "out"
    out.mkdir()
    check("an empty folder is taken", generate(ridge, out, *MODULES).returncode != 0 or not is_whole(out))
    first = content(out)
    check("the same again is the same", generate(ridge, out, *MODULES).returncode != 0 or content(out) != first)
    subprocess.run([sys.executable, "-c", "import out; print(out.compute_flops('torch.nn.Linear', 1, 2, 3))"], cwd=top, check=True,
                   stdout=subprocess.DEVNULL)
    check("what Python compiled in it goes with it", generate(ridge, out, "torch.nn.Linear").returncode != 0 or not is_whole(out))
    check("files that are not chosen any more are gone", len(content(out)) >= len(first))
    link = top / "link"
    link.symlink_to(out)
    check("a link stays a link", generate(ridge, link, "torch.nn.ReLU", language="c").returncode != 0 or not link.is_symlink() or not is_whole(out))
    check("a slash at the end is no other folder", generate(ridge, f"{out}/", "torch.nn.ReLU").returncode != 0 or not is_whole(out))
    rest = [path.name for path in top.iterdir() if path.name.endswith((".tmp", ".old"))]
    check("nothing is left beside it", rest)


def killed(ridge, top, times):
    """At any moment the old folder or the new one is there, and one more run takes away what is left."""
    out, chance, fault = top / "killed", random.Random(4), None
    generate(ridge, out, "torch.nn.Linear")
    for i in range(times):
        command = [ridge, "generate", "python", "--builtin-only", "--out", out, *(MODULES if i % 2 else ["torch.nn.*"])]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * 0.6)
        running.send_signal(signal.SIGKILL)
        running.wait()
        if not is_whole(out):
            fault = fault or f"after kill {i} it holds {len(content(out))} files, and not those of its list"
    check(f"killed {times} times, it is whole each time", fault)
    generate(ridge, out, "torch.nn.Linear")
    check("and nothing is left beside it", [path.name for path in top.iterdir() if path.name.startswith(".killed.")])


def too_large(ridge, top):
    """A file that cannot be written whole: nothing of the folder comes to be."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    out = top / "limited"
    made = generate(ridge, out, *MODULES, preexec_fn=limit)
    check("a disk that takes no more is an error, and leaves no folder", made.returncode != 1 or out.exists() or "cannot write" not in made.stderr)
    check("nor anything beside it", [path.name for path in top.iterdir() if path.name.startswith(".limited.")])


def main():
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        os.environ["PYTHONDONTWRITEBYTECODE"] = ""
        refusals(sys.argv[1], top)
        replaced(sys.argv[1], top)
        killed(sys.argv[1], top, 12)
        too_large(sys.argv[1], top)
    print(f"1..{len(done)}")
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
