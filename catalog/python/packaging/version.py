"""packaging.version: release numbers, then what comes before or after them (PEP 440)."""


class InvalidVersion(ValueError):
    pass


def _number(text):
    digits = ""
    for one in text:
        if not one.isdigit():
            break
        digits += one
    return digits


class Version:
    def __init__(self, version):
        self.text = str(version)
        public = self.text.strip().lstrip("v").split("+")[0]
        self.local = self.text.split("+")[1] if "+" in self.text else None
        release = []
        rest = public
        while True:
            digits = _number(rest)
            if not digits:
                break
            release.append(int(digits))
            rest = rest[len(digits):]
            if not rest.startswith(".") or not _number(rest[1:]):
                break
            rest = rest[1:]
        if not release:
            raise InvalidVersion("Invalid version: '" + self.text + "'")
        self.release = tuple(release)
        rest = rest.lstrip(".-_")
        self.dev = 0 if rest.startswith("dev") else None
        self.pre = (rest,) if rest and not rest.startswith("dev") and not rest.startswith("post") else None
        self.post = 0 if rest.startswith("post") else None

    def _key(self):
        release = list(self.release)
        while len(release) > 1 and release[-1] == 0:
            release.pop()
        order = 0 if self.dev is not None else 1 if self.pre is not None else 3 if self.post is not None else 2
        return (release, order, self.pre[0] if self.pre else "")

    @property
    def major(self):
        return self.release[0]

    @property
    def minor(self):
        return self.release[1] if len(self.release) > 1 else 0

    @property
    def micro(self):
        return self.release[2] if len(self.release) > 2 else 0

    @property
    def base_version(self):
        return ".".join([str(one) for one in self.release])

    @property
    def public(self):
        return self.text.split("+")[0]

    @property
    def is_prerelease(self):
        return self.dev is not None or self.pre is not None

    @property
    def is_devrelease(self):
        return self.dev is not None

    def __str__(self):
        return self.text

    def __repr__(self):
        return "<Version('" + self.text + "')>"

    def __hash__(self):
        return hash(self.text)

    def __eq__(self, other):
        return self._key() == _as_version(other)._key()

    def __ne__(self, other):
        return self._key() != _as_version(other)._key()

    def __lt__(self, other):
        return self._key() < _as_version(other)._key()

    def __le__(self, other):
        return self._key() <= _as_version(other)._key()

    def __gt__(self, other):
        return self._key() > _as_version(other)._key()

    def __ge__(self, other):
        return self._key() >= _as_version(other)._key()


def _as_version(value):
    return value if isinstance(value, Version) else Version(value)


def parse(text):
    return _as_version(text)
