"""weakref: references are strong here; nothing is collected."""


class ref:
    def __init__(self, value, callback=None):
        self.value = value

    def __call__(self):
        return self.value


ReferenceType = WeakMethod = ref


def proxy(value, callback=None):
    return value


class WeakKeyDictionary(dict):
    pass


class WeakValueDictionary(dict):
    pass


class WeakSet(set):
    pass


def finalize(value, function, *args, **kwargs):
    return None
