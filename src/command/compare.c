/* ridge compare: predicted against measured, for a kernel, a suite, a model or a stored run. */
#include "bench/compare.h"

#include "command/bench.h"
#include "command/frameworks.h"
#include "command/picture.h"

typedef struct compare_request {
    ridge_bench_request bench;
    ridge_frameworks_options frameworks;
    ridge_store_options store;
    ridge_picture_options pictures;
    ridge_machines_options machines;
    const char *run;
    bool calibration;
} compare_request;

static const ridge_option options[] = {
    RIDGE_STRING(compare_request, run, "run", 0, "RUN",
                 "rows that were measured before: a number of 'ridge history " RIDGE_OPT("runs") "'"),
    RIDGE_FLAG(compare_request, calibration, "calibration", 0, "errors before and after efficiencies fitted on half of the rows",
               .needs = "!frameworks"),
    RIDGE_OPTION_END,
};

/* ---- a stored run ---- */

static ridge_status read_run(ridge_measurements *out, ridge_call *call, const compare_request *r, ridge_err *err)
{
    ridge_store *store = NULL;
    int64_t number;
    if (r->bench.kind || r->bench.suite || r->bench.model)
        return ridge_fail(
            err, RIDGE_USAGE,
            RIDGE_OPT("run") " is about rows that are there: leave KIND, " RIDGE_OPT("suite") " and " RIDGE_OPT("model") " out");
    ridge_status st = ridge_run_parse(&number, r->run, err);
    if (st || (st = ridge_store_options_open(&store, &r->store, false, err)))
        return st;
    st = ridge_store_run_read(out, store, number, &call->arena, err);
    ridge_store_close(store);
    if (!st && out->runs[0].interrupted)
        ridge_call_warn(call, "run %lld was interrupted: rows it was to have may be missing", (long long)number);
    return st;
}

/* ---- the answer ---- */

/* the ceilings of the picture: those measured just now, by the most threads; else those of the machine 'this' */
static ridge_status find_machine(const ridge_machine **out, ridge_call *call, const ridge_compare_answer *a, const compare_request *r,
                                 ridge_err *err)
{
    ridge_machines *machines;
    if (a->bench && a->bench->machine->rate_count > 0) {
        *out = &a->bench->machine->rates[a->bench->machine->rate_count - 1].measured;
        return RIDGE_OK;
    }
    ridge_status st = ridge_call_machines(&machines, call, &r->machines, err);
    return st ? st : ridge_machines_find(out, machines, "this", err);
}

/* the picture's file is written before the answer: an error then leaves none */
static ridge_status draw(ridge_buf *picture, ridge_call *call, const ridge_compare_answer *a, const compare_request *r, ridge_err *err)
{
    const ridge_machine *machine;
    ridge_plot plot;
    if (!ridge_picture_wanted(call, &r->pictures))
        return RIDGE_OK;
    ridge_status st = find_machine(&machine, call, a, r, err);
    if (!st && !(st = ridge_compare_roofline(&plot, a, machine, &call->arena, err)))
        st = ridge_picture_draw(picture, call, &r->pictures, &plot, err);
    return ridge_picture_end(st, call, &r->pictures, err);
}

static ridge_status print(ridge_call *call, const ridge_compare_answer *a, const ridge_buf *picture, ridge_err *err)
{
    ridge_buf *out = &call->data;
    const bool text = call->form == RIDGE_FORM_TEXT;
    if (call->form == RIDGE_FORM_JSON) {
        ridge_record_answer(out, a->bench ? &ridge_compare_record : &ridge_compare_stored_record, a);
        return RIDGE_OK;
    }
    if (text && a->bench)
        ridge_buf_addf(out, "%s\n", a->bench->machine->label);
    ridge_status st = ridge_call_table(call, &ridge_joined_record, a->rows, a->row_count, err);
    if (st || !text || (st = ridge_compare_text(out, a, call->width, &call->arena, err)))
        return st;
    if (a->bench)
        ridge_bench_remarks(out, a->bench, &call->arena);
    if (picture->n > 0)
        ridge_buf_addf(out, "\n%s", picture->p);
    return RIDGE_OK;
}

