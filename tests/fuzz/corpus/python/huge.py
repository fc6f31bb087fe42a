def attempt(f):
    try:
        return f()
    except (OverflowError, MemoryError, ValueError, ZeroDivisionError) as e:
        return str(e)
attempt(lambda: 10 ** 10 ** 10)
attempt(lambda: "a" * 10 ** 12)
attempt(lambda: [0] * 10 ** 9)
attempt(lambda: (1, 2) * 2 ** 40)
attempt(lambda: 1 << 10 ** 10)
attempt(lambda: "%1000000000d" % 1)
attempt(lambda: f"{1:>1000000000}")
attempt(lambda: "a".ljust(10 ** 12))
attempt(lambda: bytes(10 ** 12))
attempt(lambda: "ab".replace("", "x" * 10000) * 10 ** 6)
attempt(lambda: 1 // 0)
r = range(10 ** 18)
r[5], len(range(0, 10 ** 18, 3)), 10 ** 17 in r, r[::2], reversed(r)
list(range(10 ** 18))
