"""The inputs of a model, chosen by what its forward takes and its config says."""
import sys

import _ridge
import torch

from _ridge_model import cache_of

# numbers that nobody gave: small, not round, different from each other
_BATCH, _SEQ, _DECODER, _PAST, _ENCODER = 3, 29, 23, 37, 31
_CHOICES = 2
_WORDS = (7, 11, 13, 17, 19, 23, 29, 31)


def _first(config, names):
    for name in names:
        found = getattr(config, name, None)
        if found is not None:
            return found
    return None


def _pair(size):
    if isinstance(size, (list, tuple)):
        return (size[0], size[-1])
    if isinstance(size, dict):
        return (size["height"], size["width"])
    return (size, size)


def _encoder_outputs(hidden, heard):
    """As generation hands them on: what the encoder itself gave where that has more than its last states."""
    from transformers.modeling_outputs import BaseModelOutput

    own = heard[-1] if heard else None
    if isinstance(own, BaseModelOutput) or not hasattr(own, "last_hidden_state"):
        return BaseModelOutput(last_hidden_state=hidden)
    return own


def _listen(model, heard):
    """Keeps what a model's encoder gives in a list."""
    encoder = model.get_encoder() if hasattr(model, "get_encoder") else None
    if not isinstance(encoder, torch.nn.Module):
        return None
    return encoder.register_forward_hook(lambda module, arguments, output: heard.append(output))


def _for_encoder(inputs):
    return [name for name in inputs if not name.startswith(("decoder_", "speaker_"))]


