/* ridge op KIND: what one operator costs, from its shape alone (app/ops.h). */
#include "app/ops.h"
#include "base/json.h"
#include "cli/commands.h"

typedef struct op_args {
    int kind; /* ridge_op_kind; the sub-command's default */
    int64_t dims[RIDGE_OP_DIM_COUNT];
    bool flags[RIDGE_OP_FLAG_COUNT];
    const ridge_format *dtype, *weights, *kv;
    const char *on;
    ridge_words words; /* none are taken: kept to tell how they are written */
    ridge_output_args output;
} op_args;

/* option of each dimension */
static const char *const dim_options[RIDGE_OP_DIM_COUNT] = {
    [RIDGE_OP_M] = "m",
    [RIDGE_OP_N] = "n",
    [RIDGE_OP_K] = "k",
    [RIDGE_OP_ROWS] = "rows",
    [RIDGE_OP_COLS] = "cols",
    [RIDGE_OP_BATCH] = "batch",
    [RIDGE_OP_SEQ_LEN] = "seq",
    [RIDGE_OP_KV_LEN] = "kv-len",
    [RIDGE_OP_HEADS] = "heads",
    [RIDGE_OP_KV_HEADS] = "kv-heads",
    [RIDGE_OP_HEAD_DIM] = "head-dim",
    [RIDGE_OP_HIDDEN] = "hidden",
    [RIDGE_OP_INTERMEDIATE] = "intermediate",
    [RIDGE_OP_LAYERS] = "layers",
    [RIDGE_OP_VOCAB] = "vocab",
};

/* ---- what was asked ---- */

/* "gemm needs --n and --k" */
static ridge_status missing_dims(const op_args *args, uint32_t missing, ridge_err *err)
{
    ridge_buf text = {0};
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        if ((missing >> d & 1) != 0) {
            bool last = missing >> d == 1;
            ridge_buf_addf(&text, "%s--%s", text.n == 0 ? "" : last ? " and " : ", ", dim_options[d]);
        }
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "%s needs %s", ridge_op_kinds[args->kind].name, text.p != NULL ? text.p : "");
    ridge_buf_free(&text);
    return st;
}

/* "4096 4096" after gemv: --n 4096 --k 4096 */
static ridge_status no_operands(const op_args *args, ridge_err *err)
{
    ridge_buf text = {0};
    size_t used = 0;
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        if ((ridge_op_kinds[args->kind].required >> d & 1) != 0 && args->dims[d] == 0)
            ridge_buf_addf(&text, " --%s %s", dim_options[d], used < args->words.count ? args->words.items[used++] : "N");
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "unexpected argument '%s': dimensions are options%s%s", args->words.items[0],
                                 text.n > 0 ? ":" : "", text.n > 0 ? text.p : "");
    ridge_buf_free(&text);
    return st;
}

static ridge_status read_shape(ridge_op_shape *shape, const op_args *args, ridge_err *err)
{
    uint32_t missing = 0;
    *shape = (ridge_op_shape){0};
    if (args->words.count > 0)
        return no_operands(args, err);
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++) {
        shape->dims[d] = args->dims[d];
        if (args->dims[d] == 0)
            missing |= ridge_op_kinds[args->kind].required & 1u << d;
    }
    memcpy(shape->flags, args->flags, sizeof shape->flags);
    return missing != 0 ? missing_dims(args, missing, err) : RIDGE_OK;
}

/* a weight-only format (it computes at 16 bits) leaves the activations in 16 bits */
static ridge_op_formats formats_of(const op_args *args)
{
    const ridge_format *bf16 = ridge_format_find(RIDGE_STR("bf16"));
    const ridge_format *dtype = args->dtype != NULL ? args->dtype : bf16;
    bool weight_only = strcmp(dtype->compute, "bf16") == 0;
    ridge_op_formats f = {.activations = weight_only ? bf16 : dtype, .weights = args->weights != NULL ? args->weights : dtype};
    f.kv = args->kv != NULL ? args->kv : f.activations;
    return f;
}

static double as_double(ridge_int n)
{
    return ridge_rational_double(ridge_rational_of(n));
}

/* ---- JSON ---- */

static void write_parts(ridge_json_writer *w, const ridge_op_record *r)
{
    ridge_jw_key(w, "parts");
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < r->part_count; i++) {
        ridge_jw_key(w, r->parts[i].name);
        ridge_jw_int(w, r->parts[i].flops.total);
    }
    ridge_jw_end_object(w);
}

static void write_bytes(ridge_json_writer *w, const ridge_op_record *r)
{
    ridge_jw_key(w, "bytes");
    ridge_jw_object(w);
    ridge_jw_key(w, "total");
    ridge_jw_int(w, r->bytes);
    ridge_jw_key(w, "operands");
    ridge_jw_object(w);
    for (size_t i = 0; i < r->operand_count; i++) {
        ridge_jw_key(w, r->operands[i].name);
        ridge_jw_int(w, r->operands[i].bytes);
    }
    ridge_jw_end_object(w);
    ridge_jw_end_object(w);
}

