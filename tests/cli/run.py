#!/usr/bin/env python3
"""Runs the command line on every case of tests/cli/*.case and compares exit status, stdout and stderr. Prints TAP.

    run.py PROGRAM VERSION [SAMPLE] [--without=FEATURE,...] [--update] [FILE.case...]

SAMPLE is the program `sample` of sample.case. --without names what the program was built without. --update writes what the program answers into the case files; review the diff.

A case file is read line by line; the first characters say what a line is:

    # text          a comment
    # needs sqlite  skipped in a build without it; below a case's name it counts for the case, before the first for the whole file
    # without sqlite  runs only in such a build; tests/features.py has the names
    ## name         a new case
    $ command       its command line, for `sh`; `ridge` is the program under test
    = 2             the exit status wanted (0 where this line is missing)
    | text          a line wanted on stdout
    ! text          a line wanted on stderr
    | ...           any number of lines, none included (! ... on stderr)
    <file           stdout wanted is this file, relative to tests/cli

{VERSION} in an answer is the version of the program. Every line of stdout and stderr counts, order included; the last one must
end in a newline. A command runs in the root of the source tree; $TMP is an empty folder of its own. The environment holds PATH,
HOME, XDG_DATA_HOME (both below $TMP), HF_HUB_OFFLINE=1, LC_ALL, TERM=dumb and RIDGE_LAST_LEVEL_CACHE=1Mi, nothing else; `COLUMNS=60 ridge ...` sets more.
`on_terminal COLUMNS command...` runs a command on a terminal and prints what came out of it; `interrupt_on_terminal WORD command...`
presses Ctrl-C when its progress says WORD, and prints its answer and its exit status; with `--hold SECONDS` before WORD, it is
stopped for so long instead of interrupted."""

import concurrent.futures
import dataclasses
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import features  # noqa: E402

KEPT = re.compile(r"(ASAN|UBSAN|LSAN|LLVM)_")


@dataclasses.dataclass
class Case:
    name: str
    path: pathlib.Path
    line: int
    command: str = ""
    status: int = 0
    stdout: list = dataclasses.field(default_factory=list)
    stderr: list = dataclasses.field(default_factory=list)
    golden: str = ""
    first: int = 0  # lines of the file that hold the answer: [first, last)
    last: int = 0
    marks: list = dataclasses.field(default_factory=list)  # what it needs, as features.read_mark() answers

    def wanted(self):
        stdout = (HERE / self.golden).read_text().splitlines() if self.golden else self.stdout
        return self.status, stdout, self.stderr


def read_cases(path):
    cases, of_all = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("## "):
            cases.append(Case(line[3:], path, number, marks=list(of_all)))
        elif line.startswith("#"):
            mark = features.read_mark(line[1:], f"{path}:{number}")
            if mark:
                (cases[-1].marks if cases else of_all).append(mark)
        elif line.strip() == "":
            continue
        elif not cases:
            sys.exit(f"{path}:{number}: a case begins with '## name'")
        else:
            read_line(cases[-1], line, number)
    for case in cases:
        if not case.command:
            sys.exit(f"{path}:{case.line}: no command")
    return cases


def read_line(case, line, number):
    text = line[2:]
    if line.startswith("$ "):
        case.command = text
        case.first = case.last = number
        return
    if line.startswith("= "):
        case.status = int(text)
    elif line.startswith("<"):
        case.golden = line[1:].strip()
    elif line == "|" or line.startswith("| "):
        case.stdout.append(text)
    elif line == "!" or line.startswith("! "):
        case.stderr.append(text)
    else:
        sys.exit(f"{case.path}:{number}: a line begins with '#', '$ ', '= ', '| ', '! ' or '<'")
    case.last = number


def lines_of(data):
    text = data.decode("utf-8", "backslashreplace")
    lines = text.split("\n")
    if lines[-1] != "":
        lines.append("(no newline at the end)")
        return lines
    return lines[:-1]


