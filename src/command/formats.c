/* ridge formats: the number formats Ridge knows (base/format.h). */
#include "command/command.h"

/* a block of int4_g128 is 532 bits; one element of int4 is half a byte: such blocks have no whole bytes */
typedef struct row {
    const char *name;
    ridge_rational bits;
    unsigned block_elements;
    int64_t block_bytes;
    const char *compute;
} row;

typedef struct formats_answer {
    row *rows;
    size_t count;
} formats_answer;

static const ridge_record_field row_fields[] = {
    RIDGE_R_TEXT(row, name, "name", NULL, RIDGE_IN_ALL, "what options and configs call it"),
    RIDGE_R_RATIONAL(row, bits, "bits_per_element", "bits/element", RIDGE_IN_ALL, "bits of an element, scales and zero points included"),
    RIDGE_R_UNSIGNED(row, block_elements, "block_elements", "block", RIDGE_IN_ALL, "elements that share a scale; 1: none do"),
    RIDGE_R_WHOLE(row, block_bytes, "block_bytes", "block bytes", RIDGE_IN_ALL, "bytes of a block, where they are whole"),
    RIDGE_R_TEXT(row, compute, "compute", NULL, RIDGE_IN_ALL, "the format whose peak rate applies"),
};
static const ridge_record row_record = RIDGE_RECORD(row, "format", row_fields, "a number format");

static const ridge_record_field fields[] = {
    RIDGE_R_LIST(formats_answer, rows, count, &row_record, "formats", RIDGE_IN_JSON, "the number formats"),
};
static const ridge_record record = RIDGE_RECORD(formats_answer, "ridge formats", fields, "the number formats Ridge knows");

static ridge_status run(ridge_call *call, const void *request, ridge_err *err)
{
    size_t count;
    const ridge_format *formats = ridge_format_table(&count);
    formats_answer answer = {ridge_arena_array(&call->arena, count, sizeof *answer.rows), count};
    (void)request;
    if (!answer.rows)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        bool whole = formats[i].block_bits % 8 == 0;
        answer.rows[i] = (row){formats[i].name, formats[i].bits, formats[i].block_elements, whole ? (int64_t)formats[i].block_bits / 8 : -1,
                               formats[i].compute};
    }
    return ridge_call_rows(call, &record, &answer, &row_record, answer.rows, count, err);
}

const ridge_command ridge_cmd_formats = {
    .name = "formats",
    .group = "About",
    .summary = "number formats: bits per element, block size, the format they compute in",
    .example = "ridge formats --json",
    .details = "Bits per element include scales and zero points. These names, and aliases such as float16 or half, are what " RIDGE_OPT(
        "weights") ", " RIDGE_OPT("activations") ", " RIDGE_OPT("kv") " and " RIDGE_OPT("dtype") " take.",
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)}},
    .run = run,
    .records = {&record},
};
