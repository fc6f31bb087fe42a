"""What a live torch.nn.Module costs: its tree by introspection, each module's FLOPs by the catalog, else by its source, else by a recorded run.

In: a module and example inputs or their shapes. Out: an Analysis, exact, whose rows say where each number comes from.
Where a run could be recorded, what the catalog and the source say is held against it, module by module; what differs is not used.
Fails with ModelError where none of the three knows a module: unknown is never 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ridge import _ask, _entries, _errors, _inventory, _learned
from ridge._cost_table import CostTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import torch  # type: ignore


@dataclass(frozen=True)
class ModuleCost:
    """What one module costs in all its calls of a forward pass; figures include what is below it.

    path, class_name: as named_modules() has them; "" is the model
    calls: how often it was called; 0: never, and then it costs what its parts do
    parameters: elements of the parameters in it and below, each tensor once
    flops: FLOPs as Ridge counts them (1 add or multiply = 1; activations and norms by convention, docs/numbers.md)
    torch_flops: FLOPs as PyTorch's FlopCounterMode counts them: products, convolutions and attention alone, biases nothing
    own_flops, own_torch_flops: of its own code, without its parts
    read_bytes, written_bytes: traffic of separate kernels in the recorded run; None where nothing could be recorded
    source: what its own code's numbers rest on: "catalog", "learned" (its Python source), "run" (operators of a recorded pass), or
        "parts" (it runs nothing itself that counts)
    by: the catalog's entry, the place of the source, or the number of operators
    note: why the sources before that were not used
    Source: docs/python-models.md.
    """

    path: str
    class_name: str
    calls: int
    parameters: int
    flops: int
    torch_flops: int
    own_flops: int
    own_torch_flops: int
    read_bytes: int | None
    written_bytes: int | None
    source: str
    by: str
    note: str = ""


@dataclass(frozen=True)
class Analysis(CostTable):
    """What a module costs, whole and module by module.

    model: its class; modules: a ModuleCost each, in the order of named_modules()
    parameters, flops, torch_flops, read_bytes, written_bytes: those of the whole, as ModuleCost has them
    complete: False: operators that the catalog lacks are not counted, and the totals are lower bounds (only with partial=True)
    notes: what could not be used, and why
    inventory: the list of the module that this was made from (ridge.inventory)
    Source: docs/python-models.md.
    """

    model: str
    modules: list[ModuleCost]
    complete: bool = True
    notes: list[str] = field(default_factory=list)
    inventory: dict | None = field(default=None, repr=False)

    @property
    def total(self) -> ModuleCost:
        """The row of the whole model."""
        return self.modules[0]

    @property
    def parameters(self) -> int:
        """Elements of all parameters, each tensor once."""
        return self.total.parameters

    @property
    def flops(self) -> int:
        """FLOPs of the pass as Ridge counts them, an exact integer."""
        return self.total.flops

    @property
    def torch_flops(self) -> int:
        """FLOPs of the pass as PyTorch's FlopCounterMode counts them, an exact integer."""
        return self.total.torch_flops

    @property
    def read_bytes(self) -> int | None:
        """Bytes that separate kernels read; None where nothing was recorded."""
        return self.total.read_bytes

    @property
    def written_bytes(self) -> int | None:
        """Bytes that separate kernels write; None where nothing was recorded."""
        return self.total.written_bytes

    def get(self, path: str) -> ModuleCost:
        """The row of this path; KeyError where there is none."""
        for row in self.modules:
            if row.path == path:
                return row
        raise KeyError(path)


# ---- the recorded run ----


@dataclass
class Own:
    """What a module's own code costs, and where that is from."""

    flops: int = 0
    torch: int = 0
    read: int = 0
    written: int = 0
    operators: int = 0

    def add(self, row):
        """Adds the row of an operator."""
        self.flops += row["flops"]["total"]
        self.torch += row["flops"]["torch"]
        self.read += sum(row["bytes"]["reads"].values())
        self.written += sum(row["bytes"]["writes"].values())
        self.operators += row["count"]


def _cost(inventory, **options):
    with _ask.file_of(_inventory.script().dumps(inventory), "module.json") as path:
        return _ask.answer("cost", path, all=True, **options)


