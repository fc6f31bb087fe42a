"""What the generated modules stand on: BaseModule, which adds up a module's own terms and those of its parts, and beside it what
they are written with.

Reads, writes and intermediates are elements, of what eager PyTorch moves: each operator reads every distinct input once and writes its
outputs. FLOPs count a fused multiply-add as 2."""

from contextlib import contextmanager

from .configs import BaseConfig, Field
from .run import active
from .values import NO_CONFIG, UNSET, Config, CycleError, Fraction, GeneratedError, UnknownError, count_of, elements_of, whole

__all__ = ["BaseModule", "BaseFormula", "BaseConfig", "Field", "Fraction", "GeneratedError", "UnknownError", "CycleError", "UNSET", "active"]

QUANTITIES = ("flops", "reads", "writes", "intermediates", "parameters")
FLOP_CLASSES = ("matmul", "attention", "activation", "embedding", "other")
BYTE_KINDS = ("weights", "activations", "kv", "intermediates")
LARGEST_RANK = 16


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
