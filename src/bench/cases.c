/* What is benchmarked: one kernel, all its formats, the shipped suite (cases.h). */
#include "bench/cases.h"

/* ---- one kernel ---- */

ridge_status ridge_bench_kind_find(ridge_kernel_kind *out, const char *name, ridge_err *err)
{
    ridge_nearest nearest = {0};
    for (unsigned k = 0; k < RIDGE_KERNEL_KIND_COUNT; k++) {
        if (strcmp(name, ridge_kernel_kind_names[k]) == 0) {
            *out = (ridge_kernel_kind)k;
            return RIDGE_OK;
        }
        ridge_nearest_offer(&nearest, ridge_str_of(name), ridge_kernel_kind_names[k]);
    }
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "no kernel '%s'; did you mean '%s'?", name, nearest.best);
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "no kernel '%s'; there are", name);
    for (unsigned k = 0; k < RIDGE_KERNEL_KIND_COUNT && err; k++)
        ridge_err_append(err, "%s %s", k == 0 ? "" : ",", ridge_kernel_kind_names[k]);
    return st;
}

/* who runs it here: nobody, plain C alone, a kernel made for it */
typedef enum speed { NOT_DONE, PLAIN, MADE } speed;

/* A format whose blocks do not divide the rows has no operands, so nobody runs it. */
static ridge_status speed_here(speed *out, const ridge_problem *p, ridge_arena *arena, ridge_err *err)
{
    const ridge_kernel_variant *const *variants;
    ridge_err ignored = {0};
    size_t count = 0;
    ridge_status st = ridge_kernel_variants(&variants, &count, p, arena, &ignored);
    *out = NOT_DONE;
    for (size_t i = 0; i < count && !st && *out != MADE; i++)
        *out = strcmp(variants[i]->name, "generic") == 0 ? PLAIN : MADE;
    return st == RIDGE_NOMEM ? ridge_no_memory(err) : RIDGE_OK;
}

/* One case per format that some variant here takes with this problem; the problem's own format is there. What only plain C takes has
 * minutes of its own: it is left out unless a variant or provider is named, or the first case is no faster. */
static ridge_status add_formats(ridge_bench_cases *out, const ridge_bench_request *r, ridge_arena *arena, ridge_err *err)
{
    size_t formats;
    speed first;
    const ridge_format *table = ridge_format_table(&formats);
    ridge_bench_case *cases = ridge_arena_array(arena, formats + 1, sizeof *cases);
    const char **slow = ridge_arena_array(arena, formats + 1, sizeof *slow);
    if (!cases || !slow)
        return ridge_no_memory(err);
    cases[0] = out->items[0];
    out->items = cases;
    out->slow.items = slow;
    if (speed_here(&first, &cases[0].problem, arena, err))
        return RIDGE_NOMEM;
    const bool all = r->variant || r->provider || r->all_variants || first != MADE;
    for (size_t i = 0; i < formats; i++) {
        ridge_bench_case c = cases[0];
        speed here;
        c.problem.weights = &table[i];
        if (table[i].integer || &table[i] == cases[0].problem.weights)
            continue;
        if (speed_here(&here, &c.problem, arena, err))
            return RIDGE_NOMEM;
        if (here == PLAIN && !all)
            slow[out->slow.count++] = table[i].name;
        else if (here != NOT_DONE)
            cases[out->count++] = c;
    }
    return RIDGE_OK;
}

static bool has_weights(ridge_kernel_kind kind)
{
    return kind == RIDGE_KERNEL_KIND_GEMV || kind == RIDGE_KERNEL_KIND_GEMM || kind == RIDGE_KERNEL_KIND_EMBEDDING ||
           kind == RIDGE_KERNEL_KIND_ATTENTION;
}

