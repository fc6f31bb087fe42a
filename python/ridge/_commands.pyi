# Types of the commands; made by scripts/python_stubs.py of what the program says of itself; not written by hand.
from os import PathLike
from typing import Any, Callable, Dict, Literal, Mapping, Optional, Sequence, Union

from ridge._records.baseline import BaselineCheck, BaselineList
from ridge._records.bench import Bench
from ridge._records.compare import Compare, CompareRun
from ridge._records.cost import Cost, CostExplain, CostSymbolic
from ridge._records.db import DbAdd, DbCheck, DbList, DbShow
from ridge._records.experiment import Experiment
from ridge._records.fit import Fit
from ridge._records.formats import Formats
from ridge._records.formula import Formula
from ridge._records.history import History, HistoryRuns
from ridge._records.inspect import Inspect
from ridge._records.learn import Learn
from ridge._records.machine import Calibrate, Detect, Live, Machine, MachineAdd, MachineCheck, MachineCompare, Machines
from ridge._records.models import Models
from ridge._records.op import Op, OpRows
from ridge._records.predict import Predict
from ridge._records.profile import Profile
from ridge._records.pull import Pull
from ridge._records.show import Show
from ridge._records.sweep import Sweep, SweepSummary
from ridge._records.validate import Validate
from ridge._serve import Server

Text = Union[None, str, PathLike[str]]
Flag = Optional[bool]
Integer = Union[None, int, str]
Number = Union[None, float, str]
Time = Union[None, float, str]
Format = Union[None, str, Any]
Formats = Union[None, str, Sequence[str], Any]
Several = Union[None, str, PathLike[str], Sequence[Union[str, PathLike[str]]], Mapping[str, object]]
Value = Union[None, str, int, float, Sequence[Union[str, int, float]], Mapping[str, object]]
Operand = Union[str, int, PathLike[str]]
Model = Union[str, PathLike[str], Dict[str, Any], Any]

