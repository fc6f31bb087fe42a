/* ridge jobs: what a server measures, and what waits there. The server is another computer's: it is named with --remote. */
#include "command/jobs.h"

#include "command/command.h"

static const ridge_option options[] = {
    RIDGE_FLAG(ridge_jobs_request, cancel, "cancel", 0, "end the job; its answer is what was done"),
    RIDGE_OPTION_END,
};

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    (void)call;
    (void)values;
    return ridge_fail(err, RIDGE_USAGE, "jobs are a server's (ridge serve): name it with " RIDGE_OPT("remote") " URL");
}

const ridge_command ridge_cmd_jobs = {
    .name = "jobs",
    .group = "Serving",
    .summary = "what a server measures: a job's answer, which is waited for, or the list of all",
    .example = "ridge --remote http://localhost:8000 jobs",
    .details = "A measurement that was asked for with " RIDGE_OPT(
        "remote") " is a job there: it goes on when the link drops or this program ends, and its answer is fetched by the job's ID.",
    .operands = RIDGE_OPERAND(ridge_jobs_request, id, "[ID]", 0, "a job"),
    .tables = {{RIDGE_TABLE(options, 0, NULL)}, {RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)}},
    .request_size = sizeof(ridge_jobs_request),
    .effect = RIDGE_EFFECT_LOCAL,
    .run = run,
};
