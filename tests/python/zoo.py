"""Small models of many kinds for ridge.analyze, each with example inputs: (module, inputs) by name. Classes keep what they are made with where
they should be learned from this file, and do not where they should not."""

import torch
from torch import nn
from torch.nn import functional as F


class Residual(nn.Module):
    """Keeps its arguments: its own code (a sum) is learned."""

    def __init__(self, channels, groups=1, bias=False):
        super().__init__()
        self.channels, self.groups, self.bias = channels, groups, bias
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, groups=groups, bias=bias)
        self.norm = nn.GroupNorm(groups, channels)
        self.conv2 = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        return F.relu(x + self.conv2(F.silu(self.norm(self.conv1(x)))))


class UNet(nn.Module):
    """Keeps nothing of `width`: its own code goes by the run."""

    def __init__(self, width=4):
        super().__init__()
        self.down = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.middle = Residual(width)
        self.up = nn.ConvTranspose2d(width, width, 2, stride=2)
        self.out = nn.Conv2d(width + 3, 1, 1)

    def forward(self, x):
        y = self.up(self.middle(self.down(x)))
        return self.out(torch.cat([x, y], 1))


class Attention(nn.Module):
    """Attention of products, with keys and values of fewer heads."""

    def __init__(self, dim, heads, kv_heads=None, causal=True):
        super().__init__()
        self.dim, self.heads, self.kv_heads, self.causal = dim, heads, kv_heads or heads, causal
        self.head_dim = dim // heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.kv = nn.Linear(dim, 2 * self.kv_heads * self.head_dim, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, s, d = x.shape
        q = self.q(x).view(b, s, self.heads, self.head_dim).transpose(1, 2)
        k, v = self.kv(x).view(b, s, 2, self.kv_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        repeats = self.heads // self.kv_heads
        k, v = k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1)
        scores = q @ k.transpose(-1, -2) / self.head_dim**0.5
        if self.causal:
            scores = scores + torch.full((s, s), float("-inf"), device=x.device).triu(1)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, s, d))


class Block(nn.Module):
    """A transformer block of its own making."""

    def __init__(self, dim, heads, kv_heads, ratio=2):
        super().__init__()
        self.dim, self.heads, self.kv_heads, self.ratio = dim, heads, kv_heads, ratio
        self.norm1 = nn.LayerNorm(dim)
        self.attention = Attention(dim, heads, kv_heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, ratio * dim), nn.GELU(), nn.Linear(ratio * dim, dim))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Tables, blocks in a ModuleList, a head that is the table."""

    def __init__(self, vocab=31, dim=16, depth=2, length=12):
        super().__init__()
        self.vocab, self.dim, self.depth, self.length = vocab, dim, depth, length
        self.tokens = nn.Embedding(vocab, dim)
        self.places = nn.Embedding(length, dim)
        self.blocks = nn.ModuleList(Block(dim, 4, 2) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class ViT(nn.Module):
    """Patches, a token for the class, the encoder of PyTorch."""

    def __init__(self, dim=16):
        super().__init__()
        self.patches = nn.Conv2d(3, dim, 4, stride=4)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, 2, 32, dropout=0.0, batch_first=True), 2)
        self.head = nn.Linear(dim, 5)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1)
        return self.head(self.encoder(x)[:, 0])


class LanguageModel(nn.Module):
    """An LSTM over words."""

    def __init__(self, vocab=19, hidden=8):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.lstm = nn.LSTM(hidden, hidden, num_layers=2, batch_first=True)
        self.head = nn.Linear(hidden, vocab)

    def forward(self, ids):
        return self.head(self.lstm(self.embed(ids))[0])


class Steps(nn.Module):
    """A cell that runs once a step: one module, called many times."""

    def __init__(self, hidden=6):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(hidden, hidden)

    def forward(self, x):
        state = x.new_zeros(x.shape[1], self.hidden)
        for step in x:
            state = self.cell(step, state)
        return state


class Twice(nn.Module):
    """One layer on inputs of two sizes."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x, y):
        return self.fc(x).sum() + self.fc(self.fc(y)).sum()


class Siamese(nn.Module):
    """A module that stands in two places, listed in the first."""

    def __init__(self):
        super().__init__()
        self.left = nn.Sequential(nn.Linear(6, 4), nn.Tanh())
        self.right = nn.Sequential(self.left[0], nn.Sigmoid())

    def forward(self, x, y):
        return self.left(x) * self.right(y)


