"""Exceptions of the package: what the library refuses, with the place where the fault stands.

In: what a call of the library left in its session. Out: a RidgeError, or the subclass of its exit status.
"""

from __future__ import annotations

import re


class RidgeError(Exception):
    """What the library could not do, and why.

    message: one sentence, with names as they were given
    code: the library's word for the kind of fault: "UNKNOWN", "SYNTAX", "OVERFLOW", ...
    file, line, column: where the fault stands (1-based; None where it has no place)
    place: that line of the file, and below it ^~~~ under what is meant; None where there is none
    exit_status: what the program `ridge` exits with: 1 bad model or data, 2 wrong use, 3 a check failed
    """

    exit_status: int = 1

    def __init__(self, message: str, code: str | None = None, file: str | None = None, line: int | None = None, column: int | None = None,
                 place: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.file = file
        self.line = line
        self.column = column
        self.place = place

    def __str__(self) -> str:
        where = "".join(f"{part}:" for part in (self.file, self.line, self.column) if part is not None)
        text = f"{where} {self.message}" if where else self.message
        return f"{text}\n{self.place}" if self.place else text

    def __reduce__(self):  # an exception goes to other processes (multiprocessing)
        return type(self), (self.message, self.code, self.file, self.line, self.column, self.place)


class ModelError(RidgeError, ValueError):
    """A model, a file or data that cannot be what they should be (exit status 1)."""


class UsageError(RidgeError, ValueError):
    """An option or an argument whose value is refused (exit status 2)."""

    exit_status = 2


class OptionError(UsageError, TypeError):
    """An option that there is not, an argument too many or too few, or a value of a wrong type (exit status 2)."""


class CheckError(RidgeError):
    """A check that failed (exit status 3). answer: what the check found."""

    exit_status = 3
    answer = None


class OutOfMemory(RidgeError, MemoryError):
    """Memory ran out in the library."""


class LibraryError(RidgeError, ImportError):
    """The shared library is not there, or it is of another version than the package."""


for _class in (RidgeError, ModelError, UsageError, OptionError, CheckError, OutOfMemory, LibraryError):
    _class.__module__ = "ridge"  # where people import them from, and what a traceback says

_WRONG_CALL = re.compile(r"(unknown option|unexpected argument|missing argument|unknown command|no command is named)\b")


def of_session(status, message, code, file, line, column, place):
    """The exception for a call that answered `status` (not 0)."""
    if code == "NOMEM":
        kind = OutOfMemory
    elif status == 2:
        kind = OptionError if _WRONG_CALL.match(message) else UsageError
    else:
        kind = CheckError if status == 3 else ModelError
    return kind(message, code, file or None, line or None, column or None, place or None)
