/* A job as people and programs see it. */
#include "base/shown.h"
#include "serve/job.h"

const char *const ridge_job_state_names[] = {RIDGE_JOB_STATES(RIDGE_WORD_NAME) NULL};

typedef struct job_view {
    const char *id, *command, *progress, *created, *started, *ended, *error;
    int state;
    int64_t exit, events;
    ridge_words warnings;
} job_view;

typedef struct jobs_view {
    job_view *jobs;
    size_t count;
} jobs_view;

static const ridge_record_field job_fields[] = {
    RIDGE_R_TEXT(job_view, id, "id", NULL, RIDGE_IN_ALL, "its name, below /api/v1/jobs/"),
    RIDGE_R_WORD(job_view, state, ridge_job_state_names, "state", NULL, RIDGE_IN_ALL, "where it is"),
    RIDGE_R_TEXT(job_view, command, "command", NULL, RIDGE_IN_ALL, "what runs, as it would be typed"),
    RIDGE_R_TEXT(job_view, progress, "progress", NULL, RIDGE_IN_DATA, "the last line of its progress"),
    RIDGE_R_TEXT(job_view, created, "created", NULL, RIDGE_IN_ALL, "when it was asked for, UTC"),
    RIDGE_R_TEXT(job_view, started, "started", NULL, RIDGE_IN_DATA, "when it began, UTC"),
    RIDGE_R_TEXT(job_view, ended, "ended", NULL, RIDGE_IN_DATA, "when it ended, UTC"),
    RIDGE_R_WHOLE(job_view, exit, "exit", NULL, RIDGE_IN_ALL, "the exit status that the command line would have; 130: it was cancelled"),
    RIDGE_R_TEXT(job_view, error, "error", NULL, RIDGE_IN_DATA, "what went wrong, or what a check found"),
    RIDGE_R_TEXTS(job_view, warnings, "warnings", NULL, RIDGE_IN_JSON, "what was warned of"),
    RIDGE_R_WHOLE(job_view, events, "events", NULL, RIDGE_IN_JSON, "the number of its last event"),
};
const ridge_record ridge_job_record = RIDGE_RECORD(job_view, "job", job_fields, "a measurement, or a download, that was asked for");

static const ridge_record_field jobs_fields[] = {
    RIDGE_R_LIST(jobs_view, jobs, count, &ridge_job_record, "jobs", RIDGE_IN_JSON, "oldest first"),
};
const ridge_record ridge_jobs_record = RIDGE_RECORD(jobs_view, "jobs", jobs_fields, "what waits, what runs, and the newest that ended");

static const char *unless_empty(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static int64_t exit_of(const ridge_job *job)
{
    if (!ridge_job_has_ended(job))
        return -1;
    return job->state == RIDGE_JOB_CANCELLED || job->task->call.interrupted ? 130 : ridge_exit_status(job->status);
}

static job_view view_of(const ridge_job *job)
{
    const bool ended = ridge_job_has_ended(job);
    return (job_view){
        .id = job->id,
        .command = job->task->call.typed,
        .progress = unless_empty(job->progress),
        .created = job->created,
        .started = unless_empty(job->started),
        .ended = unless_empty(job->ended),
        .error = ended ? unless_empty(job->task->err.msg) : NULL,
        .state = (int)job->state,
        .exit = exit_of(job),
        .events = job->event_count,
        .warnings = ended ? job->task->warnings : (ridge_words){0},
    };
}

void ridge_job_write(ridge_buf *out, const ridge_job *job)
{
    const job_view view = view_of(job);
    ridge_record_answer(out, &ridge_job_record, &view);
    ridge_buf_drop_marks(out);
}

ridge_status ridge_jobs_write(ridge_buf *out, const ridge_jobs *jobs, ridge_form form, ridge_arena *arena, ridge_err *err)
{
    const ridge_record_style style = {.form = form};
    jobs_view all = {.count = 0};
    size_t most = 0;
    for (const ridge_job *job = jobs->first; job; job = job->next)
        most++;
    all.jobs = ridge_arena_array(arena, most + 1, sizeof *all.jobs);
    for (const ridge_job *job = jobs->first; job && all.jobs; job = job->next)
        all.jobs[all.count++] = view_of(job);
    if (!all.jobs)
        return ridge_no_memory(err);
    if (form != RIDGE_FORM_JSON)
        return ridge_record_print(out, &ridge_job_record, &style, all.jobs, all.count, err);
    ridge_record_answer(out, &ridge_jobs_record, &all);
    ridge_buf_drop_marks(out);
    return RIDGE_OK;
}
