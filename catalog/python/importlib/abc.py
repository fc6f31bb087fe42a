"""importlib.abc: kinds of loaders."""


class Loader:
    pass


class MetaPathFinder:
    pass
