/* kernels.h - what runs one after the other: the kernels of a model, under the rows of the modules they belong to.
 * In: a costed graph (concrete or symbolic). Out: rows as cost/rows.h makes them, with rows of their own for the functions and fused
 * kernels of a module that has modules in it, and for every leaf row its kernels. The kernels' costs add up to the model's.
 * Eager: one kernel per operator. Fused: one per leaf module and per fusion rule; other arithmetic runs inside its neighbours. */
#ifndef RIDGE_COST_KERNELS_H
#define RIDGE_COST_KERNELS_H

#include "cost/rows.h"

/* how a kernel shares the work of a mixture's experts; in a pass few of them may have tokens */
typedef enum ridge_mixture_form {
    RIDGE_MIXTURE_NONE,   /* it has no part in it */
    RIDGE_MIXTURE_POOLED, /* one module for all experts: the weights are those of one, the rest is for all rows */
    RIDGE_MIXTURE_WHOLE,  /* experts in one tensor, run by one kernel: the weights are of `hit` of them, the rest is for all rows */
    RIDGE_MIXTURE_SPREAD  /* experts in one tensor, run one by one: one of `hit` kernels, with its weights and its rows */
} ridge_mixture_form;

typedef struct ridge_kernel {
    uint32_t row;           /* the leaf row it belongs to */
    const ridge_node *node; /* the leaf module, operator or fused kernel whose formulas it is */
    const ridge_node *of;   /* the module that it is a part of; NULL: of none */
    int rule;               /* that module's fusion rule whose kernel it is; -1: none */
    ridge_value calls;      /* in one pass, of all places of the row */
    ridge_cost cost;        /* of one call: flops, reads, writes */
    ridge_int launches;     /* by one call; 0: moves no bytes of its own, and runs inside a neighbour */
    bool whole;             /* has what the module does itself, beside the operator's or fused kernel's work */
    ridge_mixture_form mixture;
    ridge_int experts;   /* of a mixture: E; 0: no mixture */
    bool all_run;        /* ... POOLED: experts without rows are run and read, too */
    ridge_value routed;  /* ... the rows all experts run together: tokens x top k */
    ridge_int per_token; /* ... experts that a token runs: top k; 0: the rows are those of the workload's tokens */
    ridge_value hit;     /* ... WHOLE and SPREAD: experts that have rows where these are spread evenly: min(E, routed) */
} ridge_kernel;

typedef struct ridge_kernels {
    ridge_kernel *p;
    size_t n, cap;
} ridge_kernels;

/* "rope+cache": the components a rule replaces, or the first and the last of many; p NULL: no memory */
ridge_str ridge_fusion_name(ridge_arena *arena, const ridge_node *node, size_t rule);
/* For a mixture's expected reads the graph must have been built with pool_experts. */
ridge_status ridge_kernels_make(ridge_rows *rows, ridge_kernels *kernels, ridge_coster *coster, const ridge_node *root, bool all);
/* What runs a kernel here, as the catalog has it: its fusion rule's, that of the leaf module whose row it stands in, or its own. */
typedef struct ridge_run_step {
    ridge_runnable what;
    ridge_value sizes[RIDGE_RUN_SIZE_COUNT]; /* UNSET: not given */
} ridge_run_step;
enum { RIDGE_RUN_STEPS = 4 };
/* *count 0: the catalog names nothing, or nothing for these values. LIMIT for more steps than that. */
ridge_status ridge_kernel_runs(ridge_run_step steps[RIDGE_RUN_STEPS], size_t *count, ridge_graph *graph, const ridge_rows *rows,
                               const ridge_kernel *kernel);
/* what runs a node, as its own entry has it */
ridge_status ridge_node_runs(ridge_run_step steps[RIDGE_RUN_STEPS], size_t *count, ridge_graph *graph, const ridge_node *node);
/* how what a kernel multiplies with is stored; members NULL where the model says nothing of its own, or the kernel has none */
ridge_stored ridge_kernel_stored(const ridge_kernel *kernel);
/* its format; `format` where nothing is said */
const ridge_format *ridge_kernel_format(const ridge_kernel *kernel, const ridge_format *format);
/* a size of at least 1; false: not given, symbolic, or too large for kernels */
bool ridge_run_size_of(int64_t *out, const ridge_run_step *step, ridge_run_size size);

/* one more kernel, run once, in a row of its own below the model's: the optimiser's step */
ridge_status ridge_kernels_add(ridge_rows *rows, ridge_kernels *kernels, ridge_coster *coster, const char *path, const char *class_name,
                               const ridge_cost *cost);

#endif
