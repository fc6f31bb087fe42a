/* read.h - one machine file to a draft, drafts along `inherits` to a machine.
 * In: JSON text. Out: a draft: a machine with sources and marks by field. Strings live in the arena.
 * A file starts from the draft of the machine it inherits and overrides what it gives; null is unknown again. `achieved` and `notes`
 * are the file's own. Fails with file, line, column and excerpt; nothing wrong is skipped over. */
#ifndef RIDGE_MACHINE_READ_H
#define RIDGE_MACHINE_READ_H

#include "machine/fields.h"

typedef struct ridge_machine_draft {
    ridge_machine machine;                 /* spread (fields.h); a level without a name was never given */
    const char *source[RIDGE_FIELD_COUNT]; /* NULL: nobody says */
    bool unverified[RIDGE_FIELD_COUNT];    /* recalled, not checked at the source */
    bool given[RIDGE_FIELD_COUNT];         /* a number in this very file */
} ridge_machine_draft;

/* a file being read, and where its numbers go */
typedef struct ridge_reader {
    ridge_machine_draft *draft;
    ridge_str text;
    const char *file; /* as messages call it */
    ridge_arena *arena;
    ridge_err *err;
} ridge_reader;

/* knows nothing */
void ridge_machine_draft_init(ridge_machine_draft *draft);
/* The file's text as JSON: an object, no key twice. */
ridge_status ridge_machine_parse(ridge_json **out, const ridge_reader *r);
/* the value of `inherits`; *out NULL where the file inherits nothing. TYPE where it is no string */
ridge_status ridge_machine_inherits(const ridge_json **out, const ridge_reader *r, const ridge_json *json);
/* Reads a parsed file over the draft (an initialised one, or that of the inherited machine); `id` is what the file's name says. */
ridge_status ridge_machine_read(const ridge_reader *r, const ridge_json *json, const char *id);
/* the draft as a machine; `file` as it is to be shown */
ridge_status ridge_machine_finish(ridge_machine **out, const ridge_machine_draft *draft, const char *file, ridge_arena *arena,
                                  ridge_err *err);

#endif
