class Proxy:
    pass


class GraphModule:
    pass


class Node:
    pass


class Graph:
    pass


class Tracer:
    pass


def wrap(fn):
    return fn


def symbolic_trace(*args, **kwargs):
    return None


class traceback:
    pass
