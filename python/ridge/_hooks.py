"""How long each module of a live model takes, by the framework's own clock, beside what is predicted.

In: a torch.nn.Module that somebody calls while the hooks are on it. Out: ModuleTimes: medians over the passes, beside Ridge's prediction.
On CUDA the marks are torch.cuda events on the current stream, elsewhere time.perf_counter; the hooks' own microseconds are in the parents' times.
"""

from __future__ import annotations

import functools
import json
import math
import threading
import time
from dataclasses import asdict, dataclass, field

from ridge import _ask, _commands, _errors, _inventory
from ridge._cost_table import html_table, seconds, text_table
from ridge._counter import whole
from ridge._measure import measure_bandwidth

TYPE_CHECKING = False
if TYPE_CHECKING:
    import torch  # type: ignore

_TITLES = ("module", "class", "calls", "measured", "low", "high", "own", "%", "predicted", "x")


@dataclass(frozen=True)
class ModuleTime:
    """What one module took in a forward pass, in seconds; predicted_s is None where nothing is predicted.

    path, class_name: as named_modules() has them; calls: in one pass
    time_s: in all its calls, with what it calls; the median over the passes; low_s .. high_s: its 95 % interval (under 6 passes: all of them)
    own_s: without the modules that it calls; percent: own_s of the whole pass
    predicted_s: the machine's bound for the operators in it and below, each a kernel of its own
    Source: the framework's clock; docs/prediction.md.
    """

    path: str
    class_name: str
    calls: int
    time_s: float
    low_s: float
    high_s: float
    own_s: float
    percent: float
    predicted_s: float | None = None

    @property
    def ratio(self) -> float | None:
        """Measured over predicted; None where nothing is predicted."""
        return self.time_s / self.predicted_s if self.predicted_s else None


@dataclass(frozen=True)
class ModuleTimes:
    """Measured beside predicted, module by module, in the order of named_modules().

    model: its class; passes: how many were counted; clock: what measured ("time.perf_counter", "torch.cuda.Event")
    on: the machine of the prediction, None where there is none; notes: what is missing, and why; modules: a ModuleTime each that was called
    Source: docs/python-models.md.
    """

    model: str
    passes: int
    clock: str
    on: str | None
    modules: list[ModuleTime]
    notes: list[str] = field(default_factory=list)

    @property
    def total(self) -> ModuleTime:
        """The row of the whole model."""
        return self.modules[0]

    def get(self, path: str) -> ModuleTime:
        """The row of this path; KeyError where it was not called."""
        for row in self.modules:
            if row.path == path:
                return row
        raise KeyError(path)

    def _cells(self, row):
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        return (row.path or "(model)", row.class_name.rpartition(".")[2], str(row.calls), seconds(row.time_s), seconds(row.low_s), seconds(row.high_s),
                seconds(row.own_s), f"{row.percent:.1f}", seconds(row.predicted_s), ratio)

    def _shown(self, top):
        rows = self.modules if top is None else sorted(self.modules, key=lambda row: -row.own_s)[:top]
        return [self._cells(row) for row in rows]

    def table(self, top: int | None = None) -> str:
        """The rows as text, or the `top` modules whose own code takes longest; x is measured over predicted."""
        return text_table(_TITLES, self._shown(top))

    def html(self, top: int | None = None) -> str:
        """The same as an HTML table."""
        return html_table(f"{self.model}: {self.passes} passes by {self.clock}" + (f", predicted on {self.on}" if self.on else ""), _TITLES, self._shown(top))

    def _repr_html_(self):
        return self.html()

    def __str__(self):
        return self.table() + "".join(f"note: {note}\n" for note in self.notes)

    def to_pandas(self):
        """The rows as a pandas.DataFrame; LibraryError without pandas."""
        return _ask.need("pandas", "to_pandas").DataFrame([asdict(row) for row in self.modules])


