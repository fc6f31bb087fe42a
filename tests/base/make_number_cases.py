"""Writes number.case: what Python's int and Fraction answer, with "none" where the answer does not fit in 128 bits.
Run by hand: python3 tests/base/make_number_cases.py > tests/base/number.case"""
import math
import random
from fractions import Fraction

random.seed(20261121)
LOW, HIGH = -(2**127), 2**127 - 1
EDGES = [0, 1, -1, 2, -2, 3, -3, 7, -7, 10, 2**31, -(2**31), 2**32, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**64 + 1,
         10**19, 2**126, -(2**126), HIGH, HIGH - 1, LOW, LOW + 1, 10**38]


def number():
    if random.random() < 0.4:
        return random.choice(EDGES)
    n = random.getrandbits(random.choice([4, 16, 33, 63, 64, 65, 90, 127]))
    return min(n, HIGH) if random.random() < 0.5 else max(-n, LOW)


def fraction():
    small = random.random() < 0.5
    return Fraction(number() if not small else random.randint(-50, 50), max(1, abs(number()) if not small else random.randint(1, 40)) & HIGH or 1)


def show(value):
    if isinstance(value, Fraction):
        if not (LOW <= value.numerator <= HIGH and value.denominator <= HIGH):
            return "none"
        return str(value)
    return str(value) if LOW <= value <= HIGH else "none"


def emit(op, *arguments, result):
    print(op, *arguments, "=", result)


INTEGER = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}
RATIONAL = {"radd": lambda a, b: a + b, "rsub": lambda a, b: a - b, "rmul": lambda a, b: a * b,
            "rdiv": lambda a, b: a / b if b else Fraction(10**60)}

for a in EDGES:
    emit("print", a, result=f"{a} {a:,}")
    for b in random.sample(EDGES, 5):
        for op, f in INTEGER.items():
            emit(op, a, b, result=show(f(a, b)))
for _ in range(80):
    a, b = number(), number()
    for op, f in INTEGER.items():
        emit(op, a, b, result=show(f(a, b)))
for a, b in [(a, b) for a in EDGES for b in random.sample(EDGES, 5)] + [(number(), number()) for _ in range(80)]:
    # Python has no result for b == 0; LOW // -1 does not fit
    fits = b != 0 and LOW <= a // b <= HIGH
    emit("floordiv", a, b, result=f"{a // b} {a % b}" if fits else "none")
    if a > LOW and b > LOW:
        emit("gcd", a, b, result=math.gcd(a, b))
for base in [0, 1, -1, 2, -2, 3, 10, -10, 2**62, -(2**63), LOW, HIGH]:
    for exponent in [0, 1, 2, 3, 38, 39, 63, 126, 127, 128, 80]:
        emit("pow", base, exponent, result=show(base**exponent))
for base in [Fraction(0), Fraction(1), Fraction(-1), Fraction(2, 3), Fraction(-3, 2), Fraction(1, 2), Fraction(LOW), Fraction(-1, HIGH)]:
    for exponent in [-127, -126, -3, -2, -1, 0, 1, 2, 3, 79, 80, 126]:
        if base or exponent >= 0:
            emit("rpow", base, exponent, result=show(Fraction(base**exponent)))
for _ in range(200):
    a, b = fraction(), fraction()
    if random.random() < 0.2:  # near cancellation: terms past 128 bits, a sum inside
        b = -a + Fraction(random.randint(-3, 3), a.denominator)
    if show(a) == "none" or show(b) == "none":
        continue
    for op, f in RATIONAL.items():
        emit(op, a, b, result=show(f(a, b)))
    emit("rcmp", a, b, result=(a > b) - (a < b))
    emit("rround", a, result=f"{math.floor(a)} {math.ceil(a)}")
TEXTS = ["0", "-0", "+7", "0.1", "1e-05", "1e5", "1.50", "-2.25e1", "3.0000000000000000000000000000000000000000000000000000", "1e38", "0.5e-3",
         "100000000000000000000000000000000000000000e-20", "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
         "-170141183460469231731687303715884105728", "-170141183460469231731687303715884105729", "8e-39", "1e-45", "1e39", "0e999999999999999999999",
         "1e999999999999999999999", "1e-999999999999999999999", "0.000000000000000000000000000000000000000", "3.14159265358979323846264338327950288",
         "1234.5678E+2", "10000.0", ".5", "5."]
for text in TEXTS:
    big = "99999999" in text
    value = Fraction(0) if text.startswith("0e") else Fraction(10**60) if big else Fraction(text)
    emit("rparse", text, result=show(value))
