/* `ridge bench` as JSON and as a table (bench.h). */
#include "bench/bench.h"
#include "bench/compare.h"
#include "measure/statistics.h"

/* ---- JSON ---- */

void ridge_bench_row_json(ridge_json_writer *w, const ridge_bench_row *row)
{
    ridge_joined c;
    ridge_compare_row(&c, &row->row, row->seen);
    ridge_jw_object_compact(w);
    ridge_record_members(w, &ridge_measured_row_record, &row->row);
    ridge_joined_json_members(w, &c);
    ridge_jw_member_real(w, "theory_s", row->theory_s);
    ridge_jw_member_real(w, "memory_s", row->measured_ceilings.memory_s);
    ridge_jw_member_real(w, "compute_s", row->measured_ceilings.compute_s);
    ridge_jw_member_text(w, "memory_level", row->level);
    ridge_jw_member_real(w, "tolerance", row->tolerance);
    ridge_jw_member_whole(w, "packed_bytes", (ridge_int)row->packed_bytes);
    ridge_jw_member_whole(w, "places", (ridge_int)row->places);
    ridge_jw_key(w, "huge_pages");
    ridge_jw_bool(w, row->huge_pages);
    ridge_jw_member_text(w, "library", row->library);
    if (row->dense_flops > 0)
        ridge_jw_member_real(w, "dense_flops_per_s", row->dense_flops_per_s);
    ridge_jw_key(w, "rounds");
    ridge_jw_int(w, row->rounds);
    ridge_jw_key(w, "count");
    ridge_jw_int(w, row->of->count);
    ridge_jw_member_text(w, "where", row->of->where);
    ridge_jw_end_object(w);
}

