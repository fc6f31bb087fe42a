"""What values do: every line of the result is as CPython 3.11 has it (values.txt)."""
import functools, collections, dataclasses, enum, typing, contextlib, copy, itertools, inspect, os, re, math, operator, json, types, string, importlib
from collections import OrderedDict, defaultdict, namedtuple, deque, Counter
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from typing import NamedTuple, Optional
out = []
def T(v):
    out.append(repr(v))
def R(f):
    try:
        out.append(repr(f()))
    except Exception as e:
        out.append(type(e).__name__)
for v in [0.1, 1.0, 1e-05, 1e16, 1e15, 123456789.123, 1/3, 2.5e-10, 1e22, float('inf'), -0.0, 100.0, 0.0001, 12345678901234567.0, 5e-324, 1.7976931348623157e308]: T(v)
T(7 // 2); T(-7 // 2); T(7 % -3); T(-7 % 3); T(7.5 // 2); T(-7.5 % 2); T(2**10); T(2**-1); T(2**0.5); T(1 << 5); T(-5 >> 1); T(5 & 3); T(5 | 3); T(5 ^ 3); T(~5)
T(True + True); T(True & False); T(True == 1); T(1 == 1.0); T({1: 'a', True: 'b', 1.0: 'c'}); T(round(2.5)); T(round(3.5)); T(round(2.675, 2)); T(int(-3.7)); T(int("12")); T(int("0x1f", 16)); T(float("1e-5")); T(abs(-3)); T(divmod(7, 2)); T(pow(2, 5)); T(min(3, 1, 2)); T(max([1, 5, 2], key=lambda x: -x)); T(sum([1, 2, 3], 10)); T(min([], default=4))
T('abc'[1:]); T('abc'[::-1]); T('abc'[-1]); T('a,b,c'.split(',')); T(' a b '.split()); T('a.b.c'.rsplit('.', 1)); T('-'.join(['a', 'b'])); T('abc'.upper()); T('Hello'.replace('l', 'L')); T('abc'.startswith(('x', 'a'))); T('abc'.find('c')); T('x'.center(5, '*')); T('abc'.zfill(5)); T('%s has %d and %.2f' % ('x', 3, 1.5)); T('{} {1}'.format(1, 2) if False else '{0} {1}'.format(1, 2)); T('{:>5}|{:<5}|{:^5}'.format('a', 'b', 'c')); T('{:,}'.format(1234567)); T('{:.3e}'.format(12345.678)); T('{:05d}'.format(42)); T('{:x}'.format(255)); T(f"{3.14159:.2f} {'a'!r:>5} {42:#x} {1e6:g}"); T('{a[0]} {b.real}'.format(a=[1], b=2)); T('%5.1f%%' % 99.5); T('%(a)s' % {'a': 1})
T('aXbXc'.partition('X')); T('aXbXc'.rpartition('X')); T('abc' * 2); T('b' in 'abc'); T("it's"); T('a\nb\t"'); T('abc'.isdigit()); T('a_b'.isidentifier()); T("title case".title()); T('abc' < 'abd'); T('a\n b'.splitlines()); T('  x '.strip()); T('xxaxx'.strip('x')); T('prefix_a'.removeprefix('prefix_')); T('{{}}'.format())
T([1, 2, 3][1:]); T([1, 2] + [3]); T([0] * 3); T([3, 1, 2]); l = [3, 1, 2]; l.sort(); T(l); l.insert(1, 9); T(l); l.pop(); T(l); l.remove(9); T(l); l.extend((7, 8)); T(l); l.reverse(); T(l); T(l.index(7)); T(l.count(7)); del l[0]; T(l); l[0:1] = [5, 6]; T(l); T(sorted(['b', 'a'], reverse=True)); T(sorted([(1, 'b'), (1, 'a')], key=lambda x: x[0])); T([1, [2, (3,)]]); T((1,)); T(()); T((1, 2) < (1, 3)); T([1, 2] == [1, 2]); T((1, 2) == [1, 2]); l += [1]; T(l); T([*l, *range(2)]); T(list(reversed([1, 2, 3]))); T(l[::2]); T([1,2,3][-2:]); T(tuple('ab'))
d = {'a': 1, 'b': 2}; T(d); d['c'] = 3; T(d.pop('a')); T(d); T(list(d.items())); T(d.get('x', 5)); T('b' in d); d.update(z=1); T(d); d.update({'q': 2}); T(len(d)); T({**d, 'b': 7}); T(d | {'n': 1}); T(dict(zip('ab', [1, 2]))); T(d.setdefault('k', [])); T({k: v for k, v in d.items() if v != 2}); del d['b']; T(list(d)); T(dict.fromkeys(['a', 'b'], 0)); T(dict([('a', 1)])); T(d.popitem()); T({1, 2} | {3}); T({1, 2, 3} & {2, 3}); T({1, 2} - {2}); T({1, 2} ^ {2, 3}); T({1} <= {1, 2}); T(set('a')); T(set()); T(frozenset([1]) == {1}); T(list(d.keys())); T(sorted(d.keys() | {'y'}))
R(lambda: {}['x']); R(lambda: [][0]); R(lambda: int('x')); R(lambda: 1 / 0); R(lambda: 1 // 0); R(lambda: None + 1); R(lambda: 'a' + 1); R(lambda: {[]: 1}); R(lambda: [].pop()); R(lambda: next(iter([]))); R(lambda: math.sqrt(-1)); R(lambda: len(5)); R(lambda: getattr(5, 'x')); R(lambda: (1).foo); R(lambda: [1] < ['a'])
T(list(range(5))); T(list(range(1, 10, 3))); T(list(range(5, 0, -2))); T(range(3)); T(len(range(0, 10, 3))); T(5 in range(10)); T(range(10)[2]); T(list(range(10)[2:5])); T(slice(1, 2).indices(5)); T(slice(None, None, -1).indices(5)); T(list(enumerate('ab', 1))); T(list(zip([1, 2], 'ab'))); T(list(map(lambda x: x + 1, [1, 2]))); T(list(filter(None, [0, 1, 2]))); T(any([0, 1])); T(all([])); R(lambda: list(zip([1], [], strict=True)))
T(isinstance(1, int)); T(isinstance(True, int)); T(isinstance(1, (str, int))); T(isinstance([], (list, tuple))); T(isinstance(1.0, int)); T(issubclass(bool, int)); T(type(1) is int); T(type('a').__name__); T(int); T(type(None)); T(isinstance(None, type(None))); T(isinstance(int, type)); T(callable(len)); T(callable(1)); T(hasattr([], 'append')); T(getattr([], 'x', 3)); T(str(5)); T(repr('a')); T(bool([])); T(bool('a')); T(chr(97)); T(ord('a')); T(hex(255)); T(bin(5)); T(isinstance(len, types.BuiltinFunctionType)); T(isinstance(lambda: 1, types.FunctionType))
T(math.ceil(2.1)); T(math.floor(-2.1)); T(math.sqrt(16)); T(math.log2(8)); T(math.log(8, 2)); T(math.prod([1, 2, 3])); T(math.gcd(12, 18)); T(math.pi); T(math.isqrt(17)); T(math.inf); T(math.isclose(1, 1 + 1e-12)); T(math.cos(0)); T(operator.add(1, 2)); T(operator.itemgetter(1)([1, 2])); T(functools.reduce(operator.mul, [1, 2, 3])); T(functools.partial(max, 3)(1, 2))
class P(NamedTuple):
    x: int
    y: int = 5
p = P(1); T(p.x); T(p[1]); T(p); a, b = p; T((a, b)); T(p._replace(x=3).x); T(isinstance(p, tuple)); T(len(p)); T(P(1, y=2) == (1, 2))
N = namedtuple('N', 'a b'); n = N(1, b=2); T(n.a + n.b); T(n._asdict())
@dataclass
class D:
    x: int
    y: list = field(default_factory=list)
    z: Optional[int] = None
    def __post_init__(self):
        self.w = self.x + 1
@dataclass
class E(D):
    v: int = 3
T(D(1)); T(D(1).w); T(E(1, v=4)); T(D(1) == D(1)); T(dataclasses.asdict(E(2))); T([f.name for f in dataclasses.fields(E)]); T(dataclasses.replace(D(1), x=5).x); R(lambda: D()); T(dataclasses.is_dataclass(D)); T(D(1, [2]).y)
class C(Enum):
    A = 1
    B = 'b'
    def up(self): return self.name.lower()
T(C.A); T(C.A.value); T(C('b')); T(C['A']); T([c.name for c in C]); T(C.A == C.A); T(C.A is C(1)); T(C.B.up()); R(lambda: C(5)); T(len(C)); T(C.A in {C.A: 1}); T(isinstance(C.A, C)); T('A' in C.__members__)
class S(str, Enum):
    X = 'x'
    Y = 'y'
T(S.X == 'x'); T(S('y')); T(S.X.value); T({'x': 1}[S.X]); T([s.value for s in S]); T(S.X in ('x',)); T(S.X.upper())
class I(IntEnum):
    ONE = 1
    TWO = auto()
T(I.TWO + 1); T(I.TWO); T(I(1)); T(I.ONE < I.TWO); T(int(I.TWO))
class OD(OrderedDict):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.n = 3
    def __getitem__(self, k):
        return super().__getitem__(k) * 2
o = OD(a=1); T(o['a']); T(o.n); o['b'] = 2; T(list(o.keys())); T(len(o)); T('a' in o); T(list(o.values())); T(o.get('a')); T(isinstance(o, dict))
dd = defaultdict(list); dd['a'].append(1); T(dict(dd)); T(dd['q']); dq = deque([1, 2], maxlen=2); dq.append(3); T(list(dq)); T(dq.popleft()); T(Counter('aab')['a']); T(Counter('aab').most_common(1))
class L(list):
    def total(self): return sum(self)
x = L([1, 2]); x.append(3); T(x.total()); T(len(x)); T(x[0]); T(x == [1, 2, 3]); T([i for i in x])
class F(float): pass
T(F(1.5) + 1)
class MyInt(int):
    def __new__(cls, v): return super().__new__(cls, v * 2)
T(MyInt(4) + 1); T(isinstance(MyInt(1), int))
@contextlib.contextmanager
def cm(log):
    log.append('in')
    try:
        yield 5
    finally:
        log.append('out')
log = []
with cm(log) as v:
    log.append(v)
T(log)
with contextlib.suppress(KeyError):
    {}['x']
with contextlib.ExitStack() as st:
    T(st.enter_context(contextlib.nullcontext(4)))
q = {'a': [1, {2: 3}]}; q2 = copy.deepcopy(q); q2['a'].append(1); T(q); T(q2); dc = copy.deepcopy(D(1, [1])); T(dc); dc2 = copy.copy(D(3)); T(dc2)
T(list(itertools.chain([1], [2, 3]))); T(list(itertools.product('ab', [1, 2]))); T(list(itertools.islice(itertools.count(), 2, 5))); T(list(itertools.accumulate([1, 2, 3]))); T(list(itertools.combinations([1, 2, 3], 2))); T(list(itertools.zip_longest([1, 2], [3]))); T([(k, list(g)) for k, g in itertools.groupby([1, 1, 2])]); T(list(itertools.pairwise([1, 2, 3]))) if hasattr(itertools, 'pairwise') else None
T(re.match(r'(\w+)-(\d+)', 'ab-12x').groups()); T(re.sub(r'\d+', lambda m: str(int(m.group()) + 1), 'a1b22')); T(re.search(r'layers\.(\d+)\.', 'model.layers.12.mlp').group(1)); T(re.findall(r'[a-z]+', 'ab 12 cd')); T(re.split(r'[,;]', 'a,b;c')); T(bool(re.match(r'^a.*z$', 'abz'))); T(re.fullmatch('a|ab', 'ab').group()); T(re.sub(r'(?P<x>a)(b)?', r'\g<x>-\2', 'abac')); T(re.compile(r'(?:x|y)+?z').search('xxyz').span()); T(re.escape('a.b')); T(re.match(r'(?!b)a{2,3}', 'aaaa').group())
T(json.dumps({'a': [1, None, True, 'x']})); T(os.path.splitext('a/b.tar.gz')); T(os.path.join('a', '/b')); T(os.path.basename('a/b'))
def f(a, b=2, *args, c, d=4, **kw): pass
T(list(inspect.signature(f).parameters)); T(inspect.signature(f).parameters['b'].default); T([p.kind.value if hasattr(p.kind, 'value') else p.kind for p in inspect.signature(f).parameters.values()] if False else 0)
class Desc:
    def __set_name__(self, o, n): self.n = n
    def __get__(self, i, o=None): return self if i is None else i.__dict__.get(self.n, 'none')
    def __set__(self, i, v): i.__dict__[self.n] = v * 2
class HasD:
    d = Desc()
h = HasD(); T(h.d); h.d = 4; T(h.d)
class CP:
    @functools.cached_property
    def v(self): return object()
c = CP(); T(c.v is c.v)
@functools.lru_cache
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
T(fib(10))
class Sub(collections.UserDict): pass
s = Sub(a=1); s['b'] = 2; T(dict(s)); T('a' in s)
T(types.SimpleNamespace(a=1).a); T(isinstance({}, collections.abc.Mapping)); T(isinstance([], collections.abc.Sequence)); T(isinstance(5, collections.abc.Iterable)); T(isinstance(lambda: 1, collections.abc.Callable)); T(string.digits)
T(vars(types.SimpleNamespace(a=1))); T(list(map(str, [1, 2]))); T(str([1.0, 'a', None])); T('{!r}'.format('x')); T("%r" % ('a',)); T(sorted({'b': 1, 'a': 2}.items(), key=lambda kv: kv[1]))
T(1_000); T(0xff); T(0b11); T(1e3); T(10 ** 18 * 5); T(-(-7 // 2)); T(int(1e3)); T((5).bit_length()); T((2.0).is_integer()); T(3 if 0 else 4); T(not 0); T(1 < 2 < 3); T(1 < 3 < 2); T(None is None); T([] is not None); T(0 or 'x'); T(1 and 'y')
T(next((x for x in [1, 2] if x > 1), None)); T([x * y for x in [1, 2] for y in [3, 4]]); T(sum(x for x in range(4))); T([i for i, _ in enumerate('ab')]); T({**{'a': 1}}); T((lambda *a, **k: (a, k))(1, 2, z=3))
shown = "\n".join(out) + "\n"