def median_interval(samples) -> tuple[float, float, float]:
    """(median, low, high): the 95 % interval of the median by order statistics; under 6 samples the least and the greatest.

    Source: Conover, Practical Nonparametric Statistics, 3rd ed., 3.2: ranks by the normal approximation of the binomial distribution.
    """
    ordered, n = sorted(samples), len(samples)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    if n < 6:
        return median, ordered[0], ordered[-1]
    reach = 1.96 * math.sqrt(n) / 2
    return median, ordered[max(math.floor(n / 2 - reach), 0)], ordered[min(math.ceil(n / 2 + reach), n - 1)]


# ---- clocks ----


class _HostClock:
    name = "time.perf_counter"

    def mark(self):
        return time.perf_counter()

    def settle(self):
        """Nothing is left to wait for."""

    def between(self, start, end):
        return end - start


class _CudaClock:
    name = "torch.cuda.Event"

    def __init__(self, torch):
        self.cuda = torch.cuda

    def mark(self):
        event = self.cuda.Event(enable_timing=True)
        event.record()
        return event

    def settle(self):
        self.cuda.synchronize()

    def between(self, start, end):
        return start.elapsed_time(end) / 1e3


def _clock_of(module, torch):
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.is_cuda:
            return _CudaClock(torch)
    return _HostClock()


# ---- the hooks ----


