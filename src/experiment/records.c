/* How an experiment is told: records of its rows and of the whole, sentences around the table (experiment.h). */
#include "experiment/experiment.h"

/* ---- rows ---- */

#define ROW                       ridge_experiment_row
#define SECONDS                   .unit = RIDGE_UNIT_SECONDS
#define BYTES                     .unit = RIDGE_UNIT_BYTES
#define RATIO                     .unit = RIDGE_UNIT_RATIO
#define BYTES_PER_S               .unit = RIDGE_UNIT_BYTES_PER_S
#define FLOPS_PER_S               .unit = RIDGE_UNIT_FLOPS_PER_S
#define NAME(key, title)          RIDGE_R_TEXT(ROW, name, key, title, RIDGE_IN_ALL, "what was measured")
#define REAL(member, title, ...)  RIDGE_R_REAL(ROW, member, #member, title, RIDGE_IN_ALL, __VA_ARGS__)
#define WHOLE(member, title, ...) RIDGE_R_WHOLE(ROW, member, #member, title, RIDGE_IN_ALL, __VA_ARGS__)
#define RECORD(fields, name)      RIDGE_RECORD(ROW, name, fields, "a point of the experiment")

/* a quotient: low and high where its interval ends; not known where too few rounds were undisturbed */
#define RATIO_IN(member, key, title, ...)                                                                                                  \
    RIDGE_R_REAL(ROW, member.value, key, title, RIDGE_IN_ALL, __VA_ARGS__, RATIO),                                                         \
        RIDGE_R_REAL(ROW, member.low, key "_low", NULL, RIDGE_IN_DATA, "where its 95 % interval begins", RATIO),                           \
        RIDGE_R_REAL(ROW, member.high, key "_high", NULL, RIDGE_IN_DATA, "where it ends", RATIO)

static const char *kept_text(ridge_arena *arena, const void *row)
{
    const ridge_sample_statistics *time = &((const ROW *)row)->time.all;
    return ridge_arena_printf(arena, "%u/%u", time->kept, time->tried);
}

/* the time and how sure it is, as rows of `bench` have them */
static const ridge_record_field sure_fields[] = {
    RIDGE_R_REAL(ROW, spread_percent, "spread_percent", "+-%", RIDGE_IN_ALL, "half the time's 95 % interval", .unit = RIDGE_UNIT_PERCENT),
    RIDGE_R_REAL(ROW, time.all.low_s, "time_low_s", NULL, RIDGE_IN_DATA, "where the time's 95 % interval begins", SECONDS),
    RIDGE_R_REAL(ROW, time.all.high_s, "time_high_s", NULL, RIDGE_IN_DATA, "where it ends", SECONDS),
    RIDGE_R_UNSIGNED(ROW, time.all.kept, "kept", "kept", RIDGE_IN_ALL, "samples that nothing disturbed", .text = kept_text),
    RIDGE_R_UNSIGNED(ROW, time.all.tried, "tried", NULL, RIDGE_IN_DATA, "samples taken"),
    RIDGE_R_UNSIGNED(ROW, time.rounds, "rounds", NULL, RIDGE_IN_DATA, "times that it was measured, one after the other"),
};
static const ridge_record sure_record = RIDGE_RECORD(ROW, "how sure", sure_fields, "how sure a time is");
#define TIME(title, doc) RIDGE_R_REAL(ROW, time.all.median_s, "time_s", title, RIDGE_IN_ALL, doc, SECONDS)
#define SURE             RIDGE_R_ALSO(&sure_record)

static const ridge_record_field memory_fields[] = {
    NAME("kernel", "what runs"),
    TIME("time", "the median"),
    RATIO_IN(share, "share", "of full", "its part of the time of reading and calculating"),
    REAL(bytes_per_s, "bandwidth", "weights read", BYTES_PER_S),
    REAL(flops_per_s, "arithmetic", "FLOPs over the time", FLOPS_PER_S),
    SURE,
};
static const ridge_record memory_record = RECORD(memory_fields, "memory-vs-compute row");

