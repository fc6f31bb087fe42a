"""Stands in for transformers.processing_utils: models need Unpack of it alone."""
from typing import TypedDict, Unpack
