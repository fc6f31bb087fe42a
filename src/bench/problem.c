/* A kernel's problem, the catalog's operator, its words (problem.h). */
#include "bench/problem.h"

#define KIND(x) RIDGE_KERNEL_KIND_##x
#define BIT(x)  (1u << RIDGE_BENCH_##x)
#define TABLE   (BIT(rows) | BIT(cols))

const char *const ridge_bench_size_options[] = {RIDGE_BENCH_SIZE_LIST(RIDGE_FIRST_TEXT)};

/* sizes that a kind needs and may have; the catalog's operator; what it does to memory */
typedef struct kind_info {
    unsigned needs, takes;
    ridge_op_kind op;
    ridge_bench_mix mix;
} kind_info;
static const kind_info kinds[RIDGE_KERNEL_KIND_COUNT] = {
    [KIND(GEMV)] = {BIT(n) | BIT(k), 0, RIDGE_OP_GEMV, RIDGE_BENCH_READS},
    [KIND(GEMM)] = {BIT(m) | BIT(n) | BIT(k), 0, RIDGE_OP_GEMM, RIDGE_BENCH_READS},
    [KIND(ATTENTION)] = {BIT(seq) | BIT(heads) | BIT(head_dim), BIT(batch) | BIT(past) | BIT(kv_len) | BIT(kv_heads), RIDGE_OP_ATTENTION,
                         RIDGE_BENCH_READS},
    [KIND(SOFTMAX)] = {TABLE, 0, RIDGE_OP_SOFTMAX, RIDGE_BENCH_COPIES},
    [KIND(LAYERNORM)] = {TABLE, 0, RIDGE_OP_LAYERNORM, RIDGE_BENCH_COPIES},
    [KIND(RMSNORM)] = {TABLE, 0, RIDGE_OP_RMSNORM, RIDGE_BENCH_COPIES},
    [KIND(SILU)] = {TABLE, 0, RIDGE_OP_SILU, RIDGE_BENCH_COPIES},
    [KIND(GELU)] = {TABLE, 0, RIDGE_OP_GELU, RIDGE_BENCH_COPIES},
    [KIND(ROPE)] = {BIT(rows) | BIT(heads) | BIT(head_dim), BIT(past), RIDGE_OP_ROPE, RIDGE_BENCH_COPIES},
    [KIND(ADD)] = {TABLE, 0, RIDGE_OP_ADDITION, RIDGE_BENCH_COMBINES},
    [KIND(EMBEDDING)] = {TABLE | BIT(n), 0, RIDGE_OP_EMBEDDING, RIDGE_BENCH_COPIES},
    [KIND(WKV)] = {BIT(seq) | BIT(cols), 0, RIDGE_OP_WKV, RIDGE_BENCH_COMBINES},
};

/* ---- sizes ---- */

/* where a problem has them; kv_len, which it does not have, where past is */
static const size_t places[RIDGE_BENCH_SIZES] = {
#define PLACE(member) [RIDGE_BENCH_##member] = offsetof(ridge_problem, member)
    PLACE(m),   PLACE(n),    PLACE(k),     PLACE(rows),     PLACE(cols),     PLACE(batch),
    PLACE(seq), PLACE(past), PLACE(heads), PLACE(kv_heads), PLACE(head_dim), [RIDGE_BENCH_kv_len] = offsetof(ridge_problem, past),
#undef PLACE
};

static int64_t *place_of(ridge_problem *p, unsigned size)
{
    return (int64_t *)(void *)((char *)p + places[size]);
}

static int64_t size_of(const ridge_problem *p, unsigned size)
{
    return *(const int64_t *)(const void *)((const char *)p + places[size]) + (size == RIDGE_BENCH_kv_len ? p->seq : 0);
}

static ridge_status check_sizes(const ridge_problem *p, const int64_t sizes[RIDGE_BENCH_SIZES], ridge_err *err)
{
    const kind_info *info = &kinds[p->kind];
    const char *kind = ridge_kernel_kind_names[p->kind];
    ridge_status st = RIDGE_OK;
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++)
        if (sizes[i] != RIDGE_UNSET && !((info->needs | info->takes) >> i & 1))
            return ridge_fail(err, RIDGE_USAGE, "%s takes no " RIDGE_OPT("%s"), kind, ridge_bench_size_options[i]);
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++)
        if (sizes[i] == RIDGE_UNSET && (info->needs >> i & 1)) {
            if (!st)
                st = ridge_fail(err, RIDGE_USAGE, "%s needs " RIDGE_OPT("%s"), kind, ridge_bench_size_options[i]);
            else if (err)
                ridge_err_append(err, ", " RIDGE_OPT("%s"), ridge_bench_size_options[i]);
        }
    return st;
}

