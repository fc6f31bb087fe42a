/* Workers: threads that run commands. Each has a catalog of its own (one is not for several threads), which it lets go when the user's own
 * entries change, and when it has grown by what strangers' configs named. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "serve/server.h"

enum { CATALOG_MOST = 32 << 20 };

/* ---- the queue ---- */

bool ridge_workers_give(ridge_server *s, ridge_serve_exchange *x)
{
    ridge_queue *q = &s->queue;
    (void)pthread_mutex_lock(&q->lock);
    const bool taken = !q->closed && q->waiting < RIDGE_QUEUE_MOST;
    if (taken) {
        mhd.MHD_suspend_connection(x->connection);
        x->next = NULL;
        *q->end = x;
        q->end = &x->next;
        q->waiting++;
        (void)pthread_cond_signal(&q->filled);
    }
    (void)pthread_mutex_unlock(&q->lock);
    return taken;
}

/* NULL: the server ends */
static ridge_serve_exchange *take(ridge_queue *q)
{
    (void)pthread_mutex_lock(&q->lock);
    while (!q->first && !q->closed)
        (void)pthread_cond_wait(&q->filled, &q->lock);
    ridge_serve_exchange *x = q->first;
    if (x) {
        q->first = x->next;
        q->end = q->first ? q->end : &q->first;
        q->waiting--;
    }
    (void)pthread_mutex_unlock(&q->lock);
    return x;
}

/* ---- a worker's catalog ---- */

/* changes with every file of the user's own catalog, and with what was learned */
static uint64_t state_of_catalog(void)
{
    static const char *const folders[] = {"catalog", "learned", "validated", NULL};
    return ridge_file_user_state(folders);
}

typedef struct worker {
    ridge_server *server;
    ridge_registry *registry; /* NULL: to be opened */
    uint64_t state;           /* of the catalog when it was opened */
} worker;

static ridge_registry *catalog_of(worker *w)
{
    const uint64_t state = state_of_catalog();
    if (w->registry && (w->state != state || w->registry->arena.total > CATALOG_MOST || w->registry->arena.failed)) {
        ridge_registry_close(w->registry);
        w->registry = NULL;
    }
    w->state = state;
    if (!w->registry)
        (void)ridge_registry_open(&w->registry, NULL, 0, true, NULL); /* the command opens it again, and says why it cannot */
    return w->registry;
}

/* ---- the threads ---- */

static bool run(worker *w, ridge_serve_exchange *x)
{
    (void)pthread_mutex_lock(&w->server->queue.lock);
    const bool dropped = w->server->queue.dropped;
    (void)pthread_mutex_unlock(&w->server->queue.lock);
    if (!dropped)
        return ridge_route_command(x, catalog_of(w));
    x->closing = true;
    ridge_reply_fail(x, 503, RIDGE_USAGE, "the server is about to end");
    return true;
}

static void *work(void *data)
{
    worker w = {.server = data};
    for (ridge_serve_exchange *x = take(&w.server->queue); x; x = take(&w.server->queue))
        if (run(&w, x))
            mhd.MHD_resume_connection(x->connection);
    ridge_registry_close(w.registry);
    return NULL;
}

ridge_status ridge_workers_start(ridge_server *s, ridge_err *err)
{
    enum { MOST = sizeof s->workers / sizeof *s->workers };
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned wanted = cpus < 2 ? 2 : cpus > MOST ? MOST : (unsigned)cpus;
    s->queue.end = &s->queue.first;
    (void)pthread_mutex_init(&s->queue.lock, NULL);
    (void)pthread_cond_init(&s->queue.filled, NULL);
    for (; s->worker_count < wanted; s->worker_count++)
        if (pthread_create(&s->workers[s->worker_count], NULL, work, s) != 0)
            break;
    return s->worker_count > 0 ? RIDGE_OK : ridge_fail(err, RIDGE_NOMEM, "no thread could be started");
}

bool ridge_workers_stop(ridge_server *s)
{
    enum { SECONDS = 3 };
    struct timespec end;
    bool all = true;
    (void)pthread_mutex_lock(&s->queue.lock);
    s->queue.closed = s->queue.dropped = true;
    (void)pthread_cond_broadcast(&s->queue.filled);
    (void)pthread_mutex_unlock(&s->queue.lock);
    (void)clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SECONDS;
    for (unsigned i = 0; i < s->worker_count; i++)
        all = pthread_timedjoin_np(s->workers[i], NULL, &end) == 0 && all;
    s->worker_count = 0;
    return all;
}