static const ridge_record_field quant_fields[] = {
    NAME("format", NULL),
    TIME("time", "the median"),
    WHOLE(bytes, "bytes", "of the weights", BYTES),
    RATIO_IN(speedup, "speedup", "gain", "over the 16-bit format"),
    REAL(bytes_ratio, "fewer bytes", "bytes of the 16-bit format over its own", RATIO),
    RIDGE_R_REAL(ROW, compute.all.median_s, "compute_s", "from cache", RIDGE_IN_ALL, "time of unpacking and multiplying alone", SECONDS),
    RATIO_IN(compute_share, "compute_share", "of time", "time from cache over the time"),
    RIDGE_R_REAL(ROW, dequantisation_share, "dequantisation_share", NULL, RIDGE_IN_DATA,
                 "the same of a format that is unpacked; null for the 16-bit format", RATIO),
    RIDGE_R_CHANGE(ROW, unpack_percent.value, "unpack_overhead_percent", "unpack +%", RIDGE_IN_ALL,
                   "(B - A) / A: time from cache, over that of the 16-bit format", .unit = RIDGE_UNIT_PERCENT),
    RIDGE_R_CHANGE(ROW, unpack_percent.low, "unpack_overhead_percent_low", NULL, RIDGE_IN_DATA, "where its 95 % interval begins",
                   .unit = RIDGE_UNIT_PERCENT),
    RIDGE_R_CHANGE(ROW, unpack_percent.high, "unpack_overhead_percent_high", NULL, RIDGE_IN_DATA, "where it ends",
                   .unit = RIDGE_UNIT_PERCENT),
    REAL(bytes_per_s, "bandwidth", "weights read", BYTES_PER_S),
    SURE,
};
static const ridge_record quant_record = RECORD(quant_fields, "quant-overhead row");

static const ridge_record_field rows_fields[] = {
    WHOLE(rows, "rows", "rows at once"),
    TIME("time", "of all rows"),
    REAL(time_per_row_s, "per row", "the time over the rows", SECONDS),
    REAL(flops_per_s, "arithmetic", "FLOPs over the time", FLOPS_PER_S),
    REAL(bytes_per_s, "weights", "weights read, as often as there are calls", BYTES_PER_S),
    SURE,
};
static const ridge_record rows_record = RECORD(rows_fields, "rows at once");

static const ridge_record_field tile_fields[] = {NAME("case", "tile"), RIDGE_R_ALSO(&rows_record)};
static const ridge_record tile_record = RECORD(tile_fields, "tile-sweep row");
static const ridge_record_field batch_fields[] = {NAME("case", "batch"), RIDGE_R_ALSO(&rows_record)};
static const ridge_record batch_record = RECORD(batch_fields, "batch-sweep row");

static const ridge_record_field thread_fields[] = {
    NAME("case", "threads"),
    WHOLE(threads, "threads", "threads that shared the work"),
    TIME("time", "the median"),
    REAL(bytes_per_s, "bandwidth", "weights read", BYTES_PER_S),
    RATIO_IN(speedup, "speedup", "gain", "over one thread"),
    REAL(efficiency, "per thread", "the gain over the threads", RATIO),
    SURE,
};
static const ridge_record thread_record = RECORD(thread_fields, "thread-sweep row");

static const ridge_record_field size_fields[] = {
    NAME("case", "size"),
    WHOLE(bytes, "working set", "that is read again and again", BYTES),
    REAL(bytes_per_s, "bandwidth", "bytes read", BYTES_PER_S),
    TIME("time of a pass", "the median"),
    SURE,
};
static const ridge_record size_record = RECORD(size_fields, "size-sweep row");

const ridge_record *const ridge_experiment_row_records[] = {
    [RIDGE_EXPERIMENT_MEMORY] = &memory_record,  [RIDGE_EXPERIMENT_QUANT] = &quant_record, [RIDGE_EXPERIMENT_TILE] = &tile_record,
    [RIDGE_EXPERIMENT_THREADS] = &thread_record, [RIDGE_EXPERIMENT_SIZES] = &size_record,  [RIDGE_EXPERIMENT_BATCH] = &batch_record,
};

