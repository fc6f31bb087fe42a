"""Rows of modules as a text table, as HTML and as a data frame.

In: an object with `modules`, `model` and totals (Analysis). Out: text. Numbers are scaled to four digits; the rows have every digit.
"""

from __future__ import annotations

import html as escapes
from dataclasses import asdict

_PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")


def scaled(value):
    """Four digits and a prefix: 12345678 is 12.35 M; None is a dash."""
    if value is None:
        return "-"
    if -1000 < value < 1000 and isinstance(value, int):
        return str(value)
    power, number = 0, float(value)
    while abs(number) >= 999.95 and power < len(_PREFIXES) - 1:
        number, power = number / 1000, power + 1
    digits = 3 if abs(number) < 9.9995 else 2 if abs(number) < 99.995 else 1
    return f"{number:.{digits}f} {_PREFIXES[power]}".rstrip()


def seconds(value):
    """A time with its unit; None is a dash."""
    if value is None:
        return "-"
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 1:
            break
    else:
        unit, factor = "ns", 1e9
    return f"{value * factor:.4g} {unit}"


def text_table(titles, rows):
    """Columns side by side: the first to the left, texts as they are, the others to the right."""
    lines = [titles, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    left = [all(not line[i][:1].isdigit() for line in rows) for i in range(len(titles))]
    return "\n".join("  ".join(cell.ljust(w) if l else cell.rjust(w) for cell, w, l in zip(line, widths, left)).rstrip() for line in lines) + "\n"


def html_table(caption, titles, rows):
    """The same as an HTML table."""
    def cells(line, kind):
        return "<tr>" + "".join(f"<{kind}>{escapes.escape(cell)}</{kind}>" for cell in line) + "</tr>"

    body = "\n".join(cells(line, "td") for line in rows)
    return f"<table>\n<caption>{escapes.escape(caption)}</caption>\n<thead>{cells(titles, 'th')}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"


class CostTable:
    """What shows the rows of a module's analysis."""

    model: str
    modules: list
    complete: bool
    notes: list

    _TITLES = ("module", "class", "calls", "parameters", "FLOPs", "torch", "%", "read", "written", "by")

    def _cells(self, row):
        whole = self.total.flops
        depth = row.path.count(".") + 1 if row.path else 0
        name = "  " * max(depth - 1, 0) + row.path.rpartition(".")[2] if row.path else "(model)"
        share = f"{100 * row.flops / whole:.1f}" if whole else "0.0"
        by = f"{row.source}: {row.by}" if row.by else row.source
        return (name, row.class_name.rpartition(".")[2], str(row.calls), scaled(row.parameters), scaled(row.flops), scaled(row.torch_flops), share,
                scaled(row.read_bytes), scaled(row.written_bytes), by)

    def _shown(self, depth, top):
        rows = [row for row in self.modules if depth is None or not row.path or row.path.count(".") < depth]
        if top is not None:
            rows = sorted((row for row in rows if row.path), key=lambda row: -row.own_flops)[:top]
        return [(row.path,) + self._cells(row)[1:] if top is not None else self._cells(row) for row in rows]

    def _caption(self):
        return f"{self.model}: {self.flops:,} FLOPs, {self.parameters:,} parameters"

    def table(self, depth: int | None = None, top: int | None = None) -> str:
        """The rows as text: down to this depth, or the `top` modules whose own code costs most."""
        return text_table(self._TITLES, self._shown(depth, top))

    def html(self, depth: int | None = None, top: int | None = None) -> str:
        """The same as an HTML table."""
        return html_table(self._caption(), self._TITLES, self._shown(depth, top))

    def _repr_html_(self):
        return self.html()

    def __str__(self):
        notes = "".join(f"note: {note}\n" for note in self.notes)
        return f"{self.model}: {self.flops:,} FLOPs ({self.torch_flops:,} as FlopCounterMode counts), {self.parameters:,} parameters\n{self.table()}{notes}"

    def to_dict(self) -> dict:
        """Plain dicts and lists, as JSON takes them; the inventory is left out."""
        return {"model": self.model, "complete": self.complete, "notes": list(self.notes), "modules": [asdict(row) for row in self.modules]}

    def to_pandas(self):
        """The rows as a pandas.DataFrame; LibraryError without pandas."""
        from ridge import _ask

        return _ask.need("pandas", "to_pandas").DataFrame([asdict(row) for row in self.modules])
