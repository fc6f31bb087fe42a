/* The kinds of `ridge op`: a sub-command and its options each (cmd_op.h runs them). */
#include "cli/cmd_op.h"

#define DIM(code, name, help) RIDGE_INT(ridge_op_args, dims[RIDGE_OP_##code], name, 0, "N", 1, INT64_MAX, help)
#define PAIR(member, help)    RIDGE_STRING(ridge_op_args, member, #member, 0, "N|HxW", help)
#define CAUSAL_EXACT          RIDGE_FLAG(ridge_op_args, flags[RIDGE_OP_CAUSAL], "causal", 0, "count the exact pairs of causal attention")
#define CAUSAL_HALVED         RIDGE_FLAG(ridge_op_args, flags[RIDGE_OP_CAUSAL], "causal", 0, "halve the attention")
#define GATED                 RIDGE_FLAG(ridge_op_args, flags[RIDGE_OP_GATED], "gated", 0, "a gate beside the up projection")
#define QUANTISED             RIDGE_FLAG(ridge_op_args, flags[RIDGE_OP_QUANTISED], "quantised", 0, "count dequantisation, as large as the matmul")
#define BATCH                 DIM(BATCH, "batch", "sequences (default 1)")
#define SEQ                   DIM(SEQ_LEN, "seq", "tokens per sequence")
#define HIDDEN                DIM(HIDDEN, "hidden", "width of the residual stream")
#define INTERMEDIATE          DIM(INTERMEDIATE, "intermediate", "width inside the FFN")
#define HEADS                 DIM(HEADS, "heads", "query heads")
#define ROWS                  DIM(ROWS, "rows", "rows")
#define COLS                  DIM(COLS, "cols", "elements of a row")

static const ridge_option gemm_options[] = {
    DIM(M, "m", "rows of A and C"),
    DIM(N, "n", "columns of B and C"),
    DIM(K, "k", "the reduction"),
    QUANTISED,
    RIDGE_FLAG(ridge_op_args, tiling, "tiling", 0, "how the GPU of --on cuts it: tile, grid, waves, shared memory, occupancy"),
    RIDGE_OPTION_END,
};
static const ridge_option gemv_options[] = {
    DIM(N, "n", "rows of W, length of y"),
    DIM(K, "k", "columns of W, length of x"),
    QUANTISED,
    RIDGE_OPTION_END,
};
static const ridge_option attention_options[] = {
    BATCH,
    DIM(SEQ_LEN, "seq", "queries per sequence"),
    DIM(KV_LEN, "kv-len", "keys per sequence (default: seq)"),
    HEADS,
    DIM(KV_HEADS, "kv-heads", "key and value heads (default: heads)"),
    DIM(HEAD_DIM, "head-dim", "length of a head"),
    CAUSAL_EXACT,
    RIDGE_OPTION_END,
};
static const ridge_option conv_options[] = {
    DIM(BATCH, "batch", "images (default 1)"),
    DIM(IN_CHANNELS, "in-channels", "channels of x"),
    DIM(OUT_CHANNELS, "out-channels", "channels of y"),
    DIM(HEIGHT, "height", "rows of x"),
    DIM(WIDTH, "width", "columns of x"),
    PAIR(kernel, "the window"),
    PAIR(stride, "step of the window (default 1)"),
    PAIR(padding, "zeros on each side (default 0)"),
    PAIR(dilation, "distance of the window's elements (default 1)"),
    DIM(GROUPS, "groups", "groups of channels (default 1)"),
    RIDGE_OPTION_END,
};
static const ridge_option table_options[] = {ROWS, COLS, RIDGE_OPTION_END};
static const ridge_option rope_options[] = {DIM(ROWS, "rows", "tokens, each at a position of its own"),
                                            DIM(HEADS, "heads", "heads of a token"),
                                            DIM(HEAD_DIM, "head-dim", "length of a head, all of it rotated"), RIDGE_OPTION_END};
static const ridge_option wkv_options[] = {BATCH, SEQ, DIM(COLS, "cols", "channels"), RIDGE_OPTION_END};
static const ridge_option ffn_options[] = {BATCH, SEQ, HIDDEN, INTERMEDIATE, GATED, QUANTISED, RIDGE_OPTION_END};
static const ridge_option embedding_options[] = {BATCH, SEQ, HIDDEN, RIDGE_OPTION_END};

static const char *const norms[] = {"layernorm", "rmsnorm", NULL};
static const int norm_kinds[] = {RIDGE_OP_LAYERNORM, RIDGE_OP_RMSNORM};
static const char *const elementwise[] = {"silu", "gelu", "relu", "tanh", "sigmoid", "add", "mul", NULL};
static const int elementwise_kinds[] = {RIDGE_OP_SILU,    RIDGE_OP_GELU,     RIDGE_OP_RELU,          RIDGE_OP_TANH,
                                        RIDGE_OP_SIGMOID, RIDGE_OP_ADDITION, RIDGE_OP_MULTIPLICATION};
