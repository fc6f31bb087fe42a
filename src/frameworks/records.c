/* How frameworks side by side are told: records, lines around the table, the picture (frameworks.h). */
#include "frameworks/frameworks.h"

#define ROW     ridge_framework_row
#define SECONDS .unit = RIDGE_UNIT_SECONDS
#define PERCENT .unit = RIDGE_UNIT_PERCENT
#define RATIO   .unit = RIDGE_UNIT_RATIO

/* ---- cells ---- */

static const char *time_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    return !r->right ? "wrong" : r->rounds == 0 ? "-" : ridge_units_seconds(arena, r->row.time.median_s);
}

static const char *ceiling_text(ridge_arena *arena, const void *row)
{
    const ridge_measured_row *m = &((const ROW *)row)->row;
    return ridge_arena_printf(arena, "%s%s", ridge_units_percent(arena, m->percent_of_ceiling), m->beats_roofline ? "!" : "");
}

static const char *kept_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    return r->rounds > 0 ? ridge_arena_printf(arena, "%u/%u", r->row.time.kept, r->row.time.tried) : "-";
}

static const char *slower_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    return r->rounds > 0 && r->right ? ridge_arena_printf(arena, "%.3g", r->slower.value) : "-";
}

static const char *cpus_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    return r->cpus >= 0 ? ridge_arena_printf(arena, "%.1f", r->cpus) : "-";
}

/* ---- a row ---- */

