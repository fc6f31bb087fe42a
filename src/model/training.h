/* training.h - what a training step costs beside a forward pass: the factors, each of them here alone (docs/numbers.md has the sources).
 * In: a workload. Out: plain numbers; an analysis with the costs of a forward pass gets those of a step. */
#ifndef RIDGE_MODEL_TRAINING_H
#define RIDGE_MODEL_TRAINING_H

#include "model/analysis.h"

/* a step's FLOPs and bytes as multiples of the forward pass's */
typedef struct ridge_training_factors {
    ridge_int matmul;           /* FLOPs */
    ridge_int attention_halves; /* FLOPs, in halves: a fused backward pass is 2.5 forward passes */
    ridge_int other;            /* FLOPs of all other classes */
    ridge_int passes;           /* over the operands: forward, the two products of backward, and forward again where that is repeated */
    ridge_int exchanges;        /* of the results between devices: forward, backward, and forward again */
} ridge_training_factors;
ridge_training_factors ridge_training_factors_of(const ridge_workload *workload);

/* bytes per parameter of the gradient, and of the optimiser's own state: an fp32 master copy beside weights of less than 32 bits, Adam's
 * two fp32 moments */
typedef struct ridge_training_state {
    ridge_int gradient, optimizer;
} ridge_training_state;
ridge_training_state ridge_training_state_of(const ridge_workload *workload);

#endif
