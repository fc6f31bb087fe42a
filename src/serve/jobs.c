#include <errno.h>
#include <stdlib.h>

#include "serve/job.h"

static void stamp(char out[24])
{
    struct tm t;
    const time_t now = time(NULL);
    (void)gmtime_r(&now, &t);
    (void)strftime(out, 24, "%Y-%m-%dT%H:%M:%SZ", &t);
}

bool ridge_job_has_ended(const ridge_job *job)
{
    return job->state >= RIDGE_JOB_DONE;
}

void ridge_job_free(ridge_job *job)
{
    for (size_t i = 0; i < RIDGE_JOB_EVENTS; i++)
        free(job->events[i].data);
    ridge_task_free(job->task);
    ridge_buf_free(&job->answer);
    free(job);
}

/* ---- the ears of a job: its own thread ---- */

typedef struct ear {
    ridge_jobs *jobs;
    ridge_job *job;
} ear;

static void warn(void *data, const char *text)
{
    const ear *e = data;
    (void)pthread_mutex_lock(&e->jobs->lock);
    ridge_job_say(e->jobs, e->job, "warning", "text", text);
    (void)pthread_mutex_unlock(&e->jobs->lock);
}

static void progress(void *data, const char *line)
{
    const ear *e = data;
    (void)pthread_mutex_lock(&e->jobs->lock);
    (void)snprintf(e->job->progress, sizeof e->job->progress, "%s", line ? line : "");
    ridge_job_say(e->jobs, e->job, "progress", "line", line);
    (void)pthread_mutex_unlock(&e->jobs->lock);
}

/* a job that fails later keeps what it has handed out */
static ridge_status take(void *data, ridge_buf *piece, ridge_err *err)
{
    const ear *e = data;
    ridge_buf_add(&e->job->answer, (ridge_str){piece->p, piece->n});
    piece->n = 0;
    return e->job->answer.failed ? ridge_no_memory(err) : RIDGE_OK;
}

static void hear(void *data, ridge_stop *stop)
{
    const ear *e = data;
    (void)pthread_mutex_lock(&e->jobs->lock);
    e->job->stop = stop;
    if (stop && e->job->cancelled)
        *stop = 1;
    (void)pthread_mutex_unlock(&e->jobs->lock);
}

/* ---- running ---- */

static void finish(ridge_jobs *jobs, ridge_job *job, ridge_status st)
{
    const bool answers = !st || st == RIDGE_CHECK;
    (void)pthread_mutex_lock(&jobs->lock);
    if (answers)
        ridge_buf_add(&job->answer, (ridge_str){job->task->call.data.p, job->task->call.data.n});
    ridge_buf_free(&job->task->call.data);
    job->status = st;
    job->state = job->task->call.interrupted || (job->cancelled && !answers) ? RIDGE_JOB_CANCELLED : st ? RIDGE_JOB_FAILED : RIDGE_JOB_DONE;
    job->progress[0] = '\0';
    job->stop = NULL;
    stamp(job->ended);
    jobs->running = NULL;
    ridge_job_say_end(jobs, job);
    (void)pthread_cond_broadcast(&jobs->changed);
    (void)pthread_mutex_unlock(&jobs->lock);
}

/* A thread for each job: what measuring does to its thread (its CPU, its priority) ends with it. */
static void *run_one(void *data)
{
    const ear *e = data;
    ridge_task *task = e->job->task;
    task->ears = (ridge_task_ears){.warn = warn, .progress = progress, .take = take, .listen = hear, .data = data};
    finish(e->jobs, e->job, ridge_task_run(task, NULL));
    return NULL;
}

static ridge_job *next_of(const ridge_jobs *jobs)
{
    for (ridge_job *job = jobs->first; job; job = job->next)
        if (job->state == RIDGE_JOB_QUEUED)
            return job;
    return NULL;
}