ridge_status ridge_bench_problem_sizes(ridge_problem *p, const int64_t sizes[RIDGE_BENCH_SIZES], bool causal, ridge_err *err)
{
    const int64_t kv_len = sizes[RIDGE_BENCH_kv_len];
    ridge_status st = check_sizes(p, sizes, err);
    if (st)
        return st;
    if (causal && p->kind != KIND(ATTENTION))
        return ridge_fail(err, RIDGE_USAGE, "%s cannot be causal", ridge_kernel_kind_names[p->kind]);
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++)
        if (i != RIDGE_BENCH_kv_len)
            *place_of(p, i) = sizes[i] == RIDGE_UNSET ? 0 : sizes[i];
    p->causal = causal;
    if (kv_len != RIDGE_UNSET && (p->past != 0 || kv_len < p->seq))
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("kv-len") " is " RIDGE_OPT("past") " + " RIDGE_OPT("seq") ": %s",
                          p->past != 0 ? "give one of the two" : "it is at least the tokens of " RIDGE_OPT("seq"));
    if (kv_len != RIDGE_UNSET)
        p->past = kv_len - p->seq;
    if (p->kind == KIND(ATTENTION)) {
        p->batch = p->batch ? p->batch : 1;
        p->kv_heads = p->kv_heads ? p->kv_heads : p->heads;
    }
    return RIDGE_OK;
}

/* ---- the catalog ---- */

ridge_status ridge_bench_cost_of(ridge_bench_cost *out, const ridge_problem *p, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    ridge_op_shape shape = {{0}, {p->causal}};
    ridge_int *d = shape.dims;
    *out = (ridge_bench_cost){.formats = {p->activations, p->weights, p->weights}};
    switch (p->kind) {
    case KIND(GEMM):
        d[RIDGE_OP_M] = p->m;
        d[RIDGE_OP_N] = p->n;
        d[RIDGE_OP_K] = p->k;
        break;
    case KIND(GEMV):
        d[RIDGE_OP_N] = p->n;
        d[RIDGE_OP_K] = p->k;
        break;
    case KIND(ATTENTION):
        d[RIDGE_OP_BATCH] = p->batch;
        d[RIDGE_OP_SEQ_LEN] = p->seq;
        d[RIDGE_OP_KV_LEN] = p->past + p->seq;
        d[RIDGE_OP_HEADS] = p->heads;
        d[RIDGE_OP_KV_HEADS] = p->kv_heads;
        d[RIDGE_OP_HEAD_DIM] = p->head_dim;
        break;
    case KIND(EMBEDDING):
        d[RIDGE_OP_SEQ_LEN] = p->rows;
        d[RIDGE_OP_HIDDEN] = p->cols;
        break;
    case KIND(ROPE):
        d[RIDGE_OP_ROWS] = p->rows;
        d[RIDGE_OP_HEADS] = p->heads;
        d[RIDGE_OP_HEAD_DIM] = p->head_dim;
        break;
    case KIND(WKV):
        d[RIDGE_OP_SEQ_LEN] = p->seq;
        d[RIDGE_OP_COLS] = p->cols;
        break;
    default:
        d[RIDGE_OP_ROWS] = p->rows;
        d[RIDGE_OP_COLS] = p->cols;
    }
    ridge_op_kind op = kinds[p->kind].op;
    if (!ridge_op_kinds[op].has_weights) /* all in one format, a norm's vectors too */
        out->formats.weights = out->formats.kv = p->activations;
    return ridge_ops_count(&out->record, ops, op, &shape, &out->formats, arena, err);
}

ridge_bench_mix ridge_bench_mix_of(const ridge_problem *p)
{
    return kinds[p->kind].mix;
}

/* the machine as a variant sees it whose products run in int8, though its operands look wider */
static ridge_machine with_int8(const ridge_machine *machine, const ridge_op_formats *formats)
{
    ridge_machine m = *machine;
    ridge_computes_at at;
    if (m.peak_flops_per_s[RIDGE_PRECISION_INT8] > 0 &&
        ridge_computes_at_find(&at, machine, formats->activations, formats->weights, NULL) == RIDGE_OK)
        m.peak_flops_per_s[at.used] = m.peak_flops_per_s[RIDGE_PRECISION_INT8];
    return m;
}

