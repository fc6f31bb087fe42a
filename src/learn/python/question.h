/* question.h - what can be asked of a hole, so that the run goes on with an answer in place of something unknown.
 * In: a hole's words, what an answer would be, and the values that it is about. Out: what somebody answered, or UNKNOWN and a hole that
 * says what was asked. Whoever answers (learn/agent) sets in->answers. */
#ifndef RIDGE_LEARN_PYTHON_QUESTION_H
#define RIDGE_LEARN_PYTHON_QUESTION_H

#include "learn/python/interp.h"

typedef enum ridge_question_wants {
    RIDGE_WANTS_TRUTH,  /* which way a branch goes */
    RIDGE_WANTS_NUMBER, /* how many: a whole number of at least 0 */
    RIDGE_WANTS_RESULT, /* the tensors that a function gives, and what it costs */
} ridge_question_wants;

typedef struct ridge_question_subject {
    const char *name; /* a name in formulas: "mask" */
    ridge_py value;
} ridge_question_subject;

struct ridge_question {
    ridge_question_wants wants;
    const ridge_question_subject *subjects;
    size_t subject_count;
    ridge_py most; /* INT: a number is at most this; else: nothing says so */
    /* where it was asked first; filled in */
    const ridge_py_module *module; /* NULL: nowhere in a source that can be read */
    const char *asker;             /* "Net.forward" */
    uint32_t line, first, last;    /* of the call; of the function that it stands in */
};

typedef struct ridge_answers ridge_answers;
struct ridge_answers {
    /* *out stays UNSET where nobody answered. `question` is that of this very call. */
    ridge_status (*find)(ridge_py *out, const ridge_hole *hole, const ridge_question *question, void *state, ridge_py_interp *in);
    void *state;
};

/* an answer, or a new UNKNOWN as ridge_py_unknown makes it */
ridge_status ridge_py_unknown_asked(ridge_py *out, const char *kind, const char *what, const char *help, const ridge_question *question,
                                    ridge_py_interp *in);
/* says that code did not run because of `unknown`: what it costs is not known, nor what is round it */
ridge_status ridge_py_skipped(ridge_py unknown, ridge_py_interp *in);
/* which way a branch goes; `what` is the source of its condition */
ridge_status ridge_py_ask_branch(ridge_py *out, const char *what, ridge_py_interp *in);

#endif
