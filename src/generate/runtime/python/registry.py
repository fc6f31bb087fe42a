"""Finds generated modules by their paths, imports them when they are first asked for, and answers what they cost."""

import importlib
from contextlib import contextmanager

from .base import QUANTITIES, number_of
from .index import CONFIGS, MODEL_TYPES, MODULES, OTHERS
from .run import Run, Workload
from .values import CycleError, GeneratedError, UnknownError, given, whole

__all__ = ["ModuleRegistry", "compute", "compute_flops", "compute_reads", "compute_writes", "compute_intermediates",
           "compute_parameters", "model", "module", "registry", "uses"]


class ModuleRegistry:
    """The modules of this package: "torch.nn.Linear" and "torch__nn__Linear" are the same one."""

    def __init__(self):
        self._found = {}

    def __iter__(self):
        return iter(sorted(MODULES))

    def __len__(self):
        return len(MODULES)

    def __contains__(self, path):
        return self.path_of(path) in MODULES

    @staticmethod
    def path_of(name):
        """The dotted spelling of either."""
        dotted = name.replace("__", ".")
        return name if name in MODULES or name in CONFIGS or name in OTHERS or dotted == name else dotted

    def get(self, name):
        """The class of a module or formula; its file is imported when it is first asked for."""
        path = self.path_of(name)
        if path in OTHERS:
            raise GeneratedError(f"{path} is {OTHERS[path]}")
        return self._import(path, MODULES)

    def config(self, name):
        """The class of a config."""
        return self._import(self.path_of(name), CONFIGS)

    def config_of(self, model_type, head=None):
        """The class of the config of a model type, of several the one that has the head class; None where it is not here."""
        found = [self.config(path) for path in (MODEL_TYPES.get(model_type, ()) if model_type else sorted(CONFIGS))]
        found = [one for one in found if model_type or one.model_type]  # a nested config has no type of its own
        return next((one for one in found if head in one.classes), found[0] if found and model_type else None)

    def _import(self, path, places):
        if path not in self._found:
            if path not in places:
                raise UnknownError(f"{path} is not among these modules")
            file, name = places[path].rsplit(":", 1)
            self._found[path] = getattr(importlib.import_module("." + file, __package__), name)
        return self._found[path]

    def dependencies(self, name):
        """The paths of all that a module is made of, each after what it needs itself, the module last. CycleError prints a cycle."""
        done, way = [], []
        self._resolve(self.path_of(name), done, set(), way)
        return done

    def _resolve(self, path, done, known, way):
        if path in way:
            raise CycleError("dependency cycle: " + " -> ".join(way[way.index(path):] + [path]))
        if path in known:
            return
        way.append(path)
        for needed in self.get(path).needs:
            self._resolve(needed, done, known, way)
        way.pop()
        known.add(path)
        done.append(path)

    def cycles(self):
        """Every cycle among the modules, as a list of paths that begins and ends with the same one."""
        found, state = [], {}
        for start in self:
            if start not in state:
                self._search(start, state, found)
        return found

    def _search(self, start, state, found):
        way, rest = [start], [iter(self.get(start).needs)]
        state[start] = "on the way"
        while way:
            needed = next(rest[-1], None)
            if needed is None:
                state[way.pop()] = "done"
                rest.pop()
            elif state.get(needed) == "on the way":
                found.append(way[way.index(needed):] + [needed])
            elif needed not in state and needed in MODULES:
                state[needed] = "on the way"
                way.append(needed)
                rest.append(iter(self.get(needed).needs))


registry = ModuleRegistry()


def uses(path):
    """What a generated module calls another one by: the class, imported with the first call."""
    def call(*arguments, **named):
        return registry.get(path)(*arguments, **named)
    return call


def _sorted_names(cls, named):
    """A name sets a parameter, else a name of the workload, else a field of the config."""
    parameters, workload, config = {}, {}, {}
    for name, value in named.items():
        if name in cls.takes or name in cls.aliases:
            parameters[name] = value
        elif Workload.takes(name):
            workload[name] = value
        else:
            config[name] = value
    return parameters, workload, config