/* ---- the whole ---- */

/* each experiment has columns of its own */
static void write_rows(ridge_json_writer *w, const void *experiment)
{
    const ridge_experiment *e = experiment;
    ridge_jw_array(w);
    for (size_t i = 0; i < e->row_count; i++)
        ridge_record_object(w, ridge_experiment_row_records[e->request.kind], &e->rows[i], true);
    ridge_jw_end_array(w);
}

static void rows_schema(ridge_json_writer *w)
{
    ridge_jw_member_text(w, "type", "array");
    ridge_jw_key(w, "items");
    ridge_jw_object(w);
    ridge_jw_key(w, "anyOf");
    ridge_jw_array(w);
    for (size_t i = 0; i < RIDGE_EXPERIMENT_COUNT; i++)
        ridge_record_schema(w, ridge_experiment_row_records[i]);
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

#define CACHE ridge_experiment_cache
static const ridge_record_field cache_fields[] = {
    RIDGE_R_TEXT(CACHE, name, "name", NULL, RIDGE_IN_JSON, "which one"),
    RIDGE_R_WHOLE(CACHE, bytes, "bytes", NULL, RIDGE_IN_JSON, "that all threads together have of it", BYTES),
};
static const ridge_record cache_record = RIDGE_RECORD(CACHE, "cache", cache_fields, "a cache of this machine");

#define EXPERIMENT ridge_experiment
static const ridge_record_field fields[] = {
    RIDGE_R_WORD(EXPERIMENT, request.kind, ridge_experiment_names, "experiment", NULL, RIDGE_IN_JSON, "which one"),
    RIDGE_R_TEXT(EXPERIMENT, subject, "subject", NULL, RIDGE_IN_JSON, "what was measured"),
    RIDGE_R_WRITTEN("rows", write_rows, "its points", .schema = rows_schema),
    RIDGE_R_ARRAY(EXPERIMENT, caches, cache_count, &cache_record, "caches", RIDGE_IN_JSON,
                  "of size-sweep: where the system says that caches end"),
    RIDGE_R_WHOLE(EXPERIMENT, request.rounds, "rounds", NULL, RIDGE_IN_JSON, "times that every point was to be measured"),
    RIDGE_R_TEXT(EXPERIMENT, verdict, "verdict", NULL, RIDGE_IN_JSON, "a word or a number; null where the intervals carry none"),
    RIDGE_R_TEXT(EXPERIMENT, sentence, "sentence", NULL, RIDGE_IN_JSON, "what to do"),
    RIDGE_R_BOOL(EXPERIMENT, interrupted, "interrupted", NULL, RIDGE_IN_JSON, "Ctrl-C ended it"),
    RIDGE_R_UNSIGNED(EXPERIMENT, cpus, "cpus", NULL, RIDGE_IN_JSON, "CPUs that the process may use"),
    RIDGE_R_WHOLE(EXPERIMENT, run, "run", NULL, RIDGE_IN_JSON, "its number in the store"),
};
const ridge_record ridge_experiment_record = RIDGE_RECORD(EXPERIMENT, "ridge experiment", fields, "one comparison, one sentence");

/* ---- sentences ---- */

static const char *const asks[] = {
#define X(code, name, asks) asks,
    RIDGE_EXPERIMENT_LIST(X)
#undef X
};

void ridge_experiment_head(ridge_buf *out, const ridge_experiment *e)
{
    ridge_buf_addf(out, "%s: %s\n%s, measured in %lld rounds\n\n", ridge_experiment_names[e->request.kind], asks[e->request.kind],
                   e->subject, (long long)e->request.rounds);
}

void ridge_experiment_conclusion(ridge_buf *out, const ridge_experiment *e)
{
    if (e->verdict)
        ridge_buf_addf(out, "\nverdict   %s\n%s\n", e->verdict, e->sentence);
    else
        ridge_buf_addf(out, "\n%s\n", e->sentence);
}
