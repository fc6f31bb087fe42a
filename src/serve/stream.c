/* Streams: an answer that comes in pieces, as a thread of its own computes them. Between it and the connection stands a buffer that is
 * bounded: who reads slowly slows the computing down, and who goes away ends it. */
#include <stdlib.h>

#include "serve/server.h"

enum { BUFFER_MOST = 1 << 20 };

typedef struct ridge_stream {
    ridge_server *server;
    ridge_serve_exchange *exchange; /* until its reply begins */
    struct MHD_Connection *connection;
    ridge_task *task;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    ridge_buf buffer;
    size_t taken;       /* bytes of it that were sent */
    bool begun;         /* the reply has begun */
    bool ended, failed; /* nothing more comes; the answer is not whole */
    bool gone;          /* nobody reads */
    bool waits;         /* the connection is suspended until there is more */
    ridge_stop *stop;
    unsigned owners; /* the thread, the reply */
    struct ridge_stream *next, **link;
} ridge_stream;

/* ---- its life ---- */

static void unlist(ridge_stream *s)
{
    ridge_server *server = s->server;
    (void)pthread_mutex_lock(&server->streams_lock);
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    server->stream_count--;
    (void)pthread_mutex_unlock(&server->streams_lock);
}

static void let_go(ridge_stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    const bool last = --s->owners == 0;
    (void)pthread_mutex_unlock(&s->lock);
    if (!last)
        return;
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_cond_destroy(&s->moved);
    ridge_buf_free(&s->buffer);
    free(s);
}

/* with the lock held */
static void wake_reader(ridge_stream *s)
{
    if (s->waits) {
        s->waits = false;
        mhd.MHD_resume_connection(s->connection);
    }
}

/* ---- the reading side: libmicrohttpd's threads ---- */

