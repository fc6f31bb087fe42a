/* answer.h - all that `ridge predict` answers: the prediction, what fits, and where they are asked differences, advice and formats.
 * In: what is asked. Out: one struct, complete before any of it is written; it owns its prediction, and the rest lives as long as that.
 * Fails as predict.h and against.h do. */
#ifndef RIDGE_ADVICE_ANSWER_H
#define RIDGE_ADVICE_ANSWER_H

#include "advice/advice.h"

typedef struct ridge_advice_request {
    int64_t advice;      /* items in the answer; RIDGE_ADVICE_ALL; RIDGE_ADVICE_USUAL: text has five, JSON all, CSV and Markdown none */
    ridge_words against; /* changes that the answer compares with */
    bool recommend;      /* formats per kind of operator */
} ridge_advice_request;
extern const ridge_option ridge_options_advice[]; /* against, advice, recommend */
/* Sets what the form shows of the advice. USAGE where CSV would hold two tables. */
ridge_status ridge_advice_request_check(ridge_advice_request *request, ridge_form form, ridge_err *err);

typedef struct ridge_predict_answer {
    ridge_prediction *prediction;
    ridge_prediction_told told;
    ridge_predicted_row *rows; /* that the view shows */
    size_t row_count;
    ridge_advice_request asked;
    ridge_against against;
    ridge_advice advice;
    ridge_precision_advice *precision; /* NULL: not asked */
} ridge_predict_answer;

/* Both requests are checked ones; free with ridge_predict_answer_free also after an error. Registry, machines and the requests' texts must
 * outlive the answer. */
ridge_status ridge_predict_answer_make(ridge_predict_answer *out, ridge_registry *registry, ridge_machines *machines,
                                       const ridge_predict_request *request, const ridge_advice_request *asked,
                                       const ridge_predict_view *view, ridge_err *err);
void ridge_predict_answer_free(ridge_predict_answer *answer);

extern const ridge_record ridge_predict_record;
/* as text, CSV or Markdown: the summary (text), then the rows, or in their place the tables that are asked */
ridge_status ridge_predict_answer_print(ridge_buf *out, const ridge_predict_answer *answer, const ridge_record_style *style,
                                        ridge_err *err);
/* as one HTML page: the verdict, the figures, what would make it faster, the pictures, every module */
ridge_status ridge_predict_answer_page(ridge_buf *out, const ridge_predict_answer *answer, ridge_err *err);

#endif
