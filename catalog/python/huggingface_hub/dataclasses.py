"""Stands in for huggingface_hub.dataclasses: fields are not validated."""


def strict(cls=None, *, accept_kwargs=False):
    def same(x):
        return x

    return same if cls is None else cls


def validated_field(validator, default=None, **kwargs):
    return default


def as_validated_field(validator):
    def field(default=None, **kwargs):
        return default

    return field


def validate_typed_dict(*args, **kwargs):
    return None
