/* sums.h - a cost as the numbers that every output shows: FLOPs by class and in all, bytes by kind and in all.
 * In: a cost whose values are integers. Out: exact sums, and how they are written (report/record.h).
 * Fails (OVERFLOW) where a total does not fit in 128 bits. */
#ifndef RIDGE_COST_SUMS_H
#define RIDGE_COST_SUMS_H

#include "cost/cost.h"
#include "report/record.h"

typedef struct ridge_flop_sums {
    ridge_int total, by_class[RIDGE_FLOP_COUNT], torch;
} ridge_flop_sums;
typedef struct ridge_byte_sums {
    ridge_int total, reads[RIDGE_BYTE_SCORES], writes[RIDGE_BYTE_SCORES], reads_total, writes_total;
} ridge_byte_sums;

ridge_status ridge_cost_sums(ridge_flop_sums *flops, ridge_byte_sums *bytes, const ridge_cost *cost, ridge_err *err);
/* of one call of a node */
ridge_status ridge_cost_node_sums(ridge_flop_sums *flops, ridge_byte_sums *bytes, ridge_coster *coster, const ridge_node *node);
/* FLOPs per byte; negative where no bytes move */
double ridge_cost_intensity(const ridge_flop_sums *flops, const ridge_byte_sums *bytes);

extern const ridge_record ridge_flop_record, ridge_byte_record; /* JSON and CSV */

#endif
