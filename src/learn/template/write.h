/* write.h - drafts as JSON of the catalog.
 * In: drafts, and what is known of their source. Out: the text of a catalog file. */
#ifndef RIDGE_LEARN_TEMPLATE_WRITE_H
#define RIDGE_LEARN_TEMPLATE_WRITE_H

#include "learn/package/package.h"
#include "learn/template/draft.h"

typedef struct ridge_template_text {
    ridge_package *package;
    const char *library, *version;
    const ridge_draft *model;
    const ridge_sketch_tie *ties; /* of the model */
    size_t tie_count;
    const char *tied_when;        /* the condition that ties them; NULL: always */
    const ridge_sketches *always; /* where that does not hold: what is tied there is tied always */
    const char *answered;         /* what a person or a program answered, as JSON: every entry is pending then; NULL: nothing */
    const ridge_calc *calc;
} ridge_template_text;

/* every draft that is not known: one member each, into an object that is open */
ridge_status ridge_template_write(ridge_json_writer *w, const ridge_drafts *drafts, const ridge_template_text *about);
/* what a draft says in words: its parts, and which source lines made which term; NULL when memory runs out */
const char *ridge_draft_words(const ridge_draft *draft, const ridge_calc *calc);

#endif