/* the next job, which runs from now on; NULL: the server ends */
static ridge_job *begin_next(ridge_jobs *jobs)
{
    ridge_job *job;
    (void)pthread_mutex_lock(&jobs->lock);
    while (!(job = next_of(jobs)) && !jobs->closed)
        (void)pthread_cond_wait(&jobs->changed, &jobs->lock);
    if (job) {
        job->state = RIDGE_JOB_RUNNING;
        jobs->running = job;
        stamp(job->started);
        ridge_job_say(jobs, job, "state", "state", ridge_job_state_names[RIDGE_JOB_RUNNING]);
    }
    (void)pthread_mutex_unlock(&jobs->lock);
    return job;
}

static void *run_all(void *data)
{
    ridge_jobs *jobs = data;
    for (ridge_job *job = begin_next(jobs); job; job = begin_next(jobs)) {
        pthread_t thread;
        ear e = {jobs, job};
        if (pthread_create(&thread, NULL, run_one, &e) == 0)
            (void)pthread_join(thread, NULL);
        else
            finish(jobs, job, ridge_fail(&job->task->err, RIDGE_NOMEM, "no thread could be started"));
    }
    return NULL;
}

/* ---- the list ---- */

/* lets the oldest that ended go; *waiting: how many have not begun */
static void tidy(ridge_jobs *jobs, unsigned *waiting)
{
    unsigned ended = 0;
    *waiting = 0;
    for (const ridge_job *job = jobs->first; job; job = job->next) {
        ended += ridge_job_has_ended(job);
        *waiting += job->state == RIDGE_JOB_QUEUED;
    }
    for (ridge_job **link = &jobs->first; *link && ended >= RIDGE_JOBS_KEPT;) {
        ridge_job *job = *link;
        if (!ridge_job_has_ended(job)) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        ended--;
        job->dropped = true;
        if (job->watchers == 0)
            ridge_job_free(job);
    }
    jobs->end = &jobs->first;
    while (*jobs->end)
        jobs->end = &(*jobs->end)->next;
}

static void reply_job(ridge_serve_exchange *x, unsigned status, const ridge_job *job)
{
    ridge_buf body = {0};
    ridge_job_write(&body, job);
    ridge_reply_buf(x, status, "application/json", &body);
    ridge_reply_header(x, "Cache-Control", "no-store");
}

static void enqueue(ridge_serve_exchange *x, ridge_jobs *jobs, ridge_job *job)
{
    char place[64];
    job->task = x->task;
    x->task = NULL;
    stamp(job->created);
    (void)snprintf(job->id, sizeof job->id, "%s-%u", jobs->boot, ++jobs->count);
    *jobs->end = job;
    jobs->end = &job->next;
    ridge_job_say(jobs, job, "state", "state", ridge_job_state_names[RIDGE_JOB_QUEUED]);
    (void)pthread_cond_broadcast(&jobs->changed);
    reply_job(x, 202, job);
    (void)snprintf(place, sizeof place, "/api/v1/jobs/%s", job->id);
    ridge_reply_header(x, "Location", place);
}

void ridge_jobs_create(ridge_serve_exchange *x)
{
    ridge_jobs *jobs = x->server->jobs;
    ridge_job *job = calloc(1, sizeof *job);
    unsigned waiting;
    if (!job) {
        ridge_reply_fail(x, 500, RIDGE_NOMEM, "out of memory");
        return;
    }
    (void)pthread_mutex_lock(&jobs->lock);
    tidy(jobs, &waiting);
    const bool room = waiting < RIDGE_JOBS_WAITING && !jobs->closed;
    if (room)
        enqueue(x, jobs, job);
    (void)pthread_mutex_unlock(&jobs->lock);
    if (!room) {
        free(job);
        ridge_reply_fail(x, 503, RIDGE_LIMIT, "%u jobs wait already", waiting);
    }
}

/* ---- routes ---- */

static ridge_job *job_of(const ridge_jobs *jobs, const char *id, size_t n)
{
    for (ridge_job *job = jobs->first; job; job = job->next)
        if (ridge_str_is((ridge_str){id, n}, job->id))
            return job;
    return NULL;
}

