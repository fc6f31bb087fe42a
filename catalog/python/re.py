"""re: patterns are matched in C (_re)."""
import _re

IGNORECASE = I = 2
MULTILINE = M = 8
DOTALL = S = 16
VERBOSE = X = 64
ASCII = A = 256
UNICODE = U = 32


class error(Exception):
    pass


PatternError = error


def _names(pattern):
    found = {}
    group = 0
    place = 0
    while place < len(pattern):
        one = pattern[place]
        if one == "\\":
            place += 1
        elif one == "[":
            end = pattern.find("]", place + 2)
            place = end if end > 0 else place
        elif one == "(":
            if pattern[place + 1 : place + 4] == "?P<":
                group += 1
                found[pattern[place + 4 : pattern.find(">", place)]] = group
            elif pattern[place + 1 : place + 2] != "?":
                group += 1
        place += 1
    return found


class Match:
    def __init__(self, pattern, string, spans):
        self.re = pattern
        self.string = string
        self.spans = spans

    def _place(self, group):
        return self.re.groupindex[group] if isinstance(group, str) else group

    def span(self, group=0):
        return self.spans[self._place(group)]

    def start(self, group=0):
        return self.span(group)[0]

    def end(self, group=0):
        return self.span(group)[1]

    def _one(self, group, default=None):
        start, end = self.span(group)
        return default if start < 0 else self.string[start:end]

    def group(self, *groups):
        if not groups:
            return self._one(0)
        if len(groups) == 1:
            return self._one(groups[0])
        return tuple([self._one(group) for group in groups])

    def __getitem__(self, group):
        return self._one(group)

    def groups(self, default=None):
        return tuple([self._one(group, default) for group in range(1, len(self.spans))])

    def groupdict(self, default=None):
        return {name: self._one(group, default) for name, group in self.re.groupindex.items()}

    @property
    def lastindex(self):
        found = None
        for group in range(1, len(self.spans)):
            if self.spans[group][0] >= 0:
                found = group
        return found

    def expand(self, template):
        return _expand(template, self)


def _expand(template, match):
    if callable(template):
        return template(match)
    found = ""
    place = 0
    while place < len(template):
        one = template[place]
        if one != "\\" or place + 1 >= len(template):
            found += one
            place += 1
            continue
        kind = template[place + 1]
        if kind == "g" and template[place + 2 : place + 3] == "<":
            end = template.find(">", place)
            name = template[place + 3 : end]
            found += match.group(int(name) if name.isdigit() else name) or ""
            place = end + 1
        elif kind.isdigit():
            found += match.group(int(kind)) or ""
            place += 2
        else:
            found += {"n": "\n", "t": "\t", "\\": "\\"}.get(kind, "\\" + kind)
            place += 2
    return found


class Pattern:
    def __init__(self, pattern, flags=0):
        self.pattern = pattern
        self.flags = flags
        self.groupindex = _names(pattern)

    def _run(self, string, start, how):
        spans = _re.match(self.pattern, self.flags, string, start, how)
        return None if spans is None else Match(self, string, spans)

    def search(self, string, pos=0):
        return self._run(string, pos, 0)

    def match(self, string, pos=0):
        return self._run(string, pos, 1)

    def fullmatch(self, string, pos=0):
        return self._run(string, pos, 2)

    def finditer(self, string):
        found = []
        place = 0
        while place <= len(string):
            match = self.search(string, place)
            if match is None:
                break
            found.append(match)
            place = match.end() if match.end() > match.start() else match.end() + 1
        return iter(found)

    def findall(self, string):
        found = []
        for match in self.finditer(string):
            groups = match.groups("")
            found.append(match.group() if not groups else groups[0] if len(groups) == 1 else groups)
        return found

    def subn(self, replacement, string, count=0):
        found = ""
        place = 0
        done = 0
        for match in self.finditer(string):
            if count and done >= count:
                break
            found += string[place : match.start()] + _expand(replacement, match)
            place = match.end()
            done += 1
        return (found + string[place:], done)

    def sub(self, replacement, string, count=0):
        return self.subn(replacement, string, count)[0]

    def split(self, string, maxsplit=0):
        found = []
        place = 0
        for match in self.finditer(string):
            if maxsplit and len(found) >= maxsplit:
                break
            found.append(string[place : match.start()])
            found.extend(match.groups())
            place = match.end()
        return found + [string[place:]]


def compile(pattern, flags=0):
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)


def search(pattern, string, flags=0):
    return compile(pattern, flags).search(string)


def match(pattern, string, flags=0):
    return compile(pattern, flags).match(string)


def fullmatch(pattern, string, flags=0):
    return compile(pattern, flags).fullmatch(string)


def findall(pattern, string, flags=0):
    return compile(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    return compile(pattern, flags).finditer(string)


def sub(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).subn(repl, string, count)


def split(pattern, string, maxsplit=0, flags=0):
    return compile(pattern, flags).split(string, maxsplit)


def escape(pattern):
    return "".join(["\\" + one if one in ".^$*+?{}[]|()\\-&~# \t\n" else one for one in pattern])


def purge():
    pass
