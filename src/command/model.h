/* model.h - what the commands about a model share. */
#ifndef RIDGE_COMMAND_MODEL_H
#define RIDGE_COMMAND_MODEL_H

#include "command/command.h"
#include "model/analysis.h"

/* what an analysis has to say */
void ridge_call_warn_model(ridge_call *call, const ridge_analysis *analysis);
/* of it, the choices that were given and that the model does not take */
void ridge_call_warn_choices(ridge_call *call, const ridge_analysis *analysis);

#endif
