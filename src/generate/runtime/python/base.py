"""What the generated modules stand on: exact numbers, the workload, configs, and BaseModule, which adds up a module's own terms and
those of its parts.

A number is an int or a fractions.Fraction and never a float, so a result is exact or an error. Unknown is an error and never 0: a
name without a value, a negative or fractional count, a module that is not here, a module that holds itself.

Reads, writes and intermediates are elements, of what eager PyTorch moves: each operator reads every distinct input once and writes its
outputs. FLOPs count a fused multiply-add as 2."""

import threading
from contextlib import contextmanager
from fractions import Fraction

from .formats import FORMATS

__all__ = ["BaseModule", "BaseFormula", "BaseConfig", "Field", "Fraction", "GeneratedError", "UnknownError", "CycleError", "UNSET"]

QUANTITIES = ("flops", "reads", "writes", "intermediates", "parameters")
FLOP_CLASSES = ("matmul", "attention", "activation", "embedding", "other")
BYTE_KINDS = ("weights", "activations", "kv", "intermediates")
LARGEST_RANK = 16


class GeneratedError(ValueError):
    """There is no number for these arguments; the text says why."""


class UnknownError(GeneratedError):
    """A name that has no value, or a module that is not here."""


class CycleError(GeneratedError):
    """A module that needs itself; the text has the way from it to itself."""


class _Unset:
    """Stands for what has no value yet; to compute with it is an error."""

    def __repr__(self):
        return "<no value>"


UNSET = _Unset()


# ---- numbers ----

def is_number(value):
    return isinstance(value, (int, Fraction))


def whole(value):
    """A fraction that is whole as the int that it is."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def given(value):
    """What a caller gives as a value: a float is the decimal that it is written as, a tuple a list, a dict an object."""
    if isinstance(value, float):  # inf and nan are no numbers
        return whole(Fraction(repr(value))) if value - value == 0 else UNSET
    if isinstance(value, (list, tuple)):
        return [given(one) for one in value]
    if isinstance(value, dict):
        return Config("an object", {name: given(one) for name, one in value.items()})
    if value is None or value is UNSET or isinstance(value, (bool, int, str, Config)):
        return value
    if isinstance(value, Fraction):
        return whole(value)
    raise GeneratedError(f"{value!r} is no number, truth, text, list or None")


def count_of(value, what):
    """A count: an integer that is not negative."""
    value = whole(value)
    if isinstance(value, Fraction):
        raise GeneratedError(f"a fractional number of {what}: {value}")
    if not isinstance(value, int):
        raise GeneratedError(f"{what} must be a number, not {value!r}")
    if value < 0:
        raise GeneratedError(f"a negative number of {what}: {value}")
    return int(value)


def elements_of(value):
    """A number of elements, the product of a shape ([]: of a scalar, 1), or the sum over a list of shapes; None is nothing."""
    if value is None:
        return 0
    if not isinstance(value, list):
        return count_of(value, "elements")
    if any(one is None or isinstance(one, list) for one in value):
        return sum(elements_of(one) for one in value)
    rows, columns = 1, 1
    if len(value) > 1:
        rows, value = whole(value[0]), value[1:]
    for one in value:
        if not is_number(one):
            raise GeneratedError(f"want a number of elements, a shape or a list of shapes, not {one!r}")
        columns *= one
    columns = count_of(columns, "elements")
    if not is_number(rows):
        raise GeneratedError(f"want a number of elements, a shape or a list of shapes, not {rows!r}")
    if isinstance(rows, int) and rows < 0:
        raise GeneratedError(f"a negative number of elements: {rows}")
    return rows * columns


# ---- the workload ----

class Workload:
    """The names of a pass: B sequences of S new tokens, `past` tokens before them, and so on. What is not given and follows from
    nothing is an error when a formula asks for it."""

    INTEGERS = ("B", "S", "past", "T", "enc", "image", "image_height", "image_width", "images", "video_frames", "frames", "samples",
                "head_rows")
    WORDS = {"phase": ("prefill", "decode", "train"), "attention": ("full", "causal"),
             "act": FORMATS, "kv": FORMATS, "weights_format": FORMATS}

    def __init__(self, **names):
        defaults = {"past": 0, "enc": 0, "phase": "prefill", "attention": "full", "act": "fp32", "kv": "fp32", "weights_format": "fp32"}
        for name, value in {**defaults, **names}.items():
            setattr(self, name, self._checked(name, value))
        have = vars(self)
        if "B" in have and "S" in have:
            have.setdefault("T", have["past"] + have["S"])
            have.setdefault("head_rows", have["B"] * have["S"])

    @classmethod
    def takes(cls, name):
        return name in cls.INTEGERS or name in cls.WORDS

    @classmethod
    def _checked(cls, name, value):
        if name in cls.INTEGERS:
            if isinstance(value, bool) or not isinstance(value, int):
                raise GeneratedError(f"{name} wants an integer, not {value!r}")
            return count_of(value, name)
        if name not in cls.WORDS:
            raise UnknownError(f"the workload has no {name!r}")
        if value not in cls.WORDS[name]:
            raise GeneratedError(f"{name}: {value!r} is none of {', '.join(cls.WORDS[name])}")
        return value

    def __getattr__(self, name):
        raise UnknownError(f"the workload does not give {name!r}")


# ---- configs ----

class Config:
    """A model's config.json with defaults and derived fields, or an object in it: its fields are its attributes."""

    __slots__ = ("__dict__", "_what")

    def __init__(self, what, fields=None):
        self._what = what
        vars(self).update(fields or {})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnknownError(f"{self._what} has no {name!r}, and no default for it is known")

    def __getitem__(self, name):
        """The field of a name that is no name in Python."""
        if name not in vars(self):
            raise UnknownError(f"{self._what} has no {name!r}, and no default for it is known")
        return vars(self)[name]

    def __setitem__(self, name, value):
        vars(self)[name] = value

    def __len__(self):
        return len(vars(self))

    def __contains__(self, name):
        if not isinstance(name, str):
            raise GeneratedError(f"'in' does not work on {name!r} and an object")
        return name in vars(self)

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class _NoConfig(Config):
    """Stands for the config where there is none; to read it is an error."""

    __slots__ = ()

    def __getattr__(self, name):
        raise UnknownError(f"there is no config here that has {name!r}")

    def __len__(self):
        raise UnknownError("there is no config here")

    def __contains__(self, name):
        raise UnknownError("there is no config here")

    __getitem__ = __getattr__


