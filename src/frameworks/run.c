/* The run: who can, who is right, rounds in turn (frameworks.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "frameworks/parts.h"
#include "measure/metrics.h"
#include "measure/placement.h"

/* samples that are clean in a round of which the CPU time is told */
#define CALM 0.9

/* A row and who runs it: a process, or Ridge here. */
typedef struct runner {
    ridge_framework_row row;
    ridge_framework_helper helper; /* talk NULL: Ridge, or none */
    ridge_framework_own *own;
    bool ready; /* it was right, and measures */
} runner;

typedef struct running {
    ridge_frameworks *out;
    const ridge_frameworks_request *request;
    ridge_framework_task task;
    ridge_ops *ops;
    runner *runners; /* [count], as asked for */
    size_t count;
    char *cpus; /* "0,1" */
    float *result;
    size_t done, all; /* steps of progress */
    ridge_arena *arena;
    ridge_err *err;
} running;

static bool stopped(void)
{
    return ridge_measure_interrupted != 0;
}

static void tell(running *r, const char *what, const runner *n)
{
    char text[160];
    if (!r->request->progress)
        return;
    (void)snprintf(text, sizeof text, "%s%s%s%s%s", n ? ridge_framework_names[n->row.framework] : "", n ? " " : "",
                   n ? n->row.format->name : "", n ? ", " : "", what);
    r->request->progress(r->request->context, text, r->done, r->all);
}

/* ---- what is to be run ---- */

static const ridge_format *format_at(const running *r, size_t i)
{
    const ridge_formats *given = &r->request->bench->dtypes;
    return given->n > 0 ? given->items[i] : ridge_format_find(ridge_str_of("fp32"));
}

static size_t formats_of(const running *r)
{
    return r->request->bench->dtypes.n > 0 ? r->request->bench->dtypes.n : 1;
}

static ridge_status check_request(const running *r)
{
    const ridge_bench_request *q = r->request->bench;
    if (!q->kind && !q->model)
        return ridge_fail(r->err, RIDGE_USAGE, RIDGE_OPT("frameworks") " needs gemm, attention, layer or a MODEL");
    if (q->kind && q->model)
        return ridge_fail(r->err, RIDGE_USAGE, "%s and " RIDGE_OPT("model") ": give one of the two", q->kind);
    if (q->threads.count > 1)
        return ridge_fail(r->err, RIDGE_USAGE, RIDGE_OPT("threads") ": frameworks are compared with one number of threads");
    for (size_t i = 0; i < formats_of(r); i++) {
        const char *name = format_at(r, i)->name;
        if (strcmp(name, "fp32") != 0 && strcmp(name, "bf16") != 0)
            return ridge_fail(r->err, RIDGE_USAGE, RIDGE_OPT("dtype") ": frameworks are compared in fp32 and bf16, not in %s", name);
    }
    return RIDGE_OK;
}

/* the CPUs that a team of so many threads has, in its order */
static ridge_status choose_cpus(running *r)
{
    ridge_placement placement;
    ridge_buf text = {0};
    ridge_placement_read(&placement);
    r->out->cpus = ridge_placement_cpus();
    if (r->out->threads > placement.count)
        return ridge_fail(r->err, RIDGE_USAGE, RIDGE_OPT("threads") " %u: this process has %u CPU%s, and frameworks take one for a thread",
                          r->out->threads, placement.count, RIDGE_PLURAL(placement.count));
    for (unsigned i = 0; i < r->out->threads; i++)
        ridge_buf_addf(&text, "%s%u", i > 0 ? "," : "", placement.cpus[i]);
    r->cpus = ridge_arena_take(r->arena, &text);
    return r->cpus ? RIDGE_OK : ridge_no_memory(r->err);
}

/* All frameworks are there at once, each with its operands, a packed copy perhaps, and what lies between. */
static ridge_status check_memory(const running *r)
{
    const ridge_framework_task *t = &r->task;
    const double rows = (double)t->problem.batch * (double)t->problem.seq, result = (double)t->output_rows * (double)t->output_cols;
    const double between = t->what == RIDGE_FRAMEWORK_LAYER ? rows * (8.0 * (double)t->hidden + 4.0 * (double)t->intermediate) : 0;
    const double each = 2 * (double)t->bytes + sizeof(float) * (result + between), available = (double)ridge_memory_available();
    const double wanted = (double)t->bytes + (double)(r->request->options->choice.count * formats_of(r)) * each;
    if (wanted <= (available > 0 ? available : 0x1p44))
        return RIDGE_OK;
    return ridge_fail(r->err, RIDGE_NOMEM,
                      "the operands of %zu framework%s in %zu format%s want about %.3g GiB, and %.3g GiB are available",
                      r->request->options->choice.count, RIDGE_PLURAL(r->request->options->choice.count), formats_of(r),
                      RIDGE_PLURAL(formats_of(r)), wanted / (1 << 30), available / (1 << 30));
}

