class E(Exception):
    def __init__(self, *a):
        super().__init__(*a)
        raise ValueError("in it") if len(a) > 3 else None or E
def f():
    try:
        try:
            raise KeyError("a")
        except KeyError as e:
            raise ValueError("b") from e
        else:
            return 1
        finally:
            for i in range(3):
                if i:
                    break
    except (TypeError, ValueError) as e:
        return e.args, str(e), repr(e), e.__cause__
    finally:
        pass
f()
def g():
    for i in range(10):
        try:
            continue
        finally:
            if i == 5:
                return i
g()
try:
    raise
except RuntimeError:
    pass
try:
    raise 3
except TypeError:
    pass
with open("x") as a, b:
    pass
