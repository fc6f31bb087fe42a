"""The Python package under what programs do to it: wrong types, NaN, huge integers, threads, fork, Ctrl-C, the interpreter's end, many
calls. What is wanted is an exception or an answer, never a crash.
    calls.py RIDGE LIBRARY [CALLS]"""

import contextlib
import copy
import dataclasses
import gc
import json
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import warnings

RIDGE, LIBRARY = str(pathlib.Path(sys.argv[1]).resolve()), str(pathlib.Path(sys.argv[2]).resolve())
CALLS = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = pathlib.Path(tempfile.mkdtemp())
os.environ.update(RIDGE_LIBRARY=LIBRARY, RIDGE_PROGRAM=RIDGE, HF_HUB_OFFLINE="1", HF_HOME=str(SCRATCH / "hf"), XDG_DATA_HOME=str(SCRATCH / "data"),
                  XDG_CACHE_HOME=str(SCRATCH / "cache"), RIDGE_LAST_LEVEL_CACHE="1Mi", PYTHONPATH=str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "python"))
import ridge  # noqa: E402
from ridge import _library  # noqa: E402

LLAMA, GPT2, H100 = "meta-llama/Llama-2-7b-hf", "openai-community/gpt2", "h100-sxm-80"
LONG = {"n": 4096, "k": 4096, "budget": "60s", "ceilings_budget": "50ms", "rounds": 5}
failures, number = 0, 0


def check(name, problem=None):
    global failures, number
    number += 1
    failures += bool(problem)
    print(f"{'not ok' if problem else 'ok'} {number} - {name}" + (f"\n  # {problem}" if problem else ""), flush=True)


def case(function):
    """A test: it returns what is wrong, or raises it."""
    try:
        problem = function()
    except Exception as error:
        import traceback

        problem = f"{type(error).__name__}: {error} {traceback.format_tb(error.__traceback__)[-1]}".replace("\n", " ")
    check(function.__doc__, problem)


def refused(kinds, call, words=""):
    """None where the call raises one of these, with these words"""
    try:
        answer = call()
    except kinds as error:
        return None if words in str(error) else f"{error!s:.200} lacks {words!r}"
    except Exception as error:
        return f"{type(error).__name__} ({error!s:.200}), wanted {kinds}"
    return f"answered {answer!r:.100}"


def first(problems):
    return next(filter(None, problems), None)


def each(values, test):
    for value in values:
        problem = test(value)
        if problem:
            try:
                shown = repr(value)[:80]
            except ValueError:  # Python writes no integer of so many digits
                shown = type(value).__name__
            return f"{shown}: {problem}"
    return None


# ---- values ----


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def wrong_values():
    """wrong types, NaN, infinities and huge integers are refused"""
    wrong = [object(), 1j, [[]], {1: {}}, lambda: 0, type, Ellipsis, float("nan"), float("inf"), -float("inf"), 10**30, 10**5000, -(10**30), -1, 2.5, "",
             "x", b"\xff", "1" * 100000, True, [1, 2], "\ud800", "1\0", Index(10**40), range(3), b"1\0", [None], (object(),)]
    return each(wrong, lambda value: refused((ValueError, TypeError), lambda: ridge.cost(LLAMA, batch=value)))


def wrong_models():
    """a model that is none is refused"""
    wrong = [3, 2.5, object(), [], (), {}, {"model_type": 3}, {"model_type": "llama", "hidden_size": float("nan")}, {"model_type": "llama", "x": object()},
             b"\xff\xfe", "", "\0", "a\0b", "x" * 100000, "/dev/null", "/", SCRATCH, {"model_type": "llama", "hidden_size": 10**5000}, Index(3), None,
             {"model_type": "llama", "hidden_size": 10**60}]
    return each(wrong, lambda value: refused((ValueError, TypeError), lambda: ridge.cost(value)))


def wrong_names():
    """an option that there is not, and arguments too many or too few, are TypeErrors with the nearest name"""
    return first([
        refused(TypeError, lambda: ridge.cost(LLAMA, btch=1), "did you mean 'batch'"),
        refused(TypeError, lambda: ridge.cost()), refused(TypeError, lambda: ridge.cost(LLAMA, LLAMA)),
        refused(TypeError, lambda: ridge.formats(1)), refused(ridge.OptionError, lambda: ridge.run("cost", "a", "b"), "unexpected argument"),
        refused(ridge.OptionError, lambda: ridge.run("cots", LLAMA), "did you mean"), refused(ridge.OptionError, lambda: ridge.run("")),
        refused(ridge.OptionError, lambda: ridge.op("gem", m=1)), refused(ridge.OptionError, lambda: ridge.run("cost")),
        refused(AttributeError, lambda: ridge.no_such_name),
    ])  # fmt: skip


