"""Records of answers: dataclasses over the library's JSON, and how they become dicts, JSON, tables, pictures.

In: the JSON text of a command. Out: an Answer (a dataclass of ridge._records) whose members are Python's own values: int is exact.
A record's members lie in its __dict__ as JSON had them; a member that JSON left out is None.
"""

from __future__ import annotations

import dataclasses
import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROWS_SHOWN = 60


class Record:
    """A part of an answer: a dataclass whose members are what JSON had."""

    # member -> (class, how): how is 0 for an object, 1 for a list of objects, 2 for objects by name. Made by scripts/python_stubs.py.
    _parts: tuple = ()
    _renamed: tuple = ()  # JSON names that are words of Python: "class" is the member class_

    def __init__(self, **members: object) -> None:
        names = {field.name for field in dataclasses.fields(self)}
        for name in members:
            if name not in names:
                raise TypeError(f"{type(self).__name__} has no member {name!r}")
        self.__dict__.update(members)

    def __repr__(self):
        shown = ", ".join(f"{name}={value!r}" for name, value in self._members())
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other):
        return self.__dict__ == other.__dict__ if type(self) is type(other) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _members(self):
        return self.__dict__.items()

    def to_dict(self) -> dict[str, Any]:
        """The members as dicts, lists and numbers, under the names that JSON has."""
        return {name[:-1] if name[:-1] in self._renamed else name: _plain(value) for name, value in self._members()}

    def to_json(self) -> str:
        """The same as JSON text; of a whole answer the very text that the command line prints with --json."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame, a record inside as columns "flops.total"; a record without rows is one row.

        Integers are exact: a column with one beyond 64 bits holds Python's. Raises ImportError without pandas.
        """
        try:
            import pandas  # type: ignore
        except ImportError as error:
            raise ImportError("to_pandas wants pandas, which is not installed; to_dict needs nothing") from error
        return pandas.DataFrame([_flat(row) for row in self._table()])

    def _table(self):
        """the records that are the rows of this one"""
        return _rows_of(self) or [self]

    def _repr_html_(self):
        rows = _rows_of(self)
        scalars = [(name, value) for name, value in _flat(self).items() if value is not None and not isinstance(value, (list, dict))]
        return _html_members(scalars) + (_html_rows(rows) if rows else "")


def _plain(value):
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return value


def _rows_of(record):
    """The list of records that a table is made of: "rows" where there is one, else the longest."""
    lists = {name: value for name, value in record._members() if isinstance(value, list) and value and isinstance(value[0], Record)}
    return lists["rows"] if "rows" in lists else max(lists.values(), key=len, default=None)


def _flat(record, before=""):
    found = {}
    for name, value in record._members():
        if isinstance(value, Record):
            found.update(_flat(value, f"{before}{name}."))
        else:
            found[before + name] = _plain(value)
    return found


# ---- a whole answer ----


class Told:
    """What an answer knows beside its members."""

    __slots__ = ("text", "warnings", "picture", "request")

    def __init__(self, text, warnings, picture, request):
        self.text, self.warnings, self.picture, self.request = text, warnings, picture, request


class Answer(Record):
    """A whole answer of a command."""

    __slots__ = ("_told",)  # beside __dict__, which holds the members and nothing else

    @property
    def warnings(self) -> list[str]:
        """What the command warned of, a list of sentences; they were Python warnings (ridge.RidgeWarning) too."""
        told = getattr(self, "_told", None)
        return list(told.warnings) if told else []

    def to_json(self) -> str:
        told = getattr(self, "_told", None)
        return told.text if told else super().to_json()

    def svg(self) -> str | None:
        """The picture that plot= writes (the roofline, of an experiment its points) as an SVG document; None where there is none.

        Of a measurement it was drawn when that was made; others are asked again.
        """
        told = getattr(self, "_told", None)
        if told is None:
            return None
        if told.picture is None and told.request is not None:
            told.picture = _draw(told.request)
            told.request = None
        return told.picture or None

    def _repr_svg_(self):
        return self.svg()

    def _repr_html_(self):
        picture = self.svg()
        return super()._repr_html_() + (f'<div style="max-width:60em">{_inline(picture)}</div>' if picture else "")

    def __getstate__(self):  # members and text go to other processes, requests do not
        told = getattr(self, "_told", None)
        return dict(self.__dict__), (told.text, told.warnings, told.picture) if told else None

    def __setstate__(self, state):
        self.__dict__.update(state[0])
        if state[1]:
            self._told = Told(*state[1], None)


def _inline(picture):
    return picture[picture.index("<svg"):]


def _draw(request):
    from ridge import _call, _library

    written = (b"plot=", b"html=", b"roofline=", b"dark=", b"ascii=")
    plain = _call.Request(request.command, request.operands, [one for one in request.options if not one.startswith(written)], request.config)
    try:
        return _call._ask(plain, _library.session(), draws=True)[2]
    except _call._errors.RidgeError:
        return None