/* what has no weights is all in one format, whichever option named it */
static ridge_status set_formats(ridge_problem *p, const ridge_bench_request *r, const ridge_format *dtype, ridge_err *err)
{
    const ridge_format *fp32 = ridge_format_find(RIDGE_STR("fp32")), *bf16 = ridge_format_find(RIDGE_STR("bf16"));
    const char *kind = ridge_kernel_kind_names[p->kind];
    bool weights = has_weights(p->kind);
    if (!weights && dtype && r->activations && dtype != r->activations)
        return ridge_fail(err, RIDGE_USAGE, "%s has no weights: " RIDGE_OPT("dtype") " and " RIDGE_OPT("activations") " are one format",
                          kind);
    if (!weights && r->all_formats)
        return ridge_fail(err, RIDGE_USAGE, "%s has no weights: " RIDGE_OPT("all-formats") " has nothing to go through", kind);
    p->activations = r->activations ? r->activations : !weights && dtype ? dtype : fp32;
    p->weights = dtype && weights ? dtype : weights && p->kind != RIDGE_KERNEL_KIND_ATTENTION ? bf16 : p->activations;
    return RIDGE_OK;
}

/* what goes through formats itself, and a model, has one of them */
static ridge_status one_dtype(const ridge_bench_request *r, bool asked, const char *option, ridge_err *err)
{
    if (!asked || r->dtypes.n <= 1)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") " goes with one " RIDGE_OPT("dtype") ", not with %zu", option, r->dtypes.n);
}

static ridge_status kind_cases(ridge_bench_cases *out, const ridge_bench_request *r, ridge_arena *arena, ridge_err *err)
{
    const size_t count = r->dtypes.n > 1 ? r->dtypes.n : 1;
    ridge_bench_case *cases = ridge_arena_array(arena, count, sizeof *cases);
    ridge_kernel_kind kind;
    if (!cases)
        return ridge_no_memory(err);
    *out = (ridge_bench_cases){.items = cases, .count = count, .some = r->all_formats};
    ridge_status st = one_dtype(r, r->all_formats, "all-formats", err);
    if (!st)
        st = ridge_bench_kind_find(&kind, r->kind, err);
    for (size_t i = 0; i < count && !st; i++) {
        cases[i] = (ridge_bench_case){.count = 1, .problem = {.kind = kind}};
        if (!(st = set_formats(&cases[i].problem, r, r->dtypes.n ? r->dtypes.items[i] : NULL, err)))
            st = ridge_bench_problem_sizes(&cases[i].problem, r->sizes, r->causal, err);
    }
    if (st)
        return st;
    return r->all_formats ? add_formats(out, r, arena, err) : RIDGE_OK;
}

/* ---- a model ---- */

static ridge_status model_cases(ridge_bench_cases *out, const ridge_bench_request *r, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    const ridge_format *activations = r->activations ? r->activations : ridge_format_find(RIDGE_STR("fp32"));
    ridge_model_request model;
    ridge_status st = one_dtype(r, true, "model", err);
    if (st)
        return st;
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++)
        if (r->sizes[i] != RIDGE_UNSET && i != RIDGE_BENCH_batch && i != RIDGE_BENCH_seq && i != RIDGE_BENCH_past)
            return ridge_fail(
                err, RIDGE_USAGE,
                RIDGE_OPT("%s") " is a kernel's; a model takes " RIDGE_OPT("batch") ", " RIDGE_OPT("seq") " and " RIDGE_OPT("past"),
                ridge_bench_size_options[i]);
    ridge_model_request_default(&model);
    model.model = r->model;
    model.phase = r->phase;
    model.batch = r->sizes[RIDGE_BENCH_batch];
    model.seq = r->sizes[RIDGE_BENCH_seq];
    model.past = r->sizes[RIDGE_BENCH_past];
    model.weights = r->dtypes.n ? r->dtypes.items[0] : NULL;
    model.activations = activations;
    model.kv = r->kv; /* NULL: the activations' */
    model.attention = RIDGE_PAIRS_CAUSAL;
    model.kernel = RIDGE_KERNEL_FUSED;
    model.lm_head = RIDGE_HEAD_NEEDED;
    return ridge_bench_model(out, &model, r->layer, activations, ops->registry, arena, err);
}

/* ---- the suite ---- */

/* Shapes of models people run (7B to 8B: hidden 4096, intermediate 11008 and 14336; 128 per head), small enough for about two minutes in
 * all. */
typedef struct suite_row {
    ridge_kernel_kind kind;
    const char *weights;
    int64_t m, n, k; /* rows, cols where those are what the kind has; attention: seq, past, heads */
    int64_t kv_heads, head_dim;
    bool causal;
    ridge_bench_cache cache;
} suite_row;

