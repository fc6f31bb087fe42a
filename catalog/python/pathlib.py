"""pathlib: paths as texts; no file exists."""
import os


class PurePath:
    def __init__(self, *parts):
        self.text = os.path.join(*[str(part) for part in parts]) if parts else "."

    def __truediv__(self, other):
        return self.__class__(self.text, other)

    def __str__(self):
        return self.text

    def __fspath__(self):
        return self.text

    def __repr__(self):
        return "PosixPath(" + repr(self.text) + ")"

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(self.text)

    @property
    def name(self):
        return os.path.basename(self.text)

    @property
    def stem(self):
        return os.path.splitext(self.name)[0]

    @property
    def suffix(self):
        return os.path.splitext(self.name)[1]

    @property
    def parent(self):
        return self.__class__(os.path.dirname(self.text) or ".")

    @property
    def parents(self):
        found = [self.parent]
        while found[-1].text not in ("", ".", "/"):
            found.append(found[-1].parent)
        return found

    @property
    def parts(self):
        return tuple([part for part in self.text.split("/") if part])

    def joinpath(self, *parts):
        return self.__class__(self.text, *parts)

    def as_posix(self):
        return self.text

    def with_suffix(self, suffix):
        return self.__class__(os.path.splitext(self.text)[0] + suffix)


class Path(PurePath):
    @classmethod
    def home(cls):
        return cls("/root")

    @classmethod
    def cwd(cls):
        return cls("/")

    def exists(self):
        return False

    is_file = is_dir = exists

    def resolve(self, strict=False):
        return self

    absolute = expanduser = resolve

    def iterdir(self):
        return iter(())

    def glob(self, pattern):
        return iter(())

    rglob = glob

    def open(self, *args, **kwargs):
        raise FileNotFoundError(self.text)

    read_text = read_bytes = write_text = mkdir = touch = unlink = open


PosixPath = Path
PurePosixPath = PureWindowsPath = PurePath