def of_dict(kind, members):
    """A record of what JSON had; the dict becomes the record's own."""
    for name, part, how in kind._parts:
        value = members.get(name)
        if value is None:
            continue
        if how == 0:
            members[name] = of_dict(part, value)
        elif how == 1:
            members[name] = [None if one is None else of_dict(part, one) for one in value]
        else:
            members[name] = {key: of_dict(part, one) for key, one in value.items()}
    for name in kind._renamed:
        if name in members:
            members[name + "_"] = members.pop(name)
    record = kind.__new__(kind)
    record.__dict__ = members
    return record


def of_text(text, classes):
    """The answer of a JSON text. classes: "family:Class|Other@member", Other being meant where that member is there; what is no answer
    (a catalog entry that learn writes) stays a text."""
    try:
        members = json.loads(text)
    except ValueError:
        return text
    if not isinstance(members, dict) or "ridge" not in members:
        return text
    plain = None
    for kind, mark in _classes(classes):
        if mark and mark in members:
            return of_dict(kind, members)
        plain = plain if mark else kind
    return of_dict(plain, members) if plain else text


_FOUND: dict = {}


def _classes(classes):
    found = _FOUND.get(classes)
    if found is None:
        from importlib import import_module

        family, _, names = classes.partition(":")
        module = import_module(f"ridge._records.{family}")
        pairs = [name.partition("@") for name in names.split("|")]
        found = _FOUND[classes] = [(getattr(module, name), mark) for name, _, mark in pairs]
    return found


# ---- HTML ----

ABREAST = 3  # members of an answer beside each other
_STEPS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_SMALL = ((1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_BYTES = ("bytes", "memory")


def _escaped(text):
    from html import escape

    return escape(text)


def _unit(name):
    """of a member by its name, as docs/records.md has them: "time_s" seconds, "bytes_per_s" a rate, "memory.total" bytes"""
    parts = name.split(".")
    last = parts[-1]
    if last.endswith("_per_s"):
        return "B/s" if last.endswith("bytes_per_s") else "FLOP/s" if last.endswith("flops_per_s") else "/s"
    if last.endswith("_s"):
        return "s"
    return "B" if last.endswith("bytes") or (parts[0] in _BYTES and not last.startswith("max_") and last != "model_context") else ""


def _short(value, unit):
    """four digits: "17.59 G", "5.268 ms" """
    if unit == "s":
        size, prefix = next((step for step in _SMALL if abs(value) >= step[0]), _SMALL[-1])
    else:
        size, prefix = next((step for step in _STEPS if abs(value) >= step[0]), (1, ""))
    return f"{value / size:.4g} {prefix}{unit}".strip()


def _cell(name, value):
    """what is shown, and what it is exactly; None where that is all"""
    if value is None:
        return "-", None
    if isinstance(value, bool):
        return "yes" if value else "no", None
    if isinstance(value, (int, float)):
        unit = _unit(name)
        if isinstance(value, int) and abs(value) < 100000 and unit != "B":
            return f"{value:,}", None
        plain = value == 0 or value != value or abs(value) == float("inf") or (not unit and abs(value) < 100000)
        return (f"{value:.4g}" if plain else _short(value, unit)), f"{value:,}"
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False)
    return _escaped(str(value)), None


def _html_cell(name, value):
    shown, exact = _cell(name, value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    title = f' title="{exact}"' if exact and exact != shown else ""
    return f'<td style="text-align:{"right" if number else "left"};white-space:nowrap"{title}>{shown}</td>'


def _html_members(members):
    """names and values, some beside each other"""
    height = -(-len(members) // ABREAST)
    lines = []
    for at in range(height):
        beside = members[at::height]
        lines.append("<tr>" + "".join(f'<th style="text-align:left">{_escaped(name)}</th>{_html_cell(name, value)}' for name, value in beside) + "</tr>")
    return f"<table>{''.join(lines)}</table>"


def _html_rows(rows):
    """A column for each member that some row has, and that is not 0 in all; long tables are cut, and say so. The exact number is each cell's title."""
    flat = [_flat(row) for row in rows[:ROWS_SHOWN]]
    names = list(dict.fromkeys(name for row in flat for name in row if any(one.get(name) not in (None, [], {}, 0) or one.get(name) is False for one in flat)))
    more = f"<p>{len(rows) - ROWS_SHOWN:,} more rows</p>" if len(rows) > ROWS_SHOWN else ""
    head = "<tr>" + "".join(f"<th>{_escaped(name)}</th>" for name in names) + "</tr>"
    lines = ["<tr>" + "".join(_html_cell(name, row.get(name)) for name in names) + "</tr>" for row in flat]
    return f"<table>{head}{''.join(lines)}</table>{more}"
