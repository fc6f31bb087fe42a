# %% [markdown]
# # Which machine, which format
# A model is to be served. What does it take, where does it fit, how fast is it there, and what limits it: before anything is bought or downloaded.
# Cells begin at `# %%`, as Jupytext, VS Code and Spyder read them; `python3 scripts/notebook.py docs/notebooks/choose_a_machine.py` writes an .ipynb.

# %%
import ridge

MODEL = "Qwen/Qwen3-8B"
MACHINES = ["l4", "rtx-4090", "a100-sxm-80", "h100-sxm-80"]

# %% [markdown]
# ## What a token takes
# One token of decode at a context of 4,096: each weight is read once, and of a matrix each element makes one multiply-add, 2 FLOPs.

# %%
token = ridge.cost(MODEL, phase="decode", batch=1, past=4095)
token

# %%
# the cache of keys and values: 36 layers, 8 heads of 128, K and V, 2 bytes each
assert token.memory.kv_cache == 36 * 8 * 128 * 2 * 2 * 4096
# every weight is multiplied once, but the table of embeddings and those of norms; the 64 angles of the rotary embedding are a product too
norms = 36 * (2 * 4096 + 2 * 128) + 4096
assert token.flops.matmul == 2 * (token.parameters.total - token.parameters.embedding - norms) + 2 * 64
token.arithmetic_intensity

# %% [markdown]
# About 1 FLOP a byte: on every one of these machines that is bound by memory. More sequences at once share the weights that are read:

# %%
[(batch, round(ridge.cost(MODEL, phase="decode", batch=batch, past=4095).arithmetic_intensity, 1)) for batch in (1, 8, 64, 512)]

# %% [markdown]
# ## Where does it fit
# Formats and contexts on one card; `max_context` is what the memory holds beside the weights.

# %%
fits = ridge.fit(MODEL, on="rtx-4090", context="32Ki")
fits

# %%
by_format = {row.weights: row for row in fits.rows}
assert by_format["bf16"].weights_bytes == 2 * token.parameters.total
[(name, row.fits, row.max_context) for name, row in by_format.items()]

# %% [markdown]
# ## How fast
# Every machine, batch and format in one sweep: a row a point, which is arithmetic once the model is analysed.

# %%
grid = ridge.sweep(MODEL, on=MACHINES, phase="decode", past=2048, batch="1:64:*2", weights=["bf16", "fp8", "q4_K"])
grid

# %%
def fastest(rows):
    return {machine: max((row for row in rows if row.machine == machine and row.fits), key=lambda row: row.tokens_per_s) for machine in MACHINES}


best = fastest(grid.rows)
assert len(grid.rows) == len(MACHINES) * 7 * 3
[(machine, row.weights, row.batch, round(row.tokens_per_s), row.bound) for machine, row in best.items()]

# %% [markdown]
# ## Why
# One prediction in full: modules, bounds, advice, and the roofline below the table.

# %%
prediction = ridge.predict(MODEL, on="h100-sxm-80", phase="decode", batch=8, past=2048)
prediction

# %%
# every kernel is bound by memory here: the prediction is all bytes over the bandwidth of the data sheet, 3.35 TB/s
all_bytes = ridge.cost(MODEL, phase="decode", batch=8, past=2048, kernel="fused").bytes.total
assert abs(prediction.time_s / (all_bytes / 3.35e12) - 1) < 1e-9
prediction.bandwidth_utilisation

# %% [markdown]
# ## What if
# The same question with something changed: each is one line of `against`.

# %%
changed = ridge.predict(MODEL, on="h100-sxm-80", phase="decode", batch=8, past=2048, against=["weights=fp8", "on=a100-sxm-80", "batch=64"])
[(what.change, round(what.tokens_per_s), what.bound) for what in changed.against]
