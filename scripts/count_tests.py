"""Counts the test cases in meson's JUnit log: count_tests.py FILE MESON_EXIT. Prints the failed ones and "N passed, N failed"; exits 1 when any failed."""
import sys
import xml.etree.ElementTree as ElementTree

passed, failed, skipped = 0, [], 0
try:
    cases = ElementTree.parse(sys.argv[1]).getroot().iter("testcase")
except (OSError, ElementTree.ParseError) as error:
    cases = []
    failed.append(f"the test run left no log: {error}")
for case in cases:
    if case.find("failure") is not None or case.find("error") is not None:
        failed.append(f"{case.get('classname')}: {case.get('name')}")
    elif case.find("skipped") is not None:
        skipped += 1
    else:
        passed += 1
if sys.argv[2] != "0" and not failed:
    failed.append(f"meson test exited with {sys.argv[2]}")
for name in failed:
    print("failed:", name)
if skipped:
    print(f"{skipped} skipped")
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
