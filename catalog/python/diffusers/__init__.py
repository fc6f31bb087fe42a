"""Stands in for diffusers: its names are found in its files."""
import _ridge

__version__ = _ridge.version("diffusers")
