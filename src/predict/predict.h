/* predict.h - how long a model takes on a machine, what bounds it, whether it fits: analysis x machine -> times.
 * In: a workload (model/analysis.h), a machine, a method. Out: one struct with everything any output needs, owned by the prediction.
 * Times are seconds, memory is bytes, rates are per second; what is not known is negative and prints as null.
 * docs/prediction.md has the rules. Fails where the machine lacks a rate, or the model, machine or format is not known. */
#ifndef RIDGE_PREDICT_PREDICT_H
#define RIDGE_PREDICT_PREDICT_H

#include "model/analysis.h"
#include "predict/fit.h"
#include "predict/parallel/parallel.h"
#include "predict/plan.h"

#define RIDGE_PREDICT_UNKNOWN (-1.0)

/* What is asked: the options below set it, starting from ridge_predict_default. */
typedef struct ridge_predict_request {
    ridge_model_request model; /* defaults: fused kernels, causal attention, lm_head on the positions that are needed */
    bool all;                  /* a row per module, layers unfolded */
    const char *machine;       /* id or file */
    ridge_method method;
    double launch_s;          /* of every kernel; RIDGE_UNSET: the machine's */
    int64_t prompt, generate; /* tokens of a request; 0: no generation asked */
    double price_per_hour;    /* of the machine; RIDGE_UNSET: none */
    ridge_parallel parallel;  /* several devices; model.batch is of all of them */
    ridge_reserve reserve;    /* of the memory, what a runtime keeps for itself */
} ridge_predict_request;

extern const ridge_option ridge_options_predict[]; /* on, method, launch, prompt, generate, price */
extern const ridge_option ridge_options_devices[]; /* devices to link-latency; of a ridge_parallel */
extern const ridge_option ridge_options_reserve[];
/* all options of a request, for what sets them by name; ends at options == NULL */
extern const ridge_option_table ridge_predict_tables[];
/* where its defaults differ from those of the options: "kernel=fused", ...; NULL-terminated */
extern const char *const ridge_predict_defaults[];

void ridge_predict_default(ridge_predict_request *request);
/* USAGE where what belongs together is not there; a prompt sets the lengths that were left out */
ridge_status ridge_predict_request_check(ridge_predict_request *request, ridge_err *err);

/* A row of the timed tree; a parent's times are the sums of its leaves'. */
typedef struct ridge_predicted_row {
    const ridge_row *row;
    ridge_str path;
    const char *class_name;
    const char *label, *name; /* for people: in the tree, and the path */
    ridge_int count;
    bool leaf;
    bool parallel;                      /* several devices: links count */
    double time_s, compute_s, memory_s; /* compute and memory: of each kernel alone, added up */
    double waits_s, launch_s;           /* what nothing overlaps: latencies (estimates), launches */
    double memory_bound_s;              /* the part of time_s in memory-bound kernels */
    ridge_bound bound;
    double link_s, link_bytes;         /* messages to other devices: the part of time_s, what one device sends */
    ridge_int flops, bytes;            /* of all devices together; a mixture's weight bytes are of the expected experts, rounded */
    double device_flops, device_bytes; /* what one device does in time_s: its part, also of what devices repeat */
    double percent;                    /* of the whole time; negative where that is 0 */
    double arithmetic_intensity;
} ridge_predicted_row;

/* one request: a prompt, then `generate` tokens; the first of them comes with the prompt */
typedef struct ridge_generation {
    int64_t prompt, generate;
    double ttft_s;                       /* time to first token: the prefill */
    double tpot_s;                       /* mean of the steps after it */
    double generation_s;                 /* all steps after it, the cache growing */
    double latency_s;                    /* ttft + generation */
    double requests_per_s, tokens_per_s; /* of the whole batch */
    ridge_int kv_bytes, memory_bytes;    /* of the batch when the last token is made: the cache, everything; of one device */
    int64_t max_batch;                   /* the largest that fits then; RIDGE_FIT_UNKNOWN: not known */
} ridge_generation;