def recorded(inventory):
    """({path: Own}, operators that the catalog lacks) by the operators that a forward pass ran; None, reason where none was recorded."""
    if "failed" in inventory["run"]:
        return None, inventory["run"]["failed"]
    said = _cost({key: value for key, value in inventory.items() if key != "config"})
    paths = {row["path"]: row["class"] for row in inventory["modules"]}
    own = {path: Own() for path in paths}
    for row in said["rows"]:
        if paths.get(row["path"]) != row["class"]:
            own[row["path"].rpartition(".")[0]].add(row)
    _check_sum(own, said)
    return own, sorted({one["module"] for one in said["unknown"]})


def _check_sum(own, said):
    """The operators' rows are all of the total, or something here is wrong."""
    if sum(one.flops for one in own.values()) != said["flops"]["total"] or sum(one.torch for one in own.values()) != said["flops"]["torch"]:
        raise _errors.RidgeError("the operators' rows do not add up to the model's total: this is a fault of Ridge, please report it")


# ---- the three sources ----


class _Sources:
    """Looks for each module's own cost in the catalog, the source and the recorded run, and keeps why one of them was not used."""

    def __init__(self, module, inventory):
        self.inventory = inventory
        self.other_device = " on meta (device='cpu' runs a copy on zeros)" if inventory["run"]["device"] == "meta" else ""
        self.live = dict(module.named_modules())
        self.rows = {row["path"]: row for row in inventory["modules"]}
        self.children = _children(self.rows)
        self.run, self.unknown = recorded(inventory)
        self.learned, self.places, self.why, self.said = {}, {}, {}, {}

    def agrees(self, path, flops, torch):
        """Does the recorded run say the same? FLOPs of classes that have no convention of their own are the operators'."""
        return self.run is None or (self.run[path].torch == torch and (flops is None or self.run[path].flops == flops))

    def catalog(self, path):
        """The entry of a module without parts of its own."""
        if self.children[path]:
            return None
        found = _entries.count(self.rows[path])
        if found and not self.agrees(path, found[2], found[1]):
            self.why[path] = f"not by the catalog: its {found[3]} has {found[2] or found[1]:,} FLOPs without biases, the run {self.run[path].flops:,}"
            return None
        return found

    def learn_below(self, path, inputs, given):
        """Derives this module and all below it from the source, once per recorded call."""
        total = {}
        for call in self.rows[path].get("calls") or [{"count": 1, "inputs": inputs}]:
            rows, place = _learned.learn(self.live[path], self.inventory, path, call["inputs"], self.said, given)
            for one, numbers in rows.items():
                before = total.get(one, (0, 0, 0))
                total[one] = tuple(a + b * call["count"] for a, b in zip(before, numbers))
        for one, numbers in total.items():
            self.learned.setdefault(one, numbers)
            self.places.setdefault(one, place if one == path else f"{place}, as a part of {path or 'the model'}")

    def learn_all(self, path, inputs, given=None):
        """Tries the whole first; what its source does not say is tried part by part."""
        if path in self.learned or _entries.entry_of(self.rows[path]):
            return
        called = not path or self.rows[path].get("calls")
        try:
            if called and not self.rows[path]["class"].startswith("torch.nn.modules.container."):  # which has no code of its own
                self.learn_below(path, inputs, given)
                return
        except _learned.NotLearned as reason:
            self.why[path] = f"not learned: {reason}"
        if self.run is not None:
            for child in self.children[path]:
                self.learn_all(child, None)

    def own(self, path):
        """(Own, source, by, note) of a module's own code."""
        run = self.run[path] if self.run is not None else None
        read, written = (run.read, run.written) if run else (0, 0)
        found, note = self.catalog(path), self.why.get(path, "")
        if found:
            return Own(found[0], found[1], read, written), "catalog", found[3], note
        if run and run.operators == 0:
            return Own(), "parts", "", ""
        taken = self.learned_own(path)
        if taken and self.agrees(path, *taken):
            return Own(*taken, read, written), "learned", self.places[path], note
        if taken:
            note = f"not learned: {self.places[path]} has {taken[0]:,} FLOPs, the run {run.flops:,}"
        if run:
            return run, "run", f"{run.operators} operator{'' if run.operators == 1 else 's'}", note
        if "" in self.learned:  # all is derived, and this is never called
            return Own(), "parts", "", ""
        raise _errors.ModelError(f"{self.rows[path]['class']} is not known: the catalog does not have it, it is {note or 'not learned'}, and no run "
                                 f"of it could be recorded{self.other_device}: {self.unknown}", "UNKNOWN")

    def learned_own(self, path):
        """(FLOPs, as FlopCounterMode counts) of a module's own code by its source."""
        if path not in self.learned:
            return None
        flops, torch, _ = self.learned[path]
        parts = [self.learned[child][:2] for child in _called_below(path, self.children, self.learned)]
        return flops - sum(one[0] for one in parts), torch - sum(one[1] for one in parts)

    def calls(self, path):
        """How often a module was called."""
        if self.run is not None:
            return sum(call["count"] for call in self.rows[path].get("calls", []))
        return self.learned.get(path, (0, 0, 0))[2]


