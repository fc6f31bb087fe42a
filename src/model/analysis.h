/* analysis.h - a model and a workload through the stages: config -> graph -> cost -> rows.
 * In: what the user asked. Out: one struct with everything any output needs, owned by the analysis.
 * Every front end (command line, C API, later HTTP) goes through here, so they give the same numbers. */
#ifndef RIDGE_MODEL_ANALYSIS_H
#define RIDGE_MODEL_ANALYSIS_H

#include "cost/kernels.h"
#include "formula/poly.h"
#include "graph/tree.h"
#include "input/model.h"

#define RIDGE_PHASE_LIST(X)                                                                                                                \
    X(PREFILL, prefill)                                                                                                                    \
    X(DECODE, decode)                                                                                                                      \
    X(TRAIN, train)
typedef enum ridge_phase {
#define X(code, name) RIDGE_PHASE_##code,
    RIDGE_PHASE_LIST(X)
#undef X
} ridge_phase;

#define RIDGE_OPTIMIZER_LIST(X)                                                                                                            \
    X(ADAM, adam)                                                                                                                          \
    X(SGD, sgd)                                                                                                                            \
    X(NONE, none)
typedef enum ridge_optimizer {
#define X(code, name) RIDGE_OPTIMIZER_##code,
    RIDGE_OPTIMIZER_LIST(X)
#undef X
} ridge_optimizer;

#define RIDGE_RECOMPUTE_LIST(X)                                                                                                            \
    X(NONE, none)                                                                                                                          \
    X(FULL, full)                                                                                                                          \
    X(SELECTIVE, selective)
typedef enum ridge_recompute {
#define X(code, name) RIDGE_RECOMPUTE_##code,
    RIDGE_RECOMPUTE_LIST(X)
#undef X
} ridge_recompute;

/* the words of the options, by the enum's values or by false and true; NULL-terminated */
extern const char *const ridge_phase_names[], *const ridge_optimizer_names[], *const ridge_recompute_names[], *const ridge_kernel_names[];
extern const char *const ridge_attention_names[], *const ridge_lm_head_names[]; /* of `causal`, of `lm_head_last` */

#define RIDGE_UNSET (-1) /* of the numbers below: take the default */

/* What the user asked. Start from ridge_request_default. */
typedef struct ridge_request {
    const char *model;       /* folder, file or id */
    const char *config_text; /* instead of reading `model`: the config itself; model is then its name */
    size_t config_length;
    const char *head_class; /* NULL: the config's architecture */
    ridge_phase phase;
    int64_t batch, seq, past, decoder_seq, encoder_len, image, frames, samples;
    const char *weights, *activations, *kv; /* formats; NULL: the config's dtype */
    bool causal;                            /* --attention causal */
    ridge_kernel_mode kernel;
    bool lm_head_last;
    ridge_optimizer optimizer;
    ridge_recompute recompute;
    bool partial;      /* count the known part of a model, list the unknown */
    bool symbolic;     /* B, S and past stay names */
    bool memory_forms; /* symbolic: ... and so is the memory, in a->memory_forms */
    bool all_rows;
    bool no_rows; /* totals only */
    /* NULL, or the parameters of the same model: then the analysis has the kernels, with the experts of a mixture pooled (for times),
     * and neither parameters nor memory of its own */
    const struct ridge_parameter_counts *kernels_of;
} ridge_request;

void ridge_request_default(ridge_request *request);

/* The workload as run: every value filled in. */
typedef struct ridge_workload {
    ridge_phase phase;
    int64_t batch, seq, past, encoder_len, image, frames, samples; /* RIDGE_UNSET where the model has none */
    bool encoder_decoder;
    int64_t decoder_seq; /* = seq where there is one sequence */
    const char *weights, *activations, *kv;
    bool causal;
    ridge_kernel_mode kernel;
    bool lm_head_last;
    ridge_optimizer optimizer;
    ridge_recompute recompute;
} ridge_workload;

typedef struct ridge_memory {
    ridge_int weights, kv_cache, activations_peak, gradients, optimizer, total;
} ridge_memory;

/* the same as values: INT, or SYM in symbolic runs */
typedef struct ridge_memory_forms {
    ridge_value weights, kv_cache, activations_peak, gradients, optimizer, total;
} ridge_memory_forms;

typedef struct ridge_parameter_counts {
    ridge_int total, active, embedding;
} ridge_parameter_counts;

typedef struct ridge_unknown {
    const char *module, *needed_by;
} ridge_unknown;

typedef struct ridge_analysis {
    ridge_arena arena;
    ridge_registry *registry; /* the caller's */
    ridge_model_file file;
    const ridge_entry *config_entry;
    const ridge_head_class *head;
    ridge_object *config;
    const char *architecture; /* head class, "LlamaForCausalLM" */
    const char *class_name;   /* with its module path */
    const char *dtype;        /* the config's own format */
    bool dtype_assumed;       /* ... which it does not give */
    ridge_workload workload;
    ridge_algebra algebra; /* symbolic */
    ridge_graph graph;
    ridge_coster coster;
    const ridge_node *root;
    ridge_cost total;
    ridge_rows rows;
    ridge_kernels kernels;   /* request.kernels_of: those of the rows */
    const ridge_row **shown; /* rows an output shows, in its order; NULL: all, in registration order */
    size_t shown_count;
    ridge_memory memory;
    ridge_memory_forms memory_forms; /* request.memory_forms */
    ridge_parameter_counts parameters;
    const char **warnings;
    size_t warning_count, warning_cap;
    bool nothing_known; /* --partial of an architecture of which no part is known: there are no numbers */
    ridge_unknown *unknown;
    size_t unknown_count, unknown_cap;
} ridge_analysis;

/* Allocated; free with ridge_analysis_free also after an error. The registry must outlive it. */
ridge_status ridge_analysis_make(ridge_analysis **out, ridge_registry *registry, const ridge_request *request, ridge_err *err);
void ridge_analysis_free(ridge_analysis *analysis);

/* ---- steps, for who needs less than all ---- */
ridge_status ridge_analysis_open(ridge_analysis *a, const ridge_request *request, ridge_err *err); /* file, config, head class */
ridge_status ridge_analysis_workload(ridge_analysis *a, const ridge_request *request,
                                     ridge_err *err); /* defaults, limits, the graph's globals */
/* a positive size that the config gives (positions_max, image of its spec); RIDGE_UNSET where it gives none, expr NULL included */
ridge_status ridge_analysis_size(int64_t *out, ridge_analysis *a, const ridge_expr *expr);
ridge_status ridge_analysis_training(ridge_analysis *a); /* forward cost -> training step */
ridge_status ridge_analysis_memory(ridge_analysis *a, ridge_err *err);
/* fails in a symbolic run whose memory has no closed form, and without request.memory_forms */
ridge_status ridge_analysis_memory_forms(ridge_memory_forms *out, ridge_analysis *a);
/* --partial of an unknown architecture: its nested configs that are known, as children of a root of its name */
ridge_status ridge_analysis_partial(ridge_analysis *a, ridge_err *err);
ridge_status ridge_analysis_warn(ridge_analysis *a, ridge_err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* unsets the options that have no effect on this model, each with a warning */
ridge_status ridge_analysis_drop_unused(ridge_analysis *a, ridge_request *request, ridge_err *err);
ridge_status ridge_analysis_note_unknown(ridge_analysis *a, const char *module, const char *needed_by, ridge_err *err);

#endif
