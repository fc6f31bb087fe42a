"""The inputs of a diffusion model's step, by what its forward takes and its config says."""
import _ridge
import torch

_LATENT = 8  # pixels of a picture per side of an element that the model works on
_LATENTS = {"LTXVideo": (32, 8), "Wan": (8, 4), "HunyuanVideo": (8, 4), "CogVideoX": (8, 4), "EasyAnimate": (8, 4), "Sana": (32, 1), "UNet2DModel": (1, 1)}  # else: that, and how many pictures are one
_TEXT = 77


def is_diffusion(inputs):
    names = inputs.names
    return ("sample" in names or "hidden_states" in names or "x" in names) and "input_ids" not in names and hasattr(inputs.model, "register_to_config")


def _get(config, *names):
    for name in names:
        found = config.get(name, None)
        if found is not None:
            return found
    return None


def step(inputs):
    config, names, out = inputs.config, inputs.names, {}
    if "encoder" in dict(inputs.model.named_children()) and "timestep" not in names:
        return _autoencoder(inputs, config)
    if "audio_hidden_states" in names and "token_tags" in names:
        return _packed_film(inputs, config)
    main = "sample" if "sample" in names else "hidden_states" if "hidden_states" in names else "x"
    height, width = _size(inputs, config)
    frames = _frames(inputs, config)
    packed = _packed(inputs, config)
    channels = _get(config, "in_channels", "in_dim")
    channels = 4 if channels is None else channels
    if packed:
        rows = (height // 2) * (width // 2) if "img_ids" in names or "img_shapes" in names else height * width
        out[main] = inputs.floats(inputs.batch, rows if frames is None else frames * rows, channels)
    elif frames is None:
        out[main] = inputs.floats(inputs.batch, channels, height, width)
    else:
        if "inpaint_latents" in names and config["out_channels"] < channels:  # what is given beside the film has the other channels
            out["inpaint_latents"] = inputs.floats(inputs.batch, channels - config["out_channels"], frames, height, width)
            channels = config["out_channels"]
        order = (channels, frames) if not _frames_first(inputs) else (frames, channels)
        out[main] = inputs.floats(inputs.batch, *order, height, width)
    _time(inputs, out)
    _text(inputs, config, out)
    _places(inputs, config, out, height, width, frames)
    _more(inputs, config, out, height, width)
    if "text_embedding_mask_t5" in names:
        _two_texts(inputs, config, out, height, width)
    if "clip_text_pooled" in names:
        _cascade(inputs, config, out, height, width)
    return out


def _latent(inputs):
    name = type(inputs.model).__name__
    for start, sizes in _LATENTS.items():
        if name.startswith(start):
            return sizes
    return _LATENT, 1


def _packed(inputs, config):
    """The picture comes as a row of patches."""
    names = inputs.names
    return "img_ids" in names or "img_shapes" in names or ("num_frames" in names and "height" in names and "width" in names)


def _frames_first(inputs):
    return type(inputs.model).__name__.startswith(("UNetSpatio", "CogVideo", "Latte"))


def _size(inputs, config):
    work = inputs.work
    if work.get("image_height") is None:
        size = _get(config, "sample_size")
        if size is None and _get(config, "sample_height") is not None:
            return config["sample_height"], config["sample_width"]
        if size is None:
            work["image_height"] = work["image_width"] = 1024 if "clip_text_pooled" in inputs.names else 64 * _latent(inputs)[0]
        else:
            sides = size if isinstance(size, (list, tuple)) else (size, size)
            return sides[-2], sides[-1]
    height = _ridge.named("image_height", work["image_height"])
    width = _ridge.named("image_width", work["image_width"])
    if "clip_text_pooled" in inputs.names:
        return _cascade_side(config, height), _cascade_side(config, width)
    pixels = _latent(inputs)[0]
    return height // pixels, width // pixels


def _cascade_side(config, side, small=False):
    """Stable Cascade makes a very small latent first, one element of 42.67 pixels, and of that one that is 10.67 times as large."""
    side = -(-100 * side // 4267)
    return side if small or config["effnet_in_channels"] is None else side * 1067 // 100


_FILMS = ("WanTransformer", "HunyuanVideo", "CogVideo", "Mochi", "Allegro", "LTXVideo", "UNet3D", "UNetSpatio", "UNetMotion", "Latte", "Cosmos", "SkyReels", "Wan", "EasyAnimate", "ConsisID", "I2VGen", "SanaVideo")


def _frames(inputs, config):
    patch = _get(config, "patch_size")
    film = isinstance(patch, (list, tuple)) and len(patch) == 3
    film = film or _get(config, "patch_size_t", "temporal_compression_ratio", "sample_frames", "num_frames") is not None or "num_frames" in inputs.names
    film = film or type(inputs.model).__name__.startswith(_FILMS)
    if not film:
        return None
    given = _get(config, "sample_frames", "num_frames")
    pictures = _latent(inputs)[1]
    if given is not None and not type(inputs.model).__name__.startswith("CogVideo"):  # which gives pictures, the others latents
        given = pictures * (_ridge.plain(given) - 1) + 1
    number = inputs.number("video_frames", "video_frames", 9 if given is None else _ridge.plain(given))
    latents = number if pictures == 1 else (number - 1) // pictures + 1
    filled = _get(config, "patch_size_t") if type(inputs.model).__name__.startswith("CogVideo") else None
    return latents if filled is None else (latents + filled - 1) // filled * filled


def _time(inputs, out):
    for name in ("timestep", "timesteps", "r", "timestep_ratio"):
        if name in inputs.names:
            out[name] = _ridge.as_input(torch.empty((inputs.batch,), dtype=torch.long if name.startswith("timestep") and name != "timestep_ratio" else torch.float32))


def _text(inputs, config, out):
    names = inputs.names
    width = _get(
        config,
        "joint_attention_dim",
        "caption_channels",
        "encoder_hid_dim",
        "cross_attention_dim",
        "text_dim",
        "text_embed_dim",
        "text_embedding_dim",
        "cap_feat_dim",
        "text_states_dim",
    )
    if isinstance(width, (list, tuple)):
        width = width[0]
    length = inputs.number("seq", "S", _ridge.plain(config["max_text_seq_length"]) if "ofs" in names else _TEXT)
    if "encoder_hidden_states" in names and width is not None:
        out["encoder_hidden_states"] = inputs.floats(inputs.batch, length, width)
        for name in ("encoder_attention_mask", "encoder_hidden_states_mask"):
            if name in inputs.required:
                out[name] = torch.ones((inputs.batch, length), dtype=torch.long)
    pooled = _get(config, "pooled_projection_dim")
    if "pooled_projections" in names and pooled is not None:
        out["pooled_projections"] = inputs.floats(inputs.batch, pooled)
    if "guidance" in names and _get(config, "guidance_embeds"):
        out["guidance"] = inputs.floats(inputs.batch)


def _places(inputs, config, out, height, width, frames):
    names = inputs.names
    axes = _get(config, "axes_dims_rope")
    count = 3 if axes is None else len(axes)
    if "img_ids" in names:
        out["img_ids"] = _ridge.as_input(torch.empty((out["hidden_states"].shape[1], count)))
        if "txt_ids" in names and "encoder_hidden_states" in out:
            out["txt_ids"] = _ridge.as_input(torch.empty((out["encoder_hidden_states"].shape[1], count)))
    if "img_shapes" in names:
        out["img_shapes"] = [[(1, height // 2, width // 2)]] * _ridge.plain(inputs.batch)
        if "txt_seq_lens" in names:
            out["txt_seq_lens"] = [out["encoder_hidden_states"].shape[1]] * _ridge.plain(inputs.batch)
    if "num_frames" in names:
        out["num_frames"] = frames
        if "height" in names:
            out["height"], out["width"] = height, width
    if "ofs" in names:
        _cog(inputs, config, out, height, width, frames)


def _cog(inputs, config, out, height, width, frames):
    """What CogVideoX's pipeline makes: tables of the places of all patches, and a second time."""
    patch, film = config["patch_size"], _get(config, "patch_size_t")
    if config["use_rotary_positional_embeddings"]:
        places = frames // (1 if film is None else film) * (height // patch) * (width // patch)
        out["image_rotary_emb"] = tuple(_ridge.as_input(torch.empty((places, config["attention_head_dim"]))) for _ in range(2))
    if _get(config, "ofs_embed_dim"):
        out["ofs"] = inputs.floats(inputs.batch)


def _more(inputs, config, out, height, width):
    names = inputs.names
    if "class_labels" in names and _get(config, "num_class_embeds", "num_embeds_ada_norm", "class_embed_type") is not None:
        out["class_labels"] = _class_labels(inputs, config)
    if "controlnet_cond" in names:
        _condition(inputs, config, out, height, width)
    for name in ("original_size", "target_size", "crop_coords"):
        if name in names:
            out[name] = inputs.floats(inputs.batch, 2)
    if "added_cond_kwargs" in names:
        _added(inputs, config, out)
    if "encoder_hidden_states_image" in names and _get(config, "image_dim") is not None:
        out["encoder_hidden_states_image"] = inputs.floats(inputs.batch, 257, config["image_dim"])
    if "added_time_ids" in names:
        out["added_time_ids"] = inputs.floats(inputs.batch, 3)


def _class_labels(inputs, config):
    """A number of a class, or what is already an embedding."""
    kind = _get(config, "class_embed_type")
    if kind in ("projection", "simple_projection"):
        return inputs.floats(inputs.batch, config["projection_class_embeddings_input_dim"])
    if kind == "identity":
        width = _get(config, "time_embedding_dim")
        return inputs.floats(inputs.batch, 4 * config["block_out_channels"][0] if width is None else width)
    return inputs.ids(inputs.batch, 1)[:, 0]


def _condition(inputs, config, out, height, width):
    """What a control net follows: a picture in pixels, or one that is encoded as the noisy one is."""
    if _get(config, "controlnet_conditioning_channel_order") is not None:
        channels = _get(config, "conditioning_channels")
        out["controlnet_cond"] = inputs.floats(inputs.batch, 3 if channels is None else channels, _LATENT * height, _LATENT * width)
        return
    channels, extra = _get(config, "in_channels"), _get(config, "extra_conditioning_channels", "extra_condition_channels")
    channels = channels if extra is None else channels + extra
    if "hidden_states" in out and len(out["hidden_states"].shape) == 3:
        out["controlnet_cond"] = inputs.floats(inputs.batch, out["hidden_states"].shape[1], channels)
    else:
        out["controlnet_cond"] = inputs.floats(inputs.batch, channels, height, width)


def _two_texts(inputs, config, out, height, width):
    """Two texts of lengths that the config gives, with their masks, and what the pipeline adds for the picture's size."""
    lengths, patch = (config["text_len"], config["text_len_t5"]), config["patch_size"]
    out["timestep"] = inputs.floats(inputs.batch)
    out["encoder_hidden_states"] = inputs.floats(inputs.batch, lengths[0], config["cross_attention_dim"])
    out["encoder_hidden_states_t5"] = inputs.floats(inputs.batch, lengths[1], config["cross_attention_dim_t5"])
    for name, length in zip(("text_embedding_mask", "text_embedding_mask_t5"), lengths):
        out[name] = torch.ones((inputs.batch, length), dtype=torch.long)
    if config["use_style_cond_and_image_meta_size"]:
        out["image_meta_size"], out["style"] = inputs.floats(inputs.batch, 6), inputs.ids(inputs.batch, 1)[:, 0]
    places = (height // patch) * (width // patch)
    out["image_rotary_emb"] = tuple(_ridge.as_input(torch.empty((places, config["attention_head_dim"]))) for _ in range(2))


def _packed_film(inputs, config):
    """MiniMax-H3: text, sound and film as one sequence. 17 pictures are five latents, two more begin it; sound has 40 latents a second, twice."""
    work = inputs.work
    if work.get("image_height") is None:
        work["image_height"], work["image_width"] = 768, 1344
    patch = config["patch_size"]
    height, width = _ridge.named("image_height", work["image_height"]), _ridge.named("image_width", work["image_width"])
    chunks = (inputs.number("video_frames", "video_frames", 73) + 11) // 17
    pictures = 17 * chunks + 5
    film = (5 * chunks + 2) // patch[0] * (height // 16 // patch[1]) * (width // 16 // patch[2])
    text, sound = inputs.number("seq", "S", _TEXT), 2 * ((10 * pictures + 3) // 6)
    whole = text + sound + film
    index = lambda count: torch.empty((count,), dtype=torch.long)
    return {
        "hidden_states": inputs.floats(inputs.batch, film, config["in_channels"] * patch[0] * patch[1] * patch[2]),
        "audio_hidden_states": inputs.floats(inputs.batch, sound, config["audio_in_channels"]),
        "encoder_hidden_states": inputs.floats(inputs.batch, text, config["text_dim"]),
        "timestep": inputs.floats(2),
        "timestep_indices": index(whole), "token_tags": index(whole), "position_ids": _ridge.as_input(torch.empty((whole, 3))),
        "video_indices": index(film), "audio_indices": index(sound), "text_indices": index(text),
    }


def _cascade(inputs, config, out, height, width):
    """The texts and pictures of Stable Cascade as CLIP embeds them, and the small latent that the large one is made of."""
    out["clip_text_pooled"] = inputs.floats(inputs.batch, 1, config["clip_text_pooled_in_channels"])
    if config["clip_text_in_channels"] is not None and config["clip_image_in_channels"] is not None:
        out["clip_text"] = inputs.floats(inputs.batch, inputs.number("seq", "S", _TEXT), config["clip_text_in_channels"])
        out["clip_img"] = inputs.floats(inputs.batch, 1, config["clip_image_in_channels"])
    if config["effnet_in_channels"] is not None:
        sides = [_cascade_side(config, _ridge.named(name, inputs.work[name]), True) for name in ("image_height", "image_width")]
        out["effnet"] = inputs.floats(inputs.batch, config["effnet_in_channels"], *sides)


def _added(inputs, config, out):
    """A size and a crop as six numbers beside the pooled text; or resolution and shape."""
    if _get(config, "addition_embed_type") == "text_time":
        each = _get(config, "addition_time_embed_dim")
        pooled = _get(config, "projection_class_embeddings_input_dim") - 6 * each
        out["added_cond_kwargs"] = {"text_embeds": inputs.floats(inputs.batch, pooled), "time_ids": inputs.floats(inputs.batch, 6)}
    elif "added_cond_kwargs" in inputs.names and _get(config, "caption_channels") is not None:
        out["added_cond_kwargs"] = {"resolution": None, "aspect_ratio": None}
        if getattr(inputs.model, "use_additional_conditions", False):
            out["added_cond_kwargs"] = {"resolution": inputs.floats(inputs.batch, 2), "aspect_ratio": inputs.floats(inputs.batch, 1)}


def _autoencoder(inputs, config):
    """A picture or a film in pixels."""
    channels = _get(config, "in_channels", "in_chans", "in_dim")
    name = type(inputs.model).__name__
    work = inputs.work
    if work.get("image_height") is None:
        work["image_height"] = work["image_width"] = 256
    sides = (_ridge.named("image_height", work["image_height"]), _ridge.named("image_width", work["image_width"]))
    main = "sample" if "sample" in inputs.names else inputs.required[0]
    channels = 3 if channels is None else channels
    if "num_frames" in inputs.names:
        number = inputs.number("video_frames", "video_frames", 1)
        return {main: inputs.floats(number * inputs.batch, channels, *sides), "num_frames": number}
    film = _get(config, "temporal_compression_ratio", "temporal_downsample", "temperal_downsample") is not None
    if film or name.endswith(("Wan", "QwenImage", "LTXVideo", "Mochi", "CogVideoX", "HunyuanVideo", "Allegro", "Cosmos", "Magvit")):
        frames = inputs.number("video_frames", "video_frames", 5)
        return {main: inputs.floats(inputs.batch, channels, frames, *sides)}
    return {main: inputs.floats(inputs.batch, channels, *sides)}
