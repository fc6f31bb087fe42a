"""Stands in for transformers.generation: a step of a model is run, not a loop over them."""
from .utils import GenerationConfig, GenerationMixin
