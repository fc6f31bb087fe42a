/* ridge bench: kernels checked against their reference and timed beside the ceiling that bounds them (bench/bench.h). */
#include "cli/bench.h"
#include "cli/commands.h"

static void write_json(ridge_io *io, const ridge_bench *bench, int64_t run)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, &io->data);
    ridge_bench_json(&w, bench);
    ridge_jw_key(&w, "run");
    if (run > 0)
        ridge_jw_int(&w, run);
    else
        ridge_jw_null(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&io->data, '\n');
}

static ridge_status write_answer(ridge_io *io, const ridge_bench *bench, ridge_output as, int64_t run, ridge_err *err)
{
    static const ridge_form styles[] = {
        [RIDGE_OUTPUT_TEXT] = RIDGE_FORM_TEXT, [RIDGE_OUTPUT_CSV] = RIDGE_FORM_CSV, [RIDGE_OUTPUT_MARKDOWN] = RIDGE_FORM_MARKDOWN};
    if (as == RIDGE_OUTPUT_JSON) {
        write_json(io, bench, run);
        return RIDGE_OK;
    }
    if (as == RIDGE_OUTPUT_TEXT)
        ridge_buf_addf(&io->data, "%s\n", bench->machine->label);
    ridge_status st = ridge_bench_table(&io->data, bench, styles[as], io->terminal ? io->width : 0, &io->arena, err);
    if (st || as != RIDGE_OUTPUT_TEXT)
        return st;
    ridge_bench_remarks(&io->data, bench);
    ridge_bench_totals(&io->data, bench, &io->arena);
    if (run > 0)
        ridge_buf_addf(&io->data, "kept as run %lld: ridge history\n", (long long)run);
    return RIDGE_OK;
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const ridge_bench_args *args = values;
    ridge_bench bench;
    int64_t number;
    ridge_status st = ridge_bench_args_run(&bench, &number, io, args, err);
    if (!st)
        st = write_answer(io, &bench, args->output.as, number, err);
    return st ? st : ridge_bench_args_verdict(&bench, err);
}

static const ridge_bench_args defaults = {RIDGE_BENCH_ARGS_DEFAULTS};

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
    .operands = RIDGE_OPERANDS(ridge_bench_args, kind, "[KIND]", 0, 1,
                               "gemv, gemm, attention, softmax, layernorm, rmsnorm, silu, gelu, rope, add, embedding or wkv"),
    .tables =
        {
            RIDGE_TABLE(ridge_options_bench_shape, offsetof(ridge_bench_args, shape), "Shape"),
            RIDGE_TABLE(ridge_options_bench_what, offsetof(ridge_bench_args, how), "Formats, suite, model"),
            RIDGE_TABLE(ridge_options_bench_how, offsetof(ridge_bench_args, how), "Measuring"),
            RIDGE_TABLE(ridge_options_store, offsetof(ridge_bench_args, store), "Measuring"),
            RIDGE_TABLE(ridge_options_output, offsetof(ridge_bench_args, output), "Output"),
        },
    .args_size = sizeof(ridge_bench_args),
    .defaults = &defaults,
    .run = run,
};
