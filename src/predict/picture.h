/* picture.h - a prediction as pictures: the roofline with its kernels, where the time goes, memory by context.
 * In: a finished prediction. Out: plain plots (report/plot/plot.h), owned by the prediction's arena.
 * Of several devices, one is drawn, beside its own ceilings and its own memory; titles say so. The times are those of the JSON. */
#ifndef RIDGE_PREDICT_PICTURE_H
#define RIDGE_PREDICT_PICTURE_H

#include "predict/records.h"
#include "report/plot/plot.h"

/* Ceilings of a machine: its peaks from 32 bits down, `used` the main one, and every memory level of known bandwidth. */
ridge_status ridge_picture_ceilings(ridge_plot_roofline *out, const ridge_machine *machine, ridge_precision used, ridge_arena *arena,
                                    ridge_err *err);
/* Kernels on the machine's roofline: one point a leaf row, sized by its share of the time. */
ridge_status ridge_picture_roofline(ridge_plot *out, const ridge_prediction *p, ridge_err *err);
/* Time of every leaf row: memory-bound, compute-bound, waits and launches. */
ridge_status ridge_picture_time(ridge_plot *out, const ridge_prediction *p, ridge_err *err);
/* Weights, KV cache and activations over the context, the capacity as a line; *any is false for models without a context. */
ridge_status ridge_picture_memory(ridge_plot *out, bool *any, const ridge_prediction *p, ridge_err *err);

#endif