def _checked(cls, arguments, parameters):
    """Arguments as values of the formulas: a text only where one is meant."""
    names = list(cls.takes[:len(arguments)]) + [cls.aliases.get(name, name) for name in parameters]
    for name, value in zip(names, list(arguments) + list(parameters.values())):
        if isinstance(value, str) and name not in cls.words:
            raise GeneratedError(f"{cls.path}: {name} is a number, a truth, None or a list, not {value!r}")
    return [given(value) for value in arguments], {name: given(value) for name, value in parameters.items()}


def _config_for(cls, fields):
    if cls.family:
        return registry.config(cls.family).bind(fields)
    if fields and ".modeling_" not in cls.path:
        raise GeneratedError(f"{cls.path} has no parameter {next(iter(fields))!r}: it takes ({', '.join(cls.takes)})")
    return given(dict(fields)) if fields else None


@contextmanager
def _plain_errors(path):
    """What Python says of wrong values is an error of the arguments."""
    try:
        yield
    except ZeroDivisionError:
        raise GeneratedError(f"{path}: division by zero") from None
    except RecursionError:
        raise GeneratedError(f"{path}: nested too deeply") from None
    except (TypeError, IndexError, AttributeError, OverflowError) as error:
        raise GeneratedError(f"{path}: {error}") from None


def _ask(quantity, path, arguments, named):
    cls = registry.get(path)
    parameters, workload, fields = _sorted_names(cls, named)
    arguments, parameters = _checked(cls, arguments, parameters)
    run = Run(registry, Workload(**workload))
    run.quantity = quantity or "flops"
    with run.active(), _plain_errors(cls.path):
        run.config = _config_for(cls, fields)
        found = cls(*arguments, **parameters)
        return found if quantity is None else whole(number_of(found))


def module(path, /, *arguments, **named):
    """The module itself, to look at: .flops, .reads, .writes, .intermediates, .parameters, .cost, .tree(). Arguments as for
    compute_flops; of a formula it is the number."""
    return _ask(None, path, arguments, named)


def model(config, /, head=None, **workload):
    """The whole model of a config.json, given as json.load() makes it: a module as module() gives it. `head`: another class than the one
    that the config names. The workload's names are all that its modules read: B, S, past, images, ..."""
    kind, own = config.get("model_type"), config.get("_class_name")
    head = head or own or next(iter(config.get("architectures") or ()), None)
    found = registry.config_of(kind or own, head)
    if found is None:
        raise UnknownError(f"the model type {kind or own!r} is not among these modules")
    if found.refused:
        raise UnknownError(f"{kind or own}: {found.refused}")
    head = head or found.default_class
    if head not in found.classes:
        raise UnknownError(f"{head!r} is none of the classes of {found.path}: {', '.join(found.classes)}")
    run = Run(registry, Workload(**workload))
    with run.active(), _plain_errors(head):
        run.config = found.bind(config)
        return registry.get(found.classes[head])()


def compute(quantity, path, /, *arguments, **named):
    """One of "flops", "reads", "writes", "intermediates" (elements) and "parameters", exact. Arguments stand by position or by name; a
    name sets a parameter, else a name of the workload (B, S, past, ..), else a field of the config. GeneratedError where there is none."""
    if quantity not in QUANTITIES:
        raise GeneratedError(f"{quantity!r} is none of {', '.join(QUANTITIES)}")
    return _ask(quantity, path, arguments, named)


def compute_flops(path, /, *arguments, **named):
    """FLOPs of a module and all its parts: compute_flops("torch.nn.Linear", 2048, 4096, 4096)."""
    return _ask("flops", path, arguments, named)


def compute_reads(path, /, *arguments, **named):
    """Elements that a module and its parts read."""
    return _ask("reads", path, arguments, named)


def compute_writes(path, /, *arguments, **named):
    """Elements that a module and its parts write."""
    return _ask("writes", path, arguments, named)


def compute_intermediates(path, /, *arguments, **named):
    """Elements between operators, read and written."""
    return _ask("intermediates", path, arguments, named)


def compute_parameters(path, /, *arguments, **named):
    """Unique parameters of a module and its parts."""
    return _ask("parameters", path, arguments, named)
