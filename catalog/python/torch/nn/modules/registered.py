# What Module's _parameters, _buffers and _modules are: dicts of the moment; an item that is set or deleted is so in the module.
class Registered(dict):
    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value)
        if self.kind == "_modules":
            self.owner.register_module(key, value)
        elif self.kind == "_parameters":
            self.owner.register_parameter(key, value)
        else:
            self.owner.register_buffer(key, value)

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        delattr(self.owner, key)

    def pop(self, key, *default):
        found = dict.pop(self, key, *default)
        if hasattr(self.owner, key):
            delattr(self.owner, key)
        return found


def registered(owner, kind, items):
    made = Registered(items)
    made.owner = owner
    made.kind = kind
    return made
