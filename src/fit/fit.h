/* fit.h - does a model run on a machine: in which formats, to which context, how many sequences at once, how fast.
 * In: a model, a machine or a size of memory, formats, a context. Out: a row per format of weights and of the cache, owned by the arena.
 * Memory is that of the last piece of a prompt: weights, the cache of the whole context, the activations of one piece. Times are those of
 * predict/predict.h: fused kernels, causal attention, the head on the last position. docs/fit.md
 * Fails as an analysis does; what a machine does not tell is unknown. */
#ifndef RIDGE_FIT_FIT_H
#define RIDGE_FIT_FIT_H

#include "fit/here.h"
#include "predict/predict.h"
#include "report/record.h"

/* tokens of a prompt that run at once: what servers do with longer ones (vLLM, max_num_batched_tokens of chunked prefill) */
enum { RIDGE_FIT_PIECE = 2048 };

typedef struct ridge_fits_request {
    ridge_predict_request predict; /* model, class, machine (NULL: this one), reserve */
    int64_t memory_bytes;          /* instead of the machine's; 0: its own */
    int64_t context;               /* tokens; RIDGE_UNSET: 8,192 or the model's own maximum, the less */
    ridge_formats weights, kv;     /* n 0: the usual ones; the model's own */
} ridge_fits_request;
extern const ridge_option ridge_options_fits[];      /* on, memory, context, weights, kv */
extern const ridge_option ridge_options_fits_here[]; /* on, memory, context */
extern const char *const ridge_fits_of_class[];      /* of ridge_options_class */
extern const char *const ridge_fits_of_workload[];   /* of ridge_options_workload */
/* Of a request that options have set: the rest of its prediction, as `ridge predict` has it. */
void ridge_fits_complete(ridge_fits_request *request);

/* What a model needs at a context in one choice of formats, and what a machine makes of it. */
typedef struct ridge_fits_row {
    const ridge_format *weights, *kv; /* kv NULL: the model keeps no cache */
    bool own;                         /* the weights are in the model's own formats */
    ridge_int weights_bytes, kv_bytes, memory_bytes;
    int64_t max_context, max_batch; /* not above the model's own; RIDGE_FIT_UNKNOWN: unknown, or nothing limits it; 0: not one */
    int fits;                       /* negative: not known */
    double prompt_tokens_per_s, generate_tokens_per_s; /* of one sequence; negative: not known */
    const char *bound;                                 /* of generation; NULL: not known */
    const char *prompt_bound;
} ridge_fits_row;
extern const ridge_record ridge_fits_row_record;

typedef struct ridge_fits_answer {
    ridge_analysis *model; /* the model's own formats, the last piece at this context */
    ridge_here here;
    const char *name, *machine;
    int64_t context, model_context; /* model_context: RIDGE_FIT_UNKNOWN: it has none */
    int64_t piece;                  /* tokens of the prompt that run at once */
    bool generates;                 /* keeps a cache */
    ridge_fits_row *rows;
    size_t row_count;
    ridge_words notes;
} ridge_fits_answer;
extern const ridge_record ridge_fits_record;

/* Free with ridge_fits_free also after an error. The arena, registry, machines and the request's texts must outlive the answer. */
ridge_status ridge_fits_make(ridge_fits_answer *out, ridge_registry *registry, ridge_machines *machines, const ridge_fits_request *request,
                             ridge_arena *arena, ridge_err *err);
void ridge_fits_free(ridge_fits_answer *answer);
/* the lines above the table, the table, what a reader should know */
ridge_status ridge_fits_print(ridge_buf *out, const ridge_fits_answer *answer, const ridge_record_style *style, ridge_arena *arena,
                              ridge_err *err);

/* ---- steps, for the card ---- */

/* Opens the model and the machine, sets context and piece; rows are empty. */
ridge_status ridge_fits_open(ridge_fits_answer *out, ridge_registry *registry, ridge_machines *machines, const ridge_fits_request *request,
                             ridge_arena *arena, ridge_err *err);
/* One row; formats NULL: the model's own. `wanted`: the parts beyond memory that cost time to find. */
enum { RIDGE_FIT_TIMES = 1, RIDGE_FIT_LARGEST = 2 };
ridge_status ridge_fits_row_make(ridge_fits_row *out, const ridge_fits_answer *answer, const ridge_fits_request *request,
                                 const ridge_format *weights, const ridge_format *kv, unsigned wanted, ridge_registry *registry,
                                 ridge_machines *machines, ridge_err *err);
/* the request of the last piece at this context: for memory */
ridge_model_request ridge_fits_piece(const ridge_fits_answer *answer, const ridge_model_request *model);

#endif