static void cancel(ridge_jobs *jobs, ridge_job *job)
{
    if (ridge_job_has_ended(job))
        return;
    job->cancelled = true;
    if (job->stop)
        *job->stop = 1;
    if (job->state == RIDGE_JOB_QUEUED) {
        job->state = RIDGE_JOB_CANCELLED;
        stamp(job->ended);
        ridge_job_say_end(jobs, job);
    }
}

/* the bytes that the command line prints */
static void reply_result(ridge_serve_exchange *x, const ridge_job *job)
{
    char text[2048];
    ridge_buf body = {0};
    if (!ridge_job_has_ended(job)) {
        ridge_reply_fail(x, 409, RIDGE_USAGE, "job %s has not ended", job->id);
        return;
    }
    if (job->answer.n == 0 && job->task->err.code) {
        const unsigned http = job->task->http == 200 ? 500 : job->task->http;
        ridge_reply_err(x, http, &job->task->err);
    } else if (job->state == RIDGE_JOB_CANCELLED && job->answer.n == 0) {
        ridge_reply_fail(x, 409, RIDGE_USAGE, "job %s was cancelled before it had an answer", job->id);
    } else {
        ridge_buf_add(&body, (ridge_str){job->answer.p, job->answer.n});
        ridge_reply_buf(x, 200, ridge_task_type(job->task), &body);
        ridge_reply_header(x, "Cache-Control", "no-store");
    }
    (void)snprintf(text, sizeof text, "%d", job->state == RIDGE_JOB_CANCELLED ? 130 : ridge_exit_status(job->status));
    ridge_reply_header(x, "Ridge-Exit", text);
}

static void reply_jobs(ridge_serve_exchange *x, const ridge_jobs *jobs)
{
    static const char *const types[] = {"text/plain", "application/json", "text/csv", "text/markdown"};
    ridge_buf body = {0};
    ridge_err err = {0};
    ridge_form form = RIDGE_FORM_JSON;
    for (size_t i = 0; x->accept && i < sizeof types / sizeof *types; i++)
        form = strcmp(x->accept, types[i]) == 0 ? (ridge_form)i : form;
    if (ridge_jobs_write(&body, jobs, form, &x->task->arena, &err)) {
        ridge_buf_free(&body);
        ridge_reply_err(x, 500, &err);
        return;
    }
    ridge_reply_buf(x, 200, types[form], &body);
    ridge_reply_header(x, "Cache-Control", "no-store");
}

static unsigned last_seen(ridge_serve_exchange *x)
{
    const char *header = ridge_request_header(x, "Last-Event-ID");
    const char *text = header ? header : ridge_asked_text(&x->task->asked, "last-event-id");
    const unsigned long seen = text && ridge_is_digit(text[0]) ? strtoul(text, NULL, 10) : 0;
    return seen > UINT32_MAX ? 0 : (unsigned)seen;
}

static void route_job(ridge_serve_exchange *x, ridge_jobs *jobs, ridge_job *job, const char *what)
{
    const bool get = strcmp(x->method, "GET") == 0;
    if (strcmp(what, "") == 0 && strcmp(x->method, "DELETE") == 0) {
        cancel(jobs, job);
        reply_job(x, 200, job);
    } else if (strcmp(what, "") == 0 && get) {
        reply_job(x, 200, job);
    } else if (strcmp(what, "/result") == 0 && get) {
        reply_result(x, job);
    } else if (strcmp(what, "/events") == 0 && get) {
        ridge_job_watch(x, jobs, job, last_seen(x));
    } else if (strcmp(what, "") == 0 || strcmp(what, "/result") == 0 || strcmp(what, "/events") == 0) {
        ridge_reply_fail(x, 405, RIDGE_USAGE, "a job is read with GET and cancelled with DELETE");
        ridge_reply_header(x, "Allow", what[0] ? "GET" : "GET, DELETE");
    } else {
        ridge_reply_fail(x, 404, RIDGE_NAME, "a job has /result and /events, no %.100s", what);
    }
}

