"""Calls of commands: Python values to the library's words, its JSON to dataclasses, its warnings and errors to Python's.

In: a command's name, operands, options. Out: an answer (ridge._answer), or the text of ridge.run. Commands that measure, fetch or sweep
run on a thread of their own, so that Ctrl-C ends them; the others on the caller's. Fails as ridge._errors has it.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import threading
import warnings
from ctypes import byref, c_void_p, string_at

from ridge import _answer, _errors, _library

LONGEST_WAIT_S = 10.0  # for what was cancelled, before its thread is left alone


class RidgeWarning(UserWarning):
    """What the library warns of: an answer is there, and says less or other than one may think."""


# ---- values as words ----


def word(value, what):
    """One value as the library's option tables read it: bytes. OptionError (a TypeError) for what is no value."""
    if isinstance(value, str):
        return _library.text(value, what)
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, int):
        return _digits(value, what)
    if isinstance(value, float):
        return float.__repr__(value).encode()
    if isinstance(value, (bytes, os.PathLike)):
        return _library.text(value, what)
    return _foreign_word(value, what)


def _digits(value, what):
    try:
        return int.__repr__(value).encode()
    except ValueError as error:  # Python itself writes no more than 4300 digits
        raise _errors.UsageError(f"{what}: {error}") from None


def _foreign_word(value, what):
    """numbers of numpy, formats of torch (torch.bfloat16) and numpy (dtype('float16'))"""
    kind = type(value)
    if kind.__module__.partition(".")[0] == "torch" and kind.__name__ == "dtype":
        return str(value).rpartition(".")[2].encode()
    if kind.__module__.partition(".")[0] == "numpy" and isinstance(getattr(value, "name", None), str):
        return value.name.encode()
    if getattr(value, "ndim", 0) == 0 and getattr(kind, "__name__", "") in ("bool_", "bool"):
        return b"true" if value else b"false"
    if hasattr(kind, "__index__"):
        try:
            return _digits(value.__index__(), what)
        except TypeError:  # an array of several
            pass
    elif hasattr(kind, "__float__") and getattr(value, "ndim", 0) == 0:
        return float.__repr__(float(value)).encode()
    raise _errors.OptionError(f"{what}: {kind.__name__} is no type of a value")


def _words(value, what):
    """the words of a value that is several: a list, a tuple, a dict's name=value"""
    if hasattr(value, "items"):
        return [word(str(key), what) + b"=" + word(one, what) for key, one in value.items()]
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return [word(one, what) for one in value]
    return [word(value, what)]


def assignments(options, repeated=()):
    """[b"name=value"] of keyword arguments; None: not given. An option that may be repeated gets a word each, others commas."""
    found = []
    for name, value in options.items():
        if value is None:
            continue
        key = name.rstrip("_").encode()
        words = _words(value, name)
        if name not in repeated:
            words = [b",".join(words)] if words else []
        found.extend(key + b"=" + one for one in words)
    return found