NO_CONFIG = _NoConfig("the config")


class Field:
    """What a config class says of a field: its default, its types ("int|null"; None: those of the default), the largest integer it may
    be, whether 0 is one, and the config class of a nested config with the field that stands for it where it is not given."""

    def __init__(self, default=None, types=None, most=(1 << 63) - 1, zero_ok=False, config=None, otherwise=None):
        self.default, self.types, self.most, self.zero_ok, self.config, self.otherwise = default, types, most, zero_ok, config, otherwise

    def check(self, name, value):
        have = _type_of(value)
        allowed = self.types or ("any" if self.default is None else _type_of(self.default))
        if not _allows(allowed, have):
            raise GeneratedError(f"{name}: want {allowed.replace('|', ' or ')}, found {have}")
        if have == "int" and not _allows(allowed, "number"):
            self._check_integer(name, value)
        first = self.default[0] if isinstance(self.default, list) and self.default else None
        if have == "list" and allowed != "any" and _type_of(first) == "int":
            for one in value:
                if _type_of(one) != "int":
                    raise GeneratedError(f"{name}: want a list of integers, found {_type_of(one)} in it")
                self._check_integer(name, one)

    def _check_integer(self, name, value):
        small = _type_of(self.default) in ("int", "number") and self.default <= 0
        if len(str(value)) > 18 or value > self.most:
            raise GeneratedError(f"{name}: {value} is out of range")
        if value > 0 or (small and (value == 0 or self.default < 0)) or (value == 0 and self.zero_ok):
            return
        raise GeneratedError(f"{name}: {value} makes no sense: want at least {0 if self.zero_ok or small else 1}")


def _type_of(value):
    if value is None:
        return "null"
    for name, kinds in (("bool", bool), ("int", int), ("number", Fraction), ("string", str), ("list", list), ("object", Config)):
        if isinstance(value, kinds):
            return name
    return "any"