void ridge_jobs_route(ridge_serve_exchange *x, const char *rest)
{
    ridge_jobs *jobs = x->server->jobs;
    const char *id = rest + (rest[0] == '/');
    const size_t n = strcspn(id, "/");
    (void)pthread_mutex_lock(&jobs->lock);
    ridge_job *job = n > 0 ? job_of(jobs, id, n) : NULL;
    if (job)
        route_job(x, jobs, job, id + n);
    else if (n > 0)
        ridge_reply_fail(x, 404, RIDGE_NAME, "there is no job '%.*s'", n < 60 ? (int)n : 60, id);
    else if (strcmp(x->method, "GET") == 0)
        reply_jobs(x, jobs);
    else {
        ridge_reply_fail(x, 405, RIDGE_USAGE, "jobs are made by POST of a command that measures, such as /api/v1/bench");
        ridge_reply_header(x, "Allow", "GET");
    }
    (void)pthread_mutex_unlock(&jobs->lock);
}

/* ---- beginning and ending ---- */

ridge_status ridge_jobs_open(ridge_server *s, ridge_err *err)
{
    ridge_jobs *jobs = s->jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        return ridge_no_memory(err);
    jobs->end = &jobs->first;
    (void)pthread_mutex_init(&jobs->lock, NULL);
    (void)pthread_cond_init(&jobs->changed, NULL);
    (void)snprintf(jobs->boot, sizeof jobs->boot, "%llx", (unsigned long long)time(NULL) & 0xffffffffu);
    jobs->runs = pthread_create(&jobs->runner, NULL, run_all, jobs) == 0;
    return jobs->runs ? RIDGE_OK : ridge_fail(err, RIDGE_NOMEM, "no thread could be started");
}

/* with the lock held: waits for an end, at most so long */
static void wait_seconds(ridge_jobs *jobs, double seconds, const ridge_stop *now)
{
    enum { STEP_NS = 50000000 };
    struct timespec t;
    for (double waited = 0; jobs->running && waited < seconds && !*now; waited += STEP_NS / 1e9) {
        (void)clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += STEP_NS;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&jobs->changed, &jobs->lock, &t);
    }
}

bool ridge_jobs_drain(ridge_server *s, double grace_s, ridge_stop *now)
{
    enum { CANCEL_SECONDS = 30 };
    static const ridge_stop patient = 0;
    ridge_jobs *jobs = s->jobs;
    (void)pthread_mutex_lock(&jobs->lock);
    for (ridge_job *job = jobs->first; job; job = job->next)
        if (job->state == RIDGE_JOB_QUEUED)
            cancel(jobs, job);
    wait_seconds(jobs, grace_s, now);
    if (jobs->running) {
        cancel(jobs, jobs->running);
        wait_seconds(jobs, CANCEL_SECONDS, &patient);
    }
    const bool ended = !jobs->running;
    jobs->closed = true;
    ridge_jobs_wake(jobs, NULL);
    (void)pthread_cond_broadcast(&jobs->changed);
    (void)pthread_mutex_unlock(&jobs->lock);
    if (ended)
        (void)pthread_join(jobs->runner, NULL);
    jobs->runs = !ended;
    return ended;
}

void ridge_jobs_close(ridge_server *s)
{
    ridge_jobs *jobs = s->jobs;
    static ridge_stop at_once = 1;
    if (!jobs)
        return;
    if (jobs->runs && !ridge_jobs_drain(s, 0, &at_once))
        return;
    for (ridge_job *job = jobs->first, *next; job; job = next) {
        next = job->next;
        ridge_job_free(job);
    }
    (void)pthread_mutex_destroy(&jobs->lock);
    (void)pthread_cond_destroy(&jobs->changed);
    free(jobs);
    s->jobs = NULL;
}
