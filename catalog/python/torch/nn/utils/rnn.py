# Packing sequences by their lengths: these are data. What is packed keeps the padded tensor, and unpacking gives it back.
class PackedSequence:
    def __init__(self, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        self.data = data
        self.batch_sizes = batch_sizes
        self.sorted_indices = sorted_indices
        self.unsorted_indices = unsorted_indices


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    raise NotImplementedError("packed sequences: their sizes are data")


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    raise NotImplementedError("packed sequences: their sizes are data")


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    import torch
    from torch.nn import functional as F
    longest = max([sequence.size(0) for sequence in sequences])
    padded = []
    for sequence in sequences:
        missing = longest - sequence.size(0)
        pad = [0, 0] * (sequence.dim() - 1) + ([0, missing] if padding_side == "right" else [missing, 0])
        padded.append(F.pad(sequence, pad, value=padding_value) if missing else sequence)
    return torch.stack(padded, 0 if batch_first else 1)
