/* verdict.h - what `ridge validate` found of entries on this machine, kept beside the user's catalog, one file per entry.
 * In: an entry's source. Out: the verdict that holds for its text as it is; one of another text is stale, and counts as none.
 * A verdict goes before what the entry says of itself. Owned by the arena. */
#ifndef RIDGE_CATALOG_VERDICT_H
#define RIDGE_CATALOG_VERDICT_H

#include "catalog/registry.h"

/* {"status", "validator", "date", ..} as an entry's `validation` has it, with the rows that differ; NULL: there is none */
ridge_status ridge_verdict_find(const ridge_json **out, const ridge_source *source, ridge_arena *arena, ridge_err *err);
/* `verdict`: the members of that object as JSON, without its braces. Atomic. *path: where it was written; NULL: there is no place for it */
ridge_status ridge_verdict_write(const char **path, const ridge_source *source, ridge_str verdict, ridge_arena *arena, ridge_err *err);
/* the verdict of this machine, or what the entry says itself; NULL: neither says anything */
ridge_status ridge_verdict_or_own(const ridge_json **out, const ridge_source *source, ridge_arena *arena, ridge_err *err);

#endif
