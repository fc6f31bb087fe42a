/* server.h - the parts of a running server and what they say to one another; private to this folder.
 * An exchange is one request and its reply. libmicrohttpd's threads read and write; workers run commands, each with a catalog of its own;
 * what streams has a thread of its own; measurements are jobs, one at a time. */
#ifndef RIDGE_SERVE_SERVER_H
#define RIDGE_SERVE_SERVER_H
#if __has_include(<microhttpd.h>)

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "command/serve.h"
#include "serve/mhd.h"
#include "serve/task.h"

enum {
    RIDGE_BODY_MOST = 8 << 20,     /* bytes of a request's body */
    RIDGE_PACKED_LEAST = 64 << 10, /* an answer that is compressed for who takes it so */
    RIDGE_HEADERS_MOST = 64 << 10, /* bytes of its head, and of what is buffered of a connection */
    RIDGE_QUEUE_MOST = 1024,       /* exchanges that wait for a worker */
    RIDGE_STREAMS_MOST = 4,        /* sweeps, and what else takes long, at once */
    RIDGE_HEAD_SECONDS = 20,       /* for a request to come, whole */
    RIDGE_BODY_SECONDS = 60,       /* for its body */
    RIDGE_REPLY_SECONDS = 120,     /* for a reply to be taken */
    RIDGE_STREAM_SECONDS = 4 * 3600,
    RIDGE_IDLE_SECONDS = 30, /* of a connection on which nothing moves */
    RIDGE_BEAT_SECONDS = 15  /* of an event stream on which nothing happens */
};

typedef struct ridge_server ridge_server;
typedef struct ridge_serve_exchange ridge_serve_exchange;

/* a connection, and when it is cut off for being slow */
typedef struct ridge_peer {
    int fd;
    time_t deadline; /* of the monotonic clock; 0: none */
    struct ridge_peer *next, **link;
} ridge_peer;

struct ridge_serve_exchange {
    ridge_server *server;
    struct MHD_Connection *connection;
    ridge_peer *peer;
    char *target; /* as it came */
    const char *method;
    ridge_task *task;
    const char *accept, *type; /* of the headers, in the task's arena */
    bool begun, asked, closing;
    bool for_terminal;             /* a command line elsewhere asks */
    struct MHD_Response *response; /* the reply when there is one */
    unsigned status;
    struct timespec start;
    ridge_serve_exchange *next; /* in the queue */
};

typedef struct ridge_queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    ridge_serve_exchange *first, **end;
    size_t waiting;
    bool closed;  /* nothing more is taken */
    bool dropped; /* what waits is not run any more */
} ridge_queue;

struct ridge_jobs;
struct ridge_stream;

struct ridge_server {
    const ridge_serve_request *request;
    ridge_reach_policy policy;
    ridge_arena arena;
    const char *token; /* NULL: nobody needs one */
    const char *listen;
    bool any_address; /* it listens on all addresses of the computer */
    unsigned port;
    struct MHD_Daemon *daemon;
    ridge_queue queue;
    pthread_t workers[64];
    unsigned worker_count;
    struct ridge_jobs *jobs;
    pthread_mutex_t streams_lock;
    struct ridge_stream *streams;
    unsigned stream_count;
    pthread_mutex_t peers_lock;
    ridge_peer *peers;
    atomic_uint open; /* exchanges */
    atomic_bool stopping;
    FILE *log;
    time_t started;
};

time_t ridge_serve_now(void); /* of the monotonic clock */
/* the connection is cut off when so many seconds have passed; 0: it is not */
void ridge_serve_deadline(ridge_serve_exchange *x, int seconds);

/* ---- guard.c ---- */
/* Who may ask? False: the reply is made. */
bool ridge_guard(ridge_serve_exchange *x);
/* the token that a page's address brings: a cookie is set, and the address left without it */
bool ridge_guard_welcomes(ridge_serve_exchange *x);

/* ---- reply.c ---- */
void ridge_reply_buf(ridge_serve_exchange *x, unsigned status, const char *type, ridge_buf *body); /* takes the bytes */
void ridge_reply_dress(ridge_serve_exchange *x, unsigned status, const char *type); /* what every reply has, on x->response */
void ridge_reply_err(ridge_serve_exchange *x, unsigned status, const ridge_err *err);
void ridge_reply_fail(ridge_serve_exchange *x, unsigned status, ridge_status code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void ridge_reply_header(ridge_serve_exchange *x, const char *name, const char *value);
/* the answer of a task that has run */
void ridge_reply_task(ridge_serve_exchange *x, ridge_task *task, ridge_status st);
/* a reply that comes piece by piece */
void ridge_reply_pieces(ridge_serve_exchange *x, const char *type, MHD_ContentReaderCallback read, void *data,
                        MHD_ContentReaderFreeCallback release);
/* a header of the request, in the task's arena; NULL: there is none */
const char *ridge_request_header(ridge_serve_exchange *x, const char *name);
bool ridge_request_accepts_gzip(ridge_serve_exchange *x);

/* ---- route.c ---- */
/* What is at hand is replied at once: true. False: a worker is to run it. */
bool ridge_route_at_once(ridge_serve_exchange *x);
/* by a worker; false: the reply comes later, from a stream */
bool ridge_route_command(ridge_serve_exchange *x, ridge_registry *registry);
bool ridge_route_page(ridge_serve_exchange *x, const char *path);

/* ---- worker.c ---- */
ridge_status ridge_workers_start(ridge_server *s, ridge_err *err);
/* What waits is turned away; false: a worker still runs a command, and is left. */
bool ridge_workers_stop(ridge_server *s);
/* false: too many wait */
bool ridge_workers_give(ridge_server *s, ridge_serve_exchange *x);

/* ---- stream.c ---- */
/* A thread runs the exchange's task, which is the stream's from now on; false: the reply says why not. */
bool ridge_stream_start(ridge_serve_exchange *x);
void ridge_streams_stop(ridge_server *s);

/* ---- openapi.c ---- */
ridge_status ridge_openapi(ridge_buf *out, ridge_err *err);

#endif
#endif