typedef struct ridge_prediction {
    ridge_predict_request request;
    ridge_machines *machines; /* the caller's */
    const ridge_machine *machine;
    ridge_analysis *model; /* parameters, exact costs; its memory is that of one device */
    ridge_analysis *timed; /* rows and kernels */
    ridge_plan *plan;
    ridge_plan_rates rates;
    ridge_predicted_row *rows; /* [timed->rows.n] */
    double time_s, memory_bound_s, launch_s;
    double launch_overhead_s; /* of one kernel */
    ridge_bound bound;
    double tokens_per_s, images_per_s; /* of the pass; unknown where the model takes none of them */
    double main_memory_s;              /* of one device: its bytes from main memory, at its bandwidth */
    double mfu, bandwidth_utilisation; /* of the matrix peaks used, of main memory's bandwidth; 0..1; negative: of an unknown rate */
    double energy_j;                   /* of the pass, or of a request where one is asked */
    double cost_per_million_tokens, cost_per_million_images; /* of a request, of its generated tokens */
    ridge_int capacity_bytes;                                /* RIDGE_MACHINE_UNKNOWN: unknown */
    bool fits;                                               /* into the capacity without the reserve */
    ridge_fit fit;                                           /* ridge_prediction_fit */
    double link_s;                                           /* of time_s, messages between devices */
    ridge_generation generation;                             /* generate == 0: none */
    ridge_words notes;       /* what a reader must know: a precision the chip lacks, a launch overhead nobody gives */
    const char *launch_note; /* the one of the launch overhead, which text tells beside the time; NULL */
} ridge_prediction;

/* Allocated; free with ridge_prediction_free also after an error. Registry, machines and the request's texts must outlive it. */
ridge_status ridge_prediction_make(ridge_prediction **out, ridge_registry *registry, ridge_machines *machines,
                                   const ridge_predict_request *request, ridge_err *err);
void ridge_prediction_free(ridge_prediction *prediction);

/* a part of what bounds it is not known, so that it takes at least this time; not where an estimate has a measured rate instead */
bool ridge_prediction_is_least(const ridge_prediction *p);

/* ---- steps ---- */
ridge_status ridge_prediction_note(ridge_prediction *p, ridge_err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The kernels of a workload on a machine as a plan, symbolic or not: timed and plan get what ridge_prediction has.
 * parameters and weight_bytes are those of the exact analysis. */
ridge_status ridge_predict_plan(ridge_analysis **timed, ridge_plan **plan, ridge_registry *registry, const ridge_machine *machine,
                                const ridge_predict_request *request, const ridge_analysis *exact, bool symbolic, ridge_err *err);
/* the same for kernels that are there: one analysis, many machines; errors go where the analysis' go */
ridge_status ridge_predict_plan_on(ridge_plan **plan, ridge_analysis *timed, const ridge_machine *machine,
                                   const ridge_predict_request *request, ridge_int weight_bytes);
/* what the machines' power and price come to over these seconds, for these tokens and images; negative: none of them */
void ridge_prediction_price(ridge_prediction *p, double seconds, double tokens, double images);
/* fills p->generation: prefill of the prompt, then every step */
ridge_status ridge_prediction_generation(ridge_prediction *p, ridge_registry *registry, ridge_err *err);

/* fills p->fit, and of a request max_batch: the largest that fit. A few exact analyses each, so only where an answer shows them. */
ridge_status ridge_prediction_fit(ridge_prediction *p, ridge_registry *registry, ridge_err *err);
/* the context of the step that makes the last token, as a request for its exact memory */
ridge_model_request ridge_prediction_last_step(const ridge_prediction *p);

/* Runs the plan at the prediction's point; its kernels are read from `room`, to be freed after RIDGE_OK. */
ridge_status ridge_prediction_run(ridge_plan_times **out, ridge_plan_room *room, const ridge_prediction *p, ridge_err *err);

#endif
