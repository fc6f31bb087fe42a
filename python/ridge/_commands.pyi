# Types of the commands; made by scripts/python_stubs.py of what the program says of itself; not written by hand.
from os import PathLike
from typing import Any, Callable, Dict, Literal, Mapping, Optional, Sequence, Union

from ridge._records.baseline import BaselineCheck, BaselineList
from ridge._records.bench import Bench
from ridge._records.compare import Compare, CompareFrameworks, CompareRun
from ridge._records.cost import Cost, CostExplain, CostSymbolic
from ridge._records.db import DbAdd, DbCheck, DbList, DbShow
from ridge._records.experiment import Experiment
from ridge._records.fit import Fit
from ridge._records.formats import Formats
from ridge._records.formula import Formula
from ridge._records.generate import GeneratePython
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

_Text = Union[None, str, PathLike[str]]
_Flag = Optional[bool]
_Integer = Union[None, int, str]
_Number = Union[None, float, str]
_Time = Union[None, float, str]
_Format = Union[None, str, Any]
_Formats = Union[None, str, Sequence[str], Any]
_Several = Union[None, str, PathLike[str], Sequence[Union[str, PathLike[str]]], Mapping[str, object]]
_Value = Union[None, str, int, float, Sequence[Union[str, int, float]], Mapping[str, object]]
_Operand = Union[str, int, PathLike[str]]
_Model = Union[str, PathLike[str], Dict[str, Any], Any]

