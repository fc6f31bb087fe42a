/* job.h - one job, its events and who watches it; private to jobs.c, job_events.c and job_records.c. All of it is guarded by the lock of
 * `ridge_jobs`. */
#ifndef RIDGE_SERVE_JOB_H
#define RIDGE_SERVE_JOB_H
#if __has_include(<microhttpd.h>)

#include "serve/jobs.h"

#define RIDGE_JOB_STATES(X) X(QUEUED, queued) X(RUNNING, running) X(DONE, done) X(FAILED, failed) X(CANCELLED, cancelled)
typedef enum ridge_job_state {
#define X(code, word) RIDGE_JOB_##code,
    RIDGE_JOB_STATES(X)
#undef X
} ridge_job_state;
extern const char *const ridge_job_state_names[];

typedef struct ridge_job_event {
    unsigned id;      /* from 1 */
    const char *kind; /* "state", "progress", "warning", "end" */
    char *data;       /* JSON on one line; malloc */
} ridge_job_event;

typedef struct ridge_job {
    char id[24]; /* of the server's start and a number, so that no other server's job has it */
    ridge_task *task;
    ridge_job_state state;
    bool cancelled;
    ridge_stop *stop;   /* while it can be asked to end */
    char progress[256]; /* the last line; "" */
    ridge_status status;
    ridge_buf answer;
    char created[24], started[24], ended[24]; /* UTC; "" */
    ridge_job_event events[RIDGE_JOB_EVENTS]; /* a ring: the newest event is number event_count */
    unsigned event_count;
    unsigned watchers; /* event streams that point to it */
    bool dropped;      /* it goes when nobody watches */
    struct ridge_job *next;
} ridge_job;

typedef struct ridge_watcher {
    ridge_server *server;
    ridge_job *job;
    struct MHD_Connection *connection;
    unsigned seen; /* the last event that was sent */
    bool waits;    /* suspended */
    bool beat;     /* a heartbeat is due */
    time_t said;   /* when something was sent last */
    ridge_buf text;
    size_t taken;
    struct ridge_watcher *next, **link;
} ridge_watcher;

typedef struct ridge_jobs {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t runner;
    bool runs, closed;
    unsigned count; /* that were created */
    char boot[12];
    ridge_job *first, **end; /* oldest first */
    ridge_job *running;
    ridge_watcher *watchers;
} ridge_jobs;

/* with the lock held */
void ridge_job_say(ridge_jobs *jobs, ridge_job *job, const char *kind, const char *key, const char *text);
void ridge_job_say_end(ridge_jobs *jobs, ridge_job *job);
void ridge_jobs_wake(ridge_jobs *jobs, const ridge_job *job); /* NULL: all */
void ridge_job_free(ridge_job *job);
/* {"ridge", ...members of the job}, or all jobs */
void ridge_job_write(ridge_buf *out, const ridge_job *job);
ridge_status ridge_jobs_write(ridge_buf *out, const ridge_jobs *jobs, ridge_form form, ridge_arena *arena, ridge_err *err);
bool ridge_job_has_ended(const ridge_job *job);

/* the reply that is the job's events; with the lock held */
void ridge_job_watch(ridge_serve_exchange *x, ridge_jobs *jobs, ridge_job *job, unsigned seen);

#endif
#endif