def _allows(allowed, have):
    return any(one in (have, "any") or (one == "number" and have == "int") for one in allowed.split("|"))


class BaseConfig:
    """A config class: bind(json) gives the fields of a config.json, checked, with the defaults and what is derived of them."""

    path = ""
    model_type = ""
    refused = ""       # why models of this type are not counted
    classes = {}       # head class -> path of its module
    default_class = ""
    fields = {}
    aliases = {}

    @classmethod
    def derive(cls, config):
        """Sets the fields that others give."""

    @classmethod
    def check(cls, config, holds):
        """Calls holds(name, truth, why) for all that must be true."""

    @classmethod
    def bind(cls, json, outer=()):
        config = Config(cls.path)
        have = vars(config)
        json = json if isinstance(json, Config) else given(dict(json))
        for name, value in vars(json).items():
            cls._bind_member(config, cls.aliases.get(name, name), value, json, outer)
        for name, rule in cls.fields.items():
            if name not in have:
                have[name] = cls._nested(name, rule, None, json, outer) if rule.config else given(rule.default)
        for alias, name in cls.aliases.items():
            if name in have and alias not in have:
                have[alias] = have[name]
        run = active()
        with run.within(config):
            cls.derive(config)
            cls.check(config, cls._holds)
        return config

    @staticmethod
    def _holds(name, truth, why):
        if not truth:
            raise GeneratedError(f"{name}: {why}")

    @classmethod
    def _bind_member(cls, config, name, value, json, outer):
        rule = cls.fields.get(name)
        if rule and rule.config:
            if value is not None and not isinstance(value, Config):
                raise GeneratedError(f"{name}: want a nested config (an object)")
            value = cls._nested(name, rule, value, json, outer)
        elif rule:
            rule.check(name, value)
        vars(config)[name] = value

    @classmethod
    def _nested(cls, name, rule, value, json, outer):
        registry = active().registry
        if value is None and rule.otherwise:
            value = vars(json).get(rule.otherwise)
        entry = registry.config(rule.config)
        kind = vars(value).get("model_type") if isinstance(value, Config) else None
        if isinstance(kind, str) and kind not in (entry.model_type, cls.model_type) and registry.config_of(kind):
            entry = registry.config_of(kind)
        if not isinstance(value, Config):
            value = Config("an object")
            way = [one.path for one in outer + (cls,)]
            if entry.path in way:
                raise CycleError("nested configs in a circle: " + " -> ".join(way[way.index(entry.path):] + [entry.path]))
        return entry.bind(value, outer + (cls,))


# ---- a run ----

class Run:
    """One question: a workload, a config, and the modules met on the way, equal ones once."""

    def __init__(self, registry, workload):
        self.registry, self.workload = registry, workload
        self.config = None
        self.quantity = "flops"  # what a module in arithmetic stands for
        self.modules = {}
        self.calls = []          # (class, config, arguments) of what is being built or evaluated, the outermost first

    @contextmanager
    def within(self, config):
        outer, self.config = self.config, config
        try:
            yield config
        finally:
            self.config = outer

    @contextmanager
    def asking(self, quantity):
        outer, self.quantity = self.quantity, quantity
        try:
            yield
        finally:
            self.quantity = outer

    @contextmanager
    def calling(self, cls, key):
        for at, (one, other) in enumerate(self.calls):
            if other == key:
                way = [call[0].path for call in self.calls[at:]] + [cls.path]
                raise CycleError("dependency cycle: " + " -> ".join(way))
        self.calls.append((cls, key))
        try:
            yield
        finally:
            self.calls.pop()

    @contextmanager
    def active(self):
        outer = getattr(_of_thread, "run", None)
        _of_thread.run = self
        try:
            yield self
        finally:
            _of_thread.run = outer


_of_thread = threading.local()


def active():
    run = getattr(_of_thread, "run", None)
    if run is None:
        raise GeneratedError("there is no run: ask with compute_flops(path, ...) or module(path, ...)")
    return run


def frozen(value):
    """What equal arguments have in common, and no others: True is not 1 here."""
    if isinstance(value, list):
        return tuple(frozen(one) for one in value)
    return (type(value), id(value) if isinstance(value, (BaseModule, Config)) else value)


