/* probe.h - the readers of weight files in one table, and which of them a file is for.
 * In: a file. Out: its tensor table, by the reader whose magic bytes it has. To add a reader, add its row.
 * Fails with what the file begins with where no reader knows it. */
#ifndef RIDGE_INPUT_PROBE_H
#define RIDGE_INPUT_PROBE_H

#include "input/binary.h"
#include "input/weights.h"

typedef struct ridge_weight_reader {
    const char *name;
    const char *const *endings;        /* of the names of such files, NULL-terminated */
    bool (*looks)(ridge_binary *file); /* by its bytes, whatever its name */
    ridge_status (*read)(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);
    bool says_best; /* of a file of such a name that looks like none: what is wrong with it */
    bool alone;     /* one file is one model: several in a folder are several models */
} ridge_weight_reader;

/* of a name that ends as such files do; NULL: it is no weight file by its name */
const ridge_weight_reader *ridge_weight_reader_named(const char *path);
/* is there a file that a reader is for, whatever its name? */
bool ridge_probe_looks(const char *path);
/* Reads one file, which is closed again. */
ridge_status ridge_probe_read(ridge_weights *out, const char *path, ridge_arena *arena, ridge_err *err);
/* the same of an open file, or of bytes in memory */
ridge_status ridge_probe_file(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);

#endif
