/* profile.h - `ridge profile`: the parts of attention, of a layer or of a whole model timed apart, on random weights.
 * In: a request: sizes or a model, a workload, formats, threads, a budget. Out: an answer with components and their times, what bounds each
 * by the ceilings measured in the same run, what they were predicted to take, the bottleneck and a recommendation; it has a copy of the
 * request, what it points to is in the caller's arena.
 * Every kernel matches its reference before it is timed; layers of a model are distinct ones times their count. docs/profile.md
 * Fails (USAGE) on sizes that are missing or do not fit together, (NOMEM) where one layer does not fit, (UNKNOWN) where no kernel runs a
 * part. Ctrl-C (ridge_measure_interrupted) ends it early with what is done. */
#ifndef RIDGE_PROFILE_PROFILE_H
#define RIDGE_PROFILE_PROFILE_H

#include "bench/machine.h"
#include "bench/problem.h"
#include "measure/model.h"
#include "model/analysis.h"
#include "report/plot/plot.h"

typedef enum ridge_profile_what { RIDGE_PROFILE_ATTENTION, RIDGE_PROFILE_LAYER, RIDGE_PROFILE_MODEL } ridge_profile_what;
extern const char *const ridge_profile_names[]; /* "attention", "layer", "model", NULL */

/* Sizes of one layer; below 1: not given, taken from the model or from another size. */
typedef struct ridge_profile_shape {
    int64_t hidden, heads, kv_heads, head_dim, intermediate;
    bool rwkv;      /* RWKV-4: heads and head_dim are not used */
    bool layernorm; /* else RMSNorm */
    bool plain_mlp; /* up, GELU, down; else gated with SiLU */
} ridge_profile_shape;

/* Start from ridge_profile_default. */
typedef struct ridge_profile_request {
    ridge_profile_what what;
    const char *model;                         /* NULL: by the shape alone */
    ridge_profile_shape shape;                 /* attention: beside a model, in place of its sizes */
    ridge_phase phase;                         /* decode or prefill */
    int64_t batch, seq, past;                  /* RIDGE_UNSET: decode 1, 512; prefill 512, 0 */
    const ridge_format *weights, *activations; /* NULL: bf16; those of the weights where plain, else fp32 */
    int64_t threads;                           /* below 1: all CPUs of the process */
    ridge_cache_state cache;                   /* of weights and KV cache */
    int64_t optimize;                          /* attention: levels up to this one, 0..3; RIDGE_UNSET: none */
    double budget_s;                           /* of everything */
} ridge_profile_request;
extern const ridge_option ridge_options_profile_sizes[]; /* of a ridge_profile_shape */
extern const ridge_option ridge_options_profile[], ridge_options_profile_levels[];
extern const char *const ridge_profile_attention_sizes[]; /* those of attention: a table's `only` */
ridge_status ridge_profile_default(ridge_profile_request *request, ridge_arena *arena, ridge_err *err);

/* what a caller adds to the request; may be NULL */
typedef struct ridge_profile_extras {
    ridge_trace *trace; /* NULL: none; as many threads as `threads`, which then is given */
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    /* how long all of it will take: by the budget, before anything is measured; again where the first group shows that it is much more */
    void (*estimate)(void *context, double seconds);
    void *context;
} ridge_profile_extras;

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
    double error;              /* |predicted - measured| / measured */
    ridge_side bound;          /* the ceiling of which the larger fraction is reached */
    double percent_of_ceiling; /* of that one */
    bool
        beats_roofline; /* beyond its interval: a ceiling or a byte count is wrong, or others took from the ceiling while it was measured */
    ridge_int flops, bytes;               /* negative: not known */
    size_t streamed_bytes;                /* weights, K and V read */
    const char *variant;                  /* of its longest kernel; NULL: not measured */
    double max_relative_error, tolerance; /* of its worst kernel */
} ridge_profile_component;

#define RIDGE_PROFILE_LEVEL_LIST(X)                                                                                                        \
    X(NAIVE, "naive")     /* the score matrix in memory */                                                                                 \
    X(BLOCKED, "blocked") /* ... in blocks */                                                                                              \
    X(FUSED, "fused")     /* online softmax */                                                                                             \
    X(FLASH, "flash")     /* tiles; one query per sequence: split along the keys */
