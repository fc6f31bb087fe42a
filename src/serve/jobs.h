/* jobs.h - what takes the machine for a while: commands that measure or fetch, one at a time, in the order in which they came.
 * In: tasks whose requests are filled. Out: their states, their words as numbered events, their answers; of jobs that ended the newest
 * RIDGE_JOBS_KEPT are kept. What was measured is in the store of runs as soon as a run ends, whatever becomes of the server.
 * Fails (LIMIT) where too many wait. Functions may be called from any thread. */
#ifndef RIDGE_SERVE_JOBS_H
#define RIDGE_SERVE_JOBS_H
#if __has_include(<microhttpd.h>)

#include "serve/server.h"

enum { RIDGE_JOBS_KEPT = 64, RIDGE_JOBS_WAITING = 64, RIDGE_JOB_EVENTS = 256 };

ridge_status ridge_jobs_open(ridge_server *s, ridge_err *err);
/* Nothing new is taken, what waits is cancelled, what runs has so long to end before it is cancelled; *now becomes 1: at once. False: it
 * does not end, and is left. */
bool ridge_jobs_drain(ridge_server *s, double grace_s, ridge_stop *now);
void ridge_jobs_close(ridge_server *s); /* after the daemon */

/* POST of a command: 202 and the job, which owns the task from then on */
void ridge_jobs_create(ridge_serve_exchange *x);
/* GET jobs, jobs/ID, jobs/ID/result, jobs/ID/events; DELETE jobs/ID. `rest` follows "jobs". */
void ridge_jobs_route(ridge_serve_exchange *x, const char *rest);
/* called every second: event streams on which nothing happened say that they are there */
void ridge_jobs_beat(ridge_server *s);

extern const ridge_record ridge_jobs_record, ridge_job_record;

#endif
#endif