static ridge_status make_task(running *r)
{
    ridge_frameworks *out = r->out;
    const ridge_bench_request *q = r->request->bench;
    const bool model = ridge_framework_task_is_of_model(q);
    ridge_status st = model ? ridge_framework_task_model(&r->task, &out->layers, r->request, r->ops->registry, r->arena, r->err)
                            : ridge_framework_task_sizes(&r->task, r->request, r->err);
    if (st || (st = ridge_framework_task_tensors(&r->task, r->err)))
        return st;
    out->what = ridge_framework_whats[r->task.what];
    out->model = !model ? NULL : q->model ? q->model : q->kind;
    out->shape = ridge_framework_shape_text(&r->task, r->arena);
    out->shape_json = ridge_framework_shape_json(&r->task, r->arena);
    if ((st = check_memory(r)))
        return st;
    const size_t numbers = (size_t)r->task.output_rows * (size_t)r->task.output_cols;
    if (!out->shape || !out->shape_json || !(r->result = malloc(numbers * sizeof *r->result)))
        return ridge_no_memory(r->err);
    return RIDGE_OK;
}

static ridge_status make_runners(running *r)
{
    const ridge_framework_choice *choice = &r->request->options->choice;
    ridge_frameworks *out = r->out;
    const size_t formats = formats_of(r), most = choice->count * formats;
    r->runners = ridge_arena_array(r->arena, most + 1, sizeof *r->runners);
    out->rows = ridge_arena_array(r->arena, most + 1, sizeof *out->rows);
    out->right = ridge_arena_array(r->arena, most + 1, sizeof *out->right);
    out->wrong = ridge_arena_array(r->arena, most + 1, sizeof *out->wrong);
    out->joined = ridge_arena_array(r->arena, most + 1, sizeof *out->joined);
    out->absent = ridge_arena_array(r->arena, 2 * most + 1, sizeof *out->absent);
    out->versions = ridge_arena_array(r->arena, most + 1, sizeof *out->versions);
    out->verdicts = ridge_arena_array(r->arena, formats + 1, sizeof *out->verdicts);
    if (!r->runners || !out->rows || !out->right || !out->wrong || !out->joined || !out->absent || !out->versions || !out->verdicts)
        return ridge_no_memory(r->err);
    for (size_t f = 0; f < formats; f++)
        for (size_t i = 0; i < choice->count; i++) {
            runner *n = &r->runners[r->count++];
            *n = (runner){.helper = {.result = -1}};
            n->row = (ridge_framework_row){.framework = choice->items[i], .format = format_at(r, f)};
            n->row.row = ridge_measured_row_unknown();
            n->row.spread_percent = n->row.cpus = RIDGE_MEASURE_UNKNOWN;
            n->row.peak_bytes = -1;
            if (!(n->row.times = ridge_arena_array(r->arena, out->rounds, sizeof *n->row.times)))
                return ridge_no_memory(r->err);
        }
    return RIDGE_OK;
}

/* ---- the machine ---- */

static ridge_status make_machine(running *r)
{
    const ridge_bench_request *q = r->request->bench;
    ridge_bench_machine *machine;
    const ridge_bench_machine_options options = {.threads = &r->out->threads,
                                                 .thread_count = 1,
                                                 .budget_s = q->ceilings_budget_s > 0 ? q->ceilings_budget_s : 4,
                                                 .progress = r->request->progress,
                                                 .context = r->request->context};
    ridge_status st = ridge_bench_machine_make(&machine, &options, r->arena, r->err);
    r->out->machine = machine;
    return st;
}

