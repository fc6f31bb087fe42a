/* Points of a model without a closed form: each is an analysis. One at a time, since a registry serves one thread. */
#include <stdlib.h>

#include "sweep/group.h"

enum { MEMO = 1 << 14 };

/* memory by workload: it does not depend on the machine. A newer workload takes the place of an older one. */
typedef struct ridge_sweep_memo {
    struct {
        int64_t batch, seq, past;
        ridge_int bytes;
    } places[MEMO];
} ridge_sweep_memo;

static ridge_predict_request request_of(const ridge_sweep_group *g, const ridge_sweep_point *p)
{
    ridge_predict_request r = g->request;
    r.model.batch = p->batch;
    r.model.seq = p->seq;
    r.model.past = p->past;
    return r;
}

static ridge_status predict(ridge_sweep_point *point, ridge_sweep_group *g, size_t machine, ridge_err *err)
{
    ridge_predict_request r = request_of(g, point);
    ridge_prediction *p;
    r.machine = g->sweep->request->machines.items[machine];
    ridge_status st = ridge_prediction_make(&p, g->sweep->registry, g->sweep->all_machines, &r, err);
    if (!st) {
        point->flops = p->rows[0].flops;
        point->bytes = p->rows[0].bytes;
        point->memory_bytes = p->model->memory.total;
        point->time_s = p->time_s;
        point->tokens_per_s = p->tokens_per_s;
        point->images_per_s = p->images_per_s;
        point->bound = p->bound;
        point->fits = p->capacity_bytes < 0 ? -1 : p->fits;
    }
    ridge_prediction_free(p);
    return st;
}

ridge_status ridge_sweep_slow_point(ridge_sweep_point *point, ridge_sweep_group *g, size_t machine, ridge_err *err)
{
    (void)pthread_mutex_lock(&g->slow);
    ridge_status st = predict(point, g, machine, err);
    (void)pthread_mutex_unlock(&g->slow);
    return st;
}

static ridge_status analyse(ridge_int *bytes, const ridge_sweep_group *g, const ridge_sweep_point *point, ridge_err *err)
{
    ridge_model_request r = request_of(g, point).model;
    ridge_analysis *a;
    ridge_status st = ridge_analysis_exact(&a, g->sweep->registry, &r, RIDGE_ROWS_NONE, err);
    if (!st)
        *bytes = a->memory.total;
    ridge_analysis_free(a);
    return st;
}

static size_t place_of(const ridge_sweep_point *p)
{
    uint64_t hash = (uint64_t)p->batch * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ (uint64_t)p->seq) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 32 ^ (uint64_t)p->past) * 0x94d049bb133111ebu;
    return (size_t)(hash >> 40) % MEMO;
}

static ridge_status remembered(ridge_sweep_point *p, ridge_sweep_group *g, ridge_err *err)
{
    size_t at = place_of(p);
    if (!g->memo && !(g->memo = calloc(1, sizeof *g->memo)))
        return ridge_no_memory(err);
    if (g->memo->places[at].batch != p->batch || g->memo->places[at].seq != p->seq || g->memo->places[at].past != p->past) {
        ridge_status st = analyse(&g->memo->places[at].bytes, g, p, err);
        if (st) /* batch 0 is nobody's */
            return st;
        g->memo->places[at].batch = p->batch;
        g->memo->places[at].seq = p->seq;
        g->memo->places[at].past = p->past;
    }
    p->memory_bytes = g->memo->places[at].bytes;
    return RIDGE_OK;
}

ridge_status ridge_sweep_slow_memory(ridge_sweep_point *p, ridge_sweep_group *g, ridge_err *err)
{
    (void)pthread_mutex_lock(&g->slow);
    ridge_status st = remembered(p, g, err);
    (void)pthread_mutex_unlock(&g->slow);
    return st;
}
