/* What several commands share: option tables, the output forms (command.h). */
#include "cli/command.h"

#define JSON RIDGE_SET(ridge_output_args, as, "json", 0, RIDGE_OUTPUT_JSON, "print JSON")

const ridge_option ridge_options_json[] = {
    JSON,
    RIDGE_OPTION_END,
};

const ridge_option ridge_options_output[] = {
    JSON,
    RIDGE_SET(ridge_output_args, as, "csv", 0, RIDGE_OUTPUT_CSV, "print CSV, one header line"),
    RIDGE_SET(ridge_output_args, as, "markdown", 0, RIDGE_OUTPUT_MARKDOWN, "print a Markdown table"),
    RIDGE_OPTION_END,
};

const ridge_option ridge_options_machines[] = {
    RIDGE_LIST(ridge_machines_args, files, "machines", 0, "PATH",
               "a machine's file, or a folder of them, that adds to and overrides the built-in ones (repeatable)"),
    RIDGE_OPTION_END,
};

ridge_status ridge_machines_args_open(ridge_machines **out, const ridge_machines_args *args, ridge_err *err)
{
    return ridge_machines_open(out, args->files.items, args->files.count, err);
}

ridge_table_style ridge_output_style(ridge_output as)
{
    return as == RIDGE_OUTPUT_CSV ? RIDGE_TABLE_CSV : as == RIDGE_OUTPUT_MARKDOWN ? RIDGE_TABLE_MARKDOWN : RIDGE_TABLE_TEXT;
}

void ridge_output_table(ridge_io *io, const ridge_table *table, ridge_output as)
{
    ridge_table_render(&io->data, table, ridge_output_style(as), ridge_io_width(io));
}
