/* How `ridge bench` is told: records of its rows and of the whole, and lines below the table (bench.h). */
#include "bench/bench.h"

#define ROW     ridge_bench_row
#define SECONDS .unit = RIDGE_UNIT_SECONDS
#define PERCENT .unit = RIDGE_UNIT_PERCENT

/* ---- cells ---- */

static const char *kernel_text(ridge_arena *arena, const void *row)
{
    return ridge_arena_printf(arena, "%s %s", ((const ROW *)row)->row.kernel, ((const ROW *)row)->shape);
}

static const char *variant_text(ridge_arena *arena, const void *row)
{
    const ridge_measured_row *m = &((const ROW *)row)->row;
    return strcmp(m->provider, "ridge") == 0 ? m->variant : ridge_arena_printf(arena, "%s %s", m->provider, m->variant);
}

static const char *time_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    return r->right ? ridge_units_seconds(arena, r->row.time.median_s) : "wrong";
}

static const char *ceiling_text(ridge_arena *arena, const void *row)
{
    const ridge_measured_row *m = &((const ROW *)row)->row;
    return ridge_arena_printf(arena, "%s%s", ridge_units_percent(arena, m->percent_of_ceiling), m->beats_roofline ? "!" : "");
}

static const char *kept_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    return r->right ? ridge_arena_printf(arena, "%u/%u", r->row.time.kept, r->row.time.tried) : "-";
}

/* ---- a row ---- */

#define CASE ridge_bench_case
static const ridge_record_field case_fields[] = {
    RIDGE_R_COUNT(CASE, count, "count", NULL, RIDGE_IN_JSON, "calls in a pass of the model; 1"),
    RIDGE_R_TEXT(CASE, where, "where", NULL, RIDGE_IN_JSON, "rows of the model that run it"),
};
static const ridge_record case_record = RIDGE_RECORD(CASE, "case", case_fields, "what of a model runs the kernel");

