"""Pictures, films and sound among the inputs of a model."""
import _ridge
import torch

from _ridge_workload import _first, _pair


def _vision_config(config):
    for name in ("vision_config", "image_encoder_config", "vision", "encoder"):
        found = getattr(config, name, None)
        if found is not None and not isinstance(found, (int, str)):
            return found
    return config


def _image_size(inputs):
    work = inputs.work
    config = _vision_config(inputs.config)
    size = _first(config, ("image_size", "input_size", "img_size"))
    if work.get("image_height") is None:
        height, width = _pair(size) if size is not None else (224, 224)
        work["image_height"] = _ridge.plain(height)
        work["image_width"] = _ridge.plain(width)
        if size is not None:
            return height, width
    return _ridge.named("image_height", work["image_height"]), _ridge.named("image_width", work["image_width"])


def _channels(inputs):
    found = _first(_vision_config(inputs.config), ("num_channels", "in_channels", "in_chans", "num_input_channels"))
    return 3 if found is None else found


def _wants_images(inputs):
    """A model that takes text as well has pictures only where the workload says so."""
    if "pixel_values" not in inputs.names:
        return False
    return "input_ids" not in inputs.names or (inputs.work.get("images") or 0) > 0 or inputs.work.get("image_height") is not None


def fill(inputs, out):
    if _wants_images(inputs):
        _images(inputs, out)
    if "input_features" in inputs.names:
        _features(inputs, out)
    if "input_values" in inputs.names:
        _values(inputs, out)


def _images(inputs, out):
    height, width = _image_size(inputs)
    frames = _first(inputs.config, ("num_frames",))
    shape = (inputs.batch, _channels(inputs), height, width)
    if frames is not None and "pixel_values_videos" not in inputs.names:
        frames = inputs.number("video_frames", "video_frames", _ridge.plain(frames))
        shape = (inputs.batch, frames, _channels(inputs), height, width)
    out["pixel_values"] = inputs.floats(*shape)


def _features(inputs, out):
    bins = _first(inputs.config, ("num_mel_bins", "feature_size", "input_feat_per_channel", "num_mel_bins"))
    most = getattr(inputs.config, "max_source_positions", None)
    frames = inputs.number("frames", "frames", 2 * _ridge.plain(most) if most is not None else 400)
    out["input_features"] = inputs.floats(inputs.batch, 80 if bins is None else bins, frames)


def _values(inputs, out):
    out["input_values"] = inputs.floats(inputs.batch, inputs.number("samples", "samples", 8000))
