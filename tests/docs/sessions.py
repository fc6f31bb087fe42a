"""Sessions of Python in documents: ```pycon blocks, `>>> ` and what it prints. A document's blocks are one session, as a reader types it.

    in:  a list of texts, the folder, the environment, the library  ->  for each text the list of what is wrong (tests/docs/run.py)

`...` in the output stands for any text, blanks are as they are, and an exception is written with its Traceback's first and last line."""

import json
import subprocess
import sys

# run by the session's own Python: one namespace for all blocks, doctest's comparison
DRIVER = '''
import doctest, json, sys
found, names = [], {}
for text in json.load(sys.stdin):
    said = []
    test = doctest.DocTestParser().get_doctest(text, {}, "block", None, 0)
    test.globs = names
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(test, out=said.append, clear_globs=False)
    names = test.globs
    found.append(["".join(said).split("*" * 70 + "\\n", 1)[-1]] if runner.failures else [])
sys.__stdout__.write(json.dumps(found))
'''


def run(texts, folder, environment):
    """[[what is wrong]] of each text"""
    if not texts:
        return []
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", DRIVER], input=json.dumps(texts), capture_output=True, text=True, cwd=folder, env=environment, timeout=240)
    if done.returncode:
        return [[f"python3 ended with {done.returncode}: {done.stderr[-500:]}"]] * len(texts)
    return [[line for said in one for line in said.splitlines()] for one in json.loads(done.stdout)]
