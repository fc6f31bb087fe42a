"""A function for each command; made by scripts/python_stubs.py of what the program says of itself; not written by hand.

Keyword arguments are the options of the command line, with _ for -; None: not given. Which there are, and what they may be, is the
library's to say, in its own words: these functions hand on what they get.
"""

from ridge import _call, _serve


def show(
    model, *, on=None, memory=None, context=None, reserve=None, class_=None, bind=None, learn=None, source=None,
    machines=None, catalog=None, builtin_only=None, **unknown
):
    """A model on one screen: what it is, whether it runs here, how fast; 'ridge MODEL' is short for it.

    model: a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf;
        or a config as a dict, or what has to_dict()
    on: a machine of 'ridge machine list', or a machine file (default: this one)
    memory: memory of the device; without on, no times are told
    context: tokens of a sequence (default: 8192, or the model's maximum) [tokens]
    reserve: of a device's memory, or a percentage, for the runtime (default: 0)
    class_: another class of the family than the config's (LlamaModel, ...)
    bind: ONNX, torch.export: sizes of the dimensions that the file leaves open
    learn: a class that the catalog does not know is read from its Python source, and kept
    source: a folder that is or holds the package with the source, or a file (default: beside the config, else what the
        user's Python has)
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns Show. Raises RidgeError. `ridge show --help` says more.
    """
    given = locals()
    del given["model"]
    return _call.answer(b"show", (model,), given, "show:Show", repeated=('catalog', 'machines'), config=True)


def cost(
    model, *, all=None, top=None, sort=None, depth=None, exact=None, phase=None, batch=None, seq=None, past=None,
    decoder_seq=None, encoder_len=None, images=None, image_size=None, video_frames=None, frames=None, samples=None,
    bind=None, dtype=None, weights=None, activations=None, kv=None, attention=None, kernel=None, lm_head=None,
    optimizer=None, recompute=None, class_=None, partial=None, learn=None, source=None, catalog=None, builtin_only=None,
    **unknown
):
    """What a model costs: parameters, FLOPs, bytes, memory, module by module.

    model: a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf;
        or a config as a dict, or what has to_dict()
    all: one row per called module, layers unfolded
    top: the N most expensive modules
    sort: order of the rows: tree, flops, bytes, intensity, path
    depth: rows down to this depth
    exact: every digit in the table
    phase: what is run: prefill, decode, train
    batch: sequences at once (default 1) [sequences]
    seq: new tokens per sequence, placeholders of images included (default: the model's maximum, at most 2048; 1 in
        decode) [tokens]
    past: tokens already in the cache (default 0; in decode what the maximum leaves) [tokens]
    decoder_seq: encoder-decoder models: tokens of the decoder; seq is the encoder's [tokens]
    encoder_len: decode: length of the encoder's output [tokens]
    images: images per sequence of text (default 0: text only) [images]
    image_size: pixels of an image's height and width (default: the config's) [pixels]
    video_frames: pictures of a film (default: the config's) [frames]
    frames: spectrogram frames (default: the config's) [frames]
    samples: audio samples (default: the config's, or one second) [samples]
    bind: ONNX, torch.export: sizes of the dimensions that the file leaves open
    dtype: number format of weights, activations and KV cache; a weight-only one is of the weights alone
    weights: number format of the weights (default: the config's), or of some: experts=mxfp4,*=bf16
    activations: number format of the activations
    kv: number format of the KV cache (default: the activations')
    attention: S x T pairs as executed, or exactly the causal ones: full, causal
    kernel: every operator's traffic, or the least with chains fused: eager, fused
    lm_head: positions the output head runs on; needed: the last, in training all: all, last, needed
    optimizer: train: the optimiser's state: adam, sgd, none
    recompute: train: activations computed again in the backward pass: none, full, selective
    class_: another class of the family than the config's (LlamaModel, ...)
    partial: count what the catalog knows and list what it does not
    learn: a class that the catalog does not know is read from its Python source, and kept
    source: a folder that is or holds the package with the source, or a file (default: beside the config, else what the
        user's Python has)
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns Cost. Raises RidgeError. `ridge cost --help` says more.
    """
    given = locals()
    del given["model"]
    return _call.answer(b"cost", (model,), given, "cost:Cost", repeated=('catalog',), config=True)


def symbolic(
    model, *, top=None, sort=None, phase=None, batch=None, seq=None, past=None, decoder_seq=None, encoder_len=None,
    images=None, image_size=None, video_frames=None, frames=None, samples=None, bind=None, dtype=None, weights=None,
    activations=None, kv=None, attention=None, kernel=None, lm_head=None, optimizer=None, recompute=None, class_=None,
    partial=None, learn=None, source=None, catalog=None, builtin_only=None, **unknown
):
    """The closed form of what a model costs, in the names of the workload.

    model: a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf;
        or a config as a dict, or what has to_dict()
    top: the N most expensive modules
    sort: order of the rows: tree, flops, bytes, intensity, path
    phase: what is run: prefill, decode, train
    batch: sequences at once (default 1) [sequences]
    seq: new tokens per sequence, placeholders of images included (default: the model's maximum, at most 2048; 1 in
        decode) [tokens]
    past: tokens already in the cache (default 0; in decode what the maximum leaves) [tokens]
    decoder_seq: encoder-decoder models: tokens of the decoder; seq is the encoder's [tokens]
    encoder_len: decode: length of the encoder's output [tokens]
    images: images per sequence of text (default 0: text only) [images]
    image_size: pixels of an image's height and width (default: the config's) [pixels]
    video_frames: pictures of a film (default: the config's) [frames]
    frames: spectrogram frames (default: the config's) [frames]
    samples: audio samples (default: the config's, or one second) [samples]
    bind: ONNX, torch.export: sizes of the dimensions that the file leaves open
    dtype: number format of weights, activations and KV cache; a weight-only one is of the weights alone
    weights: number format of the weights (default: the config's), or of some: experts=mxfp4,*=bf16
    activations: number format of the activations
    kv: number format of the KV cache (default: the activations')
    attention: S x T pairs as executed, or exactly the causal ones: full, causal
    kernel: every operator's traffic, or the least with chains fused: eager, fused
    lm_head: positions the output head runs on; needed: the last, in training all: all, last, needed
    optimizer: train: the optimiser's state: adam, sgd, none
    recompute: train: activations computed again in the backward pass: none, full, selective
    class_: another class of the family than the config's (LlamaModel, ...)
    partial: count what the catalog knows and list what it does not
    learn: a class that the catalog does not know is read from its Python source, and kept
    source: a folder that is or holds the package with the source, or a file (default: beside the config, else what the
        user's Python has)
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns CostSymbolic. Raises RidgeError. `ridge cost --help` says more.
    """
    given = locals()
    del given["model"]
    given["symbolic"] = "true"
    return _call.answer(b"cost", (model,), given, "cost:CostSymbolic", repeated=('catalog',), config=True)


