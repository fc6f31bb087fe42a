/* How an answer of `ridge op` is written: one operator in full, or rows of a table. */
#include "operator/answer.h"

#define SECONDS .unit = RIDGE_UNIT_SECONDS
#define BYTES   .unit = RIDGE_UNIT_BYTES
#define PERCENT .unit = RIDGE_UNIT_PERCENT

/* ---- what is counted ---- */

#define FORMATS ridge_op_formats
static const ridge_record_field formats_fields[] = {
    RIDGE_R_FORMAT(FORMATS, activations, "activations", NULL, RIDGE_IN_DATA, "of the activations"),
    RIDGE_R_FORMAT(FORMATS, weights, "weights", NULL, RIDGE_IN_DATA, "of the weights"),
    RIDGE_R_FORMAT(FORMATS, kv, "kv", NULL, RIDGE_IN_DATA, "of K and V"),
};
static const ridge_record formats_record = RIDGE_RECORD(FORMATS, "formats", formats_fields, "number formats of the operands");

#define FLOPS ridge_op_flops
static const ridge_record_field flops_fields[] = {
    RIDGE_R_COUNT(FLOPS, total, "total", NULL, RIDGE_IN_JSON, "all of them"),
#define X(code, name) RIDGE_R_COUNT(FLOPS, by_class[RIDGE_FLOP_##code], #name, NULL, RIDGE_IN_JSON, "those of class " #name),
    RIDGE_FLOP_LIST(X) RIDGE_R_COUNT(FLOPS, dequantisation, "dequantisation", NULL, RIDGE_IN_JSON, "unpacking weights, in no class"),
#undef X
};
static const ridge_record flops_record = RIDGE_RECORD(FLOPS, "FLOPs", flops_fields, "FLOPs by class");

static void write_operands(ridge_json_writer *w, const void *row)
{
    const ridge_op_record *r = row;
    ridge_jw_object(w);
    for (size_t i = 0; i < r->operand_count; i++) {
        ridge_jw_key(w, r->operands[i].name);
        ridge_jw_int(w, r->operands[i].bytes);
    }
    ridge_jw_end_object(w);
}

#define RECORD ridge_op_record
static const ridge_record_field bytes_fields[] = {
    RIDGE_R_COUNT(RECORD, bytes, "total", NULL, RIDGE_IN_JSON, "all of them", BYTES),
    RIDGE_R_WRITTEN("operands", write_operands, "by operand, each read or written once: \"A\", of a composite kind \"ffn.up.A\""),
};
static const ridge_record bytes_record = RIDGE_RECORD(RECORD, "bytes", bytes_fields, "bytes moved");

/* ---- what the machine tells ---- */

#define RATE ridge_op_rate
static const ridge_record_field rate_fields[] = {
    RIDGE_R_WORD(RATE, wanted, ridge_precision_names, "wanted", NULL, RIDGE_IN_DATA, "the precision that the formats compute in"),
    RIDGE_R_WORD(RATE, used, ridge_precision_names, "used", NULL, RIDGE_IN_DATA, "the precision of the machine's that stands for it"),
    RIDGE_R_WORD(RATE, unit, ridge_op_unit_names, "unit", NULL, RIDGE_IN_JSON, "the units that compute"),
    RIDGE_R_REAL(RATE, peak_flops_per_s, "peak_flops_per_s", NULL, RIDGE_IN_JSON, "their peak rate", .unit = RIDGE_UNIT_FLOPS_PER_S),
};
static const ridge_record rate_record = RIDGE_RECORD(RATE, "rate", rate_fields, "what the arithmetic computes at");

/* "bf16", "bf16 (no fp8)" */
static const char *computes_at(ridge_arena *arena, const void *row)
{
    const ridge_op_rate *rate = &((const ridge_op_row *)row)->rate;
    if (rate->peak_flops_per_s < 0)
        return "-";
    if (rate->used == rate->wanted)
        return ridge_precision_names[rate->used];
    return ridge_arena_printf(arena, "%s (no %s)", ridge_precision_names[rate->used], ridge_precision_names[rate->wanted]);
}

