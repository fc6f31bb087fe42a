#include "measure/row.h"

const char *const ridge_cache_state_names[] = {RIDGE_CACHE_STATE_LIST(RIDGE_WORD_TEXT) NULL};

const char *const ridge_side_names[] = {RIDGE_SIDE_LIST(RIDGE_WORD_TEXT) NULL};

ridge_measured_row ridge_measured_row_unknown(void)
{
    const double unknown = RIDGE_MEASURE_UNKNOWN;
    return (ridge_measured_row){.provider = "ridge",
                                .time = {.median_s = unknown, .low_s = unknown, .high_s = unknown, .mad_s = unknown, .minimum_s = unknown},
                                .flops = -1,
                                .bytes = -1,
                                .flops_per_s = unknown,
                                .bytes_per_s = unknown,
                                .percent_of_ceiling = unknown,
                                .predicted_s = unknown,
                                .error = unknown,
                                .bound = RIDGE_SIDE_UNKNOWN,
                                .max_relative_error = unknown};
}

/* ---- words ---- */

/* " 14336x4096": values in order; true flags by name, false ones not at all */
static void add_sizes(ridge_buf *out, const ridge_json *shape)
{
    const char *before = " ";
    for (uint32_t i = 0; i < shape->count; i++) {
        const ridge_json *value = &shape->u.members[i].value;
        if (value->type != RIDGE_JSON_NUMBER && value->type != RIDGE_JSON_STRING)
            continue;
        ridge_buf_addz(out, before);
        ridge_buf_add(out, value->u.text);
        before = "x";
    }
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->u.members[i].value.type == RIDGE_JSON_TRUE) {
            ridge_buf_addc(out, ' ');
            ridge_buf_add(out, shape->u.members[i].key);
        }
}

const char *ridge_measured_row_problem(ridge_arena *arena, const ridge_measured_row *row)
{
    ridge_json *shape = NULL;
    ridge_buf text = {0};
    ridge_buf_addz(&text, row->kernel);
    if (ridge_json_parse(&shape, ridge_str_of(row->shape), NULL, (ridge_json_options){0}, arena, NULL) == RIDGE_OK &&
        shape->type == RIDGE_JSON_OBJECT)
        add_sizes(&text, shape);
    return ridge_arena_take(arena, &text);
}

const char *ridge_measured_row_how(ridge_arena *arena, const ridge_measured_row *row)
{
    return ridge_arena_printf(arena, "%u %s", row->threads, ridge_cache_state_names[row->cache]);
}

/* ---- how it is written, and read back ---- */

static const ridge_record_rule needed = {.needed = true}, sizes = {.needed = true, .flat = true};
#define NEEDED  .rule = &needed
#define SECONDS .unit = RIDGE_UNIT_SECONDS

#define TIME ridge_sample_statistics
static const ridge_record_field interval_fields[] = {
    RIDGE_R_REAL(TIME, median_s, "median", NULL, RIDGE_IN_DATA, "the median", SECONDS, NEEDED, .csv = "time_s"),
    RIDGE_R_REAL(TIME, low_s, "low", NULL, RIDGE_IN_DATA, "where the median's 95 % interval begins", SECONDS, NEEDED, .csv = "low_s"),
    RIDGE_R_REAL(TIME, high_s, "high", NULL, RIDGE_IN_DATA, "where it ends", SECONDS, NEEDED, .csv = "high_s"),
};
const ridge_record ridge_interval_record = RIDGE_RECORD(TIME, "interval", interval_fields, "a time and how sure it is");

#define ROW ridge_measured_row
static const ridge_record_field kernel_fields[] = {
    RIDGE_R_TEXT(ROW, kernel, "kernel", NULL, RIDGE_IN_DATA, "the kind of kernel", NEEDED),
    RIDGE_R_TEXT(ROW, variant, "variant", NULL, RIDGE_IN_DATA, "the implementation", NEEDED),
    RIDGE_R_TEXT(ROW, provider, "provider", NULL, RIDGE_IN_DATA, "whose it is", NEEDED),
    RIDGE_R_RAW(ROW, shape, "shape", NULL, RIDGE_IN_DATA, "its sizes", .rule = &sizes),
    RIDGE_R_TEXT(ROW, format, "format", NULL, RIDGE_IN_DATA, "number format of the weights, of K and V", NEEDED),
    RIDGE_R_TEXT(ROW, activations, "activations", NULL, RIDGE_IN_DATA, "number format of everything else"),
    RIDGE_R_UNSIGNED(ROW, threads, "threads", NULL, RIDGE_IN_DATA, "threads that shared the work"),
    RIDGE_R_WORD(ROW, cache, ridge_cache_state_names, "cache", NULL, RIDGE_IN_DATA, "where the operands were", NEEDED),
};
const ridge_record ridge_measured_kernel_record = RIDGE_RECORD(ROW, "kernel", kernel_fields, "what was measured");

