/* ridge baseline: names for runs, and whether a later run is slower. */
#include "bench/history.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/store.h"

/* ---- which run ---- */

/* says so where a newer run of the machine than the chosen one did not come to its end */
static ridge_status tell_newer(ridge_io *io, ridge_store *store, const char *machine, const ridge_store_run *chosen, ridge_err *err)
{
    const ridge_store_filter newest = {.last = 1, .machine = machine, .runs_only = true};
    ridge_measurements m;
    ridge_status st = ridge_store_query(&m, store, &newest, &io->arena, err);
    if (!st && m.run_count > 0 && m.runs[0].id != chosen->id && ridge_store_run_is_cut(&m.runs[0]))
        ridge_io_warn(io, "run %lld is newer but %s: taking run %lld", (long long)m.runs[0].id,
                      m.runs[0].interrupted ? "was interrupted" : "is not finished", (long long)chosen->id);
    return st;
}

/* `word`, or the last finished run of this machine; one that was interrupted is none */
static ridge_status choose_run(ridge_measurements *m, ridge_io *io, ridge_store *store, const char *word, ridge_err *err)
{
    ridge_store_filter filter = {.last = 1, .finished = true};
    ridge_status st;
    if (word) {
        int64_t run;
        st = ridge_run_parse(&run, word, err);
        return !st ? ridge_store_run_read(m, store, run, &io->arena, err) : st;
    }
    if ((st = ridge_machine_filter(&filter.machine, "this", &io->arena, err)) ||
        (st = ridge_store_query(m, store, &filter, &io->arena, err)))
        return st;
    if (m->run_count == 0)
        return ridge_fail(err, RIDGE_NAME, "no finished run of this machine, %s; choose one with --run", filter.machine);
    return tell_newer(io, store, filter.machine, m->runs, err);
}

/* ---- set ---- */

typedef struct run_view {
    const char *run;
} run_view;

typedef struct set_args {
    ridge_words words;
    ridge_store_args store;
    run_view view;
} set_args;

static const ridge_option set_options[] = {
    RIDGE_STRING(run_view, run, "run", 'r', "RUN", "the run's number; default: the last finished one of this machine"),
    RIDGE_OPTION_END,
};

static ridge_status run_set(ridge_io *io, const void *values, ridge_err *err)
{
    const set_args *args = values;
    ridge_store *store = NULL;
    ridge_measurements m;
    ridge_status st = ridge_store_args_open(&store, &args->store, false, err);
    if (!st)
        st = choose_run(&m, io, store, args->view.run, err);
    if (!st && m.row_count == 0)
        st = ridge_fail(err, RIDGE_VALUE, "run %lld has no rows", (long long)m.runs[0].id);
    if (!st)
        st = ridge_store_baseline_set(store, args->words.items[0], m.runs[0].id, err);
    if (!st)
        ridge_buf_addf(&io->data, "%s: run %lld of %s, %zu %s%s\n", args->words.items[0], (long long)m.runs[0].id, m.runs[0].started,
                       m.row_count, m.row_count == 1 ? "row" : "rows",
                       m.runs[0].interrupted            ? "; it was interrupted, so rows may be missing"
                       : ridge_store_run_is_cut(m.runs) ? "; it is not finished, so rows may be missing"
                                                        : "");
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_set = {
    .name = "set",
    .summary = "give a run a name, to compare later runs with",
    .example = "ridge baseline set before-prefetch --run 12",
    .details = "A baseline of that name is replaced. The run stays in the history and cannot be deleted while it has a name.",
    .operands = RIDGE_OPERANDS(set_args, words, "NAME", 1, 1, "letters, digits, '-', '_', '.'"),
    .tables =
        {
            RIDGE_TABLE(set_options, offsetof(set_args, view), NULL),
            RIDGE_TABLE(ridge_options_store, offsetof(set_args, store), NULL),
        },
    .args_size = sizeof(set_args),
    .run = run_set,
};

/* ---- list ---- */

typedef struct list_args {
    ridge_output_args output;
    ridge_store_args store;
} list_args;

/* the run of each baseline, without its rows */
static ridge_status read_runs(ridge_store_run **out, ridge_store *store, const ridge_baseline *list, size_t count, ridge_arena *arena,
                              ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_arena_array(arena, count + 1, sizeof **out);
    if (!*out)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++) {
        ridge_store_filter filter = {.run = list[i].run, .runs_only = true};
        ridge_measurements m;
        st = ridge_store_query(&m, store, &filter, arena, err);
        if (!st && m.run_count > 0)
            (*out)[i] = m.runs[0];
    }
    return st;
}

