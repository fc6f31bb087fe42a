/* interp.c - the language: small texts, and what CPython's documentation says that they give. */
#include "test.h"

#include "learn/python/interp.h"

typedef struct session {
    ridge_arena arena;
    ridge_err err;
    ridge_py_interp in;
    ridge_py module;
} session;

/* modules by name: "t" is the text of the test */
static const char *texts[4][2];

static ridge_status find(ridge_py_module **out, const char *name, void *state, ridge_py_interp *in)
{
    (void)state;
    *out = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!texts[i][0] || strcmp(texts[i][0], name) != 0)
            continue;
        *out = ridge_arena_alloc(in->arena, sizeof **out);
        if (!*out)
            return ridge_no_memory(in->err);
        **out = (ridge_py_module){.name = texts[i][0],
                                  .path = ridge_arena_printf(in->arena, "%s.py", name),
                                  .text = ridge_str_of(texts[i][1]),
                                  .is_package = strcmp(name, "pkg") == 0};
    }
    return RIDGE_OK;
}

static ridge_status unknown(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    return ridge_py_unknown(out, "test", "what a test does not know", NULL, NULL, in);
}

static ridge_status run(session *s, const char *text)
{
    ridge_py f;
    memset(s, 0, sizeof *s);
    ridge_arena_init(&s->arena);
    texts[0][0] = "t";
    texts[0][1] = text;
    ridge_status st = ridge_py_init(&s->in, (ridge_py_loader){find, NULL}, &s->arena, &s->err);
    s->in.limits.steps = 3000000;
    s->in.limits.bytes = 64 << 20;
    if (!st)
        st = ridge_py_native_function(&f, "unknown", unknown, NULL, NULL, &s->in);
    if (!st)
        st = ridge_py_scope_set(&s->in.builtins, ridge_py_symbol(&s->in, "unknown"), f, &s->in);
    return st ? st : ridge_py_uncaught(ridge_py_import(&s->module, "t", &s->in), &s->in);
}

/* repr(r) */
static void assert_gives(const char *text, const char *wanted)
{
    session s;
    ridge_py r, shown;
    ridge_status st = run(&s, text);
    if (!st)
        st = ridge_py_getz(&r, s.module, "r", &s.in);
    if (!st)
        st = ridge_py_to_str(&shown, r, true, &s.in);
    if (st)
        fail_msg("%s\n%s", text, s.err.msg);
    if (strcmp(shown.u.s->text.p, wanted) != 0)
        fail_msg("%s\ngives %s, not %s", text, shown.u.s->text.p, wanted);
    ridge_arena_free(&s.arena);
}

static void assert_fails(const char *text, ridge_status wanted, const char *part)
{
    session s;
    ridge_status st = run(&s, text);
    if (st != wanted || !strstr(s.err.msg, part))
        fail_msg("%s\nfails with %s: %s", text, ridge_status_name(st), s.err.msg);
    ridge_arena_free(&s.arena);
}

typedef struct example {
    const char *text, *wanted;
} example;

static void assert_all(const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_gives(examples[i].text, examples[i].wanted);
}
#define ALL(examples) assert_all(examples, sizeof(examples) / sizeof *(examples))

static void test_functions(void **state)
{
    (void)state;
    static const example examples[] = {
        {"def f(a, b=2, *args, c=5, **kw):\n    return (a, b, args, c, kw)\nr = f(1, 3, 4, 5, c=7, d=8)", "(1, 3, (4, 5), 7, {'d': 8})"},
        {"def f(a, /, b, *, c): return a, b, c\nr = f(1, b=2, c=3)", "(1, 2, 3)"},
        {"def f(*a, **k): return a, k\nr = f(*[1, 2], 3, *(4,), k=1, **{'z': 2})", "((1, 2, 3, 4), {'k': 1, 'z': 2})"},
        {"def f(x=[]):\n    x.append(1)\n    return x\nf()\nr = f()", "[1, 1]"},
        {"x = 5\ndef f(x=x): return x\nx = 6\nr = f()", "5"},
        {"def c():\n    n = 0\n    def i():\n        nonlocal n\n        n += 1\n        return n\n    return i\ni = c()\ni()\nr = i()",
         "2"},
        {"g = 1\ndef f():\n    global g\n    g = 7\nf()\nr = g", "7"},
        {"r = [f() for f in [lambda: i for i in range(3)]]", "[2, 2, 2]"},
        {"r = [f() for f in [lambda i=i: i for i in range(3)]]", "[0, 1, 2]"},
        {"def d(n):\n    return lambda f: lambda *a: (n, f(*a))\n@d(1)\n@d(2)\ndef g(x): return x\nr = g(3)", "(1, (2, 3))"},
        {"def f(x): return x\ntry:\n    f()\nexcept TypeError as e:\n    r = str(e)",
         "\"f() missing 1 required positional argument: 'x'\""},
        {"def f(x): return x\ntry:\n    f(1, x=2)\nexcept TypeError as e:\n    r = str(e)", "\"f() got multiple values for argument 'x'\""},
        {"def f(x): return x\ntry:\n    f(1, y=2)\nexcept TypeError as e:\n    r = str(e)",
         "\"f() got an unexpected keyword argument 'y'\""},
        {"def f():\n    'says'\nf.x = 5\nr = (f.__name__, f.__doc__, f.x)", "('f', 'says', 5)"},
    };
    ALL(examples);
}

