/* What is computed: sizes, operands, words (task.h). */
#include "frameworks/task.h"

#include <math.h>

const char *const ridge_framework_names[] = {RIDGE_FRAMEWORK_LIST(RIDGE_WORD_TEXT) NULL};
const char *const ridge_framework_whats[] = {"gemm", "attention", "layer", NULL};

/* ---- options ---- */

static ridge_status add_choice(ridge_framework_choice *choice, ridge_str word, const char *option, ridge_arena *arena, ridge_err *err)
{
    int kind;
    ridge_status st = ridge_choice_read(&kind, ridge_framework_names, word, option, arena, err);
    if (st)
        return st;
    for (size_t i = 0; i < choice->count; i++)
        if (choice->items[i] == (ridge_framework_kind)kind)
            return ridge_fail(err, RIDGE_USAGE, "%s: %s stands twice", option, ridge_framework_names[kind]);
    choice->items[choice->count++] = (ridge_framework_kind)kind;
    return RIDGE_OK;
}

static ridge_status read_choice(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_framework_choice choice = {.count = 0};
    ridge_status st = RIDGE_OK;
    (void)option;
    for (const char *from = text; !st;) {
        const size_t n = strcspn(from, ",");
        st = add_choice(&choice, (ridge_str){from, n}, RIDGE_OPT("frameworks"), arena, err);
        if (from[n] == '\0')
            break;
        from += n + 1;
    }
    if (!st)
        *(ridge_framework_choice *)at = choice;
    return st;
}

#define OF                       ridge_frameworks_options
#define SIZE(member, name, help) RIDGE_INT(OF, member, name, 0, "N", 1, (int64_t)1 << 24, help, .needs = "frameworks")
const ridge_option ridge_options_frameworks[] = {
    RIDGE_OTHER(OF, choice, ridge_framework_choice, "frameworks", 0, "NAME,...", read_choice,
                "the same work in ridge, torch, jax, numpy, onnxruntime: those that python3 has", .needs = "!run",
                .reach = RIDGE_REACH_PROGRAM),
    SIZE(hidden, "hidden", "layer: length of the residual stream"),
    SIZE(intermediate, "intermediate", "layer: length inside the MLP"),
    RIDGE_BUDGET(OF, patience_s, "patience", 0, "time a framework may take to start, and beyond what it is asked for", .fallback = "120s",
                 .needs = "frameworks"),
    RIDGE_OPTION_END,
};

/* ---- operands ---- */

enum { TENSOR_ALIGNMENT = 64 };
static const uint64_t data_most = (uint64_t)1 << 40;

typedef struct listing {
    ridge_framework_task *task;
    bool large;
} listing;

static void add(listing *l, ridge_tensor_name name, const int64_t *dims, unsigned rank, double deviation)
{
    ridge_framework_task *t = l->task;
    ridge_framework_tensor *o = &t->tensors[t->tensor_count++];
    *o = (ridge_framework_tensor){.name = name, .rank = rank, .rows = 1, .cols = dims[rank - 1], .deviation = (float)deviation};
    for (unsigned i = 0; i < rank; i++) {
        o->dims[i] = dims[i];
        if (i + 1 < rank)
            l->large |= __builtin_mul_overflow(o->rows, dims[i], &o->rows);
    }
    uint64_t bytes = 0;
    l->large |= __builtin_mul_overflow((uint64_t)o->rows, (uint64_t)o->cols * sizeof(float), &bytes) || bytes > data_most;
    o->offset = t->bytes;
    t->bytes += (bytes + TENSOR_ALIGNMENT - 1) / TENSOR_ALIGNMENT * TENSOR_ALIGNMENT;
    l->large |= t->bytes > data_most;
}

static void add_table(listing *l, ridge_tensor_name name, int64_t rows, int64_t cols, double deviation)
{
    add(l, name, (int64_t[]){rows, cols}, 2, deviation);
}

static void add_norm(listing *l, ridge_tensor_name name)
{
    add(l, name, &l->task->hidden, 1, 0.1);
    l->task->tensors[l->task->tensor_count - 1].middle = 1;
}

static void add_cache(listing *l, int64_t keys)
{
    const ridge_problem *p = &l->task->problem;
    const int64_t dims[] = {p->batch, p->kv_heads, keys, p->head_dim};
    add(l, RIDGE_TENSOR_K, dims, 4, 1);
    add(l, RIDGE_TENSOR_V, dims, 4, 1);
}

/* Weights keep the deviation of what they multiply. Attention averages over many keys, so its result is small: what follows makes it as
 * large as the rest, or an error in it would not show. */
