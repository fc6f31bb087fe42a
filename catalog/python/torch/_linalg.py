# Functions of torch.linalg that are made of others, or whose results have shapes only.
import torch


def multi_dot(tensors):
    result = tensors[0]
    for t in tensors[1:]:
        result = result @ t
    return result


def cross(input, other, dim=-1):
    return input * other


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, dtype=None):
    return torch.linalg.vector_norm(A, 2, dim, keepdim)
