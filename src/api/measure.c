/* Measuring from C: functions, memory, attention, kernels of the caller, timelines (include/ridge_measure.h). */
#include "ridge_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "measure/metrics.h"

enum { NAMES_MOST = 64 };

static int exit_code(ridge_status st)
{
    return !st ? 0 : st == RIDGE_USAGE || st == RIDGE_VALUE ? 2 : st == RIDGE_CHECK ? 3 : 1;
}

static int finish(ridge_status st, const ridge_err *err, char *message, size_t size)
{
    if (message && size > 0)
        (void)snprintf(message, size, "%s", st ? err->msg : "");
    return exit_code(st);
}

/* ---- any function ---- */

typedef struct call {
    void (*function)(void *argument);
    void *argument;
} call;

static void run_call(void *context, unsigned phase, unsigned thread, uint64_t count)
{
    const call *c = context;
    (void)phase;
    (void)thread;
    (void)count;
    c->function(c->argument);
}

static ridge_status time_call(ridge_statistics *out, call *c, uint32_t warm_up, uint32_t iterations, ridge_err *err)
{
    const ridge_measure_options options = {.budget_s = 3600, /* the number of samples decides */
                                           .confidence = 1e-12,
                                           .warm_up = warm_up > 0 ? warm_up : 1,
                                           .least = iterations,
                                           .most = iterations,
                                           .threads = 1};
    const ridge_work work = {run_call, c, 1};
    ridge_sample_statistics t;
    ridge_team *team = NULL;
    ridge_status st = ridge_team_make(&team, 1, false, err);
    if (!st)
        st = ridge_measure(&t, team, &work, &options, err);
    ridge_team_free(team);
    if (!st)
        *out = (ridge_statistics){.median_s = t.median_s,
                                  .low_s = t.low_s,
                                  .high_s = t.high_s,
                                  .mad_s = t.mad_s,
                                  .minimum_s = t.minimum_s,
                                  .kept = t.kept,
                                  .tried = t.tried,
                                  .calls_per_sample = t.calls_per_sample};
    return st;
}

int ridge_benchmark(void (*function)(void *argument), void *argument, uint32_t warm_up, uint32_t iterations, ridge_statistics *out)
{
    call c = {function, argument};
    if (!function || !out || iterations == 0)
        return 2;
    return exit_code(time_call(out, &c, warm_up, iterations, NULL));
}

int ridge_measure_run(void (*function)(void *argument), void *argument, ridge_run_use *out)
{
    ridge_metrics_run run;
    ridge_metrics m;
    if (!function || !out)
        return 2;
    ridge_metrics_begin(&run);
    function(argument);
    ridge_metrics_end(&m, &run);
    const int64_t *counters = m.counters;
    *out = (ridge_run_use){
        .memory = {m.peak_bytes, m.current_bytes, m.heap_bytes, m.heap_change_bytes, m.wall_s, m.cpu_s},
        .user_s = m.user_s,
        .system_s = m.system_s,
        .voluntary_switches = m.voluntary_switches,
        .involuntary_switches = m.involuntary_switches,
        .minor_faults = m.minor_faults,
        .major_faults = m.major_faults,
        .cycles = counters[RIDGE_COUNTER_CYCLES],
        .instructions = counters[RIDGE_COUNTER_INSTRUCTIONS],
        .cache_references = counters[RIDGE_COUNTER_CACHE_REFERENCES],
        .cache_misses = counters[RIDGE_COUNTER_CACHE_MISSES],
        .branches = counters[RIDGE_COUNTER_BRANCHES],
        .branch_misses = counters[RIDGE_COUNTER_BRANCH_MISSES],
    };
    memcpy(out->reason, m.reason, sizeof out->reason);
    return 0;
}

int ridge_measure_memory(void (*function)(void *argument), void *argument, ridge_memory_use *out)
{
    ridge_run_use use;
    if (!out || ridge_measure_run(function, argument, &use) != 0)
        return 2;
    *out = use.memory;
    return 0;
}

/* ---- rows ---- */

