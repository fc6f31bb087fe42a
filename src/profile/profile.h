/* profile.h - `ridge profile`: the parts of attention, of a layer or of a whole model timed apart, on random weights.
 * In: sizes or a model's config, a workload, formats, threads, a budget. Out: components with their times, what bounds each by the
 * ceilings measured in the same run, what they were predicted to take, the bottleneck and a recommendation; in the caller's arena.
 * Every kernel matches its reference before it is timed; layers of a model are distinct ones times their count. docs/profile.md
 * Fails (USAGE) on sizes that are missing or do not fit together, (NOMEM) where one layer does not fit, (UNKNOWN) where no kernel runs a
 * part. Ctrl-C (ridge_measure_interrupted) ends it early with what is done. */
#ifndef RIDGE_PROFILE_PROFILE_H
#define RIDGE_PROFILE_PROFILE_H

#include "model/analysis.h"
#include "bench/machine.h"
#include "bench/problem.h"
#include "measure/model.h"
#include "report/plot/plot.h"
#include "report/table.h"

typedef enum ridge_profile_what { RIDGE_PROFILE_ATTENTION, RIDGE_PROFILE_LAYER, RIDGE_PROFILE_MODEL } ridge_profile_what;
extern const char *const ridge_profile_names[]; /* "attention", "layer", "model", NULL */

/* Sizes of one layer; 0: not given, taken from the model or from another size. */
typedef struct ridge_profile_shape {
    int64_t hidden, heads, kv_heads, head_dim, intermediate;
    bool rwkv;      /* RWKV-4: heads and head_dim are not used */
    bool layernorm; /* else RMSNorm */
    bool plain_mlp; /* up, GELU, down; else gated with SiLU */
    bool rope;      /* rotary positions */
} ridge_profile_shape;

/* Start from ridge_profile_default. */
typedef struct ridge_profile_request {
    ridge_profile_what what;
    const char *model; /* NULL: by the shape alone */
    ridge_profile_shape shape;
    ridge_phase phase;                         /* decode or prefill */
    int64_t batch, seq, past;                  /* RIDGE_UNSET: decode 1, 1, 512; prefill 1, 512, 0 */
    const ridge_format *weights, *activations; /* NULL: bf16; those of the weights where plain, else fp32 */
    unsigned threads;                          /* 0: all CPUs of the process */
    ridge_cache_state cache;                   /* of weights and KV cache */
    int optimize;                              /* attention: levels up to this one, 0..3; negative: none */
    double budget_s;                           /* of everything; 0: 8 s */
    ridge_trace *trace;                        /* NULL: none; as many threads as `threads`, which then is not 0 */
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
} ridge_profile_request;
void ridge_profile_default(ridge_profile_request *request);

/* what a component does: the rules of the recommendation go by it */
typedef enum ridge_profile_role {
    RIDGE_PROFILE_WEIGHTS, /* a product with weights */
    RIDGE_PROFILE_SCORES,  /* reads or writes the score matrix */
    RIDGE_PROFILE_CORE,    /* attention in one kernel, wkv */
    RIDGE_PROFILE_SMALL    /* norms, activations, residuals, RoPE, embedding */
} ridge_profile_role;

/* Doubles are RIDGE_MEASURE_UNKNOWN where not known. Times are of `count` modules together, seconds. */
typedef struct ridge_profile_component {
    const char *name; /* "qkv_projection"; of a model, its row: "model.layers.*.mlp.down_proj" */
    ridge_profile_role role;
    ridge_int count;
    double time_s, low_s, high_s, percent; /* not known where Ctrl-C came before it was measured */
    ridge_compare_sides least;             /* by the ceilings: what memory and arithmetic alone would take */
    double predicted_s;        /* attention, layer: the larger side of each kernel; model: the catalog's row on these ceilings */
    const char *bound;         /* "memory", "compute": the ceiling of which the larger fraction is reached; NULL: not known */
    double percent_of_ceiling; /* of that one */
    bool
        beats_roofline; /* beyond its interval: a ceiling or a byte count is wrong, or others took from the ceiling while it was measured */
    ridge_int flops, bytes;               /* negative: not known */
    size_t streamed_bytes;                /* weights, K and V read */
    const char *variant;                  /* of its longest kernel */
    double max_relative_error, tolerance; /* of its worst kernel */
} ridge_profile_component;

