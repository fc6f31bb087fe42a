/* parts.h - what the experiments share: points that are measured in rounds, rows, what may be said of them. Internal to src/experiment.
 * In: a running experiment. Out: rounds of statistics in the arena, rows added, a verdict with its sentence.
 * Fails as ridge_experiment_run does. */
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
    size_t kept_bytes, keep_most; /* operands that stay from round to round, and how much may */
    double kept_s;                /* that it took to make them */
} ridge_experimenting;

/* ---- products ---- */

/* y[m, n] = x[m, k] W[n, k]^T; k and the activations are the request's */
ridge_problem ridge_experiment_product(const ridge_experiment_request *request, const ridge_format *weights, int64_t m, int64_t n);
/* Rows of W that stay in a core's own cache on every thread, a divisor of n where there is one: what "from cache" runs. */
int64_t ridge_experiment_cached_rows(const ridge_experimenting *x, const ridge_format *weights);
/* "product 4096 x 4096, weights bf16, activations fp32, 2 threads", after what is `before` it; "" when out of memory */
const char *ridge_experiment_subject(const ridge_experimenting *x, const char *before);
/* operand bytes of the weights of n rows */
double ridge_experiment_weight_bytes(const ridge_experimenting *x, const ridge_format *weights, int64_t n);
/* FLOPs of the product with m rows, from the catalog */
ridge_status ridge_experiment_flops(double *flops, const ridge_experimenting *x, int64_t m);
/* the widest loop that reads and runs here; beyond the caches widths differ little. NULL: none */
const ridge_stream *ridge_experiment_stream(void);

/* ---- points: what takes turns, sample by sample, once in every round ---- */

enum { RIDGE_EXPERIMENT_CHAINS = 2, RIDGE_EXPERIMENT_WORKS = 10 };

/* a product as it is run */
typedef struct ridge_experiment_chain {
    ridge_problem problem;
    ridge_cache_state cache;
    unsigned repeat;    /* calls a pass, all on the same operands, packed once */
    ridge_chain *chain; /* NULL: not made yet, or its operands are too large to keep until the next round */
    size_t kept_bytes;
    const char *variant; /* that runs it, once it was made */
} ridge_experiment_chain;

typedef struct ridge_experiment_point {
    const char *name; /* for the progress line; NULL: what all are called */
    unsigned threads;
    ridge_experiment_chain chains[RIDGE_EXPERIMENT_CHAINS];
    size_t chain_count;
    ridge_work others[RIDGE_EXPERIMENT_WORKS - RIDGE_EXPERIMENT_CHAINS]; /* loops that read */
    size_t other_count;
    ridge_sample_statistics (*seen)[RIDGE_ROUNDS_MOST]; /* of each work: chains, then others */
    unsigned rounds;                                    /* that are done */
} ridge_experiment_point;

/* `count` empty ones in the arena; NULL: no memory */
ridge_experiment_point *ridge_experiment_points(const ridge_experimenting *x, size_t count);
/* Every point once a round, on a team of its threads, until all rounds are done or Ctrl-C comes: what is in flight then counts in no round.
 * Operands are freed with the last round. `what`: for the progress line. */
ridge_status ridge_experiment_measure(ridge_experimenting *x, ridge_experiment_point *points, size_t count, const char *what,
                                      double budget_s);
/* points that were measured once at least: those before the first that was not */
size_t ridge_experiment_done(const ridge_experiment_point *points, size_t count);
/* a work's rounds as one, each counted `factor` times */
ridge_experiment_time ridge_experiment_time_of(const ridge_experiment_point *point, size_t work, double factor);

/* ---- rows ---- */

/* a row without numbers; NULL when 64 rows are there, or there is no name */
ridge_experiment_row *ridge_experiment_add(ridge_experimenting *x, const char *name);
/* the time and its spread */
void ridge_experiment_set_time(ridge_experiment_row *row, ridge_experiment_time time);
/* how many times as long as `under`; rounds that both have */
ridge_rounds_ratio ridge_experiment_ratio_of(const ridge_experiment_time *over, const ridge_experiment_time *under);
/* ... as a row has it: ends that nobody knows are negative */
ridge_rounds_ratio ridge_experiment_ratio_told(const ridge_experiment_time *over, const ridge_experiment_time *under);

/* ---- words ---- */

/* sets the sentence; NOMEM */
ridge_status ridge_experiment_say(ridge_experimenting *x, const char *verdict, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* ... where what was measured allows no verdict; NOMEM */
ridge_status ridge_experiment_say_nothing(ridge_experimenting *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "8.26", "120": three digits, never as a power of ten; "" when out of memory */
const char *ridge_experiment_number(const ridge_experimenting *x, double value);
/* "2.2x", "between 1.4x and 1.6x", "more than 1.4x": how sure a ratio is, two digits */
const char *ridge_experiment_between(const ridge_experimenting *x, ridge_rounds_ratio ratio);
/* "64 %", "61 to 67 %" */
const char *ridge_experiment_percent(const ridge_experimenting *x, ridge_rounds_ratio share);
/* Ctrl-C: what is being measured is no point, and no further one is begun */
bool ridge_experiment_stopped(void);
void ridge_experiment_tell(const ridge_experimenting *x, const char *what, size_t done, size_t total);
/* measured ceilings of these threads, in a quarter of the budget */
ridge_status ridge_experiment_machine(const ridge_bench_rates **out, const ridge_experimenting *x);
/* Is there too little for any verdict? Then it is said: Ctrl-C left fewer points than `planned` or too few rounds, or other programs
 * disturbed too many of them. */
ridge_status ridge_experiment_say_too_little(bool *too_little, ridge_experimenting *x, size_t planned);

/* ---- verdicts of finished rows; pure, and said of no more than the rows show ---- */
/* rows: reading, calculating, both */
ridge_status ridge_experiment_say_memory(ridge_experimenting *x);
ridge_status ridge_experiment_say_quant(ridge_experimenting *x);
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
