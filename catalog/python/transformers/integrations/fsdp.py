"""Stands in for transformers.integrations.fsdp."""


def is_fsdp_managed_module(module):
    return False


def is_fsdp_enabled():
    return False
