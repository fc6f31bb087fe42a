/* folder.h - the machines that are a user's own: where they lie, the names of their files, adding one.
 * In: the environment, paths. Out: paths and ids in the arena, NULL where memory runs out. */
#ifndef RIDGE_MACHINE_FOLDER_H
#define RIDGE_MACHINE_FOLDER_H

#include "machine/machine.h"
#include "report/record.h"

/* the id of the computer the program runs on; its file is written by `ridge machine detect --save` */
#define RIDGE_MACHINE_THIS "this"

enum { RIDGE_MACHINE_FILE_LIMIT = 1 << 20 }; /* bytes that a machine's file may have */

/* $XDG_DATA_HOME/ridge/machines, else ~/.local/share/ridge/machines; NULL also where neither variable is set */
const char *ridge_machines_user_folder(ridge_arena *arena);
/* "h100-sxm-80" of ".../h100-sxm-80.json" */
char *ridge_machine_file_id(ridge_arena *arena, const char *path);
/* a machine of this id is part of the program */
bool ridge_machine_built_in(const char *id);

/* ---- adding ---- */

typedef struct ridge_machine_add_request {
    const char *path; /* named <id>.json */
    bool force;
} ridge_machine_add_request;
extern const ridge_option ridge_options_machine_add[];

typedef struct ridge_machine_add_answer {
    const char *id, *file; /* file: where it lies now */
    bool overrides;        /* a machine that is built in */
    ridge_words findings;  /* what is implausible about it (check.h); there also where the rest failed */
} ridge_machine_add_answer;
extern const ridge_record ridge_machine_add_record;

/* Reads the file, then copies it as it stands. Fails on one that cannot be read (file, line and column), on an id that is taken (NAME), and
 * with IO and NOMEM. */
ridge_status ridge_machine_add(ridge_machine_add_answer *out, ridge_machines *machines, const ridge_machine_add_request *request,
                               ridge_arena *arena, ridge_err *err);

#endif
