"""Inputs that are neither text nor pictures nor sound: boxes, time series, regions, steps of a game."""
import _ridge
import torch

_REGIONS = 36


def fill(inputs, out):
    names = inputs.names
    if "bbox" in names and "input_ids" in out:
        _boxes(inputs, out)
    if "task_inputs" in names and hasattr(inputs.config, "task_seq_len"):
        out["task_inputs"] = inputs.ids(inputs.batch, inputs.config.task_seq_len)
    if "past_values" in names:
        _series(inputs, out)
    if "visual_feats" in names:
        _regions(inputs, out)
    if "returns_to_go" in names:
        _steps(inputs, out)
    if "decoder_input_values" in names:
        _decoder_frames(inputs, out)


def _boxes(inputs, out):
    batch, length = out["input_ids"].shape[0], out["input_ids"].shape[1]
    corners = getattr(inputs.config, "dim_bbox", 4)
    if corners == 4:
        out["bbox"] = _ridge.filled(torch.empty((batch, length, 4), dtype=torch.long), 0)
    else:
        out["bbox"] = inputs.floats(batch, length, corners)


def _series(inputs, out):
    """Values of the past with the lags that the model looks back, and of the future where it decodes."""
    config = inputs.config
    channels = getattr(config, "num_input_channels", None)
    if "freq" in inputs.names:
        _patched_series(inputs, out)
        return
    length = inputs.number("seq", "S", _ridge.plain(config.context_length))
    if channels is not None:
        out["past_values"] = inputs.floats(inputs.batch, length, channels)
        return
    lags = getattr(config, "lags_sequence", None)
    past = length + (max(lags) if lags else 0)
    size = () if getattr(config, "input_size", 1) == 1 else (config.input_size,)
    features = getattr(config, "num_time_features", 0)
    future = config.prediction_length
    out["past_values"] = inputs.floats(inputs.batch, past, *size)
    out["past_time_features"] = inputs.floats(inputs.batch, past, features)
    out["past_observed_mask"] = torch.ones((inputs.batch, past) + size)
    if "future_values" in inputs.names:
        out["future_values"] = inputs.floats(inputs.batch, future, *size)
        out["future_time_features"] = inputs.floats(inputs.batch, future, features)
    if getattr(config, "num_static_categorical_features", 0) > 0:
        out["static_categorical_features"] = inputs.ids(inputs.batch, config.num_static_categorical_features)
    if getattr(config, "num_static_real_features", 0) > 0:
        out["static_real_features"] = inputs.floats(inputs.batch, config.num_static_real_features)


def _patched_series(inputs, out):
    """Rows of numbers of which each has a frequency: one tensor with what is padded in it, or a list of rows."""
    config = inputs.config
    length = inputs.number("seq", "S", _ridge.plain(config.context_length))
    if "past_values_padding" in inputs.names:
        out["past_values"] = inputs.floats(inputs.batch, length)
        out["past_values_padding"] = torch.zeros((inputs.batch, length), dtype=torch.long)
        out["freq"] = torch.zeros((inputs.batch, 1), dtype=torch.long)
    else:
        out["past_values"] = [inputs.floats(length) for i in range(_ridge.plain(inputs.batch))]
        out["freq"] = [0] * _ridge.plain(inputs.batch)


def _regions(inputs, out):
    config = inputs.config
    out["visual_feats"] = inputs.floats(inputs.batch, _REGIONS, config.visual_feat_dim)
    out["visual_pos"] = inputs.floats(inputs.batch, _REGIONS, config.visual_pos_dim)


def _steps(inputs, out):
    config = inputs.config
    batch, length = inputs.batch, inputs.number("seq", "S", 20)
    out["states"] = inputs.floats(batch, length, config.state_dim)
    out["actions"] = inputs.floats(batch, length, config.act_dim)
    out["rewards"] = inputs.floats(batch, length, 1)
    out["returns_to_go"] = inputs.floats(batch, length, 1)
    out["timesteps"] = inputs.ids(batch, length)
    out["attention_mask"] = torch.ones((batch, length), dtype=torch.long)


def _decoder_frames(inputs, out):
    if "decoder_input_ids" in out:
        out.pop("decoder_input_ids")
    length = inputs.number("decoder_seq", "decoder_S", 46)
    encoder = getattr(inputs.model, "encoder", None)
    bare = encoder is not None and not hasattr(encoder, "prenet")  # hidden states are read as they are
    if bare:
        out["input_values"] = inputs.floats(inputs.batch, inputs.number("seq", "S", 29), inputs.config.hidden_size)
    out["decoder_input_values"] = inputs.floats(inputs.batch, length, inputs.config.hidden_size if bare else inputs.config.num_mel_bins)
    if "speaker_embeddings" in inputs.names:
        out["speaker_embeddings"] = inputs.floats(inputs.batch, inputs.config.speaker_embedding_dim)
