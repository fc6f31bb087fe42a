class A:
    def __getattr__(self, name):
        return getattr(self, name)
    def __eq__(self, other):
        return other == self
    def __repr__(self):
        return repr(self)
    def __len__(self):
        return len(self)
    def __iter__(self):
        return iter(self)
    def __call__(self, *args, **kwargs):
        return self(*args, **kwargs)
    def __add__(self, other):
        return other + self
    def __hash__(self):
        return hash(self)
def f(n):
    return f(n + 1)
def attempt(g):
    try:
        g()
    except RecursionError:
        return 1
a = A()
l = []
l.append(l)
d = {}
d["d"] = d
str(l), repr(d), l == l, d == {"d": d}
attempt(lambda: a + a)
attempt(lambda: a == A())
attempt(lambda: f(0))
