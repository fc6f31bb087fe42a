"""A command's answer as JSON, for the parts of the package that look at a few members of it.

In: a command's name, operands, options. Out: what `ridge COMMAND ... --json` prints, read by json (exact integers).
Fails with the exception of the command's error.
"""

import contextlib
import json
import os
import tempfile

from ridge import _call, _errors
from ridge import _library as lib


def text(command, *operands, **options):
    """What the command prints on its standard output; what it warns of is not told."""
    words = [lib.text(one, "an operand") for one in operands]
    said, _, _, error = _call._ask(_call.Request(lib.text(command), words, _call.assignments(options)), lib.session())
    if error is not None:
        raise error
    return said


def answer(command, *operands, **options):
    """What the command says, as dicts and lists."""
    return json.loads(text(command, *operands, json=True, **options))


@contextlib.contextmanager
def file_of(content, name):
    """The path of a file with this text, while the context lasts; the name is what messages show at its end."""
    with tempfile.TemporaryDirectory(prefix="ridge-") as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        yield path


def need(module, what):
    """The installed module of this name; LibraryError says what needs it where there is none."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise _errors.LibraryError(f"{what} needs {module}, which this Python does not have ({error})") from error