def right_values():
    """numbers, lists, dicts, paths, numpy's and torch's values mean what they say"""
    wanted = ridge.cost(LLAMA, batch=8, weights="bf16").to_dict()
    alike = [{"batch": "8"}, {"batch": Index(8)}, {"batch": 8, "dtype": None}]
    with contextlib.suppress(ImportError):
        import numpy

        alike += [{"batch": numpy.int64(8)}, {"batch": numpy.uint8(8)}, {"batch": numpy.array(8)}]
        problem = refused(TypeError, lambda: ridge.cost(LLAMA, batch=numpy.array([1, 2]))) or refused(ValueError, lambda: ridge.cost(LLAMA, batch=numpy.float64("nan")))
        if problem:
            return f"numpy: {problem}"
    with contextlib.suppress(ImportError):
        import torch

        alike += [{"batch": 8, "weights": torch.bfloat16}]
    for options in alike:
        if ridge.cost(LLAMA, **{"weights": "bf16", **options}).to_dict() != wanted:
            return f"{options} is another answer"
    config = json.loads((ROOT / "examples/openai-community--gpt2/config.json").read_text())
    path = SCRATCH / "config.json"
    path.write_text(json.dumps(config))

    class Config:
        def to_dict(self):
            return config

    flops = {str(answer.flops) for answer in (ridge.cost(GPT2), ridge.cost(config), ridge.cost(Config()), ridge.cost(path), ridge.cost(os.fsencode(path)))}
    return f"{len(flops)} answers for one config" if len(flops) > 1 else None


def exact():
    """integers are exact beyond 64 bits"""
    made = ridge.formula("torch.nn.Linear", {"rows": 2**40, "in_features": 2**40, "out_features": 3})
    count = _library.Count.of(-(2**100))
    if made.value != 2 * 2**40 * 2**40 * 3 or int(count) != -(2**100):
        return f"{made.value}"
    return refused(OverflowError, lambda: _library.Count.of(2**127)) or refused(ridge.ModelError, lambda: ridge.formula("torch.nn.Linear", 2**126, 4, 4), "128 bits")


# ---- errors and answers ----


def places():
    """an error has file, line, column and the place; it can be pickled"""
    path = SCRATCH / "broken.json"
    path.write_text('{"model_type": "llama",\n "hidden_size": }')
    try:
        ridge.cost(path)
    except ridge.ModelError as error:
        found = (error.file, error.line, error.column, error.code, error.exit_status)
        if found != (str(path), 2, 17, "SYNTAX", 1) or "^" not in error.place or "hidden_size" not in str(error):
            return f"{found} {error.place!r}"
        again = pickle.loads(pickle.dumps(error))
        return None if (again.line, str(again)) == (2, str(error)) else "pickled it is another"
    return "no error"


def dataclass_answers():
    """answers are dataclasses that can be copied, compared, pickled, printed; to_json is the text itself"""
    one, other = ridge.cost(LLAMA), ridge.cost(LLAMA)
    names = [field.name for field in dataclasses.fields(one)]
    return first([
        None if one == other and copy.deepcopy(one) == one and pickle.loads(pickle.dumps(one)) == one else "copies differ",
        None if pickle.loads(pickle.dumps(one)).to_json() == one.to_json() else "the text is lost",
        None if one != ridge.cost(GPT2) else "two models are equal",
        None if names[:3] == ["ridge", "model", "architecture"] else f"{names}",
        None if json.loads(one.to_json()) == one.to_dict() and "class" in one.to_dict()["rows"][0] else "to_dict differs",
        None if one.rows[1].class_.endswith("LlamaModel") and one.workload.image_width is None else "a member is wrong",
        None if type(dataclasses.replace(one, model="x")).__name__ == "Cost" else "replace",
        refused(TypeError, lambda: dataclasses.replace(one, no_member=1)), refused(TypeError, lambda: hash(one)),
        None if repr(one).startswith("Cost(ridge=") else repr(one)[:60],
    ])  # fmt: skip


def notebooks():
    """tables and pictures for notebooks; names from files are escaped"""
    made = ridge.predict(LLAMA, on=H100)
    path = SCRATCH / "<script>alert(1)<"
    path.mkdir()
    (path / "config.json").write_text((ROOT / "examples/openai-community--gpt2/config.json").read_text())
    page = ridge.cost(path)._repr_html_()
    return first([
        None if made._repr_svg_().startswith("<svg") else "no picture",
        None if "<table>" in made._repr_html_() and "<svg" in made._repr_html_() else "no table and picture",
        None if ridge.cost(LLAMA)._repr_svg_() is None else "cost has no picture",
        None if ridge.op("gemm", m=64, n=64, k=64)._repr_svg_() is None else "without a machine there is no roofline",
        None if "<svg" in ridge.op("gemm", m=64, n=64, k=64, on=H100)._repr_html_() else "op has no roofline",
        "a name is not escaped" if "<script>" in page else None,
        None if 'title="6,738,415,616">6.738 G<' in ridge.cost(LLAMA)._repr_html_() else "not four digits, with the exact number as its title",
    ])  # fmt: skip


