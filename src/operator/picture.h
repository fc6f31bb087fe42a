/* picture.h - an operator's rows as a picture: the roofline of their machine with a point a format.
 * In: an answer of `ridge op`. Out: a plain plot (report/plot/plot.h), owned by the answer's arena. Fails as told below. */
#ifndef RIDGE_OPERATOR_PICTURE_H
#define RIDGE_OPERATOR_PICTURE_H

#include "operator/answer.h"
#include "report/plot/plot.h"

/* An operator's rows (formats) on the roofline of their machine. USAGE where there is none, or more than one. */
ridge_status ridge_picture_op(ridge_plot *out, const ridge_op_answer *answer, ridge_err *err);

#endif
