/* store.h - the memory of measurements: runs and their rows in a SQLite file, for good, from one machine or many.
 * In: rows (row.h), what the run was. Out: runs and rows in the caller's arena, oldest run first, rows in the order they were added.
 * ridge_store_add commits each row as it is added; ridge_store_record, which commands use, a whole run when it has ended: a kill at any
 * time loses at most the run in flight, and never the file.
 * Several processes may write at once (they wait up to 10 s for each other). A file of a newer schema is refused, an older one is
 * migrated. Errors name the file. docs/history.md */
#ifndef RIDGE_MEASURE_STORE_H
#define RIDGE_MEASURE_STORE_H

#include "measure/row.h"

typedef struct ridge_store ridge_store;

typedef struct ridge_store_run {
    int64_t id;           /* number in this file; another file has another */
    const char *uuid;     /* 32 hexadecimal digits, the same in every file */
    const char *started;  /* before anything was measured: 2026-11-21T16:12:27Z */
    const char *finished; /* NULL: not yet, or it was killed */
    const char *ridge;    /* version */
    const char *build;    /* compiler, flags, commit */
    const char *machine;  /* fingerprint: 16 hexadecimal digits */
    const char *machine_text;
    const char *command;  /* as it was typed; NULL: not known */
    const char *settings; /* JSON object: budget, pinned, governor, ...; NULL: {} */
    bool interrupted;     /* Ctrl-C ended it: rows it was to have may be missing */
    size_t first, rows;   /* those of its rows that are in ridge_measurements.rows */
    size_t row_count;     /* all it has */
} ridge_store_run;

/* runs, oldest first, and their rows; rows of a run are next to each other */
typedef struct ridge_measurements {
    ridge_store_run *runs;
    ridge_measured_row *rows;
    size_t run_count, row_count;
} ridge_measurements;

/* $XDG_DATA_HOME/ridge/measurements.db, else ~/.local/share/...; in the arena. NULL where neither variable is set. */
const char *ridge_store_default_path(ridge_arena *arena);
/* compiler, optimisation and flags, commit where it was known at build: "gcc 12.2.0 -O2 -g, 68c9262" */
const char *ridge_store_build(void);
/* did it end before all was measured that was to be? interrupted, killed, or still running */
bool ridge_store_run_is_cut(const ridge_store_run *run);
enum { RIDGE_STORE_DATE_CHARS = 21 };
/* now, in UTC: 2026-11-21T16:12:27Z; a command takes it before it measures, for ridge_store_run.started */
void ridge_store_now(char out[RIDGE_STORE_DATE_CHARS]);
/* "2026-11-21" or "2026-11-21T16:12:27Z" */
bool ridge_store_is_date(ridge_str text);

/* Opens (create: makes) a file. IO, SYNTAX (not a database), VALUE (another program's, a newer schema), UNKNOWN (no SQLite here) */
ridge_status ridge_store_open(ridge_store **out, const char *path, bool create, ridge_err *err);
void ridge_store_close(ridge_store *store); /* NULL is fine */

/* ---- writing ---- */
/* A new run; its number. uuid, started (now), ridge and build are made where NULL. VALUE where a member is not as above. */
ridge_status ridge_store_begin(int64_t *run, ridge_store *store, const ridge_store_run *what, ridge_err *err);
/* VALUE: row->machine (if any) is another than the run's, a NaN, a shape that is no JSON object, no such run */
ridge_status ridge_store_add(ridge_store *store, int64_t run, const ridge_measured_row *row, ridge_err *err);
/* with this on disk, nothing before it can be lost */
ridge_status ridge_store_end(ridge_store *store, int64_t run, ridge_err *err);
/* A whole run at once, for a command that has measured: opens (path NULL: the default file), adds, closes. All or nothing. */
ridge_status ridge_store_record(int64_t *run, const char *path, const ridge_store_run *what, const ridge_measured_row *rows, size_t count,
                                ridge_err *err);
/* All of them or none; VALUE for one that a baseline names, NAME for one that is not there. */
ridge_status ridge_store_delete(ridge_store *store, const int64_t *runs, size_t count, ridge_err *err);
/* Adds runs that are not there yet (by uuid) with their rows; all or nothing. */
ridge_status ridge_store_merge(size_t *added, size_t *known, ridge_store *store, const ridge_measurements *from, size_t count,
                               ridge_err *err);
/* The same into a file, which is made where there is none: with the runs in it or not at all. */
ridge_status ridge_store_import(size_t *added, size_t *known, const char *path, const ridge_measurements *from, size_t count,
                                ridge_err *err);

/* ---- reading ---- */
/* zero, RIDGE_UNSET or NULL: any */
typedef struct ridge_store_filter {
    int64_t run;
    const char *machine; /* first digits of a fingerprint */
    const char *since;   /* a date: runs started then or later */
    const char *kernel, *format;
    ridge_words sizes; /* "n=14336": every one of them must be in the row's shape */
    int64_t last;      /* the newest so many of the runs that have rows as wanted */
    bool finished;     /* only runs that ended, and not by Ctrl-C */
    bool runs_only;    /* rows are counted, not given */
} ridge_store_filter;
extern const ridge_option ridge_options_store_filter[]; /* kernel, format, size, machine, since, last, runs */
/* the fingerprint of this machine, in the arena */
ridge_status ridge_store_this_machine(const char **out, ridge_arena *arena, ridge_err *err);
/* With kernel, format or sizes, runs without such a row are left out. An empty answer is RIDGE_OK. */
ridge_status ridge_store_query(ridge_measurements *out, ridge_store *store, const ridge_store_filter *filter, ridge_arena *arena,
                               ridge_err *err);
/* NAME, with the nearest, where there are rows but none with this kernel or format (column: "kernel", "format") */
ridge_status ridge_store_check_name(ridge_store *store, const char *column, const char *name, ridge_err *err);

/* ---- baselines: names for runs ---- */
typedef struct ridge_baseline {
    const char *name;
    int64_t run;
    const char *set; /* when */
} ridge_baseline;
/* replaces one of that name. VALUE: the name is not letters, digits, '-', '_', '.'; NAME: no such run */
ridge_status ridge_store_baseline_set(ridge_store *store, const char *name, int64_t run, ridge_err *err);
/* NAME, with the nearest */
ridge_status ridge_store_baseline_find(int64_t *run, ridge_store *store, const char *name, ridge_err *err);
ridge_status ridge_store_baseline_delete(ridge_store *store, const char *name, ridge_err *err);
ridge_status ridge_store_baseline_list(ridge_baseline **out, size_t *count, ridge_store *store, ridge_arena *arena, ridge_err *err);

#endif
