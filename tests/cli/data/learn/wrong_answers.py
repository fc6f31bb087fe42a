"""Gives `ridge learn --agent` one wrong answer after the other and prints why each is refused; "TAKEN" where one is not."""

import json
import os
import subprocess
import sys


def number(**fields):
    return json.dumps(dict({"value": "mask_0", "thinking": "x"}, **fields))


def result(**fields):
    whole = {"results": [{"shape": ["x0_0", "x0_1", "x0_2"], "dtype": "float32"}], "flops": {"other": "x0_0"},
             "bytes": {"reads": "x0_0", "writes": "x0_0"}, "thinking": "x"}
    return json.dumps(dict(whole, **fields))


def shaped(shape, dtype="float32"):
    return result(results=[{"shape": shape, "dtype": dtype}])


NUMBERS = {
    "nothing": "", "words before": "Sure! " + number(), "words after": number() + " hope this helps", "a fence": "```json\n" + number() + "\n```",
    "cut off": number()[:-4], "a list": "[1]", "a number": "7", "null": "null", "deep": "[" * 100000, "a key twice": '{"value": 1, "value": 2, "thinking": "x"}',
    "a key more": number(exec="rm"), "no thinking": '{"value": 1}', "empty thinking": number(thinking=""), "no value": '{"thinking": "x"}',
    "NaN": '{"value": NaN, "thinking": "x"}', "infinite": '{"value": Infinity, "thinking": "x"}', "not whole": number(value=1.5), "large": number(value=10**50),
    "exponent": number(value="2**2000"), "tower": number(value="B**B**B"), "power": number(value="B**5000"), "unknown name": number(value="rows"),
    "unknown field": number(value="config.hidden_size"), "a word": number(value="phase"), "negative": number(value="B - 5"), "negative number": number(value=-1),
    "negative elsewhere": number(value="B - 2"), "fraction": number(value="B/3"), "fraction elsewhere": number(value="B/2"), "by zero": number(value="1//0"),
    "by zero elsewhere": number(value="7//(B-1)"), "more than there are": number(value="mask_0*mask_1*2"), "text": number(value="'abc'"), "list": number(value="[1,2]"),
    "code": number(value="__import__('os')"), "no arguments": number(value="min()"), "one argument": number(value="ceil_div(1)"),
    "a module": number(value="{torch__nn__Linear}(1,2,3)"), "long": number(value="1+" * 3000 + "1"), "nested": number(value="(" * 300 + "1" + ")" * 300),
    "endless": number(value="sum(range(100000000))"), "broken": number(value="B +"), "a statement": number(value="B = 3"), "NUL": '{"value": "1\\u0000", "thinking": "x"}',
    "true": number(value=True), "another form": result(), "no UTF-8": b'{"value": "\xff\xfe", "thinking": "x"}', "None": number(value="None"),
}
RESULTS = {
    "no cost": json.dumps({"results": [{"shape": [1], "dtype": "float32"}], "thinking": "x"}), "no classes": result(flops={}), "no writes": result(bytes={"reads": 1}),
    "unknown class": result(flops={"magic": 1}), "negative cost": result(flops={"matmul": "x0_0 - 9"}), "fraction of a byte": result(bytes={"reads": "x0_1/2", "writes": 1}),
    "cost in unknown names": result(flops={"matmul": "rows"}), "too many bytes": result(bytes={"reads": "2**100", "writes": 1}), "no results": result(results=[]),
    "wrong dtype": shaped(["x0_0"], "float33"), "no dtype": result(results=[{"shape": []}]), "rank 13": shaped([1] * 13), "a size below 0": shaped(["x0_0 - 9"]),
    "a huge size": shaped(["2**41"]), "no list": shaped("x0_0"), "another rank": shaped([]), "another size": shaped(["x0_0", "x0_1", 5]),
    "two results": result(results=[{"shape": ["x0_0"], "dtype": "float32"}] * 2), "another kind": shaped(["x0_0", "x0_1", "x0_2"], "int64"),
}
PROGRAMS = {"exit 1": "exit 1", "words and exit 3": "echo no key >&2; exit 3", "killed": "kill -9 $$", "slow": "sleep 60", "endless words": "yes",
            "100 MB": "head -c 100000000 /dev/zero", "no words": "printf ''"}


def reason(of, inputs, command, *more):
    p = subprocess.run(["ridge", "learn", of, "--source", "tests/cli/data/learn/masked.py", "--inputs", inputs, "--batch", "2", "--agent", command, "--json", *more],
                       capture_output=True, text=True, check=False)
    if p.returncode:
        return p.stderr.strip()
    answer = json.loads(p.stdout)
    if answer["pending"]:
        return "TAKEN"
    return f"{len(answer['refused'])}x {answer['refused'][0]['reason']}".replace(os.getcwd() + "/", "")[:160]


def each(answers, of, inputs):
    for name, text in answers.items():
        with open(sys.argv[1] + "/answer", "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        print(f"{name}: {reason(of, inputs, 'cat ' + sys.argv[1] + '/answer')}")


each(NUMBERS, "masked.Masked", "x=B,S,48 keep=B,S:bool")
each(RESULTS, "masked.Strange", "x=B,S,48")
for name, command in PROGRAMS.items():
    print(f"{name}: {reason('masked.Masked', 'x=B,S,48 keep=B,S:bool', command, '--agent-seconds', '1')}")
