/* workload.h - the options every model command shares: where the catalog is, the workload, the view.
 * In: parsed options. Out: a ridge_request, an open registry. */
#ifndef RIDGE_CLI_WORKLOAD_H
#define RIDGE_CLI_WORKLOAD_H

#include "model/analysis.h"
#include "cli/command.h"

typedef struct ridge_catalog_args {
    ridge_words folders;
    bool builtin_only;
} ridge_catalog_args;

typedef struct ridge_workload_args {
    ridge_phase phase;
    int64_t batch, seq, past, decoder_seq, encoder_len, image, frames, samples;
    const ridge_format *weights, *activations, *kv;
    int attention, lm_head;
    ridge_kernel_mode kernel;
    ridge_optimizer optimizer;
    ridge_recompute recompute;
    const char *head_class;
    bool partial;
} ridge_workload_args;

extern const ridge_option ridge_options_catalog[];
extern const ridge_option ridge_options_workload[];
/* where no option is given; put into a command's defaults */
#define RIDGE_WORKLOAD_UNSET                                                                                                               \
    .batch = RIDGE_UNSET, .seq = RIDGE_UNSET, .past = RIDGE_UNSET, .decoder_seq = RIDGE_UNSET, .encoder_len = RIDGE_UNSET,                 \
    .image = RIDGE_UNSET, .frames = RIDGE_UNSET, .samples = RIDGE_UNSET
#define RIDGE_WORKLOAD_DEFAULTS                                                                                                            \
    {                                                                                                                                      \
        RIDGE_WORKLOAD_UNSET                                                                                                               \
    }

ridge_status ridge_catalog_open(ridge_registry **out, const ridge_catalog_args *args, ridge_err *err);
void ridge_workload_request(ridge_request *out, const ridge_workload_args *args, const char *model);

/* what an analysis has to say, on stderr */
void ridge_workload_warn(ridge_io *io, const ridge_analysis *analysis);

typedef ridge_status ridge_workload_print(ridge_io *io, const void *args, ridge_analysis *analysis, ridge_err *err);
/* Opens the catalog, analyses the model, says its warnings on stderr, prints. */
ridge_status ridge_workload_run(ridge_io *io, const ridge_catalog_args *catalog, const ridge_request *request, ridge_workload_print *print,
                                const void *args, ridge_err *err);

#endif