static ridge_status predict(running *r, runner *n)
{
    ridge_measured_row *m = &n->row.row;
    ridge_framework_cost cost;
    ridge_status st = ridge_framework_cost_of(&cost, &r->task, n->row.format, &r->out->machine->rates[0].mixed[RIDGE_BENCH_READS], r->ops,
                                              r->arena, r->err);
    if (st)
        return st;
    m->kernel = r->out->what;
    m->provider = ridge_framework_names[n->row.framework];
    m->shape = r->out->shape_json;
    m->format = m->activations = n->row.format->name;
    m->threads = r->out->threads;
    m->cache = RIDGE_CACHE_HOT;
    m->flops = cost.flops;
    m->bytes = cost.bytes;
    m->predicted_s = ridge_compare_bound_s(cost.least);
    m->bound = ridge_compare_bound(cost.least);
    m->machine = r->out->machine->fingerprint;
    n->row.least = cost.least;
    return RIDGE_OK;
}

/* ---- who can, who is right ---- */

static void note_absent(running *r, const runner *n, bool whole, const char *reason)
{
    ridge_framework_absence *a = &r->out->absent[r->out->absent_count++];
    *a = (ridge_framework_absence){n->row.framework, whole ? NULL : n->row.format, ridge_arena_strdup(r->arena, ridge_str_of(reason))};
    if (!a->reason)
        a->reason = "";
}

/* whole: not there in any format */
static bool is_absent(const running *r, const runner *n)
{
    for (size_t i = 0; i < r->out->absent_count; i++)
        if (r->out->absent[i].framework == n->row.framework && !r->out->absent[i].format)
            return true;
    return false;
}

static void note_version(running *r, const runner *n)
{
    ridge_frameworks *out = r->out;
    for (size_t i = 0; i < out->version_count; i++)
        if (out->versions[i].framework == n->row.framework)
            return;
    const bool own = n->row.framework == RIDGE_FRAMEWORK_RIDGE;
    out->versions[out->version_count++] =
        (ridge_framework_version){n->row.framework, own ? RIDGE_VERSION : n->helper.version, own ? NULL : n->helper.python};
}

/* What a framework could not do is its own business; memory that ran out here, and Ctrl-C, are not. */
static ridge_status excuse(running *r, runner *n, ridge_status st, ridge_err *why)
{
    if (stopped())
        return RIDGE_OK;
    if (st == RIDGE_NOMEM && n->row.framework != RIDGE_FRAMEWORK_RIDGE)
        return ridge_no_memory(r->err);
    note_absent(r, n, n->helper.missing, why->msg[0] != '\0' ? why->msg : "it failed");
    ridge_framework_helper_end(&n->helper);
    return RIDGE_OK;
}

static void judge(running *r, runner *n, const ridge_framework_reference *reference)
{
    n->row.tolerance = ridge_framework_tolerance(&r->task, n->row.format);
    n->row.row.max_relative_error = ridge_framework_difference(reference, &r->task, r->result);
    n->row.right = n->ready = n->row.row.max_relative_error <= n->row.tolerance;
    if (!n->row.right)
        ridge_framework_helper_end(&n->helper);
}

static ridge_status begin_helper(running *r, runner *n, const ridge_framework_data *data, const ridge_framework_reference *reference)
{
    ridge_err why = {0};
    tell(r, "starting", n);
    ridge_status st = ridge_framework_helper_start(&n->helper, n->row.framework, n->row.format, data, r->request->script, r->cpus,
                                                   r->request->options->patience_s, r->arena, &why);
    if (!st)
        st = ridge_framework_helper_load(&n->helper, &r->task, &why);
    if (!st) {
        tell(r, "against the reference", n);
        st = ridge_framework_helper_run(r->result, &n->helper, &r->task, &why);
    }
    if (st)
        return excuse(r, n, st, &why);
    n->row.row.variant = n->helper.version;
    n->row.how = n->helper.how;
    n->row.fused = n->helper.fused;
    judge(r, n, reference);
    note_version(r, n);
    return RIDGE_OK;
}

/* its operands, packed copies and scratch, as they stand after a first run */
static ridge_status run_own(running *r, runner *n, ridge_err *why)
{
    ridge_team *team = NULL;
    ridge_status st = ridge_team_make(&team, r->out->threads, true, why);
    const ridge_work work = ridge_framework_own_work(n->own);
    if (!st)
        ridge_team_run(team, &work, 0);
    ridge_team_free(team);
    return st;
}