def _config_text(model):
    """The JSON of a config that is in memory: a dict, or what has to_dict (transformers.PretrainedConfig); None for a name."""
    if model is None or isinstance(model, (str, bytes, os.PathLike)):
        return None
    if hasattr(model, "to_dict"):
        model = model.to_dict()
    if not isinstance(model, dict):
        raise _errors.OptionError(f"a model is a name, a path or a config (a dict, or what has to_dict()), not a {type(model).__name__}")
    try:
        return json.dumps(model, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise _errors.UsageError(f"the config is no JSON: {error}") from error


# ---- one call ----


class Request:
    """What is asked of the library: enough to ask it again."""

    __slots__ = ("command", "operands", "options", "config")

    def __init__(self, command, operands, options, config=None):
        self.command = command
        self.operands = operands
        self.options = options
        self.config = config

    def send(self, session):
        """(exit status, the answer's text or None)"""
        out = c_void_p()
        lib, options, count = session._lib, _library.texts(self.options), len(self.options)
        if self.config is not None:
            name = self.operands[0] if self.operands else b"config.json"
            status = lib.ridge_run_config(session, byref(out), self.command, name, self.config, len(self.config), options, count)
        else:
            operands = _library.texts(self.operands)
            status = lib.ridge_run(session, byref(out), self.command, operands, len(self.operands), options, count)
        if not out.value:
            return status, None
        try:
            return status, string_at(out.value).decode("utf-8", "surrogateescape")
        finally:
            lib.ridge_free(out)


def _of_session(session):
    at = session._as_parameter_
    if at is None:
        raise _errors.UsageError("the session is closed")
    return at


def _ask(request, session, draws=False):
    """(text, warnings, picture, the error of a check that failed or None)"""
    _of_session(session)
    if draws:
        session._lib.ridge_session_draw(session, 1)
    try:
        status, text = request.send(session)
        error = session.error(status) if status else None
        if error is not None and text is None:
            raise error
        said = session._lib.ridge_session_warnings(session)
        picture = _library.told(session._lib.ridge_session_picture(session)) if draws else None
        return text, _library.told(said).splitlines() if said else [], picture, error
    finally:
        if draws:
            session._lib.ridge_session_draw(session, 0)


def _request(command, operands, options, repeated, takes_config):
    words = []
    config = _config_text(operands[0]) if takes_config and operands else None
    for operand in operands if config is None else ():
        if operand is None:
            break
        words.extend(_words(operand, "an argument"))
    return Request(command, words, assignments(options, repeated), config)


def _finish(request, answered, classes, draws_again):
    """The answer as a dataclass; warnings are told."""
    text, said, picture, error = answered
    for sentence in said:
        warnings.warn(sentence, RidgeWarning, stacklevel=4)
    answer = _answer.of_text(text, classes)
    if isinstance(answer, _answer.Answer):
        object.__setattr__(answer, "_told", _answer.Told(text, said, picture, request if draws_again else None))
    if error is not None:
        error.answer = answer
        raise error
    return answer


def answer(command, operands, given, classes, repeated=(), config=False, draws=False):
    """Runs a command on the caller's thread."""
    given.update(given.pop("unknown"))
    request = _request(command, operands, given, repeated, config)
    request.options.append(b"json=true")
    return _finish(request, _ask(request, _library.session()), classes, draws)


def text(command, operands, given, repeated=()):
    """Runs a command whose answer is a text."""
    given.update(given.pop("unknown"))
    found = _ask(_request(command, operands, given, repeated, False), _library.session())
    for sentence in found[1]:
        warnings.warn(sentence, RidgeWarning, stacklevel=3)
    return found[0]


def run(command: str, *operands: object, **options: object) -> str:
    """The text that the program prints: ridge.run("machine show", "h100-sxm-80", csv=True). Any command, operands, options.

    command: its name, "cost", "machine show"
    operands: what stands in a command line without dashes
    options: the command line's, with _ for -; a list repeats the option
    Returns a str. Raises RidgeError.
    """
    words = [one for operand in operands for one in _words(operand, "an argument")]
    repeated = [name for name, value in options.items() if isinstance(value, (list, tuple))]
    request = Request(_library.text(command, "a command"), words, assignments(options, repeated))
    found = _ask(request, _library.session())
    for sentence in found[1]:
        warnings.warn(sentence, RidgeWarning, stacklevel=2)
    if found[3] is not None:
        found[3].answer = found[0]
        raise found[3]
    return found[0]


# ---- calls that may be interrupted ----


_turns = threading.Lock()  # measurements wait for one another: two at a time would measure each other


def _after_fork():
    global _turns
    _turns = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


class _Worker(threading.Thread):
    """A thread that makes one call in a session of its own: what measuring does to its thread ends with it."""

    def __init__(self, request, draws, alone, tell):
        super().__init__(name="ridge", daemon=True)
        self.request, self.draws, self.alone, self.tell = request, draws, alone, tell
        self.done = threading.Lock()
        self.done.acquire()
        self.guard = threading.Lock()
        self.session = self.answered = self.error = None
        self.cancelled = self.has_turn = False

    def run(self):
        turn = _turns if self.alone else None
        try:
            if turn is None or self._wait_for(turn):
                self._work()
        except BaseException as error:
            self.error = self.error or error
        finally:
            if self.has_turn:
                turn.release()
            self.done.release()

    def _wait_for(self, turn):
        while not self.has_turn and not self.cancelled:
            self.has_turn = turn.acquire(timeout=0.1)
        return self.has_turn

    def _work(self):
        session = _library.Session()
        listener = _library.PROGRESS(self._hear)
        session._lib.ridge_session_listen(session, listener, None)
        with self.guard:
            self.session = session
        try:
            if not self.cancelled:
                self.answered = _ask(self.request, session, self.draws)
        finally:
            with self.guard:
                self.session = None
            session.close()

    def _hear(self, _, line):
        """On this thread, in the call. An exception ends the command; it is raised where that was called."""
        try:
            if line is not None and self.tell:
                self.tell(_library.told(line))
        except BaseException as error:
            self.error = self.error or error
            self.tell = None
        if self.error or self.cancelled:
            self.session._lib.ridge_session_cancel(self.session)

    def cancel(self):
        with self.guard:
            self.cancelled = True
            if self.session is not None:
                self.session._lib.ridge_session_cancel(self.session)


def _wait(worker):
    """Waits without waking: measurements are not disturbed. Ctrl-C cancels, and what was done by then is the exception's `answer`."""
    try:
        worker.done.acquire()
    except BaseException as interrupt:
        for _ in range(int(LONGEST_WAIT_S / 0.1)):
            worker.cancel()
            if worker.done.acquire(timeout=0.1):
                break
        return interrupt
    return None


def measured(command, operands, given, classes, repeated=(), config=False, draws=False, alone=False):
    """Runs a command that takes a while on a thread of its own; alone: when no other one does."""
    given.update(given.pop("unknown"))
    with _progress(given.pop("progress", None)) as tell:
        if tell and command == b"sweep":
            given["progress"] = True
        request = _request(command, operands, given, repeated, config)
        request.options.append(b"json=true")
        worker = _Worker(request, draws, alone, tell)
        worker.start()
        interrupt = _wait(worker)
    if interrupt is not None:
        if worker.answered is not None:
            interrupt.answer = _answer.of_text(worker.answered[0], classes)
        raise interrupt
    if worker.error is not None:
        raise worker.error
    return _finish(request, worker.answered, classes, False)


_DONE = re.compile(r"\s*(\d+)(?:\.\d+)?(?: %|/(\d+)) +(.*)")  # " 46 % dram read", " 46/49 dram read", "99.5 % 2 of 2 points"


class _progress:
    """progress=True: tqdm's bar where it is installed, else lines on stderr; a function: it is called with each line."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.bar = None
        if wanted is not None and not isinstance(wanted, bool) and not callable(wanted):
            raise _errors.OptionError("progress: want True, False or a function that takes a line")

    def __enter__(self):
        if not self.wanted:
            return None
        if callable(self.wanted):
            return self.wanted
        try:
            from tqdm.auto import tqdm  # type: ignore
        except ImportError:
            return _to_stderr
        self.bar = tqdm(total=100, leave=False)
        return self._to_bar

    def _to_bar(self, line):
        found = _DONE.match(line)
        if found:
            done, total, what = found.groups()
            self.bar.n, self.bar.total = int(done), int(total or 100)
        self.bar.set_description(what if found else line.strip(), refresh=False)
        self.bar.refresh()

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()


def _to_stderr(line):
    import sys

    print(line, file=sys.stderr)