static void list_json(ridge_buf *out, const ridge_baseline *list, const ridge_store_run *runs, size_t count)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_key(&w, "baselines");
    ridge_jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        ridge_jw_object_compact(&w);
        ridge_jw_key(&w, "name");
        ridge_jw_strz(&w, list[i].name);
        ridge_jw_key(&w, "set");
        ridge_jw_strz(&w, list[i].set);
        ridge_jw_key(&w, "run");
        ridge_jw_int(&w, list[i].run);
        ridge_jw_key(&w, "started");
        ridge_jw_strz(&w, runs[i].started);
        ridge_jw_key(&w, "machine");
        ridge_jw_strz(&w, runs[i].machine);
        ridge_jw_key(&w, "row_count");
        ridge_jw_int(&w, (ridge_int)runs[i].row_count);
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

static ridge_status list_table(ridge_io *io, const ridge_baseline *list, const ridge_store_run *runs, size_t count, ridge_output as,
                               ridge_err *err)
{
    static const ridge_column columns[] = {
        {"baseline", "name", false},   {"run", "run", true},        {"started (UTC)", "started", false},
        {"machine", "machine", false}, {"rows", "row_count", true},
    };
    ridge_table table;
    ridge_table_init(&table, &io->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const char **cells = ridge_table_row(&table);
        const char *run = ridge_arena_printf(&io->arena, "%lld", (long long)list[i].run);
        const char *rows = ridge_arena_printf(&io->arena, "%zu", runs[i].row_count);
        if (!cells || !run || !rows)
            return ridge_no_memory(err);
        cells[0] = list[i].name;
        cells[1] = run;
        cells[2] = runs[i].started;
        cells[3] = runs[i].machine;
        cells[4] = rows;
    }
    ridge_output_table(io, &table, as);
    return RIDGE_OK;
}

