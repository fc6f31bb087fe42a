from dataclasses import dataclass, field
from typing import Optional, Union
from collections import OrderedDict, namedtuple, defaultdict
from enum import Enum
import functools, math, copy
class Kind(Enum):
    A = "a"
    B = "b"
@dataclass
class Config:
    hidden_size: int = 64
    heads: Optional[int] = None
    layers: list = field(default_factory=lambda: [1, 2])
    kind: Kind = Kind.A
    def __post_init__(self):
        self.head_dim = self.hidden_size // (self.heads or 4)
Pair = namedtuple("Pair", ["a", "b"])
class Output(OrderedDict):
    def __post_init__(self):
        pass
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
@functools.wraps(fib)
def wrapped(*args, **kwargs):
    return fib(*args, **kwargs)
c = Config(heads=8)
d = copy.deepcopy(c), Pair(1, b=2)._asdict(), defaultdict(list), functools.partial(max, 3)(4), math.sqrt(2), math.ceil(2.5)
d[2]["x"].append(1)
fib(30), Kind("b"), Kind["A"].value, [k.name for k in Kind], c == Config(heads=8), repr(c)
global_names = globals().keys(), locals()
