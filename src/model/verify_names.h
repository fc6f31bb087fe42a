/* verify_names.h - what the libraries rename, join and split between a checkpoint and its model, as tables of names.
 * In: a tensor's name in a file. Out: the names that it may have in the model, or of what it is a part.
 * Sources: transformers' modeling_utils.py (base_model_prefix, gamma and beta, weight_norm), the _checkpoint_conversion_mapping of its
 * models and conversion_mapping.py of 5.x; the names of quantised checkpoints as their libraries write them. */
#ifndef RIDGE_MODEL_VERIFY_NAMES_H
#define RIDGE_MODEL_VERIFY_NAMES_H

#include "base/str.h"

enum { RIDGE_NAME_MOST = 1024, RIDGE_NAMES_MOST = 24 };

/* a name made of others; longer ones are not made */
typedef struct ridge_name {
    char text[RIDGE_NAME_MOST];
    size_t n;
} ridge_name;
static inline ridge_str ridge_name_str(const ridge_name *name)
{
    return (ridge_str){name->text, name->n};
}
/* before, middle and after, one behind another; false: too long */
bool ridge_name_make(ridge_name *out, ridge_str before, ridge_str middle, ridge_str after);

/* a whole prefix of a name that is put before all of them, or taken away: "model." */
typedef struct ridge_name_prefix {
    ridge_str text; /* n == 0: none */
    bool added;     /* the file lacks it */
} ridge_name_prefix;

/* The names that one of a file may have in the model, the name itself first; whys[i]: which rule it was, NULL for the first. */
size_t ridge_names_of(ridge_name names[RIDGE_NAMES_MOST], const char *whys[RIDGE_NAMES_MOST], ridge_str stored, ridge_name_prefix prefix);

/* Tensors that one side keeps as one and the other as several: "experts.gate_up_proj" and "experts.*.gate_proj.weight", where * is a
 * number. */
typedef struct ridge_name_fusion {
    const char *whole;
    const char *parts[4]; /* NULL-terminated */
    const char *why;
} ridge_name_fusion;
extern const ridge_name_fusion ridge_name_fusions[]; /* whole NULL ends them */
/* Does the name end in this pattern, at the beginning of a part of it? *before: what stands in front of that. */
bool ridge_name_ends_in(ridge_str *before, ridge_str name, const char *pattern);

/* What quantised checkpoints keep beside a weight, or in its place. */
typedef struct ridge_name_quantised {
    const char *ending; /* "_proj.qweight" ends in ".qweight" */
    const char *weight; /* of the weight it belongs to, instead of that ending: ".weight" */
    bool packs;         /* it holds the weight itself */
    const char *why;
} ridge_name_quantised;
extern const ridge_name_quantised ridge_name_quantised_list[]; /* ending NULL ends them */

/* Why a tensor of a file is one that the libraries leave out: a buffer of an older version; NULL: it is none. */
const char *ridge_name_ignored(ridge_str stored);

#endif