def explain(
    model, path, *, top=None, sort=None, phase=None, batch=None, seq=None, past=None, decoder_seq=None,
    encoder_len=None, images=None, image_size=None, video_frames=None, frames=None, samples=None, bind=None, dtype=None,
    weights=None, activations=None, kv=None, attention=None, kernel=None, lm_head=None, optimizer=None, recompute=None,
    class_=None, partial=None, learn=None, source=None, catalog=None, builtin_only=None, **unknown
):
    """One module of a model: formula, values put in, result, where the template stands.

    model: a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf;
        or a config as a dict, or what has to_dict()
    path: one module: formula, values put in, result, where the template stands
    top: the N most expensive modules
    sort: order of the rows: tree, flops, bytes, intensity, path
    phase: what is run: prefill, decode, train
    batch: sequences at once (default 1) [sequences]
    seq: new tokens per sequence, placeholders of images included (default: the model's maximum, at most 2048; 1 in
        decode) [tokens]
    past: tokens already in the cache (default 0; in decode what the maximum leaves) [tokens]
    decoder_seq: encoder-decoder models: tokens of the decoder; seq is the encoder's [tokens]
    encoder_len: decode: length of the encoder's output [tokens]
    images: images per sequence of text (default 0: text only) [images]
    image_size: pixels of an image's height and width (default: the config's) [pixels]
    video_frames: pictures of a film (default: the config's) [frames]
    frames: spectrogram frames (default: the config's) [frames]
    samples: audio samples (default: the config's, or one second) [samples]
    bind: ONNX, torch.export: sizes of the dimensions that the file leaves open
    dtype: number format of weights, activations and KV cache; a weight-only one is of the weights alone
    weights: number format of the weights (default: the config's), or of some: experts=mxfp4,*=bf16
    activations: number format of the activations
    kv: number format of the KV cache (default: the activations')
    attention: S x T pairs as executed, or exactly the causal ones: full, causal
    kernel: every operator's traffic, or the least with chains fused: eager, fused
    lm_head: positions the output head runs on; needed: the last, in training all: all, last, needed
    optimizer: train: the optimiser's state: adam, sgd, none
    recompute: train: activations computed again in the backward pass: none, full, selective
    class_: another class of the family than the config's (LlamaModel, ...)
    partial: count what the catalog knows and list what it does not
    learn: a class that the catalog does not know is read from its Python source, and kept
    source: a folder that is or holds the package with the source, or a file (default: beside the config, else what the
        user's Python has)
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns CostExplain. Raises RidgeError. `ridge cost --help` says more.
    """
    given = locals()
    del given["model"]
    del given["path"]
    given["explain"] = path
    return _call.answer(b"cost", (model,), given, "cost:CostExplain", repeated=('catalog',), config=True)


def predict(
    model, *, on=None, method=None, launch=None, prompt=None, generate=None, price=None, all=None, top=None, depth=None,
    against=None, advice=None, recommend=None, phase=None, batch=None, seq=None, past=None, decoder_seq=None,
    encoder_len=None, images=None, image_size=None, video_frames=None, frames=None, samples=None, bind=None, dtype=None,
    weights=None, activations=None, kv=None, attention=None, kernel=None, lm_head=None, optimizer=None, recompute=None,
    class_=None, partial=None, learn=None, source=None, devices=None, tensor_parallel=None, pipeline_parallel=None,
    expert_parallel=None, data_parallel=None, microbatches=None, zero=None, link_bandwidth=None, link_latency=None,
    reserve=None, plot=None, html=None, roofline=None, dark=None, ascii=None, machines=None, catalog=None,
    builtin_only=None, **unknown
):
    """How fast a model could be on a machine, what bounds it, whether it fits.

    model: a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf;
        or a config as a dict, or what has to_dict()
    on: a machine of 'ridge machine list', or a machine file
    method: the bound itself, or what such kernels reach: roofline, estimate
    launch: overhead of every kernel's launch: a time, 'machine' (its own) or 'none' (default machine)
    prompt: a request: tokens of the prompt [tokens]
    generate: ... and tokens generated after it [tokens]
    price: of one machine per hour: gives the cost per million tokens
    all: one row per module, layers unfolded
    top: the N slowest kernels
    depth: rows down to this depth
    against: what if: weights=q4_K,kv=fp8, batch=8, a100-sxm-80 (repeatable)
    advice: what would make it faster: N items, all, none, or usual: 5 in text, all in JSON (default usual)
    recommend: formats per kind of operator for decode, prefill and long context
    phase: what is run: prefill, decode, train
    batch: sequences at once (default 1) [sequences]
    seq: new tokens per sequence, placeholders of images included (default: the model's maximum, at most 2048; 1 in
        decode) [tokens]
    past: tokens already in the cache (default 0; in decode what the maximum leaves) [tokens]
    decoder_seq: encoder-decoder models: tokens of the decoder; seq is the encoder's [tokens]
    encoder_len: decode: length of the encoder's output [tokens]
    images: images per sequence of text (default 0: text only) [images]
    image_size: pixels of an image's height and width (default: the config's) [pixels]
    video_frames: pictures of a film (default: the config's) [frames]
    frames: spectrogram frames (default: the config's) [frames]
    samples: audio samples (default: the config's, or one second) [samples]
    bind: ONNX, torch.export: sizes of the dimensions that the file leaves open
    dtype: number format of weights, activations and KV cache; a weight-only one is of the weights alone
    weights: number format of the weights (default: the config's), or of some: experts=mxfp4,*=bf16
    activations: number format of the activations
    kv: number format of the KV cache (default: the activations')
    attention: S x T pairs as executed, or exactly the causal ones: full, causal (default causal)
    kernel: every operator's traffic, or the least with chains fused: eager, fused (default fused)
    lm_head: positions the output head runs on; needed: the last, in training all: all, last, needed (default needed)
    optimizer: train: the optimiser's state: adam, sgd, none
    recompute: train: activations computed again in the backward pass: none, full, selective
    class_: another class of the family than the config's (LlamaModel, ...)
    partial: count what the catalog knows and list what it does not
    learn: a class that the catalog does not know is read from its Python source, and kept
    source: a folder that is or holds the package with the source, or a file (default: beside the config, else what the
        user's Python has)
    devices: devices that share every layer: tensor-parallel
    tensor_parallel: each layer split over N devices, by heads and columns (default 1)
    pipeline_parallel: the layers over N devices, one part after the other (default 1)
    expert_parallel: a mixture's experts over N replicas (default 1)
    data_parallel: N replicas that split the batch (default: expert-parallel)
    microbatches: parts of a replica's batch, one after the other (default 1)
    zero: training: what replicas share, 1 optimizer, 2 + gradients, 3 + weights (default 0)
    link_bandwidth: bytes/s of a device, one direction (default: the machine's) [bytes/s]
    link_latency: of one message (default: the machine's, 0 where unknown)
    reserve: of a device's memory, or a percentage, for the runtime (default: 0)
    plot: the roofline as a picture: .svg, .png or .pdf
    html: the whole report as one page: figures, tables, pictures
    roofline: draw the roofline below the answer
    dark: pictures on a dark ground (SVG follows the reader's choice by itself)
    ascii: draw with ASCII characters alone
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns Predict. Raises RidgeError. `ridge predict --help` says more.
    """
    given = locals()
    del given["model"]
    return _call.answer(b"predict", (model,), given, "predict:Predict", repeated=('against', 'catalog', 'machines'), config=True, draws=True)


