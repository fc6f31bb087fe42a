"""Stands in for diffusers.utils.deprecation_utils."""
from . import deprecate