ridge_bench_least ridge_bench_least_of(const ridge_bench_cost *cost, const ridge_machine *machine, unsigned activation_bits, bool cold)
{
    ridge_bench_least out = {{RIDGE_MEASURE_UNKNOWN, RIDGE_MEASURE_UNKNOWN}, RIDGE_PRECISION_FP32, NULL};
    const ridge_op_conditions conditions = {.level = cold ? "dram" : NULL};
    bool int8 = activation_bits == 8 && machine->peak_flops_per_s[RIDGE_PRECISION_INT8] > 0;
    ridge_machine m = int8 ? with_int8(machine, &cost->formats) : *machine;
    bool memory_known = ridge_machine_level_find(&m, "dram") && ridge_machine_level_find(&m, "dram")->bytes_per_s > 0;
    ridge_op_time t;
    if (!memory_known) /* then the side of the arithmetic is known all the same */
        for (size_t i = 0; i < m.level_count; i++)
            m.levels[i].bytes_per_s = 1;
    if (ridge_op_time_of(&t, &cost->record, &cost->formats, &m, &conditions, NULL))
        return out;
    out.sides.memory_s = memory_known ? t.memory_s : RIDGE_MEASURE_UNKNOWN;
    out.sides.compute_s = t.compute_s;
    out.used = int8 ? RIDGE_PRECISION_INT8 : t.has_attention || t.has_matrix ? t.matrix.used : ridge_op_vector_uses(&cost->formats, &m);
    for (size_t i = 0; i < machine->level_count && memory_known; i++)
        if (t.level == &m.levels[i])
            out.level = &machine->levels[i];
    return out;
}

/* ---- words ---- */

const char *ridge_bench_shape_json(const ridge_problem *p, ridge_arena *arena)
{
    const kind_info *info = &kinds[p->kind];
    ridge_buf text = {0};
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++) {
        bool past = i == RIDGE_BENCH_past && p->kind == KIND(ATTENTION); /* kv_len says it */
        if (!((info->needs | info->takes) >> i & 1) || past)
            continue;
        ridge_buf_addc(&text, text.n == 0 ? '{' : ',');
        ridge_buf_addf(&text, "%s\"", text.n == 1 ? "" : " ");
        for (const char *c = ridge_bench_size_options[i]; *c; c++)
            ridge_buf_addc(&text, *c == '-' ? '_' : *c);
        ridge_buf_addf(&text, "\": %lld", (long long)size_of(p, i));
    }
    if (p->kind == KIND(ATTENTION))
        ridge_buf_addf(&text, ", \"causal\": %s", p->causal ? "true" : "false");
    ridge_buf_addc(&text, '}');
    return ridge_arena_take(arena, &text);
}

const char *ridge_bench_shape_text(const ridge_problem *p, ridge_arena *arena)
{
    const char *out;
    switch (p->kind) {
    case KIND(GEMV):
        out = ridge_arena_printf(arena, "%lldx%lld", (long long)p->n, (long long)p->k);
        break;
    case KIND(GEMM):
        out = ridge_arena_printf(arena, "%lldx%lldx%lld", (long long)p->m, (long long)p->n, (long long)p->k);
        break;
    case KIND(ATTENTION):
        out = ridge_arena_printf(arena, "%lldx%lld kv%lld %lld/%lldx%lld%s", (long long)p->batch, (long long)p->seq,
                                 (long long)(p->past + p->seq), (long long)p->heads, (long long)p->kv_heads, (long long)p->head_dim,
                                 p->causal ? " causal" : "");
        break;
    case KIND(ROPE):
        out = ridge_arena_printf(arena, "%lldx%lldx%lld", (long long)p->rows, (long long)p->heads, (long long)p->head_dim);
        break;
    case KIND(EMBEDDING):
        out = ridge_arena_printf(arena, "%lld of %lldx%lld", (long long)p->rows, (long long)p->n, (long long)p->cols);
        break;
    case KIND(WKV):
        out = ridge_arena_printf(arena, "%lldx%lld", (long long)p->seq, (long long)p->cols);
        break;
    default:
        out = ridge_arena_printf(arena, "%lldx%lld", (long long)p->rows, (long long)p->cols);
    }
    return out ? out : "";
}