static const ridge_option norm_options[] = {RIDGE_CHOICE(ridge_op_args, variant, "op", 0, norms, "layernorm (default) or rmsnorm"), ROWS,
                                            COLS, RIDGE_OPTION_END};
static const ridge_option elementwise_options[] = {
    RIDGE_CHOICE(ridge_op_args, variant, "op", 0, elementwise, "silu, gelu, relu, tanh, sigmoid, add or mul"), ROWS, COLS,
    RIDGE_OPTION_END};

#define LAYER_OPTIONS                                                                                                                      \
    BATCH, SEQ, HIDDEN, HEADS, DIM(HEAD_DIM, "head-dim", "length of a head (default: hidden / heads)"), INTERMEDIATE, CAUSAL_HALVED,       \
        GATED, QUANTISED
static const ridge_option layer_options[] = {LAYER_OPTIONS, RIDGE_OPTION_END};
static const ridge_option model_options[] = {LAYER_OPTIONS, DIM(LAYERS, "layers", "transformer layers"),
                                             DIM(VOCAB, "vocab", "rows of the lm_head"), RIDGE_OPTION_END};

static const ridge_option format_options[] = {
    RIDGE_FORMAT(ridge_op_args, dtype, "dtype", 0,
                 "format of every operand (default bf16); a weight-only format leaves activations in bf16"),
    RIDGE_FORMAT(ridge_op_args, weights, "weights", 0, "format of the weights (default: --dtype)"),
    RIDGE_FORMAT(ridge_op_args, kv, "kv", 0, "format of K and V (default: that of the activations)"),
    RIDGE_FLAG(ridge_op_args, all_formats, "all-formats", 0, "a row for --dtype, then for every other format, with its speed-up"),
    RIDGE_OPTION_END,
};
static const ridge_option machine_options[] = {
    RIDGE_STRING(ridge_op_args, on, "on", 0, "MACHINE", "also say how long it takes there; several with commas between: a row each"),
    RIDGE_STRING(ridge_op_args, launch, "launch", 0, "SECONDS",
                 "add a launch overhead to each kernel's time, or the word 'machine': its own"),
    RIDGE_STRING(ridge_op_args, level, "level", 0, "NAME",
                 "memory level the operands are in (default: the innermost that holds them and whose bandwidth is known)"),
    RIDGE_OPTION_END,
};

#define PLAIN                                                                                                                              \
    "Bytes: each operand is read or written once, in its format; block formats store whole blocks per row, a weight has its rows along "   \
    "the reduction."
#define COUNTERS                                                                                                                           \
    "The convention of the layer counters (docs/layer-counters.md). Bytes: each part is one kernel that reads and writes its operands "    \
    "once."

#define OP(code, name_, options, summary_, example_, details_, ...)                                                                        \
    static const ridge_op_args code##_defaults = {__VA_ARGS__};                                                                            \
    static const ridge_command op_##code = {                                                                                               \
        .name = name_,                                                                                                                     \
        .summary = summary_,                                                                                                               \
        .example = "ridge op " name_ " " example_,                                                                                         \
        .details = details_,                                                                                                               \
        .operands = RIDGE_NO_OPERANDS(ridge_op_args, words),                                                                               \
        .tables = {{options, 0, NULL},                                                                                                     \
                   {format_options, 0, "Formats"},                                                                                         \
                   {machine_options, 0, "Machine"},                                                                                        \
                   {ridge_options_machines, offsetof(ridge_op_args, machines), "Machine files"},                                           \
                   {ridge_options_plot, offsetof(ridge_op_args, pictures), "Pictures"},                                                    \
                   {ridge_options_output, offsetof(ridge_op_args, output), NULL}},                                                         \
        .args_size = sizeof(ridge_op_args),                                                                                                \
        .defaults = &code##_defaults,                                                                                                      \
        .run = ridge_op_run,                                                                                                               \
    }
#define OP_KIND(code, name, options, summary, example, details) OP(code, name, options, summary, example, details, .kind = RIDGE_OP_##code)

OP_KIND(GEMM, "gemm", gemm_options, "C[m, n] = A[m, k] B[k, n]: 2 m n k", "--m 4096 --n 4096 --k 4096 --dtype bf16 --on h100-sxm-80",
        PLAIN);
OP_KIND(GEMV, "gemv", gemv_options, "y[n] = W[n, k] x[k]: 2 n k", "--n 2560 --k 2560 --weights q4_K", PLAIN);
OP_KIND(ATTENTION, "attention", attention_options, "fused attention core: Q K', softmax, P V",
        "--batch 1 --seq 1 --kv-len 4096 --heads 32 --kv-heads 8 --head-dim 128",
        "Both products and the softmax (5 per score), over all pairs or, with --causal, the exact pairs: the queries stand at the end of "
        "the keys. " PLAIN
        " Q and O have all heads, K and V their own, and no score matrix is stored. The kinds layer and model halve causal attention "
        "instead.");
