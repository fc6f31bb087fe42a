/* db.h - the catalog as a database: list, show, check, export, add.
 * In: an open registry, or a check with its files loaded. Out: answers in an arena, which point into the registry.
 * The user's own entries are kept in user.json of the user's catalog folder, replaced atomically under a lock. */
#ifndef RIDGE_ENTRIES_DB_H
#define RIDGE_ENTRIES_DB_H

#include "catalog/check.h"
#include "report/record.h"

typedef struct ridge_db_entry {
    ridge_source *source;
    const char *name, *key; /* torch.nn.Linear, torch__nn__Linear */
    ridge_kind kind;        /* after inheritance */
    ridge_str library;      /* "torch": the part of the key before the first __ */
    ridge_origin origin;
    const char *file;
    unsigned line;
} ridge_db_entry;

/* by key, dotted path or class path; UNKNOWN with a suggestion */
ridge_status ridge_db_find(ridge_source **out, ridge_registry *registry, const char *name, ridge_err *err);
ridge_status ridge_db_describe(ridge_db_entry *out, ridge_registry *registry, ridge_source *source, ridge_err *err);
extern const ridge_record ridge_db_entry_record;

/* ---- list ---- */
typedef struct ridge_db_list_request {
    const char *text;    /* part of the name, either spelling, case ignored; NULL: any */
    const char *library; /* "torch"; NULL: any */
    int kind;            /* 0: any, else a ridge_kind + 1 */
    int status;          /* 0: any, 1: none, else a ridge_validation + 2 */
} ridge_db_list_request;
extern const ridge_option ridge_options_db_list[]; /* kind, library */

typedef struct ridge_db_row {
    ridge_db_entry entry;
    ridge_str validation; /* its status; p NULL: it has none */
} ridge_db_row;

typedef struct ridge_db_list_answer {
    ridge_db_row *rows; /* by library, then by key */
    size_t count, derived, validated, user;
    size_t by_kind[RIDGE_KIND_COUNT];
} ridge_db_list_answer;
ridge_status ridge_db_list_answer_make(ridge_db_list_answer *out, ridge_registry *registry, const ridge_db_list_request *request,
                                       ridge_arena *arena, ridge_err *err);
extern const ridge_record ridge_db_list_record, ridge_db_row_record;
void ridge_db_list_text(ridge_buf *out, const ridge_db_list_answer *answer);

/* ---- show ---- */
typedef struct ridge_db_show_request {
    const char *name;
    bool recursive; /* what it needs, down to the leaves */
} ridge_db_show_request;
extern const ridge_option ridge_options_db_show[];

typedef struct ridge_db_line {
    const char *section; /* "entry", "flops", "needs" */
    const char *name, *value;
    unsigned depth;   /* below what it is needed for */
    const char *json; /* of a field: its value, with every {reference} as it is meant here; else NULL */
} ridge_db_line;

typedef struct ridge_db_show_answer {
    ridge_db_entry entry;
    const char *class_name;
    bool overrides, recursive;
    const char *code_location, *validation, *text; /* JSON as it stands in the file; NULL: it says nothing */
    ridge_db_line *lines;
    size_t count, cap, first_need, first_user;
    ridge_words needs, all_needs, users;
} ridge_db_show_answer;
ridge_status ridge_db_show_answer_make(ridge_db_show_answer *out, ridge_registry *registry, const ridge_db_show_request *request,
                                       ridge_arena *arena, ridge_err *err);
extern const ridge_record ridge_db_show_record, ridge_db_line_record;
void ridge_db_show_text(ridge_buf *out, const ridge_db_show_answer *answer);

/* ---- check ---- */
typedef struct ridge_db_problem {
    const char *severity, *code, *entry, *file; /* entry, file: NULL where it is of none */
    unsigned line, column;
    const char *message, *excerpt;
} ridge_db_problem;

/* a shipped model that is another with the entries looked at: figures of a prefill */
typedef struct ridge_db_model_change {
    const char *model;
    ridge_int parameters_before, parameters_after, flops_before, flops_after, bytes_before, bytes_after; /* after: -1 with `error` */
    const char *error;                                                                                   /* NULL: it is counted */
} ridge_db_model_change;

typedef struct ridge_db_check_answer {
    size_t entries, errors, warnings;
    ridge_db_problem *problems; /* by place */
    size_t count;
    bool has_overrides; /* some of the entries stand for built-in ones */
    ridge_db_model_change *changes;
    size_t change_count;
} ridge_db_check_answer;
/* ridge_check_entries, the examples, the totals of flat entries, what overrides change */
ridge_status ridge_db_check(ridge_db_check_answer *out, ridge_check *check);
extern const ridge_record ridge_db_check_record, ridge_db_problem_record;
extern const ridge_record ridge_db_model_change_record;
void ridge_db_check_text(ridge_buf *out, const ridge_db_check_answer *answer, ridge_arena *arena);
ridge_status ridge_db_check_changes(ridge_db_check_answer *out, ridge_check *check);
void ridge_db_check_changes_text(ridge_buf *out, const ridge_db_check_answer *answer, ridge_arena *arena);
void ridge_db_check_totals(ridge_check *check, const ridge_entry *flat);

/* ---- export ---- */
/* the merged database: one object, keys sorted, every entry as it stands in its file */
ridge_status ridge_db_export(ridge_buf *out, ridge_registry *registry, ridge_err *err);

/* ---- add ---- */
#define RIDGE_CHANGE_LIST(X)                                                                                                               \
    X(ADDED, "added")                                                                                                                      \
    X(OVERRIDDEN, "overridden")                                                                                                            \
    X(REPLACED, "replaced")                                                                                                                \
    X(UNCHANGED, "unchanged")
typedef enum ridge_db_change {
#define X(code, name) RIDGE_CHANGE_##code,
    RIDGE_CHANGE_LIST(X)
#undef X
} ridge_db_change;

typedef struct ridge_db_add_request {
    const char *file;
    bool replace;
} ridge_db_add_request;
extern const ridge_option ridge_options_db_add[];

typedef struct ridge_db_added {
    const char *name;
    ridge_db_change change;
    const ridge_source *now, *old; /* old: the user's own entry of this name before; NULL: none */
} ridge_db_added;

typedef struct ridge_db_add_answer {
    ridge_db_check_answer check;
    ridge_db_added *entries;
    size_t count;
} ridge_db_add_answer;
/* Checks the file over the built-in catalog and the user's folder, then merges its entries there. CHECK where the check finds errors
 * (nothing is written, and `check` tells them), VALUE where an entry is there already and differs and `replace` is not set. */
ridge_status ridge_db_add(ridge_db_add_answer *out, ridge_check *check, const ridge_db_add_request *request);
extern const ridge_record ridge_db_add_record, ridge_db_added_record;
void ridge_db_add_text(ridge_buf *out, const ridge_db_add_answer *answer, ridge_arena *arena);

#endif
