"""A module that no library has: a convolution, attention of its own with grouped heads, a gated branch, a registry of activations."""
import math

import torch
import torch.nn.functional as F
from torch import nn

ACTIVATIONS = {"gelu": nn.GELU, "silu": nn.SiLU, "relu": nn.ReLU}


class Attention(nn.Module):
    def __init__(self, dim, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, dim // heads
        self.query = nn.Linear(dim, heads * self.size, bias=False)
        self.key_value = nn.Linear(dim, 2 * groups * self.size, bias=False)
        self.out = nn.Linear(heads * self.size, dim)

    def forward(self, x, mask=None):
        batch, length, _ = x.shape
        q = self.query(x).view(batch, length, self.heads, self.size).transpose(1, 2)
        k, v = self.key_value(x).view(batch, length, 2, self.groups, self.size).permute(2, 0, 3, 1, 4)
        if self.groups != self.heads:
            k, v = (t.repeat_interleave(self.heads // self.groups, dim=1) for t in (k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, -1))


class Branch(nn.Module):
    def __init__(self, dim, activation, gated=True, expansion=2.5):
        super().__init__()
        hidden = int(dim * expansion)
        self.gate = nn.Linear(dim, hidden) if gated else None
        self.up = nn.Linear(dim, hidden)
        self.down = nn.Linear(hidden, dim)
        self.activation = ACTIVATIONS[activation]()

    def forward(self, x):
        up = self.up(x)
        return self.down(self.activation(up) if self.gate is None else self.activation(self.gate(x)) * up)


class Layer(nn.Module):
    def __init__(self, dim, heads, groups, **branch):
        super().__init__()
        self.norms = nn.ModuleDict({name: nn.LayerNorm(dim) for name in ("before", "between")})
        self.attention = Attention(dim, heads, groups)
        self.branch = Branch(dim, **branch)

    def forward(self, x):
        x = x + self.attention(self.norms["before"](x))
        return x + self.branch(self.norms["between"](x))


class Net(nn.Module):
    def __init__(self, dim=48, heads=6, groups=2, depth=3, classes=10, activation="gelu", gated=True):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, dim, 4, stride=4), nn.BatchNorm2d(dim))
        self.layers = nn.ModuleList(Layer(dim, heads, groups, activation=activation, gated=gated) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, pixels):
        x = self.stem(pixels).flatten(2).transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
        return F.log_softmax(self.head(x.mean(dim=1)), dim=-1)
