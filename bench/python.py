#!/usr/bin/env python3
"""How long the Python package takes: `import ridge` in a new process, beside a process that imports nothing; ridge.cost and others, once
imported, beside the call of the library alone and the parsing of its JSON; and memory before and after many calls.
    python.py [--calls 1000] [--processes 20] [--python PROGRAM] [--leaks 0]
Medians of one run. Not a test: figures belong to the machine they were taken on."""
import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "python"
sys.path.insert(0, str(PACKAGE))
import ridge  # noqa: E402
from ridge import _library  # noqa: E402

LLAMA = "meta-llama/Llama-2-7b-hf"
CALLS = {
    f"ridge.cost({LLAMA!r})": lambda: ridge.cost(LLAMA),
    "  ... of DeepSeek-V3": lambda: ridge.cost("deepseek-ai/DeepSeek-V3"),
    "  ... every module (all=True)": lambda: ridge.cost(LLAMA, all=True),
    "ridge.predict(..., on='h100-sxm-80')": lambda: ridge.predict(LLAMA, on="h100-sxm-80"),
    "ridge.op('gemm', ...)": lambda: ridge.op("gemm", m=4096, n=4096, k=4096),
    "ridge.formula('torch.nn.Linear', ...)": lambda: ridge.formula("torch.nn.Linear", 8, 4, 2),
}


def read_arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--calls", type=int, default=1000)
    p.add_argument("--processes", type=int, default=20)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--leaks", type=int, default=0, metavar="CALLS")
    return p.parse_args()


def took_s(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def print_imports(python, processes):
    """interleaved: what disturbs one disturbs the other"""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONPYCACHEPREFIX": tempfile.mkdtemp(), "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([python, "-c", f"import ridge; ridge.cost({LLAMA!r})"], env=environment, check=True)  # compiles, as an installation's first use does
    times = {"pass": [], "import ridge": [], "import ridge; ridge.cost": []}
    for _ in range(processes):
        for text in times:
            words = [python, "-c", f"{text}({LLAMA!r})" if text.endswith("cost") else text]
            times[text].append(took_s(lambda: subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)))
    nothing = statistics.median(times.pop("pass"))
    for text, all_of in times.items():
        print(f"{text + ', beyond an empty process':50} {1e3 * (statistics.median(all_of) - nothing):8.3f} ms")


def median_ms(work, calls):
    for _ in range(min(calls, 20)):
        work()
    return 1e3 * statistics.median(took_s(work) for _ in range(calls))


def library_alone():
    session, out = ridge.session(), ctypes.c_void_p()
    options, operands = _library.texts([b"json=true"]), _library.texts([LLAMA.encode()])
    session._lib.ridge_run(session, ctypes.byref(out), b"cost", operands, 1, options, 1)
    session._lib.ridge_free(out)


def resident_kib():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))


def print_leaks(calls):
    before = resident_kib()
    for at in range(calls):
        ridge.cost(LLAMA, batch=1 + at % 7)
    print(f"resident memory: {before} KiB, after {calls:,} calls {resident_kib()} KiB")


def main():
    arguments = read_arguments()
    print(f"Python {sys.version.split()[0]}, {_library.path()}; medians of {arguments.calls} calls")
    print_imports(arguments.python, arguments.processes)
    for name, work in CALLS.items():
        print(f"{name:50} {median_ms(work, arguments.calls):8.3f} ms")
    text = ridge.cost(LLAMA).to_json()
    print(f"{'  the library alone (JSON, as a C program has it)':50} {median_ms(library_alone, arguments.calls):8.3f} ms")
    print(f"{'  json.loads of its text':50} {median_ms(lambda: json.loads(text), arguments.calls):8.3f} ms")
    if arguments.leaks:
        print_leaks(arguments.leaks)


if __name__ == "__main__":
    main()
