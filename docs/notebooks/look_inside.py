# %% [markdown]
# # Look inside: a module of yours, counted, measured, explained
# A `torch.nn.Module` is analysed on the meta device, run with its times taken, and one of its products is put on the roofline.
# It wants PyTorch; `python3 scripts/notebook.py docs/notebooks/look_inside.py` writes an .ipynb.

# %%
import torch
from torch import nn

import ridge

# %%
class Mixer(nn.Module):
    """what no catalog knows: tokens are mixed by a product over the sequence, channels by an MLP"""

    def __init__(self, tokens, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mix = nn.Linear(tokens, tokens)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x):
        x = x + self.mix(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.down(nn.functional.gelu(self.up(x)))


TOKENS, DIM = 64, 96
model = nn.Sequential(nn.Linear(48, DIM), *(Mixer(TOKENS, DIM) for _ in range(4)), nn.Linear(DIM, 10))

# %% [markdown]
# ## What it costs
# Shapes are enough. `by` says for each module how its cost is known: by the catalog's entry of its class, by its source, or by the operators that ran.

# %%
cost = ridge.analyze(model, f"2x{TOKENS}x48")
cost

# %%
# by hand, as FlopCounterMode counts: 2 FLOPs per multiply-add of every product
rows = 2 * TOKENS
by_hand = 2 * rows * 48 * DIM + 4 * (2 * 2 * DIM * TOKENS * TOKENS + 2 * 2 * rows * DIM * 4 * DIM) + 2 * rows * DIM * 10
assert cost.torch_flops == by_hand
assert cost.parameters == sum(p.numel() for p in model.parameters())
by_hand

# %% [markdown]
# ## Where a number comes from
# The template of `torch.nn.Linear` with values put in: 2 FLOPs per multiply-add, here without a bias.

# %%
linear = ridge.formula("torch.nn.Linear", {"rows": rows, "in_features": DIM, "out_features": 4 * DIM}, trace=True)
assert linear.value == 2 * rows * DIM * 4 * DIM
linear

# %% [markdown]
# ## How long it takes here
# The same modules, timed while they run; the first pass does not count. `on=` sets the prediction for a machine beside it: here an L4, so that every reader has one.

# %%
x = torch.randn(2, TOKENS, 48)
with ridge.hooks(model, on="l4") as measured, torch.no_grad():
    for _ in range(6):
        model(x)
times = measured.result()
assert times.passes == 5 and all(row.time_s > 0 for row in times.modules if row.calls)
times

# %% [markdown]
# ## One function
# The median of one call with its 95 % interval, by the harness that times Ridge's own kernels.

# %%
a, b = torch.randn(128, DIM), torch.randn(DIM, 4 * DIM)
one = ridge.benchmark_function(torch.matmul, (a, b), warmup=5, iterations=30)
assert one.low_s <= one.median_s <= one.high_s
one

# %% [markdown]
# ## On a roofline
# The widest product of the model on an L4, before anything runs there.

# %%
wide = ridge.op("gemm", m=rows, n=4 * DIM, k=DIM, on="l4")
assert wide.flops == 2 * rows * 4 * DIM * DIM
wide
