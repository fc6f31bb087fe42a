"""Stands in for numpy.random: numbers that nobody knows."""
import torch
from numpy import _quiet


def seed(*args):
    return None


@_quiet
def rand(*shape):
    return torch.rand(*shape)


@_quiet
def random(size=None):
    return torch.rand(()) if size is None else torch.rand(size)


def uniform(low=0.0, high=1.0, size=None):
    return random(size)


@_quiet
def randn(*shape):
    return torch.randn(*shape)


@_quiet
def normal(loc=0.0, scale=1.0, size=None):
    return torch.randn(()) if size is None else torch.randn(size)


@_quiet
def randint(low, high=None, size=None, dtype=None):
    return torch.randint(0, 2, () if size is None else size)


@_quiet
def permutation(x):
    return torch.randperm(x) if isinstance(x, int) else x
