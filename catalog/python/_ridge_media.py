"""Pictures, films and sound among the inputs of a model."""
import _ridge
import torch

from _ridge_workload import _first, _pair

_PLACEHOLDERS = ("image_token_id", "image_token_index", "img_context_token_id", "image_token", "boi_token_index")


def _vision_config(config):
    for name in ("vision_config", "image_encoder_config", "encoder", "vision_tower_config", "backbone_config"):
        found = getattr(config, name, None)
        if found is not None and hasattr(found, "to_dict"):
            return found
    inner = getattr(config, "vlm_config", None)
    return config if inner is None else _vision_config(inner)


def _of_vision(inputs, names):
    found = _first(inputs.config, names)
    return _first(_vision_config(inputs.config), names) if found is None else found


def _size_of_config(inputs):
    """What the config, or one of a part of the model, says of an image's sides; None where none does."""
    names = ("image_size", "input_size", "img_size", "crop_size", "max_img_size")
    found = _of_vision(inputs, names)
    if found is None:
        found = _first(getattr(_vision_config(inputs.config), "backbone_config", None), names)
    ratios = getattr(inputs.config, "scaled_images_ratios", None)
    if found is None and ratios:
        found = int(inputs.config.patch_size / min(ratios))
    return found


def image_size(inputs):
    """Height and width: those of the workload as symbols, else the config's."""
    work = inputs.work
    if work.get("image_height") is None:
        size = _size_of_config(inputs)
        height, width = _pair(size) if size is not None else (224, 224)
        work["image_height"] = _ridge.plain(height)
        work["image_width"] = _ridge.plain(width)
        if size is not None:
            return height, width
    return _ridge.named("image_height", work["image_height"]), _ridge.named("image_width", work["image_width"])


def _channels(inputs):
    found = _of_vision(inputs, ("num_channels", "in_channels", "in_chans", "num_input_channels"))
    return 3 if found is None or isinstance(found, (list, tuple)) else found


def placeholder(inputs):
    """The token that stands for a piece of a picture, or None."""
    film = ("video_token_index",) if "pixel_values_videos" not in inputs.names else ()  # the pictures are a film's
    for name in _PLACEHOLDERS + film:
        found = getattr(inputs.config, name, None)
        if found is None:
            found = getattr(getattr(inputs.config, "vlm_config", None), name, None)
        if isinstance(found, int):
            return found
    words = getattr(inputs.config, "vocabulary_map", None)
    return words.get("<image>", None) if isinstance(words, dict) else None


def _takes_text(inputs):
    return "input_ids" in inputs.names


def _optional_images(inputs):
    """A language model that also sees: pictures only where the workload says so."""
    return _takes_text(inputs) and (placeholder(inputs) is not None or "cross_attention_mask" in inputs.names)


def sees_in_text(inputs):
    """Pictures stand among the tokens of the text, where their placeholders are."""
    return wants_images(inputs) and _takes_text(inputs) and (placeholder(inputs) is not None or "bbox" in inputs.names)


def _optional_sound(inputs):
    """A language model that also hears: sound only where the workload says so."""
    names = ("audio_token_id", "audio_token_index", "audio_placeholder_token")
    return _takes_text(inputs) and (any(hasattr(inputs.config, name) for name in names) or "pixel_values" in inputs.names)


def needs_images(inputs):
    """A forward that cannot do without pictures."""
    return "pixel_values" in inputs.required


def wants_images(inputs):
    if "pixel_values" not in inputs.names:
        return False
    if not _optional_images(inputs) or needs_images(inputs):
        return True
    return (inputs.work.get("images") or 0) > 0


def _reads(inputs, name):
    """A model that takes spectrograms as well as samples: which of them its encoder reads."""
    encoder = getattr(inputs.model, "encoder", None)
    if "input_features" in inputs.names and "input_values" in inputs.names and encoder is not None:
        return name in [word for word, kind, default in _ridge.parameters(type(encoder).forward)]
    return name in inputs.names


def fill(inputs, out):
    if wants_images(inputs):
        _images(inputs, out)
    if "pixel_values_videos" in inputs.names and "pixel_values" not in inputs.names and not _takes_text(inputs):
        height, width = image_size(inputs)
        frames = inputs.number("video_frames", "video_frames", _ridge.plain(_of_vision(inputs, ("frames_per_clip", "num_frames")) or 16))
        out["pixel_values_videos"] = inputs.floats(inputs.batch, frames, _channels(inputs), height, width)
    if _reads(inputs, "input_features") and (not _optional_sound(inputs) or inputs.work.get("frames") is not None):
        _features(inputs, out)
    if _reads(inputs, "input_values") and not ("input_ids" in inputs.names and inputs.work.get("samples") is None):
        _values(inputs, out)


# ---- pictures ----