static void failed_json(ridge_json_writer *w, const ridge_bench *b)
{
    ridge_jw_key(w, "failed");
    ridge_jw_array(w);
    for (size_t i = 0; i < b->failed_count; i++) {
        const ridge_problem *p = &b->failed[i].of->problem;
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "kernel", ridge_kernel_kind_names[p->kind]);
        ridge_jw_member_text(w, "shape", b->failed[i].shape);
        ridge_jw_member_text(w, "format", p->weights->name);
        ridge_jw_member_text(w, "reason", b->failed[i].why);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void wrong_json(ridge_json_writer *w, const ridge_bench *b)
{
    ridge_jw_key(w, "wrong");
    ridge_jw_array(w);
    for (size_t i = 0; i < b->row_count; i++) {
        const ridge_measured_row *m = &b->rows[i].row;
        if (b->rows[i].right)
            continue;
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "kernel", m->kernel);
        ridge_jw_member_text(w, "variant", m->variant);
        ridge_jw_member_text(w, "provider", m->provider);
        ridge_jw_key(w, "shape");
        ridge_jw_raw(w, ridge_str_of(m->shape));
        ridge_jw_member_text(w, "format", m->format);
        ridge_jw_key(w, "threads");
        ridge_jw_int(w, m->threads);
        ridge_jw_member_real(w, "max_relative_error", m->max_relative_error);
        ridge_jw_member_real(w, "tolerance", b->rows[i].tolerance);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

void ridge_bench_json(ridge_json_writer *w, const ridge_bench *b)
{
    ridge_bench_machine_json(w, b->machine);
    ridge_jw_key(w, "rows");
    ridge_jw_array(w);
    for (size_t i = 0; i < b->row_count; i++)
        if (b->rows[i].right)
            ridge_bench_row_json(w, &b->rows[i]);
    ridge_jw_end_array(w);
    wrong_json(w, b);
    failed_json(w, b);
    ridge_jw_member_whole(w, "cpus", (ridge_int)b->cpus);
    ridge_jw_key(w, "metrics");
    ridge_record_object(w, &ridge_metrics_record, &b->metrics, false);
    ridge_jw_member_whole(w, "planned", (ridge_int)b->planned);
    ridge_jw_member_whole(w, "unsupported", (ridge_int)b->unsupported_count);
    ridge_jw_key(w, "interrupted");
    ridge_jw_bool(w, b->interrupted);
    ridge_bench_totals_json(w, b);
}

/* ---- table ---- */

static const ridge_column columns[] = {
    {"kernel", "kernel", false},   {"variant", "variant", false},
    {"format", "format", false},   {"thr", "threads", true},
    {"", "cache", false},          {"time", "time_s", true},
    {"±", "spread", true},         {"GF/s", "flops_per_s", true},
    {"GB/s", "bytes_per_s", true}, {"%ceil", "percent_of_ceiling", true},
    {"pred", "predicted_s", true}, {"err", "error", true},
    {"bound", "bound", false},     {"kept", "kept", true},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* half the 95 % interval over the median, in percent; not known of too few undisturbed samples */
static double spread(const ridge_measured_row *m)
{
    if (m->time.kept < RIDGE_SAMPLES_OF_INTERVAL)
        return RIDGE_MEASURE_UNKNOWN;
    return 50 * (m->time.high_s - m->time.low_s) / m->time.median_s;
}

static const char *percent(ridge_arena *arena, double value)
{
    return value < 0 ? "-" : ridge_arena_printf(arena, value < 9.95 ? "%.1f%%" : "%.0f%%", value);
}

static const char *giga(ridge_arena *arena, double per_s)
{
    return per_s < 0 ? "-" : ridge_units_ratio(arena, per_s / 1e9);
}

static bool fill_text(const char **cells, const ridge_bench_row *row, ridge_arena *arena)
{
    const ridge_measured_row *m = &row->row;
    const char *const values[COLUMNS] = {
        ridge_arena_printf(arena, "%s %s", m->kernel, row->shape),
        strcmp(m->provider, "ridge") == 0 ? m->variant : ridge_arena_printf(arena, "%s %s", m->provider, m->variant),
        m->format,
        ridge_arena_printf(arena, "%u", m->threads),
        ridge_cache_state_names[m->cache],
        row->right ? ridge_units_seconds(arena, m->time.median_s) : "wrong",
        row->right ? percent(arena, spread(m)) : "",
        row->right ? giga(arena, m->flops_per_s) : "",
        row->right ? giga(arena, m->bytes_per_s) : "",
        row->right ? ridge_arena_printf(arena, "%s%s", percent(arena, m->percent_of_ceiling), m->beats_roofline ? "!" : "") : "",
        ridge_units_seconds(arena, m->predicted_s),
        row->right ? percent(arena, m->error < 0 ? m->error : 100 * m->error) : "",
        m->bound >= 0 ? ridge_side_names[m->bound] : "-",
        row->right ? ridge_arena_printf(arena, "%u/%u", m->time.kept, m->time.tried) : "",
    };
    for (unsigned c = 0; c < COLUMNS; c++)
        if (!(cells[c] = values[c]))
            return false;
    return true;
}

static const ridge_column csv_columns[] = {
    {"", "kernel", false},         {"", "variant", false},
    {"", "provider", false},       {"", "shape", false},
    {"", "format", false},         {"", "activations", false},
    {"", "threads", true},         {"", "cache", false},
    {"", "time_s", true},          {"", "low_s", true},
    {"", "high_s", true},          {"", "kept", true},
    {"", "tried", true},           {"", "flops", true},
    {"", "bytes", true},           {"", "flops_per_s", true},
    {"", "bytes_per_s", true},     {"", "percent_of_ceiling", true},
    {"", "predicted_s", true},     {"", "error", true},
    {"", "bound", false},          {"", "max_relative_error", true},
    {"", "beats_roofline", false}, {"", "machine", false},
};
enum { CSV_COLUMNS = sizeof csv_columns / sizeof *csv_columns };

/* what is not known is empty */
static const char *number(ridge_arena *arena, double value)
{
    return value < 0 ? "" : ridge_arena_printf(arena, "%.9g", value);
}

static const char *whole(ridge_arena *arena, ridge_int value)
{
    char text[RIDGE_INT_CHARS];
    ridge_int_print(text, value);
    return value < 0 ? "" : ridge_arena_strdup(arena, ridge_str_of(text));
}

static bool fill_csv(const char **cells, const ridge_bench_row *row, ridge_arena *a)
{
    const ridge_measured_row *m = &row->row;
    const char *const values[CSV_COLUMNS] = {
        m->kernel,
        m->variant,
        m->provider,
        m->shape,
        m->format,
        m->activations,
        whole(a, m->threads),
        ridge_cache_state_names[m->cache],
        number(a, m->time.median_s),
        number(a, m->time.low_s),
        number(a, m->time.high_s),
        whole(a, m->time.kept),
        whole(a, m->time.tried),
        whole(a, m->flops),
        whole(a, m->bytes),
        number(a, m->flops_per_s),
        number(a, m->bytes_per_s),
        number(a, m->percent_of_ceiling),
        number(a, m->predicted_s),
        number(a, m->error),
        m->bound >= 0 ? ridge_side_names[m->bound] : "",
        number(a, m->max_relative_error),
        m->beats_roofline ? "true" : "false",
        m->machine,
    };
    for (unsigned c = 0; c < CSV_COLUMNS; c++)
        if (!(cells[c] = values[c]))
            return false;
    return true;
}

ridge_status ridge_bench_table(ridge_buf *out, const ridge_bench *b, ridge_form style, int width, ridge_arena *arena, ridge_err *err)
{
    const bool csv = style == RIDGE_FORM_CSV;
    ridge_table t;
    ridge_table_init(&t, arena, csv ? csv_columns : columns, csv ? CSV_COLUMNS : COLUMNS);
    for (size_t i = 0; i < b->row_count; i++) {
        if (csv && !b->rows[i].right)
            continue;
        const char **cells = ridge_table_row(&t);
        if (!cells || !(csv ? fill_csv : fill_text)(cells, &b->rows[i], arena))
            return ridge_no_memory(err);
    }
    ridge_table_render(out, &t, style, width);
    return RIDGE_OK;
}

/* ---- below it ---- */

static void remark_of(ridge_buf *out, const ridge_bench_row *row)
{
    const ridge_measured_row *m = &row->row;
    if (!row->right) {
        ridge_buf_addf(out, "wrong: %s %s, %s in %s is off by %.3g of the result's scale (at most %.3g is right); it was not timed\n",
                       m->kernel, row->shape, m->variant, m->format, m->max_relative_error, row->tolerance);
        return;
    }
    if (row->dense_flops_per_s > 0)
        ridge_buf_addf(out, "%s %s, %s: %.4g GFLOP/s if masked pairs counted too\n", m->kernel, row->shape, m->variant,
                       row->dense_flops_per_s / 1e9);
    if (m->beats_roofline)
        ridge_buf_addf(out, "%s %s, %s in %s is faster than its ceiling (%.4g %%): a ceiling or a byte count is wrong there\n", m->kernel,
                       row->shape, m->variant, m->format, m->percent_of_ceiling);
}

/* how many rows read a copy of the weights that their variant packed, and the largest against the bytes that count */
static void packed_remark(ridge_buf *out, const ridge_bench *b)
{
    size_t rows = 0;
    double most = 0;
    for (size_t i = 0; i < b->row_count; i++) {
        const ridge_bench_row *row = &b->rows[i];
        if (!row->right || row->packed_bytes == 0 || row->row.bytes <= 0)
            continue;
        double ratio = (double)row->packed_bytes / ridge_rational_double(ridge_rational_of(row->row.bytes));
        most = ratio > most ? ratio : most;
        rows++;
    }
    if (rows > 0)
        ridge_buf_addf(out,
                       "%zu row%s a packed copy of the weights, at most %.2f times all the bytes that are counted: those of the format\n",
                       rows, rows == 1 ? " reads" : "s read", most);
}

static void disturbed_remark(ridge_buf *out, const ridge_bench *b)
{
    size_t rows = 0;
    for (size_t i = 0; i < b->row_count; i++)
        rows += b->rows[i].right && b->rows[i].row.time.kept == 0;
    if (rows > 0)
        ridge_buf_addf(out, "%zu row%s no undisturbed sample: something else runs here\n", rows, rows == 1 ? " has" : "s have");
}

static bool same_formats(const ridge_problem *a, const ridge_problem *b)
{
    return a->kind == b->kind && a->weights == b->weights && a->activations == b->activations;
}

/* once for all cases of a kind and its formats */
static void left_out_remark(ridge_buf *out, const ridge_bench *b, size_t at)
{
    const ridge_problem *p = &b->unsupported[at]->problem;
    size_t count = 0;
    for (size_t i = 0; i < b->unsupported_count; i++) {
        if (!same_formats(p, &b->unsupported[i]->problem))
            continue;
        if (i < at)
            return;
        count++;
    }
    ridge_buf_addf(out, "left out: %zu %s with %s and activations in %s, which no kernel here does\n", count,
                   ridge_kernel_kind_names[p->kind], p->weights->name, p->activations->name);
}

/* once for all rows that a library computed alike */
static void library_remark(ridge_buf *out, const ridge_bench *b, size_t at)
{
    const ridge_bench_row *row = &b->rows[at];
    for (size_t i = 0; i < at && row->library; i++)
        if (b->rows[i].library && strcmp(b->rows[i].library, row->library) == 0)
            return;
    if (row->library)
        ridge_buf_addf(out, "%s: %s\n", row->row.provider, row->library);
}

/* what the run took of the machine */
static void metrics_remark(ridge_buf *out, const ridge_metrics *m)
{
    ridge_buf_addf(out, "the run: %.3g s, %.3g s of CPU time, at most %.4g MiB resident, %lld preemptions, %lld page faults; ", m->wall_s,
                   m->user_s + m->system_s, (double)m->peak_bytes / 1048576, (long long)m->involuntary_switches,
                   (long long)(m->minor_faults + m->major_faults));
    if (m->counters[RIDGE_COUNTER_CYCLES] > 0)
        ridge_buf_addf(out, "%.2f instructions per cycle\n",
                       (double)m->counters[RIDGE_COUNTER_INSTRUCTIONS] / (double)m->counters[RIDGE_COUNTER_CYCLES]);
    else
        ridge_buf_addf(out, "no hardware counters: %s\n", m->reason);
}

void ridge_bench_remarks(ridge_buf *out, const ridge_bench *b)
{
    for (size_t i = 0; i < b->row_count; i++)
        remark_of(out, &b->rows[i]);
    for (size_t i = 0; i < b->row_count; i++)
        library_remark(out, b, i);
    packed_remark(out, b);
    disturbed_remark(out, b);
    for (size_t i = 0; i < b->unsupported_count; i++)
        left_out_remark(out, b, i);
    for (size_t i = 0; i < b->failed_count; i++)
        ridge_buf_addf(out, "not measured to the end: %s %s in %s: %s\n", ridge_kernel_kind_names[b->failed[i].of->problem.kind],
                       b->failed[i].shape, b->failed[i].of->problem.weights->name, b->failed[i].why ? b->failed[i].why : "out of memory");
    metrics_remark(out, &b->metrics);
    if (b->interrupted)
        ridge_buf_addf(out, "interrupted: %zu of %zu rows, in round %u of %u\n", b->row_count, b->planned, b->rounds_begun, b->rounds);
}

/* ---- a model's pass ---- */

typedef struct total {
    double measured_s, predicted_s, calls;
    bool complete; /* every row is right and predicted */
} total;

/* of the first row of each case with so many threads: the best variant */
static bool total_of(total *out, const ridge_bench *b, unsigned threads)
{
    const ridge_bench_case *last = NULL;
    *out = (total){.complete = !b->interrupted && b->unsupported_count == 0 && b->failed_count == 0};
    for (size_t i = 0; i < b->row_count; i++) {
        const ridge_bench_row *row = &b->rows[i];
        double calls = ridge_rational_double(ridge_rational_of(row->of->count));
        if (row->row.threads != threads || !row->of->where || row->of == last)
            continue;
        last = row->of;
        out->complete = out->complete && row->right && row->row.predicted_s >= 0;
        out->measured_s += calls * row->row.time.median_s;
        out->predicted_s += calls * row->row.predicted_s;
        out->calls += calls;
    }
    return last;
}

void ridge_bench_totals(ridge_buf *out, const ridge_bench *b, ridge_arena *arena)
{
    total t;
    for (size_t i = 0; i < b->machine->rate_count; i++)
        if (total_of(&t, b, b->machine->rates[i].threads) && t.complete)
            ridge_buf_addf(out, "%.0f calls of these with %u thread%s: %s measured, %s predicted\n", t.calls, b->machine->rates[i].threads,
                           b->machine->rates[i].threads == 1 ? "" : "s", ridge_units_seconds(arena, t.measured_s),
                           ridge_units_seconds(arena, t.predicted_s));
}

void ridge_bench_totals_json(ridge_json_writer *w, const ridge_bench *b)
{
    total t;
    ridge_jw_key(w, "totals");
    ridge_jw_array(w);
    for (size_t i = 0; i < b->machine->rate_count; i++) {
        if (!total_of(&t, b, b->machine->rates[i].threads) || !t.complete)
            continue;
        ridge_jw_object_compact(w);
        ridge_jw_key(w, "threads");
        ridge_jw_int(w, b->machine->rates[i].threads);
        ridge_jw_key(w, "calls");
        ridge_jw_double(w, t.calls);
        ridge_jw_member_real(w, "measured_s", t.measured_s);
        ridge_jw_member_real(w, "predicted_s", t.predicted_s);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}