static void write_formats(ridge_json_writer *w, const ridge_op_formats *f)
{
    ridge_jw_key(w, "formats");
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "activations");
    ridge_jw_strz(w, f->activations->name);
    ridge_jw_key(w, "weights");
    ridge_jw_strz(w, f->weights->name);
    ridge_jw_key(w, "kv");
    ridge_jw_strz(w, f->kv->name);
    ridge_jw_end_object(w);
}

/* what only a machine could tell */
static void write_unknown(ridge_json_writer *w)
{
    static const char *const keys[] = {"machine", "ridge_point", "time_memory_s", "time_compute_s",
                                       "time_s",  "bound",       "flops_per_s",   "bytes_per_s"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        ridge_jw_key(w, keys[i]);
        ridge_jw_null(w);
    }
}

static void write_json(ridge_buf *out, const ridge_op_record *r, const ridge_op_shape *shape, const ridge_op_formats *formats)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_key(&w, "kind");
    ridge_jw_strz(&w, ridge_op_kinds[r->kind].name);
    ridge_jw_key(&w, "shape");
    ridge_jw_object_compact(&w);
    ridge_op_shape_json(&w, r->kind, shape);
    ridge_jw_end_object(&w);
    write_formats(&w, formats);
    ridge_jw_key(&w, "flops");
    ridge_jw_int(&w, r->flops.total);
    ridge_jw_key(&w, "flops_by_class");
    ridge_op_flops_json(&w, &r->flops);
    write_parts(&w, r);
    write_bytes(&w, r);
    ridge_jw_key(&w, "arithmetic_intensity");
    ridge_jw_double(&w, as_double(r->flops.total) / as_double(r->bytes)); /* a positive shape moves bytes */
    write_unknown(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

/* ---- text ---- */

/* "137.4 G" */
static void add_scaled(ridge_buf *out, ridge_int n)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
    double x = as_double(n);
    size_t p = 0;
    for (; x >= 1000 && p + 1 < sizeof prefixes / sizeof *prefixes; p++)
        x /= 1000;
    ridge_buf_addf(out, "%.4g %s", x, prefixes[p]);
}

static void add_line(ridge_buf *out, const char *indent, const char *name, ridge_int n, const char *unit, const char *remark)
{
    char digits[RIDGE_INT_COMMA_CHARS];
    ridge_int_print_comma(digits, n);
    ridge_buf_addf(out, "%s%-*s %26s %s", indent, 22 - (int)strlen(indent), name, digits, unit);
    if (n >= 1000) {
        ridge_buf_addz(out, " = ");
        add_scaled(out, n);
        ridge_buf_addz(out, unit);
    }
    ridge_buf_addf(out, "%s\n", remark);
}

static void add_title(ridge_buf *out, const ridge_op_record *r, const ridge_op_shape *shape, const ridge_op_formats *f)
{
    ridge_buf_addz(out, ridge_op_kinds[r->kind].name);
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        if (shape->dims[d] != 0) {
            ridge_buf_addf(out, " %s=", dim_options[d]);
            ridge_buf_add_int(out, shape->dims[d]);
        }
    for (unsigned i = 0; i < RIDGE_OP_FLAG_COUNT; i++)
        if (shape->flags[i])
            ridge_buf_addf(out, " %s", ridge_op_flag_names[i]);
    ridge_buf_addf(out, " (activations %s, weights %s, KV %s)\n", f->activations->name, f->weights->name, f->kv->name);
}

static size_t part_length(const char *operand)
{
    return strcspn(operand, ".");
}

/* one line per operand, or per part of a composite kind: its operands stand together */
static void add_operands(ridge_buf *out, const ridge_op_record *r)
{
    for (size_t i = 0, next; i < r->operand_count; i = next) {
        const ridge_op_operand *o = &r->operands[i];
        size_t n = part_length(o->name);
        ridge_int bytes = 0;
        char name[64];
        if (o->name[n] == '\0') {
            add_line(out, "  ", o->name, o->bytes, "B", o->written ? " written" : " read");
            next = i + 1;
            continue;
        }
        for (next = i;
             next < r->operand_count && part_length(r->operands[next].name) == n && memcmp(r->operands[next].name, o->name, n) == 0; next++)
            bytes += r->operands[next].bytes;
        (void)snprintf(name, sizeof name, "%.*s", (int)n, o->name);
        add_line(out, "  ", name, bytes, "B", "");
    }
}

