/* agent.h - a program that is asked what cannot be derived, and what becomes of its answers.
 * In: a hole that says what can be asked of it (learn/python/question.h), a command: JSON question on its standard input, JSON answer on
 * its standard output. Out: formulas, checked, in place of what is unknown; a person's or a program's word, so `pending`, never `derived`.
 * An answer is data: it is read with limits and evaluated as formulas, nothing of it is run. What is refused goes back with the reason. */
#ifndef RIDGE_LEARN_AGENT_AGENT_H
#define RIDGE_LEARN_AGENT_AGENT_H

#include "base/stop.h"
#include "learn/derive/count.h"
#include "learn/python/question.h"

#define RIDGE_AGENT_ATTEMPTS  3
#define RIDGE_AGENT_QUESTIONS 40
#define RIDGE_AGENT_RESULTS   16
#define RIDGE_AGENT_ANSWER    ((size_t)1 << 20) /* bytes of an answer */
#define RIDGE_AGENT_FORMULA   2000              /* characters of one formula */
#define RIDGE_AGENT_SAMPLES   100               /* random configurations that a formula is tried on */

typedef struct ridge_agent_result {
    ridge_str *shape; /* formulas */
    uint32_t rank;
    ridge_dtype dtype;
} ridge_agent_result;

/* What an answer says; texts are formulas. */
typedef struct ridge_agent_answer {
    ridge_question_wants wants;
    ridge_str cannot; /* why there is no answer; else empty */
    ridge_str value;
    ridge_agent_result *results;
    uint32_t result_count;
    ridge_str flops[RIDGE_COUNT_CLASSES]; /* empty: none of this class */
    ridge_str reads, writes;
    ridge_str thinking;
    ridge_str text; /* the answer as it came */
    /* what it answers */
    const char *id, *kind, *where, *asked, *help;
    const char *by, *date; /* the command; 2026-11-23 */
    bool kept;             /* from an earlier run */
} ridge_agent_answer;

typedef struct ridge_agent_refusal {
    const char *id, *where, *asked, *reason;
    ridge_str text; /* what was answered; empty: nothing */
} ridge_agent_refusal;

typedef struct ridge_agent {
    const char *command;
    unsigned seconds;            /* that one answer may take */
    ridge_stop *stop;            /* becomes 1 where the user wants an end; or NULL */
    ridge_arena *arena;          /* of all that it keeps */
    ridge_agent_answer *answers; /* accepted, the last of them perhaps on trial */
    size_t count, cap;
    ridge_agent_refusal *refused;
    size_t refused_count, refused_cap;
    const char **given_up; /* ids of questions that stay open */
    size_t given_up_count, given_up_cap;
    unsigned asked;     /* how often the program was run */
    const char *broke;  /* why an answer did not fit where it was used, or NULL */
    ridge_answers hook; /* for ridge_derive_request.answers */
} ridge_agent;

void ridge_agent_init(ridge_agent *agent, const char *command, unsigned seconds, ridge_arena *arena);
/* takes what an earlier run kept: entries of a catalog file with `validation.answers`. What cannot be read is left out. */
void ridge_agent_recall(ridge_agent *agent, ridge_str catalog_text);

/* the first hole that can be asked of and is not answered or given up; NULL: none */
const ridge_hole *ridge_agent_next(const ridge_agent *agent, ridge_py_interp *in);
/* Asks. *taken: an answer passed all checks that need no run, and is used from now on, on trial. Fails where the program cannot be run, or
 * the user wants an end. */
ridge_status ridge_agent_ask(bool *taken, bool *cannot, ridge_agent *agent, const ridge_hole *hole, unsigned attempt, ridge_py_interp *in,
                             ridge_err *err);
/* the answer on trial is none: `reason` goes back with the next attempt */
ridge_status ridge_agent_refuse(ridge_agent *agent, const char *reason, ridge_err *err);
ridge_status ridge_agent_give_up(ridge_agent *agent, const ridge_hole *hole, ridge_err *err);
/* [{"id", "kind", "wants", "where", "unknown", "by", "date", "answer"}], as ridge_agent_recall reads them again */
void ridge_agent_write(ridge_json_writer *w, const ridge_agent *agent);

/* ---- for the files of this folder, and their tests ---- */
/* reads an answer to a question of this kind. Refuses with the reason: VALUE, and where in the text. Nothing of it points into `text`. */
ridge_status ridge_agent_read(ridge_agent_answer *out, ridge_str text, ridge_question_wants wants, ridge_arena *arena, ridge_err *err);
/* every formula of it: names, numbers, limits, on random configurations */
ridge_status ridge_agent_check(const ridge_agent_answer *answer, const ridge_question *question, ridge_py_interp *in, ridge_err *err);
/* the value that takes the hole's place, with what it cost written into the run */
ridge_status ridge_agent_apply(ridge_py *out, const ridge_agent_answer *answer, const ridge_hole *hole, const ridge_question *question,
                               ridge_py_interp *in, ridge_err *err);
/* the question as JSON */
ridge_status ridge_agent_question(ridge_buf *out, const ridge_agent *agent, const ridge_hole *hole, unsigned attempt, ridge_py_interp *in);
/* what tells it from all others: its words, who asks, the source of the asking function; NULL when memory runs out */
const char *ridge_agent_id(const ridge_hole *hole, ridge_arena *arena);
/* the lines of the asking function */
ridge_str ridge_agent_excerpt(const ridge_question *question);

/* formula.c: names that formulas may use, with their numbers in this run */
typedef struct ridge_agent_name {
    const char *name;
    ridge_py value; /* INT, BOOL with symbols */
    const char *meaning;
    ridge_int least;
    bool own; /* of the question alone: a size of an argument */
} ridge_agent_name;
typedef struct ridge_agent_names {
    ridge_agent_name *items;
    size_t count, cap;
    ridge_object *config;
} ridge_agent_names;
ridge_status ridge_agent_names_make(ridge_agent_names *out, const ridge_question *question, ridge_py_interp *in);
/* a formula as a number in symbols; `role` names it in messages */
ridge_status ridge_agent_evaluate(const ridge_poly **out, ridge_str formula, const char *role, const ridge_agent_names *names,
                                  ridge_py_interp *in, ridge_err *err);
/* sample.c: a whole number of at least 0, at most `limit` (and `most`, or NULL), in this run and on random configurations */
ridge_status ridge_agent_sample(const ridge_poly *poly, const ridge_poly *most, ridge_int limit, const char *role, ridge_py_interp *in,
                                ridge_err *err);
ridge_status ridge_agent_refused(ridge_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
