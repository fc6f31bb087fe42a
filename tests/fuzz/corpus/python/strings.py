x, w = 3.14159, 10
f"{x!r:>{w}} {{}} {x=} {x:.2f} {w:05d} {'a' 'b'} {w:,}" f'{x:%}' rf"\{x}"
"%s %d %.3f %r %%" % ("a", 1, 2.5, None), "%(a)s" % {"a": 1}, "{0} {b} {c[0]} {d.__class__!r:>5}".format(1, b=2, c=[3], d=None)
s = "Hello, Wörld \N{BULLET} \x41 \u00e9 \101 \
z"
s.split(","), s.lower().upper(), s[::-1], s[1:3], "a" in s, s.startswith(("H", "J")), s.find("o"), s.replace("l", "L", 1)
"-".join(["a", "b"]), "a.b.c".rsplit(".", 1), " a ".strip(), "ab" * 3, s.partition(","), s.isdigit(), s.encode(), "x".zfill(5)
import re
re.match(r"(\w+)\.(\d+)", "layer.12").group(1), re.sub("a+", "b", "caat"), re.findall(r"(a|b)*c", "ababc" * 5), re.compile("(a*)*b").match("a" * 40)
b"\xff\x00", "".join(chr(i) for i in range(128)), ascii("é"), repr("'\"\n")