static const ridge_record_field row_fields[] = {
    {.key = "joined",
     .kind = RIDGE_RECORD_MEMBERS,
     .shown = RIDGE_IN_JSON,
     .offset = offsetof(ROW, joined),
     .record = &ridge_joined_record},
    {.key = "row", .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_CSV, .offset = offsetof(ROW, row), .record = &ridge_measured_row_record},
    RIDGE_R_REAL(ROW, theory_s, "theory_s", NULL, RIDGE_IN_JSON, "predicted from the machine as detected", SECONDS),
    RIDGE_R_REAL(ROW, measured_ceilings.memory_s, "memory_s", NULL, RIDGE_IN_JSON, "what memory alone would take, as predicted", SECONDS),
    RIDGE_R_REAL(ROW, measured_ceilings.compute_s, "compute_s", NULL, RIDGE_IN_JSON, "what arithmetic alone would take", SECONDS),
    RIDGE_R_TEXT(ROW, level, "memory_level", NULL, RIDGE_IN_JSON, "where operands are predicted to come from"),
    RIDGE_R_REAL(ROW, tolerance, "tolerance", NULL, RIDGE_IN_JSON, "the most that max_relative_error may be"),
    RIDGE_R_SIZE(ROW, packed_bytes, "packed_bytes", NULL, RIDGE_IN_JSON, "a copy that is read in place of the weights; 0: none",
                 .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_UNSIGNED(ROW, places, "places", NULL, RIDGE_IN_JSON, "copies of the large operand that a cold run goes through"),
    RIDGE_R_BOOL(ROW, huge_pages, "huge_pages", NULL, RIDGE_IN_JSON, "operands lie in huge pages"),
    RIDGE_R_TEXT(ROW, library, "library", NULL, RIDGE_IN_JSON, "what computed it where Ridge did not"),
    RIDGE_R_REAL(ROW, dense_flops_per_s, "dense_flops_per_s", NULL, RIDGE_IN_JSON, "attention: the rate if masked pairs counted",
                 .unit = RIDGE_UNIT_FLOPS_PER_S, RIDGE_WHERE(ROW, dense_flops)),
    RIDGE_R_UNSIGNED(ROW, rounds, "rounds", NULL, RIDGE_IN_JSON, "rounds that its times are of"),
    RIDGE_R_THROUGH(ROW, of, &case_record, RIDGE_IN_ALL),

    RIDGE_R_TEXT(ROW, shape, "kernel", NULL, RIDGE_IN_TABLES, "kernel and sizes", .text = kernel_text),
    RIDGE_R_TEXT(ROW, row.variant, "variant", NULL, RIDGE_IN_TABLES, "the implementation", .text = variant_text),
    RIDGE_R_TEXT(ROW, row.format, "format", NULL, RIDGE_IN_TABLES, "number format of the weights"),
    RIDGE_R_UNSIGNED(ROW, row.threads, "threads", "thr", RIDGE_IN_TABLES, "threads"),
    RIDGE_R_WORD(ROW, row.cache, ridge_cache_state_names, "cache", "", RIDGE_IN_TABLES, "where the operands were"),
    RIDGE_R_REAL(ROW, row.time.median_s, "time", NULL, RIDGE_IN_TABLES, "the median", .text = time_text),
    RIDGE_R_REAL(ROW, spread_percent, "spread", "±%", RIDGE_IN_TABLES, "half the 95 % interval", PERCENT),
    RIDGE_R_REAL(ROW, row.flops_per_s, "flops_per_s", "FLOP/s", RIDGE_IN_TABLES, "FLOPs over the time", .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_REAL(ROW, row.bytes_per_s, "bytes_per_s", "B/s", RIDGE_IN_TABLES, "bytes over the time", .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_REAL(ROW, row.percent_of_ceiling, "ceiling", "%ceil", RIDGE_IN_TABLES, "how much of its ceiling is reached",
                 .text = ceiling_text),
    RIDGE_R_REAL(ROW, row.predicted_s, "pred", NULL, RIDGE_IN_TABLES, "the least time by measured ceilings", SECONDS),
    RIDGE_R_REAL(ROW, row.error, "err", "err%", RIDGE_IN_TABLES, "|predicted - measured| / measured", .unit = RIDGE_UNIT_SHARE),
    RIDGE_R_WORD(ROW, row.bound, ridge_side_names, "bound", NULL, RIDGE_IN_TABLES, "the side that bounds it, as predicted"),
    RIDGE_R_UNSIGNED(ROW, row.time.kept, "kept", NULL, RIDGE_IN_TABLES, "samples kept / tried", .text = kept_text),
};
const ridge_record ridge_bench_row_record = RIDGE_RECORD(ROW, "benchmark", row_fields, "a kernel, timed beside its ceilings");

/* ---- the whole ---- */

static const ridge_record_field problem_fields[] = {
    RIDGE_R_WORD(CASE, problem.kind, ridge_kernel_kind_names, "kernel", NULL, RIDGE_IN_JSON, "the kind of kernel"),
    RIDGE_R_FORMAT(CASE, problem.weights, "format", NULL, RIDGE_IN_JSON, "number format of the weights"),
};
static const ridge_record problem_record = RIDGE_RECORD(CASE, "problem", problem_fields, "what was to be measured");

#define FAILURE ridge_bench_failure
static const ridge_record_field failure_fields[] = {
    RIDGE_R_THROUGH(FAILURE, of, &problem_record, RIDGE_IN_ALL),
    RIDGE_R_TEXT(FAILURE, shape, "shape", NULL, RIDGE_IN_JSON, "its sizes in words"),
    RIDGE_R_TEXT(FAILURE, why, "reason", NULL, RIDGE_IN_JSON, "why it could not be measured"),
};
static const ridge_record failure_record = RIDGE_RECORD(FAILURE, "failure", failure_fields, "what could not be measured");

#define TOTAL ridge_bench_total
static const ridge_record_field total_fields[] = {
    RIDGE_R_UNSIGNED(TOTAL, threads, "threads", NULL, RIDGE_IN_JSON, "threads"),
    RIDGE_R_REAL(TOTAL, calls, "calls", NULL, RIDGE_IN_JSON, "calls of all kernels in a pass, or in a layer"),
    RIDGE_R_REAL(TOTAL, measured_s, "measured_s", NULL, RIDGE_IN_JSON, "what they take together", SECONDS),
    RIDGE_R_REAL(TOTAL, predicted_s, "predicted_s", NULL, RIDGE_IN_JSON, "... as predicted", SECONDS),
};
static const ridge_record total_record = RIDGE_RECORD(TOTAL, "total", total_fields, "a pass of a model");

#define BENCH ridge_bench
static const ridge_record_field fields[] = {
    RIDGE_R_THROUGH(BENCH, machine, &ridge_bench_machine_record, RIDGE_IN_ALL),
    RIDGE_R_LIST(BENCH, right, timed, &ridge_bench_row_record, "rows", RIDGE_IN_JSON, "the kernels that were timed"),
    RIDGE_R_LIST(BENCH, wrong, wrong_count, &ridge_bench_row_record, "wrong", RIDGE_IN_JSON, "those that were not: wrong results"),
    RIDGE_R_LIST(BENCH, failed, failed_count, &failure_record, "failed", RIDGE_IN_JSON, "what could not be measured"),
    RIDGE_R_UNSIGNED(BENCH, cpus, "cpus", NULL, RIDGE_IN_JSON, "CPUs that the process may use"),
    RIDGE_R_IN(BENCH, metrics, &ridge_metrics_record, "metrics", RIDGE_IN_JSON, "what the run took of the machine"),
    RIDGE_R_SIZE(BENCH, planned, "planned", NULL, RIDGE_IN_JSON, "rows there were to be"),
    RIDGE_R_SIZE(BENCH, unsupported, "unsupported", NULL, RIDGE_IN_JSON, "cases that no kernel here takes"),
    RIDGE_R_TEXTS(BENCH, slow, "slow_formats", NULL, RIDGE_IN_JSON, "formats that only plain C takes here: left out of all formats"),
    RIDGE_R_BOOL(BENCH, interrupted, "interrupted", NULL, RIDGE_IN_JSON, "Ctrl-C ended it"),
    RIDGE_R_LIST(BENCH, totals, total_count, &total_record, "totals", RIDGE_IN_JSON, "a model's pass, for each number of threads"),
    RIDGE_R_WHOLE(BENCH, run, "run", NULL, RIDGE_IN_JSON, "its number in the store"),
};
const ridge_record ridge_bench_record = RIDGE_RECORD(BENCH, "ridge bench", fields, "kernels timed on this machine");

/* ---- below the table ---- */

static void remark_of(ridge_buf *out, const ridge_bench_row *row, ridge_arena *arena)
{
    const ridge_measured_row *m = &row->row;
    if (!row->right) {
        ridge_buf_addf(out, "wrong: %s %s, %s in %s is off by %.3g of the result's scale (at most %.3g is right); it was not timed\n",
                       m->kernel, row->shape, m->variant, m->format, m->max_relative_error, row->tolerance);
        return;
    }
    if (row->dense_flops_per_s > 0)
        ridge_buf_addf(out, "%s %s, %s: %s if masked pairs counted too\n", m->kernel, row->shape, m->variant,
                       ridge_units_scaled(arena, row->dense_flops_per_s, "FLOP/s"));
    if (m->beats_roofline)
        ridge_buf_addf(out, "%s %s, %s in %s is faster than its ceiling (%s %%): a ceiling or a byte count is wrong there\n", m->kernel,
                       row->shape, m->variant, m->format, ridge_units_percent(arena, m->percent_of_ceiling));
}

/* what the run took of the machine */
static void metrics_remark(ridge_buf *out, const ridge_metrics *m, ridge_arena *arena)
{
    ridge_buf_addf(out, "the run: %s, %s of CPU time, at most %s resident, %lld preemptions, %lld page faults; ",
                   ridge_units_seconds(arena, m->wall_s), ridge_units_seconds(arena, m->cpu_s), ridge_units_bytes(arena, m->peak_bytes),
                   (long long)m->involuntary_switches, (long long)m->page_faults);
    if (m->instructions_per_cycle >= 0)
        ridge_buf_addf(out, "%s instructions per cycle\n", ridge_units_ratio(arena, m->instructions_per_cycle));
    else
        ridge_buf_addf(out, "no hardware counters: %s\n", m->reason);
}

static void total_remark(ridge_buf *out, const ridge_bench_total *total, ridge_arena *arena)
{
    ridge_buf_addf(out, "%.0f calls of these with %u thread%s: %s measured, %s predicted\n", total->calls, total->threads,
                   RIDGE_PLURAL(total->threads), ridge_units_seconds(arena, total->measured_s),
                   ridge_units_seconds(arena, total->predicted_s));
}

/* of all rows together */
static void rows_remarks(ridge_buf *out, const ridge_bench *b, ridge_arena *arena)
{
    for (size_t i = 0; i < b->library_count; i++)
        ridge_buf_addf(out, "%s: %s\n", b->libraries[i].provider, b->libraries[i].name);
    if (b->packed_rows > 0)
        ridge_buf_addf(out,
                       "%zu row%s a packed copy of the weights, at most %s times all the bytes that are counted: those of the format\n",
                       b->packed_rows, b->packed_rows == 1 ? " reads" : "s read", ridge_units_ratio(arena, b->packed_ratio));
    if (b->disturbed_rows > 0)
        ridge_buf_addf(out, "%zu row%s no undisturbed sample: something else runs here\n", b->disturbed_rows,
                       b->disturbed_rows == 1 ? " has" : "s have");
}

static void left_out_remark(ridge_buf *out, const ridge_bench_left_out *l)
{
    ridge_buf_addf(out, "left out: %zu %s with %s and activations in %s, which no kernel here does\n", l->cases,
                   ridge_kernel_kind_names[l->kind], l->weights->name, l->activations->name);
}

static void slow_remark(ridge_buf *out, const ridge_words *slow)
{
    for (size_t i = 0; i < slow->count; i++)
        ridge_buf_addf(out, "%s%s", i == 0 ? "left out, since only plain C has them here: " : ", ", slow->items[i]);
    if (slow->count > 0)
        ridge_buf_addf(out, " (--dtype NAME measures one, --variant generic all, in minutes)\n");
}

static void failure_remark(ridge_buf *out, const ridge_bench_failure *f)
{
    ridge_buf_addf(out, "not measured to the end: %s %s in %s: %s\n", ridge_kernel_kind_names[f->of->problem.kind], f->shape,
                   f->of->problem.weights->name, f->why ? f->why : "out of memory");
}

void ridge_bench_remarks(ridge_buf *out, const ridge_bench *b, ridge_arena *arena)
{
    for (size_t i = 0; i < b->row_count; i++)
        remark_of(out, &b->rows[i], arena);
    rows_remarks(out, b, arena);
    for (size_t i = 0; i < b->left_out_count; i++)
        left_out_remark(out, &b->left_out[i]);
    slow_remark(out, &b->slow);
    for (size_t i = 0; i < b->failed_count; i++)
        failure_remark(out, &b->failed[i]);
    metrics_remark(out, &b->metrics, arena);
    if (b->interrupted)
        ridge_buf_addf(out, "interrupted: %zu of %zu rows, in round %u of %u\n", b->row_count, b->planned, b->rounds_begun, b->rounds);
    for (size_t i = 0; i < b->total_count; i++)
        total_remark(out, &b->totals[i], arena);
}
