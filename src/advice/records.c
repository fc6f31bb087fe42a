/* How differences, advice and formats are written. */
#include "advice/advice.h"

#define SECONDS .unit = RIDGE_UNIT_SECONDS

/* ---- against ---- */

#define DIFFERENCE ridge_difference
static const ridge_record_field difference_fields[] = {
    RIDGE_R_REAL(DIFFERENCE, now_s, "now_s", "now", RIDGE_IN_ALL, "time now", SECONDS),
    RIDGE_R_REAL(DIFFERENCE, time_s, "time_s", "then", RIDGE_IN_ALL, "time with the changes", SECONDS),
    RIDGE_R_CHANGE(DIFFERENCE, difference_s, "difference_s", "difference", RIDGE_IN_ALL, "then less now", SECONDS),
    RIDGE_R_REAL(DIFFERENCE, ratio, "ratio", NULL, RIDGE_IN_ALL, "then over now", .unit = RIDGE_UNIT_RATIO),
    RIDGE_R_WORD(DIFFERENCE, now_bound, ridge_bound_names, "now_bound", "bound now", RIDGE_IN_ALL, "what most of the time is bound by now"),
    RIDGE_R_WORD(DIFFERENCE, bound, ridge_bound_names, "bound", "bound then", RIDGE_IN_ALL, "... and with the changes"),
};
static const ridge_record difference_record = RIDGE_RECORD(DIFFERENCE, "difference", difference_fields, "a time now and with the changes");

static bool is_of_pass(const void *row)
{
    return !((const ridge_against_totals *)row)->of_request;
}

static bool is_priced(const void *row)
{
    return is_of_pass(row) && ((const ridge_against_totals *)row)->cost_per_million_tokens >= 0;
}

static bool is_priced_by_image(const void *row)
{
    return is_of_pass(row) && ((const ridge_against_totals *)row)->cost_per_million_images >= 0;
}

static bool takes_tokens(const void *row)
{
    return ((const ridge_against_totals *)row)->tokens_per_s >= 0;
}

static bool takes_images(const void *row)
{
    return ((const ridge_against_totals *)row)->images_per_s >= 0;
}