# ---- modules ----

class _Invoked(type):
    """Calling a generated class invokes it: it binds the arguments, and gives the module, or what a formula is worth."""

    def __call__(cls, /, *arguments, **named):
        run = active()
        values = cls.bound(arguments, named)
        key = (cls, id(run.config), frozen(values))
        if not issubclass(cls, BaseModule):
            with run.calling(cls, key):
                return super().__call__(run).value(*values)
        module = run.modules.get(key)
        if module is None:
            module = super().__call__(run)
            with run.calling(cls, key), run.asking("flops"):
                module.describe(*values)
            run.modules[key] = module
        return module


class _Entry(metaclass=_Invoked):
    path = ""       # torch.nn.Linear
    takes = ()      # names of the parameters, in order
    aliases = {}    # other names of parameters
    words = ()      # parameters that may be texts, such as 'gelu'
    family = None   # path of the config class whose fields the formulas read; None: it has none of its own
    needs = ()      # paths of what it is made of

    def __init__(self, run):
        self.run = run

    @property
    def workload(self):
        return self.run.workload

    @property
    def config(self):
        return NO_CONFIG if self.run.config is None else self.run.config

    @classmethod
    def bound(cls, arguments, named):
        """The arguments in the order of the parameters; what is not given is UNSET, for its default."""
        values = [UNSET] * len(cls.takes)
        if len(arguments) > len(values):
            raise GeneratedError(f"{cls.path} takes ({', '.join(cls.takes)}), not {len(arguments)} arguments")
        values[:len(arguments)] = arguments
        for name, value in named.items():
            name = cls.aliases.get(name, name)
            if name not in cls.takes:
                raise GeneratedError(f"{cls.path} has no parameter {name!r}: it takes ({', '.join(cls.takes)})")
            if values[cls.takes.index(name)] is not UNSET:
                raise GeneratedError(f"{cls.path} gets {name!r} twice")
            values[cls.takes.index(name)] = value
        defaults = cls.body().__defaults__ or ()
        first = len(values) - len(defaults)
        for i, value in enumerate(values):
            if value is UNSET and i < first:
                raise GeneratedError(f"{cls.path} misses its argument {cls.takes[i]!r}: it takes ({', '.join(cls.takes)})")
            if value is UNSET:
                values[i] = defaults[i - first]
        return values


class BaseFormula(_Entry):
    """A number, or a choice among modules: value() gives what a call of the class is worth."""

    @classmethod
    def body(cls):
        return cls.value

    def value(self):
        raise UnknownError(f"{self.path} has no value")

    @classmethod
    def none_of(cls, name, value, known):
        return GeneratedError(f"{cls.path}: {name} is one of {', '.join(known)}; found {value!r}")


class Terms:
    """What a module itself costs: describe() hands out the terms, in FLOPs and elements."""

    def __init__(self):
        self.by_class = dict.fromkeys(FLOP_CLASSES, 0)
        self.read = dict.fromkeys(BYTE_KINDS, 0)
        self.written = dict.fromkeys(BYTE_KINDS, 0)

    def flops(self, kind, value):
        self.by_class[kind] += count_of(number_of(value), "FLOPs")

    def reads(self, kind, value):
        self.read[kind] += elements_of(value)

    def writes(self, kind, value):
        self.written[kind] += elements_of(value)

    @staticmethod
    def holds(_, value):
        """What stays alive while the parts run: it has to be a count, and is in none of the sums."""
        elements_of(value)

    @staticmethod
    def saves(_, value):
        """What is kept for the backward pass: as holds()."""
        elements_of(value)

    def add(self, other, times, flop_class):
        for kind, value in other.by_class.items():
            self.by_class[flop_class if flop_class and kind == "matmul" else kind] += times * value
        for kind in BYTE_KINDS:
            self.read[kind] += times * other.read[kind]
            self.written[kind] += times * other.written[kind]