def _children(rows):
    """path -> paths of its parts, in order."""
    children = {path: [] for path in rows}
    for path in rows:
        if path:
            children[path.rpartition(".")[0]].append(path)
    return children


def _called_below(path, children, learned):
    """The nearest modules below that have a row: a list of layers is never called itself."""
    for child in children[path]:
        if child in learned:
            yield child
        else:
            yield from _called_below(child, children, learned)


def _by_config(inventory, inputs):
    """{path: (FLOPs, as FlopCounterMode counts)} of a class that the catalog has with its config, for tokens of one length; None: it is none, or
    the inputs are more than that."""
    sizes = {tuple(row["shape"]) for row in inputs}
    names = {row["name"] for row in inputs}
    if "config" not in inventory or len(sizes) != 1 or "input_ids" not in names or not names <= {"input_ids", "attention_mask", "position_ids"}:
        return None
    shape = sizes.pop()
    if len(shape) != 2:
        return None
    try:
        said = _cost({key: value for key, value in inventory.items() if key != "run"}, batch=shape[0], seq=shape[1])
    except _errors.RidgeError:
        return None
    return {row["path"]: (row["flops"]["total"], row["flops"]["torch"]) for row in said["rows"]}


# ---- the answer ----


def _elements(row):
    """(identity, elements) of a module's own parameters."""
    for tensor in row["parameters"]:
        count = 1
        for n in tensor["shape"]:
            count *= n
        yield tensor.get("tied_to") or ".".join(part for part in (row["path"], tensor["name"]) if part), count


def _tensors_below(path, sources):
    """Also those of modules that stand here a second time."""
    tensors = dict(_elements(sources.rows[path]))
    again = [row["of"] for row in sources.inventory["aliases"]
             if row["path"].rpartition(".")[0] == path and not f"{path}.".startswith(f"{row['of']}." if row["of"] else "")]  # no part of itself
    for part in sources.children[path] + again:
        tensors.update(_tensors_below(part, sources))
    return tensors


def _sum_below(path, own, children):
    total = Own(**vars(own[path]))
    for child in children[path]:
        part = _sum_below(child, own, children)
        for name in ("flops", "torch", "read", "written"):
            setattr(total, name, getattr(total, name) + getattr(part, name))
    return total


def _row(sources, path, total, own, *where):
    row = sources.rows[path]
    traffic = (total.read, total.written) if sources.run is not None else (None, None)
    parameters = sum(_tensors_below(path, sources).values())
    return ModuleCost(path, row["class"], sources.calls(path), parameters, total.flops, total.torch, own.flops, own.torch, *traffic, *where)


def _rows(sources):
    found = {path: sources.own(path) for path in sources.rows}
    own = {path: one[0] for path, one in found.items()}
    return [_row(sources, path, _sum_below(path, own, sources.children), *found[path]) for path in sources.rows]


def _rows_by_config(sources, by_config):
    """The rows where the catalog has the whole model, and says of every module's products what the run does."""
    rows = []
    for path, row in sources.rows.items():
        below = [by_config[child] for child in _called_below(path, sources.children, by_config)]
        parts = Own(sum(one[0] for one in below), sum(one[1] for one in below))
        total = Own(*by_config[path]) if path in by_config else parts  # a list of layers is never called itself
        own = Own(total.flops - parts.flops, total.torch - parts.torch)
        if sources.run is not None:
            run = _sum_below(path, sources.run, sources.children)
            total.read, total.written = run.read, run.written
            if run.torch != total.torch:
                raise _errors.ModelError(f"'{path}' has {total.torch:,} FLOPs in products by its config, {run.torch:,} in the run")
        rows.append(_row(sources, path, total, own, "catalog", row["class"]))
    return rows


