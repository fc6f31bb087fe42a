#include "bench/history.h"

#include "base/json.h"

/* NULL cells: memory ran out */
static bool all_set(const char *const *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!cells[i])
            return false;
    return true;
}

/* ---- words ---- */

/* "14336x4096": values in order; true flags by name, false ones not at all */
static void add_sizes(ridge_buf *out, const ridge_json *shape)
{
    bool first = true;
    for (uint32_t i = 0; i < shape->count; i++) {
        const ridge_json_member *m = &shape->u.members[i];
        if (m->value.type != RIDGE_JSON_NUMBER && m->value.type != RIDGE_JSON_STRING)
            continue;
        ridge_buf_addz(out, first ? " " : "x");
        ridge_buf_add(out, m->value.u.text);
        first = false;
    }
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->u.members[i].value.type == RIDGE_JSON_TRUE) {
            ridge_buf_addc(out, ' ');
            ridge_buf_add(out, shape->u.members[i].key);
        }
}

const char *ridge_history_problem(const ridge_measured_row *row, ridge_arena *arena)
{
    ridge_json *shape = NULL;
    ridge_buf text = {0};
    ridge_buf_addz(&text, row->kernel);
    if (ridge_json_parse(&shape, ridge_str_of(row->shape), NULL, (ridge_json_options){0}, arena, NULL) == RIDGE_OK &&
        shape->type == RIDGE_JSON_OBJECT)
        add_sizes(&text, shape);
    const char *copy = text.failed ? NULL : ridge_arena_strdup(arena, (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
    return copy;
}

const char *ridge_history_how(const ridge_measured_row *row, ridge_arena *arena)
{
    return ridge_arena_printf(arena, "%u %s", row->threads, ridge_cache_state_names[row->cache]);
}

/* half of the interval, relative: "1.2" percent */
static const char *spread(const ridge_measured_row *row, ridge_arena *arena)
{
    if (!(row->time.median_s > 0) || row->time.tried == 0) /* of an experiment: medians alone */
        return "-";
    return ridge_arena_printf(arena, "%.1f", 50 * (row->time.high_s - row->time.low_s) / row->time.median_s);
}

/* what the bound counts: bytes where memory is in the way, else FLOPs; what is known where only one is */
static const char *rate(const ridge_measured_row *row, ridge_arena *arena)
{
    bool memory = row->bound >= 0 ? row->bound == RIDGE_SIDE_MEMORY : row->flops_per_s < 0;
    if ((memory || row->flops_per_s < 0) && row->bytes_per_s >= 0)
        return ridge_units_scaled(arena, row->bytes_per_s, "B/s");
    return ridge_units_scaled(arena, row->flops_per_s, "FLOP/s");
}

static const char *percent(const ridge_measured_row *row, ridge_arena *arena)
{
    if (row->percent_of_ceiling < 0)
        return "-";
    return ridge_arena_printf(arena, "%.1f%s", row->percent_of_ceiling, row->beats_roofline ? "!" : "");
}

/* ---- runs ---- */

static const ridge_column run_columns[] = {
    {"command", "command", false}, {"run", "run", true},         {"started (UTC)", "started", false}, {"machine", "machine", false},
    {"rows", "rows", true},        {"state", "finished", false}, {"", "interrupted", false}, /* of CSV; the state says it elsewhere */
};
enum { RUN_COLUMNS = sizeof run_columns / sizeof *run_columns };

static const char *state_of(const ridge_store_run *run)
{
    return run->interrupted ? "interrupted" : run->finished ? "finished" : "unfinished";
}

/* the machine is told apart by eight digits */
static bool run_cells(const char **cells, const ridge_store_run *run, bool exact, ridge_arena *arena)
{
    cells[0] = run->command ? run->command : "";
    cells[1] = ridge_arena_printf(arena, "%lld", (long long)run->id);
    cells[2] = exact ? run->started : ridge_arena_printf(arena, "%.10s %.8s", run->started, run->started + 11);
    cells[3] = exact ? run->machine : ridge_arena_printf(arena, "%.8s", run->machine);
    cells[4] = ridge_arena_printf(arena, "%zu", run->row_count);
    cells[5] = !exact ? state_of(run) : run->finished ? run->finished : "";
    if (exact)
        cells[6] = run->interrupted ? "true" : "false";
    return all_set(cells, exact ? RUN_COLUMNS : RUN_COLUMNS - 1);
}

ridge_status ridge_history_runs(ridge_buf *out, const ridge_measurements *m, ridge_form style, int width, ridge_arena *arena,
                                ridge_err *err)
{
    ridge_table table;
    ridge_table_init(&table, arena, run_columns, style == RIDGE_FORM_CSV ? RUN_COLUMNS : RUN_COLUMNS - 1);
    for (size_t i = 0; i < m->run_count; i++) {
        const char **cells = ridge_table_row(&table);
        if (!cells || !run_cells(cells, &m->runs[i], style == RIDGE_FORM_CSV, arena))
            return ridge_no_memory(err);
    }
    ridge_table_render(out, &table, style, width);
    return RIDGE_OK;
}

/* ---- rows ---- */

static const ridge_column row_columns[] = {
    {"problem", "problem", false}, {"run", "run", true},
    {"variant", "variant", false}, {"format", "format", false},
    {"thr.", "how", false},        {"time", "time_median_s", true},
    {"+-%", "spread", true},       {"% of", "percent_of_ceiling", true},
    {"rate", "rate", true}, /* left out on a narrow terminal */
};
enum { ROW_COLUMNS = sizeof row_columns / sizeof *row_columns, WIDTH_OF_ALL = 92 };

static bool row_cells(const char **cells, size_t columns, const ridge_store_run *run, const ridge_measured_row *row, ridge_arena *arena)
{
    cells[0] = ridge_history_problem(row, arena);
    cells[1] = ridge_arena_printf(arena, "%lld", (long long)run->id);
    cells[2] = row->variant;
    cells[3] = row->format;
    cells[4] = ridge_history_how(row, arena);
    cells[5] = ridge_units_seconds(arena, row->time.median_s);
    cells[6] = spread(row, arena);
    cells[7] = percent(row, arena);
    if (columns == ROW_COLUMNS)
        cells[8] = rate(row, arena);
    return all_set(cells, columns);
}

ridge_status ridge_history_rows(ridge_buf *out, const ridge_measurements *m, ridge_form style, int width, ridge_arena *arena,
                                ridge_err *err)
{
    ridge_table table;
    ridge_table_init(&table, arena, row_columns, width > 0 && width < WIDTH_OF_ALL ? ROW_COLUMNS - 1 : ROW_COLUMNS);
    for (size_t i = 0; i < m->run_count; i++)
        for (size_t k = 0; k < m->runs[i].rows; k++) {
            const char **cells = ridge_table_row(&table);
            if (!cells || !row_cells(cells, table.column_count, &m->runs[i], &m->rows[m->runs[i].first + k], arena))
                return ridge_no_memory(err);
        }
    ridge_table_render(out, &table, style, width);
    return RIDGE_OK;
}

/* ---- one run ---- */

/* "machine   4f1d...": further lines of a text stand under its first */
static void fact(ridge_buf *out, const char *name, const char *text)
{
    ridge_buf_addf(out, "%-10s", name);
    for (; *text != '\0'; text++) {
        if (*text != '\n')
            ridge_buf_addc(out, *text);
        else if (text[1] != '\0')
            ridge_buf_addf(out, "\n%-10s", "");
    }
    ridge_buf_addc(out, '\n');
}

static void run_facts(ridge_buf *out, const ridge_store_run *run)
{
    ridge_buf_addf(out, "%-10s%lld (%s)\n", "run", (long long)run->id, run->uuid);
    fact(out, "command", run->command ? run->command : "unknown");
    fact(out, "started", run->started);
    fact(out, "finished", run->finished ? run->finished : "never: it was killed, or is still running");
    if (run->interrupted)
        fact(out, "", "interrupted: rows it was to have may be missing");
    fact(out, "ridge", run->ridge);
    fact(out, "build", run->build);
    ridge_buf_addf(out, "%-10s%s\n", "machine", run->machine);
    fact(out, "", run->machine_text);
    fact(out, "settings", run->settings ? run->settings : "{}");
}

ridge_status ridge_history_show(ridge_buf *out, const ridge_measurements *m, int width, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < m->run_count && !st; i++) {
        ridge_measurements one = {.runs = &m->runs[i], .rows = m->rows, .run_count = 1, .row_count = m->row_count};
        if (i > 0)
            ridge_buf_addc(out, '\n');
        run_facts(out, &m->runs[i]);
        ridge_buf_addc(out, '\n');
        if (m->runs[i].rows == 0)
            ridge_buf_addz(out, "no rows\n");
        else
            st = ridge_history_rows(out, &one, RIDGE_FORM_TEXT, width, arena, err);
    }
    return st;
}