static double share_of(double amount, double time_s, double ceiling)
{
    return amount >= 0 && ceiling > 0 ? amount / time_s / ceiling : RIDGE_MEASURE_UNKNOWN;
}

static int32_t bound_of(double memory, double compute)
{
    if (memory < 0 && compute < 0)
        return -1;
    return memory >= compute;
}

static int sum_of_rows(double *total, const ridge_timed_row *rows, uint64_t count)
{
    *total = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!(rows[i].time_s > 0) || !isfinite(rows[i].time_s))
            return 2;
        *total += rows[i].time_s;
    }
    return count == 0 ? 2 : 0;
}

/* the row that takes longest of those that come after `last` in the order of time, then index; NULL: the first of all */
static uint64_t next_worst(const ridge_timed_row *rows, uint64_t count, const ridge_bottleneck *last)
{
    uint64_t worst = count;
    for (uint64_t i = 0; i < count; i++) {
        double before = last ? rows[last->index].time_s : INFINITY;
        bool left = rows[i].time_s < before || (last && rows[i].time_s <= before && i > last->index);
        if (left && (worst == count || rows[i].time_s > rows[worst].time_s))
            worst = i;
    }
    return worst;
}

int ridge_identify_bottlenecks(ridge_bottleneck *out, uint64_t room, uint64_t *count, const ridge_timed_row *rows, uint64_t row_count,
                               double bytes_per_s, double flops_per_s)
{
    double total;
    if (!out || !count || !rows || sum_of_rows(&total, rows, row_count) != 0)
        return 2;
    for (*count = 0; *count < room && *count < row_count; ++*count) {
        uint64_t index = next_worst(rows, row_count, *count > 0 ? &out[*count - 1] : NULL);
        const ridge_timed_row *r = &rows[index];
        ridge_bottleneck *b = &out[*count];
        *b = (ridge_bottleneck){.index = index,
                                .percent = 100 * r->time_s / total,
                                .memory_share = share_of(r->bytes, r->time_s, bytes_per_s),
                                .compute_share = share_of(r->flops, r->time_s, flops_per_s)};
        b->memory_bound = bound_of(b->memory_share, b->compute_share);
    }
    return 0;
}

int ridge_identify_bottleneck(ridge_bottleneck *out, const ridge_timed_row *rows, uint64_t count, double bytes_per_s, double flops_per_s)
{
    uint64_t found;
    return ridge_identify_bottlenecks(out, 1, &found, rows, count, bytes_per_s, flops_per_s);
}

/* ---- attention ---- */

static ridge_status check_shape(const ridge_attention_shape *s, ridge_err *err)
{
    const uint64_t most = 1 << 24;
    if (s->batch == 0 || s->seq == 0 || s->heads == 0 || s->kv_heads == 0 || s->head_dim == 0)
        return ridge_fail(err, RIDGE_USAGE, "batch, seq, heads, kv_heads and head_dim are at least 1");
    if (s->batch > most || s->seq > most || s->heads > most || s->kv_heads > most || s->head_dim > most || s->hidden > most ||
        s->past > (uint64_t)1 << 32 || s->threads > 1024)
        return ridge_fail(err, RIDGE_USAGE, "a size is above %llu", (unsigned long long)most);
    if (s->heads % s->kv_heads != 0)
        return ridge_fail(err, RIDGE_USAGE, "%llu heads do not share %llu key-value heads evenly", (unsigned long long)s->heads,
                          (unsigned long long)s->kv_heads);
    return RIDGE_OK;
}

static void fill_profile(ridge_attention_profile *out, const ridge_profile *p)
{
    static const char *const names[RIDGE_ATTENTION_COMPONENTS] = {"qkv_projection", "scores", "softmax", "weighted_sum",
                                                                  "output_projection"};
    *out = (ridge_attention_profile){.total_s = p->total_s};
    for (size_t i = 0; i < p->component_count && i < RIDGE_ATTENTION_COMPONENTS; i++) {
        const ridge_profile_component *c = &p->components[i];
        out->components[i] =
            (ridge_attention_component){.name = names[i],
                                        .time_s = c->time_s,
                                        .percent = c->percent,
                                        .predicted_s = c->predicted_s,
                                        .percent_of_ceiling = c->percent_of_ceiling,
                                        .memory_bound = c->bound == RIDGE_SIDE_UNKNOWN ? -1 : c->bound == RIDGE_SIDE_MEMORY};
    }
    (void)snprintf(out->bottleneck, sizeof out->bottleneck, "%s", p->bottleneck);
    (void)ridge_spell(out->recommendation, sizeof out->recommendation, p->recommendation, "");
}