def picture_is_the_programs():
    """svg() is what --plot writes, byte for byte"""
    subprocess.run([RIDGE, "predict", LLAMA, "--on", H100, "--plot", SCRATCH / "plot.svg"], check=True, capture_output=True)
    return None if ridge.predict(LLAMA, on=H100).svg() == (SCRATCH / "plot.svg").read_text() else "they differ"


def pandas_or_words():
    """to_pandas has a row for each row, with exact integers; without pandas it says so"""
    try:
        import pandas  # noqa: F401
    except ImportError:
        return refused(ImportError, lambda: ridge.cost(LLAMA).to_pandas(), "pandas")
    answer = ridge.cost(LLAMA)
    frame = answer.to_pandas()
    return None if list(frame["flops.total"]) == [row.flops.total for row in answer.rows] and len(ridge.formula("torch.nn.Linear", 1, 2, 3).to_pandas()) == 1 else f"{frame}"


def warned():
    """what the library warns of is a RidgeWarning, at the caller's line"""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        ridge.predict(LLAMA, on=H100, seq=8192)
        ridge.run("predict", LLAMA, on=H100, seq=8192)
        ridge.sweep(LLAMA, on=H100, seq=8192)
    right = [one for one in found if one.category is ridge.RidgeWarning and one.filename == __file__ and "maximum of 4096" in str(one.message)]
    return None if len(right) == len(found) == 3 else f"{[(str(one.message), one.filename) for one in found]}"


# ---- what the user keeps ----


