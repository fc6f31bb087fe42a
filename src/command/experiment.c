/* ridge experiment: memory-vs-compute, quant-overhead and sweeps on this machine (experiment/experiment.h). */
#include "experiment/experiment.h"

#include "command/command.h"
#include "command/measuring.h"
#include "command/picture.h"
#include "command/store.h"
#include "measure/fingerprint.h"
#include "measure/placement.h"

typedef struct experiment_request {
    const char *name;
    ridge_experiment_request experiment;
    ridge_store_options store;
    ridge_picture_options pictures;
} experiment_request;

static const ridge_option picture_options[] = {
    RIDGE_STRING(ridge_picture_options, plot, "plot", 0, "FILE", "the result as a picture: .svg, .png or .pdf",
                 .reach = RIDGE_REACH_OUTPUT),
    RIDGE_FLAG(ridge_picture_options, terminal, "curve", 0, "draw the picture below the answer", .needs = "!json|csv|markdown"),
    RIDGE_FLAG(ridge_picture_options, dark, "dark", 0, "pictures on a dark ground (SVG follows the reader's choice by itself)",
               .needs = "plot"),
    RIDGE_FLAG(ridge_picture_options, ascii, "ascii", 0, "draw with ASCII characters alone", .needs = "curve"),
    RIDGE_OPTION_END,
};

/* what was measured took time: where it cannot be kept, it is shown all the same */
static void keep(ridge_experiment *e, ridge_call *call, const ridge_store_options *store, ridge_ops *ops, const char *started)
{
    ridge_err err = {0};
    ridge_fingerprint machine;
    ridge_measured_row *rows;
    size_t count;
    const char *settings =
        ridge_arena_printf(&call->arena, "{\"experiment\": \"%s\", \"budget_s\": %.6g, \"rounds\": %lld, \"pinned\": true}",
                           ridge_experiment_names[e->request.kind], e->request.budget_s, (long long)e->request.rounds);
    if (ridge_fingerprint_read(&machine, &call->arena, &err) ||
        ridge_experiment_measured(&rows, &count, e, machine.digits, ops, &call->arena, &err)) {
        ridge_call_warn(call, "these rows are not stored: %s", err.msg);
        return;
    }
    const ridge_store_run what = {
        .started = started, .machine = machine.digits, .machine_text = machine.text, .interrupted = e->interrupted, .settings = settings};
    ridge_store_keep(&e->run, call, store, &what, rows, count);
}

static ridge_status measure(ridge_experiment *out, ridge_call *call, const experiment_request *r, ridge_experiment_kind kind,
                            ridge_err *err)
{
    const ridge_experiment_extras extras = {.progress = ridge_measuring_progress, .estimate = ridge_measuring_estimate, .context = call};
    char started[RIDGE_STORE_DATE_CHARS];
    ridge_experiment_request q = r->experiment;
    ridge_ops ops;
    ridge_status st = ridge_ops_open(&ops, err);
    if (st)
        return st;
    q.kind = kind;
    ridge_store_now(started);
    ridge_measuring_begin(call, q.threads > 0 ? (unsigned)q.threads : ridge_placement_cpus());
    st = ridge_experiment_run(out, &q, &extras, &ops, &call->arena, err);
    ridge_measuring_end(call, !st && out->interrupted);
    if (!st && !r->store.no_store)
        keep(out, call, &r->store, &ops, started);
    ridge_ops_close(&ops);
    return st;
}

/* the picture's file is written before the answer: an error then leaves none. No picture where Ctrl-C came before a point. */
static ridge_status draw(ridge_buf *picture, ridge_call *call, const ridge_experiment *e, const experiment_request *r, ridge_err *err)
{
    ridge_plot plot;
    if (!ridge_picture_wanted(call, &r->pictures) || e->row_count == 0)
        return RIDGE_OK;
    ridge_status st = ridge_experiment_picture(&plot, e, &call->arena, err);
    if (!st)
        st = ridge_picture_draw(picture, call, &r->pictures, &plot, err);
    return ridge_picture_end(st, call, &r->pictures, err);
}

static ridge_status print(ridge_call *call, const ridge_experiment *e, const ridge_buf *picture, ridge_err *err)
{
    const bool text = call->form == RIDGE_FORM_TEXT;
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_experiment_record, e);
    if (text)
        ridge_experiment_head(&call->data, e);
    ridge_status st = ridge_call_table(call, ridge_experiment_row_records[e->request.kind], e->rows, e->row_count, err);
    if (st || !text)
        return st;
    ridge_experiment_conclusion(&call->data, e);
    ridge_store_tell(call, e->run);
    if (picture->n > 0)
        ridge_buf_addf(&call->data, "\n%s", picture->p);
    return RIDGE_OK;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const experiment_request *r = values;
    ridge_experiment e;
    ridge_experiment_kind kind;
    ridge_buf picture = {0};
    ridge_status st = ridge_experiment_find(&kind, r->name, err);
    if (!st && !(st = measure(&e, call, r, kind, err)) && !(st = draw(&picture, call, &e, r, err)))
        st = picture.failed ? ridge_no_memory(err) : print(call, &e, &picture, err);
    ridge_buf_free(&picture);
    return st;
}

const ridge_command ridge_cmd_experiment = {
    .name = "experiment",
    .group = "Measuring",
    .summary = "what bounds products on this machine: memory or arithmetic, formats, tiles, threads, sizes, batches",
    .example = "ridge experiment memory-vs-compute --n 14336 --k 4096 --format q4_K",
    .details =
        "memory-vs-compute: reading, calculating and both, in turn. quant-overhead: 16 bits against quantised weights. tile-sweep: rows "
        "at once. thread-sweep: where memory is saturated. size-sweep: cache levels. batch-sweep: where GEMV turns into GEMM. Each "
        "ends in a sentence to act on (docs/experiments.md). Ctrl-C prints the points that are done and exits with 130.",
    .operands = RIDGE_OPERAND_OF(experiment_request, name, ridge_experiment_names, "NAME", 1,
                                 "memory-vs-compute, quant-overhead, tile-sweep, thread-sweep, size-sweep or batch-sweep"),
    .tables = {{RIDGE_TABLE(ridge_options_experiment, offsetof(experiment_request, experiment), NULL)},
               {RIDGE_TABLE(ridge_options_store, offsetof(experiment_request, store), "Measurements")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},
               {RIDGE_TABLE(picture_options, offsetof(experiment_request, pictures), "Pictures")}},
    .request_size = sizeof(experiment_request),
    .effect = RIDGE_EFFECT_MEASURES,
    .run = run,
    .records = {&ridge_experiment_record},
};
