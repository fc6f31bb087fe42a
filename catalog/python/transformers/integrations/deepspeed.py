"""Stands in for transformers.integrations.deepspeed."""


def is_deepspeed_zero3_enabled():
    return False


def is_deepspeed_available():
    return False