def fit(
    model, *, on=None, memory=None, context=None, weights=None, kv=None, reserve=None, class_=None, bind=None,
    learn=None, source=None, machines=None, catalog=None, builtin_only=None, **unknown
):
    """Which formats of a model fit into a memory, to which context, how fast.

    model: a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf;
        or a config as a dict, or what has to_dict()
    on: a machine of 'ridge machine list', or a machine file (default: this one)
    memory: memory of the device; without on, no times are told
    context: tokens of a sequence (default: 8192, or the model's maximum) [tokens]
    weights: formats of the weights (default: the model's own, then the usual narrower ones)
    kv: formats of the KV cache (default: the model's own)
    reserve: of a device's memory, or a percentage, for the runtime (default: 0)
    class_: another class of the family than the config's (LlamaModel, ...)
    bind: ONNX, torch.export: sizes of the dimensions that the file leaves open
    learn: a class that the catalog does not know is read from its Python source, and kept
    source: a folder that is or holds the package with the source, or a file (default: beside the config, else what the
        user's Python has)
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns Fit. Raises RidgeError. `ridge fit --help` says more.
    """
    given = locals()
    del given["model"]
    return _call.answer(b"fit", (model,), given, "fit:Fit", repeated=('catalog', 'machines'), config=True)


def sweep(
    model, *, on=None, batch=None, seq=None, past=None, phase=None, weights=None, activations=None, kv=None,
    threads=None, decoder_seq=None, encoder_len=None, images=None, image_size=None, video_frames=None, frames=None,
    samples=None, bind=None, dtype=None, attention=None, kernel=None, lm_head=None, optimizer=None, recompute=None,
    class_=None, method=None, launch=None, learn=None, source=None, summary=None, machines=None, catalog=None,
    builtin_only=None, progress=None, **unknown
):
    """Predictions over machines, batches, lengths and formats: every point, or the best ones.

    model: a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf;
        or a config as a dict, or what has to_dict()
    on: machines of 'ridge machine list', or machine files: a,b,c
    batch: sequences at once (default 1)
    seq: new tokens per sequence (default: as 'ridge predict' has it)
    past: tokens already in the cache
    phase: prefill, decode, train (default prefill)
    weights: number formats of the weights (default: the config's dtype)
    activations: ... of the activations
    kv: ... of the KV cache
    threads: threads (default: one per processor)
    decoder_seq: encoder-decoder models: tokens of the decoder; seq is the encoder's [tokens]
    encoder_len: decode: length of the encoder's output [tokens]
    images: images per sequence of text (default 0: text only) [images]
    image_size: pixels of an image's height and width (default: the config's) [pixels]
    video_frames: pictures of a film (default: the config's) [frames]
    frames: spectrogram frames (default: the config's) [frames]
    samples: audio samples (default: the config's, or one second) [samples]
    bind: ONNX, torch.export: sizes of the dimensions that the file leaves open
    dtype: number format of weights, activations and KV cache; a weight-only one is of the weights alone
    attention: S x T pairs as executed, or exactly the causal ones: full, causal (default causal)
    kernel: every operator's traffic, or the least with chains fused: eager, fused (default fused)
    lm_head: positions the output head runs on; needed: the last, in training all: all, last, needed (default needed)
    optimizer: train: the optimiser's state: adam, sgd, none
    recompute: train: activations computed again in the backward pass: none, full, selective
    class_: another class of the family than the config's (LlamaModel, ...)
    method: the bound itself, or what such kernels reach: roofline, estimate
    launch: overhead of every kernel's launch: a time, 'machine' (its own) or 'none' (default machine)
    learn: a class that the catalog does not know is read from its Python source, and kept
    source: a folder that is or holds the package with the source, or a file (default: beside the config, else what the
        user's Python has)
    summary: the best points and the Pareto front instead of the rows
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Sweep or SweepSummary. Raises RidgeError. `ridge sweep --help` says more.
    """
    given = locals()
    del given["model"]
    return _call.measured(b"sweep", (model,), given, "sweep:Sweep@rows|SweepSummary@model", repeated=('catalog', 'machines'), config=True)