static ridge_status read_request(ridge_profile_request *q, const ridge_attention_shape *s, const char *format, double budget_s,
                                 ridge_arena *arena, ridge_err *err)
{
    ridge_status st = check_shape(s, err);
    if (!st && !(st = ridge_profile_default(q, arena, err)) && format)
        st = ridge_format_read(&q->weights, ridge_str_of(format), "format", err);
    if (st)
        return st;
    q->shape = (ridge_profile_shape){.hidden = (int64_t)(s->hidden > 0 ? s->hidden : s->heads * s->head_dim),
                                     .heads = (int64_t)s->heads,
                                     .kv_heads = (int64_t)s->kv_heads,
                                     .head_dim = (int64_t)s->head_dim};
    q->phase = s->seq == 1 ? RIDGE_PHASE_DECODE : RIDGE_PHASE_PREFILL;
    q->batch = (int64_t)s->batch;
    q->seq = (int64_t)s->seq;
    q->past = (int64_t)s->past;
    q->threads = s->threads > 0 ? s->threads : 1;
    q->budget_s = budget_s > 0 ? budget_s : q->budget_s;
    return RIDGE_OK;
}

static ridge_status profile(ridge_attention_profile *out, const ridge_profile_request *q, ridge_arena *arena, ridge_err *err)
{
    ridge_profile p;
    ridge_ops ops;
    ridge_status st = ridge_ops_open(&ops, err);
    if (st)
        return st;
    if (!(st = ridge_profile_run(&p, q, NULL, NULL, &ops, arena, err)))
        fill_profile(out, &p);
    ridge_ops_close(&ops);
    return st;
}

int ridge_profile_attention(ridge_attention_profile *out, const ridge_attention_shape *s, const char *format, double budget_s,
                            char *message, size_t size)
{
    ridge_err err = {0};
    ridge_arena arena;
    ridge_profile_request q;
    ridge_arena_init(&arena);
    ridge_status st = read_request(&q, s, format, budget_s, &arena, &err);
    if (!st)
        st = profile(out, &q, &arena, &err);
    ridge_arena_free(&arena);
    return finish(st, &err, message, size);
}

static ridge_problem problem_of(const ridge_attention_shape *s)
{
    const ridge_format *fp32 = ridge_format_find(RIDGE_STR("fp32"));
    return (ridge_problem){.kind = RIDGE_KERNEL_KIND_ATTENTION,
                           .batch = (int64_t)s->batch,
                           .seq = (int64_t)s->seq,
                           .past = (int64_t)s->past,
                           .heads = (int64_t)s->heads,
                           .kv_heads = (int64_t)s->kv_heads,
                           .head_dim = (int64_t)s->head_dim,
                           .causal = s->causal != 0,
                           .weights = fp32,
                           .activations = fp32};
}

static void run_kernel(void *context, unsigned phase, unsigned thread, uint64_t count)
{
    const ridge_kernel_run *run = context;
    (void)count;
    run->variant->phase(run, phase, thread);
}

static ridge_status run_level(ridge_kernel_run *run, ridge_err *err)
{
    ridge_team *team = NULL;
    ridge_status st = ridge_team_make(&team, run->threads, false, err);
    if (st)
        return st;
    if (!(st = run->variant->open(run, err))) {
        const ridge_work work = {run_kernel, run, run->phases};
        ridge_team_run(team, &work, 0);
        if (run->variant->close)
            run->variant->close(run);
    }
    ridge_team_free(team);
    return st;
}

