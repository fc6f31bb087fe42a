/* Events of a job, and the streams (server-sent events, WHATWG HTML 9.2) on which they go out. An event has a number; who comes back with
 * the last one that it saw (Last-Event-ID) gets those after it. Of long jobs the oldest events are let go. */
#include <stdlib.h>

#include "serve/job.h"

/* ---- saying ---- */

static void push(ridge_jobs *jobs, ridge_job *job, const char *kind, ridge_buf *data)
{
    ridge_job_event *event = &job->events[job->event_count % RIDGE_JOB_EVENTS];
    if (data->failed || !data->p) {
        ridge_buf_free(data);
        return;
    }
    free(event->data);
    *event = (ridge_job_event){.id = ++job->event_count, .kind = kind, .data = data->p};
    *data = (ridge_buf){0};
    ridge_jobs_wake(jobs, job);
}

void ridge_job_say(ridge_jobs *jobs, ridge_job *job, const char *kind, const char *key, const char *text)
{
    ridge_buf data = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &data);
    ridge_jw_object_compact(&w);
    ridge_jw_member_text(&w, key, text);
    ridge_jw_end_object(&w);
    push(jobs, job, kind, &data);
}

void ridge_job_say_end(ridge_jobs *jobs, ridge_job *job)
{
    ridge_job_say(jobs, job, "end", "state", ridge_job_state_names[job->state]);
}

void ridge_jobs_wake(ridge_jobs *jobs, const ridge_job *job)
{
    for (ridge_watcher *w = jobs->watchers; w; w = w->next)
        if (w->waits && (!job || w->job == job)) {
            w->waits = false;
            mhd.MHD_resume_connection(w->connection);
        }
}

void ridge_jobs_beat(ridge_server *s)
{
    ridge_jobs *jobs = s->jobs;
    const time_t now = ridge_serve_now();
    (void)pthread_mutex_lock(&jobs->lock);
    for (ridge_watcher *w = jobs->watchers; w; w = w->next)
        if (w->waits && now - w->said >= RIDGE_BEAT_SECONDS) {
            w->beat = true;
            w->waits = false;
            mhd.MHD_resume_connection(w->connection);
        }
    (void)pthread_mutex_unlock(&jobs->lock);
}

/* ---- streaming ---- */

/* what has happened since; the lock is held */
static void write_news(ridge_watcher *w)
{
    const ridge_job *job = w->job;
    const unsigned kept = job->event_count < RIDGE_JOB_EVENTS ? job->event_count : RIDGE_JOB_EVENTS;
    if (w->seen > job->event_count)
        w->seen = 0; /* a number that no event had */
    if (w->seen < job->event_count - kept)
        w->seen = job->event_count - kept;
    while (w->seen < job->event_count) {
        const ridge_job_event *event = &job->events[w->seen % RIDGE_JOB_EVENTS];
        ridge_buf_addf(&w->text, "id: %u\nevent: %s\ndata: ", event->id, event->kind);
        ridge_buf_addz(&w->text, event->data);
        ridge_buf_addz(&w->text, "\n\n");
        w->seen++;
    }
    if (w->beat && w->text.n == 0)
        ridge_buf_addz(&w->text, ": still here\n\n");
    w->beat = false;
}

static ssize_t give(void *data, uint64_t position, char *to, size_t most)
{
    ridge_watcher *w = data;
    ridge_jobs *jobs = w->server->jobs;
    ssize_t answer = 0;
    (void)position;
    (void)pthread_mutex_lock(&jobs->lock);
    if (w->taken == w->text.n) {
        w->taken = w->text.n = 0;
        write_news(w);
    }
    const size_t there = w->text.n - w->taken, n = there < most ? there : most;
    if (w->text.failed) {
        answer = MHD_CONTENT_READER_END_WITH_ERROR;
    } else if (n > 0) {
        memcpy(to, w->text.p + w->taken, n);
        w->taken += n;
        w->said = ridge_serve_now();
        answer = (ssize_t)n;
    } else if (ridge_job_has_ended(w->job) || jobs->closed) {
        answer = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        w->waits = true;
        mhd.MHD_suspend_connection(w->connection);
    }
    (void)pthread_mutex_unlock(&jobs->lock);
    return answer;
}

static void leave(void *data)
{
    ridge_watcher *w = data;
    ridge_jobs *jobs = w->server->jobs;
    (void)pthread_mutex_lock(&jobs->lock);
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
    if (--w->job->watchers == 0 && w->job->dropped)
        ridge_job_free(w->job);
    (void)pthread_mutex_unlock(&jobs->lock);
    ridge_buf_free(&w->text);
    free(w);
}

void ridge_job_watch(ridge_serve_exchange *x, ridge_jobs *jobs, ridge_job *job, unsigned seen)
{
    ridge_watcher *w = calloc(1, sizeof *w);
    if (!w) {
        ridge_reply_fail(x, 500, RIDGE_NOMEM, "out of memory");
        return;
    }
    *w = (ridge_watcher){.server = x->server, .job = job, .connection = x->connection, .seen = seen, .said = ridge_serve_now()};
    ridge_buf_addz(&w->text, "retry: 1000\n\n");
    ridge_reply_pieces(x, "text/event-stream", give, w, leave);
    if (!x->response) {
        ridge_buf_free(&w->text);
        free(w);
        return;
    }
    ridge_serve_deadline(x, RIDGE_STREAM_SECONDS);
    job->watchers++;
    w->link = &jobs->watchers;
    w->next = jobs->watchers;
    if (w->next)
        w->next->link = &w->next;
    jobs->watchers = w;
}
