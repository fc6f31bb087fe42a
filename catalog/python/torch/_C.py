# The compiled part of PyTorch, as far as models name it.


class Value:
    pass


class Node:
    pass


class Graph:
    pass


class Generator:
    pass


def _get_tracing_state():
    return None


def _log_api_usage_once(name):
    pass


class _functorch:
    pass
