class P:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
def m(v):
    match v:
        case 0 | -1 | None:
            return "zero"
        case [1, *rest, 2] if len(rest) > 1:
            return rest
        case {"a": a, **more}:
            return a, more
        case P(0, y=y) as p:
            return p, y
        case str() | (int() as n):
            return v
        case (a, b):
            return a
        case _:
            return m
for v in (0, [1, 2, 3, 2], {"a": 1, "b": 2}, P(0, 1), "s", 5, (1, 2), 2.5):
    m(v)
