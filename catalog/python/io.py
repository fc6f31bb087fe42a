"""io: buffers in memory that hold what is written."""


class IOBase:
    pass


class StringIO(IOBase):
    def __init__(self, text=""):
        self.text = text

    def write(self, text):
        self.text += text
        return len(text)

    def getvalue(self):
        return self.text

    def read(self, size=-1):
        return self.text

    def seek(self, place):
        return place

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


BytesIO = BufferedIOBase = RawIOBase = TextIOBase = StringIO


def open(*args, **kwargs):
    raise OSError("no file is opened here")
