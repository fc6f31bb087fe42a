/* template.h - what a model's source says, as entries of the catalog (docs/learning.md).
 * In: what `ridge learn` was asked for. Out: the text of a catalog file: one entry per class, and one for the config; owned by the arena.
 * Fails where the model cannot be built or no workload can be run; what is not known is said in the entries, and they refuse. */
#ifndef RIDGE_LEARN_TEMPLATE_TEMPLATE_H
#define RIDGE_LEARN_TEMPLATE_TEMPLATE_H

#include "learn/derive/derive.h"

typedef struct ridge_template_answer {
    const char *text;        /* JSON */
    const char *model;       /* the key of the model's entry */
    size_t entries, unknown; /* how many there are; how many of them refuse */
} ridge_template_answer;

/* is_taken: does the catalog have another entry of this key, which must stay? Ours is then called KEY__learned. NULL: none has. */
ridge_status ridge_template_learn(ridge_template_answer *out, const ridge_derive_request *request,
                                  bool (*is_taken)(const char *key, void *data), void *data, ridge_arena *arena, ridge_err *err);

#endif
