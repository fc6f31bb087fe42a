"""One question to the modules: the workload that it is about, and what is met on the way."""

import threading
from contextlib import contextmanager

from .formats import FORMATS
from .values import CycleError, GeneratedError, UnknownError, count_of


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
