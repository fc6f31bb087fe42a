"""hashlib: digests are of no use to a model's cost."""


class _Hash:
    def __init__(self, data="", **kwargs):
        pass

    def update(self, data):
        pass

    def hexdigest(self):
        return "0" * 64

    digest = hexdigest


md5 = sha1 = sha256 = sha512 = blake2b = _Hash


def new(name, data="", **kwargs):
    return _Hash()