static void list_layer(listing *l)
{
    const ridge_framework_task *t = l->task;
    const ridge_problem *p = &t->problem;
    const int64_t h = t->hidden, i = t->intermediate, q = p->heads * p->head_dim, kv = p->kv_heads * p->head_dim;
    const double root = sqrt((double)h), keys = (double)(p->past + p->seq);
    add(l, RIDGE_TENSOR_INPUT, (int64_t[]){p->batch, p->seq, h}, 3, 1);
    add_norm(l, RIDGE_TENSOR_NORM1);
    add_table(l, RIDGE_TENSOR_WQ, q, h, 1 / root);
    add_table(l, RIDGE_TENSOR_WK, kv, h, 1 / root);
    add_table(l, RIDGE_TENSOR_WV, kv, h, 1 / root);
    if (p->past > 0)
        add_cache(l, p->past);
    add_table(l, RIDGE_TENSOR_WO, h, q, sqrt(1 + keys / 4) / sqrt((double)q));
    add_norm(l, RIDGE_TENSOR_NORM2);
    add_table(l, RIDGE_TENSOR_WGATE, i, h, 1 / root);
    add_table(l, RIDGE_TENSOR_WUP, i, h, 1 / root);
    add_table(l, RIDGE_TENSOR_WDOWN, h, i, 1 / sqrt((double)i));
}

ridge_status ridge_framework_task_tensors(ridge_framework_task *t, ridge_err *err)
{
    listing l = {.task = t};
    const ridge_problem *p = &t->problem;
    t->tensor_count = 0;
    t->bytes = 0;
    switch (t->what) {
    case RIDGE_FRAMEWORK_GEMM:
        add_table(&l, RIDGE_TENSOR_A, p->m, p->k, 1);
        add_table(&l, RIDGE_TENSOR_W, p->n, p->k, 1);
        t->output_rows = p->m;
        t->output_cols = p->n;
        break;
    case RIDGE_FRAMEWORK_ATTENTION:
        add(&l, RIDGE_TENSOR_Q, (int64_t[]){p->batch, p->seq, p->heads, p->head_dim}, 4, 1);
        add_cache(&l, p->past + p->seq);
        t->output_rows = p->batch * p->seq;
        t->output_cols = p->heads * p->head_dim;
        break;
    case RIDGE_FRAMEWORK_LAYER:
        list_layer(&l);
        t->output_rows = p->batch * p->seq;
        t->output_cols = t->hidden;
    }
    return l.large ? ridge_fail(err, RIDGE_LIMIT, "the operands are too large: more than 1 TiB") : RIDGE_OK;
}

const ridge_framework_tensor *ridge_framework_tensor_of(const ridge_framework_task *t, ridge_tensor_name name)
{
    for (size_t i = 0; i < t->tensor_count; i++)
        if (t->tensors[i].name == name)
            return &t->tensors[i];
    return NULL;
}

/* ---- sizes ---- */

bool ridge_framework_task_is_of_model(const ridge_bench_request *r)
{
    if (r->model)
        return true;
    for (size_t i = 0; r->kind && ridge_framework_whats[i]; i++)
        if (strcmp(r->kind, ridge_framework_whats[i]) == 0)
            return false;
    return r->kind != NULL;
}

static int64_t given(const ridge_bench_request *r, ridge_bench_size size, int64_t otherwise)
{
    return r->sizes[size] == RIDGE_UNSET ? otherwise : r->sizes[size];
}

/* a size that is the task's own, as the option is called */
static ridge_status need(int64_t value, const char *option, ridge_err *err)
{
    return value > 0 ? RIDGE_OK : ridge_fail(err, RIDGE_USAGE, "layer needs " RIDGE_OPT("%s"), option);
}

static ridge_status check_taken(const ridge_bench_request *r, ridge_err *err)
{
    static const ridge_bench_size taken[] = {RIDGE_BENCH_batch, RIDGE_BENCH_seq,      RIDGE_BENCH_past,
                                             RIDGE_BENCH_heads, RIDGE_BENCH_kv_heads, RIDGE_BENCH_head_dim};
    for (unsigned i = 0; i < RIDGE_BENCH_SIZES; i++) {
        size_t k = 0;
        while (k < sizeof taken / sizeof *taken && taken[k] != i)
            k++;
        if (k == sizeof taken / sizeof *taken && r->sizes[i] != RIDGE_UNSET)
            return ridge_fail(err, RIDGE_USAGE, "layer takes no " RIDGE_OPT("%s"), ridge_bench_size_options[i]);
    }
    return RIDGE_OK;
}

