/* db.h - the catalog as a database: list, show, check, export, add.
 * In: an open registry (or a check with its files loaded). Out: text or JSON appended to a buffer.
 * The user's own entries are kept in user.json of the user's catalog folder, replaced atomically under a lock. */
#ifndef RIDGE_ENTRIES_DB_H
#define RIDGE_ENTRIES_DB_H

#include "catalog/check.h"

/* ---- list ---- */
typedef struct ridge_db_filter {
    const char *text;    /* part of the name, either spelling, case ignored; NULL: any */
    const char *library; /* "torch"; NULL: any */
    int kind;            /* ridge_kind; negative: any */
} ridge_db_filter;

ridge_status ridge_db_list(ridge_buf *out, ridge_registry *registry, const ridge_db_filter *filter, bool json, ridge_arena *arena,
                           ridge_err *err);

/* ---- show ---- */
/* by key, dotted path or class path; UNKNOWN with a suggestion */
ridge_status ridge_db_find(ridge_source **out, ridge_registry *registry, const char *name, ridge_err *err);
ridge_status ridge_db_show(ridge_buf *out, ridge_registry *registry, ridge_source *source, bool recursive, bool json, ridge_arena *arena,
                           ridge_err *err);

/* "torch": the part of a key before the first __ */
ridge_str ridge_db_library(const ridge_symbol *key);
/* what the entry itself says; n == 0: nothing */
ridge_str ridge_db_validation(const ridge_json *entry);
/* kind and class after inheritance */
ridge_kind ridge_db_kind(ridge_registry *registry, ridge_source *source);

/* ---- check ---- */
/* ridge_check_entries, the examples, the totals of flat entries; sorted */
ridge_status ridge_db_check(ridge_check *check);
void ridge_db_check_write(ridge_buf *out, const ridge_check *check, bool json);
void ridge_db_check_examples(ridge_check *check, const ridge_source *source);
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
typedef enum ridge_change {
#define X(code, name) RIDGE_CHANGE_##code,
    RIDGE_CHANGE_LIST(X)
#undef X
} ridge_change;
extern const char *const ridge_change_names[];

typedef struct ridge_db_added {
    const ridge_symbol *key;
    ridge_change change;
} ridge_db_added;

/* Checks `file` over the built-in catalog and the user's folder, then merges its entries there. CHECK where the check finds errors
 * (nothing is written; they are in `check`), VALUE where an entry is there already and differs and `replace` is not set. */
ridge_status ridge_db_add(ridge_db_added **out, size_t *count, ridge_check *check, const char *file, bool replace);

#endif