#define ROW ridge_op_row
static const ridge_record_field time_fields[] = {
    RIDGE_R_REAL(ROW, time.ridge_point, "ridge_point", "ridge", RIDGE_IN_ALL,
                 "the arithmetic intensity from which arithmetic bounds: peak over bandwidth of main memory",
                 .unit = RIDGE_UNIT_FLOP_PER_BYTE, .minor = true),
    RIDGE_R_IN(ROW, rate, &rate_record, "precision", RIDGE_IN_CSV, "what most of the arithmetic computes at"),
    RIDGE_R_AT(ROW, precision, &rate_record, "precision", RIDGE_IN_JSON, "what most of the arithmetic computes at", .compact = true),
    RIDGE_R_AT(ROW, attention_precision, &rate_record, "attention_precision", RIDGE_IN_JSON,
               "what products with K and V compute at, where there are others too", .compact = true,
               RIDGE_WHERE(ridge_op_row, attention_precision)),
    RIDGE_R_WORD(ROW, rate.used, ridge_precision_names, "computes_at", "computes at", RIDGE_IN_TABLES,
                 "the precision used, and the one the machine lacks", .text = computes_at),
    RIDGE_R_TEXT(ROW, memory_level, "memory_level", NULL, RIDGE_IN_DATA, "where the operands come from"),
    RIDGE_R_REAL(ROW, time.memory_s, "time_memory_s", NULL, RIDGE_IN_DATA, "what the memory alone takes", SECONDS),
    RIDGE_R_REAL(ROW, time.compute_s, "time_compute_s", NULL, RIDGE_IN_DATA, "what the arithmetic alone takes", SECONDS),
    RIDGE_R_REAL(ROW, time.time_s, "time_s", "time", RIDGE_IN_ALL, "the longer of the two, of each kernel, added up", SECONDS),
    RIDGE_R_WORD(ROW, time.bound, ridge_bound_names, "bound", NULL, RIDGE_IN_ALL, "what most of the time is bound by"),
    RIDGE_R_REAL(ROW, time.flops_per_s, "flops_per_s", "rate", RIDGE_IN_ALL, "all FLOPs over the time", .unit = RIDGE_UNIT_FLOPS_PER_S,
                 .minor = true),
    RIDGE_R_REAL(ROW, time.bytes_per_s, "bytes_per_s", "bandwidth", RIDGE_IN_ALL, "all bytes over the time", .unit = RIDGE_UNIT_BYTES_PER_S,
                 .minor = true),
    RIDGE_R_REAL(ROW, time.percent_of_peak, "percent_of_peak", NULL, RIDGE_IN_DATA, "of the time, the units work", PERCENT),
    RIDGE_R_REAL(ROW, time.percent_of_bandwidth, "percent_of_bandwidth", NULL, RIDGE_IN_DATA, "of the time, the memory works", PERCENT),
    RIDGE_R_REAL(ROW, time.launch_s, "launch_s", NULL, RIDGE_IN_DATA, "launch overhead of all kernels", SECONDS),
    RIDGE_R_BOOL(ROW, time.launch_counted, "launch_counted", NULL, RIDGE_IN_JSON, "does the time have it?"),
};
static const ridge_record time_record = RIDGE_RECORD(ROW, "time", time_fields, "how long an operator takes, and why");

/* ---- tiles ---- */

#define TILING ridge_tiling
static const ridge_record_field tile_fields[] = {
    RIDGE_R_WHOLE(TILING, shape.tile_m, "m", NULL, RIDGE_IN_JSON, "rows"),
    RIDGE_R_WHOLE(TILING, shape.tile_n, "n", NULL, RIDGE_IN_JSON, "columns"),
    RIDGE_R_WHOLE(TILING, tile_k, "k", NULL, RIDGE_IN_JSON, "step of the reduction"),
};
static const ridge_record tile_record = RIDGE_RECORD(TILING, "tile", tile_fields, "what a block computes");

static const ridge_record_field grid_fields[] = {
    RIDGE_R_REAL(TILING, grid_m, "m", NULL, RIDGE_IN_JSON, "tiles one below the other"),
    RIDGE_R_REAL(TILING, grid_n, "n", NULL, RIDGE_IN_JSON, "tiles side by side"),
    RIDGE_R_WHOLE(TILING, shape.splits, "splits", NULL, RIDGE_IN_JSON, "parts of the reduction"),
};
static const ridge_record grid_record = RIDGE_RECORD(TILING, "grid", grid_fields, "the blocks");

/* an object of fields of the struct itself */
#define SOME_OF(record_, key_, doc_)                                                                                                       \
    {                                                                                                                                      \
        .key = key_, .kind = RIDGE_RECORD_IN, .shown = RIDGE_IN_JSON, .record = record_, .doc = doc_, .compact = true                      \
    }
