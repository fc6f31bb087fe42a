"""os.path: texts; no file exists."""
sep = "/"


def join(first, *parts):
    found = str(first)
    for part in parts:
        part = str(part)
        if part.startswith("/"):
            found = part
        elif not found or found.endswith("/"):
            found = found + part
        else:
            found = found + "/" + part
    return found


def split(path):
    head, _, tail = str(path).rpartition("/")
    return (head, tail)


def basename(path):
    return split(path)[1]


def dirname(path):
    return split(path)[0]


def splitext(path):
    head, tail = split(path)
    stem, dot, extension = tail.rpartition(".")
    if not dot or not stem:
        return (str(path), "")
    return (str(path)[: len(str(path)) - len(extension) - 1], "." + extension)


def exists(path):
    return False


isfile = isdir = islink = lexists = ismount = exists


def isabs(path):
    return str(path).startswith("/")


def expanduser(path):
    return str(path).replace("~", "/root", 1) if str(path).startswith("~") else str(path)


def expandvars(path):
    return path


def normpath(path):
    found = []
    for part in str(path).split("/"):
        if part == ".." and found:
            found.pop()
        elif part not in ("", "."):
            found.append(part)
    return ("/" if str(path).startswith("/") else "") + "/".join(found)


def abspath(path):
    return normpath(path if isabs(path) else "/" + str(path))


realpath = abspath


def relpath(path, start="/"):
    return str(path)


def commonprefix(paths):
    return ""


def getsize(path):
    raise FileNotFoundError(path)


getmtime = getsize