def _images(inputs, out):
    height, width = image_size(inputs)
    if _optional_images(inputs):
        images = inputs.number("images", "images", 1)
    else:
        images = None
    if "image_grid_thw" in inputs.names:
        _grid_images(inputs, out, images, height, width)
    elif "spatial_shapes" in inputs.names:
        _patch_images(inputs, out, height, width)
    else:
        _plain_images(inputs, out, images, height, width)


def _plain_images(inputs, out, images, height, width):
    shape = (_channels(inputs), height, width)
    name = type(inputs.model).__name__
    frames = _of_vision(inputs, ("num_frames",))
    if "ForImageClassification" in name:
        frames = None
    if frames is None and hasattr(inputs.config, "video_token_index") and "qformer_input_ids" in inputs.names:
        frames = 4
    if "aspect_ratio_ids" in inputs.names:
        _tiled_images(inputs, out, images, shape)
    elif images is not None and "image_sizes" in inputs.names and getattr(inputs.config, "image_grid_pinpoints", None):
        _pinpoint_images(inputs, out, images, height, width)
    elif images is not None and "pixel_attention_mask" in inputs.names:
        out["pixel_values"] = inputs.floats(inputs.batch, images, *shape)
    elif images is not None:
        count = inputs.batch * images
        out["pixel_values"] = inputs.floats(count, *shape)
        if "image_sizes" in inputs.names and "image_sizes" in _feature_names(inputs):
            out["image_sizes"] = torch.tensor([[height, width]] * _ridge.plain(count))
    elif frames is not None:
        frames = inputs.number("video_frames", "video_frames", _ridge.plain(frames))
        out["pixel_values"] = inputs.floats(inputs.batch, frames, *shape)
    else:
        out["pixel_values"] = inputs.floats(inputs.batch, *shape)


def _grid_images(inputs, out, images, height, width):
    """Patches of all pictures in one row, with the size of each as a grid."""
    vision = _vision_config(inputs.config)
    patch, frames = vision.patch_size, getattr(vision, "temporal_patch_size", 1)
    rows, columns = height // patch, width // patch
    count = inputs.batch * images
    channels = _channels(inputs)
    out["pixel_values"] = inputs.floats(count * rows * columns, channels * frames * patch * patch)
    out["image_grid_thw"] = torch.tensor([[1, rows, columns]] * _ridge.plain(count))


def _patch_images(inputs, out, height, width):
    vision = _vision_config(inputs.config)
    patch = vision.patch_size
    rows, columns = height // patch, width // patch
    count = rows * columns
    out["pixel_values"] = inputs.floats(inputs.batch, count, _channels(inputs) * patch * patch)
    if "pixel_attention_mask" in inputs.names:
        out["pixel_attention_mask"] = torch.ones((inputs.batch, count), dtype=torch.long)
    out["spatial_shapes"] = torch.tensor([[rows, columns]] * _ridge.plain(inputs.batch))


def _tiled_images(inputs, out, images, shape):
    """Every picture has the most tiles that there may be."""
    tiles = _vision_config(inputs.config).max_num_tiles
    images = inputs.number("images", "images", 1) if images is None else images
    out["pixel_values"] = inputs.floats(inputs.batch, images, tiles, *shape)
    out["aspect_ratio_ids"] = torch.ones((inputs.batch, images), dtype=torch.long)
    out["aspect_ratio_mask"] = torch.ones((inputs.batch, images, tiles), dtype=torch.long)
    if "cross_attention_mask" not in inputs.names:
        return
    length = out["input_ids"].shape[1]
    out["cross_attention_mask"] = torch.ones((inputs.batch, length, images, tiles), dtype=torch.long)


