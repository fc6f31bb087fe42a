/* ridge compare: predicted against measured, for a kernel, a suite, a model or a stored run (bench/compare.h). */
#include "bench/compare.h"
#include "predict/picture.h"
#include "cli/bench.h"
#include "cli/commands.h"
#include "cli/picture.h"

typedef struct compare_args {
    ridge_bench_args bench;
    struct compare_view {
        const char *run;
        bool calibration;
    } view;
    ridge_picture_args pictures;
    ridge_machines_args machines;
} compare_args;

static const ridge_option view_options[] = {
    RIDGE_STRING(struct compare_view, run, "run", 0, "RUN", "rows that were measured before: a number of 'ridge history --runs'"),
    RIDGE_FLAG(struct compare_view, calibration, "calibration", 0, "errors before and after efficiencies fitted on half of the rows"),
    RIDGE_OPTION_END,
};

/* ---- a stored run ---- */

static ridge_status check_stored(const ridge_bench_args *args, ridge_err *err)
{
    const ridge_bench_how_args *how = &args->how;
    if (args->kind.count > 0 || how->suite || how->model)
        return ridge_fail(err, RIDGE_USAGE, "--run is about rows that are there: leave KIND, --suite and --model out");
    return RIDGE_OK;
}

static ridge_status read_run(ridge_measurements *out, ridge_io *io, const compare_args *args, ridge_err *err)
{
    ridge_store *store = NULL;
    int64_t number;
    ridge_status st = ridge_run_parse(&number, args->view.run, err);
    if (st || (st = ridge_store_args_open(&store, &args->bench.store, false, err)))
        return st;
    st = ridge_store_query(out, store, &(ridge_store_filter){.run = number}, &io->arena, err);
    ridge_store_close(store);
    if (!st && out->run_count > 0 && out->runs[0].interrupted)
        ridge_io_warn(io, "run %lld was interrupted: rows it was to have may be missing", (long long)number);
    if (!st && out->run_count == 0)
        st = ridge_fail(err, RIDGE_NAME, "no run %lld; 'ridge history --runs' lists them", (long long)number);
    return st;
}

/* ---- the answer ---- */

/* the ceilings of the picture: those measured just now, by the most threads; else those of the machine 'this' */
static ridge_status find_machine(const ridge_machine **out, ridge_machines **opened, const ridge_compare_answer *a,
                                 const compare_args *args, ridge_err *err)
{
    if (a->bench && a->bench->machine->rate_count > 0) {
        *out = &a->bench->machine->rates[a->bench->machine->rate_count - 1].measured;
        return RIDGE_OK;
    }
    ridge_status st = ridge_machines_args_open(opened, &args->machines, err);
    return st ? st : ridge_machines_find(out, *opened, "this", err);
}

static ridge_status draw(ridge_buf *picture, ridge_io *io, const ridge_compare_answer *a, const compare_args *args, ridge_err *err)
{
    const ridge_machine *machine;
    ridge_machines *opened = NULL;
    ridge_plot plot;
    if (!ridge_picture_wanted(&args->pictures))
        return RIDGE_OK;
    ridge_status st = find_machine(&machine, &opened, a, args, err);
    if (!st && !(st = ridge_compare_roofline(&plot, a, machine, &io->arena, err)))
        st = ridge_picture_draw(picture, io, &args->pictures, &plot, err);
    ridge_machines_close(opened);
    return st;
}

