/* lesson.h - what one configuration of a model teaches: drafts of its classes, and the conditions under which they are right.
 * In: what `ridge learn` was asked for. Out: the lesson, owned by the arena of `calc`, its numbers polynomials of calc's algebra.
 * Fails where the model cannot be built, or no workload can be run. It is not moved once it is taken: its parts point to each other. */
#ifndef RIDGE_LEARN_TEMPLATE_LESSON_H
#define RIDGE_LEARN_TEMPLATE_LESSON_H

#include "learn/derive/derive.h"
#include "learn/template/block.h"

#define RIDGE_LESSON_RUNS 9 /* at most RIDGE_SKETCH_RUNS */

typedef struct ridge_lesson {
    ridge_derivation d;
    ridge_derive_run derived[RIDGE_LESSON_RUNS + 1];
    ridge_sketch_run runs[RIDGE_LESSON_RUNS]; /* the same, as sketches; merged into the first */
    size_t run_count;
    ridge_sketch_condition *conditions;
    size_t condition_count, built_conditions; /* built: of the interpreter's, before any run */
    ridge_value *facts;                       /* numbers that are not negative in any run: the conditions that say so are needs */
    size_t fact_count;
    ridge_draft_field *fields;
    size_t field_count;
    ridge_drafts drafts;
    ridge_blocks blocks;
    ridge_calc calc;
    ridge_sketch_argument renamed[4]; /* an encoder-decoder's lengths, an image's sides */
    bool square;                      /* images are: their sides have one name */
    const char *failed;               /* why a run ended early; NULL: none did */
} ridge_lesson;

/* names of fields by which no rule tells the elements of a list apart (ridge_draft_field.doubted) */
typedef struct ridge_lesson_doubts {
    const char **names;
    size_t count, cap;
} ridge_lesson_doubts;

/* ---- for the files of this folder ---- */
/* What was asked, in all runs: which conditions hold in each, and what that says of numbers. */
ridge_status ridge_lesson_conditions(ridge_lesson *l);
/* the names of a run as the catalog has them */
void ridge_lesson_rename(ridge_translation *t, const ridge_lesson *l, const ridge_derive_workload *w);

/* is_taken, data: as in ridge_drafts */
ridge_status ridge_lesson_take(ridge_lesson *l, const ridge_derive_request *request, const ridge_lesson_doubts *doubts,
                               bool (*is_taken)(const char *key, void *data), void *data, const ridge_calc *calc);

#endif
