/* records.h - a prediction as it is told: the figures of every output, complete before any is written.
 * In: a finished prediction, what fits. Out: one struct and how it is written (report/record.h); texts live as long as the prediction. */
#ifndef RIDGE_PREDICT_RECORDS_H
#define RIDGE_PREDICT_RECORDS_H

#include "model/records.h"
#include "predict/predict.h"

/* the precision that kernels want, the one the machine has for them */
typedef struct ridge_rate_told {
    ridge_precision wanted, used;
    double peak_flops_per_s;
} ridge_rate_told;

typedef struct ridge_rates_told {
    ridge_rate_told matmul, attention;
    double vector_flops_per_s, bytes_per_s, ridge_point, launch_overhead_s;
} ridge_rates_told;

typedef struct ridge_memory_told {
    ridge_memory memory;
    ridge_int capacity, reserve; /* negative: not known */
    int fits;                    /* negative: not known */
    int64_t max_batch, max_context, model_context;
} ridge_memory_told;

typedef struct ridge_parallel_told {
    int64_t devices, tensor, pipeline, expert, data, microbatches, zero;
    double link_bytes_per_s, link_latency_s, link_s, link_bytes, bubble;
} ridge_parallel_told;

typedef struct ridge_prediction_told {
    const ridge_prediction *prediction;
    ridge_model_told model;
    const char *machine;
    ridge_method method;
    double time_s, tokens_per_s, images_per_s;
    ridge_bound bound;
    double mfu, bandwidth_utilisation, energy_j, cost_per_million_tokens, cost_per_million_images;
    const ridge_generation *generation; /* NULL: not asked */
    ridge_rates_told rates;
    ridge_memory_told memory;
    const ridge_parallel_told *parallel; /* NULL: one device */
    const ridge_predicted_row *rows;
    size_t row_count;
    ridge_words notes, warnings;
    ridge_parallel_told parallel_told; /* what parallel points to */
} ridge_prediction_told;

/* what MFU is a share of: the peak of the matrix products, and that of attention where there is any and it is another */
const char *ridge_mfu_peaks_text(ridge_arena *arena, const ridge_prediction *prediction);
/* "11.9 ktokens/s", "5.8 kimages/s", both where a model takes both */
const char *ridge_throughput_text(ridge_arena *arena, double tokens_per_s, double images_per_s);
void ridge_prediction_tell(ridge_prediction_told *out, const ridge_prediction *prediction);
/* memory, capacity and what fits */
ridge_memory_told ridge_prediction_memory_told(const ridge_prediction *prediction);

/* members up to "rows"; the rows; the memory; times of a ridge_generation */
extern const ridge_record ridge_prediction_record, ridge_predicted_row_record, ridge_memory_told_record, ridge_request_record;

/* Which rows are shown. */
typedef struct ridge_predict_view {
    int64_t top;   /* the slowest leaves, slowest first; 0: all rows in the tree's order */
    int64_t depth; /* deepest row shown; RIDGE_UNSET: all */
} ridge_predict_view;
extern const ridge_option ridge_options_predict_view[]; /* top, depth */
/* The rows a view shows, in the arena; people's label is the path where rows are sorted. */
ridge_status ridge_predict_rows_shown(ridge_predicted_row **rows, size_t *count, const ridge_prediction *prediction,
                                      const ridge_predict_view *view, ridge_arena *arena, ridge_err *err);
/* does a request fit with its prompt, but not to its last token? */
bool ridge_prediction_outgrows(const ridge_prediction_told *told);
/* "fits; 234.3 tokens/s at best; memory-bound" */
void ridge_prediction_verdict(ridge_buf *out, const ridge_prediction_told *told);
/* the summary above the table, the verdict first */
void ridge_prediction_summary(ridge_buf *out, const ridge_prediction_told *told);

#endif