static ssize_t give(void *data, uint64_t position, char *to, size_t most)
{
    ridge_stream *s = data;
    (void)position;
    (void)pthread_mutex_lock(&s->lock);
    const size_t there = s->buffer.n - s->taken, n = there < most ? there : most;
    ssize_t answer = (ssize_t)n;
    if (n > 0) {
        memcpy(to, s->buffer.p + s->taken, n);
        s->taken += n;
        (void)pthread_cond_broadcast(&s->moved);
    } else if (s->ended) {
        answer = s->failed ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        s->waits = true;
        mhd.MHD_suspend_connection(s->connection);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return answer;
}

static void leave(void *data)
{
    ridge_stream *s = data;
    (void)pthread_mutex_lock(&s->lock);
    s->gone = true;
    s->waits = false;
    if (s->stop)
        *s->stop = 1;
    (void)pthread_cond_broadcast(&s->moved);
    (void)pthread_mutex_unlock(&s->lock);
    let_go(s);
}

/* ---- the computing side ---- */

/* with the lock held: the first piece makes the reply */
static void begin(ridge_stream *s)
{
    ridge_serve_exchange *x = s->exchange;
    s->begun = true;
    s->exchange = NULL;
    s->owners++;
    ridge_reply_pieces(x, ridge_task_type(s->task), give, s, leave);
    if (!x->response) {
        s->owners--;
        s->gone = true;
    }
    ridge_serve_deadline(x, RIDGE_STREAM_SECONDS);
    mhd.MHD_resume_connection(x->connection);
}

static ridge_status take(void *data, ridge_buf *piece, ridge_err *err)
{
    ridge_stream *s = data;
    ridge_status st = RIDGE_OK;
    (void)pthread_mutex_lock(&s->lock);
    if (!s->begun)
        begin(s);
    while (s->buffer.n - s->taken > BUFFER_MOST && !s->gone)
        (void)pthread_cond_wait(&s->moved, &s->lock);
    if (s->taken == s->buffer.n)
        s->taken = s->buffer.n = 0;
    if (s->taken > BUFFER_MOST) { /* what was sent makes room */
        memmove(s->buffer.p, s->buffer.p + s->taken, s->buffer.n - s->taken);
        s->buffer.n -= s->taken;
        s->taken = 0;
    }
    ridge_buf_add(&s->buffer, (ridge_str){piece->p, piece->n});
    piece->n = 0;
    if (s->gone)
        st = ridge_fail(err, RIDGE_IO, "nobody reads the answer any more");
    else if (s->buffer.failed)
        st = ridge_no_memory(err);
    wake_reader(s);
    (void)pthread_mutex_unlock(&s->lock);
    return st;
}

static void hear(void *data, ridge_stop *stop)
{
    ridge_stream *s = data;
    (void)pthread_mutex_lock(&s->lock);
    s->stop = stop;
    if (stop && (s->gone || atomic_load(&s->server->stopping)))
        *stop = 1;
    (void)pthread_mutex_unlock(&s->lock);
}

/* what is left, or a whole reply where nothing was sent yet */
static void end(ridge_stream *s, ridge_status st)
{
    const bool answers = !st || st == RIDGE_CHECK;
    (void)pthread_mutex_lock(&s->lock);
    if (!s->begun) {
        ridge_serve_exchange *x = s->exchange;
        ridge_reply_task(x, s->task, st);
        ridge_serve_deadline(x, RIDGE_REPLY_SECONDS);
        mhd.MHD_resume_connection(x->connection);
    } else if (answers) {
        ridge_buf_add(&s->buffer, (ridge_str){s->task->call.data.p, s->task->call.data.n});
    }
    s->failed = !answers || s->buffer.failed;
    s->ended = true;
    wake_reader(s);
    (void)pthread_mutex_unlock(&s->lock);
}

static void *compute(void *data)
{
    ridge_stream *s = data;
    end(s, ridge_task_run(s->task, NULL));
    ridge_task_free(s->task);
    unlist(s);
    let_go(s);
    return NULL;
}

/* ---- starting and ending ---- */

static bool enlist(ridge_stream *s)
{
    ridge_server *server = s->server;
    (void)pthread_mutex_lock(&server->streams_lock);
    const bool room = server->stream_count < RIDGE_STREAMS_MOST && !atomic_load(&server->stopping);
    if (room) {
        server->stream_count++;
        s->link = &server->streams;
        s->next = server->streams;
        if (s->next)
            s->next->link = &s->next;
        server->streams = s;
    }
    (void)pthread_mutex_unlock(&server->streams_lock);
    return room;
}

bool ridge_stream_start(ridge_serve_exchange *x)
{
    pthread_t thread;
    pthread_attr_t detached;
    ridge_stream *s = calloc(1, sizeof *s);
    if (!s) {
        ridge_reply_fail(x, 500, RIDGE_NOMEM, "out of memory");
        return false;
    }
    *s = (ridge_stream){.server = x->server, .exchange = x, .connection = x->connection, .task = x->task, .owners = 1};
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->moved, NULL);
    s->task->ears = (ridge_task_ears){.take = take, .listen = hear, .data = s};
    if (!enlist(s)) {
        ridge_reply_fail(x, 503, RIDGE_LIMIT, "%d requests that take long run already: ask again when one has ended", RIDGE_STREAMS_MOST);
        let_go(s);
        return false;
    }
    x->task = NULL;
    (void)pthread_attr_init(&detached);
    (void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    const bool started = pthread_create(&thread, &detached, compute, s) == 0;
    (void)pthread_attr_destroy(&detached);
    if (!started) {
        x->task = s->task;
        ridge_reply_fail(x, 500, RIDGE_NOMEM, "no thread could be started");
        unlist(s);
        let_go(s);
    }
    return started;
}

void ridge_streams_stop(ridge_server *server)
{
    (void)pthread_mutex_lock(&server->streams_lock);
    for (ridge_stream *s = server->streams; s; s = s->next) {
        (void)pthread_mutex_lock(&s->lock);
        if (s->stop)
            *s->stop = 1;
        (void)pthread_mutex_unlock(&s->lock);
    }
    (void)pthread_mutex_unlock(&server->streams_lock);
}
