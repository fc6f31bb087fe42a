/* Running an experiment: defaults, what they share (experiment.h, parts.h). */
#include "experiment/experiment.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "experiment/parts.h"
#include "measure/placement.h"

const char *const ridge_experiment_names[] = {
#define X(code, name, asks) name,
    RIDGE_EXPERIMENT_LIST(X)
#undef X
        NULL};
const char *const ridge_experiment_asks[] = {
#define X(code, name, asks) asks,
    RIDGE_EXPERIMENT_LIST(X)
#undef X
        NULL};

static ridge_status (*const runs[])(ridge_experimenting *x) = {
    [RIDGE_EXPERIMENT_MEMORY] = ridge_experiment_memory, [RIDGE_EXPERIMENT_QUANT] = ridge_experiment_quant,
    [RIDGE_EXPERIMENT_TILE] = ridge_experiment_tile,     [RIDGE_EXPERIMENT_THREADS] = ridge_experiment_threads,
    [RIDGE_EXPERIMENT_SIZES] = ridge_experiment_sizes,   [RIDGE_EXPERIMENT_BATCH] = ridge_experiment_batch,
};

ridge_status ridge_experiment_find(ridge_experiment_kind *out, const char *name, ridge_err *err)
{
    ridge_nearest nearest = {0};
    for (int i = 0; i < RIDGE_EXPERIMENT_COUNT; i++) {
        if (strcmp(name, ridge_experiment_names[i]) == 0) {
            *out = (ridge_experiment_kind)i;
            return RIDGE_OK;
        }
        ridge_nearest_offer(&nearest, ridge_str_of(name), ridge_experiment_names[i]);
    }
    return ridge_fail(err, RIDGE_USAGE, "no experiment '%s'%s%s%s", name, nearest.best ? "; did you mean '" : "",
                      nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
}

/* ---- what they share ---- */

ridge_problem ridge_experiment_product(const ridge_experimenting *x, const ridge_format *weights, int64_t m, int64_t n)
{
    return (ridge_problem){.kind = m == 1 ? RIDGE_KERNEL_KIND_GEMV : RIDGE_KERNEL_KIND_GEMM,
                           .m = m == 1 ? 0 : m,
                           .n = n,
                           .k = x->k,
                           .weights = weights,
                           .activations = x->activations};
}

ridge_status ridge_experiment_chain(ridge_chain **out, const ridge_experimenting *x, ridge_team *team, const ridge_problem *problem,
                                    ridge_cache_state cache, unsigned repeat, unsigned threads)
{
    const ridge_chain_step step = {
        .name = ridge_kernel_kind_names[problem->kind], .problem = *problem, .repeat = repeat, .same_weights = true};
    const ridge_chain_options options = {.cache = cache, .threads = threads};
    return ridge_chain_make(out, &step, 1, team, &options, x->err);
}

double ridge_experiment_weight_bytes(const ridge_experimenting *x, const ridge_format *weights, int64_t n)
{
    ridge_int bytes = 0;
    return ridge_format_bytes(&bytes, weights, n, x->k) ? ridge_rational_double(ridge_rational_of(bytes)) : 0;
}

ridge_status ridge_experiment_flops(double *flops, const ridge_experimenting *x, int64_t m)
{
    const ridge_problem problem = ridge_experiment_product(x, x->weights, m, x->n);
    ridge_bench_cost cost;
    ridge_status st = ridge_bench_cost_of(&cost, &problem, x->ops, x->arena, x->err);
    *flops = st ? 0 : ridge_rational_double(ridge_rational_of(cost.record.flops.total));
    return st;
}

int64_t ridge_experiment_cached_rows(const ridge_experimenting *x, const ridge_format *weights)
{
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    double room = (l2 > 0 ? (double)l2 : 262144.0) / 2 * x->threads, row = ridge_experiment_weight_bytes(x, weights, 1);
    int64_t rows = row > 0 && room / row < (double)x->n ? (int64_t)(room / row) : x->n;
    int64_t unit = 16 * (int64_t)x->threads; /* whole tiles on every thread */
    rows = rows > unit ? rows / unit * unit : rows > 0 ? rows : 1;
    while (rows > unit && x->n % rows != 0)
        rows -= unit;
    return rows;
}

ridge_experiment_row *ridge_experiment_add(ridge_experimenting *x, const char *name)
{
    if (x->out->row_count == RIDGE_EXPERIMENT_ROWS || !name)
        return NULL;
    ridge_experiment_row *row = &x->out->rows[x->out->row_count++];
    row->name = name;
    for (size_t i = 0; i < RIDGE_EXPERIMENT_COLUMNS; i++)
        row->values[i] = RIDGE_MEASURE_UNKNOWN;
    return row;
}

ridge_status ridge_experiment_say(ridge_experimenting *x, const char *verdict, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    x->out->verdict = verdict;
    x->out->sentence = ridge_arena_strdup(x->arena, ridge_str_of(text));
    return x->out->sentence && verdict ? RIDGE_OK : ridge_no_memory(x->err);
}

ridge_status ridge_experiment_say_nothing(ridge_experimenting *x, const char *why)
{
    ridge_status st = ridge_experiment_say(x, "", "no conclusion: %s", why);
    x->out->verdict = NULL;
    return st;
}

const char *ridge_experiment_number(const ridge_experimenting *x, double value)
{
    const char *text = ridge_arena_printf(x->arena, value >= 100 ? "%.0f" : "%.3g", value);
    return text ? text : "";
}

const char *ridge_experiment_ratio(const ridge_experimenting *x, double value)
{
    const char *text = ridge_arena_printf(x->arena, value >= 10 ? "%.0fx" : "%.2gx", value);
    return text ? text : "";
}

bool ridge_experiment_stopped(void)
{
    return ridge_measure_interrupted != 0;
}

ridge_status ridge_experiment_say_stopped(ridge_experimenting *x, size_t planned, size_t column, bool larger)
{
    const ridge_experiment *e = x->out;
    const ridge_experiment_row *best = e->rows;
    for (size_t i = 1; i < e->row_count; i++)
        if (larger ? e->rows[i].values[column] > best->values[column] : e->rows[i].values[column] < best->values[column])
            best = &e->rows[i];
    ridge_status st = ridge_experiment_say(x, "", "interrupted after %zu of %zu points: %s%s%s", e->row_count, planned,
                                           e->row_count > 1 ? "the best of these is " : "no conclusion", e->row_count > 1 ? best->name : "",
                                           e->row_count > 1 ? ", and what the others would have shown is not known" : "");
    x->out->verdict = NULL;
    return st;
}

void ridge_experiment_tell(const ridge_experimenting *x, const char *what, size_t done, size_t total)
{
    if (x->request->progress)
        x->request->progress(x->request->context, what, done, total);
}

ridge_status ridge_experiment_machine(const ridge_bench_rates **out, const ridge_experimenting *x)
{
    ridge_bench_machine *machine;
    const ridge_bench_machine_options options = {.threads = &x->threads, .thread_count = 1, .budget_s = x->budget_s / 4};
    ridge_experiment_tell(x, "ceilings", 0, 1);
    ridge_status st = ridge_bench_machine_make(&machine, &options, x->arena, x->err);
    if (!st)
        *out = &machine->rates[0];
    return st;
}

/* ---- pure ---- */

double ridge_experiment_ridge_rows(double one_s, double many_s, double rows)
{
    return many_s > 0 ? one_s * rows / many_s : RIDGE_MEASURE_UNKNOWN;
}

double ridge_experiment_predicted_rows(double weight_bytes, double bytes_per_s, double flops_per_row, double flops_per_s)
{
    if (!(bytes_per_s > 0) || !(flops_per_s > 0) || !(flops_per_row > 0))
        return RIDGE_MEASURE_UNKNOWN;
    return weight_bytes / bytes_per_s * flops_per_s / flops_per_row;
}

/* ---- the run ---- */

static ridge_status check(const ridge_experimenting *x)
{
    const ridge_experiment_request *q = x->request;
    if (q->kind != RIDGE_EXPERIMENT_QUANT && q->format_count > 1)
        return ridge_fail(x->err, RIDGE_USAGE, "%s takes one --format; quant-overhead compares several", ridge_experiment_names[q->kind]);
    if (q->kind == RIDGE_EXPERIMENT_SIZES && (q->n != 0 || q->k != 0 || q->m != 0 || q->format_count != 0))
        return ridge_fail(x->err, RIDGE_USAGE, "size-sweep reads plain memory: it takes no --n, --k, --m or --format");
    if (q->m != 0 && q->kind != RIDGE_EXPERIMENT_TILE && q->kind != RIDGE_EXPERIMENT_BATCH)
        return ridge_fail(x->err, RIDGE_USAGE, "%s runs one row: it takes no --m", ridge_experiment_names[q->kind]);
    for (size_t i = 0; i < q->format_count && q->kind == RIDGE_EXPERIMENT_QUANT; i++)
        if (strcmp(q->formats[i]->name, "bf16") == 0)
            return ridge_fail(x->err, RIDGE_USAGE, "quant-overhead compares with bf16 itself: give other formats, such as q8_0 or q4_K");
    for (size_t i = 0; i < q->format_count; i++)
        if (x->k % q->formats[i]->block_elements != 0)
            return ridge_fail(x->err, RIDGE_USAGE, "--k %lld is not a multiple of %u, the block of %s", (long long)x->k,
                              q->formats[i]->block_elements, q->formats[i]->name);
    return RIDGE_OK;
}

ridge_status ridge_experiment_run(ridge_experiment **out, const ridge_experiment_request *q, ridge_ops *ops, ridge_arena *arena,
                                  ridge_err *err)
{
    ridge_experiment *e = *out = ridge_arena_alloc(arena, sizeof *e);
    if (!e)
        return ridge_no_memory(err);
    e->request = q;
    e->cpus = ridge_placement_cpus();
    ridge_experimenting x = {
        .out = e,
        .request = q,
        .ops = ops,
        .arena = arena,
        .err = err,
        .n = q->n > 0 ? q->n : 4096,
        .k = q->k > 0 ? q->k : 4096,
        .m = q->m > 0                           ? q->m
             : q->kind == RIDGE_EXPERIMENT_TILE ? 256
                                                : 512,
        .weights = q->format_count > 0 ? q->formats[0] : ridge_format_find(RIDGE_STR("bf16")),
        .activations = q->activations ? q->activations : ridge_format_find(RIDGE_STR("fp32")),
        .threads = q->threads > 0 ? q->threads : e->cpus,
        .budget_s = q->budget_s > 0 ? q->budget_s : 6,
    };
    ridge_status st = ridge_isa_check(err);
    if (!st)
        st = check(&x);
    if (!st)
        st = runs[q->kind](&x);
    e->interrupted = ridge_measure_interrupted != 0;
    return st;
}
