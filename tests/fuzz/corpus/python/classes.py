class M(type):
    def __new__(mcls, name, bases, ns, **kw):
        return super().__new__(mcls, name, bases, ns)
    def __call__(cls, *args):
        return super().__call__(*args)
class A(metaclass=M):
    x: int = 3
    __slots__ = ("y",)
    def __init__(self, y=1):
        self.y = y
    @property
    def z(self):
        return self.x + self.y
    @z.setter
    def z(self, v):
        self.y = v
    @staticmethod
    def s(a):
        return a
    @classmethod
    def c(cls, *a, **k):
        return cls(*a)
    def __add__(self, o):
        return NotImplemented
    def __getitem__(self, i):
        return i
class B(A):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        super(B, self).__setattr__("w", 5)
    def __init_subclass__(cls, **kw):
        cls.made = True
class C(B, A):
    pass
try:
    class D(A, B):
        pass
except TypeError as e:
    message = str(e)
b = C.c(4)
b.z = 9
b[1:2, ...], b.s(1), isinstance(b, A), issubclass(C, (B, int)), C.__mro__, type(b).__name__, vars(b), b.__class__
del b.w
getattr(b, "w", None), hasattr(b, "q"), setattr(b, "q", 1), callable(b)
T = type("T", (B,), {"n": 1})
T(2).n
