/* records.h - what every answer about a model tells of it: workload, parameters, memory, what is not known.
 * In: a finished analysis. Out: plain structs and how they are written (report/record.h); texts live as long as the analysis. */
#ifndef RIDGE_MODEL_RECORDS_H
#define RIDGE_MODEL_RECORDS_H

#include "cost/sums.h"
#include "model/analysis.h"

/* The workload as it is told: RIDGE_UNSET, NULL or a negative word where the model or the phase has no such thing. */
typedef struct ridge_workload_told {
    ridge_phase phase;
    int64_t batch, seq, past, decoder_seq, encoder_len, images, image, image_width, video_frames, frames, samples;
    const ridge_format *weights, *activations, *kv;
    ridge_words stored;
    ridge_kernel_mode kernel;
    int attention, lm_head, optimizer, recompute;
    const char *bound;
} ridge_workload_told;
ridge_workload_told ridge_workload_tell(const ridge_workload *workload);
/* "q4_K", "q4_K + q6_K + fp32" */
void ridge_workload_add_weights(ridge_buf *out, const ridge_workload *workload);
/* "prefill  batch 1  seq 2048   weights bf16, ..." and a newline */
void ridge_workload_line(ridge_buf *out, const ridge_workload *workload);

/* what stands at the head of every answer; `known`: NULL where --partial knows nothing */
typedef struct ridge_model_told {
    const char *model, *architecture;
    const ridge_workload_told *workload;
    const ridge_parameter_counts *parameters;
    ridge_workload_told workload_told; /* what workload points to */
} ridge_model_told;
void ridge_model_tell(ridge_model_told *out, const ridge_analysis *analysis);

/* of a const ridge_analysis: what --partial could not count, what a reader should know */
extern const ridge_record ridge_workload_record, ridge_parameters_record, ridge_memory_record, ridge_unknown_record, ridge_share_record;

/* "memory      15,969,312,768 (15.97 GB)   weights ..., KV cache ..., activations peak ...": the parts that are not 0 */
void ridge_memory_parts(ridge_buf *out, const ridge_memory *memory, ridge_arena *arena);
/* "not counted Whale (needed by ...): not in the catalog", a line each */
void ridge_unknown_lines(ridge_buf *out, const ridge_unknown *unknown, size_t count);

#endif
