/* aten.h - rules of ATen's operators that are more than the sizes of a product.
 * In: a node about to run (opgraph/run.h), whose results the file says. Out: sizes for the entry's formula, and whether anything moves.
 * Fails with VALUE on arguments that do not fit; what they leave open is ridge_opgraph_unknown. */
#ifndef RIDGE_OPGRAPH_ATEN_H
#define RIDGE_OPGRAPH_ATEN_H

#include "opgraph/run.h"

/* ---- aten_copy.c: a view where it can be one, else a copy ---- */
ridge_opgraph_rule ridge_aten_reshape;    /* reshape, flatten */
ridge_opgraph_rule ridge_aten_contiguous; /* contiguous: a copy where its result lies otherwise than its input */
ridge_opgraph_rule ridge_aten_to;         /* to, type_as: a copy where the dtype changes, or one is asked for */
ridge_opgraph_rule ridge_aten_dropout;    /* in training: unknown */

/* ---- aten_product.c ---- */
ridge_opgraph_rule ridge_aten_matmul;    /* "m", "k", "n"; with a vector it is mv or dot */
ridge_opgraph_rule ridge_aten_einsum;    /* "p": what the product runs over */
ridge_opgraph_rule ridge_aten_recurrent; /* "p": elements of weights, times the steps of all sequences */

#endif