enum { RIDGE_PROFILE_LEVELS = 4 };
extern const char *const ridge_profile_level_names[RIDGE_PROFILE_LEVELS]; /* "naive", "blocked", "fused", "flash" */
typedef struct ridge_profile_level {
    unsigned level;
    const char *variant;
    bool right; /* else it is not timed */
    double time_s, low_s, high_s;
    double speedup; /* over level 0 */
    double max_relative_error, tolerance;
} ridge_profile_level;

/* a distinct group of a model's rows: a layer, or what stands outside of layers */
typedef struct ridge_profile_group {
    const char *name; /* "model.layers.*"; "" outside of layers */
    ridge_int count;
    ridge_sample_statistics whole; /* one pass through it */
    unsigned places;
    size_t first, components; /* in the profile's list */
} ridge_profile_group;

typedef struct ridge_profile {
    const ridge_profile_request *request; /* the caller's */
    ridge_profile_shape shape;            /* as run; attention, layer */
    int64_t batch, seq, past;
    const ridge_format *weights, *activations;
    unsigned threads, cpus; /* cpus: that this process may use */
    const ridge_bench_machine *machine;
    ridge_profile_component *components;
    size_t component_count, component_cap;
    ridge_profile_group *groups;
    size_t group_count;
    double total_s;                              /* the sum of the components; not known where one was not measured */
    double predicted_s;                          /* of the components that are predicted; model: of all rows but those left out */
    double tokens_per_s, predicted_tokens_per_s; /* model; not known where rows are left out */
    const char **left_out;                       /* rows of the model that no kernel here runs */
    size_t left_out_count;
    double left_out_predicted_s;
    ridge_profile_level levels[RIDGE_PROFILE_LEVELS];
    size_t level_count;
    const char *bottleneck;     /* a component's name; NULL, as the recommendation, where Ctrl-C left components unmeasured */
    const char *recommendation; /* a sentence with the number behind it */
    bool interrupted;
} ridge_profile;

/* registry: NULL where no model is named */
ridge_status ridge_profile_run(ridge_profile *out, const ridge_profile_request *request, ridge_registry *registry, ridge_ops *ops,
                               ridge_arena *arena, ridge_err *err);

/* ---- steps ---- */
/* bound, percent_of_ceiling and percents of the components, the total: from times and sides */
void ridge_profile_sum(ridge_profile *profile);
/* tokens per second, from batch, seq and both totals */
void ridge_profile_rates(ridge_profile *profile);
/* components that were not measured: Ctrl-C came before their group */
size_t ridge_profile_unmeasured(const ridge_profile *profile);
/* the variant of --optimize's level `level`, for the widest instructions here; of one query per sequence, level 3 is split along the
 * keys. UNKNOWN where none takes the problem. */
ridge_status ridge_profile_level_variant(const ridge_kernel_variant **out, const ridge_problem *problem, unsigned level, ridge_err *err);
/* bottleneck and recommendation, from a table of rules (advice.c). NOMEM. */
ridge_status ridge_profile_advise(ridge_profile *profile, ridge_arena *arena, ridge_err *err);

/* ---- outputs ---- */
void ridge_profile_json(ridge_buf *out, const ridge_profile *profile);
ridge_status ridge_profile_table(ridge_buf *out, const ridge_profile *profile, ridge_form style, int width, ridge_arena *arena,
                                 ridge_err *err);
/* for people: head, table, levels, bottleneck */
ridge_status ridge_profile_text(ridge_buf *out, const ridge_profile *profile, int width, ridge_arena *arena, ridge_err *err);
/* bars: the time of each component, in what bounds it */
ridge_status ridge_profile_picture(ridge_plot *out, const ridge_profile *profile, ridge_arena *arena, ridge_err *err);

#endif
