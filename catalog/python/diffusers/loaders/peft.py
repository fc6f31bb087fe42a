"""Stands in for diffusers.loaders.peft."""
from . import PeftAdapterMixin
