/* folder.h - where a user's machines lie, and the names of their files.
 * In: the environment, paths. Out: paths and ids in the arena, NULL where memory runs out. */
#ifndef RIDGE_MACHINE_FOLDER_H
#define RIDGE_MACHINE_FOLDER_H

#include <stdbool.h>

#include "base/arena.h"

/* the id of the computer the program runs on; its file is written by `ridge machine detect --save` */
#define RIDGE_MACHINE_THIS "this"

enum { RIDGE_MACHINE_FILE_LIMIT = 1 << 20 }; /* bytes that a machine's file may have */

/* $XDG_DATA_HOME/ridge/machines, else ~/.local/share/ridge/machines; NULL also where neither variable is set */
const char *ridge_machines_user_folder(ridge_arena *arena);
/* "h100-sxm-80" of ".../h100-sxm-80.json" */
char *ridge_machine_file_id(ridge_arena *arena, const char *path);
/* a machine of this id is part of the program */
bool ridge_machine_built_in(const char *id);

#endif
