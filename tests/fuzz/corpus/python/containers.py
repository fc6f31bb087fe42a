d = {"a": 1, **{"b": 2}}
d.setdefault("c", (1,)); d.pop("a", None)
for k in list(d.items()):
    d[k] = k
d.update(zip("xy", range(2)), z=3)
l = [3, 1, 2]
l.sort(); l.insert(0, 5); l[1:2] = [7, 8, 9]; l[::2] = [0] * len(l[::2]); l += (1,); del l[-1], l[::3]
for v in l:
    l.append(v)
    if len(l) > 50:
        break
s = {1, 2} | {3} & {3, 4} - {4} ^ {5}
s.add((1, (2,))); frozenset(s) <= s
try:
    {[]: 1}
except TypeError:
    pass
for k in d:
    d[str(k) + "x"] = 1
t = ((1, 2), "a") + (None,)
t < t, t[-1], t.index("a"), t.count(1), hash(t), [[]] * 3 == [[], [], []], sorted({"b": 1, "a": 2})