def show(
    model: Model,
    *,
    on: Text = None,
    memory: Value = None,
    context: Integer = None,
    reserve: Value = None,
    class_: Text = None,
    bind: Text = None,
    learn: Flag = None,
    source: Text = None,
    machines: Several = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> Show: ...

def cost(
    model: Model,
    *,
    all: Flag = None,
    top: Integer = None,
    sort: Optional[Literal["tree", "flops", "bytes", "intensity", "path"]] = None,
    depth: Integer = None,
    exact: Flag = None,
    phase: Optional[Literal["prefill", "decode", "train"]] = None,
    batch: Integer = None,
    seq: Integer = None,
    past: Integer = None,
    decoder_seq: Integer = None,
    encoder_len: Integer = None,
    images: Integer = None,
    image_size: Value = None,
    video_frames: Integer = None,
    frames: Integer = None,
    samples: Integer = None,
    bind: Text = None,
    dtype: Format = None,
    weights: Format = None,
    activations: Format = None,
    kv: Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: Text = None,
    partial: Flag = None,
    learn: Flag = None,
    source: Text = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> Cost: ...

def symbolic(
    model: Model,
    *,
    top: Integer = None,
    sort: Optional[Literal["tree", "flops", "bytes", "intensity", "path"]] = None,
    phase: Optional[Literal["prefill", "decode", "train"]] = None,
    batch: Integer = None,
    seq: Integer = None,
    past: Integer = None,
    decoder_seq: Integer = None,
    encoder_len: Integer = None,
    images: Integer = None,
    image_size: Value = None,
    video_frames: Integer = None,
    frames: Integer = None,
    samples: Integer = None,
    bind: Text = None,
    dtype: Format = None,
    weights: Format = None,
    activations: Format = None,
    kv: Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: Text = None,
    partial: Flag = None,
    learn: Flag = None,
    source: Text = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> CostSymbolic: ...

def explain(
    model: Model,
    path: Operand,
    *,
    top: Integer = None,
    sort: Optional[Literal["tree", "flops", "bytes", "intensity", "path"]] = None,
    phase: Optional[Literal["prefill", "decode", "train"]] = None,
    batch: Integer = None,
    seq: Integer = None,
    past: Integer = None,
    decoder_seq: Integer = None,
    encoder_len: Integer = None,
    images: Integer = None,
    image_size: Value = None,
    video_frames: Integer = None,
    frames: Integer = None,
    samples: Integer = None,
    bind: Text = None,
    dtype: Format = None,
    weights: Format = None,
    activations: Format = None,
    kv: Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: Text = None,
    partial: Flag = None,
    learn: Flag = None,
    source: Text = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> CostExplain: ...

def predict(
    model: Model,
    *,
    on: Text = None,
    method: Optional[Literal["roofline", "estimate"]] = None,
    launch: Value = None,
    prompt: Integer = None,
    generate: Integer = None,
    price: Number = None,
    all: Flag = None,
    top: Integer = None,
    depth: Integer = None,
    against: Several = None,
    advice: Value = None,
    recommend: Flag = None,
    phase: Optional[Literal["prefill", "decode", "train"]] = None,
    batch: Integer = None,
    seq: Integer = None,
    past: Integer = None,
    decoder_seq: Integer = None,
    encoder_len: Integer = None,
    images: Integer = None,
    image_size: Value = None,
    video_frames: Integer = None,
    frames: Integer = None,
    samples: Integer = None,
    bind: Text = None,
    dtype: Format = None,
    weights: Format = None,
    activations: Format = None,
    kv: Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: Text = None,
    partial: Flag = None,
    learn: Flag = None,
    source: Text = None,
    devices: Integer = None,
    tensor_parallel: Integer = None,
    pipeline_parallel: Integer = None,
    expert_parallel: Integer = None,
    data_parallel: Integer = None,
    microbatches: Integer = None,
    zero: Integer = None,
    link_bandwidth: Number = None,
    link_latency: Time = None,
    reserve: Value = None,
    plot: Text = None,
    html: Text = None,
    roofline: Flag = None,
    dark: Flag = None,
    ascii: Flag = None,
    machines: Several = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> Predict: ...

def fit(
    model: Model,
    *,
    on: Text = None,
    memory: Value = None,
    context: Integer = None,
    weights: Formats = None,
    kv: Formats = None,
    reserve: Value = None,
    class_: Text = None,
    bind: Text = None,
    learn: Flag = None,
    source: Text = None,
    machines: Several = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> Fit: ...

def sweep(
    model: Model,
    *,
    on: Value = None,
    batch: Value = None,
    seq: Value = None,
    past: Value = None,
    phase: Value = None,
    weights: Formats = None,
    activations: Formats = None,
    kv: Formats = None,
    threads: Integer = None,
    decoder_seq: Integer = None,
    encoder_len: Integer = None,
    images: Integer = None,
    image_size: Value = None,
    video_frames: Integer = None,
    frames: Integer = None,
    samples: Integer = None,
    bind: Text = None,
    dtype: Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: Text = None,
    method: Optional[Literal["roofline", "estimate"]] = None,
    launch: Value = None,
    learn: Flag = None,
    source: Text = None,
    summary: Flag = None,
    machines: Several = None,
    catalog: Several = None,
    builtin_only: Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Union[Sweep, SweepSummary]: ...

def inspect(
    model: Model,
    *,
    all: Flag = None,
    depth: Integer = None,
    verify: Flag = None,
    weights: Format = None,
    class_: Text = None,
    partial: Flag = None,
    learn: Flag = None,
    source: Text = None,
    inventory_script: Flag = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> Inspect: ...

def learn(
    what: Operand,
    *,
    source: Text = None,
    class_: Text = None,
    arguments: Text = None,
    inputs: Text = None,
    out: Text = None,
    agent: Text = None,
    agent_seconds: Integer = None,
    operators: Text = None,
    sdpa: Flag = None,
    phase: Optional[Literal["prefill", "decode"]] = None,
    batch: Integer = None,
    seq: Integer = None,
    past: Integer = None,
    decoder_seq: Integer = None,
    encoder_len: Integer = None,
    images: Integer = None,
    image_size: Value = None,
    video_frames: Integer = None,
    frames: Integer = None,
    samples: Integer = None,
    weights: Format = None,
    activations: Format = None,
    kv: Format = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Learn: ...

def validate(
    what: Operand,
    *,
    source: Text = None,
    class_: Text = None,
    arguments: Text = None,
    inputs: Text = None,
    python: Text = None,
    cases: Integer = None,
    seed: Integer = None,
    derived: Flag = None,
    catalog: Several = None,
    builtin_only: Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Validate: ...

def models(
    filter: Optional[Operand] = None,
    *,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> Models: ...

def pull(
    id: Operand,
    *,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Pull: ...

def formula(
    name: Operand,
    *arguments: Operand,
    context: Optional[Literal["flops", "reads", "writes", "intermediates", "params"]] = None,
    trace: Flag = None,
    symbolic: Flag = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> Formula: ...

def op(
    kind: Literal["gemm", "gemv", "attention", "conv", "norm", "layernorm", "rmsnorm", "softmax", "elementwise", "silu", "gelu", "relu", "tanh", "sigmoid", "add", "mul", "rope", "wkv", "ffn", "embedding", "layer", "model"],
    *,
    m: Integer = None,
    n: Integer = None,
    k: Integer = None,
    quantised: Flag = None,
    tiling: Flag = None,
    dtype: Formats = None,
    weights: Format = None,
    kv: Format = None,
    all_formats: Flag = None,
    on: Value = None,
    launch: Value = None,
    level: Text = None,
    machines: Several = None,
    plot: Text = None,
    roofline: Flag = None,
    dark: Flag = None,
    ascii: Flag = None,
    batch: Integer = None,
    seq: Integer = None,
    kv_len: Integer = None,
    heads: Integer = None,
    kv_heads: Integer = None,
    head_dim: Integer = None,
    causal: Flag = None,
    in_channels: Integer = None,
    out_channels: Integer = None,
    height: Integer = None,
    width: Integer = None,
    kernel: Value = None,
    stride: Value = None,
    padding: Value = None,
    dilation: Value = None,
    groups: Integer = None,
    op: Value = None,
    rows: Integer = None,
    cols: Integer = None,
    hidden: Integer = None,
    intermediate: Integer = None,
    gated: Flag = None,
    vocab: Integer = None,
    no_projections: Flag = None,
    layers: Integer = None,
) -> Union[Op, OpRows]: ...

def db_list(
    text: Optional[Operand] = None,
    *,
    kind: Optional[Literal["any", "module", "function", "formula", "choice", "config", "operator"]] = None,
    library: Text = None,
    status: Optional[Literal["any", "none", "pending", "derived", "validated", "failed"]] = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> DbList: ...

def db_show(
    name: Operand,
    *,
    recursive: Flag = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> DbShow: ...

def db_check(
    *files: Operand,
    catalog: Several = None,
    builtin_only: Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> DbCheck: ...

def db_export(
    *,
    output: Text = None,
    catalog: Several = None,
    builtin_only: Flag = None,
) -> str: ...

def db_add(
    file: Operand,
    *,
    replace: Flag = None,
) -> Union[DbAdd, DbCheck]: ...

def machines(
    *,
    kind: Optional[Literal["any", "gpu", "cpu", "tpu", "accelerator", "apple"]] = None,
    machines: Several = None,
) -> Machines: ...

def machine(
    id: Operand,
    *,
    machines: Several = None,
) -> Machine: ...

def machine_compare(
    *ids: Operand,
    machines: Several = None,
) -> MachineCompare: ...

def machine_check(
    *ids: Operand,
    machines: Several = None,
) -> MachineCheck: ...

def machine_add(
    file: Operand,
    *,
    force: Flag = None,
) -> MachineAdd: ...

def detect(
    *,
    from_: Text = None,
    record: Text = None,
    bandwidth: Integer = None,
    no_gpus: Flag = None,
    save: Flag = None,
) -> Detect: ...

def calibrate(
    *,
    threads: Value = None,
    budget: Time = None,
    memory: Integer = None,
    save: Flag = None,
    no_save: Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Calibrate: ...

def live(
) -> Live: ...

def bench(
    kind: Optional[Operand] = None,
    *,
    m: Integer = None,
    n: Integer = None,
    k: Integer = None,
    rows: Integer = None,
    cols: Integer = None,
    batch: Integer = None,
    seq: Integer = None,
    past: Integer = None,
    kv_len: Integer = None,
    heads: Integer = None,
    kv_heads: Integer = None,
    head_dim: Integer = None,
    causal: Flag = None,
    dtype: Formats = None,
    activations: Format = None,
    all_formats: Flag = None,
    suite: Text = None,
    model: Text = None,
    phase: Optional[Literal["prefill", "decode"]] = None,
    layer: Flag = None,
    kv: Format = None,
    threads: Value = None,
    cache: Optional[Literal["usual", "hot", "cold", "both"]] = None,
    variant: Text = None,
    provider: Text = None,
    all_variants: Flag = None,
    budget: Time = None,
    rounds: Integer = None,
    ceilings_budget: Time = None,
    bandwidth: Integer = None,
    db: Text = None,
    no_store: Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Bench: ...

def compare(
    kind: Optional[Operand] = None,
    *,
    run: Text = None,
    calibration: Flag = None,
    m: Integer = None,
    n: Integer = None,
    k: Integer = None,
    rows: Integer = None,
    cols: Integer = None,
    batch: Integer = None,
    seq: Integer = None,
    past: Integer = None,
    kv_len: Integer = None,
    heads: Integer = None,
    kv_heads: Integer = None,
    head_dim: Integer = None,
    causal: Flag = None,
    dtype: Formats = None,
    activations: Format = None,
    all_formats: Flag = None,
    suite: Text = None,
    model: Text = None,
    phase: Optional[Literal["prefill", "decode"]] = None,
    layer: Flag = None,
    kv: Format = None,
    threads: Value = None,
    cache: Optional[Literal["usual", "hot", "cold", "both"]] = None,
    variant: Text = None,
    provider: Text = None,
    all_variants: Flag = None,
    budget: Time = None,
    rounds: Integer = None,
    ceilings_budget: Time = None,
    bandwidth: Integer = None,
    plot: Text = None,
    roofline: Flag = None,
    dark: Flag = None,
    ascii: Flag = None,
    db: Text = None,
    no_store: Flag = None,
    machines: Several = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Union[Compare, CompareRun]: ...

def profile(
    what: Literal["attention", "layer", "model"],
    model: Optional[Operand] = None,
    *,
    hidden: Integer = None,
    heads: Integer = None,
    kv_heads: Integer = None,
    head_dim: Integer = None,
    rwkv: Flag = None,
    phase: Optional[Literal["prefill", "decode"]] = None,
    batch: Integer = None,
    seq: Integer = None,
    past: Integer = None,
    dtype: Format = None,
    activations: Format = None,
    threads: Integer = None,
    cache: Optional[Literal["hot", "cold"]] = None,
    budget: Time = None,
    optimize: Integer = None,
    trace: Text = None,
    plot: Text = None,
    roofline: Flag = None,
    dark: Flag = None,
    ascii: Flag = None,
    db: Text = None,
    no_store: Flag = None,
    catalog: Several = None,
    builtin_only: Flag = None,
    intermediate: Integer = None,
    layernorm: Flag = None,
    plain_mlp: Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Profile: ...

def experiment(
    name: Operand,
    *,
    n: Integer = None,
    k: Integer = None,
    m: Integer = None,
    format: Value = None,
    activations: Format = None,
    threads: Integer = None,
    most: Integer = None,
    rounds: Integer = None,
    budget: Time = None,
    db: Text = None,
    no_store: Flag = None,
    plot: Text = None,
    curve: Flag = None,
    dark: Flag = None,
    ascii: Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Experiment: ...

def history(
    *,
    kernel: Text = None,
    format: Value = None,
    size: Value = None,
    machine: Value = None,
    since: Value = None,
    last: Integer = None,
    runs: Flag = None,
    db: Text = None,
) -> Union[History, HistoryRuns]: ...

def history_show(
    run: Operand,
    *,
    db: Text = None,
) -> History: ...

def history_delete(
    *runs: Operand,
    db: Text = None,
) -> str: ...

def history_export(
    file: Optional[Operand] = None,
    *,
    csv: Flag = None,
    json: Flag = None,
    machine: Value = None,
    since: Value = None,
    last: Integer = None,
    db: Text = None,
) -> str: ...

def history_import(
    *files: Operand,
    db: Text = None,
) -> str: ...

def baseline_set(
    name: Operand,
    *,
    run: Text = None,
    db: Text = None,
) -> str: ...

def baseline_list(
    *,
    db: Text = None,
) -> BaselineList: ...

def baseline_check(
    name: Operand,
    *,
    run: Text = None,
    tolerance: Number = None,
    any_machine: Flag = None,
    db: Text = None,
) -> BaselineCheck: ...

def baseline_delete(
    name: Operand,
    *,
    db: Text = None,
) -> str: ...

def formats(
) -> Formats: ...

def serve(
    *,
    listen: Text = None,
    port: Integer = None,
    token: Text = None,
    token_file: Text = None,
    insecure: Flag = None,
    host: Several = None,
    files: Text = None,
    hub: Flag = None,
    log: Text = None,
    connections: Integer = None,
    grace: Time = None,
) -> Server: ...
