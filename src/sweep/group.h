/* group.h - the part of a sweep whose costs are one closed form: a phase, formats, and the length that stays fixed.
 * In: a sweep and the group's number. Out: points of (machine, batch, length), batches of lanes; owned by the group.
 * Private to this folder. Fails as ridge_prediction_make does. */
#ifndef RIDGE_SWEEP_GROUP_H
#define RIDGE_SWEEP_GROUP_H

#include <pthread.h>

#include "sweep/sweep.h"
#include "predict/counts.h"

/* where the inputs of a closed form get a point's numbers */
typedef struct ridge_sweep_inputs {
    int batch, seq, past, encoder; /* input of the algebra; -1: it has no such name */
    size_t count;
} ridge_sweep_inputs;

typedef struct ridge_sweep_group {
    ridge_sweep *sweep;
    ridge_predict_request request;  /* of this group; batch and the varying length are those of its largest point */
    ridge_sweep_axis batch, length; /* what varies inside: length is --past in decode, else --seq */
    int64_t fixed;                  /* the other of the two */
    int64_t count;                  /* points on one machine */
    bool encoder_decoder;
    int64_t decoder_seq, encoder_len; /* of encoder-decoders; RIDGE_UNSET: follows the point's seq */
    ridge_analysis *exact;            /* of the largest point */
    ridge_analysis *timed, *forms;    /* kernels, memory: closed forms; NULL: there is none */
    ridge_plan **plans;               /* [machine] */
    ridge_counts *costs, *memory;     /* FLOPs and bytes; memory */
    ridge_sweep_inputs timed_inputs, forms_inputs;
    pthread_mutex_t slow; /* held by who analyses a point */
    struct ridge_sweep_memo *memo;
} ridge_sweep_group;

/* number of groups; each has the same number of points */
int64_t ridge_sweep_group_count(const ridge_sweep_request *request);
ridge_status ridge_sweep_group_make(ridge_sweep_group **out, ridge_sweep *sweep, int64_t number, ridge_err *err);
void ridge_sweep_group_free(ridge_sweep_group *group);

/* one thread's room for points of one group on one machine */
typedef struct ridge_sweep_worker {
    ridge_sweep_group *group;
    size_t machine;
    ridge_plan_room plan;
    ridge_counts_room costs, memory;
    ridge_plan_times times;
    double (*numbers)[RIDGE_LANES];
    int64_t (*integers)[RIDGE_LANES];
} ridge_sweep_worker;

/* starts as {0}; a no-op where it already is for them */
ridge_status ridge_sweep_worker_set(ridge_sweep_worker *worker, ridge_sweep_group *group, size_t machine, ridge_err *err);
void ridge_sweep_worker_free(ridge_sweep_worker *worker);
/* points first .. first + n of the machine, in order of batch, then length */
ridge_status ridge_sweep_worker_run(ridge_sweep_point *out, ridge_sweep_worker *worker, int64_t first, size_t n, ridge_err *err);

/* ---- analysed one by one (slow.c) ---- */
/* time, FLOPs, bytes and memory of the point whose batch, seq and past are set */
ridge_status ridge_sweep_slow_point(ridge_sweep_point *point, ridge_sweep_group *group, size_t machine, ridge_err *err);
/* memory_bytes of it */
ridge_status ridge_sweep_slow_memory(ridge_sweep_point *point, ridge_sweep_group *group, ridge_err *err);

#endif
