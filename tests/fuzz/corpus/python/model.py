import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, n, heads=4):
        super().__init__()
        self.norm = nn.LayerNorm(n)
        self.qkv = nn.Linear(n, 3 * n, bias=False)
        self.out = nn.Linear(n, n)
        self.heads = heads
        self.register_buffer("scale", torch.ones(1))
    def forward(self, x, mask=None):
        b, s, n = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        w = torch.matmul(q, k.transpose(-1, -2)) / (n // self.heads) ** 0.5
        if mask is not None:
            w = w.masked_fill(mask[:, None, :s, :s] == 0, float("-inf"))
        y = torch.softmax(w, dim=-1) @ v
        return x + self.out(y.transpose(1, 2).reshape(b, s, n)) * self.scale
m = nn.Sequential(*[Block(16) for _ in range(2)], nn.Conv2d(3, 4, 3, padding=1))
x = m[0](torch.zeros(2, 5, 16), torch.tril(torch.ones(2, 5, 5)))
x[..., ::2, None], x.sum(), x.max(-1).values, x.argmax(), torch.cat([x, x], 1), x.to(torch.float16), torch.arange(0, 10, 3).tolist()
if x.mean() > 0:
    y = x.nonzero()
m[2](torch.rand(1, 3, 8, 8)).flatten(1).chunk(2, -1)[0].item
torch.zeros(10 ** 9, 10 ** 9, 10 ** 9)