/* Kernels take operands of whole cache lines, 64-byte aligned: an array of the caller that is so is used where it is, others are copied. */
static bool lies_well(const float *at, const ridge_operand *o)
{
    return at && (uintptr_t)at % 64 == 0 && (size_t)(o->rows * o->cols) * sizeof *at % 64 == 0;
}

/* Does the result, the last array, lie on an input? Then it is written elsewhere first. */
static bool lies_on_input(float *const arrays[4], const ridge_operand *operands)
{
    const uintptr_t begin = (uintptr_t)arrays[3], end = begin + (size_t)(operands[3].rows * operands[3].cols) * sizeof(float);
    for (size_t i = 0; i < 3; i++) {
        const uintptr_t at = (uintptr_t)arrays[i];
        if (at < end && begin < at + (size_t)(operands[i].rows * operands[i].cols) * sizeof(float))
            return true;
    }
    return false;
}

static ridge_status take_operand(void **out, size_t i, float *const arrays[4], const ridge_operand *operands, ridge_err *err)
{
    const ridge_operand *o = &operands[i];
    size_t bytes;
    ridge_status st = ridge_operand_bytes(&bytes, o, err);
    if (st)
        return st;
    if (lies_well(arrays[i], o) && (i < 3 || !lies_on_input(arrays, operands))) {
        *out = arrays[i];
        return RIDGE_OK;
    }
    if (!(*out = aligned_alloc(64, bytes)))
        return ridge_fail(err, RIDGE_NOMEM, "no memory for '%s'", o->name);
    if (i < 3)
        memcpy(*out, arrays[i], (size_t)(o->rows * o->cols) * sizeof(float));
    return RIDGE_OK;
}

/* arrays: q, k, v and the result */
static ridge_status optimize(float *const arrays[4], const ridge_attention_shape *s, unsigned level, ridge_err *err)
{
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    ridge_kernel_run run = {.problem = problem_of(s), .threads = s->threads > 0 ? s->threads : 1, .phases = 1};
    size_t count;
    ridge_status st = ridge_problem_operands(operands, &count, &run.problem, err);
    for (size_t i = 0; i < 4; i++)
        run.tensor_scales[i] = 1;
    if (!st)
        st = ridge_profile_level_variant(&run.variant, &run.problem, level, err);
    for (size_t i = 0; i < 4 && !st; i++)
        st = take_operand(&run.operands[i], i, arrays, operands, err);
    if (!st && !(st = run_level(&run, err)) && run.operands[3] != arrays[3])
        memcpy(arrays[3], run.operands[3], (size_t)(operands[3].rows * operands[3].cols) * sizeof *arrays[3]);
    for (size_t i = 0; i < 4; i++)
        if (run.operands[i] != arrays[i])
            free(run.operands[i]);
    return st;
}

int ridge_optimize_attention(const float *q, const float *k, const float *v, float *out, const ridge_attention_shape *shape, int level,
                             char *message, size_t size)
{
    ridge_err err = {0};
    float *const arrays[] = {(float *)(uintptr_t)q, (float *)(uintptr_t)k, (float *)(uintptr_t)v, out}; /* the first three are only read */
    ridge_status st = check_shape(shape, &err);
    if (!st && (level < 0 || level >= RIDGE_PROFILE_LEVELS))
        st = ridge_fail(&err, RIDGE_USAGE, "level %d: 0 naive, 1 blocked, 2 fused, 3 flash", level);
    if (!st)
        st = optimize(arrays, shape, (unsigned)level, &err);
    return finish(st, &err, message, size);
}

/* ---- kernels of the caller ---- */

typedef struct own {
    char *name;
    call call;
    double flops, bytes;
    void (*reference)(void *argument, double *expected);
    const float *result;
    uint64_t count;
    double tolerance;
    struct own *next;
} own;

struct ridge_kernels_own {
    own *first;
};

ridge_kernels_own *ridge_kernels_new(void)
{
    return calloc(1, sizeof(ridge_kernels_own));
}

void ridge_kernels_free(ridge_kernels_own *kernels)
{
    if (!kernels)
        return;
    for (own *k = kernels->first, *next; k; k = next) {
        next = k->next;
        free(k->name);
        free(k);
    }
    free(kernels);
}

