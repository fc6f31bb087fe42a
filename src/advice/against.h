/* against.h - what if: a prediction beside the same prediction with some options changed.
 * In: changes as people write them ("weights=q4_K+kv=fp8", "a100-sxm-80"), a finished prediction. Out: the changed predictions, their
 * rows beside those of now by path; texts and rows live as long as now. Every figure is a prediction of its own; nothing is scaled.
 * Fails (USAGE) on an unknown key, word or value, with the nearest valid one; otherwise as predict.h does. docs/advice.md */
#ifndef RIDGE_ADVICE_AGAINST_H
#define RIDGE_ADVICE_AGAINST_H

#include "predict/records.h"

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

/* seconds now and then; a side that is not there is -1, its bound too */
typedef struct ridge_difference {
    double now_s, time_s;
    double difference_s; /* then - now; a side that is not there counts 0; NAN: nothing is compared */
    double ratio;        /* then / now; negative where that is not known */
    int now_bound, bound;
} ridge_difference;

/* a line of the table of variants: of whole requests where now has one, else of passes */
typedef struct ridge_against_totals {
    const char *against; /* "now", or the changes */
    bool of_request;
    ridge_difference total;
    double tokens_per_s, images_per_s;
    ridge_int memory_bytes;
    int fits; /* negative: not known */
    double energy_j, cost_per_million_tokens, cost_per_million_images;
    double latency_s, ttft_s, tpot_s; /* of a request; negative: none is asked */
} ridge_against_totals;

/* a row of the difference table; one of the two is NULL where the row exists on one side only */
typedef struct ridge_against_row {
    const ridge_predicted_row *now, *then;
    const char *against;      /* the changes; "" in the row of now */
    const char *label, *name; /* for people: in the tree, and the path */
    ridge_str path;
    const char *class_name;
    ridge_difference difference;
    ridge_against_totals totals; /* of the model's row; others have none */
    size_t place;                /* among the variant's rows */
} ridge_against_row;

typedef struct ridge_variant {
    ridge_changes changes;
    const char *text; /* of the changes */
    ridge_predict_request request;
    ridge_prediction *then;
    ridge_prediction_told told;
    const ridge_difference *pass;               /* of the model's row */
    double latency_difference_s, latency_ratio; /* of requests; NAN and negative where now has none */
    ridge_against_totals totals;
    ridge_words new_notes;   /* those that now has not */
    ridge_against_row *rows; /* those of now in their order, those of then alone after the row they follow there */
    size_t row_count;
    const ridge_against_row *shown; /* those of the view */
    size_t shown_count;
} ridge_variant;

typedef struct ridge_against {
    ridge_arena *arena;          /* of now */
    const ridge_prediction *now; /* the caller's */
    ridge_variant *variants;
    size_t count;
    ridge_against_totals *lines; /* [count + 1]: now, the variants */
    ridge_against_row *rows;     /* the model's row of now, then the shown rows of all variants */
    size_t row_count;
} ridge_against;

/* The variants that the texts ask for; free with ridge_against_free also after an error. `now` must outlive it. */
ridge_status ridge_against_make(ridge_against *out, const ridge_prediction *now, const ridge_words *texts, const ridge_predict_view *view,
                                ridge_err *err);
void ridge_against_free(ridge_against *against);

extern const ridge_record ridge_variant_record, ridge_against_totals_record, ridge_against_row_record;
/* the differences: lines and rows as text or Markdown, the rows of all variants as CSV */
ridge_status ridge_against_print(ridge_buf *out, const ridge_against *against, const ridge_record_style *style, ridge_err *err);

/* what is compared and what advice shortens: seconds of the whole request where one is asked, else of the pass */
double ridge_prediction_total_s(const ridge_prediction *p);
/* per second: of the whole request where one is asked, else of the pass */
double ridge_prediction_tokens_per_s(const ridge_prediction *p);
/* bytes held at the most: at the last token of a request, else by the pass */
ridge_int ridge_prediction_memory(const ridge_prediction *p);

#endif
