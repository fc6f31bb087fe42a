/* parts.h - what the experiments share: a product as a chain, cold or from cache, and rows. Internal to src/experiment.
 * In: a running experiment. Out: chains to be freed, rows added. Fails as ridge_experiment_run does. */
#ifndef RIDGE_EXPERIMENT_PARTS_H
#define RIDGE_EXPERIMENT_PARTS_H

#include "experiment/experiment.h"

typedef struct ridge_experimenting {
    ridge_experiment *out;
    const ridge_experiment_request *request; /* complete: the answer's */
    const ridge_experiment_extras *extras;
    ridge_ops *ops;
    ridge_arena *arena;
    ridge_err *err;
    const ridge_format *weights;
    unsigned threads;
} ridge_experimenting;

/* y[m, n] = x[m, k] W[n, k]^T; k and the activations are the request's */
ridge_problem ridge_experiment_product(const ridge_experiment_request *request, const ridge_format *weights, int64_t m, int64_t n);
/* its chain: `repeat` calls a pass, all on the same operands, packed once; NULL without an error after Ctrl-C */
ridge_status ridge_experiment_chain(ridge_chain **out, const ridge_experimenting *x, ridge_team *team, const ridge_problem *problem,
                                    ridge_cache_state cache, unsigned repeat, unsigned threads);
/* Rows of W that stay in a core's own cache on every thread, a divisor of n where there is one: what "from cache" runs. */
int64_t ridge_experiment_cached_rows(const ridge_experimenting *x, const ridge_format *weights);
/* operand bytes of the weights of n rows */
double ridge_experiment_weight_bytes(const ridge_experimenting *x, const ridge_format *weights, int64_t n);
/* FLOPs of the product with m rows, from the catalog */
ridge_status ridge_experiment_flops(double *flops, const ridge_experimenting *x, int64_t m);
/* the widest loop that reads and runs here; beyond the caches widths differ little. NULL: none */
const ridge_stream *ridge_experiment_stream(void);
/* a row without numbers; NULL when 64 rows are there, or there is no name */
ridge_experiment_row *ridge_experiment_add(ridge_experimenting *x, const char *name);
/* sets the sentence; NOMEM */
ridge_status ridge_experiment_say(ridge_experimenting *x, const char *verdict, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* ... where what was measured allows no verdict; NOMEM */
ridge_status ridge_experiment_say_nothing(ridge_experimenting *x, const char *why);
/* "8.26", "120": three digits, never as a power of ten; "" when out of memory */
const char *ridge_experiment_number(const ridge_experimenting *x, double value);
/* "2.2x", "120x" */
const char *ridge_experiment_ratio(const ridge_experimenting *x, double value);
/* Ctrl-C: what is being measured is no point, and no further one is begun */
bool ridge_experiment_stopped(void);
/* ... in place of a verdict, where fewer points are done than `planned`: how many, and the best of them; NOMEM */
ridge_status ridge_experiment_say_stopped(ridge_experimenting *x, size_t planned);
void ridge_experiment_tell(const ridge_experimenting *x, const char *what, size_t done, size_t total);
/* measured ceilings of these threads, in a quarter of the budget */
ridge_status ridge_experiment_machine(const ridge_bench_rates **out, const ridge_experimenting *x);

/* ---- verdicts of finished rows; pure, and said of no more than the rows show ---- */
ridge_status ridge_experiment_say_threads(ridge_experimenting *x);
ridge_status ridge_experiment_say_tile(ridge_experimenting *x);
/* rows by the roofline, below 0 where not known; FLOPs of one row for a byte of weights */
ridge_status ridge_experiment_say_batch(ridge_experimenting *x, double predicted_rows, double flops_per_byte);
ridge_status ridge_experiment_say_sizes(ridge_experimenting *x);

ridge_status ridge_experiment_memory(ridge_experimenting *x);
ridge_status ridge_experiment_quant(ridge_experimenting *x);
ridge_status ridge_experiment_tile(ridge_experimenting *x);
ridge_status ridge_experiment_threads(ridge_experimenting *x);
ridge_status ridge_experiment_sizes(ridge_experimenting *x);
ridge_status ridge_experiment_batch(ridge_experimenting *x);

#endif
