"""Small modules for tools/ridge_inventory.py, each with example inputs, and what it costs by hand: parameters as sum(p.numel()) would give them,
FLOPs as PyTorch's FlopCounterMode counts (a product of [m, k] and [k, n] is 2mkn, biases nothing). The counts need no PyTorch."""

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:  # the counts alone are wanted
    torch = nn = None


def linear(rows, i, o):
    return 2 * rows * i * o


# name: (parameters, FLOPs), written out: weights + biases of each layer; rows * in * out * 2 of each product
COUNTS = {
    # Linear(8, 16), ReLU, Linear(16, 4) on [5, 8]
    "mlp": (8 * 16 + 16 + 16 * 4 + 4, linear(5, 8, 16) + linear(5, 16, 4)),
    # Conv2d(4, 8, 3, padding 1, no bias), norm, ReLU, Conv2d(8, 8, 3, groups 4) on [2, 4, 6, 6]: 6x6 and 4x4 places; then pool and Linear(8, 3)
    "cnn": (8 * 4 * 9 + 2 * 8 + 8 * 2 * 9 + 8 + 8 * 3 + 3, 2 * 2 * 36 * 8 * 4 * 9 + 2 * 2 * 16 * 8 * 2 * 9 + linear(2, 8, 3)),
    # d 8, 2 heads, inner 16, batch 2, sequence 5: in_proj and out_proj, two norms, two products of scores, feed-forward
    "encoder": (3 * 8 * 8 + 3 * 8 + 8 * 8 + 8 + 2 * 2 * 8 + 8 * 16 + 16 + 16 * 8 + 8,
                linear(10, 8, 24) + linear(10, 8, 8) + 2 * (2 * 4 * 5 * 5 * 4) + linear(10, 8, 16) + linear(10, 16, 8)),
    # query [2, 3, 8] over keys and values [2, 7, 8]: the projection is split in two
    "attention": (3 * 8 * 8 + 3 * 8 + 8 * 8 + 8, linear(6, 8, 8) + linear(14, 8, 16) + 2 * (2 * 4 * 3 * 7 * 4) + linear(6, 8, 8)),
    # two layers, both directions, input 4, hidden 6, batch 2, 3 steps: four gates, and the second layer sees both directions
    "lstm": (2 * (24 * 4 + 24 * 6 + 48) + 2 * (24 * 12 + 24 * 6 + 48), 2 * (linear(6, 4, 24) + linear(6, 6, 24)) + 2 * (linear(6, 12, 24) + linear(6, 6, 24))),
    # functions between the modules: a product of two activations, a linear with a parameter of its own, a convolution
    "functions": (8 * 8 + 8 + 4 * 8 + 3 * 2 * 3, linear(6, 8, 8) + 2 * 2 * 3 * 3 * 8 + linear(6, 8, 4) + 2 * 2 * 2 * 3 * 2 * 3),
    # a table of 16 rows, a layer that runs twice, a head that is the table
    "tied": (16 * 8 + 8 * 8, 2 * linear(6, 8, 8) + linear(6, 8, 16)),
    # weight_norm: g and v, of which the weight is made before each call
    "normed": (6 + 6 * 4 + 6, linear(3, 4, 6)),
    # the product of the two halves of what a layer gives
    "gated": (4 * 8 + 8, linear(3, 4, 8)),
    # a buffer, a module that is seen in two places, results in a dict
    "shared": (4 * 4 + 4 + 2, 2 * linear(2, 4, 4)),
    # sums of rows of a table of 20 x 4, then 3 bilinear forms [4, 5]: PyTorch's counter takes neither for a product, the Linear(3, 2) it does
    "bags": (20 * 4 + 3 * 4 * 5 + 3 + 3 * 2, linear(2, 3, 2)),
    # the loop runs on the values of a tensor: nothing is recorded
    "stuck": (4 * 4 + 4, None),
}

# FLOPs of class other: 6 rows of 4 elements are summed; 2 pairs and 3 forms, each 4 x 5 products and sums, then 5 more, and a bias
OTHER = {"bags": 6 * 4 + 2 * 3 * (2 * 4 * 5 + 2 * 5) + 2 * 3}

