/* ridge formats: the number formats Ridge knows (base/format.h). */
#include "base/format.h"
#include "base/json.h"
#include "cli/commands.h"

typedef struct formats_args {
    ridge_output_args output;
} formats_args;

/* whole blocks are whole bytes in every format but those whose block is one element */
static void add_block_bytes(ridge_json_writer *w, const ridge_format *format)
{
    if (format->block_bits % 8 == 0)
        ridge_jw_int(w, format->block_bits / 8);
    else
        ridge_jw_null(w);
}

static void write_json(ridge_buf *out, const ridge_format *formats, size_t count)
{
    char bits[RIDGE_RATIONAL_CHARS];
    ridge_json_writer w;
    ridge_jw_init(&w, out);
    ridge_jw_object(&w);
    ridge_jw_key(&w, "ridge");
    ridge_jw_strz(&w, RIDGE_VERSION);
    ridge_jw_key(&w, "formats");
    ridge_jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        (void)ridge_rational_print(bits, formats[i].bits);
        ridge_jw_object_compact(&w);
        ridge_jw_key(&w, "name");
        ridge_jw_strz(&w, formats[i].name);
        ridge_jw_key(&w, "bits_per_element");
        ridge_jw_strz(&w, bits);
        ridge_jw_key(&w, "block_elements");
        ridge_jw_int(&w, formats[i].block_elements);
        ridge_jw_key(&w, "block_bytes");
        add_block_bytes(&w, &formats[i]);
        ridge_jw_key(&w, "compute");
        ridge_jw_strz(&w, formats[i].compute);
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

/* One row in the layout of `as`. Text shows bits as decimals, which are exact here: every denominator is a power of two. */
static void write_row(ridge_buf *out, const ridge_format *format, ridge_output as)
{
    static const char *const layouts[] = {
        [RIDGE_OUTPUT_TEXT] = "%-10s %9.10g %6u %11s  %s\n",
        [RIDGE_OUTPUT_CSV] = "%s,%.10g,%u,%s,%s\n",
        [RIDGE_OUTPUT_MARKDOWN] = "| %s | %.10g | %u | %s | %s |\n",
    };
    char bytes[16] = "";
    if (format->block_bits % 8 == 0)
        (void)snprintf(bytes, sizeof bytes, "%u", format->block_bits / 8);
    else if (as == RIDGE_OUTPUT_TEXT)
        (void)snprintf(bytes, sizeof bytes, "-");
    ridge_buf_addf(out, layouts[as], format->name, ridge_rational_double(format->bits), format->block_elements, bytes, format->compute);
}

static void write_header(ridge_buf *out, ridge_output as)
{
    if (as == RIDGE_OUTPUT_CSV)
        ridge_buf_addz(out, "name,bits_per_element,block_elements,block_bytes,compute\n");
    else if (as == RIDGE_OUTPUT_MARKDOWN)
        ridge_buf_addz(out, "| name | bits/element | block | block bytes | compute |\n|---|--:|--:|--:|---|\n");
    else
        ridge_buf_addf(out, "%-10s %9s %6s %11s  %s\n", "name", "bits/elem", "block", "block bytes", "compute");
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    (void)err;
    const formats_args *args = values;
    size_t count;
    const ridge_format *formats = ridge_format_table(&count);
    if (args->output.as == RIDGE_OUTPUT_JSON) {
        write_json(&io->data, formats, count);
        return RIDGE_OK;
    }
    write_header(&io->data, args->output.as);
    for (size_t i = 0; i < count; i++)
        write_row(&io->data, &formats[i], args->output.as);
    return RIDGE_OK;
}

const ridge_command ridge_cmd_formats = {
    .name = "formats",
    .group = "About",
    .summary = "number formats: bits per element, block size, the format they compute in",
    .example = "ridge formats --json",
    .details = "Bits per element include scales and zero points. These names, and aliases such as float16 or half, are what --weights, "
               "--activations, --kv and --dtype take.",
    .tables = {{ridge_output_options, offsetof(formats_args, output), NULL}},
    .args_size = sizeof(formats_args),
    .run = run,
};