static ridge_status check_heads(ridge_framework_task *t, ridge_err *err)
{
    ridge_problem *p = &t->problem;
    if (p->head_dim < 1 && t->hidden % p->heads != 0)
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("hidden") " %lld is not a multiple of " RIDGE_OPT("heads") " %lld: give " RIDGE_OPT("head-dim"),
                          (long long)t->hidden, (long long)p->heads);
    p->head_dim = p->head_dim > 0 ? p->head_dim : t->hidden / p->heads;
    if (p->head_dim % 2 != 0)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("head-dim") " %lld is odd: rotary positions turn pairs", (long long)p->head_dim);
    return RIDGE_OK;
}

static ridge_status layer_sizes(ridge_framework_task *t, const ridge_frameworks_request *q, ridge_err *err)
{
    const ridge_bench_request *r = q->bench;
    ridge_problem *p = &t->problem;
    ridge_status st = check_taken(r, err);
    t->hidden = q->options->hidden;
    t->intermediate = q->options->intermediate;
    *p = (ridge_problem){.kind = RIDGE_KERNEL_KIND_ATTENTION,
                         .batch = given(r, RIDGE_BENCH_batch, 1),
                         .seq = given(r, RIDGE_BENCH_seq, 0),
                         .past = given(r, RIDGE_BENCH_past, 0),
                         .heads = given(r, RIDGE_BENCH_heads, 0),
                         .head_dim = given(r, RIDGE_BENCH_head_dim, 0),
                         .causal = true};
    p->kv_heads = given(r, RIDGE_BENCH_kv_heads, p->heads);
    if (st || (st = need(t->hidden, "hidden", err)) || (st = need(p->heads, "heads", err)) ||
        (st = need(t->intermediate, "intermediate", err)) || (st = need(p->seq, "seq", err)))
        return st;
    return check_heads(t, err);
}

static ridge_status check_problem(const ridge_problem *p, ridge_err *err)
{
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    size_t count;
    ridge_problem plain = *p;
    plain.weights = plain.activations = ridge_format_find(ridge_str_of("fp32"));
    ridge_status st = ridge_problem_operands(operands, &count, &plain, err);
    if (!st && p->kind == RIDGE_KERNEL_KIND_ATTENTION && p->past + p->seq > (int64_t)1 << 24)
        st = ridge_fail(err, RIDGE_LIMIT, "more than %d keys", 1 << 24);
    return st;
}

ridge_status ridge_framework_task_sizes(ridge_framework_task *t, const ridge_frameworks_request *q, ridge_err *err)
{
    const ridge_bench_request *r = q->bench;
    int what;
    *t = (ridge_framework_task){.what = RIDGE_FRAMEWORK_GEMM};
    for (what = 0; strcmp(ridge_framework_whats[what], r->kind) != 0;)
        what++;
    t->what = (ridge_framework_what)what;
    const bool layer = t->what == RIDGE_FRAMEWORK_LAYER;
    if (!layer && (q->options->hidden > 0 || q->options->intermediate > 0))
        return ridge_fail(err, RIDGE_USAGE, "%s takes no " RIDGE_OPT("%s"), r->kind, q->options->hidden > 0 ? "hidden" : "intermediate");
    t->problem.kind = t->what == RIDGE_FRAMEWORK_GEMM ? RIDGE_KERNEL_KIND_GEMM : RIDGE_KERNEL_KIND_ATTENTION;
    ridge_status st = layer ? layer_sizes(t, q, err) : ridge_bench_problem_sizes(&t->problem, r->sizes, r->causal, err);
    return st ? st : check_problem(&t->problem, err);
}

/* ---- words ---- */

const char *ridge_framework_shape_json(const ridge_framework_task *t, ridge_arena *arena)
{
    const ridge_problem *p = &t->problem;
    if (t->what != RIDGE_FRAMEWORK_LAYER)
        return ridge_bench_shape_json(p, arena);
    return ridge_arena_printf(arena,
                              "{\"batch\": %lld, \"seq\": %lld, \"past\": %lld, \"hidden\": %lld, \"heads\": %lld, \"kv_heads\": %lld, "
                              "\"head_dim\": %lld, \"intermediate\": %lld}",
                              (long long)p->batch, (long long)p->seq, (long long)p->past, (long long)t->hidden, (long long)p->heads,
                              (long long)p->kv_heads, (long long)p->head_dim, (long long)t->intermediate);
}

const char *ridge_framework_shape_text(const ridge_framework_task *t, ridge_arena *arena)
{
    const ridge_problem *p = &t->problem;
    if (t->what != RIDGE_FRAMEWORK_LAYER)
        return ridge_bench_shape_text(p, arena);
    return ridge_arena_printf(arena, "batch %lld  seq %lld  past %lld  hidden %lld  heads %lld/%lld x %lld  intermediate %lld",
                              (long long)p->batch, (long long)p->seq, (long long)p->past, (long long)t->hidden, (long long)p->heads,
                              (long long)p->kv_heads, (long long)p->head_dim, (long long)t->intermediate);
}
