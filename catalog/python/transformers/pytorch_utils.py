"""Stands in for transformers.pytorch_utils."""
import torch
from torch import nn

from .utils.import_utils import is_torch_greater_or_equal

ALL_LAYERNORM_LAYERS = [nn.LayerNorm]
is_torch_greater_or_equal_than_2_8 = True
is_torch_greater_or_equal_than_2_6 = True
is_torch_greater_or_equal_than_2_4 = True
is_torch_greater_or_equal_than_2_3 = True
is_torch_greater_or_equal_than_2_2 = True
is_torch_greater_or_equal_than_2_1 = True
is_torch_greater_or_equal_than_2_0 = True
is_torch_greater_or_equal_than_1_13 = True
is_torch_greater_or_equal_than_1_12 = True


def softmax_backward_data(parent, grad_output, output, dim=None, self=None):
    return grad_output


class Conv1D(nn.Module):
    """A linear layer whose weight lies [in, out]."""

    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.nx = nx
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        x = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)
        x = x.view(size_out)
        return x


def prune_linear_layer(layer, index, dim=0):
    sizes = list(layer.weight.size())
    sizes[dim] = len(index)
    return nn.Linear(sizes[1], sizes[0], bias=layer.bias is not None)


def prune_conv1d_layer(layer, index, dim=1):
    sizes = list(layer.weight.size())
    sizes[dim] = len(index)
    return Conv1D(sizes[1], sizes[0])


def prune_layer(layer, index, dim=None):
    if isinstance(layer, Conv1D):
        return prune_conv1d_layer(layer, index, 1 if dim is None else dim)
    return prune_linear_layer(layer, index, 0 if dim is None else dim)


def find_pruneable_heads_and_indices(heads, n_heads, head_size, already_pruned_heads):
    left = [h for h in range(n_heads) if h not in heads and h not in already_pruned_heads]
    return set(heads) - already_pruned_heads, [h * head_size + i for h in left for i in range(head_size)]


def apply_chunking_to_forward(forward_fn, chunk_size, chunk_dim, *input_tensors):
    if chunk_size > 0:
        num_chunks = input_tensors[0].shape[chunk_dim] // chunk_size
        chunks = tuple(tensor.chunk(num_chunks, dim=chunk_dim) for tensor in input_tensors)
        return torch.cat(tuple(forward_fn(*chunk) for chunk in zip(*chunks)), dim=chunk_dim)
    return forward_fn(*input_tensors)


def meshgrid(*tensors, indexing=None):
    return torch.meshgrid(*tensors, indexing=indexing)


def isin_mps_friendly(elements, test_elements):
    return torch.isin(elements, test_elements)


def id_tensor_storage(tensor):
    return id(tensor)


def compile_compatible_method_lru_cache(*lru_args, **lru_kwargs):
    def decorate(func):
        return func

    return decorate


def infer_device():
    return "cpu"
