"""Code that runs where data say so, or as often as they say: what it costs is not known, and never 0."""
import torch
from torch import nn


class Looped(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.first = nn.Linear(dim, dim)
        self.more = nn.Linear(dim, dim)

    def forward(self, x, keep):
        y = self.first(x)
        for row in keep.nonzero():
            y = self.more(y)
        return y


class Branched(Looped):
    def forward(self, x, keep):
        y = self.first(x)
        if keep.sum() > 3:
            y = self.more(y)
        return y


class Chosen(Looped):
    def forward(self, x, keep):
        y = self.first(x)
        return self.more(y) if keep.sum() > 3 else y


class Listed(Looped):
    def forward(self, x, keep):
        y = self.first(x)
        return sum([self.more(y) for row in keep.nonzero()])
