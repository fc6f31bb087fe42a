"""Stands in for diffusers.loaders: nothing is loaded; the classes are there to be inherited from."""


class PeftAdapterMixin:
    _hf_peft_config_loaded = False


class FromOriginalModelMixin:
    pass


class UNet2DConditionLoadersMixin:
    pass


class FluxTransformer2DLoadersMixin:
    pass


class SD3Transformer2DLoadersMixin:
    pass


class LoraLoaderMixin:
    pass


class AttnProcsLayers:
    pass