def inspect(
    model, *, all=None, depth=None, verify=None, weights=None, class_=None, partial=None, learn=None, source=None,
    inventory_script=None, catalog=None, builtin_only=None, **unknown
):
    """The module tree: paths, classes, shapes, parameters, ties.

    model: a folder, a config.json, a weight file, an inventory, or an id such as openai-community/gpt2; or a config as
        a dict, or what has to_dict()
    all: layers unfolded
    depth: modules down to this depth
    verify: compare the tree with the tensors of the weight files beside the config
    weights: number format of the weights (default: the config's), or of some: experts=mxfp4,*=bf16
    class_: another class of the family than the config's (LlamaModel, ...)
    partial: count what the catalog knows and list what it does not
    learn: a class that the catalog does not know is read from its Python source, and kept
    source: a folder that is or holds the package with the source, or a file (default: beside the config, else what the
        user's Python has)
    inventory_script: print the Python script that makes an inventory of any torch.nn.Module, which is a MODEL then
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns Inspect. Raises RidgeError. `ridge inspect --help` says more.
    """
    given = locals()
    del given["model"]
    return _call.answer(b"inspect", (model,), given, "inspect:Inspect", repeated=('catalog',), config=True)


def learn(
    what, *, source=None, class_=None, arguments=None, inputs=None, out=None, agent=None, agent_seconds=None,
    operators=None, sdpa=None, phase=None, batch=None, seq=None, past=None, decoder_seq=None, encoder_len=None,
    images=None, image_size=None, video_frames=None, frames=None, samples=None, weights=None, activations=None, kv=None,
    progress=None, **unknown
):
    """Reads a model's Python source and derives what it costs, without running it.

    what: a class (LlamaForCausalLM, package.module.Class) or a model: a folder, a config.json, an id
    source: a folder that is or holds the package with the source, or a file (default: what the user's Python has)
    class_: another class than the config's (LlamaModel, ...)
    arguments: of a class that takes no config: what __init__ gets ('dim=64 heads=4')
    inputs: what forward gets ('pixels=B,3,32,32 ids=B,S:int64'; default: what it takes and the config says)
    out: writes the catalog entries that were learned to a file (-: prints them, and nothing else)
    agent: a program that is asked what cannot be derived: JSON question on its standard input, JSON formula on its
        standard output
    agent_seconds: how long the agent may take for one answer (default 300) [seconds]
    operators: a catalog file whose operators stand in the place of the built-in ones of the same names ('ridge db show
        aten.bmm.default')
    sdpa: attention by torch's scaled_dot_product_attention instead of step by step
    phase: what is run (default: prefill, and decode where there is a cache): prefill, decode
    batch: sequences at once [sequences]
    seq: new tokens per sequence, placeholders of images included [tokens]
    past: tokens already in the cache [tokens]
    decoder_seq: encoder-decoder models: tokens of the decoder [tokens]
    encoder_len: decode: length of the encoder's output [tokens]
    images: images per sequence of text (default 0: text only) [images]
    image_size: pixels of an image's height and width (default: the config's) [pixels]
    video_frames: pictures of a film (default: the config's) [frames]
    frames: spectrogram frames (default: the config's) [frames]
    samples: audio samples (default: the config's, or one second) [samples]
    weights: number format of the weights (default: the config's dtype)
    activations: number format of the activations: the weights'
    kv: number format of the KV cache: the weights'
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Learn. Raises RidgeError. `ridge learn --help` says more.
    """
    given = locals()
    del given["what"]
    return _call.measured(b"learn", (what,), given, "learn:Learn")


def validate(
    what, *, source=None, class_=None, arguments=None, inputs=None, python=None, cases=None, seed=None, derived=None,
    catalog=None, builtin_only=None, progress=None, **unknown
):
    """Holds what Ridge says of a model against your own PyTorch.

    what: a class (package.module.Class) or a model: a folder, a config.json, an id
    source: a folder that is or holds the package with the source, or a file (default: what Python finds)
    class_: another class than the config's
    arguments: of a class that takes no config: what __init__ gets ('dim=64 heads=4')
    inputs: of such a class: what forward gets ('pixels=B,3,32,32 ids=B,S:int64')
    python: a Python that has torch (default python3)
    cases: how many configurations are run (default 5) [configurations]
    seed: which they are (default 1)
    derived: hold what the source says against PyTorch, whatever the catalog knows
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Validate. Raises RidgeError. `ridge validate --help` says more.
    """
    given = locals()
    del given["what"]
    return _call.measured(b"validate", (what,), given, "validate:Validate", repeated=('catalog',))


def models(filter=None, *, catalog=None, builtin_only=None, **unknown):
    """Shipped examples, what the cache has, and the model types and classes the catalog knows.

    filter: part of an id, a model type or a class; upper and lower case are the same
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns Models. Raises RidgeError. `ridge models --help` says more.
    """
    given = locals()
    del given["filter"]
    return _call.answer(b"models", (filter,), given, "models:Models", repeated=('catalog',))


def pull(id, *, progress=None, **unknown):
    """Fetches a model's config and indexes from the hub, and reads the headers of its weights.

    id: org/name, org/name@revision, or of a GGUF org/name:Q4_K_M
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Pull. Raises RidgeError. `ridge pull --help` says more.
    """
    given = locals()
    del given["id"]
    return _call.measured(b"pull", (id,), given, "pull:Pull")


def formula(name, *arguments, context=None, trace=None, symbolic=None, catalog=None, builtin_only=None, **unknown):
    """One module's formula, evaluated for arguments.

    name: a module (torch.nn.Linear, torch__nn__Linear or its class path) and its arguments
    arguments: a module (torch.nn.Linear, torch__nn__Linear or its class path) and its arguments
    context: what is evaluated; reads, writes and intermediates are elements: flops, reads, writes, intermediates,
        params
    trace: the resolution tree, step by step
    symbolic: what is not given stays a name: print the closed form
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns Formula. Raises RidgeError. `ridge formula --help` says more.
    """
    given = locals()
    del given["name"]
    del given["arguments"]
    return _call.answer(b"formula", (name, *arguments), given, "formula:Formula", repeated=('catalog',))