static ridge_status run_list(ridge_io *io, const void *values, ridge_err *err)
{
    const list_args *args = values;
    ridge_store *store = NULL;
    ridge_baseline *list = NULL;
    ridge_store_run *runs = NULL;
    size_t count = 0;
    ridge_status st = ridge_store_args_open(&store, &args->store, false, err);
    if (!st)
        st = ridge_store_baseline_list(&list, &count, store, &io->arena, err);
    if (!st)
        st = read_runs(&runs, store, list, count, &io->arena, err);
    if (!st && args->output.as == RIDGE_OUTPUT_JSON)
        list_json(&io->data, list, runs, count);
    else if (!st && args->output.as == RIDGE_OUTPUT_TEXT && count == 0)
        ridge_buf_addz(&io->data, "no baselines\n");
    else if (!st)
        st = list_table(io, list, runs, count, args->output.as, err);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_list = {
    .name = "list",
    .summary = "the baselines and their runs",
    .example = "ridge baseline list",
    .tables =
        {
            RIDGE_TABLE(ridge_options_output, offsetof(list_args, output), NULL),
            RIDGE_TABLE(ridge_options_store, offsetof(list_args, store), NULL),
        },
    .args_size = sizeof(list_args),
    .run = run_list,
};

/* ---- delete ---- */

typedef struct delete_args {
    ridge_words words;
    ridge_store_args store;
} delete_args;

static ridge_status run_delete(ridge_io *io, const void *values, ridge_err *err)
{
    const delete_args *args = values;
    ridge_store *store = NULL;
    ridge_status st = ridge_store_args_open(&store, &args->store, false, err);
    if (!st)
        st = ridge_store_baseline_delete(store, args->words.items[0], err);
    if (!st)
        ridge_buf_addf(&io->data, "%s: deleted; its run is still there\n", args->words.items[0]);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_delete = {
    .name = "delete",
    .summary = "forget a baseline's name; its run stays",
    .example = "ridge baseline delete before-prefetch",
    .operands = RIDGE_OPERANDS(delete_args, words, "NAME", 1, 1, "the baseline"),
    .tables =
        {
            RIDGE_TABLE(ridge_options_store, offsetof(delete_args, store), NULL),
        },
    .args_size = sizeof(delete_args),
    .run = run_delete,
};

/* ---- check ---- */

typedef struct check_view {
    const char *run;
    double tolerance;
    bool any_machine;
} check_view;

typedef struct check_args {
    ridge_words words;
    ridge_output_args output;
    ridge_store_args store;
    check_view view;
} check_args;

static const check_args check_defaults = {.view = {.tolerance = 0.03}};

static const ridge_option check_options[] = {
    RIDGE_STRING(check_view, run, "run", 'r', "RUN", "the run to check; default: the last finished one of this machine"),
    RIDGE_REAL(check_view, tolerance, "tolerance", 't', "SHARE", "how much slower is still the same: 0.03 (the default) is 3 %"),
    RIDGE_FLAG(check_view, any_machine, "any-machine", 0, "compare although the runs are of different machines"),
    RIDGE_OPTION_END,
};

static ridge_status check_comparable(const ridge_store_run *was, const ridge_store_run *is, bool any_machine, ridge_err *err)
{
    if (was->id == is->id)
        return ridge_fail(err, RIDGE_VALUE, "run %lld is the baseline itself: measure again, or choose another with --run",
                          (long long)is->id);
    if (!any_machine && strcmp(was->machine, is->machine) != 0)
        return ridge_fail(err, RIDGE_VALUE, "run %lld is of machine %s, the baseline of %s; --any-machine compares them all the same",
                          (long long)is->id, is->machine, was->machine);
    return RIDGE_OK;
}

/* CHECK: a row is slower, or what the run did not reach was not checked */
static ridge_status verdict(const ridge_comparison *c, ridge_err *err)
{
    size_t slower = c->verdicts[RIDGE_VERDICT_SLOWER], unreached = c->verdicts[RIDGE_VERDICT_UNREACHED];
    if (slower > 0)
        return ridge_fail(err, RIDGE_CHECK, "%zu %s slower than the baseline '%s'", slower, slower == 1 ? "row is" : "rows are",
                          c->baseline);
    if (unreached > 0)
        return ridge_fail(err, RIDGE_CHECK, "run %lld did not come to its end: %zu %s of the baseline '%s' not checked", (long long)c->is,
                          unreached, unreached == 1 ? "row" : "rows", c->baseline);
    return RIDGE_OK;
}

static ridge_status check(ridge_io *io, ridge_store *store, const check_args *args, ridge_err *err)
{
    ridge_comparison c = {.baseline = args->words.items[0]};
    ridge_measurements was, is;
    int64_t baseline;
    ridge_status st = ridge_store_baseline_find(&baseline, store, c.baseline, err);
    if (st || (st = ridge_store_run_read(&was, store, baseline, &io->arena, err)) ||
        (st = choose_run(&is, io, store, args->view.run, err)) || (st = check_comparable(was.runs, is.runs, args->view.any_machine, err)) ||
        (st = ridge_baseline_compare(&c, &was, &is, args->view.tolerance, &io->arena, err)))
        return st;
    ridge_output as = args->output.as;
    if (as == RIDGE_OUTPUT_JSON)
        ridge_baseline_json(&io->data, &c);
    else
        st = ridge_baseline_table(&io->data, &c, ridge_output_style(as), ridge_io_width(io), &io->arena, err);
    return !st ? verdict(&c, err) : st;
}

static ridge_status run_check(ridge_io *io, const void *values, ridge_err *err)
{
    const check_args *args = values;
    ridge_store *store = NULL;
    ridge_status st = ridge_store_args_open(&store, &args->store, false, err);
    if (!st)
        st = check(io, store, args, err);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_check = {
    .name = "check",
    .summary = "is a run slower than a baseline? exits with 3 where it is",
    .example = "ridge baseline check before-prefetch",
    .details = "Rows match in kernel, variant, provider, shape, format, activations, threads and cache. A row is slower where its 95 % "
               "interval lies wholly above the baseline's and its median is more than the tolerance above; rows that only one of the runs "
               "has are listed and are no failure, unless the run was interrupted before them: what was not checked has not passed.",
    .operands = RIDGE_OPERANDS(check_args, words, "NAME", 1, 1, "the baseline"),
    .tables =
        {
            RIDGE_TABLE(check_options, offsetof(check_args, view), NULL),
            RIDGE_TABLE(ridge_options_output, offsetof(check_args, output), NULL),
            RIDGE_TABLE(ridge_options_store, offsetof(check_args, store), NULL),
        },
    .args_size = sizeof(check_args),
    .defaults = &check_defaults,
    .run = run_check,
};

/* ---- the group ---- */

static const ridge_command *const commands[] = {&cmd_set, &cmd_list, &cmd_check, &cmd_delete, NULL};

const ridge_command ridge_cmd_baseline = {
    .name = "baseline",
    .group = "Measuring",
    .summary = "name a run, and check later ones for regressions",
    .example = "ridge baseline check before-prefetch",
    .commands = commands,
};