class Functions(nn.Module):
    """Parameters and functions, no module below."""

    def __init__(self, dim=6):
        super().__init__()
        self.dim = dim
        self.weight = nn.Parameter(torch.zeros(4, dim))
        self.kernel = nn.Parameter(torch.zeros(5, 4, 3))
        self.bias = nn.Parameter(torch.zeros(2, 1, 1))

    def forward(self, x):
        y = F.linear(x, self.weight).transpose(1, 2)
        z = F.conv1d(y, self.kernel, padding=1)
        return torch.baddbmm(self.bias, z.transpose(1, 2), z), torch.einsum("bct,bdt->bcd", z, z)


class Experts(nn.Module):
    """A ModuleDict of experts that all run, mixed by a gate."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(6, 3)
        self.experts = nn.ModuleDict({name: nn.Sequential(nn.Linear(6, 12), nn.ReLU6(), nn.Linear(12, 6)) for name in "abc"})

    def forward(self, x):
        weights = self.gate(x).softmax(-1)
        return sum(weights[:, i:i + 1] * expert(x) for i, expert in enumerate(self.experts.values()))


class Bag(nn.Module):
    """Bags of words."""

    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(20, 6, mode="sum")
        self.fc = nn.Linear(6, 3)

    def forward(self, words):
        return self.fc(self.bag(words))


class Pair(nn.Module):
    """A bilinear form, and a distance."""

    def __init__(self):
        super().__init__()
        self.form = nn.Bilinear(4, 5, 3)
        self.same = nn.CosineSimilarity()
        self.fc = nn.Linear(4, 5)

    def forward(self, x, y):
        return self.form(x, y), self.same(self.fc(x), y)


class Cross(nn.Module):
    """Queries and keys of two lengths and two widths."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, kdim=6, vdim=6, batch_first=True)

    def forward(self, x, memory):
        return self.attention(x, memory, memory)[0]


def ids(*shape):
    return torch.ones(*shape, dtype=torch.int64)


def build():
    """name: (module, inputs)"""
    torch.manual_seed(0)
    z = torch.randn
    cnn = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 6, 3), nn.ReLU(),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1), nn.Linear(6, 3))
    depthwise = nn.Sequential(nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.ReLU6(), nn.Conv2d(8, 12, 1), nn.Hardswish(), nn.PixelShuffle(2))
    audio = nn.Sequential(nn.Conv1d(2, 8, 5, stride=2, dilation=2), nn.GLU(1), nn.ConvTranspose1d(4, 4, 4, stride=2, groups=2), nn.PReLU())
    film = nn.Sequential(nn.Conv3d(2, 4, (2, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1)), nn.ELU(), nn.Conv3d(4, 2, 1))
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 2)
    return {
        "mlp": (nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 4, bias=False)), (z(5, 8),)),
        "cnn": (cnn, (z(2, 3, 8, 8),)),
        "depthwise": (depthwise, (z(2, 8, 5, 7),)),
        "audio": (audio, (z(2, 2, 31),)),
        "film": (film, (z(1, 2, 4, 6, 6),)),
        "residual": (nn.Sequential(nn.Conv2d(3, 8, 1), Residual(8, 2), Residual(8, 4, True)), (z(2, 3, 5, 5),)),
        "unet": (UNet(), (z(1, 3, 8, 8),)),
        "gpt": (GPT(), (ids(2, 7),)),
        "vit": (ViT(), (z(2, 3, 8, 8),)),
        "language model": (LanguageModel(), (ids(3, 4),)),
        "gru": (nn.GRU(4, 6, bidirectional=True), (z(5, 2, 4),)),
        "steps": (Steps(), (z(4, 3, 6),)),
        "encoder": (nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, norm_first=True), (z(5, 2, 8),)),
        "decoder": (decoder, (z(4, 2, 8), z(6, 2, 8))),
        "transformer": (nn.Transformer(8, 2, 1, 1, 16, dropout=0.0), (z(6, 2, 8), z(4, 2, 8))),
        "cross": (Cross(), (z(2, 3, 8), z(2, 5, 6))),
        "twice": (Twice(), (z(2, 8), z(7, 8))),
        "siamese": (Siamese(), (z(2, 6), z(2, 6))),
        "functions": (Functions(), (z(2, 3, 6),)),
        "experts": (Experts(), (z(5, 6),)),
        "bag": (Bag(), (ids(3, 4),)),
        "pair": (Pair(), (z(2, 4), z(2, 5))),
    }