static const ridge_record_field measured_fields[] = {
    RIDGE_R_ALSO(&ridge_measured_kernel_record),
    RIDGE_R_IN(ROW, time, &ridge_interval_record, "time_s", RIDGE_IN_DATA, "the time of one call", .csv = "", .compact = true),
    RIDGE_R_REAL(ROW, time.mad_s, "mad_s", NULL, RIDGE_IN_JSON, "median absolute deviation", SECONDS, NEEDED),
    RIDGE_R_REAL(ROW, time.minimum_s, "minimum_s", NULL, RIDGE_IN_JSON, "the shortest", SECONDS, NEEDED),
    RIDGE_R_UNSIGNED(ROW, time.kept, "kept", NULL, RIDGE_IN_DATA, "samples that nothing disturbed"),
    RIDGE_R_UNSIGNED(ROW, time.tried, "tried", NULL, RIDGE_IN_DATA, "samples taken"),
    RIDGE_R_UNSIGNED(ROW, time.calls_per_sample, "calls_per_sample", NULL, RIDGE_IN_JSON, "calls in a sample"),
    RIDGE_R_BOOL(ROW, time.stopped, "stopped", NULL, RIDGE_IN_JSON, "the budget or Ctrl-C ended it before the wanted confidence", NEEDED),
    RIDGE_R_COUNT(ROW, flops, "flops", NULL, RIDGE_IN_DATA, "FLOPs of one call, by the catalog"),
    RIDGE_R_COUNT(ROW, bytes, "bytes", NULL, RIDGE_IN_DATA, "bytes it moves, by the catalog", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_REAL(ROW, flops_per_s, "flops_per_s", NULL, RIDGE_IN_DATA, "FLOPs over the time", .unit = RIDGE_UNIT_FLOPS_PER_S),
    RIDGE_R_REAL(ROW, bytes_per_s, "bytes_per_s", NULL, RIDGE_IN_DATA, "bytes over the time", .unit = RIDGE_UNIT_BYTES_PER_S),
    RIDGE_R_REAL(ROW, percent_of_ceiling, "percent_of_ceiling", NULL, RIDGE_IN_DATA, "how much of the ceiling that bounds it is reached",
                 .unit = RIDGE_UNIT_PERCENT),
    RIDGE_R_REAL(ROW, predicted_s, "predicted_s", NULL, RIDGE_IN_DATA, "the least time by measured ceilings", SECONDS),
    RIDGE_R_REAL(ROW, error, "error", NULL, RIDGE_IN_DATA, "|predicted - measured| / measured", .unit = RIDGE_UNIT_SHARE),
    RIDGE_R_WORD(ROW, bound, ridge_side_names, "bound", NULL, RIDGE_IN_DATA, "the side of the roofline that bounds it, as predicted"),
    RIDGE_R_REAL(ROW, max_relative_error, "max_relative_error", NULL, RIDGE_IN_DATA,
                 "how far results are off the reference, in parts of its root mean square"),
    RIDGE_R_BOOL(ROW, beats_roofline, "beats_roofline", NULL, RIDGE_IN_DATA,
                 "faster than its ceiling: then a ceiling or a byte count is wrong", NEEDED),
};
const ridge_record ridge_measured_record = RIDGE_RECORD(ROW, "measurement", measured_fields, "a kernel that was timed");

static const ridge_record_field row_fields[] = {
    RIDGE_R_ALSO(&ridge_measured_record),
    RIDGE_R_TEXT(ROW, machine, "machine", NULL, RIDGE_IN_DATA, "fingerprint of the machine"),
};
const ridge_record ridge_measured_row_record = RIDGE_RECORD(ROW, "measured row", row_fields, "a kernel that was timed, and where");

static const ridge_record_field stored_fields[] = {
    RIDGE_R_WHOLE(ROW, run, "run", NULL, RIDGE_IN_JSON, "number of its run in this store"),
    RIDGE_R_ALSO(&ridge_measured_row_record),
};
const ridge_record ridge_stored_row_record = RIDGE_RECORD(ROW, "stored row", stored_fields, "a kernel that was timed, and when");

static const char *problem_text(ridge_arena *arena, const void *row)
{
    return ridge_measured_row_problem(arena, row);
}

static const char *how_text(ridge_arena *arena, const void *row)
{
    return ridge_measured_row_how(arena, row);
}

static const ridge_record_field problem_fields[] = {
    RIDGE_R_TEXT(ROW, kernel, "problem", NULL, RIDGE_IN_TABLES, "kernel and sizes", .text = problem_text, .shortened = true),
};
const ridge_record ridge_measured_problem_record = RIDGE_RECORD(ROW, "problem", problem_fields, "what was measured, in words");

static const ridge_record_field how_fields[] = {
    RIDGE_R_TEXT(ROW, variant, "variant", NULL, RIDGE_IN_TABLES, "the implementation"),
    RIDGE_R_TEXT(ROW, format, "format", NULL, RIDGE_IN_TABLES, "number format of the weights"),
    RIDGE_R_UNSIGNED(ROW, threads, "how", "thr.", RIDGE_IN_TABLES, "threads and cache", .text = how_text, .left = true),
};
const ridge_record ridge_measured_how_record = RIDGE_RECORD(ROW, "variant", how_fields, "how it was measured, in words");
