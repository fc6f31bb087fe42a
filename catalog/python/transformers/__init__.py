"""Stands in for transformers: its names are found in its files."""
import _ridge

__version__ = _ridge.version("transformers")
from .utils import is_torch_available, logging


def is_tf_available():
    return False


def is_flax_available():
    return False
