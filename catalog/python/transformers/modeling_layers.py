"""Stands in for transformers.modeling_layers: heads that classes get by inheritance."""
import torch
from torch import nn

from .utils.generic import can_return_tuple


class GradientCheckpointingLayer(nn.Module):
    gradient_checkpointing = False


class _Head:
    base_model_prefix = "model"

    def get_input_embeddings(self):
        return getattr(self, self.base_model_prefix).get_input_embeddings()

    def set_input_embeddings(self, value):
        getattr(self, self.base_model_prefix).set_input_embeddings(value)

    def _make(self, config):
        from .models.auto import AutoModel

        setattr(self, self.base_model_prefix, AutoModel.from_config(config))

    def _run(self, input_ids, attention_mask, position_ids, past_key_values, inputs_embeds, kwargs):
        return getattr(self, self.base_model_prefix)(
            input_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            past_key_values=past_key_values,
            inputs_embeds=inputs_embeds,
            **kwargs,
        )


class GenericForSequenceClassification(_Head):
    def __init__(self, config):
        super().__init__(config)
        self.num_labels = config.num_labels
        self._make(config)
        self.score = nn.Linear(config.hidden_size, self.num_labels, bias=False)
        self.post_init()

    @can_return_tuple
    def forward(self, input_ids=None, attention_mask=None, position_ids=None, past_key_values=None, inputs_embeds=None, labels=None,
                use_cache=None, **kwargs):
        from .modeling_outputs import SequenceClassifierOutputWithPast

        outputs = self._run(input_ids, attention_mask, position_ids, past_key_values, inputs_embeds, dict(kwargs, use_cache=use_cache))
        hidden_states = outputs.last_hidden_state
        logits = self.score(hidden_states)
        batch_size = input_ids.shape[0] if input_ids is not None else inputs_embeds.shape[0]
        if self.config.pad_token_id is None and batch_size != 1:
            raise ValueError("Cannot handle batch sizes > 1 if no padding token is defined.")
        if self.config.pad_token_id is None or input_ids is None:
            last = -1
        else:
            non_pad_mask = (input_ids != self.config.pad_token_id).to(logits.device, torch.int32)
            token_indices = torch.arange(input_ids.shape[-1], device=logits.device, dtype=torch.int32)
            last = (token_indices * non_pad_mask).argmax(-1)
        pooled_logits = logits[torch.arange(batch_size, device=logits.device), last]
        return SequenceClassifierOutputWithPast(
            logits=pooled_logits,
            past_key_values=outputs.past_key_values,
            hidden_states=outputs.hidden_states,
            attentions=outputs.attentions,
        )


class GenericForQuestionAnswering(_Head):
    def __init__(self, config):
        super().__init__(config)
        self._make(config)
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.post_init()

    @can_return_tuple
    def forward(self, input_ids=None, attention_mask=None, position_ids=None, past_key_values=None, inputs_embeds=None, start_positions=None,
                end_positions=None, **kwargs):
        from .modeling_outputs import QuestionAnsweringModelOutput

        outputs = self._run(input_ids, attention_mask, position_ids, past_key_values, inputs_embeds, kwargs)
        logits = self.qa_outputs(outputs.last_hidden_state)
        start_logits, end_logits = logits.split(1, dim=-1)
        return QuestionAnsweringModelOutput(
            start_logits=start_logits.squeeze(-1).contiguous(),
            end_logits=end_logits.squeeze(-1).contiguous(),
            hidden_states=outputs.hidden_states,
            attentions=outputs.attentions,
        )


class GenericForTokenClassification(_Head):
    def __init__(self, config):
        super().__init__(config)
        self.num_labels = config.num_labels
        self._make(config)
        dropout = getattr(config, "classifier_dropout", None)
        if dropout is None:
            dropout = getattr(config, "hidden_dropout", None)
        self.dropout = nn.Dropout(0.1 if dropout is None else dropout)
        self.score = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    @can_return_tuple
    def forward(self, input_ids=None, attention_mask=None, position_ids=None, past_key_values=None, inputs_embeds=None, labels=None,
                use_cache=None, **kwargs):
        from .modeling_outputs import TokenClassifierOutput

        outputs = self._run(input_ids, attention_mask, position_ids, past_key_values, inputs_embeds, dict(kwargs, use_cache=use_cache))
        logits = self.score(self.dropout(outputs.last_hidden_state))
        return TokenClassifierOutput(logits=logits, hidden_states=outputs.hidden_states, attentions=outputs.attentions)