def show(
    model: _Model,
    *,
    on: _Text = None,
    memory: _Value = None,
    context: _Integer = None,
    reserve: _Value = None,
    class_: _Text = None,
    bind: _Text = None,
    learn: _Flag = None,
    source: _Text = None,
    machines: _Several = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> Show: ...

def cost(
    model: _Model,
    *,
    all: _Flag = None,
    top: _Integer = None,
    sort: Optional[Literal["tree", "flops", "bytes", "intensity", "path"]] = None,
    depth: _Integer = None,
    exact: _Flag = None,
    phase: Optional[Literal["prefill", "decode", "train"]] = None,
    batch: _Integer = None,
    seq: _Integer = None,
    past: _Integer = None,
    decoder_seq: _Integer = None,
    encoder_len: _Integer = None,
    images: _Integer = None,
    image_size: _Value = None,
    video_frames: _Integer = None,
    frames: _Integer = None,
    samples: _Integer = None,
    bind: _Text = None,
    dtype: _Format = None,
    weights: _Format = None,
    activations: _Format = None,
    kv: _Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: _Text = None,
    partial: _Flag = None,
    learn: _Flag = None,
    source: _Text = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> Cost: ...

def symbolic(
    model: _Model,
    *,
    top: _Integer = None,
    sort: Optional[Literal["tree", "flops", "bytes", "intensity", "path"]] = None,
    phase: Optional[Literal["prefill", "decode", "train"]] = None,
    batch: _Integer = None,
    seq: _Integer = None,
    past: _Integer = None,
    decoder_seq: _Integer = None,
    encoder_len: _Integer = None,
    images: _Integer = None,
    image_size: _Value = None,
    video_frames: _Integer = None,
    frames: _Integer = None,
    samples: _Integer = None,
    bind: _Text = None,
    dtype: _Format = None,
    weights: _Format = None,
    activations: _Format = None,
    kv: _Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: _Text = None,
    partial: _Flag = None,
    learn: _Flag = None,
    source: _Text = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> CostSymbolic: ...

def explain(
    model: _Model,
    path: _Operand,
    *,
    top: _Integer = None,
    sort: Optional[Literal["tree", "flops", "bytes", "intensity", "path"]] = None,
    phase: Optional[Literal["prefill", "decode", "train"]] = None,
    batch: _Integer = None,
    seq: _Integer = None,
    past: _Integer = None,
    decoder_seq: _Integer = None,
    encoder_len: _Integer = None,
    images: _Integer = None,
    image_size: _Value = None,
    video_frames: _Integer = None,
    frames: _Integer = None,
    samples: _Integer = None,
    bind: _Text = None,
    dtype: _Format = None,
    weights: _Format = None,
    activations: _Format = None,
    kv: _Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: _Text = None,
    partial: _Flag = None,
    learn: _Flag = None,
    source: _Text = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> CostExplain: ...

def predict(
    model: _Model,
    *,
    on: _Text = None,
    method: Optional[Literal["roofline", "estimate"]] = None,
    launch: _Value = None,
    prompt: _Integer = None,
    generate: _Integer = None,
    price: _Number = None,
    all: _Flag = None,
    top: _Integer = None,
    depth: _Integer = None,
    against: _Several = None,
    advice: _Value = None,
    recommend: _Flag = None,
    phase: Optional[Literal["prefill", "decode", "train"]] = None,
    batch: _Integer = None,
    seq: _Integer = None,
    past: _Integer = None,
    decoder_seq: _Integer = None,
    encoder_len: _Integer = None,
    images: _Integer = None,
    image_size: _Value = None,
    video_frames: _Integer = None,
    frames: _Integer = None,
    samples: _Integer = None,
    bind: _Text = None,
    dtype: _Format = None,
    weights: _Format = None,
    activations: _Format = None,
    kv: _Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: _Text = None,
    partial: _Flag = None,
    learn: _Flag = None,
    source: _Text = None,
    devices: _Integer = None,
    tensor_parallel: _Integer = None,
    pipeline_parallel: _Integer = None,
    expert_parallel: _Integer = None,
    data_parallel: _Integer = None,
    microbatches: _Integer = None,
    zero: _Integer = None,
    link_bandwidth: _Number = None,
    link_latency: _Time = None,
    reserve: _Value = None,
    plot: _Text = None,
    html: _Text = None,
    roofline: _Flag = None,
    dark: _Flag = None,
    ascii: _Flag = None,
    machines: _Several = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> Predict: ...

def fit(
    model: _Model,
    *,
    on: _Text = None,
    memory: _Value = None,
    context: _Integer = None,
    weights: _Formats = None,
    kv: _Formats = None,
    reserve: _Value = None,
    class_: _Text = None,
    bind: _Text = None,
    learn: _Flag = None,
    source: _Text = None,
    machines: _Several = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> Fit: ...

def sweep(
    model: _Model,
    *,
    on: _Value = None,
    batch: _Value = None,
    seq: _Value = None,
    past: _Value = None,
    phase: _Value = None,
    weights: _Formats = None,
    activations: _Formats = None,
    kv: _Formats = None,
    threads: _Integer = None,
    decoder_seq: _Integer = None,
    encoder_len: _Integer = None,
    images: _Integer = None,
    image_size: _Value = None,
    video_frames: _Integer = None,
    frames: _Integer = None,
    samples: _Integer = None,
    bind: _Text = None,
    dtype: _Format = None,
    attention: Optional[Literal["full", "causal"]] = None,
    kernel: Optional[Literal["eager", "fused"]] = None,
    lm_head: Optional[Literal["all", "last", "needed"]] = None,
    optimizer: Optional[Literal["adam", "sgd", "none"]] = None,
    recompute: Optional[Literal["none", "full", "selective"]] = None,
    class_: _Text = None,
    method: Optional[Literal["roofline", "estimate"]] = None,
    launch: _Value = None,
    learn: _Flag = None,
    source: _Text = None,
    summary: _Flag = None,
    machines: _Several = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Union[Sweep, SweepSummary]: ...

def inspect(
    model: _Model,
    *,
    all: _Flag = None,
    depth: _Integer = None,
    verify: _Flag = None,
    weights: _Format = None,
    class_: _Text = None,
    partial: _Flag = None,
    learn: _Flag = None,
    source: _Text = None,
    inventory_script: _Flag = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> Inspect: ...

def learn(
    what: _Operand,
    *,
    source: _Text = None,
    class_: _Text = None,
    arguments: _Text = None,
    inputs: _Text = None,
    out: _Text = None,
    agent: _Text = None,
    agent_seconds: _Integer = None,
    operators: _Text = None,
    sdpa: _Flag = None,
    phase: Optional[Literal["prefill", "decode"]] = None,
    batch: _Integer = None,
    seq: _Integer = None,
    past: _Integer = None,
    decoder_seq: _Integer = None,
    encoder_len: _Integer = None,
    images: _Integer = None,
    image_size: _Value = None,
    video_frames: _Integer = None,
    frames: _Integer = None,
    samples: _Integer = None,
    weights: _Format = None,
    activations: _Format = None,
    kv: _Format = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Learn: ...

def validate(
    what: _Operand,
    *,
    source: _Text = None,
    class_: _Text = None,
    arguments: _Text = None,
    inputs: _Text = None,
    python: _Text = None,
    cases: _Integer = None,
    seed: _Integer = None,
    derived: _Flag = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Validate: ...

def models(
    filter: Optional[_Operand] = None,
    *,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> Models: ...

def pull(
    id: _Operand,
    *,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Pull: ...

def formula(
    name: _Operand,
    *arguments: _Operand,
    context: Optional[Literal["flops", "reads", "writes", "intermediates", "params"]] = None,
    trace: _Flag = None,
    symbolic: _Flag = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> Formula: ...

def op(
    kind: Literal["gemm", "gemv", "attention", "conv", "norm", "layernorm", "rmsnorm", "softmax", "elementwise", "silu", "gelu", "relu", "tanh", "sigmoid", "add", "mul", "rope", "wkv", "ffn", "embedding", "layer", "model"],
    *,
    m: _Integer = None,
    n: _Integer = None,
    k: _Integer = None,
    quantised: _Flag = None,
    tiling: _Flag = None,
    dtype: _Formats = None,
    weights: _Format = None,
    kv: _Format = None,
    all_formats: _Flag = None,
    on: _Value = None,
    launch: _Value = None,
    level: _Text = None,
    machines: _Several = None,
    plot: _Text = None,
    roofline: _Flag = None,
    dark: _Flag = None,
    ascii: _Flag = None,
    batch: _Integer = None,
    seq: _Integer = None,
    kv_len: _Integer = None,
    heads: _Integer = None,
    kv_heads: _Integer = None,
    head_dim: _Integer = None,
    causal: _Flag = None,
    in_channels: _Integer = None,
    out_channels: _Integer = None,
    height: _Integer = None,
    width: _Integer = None,
    kernel: _Value = None,
    stride: _Value = None,
    padding: _Value = None,
    dilation: _Value = None,
    groups: _Integer = None,
    op: _Value = None,
    rows: _Integer = None,
    cols: _Integer = None,
    hidden: _Integer = None,
    intermediate: _Integer = None,
    gated: _Flag = None,
    vocab: _Integer = None,
    no_projections: _Flag = None,
    layers: _Integer = None,
) -> Union[Op, OpRows]: ...

def db_list(
    text: Optional[_Operand] = None,
    *,
    kind: Optional[Literal["any", "module", "function", "formula", "choice", "config", "operator"]] = None,
    library: _Text = None,
    status: Optional[Literal["any", "none", "pending", "derived", "validated", "failed"]] = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> DbList: ...

def db_show(
    name: _Operand,
    *,
    recursive: _Flag = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> DbShow: ...

def db_check(
    *files: _Operand,
    catalog: _Several = None,
    builtin_only: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> DbCheck: ...

def db_export(
    *,
    output: _Text = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
) -> str: ...

def db_add(
    file: _Operand,
    *,
    replace: _Flag = None,
) -> Union[DbAdd, DbCheck]: ...

def generate_python(
    *modules: _Operand,
    out: _Text = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> GeneratePython: ...

def generate_c(
    *modules: _Operand,
    out: _Text = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> GeneratePython: ...

def machines(
    *,
    kind: Optional[Literal["any", "gpu", "cpu", "tpu", "accelerator", "apple"]] = None,
    own: _Flag = None,
    machines: _Several = None,
) -> Machines: ...

def machine(
    id: _Operand,
    *,
    machines: _Several = None,
) -> Machine: ...

def machine_compare(
    *ids: _Operand,
    machines: _Several = None,
) -> MachineCompare: ...

def machine_check(
    *ids: _Operand,
    machines: _Several = None,
) -> MachineCheck: ...

def machine_add(
    file: _Operand,
    *,
    force: _Flag = None,
) -> MachineAdd: ...

def detect(
    *,
    from_: _Text = None,
    record: _Text = None,
    bandwidth: _Integer = None,
    no_gpus: _Flag = None,
    save: _Flag = None,
) -> Detect: ...

def calibrate(
    *,
    threads: _Value = None,
    budget: _Time = None,
    memory: _Integer = None,
    save: _Flag = None,
    no_save: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Calibrate: ...

def live(
) -> Live: ...

def bench(
    kind: Optional[_Operand] = None,
    *,
    m: _Integer = None,
    n: _Integer = None,
    k: _Integer = None,
    rows: _Integer = None,
    cols: _Integer = None,
    batch: _Integer = None,
    seq: _Integer = None,
    past: _Integer = None,
    kv_len: _Integer = None,
    heads: _Integer = None,
    kv_heads: _Integer = None,
    head_dim: _Integer = None,
    causal: _Flag = None,
    dtype: _Formats = None,
    activations: _Format = None,
    all_formats: _Flag = None,
    suite: _Text = None,
    model: _Text = None,
    phase: Optional[Literal["prefill", "decode"]] = None,
    layer: _Flag = None,
    kv: _Format = None,
    threads: _Value = None,
    cache: Optional[Literal["usual", "hot", "cold", "both"]] = None,
    variant: _Text = None,
    provider: _Text = None,
    all_variants: _Flag = None,
    budget: _Time = None,
    rounds: _Integer = None,
    ceilings_budget: _Time = None,
    bandwidth: _Integer = None,
    db: _Text = None,
    no_store: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Bench: ...

def compare(
    kind: Optional[_Operand] = None,
    *,
    run: _Text = None,
    calibration: _Flag = None,
    frameworks: _Value = None,
    hidden: _Integer = None,
    intermediate: _Integer = None,
    patience: _Time = None,
    m: _Integer = None,
    n: _Integer = None,
    k: _Integer = None,
    rows: _Integer = None,
    cols: _Integer = None,
    batch: _Integer = None,
    seq: _Integer = None,
    past: _Integer = None,
    kv_len: _Integer = None,
    heads: _Integer = None,
    kv_heads: _Integer = None,
    head_dim: _Integer = None,
    causal: _Flag = None,
    dtype: _Formats = None,
    activations: _Format = None,
    all_formats: _Flag = None,
    suite: _Text = None,
    model: _Text = None,
    phase: Optional[Literal["prefill", "decode"]] = None,
    layer: _Flag = None,
    kv: _Format = None,
    threads: _Value = None,
    cache: Optional[Literal["usual", "hot", "cold", "both"]] = None,
    variant: _Text = None,
    provider: _Text = None,
    all_variants: _Flag = None,
    budget: _Time = None,
    rounds: _Integer = None,
    ceilings_budget: _Time = None,
    bandwidth: _Integer = None,
    plot: _Text = None,
    roofline: _Flag = None,
    dark: _Flag = None,
    ascii: _Flag = None,
    db: _Text = None,
    no_store: _Flag = None,
    machines: _Several = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Union[Compare, CompareRun, CompareFrameworks]: ...

def profile(
    what: Literal["attention", "layer", "model"],
    model: Optional[_Operand] = None,
    *,
    hidden: _Integer = None,
    heads: _Integer = None,
    kv_heads: _Integer = None,
    head_dim: _Integer = None,
    rwkv: _Flag = None,
    phase: Optional[Literal["prefill", "decode"]] = None,
    batch: _Integer = None,
    seq: _Integer = None,
    past: _Integer = None,
    dtype: _Format = None,
    activations: _Format = None,
    threads: _Integer = None,
    cache: Optional[Literal["hot", "cold"]] = None,
    budget: _Time = None,
    optimize: _Integer = None,
    trace: _Text = None,
    plot: _Text = None,
    roofline: _Flag = None,
    dark: _Flag = None,
    ascii: _Flag = None,
    db: _Text = None,
    no_store: _Flag = None,
    catalog: _Several = None,
    builtin_only: _Flag = None,
    intermediate: _Integer = None,
    layernorm: _Flag = None,
    plain_mlp: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Profile: ...

def experiment(
    name: _Operand,
    *,
    n: _Integer = None,
    k: _Integer = None,
    m: _Integer = None,
    format: _Value = None,
    activations: _Format = None,
    threads: _Integer = None,
    most: _Integer = None,
    rounds: _Integer = None,
    budget: _Time = None,
    db: _Text = None,
    no_store: _Flag = None,
    plot: _Text = None,
    curve: _Flag = None,
    dark: _Flag = None,
    ascii: _Flag = None,
    progress: Union[None, bool, Callable[[str], object]] = None,
) -> Experiment: ...

def history(
    *,
    kernel: _Text = None,
    format: _Value = None,
    size: _Value = None,
    machine: _Value = None,
    since: _Value = None,
    last: _Integer = None,
    runs: _Flag = None,
    db: _Text = None,
) -> Union[History, HistoryRuns]: ...

def history_show(
    run: _Operand,
    *,
    db: _Text = None,
) -> History: ...

def history_delete(
    *runs: _Operand,
    db: _Text = None,
) -> str: ...

def history_export(
    file: Optional[_Operand] = None,
    *,
    csv: _Flag = None,
    json: _Flag = None,
    machine: _Value = None,
    since: _Value = None,
    last: _Integer = None,
    db: _Text = None,
) -> str: ...

def history_import(
    *files: _Operand,
    machine: _Text = None,
    db: _Text = None,
) -> str: ...

def baseline_set(
    name: _Operand,
    *,
    run: _Text = None,
    db: _Text = None,
) -> str: ...

def baseline_list(
    *,
    db: _Text = None,
) -> BaselineList: ...

def baseline_check(
    name: _Operand,
    *,
    run: _Text = None,
    tolerance: _Number = None,
    any_machine: _Flag = None,
    db: _Text = None,
) -> BaselineCheck: ...

def baseline_delete(
    name: _Operand,
    *,
    db: _Text = None,
) -> str: ...

def formats(
) -> Formats: ...

def serve(
    *,
    listen: _Text = None,
    port: _Integer = None,
    token: _Text = None,
    token_file: _Text = None,
    insecure: _Flag = None,
    host: _Several = None,
    files: _Text = None,
    hub: _Flag = None,
    log: _Text = None,
    connections: _Integer = None,
    grace: _Time = None,
) -> Server: ...
