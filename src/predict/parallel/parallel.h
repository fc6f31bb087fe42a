/* parallel.h - a model over several devices: what each holds and does, and the messages between them.
 * In: the rows and kernels of a workload, how many devices share what. Out: per kernel the part of one device, the messages as kernels
 * and rows of their own, the memory of one device. The catalog says what is an attention and how the parts of a module split; the layers
 * are found in the module tree. Megatron-LM's splits (Shoeybi 2019, Narayanan 2021), GPipe's schedule, ZeRO's states; docs/parallel.md
 * Fails (USAGE) where a number does not divide, with the valid ones; (UNKNOWN) where a model's parts split in no known way. */
#ifndef RIDGE_PREDICT_PARALLEL_PARALLEL_H
#define RIDGE_PREDICT_PARALLEL_PARALLEL_H

#include "model/analysis.h"
#include "predict/parallel/collectives.h"
#include "predict/plan.h"

/* How many devices share what. Devices in all: tensor x pipeline x data. Experts are spread over data-parallel replicas. */
typedef struct ridge_parallel {
    int64_t devices;                  /* 0, or what `tensor` is to be */
    int64_t tensor, pipeline, expert; /* 1: not shared */
    int64_t data;                     /* 0: as many as `expert` needs */
    int64_t microbatches;             /* of one replica's batch, one after the other */
    int64_t zero;                     /* stage of ZeRO, 0..3 (training): 1 optimizer states, 2 and gradients, 3 and weights */
    double link_bytes_per_s;          /* of one device, one direction; negative: the machine's link between devices */
    double link_latency_s;            /* of one message; negative: the machine's */
} ridge_parallel;
void ridge_parallel_default(ridge_parallel *parallel);
/* puts `devices` into `tensor`; USAGE where a number is out of the range of its option */
ridge_status ridge_parallel_check(ridge_parallel *parallel, ridge_err *err);
bool ridge_parallel_is_on(const ridge_parallel *parallel);
int64_t ridge_parallel_replicas(const ridge_parallel *parallel);
int64_t ridge_parallel_devices(const ridge_parallel *parallel);
/* sequences of one microbatch of one replica, of a whole batch; USAGE where it does not divide */
ridge_status ridge_parallel_batch(int64_t *out, const ridge_parallel *parallel, int64_t batch, ridge_err *err);

/* ---- how the rows split (split.c) ---- */

#define RIDGE_NO_ROW UINT32_MAX

typedef enum ridge_part_kind {
    RIDGE_PART_WHOLE,  /* every device does all of it */
    RIDGE_PART_COLUMN, /* a matrix whose outputs are shared */
    RIDGE_PART_ROW,    /* a matrix whose inputs are shared: its result is a sum over the devices */
    RIDGE_PART_SHARE,  /* a device's share of the work: attention by heads, elementwise work between a column and a row matrix */
    RIDGE_PART_TABLE   /* the embedding table, by vocabulary */
} ridge_part_kind;

/* one row */
typedef struct ridge_part {
    ridge_part_kind kind;
    ridge_int num, den;         /* of a split matrix, the share of one device */
    ridge_int in, out;          /* of a matrix; 0: none */
    ridge_int heads, kv_heads;  /* of a row that runs attention cores; 0: none. kv_heads 0: the cache is of no head (latent) */
    uint32_t end;               /* one past the last row below */
    uint32_t layer;             /* the outermost repeated layer it is in; RIDGE_NO_ROW: none */
    uint32_t block;             /* the innermost layer around it that has an attention core */
    uint32_t scope;             /* the attention it is in, with what reads and writes it */
    uint32_t mixture;           /* the module whose experts it belongs to */
    uint32_t kernel;            /* its first kernel */
    ridge_int experts;          /* of the mixture */
    bool core, has_core, after; /* core: is an attention; after: comes after the first layer */
} ridge_part;

typedef struct ridge_split {
    const ridge_rows *rows;
    const ridge_kernels *kernels;
    ridge_part *parts; /* [rows->n] */
    ridge_int layers;  /* places of the outermost layers */
    uint32_t first_layer;
    uint32_t head, table; /* the matrix onto the vocabulary, the embedding table; RIDGE_NO_ROW: none */
    ridge_int vocabulary; /* 0: no embedding table */
    const ridge_parallel *parallel;
} ridge_split;
/* In the analysis' arena. Checks the numbers against the model. */
ridge_status ridge_split_make(ridge_split *out, ridge_analysis *analysis, const ridge_parallel *parallel, ridge_err *err);
/* the part of one device in kernel i: compute, weights, activations, cache; calls of its place in the pipeline */
ridge_plan_split ridge_split_of(const ridge_split *split, size_t kernel);
/* how often the slots of a row's place in the pipeline pass by, over one pass of a microbatch */
double ridge_split_calls(const ridge_split *split, uint32_t row);

/* ---- messages (messages.c) ---- */

/* Adds the messages to rows and kernels of `analysis` (of ridge_analysis_kernels), each below the module that waits for it, and gives the
 * splits of all kernels, in order. parameters: of one device, for the gradients. */
ridge_status ridge_parallel_apply(ridge_plan_split **splits, ridge_analysis *analysis, const ridge_parallel *parallel,
                                  const ridge_machine *machine, ridge_err *err);

/* ---- memory (memory.c) ---- */

/* Memory of one device; request->batch is that of all. Activations of inference are counted whole on every device: an upper bound. */
ridge_status ridge_parallel_memory(ridge_memory *out, ridge_registry *registry, const ridge_model_request *request,
                                   const ridge_parallel *parallel, ridge_err *err);

/* of the parameters, those of one device: all, and those of its experts */
typedef struct ridge_device_parameters {
    ridge_int all, experts;
} ridge_device_parameters;
ridge_status ridge_split_parameters(ridge_device_parameters *out, const ridge_split *split, ridge_analysis *analysis, ridge_err *err);

#endif
