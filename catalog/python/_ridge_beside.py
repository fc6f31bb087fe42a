"""What models that see want beside text and pictures: questions for a transformer between, places of pictures, patches already cut."""
import _ridge
import torch


def fill(inputs, out):
    names = inputs.names
    if "qformer_input_ids" in names and "pixel_values" in out:
        _question(inputs, out)
    if "image_embeds_position_mask" in names and "pixel_values" in out and "input_ids" in out:
        _places(inputs, out)
    if "image_attention_mask" in names and "perceiver_embeddings" in names and "input_ids" in out:
        _seen(inputs, out)
    if "inputs" in names and not out and hasattr(inputs.config, "d_latents"):
        _anything(inputs, out)
    if "flattened_patches" in names and not ("input_ids" in names and inputs.work.get("images") is None):
        _patches(inputs, out)


def _question(inputs, out):
    """The text without the placeholders of pictures, or of each picture of a film."""
    tokens = getattr(inputs.config, "num_query_tokens", 0)
    if out["pixel_values"].dim() == 5:
        tokens = tokens * _ridge.plain(out["pixel_values"].shape[1])
    length = out["input_ids"].shape[1]
    out["qformer_input_ids"] = inputs.ids(inputs.batch, length - tokens if _ridge.plain(length) > _ridge.plain(tokens) else length)


def _places(inputs, out):
    """Kosmos: the first tokens are those of the picture."""
    tokens = _ridge.plain(inputs.config.latent_query_num)
    batch, length = _ridge.plain(out["input_ids"].shape[0]), _ridge.plain(out["input_ids"].shape[1])
    mask = torch.empty((out["input_ids"].shape[0], out["input_ids"].shape[1]), dtype=torch.long)
    if length < tokens:
        raise ValueError("%d tokens of pictures do not fit into %d tokens: --seq counts them, too" % (tokens, length))
    _ridge.contents(mask, ([1] * tokens + [0] * (length - tokens)) * batch)
    out["image_embeds_position_mask"] = mask


def _seen(inputs, out):
    """Idefics: pictures of each sequence in a row, and which token sees which."""
    pixels = out.get("pixel_values")
    if pixels is not None and pixels.dim() == 4:
        pixels = pixels.unsqueeze(1)
        out["pixel_values"] = pixels
    if pixels is not None:
        out["image_attention_mask"] = torch.ones((out["input_ids"].shape[0], out["input_ids"].shape[1], pixels.shape[1]), dtype=torch.long)


def _anything(inputs, out):
    """Perceiver: bytes of a text, a picture's pixels, or rows that nothing cuts up first."""
    cut = getattr(inputs.model, "input_preprocessor", None)
    if cut is None:
        cut = getattr(getattr(inputs.model, "perceiver", None), "input_preprocessor", None)
    kind = type(cut).__name__
    if kind == "PerceiverTextPreprocessor":
        out["inputs"] = inputs.ids(inputs.batch, inputs.number("seq", "S", 29))
    elif kind == "PerceiverImagePreprocessor":
        size = inputs.config.image_size
        out["inputs"] = inputs.floats(inputs.batch, 3, size, size)
    elif cut is None:
        out["inputs"] = inputs.floats(inputs.batch, inputs.number("seq", "S", 29), inputs.config.d_model)


def _patches(inputs, out):
    """Pix2Struct: patches of a picture, each after its row and column."""
    vision = getattr(inputs.config, "vision_config", inputs.config)
    width = 2 + _ridge.plain(vision.patch_embed_hidden_size)
    count = inputs.number("seq", "S", 128)
    out["flattened_patches"] = inputs.floats(inputs.batch, count, width)
