/* ridge machine calibrate: measures this machine's ceilings and keeps them as the machine 'this'. */
#include "bench/calibrate.h"

#include "command/machine.h"
#include "command/measuring.h"

static void warn_of_few(ridge_call *call, const ridge_calibrate_answer *answer, const ridge_calibrate_request *r)
{
    unsigned most = ridge_threads_most(&answer->threads);
    int64_t cores = answer->detected->machine.compute_units;
    if (r->save != RIDGE_CALIBRATE_PRINT && cores > (int64_t)most)
        ridge_call_warn(call, "the machine will have the peaks of %u of its %lld cores", most, (long long)cores);
}

static ridge_status print(ridge_call *call, const ridge_calibrate_answer *answer, ridge_err *err)
{
    const ridge_record_style style = {.form = call->form, .width = call->width};
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_calibrate_record, answer);
    return ridge_calibrate_print(&call->data, answer, &style, &call->arena, err);
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const ridge_calibrate_request *r = values;
    ridge_calibrate_answer answer;
    ridge_status st = ridge_calibrate_prepare(&answer, r, &call->arena, err);
    if (st)
        return st;
    warn_of_few(call, &answer, r);
    ridge_measuring_begin(call, ridge_threads_most(&answer.threads));
    st = ridge_calibrate_measure(&answer, r, ridge_measuring_progress, call, &call->arena, err);
    ridge_measuring_end(call, !st && answer.ceilings->interrupted);
    if (st)
        return st;
    /* what was measured is shown all the same */
    ridge_err not_saved = {0};
    if (ridge_calibrate_save(&answer, r, &call->arena, &not_saved) && !(st = print(call, &answer, err)) &&
        !(st = ridge_call_flush(call, err)))
        return ridge_fail(err, not_saved.code, "%s", not_saved.msg);
    return st ? st : print(call, &answer, err);
}

const ridge_command ridge_cmd_machine_calibrate = {
    .name = "calibrate",
    .summary = "measure this machine's ceilings, for " RIDGE_OPT("on") " this",
    .example = "ridge machine calibrate --budget 60",
    .details =
        "Bandwidth of memory and of each cache (read, write, copy, triad), multiply-adds per precision and instruction set, with the clock "
        "measured beside each, and the cost of a parallel region. Of the variants of a loop the fastest counts. The machine 'this' gets "
        "these numbers in place of derived ones, each with its source. Leave the machine alone meanwhile; Ctrl-C prints what is done and "
        "exits with 130.",
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)}, {RIDGE_TABLE(ridge_options_calibrate, 0, NULL)}},
    .request_size = sizeof(ridge_calibrate_request),
    .effect = RIDGE_EFFECT_MEASURES,
    .run = run,
    .records = {&ridge_calibrate_record},
};
