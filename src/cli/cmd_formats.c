/* ridge formats: the number formats Ridge knows (base/format.h). */
#include "base/format.h"
#include "base/json.h"
#include "cli/commands.h"
#include "report/table.h"

typedef struct formats_args {
    ridge_output_args output;
} formats_args;

/* a block of int4_g128 is 532 bits; one element of int4 is half a byte */
static bool has_whole_bytes(const ridge_format *format)
{
    return format->block_bits % 8 == 0;
}

static void write_json(ridge_buf *out, const ridge_format *formats, size_t count)
{
    char bits[RIDGE_RATIONAL_CHARS];
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_key(&w, "formats");
    ridge_jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        (void)ridge_rational_print(bits, formats[i].bits);
        ridge_jw_object_compact(&w);
        ridge_jw_member_text(&w, "name", formats[i].name);
        ridge_jw_member_text(&w, "bits_per_element", bits);
        ridge_jw_key(&w, "block_elements");
        ridge_jw_int(&w, formats[i].block_elements);
        ridge_jw_key(&w, "block_bytes");
        if (has_whole_bytes(&formats[i]))
            ridge_jw_int(&w, formats[i].block_bits / 8);
        else
            ridge_jw_null(&w);
        ridge_jw_member_text(&w, "compute", formats[i].compute);
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

/* Bits are shown as decimals, which are exact here: every denominator is a power of two. */
static ridge_status write_table(ridge_io *io, const ridge_format *formats, size_t count, ridge_output as)
{
    static const ridge_column columns[] = {
        {"name", "name", false},           {"bits/element", "bits_per_element", true},
        {"block", "block_elements", true}, {"block bytes", "block_bytes", true},
        {"compute", "compute", false},
    };
    ridge_table table;
    ridge_table_init(&table, &io->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const char **cells = ridge_table_row(&table);
        if (!cells)
            return RIDGE_NOMEM;
        cells[0] = formats[i].name;
        cells[1] = ridge_arena_printf(&io->arena, "%.10g", ridge_rational_double(formats[i].bits));
        cells[2] = ridge_arena_printf(&io->arena, "%u", formats[i].block_elements);
        if (has_whole_bytes(&formats[i]))
            cells[3] = ridge_arena_printf(&io->arena, "%u", formats[i].block_bits / 8);
        cells[4] = formats[i].compute;
        if (!cells[1] || !cells[2] || !cells[3])
            return RIDGE_NOMEM;
    }
    ridge_output_table(io, &table, as);
    return RIDGE_OK;
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    (void)err;
    const formats_args *args = values;
    size_t count;
    const ridge_format *formats = ridge_format_table(&count);
    if (args->output.as != RIDGE_OUTPUT_JSON)
        return write_table(io, formats, count, args->output.as);
    write_json(&io->data, formats, count);
    return RIDGE_OK;
}

const ridge_command ridge_cmd_formats = {
    .name = "formats",
    .group = "About",
    .summary = "number formats: bits per element, block size, the format they compute in",
    .example = "ridge formats --json",
    .details = "Bits per element include scales and zero points. These names, and aliases such as float16 or half, are what --weights, "
               "--activations, --kv and --dtype take.",
    .tables = {{ridge_options_output, offsetof(formats_args, output), NULL}},
    .args_size = sizeof(formats_args),
    .run = run,
};
