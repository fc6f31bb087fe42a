/* model.h - what the commands about a model share. */
#ifndef RIDGE_COMMAND_MODEL_H
#define RIDGE_COMMAND_MODEL_H

#include "command/command.h"
#include "model/analysis.h"

#define RIDGE_MODEL_OPERAND "a folder, a config.json, a GGUF, ONNX or .pt2 file, an inventory, or an id such as meta-llama/Llama-2-7b-hf"

typedef struct ridge_learn_options {
    bool learn;
    const char *source;
} ridge_learn_options;
extern const ridge_option ridge_options_learn[];
/* With --learn: what the catalog does not know of the model is read from its source, kept, and in the registry. A fault of the model's that
 * has nothing to do with it is left to whoever counts. */
ridge_status ridge_call_learn(ridge_call *call, ridge_registry *registry, const ridge_learn_options *options,
                              const ridge_model_request *request, ridge_err *err);

/* what an analysis has to say */
void ridge_call_warn_model(ridge_call *call, const ridge_analysis *analysis);
/* of it, the choices that were given and that the model does not take */
void ridge_call_warn_choices(ridge_call *call, const ridge_analysis *analysis);

#endif