def _pinpoint_images(inputs, out, images, height, width):
    """One base view and the tiles of the grid that suits the picture best."""
    from transformers.image_processing_utils import select_best_resolution

    side = _ridge.plain(_vision_config(inputs.config).image_size)
    best = select_best_resolution((_ridge.plain(height), _ridge.plain(width)), inputs.config.image_grid_pinpoints)
    tiles = 1 + (best[0] // side) * (best[1] // side)
    count = inputs.batch * images
    size = _vision_config(inputs.config).image_size
    out["pixel_values"] = inputs.floats(count, tiles, _channels(inputs), size, size)
    out["image_sizes"] = torch.tensor([[height, width]] * _ridge.plain(count))


_NOT_FEATURES = ("input_ids", "attention_mask", "decoder_input_ids", "use_cache", "cross_attention_mask")


def place(inputs, out):
    """Puts the placeholders of pictures into the text: as many as the model makes features of them."""
    token = placeholder(inputs)
    if token is None or "pixel_values" not in out or "input_ids" not in out:
        return
    count = _feature_count(inputs, out)
    if count is None:
        return
    ids = out["input_ids"]
    batch, length = _ridge.plain(ids.shape[0]), _ridge.plain(ids.shape[1])
    each = _ridge.plain(count) // batch
    if each > length:
        raise ValueError("%d tokens of pictures do not fit into %d tokens: --seq counts them, too" % (each, length))
    other = 1 if _ridge.plain(token) != 1 else 2
    _ridge.contents(ids, ([token] * each + [other] * (length - each)) * batch)
    if "mm_token_type_ids" in inputs.names:
        kinds = torch.empty((ids.shape[0], ids.shape[1]), dtype=torch.long)
        out["mm_token_type_ids"] = _ridge.contents(kinds, ([1] * each + [0] * (length - each)) * batch)
    if "token_type_ids" in inputs.names and "input_ids" in out and _ridge.version("transformers").startswith("5."):
        kinds = torch.empty((ids.shape[0], ids.shape[1]), dtype=torch.long)
        out["token_type_ids"] = _ridge.contents(kinds, ([1] * each + [0] * (length - each)) * batch)


def _holder(inputs):
    """The part of the model that makes features of pictures, or None."""
    for part in (inputs.model, getattr(inputs.model, "model", None)):
        if hasattr(part, "get_image_features"):
            return part
    return None


def _feature_names(inputs):
    holder = _holder(inputs)
    return [] if holder is None else [name for name, kind, default in _ridge.parameters(type(holder).get_image_features)]


def _feature_count(inputs, out):
    """How many rows of features the pictures of a call have, by running the part of the model that makes them."""
    tokens = _first(inputs.config, ("num_query_tokens",))
    if tokens is not None:
        return inputs.batch * inputs.work["images"] * tokens * (inputs.work.get("video_frames") or 1)
    holder, names = _holder(inputs), _feature_names(inputs)
    if holder is None:
        return None
    given = {name: value for name, value in out.items() if name not in _NOT_FEATURES and name in names}
    for name in ("vision_feature_layer", "vision_feature_select_strategy"):
        if name in names and _of_vision(inputs, (name,)) is not None:
            given[name] = _of_vision(inputs, (name,))
    return _rows(holder.get_image_features(**given))


def _rows(features):
    pooled = getattr(features, "pooler_output", None)
    if pooled is not None:
        features = pooled
    if isinstance(features, (list, tuple)):
        if len(features) > 1 and isinstance(features[0], (list, tuple)):
            return _rows(features[0])
        total = 0
        for part in features:
            rows = _rows(part)
            if rows is not None:
                total = total + rows
        return total
    if not isinstance(features, torch.Tensor):
        return None
    rows = 1
    for size in features.shape[:-1]:
        rows = rows * size
    return rows


# ---- sound ----


def _of_audio(inputs, names):
    found = _first(inputs.config, names)
    if found is None:
        found = _first(getattr(inputs.config, "audio_config", None), names)
    return found


def _convolves(model, bins):
    """The spectrogram is read by a convolution over its frames: its bins are the channels."""
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Conv1d) and name.split(".")[-1] in ("conv1", "mel_conv") and module.in_channels == bins:
            return True
    return False


def _takes(model, width):
    """Some matrix or convolution of the model takes rows of this width."""
    for module in model.modules():
        if getattr(module, "in_features", getattr(module, "in_channels", None)) == width:
            return True
    return False


def _features(inputs, out):
    audio = getattr(inputs.config, "audio_config", None)
    if audio is not None and hasattr(audio, "spec_size"):
        channels = 4 if getattr(audio, "enable_fusion", False) else 1
        frames = audio.spec_size * (audio.spec_size // audio.num_mel_bins)
        out["input_features"] = inputs.floats(inputs.batch, channels, frames, audio.num_mel_bins)
        out["is_longer"] = _ridge.filled(torch.empty((inputs.batch, 1), dtype=torch.bool), True)
        return
    bins = _of_audio(inputs, ("num_mel_bins", "input_feat_per_channel", "feature_size", "feature_projection_input_dim", "num_chroma"))
    if bins is None:
        bins = 80 if _takes(inputs.model, 80) else _first(inputs.config, ("d_model",)) or 80
    most = _of_audio(inputs, ("max_source_positions",))
    frames = inputs.number("frames", "frames", 2 * _ridge.plain(most) if most is not None and most < 4000 else 400)
    if not _convolves(inputs.model, bins):
        out["input_features"] = inputs.floats(inputs.batch, frames, bins)
    else:
        out["input_features"] = inputs.floats(inputs.batch, bins, frames)


def _values(inputs, out):
    most, bins = _first(inputs.config, ("max_length",)), getattr(inputs.config, "num_mel_bins", None)
    if bins is not None and "max_length" in inputs.config.__dict__ and hasattr(inputs.config, "frequency_stride"):
        out["input_values"] = inputs.floats(inputs.batch, most, bins)
        return
    samples = inputs.number("samples", "samples", 8000)
    if hasattr(inputs.config, "audio_channels") or "padding_mask" in inputs.names or hasattr(inputs.config, "codebook_dim"):
        out["input_values"] = inputs.floats(inputs.batch, _first(inputs.config, ("audio_channels",)) or 1, samples)
    else:
        out["input_values"] = inputs.floats(inputs.batch, samples)
