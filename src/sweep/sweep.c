/* Groups one after the other; the blocks of a group on all threads, written in order as they are complete. */
#include "sweep/sweep.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/group.h"

enum { BLOCK = 1024, AHEAD = 4 }; /* points of a block; blocks a thread may be ahead of what is written */

/* ---- opening ---- */

static ridge_status find_machines(ridge_sweep *s, ridge_err *err)
{
    const ridge_words *names = &s->request->machines;
    ridge_status st = RIDGE_OK;
    if (names->count == 0)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("on") " MACHINES is needed; 'ridge machine list' lists them");
    if (!(s->machines = ridge_arena_array(&s->arena, names->count, sizeof(ridge_machine *))))
        return ridge_no_memory(err);
    for (size_t i = 0; i < names->count && !st; i++)
        st = ridge_machines_find(&s->machines[i], s->all_machines, names->items[i], err);
    return st;
}

static ridge_status count_points(ridge_sweep *s, ridge_err *err)
{
    const ridge_sweep_request *r = s->request;
    ridge_int total = 0;
    for (size_t i = 0; i < r->phases.n; i++) {
        const int64_t sizes[] = {(int64_t)r->machines.count,
                                 (int64_t)r->weights.n,
                                 (int64_t)r->activations.n,
                                 (int64_t)r->kv.n,
                                 r->batch.count,
                                 r->seq.count,
                                 r->past.count};
        ridge_int n = 1;
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (!ridge_int_mul(&n, n, sizes[k] > 0 ? sizes[k] : 1))
                return ridge_fail(err, RIDGE_USAGE, "a grid of more than 2^127 points: give wider steps, '*2' instead of '+1'");
        total += n;
    }
    s->count = (int64_t)total;
    if (total <= (ridge_int)1 << 62)
        return RIDGE_OK;
    char text[RIDGE_INT_COMMA_CHARS];
    ridge_int_print_comma(text, total);
    return ridge_fail(err, RIDGE_USAGE, "a grid of %s points: give wider steps, '*2' instead of '+1'", text);
}

/* the processors this process may run on */
static unsigned processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

ridge_status ridge_sweep_open(ridge_sweep *s, ridge_registry *registry, ridge_machines *machines, const ridge_sweep_request *request,
                              ridge_err *err)
{
    int64_t threads = request->threads > 0 ? request->threads : processors();
    ridge_status st;
    *s = (ridge_sweep){.request = request, .registry = registry, .all_machines = machines};
    ridge_arena_init(&s->arena);
    s->threads = (unsigned)(threads < RIDGE_SWEEP_THREADS ? threads : RIDGE_SWEEP_THREADS);
    return (st = find_machines(s, err)) ? st : count_points(s, err);
}

void ridge_sweep_free(ridge_sweep *s)
{
    ridge_arena_free(&s->arena);
}

/* ---- a group's blocks ---- */

/* a block on its way: taken by a thread, then complete, then written */
typedef struct place {
    ridge_buf text;
    bool complete;
} place;

typedef struct crew {
    ridge_sweep *sweep;
    const ridge_sweep_sink *sink;
    ridge_sweep_group *group;
    int64_t first; /* point of the sweep at which the group begins */
    int64_t blocks, blocks_of_machine;
    int64_t next, written; /* blocks */
    place *ring;
    size_t ring_size;
    pthread_mutex_t lock;
    pthread_cond_t completed, freed;
    bool stop;
    ridge_err err; /* the first */
} crew;

typedef struct member {
    crew *crew;
    unsigned number;
    pthread_t thread;
    ridge_sweep_worker worker;
    ridge_sweep_point *points; /* [BLOCK] */
} member;

static bool asked_to_stop(const ridge_sweep_sink *sink)
{
    return sink->stop && *sink->stop;
}

static size_t block_size(const crew *c, int64_t block, int64_t *first)
{
    *first = block % c->blocks_of_machine * BLOCK;
    int64_t rest = c->group->count - *first;
    return (size_t)(rest < BLOCK ? rest : BLOCK);
}

