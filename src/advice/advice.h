/* advice.h - what would make a prediction faster, ranked by what it would save; which formats each kind of operator is fastest in.
 * In: a finished prediction. Out: items and tables, which live as long as it. Every gain is the difference of two predictions, the second
 * with the item's options: `ridge predict ... --against OPTIONS` gives the same figures. Nothing that is not faster is an item.
 * Fails as predict.h does; what a machine or model cannot do is left out. docs/advice.md */
#ifndef RIDGE_ADVICE_ADVICE_H
#define RIDGE_ADVICE_ADVICE_H

#include "advice/against.h"

#define RIDGE_ADVICE_ALL   INT64_MAX
#define RIDGE_ADVICE_USUAL (-1) /* as the form of the answer has it (advice/answer.h) */

/* what is saved: time of a pass, or, by a larger batch, time of the tokens that now has, though no pass is shorter */
#define RIDGE_GAIN_LIST(X)                                                                                                                 \
    X(TIME, time)                                                                                                                          \
    X(THROUGHPUT, throughput)
typedef enum ridge_gain {
#define X(code, name) RIDGE_GAIN_##code,
    RIDGE_GAIN_LIST(X)
#undef X
} ridge_gain;

typedef struct ridge_advice_item {
    const char *action, *why;
    ridge_changes changes;             /* that it makes */
    const char *options;               /* their text */
    double gain_s;                     /* total_s of now - total_s; throughput: of the tokens of now's batch */
    double time_s;                     /* total with the changes (ridge_prediction_total_s) */
    double speedup;                    /* of the same tokens: now / (now - gain_s) */
    double times;                      /* its tokens over those of now */
    double tokens_per_s, images_per_s; /* negative: the model takes none */
    ridge_gain of;
    bool together;      /* several of the others at once */
    bool lossy;         /* changes the results: numbers are rounded more */
    int fits;           /* negative: the capacity is not known */
    const char *to_fit; /* fits == 0: what would make it fit; NULL: none of the formats */
    ridge_int memory_bytes;
} ridge_advice_item;

typedef struct ridge_advice {
    ridge_arena *arena;       /* of now */
    double now_s;             /* ridge_prediction_total_s of now */
    bool least;               /* a part of the bound is not known (ridge_prediction_is_least): what is saved is of the known part */
    ridge_advice_item *items; /* largest gain first */
    size_t count, cap;
    size_t shown; /* of the items */
} ridge_advice;

/* most: items that are shown */
ridge_status ridge_advice_make(ridge_advice *out, const ridge_prediction *now, int64_t most, ridge_err *err);

extern const ridge_record ridge_advice_item_record;
/* an item for people, in the arena; "" when memory runs out */
const char *ridge_advice_sentence(const ridge_advice *advice, const ridge_advice_item *item);
/* the items shown: sentences as text, else a table */
ridge_status ridge_advice_print(ridge_buf *out, const ridge_advice *advice, const ridge_record_style *style, ridge_err *err);

/* ---- formats per kind of operator (--recommend) ---- */

#define RIDGE_OPERATOR_LIST(X)                                                                                                             \
    X(ATTENTION_PROJECTIONS, attention_projections, "attention projections")                                                               \
    X(MLP, mlp, "MLP")                                                                                                                     \
    X(EXPERTS, experts, "experts")                                                                                                         \
    X(LM_HEAD, lm_head, "lm_head")                                                                                                         \
    X(ATTENTION, attention, "attention, KV cache")                                                                                         \
    X(NORMS, norms, "norms")                                                                                                               \
    X(OTHER_MATRICES, other_matrices, "other matrices")                                                                                    \
    X(REST, rest, "rest")
typedef enum ridge_precision_kind {
#define X(code, name, title) RIDGE_OPERATOR_##code,
    RIDGE_OPERATOR_LIST(X) RIDGE_OPERATOR_COUNT
#undef X
} ridge_precision_kind;
extern const char *const ridge_operator_names[], *const ridge_operator_titles[];

#define RIDGE_SITUATION_LIST(X)                                                                                                            \
    X(DECODE, decode)                                                                                                                      \
    X(PREFILL, prefill)                                                                                                                    \
    X(LONG_CONTEXT, long_context) /* decode with the context full: the model's maximum */
typedef enum ridge_situation {
#define X(code, name) RIDGE_SITUATION_##code,
    RIDGE_SITUATION_LIST(X) RIDGE_SITUATION_COUNT
#undef X
} ridge_situation;
extern const char *const ridge_situation_names[];

enum { RIDGE_PRECISION_TRIALS = 16 };

/* NULL: a kind has no numbers of that use */
typedef struct ridge_precision_formats {
    const ridge_format *weights, *activations, *kv;
} ridge_precision_formats;

/* the whole model in one choice of formats */
typedef struct ridge_precision_trial {
    ridge_precision_formats formats;
    bool uniform; /* activations too: the arithmetic is narrower */
} ridge_precision_trial;

/* a kind in one trial */
typedef struct ridge_precision_candidate {
    ridge_precision_formats formats;
    double time_s; /* of its kernels */
} ridge_precision_candidate;

typedef struct ridge_precision_choice {
    ridge_situation situation;
    ridge_precision_kind kind;
    ridge_precision_candidate *candidates; /* by trial */
    size_t candidate_count;
    size_t best; /* trial */
    bool changed;
    ridge_precision_formats formats; /* of the best */
    const char *text;                /* ... those that are changed */
    double now_s, time_s, gain_s, speedup;
    double share, percent; /* of the pass as it is */
    ridge_bound bound;     /* as it is */
    const char *why;
} ridge_precision_choice;

typedef struct ridge_precision_table {
    ridge_situation situation;
    const char *absent; /* why there is none; then the rest is empty */
    int64_t batch, seq, past;
    double now_s, time_s, speedup;         /* the pass as it is; the sum of the kinds, each in its best formats */
    const ridge_precision_choice *choices; /* of the kinds that the model has */
    size_t count;
    const ridge_precision_choice *of_kind[RIDGE_OPERATOR_COUNT]; /* the same; NULL: the model has none */
} ridge_precision_table;

typedef struct ridge_precision_advice {
    ridge_arena *arena;                                   /* of now */
    ridge_precision_trial trials[RIDGE_PRECISION_TRIALS]; /* [0]: as it is */
    size_t trial_count;
    ridge_precision_table tables[RIDGE_SITUATION_COUNT];
    const ridge_precision_table *found[RIDGE_SITUATION_COUNT]; /* NULL: there is none */
    ridge_precision_choice choices[RIDGE_SITUATION_COUNT * RIDGE_OPERATOR_COUNT];
    size_t choice_count;
} ridge_precision_advice;

ridge_status ridge_precision_advice_make(ridge_precision_advice *out, const ridge_prediction *now, ridge_err *err);

extern const ridge_record ridge_precision_record, ridge_precision_choice_record;
/* a table for each situation, or one as CSV */
ridge_status ridge_precision_print(ridge_buf *out, const ridge_precision_advice *advice, const ridge_record_style *style, ridge_err *err);

#endif
