/* compile.h - the pieces an entry is compiled with; private to the catalog folder. */
#ifndef RIDGE_CATALOG_COMPILE_H
#define RIDGE_CATALOG_COMPILE_H

#include "catalog/entry.h"
#include "catalog/inherit.h"

typedef struct ridge_compiler {
    ridge_registry *registry;
    ridge_arena *arena;
    ridge_err *err;
    ridge_ancestor *chain; /* the entry, its parent, ... */
    ridge_scope scope;
    ridge_report *report; /* faults go here and compiling goes on; NULL: the first one ends it */
    void *report_data;
} ridge_compiler;

/* Where faults are reported: reports this one (with c->err) and answers OK, so that the next part is looked at; else `st`. */
ridge_status ridge_compile_tolerate(ridge_compiler *c, ridge_status st);
/* TYPE: what should stand there */
ridge_status ridge_compile_wrong(ridge_compiler *c, const ridge_ancestor *from, const ridge_json *at, const char *what);

/* letters, digits and "_", no digit first */
bool ridge_compile_is_name(ridge_str text);
/* index of a word in a list, -1 where it is none of them */
int ridge_compile_word(ridge_str word, const char *const *words, size_t count);
void *ridge_compile_array(ridge_compiler *c, size_t count, size_t size);
/* a name and its slot */
ridge_status ridge_compile_slot(ridge_compiler *c, uint32_t *slot, const ridge_symbol **name, ridge_str text);
/* the formula in a JSON string, number, boolean or null */
ridge_status ridge_compile_expr(ridge_compiler *c, ridge_expr **out, const ridge_ancestor *from, const ridge_json *at);
/* a formula that is part of the string `at` */
ridge_status ridge_compile_text(ridge_compiler *c, ridge_expr **out, const ridge_ancestor *from, const ridge_json *at, ridge_str text);
ridge_status ridge_compile_parameters(ridge_compiler *c, ridge_parameter **out, size_t *count, ridge_member field);
/* name -> formula; with slots, each name can be used in the formulas after it */
ridge_status ridge_compile_named(ridge_compiler *c, ridge_named_list *out, const ridge_member *members, size_t count, bool slots);

ridge_status ridge_compile_breakdown(ridge_compiler *c, ridge_entry *e); /* breakdown and fused */
ridge_status ridge_compile_purpose(ridge_compiler *c, ridge_entry *e);   /* role, heads, kernel, and how the breakdown splits */
/* a role's word */
ridge_status ridge_compile_role(ridge_compiler *c, ridge_role *out, const ridge_ancestor *from, const ridge_json *at);
/* {"linear": {"rows": formula, ..}}, or a list of such */
ridge_status ridge_compile_runs(ridge_compiler *c, ridge_run_specs *out, const ridge_ancestor *from, const ridge_json *at);
ridge_status ridge_compile_operator(ridge_compiler *c); /* of kind operator: form alone */
ridge_status ridge_compile_config(ridge_compiler *c, ridge_entry *e);
ridge_status ridge_compile_flat(ridge_compiler *c, ridge_entry *e);

/* the word of a list that is nearest; NULL where none is near */
const char *ridge_compile_nearest(ridge_str word, const char *const *words, size_t count);
/* UNKNOWN, with the nearest name */
ridge_status ridge_registry_unknown(ridge_registry *r, const ridge_symbol *key, ridge_err *err);

#endif
