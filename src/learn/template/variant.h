/* variant.h - other configurations that show what the given one does not: each flips one condition that was asked.
 * In: a lesson. Out: the flips that can be written as a config, most telling first; then the config of one. Owned by the lesson's arena. */
#ifndef RIDGE_LEARN_TEMPLATE_VARIANT_H
#define RIDGE_LEARN_TEMPLATE_VARIANT_H

#include "learn/template/lesson.h"

#define RIDGE_VARIANTS 6

typedef struct ridge_template_variant {
    const char *condition; /* its text */
    bool holds;            /* in the base */
    const char *when;      /* the formula that is true in the variant and false in the base */
    const char *path;      /* the field that is changed: "text_config.head_dim" */
    const char *value;     /* to what, as JSON */
    uint32_t longer, more; /* lists of `longer` items get `more` of them, like the last; 0: none does */
} ridge_template_variant;

ridge_status ridge_variants_choose(ridge_template_variant **out, size_t *count, const ridge_lesson *base);
/* more of what a field counts (layers), and of what lists say of each: as many as no other field of the base says */
ridge_status ridge_variant_longer(ridge_template_variant *out, const ridge_draft_field *field, const ridge_lesson *base);
/* another number (the first of some, the second, ..), or the items of a list in another order; value NULL: there is no other */
ridge_status ridge_variant_other(ridge_template_variant *out, const ridge_draft_field *field, unsigned which, const ridge_calc *calc);
/* base: the config as given; NULL: the class's defaults */
ridge_status ridge_variant_config(const ridge_json **out, const ridge_json *base, const ridge_template_variant *variant,
                                  const ridge_calc *calc);

#endif
