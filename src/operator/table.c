/* Several formats or machines: a row each. CSV holds every number in full, as JSON does; people get four digits. */
#include "operator/answer.h"

static double as_double(ridge_int n)
{
    return ridge_rational_double(ridge_rational_of(n));
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

const char *ridge_op_scaled(ridge_arena *arena, double value, const char *unit)
{
    static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y"};
    size_t p = 4;
    if (value < 0)
        return "-";
    for (; value >= 999.95 && p + 1 < sizeof prefixes / sizeof *prefixes; p++)
        value /= 1000;
    for (; value > 0 && value < 0.99995 && p > 0; p--)
        value *= 1000;
    return or_empty(ridge_arena_printf(arena, "%.4g %s%s", value, prefixes[p], unit));
}

/* the same digits as in JSON; empty where unknown */
static const char *in_full(ridge_arena *arena, double value)
{
    ridge_buf buf = {0};
    ridge_json_writer w;
    if (value < 0)
        return "";
    ridge_jw_init(&w, &buf);
    ridge_jw_double(&w, value);
    const char *text = buf.p ? ridge_arena_strdup(arena, (ridge_str){buf.p, buf.n}) : NULL;
    ridge_buf_free(&buf);
    return or_empty(text);
}

static const char *count_in_full(ridge_arena *arena, ridge_int value)
{
    char text[RIDGE_INT_CHARS];
    (void)ridge_int_print(text, value);
    return or_empty(ridge_arena_strdup(arena, ridge_str_of(text)));
}

static double intensity_of(const ridge_op_row *row)
{
    return as_double(row->record.flops.total) / as_double(row->record.bytes);
}

static bool is_product(const ridge_op_row *row)
{
    return row->time.has_matrix || row->time.has_attention;
}

static ridge_precision wanted_by(const ridge_op_row *row)
{
    return is_product(row) ? row->time.matrix.wanted : ridge_op_vector_wants(&row->formats);
}

static ridge_precision used_by(const ridge_op_row *row)
{
    return is_product(row) ? row->time.matrix.used : ridge_op_vector_uses(&row->formats, row->machine);
}

/* ---- CSV ---- */

#define CSV_LIST(X)                                                                                                                        \
    X(machine)                                                                                                                             \
    X(format)                                                                                                                              \
    X(bits_per_element)                                                                                                                    \
    X(activations)                                                                                                                         \
    X(weights)                                                                                                                             \
    X(kv)                                                                                                                                  \
    X(flops)                                                                                                                               \
    X(bytes)                                                                                                                               \
    X(arithmetic_intensity)                                                                                                                \
    X(ridge_point)                                                                                                                         \
    X(precision_wanted)                                                                                                                    \
    X(precision_used)                                                                                                                      \
    X(memory_level)                                                                                                                        \
    X(time_memory_s)                                                                                                                       \
    X(time_compute_s)                                                                                                                      \
    X(time_s)                                                                                                                              \
    X(bound)                                                                                                                               \
    X(flops_per_s)                                                                                                                         \
    X(bytes_per_s)                                                                                                                         \
    X(percent_of_peak)                                                                                                                     \
    X(percent_of_bandwidth)                                                                                                                \
    X(launch_s)                                                                                                                            \
    X(speedup)

enum {
#define X(name) CSV_##name,
    CSV_LIST(X)
#undef X
        CSV_COUNT
};

static const ridge_column csv_columns[CSV_COUNT] = {
#define X(name) {#name, #name, false},
    CSV_LIST(X)
#undef X
};

static void csv_time(const char **cells, ridge_arena *arena, const ridge_op_row *row)
{
    const ridge_op_time *t = &row->time;
    if (!row->timed)
        return;
    cells[CSV_ridge_point] = in_full(arena, t->ridge_point);
    cells[CSV_precision_wanted] = ridge_precision_names[wanted_by(row)];
    cells[CSV_precision_used] = t->peak_flops_per_s > 0 ? ridge_precision_names[used_by(row)] : "";
    cells[CSV_memory_level] = t->level->name;
    cells[CSV_time_memory_s] = in_full(arena, t->memory_s);
    cells[CSV_time_compute_s] = in_full(arena, t->compute_s);
    cells[CSV_time_s] = in_full(arena, t->time_s);
    cells[CSV_bound] = ridge_bound_names[t->bound];
    cells[CSV_flops_per_s] = in_full(arena, t->flops_per_s);
    cells[CSV_bytes_per_s] = in_full(arena, t->bytes_per_s);
    cells[CSV_percent_of_peak] = in_full(arena, ridge_op_percent_of_peak(t));
    cells[CSV_percent_of_bandwidth] = in_full(arena, ridge_op_percent_of_bandwidth(t));
    cells[CSV_launch_s] = in_full(arena, t->launch_s);
    cells[CSV_speedup] = in_full(arena, row->speedup);
}

static void csv_row(const char **cells, ridge_arena *arena, const ridge_op_row *row)
{
    cells[CSV_machine] = row->machine ? row->machine->id : "";
    cells[CSV_format] = row->format->name;
    cells[CSV_bits_per_element] = in_full(arena, ridge_rational_double(row->format->bits));
    cells[CSV_activations] = row->formats.activations->name;
    cells[CSV_weights] = row->formats.weights->name;
    cells[CSV_kv] = row->formats.kv->name;
    cells[CSV_flops] = count_in_full(arena, row->record.flops.total);
    cells[CSV_bytes] = count_in_full(arena, row->record.bytes);
    cells[CSV_arithmetic_intensity] = in_full(arena, intensity_of(row));
    csv_time(cells, arena, row);
}

/* ---- for people ---- */

enum { MACHINE, FORMAT, BITS, BYTES, INTENSITY, RIDGE_POINT, COMPUTES_AT, TIME, BOUND, RATE, BANDWIDTH, SPEEDUP, COLUMNS };

static const ridge_column columns[COLUMNS] = {
    [MACHINE] = {"machine", "machine", false},
    [FORMAT] = {"format", "format", false},
    [BITS] = {"bits", "bits", true},
    [BYTES] = {"bytes", "bytes", true},
    [INTENSITY] = {"FLOP/B", "intensity", true},
    [RIDGE_POINT] = {"ridge", "ridge_point", true},
    [COMPUTES_AT] = {"computes at", "computes_at", false},
    [TIME] = {"time", "time", true},
    [BOUND] = {"bound", "bound", false},
    [RATE] = {"TFLOP/s", "tflops", true},
    [BANDWIDTH] = {"GB/s", "gbs", true},
    [SPEEDUP] = {"speed-up", "speedup", true},
};

/* "bf16", "bf16 (no fp8)" */
static const char *computes_at(ridge_arena *arena, const ridge_op_row *row)
{
    ridge_precision wanted = wanted_by(row), used = used_by(row);
    if (row->time.peak_flops_per_s < 0)
        return "-";
    if (wanted == used)
        return ridge_precision_names[used];
    return or_empty(ridge_arena_printf(arena, "%s (no %s)", ridge_precision_names[used], ridge_precision_names[wanted]));
}

static void people_row(const char **cells, ridge_arena *arena, const ridge_op_row *row)
{
    const ridge_op_time *t = &row->time;
    cells[MACHINE] = row->machine ? row->machine->id : "-";
    cells[FORMAT] = row->format->name;
    cells[BITS] = or_empty(ridge_arena_printf(arena, "%.7g", ridge_rational_double(row->format->bits)));
    cells[BYTES] = ridge_op_scaled(arena, as_double(row->record.bytes), "B");
    cells[INTENSITY] = ridge_units_ratio(arena, intensity_of(row));
    for (size_t c = RIDGE_POINT; c < COLUMNS; c++)
        cells[c] = "-";
    if (!row->timed)
        return;
    cells[RIDGE_POINT] = ridge_units_ratio(arena, t->ridge_point);
    cells[COMPUTES_AT] = computes_at(arena, row);
    cells[TIME] = ridge_op_scaled(arena, t->time_s, "s");
    cells[BOUND] = ridge_bound_names[t->bound];
    cells[RATE] = ridge_units_ratio(arena, t->flops_per_s / 1e12);
    cells[BANDWIDTH] = ridge_units_ratio(arena, t->bytes_per_s / 1e9);
    cells[SPEEDUP] = row->speedup < 0 ? "-" : or_empty(ridge_arena_printf(arena, "%.2f", row->speedup));
}

ridge_status ridge_op_table(ridge_buf *out, const ridge_op_answer *answer, ridge_form style, int width)
{
    bool csv = style == RIDGE_FORM_CSV, on_machine = answer->rows[0].machine;
    size_t first = answer->question->machine_count > 1 ? MACHINE : FORMAT; /* one machine stands in the title */
    size_t last = on_machine ? COLUMNS : RIDGE_POINT;
    ridge_table table;
    ridge_table_init(&table, answer->arena, csv ? csv_columns : &columns[first], csv ? CSV_COUNT : last - first);
    for (size_t i = 0; i < answer->row_count; i++) {
        const char *people[COLUMNS], **cells = ridge_table_row(&table);
        if (!cells)
            return RIDGE_NOMEM;
        if (csv) {
            csv_row(cells, answer->arena, &answer->rows[i]);
            continue;
        }
        people_row(people, answer->arena, &answer->rows[i]);
        memcpy(cells, &people[first], (last - first) * sizeof *cells);
    }
    ridge_table_render(out, &table, style, width);
    return RIDGE_OK;
}