def _given_inputs(module, inputs):
    """The tensors of the whole's inputs, as a call lists them."""
    script = _inventory.script()
    args, kwargs = script._inputs(_inventory.example_inputs(module, inputs))
    named = script._call_inputs(module, args, kwargs)
    others = [name for name, value in named.items() if not isinstance(value, script.torch.Tensor)]
    return script._shapes(named), others


def _notes(sources):
    notes = []
    if sources.run is None:
        notes.append(f"no run was recorded, so nothing could be held against one: {sources.unknown}")
    notes += [f"{path or 'the model'}: {why}" for path, why in sources.why.items()]
    return notes


def analyze(module: torch.nn.Module, inputs, *, arguments: dict | None = None, learn: bool = True, device: str = "meta",
            partial: bool = False) -> Analysis:
    """What a torch.nn.Module costs in one forward pass in eval mode: an Analysis, exact, module by module.

    inputs: example inputs of forward(): a tensor, a tuple of positional arguments, or a dict by name; a shape stands for a tensor of it: (2, 10)
        in the module's floating-point dtype, or "2x10:int64". Sizes and dtypes matter, values do not.
    arguments: what the model's constructor was called with, where the module does not keep it under the same names
    learn: False: nothing is derived from Python source
    device: where a copy of the module runs: "meta" without memory, or "cpu" on zeros, for what the meta device cannot run
    partial: True: operators that the catalog lacks are listed and not counted

    Each module's own code is counted by the catalog's entry of its class, else by deriving it from its source (docs/learning.md), else by the
    operators that the recorded pass ran (docs/inventory.md); `source` of its row says which. What the first two say is held against the pass.

    Errors: LibraryError without PyTorch; OptionError on what is no module or no input; ModelError where nothing knows a module.
    Source: docs/python-models.md.
    """
    _inventory.check_module(module)
    if inputs is None:
        raise _errors.OptionError("inputs: a forward pass needs example inputs, or their shapes")
    inventory = _inventory.inventory(module, inputs, device=device)
    tensors, others = _given_inputs(module, inputs)
    sources = _Sources(module, inventory)
    if sources.run is not None and sources.unknown and not partial:
        raise _errors.ModelError(f"{', '.join(sources.unknown)}: the catalog does not have this operator, so its cost is not known "
                                 "(partial=True counts the others)", "UNKNOWN")
    by_config = _by_config(inventory, tensors) if not others else None
    if learn and not by_config and not (others and sources.run is None):
        sources.learn_all("", tensors, arguments)
    return _answer_of(sources, by_config)


def _answer_of(sources, by_config):
    notes = _notes(sources)
    rows = None
    if by_config:
        try:
            rows = _rows_by_config(sources, by_config)
        except _errors.ModelError as error:
            notes.append(f"the catalog's entry of the model was not used: {error.message}")
    rows = rows or _rows(sources)
    complete = sources.run is None or not sources.unknown
    if not complete:
        notes.append(f"not counted: {', '.join(sources.unknown)}")
    return Analysis(sources.inventory["class"], rows, complete, notes, sources.inventory)


class FlopAnalyzer:
    """Counts models one after the other: a live torch.nn.Module with example inputs, or anything that ridge.cost takes.

        >>> FlopAnalyzer().analyze(module, (2, 16)).table(top=3)

    options: those of every analysis, as analyze() takes them. Errors: those of analyze() and of ridge.cost. Source: docs/python-models.md.
    """

    def __init__(self, **options):
        self.options = options

    def analyze(self, model, inputs=None, **workload):
        """An Analysis of a module with `inputs`; of an id, a folder or a file the answer of ridge.cost for the workload (batch=, seq=, ...).

        Errors: those of analyze() and of ridge.cost.
        """
        if isinstance(model, str) or hasattr(model, "__fspath__"):
            import ridge

            return ridge.cost(model, **workload)
        return analyze(model, inputs, **{**self.options, **workload})

    def total_flops(self, model, inputs=None, **workload) -> int:
        """FLOPs of the whole, an exact integer; arguments as analyze() has them."""
        said = self.analyze(model, inputs, **workload)
        return said.flops if isinstance(said.flops, int) else said.flops.total