def notices():
    """a session sees what another process adds to the user's catalog, and a catalog that a call names"""
    entry = SCRATCH / "mine.json"
    entry.write_text('{"my.A": {"parameters": ["n"], "flops": {"other": "3 * n"}}}')
    before = refused(ridge.ModelError, lambda: ridge.formula("my.A", 5))
    named = ridge.formula("my.A", 5, catalog=entry).value
    again = refused(ridge.ModelError, lambda: ridge.formula("my.A", 5))
    subprocess.run([RIDGE, "db", "add", entry], check=True, capture_output=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = ridge.formula("my.A", 5).value
    return before or again or (None if named == after == 15 else f"{named} {after}") or refused(
        ridge.ModelError, lambda: ridge.formula("my.A", 5, builtin_only=True))


# ---- threads, processes ----


def threads():
    """twelve threads at once, each with a session of its own, answer as one"""
    wanted = ridge.cost(LLAMA, batch=3).to_json()
    wrong, sessions = [], set()

    def work():
        for _ in range(20):
            if ridge.cost(LLAMA, batch=3).to_json() != wanted:
                wrong.append("another answer")
        sessions.add(id(ridge.session()))

    workers = [threading.Thread(target=work) for _ in range(12)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return first(wrong)


def parallel():
    """a call of another thread goes on while this one computes: the GIL is free"""
    started, done = threading.Event(), threading.Event()

    def work():
        started.set()
        ridge.sweep(LLAMA, on=[H100, "l4"], batch="1:4096:*2", seq="128:8192:*2", weights=["bf16", "q4_K"])
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    started.wait()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0)
    worker.join()
    return None if turns > 10 else f"{turns} turns"


def forked():
    """after a fork parent and child answer, in a pool too"""
    wanted = ridge.cost(GPT2).flops.total
    busy = threading.Thread(target=lambda: [ridge.cost(LLAMA) for _ in range(200)])
    busy.start()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
        if child == 0:
            total = 0
            with contextlib.suppress(BaseException):
                total = ridge.cost(GPT2).flops.total
            os.write(writing, str(total).encode())
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        found = int(os.read(reading, 100))
        busy.join()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            totals = pool.map(flops_of, [GPT2] * 4)
    return None if status == 0 and found == wanted and set(totals) == {wanted} else f"{status} {found} {totals} {wanted}"


def flops_of(model):
    return ridge.cost(model).flops.total


def program(text, seconds=60, **how):
    """exit status and stderr of a Python program that uses the package"""
    process = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
    return process, seconds


def ended(text, wanted=0):
    process, seconds = program(text)
    try:
        out, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return "it does not end"
    return None if process.returncode == wanted else f"exit status {process.returncode}: {said[-300:]}"


def interpreter_ends():
    """the interpreter ends while threads are in calls, that compute and that measure, daemons and others"""
    head = f"import ridge, threading, time\ndef work():\n  for _ in range(50): ridge.cost({LLAMA!r})\n"
    daemons = head + "".join("threading.Thread(target=work, daemon=True).start()\n" for _ in range(3)) + "time.sleep(0.1)\n"
    measuring = (f"import ridge, threading, time\nthreading.Thread(target=lambda: ridge.bench('gemv', progress=lambda line: None, **{LONG!r}), daemon=True).start()\n"
                 "time.sleep(0.7)\n")  # fmt: skip
    others = head.replace("range(50)", "range(5)") + "threading.Thread(target=work).start()\n"
    at_exit = f"import atexit, ridge\natexit.register(lambda: ridge.cost({LLAMA!r}))\nridge.cost({LLAMA!r})\n"
    left = f"import ridge\nx = ridge.session()\ny = ridge.Session()\nz = ridge.cost({LLAMA!r})\n"
    return each((daemons, measuring, others, at_exit, left), ended)


def interrupted():
    """Ctrl-C ends a measurement with KeyboardInterrupt, and what was done is its answer"""
    import signal

    text = (f"import ridge, sys\ntry:\n  ridge.bench('gemv', progress=lambda line: print(line, flush=True), **{LONG!r})\n"
            "except KeyboardInterrupt as error:\n  sys.exit(7 if type(error.answer).__name__ == 'Bench' and error.answer.interrupted else 8)\n")  # fmt: skip
    process, _ = program(text)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return "it does not end"
    return None if process.returncode == 7 else f"exit status {process.returncode}: {said[-300:]}"


def in_turn():
    """measurements of several threads wait for one another"""
    order = []

    def work(name):
        ridge.bench("gemv", n=64, k=64, budget="5ms", ceilings_budget="5ms", rounds=1, no_store=True, progress=lambda line: order.append(name))

    workers = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    changes = sum(one != other for one, other in zip(order, order[1:]))
    return None if changes == 2 else f"{changes} changes among three"


def progress_raises():
    """an exception of the progress function ends the command and is raised"""
    def stop(line):
        raise KeyError(line)

    began = time.monotonic()
    problem = refused(KeyError, lambda: ridge.bench("gemv", progress=stop, **LONG)) or refused(TypeError, lambda: ridge.bench("gemv", progress=3, n=4, k=4))
    return problem or (None if time.monotonic() - began < 45 else "it went on")


def sessions():
    """sessions are closed; a closed one is refused"""
    session = ridge.Session([ROOT / "catalog"])
    session.close()
    session.close()
    from ridge import _call

    return refused(ridge.UsageError, lambda: _call._ask(None, session), "closed")


def served():
    """ridge.serve serves, refuses wrong options, and ends"""
    with ridge.serve(port=0) as server:
        version = json.loads(urllib.request.urlopen(server.url + "version").read())["ridge"]
    return first([None if version == ridge.__version__ else version, None if server.process.returncode is not None else "it did not end",
                  refused(ridge.OptionError, lambda: ridge.serve(prt=1), "did you mean"), refused(ridge.UsageError, lambda: ridge.serve(port=-1))])  # fmt: skip


def no_library():
    """without a library there is a LibraryError that says what to do"""
    text = ("import sys, ridge\nfrom ridge import _library\n_library.places = lambda: iter(['/nonexistent'])\n"
            "try: ridge.cost('x')\nexcept ImportError as error: sys.exit(5 if './setup' in str(error) else 6)\n")  # fmt: skip
    other = ("import sys, ridge\nfrom ridge import _library\n_library.places = lambda: iter(['/dev/null'])\n"
             "try: ridge.cost('x')\nexcept ridge.LibraryError: sys.exit(5)\n")  # fmt: skip
    return ended(text, 5) or ended(other, 5)


def resident():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))


def leaks():
    """many calls, right and wrong ones, leave no memory behind"""
    def round_of(count):
        for at in range(count):
            ridge.cost(GPT2, batch=1 + at % 5)
            with contextlib.suppress(ridge.RidgeError):
                ridge.cost(GPT2, batch=-1)
            if at % 50 == 0:
                ridge.predict(GPT2, on=H100).svg()

    round_of(CALLS // 10)
    gc.collect()
    before = resident()
    round_of(CALLS)
    gc.collect()
    grown = resident() - before
    return None if grown < 2048 else f"{grown} KiB more after {CALLS} calls"


def main():
    for function in (wrong_values, wrong_models, wrong_names, right_values, exact, places, dataclass_answers, notebooks, picture_is_the_programs, pandas_or_words,
                     warned, notices, threads, parallel, forked, interpreter_ends, interrupted, in_turn, progress_raises, sessions, served, no_library, leaks):  # fmt: skip
        case(function)
    print(f"1..{number}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
