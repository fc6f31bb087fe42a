/* sweep.h - predictions over a grid: phases x formats x lengths x machines x batches, every point as ridge_prediction_make has it.
 * In: what a prediction takes, with axes for what varies. Out: blocks of points in a fixed order, computed on several threads.
 * Costs are evaluated once per phase, formats and fixed length, with the batch and the varying length as names; a point then is
 * arithmetic. Where a model has no closed form, its points are analysed one by one. Memory does not depend on the number of points.
 * Fails as ridge_prediction_make does, before the first block where the largest point of the grid shows it. */
#ifndef RIDGE_SWEEP_SWEEP_H
#define RIDGE_SWEEP_SWEEP_H

#include "base/stop.h"
#include "predict/predict.h"
#include "sweep/axis.h"

enum { RIDGE_SWEEP_THREADS = 256 };

enum { RIDGE_PHASES = RIDGE_PHASE_TRAIN + 1 };
typedef struct ridge_sweep_phases {
    ridge_phase items[RIDGE_PHASES];
    size_t n;
} ridge_sweep_phases;

/* What is asked: the options below and those of a prediction set it. */
typedef struct ridge_sweep_request {
    ridge_predict_request predict; /* what does not vary; machine is not used */
    ridge_words machines;
    ridge_sweep_phases phases;
    ridge_formats weights, activations, kv; /* n == 0: what predict.model has */
    ridge_sweep_axis batch, seq, past;      /* count == 0: what predict.model has */
    int64_t threads;                        /* 0: one per processor */
} ridge_sweep_request;
extern const ridge_option ridge_options_sweep[];
/* its tables, with the request at `offset`: the grid, then what a prediction has beside it */
/* clang-format off */
#define RIDGE_SWEEP_TABLES(offset_) \
    {.options = ridge_options_sweep, .offset = offset_, .title = "Grid"}, \
    {.options = ridge_options_workload, .offset = (offset_) + offsetof(ridge_sweep_request, predict.model), .title = "Every point"}, \
    {.options = ridge_options_class, .offset = (offset_) + offsetof(ridge_sweep_request, predict.model), .title = "Every point", \
     .only = ridge_sweep_of_class}, \
    {.options = ridge_options_predict, .offset = (offset_) + offsetof(ridge_sweep_request, predict), .title = "Every point", \
     .only = ridge_sweep_of_predict}, \
    {.options = ridge_options_devices, .offset = (offset_) + offsetof(ridge_sweep_request, predict.parallel), .title = "Every point", \
     .only = ridge_sweep_no_devices}
/* clang-format on */
extern const char *const ridge_sweep_of_class[], *const ridge_sweep_of_predict[], *const ridge_sweep_no_devices[];

typedef struct ridge_sweep_point {
    int64_t batch, seq, past;
    ridge_int flops, bytes, memory_bytes; /* a mixture's weight bytes are of the expected experts, rounded */
    double time_s;
    double tokens_per_s, images_per_s; /* < 0: unknown, or the model takes none */
    ridge_bound bound;
    int fits; /* -1: the capacity is not known */
} ridge_sweep_point;

/* What points of a block share. */
typedef struct ridge_sweep_shared {
    const char *model;
    size_t machine; /* index in ridge_sweep.machines */
    const char *machine_id;
    ridge_phase phase;
    const ridge_format *weights, *activations, *kv;
} ridge_sweep_shared;

typedef struct ridge_sweep_block {
    ridge_sweep_shared shared;
    int64_t first; /* index of the first point in the sweep */
    size_t n;
    const ridge_sweep_point *points;
} ridge_sweep_block;

/* What happens with the points. */
typedef struct ridge_sweep_sink {
    void *data;
    /* on thread number `thread` of threads, in any order: takes the block in, adds what is to be written to `text` */
    void (*take)(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block);
    /* on the caller's thread, in order: what take() left for the next block; done: points so far */
    ridge_status (*write)(void *data, ridge_buf *text, int64_t done, ridge_err *err);
    /* on the caller's thread: what a reader must know (a warning of the analysis, why it is slow), each once */
    void (*note)(void *data, const char *text);
    /* on the caller's thread: an analysis of the first group, before its points; NULL: nobody asks */
    void (*model)(void *data, const ridge_analysis *exact);
    const ridge_stop *stop; /* NULL, or ends the sweep after the blocks that are complete, once it is not 0 */
} ridge_sweep_sink;

typedef struct ridge_sweep {
    const ridge_sweep_request *request;
    ridge_registry *registry;
    ridge_machines *all_machines;
    const ridge_machine **machines; /* [request->machines.count] */
    ridge_arena arena;
    int64_t count;    /* of points */
    int64_t done;     /* points whose blocks were written */
    unsigned threads; /* at most RIDGE_SWEEP_THREADS */
    bool stopped;
    const char *model; /* the name of the model, once a point was computed */
    ridge_words notes;
} ridge_sweep;

/* Finds the machines and formats, counts the points: USAGE where they are more than 2^62, saying how many. Registry, machines and request
 * must outlive it; free with ridge_sweep_free also after an error. */
ridge_status ridge_sweep_open(ridge_sweep *sweep, ridge_registry *registry, ridge_machines *machines, const ridge_sweep_request *request,
                              ridge_err *err);
ridge_status ridge_sweep_run(ridge_sweep *sweep, const ridge_sweep_sink *sink, ridge_err *err);
void ridge_sweep_free(ridge_sweep *sweep);

#endif
