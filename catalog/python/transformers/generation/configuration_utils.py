"""Stands in for transformers.generation.configuration_utils."""
from .utils import GenerationConfig
