"""Stands in for transformers.utils.output_capturing."""
from .generic import _CAN_RECORD_REGISTRY, OutputRecorder, capture_outputs


def maybe_install_capturing_hooks(model):
    return None
