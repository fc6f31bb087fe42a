/* check.h - finds everything that is wrong with catalog entries, as far as it can be seen without evaluating a cost:
 * bad JSON, unknown fields and names, arity, unknown modules, cycles, overrides, locations, validation, the flat form.
 * In: files or a registry. Out: findings with file, line, column and excerpt, each once, owned by the arena.
 * Fails only for memory or a file that cannot be read; what is wrong with a catalog is an answer. */
#ifndef RIDGE_CATALOG_CHECK_H
#define RIDGE_CATALOG_CHECK_H

#include "catalog/inherit.h"
#include "catalog/uses.h"

typedef struct ridge_finding {
    bool warning;
    const ridge_symbol *entry; /* NULL: the file as a whole */
    ridge_err err;
} ridge_finding;

#define RIDGE_FINDINGS_LIMIT 10000

typedef struct ridge_check {
    ridge_registry *registry;
    ridge_arena *arena;
    ridge_err *err;   /* of the check itself */
    bool only_user;   /* look at loaded files only, not at the built-in catalog ... */
    size_t from_user; /* ... and only at those read after this many entries */
    ridge_finding *findings;
    size_t n, cap, errors, warnings;
    uint32_t *known; /* [known_cap], hash set of the findings: 1 + their place */
    size_t known_cap;
    bool full;                 /* RIDGE_FINDINGS_LIMIT is reached: no more are told */
    const ridge_symbol *entry; /* looked at now */
    ridge_source **sources;    /* that are checked, sorted by key */
    ridge_entry **entries;     /* of each, inspected; NULL where nothing could be made of it */
    size_t count;
    bool *config_fields; /* by symbol id: some config class has a field of this name */
    uint32_t config_field_count;
    size_t files; /* read */
} ridge_check;

void ridge_check_init(ridge_check *check, ridge_registry *registry, ridge_arena *arena, ridge_err *err);
/* Adds a catalog file, or the .json files of a folder, to the registry. */
ridge_status ridge_check_load(ridge_check *check, const char *path);
/* All that needs no costs. Fills sources and entries. */
ridge_status ridge_check_entries(ridge_check *check);
/* errors first found in each file first; call once at the end */
void ridge_check_sort(ridge_check *check);

/* Takes the error as a problem of the entry looked at (unless it is known) and clears it. */
ridge_status ridge_check_add(ridge_check *check, bool warning, ridge_err *fault);

/* ---- between the files of the check ---- */
void ridge_check_identity(ridge_check *check, const ridge_ancestor *chain); /* name, location, validation, thinking, examples */
/* does it accept every call that the built-in entry of its name accepts */
void ridge_check_override(ridge_check *check, const ridge_ancestor *chain, const ridge_entry *entry);
/* can the models of a config entry that inherits another find it */
void ridge_check_config_heir(ridge_check *check, const ridge_ancestor *chain, const ridge_entry *entry);
/* are the configs nested in it there, and is none of them within itself; looks at each source once, whoever nests it */
ridge_status ridge_check_nested_configs(ridge_check *check, ridge_source *source, const ridge_entry *entry);
void ridge_check_flat(ridge_check *check, const ridge_ancestor *chain, const ridge_entry *entry);
/* a problem at a place of the entry's JSON */
void ridge_check_at(ridge_check *check, bool warning, ridge_status code, const ridge_ancestor *from, const ridge_json *at, const char *fmt,
                    ...) __attribute__((format(printf, 6, 7)));
/* An entry to compare with, compiled strictly; NULL where it is absent or faulty (which is told elsewhere). */
const ridge_entry *ridge_check_entry(ridge_check *check, const ridge_symbol *key);

#endif
