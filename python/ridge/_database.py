"""The catalog's entries and their formulas, under the names that others look for: a database of modules, a registry that evaluates them.

In: names of modules ("torch.nn.Linear", "torch__nn__Linear", a class path) and their arguments. Out: records of the catalog, exact integers.
Fails with the exception of the library's error: an unknown module, a missing argument, a count that is not whole.
"""

from __future__ import annotations

from ctypes import byref

from ridge import _commands, _errors
from ridge import _library as lib

CONTEXTS = ("flops", "reads", "writes", "intermediates", "params")


def _argument(name, value):
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise _errors.OptionError(f"{name}: {value!r} is no whole number, truth, text or None")
    return str(value.__index__())


def compute(session, context, path, arguments, named):
    """A formula of one entry in this session, an exact integer."""
    if context not in CONTEXTS:
        raise _errors.UsageError(f"context '{context}': want {', '.join(CONTEXTS)}")
    given = [_argument(f"argument {i + 1}", value) for i, value in enumerate(arguments)]
    given += [f"{name}={_argument(name, value)}" for name, value in named.items()]
    words, out = [lib.text(one, "an argument") for one in given], lib.Count()
    if not isinstance(path, str):
        raise _errors.OptionError(f"want the name of a module, not {type(path).__name__}")
    status = lib.library().ridge_compute(session, byref(out), context.encode(), lib.text(path, "a module"), lib.texts(words), len(words))
    if status:
        raise session.error(status)
    return int(out)


def compute_flops(path: str, /, *arguments, **named) -> int:
    """FLOPs of one call of a module of the catalog, an exact integer: compute_flops("torch.nn.Linear", rows=2048, in_features=4096, out_features=11008).

    path: "torch.nn.Linear", "torch__nn__Linear" or the class's path; arguments by position or by name: whole numbers, True, False, texts.
    A name sets a parameter of the entry, else one of the workload (B, S, past), else a field of the config.
    Errors: ModelError on an unknown module, a missing or unknown argument, a count that is not whole or beyond 128 bits; OptionError on a wrong type.
    Source: the catalog's entry (ridge.db_show(path)); docs/formula.md.
    """
    return compute(lib.session(), "flops", path, arguments, named)


class ModuleDatabase:
    """What the catalog knows: a read-only mapping from a module's name to its entry.

        >>> database = ModuleDatabase()
        >>> database["torch.nn.Linear"].resolved["flops"]
        {'matmul': '2*rows*in_features*out_features', 'other': 'rows*out_features if bias else 0'}

    catalogs: folders or files over the built-in catalog, as --catalog has them.
    Errors: ModelError on a catalog that is wrong; KeyError on an entry that there is not. Source: docs/catalog.md.
    """

    def __init__(self, catalogs=()):
        self.catalogs = [catalogs] if isinstance(catalogs, str) or hasattr(catalogs, "__fspath__") else list(catalogs)
        self._entries = None

    def entries(self, text: str | None = None, **which):
        """The list of ridge.db_list: name, key, kind, library, origin, file, line, validation of each; text: part of a name; kind=, library=, status=."""
        return _commands.db_list(text, catalog=self.catalogs or None, **which).entries

    def _names(self):
        if self._entries is None:
            self._entries = {entry.name: entry for entry in self.entries()}
        return self._entries

    def get(self, name: str, default=None):
        """The entry of this name, in any of its spellings, as ridge.db_show has it; `default` where there is none."""
        try:
            return self[name]
        except KeyError:
            return default

    def search(self, text: str) -> list[str]:
        """Names that contain this text, a list."""
        return [entry.name for entry in self.entries(text)]

    @property
    def libraries(self) -> dict[str, int]:
        """The libraries that entries are of, with how many: {"torch": 45, ...}."""
        found: dict[str, int] = {}
        for entry in self._names().values():
            found[entry.library] = found.get(entry.library, 0) + 1
        return found

    def export(self, path: str | None = None) -> str:
        """The whole database as one JSON text, or into a file (ridge.db_export)."""
        return _commands.db_export(output=path, catalog=self.catalogs or None)

    def __getitem__(self, name):
        try:
            return _commands.db_show(name, catalog=self.catalogs or None)
        except _errors.ModelError as error:
            if error.code != "UNKNOWN":
                raise
            raise KeyError(error.message) from error

    def __contains__(self, name):
        return isinstance(name, str) and (name in self._names() or self.get(name) is not None)

    def __iter__(self):
        return iter(self._names())

    def __len__(self):
        return len(self._names())

    def __repr__(self):
        return f"<ModuleDatabase of {len(self)} entries>"


class ModuleRegistry:
    """Evaluates the catalog's formulas: FLOPs, elements read and written, intermediates and parameters of any module by name.

        >>> ModuleRegistry().params("torch.nn.Linear", rows=1, in_features=10, out_features=3, bias=True)
        33

    database: a ModuleDatabase, whose catalogs are used; default: the built-in one. Arguments are those of compute_flops.
    Errors: those of compute_flops. A registry belongs to one thread at a time. Source: docs/formula.md.
    """

    def __init__(self, database=None):
        self.database = database if database is not None else ModuleDatabase()
        self._session = lib.Session(self.database.catalogs) if self.database.catalogs else None

    def compute(self, context: str, path: str, /, *arguments, **named) -> int:
        """One of "flops", "reads", "writes", "intermediates" (elements), "params", an exact integer."""
        return compute(self._session or lib.session(), context, path, arguments, named)

    def compute_flops(self, path: str, /, *arguments, **named) -> int:
        """FLOPs of one call (1 add or multiply = 1)."""
        return self.compute("flops", path, *arguments, **named)

    def reads(self, path: str, /, *arguments, **named) -> int:
        """Elements read from memory by one call."""
        return self.compute("reads", path, *arguments, **named)

    def writes(self, path: str, /, *arguments, **named) -> int:
        """Elements written to memory by one call."""
        return self.compute("writes", path, *arguments, **named)

    def intermediates(self, path: str, /, *arguments, **named) -> int:
        """Elements that go to memory and come back within one call."""
        return self.compute("intermediates", path, *arguments, **named)

    def params(self, path: str, /, *arguments, **named) -> int:
        """Parameters that the module holds."""
        return self.compute("params", path, *arguments, **named)

    def parameters(self, path: str) -> list[str]:
        """What the entry takes, in order, with other spellings and defaults: ["rows|batch_elements", "in_features|input_features", ...]."""
        return list(self.database[path].resolved.get("parameters", ()))

    def names(self) -> list[str]:
        """Every module, function and formula that can be evaluated, a list."""
        return [entry.name for entry in self.database.entries() if entry.kind != "config"]

    def __contains__(self, path):
        return path in self.database

    def __len__(self):
        return len(self.names())