static void write_text(ridge_buf *out, const ridge_op_record *r, const ridge_op_shape *shape, const ridge_op_formats *formats)
{
    add_title(out, r, shape, formats);
    add_line(out, "", "FLOPs", r->flops.total, "FLOP", "");
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        if (r->flops.by_class[i] != 0)
            add_line(out, "  ", ridge_flop_names[i], r->flops.by_class[i], "FLOP",
                     i == RIDGE_FLOP_EMBEDDING ? " (an accounting unit: a lookup does no arithmetic)" : "");
    if (r->flops.dequantisation != 0)
        add_line(out, "  ", "dequantisation", r->flops.dequantisation, "FLOP", "");
    if (r->part_count > 1) {
        ridge_buf_addz(out, "FLOPs of the parts\n");
        for (size_t i = 0; i < r->part_count; i++)
            add_line(out, "  ", r->parts[i].name, r->parts[i].flops.total, "FLOP", "");
    }
    add_line(out, "", "bytes", r->bytes, "B", "");
    add_operands(out, r);
    ridge_buf_addf(out, "arithmetic intensity %.4g FLOP/byte\n", as_double(r->flops.total) / as_double(r->bytes));
}

/* ---- the commands ---- */

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const op_args *args = values;
    ridge_op_shape shape;
    ridge_op_record record;
    ridge_ops ops;
    ridge_status status = read_shape(&shape, args, err);
    if (status != RIDGE_OK)
        return status;
    if (args->on != NULL)
        return ridge_fail(err, RIDGE_USAGE,
                          "--on %s: this version knows no machines; they come with a later one (leave --on out for FLOPs and bytes)",
                          args->on);
    ridge_op_formats formats = formats_of(args);
    if ((status = ridge_ops_open(&ops, err)) != RIDGE_OK)
        return status;
    status = ridge_ops_count(&record, &ops, (ridge_op_kind)args->kind, &shape, &formats, &io->arena, err);
    if (status == RIDGE_OK && args->output.as == RIDGE_OUTPUT_JSON)
        write_json(&io->data, &record, &shape, &formats);
    else if (status == RIDGE_OK)
        write_text(&io->data, &record, &shape, &formats);
    ridge_ops_close(&ops);
    return status;
}

#define DIM(code, name, help) RIDGE_INT(op_args, dims[RIDGE_OP_##code], name, 0, "N", 1, INT64_MAX, help)
#define CAUSAL_EXACT          RIDGE_FLAG(op_args, flags[RIDGE_OP_CAUSAL], "causal", 0, "count the exact pairs of causal attention")
#define CAUSAL_HALVED         RIDGE_FLAG(op_args, flags[RIDGE_OP_CAUSAL], "causal", 0, "halve the attention")
#define GATED                 RIDGE_FLAG(op_args, flags[RIDGE_OP_GATED], "gated", 0, "a gate beside the up projection")
#define QUANTISED             RIDGE_FLAG(op_args, flags[RIDGE_OP_QUANTISED], "quantised", 0, "count dequantisation, as large as the matmul")
#define BATCH                 DIM(BATCH, "batch", "sequences (default 1)")
#define SEQ                   DIM(SEQ_LEN, "seq", "tokens per sequence")
#define HIDDEN                DIM(HIDDEN, "hidden", "width of the residual stream")
#define INTERMEDIATE          DIM(INTERMEDIATE, "intermediate", "width inside the FFN")
#define HEADS                 DIM(HEADS, "heads", "query heads")

