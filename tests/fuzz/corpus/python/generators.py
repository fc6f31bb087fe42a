def g(n):
    x = yield n
    for i in range(n):
        if i % 3 == 0:
            continue
        yield i
    yield from (j for j in g(n - 1)) if n > 0 else ()
    return n
list(g(3)), sum(g(2)), next(g(1)), [*g(1)], dict(enumerate(g(2)))
import itertools, functools
list(itertools.chain([1], (2,), "ab")), list(itertools.product("ab", repeat=2)), functools.reduce(lambda a, b: a + b, [1, 2])
a, *b, c = range(5)
(d, [e, *_]) = 1, (2, 3)
for i, (j, k) in enumerate([(1, 2), (3, 4)]):
    pass
else:
    i = None
while True:
    if (n := len(b)) > 2:
        break
sorted([3, 1, 2], key=lambda v: -v, reverse=True), list(map(str, [1])), list(filter(None, [0, 1])), any([]), all([1]), list(zip(*[(1, 2), (3, 4)]))
def forever():
    while True:
        yield 1
for q in forever():
    pass