def op(
    kind, *, m=None, n=None, k=None, quantised=None, tiling=None, dtype=None, weights=None, kv=None, all_formats=None,
    on=None, launch=None, level=None, machines=None, plot=None, roofline=None, dark=None, ascii=None, batch=None,
    seq=None, kv_len=None, heads=None, kv_heads=None, head_dim=None, causal=None, in_channels=None, out_channels=None,
    height=None, width=None, kernel=None, stride=None, padding=None, dilation=None, groups=None, op=None, rows=None,
    cols=None, hidden=None, intermediate=None, gated=None, vocab=None, no_projections=None, layers=None, **unknown
):
    """What one operator costs, from shapes alone, and how long it takes on a machine.

    kind: gemm, gemv, attention, conv, norm, layernorm, rmsnorm, softmax, elementwise, silu, gelu, relu, tanh, sigmoid,
        add, mul, rope, wkv, ffn, embedding, layer, model
    m: rows of A and C
    n: columns of B and C
    k: the reduction
    quantised: count dequantisation, as large as the matmul
    tiling: how the GPU of on cuts it: tile, grid, waves, shared memory, occupancy
    dtype: format of every operand, several: a row each; a weight-only one leaves activations in bf16 (default bf16)
    weights: format of the weights (default: dtype)
    kv: format of K and V (default: that of the activations)
    all_formats: a row for dtype, then for every other format, with its speed-up
    on: also say how long it takes there; several with commas between: a row each
    launch: overhead of every kernel's launch: a time, 'machine' (its own) or 'none' (default none)
    level: memory level the operands are in (default: the innermost that holds them and whose bandwidth is known)
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)
    plot: the roofline as a picture: .svg, .png or .pdf
    roofline: draw the roofline below the answer
    dark: pictures on a dark ground (SVG follows the reader's choice by itself)
    ascii: draw with ASCII characters alone
    batch: sequences (default 1)
    seq: queries per sequence
    kv_len: keys per sequence (default: seq)
    heads: query heads
    kv_heads: key and value heads (default: heads)
    head_dim: length of a head
    causal: count the exact pairs of causal attention
    in_channels: channels of x
    out_channels: channels of y
    height: rows of x
    width: columns of x
    kernel: the window
    stride: step of the window (default 1)
    padding: zeros on each side (default 0)
    dilation: distance of the window's elements (default 1)
    groups: groups of channels (default 1)
    op: which normalisation: layernorm, rmsnorm (default layernorm)
    rows: rows
    cols: elements of a row
    hidden: width of the residual stream
    intermediate: width inside the FFN
    gated: a gate beside the up projection
    vocab: rows of the table: says what it takes
    no_projections: leave the products to Q, K, V and O out, as the layer counters do
    layers: transformer layers

    Returns Op or OpRows. Raises RidgeError. `ridge op --help` says more.
    """
    given = locals()
    del given["kind"]
    return _call.answer(b"op " + _call.word(kind, "kind"), (), given, "op:Op@formats|OpRows@rows", repeated=('machines',), draws=True)


def db_list(text=None, *, kind=None, library=None, status=None, catalog=None, builtin_only=None, **unknown):
    """Entries with their kind, validation status and origin.

    text: part of a name
    kind: entries of one kind: any, module, function, formula, choice, config, operator
    library: entries of one library: torch, transformers, ...
    status: entries of one validation status; none: those that say nothing: any, none, pending, derived, validated,
        failed
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns DbList. Raises RidgeError. `ridge db list --help` says more.
    """
    given = locals()
    del given["text"]
    return _call.answer(b"db list", (text,), given, "db:DbList", repeated=('catalog',))


def db_show(name, *, recursive=None, catalog=None, builtin_only=None, **unknown):
    """One entry: its fields after inheritance, what it needs, who uses it.

    name: the entry
    recursive: dependencies as a tree, down to the leaves
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns DbShow. Raises RidgeError. `ridge db show --help` says more.
    """
    given = locals()
    del given["name"]
    return _call.answer(b"db show", (name,), given, "db:DbShow", repeated=('catalog',))


def db_check(*files, catalog=None, builtin_only=None, progress=None, **unknown):
    """Everything that is wrong with catalog files.

    files: catalog files, looked at on top of the built-in catalog and your own
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns DbCheck. Raises RidgeError. `ridge db check --help` says more.
    """
    given = locals()
    del given["files"]
    return _call.measured(b"db check", (*files,), given, "db:DbCheck", repeated=('catalog',))


def db_export(*, output=None, catalog=None, builtin_only=None, **unknown):
    """The merged database as one module_db.json.

    output: write there, replacing the file atomically, instead of stdout
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out

    Returns str. Raises RidgeError. `ridge db export --help` says more.
    """
    given = locals()
    return _call.text(b"db export", (), given, repeated=('catalog',))


def db_add(file, *, replace=None, **unknown):
    """Put the entries of a file into your own catalog.

    file: a catalog file
    replace: replace entries that you added before

    Returns DbAdd or DbCheck. Raises RidgeError. `ridge db add --help` says more.
    """
    given = locals()
    del given["file"]
    return _call.answer(b"db add", (file,), given, "db:DbAdd|DbCheck@errors")


def generate_python(*modules, out=None, catalog=None, builtin_only=None, progress=None, **unknown):
    """A package of Python: a file and a class for each module.

    modules: modules, or patterns with * and ?, with all that they need; none: the whole catalog
    out: the folder, which is written whole or not at all; it may hold nothing else
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns GeneratePython. Raises RidgeError. `ridge generate python --help` says more.
    """
    given = locals()
    del given["modules"]
    return _call.measured(b"generate python", (*modules,), given, "generate:GeneratePython", repeated=('catalog',))


def generate_c(*modules, out=None, catalog=None, builtin_only=None, progress=None, **unknown):
    """C: a header and a source for each library.

    modules: modules, or patterns with * and ?, with all that they need; none: the whole catalog
    out: the folder, which is written whole or not at all; it may hold nothing else
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns GeneratePython. Raises RidgeError. `ridge generate c --help` says more.
    """
    given = locals()
    del given["modules"]
    return _call.measured(b"generate c", (*modules,), given, "generate:GeneratePython", repeated=('catalog',))


def machines(*, kind=None, own=None, machines=None, **unknown):
    """Every machine with its peaks, memory and power.

    kind: machines of one kind: any, gpu, cpu, tpu, accelerator, apple
    own: machines of your own: 'this' and those that were added
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)

    Returns Machines. Raises RidgeError. `ridge machine list --help` says more.
    """
    given = locals()
    return _call.answer(b"machine list", (), given, "machine:Machines", repeated=('machines',))


