/* Running an experiment: defaults, what they share (experiment.h, parts.h). */
#include "experiment/experiment.h"

#include <math.h>
#include <unistd.h>

#include "experiment/parts.h"
#include "measure/placement.h"
#include "measure/statistics.h"
#include "measure/threads.h"

const char *const ridge_experiment_names[] = {RIDGE_EXPERIMENT_LIST(RIDGE_FIRST_TEXT) NULL};

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
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "no experiment '%s'%s%s%s", name, RIDGE_MEANT(nearest.best));
    ridge_buf names = {0};
    for (int i = 0; i < RIDGE_EXPERIMENT_COUNT; i++)
        ridge_buf_addf(&names, "%s%s", i > 0 ? ", " : "", ridge_experiment_names[i]);
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "no experiment '%s': want one of %s", name, names.n > 0 ? names.p : "");
    ridge_buf_free(&names);
    return st;
}

/* ---- options ---- */

/* "q8_0,q4_K", or the option several times */
static ridge_status read_formats(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_experiment_formats *out = at;
    const char *name = ridge_arena_printf(arena, RIDGE_OPT("%s"), option->name);
    ridge_status st = name ? RIDGE_OK : ridge_no_memory(err);
    do {
        size_t n = strcspn(text, ",");
        if (out->count == RIDGE_EXPERIMENT_FORMATS)
            return ridge_fail(err, RIDGE_USAGE, "%s: at most %d formats", name, RIDGE_EXPERIMENT_FORMATS);
        if (!st)
            st = ridge_format_read(&out->items[out->count++], (ridge_str){text, n}, name, err);
        text += n + (text[n] == ',');
    } while (*text != '\0' && !st);
    return st;
}

#define OF ridge_experiment_request
const ridge_option ridge_options_experiment[] = {
    RIDGE_INT(OF, n, "n", 0, "N", 1, (int64_t)1 << 24, "rows of W, length of y (default 4096)"),
    RIDGE_INT(OF, k, "k", 0, "N", 1, (int64_t)1 << 24, "columns of W, length of x (default 4096)"),
    RIDGE_INT(OF, m, "m", 0, "N", 1, 1 << 16, "most rows at once (default: tile-sweep 256, batch-sweep 512)"),
    RIDGE_OTHER(OF, formats, ridge_experiment_formats, "format", 0, "FMT", read_formats,
                "of the weights (default bf16; quant-overhead: repeatable, q8_0, q4_0, q4_K)"),
    RIDGE_FORMAT(OF, activations, "activations", 0, "of x and y", .fallback = "fp32"),
    RIDGE_INT(OF, threads, "threads", 't', "N", 1, RIDGE_THREADS_MOST, "threads (default: all CPUs of the process)"),
    RIDGE_INT(OF, most_bytes, "most", 0, "BYTES", 1, (int64_t)1 << 40,
              "size-sweep: the largest working set (default: four times the last-level cache)", .unit = "bytes"),
    RIDGE_INT(OF, rounds, "rounds", 0, "N", RIDGE_ROUNDS_LEAST, RIDGE_ROUNDS_MOST,
              "times that all points are measured in turn: more of them, surer sentences (default 5)"),
    RIDGE_BUDGET(OF, budget_s, "budget", 0, "time to measure, about; operands take more", .fallback = "10s"),
    RIDGE_OPTION_END,
};

/* ---- what they share ---- */

const char *ridge_experiment_subject(const ridge_experimenting *x, const char *before)
{
    const char *text =
        ridge_arena_printf(x->arena, "%sproduct %lld x %lld, weights %s, activations %s, %u thread%s", before, (long long)x->request->n,
                           (long long)x->request->k, x->weights->name, x->request->activations->name, x->threads, RIDGE_PLURAL(x->threads));
    return text ? text : "";
}

ridge_problem ridge_experiment_product(const ridge_experiment_request *q, const ridge_format *weights, int64_t m, int64_t n)
{
    return (ridge_problem){.kind = m == 1 ? RIDGE_KERNEL_KIND_GEMV : RIDGE_KERNEL_KIND_GEMM,
                           .m = m == 1 ? 0 : m,
                           .n = n,
                           .k = q->k,
                           .weights = weights,
                           .activations = q->activations};
}