class Inputs:
    def __init__(self, model, workload):
        self.model = model
        self.work = workload
        self.config = getattr(model, "config", None)
        self.parameters = _ridge.parameters(type(model).forward)[1:]
        self.names = [name for name, kind, default in self.parameters if kind in ("positional", "keyword")]
        self.required = [name for name, kind, default in self.parameters if kind == "positional" and default is ...]
        self.rest = any(kind == "keywords" for name, kind, default in self.parameters)
        self.encoder_decoder = bool(getattr(self.config, "is_encoder_decoder", False)) and (
            "decoder_input_ids" in self.names or "decoder_input_values" in self.names
        )
        self.batch = self.number("batch", "B", _BATCH)
        self.caches = "use_cache" in self.names and not (self.encoder_decoder and getattr(self.config, "use_cache", True) is False)

    # numbers

    def number(self, key, name, default, least=1):
        """A number of the workload as a symbol; what was not given is filled in."""
        value = self.work.get(key)
        if value is None:
            value = self.clamp(default)
            self.work[key] = value
        return _ridge.named(name, value, least)

    def clamp(self, value):
        text = self.text_config()
        most = _first(text, ("max_position_embeddings", "n_positions", "max_target_positions", "n_ctx"))
        if isinstance(most, int) and 8 < most < 64:
            return min(value, _ridge.plain(most) // 3)
        return value

    def fitting(self, length):
        """A length that is not padded to blocks, where the encoder works in such."""
        window = getattr(self.config, "attention_window", None)
        return length if window is None else max(window) if isinstance(window, (list, tuple)) else window

    def text_config(self):
        config = self.config
        if config is not None and hasattr(config, "get_text_config"):
            try:
                return config.get_text_config()
            except ValueError:
                return config
        return config

    # tensors

    def ids(self, batch, length, *more):
        ids = _ridge.as_input(torch.empty((batch, length) + more, dtype=torch.long))
        return self.speak(ids, batch, length) if "spoken" in self.work and not more else ids

    def speak(self, ids, batch, length):
        """Words that are no special tokens; where the config has a separator, it ends two parts and the text."""
        names = ("pad_token_id", "bos_token_id", "eos_token_id", "sep_token_id", "mask_token_id", "unk_token_id", "decoder_start_token_id")
        special = [getattr(self.config, name, None) for name in names]
        word = [number for number in _WORDS if number not in special][0]
        count, part = _ridge.plain(length), getattr(self.config, "sep_token_id", None)
        row = [word] * count
        if isinstance(part, int) and count > 8:
            for place in (count // 3, count // 3 + 1, count - 1):
                row[place] = part
        return _ridge.contents(ids, row * _ridge.plain(batch))

    def tokens(self, length):
        """Ids of a sequence; where several streams of tokens are read at once, each has a row or a column."""
        config = self.config
        streams = getattr(config, "num_codebooks", None)
        if streams is not None and hasattr(config, "audio_channels") and not self.encoder_decoder:
            return self.ids(self.batch * streams, length)
        if streams is not None and hasattr(config, "codebook_vocab_size") and hasattr(config, "audio_pad_token_id"):
            return self.ids(self.batch, length, streams + 1)
        return self.ids(self.batch, length)

    def text(self, batch, length):
        """Tokens as a task has them: several choices beside each other; a sequence to classify that ends with its end, once."""
        name = type(self.model).__name__
        if name.endswith("ForMultipleChoice"):
            return self.ids(batch * _CHOICES, length).view(batch, _CHOICES, length)
        ids = self.tokens(length)
        end = getattr(self.config, "eos_token_id", None)
        if self.encoder_decoder and name.endswith("ForSequenceClassification") and isinstance(end, int):
            row = [0 if _ridge.plain(end) != 0 else 5] * (_ridge.plain(length) - 1) + [end]
            _ridge.contents(ids, row * _ridge.plain(batch))
        return ids

    def floats(self, *shape):
        dtype = getattr(self.model, "dtype", None)
        return _ridge.as_input(torch.empty(shape, dtype=torch.get_default_dtype() if dtype is None else dtype))

    # what a forward takes

    def prefill(self):
        if self.work.get("inputs") is not None:
            from _ridge_given import make

            return make(self, self.work["inputs"])
        past = self.work.get("past")
        step = self.encode() if self.encoder_decoder else self.whole()
        if past is None or past == 0:
            self.work["past"] = 0
            return step
        return self.after_past(past, self.number("seq", "S", _SEQ))

    def whole(self):
        """All inputs of a forward over a whole sequence."""
        from _ridge_diffusion import is_diffusion, step

        if is_diffusion(self):
            return step(self)
        inputs = {}
        if "input_ids" in self.names:
            inputs["input_ids"] = self.text(self.batch, self.number("seq", "S", _SEQ + self.pieces()))
        self.media(inputs)
        if "decoder_input_ids" in self.names and "input_ids" in inputs:
            inputs["decoder_input_ids"] = self.decoder_ids(self.number("decoder_seq", "decoder_S", _DECODER))
        self.keep(inputs)
        from _ridge_media import place

        place(self, inputs)
        return inputs

    def pieces(self):
        """How many tokens a picture takes that every text has."""
        from _ridge_media import needs_images, placeholder

        if "image_embeds_position_mask" in self.names:
            return _ridge.plain(getattr(self.config, "latent_query_num", 0))
        if not needs_images(self) or placeholder(self) is None:
            return 0
        count = _ridge.plain(getattr(self.config, "num_query_tokens", 0) or 0)
        return 4 * count if "video_token_index" in self.config.__dict__ else count

    def encode(self):
        from _ridge_media import place, sees_in_text

        inputs = {}
        if sees_in_text(self):
            inputs["input_ids"] = self.ids(self.batch, self.number("seq", "S", _SEQ))
        self.media(inputs)
        place(self, inputs)
        heard = _for_encoder(inputs)
        if "input_ids" in self.names and (not heard or "input_ids" in inputs):
            if not heard:
                inputs["input_ids"] = self.text(self.batch, self.number("seq", "S", self.fitting(_SEQ)))
            decoder = self.number("decoder_seq", "decoder_S", _DECODER)
        elif self.work.get("decoder_seq") is not None:
            decoder = self.number("decoder_seq", "decoder_S", _DECODER)
        else:
            decoder = self.number("seq", "S", _DECODER)
        if type(self.model).__name__.endswith("ForSequenceClassification") and "input_ids" in inputs:
            self.work.pop("decoder_seq", None)  # the decoder reads the same sequence
        elif "decoder_input_values" not in inputs:
            inputs["decoder_input_ids"] = self.decoder_ids(decoder)
        if self.caches:
            inputs["use_cache"] = True
        return inputs

    def decoder_ids(self, length):
        """Where several streams of tokens are decoded at once, each has a row or a column."""
        streams = getattr(getattr(self.config, "decoder", None), "num_codebooks", None)
        if streams is None and hasattr(self.config, "delay_pattern"):
            return self.ids(self.batch, length, self.config.decoder_config.num_channels)
        return self.ids(self.batch if streams is None else self.batch * streams, length)

    def decode(self):
        past = self.work.get("past")
        if past is None:
            past = self.clamp(_PAST)
        seq = self.work.get("seq")
        if seq is None:
            self.work["seq"] = seq = 1
        return self.after_past(past, _ridge.named("S", seq))

    def after_past(self, past, seq):
        """The inputs of a step after `past` tokens, which are run first."""
        self.work["past"] = past
        past = _ridge.named("past", past, 0)
        if self.encoder_decoder:
            return self.decode_after_encoder(past, seq)
        first = self.continued(past) if "decoder_input_ids" in self.names else self.whole_of(past)
        outputs = self.model(**first)
        name, cache = cache_of(outputs)
        if cache is None:
            raise ValueError("the model keeps no cache: it has no decode step")
        if "decoder_input_ids" in self.names:
            inputs = self.continued(seq)
        else:
            inputs = {"input_ids": self.tokens(seq)} if "input_ids" in self.names else self.whole_of(seq)
        inputs[self.cache_name(name)] = cache
        if self.caches:
            inputs["use_cache"] = True
        if "perceiver_embeddings" in self.names:
            self.media(inputs)
        if (name == "cache_params" or "past_key_values" in first) and "cache_position" in self.names:
            inputs["cache_position"] = torch.arange(past, past + seq)
        return inputs

    def continued(self, length):
        """A decoder that reads what it is conditioned on as a prefix, without an encoder of its own."""
        inputs = {"decoder_input_ids": self.decoder_ids(length)}
        self.keep(inputs)
        return inputs

    def decodes(self, name):
        """A step after the cache is a workload of its own: not of a choice among texts, nor of a series, which is foretold at once."""
        if type(self.model).__name__.endswith("ForMultipleChoice") or "past_values" in self.names:
            return False
        return self.takes_cache(name)

    def takes_cache(self, name):
        return name in self.names or self.rest or "layer_past" in self.names

    def cache_name(self, name):
        if name in self.names or self.rest:
            return name
        return "layer_past" if "layer_past" in self.names else name

    def whole_of(self, length):
        inputs = {"input_ids": self.tokens(length)} if "input_ids" in self.names or self.rest else {}
        if "perceiver_embeddings" in self.names:
            self.media(inputs)
        self.keep(inputs)
        return inputs

    def keep(self, inputs):
        """Asks for a cache; a model of several kinds of layers is given the empty one that generation would make for it."""
        if self.caches:
            inputs["use_cache"] = True
        module = sys.modules.get(type(self.model).__module__)
        if module is None or "past_key_values" not in self.names:
            return
        for name, kind in vars(module).items():
            if name.endswith("DynamicCache") and "Hybrid" in name and isinstance(kind, type):
                inputs["past_key_values"] = self.hybrid_cache(kind)

    def hybrid_cache(self, kind):
        more = {}
        names = [name for name, _, _ in _ridge.parameters(kind.__init__)]
        if "batch_size" not in names:
            return kind(self.config)
        if "devices" in names:
            more["devices"] = [self.model.device] * _ridge.plain(self.config.num_hidden_layers)
        return kind(self.config, self.batch, self.model.dtype, **more)

    def decode_after_encoder(self, past, seq):
        given = self.work.get("encoder_len")
        encoder_len = self.fitting(_ENCODER) if given is None else given
        encoder = _ridge.named("enc", encoder_len)
        self.work["encoder_len"] = encoder_len
        from _ridge_media import place, sees_in_text

        inputs = {}
        if sees_in_text(self):
            inputs["input_ids"] = self.ids(self.batch, encoder)
        self.media(inputs)
        place(self, inputs)
        if not _for_encoder(inputs):
            inputs["input_ids"] = self.ids(self.batch, encoder)
        if "decoder_input_values" in inputs:
            inputs["decoder_input_values"] = self.floats(self.batch, past, inputs["decoder_input_values"].shape[-1])
        else:
            inputs["decoder_input_ids"] = self.decoder_ids(past)
        inputs["use_cache"] = True
        heard = []
        hook = _listen(self.model, heard)
        outputs = self.model(**inputs)
        if hook is not None:
            hook.remove()
        name, cache = cache_of(outputs)
        step = {"encoder_outputs": _encoder_outputs(outputs.encoder_last_hidden_state, heard), "use_cache": True}
        if "decoder_input_values" in inputs:
            step["decoder_input_values"] = self.floats(self.batch, seq, inputs["decoder_input_values"].shape[-1])
        else:
            step["decoder_input_ids"] = self.decoder_ids(seq)
        step[name] = cache
        return step

    # pictures and sound

    def media(self, inputs):
        from _ridge_media import fill

        from _ridge_other import fill as fill_other

        from _ridge_beside import fill as fill_beside

        from _ridge_task import fill as fill_task

        fill(self, inputs)
        fill_other(self, inputs)
        fill_beside(self, inputs)
        fill_task(self, inputs)