#define GEMV(f, n, k, c)                                                                                                                   \
    {                                                                                                                                      \
        RIDGE_KERNEL_KIND_GEMV, f, 0, n, k, 0, 0, false, RIDGE_BENCH_##c                                                                   \
    }
#define GEMM(f, m, n, k)                                                                                                                   \
    {                                                                                                                                      \
        RIDGE_KERNEL_KIND_GEMM, f, m, n, k, 0, 0, false, RIDGE_BENCH_HOT                                                                   \
    }
#define ATTENTION(seq, past, heads, kv, c)                                                                                                 \
    {                                                                                                                                      \
        RIDGE_KERNEL_KIND_ATTENTION, "fp32", seq, past, heads, kv, 128, true, RIDGE_BENCH_##c                                              \
    }
#define ROWS(kind, rows, cols, c)                                                                                                          \
    {                                                                                                                                      \
        RIDGE_KERNEL_KIND_##kind, "fp32", rows, cols, 0, 0, 0, false, RIDGE_BENCH_##c                                                      \
    }

static const suite_row cpu_suite[] = {
    GEMV("fp32", 4096, 4096, COLD),    GEMV("fp16", 4096, 4096, COLD),
    GEMV("bf16", 4096, 4096, COLD),    GEMV("q8_0", 4096, 4096, COLD),
    GEMV("q4_0", 4096, 4096, COLD),    GEMV("q4_K", 4096, 4096, COLD),
    GEMV("q6_K", 4096, 4096, COLD),    GEMV("int4_g128", 4096, 4096, COLD),
    GEMV("nf4", 4096, 4096, COLD),     GEMV("mxfp4", 4096, 4096, COLD),
    GEMV("nvfp4", 4096, 4096, COLD),   GEMV("bf16", 14336, 4096, COLD),
    GEMV("q8_0", 14336, 4096, COLD),   GEMV("q4_0", 14336, 4096, COLD),
    GEMV("q4_K", 14336, 4096, COLD),   GEMV("q4_K", 4096, 11008, COLD),
    GEMV("fp32", 1024, 1024, HOT),     GEMV("fp32", 14336, 4096, COLD),
    GEMV("bf16", 1024, 1024, HOT),     GEMV("bf16", 512, 2048, HOT),
    GEMV("q8_0", 512, 2048, HOT),      GEMV("q4_0", 1024, 1024, HOT),
    GEMV("q8_0", 1024, 1024, HOT),     GEMV("q4_K", 1024, 1024, HOT),
    GEMM("fp32", 16, 2048, 2048),      GEMM("fp32", 128, 1024, 1024),
    GEMM("fp32", 512, 1024, 1024),     GEMM("fp32", 256, 1024, 4096),
    GEMM("bf16", 128, 1024, 1024),     GEMM("bf16", 512, 1024, 1024),
    GEMM("q8_0", 16, 2048, 2048),      GEMM("q8_0", 128, 2048, 2048),
    GEMM("q8_0", 512, 1024, 1024),     GEMM("q4_K", 16, 2048, 2048),
    GEMM("q4_K", 128, 2048, 2048),     GEMM("q4_K", 512, 1024, 1024),
    ATTENTION(256, 0, 8, 8, HOT),      ATTENTION(512, 0, 8, 8, HOT),
    ATTENTION(1024, 0, 8, 2, HOT),     ATTENTION(1, 2047, 32, 8, COLD),
    ATTENTION(1, 4095, 32, 32, COLD),  ROWS(SOFTMAX, 64, 2048, HOT),
    ROWS(SOFTMAX, 32, 4096, HOT),      ROWS(SOFTMAX, 4096, 4096, COLD),
    ROWS(SOFTMAX, 2048, 8192, COLD),   ROWS(RMSNORM, 64, 4096, HOT),
    ROWS(RMSNORM, 32, 2048, HOT),      ROWS(RMSNORM, 2048, 4096, COLD),
    ROWS(RMSNORM, 4096, 4096, COLD),   ROWS(LAYERNORM, 64, 4096, HOT),
    ROWS(LAYERNORM, 32, 2048, HOT),    ROWS(LAYERNORM, 2048, 4096, COLD),
    ROWS(LAYERNORM, 4096, 4096, COLD), ROWS(SILU, 16, 11008, HOT),
    ROWS(SILU, 8, 14336, HOT),         ROWS(SILU, 1024, 11008, COLD),
    ROWS(SILU, 512, 14336, COLD),      ROWS(GELU, 16, 11008, HOT),
    ROWS(GELU, 8, 14336, HOT),         ROWS(GELU, 1024, 11008, COLD),
    ROWS(GELU, 512, 14336, COLD),      ROWS(ADD, 64, 4096, HOT),
    ROWS(ADD, 32, 4096, HOT),          ROWS(ADD, 2048, 4096, COLD),
    ROWS(ADD, 4096, 4096, COLD),
};

