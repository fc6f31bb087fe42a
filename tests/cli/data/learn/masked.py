import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self, dim=48, classes=10):
        super().__init__()
        self.head = nn.Linear(dim, classes)

    def forward(self, x, keep):
        return self.head(x[keep])


class Strange(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.head = nn.Linear(dim, 8)

    def forward(self, x):
        return self.head(torch.strange(x, 3))


class Branch(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.head = nn.Linear(dim, dim)

    def forward(self, x):
        if x.sum() > 3:
            x = self.head(x)
        while (x > 0).all():
            x = self.head(x)
        return x