static own *find(const ridge_kernels_own *kernels, const char *name)
{
    own *k = kernels->first;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k;
}

static ridge_status find_or_fail(own **out, const ridge_kernels_own *kernels, const char *name, ridge_err *err)
{
    ridge_nearest nearest = {0};
    if ((*out = find(kernels, name)))
        return RIDGE_OK;
    for (const own *k = kernels->first; k; k = k->next)
        ridge_nearest_offer(&nearest, ridge_str_of(name), k->name);
    return ridge_fail(err, RIDGE_USAGE, "no kernel '%s'%s%s%s", name, RIDGE_MEANT(nearest.best));
}

static ridge_status add(ridge_kernels_own *kernels, const char *name, const own *what, ridge_err *err)
{
    own *k = calloc(1, sizeof *k);
    if (!k || (*k = *what, !(k->name = strdup(name)))) {
        free(k);
        return ridge_no_memory(err);
    }
    own **end = &kernels->first;
    while (*end)
        end = &(*end)->next;
    *end = k;
    return RIDGE_OK;
}

int ridge_kernel_register(ridge_kernels_own *kernels, const char *name, void (*function)(void *argument), void *argument, double flops,
                          double bytes, char *message, size_t size)
{
    ridge_err err = {0};
    const own what = {.call = {function, argument}, .flops = flops, .bytes = bytes};
    ridge_status st = RIDGE_OK;
    if (!name || name[0] == '\0' || !function)
        st = ridge_fail(&err, RIDGE_USAGE, "a kernel needs a name and a function");
    else if (find(kernels, name))
        st = ridge_fail(&err, RIDGE_USAGE, "there is a kernel '%s' already", name);
    else
        st = add(kernels, name, &what, &err);
    return finish(st, &err, message, size);
}

int ridge_kernel_set_reference(ridge_kernels_own *kernels, const char *name, void (*reference)(void *argument, double *expected),
                               const float *result, uint64_t count, double tolerance, char *message, size_t size)
{
    ridge_err err = {0};
    own *k;
    ridge_status st = find_or_fail(&k, kernels, name, &err);
    if (!st && (!reference || !result || count == 0 || count > SIZE_MAX / sizeof(double) || !(tolerance >= 0)))
        st = ridge_fail(&err, RIDGE_USAGE, "%s: a reference needs a function, a result of at least one number and a tolerance", name);
    if (!st) {
        k->reference = reference;
        k->result = result;
        k->count = count;
        k->tolerance = tolerance;
    }
    return finish(st, &err, message, size);
}

static ridge_status check_own(double *error, const own *k, ridge_err *err)
{
    double worst = 0, squares = 0;
    double *expected = calloc((size_t)k->count, sizeof *expected);
    if (!expected)
        return ridge_fail(err, RIDGE_NOMEM, "%s: no memory for the reference", k->name);
    k->reference(k->call.argument, expected);
    k->call.function(k->call.argument);
    for (uint64_t i = 0; i < k->count; i++) {
        double off = fabs((double)k->result[i] - expected[i]);
        worst = isfinite(off) ? fmax(worst, off) : INFINITY;
        squares += expected[i] * expected[i];
    }
    free(expected);
    double scale = sqrt(squares / (double)k->count);
    *error = scale > 0 ? worst / scale : worst;
    if (*error <= k->tolerance)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_CHECK, "%s is wrong: off by %.3g of the result's scale where %.3g is allowed; it was not timed", k->name,
                      *error, k->tolerance);
}

