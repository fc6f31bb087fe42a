"""importlib.machinery: kinds of modules."""


class ModuleSpec:
    def __init__(self, name, loader, **kwargs):
        self.name = name
        self.loader = loader


class SourceFileLoader:
    def __init__(self, name, path):
        self.name = name
        self.path = path