/* computes a block and gives it to the sink */
static ridge_status do_block(member *m, int64_t number, ridge_buf *text, ridge_err *err)
{
    crew *c = m->crew;
    const ridge_sweep_group *g = c->group;
    const ridge_workload *w = &g->exact->workload;
    int64_t first;
    const size_t machine = (size_t)(number / c->blocks_of_machine);
    ridge_sweep_block block = {.shared = {.model = c->sweep->model,
                                          .machine = machine,
                                          .machine_id = c->sweep->machines[machine]->id,
                                          .phase = w->phase,
                                          .weights = w->weights,
                                          .activations = w->activations,
                                          .kv = w->takes.cache ? w->kv : NULL}};
    block.n = block_size(c, number, &first);
    block.first = c->first + (int64_t)machine * g->count + first;
    block.points = m->points;
    ridge_status st = ridge_sweep_worker_set(&m->worker, c->group, machine, err);
    if (!st)
        st = ridge_sweep_worker_run(m->points, &m->worker, first, block.n, err);
    if (!st)
        c->sink->take(c->sink->data, m->number, text, &block);
    return st;
}

/* under the lock: the next block to compute, once there is room for it; -1: no more */
static int64_t take_block(crew *c)
{
    while (!c->stop && c->next < c->blocks && c->next - c->written >= (int64_t)c->ring_size)
        (void)pthread_cond_wait(&c->freed, &c->lock);
    return c->stop || c->next >= c->blocks ? -1 : c->next++;
}

static void *work(void *data)
{
    member *m = data;
    crew *c = m->crew;
    (void)pthread_mutex_lock(&c->lock);
    for (int64_t block; (block = take_block(c)) >= 0;) {
        place *p = &c->ring[(size_t)block % c->ring_size];
        (void)pthread_mutex_unlock(&c->lock);
        ridge_err err = {0};
        ridge_status st = do_block(m, block, &p->text, &err);
        (void)pthread_mutex_lock(&c->lock);
        p->complete = !st;
        if (st && !c->stop) {
            c->stop = true;
            c->err = err;
        }
        (void)pthread_cond_signal(&c->completed);
        if (st)
            (void)pthread_cond_broadcast(&c->freed);
    }
    (void)pthread_cond_signal(&c->completed);
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

static ridge_status write_block(crew *c, int64_t block, ridge_buf *text, ridge_err *err)
{
    int64_t first;
    c->sweep->done += (int64_t)block_size(c, block, &first);
    ridge_status st = text->failed ? ridge_no_memory(err) : c->sink->write(c->sink->data, text, c->sweep->done, err);
    text->n = 0;
    return st;
}

/* the caller's thread: writes complete blocks in order until all are */
static ridge_status write_all(crew *c, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    (void)pthread_mutex_lock(&c->lock);
    while (!st && c->written < c->blocks) {
        place *p = &c->ring[(size_t)c->written % c->ring_size];
        if (p->complete) {
            (void)pthread_mutex_unlock(&c->lock);
            st = write_block(c, c->written, &p->text, err);
            (void)pthread_mutex_lock(&c->lock);
            p->complete = false;
            c->written++;
            c->stop = c->stop || st || asked_to_stop(c->sink);
            (void)pthread_cond_broadcast(&c->freed);
        } else if (c->stop) {
            break;
        } else {
            (void)pthread_cond_wait(&c->completed, &c->lock);
        }
    }
    (void)pthread_mutex_unlock(&c->lock);
    return st;
}

static ridge_status alone(crew *c, member *m, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (int64_t i = 0; i < c->blocks && !st && !c->stop; i++) {
        if ((st = do_block(m, i, &c->ring[0].text, err)))
            break;
        c->written++;
        st = write_block(c, i, &c->ring[0].text, err);
        c->stop = asked_to_stop(c->sink);
    }
    return st;
}

static ridge_status together(crew *c, member *members, unsigned count, ridge_err *err)
{
    unsigned started = 0;
    while (started < count && pthread_create(&members[started].thread, NULL, work, &members[started]) == 0)
        started++;
    if (!started)
        return alone(c, &members[0], err);
    ridge_status st = write_all(c, err);
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(members[i].thread, NULL);
    if (!st && c->err.code) {
        st = c->err.code;
        if (err)
            *err = c->err;
    }
    return st;
}

static ridge_status run_crew(crew *c, unsigned threads, ridge_err *err)
{
    member *members = calloc(threads, sizeof *members);
    ridge_status st = RIDGE_OK;
    c->ring_size = (size_t)threads * AHEAD;
    c->ring = calloc(c->ring_size, sizeof *c->ring);
    if (!members || !c->ring)
        st = ridge_no_memory(err);
    for (unsigned i = 0; i < threads && !st; i++) {
        members[i].crew = c;
        members[i].number = i;
        if (!(members[i].points = calloc(BLOCK, sizeof *members[i].points)))
            st = ridge_no_memory(err);
    }
    if (!st)
        st = threads == 1 ? alone(c, &members[0], err) : together(c, members, threads, err);
    for (unsigned i = 0; members && i < threads; i++) {
        ridge_sweep_worker_free(&members[i].worker);
        free(members[i].points);
    }
    for (size_t i = 0; c->ring && i < c->ring_size; i++)
        ridge_buf_free(&c->ring[i].text);
    free(c->ring);
    free(members);
    return st;
}

static ridge_status run_group(ridge_sweep *s, const ridge_sweep_sink *sink, ridge_sweep_group *g, int64_t first, ridge_err *err)
{
    crew c = {.sweep = s, .sink = sink, .group = g, .first = first};
    c.blocks_of_machine = (g->count + BLOCK - 1) / BLOCK;
    c.blocks = c.blocks_of_machine * (int64_t)s->request->machines.count;
    unsigned threads = g->timed && c.blocks > s->threads ? s->threads : 1; /* analyses run one at a time */
    (void)pthread_mutex_init(&c.lock, NULL);
    (void)pthread_cond_init(&c.completed, NULL);
    (void)pthread_cond_init(&c.freed, NULL);
    ridge_status st = run_crew(&c, threads, err);
    (void)pthread_cond_destroy(&c.freed);
    (void)pthread_cond_destroy(&c.completed);
    (void)pthread_mutex_destroy(&c.lock);
    s->stopped = s->stopped || (c.written < c.blocks && !st);
    return st;
}

/* ---- all groups ---- */

static ridge_status note(ridge_sweep *s, const ridge_sweep_sink *sink, const char *text, ridge_err *err)
{
    if (ridge_words_find(&s->notes, text))
        return RIDGE_OK;
    const char *copy = ridge_arena_strdup(&s->arena, ridge_str_of(text));
    if (!copy || ridge_words_add(&s->notes, copy, &s->arena, err))
        return ridge_no_memory(err);
    if (sink->note)
        sink->note(sink->data, copy);
    return RIDGE_OK;
}

static ridge_status note_precision(ridge_sweep *s, const ridge_sweep_sink *sink, const ridge_machine *m, const ridge_computes_at *c,
                                   const char *what, ridge_err *err)
{
    char text[512];
    return ridge_rate_remark(text, sizeof text, m, c, what) ? note(s, sink, text, err) : RIDGE_OK;
}

/* a precision that a machine lacks is no silent other number */
static ridge_status note_rates(ridge_sweep *s, const ridge_sweep_sink *sink, const ridge_sweep_group *g, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < s->request->machines.count && !st; i++) {
        const ridge_plan_rates *rates = ridge_plan_rates_of(g->plans[i]);
        if (!(st = note_precision(s, sink, s->machines[i], &rates->matmul, "matrix products", err)))
            st = note_precision(s, sink, s->machines[i], &rates->attention, "attention scores", err);
    }
    return st;
}

