/* The list of commands. A new one: write cmd_<name>.c, declare it in commands.h, name it here and in src/meson.build. */
#include "cli/commands.h"

const ridge_command *const ridge_commands[] = {
    &ridge_cmd_formats,
    NULL,
};

#define JSON RIDGE_SET(ridge_output_args, as, "json", 0, RIDGE_OUTPUT_JSON, "print JSON")

const ridge_option ridge_json_options[] = {
    JSON,
    RIDGE_OPTION_END,
};

const ridge_option ridge_output_options[] = {
    JSON,
    RIDGE_SET(ridge_output_args, as, "csv", 0, RIDGE_OUTPUT_CSV, "print CSV, one header line"),
    RIDGE_SET(ridge_output_args, as, "markdown", 0, RIDGE_OUTPUT_MARKDOWN, "print a Markdown table"),
    RIDGE_OPTION_END,
};