static ridge_status write_answer(ridge_io *io, const ridge_compare_answer *a, const compare_args *args, ridge_err *err)
{
    static const ridge_form styles[] = {
        [RIDGE_OUTPUT_TEXT] = RIDGE_FORM_TEXT, [RIDGE_OUTPUT_CSV] = RIDGE_FORM_CSV, [RIDGE_OUTPUT_MARKDOWN] = RIDGE_FORM_MARKDOWN};
    ridge_output as = args->bench.output.as;
    if (as == RIDGE_OUTPUT_JSON) {
        ridge_compare_json(&io->data, a);
        return RIDGE_OK;
    }
    if (as == RIDGE_OUTPUT_TEXT && a->bench)
        ridge_buf_addf(&io->data, "%s\n", a->bench->machine->label);
    ridge_status st = ridge_compare_table(&io->data, a, styles[as], io->terminal ? io->width : 0, &io->arena, err);
    if (st || as != RIDGE_OUTPUT_TEXT)
        return st;
    ridge_compare_text(&io->data, a, &io->arena);
    if (a->bench) {
        ridge_bench_remarks(&io->data, a->bench);
        ridge_bench_totals(&io->data, a->bench, &io->arena);
    }
    return RIDGE_OK;
}

static ridge_status answer(ridge_io *io, const ridge_compare_answer *a, const compare_args *args, ridge_err *err)
{
    ridge_buf picture = {0};
    ridge_status st = draw(&picture, io, a, args, err);
    if (!st && !(st = write_answer(io, a, args, err)) && picture.n > 0 && args->bench.output.as == RIDGE_OUTPUT_TEXT) {
        ridge_buf_addc(&io->data, '\n');
        ridge_buf_add(&io->data, (ridge_str){picture.p, picture.n});
    }
    ridge_buf_free(&picture);
    return st;
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const compare_args *args = values;
    ridge_compare_answer a;
    ridge_measurements stored;
    ridge_bench bench;
    int64_t number;
    ridge_status st;
    if (args->view.run) {
        if ((st = check_stored(&args->bench, err)) || (st = read_run(&stored, io, args, err)) ||
            (st = ridge_compare_stored(&a, stored.rows, stored.row_count, args->view.calibration, &io->arena, err)))
            return st;
        return answer(io, &a, args, err);
    }
    if ((st = ridge_bench_args_run(&bench, &number, io, &args->bench, err)) ||
        (st = ridge_compare_bench(&a, &bench, args->view.calibration, &io->arena, err)) || (st = answer(io, &a, args, err)))
        return st;
    return ridge_bench_args_verdict(&bench, err);
}

static const compare_args defaults = {.bench = {RIDGE_BENCH_ARGS_DEFAULTS}};

#define AT(member) offsetof(compare_args, bench) + offsetof(ridge_bench_args, member)

const ridge_command ridge_cmd_compare = {
    .name = "compare",
    .group = "Measuring",
    .summary = "predicted against measured: errors, bottlenecks, slowdowns, a roofline with both",
    .example = "ridge compare --suite cpu --calibration",
    .details =
        "Measures as 'ridge bench' does, or takes a run that is stored. error = |predicted - measured| / measured. seen: the ceiling of "
        "which the kernel reached the larger share, measured beside it. slowdown: measured over the least time. --calibration: errors of "
        "predictions from the machine as detected, from measured ceilings, and with efficiencies fitted on every other row and tested on "
        "the rest. docs/bench.md",
    .operands = {"[KIND]", "as in 'ridge bench'", AT(kind), 0, 1, false},
    .tables =
        {
            RIDGE_TABLE(view_options, offsetof(compare_args, view), "Comparison"),
            RIDGE_TABLE(ridge_options_bench_shape, AT(shape), "Shape"),
            RIDGE_TABLE(ridge_options_bench_what, AT(how), "Formats, suite, model"),
            RIDGE_TABLE(ridge_options_bench_how, AT(how), "Measuring"),
            RIDGE_TABLE(ridge_options_plot, offsetof(compare_args, pictures), "Pictures"),
            RIDGE_TABLE(ridge_options_store, AT(store), "Measuring"),
            RIDGE_TABLE(ridge_options_machines, offsetof(compare_args, machines), "Machine files"),
            RIDGE_TABLE(ridge_options_output, AT(output), "Output"),
        },
    .args_size = sizeof(compare_args),
    .defaults = &defaults,
    .run = run,
};