static ridge_status say(ridge_sweep *s, const ridge_sweep_sink *sink, const ridge_sweep_group *g, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < g->exact->warnings.count && !st; i++)
        st = note(s, sink, g->exact->warnings.items[i], err);
    if (!st && !s->model) {
        if (sink->model)
            sink->model(sink->data, g->exact);
        if (!(s->model = ridge_arena_strdup(&s->arena, ridge_str_of(g->exact->file.name))))
            st = ridge_no_memory(err);
    }
    if (!st && !g->timed)
        st = note(s, sink, "this workload's costs have no closed form: every point is analysed, which is slow", err);
    else if (!st && !g->forms)
        st = note(s, sink, "this workload's memory has no closed form: it is analysed for every point, which is slow", err);
    return st || !g->timed ? st : note_rates(s, sink, g, err);
}

ridge_status ridge_sweep_run(ridge_sweep *s, const ridge_sweep_sink *sink, ridge_err *err)
{
    const int64_t groups = ridge_sweep_group_count(s->request);
    ridge_status st = RIDGE_OK;
    int64_t first = 0;
    for (int64_t i = 0; i < groups && !st && !s->stopped; i++) {
        ridge_sweep_group *g;
        if (!(st = ridge_sweep_group_make(&g, s, i, err)) && !(st = say(s, sink, g, err)))
            st = run_group(s, sink, g, first, err);
        if (!st)
            first += g->count * (int64_t)s->request->machines.count;
        ridge_sweep_group_free(g);
        s->stopped = s->stopped || (asked_to_stop(sink) && i + 1 < groups);
    }
    return st;
}
