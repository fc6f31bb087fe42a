"""Stands in for huggingface_hub: nothing is fetched."""


class PyTorchModelHubMixin:
    pass


def hf_hub_download(*args, **kwargs):
    raise OSError("nothing is fetched")


snapshot_download = cached_download = hf_hub_url = hf_hub_download


def repo_exists(*args, **kwargs):
    return False