def machine(id, *, machines=None, **unknown):
    """One machine: every number with its source, what is not known.

    id: a machine of 'ridge machine list', or a machine's file
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)

    Returns Machine. Raises RidgeError. `ridge machine show --help` says more.
    """
    given = locals()
    del given["id"]
    return _call.answer(b"machine show", (id,), given, "machine:Machine", repeated=('machines',))


def machine_compare(*ids, machines=None, **unknown):
    """Machines side by side, with ratios to the first.

    ids: the machines; the first is what the others are compared with
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)

    Returns MachineCompare. Raises RidgeError. `ridge machine compare --help` says more.
    """
    given = locals()
    del given["ids"]
    return _call.answer(b"machine compare", (*ids,), given, "machine:MachineCompare", repeated=('machines',))


def machine_check(*ids, machines=None, **unknown):
    """What is wrong with machines or their files.

    ids: machines, or machines' files
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)

    Returns MachineCheck. Raises RidgeError. `ridge machine check --help` says more.
    """
    given = locals()
    del given["ids"]
    return _call.answer(b"machine check", (*ids,), given, "machine:MachineCheck", repeated=('machines',))


def machine_add(file, *, force=None, **unknown):
    """Put a machine's file among your own.

    file: a machine's file, named <id>.json
    force: replace a machine that you added before

    Returns MachineAdd. Raises RidgeError. `ridge machine add --help` says more.
    """
    given = locals()
    del given["file"]
    return _call.answer(b"machine add", (file,), given, "machine:MachineAdd")


def detect(*, from_=None, record=None, bandwidth=None, no_gpus=None, save=None, **unknown):
    """This machine: cores, caches, ISA, memory, limits, GPUs.

    from_: describe the machine recorded in DIR
    record: write what is read of this machine to DIR, without serial numbers and names
    bandwidth: bytes per second that main memory delivers: 40G, 307200M [bytes/s]
    no_gpus: do not look for NVIDIA GPUs
    save: keep it as the machine 'this', for on this

    Returns Detect. Raises RidgeError. `ridge machine detect --help` says more.
    """
    given = locals()
    return _call.answer(b"machine detect", (), given, "machine:Detect")


def calibrate(*, threads=None, budget=None, memory=None, save=None, no_save=None, progress=None, **unknown):
    """Measure this machine's ceilings, for on this.

    threads: numbers of threads to measure with (default: 1 and all usable cores)
    budget: time to spend, about (default 30s)
    memory: memory to use at most (default: half of what is free) [bytes]
    save: keep it as the machine 'this', for on this (so it is without this option)
    no_save: print only
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Calibrate. Raises RidgeError. `ridge machine calibrate --help` says more.
    """
    given = locals()
    return _call.measured(b"machine calibrate", (), given, "machine:Calibrate", alone=True)


def live(**unknown):
    """What this machine does now: load, memory, clocks, 

    Returns Live. Raises RidgeError. `ridge machine live --help` says more.
    """
    given = locals()
    return _call.answer(b"machine live", (), given, "machine:Live")


def bench(
    kind=None, *, m=None, n=None, k=None, rows=None, cols=None, batch=None, seq=None, past=None, kv_len=None,
    heads=None, kv_heads=None, head_dim=None, causal=None, dtype=None, activations=None, all_formats=None, suite=None,
    model=None, phase=None, layer=None, kv=None, threads=None, cache=None, variant=None, provider=None,
    all_variants=None, budget=None, rounds=None, ceilings_budget=None, bandwidth=None, db=None, no_store=None,
    progress=None, **unknown
):
    """How fast a kernel is here, beside the ceiling that bounds it and the prediction.

    kind: gemv, gemm, attention, softmax, layernorm, rmsnorm, silu, gelu, rope, add, embedding or wkv: gemv, gemm,
        attention, softmax, layernorm, rmsnorm, silu, gelu, rope, add, embedding, wkv
    m: gemm: rows of activations
    n: gemv, gemm: rows of W; embedding: rows of the table
    k: gemv, gemm: columns of W, the reduction
    rows: norms, softmax, silu, gelu, add, rope: rows; embedding: rows looked up
    cols: ... elements of a row
    batch: attention, a model: sequences (default 1)
    seq: attention, wkv, a model: new tokens per sequence
    past: attention, rope, a model's decode: tokens before them
    kv_len: attention: keys per sequence, in place of past
    heads: attention, rope: query heads
    kv_heads: attention: key and value heads (default: heads)
    head_dim: attention, rope: length of a head
    causal: attention: a token sees none after it
    dtype: format of the weights, of K and V, several: a row each (default: bf16, or that of the activations)
    activations: format of everything else: fp32 (default), bf16, fp16
    all_formats: a row for dtype, then for every other format that has a kernel
    suite: the shipped suite: cpu
    model: the distinct products and attentions of one pass of a model
    phase: of the model: prefill, decode (default decode)
    layer: of the model: one of its layers
    kv: of the model: format of K and V (default: that of the activations)
    threads: numbers of threads (default 1)
    cache: hot: operands in cache; cold: from memory; usual: cold where weights are read once: usual, hot, cold, both
        (default usual)
    variant: this implementation: generic, avx2, ...
    provider: the best of this provider: ridge, ...
    all_variants: every implementation (default: the best of each provider)
    budget: time a row may take, all its rounds together (default 1s)
    rounds: times that all rows are measured in turn, for intervals that a later run agrees with (default 5; 1 for one
        kernel)
    ceilings_budget: time for the machine's ceilings (default 4s per number of threads)
    bandwidth: of main memory as its maker tells, for the prediction before calibration [bytes/s]
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db
    no_store: do not keep the rows
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Bench. Raises RidgeError. `ridge bench --help` says more.
    """
    given = locals()
    del given["kind"]
    return _call.measured(b"bench", (kind,), given, "bench:Bench", alone=True)


