# Names of the package; made by scripts/python_stubs.py of what the program says of itself; not written by hand.
from ridge._errors import (
    CheckError as CheckError,
    LibraryError as LibraryError,
    ModelError as ModelError,
    OptionError as OptionError,
    OutOfMemory as OutOfMemory,
    RidgeError as RidgeError,
    UsageError as UsageError,
)
from ridge._counter import (
    FLOPsCounter as FLOPsCounter,
    LayerFLOPs as LayerFLOPs,
    ModelFLOPs as ModelFLOPs,
    TransformerLayerFLOPs as TransformerLayerFLOPs,
    profile_attention_flops as profile_attention_flops,
    profile_embedding_flops as profile_embedding_flops,
    profile_ffn_flops as profile_ffn_flops,
    profile_layernorm_flops as profile_layernorm_flops,
    profile_matmul_flops as profile_matmul_flops,
    profile_model_flops as profile_model_flops,
    profile_transformer_layer_flops as profile_transformer_layer_flops,
)
from ridge._database import (
    ModuleDatabase as ModuleDatabase,
    ModuleRegistry as ModuleRegistry,
    compute_flops as compute_flops,
)
from ridge._inventory import (
    extract_module_parameters as extract_module_parameters,
    inventory as inventory,
    load_model_on_meta_device as load_model_on_meta_device,
)
from ridge._analyze import (
    Analysis as Analysis,
    FlopAnalyzer as FlopAnalyzer,
    ModuleCost as ModuleCost,
    analyze as analyze,
)
from ridge._hooks import (
    Hooks as Hooks,
    ModuleTime as ModuleTime,
    ModuleTimes as ModuleTimes,
    hooks as hooks,
)
from ridge._measure import (
    Bandwidth as Bandwidth,
    BenchmarkResult as BenchmarkResult,
    Bottleneck as Bottleneck,
    MemoryUsage as MemoryUsage,
    Utilization as Utilization,
    benchmark_function as benchmark_function,
    compute_utilization as compute_utilization,
    identify_bottleneck as identify_bottleneck,
    measure_bandwidth as measure_bandwidth,
    measure_memory_usage as measure_memory_usage,
    predict_attention as predict_attention,
    predict_gemm as predict_gemm,
    predict_gemv as predict_gemv,
    synchronize as synchronize,
)
from ridge._attention import (
    AttentionPart as AttentionPart,
    AttentionProfile as AttentionProfile,
    optimize_attention as optimize_attention,
    profile_attention_components as profile_attention_components,
)
from ridge._library import (
    Session as Session,
    library as library,
    session as session,
)
from ridge._call import (
    RidgeWarning as RidgeWarning,
    run as run,
)
from ridge._answer import (
    Answer as Answer,
    Record as Record,
)
from ridge._serve import (
    Server as Server,
)
from ridge._commands import (
    baseline_check as baseline_check,
    baseline_delete as baseline_delete,
    baseline_list as baseline_list,
    baseline_set as baseline_set,
    bench as bench,
    calibrate as calibrate,
    compare as compare,
    cost as cost,
    db_add as db_add,
    db_check as db_check,
    db_export as db_export,
    db_list as db_list,
    db_show as db_show,
    detect as detect,
    experiment as experiment,
    explain as explain,
    fit as fit,
    formats as formats,
    formula as formula,
    generate_c as generate_c,
    generate_python as generate_python,
    history as history,
    history_delete as history_delete,
    history_export as history_export,
    history_import as history_import,
    history_show as history_show,
    inspect as inspect,
    learn as learn,
    live as live,
    machine as machine,
    machine_add as machine_add,
    machine_check as machine_check,
    machine_compare as machine_compare,
    machines as machines,
    models as models,
    op as op,
    predict as predict,
    profile as profile,
    pull as pull,
    serve as serve,
    show as show,
    sweep as sweep,
    symbolic as symbolic,
    validate as validate,
)

__version__: str
