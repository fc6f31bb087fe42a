"""Stands in for diffusers.loaders.single_file_model."""
from . import FromOriginalModelMixin
