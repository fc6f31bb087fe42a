"""Stands in for transformers.generation.utils."""


class GenerationConfig:
    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            setattr(self, key, value)

    @classmethod
    def from_model_config(cls, config):
        return cls()

    @staticmethod
    def _get_default_generation_params():
        from ..configuration_utils import _GENERATION

        return _GENERATION


class GenerationMixin:
    def prepare_inputs_for_generation(self, input_ids, **kwargs):
        return dict(kwargs, input_ids=input_ids)

    def _update_model_kwargs_for_generation(self, outputs, model_kwargs, *args, **kwargs):
        return model_kwargs

    def generate(self, *args, **kwargs):
        import _ridge

        return _ridge.unknown("unknown function", "generate: how many steps it takes depends on data")


class ContinuousMixin:
    pass