# elements read and written by separate kernels, of those that are short to write out; 4 bytes each
TRAFFIC = {
    # addmm: x, W, b and y; ReLU: x and y
    "mlp": ((5 * 8 + 8 * 16 + 16) + 5 * 16 + (5 * 16 + 16 * 4 + 4), 5 * 16 + 5 * 16 + 5 * 4),
    # addmm; the two halves of its result, and their product
    "gated": ((3 * 4 + 4 * 8 + 8) + 2 * (3 * 4), 3 * 8 + 3 * 4),
}
DEVICES = {"normed": "cpu"}  # PyTorch 1.13 has no weight_norm on the meta device


def build():
    """name: (module, example inputs)."""

    class Functions(nn.Module):
        def __init__(self, hidden=8, scale=0.5, name="both"):
            super().__init__()
            self.scale, self.name = scale, name
            self.tables = {"ones": [torch.ones(hidden)]}
            self.fc = nn.Linear(hidden, hidden)
            self.weight = nn.Parameter(torch.empty(4, hidden))
            self.kernel = nn.Parameter(torch.empty(3, 2, 3))

        def forward(self, x):
            x = F.gelu(self.fc(x)) * self.scale * self.tables["ones"][0]
            scores = torch.matmul(x, x.transpose(1, 2)).softmax(-1)
            y = F.linear(x, self.weight)
            z = F.conv1d(y[:, :2, :], self.kernel)
            return scores, z

    class Tied(nn.Module):
        def __init__(self, vocab=16, hidden=8):
            super().__init__()
            self.embed = nn.Embedding(vocab, hidden)
            self.body = nn.Linear(hidden, hidden, bias=False)
            self.head = nn.Linear(hidden, vocab, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, input_ids, scale=None):
            x = self.embed(input_ids)
            return self.head(self.body(self.body(x)))

    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 8)

        def forward(self, x):
            left, right = self.fc(x).chunk(2, -1)
            return left * right

    class Cache:
        def __init__(self, keys):
            self.layers, self.owner = [keys], self

    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 4)
            self.blocks = nn.ModuleList([nn.Sequential(nn.ReLU(), self.first), nn.Identity()])
            self.bias = nn.Parameter(torch.empty(2))
            self.register_buffer("mask", torch.empty(4, dtype=torch.bool))
            self.register_buffer("steps", torch.empty(2, dtype=torch.int64), persistent=False)

        def forward(self, x, more):
            x = self.first(x) + more["bias"][0]
            return {"logits": self.blocks[0](x), "states": (x,), "cache": Cache(x)}

    class Bags(nn.Module):
        def __init__(self):
            super().__init__()
            self.bag = nn.EmbeddingBag(20, 4, mode="sum")
            self.form = nn.Bilinear(4, 5, 3)
            self.fc = nn.Linear(3, 2, bias=False)

        def forward(self, words, y):
            return self.fc(self.form(self.bag(words), y))

    class Stuck(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x):
            while x.sum().item() > 0:
                x = self.fc(x)
            return x

    cnn = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=4),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1), nn.Linear(8, 3))
    empty = torch.empty
    return {
        "mlp": (nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), empty(5, 8)),
        "cnn": (cnn, empty(2, 4, 6, 6)),
        "encoder": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), empty(2, 5, 8)),
        "attention": (nn.MultiheadAttention(8, 2, batch_first=True), (empty(2, 3, 8), empty(2, 7, 8), empty(2, 7, 8))),
        "lstm": (nn.LSTM(4, 6, num_layers=2, bidirectional=True, batch_first=True), empty(2, 3, 4)),
        "functions": (Functions(), {"x": empty(2, 3, 8)}),
        "tied": (Tied(), {"input_ids": empty(2, 3, dtype=torch.int64)}),
        "gated": (Gated(), (empty(3, 4),)),
        "normed": (nn.utils.weight_norm(nn.Linear(4, 6)), empty(3, 4)),
        "shared": (Shared(), {"x": empty(2, 4), "more": {"bias": [empty(4)]}}),
        "bags": (Bags(), (empty(2, 3, dtype=torch.int64), empty(2, 5))),
        "stuck": (Stuck(), empty(2, 4)),
    }