double ridge_experiment_weight_bytes(const ridge_experimenting *x, const ridge_format *weights, int64_t n)
{
    ridge_int bytes = 0;
    return ridge_format_bytes(&bytes, weights, n, x->request->k) ? ridge_rational_double(ridge_rational_of(bytes)) : 0;
}

ridge_status ridge_experiment_flops(double *flops, const ridge_experimenting *x, int64_t m)
{
    const ridge_problem problem = ridge_experiment_product(x->request, x->weights, m, x->request->n);
    ridge_bench_cost cost;
    ridge_status st = ridge_bench_cost_of(&cost, &problem, x->ops, x->arena, x->err);
    *flops = st ? 0 : ridge_rational_double(ridge_rational_of(cost.record.flops.total));
    return st;
}

int64_t ridge_experiment_cached_rows(const ridge_experimenting *x, const ridge_format *weights)
{
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    double room = (l2 > 0 ? (double)l2 : 262144.0) / 2 * x->threads, row = ridge_experiment_weight_bytes(x, weights, 1);
    int64_t rows = row > 0 && room / row < (double)x->request->n ? (int64_t)(room / row) : x->request->n;
    int64_t unit = 16 * (int64_t)x->threads; /* whole tiles on every thread */
    rows = rows > unit ? rows / unit * unit : rows > 0 ? rows : 1;
    while (rows > unit && x->request->n % rows != 0)
        rows -= unit;
    return rows;
}

ridge_experiment_row *ridge_experiment_add(ridge_experimenting *x, const char *name)
{
    const double unknown = RIDGE_MEASURE_UNKNOWN;
    const ridge_rounds_ratio no_ratio = {unknown, unknown, unknown}, no_change = {NAN, NAN, NAN};
    const ridge_experiment_time no_time = {.all = {.median_s = unknown, .low_s = unknown, .high_s = unknown}};
    if (x->out->row_count == RIDGE_EXPERIMENT_ROWS || !name)
        return NULL;
    ridge_experiment_row *row = &x->out->rows[x->out->row_count++];
    *row = (ridge_experiment_row){.name = name,
                                  .rows = RIDGE_UNSET,
                                  .threads = RIDGE_UNSET,
                                  .bytes = RIDGE_UNSET,
                                  .time = no_time,
                                  .compute = no_time,
                                  .time_per_row_s = unknown,
                                  .bytes_per_s = unknown,
                                  .flops_per_s = unknown,
                                  .spread_percent = unknown,
                                  .share = no_ratio,
                                  .speedup = no_ratio,
                                  .compute_share = no_ratio,
                                  .unpack_percent = no_change,
                                  .bytes_ratio = unknown,
                                  .dequantisation_share = unknown,
                                  .efficiency = unknown};
    return row;
}

void ridge_experiment_set_time(ridge_experiment_row *row, ridge_experiment_time time)
{
    row->time = time;
    row->spread_percent = time.all.kept >= RIDGE_SAMPLES_OF_INTERVAL ? 100 * ridge_sample_half_width(&time.all) : RIDGE_MEASURE_UNKNOWN;
}

bool ridge_experiment_stopped(void)
{
    return ridge_measure_interrupted != 0;
}

void ridge_experiment_tell(const ridge_experimenting *x, const char *what, size_t done, size_t total)
{
    if (x->extras && x->extras->progress)
        x->extras->progress(x->extras->context, what, done, total);
}

ridge_status ridge_experiment_machine(const ridge_bench_rates **out, const ridge_experimenting *x)
{
    ridge_bench_machine *machine;
    const ridge_bench_machine_options options = {.threads = &x->threads, .thread_count = 1, .budget_s = x->request->budget_s / 4};
    ridge_experiment_tell(x, "ceilings", 0, 1);
    ridge_status st = ridge_bench_machine_make(&machine, &options, x->arena, x->err);
    if (!st)
        *out = &machine->rates[0];
    return st;
}

/* ---- pure ---- */

double ridge_experiment_predicted_rows(double weight_bytes, double bytes_per_s, double flops_per_row, double flops_per_s)
{
    if (!(bytes_per_s > 0) || !(flops_per_s > 0) || !(flops_per_row > 0))
        return RIDGE_MEASURE_UNKNOWN;
    return weight_bytes / bytes_per_s * flops_per_s / flops_per_row;
}

/* ---- the run ---- */

