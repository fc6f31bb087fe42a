/* call.h - one call of a command: what it may use, and where its answer and its words go.
 * A command adds its answer to `data`; the front end hands it out in one piece when the command ended well (or failed a check), so an error
 * never leaves half an answer. Warnings and progress go to the front end at once.
 * The catalog and the machines are opened once a call, by whoever needs them first, and closed with it. */
#ifndef RIDGE_COMMAND_CALL_H
#define RIDGE_COMMAND_CALL_H

#include "base/option.h"
#include "base/stop.h"
#include "catalog/registry.h"
#include "machine/machine.h"
#include "report/record.h"

struct ridge_serve_request; /* command/serve.h */

/* What a front end (command line, C API, server) does for a command; every member may be NULL. */
typedef struct ridge_front {
    void (*warn)(void *data, const char *text);
    /* a line that takes the place of the one before; NULL: it goes away */
    void (*progress)(void *data, const char *line);
    /* hands out what is in `text` and empties it; NULL: it stays and grows */
    ridge_status (*flush)(void *data, ridge_buf *text, ridge_err *err);
    /* from now on *stop becomes 1 when the user wants the command to end; NULL: no longer */
    void (*listen)(void *data, ridge_stop *stop);
    /* runs the server until it is told to end; NULL: this front end has none */
    ridge_status (*serve)(void *data, const struct ridge_serve_request *request, ridge_err *err);
} ridge_front;

typedef struct ridge_call {
    ridge_buf data;    /* the answer */
    ridge_arena arena; /* lives as long as the call */
    ridge_form form;
    const char *typed;  /* the command line; NULL: there was none */
    int width;          /* columns that text may take; 0: any number */
    int line;           /* columns of a line of prose: the terminal's, else 80 */
    bool terminal;      /* a person looks at the answer */
    bool color;         /* ... in colours */
    bool ascii;         /* ... without characters beyond ASCII */
    bool exact;         /* every digit of integers in tables for people */
    bool progress;      /* wanted even where nobody looks */
    ridge_buf *picture; /* gets the picture of a command that has one, SVG; NULL: nobody wants it */
    bool interrupted;   /* the user ended the command early: the answer is what was done */
    const ridge_front *front;
    void *front_data;
    ridge_words operands, options; /* as they were typed, "name=value": for a front end that sends them elsewhere */
    ridge_words given;             /* names of the options that are not at their defaults */
    ridge_words warned;            /* what was said already */
    ridge_registry *registry;      /* given by the front end, or opened */
    ridge_machines *machines;
    bool owns_registry, owns_machines;
} ridge_call;

void ridge_call_init(ridge_call *call, const ridge_front *front, void *front_data);
void ridge_call_free(ridge_call *call);

/* warnings are words: they are shown, each text once, and are no part of the answer */
void ridge_call_warn(ridge_call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ridge_call_warn_all(ridge_call *call, const ridge_words *texts);
/* that the answer rests on the user's own entries, where it does */
void ridge_call_warn_overrides(ridge_call *call);
void ridge_call_progress(ridge_call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ridge_call_progress_end(ridge_call *call);
/* "WORK take about 2.0 h; Ctrl-C ends it with what is done", where it is more than some seconds; work: "measuring takes" */
void ridge_call_estimate(ridge_call *call, const char *work, double seconds);
/* memory ran out on the way: what is in `data` may lack texts */
bool ridge_call_failed(const ridge_call *call);
ridge_status ridge_call_flush(ridge_call *call, ridge_err *err);
void ridge_call_listen(ridge_call *call, ridge_stop *stop);

/* the answer as JSON; RIDGE_OK */
ridge_status ridge_call_answer(ridge_call *call, const ridge_record *record, const void *answer);
/* the answer as JSON, or its rows as a table of the form that the call wants */
ridge_status ridge_call_rows(ridge_call *call, const ridge_record *record, const void *answer, const ridge_record *row_record,
                             const void *rows, size_t count, ridge_err *err);
/* a table of the form that the call wants */
ridge_status ridge_call_table(ridge_call *call, const ridge_record *record, const void *rows, size_t count, ridge_err *err);

/* ---- options that commands share ---- */
typedef struct ridge_catalog_options {
    ridge_words folders;
    bool builtin_only;
} ridge_catalog_options;
extern const ridge_option ridge_options_catalog[];
ridge_status ridge_call_registry(ridge_registry **out, ridge_call *call, const ridge_catalog_options *options, ridge_err *err);

typedef struct ridge_machines_options {
    ridge_words files;
} ridge_machines_options;
extern const ridge_option ridge_options_machines[];
/* the built-in machines, the user's, those of the options */
ridge_status ridge_call_machines(ridge_machines **out, ridge_call *call, const ridge_machines_options *options, ridge_err *err);

extern const ridge_option ridge_options_output[]; /* json, csv, markdown; of a ridge_call */
extern const ridge_option ridge_options_json[];   /* json alone */

#endif