static const ridge_record_field tiling_fields[] = {
    SOME_OF(&tile_record, "tile", "what a block computes"),
    SOME_OF(&grid_record, "grid", "how many blocks there are"),
    RIDGE_R_REAL(TILING, blocks, "blocks", NULL, RIDGE_IN_JSON, "all of them"),
    RIDGE_R_WHOLE(TILING, stages, "stages", NULL, RIDGE_IN_JSON, "steps of the reduction in flight"),
    RIDGE_R_REAL(TILING, block_shared_bytes, "shared_bytes_per_block", NULL, RIDGE_IN_JSON, "shared memory of a block", BYTES),
    RIDGE_R_WHOLE(TILING, blocks_per_unit, "blocks_per_unit", NULL, RIDGE_IN_JSON, "blocks that a unit holds at once"),
    RIDGE_R_REAL(TILING, waves, "waves", NULL, RIDGE_IN_JSON, "rounds of the busiest unit"),
    RIDGE_R_REAL(TILING, wave_efficiency, "wave_efficiency", NULL, RIDGE_IN_JSON, "blocks over what the rounds have room for"),
    RIDGE_R_REAL(TILING, tile_efficiency, "tile_efficiency", NULL, RIDGE_IN_JSON, "the product over the tiles that cover it"),
    RIDGE_R_REAL(TILING, time_s, "time_s", NULL, RIDGE_IN_JSON, "time with this tiling, at sustained rates", SECONDS),
};
static const ridge_record tiling_record = RIDGE_RECORD(TILING, "tiling", tiling_fields, "how a GPU cuts a matrix product");

/* ---- one operator in full ---- */

#define IN_FORMATS                                                                                                                         \
    RIDGE_R_IN(ROW, formats, &formats_record, "formats", RIDGE_IN_DATA, "number formats of the operands", .csv = "", .compact = true)
#define ALL_FLOPS RIDGE_R_COUNT(ROW, record.flops.total, "flops", "FLOPs", RIDGE_IN_DATA, "FLOPs")
#define BY_CLASS                                                                                                                           \
    RIDGE_R_IN(ROW, record.flops, &flops_record, "flops_by_class", RIDGE_IN_JSON, "FLOPs by class, the sum too", .compact = true)
#define INTENSITY                                                                                                                          \
    RIDGE_R_REAL(ROW, arithmetic_intensity, "arithmetic_intensity", "FLOP/B", RIDGE_IN_ALL, "FLOPs per byte",                              \
                 .unit = RIDGE_UNIT_FLOP_PER_BYTE, .minor = true)
#define MACHINE RIDGE_R_TEXT(ROW, machine_id, "machine", NULL, RIDGE_IN_ALL, "the machine's id; null: none was asked for")
#define ON_IT                                                                                                                              \
    {                                                                                                                                      \
        .key = "time", .kind = RIDGE_RECORD_MEMBERS, .shown = RIDGE_IN_ALL, .record = &time_record                                         \
    }

static void write_parts(ridge_json_writer *w, const void *row)
{
    ridge_op_parts_json(w, &((const ridge_op_row *)row)->record);
}

static const ridge_record_field full_fields[] = {
    IN_FORMATS,
    ALL_FLOPS,
    BY_CLASS,
    RIDGE_R_WRITTEN("parts", write_parts, "FLOPs of the parts that it is made of"),
    RIDGE_R_IN(ROW, record, &bytes_record, "bytes", RIDGE_IN_JSON, "bytes moved"),
    RIDGE_R_COUNT(ROW, record.parameters, "parameters", NULL, RIDGE_IN_JSON, "of a table whose size was given",
                  RIDGE_WHERE(ridge_op_row, record.parameters)),
    RIDGE_R_COUNT(ROW, record.stored_bytes, "stored_bytes", NULL, RIDGE_IN_JSON, "what the table takes", BYTES,
                  RIDGE_WHERE(ridge_op_row, record.stored_bytes)),
    INTENSITY,
    MACHINE,
    ON_IT,
    RIDGE_R_AT(ROW, tiling, &tiling_record, "tiling", RIDGE_IN_JSON, "how the GPU cuts it into tiles", RIDGE_WHERE(ridge_op_row, tiling)),
};
static const ridge_record full_record = RIDGE_RECORD(ROW, "operator", full_fields, "an operator in full");

