/* ridge bench: kernels checked against their reference and timed beside the ceiling that bounds them. */
#include "command/bench.h"

typedef struct bench_request {
    ridge_bench_request bench;
    ridge_store_options store;
} bench_request;

/* ---- measuring and keeping ---- */

static void progress(void *call, const char *what, size_t done, size_t total)
{
    ridge_call_progress(call, "%3zu/%zu %s", done, total, what);
}

/* what was measured took time: where it cannot be kept, it is shown all the same */
static void keep(ridge_bench *bench, ridge_call *call, const ridge_bench_request *r, const ridge_store_options *store, const char *started)
{
    ridge_err err = {0};
    ridge_measured_row *rows;
    size_t count;
    const ridge_store_run what = {
        .machine = bench->machine->fingerprint,
        .machine_text = bench->machine->text,
        .started = started,
        .interrupted = bench->interrupted,
        .settings = ridge_arena_printf(&call->arena, "{\"budget_s\": %.6g, \"rounds\": %u, \"pinned\": true}", r->budget_s, bench->rounds)};
    if (ridge_bench_measured(&rows, &count, bench, &call->arena, &err))
        ridge_call_warn(call, "these rows are not stored: %s", err.msg);
    else
        ridge_store_keep(&bench->run, call, store, &what, rows, count);
}

ridge_status ridge_call_bench(ridge_bench *out, ridge_call *call, const ridge_bench_request *r, const ridge_store_options *store,
                              ridge_err *err)
{
    const ridge_bench_extras extras = {.progress = progress, .estimate = ridge_measuring_estimate, .context = call};
    char started[RIDGE_STORE_DATE_CHARS];
    ridge_bench_cases *cases = ridge_arena_alloc(&call->arena, sizeof *cases);
    ridge_ops ops = {0};
    ridge_status st = cases ? ridge_isa_check(err) : ridge_no_memory(err);
    if (st || (st = ridge_ops_open(&ops, err)))
        return st;
    if (!(st = ridge_bench_cases_make(cases, r, &ops, &call->arena, err))) {
        ridge_call_warn_all(call, &cases->warnings);
        ridge_store_now(started);
        ridge_measuring_begin(call, ridge_threads_most(&r->threads));
        st = ridge_bench_run(out, r, cases, &extras, &ops, &call->arena, err);
        ridge_measuring_end(call, !st && out->interrupted);
    }
    ridge_ops_close(&ops);
    if (!st)
        keep(out, call, r, store, started);
    return st;
}

ridge_status ridge_call_bench_end(ridge_call *call, const ridge_bench *bench, ridge_err *err)
{
    ridge_status st = ridge_bench_verdict(bench, NULL);
    if (st && (st = ridge_call_flush(call, err))) /* a case that failed takes none of the others' rows away */
        return st;
    return ridge_bench_verdict(bench, err);
}

/* ---- the command ---- */

static ridge_status print(ridge_call *call, const ridge_bench *bench, ridge_err *err)
{
    const bool text = call->form == RIDGE_FORM_TEXT, csv = call->form == RIDGE_FORM_CSV;
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_bench_record, bench);
    if (text)
        ridge_buf_addf(&call->data, "%s\n", bench->machine->label);
    ridge_status st =
        ridge_call_table(call, &ridge_bench_row_record, csv ? bench->right : bench->rows, csv ? bench->timed : bench->row_count, err);
    if (!st && text) {
        ridge_bench_remarks(&call->data, bench, &call->arena);
        ridge_store_tell(call, bench->run);
    }
    return st;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const bench_request *r = values;
    ridge_bench bench;
    ridge_status st = ridge_call_bench(&bench, call, &r->bench, &r->store, err);
    if (st || (st = print(call, &bench, err)))
        return st;
    return ridge_call_bench_end(call, &bench, err);
}

const ridge_command ridge_cmd_bench = {
    .name = "bench",
    .group = "Measuring",
    .summary = "how fast a kernel is here, beside the ceiling that bounds it and the prediction",
    .example = "ridge bench gemv --n 14336 --k 4096 --dtype q4_K --threads 1,2",
    .details =
        "Every variant is checked against a double-precision reference first; one that is wrong is told and never timed. FLOPs and bytes "
        "are the catalog's. The ceiling (a stream from where the operands are, a loop of multiply-adds) takes turns with the kernel, so "
        "%ceil is a ratio of one run. Predictions are the roofline of ceilings measured before the rows. Ctrl-C prints what is done and "
        "exits with 130. "
        "docs/bench.md",
    .operands = RIDGE_OPERAND_OF(bench_request, bench.kind, ridge_kernel_kind_names, "[KIND]", 0,
                                 "gemv, gemm, attention, softmax, layernorm, rmsnorm, silu, gelu, rope, add, embedding or wkv"),
    .tables = {{RIDGE_TABLE(ridge_options_bench_shape, offsetof(bench_request, bench), "Shape")},
               {RIDGE_TABLE(ridge_options_bench_what, offsetof(bench_request, bench), "Formats, suite, model")},
               {RIDGE_TABLE(ridge_options_bench_how, offsetof(bench_request, bench), "Measuring")},
               {RIDGE_TABLE(ridge_options_store, offsetof(bench_request, store), "Measuring")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")}},
    .request_size = sizeof(bench_request),
    .effect = RIDGE_EFFECT_MEASURES,
    .run = run,
    .records = {&ridge_bench_record},
};