static const ridge_option gemm_options[] = {
    DIM(M, "m", "rows of A and C"), DIM(N, "n", "columns of B and C"), DIM(K, "k", "the reduction"), QUANTISED, RIDGE_OPTION_END,
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
static const ridge_option table_options[] = {
    DIM(ROWS, "rows", "rows"),
    DIM(COLS, "cols", "elements of a row"),
    RIDGE_OPTION_END,
};
static const ridge_option ffn_options[] = {BATCH, SEQ, HIDDEN, INTERMEDIATE, GATED, QUANTISED, RIDGE_OPTION_END};
static const ridge_option embedding_options[] = {BATCH, SEQ, HIDDEN, RIDGE_OPTION_END};

#define LAYER_OPTIONS                                                                                                                      \
    BATCH, SEQ, HIDDEN, HEADS, DIM(HEAD_DIM, "head-dim", "length of a head (default: hidden / heads)"), INTERMEDIATE, CAUSAL_HALVED,       \
        GATED, QUANTISED
static const ridge_option layer_options[] = {LAYER_OPTIONS, RIDGE_OPTION_END};
static const ridge_option model_options[] = {LAYER_OPTIONS, DIM(LAYERS, "layers", "transformer layers"),
                                             DIM(VOCAB, "vocab", "rows of the lm_head"), RIDGE_OPTION_END};

static const ridge_option format_options[] = {
    RIDGE_FORMAT(op_args, dtype, "dtype", 0, "format of every operand (default bf16); a weight-only format leaves activations in bf16"),
    RIDGE_FORMAT(op_args, weights, "weights", 0, "format of the weights (default: --dtype)"),
    RIDGE_FORMAT(op_args, kv, "kv", 0, "format of K and V (default: that of the activations)"),
    RIDGE_STRING(op_args, on, "on", 0, "MACHINE", "also say how long it takes there (with a later version)"),
    RIDGE_OPTION_END,
};

#define PLAIN                                                                                                                              \
    "Bytes: each operand is read or written once, in its format; block formats store whole blocks per row, a weight has its rows along "   \
    "the reduction."
#define COUNTERS                                                                                                                           \
    "The convention of the layer counters (docs/layer-counters.md). Bytes: each part is one kernel that reads and writes its operands "    \
    "once."

#define OP(code, name_, options, summary_, example_, details_)                                                                             \
    static const op_args code##_defaults = {.kind = RIDGE_OP_##code};                                                                      \
    static const ridge_command op_##code = {                                                                                               \
        .name = name_,                                                                                                                     \
        .summary = summary_,                                                                                                               \
        .example = "ridge op " name_ " " example_,                                                                                         \
        .details = details_,                                                                                                               \
        .operands = RIDGE_NO_OPERANDS(op_args, words),                                                                                     \
        .tables = {{options, 0, NULL}, {format_options, 0, "Formats"}, {ridge_options_json, offsetof(op_args, output), NULL}},             \
        .args_size = sizeof(op_args),                                                                                                      \
        .defaults = &code##_defaults,                                                                                                      \
        .run = run,                                                                                                                        \
    }

OP(GEMM, "gemm", gemm_options, "C[m, n] = A[m, k] B[k, n]: 2 m n k", "--m 4096 --n 4096 --k 4096 --dtype bf16", PLAIN);
OP(GEMV, "gemv", gemv_options, "y[n] = W[n, k] x[k]: 2 n k", "--n 2560 --k 2560 --weights q4_K", PLAIN);
OP(ATTENTION, "attention", attention_options, "fused attention core: Q K', softmax, P V",
   "--batch 1 --seq 1 --kv-len 4096 --heads 32 --kv-heads 8 --head-dim 128",
   "Both products and the softmax (5 per score), over all pairs or, with --causal, the exact pairs: the queries stand at the end of the "
   "keys. " PLAIN
   " Q and O have all heads, K and V their own, and no score matrix is stored. The kinds layer and model halve causal attention instead.");
OP(LAYERNORM, "layernorm", table_options, "layer normalisation: 5 per element", "--rows 2048 --cols 4096", PLAIN);
OP(SOFTMAX, "softmax", table_options, "softmax: 5 per element", "--rows 2048 --cols 2048", PLAIN);
OP(SILU, "silu", table_options, "SiLU: 8 per element", "--rows 2048 --cols 11008", PLAIN);
OP(GELU, "gelu", table_options, "GELU: 8 per element", "--rows 2048 --cols 11008", PLAIN);
OP(FFN, "ffn", ffn_options, "feed-forward block: up, activation, down; gated too", "--seq 2048 --hidden 4096 --intermediate 11008 --gated",
   COUNTERS);
OP(EMBEDDING, "embedding", embedding_options, "embedding lookup: 1 per element, an accounting unit", "--seq 2048 --hidden 4096", COUNTERS);
OP(LAYER, "layer", layer_options, "transformer layer: attention + FFN + 2 norms",
   "--seq 2048 --hidden 4096 --heads 32 --intermediate 11008 --gated --causal",
   "Without the projections to Q, K, V and O; causal attention is half the full one. 'ridge cost' counts real models. " COUNTERS);
OP(MODEL, "model", model_options, "embedding + transformer layers + lm_head",
   "--seq 2048 --hidden 4096 --heads 32 --intermediate 11008 --layers 32 --vocab 32000 --gated",
   "The layers are those of 'ridge op layer'; lm_head runs on every position. 'ridge cost' counts real models. " COUNTERS);

static const ridge_command *const op_kinds[] = {
    &op_GEMM, &op_GEMV, &op_ATTENTION, &op_LAYERNORM, &op_SOFTMAX, &op_SILU, &op_GELU, &op_FFN, &op_EMBEDDING, &op_LAYER, &op_MODEL, NULL,
};

const ridge_command ridge_cmd_op = {
    .name = "op",
    .group = "Formulas",
    .summary = "what one operator costs, from its shape alone",
    .example = "ridge op gemm --m 4096 --n 4096 --k 4096 --json",
    .details = "gemm, gemv, attention and the elementwise kinds count as 'ridge cost' does; ffn, embedding, layer and model are the layer "
               "counters of the C API, with their own conventions (docs/layer-counters.md).",
    .commands = op_kinds,
};