def compare(
    kind=None, *, run=None, calibration=None, frameworks=None, hidden=None, intermediate=None, patience=None, m=None,
    n=None, k=None, rows=None, cols=None, batch=None, seq=None, past=None, kv_len=None, heads=None, kv_heads=None,
    head_dim=None, causal=None, dtype=None, activations=None, all_formats=None, suite=None, model=None, phase=None,
    layer=None, kv=None, threads=None, cache=None, variant=None, provider=None, all_variants=None, budget=None,
    rounds=None, ceilings_budget=None, bandwidth=None, plot=None, roofline=None, dark=None, ascii=None, db=None,
    no_store=None, machines=None, progress=None, **unknown
):
    """Predicted against measured: errors, bottlenecks, slowdowns, a roofline with both.

    kind: as in 'ridge bench'; with frameworks: gemm, attention, layer, or a MODEL, for its layer: gemv, gemm,
        attention, softmax, layernorm, rmsnorm, silu, gelu, rope, add, embedding, wkv
    run: rows that were measured before: a number of 'ridge history runs'
    calibration: errors before and after efficiencies fitted on half of the rows
    frameworks: the same work in ridge, torch, jax, numpy, onnxruntime: those that python3 has
    hidden: layer: length of the residual stream
    intermediate: layer: length inside the MLP
    patience: time a framework may take to start, and beyond what it is asked for (default 120s)
    m: gemm: rows of activations
    n: gemv, gemm: rows of W; embedding: rows of the table
    k: gemv, gemm: columns of W, the reduction
    rows: norms, softmax, silu, gelu, add, rope: rows; embedding: rows looked up
    cols: ... elements of a row
    batch: attention, a model: sequences (default 1)
    seq: attention, wkv, a model: new tokens per sequence
    past: attention, rope, a model's decode: tokens before them
    kv_len: attention: keys per sequence, in place of past
    heads: attention, rope: query heads
    kv_heads: attention: key and value heads (default: heads)
    head_dim: attention, rope: length of a head
    causal: attention: a token sees none after it
    dtype: format of the weights, of K and V, several: a row each (default: bf16, or that of the activations)
    activations: format of everything else: fp32 (default), bf16, fp16
    all_formats: a row for dtype, then for every other format that has a kernel
    suite: the shipped suite: cpu
    model: the distinct products and attentions of one pass of a model
    phase: of the model: prefill, decode (default decode)
    layer: of the model: one of its layers
    kv: of the model: format of K and V (default: that of the activations)
    threads: numbers of threads (default 1)
    cache: hot: operands in cache; cold: from memory; usual: cold where weights are read once: usual, hot, cold, both
        (default usual)
    variant: this implementation: generic, avx2, ...
    provider: the best of this provider: ridge, ...
    all_variants: every implementation (default: the best of each provider)
    budget: time a row may take, all its rounds together (default 1s)
    rounds: times that all rows are measured in turn, for intervals that a later run agrees with (default 5; 1 for one
        kernel)
    ceilings_budget: time for the machine's ceilings (default 4s per number of threads)
    bandwidth: of main memory as its maker tells, for the prediction before calibration [bytes/s]
    plot: the roofline as a picture: .svg, .png or .pdf
    roofline: draw the roofline below the answer
    dark: pictures on a dark ground (SVG follows the reader's choice by itself)
    ascii: draw with ASCII characters alone
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db
    no_store: do not keep the rows
    machines: a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Compare or CompareRun or CompareFrameworks. Raises RidgeError. `ridge compare --help` says more.
    """
    given = locals()
    del given["kind"]
    return _call.measured(b"compare", (kind,), given, "compare:Compare@failed|CompareRun|CompareFrameworks@what", repeated=('machines',), draws=True, alone=True)


def profile(
    what, model=None, *, hidden=None, heads=None, kv_heads=None, head_dim=None, rwkv=None, phase=None, batch=None,
    seq=None, past=None, dtype=None, activations=None, threads=None, cache=None, budget=None, optimize=None, trace=None,
    plot=None, roofline=None, dark=None, ascii=None, db=None, no_store=None, catalog=None, builtin_only=None,
    intermediate=None, layernorm=None, plain_mlp=None, progress=None, **unknown
):
    """Where the time of a model, a layer or attention goes, measured.

    what: attention, layer, model
    model: a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf
    hidden: length of the residual stream
    heads: query heads
    kv_heads: key and value heads (default: heads)
    head_dim: length of a head (default: hidden / heads)
    rwkv: RWKV-4: linear attention, wkv, no heads
    phase: what is run: prefill, decode (default decode)
    batch: sequences at once (default 1)
    seq: new tokens per sequence (default: decode 1, prefill 512) [tokens]
    past: tokens already in the cache (default: decode 512 or what the model's positions leave, prefill 0) [tokens]
    dtype: format of the weights (default bf16)
    activations: of activations, K and V (default: dtype where that is fp32, bf16 or fp16, else fp32)
    threads: threads (default: all CPUs of the process)
    cache: weights and KV from memory, as in a run (cold), or as they lie: hot, cold (default cold)
    budget: time to spend, about (default 8s)
    optimize: also as one kernel: 0 naive, 1 and blocked, 2 and fused, 3 and flash, with gain and error
    trace: write a timeline for chrome://tracing or Perfetto
    plot: the roofline as a picture: .svg, .png or .pdf
    roofline: draw the roofline below the answer
    dark: pictures on a dark ground (SVG follows the reader's choice by itself)
    ascii: draw with ASCII characters alone
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db
    no_store: do not keep the rows
    catalog: a catalog folder or file that adds to and overrides the built-in one (repeatable)
    builtin_only: leave the user's own catalog folder out
    intermediate: length inside the MLP
    layernorm: LayerNorm instead of RMSNorm
    plain_mlp: up, GELU, down instead of a gated MLP with SiLU
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Profile. Raises RidgeError. `ridge profile --help` says more.
    """
    given = locals()
    del given["what"]
    del given["model"]
    return _call.measured(b"profile " + _call.word(what, "what"), (model,), given, "profile:Profile", repeated=('catalog',), draws=True, alone=True)


