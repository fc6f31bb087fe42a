/* against.h - what if: a prediction beside the same prediction with some options changed.
 * In: changes as people write them ("weights=q4_K+kv=fp8", "a100-sxm-80"), a finished prediction. Out: the changed predictions and their
 * rows matched with those of now by path, owned by the ridge_against. Every figure is a prediction of its own; nothing is scaled.
 * Fails (USAGE) on an unknown key, word or value, with the nearest valid one; otherwise as predict.h does. docs/advice.md */
#ifndef RIDGE_ADVICE_AGAINST_H
#define RIDGE_ADVICE_AGAINST_H

#include "predict/predict.h"
#include "base/json.h"

enum { RIDGE_CHANGES = 16 };

typedef struct ridge_change {
    const ridge_option *option; /* of ridge_predict_tables */
    const char *value;          /* as the option takes it; formats, counts and machines under their own names */
} ridge_change;

/* options that change together: one variant */
typedef struct ridge_changes {
    ridge_change items[RIDGE_CHANGES];
    size_t count;
} ridge_changes;

/* One --against: changes joined with '+' or ','; after ',' a key that comes again begins the next variant. A word without '=' is a
 * machine, a number format (of the weights) or a word of one option ("eager", "full", "estimate"). Variants and their text are in the
 * arena. */
ridge_status ridge_changes_parse(ridge_changes **variants, size_t *count, const char *text, ridge_machines *machines, ridge_arena *arena,
                                 ridge_err *err);
/* adds one change that the program itself makes, `name` an option, `value` valid; false: no room */
bool ridge_changes_add(ridge_changes *changes, const char *name, const char *value);
/* the same over what is there of that option */
void ridge_changes_put(ridge_changes *changes, const ridge_change *change);
/* The request with the changes made. Another phase or prompt takes the lengths that follow from it, where none is given. */
ridge_status ridge_changes_apply(ridge_predict_request *request, const ridge_changes *changes, ridge_arena *arena, ridge_err *err);
/* "weights=q4_K, kv=fp8_e4m3"; NULL when memory runs out */
const char *ridge_changes_text(const ridge_changes *changes, ridge_arena *arena);
/* {"weights": "q4_K", "batch": 8}: keys as in the JSON of workloads, counts as numbers */
void ridge_changes_json(ridge_json_writer *w, const ridge_changes *changes);

/* a row of the difference table; one of the two is NULL where the row exists on one side only */
typedef struct ridge_against_row {
    const ridge_predicted_row *now, *then;
} ridge_against_row;

typedef struct ridge_variant {
    ridge_changes changes;
    const char *text;
    ridge_predict_request request;
    ridge_prediction *then;
    ridge_against_row *rows; /* those of now in their order, those of then alone after the row they follow there */
    size_t row_count;
} ridge_variant;

typedef struct ridge_against {
    ridge_arena arena;
    const ridge_prediction *now; /* the caller's */
    ridge_variant *variants;
    size_t count;
} ridge_against;

/* The variants that the texts ask for. Allocated; free with ridge_against_free also after an error. `now` must outlive it. */
ridge_status ridge_against_make(ridge_against **out, const ridge_prediction *now, const ridge_words *texts, ridge_err *err);
void ridge_against_free(ridge_against *against);

/* what is compared and what advice shortens: seconds of the whole request where one is asked, else of the pass */
double ridge_prediction_total_s(const ridge_prediction *p);
/* per second: of the whole request where one is asked, else of the pass */
double ridge_prediction_tokens_per_s(const ridge_prediction *p);
/* bytes held at the most: at the last token of a request, else by the pass */
ridge_int ridge_prediction_memory(const ridge_prediction *p);

struct ridge_view;
/* The differences instead of the rows: text (after the summary), Markdown, CSV. */
ridge_status ridge_output_against_table(ridge_buf *out, ridge_prediction *p, const struct ridge_view *view, ridge_err *err);
/* member "against" of an open object; nothing where none is asked */
ridge_status ridge_output_against_json(ridge_json_writer *w, const ridge_prediction *p, ridge_err *err);

#endif