static const ridge_record_field row_fields[] = {
    {.key = "joined",
     .kind = RIDGE_RECORD_MEMBERS,
     .shown = RIDGE_IN_JSON,
     .offset = offsetof(ROW, joined),
     .record = &ridge_joined_record},
    {.key = "row", .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_CSV, .offset = offsetof(ROW, row), .record = &ridge_measured_row_record},
    RIDGE_R_BOOL(ROW, right, "right", NULL, RIDGE_IN_DATA, "it agrees with the reference; else it was not timed"),
    RIDGE_R_REAL(ROW, tolerance, "tolerance", NULL, RIDGE_IN_DATA, "the most that max_relative_error may be"),
    RIDGE_R_REAL(ROW, least.memory_s, "memory_s", NULL, RIDGE_IN_JSON, "what memory alone would take, by the ceilings", SECONDS),
    RIDGE_R_REAL(ROW, least.compute_s, "compute_s", NULL, RIDGE_IN_JSON, "what arithmetic alone would take", SECONDS),
    RIDGE_R_WHOLE(ROW, peak_bytes, "peak_bytes", NULL, RIDGE_IN_DATA,
                  "highest resident set with operands and results, less what the framework itself takes", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_REAL(ROW, cpus, "busy_cpus", NULL, RIDGE_IN_DATA,
                 "CPU time of all its threads over the time, in undisturbed samples; waiting in a loop counts"),
    RIDGE_R_BOOL(ROW, fused, "fused", NULL, RIDGE_IN_DATA, "attention that does not write its scores out"),
    RIDGE_R_TEXT(ROW, how, "how", NULL, RIDGE_IN_DATA, "what was run"),
    RIDGE_R_UNSIGNED(ROW, rounds, "rounds", NULL, RIDGE_IN_DATA, "rounds that its times are of"),
    RIDGE_R_REAL(ROW, slower.value, "times_fastest", NULL, RIDGE_IN_DATA, "its time over the fastest's of its format, in the same rounds",
                 RATIO),
    RIDGE_R_REAL(ROW, slower.low, "times_fastest_low", NULL, RIDGE_IN_DATA, "where the 95 % interval of that begins", RATIO),
    RIDGE_R_REAL(ROW, slower.high, "times_fastest_high", NULL, RIDGE_IN_DATA, "where it ends", RATIO),
    RIDGE_R_TEXT(ROW, why, "why", NULL, RIDGE_IN_DATA, "why it is slower, as far as this run shows"),

    RIDGE_R_WORD(ROW, framework, ridge_framework_names, "framework", NULL, RIDGE_IN_TABLES, "whose result it is"),
    RIDGE_R_TEXT(ROW, row.variant, "version", NULL, RIDGE_IN_TABLES, "its version; of Ridge the kernel"),
    RIDGE_R_FORMAT(ROW, format, "format", NULL, RIDGE_IN_TABLES, "number format of everything"),
    RIDGE_R_REAL(ROW, row.time.median_s, "time", NULL, RIDGE_IN_TABLES, "the median", .text = time_text),
    RIDGE_R_REAL(ROW, spread_percent, "spread", "±%", RIDGE_IN_TABLES, "half the 95 % interval", PERCENT),
    RIDGE_R_REAL(ROW, slower.value, "times", "x fastest", RIDGE_IN_TABLES, "its time over the fastest's", .text = slower_text),
    RIDGE_R_REAL(ROW, row.flops_per_s, "flops_per_s", "FLOP/s", RIDGE_IN_TABLES, "FLOPs over the time", .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_REAL(ROW, row.percent_of_ceiling, "ceiling", "%ceil", RIDGE_IN_TABLES, "how much of its ceiling is reached",
                 .text = ceiling_text),
    RIDGE_R_WORD(ROW, row.bound, ridge_side_names, "bound", NULL, RIDGE_IN_TABLES, "the side that bounds it, as predicted"),
    RIDGE_R_WHOLE(ROW, peak_bytes, "memory", NULL, RIDGE_IN_TABLES, "operands, results and what lies between", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_REAL(ROW, cpus, "cpus", "CPUs", RIDGE_IN_TABLES, "CPU time over the time", .text = cpus_text),
    RIDGE_R_UNSIGNED(ROW, row.time.kept, "samples", "kept", RIDGE_IN_TABLES, "samples kept / tried", .text = kept_text, .minor = true),
};
const ridge_record ridge_framework_row_record = RIDGE_RECORD(ROW, "framework", row_fields, "a framework in one format");

/* ---- the whole ---- */

#define ABSENCE ridge_framework_absence
static const ridge_record_field absence_fields[] = {
    RIDGE_R_WORD(ABSENCE, framework, ridge_framework_names, "framework", NULL, RIDGE_IN_JSON, "which"),
    RIDGE_R_FORMAT(ABSENCE, format, "format", NULL, RIDGE_IN_JSON, "in which format; null: in none"),
    RIDGE_R_TEXT(ABSENCE, reason, "reason", NULL, RIDGE_IN_JSON, "why"),
};
static const ridge_record absence_record = RIDGE_RECORD(ABSENCE, "absence", absence_fields, "what did not run, or not to the end");

#define VERSION ridge_framework_version
static const ridge_record_field version_fields[] = {
    RIDGE_R_WORD(VERSION, framework, ridge_framework_names, "framework", NULL, RIDGE_IN_JSON, "which"),
    RIDGE_R_TEXT(VERSION, version, "version", NULL, RIDGE_IN_JSON, "as it tells"),
    RIDGE_R_TEXT(VERSION, python, "python", NULL, RIDGE_IN_JSON, "what it ran in; null: Ridge itself"),
};
static const ridge_record version_record = RIDGE_RECORD(VERSION, "version", version_fields, "a framework that ran");

#define VERDICT ridge_framework_verdict
static const ridge_record_field verdict_fields[] = {
    RIDGE_R_FORMAT(VERDICT, format, "format", NULL, RIDGE_IN_JSON, "number format"),
    RIDGE_R_TEXT(VERDICT, winner, "winner", NULL, RIDGE_IN_JSON, "who is faster than each of the others, sure to 95 %; null: nobody is"),
    RIDGE_R_TEXT(VERDICT, sentence, "sentence", NULL, RIDGE_IN_JSON, "that, and why"),
};
static const ridge_record verdict_record = RIDGE_RECORD(VERDICT, "verdict", verdict_fields, "who wins");

#define ALL ridge_frameworks
static const ridge_record_field fields[] = {
    RIDGE_R_THROUGH(ALL, machine, &ridge_bench_machine_record, RIDGE_IN_ALL),
    RIDGE_R_TEXT(ALL, what, "what", NULL, RIDGE_IN_JSON, "gemm, attention or layer"),
    RIDGE_R_TEXT(ALL, model, "model", NULL, RIDGE_IN_JSON, "whose layer it is; null: of none"),
    RIDGE_R_WHOLE(ALL, layers, "layers", NULL, RIDGE_IN_JSON, "layers like it that the model has; 0: no model"),
    RIDGE_R_UNSIGNED(ALL, threads, "threads", NULL, RIDGE_IN_JSON, "threads of each, on the same CPUs"),
    RIDGE_R_UNSIGNED(ALL, cpus, "cpus", NULL, RIDGE_IN_JSON, "CPUs that the process may use"),
    RIDGE_R_LIST(ALL, right, timed, &ridge_framework_row_record, "rows", RIDGE_IN_JSON, "frameworks that were timed"),
    RIDGE_R_LIST(ALL, wrong, wrong_count, &ridge_framework_row_record, "wrong", RIDGE_IN_JSON, "those that were not: wrong results"),
    RIDGE_R_IN(ALL, summary, &ridge_compare_summary_record, "summary", RIDGE_IN_JSON, "errors of the rows that were timed"),
    RIDGE_R_LIST(ALL, verdicts, verdict_count, &verdict_record, "verdicts", RIDGE_IN_JSON, "who wins, in each format"),
    RIDGE_R_LIST(ALL, versions, version_count, &version_record, "versions", RIDGE_IN_JSON, "what ran"),
    RIDGE_R_LIST(ALL, absent, absent_count, &absence_record, "absent", RIDGE_IN_JSON, "what did not"),
    RIDGE_R_UNSIGNED(ALL, rounds, "rounds", NULL, RIDGE_IN_JSON, "that were to be measured"),
    RIDGE_R_UNSIGNED(ALL, rounds_begun, "rounds_begun", NULL, RIDGE_IN_JSON, "that were begun"),
    RIDGE_R_BOOL(ALL, interrupted, "interrupted", NULL, RIDGE_IN_JSON, "Ctrl-C ended it"),
    RIDGE_R_WHOLE(ALL, run, "run", NULL, RIDGE_IN_JSON, "its number in the store"),
};
const ridge_record ridge_frameworks_record = RIDGE_RECORD(ALL, "ridge compare --frameworks", fields, "the same work in several frameworks");

/* ---- lines ---- */

void ridge_frameworks_head(ridge_buf *out, const ridge_frameworks *a)
{
    ridge_buf_addf(out, "%s\n", a->machine->label);
    if (a->model)
        ridge_buf_addf(out, "%s of %s (one of %lld), random weights, operands in cache where they fit\n", a->what, a->model,
                       (long long)a->layers);
    ridge_buf_addf(out, "%s  %s  %u thread%s\n\n", a->what, a->shape, a->threads, RIDGE_PLURAL(a->threads));
}

static void add_wrong(ridge_buf *out, const ridge_frameworks *a)
{
    for (size_t i = 0; i < a->row_count; i++) {
        const ROW *r = &a->rows[i];
        if (!r->right)
            ridge_buf_addf(out, "%s %s is wrong: off by %.3g, at most %.3g is right; not timed\n", ridge_framework_names[r->framework],
                           r->format->name, r->row.max_relative_error, r->tolerance);
        else if (r->row.beats_roofline)
            ridge_buf_addf(out, "%s %s is faster than its ceiling (!): the ceiling was measured while others ran, or a count is wrong\n",
                           ridge_framework_names[r->framework], r->format->name);
    }
}

/* "torch fp32, numpy fp32: no sample was undisturbed: ..." */
static void add_disturbed(ridge_buf *out, const ridge_frameworks *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->timed; i++)
        if (a->right[i].row.time.kept == 0)
            ridge_buf_addf(out, "%s%s %s", count++ > 0 ? ", " : "", ridge_framework_names[a->right[i].framework], a->right[i].format->name);
    if (count > 0)
        ridge_buf_addz(out, ": no sample was undisturbed; other programs hold the CPUs, and these times are of both\n");
}

void ridge_frameworks_remarks(ridge_buf *out, const ridge_frameworks *a)
{
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < a->verdict_count; i++)
        ridge_buf_addf(out, "%s  %s\n", a->verdicts[i].format->name, a->verdicts[i].sentence);
    add_wrong(out, a);
    add_disturbed(out, a);
    for (size_t i = 0; i < a->row_count; i++)
        ridge_buf_addf(out, "%s %s: %s\n", ridge_framework_names[a->rows[i].framework], a->rows[i].format->name, a->rows[i].how);
    for (size_t i = 0; i < a->absent_count; i++) {
        const ABSENCE *x = &a->absent[i];
        ridge_buf_addf(out, "not run: %s%s%s: %s\n", ridge_framework_names[x->framework], x->format ? " " : "",
                       x->format ? x->format->name : "", x->reason);
    }
    for (size_t i = 0; i < a->version_count; i++)
        if (a->versions[i].python)
            ridge_buf_addf(out, "%s %s in %s\n", ridge_framework_names[a->versions[i].framework], a->versions[i].version,
                           a->versions[i].python);
    if (a->interrupted)
        ridge_buf_addf(out, "interrupted in round %u of %u\n", a->rounds_begun, a->rounds);
}

/* ---- the picture ---- */

/* a colour for each format */
static unsigned group_of(const ridge_format **formats, size_t *count, const ridge_format *f)
{
    unsigned i = 0;
    while (i < *count && formats[i] != f)
        i++;
    if (i == *count && *count < RIDGE_PLOT_GROUPS)
        formats[(*count)++] = f;
    return i;
}

static ridge_plot_sample sample_of(const ROW *r, unsigned group)
{
    const bool sure = r->spread_percent >= 0;
    return (ridge_plot_sample){.label = ridge_framework_names[r->framework],
                               .x = 1,
                               .y = r->row.time.median_s,
                               .low = sure ? r->row.time.low_s : 1, /* low above high: no interval */
                               .high = sure ? r->row.time.high_s : 0,
                               .group = group};
}

/* the formats of a framework next to each other: they share a row */
static void add_samples(ridge_plot_sample *items, ridge_plot_samples *p, const ridge_format **formats, const ridge_frameworks *a,
                        size_t first)
{
    for (size_t i = 0; i < first; i++)
        if (a->right[i].framework == a->right[first].framework)
            return;
    for (size_t i = first; i < a->timed; i++)
        if (a->right[i].framework == a->right[first].framework)
            items[p->count++] = sample_of(&a->right[i], group_of(formats, &p->group_count, a->right[i].format));
}

ridge_status ridge_frameworks_picture(ridge_plot *out, const ridge_frameworks *a, ridge_arena *arena, ridge_err *err)
{
    const ridge_format *formats[RIDGE_PLOT_GROUPS];
    ridge_plot_sample *items = ridge_arena_array(arena, a->timed + 1, sizeof *items);
    const char **groups = ridge_arena_array(arena, RIDGE_PLOT_GROUPS, sizeof *groups);
    const char *title = ridge_arena_printf(arena, "%s%s%s, %u thread%s", a->what, a->model ? " of " : "", a->model ? a->model : "",
                                           a->threads, RIDGE_PLURAL(a->threads));
    const char *subtitle = ridge_arena_printf(arena, "%s; %s", a->shape, a->machine->label);
    ridge_plot_samples *p = &out->u.samples;
    if (!items || !groups || !title || !subtitle)
        return ridge_no_memory(err);
    *out = (ridge_plot){.title = title, .subtitle = subtitle, .kind = RIDGE_PLOT_SAMPLES};
    *p = (ridge_plot_samples){.alternatives = true, .x_title = "", .y_title = "time", .y_unit = "s", .groups = groups, .items = items};
    for (size_t i = 0; i < a->timed; i++)
        add_samples(items, p, formats, a, i);
    for (size_t i = 0; i < p->group_count; i++)
        groups[i] = formats[i]->name;
    return RIDGE_OK;
}
