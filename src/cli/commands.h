/* commands.h - every command of the program, in the order of commands.c. */
#ifndef RIDGE_CLI_COMMANDS_H
#define RIDGE_CLI_COMMANDS_H

#include "cli/command.h"

extern const ridge_command ridge_cmd_cost;
extern const ridge_command ridge_cmd_predict;
extern const ridge_command ridge_cmd_sweep;
extern const ridge_command ridge_cmd_inspect;
extern const ridge_command ridge_cmd_models;
extern const ridge_command ridge_cmd_formula;
extern const ridge_command ridge_cmd_op;
extern const ridge_command ridge_cmd_db;
extern const ridge_command ridge_cmd_machine;
extern const ridge_command ridge_cmd_machine_calibrate; /* of ridge_cmd_machine */
extern const ridge_command ridge_cmd_machine_detect;    /* of ridge_cmd_machine */
extern const ridge_command ridge_cmd_history;
extern const ridge_command ridge_cmd_baseline;
extern const ridge_command ridge_cmd_bench;
extern const ridge_command ridge_cmd_compare;
extern const ridge_command ridge_cmd_profile;
extern const ridge_command ridge_cmd_experiment;
extern const ridge_command ridge_cmd_formats;
extern const ridge_command ridge_cmd_help;

#endif
