/* inspect.h - the module tree of a model: paths, classes, shapes, parameters, ties. Of weight files without a config, what they hold; of an
 * inventory, its own tree. In: a model, which modules are wanted. Out: one struct that owns its analysis; JSON lists every module, people
 * get equal layers folded. Fails as the analysis does; (UNKNOWN) for people where --partial knows nothing. */
#ifndef RIDGE_MODEL_INSPECT_H
#define RIDGE_MODEL_INSPECT_H

#include "graph/tree.h"
#include "input/inventory.h"
#include "model/records.h"
#include "model/contents.h"
#include "model/verify.h"

typedef struct ridge_inspect_request {
    ridge_model_request model;
    bool all;      /* layers unfolded */
    int64_t depth; /* deepest module shown; RIDGE_UNSET: all */
    bool verify;   /* the tree beside the weight files */
} ridge_inspect_request;

extern const ridge_option ridge_options_inspect[]; /* all, depth, verify */

typedef struct ridge_inspect_row {
    const ridge_tree *tree;         /* NULL: of weight files, */
    const ridge_contents *contents; /* which are these */
    uint32_t index;                 /* in the one or the other */
    ridge_str path;
    const char *class_name;
    ridge_int parameters, parameters_total;
} ridge_inspect_row;

/* of a model that is an inventory (input/inventory.h) */
typedef struct ridge_inspect_inventory_told {
    ridge_inventory read;
    ridge_stored_weights formats;
    const char *torch, *python, *failed;
    ridge_int operators; /* -1: none are recorded */
} ridge_inspect_inventory_told;

typedef struct ridge_inspect_answer {
    ridge_analysis *analysis; /* NULL: of weight files, or of an inventory */
    ridge_arena arena;        /* of the files' tables */
    ridge_tree tree;
    ridge_model_told told;
    const char *class_name; /* NULL where nothing is known */
    ridge_int weights_bytes, buffers_bytes;
    const ridge_stored_share *stored; /* of a file that says how its weights are stored */
    size_t stored_count;
    const ridge_object *config; /* NULL where nothing is known */
    ridge_inspect_row *rows;
    size_t row_count;
    const ridge_unknown *unknown;
    size_t unknown_count;
    ridge_words warnings;
    ridge_weights weights;
    ridge_contents *contents;                /* NULL: the files were not read */
    ridge_verify *verify;                    /* NULL: nobody asked */
    ridge_parameter_counts counts;           /* of weight files, of an inventory */
    ridge_inspect_inventory_told *inventory; /* NULL: the model is none */
} ridge_inspect_answer;

/* free with ridge_inspect_answer_free also after an error; a comparison that finds differences is none */
ridge_status ridge_inspect_answer_make(ridge_inspect_answer *out, ridge_registry *registry, const ridge_inspect_request *request,
                                       ridge_err *err);
void ridge_inspect_answer_free(ridge_inspect_answer *answer);

/* The model is an inventory: its tree, without the rows. */
ridge_status ridge_inspect_inventory(ridge_inspect_answer *out, const ridge_model_request *request, ridge_err *err);
/* a class without its Python module */
const char *ridge_inspect_short_class(const char *name);
/* what stands above its tree */
void ridge_inspect_inventory_summary(ridge_buf *out, ridge_inspect_answer *answer);

extern const ridge_record ridge_inspect_record, ridge_inspect_row_record, ridge_inspect_inventory_record;
ridge_status ridge_inspect_text(ridge_buf *out, ridge_inspect_answer *answer, const ridge_inspect_request *request, ridge_err *err);

#endif