def experiment(
    name, *, n=None, k=None, m=None, format=None, activations=None, threads=None, most=None, rounds=None, budget=None,
    db=None, no_store=None, plot=None, curve=None, dark=None, ascii=None, progress=None, **unknown
):
    """What bounds products on this machine: memory or arithmetic, formats, tiles, threads, sizes, batches.

    name: memory-vs-compute, quant-overhead, tile-sweep, thread-sweep, size-sweep or batch-sweep: memory-vs-compute,
        quant-overhead, tile-sweep, thread-sweep, size-sweep, batch-sweep
    n: rows of W, length of y (default 4096)
    k: columns of W, length of x (default 4096)
    m: most rows at once (default: tile-sweep 256, batch-sweep 512)
    format: of the weights (default bf16; quant-overhead: repeatable, q8_0, q4_0, q4_K)
    activations: of x and y (default fp32)
    threads: threads (default: all CPUs of the process)
    most: size-sweep: the largest working set (default: four times the last-level cache) [bytes]
    rounds: times that all points are measured in turn: more of them, surer sentences (default 5)
    budget: time to measure, about; operands take more (default 10s)
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db
    no_store: do not keep the rows
    plot: the result as a picture: .svg, .png or .pdf
    curve: draw the picture below the answer
    dark: pictures on a dark ground (SVG follows the reader's choice by itself)
    ascii: draw with ASCII characters alone
    progress: True (a bar of tqdm, else lines on stderr) or a function that is called with each line

    Returns Experiment. Raises RidgeError. `ridge experiment --help` says more.
    """
    given = locals()
    del given["name"]
    return _call.measured(b"experiment", (name,), given, "experiment:Experiment", repeated=('format',), draws=True, alone=True)


def history(*, kernel=None, format=None, size=None, machine=None, since=None, last=None, runs=None, db=None, **unknown):
    """What was measured, run by run, on this machine and on others.

    kernel: rows of one kernel: gemv, attention, ...
    format: rows whose weights are in this format
    size: rows whose shape has this size: n=14336 (repeatable; all must fit)
    machine: runs of this machine: this, all, or the first digits of a fingerprint
    since: runs from then on, UTC: 2026-11-21 or 2026-11-21T16:00:00Z
    last: the newest N of these runs
    runs: list the runs, not their rows
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns History or HistoryRuns. Raises RidgeError. `ridge history --help` says more.
    """
    given = locals()
    return _call.answer(b"history", (), given, "history:History@rows|HistoryRuns", repeated=('size',))


def history_show(run, *, db=None, **unknown):
    """One run: when, where, with which ridge and settings, and its rows.

    run: its number (ridge history runs)
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns History. Raises RidgeError. `ridge history show --help` says more.
    """
    given = locals()
    del given["run"]
    return _call.answer(b"history show", (run,), given, "history:History")


def history_delete(*runs, db=None, **unknown):
    """Forget runs and their rows, all of those named or none.

    runs: their numbers (ridge history runs)
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns str. Raises RidgeError. `ridge history delete --help` says more.
    """
    given = locals()
    del given["runs"]
    return _call.text(b"history delete", (*runs,), given)


def history_export(file=None, *, csv=None, json=None, machine=None, since=None, last=None, db=None, **unknown):
    """Whole runs as JSON or CSV, for another machine's `ridge history import` or another program.

    file: replaced atomically; without one, or '-', standard output
    csv: write CSV, one line a row (what a file named *.csv gets)
    json: write JSON (the default)
    machine: runs of this machine: this, all, or the first digits of a fingerprint
    since: runs from then on, UTC: 2026-11-21 or 2026-11-21T16:00:00Z
    last: the newest N of these runs
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns str. Raises RidgeError. `ridge history export --help` says more.
    """
    given = locals()
    del given["file"]
    return _call.text(b"history export", (file,), given)


def history_import(*files, machine=None, db=None, **unknown):
    """Add exported runs, of this machine or others, or points that another program measured.

    files: CSV or JSON of `ridge history export`, or of points
    machine: where points were measured: this, or any name; default: what the file says, else unknown
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns str. Raises RidgeError. `ridge history import --help` says more.
    """
    given = locals()
    del given["files"]
    return _call.text(b"history import", (*files,), given)


def baseline_set(name, *, run=None, db=None, **unknown):
    """Give a run a name, to compare later runs with.

    name: letters, digits, '-', '_', '.'
    run: the run's number; default: the last finished one of this machine
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns str. Raises RidgeError. `ridge baseline set --help` says more.
    """
    given = locals()
    del given["name"]
    return _call.text(b"baseline set", (name,), given)


def baseline_list(*, db=None, **unknown):
    """The baselines and their runs.

    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns BaselineList. Raises RidgeError. `ridge baseline list --help` says more.
    """
    given = locals()
    return _call.answer(b"baseline list", (), given, "baseline:BaselineList")


def baseline_check(name, *, run=None, tolerance=None, any_machine=None, db=None, **unknown):
    """Is a run slower than a baseline? exits with 3 where it is.

    name: the baseline
    run: the run to check; default: the last finished one of this machine
    tolerance: how much slower is still the same: 0.03 is 3 % (default 0.03)
    any_machine: compare although the runs are of different machines
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns BaselineCheck. Raises RidgeError. `ridge baseline check --help` says more.
    """
    given = locals()
    del given["name"]
    return _call.answer(b"baseline check", (name,), given, "baseline:BaselineCheck")


def baseline_delete(name, *, db=None, **unknown):
    """Forget a baseline's name; its run stays.

    name: the baseline
    db: the file of measurements; default $XDG_DATA_HOME/ridge/measurements.db

    Returns str. Raises RidgeError. `ridge baseline delete --help` says more.
    """
    given = locals()
    del given["name"]
    return _call.text(b"baseline delete", (name,), given)


def formats(**unknown):
    """Number formats: bits per element, block size, the format they comput

    Returns Formats. Raises RidgeError. `ridge formats --help` says more.
    """
    given = locals()
    return _call.answer(b"formats", (), given, "formats:Formats")


def serve(
    *, listen=None, port=None, token=None, token_file=None, insecure=None, host=None, files=None, hub=None, log=None,
    connections=None, grace=None, **unknown
):
    """All of this over HTTP: a page for people, JSON for programs.

    listen: the address to listen on; beyond this machine only with a token, or insecure (default 127.0.0.1)
    port: the port; 0: any that is free (default 8000)
    token: who asks must know it (Authorization: Bearer TOKEN); ps shows it to other users
    token_file: the same, from the first line of a file
    insecure: let in whoever reaches the address, without a token
    host: another name by which browsers may call the server (repeatable)
    files: let requests name files and folders in DIR (default: none)
    hub: let requests download models by their ids (default: shipped ones, and those in the cache)
    log: a line for each request (-: standard error)
    connections: connections at once, at most (default 256)
    grace: when it is to end, how long a measurement may still take (default 5s)

    Returns Server. Raises RidgeError. `ridge serve --help` says more.
    """
    given = locals()
    return _serve.start(given, repeated=('host',))
