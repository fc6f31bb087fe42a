/* model_parts.h - what the files of a chain share: the gate and the operands. Internal to src/measure/model*.c.
 * In: a step and its operands as they lie in memory. Out: the largest error against the reference in double precision.
 * Operands repeat: the first RIDGE_CHAIN_WEIGHT_ROWS rows of the weights and RIDGE_CHAIN_ROWS rows of activations are drawn, the rest are
 * copies of them, so a few rows of the reference tell what every element of the whole output must be. */
#ifndef RIDGE_MEASURE_MODEL_PARTS_H
#define RIDGE_MEASURE_MODEL_PARTS_H

#include "measure/model.h"

enum { RIDGE_CHAIN_WEIGHT_ROWS = 64, RIDGE_CHAIN_ROWS = 16 };

/* W, K, V, the embedding table: what a layer has of its own */
bool ridge_chain_streams(const ridge_operand *operand);
size_t ridge_chain_row_bytes(const ridge_format *format, int64_t cols);
/* one value of NVFP4 is at most 6 x 448 x this; others have no scale per tensor */
float ridge_chain_tensor_scale(const ridge_format *format);
/* random rows into `data`, not all of them after Ctrl-C; NOMEM, UNKNOWN where the format has no codec */
ridge_status ridge_chain_fill(void *data, const ridge_operand *operand, const ridge_problem *problem, uint64_t seed, ridge_err *err);

/* Products: the output of a run against the reference, all of it. The run has been run. */
ridge_status ridge_chain_check_product(double *error, const ridge_kernel_run *run, ridge_err *err);
/* The other kinds: the variant on the same problem, cut to a size whose reference takes no minutes. */
ridge_status ridge_chain_check_other(double *error, const ridge_problem *problem, const ridge_kernel_variant *variant, ridge_team *team,
                                     unsigned threads, ridge_err *err);

#endif