static ridge_status make_case(ridge_bench_case *out, const suite_row *row, ridge_err *err)
{
    ridge_problem p = {.kind = row->kind, .causal = row->causal};
    *out = (ridge_bench_case){.count = 1, .cache = row->cache};
    if (row->kind == RIDGE_KERNEL_KIND_ATTENTION) {
        p.batch = 1;
        p.seq = row->m;
        p.past = row->n;
        p.heads = row->k;
        p.kv_heads = row->kv_heads;
        p.head_dim = row->head_dim;
    } else if (row->kind == RIDGE_KERNEL_KIND_GEMV || row->kind == RIDGE_KERNEL_KIND_GEMM) {
        p.m = row->m;
        p.n = row->n;
        p.k = row->k;
    } else {
        p.rows = row->m;
        p.cols = row->n;
    }
    p.activations = ridge_format_find(RIDGE_STR("fp32"));
    out->problem = p;
    return ridge_format_read(&out->problem.weights, ridge_str_of(row->weights), "suite", err);
}

ridge_status ridge_bench_suite(ridge_bench_cases *out, const char *name, ridge_arena *arena, ridge_err *err)
{
    enum { ROWS = sizeof cpu_suite / sizeof *cpu_suite };
    ridge_status st = RIDGE_OK;
    *out = (ridge_bench_cases){.some = true};
    if (strcmp(name, "cpu") != 0)
        return ridge_fail(err, RIDGE_USAGE, "no suite '%s'; there is 'cpu'", name);
    if (!(out->items = ridge_arena_array(arena, ROWS, sizeof *out->items)))
        return ridge_no_memory(err);
    for (; out->count < ROWS && !st; out->count++)
        st = make_case(&out->items[out->count], &cpu_suite[out->count], err);
    return st;
}

static ridge_status suite_cases(ridge_bench_cases *out, const ridge_bench_request *r, ridge_arena *arena, ridge_err *err)
{
    if (r->dtypes.n || r->activations || r->all_formats)
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("suite") " has its own formats: leave " RIDGE_OPT("dtype") ", " RIDGE_OPT(
                              "activations") " and " RIDGE_OPT("all-formats") " out");
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++)
        if (r->sizes[i] != RIDGE_UNSET)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("suite") " has its own shapes: leave " RIDGE_OPT("%s") " out",
                              ridge_bench_size_options[i]);
    return ridge_bench_suite(out, r->suite, arena, err);
}

/* ---- any of them ---- */

ridge_status ridge_bench_cases_make(ridge_bench_cases *out, const ridge_bench_request *r, ridge_ops *ops, ridge_arena *arena,
                                    ridge_err *err)
{
    int asked = (r->kind != NULL) + (r->suite != NULL) + (r->model != NULL);
    if (asked != 1)
        return ridge_fail(err, RIDGE_USAGE, "%s: a KIND of kernel, " RIDGE_OPT("suite") " NAME or " RIDGE_OPT("model") " MODEL",
                          asked == 0 ? "nothing to measure" : "one of these at a time");
    if (r->layer && !r->model)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("layer") " is one of a model: name it with " RIDGE_OPT("model"));
    ridge_status st = r->suite   ? suite_cases(out, r, arena, err)
                      : r->model ? model_cases(out, r, ops, arena, err)
                                 : kind_cases(out, r, arena, err);
    for (size_t i = 0; !st && i < out->count && (r->cache != RIDGE_BENCH_USUAL || !r->suite); i++)
        out->items[i].cache = r->cache;
    return st;
}