static void test_statements(void **state)
{
    (void)state;
    static const example examples[] = {
        {"a, *b, (c, d) = [1, 2, 3, (4, 5)]\nr = (a, b, c, d)", "(1, [2, 3], 4, 5)"},
        {"x = y = [1]\nx += [2]\nr = (y, x is y)", "([1, 2], True)"},
        {"r = []\nfor i in range(5):\n    if i == 1: continue\n    if i == 3: break\n    r.append(i)\nelse:\n    r.append('else')",
         "[0, 2]"},
        {"r = []\nfor i in range(2): r.append(i)\nelse: r.append('else')", "[0, 1, 'else']"},
        {"n = 0\nwhile n < 3: n += 1\nelse: n += 10\nr = n", "13"},
        {"r = [m for k in range(5) if (m := k * 2) > 3] + [m]", "[4, 6, 8, 8]"},
        {"r = (1 < 2 < 3, 1 < 3 < 2, 1 and 0, 0 or 5, not 1)", "(True, False, 0, 5, False)"},
        {"x = 1\ndel x\ntry:\n    x\nexcept NameError as e:\n    r = str(e)", "\"name 'x' is not defined\""},
        {"d = {'a': {'b': 1}}\nd['a']['b'] += 5\ndel d['a']['b']\nr = d", "{'a': {}}"},
        {"r = {x % 3: [y for y in range(x)] for x in range(3)}", "{0: [], 1: [0], 2: [0, 1]}"},
        {"def m(v):\n    match v:\n        case 0: return 'zero'\n        case int(n) if n > 10: return n\n        case [x, *y]: return y\n"
         "        case {'k': z}: return z\n        case 'a' | 'b': return 'ab'\n        case _: return None\n"
         "r = [m(v) for v in (0, 50, 5, [1, 2, 3], {'k': 4, 'l': 5}, 'b')]",
         "['zero', 50, None, [2, 3], 4, 'ab']"},
        {"def g(n):\n    for i in range(n):\n        yield i\n    yield from 'ab'\nr = list(g(2))", "[0, 1, 'a', 'b']"},
        {"def g():\n    i = 0\n    while True:\n        if i > 9: return\n        yield i\n        i += 1\nr = [v for v in g() if v % 4 == "
         "0]",
         "[0, 4, 8]"},
        {"log = []\ng = (log.append(i) or i for i in range(9))\nfirst = next(g)\nr = (first, log)", "(0, [0])"},
    };
    ALL(examples);
}

