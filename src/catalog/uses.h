/* uses.h - what an entry is built from: the formulas it holds, the entries it calls and names.
 * In: a compiled (or inspected) entry. Out: lists in order of appearance, owned by the arena. Fails only for memory. */
#ifndef RIDGE_CATALOG_USES_H
#define RIDGE_CATALOG_USES_H

#include "catalog/entry.h"

/* calls `visit` for every formula of the entry; `context` is that of a flat entry's template (else FLOPS) */
typedef ridge_status ridge_expr_visit(void *data, const ridge_expr *expr, ridge_context context);
ridge_status ridge_entry_expressions(const ridge_entry *entry, ridge_expr_visit *visit, void *data);
/* the same for parts of an entry, with the context FLOPS: a list of names, a component with those below it */
ridge_status ridge_named_expressions(const ridge_named_list *list, ridge_expr_visit *visit, void *data);
ridge_status ridge_component_expressions(const ridge_component *component, ridge_expr_visit *visit, void *data);

/* one {Module}(args) of an entry */
typedef struct ridge_use {
    const ridge_expr *expr;
    ridge_context context;
    ridge_module_use call;
} ridge_use;
ridge_status ridge_entry_calls(ridge_use **out, size_t *count, const ridge_entry *entry, ridge_arena *arena, ridge_err *err);

/* What a parameter (of a flat entry: of the template for `context`) is used as, here and in what it is passed on to. */
enum { RIDGE_USED_AS_NUMBER = 1, RIDGE_USED_AS_STRING = 2 }; /* a number or a truth; a word like 'gelu'. Neither or both: cannot be told */
unsigned ridge_parameter_uses(ridge_registry *registry, const ridge_entry *entry, ridge_context context, size_t index);

/* every entry it needs, each once: called, inherited from, a head class, a nested config */
ridge_status ridge_entry_needs(const ridge_symbol ***out, size_t *count, ridge_registry *registry, const ridge_entry *entry,
                               ridge_arena *arena, ridge_err *err);

#endif
