/* machine.h - the sub-commands of `ridge machine` that have files of their own. */
#ifndef RIDGE_COMMAND_MACHINE_H
#define RIDGE_COMMAND_MACHINE_H

#include "command/command.h"

extern const ridge_command ridge_cmd_machine_detect, ridge_cmd_machine_calibrate, ridge_cmd_machine_live;

#endif