static void test_classes(void **state)
{
    (void)state;
    static const example examples[] = {
        {"class A:\n    def w(self): return 'A'\nclass B(A):\n    def w(self): return 'B' + super().w()\nclass C(A):\n    def w(self): "
         "return 'C' + super().w()\n"
         "class D(B, C):\n    def w(self): return 'D' + super(D, self).w()\nr = (D().w(), [k.__name__ for k in D.__mro__])",
         "('DBCA', ['D', 'B', 'C', 'A', 'object'])"},
        {"class P:\n    @property\n    def p(self): return self._p\n    @p.setter\n    def p(self, v): self._p = v * 2\n    "
         "@staticmethod\n    def s(x): return x\n"
         "    @classmethod\n    def c(cls, x): return cls.__name__, x\np = P()\np.p = 4\nr = (p.p, P.s(1), p.c(2))",
         "(8, 1, ('P', 2))"},
        {"class M(type):\n    def __new__(mcs, name, bases, ns, **kw):\n        cls = super().__new__(mcs, name, bases, ns)\n        "
         "cls.tag = kw.get('tag')\n"
         "        return cls\n    def __len__(cls): return 42\nclass X(metaclass=M, tag='t'): pass\nclass Y(X): pass\nr = (X.tag, Y.tag, "
         "len(Y), type(Y) is M)",
         "('t', None, 42, True)"},
        {"class B:\n    subs = []\n    def __init_subclass__(cls, flag=None, **kw):\n        super().__init_subclass__(**kw)\n"
         "        B.subs.append((cls.__name__, flag))\nclass S(B, flag=1): pass\nclass T(S): pass\nr = B.subs",
         "[('S', 1), ('T', None)]"},
        {"class D:\n    def __set_name__(self, owner, name): self.n = name\n    def __get__(self, o, c): return self if o is None else "
         "o.__dict__.get('_' + self.n, 0)\n"
         "    def __set__(self, o, v): o.__dict__['_' + self.n] = v + 1\nclass C:\n    f = D()\nc = C()\na = c.f\nc.f = 3\nr = (a, c.f, "
         "C.f.n, c.__dict__)",
         "(0, 4, 'f', {'_f': 4})"},
        {"class A:\n    def __getattr__(self, n):\n        if n[0] == 'd': return n\n        raise AttributeError(n)\n"
         "    def __setattr__(self, n, v): super().__setattr__(n, (n, v))\na = A()\na.y = 2\nr = (a.y, a.dyn, hasattr(a, 'no'), getattr(a, "
         "'no', 5))",
         "(('y', 2), 'dyn', False, 5)"},
        {"class G:\n    amap = {'alias': 'real'}\n    def __init__(self): self.real = 10\n    def __getattribute__(self, k):\n"
         "        if k != 'amap' and k in super().__getattribute__('amap'):\n            k = super().__getattribute__('amap')[k]\n"
         "        return super().__getattribute__(k)\nr = G().alias",
         "10"},
        {"class V:\n    def __init__(s, v): s.v = v\n    def __add__(s, o): return V(s.v + o)\n    def __radd__(s, o): return V(o - s.v)\n"
         "    def __iadd__(s, o):\n        s.v += 100\n        return s\n    def __repr__(s): return f'V({s.v})'\n    def __bool__(s): "
         "return s.v != 0\n"
         "    def __call__(s, *a): return a\n    def __getitem__(s, i): return i\n    def __contains__(s, x): return x == s.v\nv = V(1)\nw "
         "= v\nw += 1\n"
         "r = (v + 1, 5 + V(1), w is v, bool(V(0)), v(1, 2), v['a', 1], 101 in v, 2 not in v)",
         "(V(102), V(4), True, False, (1, 2), ('a', 1), True, True)"},
        {"class L(list):\n    def append(self, x): super().append(x * 2)\nl = L([1])\nl.append(3)\nr = (l[1], len(l), isinstance(l, list), "
         "l + [9])",
         "(6, 2, True, [1, 6, 9])"},
        {"class D(dict):\n    def __missing__(self, k): return 'm' + k\n    def __setitem__(self, k, v): super().__setitem__(k, v + 1)\nd "
         "= D(a=1)\nd['b'] = 1\n"
         "r = (d['a'], d['b'], d['z'], 'z' in d)",
         "(1, 2, 'mz', False)"},
        {"class T(tuple):\n    def __new__(cls, a, b): return super().__new__(cls, (a, b))\nt = T(1, 2)\nr = (t[0], t == (1, 2), len(t))",
         "(1, True, 2)"},
        {"class I(int):\n    def __new__(cls, v): return int.__new__(cls, v + 1)\nr = (I(3) + 1, I(3) == 4, [0, 1, 2][I(1)])",
         "(5, True, 2)"},
        {"def o():\n    x = 1\n    class K:\n        x = 2\n        def m(self): return x\n        y = [x for _ in range(2)]\n    return "
         "K\nr = (o()().m(), o().y)",
         "(1, [1, 1])"},
        {"class A:\n    b: int = 5\n    c: str\nr = list(A.__annotations__)", "['b', 'c']"},
        {"class A: pass\nr = type('B', (A,), {'q': 5, 'm': lambda self: self.q})().m()", "5"},
        {"class A:\n    def f(self): return [__class__.__name__ for _ in range(1)]\nclass B(A): pass\nr = B().f()", "['A']"},
        {"class A:\n    def __init__(self): self.__dict__.update({'x': 1})\na = A()\na.__dict__['y'] = 2\nr = (a.x, a.y, vars(a))",
         "(1, 2, {'x': 1, 'y': 2})"},
    };
    ALL(examples);
}

