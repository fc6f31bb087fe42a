/* inherit.h - the fields of an entry after inheritance (for compiling, checking and showing it).
 * In: an entry's JSON and that of its ancestors. Out: members in order, each with the place it stands and the renames
 * that hold for references inside it. */
#ifndef RIDGE_CATALOG_INHERIT_H
#define RIDGE_CATALOG_INHERIT_H

#include "catalog/registry.h"

typedef struct ridge_rename {
    ridge_str from, to; /* key prefixes: the ancestor's family, the heir's */
} ridge_rename;

/* One entry of the chain: the entry itself, its parent, ... */
typedef struct ridge_ancestor {
    ridge_registry *registry;
    ridge_source *source;
    const ridge_json *json;
    struct ridge_ancestor *parent; /* NULL: none */
    bool implied;                  /* the parent is the built-in entry that this one replaces, without naming it */
    ridge_rename *renames;         /* applied in order to references in this one's text */
    size_t rename_count;
} ridge_ancestor;

typedef struct ridge_member {
    ridge_str key;
    const ridge_json *value;
    const ridge_ancestor *from;
    unsigned line, col; /* of the key */
} ridge_member;

typedef struct ridge_members {
    ridge_member *p;
    size_t n, cap;
} ridge_members;

ridge_status ridge_inherit_chain(ridge_ancestor **out, ridge_registry *registry, ridge_source *source, ridge_err *err);

/* An entry inherits what 'inherits' names; a user's entry that names none inherits the built-in one that it replaces, so that it can say
 * something else, but not forget something. */
/* A field's value and where it comes from; NULL value where no one gives it. Fields of identity (class, module_path, code_location,
 * thinking, validation, examples) are not inherited, and what is said of a breakdown (fused, tied, split, heads, kernel) stays with it. */
ridge_member ridge_inherit_field(const ridge_ancestor *chain, const char *field);
/* The members of an object field, `field+` merged in. */
ridge_status ridge_inherit_members(ridge_members *out, const ridge_ancestor *chain, const char *field, ridge_err *err);

/* the key a {reference} in this ancestor's text means */
const ridge_symbol *ridge_inherit_reference(const ridge_ancestor *from, ridge_str name);

/* error at a JSON value of this ancestor */
ridge_status ridge_inherit_fail(ridge_err *err, ridge_status code, const ridge_ancestor *from, const ridge_json *at, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* a place in the entry's text -> in its file */
unsigned ridge_inherit_line(const ridge_ancestor *from, unsigned line);
unsigned ridge_inherit_col(const ridge_ancestor *from, unsigned line, unsigned col);

#endif
