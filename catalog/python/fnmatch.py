"""fnmatch: by regular expressions."""
import re


def translate(pattern):
    return "".join([{"*": ".*", "?": "."}.get(one, re.escape(one)) for one in pattern])


def fnmatchcase(name, pattern):
    return re.fullmatch(translate(pattern), name) is not None


fnmatch = fnmatchcase


def filter(names, pattern):
    return [name for name in names if fnmatchcase(name, pattern)]