static ridge_status begin_own(running *r, runner *n, const ridge_framework_data *data, const ridge_framework_reference *reference)
{
    ridge_metrics_run run;
    ridge_metrics metrics;
    ridge_err why = {0};
    const char *variant = "";
    tell(r, "against the reference", n);
    ridge_metrics_begin(&run);
    ridge_status st = ridge_framework_own_make(&n->own, &variant, &r->task, n->row.format, data, r->out->threads, r->arena, &why);
    if (!st)
        st = run_own(r, n, &why);
    ridge_metrics_end(&metrics, &run);
    if (st)
        return excuse(r, n, st, &why);
    if (!ridge_framework_own_result(r->result, n->own))
        return ridge_fail(r->err, RIDGE_UNKNOWN, "nothing here reads %s", n->row.format->name);
    if (metrics.peak_is_of_run && metrics.peak_bytes >= run.before.current_bytes)
        n->row.peak_bytes = metrics.peak_bytes - run.before.current_bytes;
    n->row.row.variant = variant;
    n->row.fused = r->task.what != RIDGE_FRAMEWORK_GEMM;
    n->row.how = r->task.what == RIDGE_FRAMEWORK_GEMM ? "one kernel, its weights packed before"
                 : r->task.what == RIDGE_FRAMEWORK_ATTENTION
                     ? "one kernel, its scores in cache"
                     : "kernels one after the other, weights packed before; attention is one of them";
    judge(r, n, reference);
    note_version(r, n);
    return RIDGE_OK;
}

/* all rows of one format, on the same data */
static ridge_status begin_format(running *r, size_t first, size_t count)
{
    const ridge_format *f = r->runners[first].row.format;
    ridge_framework_data data;
    ridge_framework_reference reference;
    tell(r, "drawing operands", NULL);
    ridge_status st = ridge_framework_data_make(&data, &r->task, f, r->err);
    if (st)
        return st;
    tell(r, "the reference", NULL);
    if (!(st = ridge_framework_data_map(&data, r->err)))
        st = ridge_framework_reference_make(&reference, &r->task, &data, r->arena, r->err);
    ridge_framework_data_unmap(&data);
    for (size_t i = first; i < first + count && !st && !stopped(); i++) {
        runner *n = &r->runners[i];
        if ((st = predict(r, n)) || is_absent(r, n))
            continue;
        st = n->row.framework == RIDGE_FRAMEWORK_RIDGE ? begin_own(r, n, &data, &reference) : begin_helper(r, n, &data, &reference);
        r->done++;
    }
    ridge_framework_data_free(&data);
    return st && stopped() ? RIDGE_OK : st;
}

static ridge_status begin_all(running *r)
{
    const size_t each = r->request->options->choice.count;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < formats_of(r) && !st && !stopped(); i++)
        st = begin_format(r, i * each, each);
    return st;
}

/* "none of torch, jax can be run here: torch: not installed ..." */
static ridge_status check_some(const running *r)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < r->count; i++)
        if (r->runners[i].row.row.max_relative_error >= 0 || stopped())
            return RIDGE_OK;
    for (size_t i = 0; i < r->out->absent_count; i++)
        ridge_buf_addf(&text, "%s%s: %s", i > 0 ? "; " : "", ridge_framework_names[r->out->absent[i].framework], r->out->absent[i].reason);
    ridge_buf_addc(&text, '\0');
    ridge_status st = text.failed ? ridge_no_memory(r->err) : ridge_fail(r->err, RIDGE_UNKNOWN, "no framework runs this here: %s", text.p);
    ridge_buf_free(&text);
    return st;
}

/* ---- rounds ---- */

/* threads that wait for more work in the process that has just answered go to sleep first, or they take the next one's CPUs */
static void settle(void)
{
    const struct timespec moment = {.tv_nsec = 60 * 1000 * 1000};
    (void)nanosleep(&moment, NULL);
}

