/* request.h - a question to answer.h from words: the command line's names, for it, the C API and HTTP.
 * In: a kind's name, then "name=value" options ("m=4096", "weights=q4_K", "on=h100-sxm-80", "all-formats=true"). Out: the question.
 * Fails (USAGE) on an unknown name or a bad value, naming both and the nearest; (UNKNOWN) on a machine that is not there. */
#ifndef RIDGE_OPERATOR_REQUEST_H
#define RIDGE_OPERATOR_REQUEST_H

#include "operator/answer.h"

/* "gemm"; the counters' own kinds are not asked for by name */
ridge_status ridge_op_read_kind(ridge_op_kind *kind, const char *name, ridge_err *err);
/* One option. machines: where those of "on" are found; it outlives the question. `option` does too: level points into it. */
ridge_status ridge_op_request_set(ridge_op_question *question, const char *option, ridge_machines *machines, ridge_arena *arena,
                                  ridge_err *err);

/* ---- single values; `what` names the option in an error ("--kernel", "kernel"), a NULL text changes nothing ---- */

/* "3" or "3x5": height and width, each at least `least` */
ridge_status ridge_op_read_pair(ridge_int pair[2], const char *what, const char *text, int64_t least, ridge_err *err);
/* seconds ("4e-6"), or "machine" */
ridge_status ridge_op_read_launch(ridge_op_conditions *conditions, const char *what, const char *text, ridge_err *err);
/* "a,b,c": ids or files */
ridge_status ridge_op_read_machines(ridge_op_question *question, const char *what, const char *text, ridge_machines *machines,
                                    ridge_arena *arena, ridge_err *err);

#endif
