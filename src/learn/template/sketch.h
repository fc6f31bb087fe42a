/* sketch.h - a run of a model, taken apart by modules: what each holds, which children it has, what its own operators cost.
 * In: the modules and the trace of a run (learn/torch/run.h). Out: one sketch per module, its numbers polynomials of the sketches' own
 * algebra, so that several runs can be held against each other. Owned by the arena of `calc`. An amount that the run does not know is
 * UNSET, never 0. */
#ifndef RIDGE_LEARN_TEMPLATE_SKETCH_H
#define RIDGE_LEARN_TEMPLATE_SKETCH_H

#include "catalog/entry.h"
#include "learn/torch/run.h"

typedef struct ridge_sketch ridge_sketch;
typedef struct ridge_draft ridge_draft; /* draft.h */

/* ---- numbers of one algebra in another ---- */

struct ridge_translated {
    uint32_t id;
    ridge_value value; /* UNSET: free */
};
typedef struct ridge_translation {
    const ridge_calc *calc;        /* where to */
    struct ridge_translated *memo; /* [cap], a power of two: hashed by the id of a polynomial */
    size_t cap, count;
    const struct ridge_sketch_argument *fixed; /* names that stand for these values */
    size_t fixed_count;
    const ridge_value *facts; /* numbers that are not negative: they decide which of two is the smaller one */
    size_t fact_count;
    uint32_t depth;
} ridge_translation;

/* UNSET for NULL */
ridge_status ridge_translate(ridge_value *out, const ridge_poly *poly, ridge_translation *t);
/* a number, None, True, False or text of a run; UNSET where it is something else, or unknown */
ridge_status ridge_translate_value(ridge_value *out, ridge_py v, ridge_translation *t);

/* one term as a number */
ridge_status ridge_value_of_term(ridge_value *out, const ridge_term *term, const ridge_calc *calc);

/* ---- sketches ---- */

typedef struct ridge_sketch_tensor {
    const char *name;
    const char *format; /* of a buffer: its dtype's name among number formats */
    ridge_value *dims;
    uint32_t rank;
    bool absent; /* registered as None */
} ridge_sketch_tensor;

/* FLOPs of a class, or elements of a kind in a format; what: ridge_flop_class, ridge_byte_kind */
typedef struct ridge_sketch_amount {
    unsigned what;
    const char *format; /* NULL: the format of the workload */
    ridge_value value;  /* of one call; UNSET: not known */
} ridge_sketch_amount;

typedef struct ridge_sketch_amounts {
    ridge_sketch_amount *p;
    size_t n, cap;
} ridge_sketch_amounts;

typedef struct ridge_sketch_child {
    const char *name;
    ridge_sketch *module; /* of an alias, too */
    bool alias;           /* listed before, elsewhere */
} ridge_sketch_child;

/* what may name a parameter: an argument of __init__, or a size of forward's first tensor */
typedef struct ridge_sketch_argument {
    const char *name;
    ridge_value value;
} ridge_sketch_argument;

/* a source line with operators that compute */
typedef struct ridge_sketch_line {
    const char *file, *operator;
    uint32_t line;
    ridge_value flops; /* of all calls */
} ridge_sketch_line;

struct ridge_sketch {
    const char *path, *class_path; /* as named_modules() gives them */
    const ridge_run_module *module;
    ridge_sketch *parent;
    ridge_sketch_tensor *weights, *buffers;
    size_t weight_count, buffer_count;
    ridge_sketch_child *children;
    size_t child_count;
    ridge_sketch_argument *arguments;
    size_t argument_count, argument_cap;
    ridge_sketch_amounts flops, reads, writes;
    ridge_sketch_line *lines;
    size_t line_count, line_cap;
    ridge_sketch_tensor *cache; /* what it keeps between calls */
    size_t cache_count, cache_cap;
    uint64_t runs; /* calls of its forward, in all */
    ridge_value
        calls;      /* ... per call of the module around it (lists are passed by); NONE: that one never ran; UNSET: not the same in each */
    bool passed_by; /* it is never called, what is in it is */
    const ridge_run_call *first; /* the first of them; NULL: none */
    uint32_t height;             /* of the modules below it */
    bool container;              /* ModuleList, ModuleDict, Sequential: no entry of its own */
    const char *role, *way;      /* purpose.h: what it is for, how it splits over devices; NULL: not known */
    ridge_value heads, kv_heads; /* of an attention that runs in it */
    bool role_parts_known;       /* its attention has been taken */
    bool splits;                 /* what it does itself and with other parts splits by heads or columns */
    ridge_draft *draft;          /* its entry, once there is one, and the arguments that make it this module */
    ridge_value *values;
};

/* a parameter that is another's tensor, too */
typedef struct ridge_sketch_tie {
    const char *path, *target; /* "lm_head.weight", "model.embed_tokens.weight" */
} ridge_sketch_tie;

typedef struct ridge_sketches {
    ridge_sketch **p; /* parents first, as named_modules() lists them */
    size_t count, cap;
    ridge_sketch *root;
    ridge_sketch_tie *ties;
    size_t tie_count, tie_cap;
    const char *act; /* the dtype that stands for the workload's format */
} ridge_sketches;

/* A run's workload: the values of B, S, past, ..., and what was asked of symbols. */
typedef struct ridge_sketch_run {
    ridge_sketches sketches;
    const ridge_sketch_argument *names; /* every name's value in this run: of the workload and of the config */
    size_t name_count;
} ridge_sketch_run;

#define RIDGE_SKETCH_RUNS 10

/* A condition of the runs, in the sketches' algebra. */
typedef struct ridge_sketch_condition {
    const char *text, *file;
    const char *shown; /* the same, shorter; NULL: no shorter */
    uint32_t line;
    ridge_value value; /* 0 or 1 in symbols; UNSET: of something that is no number */
    bool holds;        /* when it was asked */
    bool loop;         /* how often something is repeated */
    bool separates;    /* nobody asked: it is there to tell runs apart */
    bool is_fact;      /* it holds in every run, and numbers were simplified by it */
    bool known;        /* what it is in every run: */
    bool truth[RIDGE_SKETCH_RUNS];
    bool pins; /* it says that a number of the workload is what it is in one run: what follows holds for no other */
    bool both; /* it holds in some runs and does not in others: what they found was merged */
} ridge_sketch_condition;

/* cache: what the run gave back to be kept, or UNSET; `act`: the dtype of the model's weights; t: into which algebra. */
ridge_status ridge_sketches_make(ridge_sketches *out, ridge_run_module *model, const ridge_run_call *call, ridge_py cache, ridge_dtype act,
                                 ridge_py_interp *in, ridge_translation t);
/* Merges runs of one model into the first: numbers that differ are told apart by a condition. What cannot be merged becomes unknown. */
ridge_status ridge_sketches_merge(ridge_sketch_run *runs, size_t count, const ridge_sketch_condition *conditions, size_t condition_count,
                                  const ridge_calc *calc);

#endif