class BaseModule(_Entry):
    """A module: describe() says its weights, its parts and its own terms. A part is counted as often as it is called."""

    is_function = False  # it costs something, and is no module of its own in a list

    def __init__(self, run):
        super().__init__(run)
        self._parts = [[]]  # (name, module, calls, FLOP class); groups that are being filled stand behind
        self._weights = {}
        self._ties = []
        self._own = self._afterwards = None
        self._cost = self._parameters = None
        self._skipped = False
        self._costing = False

    @classmethod
    def body(cls):
        return cls.describe

    def describe(self):
        """Says what the module is made of, with the methods below."""

    # -- what describe() says --

    def skip(self):
        """It costs nothing, and has no parts."""
        self._skipped = True

    @classmethod
    def holds_when(cls, truth, that, why):
        if not truth:
            raise UnknownError(f"{cls.path} is known only where {that}: {why}")

    @classmethod
    def experts(cls, value):
        """[how many experts are slices of the weights, how many of them a token runs]"""
        if not isinstance(value, list) or len(value) != 2 or any(not isinstance(whole(one), int) for one in value) \
                or not 0 <= value[1] <= value[0]:
            raise GeneratedError(f"{cls.path}: experts are [how many there are, how many of them a token runs], not {value!r}")

    def _tensor(self, name, shape, format_name):
        if shape is None:
            return None
        if not isinstance(shape, list) or len(shape) > LARGEST_RANK:
            raise GeneratedError(f"shape of {name!r}: want a list of dimensions, not {shape!r}")
        if not isinstance(format_name, str):
            raise GeneratedError(f"shape of {name!r}: its format is not a format's name: {format_name!r}")
        elements = 1
        for one in shape:
            one = whole(one)
            if not isinstance(one, int) or one < 0:
                raise GeneratedError(f"shape of {name!r}: a dimension is {one!r}")
            elements *= one
        return elements

    def weight(self, name, shape):
        elements = self._tensor(name, shape, "")
        if elements is not None:
            self._weights[name] = elements
        return shape

    def buffer(self, name, shape, format_name=""):
        self._tensor(name, shape, format_name)

    cache = buffer

    def part(self, name, value, calls=1, flop_class=None, tied=()):
        """A module, None for nothing, or a list of modules: those go into a container, functions stand beside the other parts. `tied`:
        its weights that are others, with what they are."""
        if isinstance(value, list):
            self.parts(name, [(one, 1) for one in value], flop_class=flop_class)
            return
        calls = self.called(name, calls)
        for weight, target in tied if value is not None else ():
            self.tie(f"{name}.{weight}", target)
        self._add(name, value, calls, flop_class)

    def parts(self, name, items, container=False, prefix="", flop_class=None):
        """Pairs of a module and how often it is called."""
        functions = bool(items) and not container and \
            not any(isinstance(one, BaseModule) and not one.is_function for one, _ in items)
        if functions:
            for i, (one, calls) in enumerate(items):
                self._add(f"{name}[{i}]", one, self.called(name, calls), flop_class)
            return
        with self.group(name):
            for i, (one, calls) in enumerate(items):
                self._add(f"{prefix}{i}", one, self.called(name, calls), flop_class)

    @contextmanager
    def group(self, name):
        """A container; what is added within is in it."""
        self._parts.append([])
        yield
        inside = self._parts.pop()
        self._parts[-1].append((name, container(inside), 1, None))

    def _add(self, name, value, calls, flop_class):
        if value is None:
            return
        if not isinstance(value, BaseModule):
            raise GeneratedError(f"{self.path}: part {name!r} is {value!r}: want a module, a list of modules or None")
        self._parts[-1].append((name, value, calls, flop_class))

    @staticmethod
    def called(name, value):
        """How often a part is called in one pass."""
        if not isinstance(whole(value), int) or value < 0:
            raise GeneratedError(f"'calls' of {name!r} must be an integer of at least 0, not {value!r}")
        return int(value)

    @staticmethod
    def share(total, i, items):
        """Of an even spread over the items: what the i-th gets."""
        count = len(items)
        return (i + 1) * total // count - i * total // count

    @staticmethod
    def looped(value):
        if not isinstance(value, list):
            raise GeneratedError(f"'for' wants a list, not {value!r}")
        return value

    def within(self, config):
        """The parts in this block are built with a nested config."""
        if not isinstance(config, Config):
            raise GeneratedError(f"{self.path}: a part's config must be a nested config, not {config!r}")
        return self.run.within(config)

    def tie(self, weight, target):
        """A weight that is another one, and so counts once; None: it is not."""
        if target is None or target is False:
            return
        if not isinstance(target, str):
            raise GeneratedError(f"a tie names a path, not {target!r}")
        self._ties.append(weight)

    def costs(self, own, afterwards=None):
        """Functions that hand out the terms, called when somebody asks for the cost; `afterwards` once the parts are counted."""
        config = self.run.config
        self._own, self._afterwards, self._config = own, afterwards, config

    # -- what it is worth --

    @property
    def cost(self):
        """Terms of the module and all its parts."""
        if self._cost is None:
            if self._costing:
                raise CycleError(f"the cost of {self.path} needs itself")
            self._costing = True
            try:
                self._cost = self._sum()
            finally:
                self._costing = False
        return self._cost

    def _sum(self):
        total = Terms()
        if self._skipped:
            return total
        with self.run.active(), self.run.asking("flops"):
            self._tell(self._own, total)
            for _, module, calls, flop_class in self._parts[0]:
                if calls:
                    total.add(module.cost, calls, flop_class)
            self._tell(self._afterwards, total)
        return total

    def _tell(self, terms, total):
        if terms:
            with self.run.within(self._config):
                terms(total)

    @property
    def flops(self):
        return sum(self.cost.by_class.values())

    @property
    def reads(self):
        return whole(sum(self.cost.read.values()))

    @property
    def writes(self):
        return whole(sum(self.cost.written.values()))

    @property
    def intermediates(self):
        return whole(self.cost.read["intermediates"] + self.cost.written["intermediates"])

    @property
    def parameters(self):
        """Unique ones: a tied weight counts once."""
        if self._parameters is None:
            total = sum(self._weights.values()) + sum(module.parameters for _, module, _, _ in self._parts[0])
            self._parameters = total - sum(self._size_of(tied) for tied in self._ties)
        return self._parameters

    def _size_of(self, path):
        module, names = self, path.split(".")
        for name in names[:-1]:
            module = next((one for other, one, _, _ in module._parts[0] if other == name), None)
            if module is None:
                break
        if module is None or names[-1] not in module._weights:
            raise GeneratedError(f"{self.path} ties {path!r}, which does not exist")
        return module._weights[names[-1]]

    def tree(self, depth=1):
        """(name, module, calls) of what it is made of, parts of parts down to `depth`."""
        for name, module, calls, _ in self._parts[0]:
            yield name, module, calls
            if depth > 1:
                yield from ((f"{name}.{inner}", one, times) for inner, one, times in module.tree(depth - 1))

    # -- in arithmetic a module is the number that is asked for --

    def __add__(self, other):
        return number_of(self) + number_of(other)

    def __radd__(self, other):
        return number_of(other) + number_of(self)

    def __sub__(self, other):
        return number_of(self) - number_of(other)

    def __rsub__(self, other):
        return number_of(other) - number_of(self)

    def __mul__(self, other):
        return number_of(self) * number_of(other)

    def __rmul__(self, other):
        return number_of(other) * number_of(self)

    def __neg__(self):
        return -number_of(self)

    def __floordiv__(self, other):
        return number_of(self) // number_of(other)

    def __rfloordiv__(self, other):
        return number_of(other) // number_of(self)

    def __eq__(self, other):
        return number_of(self) == number_of(other)

    def __lt__(self, other):
        return number_of(self) < number_of(other)

    def __le__(self, other):
        return number_of(self) <= number_of(other)

    def __gt__(self, other):
        return number_of(self) > number_of(other)

    def __ge__(self, other):
        return number_of(self) >= number_of(other)

    def __hash__(self):
        return id(self)


def number_of(value):
    """A module in arithmetic is what is asked of it; anything else stays."""
    return getattr(value, active().quantity) if isinstance(value, BaseModule) else value


class Container(BaseModule):
    """A list of modules, or modules by name: it costs what they cost."""

    path = "a container"


def container(parts):
    found = type.__call__(Container, active())  # it is no invocation
    found._parts = [parts]
    return found
