"""Stands in for diffusers.utils.outputs."""
from . import BaseOutput