static void place_on_roofline(ridge_own_row *out, const own *k, double bytes_per_s, double flops_per_s)
{
    double time_s = out->time.median_s;
    double memory_s = k->bytes >= 0 && bytes_per_s > 0 ? k->bytes / bytes_per_s : RIDGE_MEASURE_UNKNOWN;
    double compute_s = k->flops >= 0 && flops_per_s > 0 ? k->flops / flops_per_s : RIDGE_MEASURE_UNKNOWN;
    out->flops_per_s = k->flops >= 0 ? k->flops / time_s : RIDGE_MEASURE_UNKNOWN;
    out->bytes_per_s = k->bytes >= 0 ? k->bytes / time_s : RIDGE_MEASURE_UNKNOWN;
    out->arithmetic_intensity = k->flops >= 0 && k->bytes > 0 ? k->flops / k->bytes : RIDGE_MEASURE_UNKNOWN;
    out->least_s = fmax(memory_s, compute_s);
    out->memory_bound = bound_of(memory_s, compute_s);
    out->percent_of_ceiling = out->least_s >= 0 ? 100 * out->least_s / time_s : RIDGE_MEASURE_UNKNOWN;
    out->beats_roofline = out->least_s > out->time.high_s;
}

int ridge_kernel_measure(ridge_own_row *out, ridge_kernels_own *kernels, const char *name, uint32_t iterations, double bytes_per_s,
                         double flops_per_s, char *message, size_t size)
{
    ridge_err err = {0};
    own *k;
    *out = (ridge_own_row){.max_relative_error = RIDGE_MEASURE_UNKNOWN};
    ridge_status st = find_or_fail(&k, kernels, name, &err);
    if (!st && iterations == 0)
        st = ridge_fail(&err, RIDGE_USAGE, "%s: at least one iteration", name);
    if (!st && k->reference)
        st = check_own(&out->max_relative_error, k, &err);
    if (!st && !(st = time_call(&out->time, &k->call, 2, iterations, &err)))
        place_on_roofline(out, k, bytes_per_s, flops_per_s);
    return finish(st, &err, message, size);
}

int ridge_measure_ceilings(double *bytes_per_s, double *flops_per_s, uint32_t threads, double budget_s, char *message, size_t size)
{
    ridge_err err = {0};
    ridge_arena arena;
    ridge_bench_machine *machine;
    const unsigned count = threads > 0 ? threads : 1;
    const ridge_bench_machine_options options = {.threads = &count, .thread_count = 1, .budget_s = budget_s > 0 ? budget_s : 2};
    ridge_arena_init(&arena);
    ridge_status st = ridge_isa_check(&err);
    if (!st)
        st = ridge_bench_machine_make(&machine, &options, &arena, &err);
    if (!st) {
        const ridge_machine *m = &machine->rates[0].measured;
        *bytes_per_s = (double)m->levels[0].bytes_per_s;
        *flops_per_s = (double)m->peak_flops_per_s[RIDGE_PRECISION_FP32];
    }
    ridge_arena_free(&arena);
    return finish(st, &err, message, size);
}

/* ---- timelines ---- */

static ridge_trace *trace_of(ridge_timeline *timeline)
{
    return (ridge_trace *)(void *)timeline;
}

ridge_timeline *ridge_timeline_new(uint32_t threads, uint64_t events)
{
    ridge_trace *trace = NULL;
    if (events > SIZE_MAX || ridge_trace_make(&trace, threads, (size_t)events, NULL) != RIDGE_OK)
        return NULL;
    return (ridge_timeline *)(void *)trace;
}

void ridge_timeline_free(ridge_timeline *timeline)
{
    ridge_trace_free(trace_of(timeline));
}

void ridge_timeline_hooks(ridge_timeline *timeline, void (*begin)(void *context, const char *name), void (*end)(void *context),
                          void *context)
{
    const ridge_trace_hooks hooks = {begin, end, context};
    ridge_trace_set_hooks(trace_of(timeline), &hooks);
}

void ridge_timeline_push(ridge_timeline *timeline, uint32_t thread, const char *name)
{
    ridge_trace_push(trace_of(timeline), thread, name);
}

void ridge_timeline_pop(ridge_timeline *timeline, uint32_t thread)
{
    ridge_trace_pop(trace_of(timeline), thread);
}

char *ridge_timeline_json(const ridge_timeline *timeline)
{
    ridge_buf text = {0};
    if (ridge_trace_json(&text, (const ridge_trace *)(const void *)timeline, NULL) == RIDGE_OK)
        return text.p;
    ridge_buf_free(&text);
    return NULL;
}

void ridge_timeline_text_free(char *text)
{
    free(text);
}