#define TOTALS ridge_against_totals
static const ridge_record_field totals_fields[] = {
    RIDGE_R_TEXT(TOTALS, against, "against", NULL, RIDGE_IN_TABLES, "now, or the changes"),
    RIDGE_R_REAL(TOTALS, total.time_s, "time_s", "time", RIDGE_IN_TABLES, "a pass", SECONDS, .given = is_of_pass),
    RIDGE_R_REAL(TOTALS, latency_s, "latency_s", "request", RIDGE_IN_TABLES, "the whole request", SECONDS, RIDGE_WHERE(TOTALS, of_request)),
    RIDGE_R_CHANGE(TOTALS, total.difference_s, "difference_s", "difference", RIDGE_IN_TABLES, "less that of now", SECONDS),
    RIDGE_R_REAL(TOTALS, total.ratio, "ratio", NULL, RIDGE_IN_TABLES, "over that of now", .unit = RIDGE_UNIT_RATIO, .minor = true),
    RIDGE_R_REAL(TOTALS, tokens_per_s, "tokens_per_s", "tokens/s", RIDGE_IN_CSV | RIDGE_IN_TABLES, "tokens per second",
                 .unit = RIDGE_UNIT_RATIO, .given = takes_tokens),
    RIDGE_R_REAL(TOTALS, images_per_s, "images_per_s", "images/s", RIDGE_IN_TABLES, "images per second", .unit = RIDGE_UNIT_RATIO,
                 .given = takes_images),
    RIDGE_R_REAL(TOTALS, ttft_s, "ttft_s", "first token", RIDGE_IN_TABLES, "time to the first token", SECONDS,
                 RIDGE_WHERE(TOTALS, of_request)),
    RIDGE_R_REAL(TOTALS, tpot_s, "tpot_s", "per token", RIDGE_IN_TABLES, "mean time of a token after it", SECONDS,
                 RIDGE_WHERE(TOTALS, of_request)),
    RIDGE_R_WORD(TOTALS, total.bound, ridge_bound_names, "bound", NULL, RIDGE_IN_TABLES, "what most of the time is bound by",
                 .given = is_of_pass),
    RIDGE_R_COUNT(TOTALS, memory_bytes, "memory_bytes", "memory", RIDGE_IN_CSV | RIDGE_IN_TABLES, "memory held at the most",
                  .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_MAYBE(TOTALS, fits, "fits", NULL, RIDGE_IN_CSV | RIDGE_IN_TABLES, "does it fit?"),
    RIDGE_R_REAL(TOTALS, energy_j, "energy_j", "energy", RIDGE_IN_CSV | RIDGE_IN_TABLES, "at the machine's power",
                 .unit = RIDGE_UNIT_JOULES, .given = is_of_pass, .minor = true),
    RIDGE_R_REAL(TOTALS, cost_per_million_tokens, "cost", "cost/Mtoken", RIDGE_IN_TABLES, "in the unit of the price",
                 .unit = RIDGE_UNIT_RATIO, .given = is_priced),
    RIDGE_R_REAL(TOTALS, cost_per_million_images, "cost_per_image", "cost/Mimage", RIDGE_IN_TABLES, "in the unit of the price",
                 .unit = RIDGE_UNIT_RATIO, .given = is_priced_by_image),
    RIDGE_R_REAL(TOTALS, latency_s, "latency_s", NULL, RIDGE_IN_CSV, "the whole request", SECONDS),
    RIDGE_R_REAL(TOTALS, ttft_s, "ttft_s", NULL, RIDGE_IN_CSV, "time to the first token", SECONDS),
    RIDGE_R_REAL(TOTALS, tpot_s, "tpot_s", NULL, RIDGE_IN_CSV, "mean time of a token after it", SECONDS),
    RIDGE_R_REAL(TOTALS, images_per_s, "images_per_s", NULL, RIDGE_IN_CSV, "images per second", .unit = RIDGE_UNIT_PER_S),
};
const ridge_record ridge_against_totals_record = RIDGE_RECORD(TOTALS, "variant's totals", totals_fields, "a prediction in one line");

#define ROW ridge_against_row
static const ridge_record_field row_fields[] = {
    RIDGE_R_TEXT(ROW, against, "against", NULL, RIDGE_IN_CSV, "the changes; empty in the row of now"),
    RIDGE_R_TEXT(ROW, label, "label", "module", RIDGE_IN_TEXT, "the row's place in the tree"),
    RIDGE_R_TEXT(ROW, name, "name", "module", RIDGE_IN_MARKDOWN, "the row's path"),
    RIDGE_R_STR(ROW, path, "path", NULL, RIDGE_IN_DATA, "as in ridge cost; functions and fused kernels are rows of their own"),
    RIDGE_R_TEXT(ROW, class_name, "class", NULL, RIDGE_IN_CSV, "the module's class"),
    RIDGE_R_MEMBERS(ROW, difference, &difference_record),
    RIDGE_R_IN(ROW, totals, &ridge_against_totals_record, "totals", RIDGE_IN_CSV, "of the model's row", .csv = ""),
};
const ridge_record ridge_against_row_record = RIDGE_RECORD(ROW, "difference row", row_fields, "a module or a kernel now and then");

static void write_changes(ridge_json_writer *w, const void *row)
{
    ridge_changes_json(w, &((const ridge_variant *)row)->changes);
}

#define VARIANT ridge_variant
static const ridge_record_field variant_fields[] = {
    RIDGE_R_WRITTEN("change", write_changes, "what is changed: options and their values"),
    RIDGE_R_TEXT(VARIANT, told.machine, "machine", NULL, RIDGE_IN_JSON, "the machine's id"),
    RIDGE_R_AT(VARIANT, told.model.workload, &ridge_workload_record, "workload", RIDGE_IN_JSON, "the workload as run", .compact = true),
    RIDGE_R_THROUGH(VARIANT, pass, &difference_record, RIDGE_IN_JSON),
    RIDGE_R_REAL(VARIANT, told.tokens_per_s, "tokens_per_s", NULL, RIDGE_IN_JSON, "tokens of the pass per second",
                 .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_REAL(VARIANT, told.images_per_s, "images_per_s", NULL, RIDGE_IN_JSON, "images of the pass per second",
                 .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_REAL(VARIANT, told.energy_j, "energy_j", NULL, RIDGE_IN_JSON, "at the machine's power", .unit = RIDGE_UNIT_JOULES),
    RIDGE_R_REAL(VARIANT, told.cost_per_million_tokens, "cost_per_million_tokens", NULL, RIDGE_IN_JSON, "in the unit of the price"),
    RIDGE_R_REAL(VARIANT, told.cost_per_million_images, "cost_per_million_images", NULL, RIDGE_IN_JSON, "in the unit of the price"),
    RIDGE_R_MEMBERS_AT(VARIANT, told.generation, &ridge_request_record),
    RIDGE_R_CHANGE(VARIANT, latency_difference_s, "latency_difference_s", NULL, RIDGE_IN_JSON, "latency less that of now", SECONDS,
                   RIDGE_WHERE(ridge_variant, told.generation)),
    RIDGE_R_REAL(VARIANT, latency_ratio, "latency_ratio", NULL, RIDGE_IN_JSON, "latency over that of now",
                 RIDGE_WHERE(ridge_variant, told.generation)),
    RIDGE_R_IN(VARIANT, told.memory, &ridge_memory_told_record, "memory", RIDGE_IN_JSON, "memory of a device", .compact = true),
    RIDGE_R_LIST(VARIANT, shown, shown_count, &ridge_against_row_record, "rows", RIDGE_IN_JSON, "modules and kernels"),
    RIDGE_R_TEXTS(VARIANT, told.notes, "notes", NULL, RIDGE_IN_JSON, "what a reader must know of the numbers"),
};
const ridge_record ridge_variant_record = RIDGE_RECORD(VARIANT, "variant", variant_fields, "the prediction with some options changed");

/* ---- advice ---- */

static const char *const gain_names[] = {RIDGE_GAIN_LIST(RIDGE_WORD_NAME) NULL};

static void write_options(ridge_json_writer *w, const void *row)
{
    ridge_changes_json(w, &((const ridge_advice_item *)row)->changes);
}

static bool item_takes_tokens(const void *row)
{
    return ((const ridge_advice_item *)row)->tokens_per_s >= 0;
}

static bool item_takes_images(const void *row)
{
    return ((const ridge_advice_item *)row)->images_per_s >= 0;
}

#define ITEM ridge_advice_item
static const ridge_record_field item_fields[] = {
    RIDGE_R_TEXT(ITEM, action, "action", NULL, RIDGE_IN_ALL, "what would be changed"),
    RIDGE_R_REAL(ITEM, gain_s, "gain_s", "gain", RIDGE_IN_ALL, "time saved; of throughput: of the tokens of now", SECONDS),
    RIDGE_R_REAL(ITEM, time_s, "time_s", "time", RIDGE_IN_ALL, "time with the options, of the request where one is asked", SECONDS),
    RIDGE_R_REAL(ITEM, speedup, "speedup", "speed-up", RIDGE_IN_ALL, "how many times as fast, for the same tokens",
                 .unit = RIDGE_UNIT_RATIO),
    RIDGE_R_REAL(ITEM, tokens_per_s, "tokens_per_s", NULL, RIDGE_IN_DATA, "tokens per second with the options", .unit = RIDGE_UNIT_RATIO),
    RIDGE_R_REAL(ITEM, tokens_per_s, "tokens_per_s", "tokens/s", RIDGE_IN_TABLES, "tokens per second with the options",
                 .unit = RIDGE_UNIT_RATIO, .given = item_takes_tokens),
    RIDGE_R_REAL(ITEM, images_per_s, "images_per_s", "images/s", RIDGE_IN_TABLES, "images per second with the options",
                 .unit = RIDGE_UNIT_RATIO, .given = item_takes_images),
    RIDGE_R_TEXT(ITEM, options, "options", NULL, RIDGE_IN_CSV | RIDGE_IN_TABLES, "the options and their values"),
    RIDGE_R_WRITTEN("options", write_options, "the options and their values"),
    RIDGE_R_WORD(ITEM, of, gain_names, "of", NULL, RIDGE_IN_ALL, "what is saved: time of a pass, or of the tokens that now has"),
    RIDGE_R_BOOL(ITEM, lossy, "lossy", NULL, RIDGE_IN_ALL, "are results changed, as numbers are rounded more?"),
    RIDGE_R_MAYBE(ITEM, fits, "fits", NULL, RIDGE_IN_ALL, "does it fit into the memory?"),
    RIDGE_R_TEXT(ITEM, to_fit, "to_fit", "to fit", RIDGE_IN_ALL, "where it does not, what would make it fit"),
    RIDGE_R_COUNT(ITEM, memory_bytes, "memory_bytes", NULL, RIDGE_IN_JSON, "memory held at the most", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_TEXT(ITEM, why, "why", NULL, RIDGE_IN_ALL, "where the time goes now"),
    RIDGE_R_REAL(ITEM, images_per_s, "images_per_s", NULL, RIDGE_IN_DATA, "images per second with the options", .unit = RIDGE_UNIT_RATIO),
};
const ridge_record ridge_advice_item_record = RIDGE_RECORD(ITEM, "advice", item_fields, "a change that makes it faster");

/* ---- formats per kind of operator ---- */

const char *const ridge_operator_names[] = {RIDGE_OPERATOR_LIST(RIDGE_FIRST_NAME) NULL};
const char *const ridge_operator_titles[] = {
#define X(code, name, title) title,
    RIDGE_OPERATOR_LIST(X) NULL
#undef X
};
const char *const ridge_situation_names[] = {RIDGE_SITUATION_LIST(RIDGE_WORD_NAME) NULL};

#define FORMATS ridge_precision_formats
static const ridge_record_field formats_fields[] = {
    RIDGE_R_FORMAT(FORMATS, weights, "weights", NULL, RIDGE_IN_JSON, "of the weights that the kind has"),
    RIDGE_R_FORMAT(FORMATS, activations, "activations", NULL, RIDGE_IN_JSON, "of the activations"),
    RIDGE_R_FORMAT(FORMATS, kv, "kv", NULL, RIDGE_IN_JSON, "of the KV cache that it reads"),
};
static const ridge_record formats_record = RIDGE_RECORD(FORMATS, "formats", formats_fields, "number formats of a kind");

static const ridge_record_field candidate_fields[] = {
    RIDGE_R_MEMBERS(ridge_precision_candidate, formats, &formats_record),
    RIDGE_R_REAL(ridge_precision_candidate, time_s, "time_s", NULL, RIDGE_IN_JSON, "time of the kind's kernels", SECONDS),
};
static const ridge_record candidate_record =
    RIDGE_RECORD(ridge_precision_candidate, "candidate", candidate_fields, "formats that were tried");

#define CHOICE ridge_precision_choice
static const ridge_record_field choice_fields[] = {
    RIDGE_R_WORD(CHOICE, situation, ridge_situation_names, "situation", NULL, RIDGE_IN_CSV, "decode, prefill or a full context"),
    RIDGE_R_WORD(CHOICE, kind, ridge_operator_names, "kind", NULL, RIDGE_IN_CSV, "kind of operators"),
    RIDGE_R_WORD(CHOICE, kind, ridge_operator_titles, "kind", "operators", RIDGE_IN_TABLES, "kind of operators"),
    RIDGE_R_MEMBERS(CHOICE, formats, &formats_record),
    RIDGE_R_BOOL(CHOICE, changed, "changed", NULL, RIDGE_IN_JSON, "are they others than now?"),
    RIDGE_R_REAL(CHOICE, now_s, "now_s", "now", RIDGE_IN_ALL, "time as it is", SECONDS),
    RIDGE_R_REAL(CHOICE, share, "share", NULL, RIDGE_IN_DATA, "of the pass as it is"),
    RIDGE_R_REAL(CHOICE, percent, "percent", "%", RIDGE_IN_TABLES, "of the pass as it is", .unit = RIDGE_UNIT_PERCENT),
    RIDGE_R_WORD(CHOICE, bound, ridge_bound_names, "bound", NULL, RIDGE_IN_ALL, "what most of the time is bound by"),
    RIDGE_R_TEXT(CHOICE, text, "formats", NULL, RIDGE_IN_CSV | RIDGE_IN_TABLES, "the formats that are changed"),
    RIDGE_R_REAL(CHOICE, time_s, "time_s", "then", RIDGE_IN_ALL, "time in the formats", SECONDS),
    RIDGE_R_REAL(CHOICE, gain_s, "gain_s", NULL, RIDGE_IN_JSON, "time saved", SECONDS),
    RIDGE_R_REAL(CHOICE, speedup, "speedup", "speed-up", RIDGE_IN_ALL, "how many times as fast", .unit = RIDGE_UNIT_RATIO),
    RIDGE_R_TEXT(CHOICE, why, "why", NULL, RIDGE_IN_ALL, "why these"),
    RIDGE_R_LIST(CHOICE, candidates, candidate_count, &candidate_record, "candidates", RIDGE_IN_JSON, "all that were tried"),
};
const ridge_record ridge_precision_choice_record =
    RIDGE_RECORD(CHOICE, "choice", choice_fields, "the fastest formats of a kind of operators");

#define TABLE ridge_precision_table
static const ridge_record_field table_fields[] = {
    RIDGE_R_WHOLE(TABLE, batch, "batch", NULL, RIDGE_IN_JSON, "sequences at once"),
    RIDGE_R_WHOLE(TABLE, seq, "seq", NULL, RIDGE_IN_JSON, "new tokens per sequence"),
    RIDGE_R_WHOLE(TABLE, past, "past", NULL, RIDGE_IN_JSON, "tokens in the cache before them"),
    RIDGE_R_REAL(TABLE, now_s, "now_s", NULL, RIDGE_IN_JSON, "the pass as it is", SECONDS),
    RIDGE_R_REAL(TABLE, time_s, "time_s", NULL, RIDGE_IN_JSON, "each kind in its best formats", SECONDS),
#define X(code, name, title)                                                                                                               \
    RIDGE_R_AT(TABLE, of_kind[RIDGE_OPERATOR_##code], &ridge_precision_choice_record, #name, RIDGE_IN_JSON, title, .compact = true,        \
               RIDGE_WHERE(TABLE, of_kind[RIDGE_OPERATOR_##code])),
    RIDGE_OPERATOR_LIST(X)
#undef X
};
static const ridge_record table_record = RIDGE_RECORD(TABLE, "situation", table_fields, "the fastest formats by kind, in one situation");

static const ridge_record_field precision_fields[] = {
#define X(code, name)                                                                                                                      \
    RIDGE_R_AT(ridge_precision_advice, found[RIDGE_SITUATION_##code], &table_record, #name, RIDGE_IN_JSON,                                 \
               "null where the model has no such situation"),
    RIDGE_SITUATION_LIST(X)
#undef X
};
const ridge_record ridge_precision_record =
    RIDGE_RECORD(ridge_precision_advice, "precision", precision_fields, "the fastest formats by situation");
