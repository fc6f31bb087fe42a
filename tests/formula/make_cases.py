"""Writes python.case: what Python answers to random formulas (numbers are Fractions, so / is exact). Formulas with a value past 128 bits on the
way, with an error or with a 0 ** -n are left out; errors stand in errors.case by hand.
Run by hand: python3 tests/formula/make_cases.py > tests/formula/python.case"""
import ast
import random
from fractions import Fraction
from math import ceil, floor

random.seed(20261121)
LOW, HIGH = -(2**127), 2**127 - 1
NAMES = {"a": 7, "b": -3, "x": Fraction(5, 2), "B": 2, "S": 5, "past": 7, "T": 12}
LITERALS = ["0", "1", "2", "3", "7", "10", "64", "4096", "0.5", "2.25", "1e3", "1e-2", "9223372036854775808"]


class TooLarge(Exception):
    pass


def fits(value):
    if isinstance(value, Fraction) and not (LOW <= value.numerator <= HIGH and value.denominator <= HIGH):
        raise TooLarge
    return value


def arithmetic(op, left, right):
    """One operation, with the 128-bit limit of every step."""
    if op == "**" and isinstance(right, Fraction):
        if right.denominator != 1 or abs(right) > 130:
            raise TooLarge
        right = int(right)
    result = {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right, "/": lambda: left / right, "//": lambda: left // right,
              "%": lambda: left % right, "**": lambda: left**right}[op]()
    return fits(Fraction(result))


class Exact(ast.NodeTransformer):
    """Every number a Fraction, every operation through arithmetic()."""
    OPS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"}

    def __init__(self, text):
        self.text = text

    def visit_Constant(self, node):
        if isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            text = ast.Constant(ast.get_source_segment(self.text, node))
            return ast.copy_location(ast.Call(ast.Name("Fraction", ast.Load()), [text], []), node)
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return ast.copy_location(ast.Call(ast.Name("arithmetic", ast.Load()), [ast.Constant(self.OPS[type(node.op)]), node.left, node.right], []), node)


def show(value):
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, (int, Fraction)):
        return str(fits(Fraction(value)))
    if isinstance(value, str):
        return repr(value)
    return "[" + ", ".join(show(item) for item in value) + "]"


FUNCTIONS = {"Fraction": Fraction, "arithmetic": arithmetic, "min": min, "max": max, "ceil": lambda v: Fraction(ceil(v)), "floor": lambda v: Fraction(floor(v)),
             "int": lambda v: Fraction(int(v)), "abs": abs, "len": lambda v: Fraction(len(v)), "sum": lambda v: fits(Fraction(sum(v))), "any": any, "all": all,
             "range": lambda *v: [Fraction(i) for i in range(*map(int, v))], "ceil_div": lambda p, q: Fraction(-((-p) // q))}


def answer(text):
    tree = ast.parse(text, mode="eval")
    tree = ast.fix_missing_locations(Exact(text).visit(tree))
    return show(eval(compile(tree, text, "eval"), {**FUNCTIONS, **{name: Fraction(value) for name, value in NAMES.items()}}))


def atom():
    return random.choice(LITERALS) if random.random() < 0.5 else random.choice(list(NAMES))


def number(depth):
    if depth == 0:
        return atom()
    pick = random.random()
    if pick < 0.5:
        op = random.choice(["+", "-", "*", "/", "//", "%", "+", "*", "//", "%"])
        left, right = number(depth - 1), number(depth - 1)
        return f"({left} {op} {right})" if random.random() < 0.3 else f"{left} {op} {right}"
    if pick < 0.58:
        return f"{number(depth - 1)} ** {random.choice(['2', '3', '0', '-1', '-2', 'B', '2 ** 2'])}"
    if pick < 0.68:
        return f"-{number(depth - 1)}"
    if pick < 0.76:
        return f"({number(depth - 1)} if {condition(depth - 1)} else {number(depth - 1)})"
    if pick < 0.9:
        name = random.choice(["min", "max", "ceil", "floor", "int", "abs", "ceil_div"])
        count = {"min": 3, "max": 2, "ceil_div": 2}.get(name, 1)
        return f"{name}({', '.join(number(depth - 1) for _ in range(count))})"
    return f"{random.choice(['sum', 'len', 'max'])}({items(depth - 1)})"


def items(depth):
    if random.random() < 0.5:
        return "[" + ", ".join(number(depth) for _ in range(random.randint(1, 3))) + "]"
    tail = f" if {random.choice(['i % 2', 'i > 1', 'i != 3'])}" if random.random() < 0.5 else ""
    return f"[{random.choice(['i', 'i * i', 'i // 2 - a', 'i ** 2 % 5'])} for i in range({random.choice(['4', 'S', '1, 6', '10, 0, -3', 'B * 3'])}){tail}]"


def condition(depth):
    pick = random.random()
    if pick < 0.4:
        return f"{number(depth)} {random.choice(['<', '<=', '>', '>=', '==', '!='])} {number(depth)}"
    if pick < 0.55:
        ops = [random.choice(["<", "<=", "==", ">", "!="]) for _ in range(2)]
        return f"{number(depth)} {ops[0]} {number(depth)} {ops[1]} {number(depth)}"
    if pick < 0.7:
        return f"not {condition(depth)}"
    if pick < 0.85:
        return f"{number(depth)} {random.choice(['in', 'not in'])} {items(depth)}"
    return f"({condition(depth)} {random.choice(['and', 'or'])} {condition(depth)})"


def formula():
    pick = random.random()
    depth = random.randint(1, 3)
    if pick < 0.6:
        return number(depth)
    if pick < 0.8:
        return condition(depth)
    if pick < 0.9:
        return f"{number(depth)} {random.choice(['and', 'or'])} {number(depth)}"
    return items(depth)


seen = set()
while len(seen) < 1500:
    text = formula()
    if text in seen or len(text) > 160:
        continue
    try:
        result = answer(text)
    except (TooLarge, ZeroDivisionError, ValueError, TypeError):
        continue
    seen.add(text)
    print(text, result, sep="\n", end="\n\n")
