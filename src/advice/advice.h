/* advice.h - what would make a prediction faster, ranked by what it would save; which formats each kind of operator is fastest in.
 * In: a finished prediction. Out: items and tables, owned by the ridge_advice. Every gain is the difference of two predictions, the
 * second with the item's options: `ridge predict ... --against OPTIONS` gives the same figures. Nothing that is not faster is an item.
 * Fails as predict.h does; what a machine or model cannot do is left out. docs/advice.md */
#ifndef RIDGE_ADVICE_ADVICE_H
#define RIDGE_ADVICE_ADVICE_H

#include "advice/against.h"

enum { RIDGE_ADVICE_ALL = -1, RIDGE_ADVICE_USUAL = -2 };

typedef struct ridge_advice_request {
    int64_t advice;      /* items in the answer; RIDGE_ADVICE_ALL; RIDGE_ADVICE_USUAL: text has five, JSON all, CSV and Markdown none */
    ridge_words against; /* changes that the answer compares with */
    bool recommend;      /* formats per kind of operator */
} ridge_advice_request;
extern const ridge_option ridge_options_advice[]; /* against, advice, recommend */

typedef struct ridge_advice_item {
    const char *action, *why;
    ridge_changes changes; /* that it makes */
    double gain_s;         /* total_s of now - total_s; throughput: of the tokens of now's batch */
    double time_s;         /* total with the changes (ridge_prediction_total_s) */
    double speedup;        /* of the same tokens: now / (now - gain_s) */
    double tokens_per_s;
    bool throughput;    /* a larger batch: no pass is shorter, each makes more tokens */
    bool together;      /* several of the others at once */
    bool lossy;         /* changes the results: numbers are rounded more */
    bool fits;          /* true too where the capacity is not known */
    const char *to_fit; /* fits == false: what would make it fit; NULL: none of the formats */
    ridge_int memory_bytes;
} ridge_advice_item;

typedef struct ridge_advice {
    ridge_arena arena;
    double now_s;             /* ridge_prediction_total_s of now */
    ridge_advice_item *items; /* largest gain first */
    size_t count, cap;
} ridge_advice;

/* Allocated; free with ridge_advice_free also after an error. */
ridge_status ridge_advice_make(ridge_advice **out, const ridge_prediction *now, ridge_err *err);
void ridge_advice_free(ridge_advice *advice);

struct ridge_view;
/* The section of the text output; with CSV or Markdown a table. */
ridge_status ridge_output_advice_table(ridge_buf *out, ridge_prediction *p, const struct ridge_view *view, ridge_err *err);
/* member "advice" of an open object */
ridge_status ridge_output_advice_json(ridge_json_writer *w, const ridge_prediction *p, ridge_err *err);

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
typedef enum ridge_operator {
#define X(code, name, title) RIDGE_OPERATOR_##code,
    RIDGE_OPERATOR_LIST(X)
#undef X
        RIDGE_OPERATOR_COUNT
} ridge_operator;
extern const char *const ridge_operator_names[], *const ridge_operator_titles[];

#define RIDGE_SITUATION_LIST(X)                                                                                                            \
    X(DECODE, decode)                                                                                                                      \
    X(PREFILL, prefill)                                                                                                                    \
    X(LONG_CONTEXT, long_context) /* decode with the context full: the model's maximum */
typedef enum ridge_situation {
#define X(code, name) RIDGE_SITUATION_##code,
    RIDGE_SITUATION_LIST(X)
#undef X
        RIDGE_SITUATION_COUNT
} ridge_situation;
extern const char *const ridge_situation_names[];

enum { RIDGE_PRECISION_TRIALS = 16 };

/* the whole model in one choice of formats */
typedef struct ridge_precision_trial {
    const ridge_format *weights, *activations, *kv;
    bool uniform; /* activations too: the arithmetic is narrower */
} ridge_precision_trial;

typedef struct ridge_precision_choice {
    ridge_operator kind;
    double times[RIDGE_PRECISION_TRIALS]; /* of its kernels, by trial */
    double memory_bound_s;                /* of times[0] */
    size_t best;                          /* trial */
    const char *why;
} ridge_precision_choice;

typedef struct ridge_precision_table {
    ridge_situation situation;
    const char *absent; /* why there is none; then the rest is empty */
    int64_t batch, seq, past;
    double now_s, then_s; /* the pass as it is; the sum of the kinds, each in its best formats */
    ridge_precision_choice kinds[RIDGE_OPERATOR_COUNT];
    size_t kind_count;
} ridge_precision_table;

typedef struct ridge_precision_advice {
    ridge_arena arena;
    ridge_precision_trial trials[RIDGE_PRECISION_TRIALS]; /* [0]: as it is */
    size_t trial_count;
    ridge_precision_table tables[RIDGE_SITUATION_COUNT];
} ridge_precision_advice;

/* Allocated; free with ridge_precision_advice_free also after an error. */
ridge_status ridge_precision_advice_make(ridge_precision_advice **out, const ridge_prediction *now, ridge_err *err);
void ridge_precision_advice_free(ridge_precision_advice *advice);
ridge_status ridge_output_precision_table(ridge_buf *out, ridge_prediction *p, const struct ridge_view *view, ridge_err *err);
/* member "precision" of an open object; nothing where it is not asked */
ridge_status ridge_output_precision_json(ridge_json_writer *w, const ridge_prediction *p, ridge_err *err);

#endif
