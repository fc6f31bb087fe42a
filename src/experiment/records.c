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

static const ridge_record_field memory_fields[] = {
    NAME("kernel", "what runs"),
    REAL(time_s, "time", "the median", SECONDS),
    REAL(share, "of full", "its part of the time of reading and calculating", RATIO),
    REAL(bytes_per_s, "bandwidth", "weights read", BYTES_PER_S),
    REAL(flops_per_s, "arithmetic", "FLOPs over the time", FLOPS_PER_S),
};
static const ridge_record memory_record = RECORD(memory_fields, "memory-vs-compute row");

static const ridge_record_field quant_fields[] = {
    NAME("format", NULL),
    REAL(time_s, "time", "the median", SECONDS),
    WHOLE(bytes, "bytes", "of the weights", BYTES),
    REAL(speedup, "gain", "over the 16-bit format", RATIO),
    REAL(bytes_ratio, "fewer bytes", "bytes of the 16-bit format over its own", RATIO),
    REAL(compute_s, "from cache", "time of unpacking and multiplying alone", SECONDS),
    REAL(dequantisation_share, "unpack+multiply", "... over the time", RATIO),
    REAL(bytes_per_s, "bandwidth", "weights read", BYTES_PER_S),
};
static const ridge_record quant_record = RECORD(quant_fields, "quant-overhead row");

static const ridge_record_field rows_fields[] = {
    WHOLE(rows, "rows", "rows at once"),
    REAL(time_s, "time", "of all rows", SECONDS),
    REAL(time_per_row_s, "per row", "the time over the rows", SECONDS),
    REAL(flops_per_s, "arithmetic", "FLOPs over the time", FLOPS_PER_S),
    REAL(bytes_per_s, "weights", "weights read, as often as there are calls", BYTES_PER_S),
};
static const ridge_record rows_record = RECORD(rows_fields, "rows at once");

static const ridge_record_field tile_fields[] = {NAME("case", "tile"), RIDGE_R_ALSO(&rows_record)};
static const ridge_record tile_record = RECORD(tile_fields, "tile-sweep row");
static const ridge_record_field batch_fields[] = {NAME("case", "batch"), RIDGE_R_ALSO(&rows_record)};
static const ridge_record batch_record = RECORD(batch_fields, "batch-sweep row");

static const ridge_record_field thread_fields[] = {
    NAME("case", "threads"),
    WHOLE(threads, "threads", "threads that shared the work"),
    REAL(time_s, "time", "the median", SECONDS),
    REAL(bytes_per_s, "bandwidth", "weights read", BYTES_PER_S),
    REAL(speedup, "gain", "over one thread", RATIO),
    REAL(efficiency, "per thread", "the gain over the threads", RATIO),
};
static const ridge_record thread_record = RECORD(thread_fields, "thread-sweep row");

static const ridge_record_field size_fields[] = {
    NAME("case", "size"),
    WHOLE(bytes, "working set", "that is read again and again", BYTES),
    REAL(bytes_per_s, "bandwidth", "bytes read", BYTES_PER_S),
    REAL(time_s, "time of a pass", "the median", SECONDS),
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

#define EXPERIMENT ridge_experiment
static const ridge_record_field fields[] = {
    RIDGE_R_WORD(EXPERIMENT, request.kind, ridge_experiment_names, "experiment", NULL, RIDGE_IN_JSON, "which one"),
    RIDGE_R_TEXT(EXPERIMENT, subject, "subject", NULL, RIDGE_IN_JSON, "what was measured"),
    RIDGE_R_WRITTEN("rows", write_rows, "its points", .schema = rows_schema),
    RIDGE_R_TEXT(EXPERIMENT, verdict, "verdict", NULL, RIDGE_IN_JSON, "a word or a number"),
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
    ridge_buf_addf(out, "%s: %s\n%s, measured\n\n", ridge_experiment_names[e->request.kind], asks[e->request.kind], e->subject);
}

void ridge_experiment_conclusion(ridge_buf *out, const ridge_experiment *e)
{
    if (e->verdict)
        ridge_buf_addf(out, "\nverdict   %s\n%s\n", e->verdict, e->sentence);
    else
        ridge_buf_addf(out, "\n%s\n", e->sentence);
}
