"""Inputs that single tasks have: pairs of pictures, prompts, graphs, series without lags, trajectories, two texts beside each other."""
import _ridge
import torch


def fill(inputs, out):
    for name, make in _MAKERS:
        if name in inputs.names and name not in out:
            make(inputs, out)
    if "KeypointMatching" in type(inputs.model).__name__ or hasattr(inputs.config, "coarse_matching_threshold"):
        _pair(inputs, out)


def _seq(inputs, default):
    return inputs.number("seq", "S", default)


def _ones(*shape):
    return torch.ones(shape, dtype=torch.long)


def _pair(inputs, out):
    """Two pictures of one scene."""
    pixels = out["pixel_values"]
    if pixels.dim() == 4:
        out["pixel_values"] = inputs.floats(pixels.shape[0], 2, *pixels.shape[1:])


def _prompts(inputs, out):
    """A picture, and how it is to be painted, as an example: the model sees one above the other."""
    shape = out["pixel_values"].shape
    shape = (*shape[:2], shape[2] // 2, shape[3])
    out["pixel_values"] = inputs.floats(*shape)
    out["prompt_pixel_values"] = inputs.floats(*shape)
    out["prompt_masks"] = inputs.floats(*shape)


def _queries(inputs, out):
    """What a transformer asks the states of an encoder."""
    config = inputs.config
    out["query_embeds"] = inputs.floats(inputs.batch, getattr(config, "num_query_tokens", 32), config.hidden_size)
    if "encoder_hidden_states" in inputs.names and hasattr(config, "encoder_hidden_size"):
        out["encoder_hidden_states"] = inputs.floats(inputs.batch, _seq(inputs, 29), config.encoder_hidden_size)


def _masked_film(inputs, out):
    """Every other tube of a film's patches is hidden."""
    config = inputs.config
    if "bool_masked_pos" not in inputs.required or not hasattr(config, "tubelet_size"):
        return
    pixels = out["pixel_values"]
    patch = config.patch_size
    count = (pixels.shape[1] // config.tubelet_size) * (pixels.shape[-2] // patch) * (pixels.shape[-1] // patch)
    mask = torch.empty((inputs.batch, count), dtype=torch.bool)
    total = _ridge.plain(count)
    row = [i % 2 == 1 for i in range(total)]
    out["bool_masked_pos"] = _ridge.contents(mask, row * _ridge.plain(inputs.batch))


def _two_texts(inputs, out):
    for name in ("query", "doc"):
        out["input_ids_" + name] = inputs.ids(inputs.batch, _seq(inputs, 29))
        out["attention_mask_" + name] = _ones(inputs.batch, _seq(inputs, 29))


def _sound_beside_film(inputs, out):
    config = inputs.config
    out["audio_values"] = inputs.floats(inputs.batch, config.num_audio_channels, config.spectrogram_length, config.frequency_length)
    if "pixel_values_mixed" in inputs.names:
        out["pixel_values_mixed"] = inputs.floats(*out["pixel_values"].shape)
        out["labels"] = inputs.floats(inputs.batch, 1)


def _mel(inputs, out):
    frames = inputs.number("frames", "frames", 400)
    out["audio_mel"] = inputs.floats(inputs.batch, frames, inputs.config.input_feat_size)
    out["audio_mel_mask"] = _ridge.filled(torch.empty((inputs.batch, frames), dtype=torch.bool), False)


def _graph(inputs, out):
    """Nodes, edges along shortest paths, and a bias per pair with one more node for the graph."""
    batch, count, hops = inputs.batch, _seq(inputs, 29), inputs.config.multi_hop_max_dist
    out["input_nodes"] = inputs.ids(batch, count, 1)
    out["input_edges"] = inputs.ids(batch, count, count, hops, 1)
    out["attn_bias"] = inputs.floats(batch, count + 1, count + 1)
    out["in_degree"] = inputs.ids(batch, count)
    out["out_degree"] = inputs.ids(batch, count)
    out["spatial_pos"] = inputs.ids(batch, count, count)
    out["attn_edge_type"] = inputs.ids(batch, count, count, 1)


_CLASSES = 3


def _class_names(inputs, out):
    """Names of what is looked for in each picture, and the task in words."""
    batch, length = inputs.batch, _seq(inputs, 29)
    names = batch * _CLASSES
    ids = inputs.ids(names, length)
    count = _ridge.plain(length)
    rows = [[7 + i] * count for i in range(_ridge.plain(names))]  # each another one: what is known already is not read again
    out["classes_input_ids"] = _ridge.contents(ids, [word for row in rows for word in row])
    out["classes_attention_mask"] = _ones(names, length)
    out["tasks_input_ids"] = _ridge.contents(inputs.ids(batch, length), [5 + i for i in range(_ridge.plain(batch)) for j in range(count)])
    out["tasks_attention_mask"] = _ones(batch, length)
    out["classes_structure"] = torch.tensor([_CLASSES] * _ridge.plain(batch))


def _trajectories(inputs, out):
    out["trajectories"] = inputs.ids(inputs.batch, _seq(inputs, 29))


def _pictures_as_words(inputs, out):
    out["return_loss"] = False


def _questions(inputs, out):
    """Where in the text a question stands."""
    out["question_positions"] = inputs.ids(inputs.batch, 1)


_MAKERS = (
    ("prompt_pixel_values", _prompts),
    ("bool_masked_pos", _masked_film),
    ("query_embeds", _queries),
    ("input_ids_query", _two_texts),
    ("audio_values", _sound_beside_film),
    ("audio_mel", _mel),
    ("input_nodes", _graph),
    ("classes_input_ids", _class_names),
    ("trajectories", _trajectories),
    ("codebook_pixel_values", _pictures_as_words),
    ("question_positions", _questions),
)