static ridge_status answer(ridge_call *call, const ridge_compare_answer *a, const compare_request *r, ridge_err *err)
{
    ridge_buf picture = {0};
    ridge_status st = draw(&picture, call, a, r, err);
    if (!st)
        st = picture.failed ? ridge_no_memory(err) : print(call, a, &picture, err);
    ridge_buf_free(&picture);
    return st;
}

static ridge_status run_frameworks(ridge_call *call, const compare_request *r, ridge_err *err)
{
    const ridge_compare_frameworks asked = {&r->bench, &r->frameworks, &r->store, &r->pictures};
    if (r->run)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("run") " is about rows that are there: leave " RIDGE_OPT("frameworks") " out");
    return ridge_call_frameworks(call, &asked, err);
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const compare_request *r = values;
    ridge_compare_answer a;
    ridge_measurements stored;
    ridge_bench bench;
    ridge_status st;
    if (r->frameworks.choice.count > 0)
        return run_frameworks(call, r, err);
    if (r->run) {
        if ((st = read_run(&stored, call, r, err)) ||
            (st = ridge_compare_stored(&a, stored.rows, stored.row_count, r->calibration, &call->arena, err)))
            return st;
        return answer(call, &a, r, err);
    }
    if ((st = ridge_call_bench(&bench, call, &r->bench, &r->store, err)) ||
        (st = ridge_compare_bench(&a, &bench, r->calibration, &call->arena, err)) || (st = answer(call, &a, r, err)))
        return st;
    return ridge_call_bench_end(call, &bench, err);
}

const ridge_command ridge_cmd_compare = {
    .name = "compare",
    .group = "Measuring",
    .summary = "predicted against measured: errors, bottlenecks, slowdowns, a roofline with both",
    .example = "ridge compare --suite cpu --calibration",
    .details =
        "Measures as 'ridge bench' does, or takes a run that is stored. error = |predicted - measured| / measured. seen: the ceiling "
        "of which the kernel reached the larger share, measured beside it. slowdown: measured over the least time. " RIDGE_OPT(
            "calibration") ": errors of predictions from the machine as detected, from measured ceilings, and with efficiencies "
                           "fitted on every other row and tested on the rest. docs/bench.md\n" RIDGE_OPT(
                               "frameworks") ": the same product, attention or decoder layer in each, on the same numbers, CPUs and "
                                             "threads, right before it is timed, in rounds that go round them; python3 (or RIDGE_PYTHON) "
                                             "runs those it has. docs/frameworks.md",
    .operands =
        RIDGE_OPERAND_OF(compare_request, bench.kind, ridge_kernel_kind_names, "[KIND]", 0,
                         "as in 'ridge bench'; with " RIDGE_OPT("frameworks") ": gemm, attention, layer, or a MODEL, for its layer"),
    .tables = {{RIDGE_TABLE(options, 0, "Comparison")},
               {RIDGE_TABLE(ridge_options_frameworks, offsetof(compare_request, frameworks), "Frameworks side by side")},
               {RIDGE_TABLE(ridge_options_bench_shape, offsetof(compare_request, bench), "Shape")},
               {RIDGE_TABLE(ridge_options_bench_what, offsetof(compare_request, bench), "Formats, suite, model")},
               {RIDGE_TABLE(ridge_options_bench_how, offsetof(compare_request, bench), "Measuring")},
               {.options = ridge_options_picture,
                .offset = offsetof(compare_request, pictures),
                .title = "Pictures",
                .only = ridge_picture_without_page},
               {RIDGE_TABLE(ridge_options_store, offsetof(compare_request, store), "Measuring")},
               {RIDGE_TABLE(ridge_options_machines, offsetof(compare_request, machines), "Machine files")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")}},
    .request_size = sizeof(compare_request),
    .effect = RIDGE_EFFECT_MEASURES,
    .run = run,
    .records = {&ridge_compare_record, &ridge_compare_stored_record, &ridge_frameworks_record},
};