static void test_exceptions(void **state)
{
    (void)state;
    static const example examples[] = {
        {"r = []\ndef f():\n    try:\n        return 1\n    finally:\n        r.append('f')\nr.append(f())", "['f', 1]"},
        {"def f():\n    try:\n        return 1\n    finally:\n        return 2\nr = f()", "2"},
        {"try:\n    try:\n        raise ValueError('a')\n    except ValueError as e:\n        raise RuntimeError('b') from e\nexcept "
         "RuntimeError as e:\n"
         "    r = (str(e), repr(e.__cause__))",
         "('b', \"ValueError('a')\")"},
        {"def f():\n    try:\n        raise OSError('z')\n    except OSError:\n        raise\ntry:\n    f()\nexcept Exception as e:\n    r "
         "= repr(e)",
         "\"OSError('z')\""},
        {"class E(ValueError):\n    def __init__(self, a): super().__init__(f'<{a}>')\ntry:\n    raise E(1)\nexcept (KeyError, ValueError) "
         "as e:\n    r = (str(e), e.args)",
         "('<1>', ('<1>',))"},
        {"try:\n    {}['k']\nexcept LookupError as e:\n    r = (str(e), type(e).__name__)", "(\"'k'\", 'KeyError')"},
        {"log = []\nclass C:\n    def __enter__(self): return 5\n    def __exit__(self, t, v, tb):\n        log.append(t and t.__name__)\n "
         "       return True\n"
         "with C() as c:\n    raise KeyError\ndef f():\n    with C() as c: return c\nr = (f(), log)",
         "(5, ['KeyError', None])"},
        {"try:\n    import nowhere\nexcept ImportError as e:\n    r = str(e)", "\"No module named 'nowhere'\""},
    };
    ALL(examples);
}

static void test_modules(void **state)
{
    (void)state;
    texts[1][0] = "pkg";
    texts[1][1] = "from .a import *\nfrom . import a as again\n";
    texts[2][0] = "pkg.a";
    texts[2][1] = "import pkg\n__all__ = ['x']\nx, y = 1, 2\ndef __getattr__(name): return name + '!'\n";
    assert_gives("import pkg.a as q, pkg\nfrom pkg.a import y\nr = (pkg.x, y, hasattr(pkg, 'y'), q is pkg.again, pkg.a.other, q.__name__)",
                 "(1, 2, False, True, 'other!', 'pkg.a')");
    texts[1][0] = texts[2][0] = NULL;
}

/* what depends on data is unknown, and the rest is still found */
static void test_unknown(void **state)
{
    (void)state;
    static const example examples[] = {
        {"x = unknown()\ny = 1\nif x.a[3](4) + 5 > 6:\n    y = 2\nr = (str(type(y)) == str(type(x)), len([1]))", "(True, 1)"},
        {"x = unknown()\ny = 1\nif x:\n    raise ValueError('no')\nr = y", "1"},
        {"x = unknown()\nassert x\nr = 7 if x else 7", "7"},
        {"n = 0\nfor i in unknown():\n    n += 1\nr = [k for k in (1, 2)]", "[1, 2]"},
        {"r = unknown() is None", "False"},
    };
    ALL(examples);
    session s;
    assert_int_equal(run(&s, "x = unknown()\nif x:\n    y = 1\n"), RIDGE_OK);
    assert_int_equal(s.in.hole_count, 2);
    assert_string_equal(s.in.holes[1]->kind, "branch on data");
    assert_int_equal(s.in.holes[1]->line, 2);
    ridge_arena_free(&s.arena);
}

static void test_limits(void **state)
{
    (void)state;
    assert_fails("def f(): return f()\nf()", RIDGE_LIMIT, "nested");
    assert_fails("while True: pass", RIDGE_LIMIT, "steps");
    assert_fails("x = [1]\nwhile True: x = [x, x, 'a' * 3]", RIDGE_LIMIT, "");
    assert_fails("def g():\n    while True: yield 1\nfor i in g(): pass", RIDGE_LIMIT, "");
    assert_fails("class A:\n    def __getattr__(self, n): return getattr(self, n + 'x')\nA().y", RIDGE_LIMIT, "nested");
    assert_fails("def f():\n    raise ValueError('said')\nf()", RIDGE_VALUE, "ValueError: said");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),  cmocka_unit_test(test_statements), cmocka_unit_test(test_classes),
        cmocka_unit_test(test_exceptions), cmocka_unit_test(test_modules),    cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
