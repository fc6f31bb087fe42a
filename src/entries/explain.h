/* explain.h - where a module's number comes from: its formulas, the values put in, the results, the template's place.
 * In: a finished exact analysis, a module's path (a folded row's name means its first module). Out: one struct; texts live as long as the
 * analysis. Fails (NAME) where there is no such module, with the nearest, and as the formulas do. */
#ifndef RIDGE_ENTRIES_EXPLAIN_H
#define RIDGE_ENTRIES_EXPLAIN_H

#include "model/records.h"

/* a name and what it stands for */
typedef struct ridge_bound_name {
    const char *name;
    ridge_str formula; /* of a local name */
    ridge_value value;
} ridge_bound_name;

typedef struct ridge_template_place {
    const char *file;
    unsigned line;
} ridge_template_place;

/* a formula of the module itself; reads and writes are elements */
typedef struct ridge_explained_amount {
    const char *what, *kind; /* "flops", "matmul" */
    ridge_str formula;
    ridge_value value;
    ridge_template_place place;
} ridge_explained_amount;

typedef struct ridge_explained_part {
    ridge_str name;
    ridge_value calls;
    bool has_formula;
    ridge_str formula; /* how the template calls it */
    ridge_template_place place;
    ridge_flop_sums flops; /* of one call */
    ridge_byte_sums bytes;
} ridge_explained_part;

typedef struct ridge_explanation {
    const char *model, *architecture;
    ridge_str path;
    const char *class_name;
    const ridge_entry *entry; /* NULL: a container, which costs nothing itself */
    ridge_template_place place;
    const char *source; /* "src/.../modeling_gpt2.py:307"; NULL: the entry does not say */
    ridge_str thinking; /* p NULL: ... */
    bool fused;         /* a fused kernel of a module above reads and writes for it */
    ridge_bound_name *arguments, *locals;
    size_t argument_count, local_count;
    ridge_explained_amount *amounts;
    size_t amount_count;
    ridge_explained_part *parts;
    size_t part_count;
    ridge_flop_sums flops; /* of one call */
    ridge_byte_sums bytes;
} ridge_explanation;

ridge_status ridge_explain(ridge_explanation *out, ridge_analysis *analysis, const char *path, ridge_err *err);
extern const ridge_record ridge_explanation_record;
/* width: columns of a line of prose */
void ridge_explanation_text(ridge_buf *out, const ridge_explanation *explanation, ridge_arena *arena, size_t width);

#endif
