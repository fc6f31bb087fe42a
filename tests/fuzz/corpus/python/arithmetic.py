a = 7 // 2 - -3 ** 2 % 5 << 1 | 6 & 3 ^ 1
b = 1e308 * 10, 1 / 3, 5.5 // 2, -7 % 3, 2 ** -1, 0.1 + 0.2, float("inf"), float("nan")
c = round(2.5), abs(-3), min(1, 2, 3), max([4, 5]), sum(range(10)), divmod(7, 2), pow(2, 10, 1000)
d = [x ** 2 for x in range(10) if x % 2], {x: y for x, y in zip("ab", (1, 2))}, {i for i in (1, 1, 2)}
e = 1 < a < 3 != b is not None and not c or d
assert 10 ** 18 > 10 ** 9, "large"
f = int("0x1f", 16), int("  12 "), float("1e3"), bool([]), str(1.0), hex(255), bin(5), oct(8), chr(97), ord("b")
g = 9223372036854775807 + 1 - 1