def environment(programs, folder):
    env = {name: value for name, value in os.environ.items() if KEPT.match(name)}
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    for name, path in programs.items():
        (bin_folder / name).symlink_to(path)
    tmp = folder / "tmp"
    tmp.mkdir()
    env.update(
        PATH=f"{bin_folder}:{os.environ['PATH']}",
        HOME=str(tmp / "home"),
        XDG_DATA_HOME=str(tmp / "data"),
        HF_HUB_OFFLINE="1",
        TMP=str(tmp),
        LC_ALL="C.UTF-8",
        RIDGE_LAST_LEVEL_CACHE="1Mi",
        TERM="dumb",
    )
    return env


def run(case, programs, version):
    with tempfile.TemporaryDirectory(prefix="ridge-cli-") as name:
        folder = pathlib.Path(name)
        done = subprocess.run(
            ["sh", "-c", case.command], cwd=HERE.parent.parent, env=environment(programs, folder),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False,
        )  # fmt: skip
    hide = lambda lines: [line.replace(version, "{VERSION}").replace(name, "{TMP}") for line in lines]
    return done.returncode, hide(lines_of(done.stdout)), hide(lines_of(done.stderr))


def matches(wanted, found):
    if "..." not in wanted:
        return wanted == found
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in wanted)
    return re.fullmatch(pattern, "".join(line + "\n" for line in found)) is not None


def report(case, wanted, found):
    """What differs, as TAP comments; empty where all is as wanted."""
    said = []
    if wanted[0] != found[0]:
        said.append(f"exit status {found[0]}, wanted {wanted[0]}")
    for stream, want, have in (("stdout", wanted[1], found[1]), ("stderr", wanted[2], found[2])):
        if not matches(want, have):
            said += difflib.unified_diff(want, have, f"{stream} wanted", f"{stream} found", lineterm="")
    return [f"{case.path.name}:{case.line}: $ {case.command}", *said] if said else []


def update(path, answers):
    """Puts the answers found in the place of those in the file."""
    lines = path.read_text().splitlines()
    for case, (status, stdout, stderr) in reversed(answers):
        new = [f"= {status}"] if status else []
        if case.golden:
            (HERE / case.golden).write_text("".join(line + "\n" for line in stdout))
            new.append(f"<{case.golden}")
        else:
            new += [f"| {line}" if line else "|" for line in stdout]
        new += [f"! {line}" if line else "!" for line in stderr]
        lines[case.first : case.last] = new
    path.write_text("".join(line + "\n" for line in lines))


def has_terminals():
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def reason_to_skip(case, missing, terminals):
    if "on_terminal" in case.command and not terminals:
        return "no pseudo-terminals on this system"
    return features.reason_to_skip(case.marks, missing)


def main(arguments):
    updating = "--update" in arguments
    arguments, missing = features.take_missing(arguments)
    arguments = [argument for argument in arguments if argument != "--update"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    version, others = arguments[1], [pathlib.Path(a).resolve() for a in arguments[2:]]
    programs = {"ridge": pathlib.Path(arguments[0]).resolve(), "python3": sys.executable}
    programs |= {name: HERE / f"{name}.py" for name in ("on_terminal", "interrupt_on_terminal")}
    programs |= {"sample": path for path in others if path.suffix != ".case"}
    paths = [path for path in others if path.suffix == ".case"] or sorted(HERE.glob("*.case"))
    cases = [case for path in paths for case in read_cases(path)]
    terminals = has_terminals()
    skipped = [reason_to_skip(case, missing, terminals) for case in cases]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        answers = list(pool.map(lambda case, skip: None if skip else run(case, programs, version), cases, skipped))

    failed = 0
    print(f"1..{len(cases)}")
    for number, (case, found, skip) in enumerate(zip(cases, answers, skipped), 1):
        if skip:
            print(f"ok {number} - {case.path.stem}: {case.name} # SKIP {skip}")
            continue
        said = report(case, case.wanted(), found)
        failed += bool(said)
        print(f"{'not ok' if said else 'ok'} {number} - {case.path.stem}: {case.name}")
        for line in said:
            print(f"# {line}")
    for path in paths if updating else []:
        update(path, [(case, found) for case, found in zip(cases, answers) if found and case.path == path and report(case, case.wanted(), found)])
    return failed != 0 and not updating


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
