x = 1
def outer():
    n = 0
    def inner():
        nonlocal n
        global x
        n += 1
        x = n
        del n
        return n
    return inner
try:
    outer()()
except NameError:
    pass
def defaults(a, /, b=[], *args, c, d=x, **kw):
    b.append(a)
    return locals()
defaults(1, c=2, e=3), defaults(*[1, [2]], **{"c": 3})
for bad in (lambda: defaults(), lambda: defaults(1), lambda: defaults(a=1, c=2), lambda: defaults(1, [2], b=3, c=4)):
    try:
        bad()
    except TypeError as e:
        str(e)
class K:
    y = x
    z = [y for _ in range(2)]
del x
x