class Hooks:
    """Hooks on every module of a model: call the model while they are on, then ask for result(). A context manager that takes them off.

    Made by ridge.hooks. A pass that ends in an exception is not counted; a module that is called from another thread is not seen.
    Errors: those of ridge.hooks. Source: docs/python-models.md.
    """

    def __init__(self, module, on=None, inputs=None, skip=1, predict=True):
        _inventory.check_module(module)
        self._torch = _ask.need("torch", "hooks")
        self._module, self._on, self._inputs, self._predict = module, on, inputs, predict
        self._skip = whole("skip", skip, least=0)
        self._clock = _clock_of(module, self._torch)
        self._passes, self._records, self._stack, self._thread = [], None, [], None
        self._handles, self._quiet = [], False
        self._attach()

    def _attach(self):
        named = int(self._torch.__version__.partition(".")[0]) >= 2  # from then on hooks are told of named arguments
        for path, one in self._module.named_modules():
            options = {"with_kwargs": True} if named and not path else {}
            self._handles.append(one.register_forward_pre_hook(functools.partial(self._begin, path), **options))
            self._handles.append(one.register_forward_hook(functools.partial(self._end, path)))

    def remove(self) -> None:
        """Takes all hooks off the model; what was measured stays."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def __deepcopy__(self, memo):
        """On a copy of the model, such as the one that is run for the prediction, the hooks do nothing."""
        copied = object.__new__(Hooks)
        copied._quiet = True
        return copied

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def _begin(self, path, module, args, kwargs=None):
        if self._quiet:
            return
        if not path:  # also after a pass that ended in an exception
            self._records, self._stack, self._thread = [], [], threading.get_ident()
            if self._inputs is None:
                self._inputs = self._named_inputs(args, kwargs)
        if self._thread == threading.get_ident():
            self._records.append([path, self._clock.mark(), None, self._stack[-1] if self._stack else None])
            self._stack.append(len(self._records) - 1)

    def _named_inputs(self, args, kwargs):
        """Shapes stay, values go: an input may be large."""
        script = _inventory.script()
        return script._moved(script._call_inputs(self._module, args, kwargs or {}), "meta")

    def _end(self, path, module, args, result):
        if self._quiet or self._thread != threading.get_ident():
            return
        while self._stack:  # modules that ended in an exception, which the model caught, are above it
            record = self._records[self._stack.pop()]
            if record[0] == path:
                record[2] = self._clock.mark()
                break
        if not path:
            self._passes.append(self._records)
            self._records, self._stack, self._thread = None, [], None

    # ---- the result ----

    def _times(self, records):
        """{path: [calls, seconds, own seconds]} of one pass."""
        times = {}
        for path, start, end, caller in records:
            if end is None:
                continue
            took = self._clock.between(start, end)
            mine = times.setdefault(path, [0, 0.0, 0.0])
            mine[0], mine[1], mine[2] = mine[0] + 1, mine[1] + took, mine[2] + took
            if caller is not None:
                times.setdefault(records[caller][0], [0, 0.0, 0.0])[2] -= took
        return times

    def result(self) -> ModuleTimes:
        """What was measured so far beside what is predicted, as ModuleTimes.

        Errors: UsageError where the model was not called; what cannot be predicted stands in the notes.
        """
        self._clock.settle()
        if not self._passes:
            raise _errors.UsageError("the model was not called while the hooks were on it")
        counted = self._passes[self._skip:] or self._passes[-1:]
        passes = [self._times(records) for records in counted]
        on, predicted, notes = _predicted(self._module, self._inputs, self._on) if self._predict else (None, {}, [])
        whole_s = median_interval([one[""][1] for one in passes])[0]
        rows = []
        for path, module in self._module.named_modules():
            seen = [one[path] for one in passes if path in one]
            if not seen:
                continue
            calls, own = seen[-1][0], max(median_interval([one[2] for one in seen])[0], 0.0)
            kind = f"{type(module).__module__}.{type(module).__qualname__}"
            percent = 100 * own / whole_s if whole_s > 0 else 0.0
            rows.append(ModuleTime(path, kind, calls, *median_interval([one[1] for one in seen]), own, percent, predicted.get(path)))
        return ModuleTimes(f"{type(self._module).__module__}.{type(self._module).__qualname__}", len(passes), self._clock.name, on, rows, notes)


def hooks(module: torch.nn.Module, on: str | None = None, inputs=None, *, skip: int = 1, predict: bool = True) -> Hooks:
    """Puts hooks on every module of a torch.nn.Module that measure it while you run it; answers Hooks, a context manager.

        >>> with ridge.hooks(model, on="h100-sxm-80") as measured:
        ...     for _ in range(10):
        ...         model(x)
        >>> print(measured.result())

    on: the machine of the prediction (ridge.machines); None: this one, 'this' where it was calibrated (ridge.calibrate), else by the main-memory
        bandwidth and the fp32 peak, which result() then measures in about 2 seconds
    inputs: example inputs for the prediction, as ridge.inventory takes them; None: those of the first call (before PyTorch 2 its positional ones)
    skip: passes at the start that do not count, where there are more; predict: False: nothing is predicted

    Errors: LibraryError without PyTorch; OptionError on what is no module. Source: docs/python-models.md.
    """
    return Hooks(module, on, inputs, skip, predict)


# ---- the prediction ----


def _here(torch):
    """A machine file of what is measured now, as text."""
    measured = measure_bandwidth(threads=torch.get_num_threads())
    return json.dumps({"id": "here", "name": "this machine, measured now", "kind": "cpu", "peak_flops_per_s": {"fp32": round(measured.peak_flops_per_s)},
                       "memory": [{"level": "dram", "bytes_per_s": round(measured.bytes_per_s)}], "sources": {"*": "measured by ridge.hooks"}})


def _predict_on(place, on):
    said = _ask.answer("predict", place, on=on, all=True, kernel="eager")
    return said["machine"], {row["path"]: row["time_s"] for row in said["rows"] if not row["class"].startswith("aten.")}


def _predicted(module, inputs, on):
    """(machine, {path: seconds}, notes)"""
    made = _inventory.inventory(module, inputs)
    made.pop("config", None)  # the operators that ran, not the config's workload
    failed = made.get("run", {}).get("failed")
    if failed or "run" not in made:
        return None, {}, [f"nothing is predicted: {failed or 'no input of the model was seen'}"]
    with _ask.file_of(_inventory.script().dumps(made), "module.json") as place:
        try:
            if on is not None:
                return (*_predict_on(place, on), [])
            return (*_predict_here(place), [])
        except _errors.RidgeError as error:
            return None, {}, [f"nothing is predicted: {error.message}"]


def _predict_here(place):
    try:
        return _predict_on(place, "this")
    except _errors.RidgeError:  # nobody calibrated it
        with _ask.file_of(_here(_inventory.script().torch), "here.json") as machine:
            return _predict_on(place, machine)