static void write_shape(ridge_json_writer *w, const void *row)
{
    const ridge_op_answer *a = row;
    ridge_jw_object_compact(w);
    ridge_op_shape_json(w, &a->rows[0].record, &a->shape);
    ridge_jw_end_object(w);
}

#define ANSWER ridge_op_answer
#define HEAD                                                                                                                               \
    RIDGE_R_WORD(ANSWER, kind, ridge_op_kind_names, "kind", NULL, RIDGE_IN_JSON, "what operator it is"),                                   \
        RIDGE_R_WRITTEN("shape", write_shape, "the dimensions given, under the names of the catalog's parameters, and the kind's flags")
#define WARNINGS RIDGE_R_TEXTS(ANSWER, warnings, "warnings", NULL, RIDGE_IN_JSON, "what a reader should know")
static const ridge_record_field one_fields[] = {
    HEAD,
    RIDGE_R_THROUGH(ANSWER, rows, &full_record, RIDGE_IN_JSON),
    WARNINGS,
};
const ridge_record ridge_op_one_record = RIDGE_RECORD(ANSWER, "ridge op", one_fields, "what one operator costs");

/* ---- rows ---- */

static const ridge_record_field row_fields[] = {
    MACHINE,
    RIDGE_R_FORMAT(ROW, format, "format", NULL, RIDGE_IN_ALL, "what the row is about: the format of weights, K and V, or activations"),
    RIDGE_R_RATIONAL(ROW, bits, "bits_per_element", "bits", RIDGE_IN_ALL, "bits of an element in it", .minor = true),
    IN_FORMATS,
    ALL_FLOPS,
    RIDGE_R_COUNT(ROW, record.bytes, "bytes", NULL, RIDGE_IN_ALL, "bytes moved", BYTES),
    INTENSITY,
    ON_IT,
    RIDGE_R_REAL(ROW, speedup, "speedup", "speed-up", RIDGE_IN_ALL, "the first row's time over this one's", .unit = RIDGE_UNIT_RATIO),
    RIDGE_R_TEXT(ROW, problem, "problem", NULL, RIDGE_IN_JSON, "why there is no time", RIDGE_WHERE(ridge_op_row, problem)),
};
const ridge_record ridge_op_row_record = RIDGE_RECORD(ROW, "operator row", row_fields, "an operator in a format, on a machine");

static const ridge_record_field counted_fields[] = {ALL_FLOPS, BY_CLASS};
static const ridge_record counted_record = RIDGE_RECORD(ROW, "FLOPs", counted_fields, "FLOPs, the same in every row");
static const ridge_record_field many_fields[] = {
    HEAD,
    RIDGE_R_THROUGH(ANSWER, rows, &counted_record, RIDGE_IN_JSON),
    RIDGE_R_LIST(ANSWER, rows, row_count, &ridge_op_row_record, "rows", RIDGE_IN_JSON, "a row for each machine and format"),
    WARNINGS,
};
const ridge_record ridge_op_many_record =
    RIDGE_RECORD(ANSWER, "ridge op, several rows", many_fields, "an operator in several formats, or on several machines");

/* ---- tables ---- */

/* For people: one machine stands in the title, and where none was asked for there is nothing to say of it. */
static bool is_shown(const ridge_op_answer *a, const ridge_record_column *column)
{
    size_t at = column->offset + column->field->offset;
    if (at == offsetof(ridge_op_row, machine_id))
        return a->machine_count > 1;
    return at < offsetof(ridge_op_row, time) || a->machine_count > 0;
}

ridge_status ridge_op_table(ridge_buf *out, const ridge_op_answer *a, ridge_form form, int width, ridge_err *err)
{
    ridge_record_columns columns;
    ridge_table table;
    size_t shown = 0;
    ridge_status st = ridge_record_columns_make(&columns, &ridge_op_row_record, form, a->arena, err);
    if (st)
        return st;
    for (size_t c = 0; c < columns.count; c++)
        if (form == RIDGE_FORM_CSV || is_shown(a, &columns.items[c]))
            columns.items[shown++] = columns.items[c];
    columns.count = shown;
    if (!(st = ridge_record_columns_table(&table, &columns, a->rows, a->row_count, sizeof *a->rows, a->arena, err)))
        ridge_table_render(out, &table, form, width);
    return st;
}
