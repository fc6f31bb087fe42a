/* fit.h - what `ridge fit` and `ridge show` share: what is asked of a model and of a machine, and what the answer is made with. */
#ifndef RIDGE_COMMAND_FIT_H
#define RIDGE_COMMAND_FIT_H

#include "command/model.h"
#include "fit/fit.h"

typedef struct ridge_fit_asked {
    ridge_fits_request fits;
    ridge_learn_options learn;
    ridge_catalog_options catalog;
    ridge_machines_options machines;
} ridge_fit_asked;

/* Completes what was asked; opens the catalog and the machines; learns the model where that is asked. */
ridge_status ridge_fit_begin(ridge_registry **registry, ridge_machines **machines, ridge_call *call, ridge_fit_asked *asked,
                             ridge_err *err);

#endif
