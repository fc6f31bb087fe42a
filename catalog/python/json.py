"""json: nothing is read from files here; texts are written for keys and messages."""


class JSONDecodeError(ValueError):
    pass


class JSONEncoder:
    def __init__(self, *args, **kwargs):
        pass

    def default(self, value):
        raise TypeError("not serializable")


class JSONDecoder:
    pass


def _text(value):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join([_text(str(key)) + ": " + _text(item) for key, item in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([_text(item) for item in value]) + "]"
    raise TypeError("Object of type " + type(value).__name__ + " is not JSON serializable")


def dumps(value, **kwargs):
    return _text(value)


def dump(value, file, **kwargs):
    raise OSError("nothing is written here")


def loads(text, **kwargs):
    raise JSONDecodeError("no text is read here")


def load(file, **kwargs):
    raise OSError("no file is read here")
