/* The list of commands. A new one: write cmd_<name>.c, declare it in commands.h, name it here and in src/meson.build. */
#include "cli/commands.h"

const ridge_command *const ridge_commands[] = {
    &ridge_cmd_cost,       &ridge_cmd_predict, &ridge_cmd_sweep,    &ridge_cmd_inspect, &ridge_cmd_models,  &ridge_cmd_formula,
    &ridge_cmd_op,         &ridge_cmd_db,      &ridge_cmd_machine,  &ridge_cmd_bench,   &ridge_cmd_compare, &ridge_cmd_profile,
    &ridge_cmd_experiment, &ridge_cmd_history, &ridge_cmd_baseline, &ridge_cmd_formats, &ridge_cmd_help,    NULL,
};
