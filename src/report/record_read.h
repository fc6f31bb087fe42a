/* record_read.h - a struct filled from what its record wrote: cells of CSV, columns of SQL, members of JSON.
 * In: a column of a record (ridge_record_columns_make), text or JSON. Out: the member; strings in the arena.
 * Every value goes through one check, wherever it comes from: its kind, and the field's rule. "" and null are what is not known.
 * Fails with NOMEM, VALUE, TYPE (JSON of another type) and says in *reason what was wanted. */
#ifndef RIDGE_REPORT_RECORD_READ_H
#define RIDGE_REPORT_RECORD_READ_H

#include "report/record.h"

/* Sets a member from the text that ridge_record_text gives back. Doubles are read as JSON has numbers, with a point in every locale. */
ridge_status ridge_record_set(void *row, const ridge_record_column *column, ridge_str text, const char **reason, ridge_arena *arena);
/* ... from a JSON value; NULL is null */
ridge_status ridge_record_set_json(void *row, const ridge_record_column *column, const ridge_json *value, const char **reason,
                                   ridge_arena *arena);

/* A checked copy of the columns' members, all others zero. "time_low_s: wanted ..." */
ridge_status ridge_record_copy(void *copy, const ridge_record *record, const ridge_record_columns *columns, const void *from,
                               ridge_arena *arena, ridge_err *err);

/* the JSON that is read: for places in messages */
typedef struct ridge_record_source {
    ridge_str text;
    const char *file;
    ridge_arena *arena;
    ridge_err *err;
} ridge_record_source;
/* Puts the place of a value into an error that has none; returns the status. */
ridge_status ridge_record_at(const ridge_record_source *source, ridge_status status, const ridge_json *value);
/* TYPE where it is another: "rows: wanted an array, found null" */
ridge_status ridge_record_need(const ridge_record_source *source, const ridge_json *value, ridge_json_type type, const char *what);
/* NAME, with the nearest, on a member that is neither of the record nor one of `more` (NULL-terminated, or NULL) */
ridge_status ridge_record_keys(const ridge_record *record, const ridge_json *object, const char *const *more,
                               const ridge_record_source *source);
/* Reads an object's members; those of objects inside are all known. */
ridge_status ridge_record_read(void *row, const ridge_record *record, const ridge_json *object, const ridge_record_source *source);

#endif
