/* lesson.h - what one configuration of a model teaches: drafts of its classes, and the conditions under which they are right.
 * In: what `ridge learn` was asked for. Out: the lesson, owned by the arena of `calc`, its numbers polynomials of calc's algebra.
 * Fails where the model cannot be built, or no workload can be run. It is not moved once it is taken: its parts point to each other. */
#ifndef RIDGE_LEARN_TEMPLATE_LESSON_H
#define RIDGE_LEARN_TEMPLATE_LESSON_H

#include "learn/derive/derive.h"
#include "learn/template/block.h"

#define RIDGE_LESSON_RUNS 4

typedef struct ridge_lesson {
    ridge_derivation d;
    ridge_sketch_run runs[RIDGE_LESSON_RUNS]; /* merged into the first */
    size_t run_count;
    ridge_sketch_condition *conditions;
    size_t condition_count, last_condition; /* last: of the interpreter's, those after it are of a run that failed */
    ridge_draft_field *fields;
    size_t field_count;
    ridge_drafts drafts;
    ridge_blocks blocks;
    ridge_calc calc;
    ridge_translation t; /* of the interpreter's numbers */
    const char *failed;  /* why a run ended early; NULL: none did */
} ridge_lesson;

ridge_status ridge_lesson_take(ridge_lesson *l, const ridge_derive_request *request, const ridge_calc *calc);

#endif