OP_KIND(CONV, "conv", conv_options, "conv2d: 2 batch h w out (in / groups) kernel, of the output's h and w",
        "--in-channels 3 --out-channels 64 --height 224 --width 224 --kernel 7 --stride 2 --padding 3",
        "As torch.nn.Conv2d without a bias; a pair is height x width. Channels stand last, so that blocks run along them. " PLAIN);
OP(NORM, "norm", norm_options, "a normalisation: 5 per element", "--op rmsnorm --rows 2048 --cols 4096", PLAIN, .variants = norm_kinds,
   .group = "norm", .variant_list = "layernorm or rmsnorm");
OP_KIND(LAYERNORM, "layernorm", table_options, "layer normalisation: 5 per element", "--rows 2048 --cols 4096", PLAIN);
OP_KIND(RMSNORM, "rmsnorm", table_options, "root mean square normalisation: 5 per element", "--rows 2048 --cols 4096", PLAIN);
OP_KIND(SOFTMAX, "softmax", table_options, "softmax: 5 per element", "--rows 2048 --cols 2048", PLAIN);
OP(ELEMENTWISE, "elementwise", elementwise_options, "an activation, a sum or a product, element by element",
   "--op silu --rows 2048 --cols 11008", "silu, gelu, tanh and sigmoid: 8 per element; relu, add and mul: 1. " PLAIN,
   .variants = elementwise_kinds, .variant = -1, .group = "elementwise", .variant_list = "silu, gelu, relu, tanh, sigmoid, add or mul");
OP_KIND(SILU, "silu", table_options, "SiLU: 8 per element", "--rows 2048 --cols 11008", PLAIN);
OP_KIND(GELU, "gelu", table_options, "GELU: 8 per element", "--rows 2048 --cols 11008", PLAIN);
OP_KIND(ROPE, "rope", rope_options, "rotary positions: 3 per rotated element", "--rows 2048 --heads 32 --head-dim 128",
        "As in Llama, a head's first half with its second. Cosines and sines stand ready in fp32, one of each per pair and row, read once "
        "for all heads. " PLAIN);
OP_KIND(
    WKV, "wkv", wkv_options, "RWKV-4's recurrence: 25 per token and channel", "--seq 1024 --cols 768",
    "As transformers' rwkv_linear_attention_cpu, each of its 25 operators 1, and 2 per channel for the decay; from an empty state, which "
    "stays on chip. " PLAIN);
OP_KIND(FFN, "ffn", ffn_options, "feed-forward block: up, activation, down; gated too",
        "--seq 2048 --hidden 4096 --intermediate 11008 --gated", COUNTERS);
OP_KIND(EMBEDDING, "embedding", embedding_options, "embedding lookup: 1 per element, an accounting unit", "--seq 2048 --hidden 4096",
        COUNTERS);
OP_KIND(LAYER, "layer", layer_options, "transformer layer: attention + FFN + 2 norms",
        "--seq 2048 --hidden 4096 --heads 32 --intermediate 11008 --gated --causal",
        "Without the projections to Q, K, V and O; causal attention is half the full one. 'ridge cost' counts real models. " COUNTERS);
OP_KIND(MODEL, "model", model_options, "embedding + transformer layers + lm_head",
        "--seq 2048 --hidden 4096 --heads 32 --intermediate 11008 --layers 32 --vocab 32000 --gated",
        "The layers are those of 'ridge op layer'; lm_head runs on every position. 'ridge cost' counts real models. " COUNTERS);

static const ridge_command *const op_kinds[] = {
    &op_GEMM, &op_GEMV, &op_ATTENTION, &op_CONV, &op_NORM, &op_LAYERNORM, &op_RMSNORM, &op_SOFTMAX, &op_ELEMENTWISE,
    &op_SILU, &op_GELU, &op_ROPE,      &op_WKV,  &op_FFN,  &op_EMBEDDING, &op_LAYER,   &op_MODEL,   NULL,
};

const ridge_command ridge_cmd_op = {
    .name = "op",
    .group = "Formulas",
    .summary = "what one operator costs and how long it takes, from its shape alone",
    .example = "ridge op gemm --m 4096 --n 4096 --k 4096 --on h100-sxm-80",
    .details = "gemm, gemv, attention, conv and the elementwise kinds count as 'ridge cost' does; ffn, embedding, layer and model are the "
               "layer counters of the C API, with their own conventions (docs/layer-counters.md). Times are those of the roofline "
               "(docs/operators.md).",
    .commands = op_kinds,
};