static ridge_status time_own(ridge_framework_timing *out, running *r, runner *n, double seconds)
{
    const ridge_measure_options options = {.budget_s = seconds, .threads = r->out->threads, .pinned = true};
    ridge_metrics_run run;
    ridge_metrics metrics;
    ridge_team *team = NULL;
    const ridge_work work = ridge_framework_own_work(n->own);
    ridge_status st = ridge_team_make(&team, r->out->threads, true, r->err);
    *out = (ridge_framework_timing){.peak_bytes = -1};
    ridge_metrics_begin(&run);
    if (!st)
        st = ridge_measure(&out->time, team, &work, &options, r->err);
    ridge_metrics_end(&metrics, &run);
    ridge_team_free(team);
    /* of the whole round: where some of it was disturbed, nobody knows how much of the waiting was Ridge's own */
    const bool calm = metrics.wall_s > 0 && out->time.kept > CALM * out->time.tried;
    out->cpus = calm ? metrics.cpu_s / metrics.wall_s : RIDGE_MEASURE_UNKNOWN;
    return st;
}

/* one round of one row */
static ridge_status time_one(running *r, runner *n)
{
    const double seconds = r->request->bench->budget_s / r->out->rounds;
    ridge_framework_timing timing;
    ridge_err why = {0};
    const bool own = n->own != NULL;
    ridge_status st = own ? time_own(&timing, r, n, seconds) : ridge_framework_helper_time(&timing, &n->helper, seconds, &why);
    if (st && own)
        return st;
    if (st) {
        n->ready = false;
        return excuse(r, n, st, &why);
    }
    if (own && timing.time.kept == 0 && stopped())
        return RIDGE_OK;
    n->row.times[n->row.rounds++] = timing.time;
    n->row.cpus = fmax(n->row.cpus, timing.cpus);
    if (timing.peak_bytes > n->row.peak_bytes)
        n->row.peak_bytes = timing.peak_bytes;
    return RIDGE_OK;
}

static ridge_status measure_all(running *r)
{
    ridge_status st = RIDGE_OK;
    for (unsigned round = 0; round < r->out->rounds && !st && !stopped(); round++) {
        r->out->rounds_begun = round + 1;
        for (size_t i = 0; i < r->count && !st && !stopped(); i++) {
            if (!r->runners[i].ready)
                continue;
            tell(r, "measuring", &r->runners[i]);
            settle();
            st = time_one(r, &r->runners[i]);
            r->done++;
        }
    }
    return st;
}

/* ---- the whole ---- */

static double expected_s(const running *r)
{
    const ridge_bench_request *q = r->request->bench;
    const double moments = 0.06 * (double)r->count * r->out->rounds, starts = 4 * (double)r->count;
    return (q->ceilings_budget_s > 0 ? q->ceilings_budget_s : 4) + (double)r->count * q->budget_s + moments + starts +
           (double)(r->task.bytes * formats_of(r)) * 4 / 0.2e9;
}

static void free_all(running *r)
{
    for (size_t i = 0; i < r->count; i++) {
        ridge_framework_helper_end(&r->runners[i].helper);
        ridge_framework_own_free(r->runners[i].own);
    }
    free(r->result);
}

static ridge_status prepare(running *r)
{
    const ridge_bench_request *q = r->request->bench;
    ridge_status st = check_request(r);
    r->out->threads = q->threads.count > 0 ? q->threads.counts[0] : 1;
    r->out->rounds = q->rounds > 0 ? (unsigned)q->rounds : RIDGE_FRAMEWORKS_ROUNDS;
    if (st || (st = choose_cpus(r)) || (st = make_task(r)) || (st = make_runners(r)))
        return st;
    r->all = r->count * (r->out->rounds + 1);
    if (r->request->estimate)
        r->request->estimate(r->request->context, expected_s(r));
    return RIDGE_OK;
}

/* rows as they were asked for; those that did not run are among the absent */
static void take_rows(running *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->runners[i].row.row.max_relative_error >= 0)
            r->out->rows[r->out->row_count++] = r->runners[i].row;
}

ridge_status ridge_frameworks_run(ridge_frameworks *out, const ridge_frameworks_request *request, ridge_ops *ops, ridge_arena *arena,
                                  ridge_err *err)
{
    ridge_err own = {0};
    running r = {.out = out, .request = request, .ops = ops, .arena = arena, .err = err ? err : &own};
    *out = (ridge_frameworks){.run = RIDGE_UNSET};
    ridge_status st = prepare(&r);
    if (!st && !(st = make_machine(&r)) && !stopped() && !(st = begin_all(&r)) && !(st = check_some(&r)))
        st = measure_all(&r);
    out->interrupted = stopped();
    if (!st) {
        take_rows(&r);
        st = ridge_frameworks_conclude(out, arena, r.err);
    }
    free_all(&r);
    return st;
}