static ridge_status check(const ridge_experiment_request *q, ridge_err *err)
{
    const ridge_experiment_formats *f = &q->formats;
    const char *name = ridge_experiment_names[q->kind];
    bool quant = q->kind == RIDGE_EXPERIMENT_QUANT;
    if (!quant && f->count > 1)
        return ridge_fail(err, RIDGE_USAGE, "%s takes one " RIDGE_OPT("format") "; quant-overhead compares several", name);
    if (q->kind == RIDGE_EXPERIMENT_SIZES && (q->n > 0 || q->k > 0 || q->m > 0 || f->count > 0))
        return ridge_fail(err, RIDGE_USAGE,
                          "size-sweep reads plain memory: it takes no " RIDGE_OPT("n") ", " RIDGE_OPT("k") ", " RIDGE_OPT(
                              "m") " or " RIDGE_OPT("format"));
    if (q->m > 0 && q->kind != RIDGE_EXPERIMENT_TILE && q->kind != RIDGE_EXPERIMENT_BATCH)
        return ridge_fail(err, RIDGE_USAGE, "%s runs one row: it takes no " RIDGE_OPT("m"), name);
    for (size_t i = 0; i < f->count && quant; i++)
        if (strcmp(f->items[i]->name, "bf16") == 0)
            return ridge_fail(err, RIDGE_USAGE, "quant-overhead compares with bf16 itself: give other formats, such as q8_0 or q4_K");
    return RIDGE_OK;
}

static void or_else(int64_t *number, int64_t fallback)
{
    if (*number < 1)
        *number = fallback;
}

/* what was not given */
static void complete(ridge_experiment_request *q, unsigned cpus)
{
    static const char *const quantised[] = {"q8_0", "q4_0", "q4_K", NULL}, *const plain[] = {"bf16", NULL};
    const char *const *names = q->kind == RIDGE_EXPERIMENT_QUANT ? quantised : plain;
    or_else(&q->n, 4096);
    or_else(&q->k, 4096);
    or_else(&q->m, q->kind == RIDGE_EXPERIMENT_TILE ? 256 : 512);
    or_else(&q->threads, cpus);
    or_else(&q->rounds, RIDGE_EXPERIMENT_ROUNDS);
    or_else(&q->most_bytes, 4 * (int64_t)ridge_last_level_cache());
    for (bool none = q->formats.count == 0; none && *names; names++)
        q->formats.items[q->formats.count++] = ridge_format_find(ridge_str_of(*names));
    if (!q->activations)
        q->activations = ridge_format_find(RIDGE_STR("fp32"));
}

/* of formats that were given, or not */
static ridge_status check_blocks(const ridge_experiment_request *q, ridge_err *err)
{
    for (size_t i = 0; i < q->formats.count; i++) {
        const ridge_format *f = q->formats.items[i];
        if (q->k % f->block_elements != 0)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("k") " %lld is not a multiple of %u, the block of %s", (long long)q->k,
                              f->block_elements, f->name);
    }
    return RIDGE_OK;
}

static ridge_status (*const runs[])(ridge_experimenting *x) = {
    [RIDGE_EXPERIMENT_MEMORY] = ridge_experiment_memory, [RIDGE_EXPERIMENT_QUANT] = ridge_experiment_quant,
    [RIDGE_EXPERIMENT_TILE] = ridge_experiment_tile,     [RIDGE_EXPERIMENT_THREADS] = ridge_experiment_threads,
    [RIDGE_EXPERIMENT_SIZES] = ridge_experiment_sizes,   [RIDGE_EXPERIMENT_BATCH] = ridge_experiment_batch,
};

ridge_status ridge_experiment_run(ridge_experiment *e, const ridge_experiment_request *request, const ridge_experiment_extras *extras,
                                  ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    *e = (ridge_experiment){.request = *request, .cpus = ridge_placement_cpus(), .run = RIDGE_UNSET};
    ridge_status st = ridge_isa_check(err);
    if (st || (st = check(request, err)))
        return st;
    complete(&e->request, e->cpus);
    if ((st = check_blocks(&e->request, err)))
        return st;
    ridge_experimenting x = {.out = e,
                             .request = &e->request,
                             .extras = extras,
                             .ops = ops,
                             .arena = arena,
                             .err = err,
                             .weights = e->request.formats.items[0],
                             .threads = (unsigned)e->request.threads};
    if (extras && extras->estimate)
        extras->estimate(extras->context, e->request.budget_s);
    st = runs[request->kind](&x);
    e->interrupted = ridge_measure_interrupted != 0;
    return st;
}