typedef enum ridge_profile_method {
#define X(code, name) RIDGE_PROFILE_##code,
    RIDGE_PROFILE_LEVEL_LIST(X) RIDGE_PROFILE_LEVELS
#undef X
} ridge_profile_method;
extern const char *const ridge_profile_level_names[]; /* NULL-terminated */
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
    ridge_sample_statistics whole; /* one pass through it; tried 0: it was not measured */
    unsigned places;
    size_t first, components; /* in the profile's list */
} ridge_profile_group;

typedef struct ridge_profile {
    ridge_profile_request request;    /* as run: whatever was not given is filled in */
    const ridge_profile_shape *shape; /* the request's; NULL: a model's layers have their own */
    unsigned cpus;                    /* that this process may use */
    const ridge_bench_machine *machine;
    ridge_profile_component *components;
    size_t component_count, component_cap;
    size_t unmeasured; /* components: Ctrl-C came before their group */
    size_t beaten;     /* components that beat the roofline */
    ridge_profile_group *groups;
    size_t group_count;
    double total_s;     /* the sum of the components; not known where one was not measured */
    double predicted_s; /* of the components that are predicted; model: of all rows but those left out */
    double error;
    ridge_takes takes;                           /* what the model takes; tokens and a cache where none is named */
    double tokens_per_s, predicted_tokens_per_s; /* model; not known where rows are left out, or it takes none */
    double images_per_s, predicted_images_per_s;
    ridge_words warnings;        /* of the model: options that have no effect on it */
    ridge_words left_out;        /* rows of the model that no kernel here runs */
    double left_out_predicted_s; /* model */
    ridge_profile_level *levels;
    size_t level_count;
    const char *bottleneck;     /* a component's name; NULL, as the recommendation, where Ctrl-C left components unmeasured */
    const char *recommendation; /* a sentence with the number behind it */
    bool interrupted;
    int64_t run; /* its number in the store; RIDGE_UNSET: in none */
} ridge_profile;

/* registry: may be NULL where no model is named; extras too */
ridge_status ridge_profile_run(ridge_profile *out, const ridge_profile_request *request, const ridge_profile_extras *extras,
                               ridge_registry *registry, ridge_ops *ops, ridge_arena *arena, ridge_err *err);

/* ---- steps ---- */
/* bounds, percents and totals of the components, from times and sides */
void ridge_profile_sum(ridge_profile *profile);
/* errors and, of a model, tokens per second: from batch, seq and the totals */
void ridge_profile_rates(ridge_profile *profile);
/* the variant of a level, for the widest instructions here; of one query per sequence, level 3 is split along the keys. UNKNOWN where none
 * takes the problem. */
ridge_status ridge_profile_level_variant(const ridge_kernel_variant **out, const ridge_problem *problem, unsigned level, ridge_err *err);
/* bottleneck and recommendation, from a table of rules (advice.c). NOMEM. */
ridge_status ridge_profile_advise(ridge_profile *profile, ridge_arena *arena, ridge_err *err);

/* ---- how it is told ---- */
extern const ridge_record ridge_profile_record, ridge_profile_component_record;
/* for people: what was run, a model's groups; below the table of components totals, levels, bottleneck */
void ridge_profile_head(ridge_buf *out, const ridge_profile *profile, ridge_arena *arena);
ridge_status ridge_profile_below(ridge_buf *out, const ridge_profile *profile, int width, ridge_arena *arena, ridge_err *err);
/* bars: the time of each component, in what bounds it */
ridge_status ridge_profile_picture(ridge_plot *out, const ridge_profile *profile, ridge_arena *arena, ridge_err *err);
/* for the store: a row for each component and each level that was timed, none where Ctrl-C came before one was measured; strings in the
 * arena. A component's row is of all its modules together and has the component's name as its kernel. Fails (NOMEM), and as
 * ridge_ops_count. */
ridge_status ridge_profile_measured(ridge_measured_row **out, size_t *count, const ridge_profile *profile, ridge_ops *ops,
                                    ridge_arena *arena, ridge_err *err);

#endif
