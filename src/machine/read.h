/* read.h - one machine file to a draft, drafts along `inherits` to a machine.
 * In: JSON text. Out: a draft: a machine with sources and marks by field. Strings live in the arena.
 * A file starts from the draft of the machine it inherits and overrides what it gives; null is unknown again. `achieved` and `notes`
 * are the file's own. Fails with file, line, column and excerpt; nothing wrong is skipped over. */
#ifndef RIDGE_MACHINE_READ_H
#define RIDGE_MACHINE_READ_H

#include "machine/fields.h"

typedef struct ridge_machine_draft {
    ridge_machine machine;                 /* spread (fields.h) */
    const char *source[RIDGE_FIELD_COUNT]; /* NULL: nobody says */
    bool unverified[RIDGE_FIELD_COUNT];    /* recalled, not checked at the source */
    bool given[RIDGE_FIELD_COUNT];         /* a number in this very file */
    bool has_dram;
} ridge_machine_draft;

/* knows nothing */
void ridge_machine_draft_init(ridge_machine_draft *draft);

/* The file's text as JSON: an object, no key twice. */
ridge_status ridge_machine_parse(ridge_json **out, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err);
/* the value of `inherits`; *out NULL where the file inherits nothing. TYPE where it is no string */
ridge_status ridge_machine_inherits(const ridge_json **out, const ridge_json *json, ridge_str text, const char *file, ridge_err *err);
/* Reads a parsed file over the draft (an initialised one, or that of the inherited machine); `id` is what the file's name says. */
ridge_status ridge_machine_read(ridge_machine_draft *draft, const ridge_json *json, ridge_str text, const char *file, const char *id,
                                ridge_arena *arena, ridge_err *err);
/* the draft as a machine; `file` as it is to be shown */
ridge_status ridge_machine_finish(ridge_machine **out, const ridge_machine_draft *draft, const char *file, ridge_arena *arena,
                                  ridge_err *err);

/* VALUE and the like at a value, underlined; for who follows `inherits` */
ridge_status ridge_machine_fail(ridge_err *err, ridge_status code, const ridge_json *at, ridge_str text, const char *file, const char *fmt,
                                ...) __attribute__((format(printf, 6, 7)));

#endif
