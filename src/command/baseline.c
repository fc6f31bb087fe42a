/* ridge baseline: names for runs, and whether a later run is slower. */
#include "bench/baseline.h"

#include "command/command.h"
#include "command/store.h"

/* ---- which run ---- */

/* says so where a newer run of the machine than the chosen one did not come to its end */
static ridge_status tell_newer(ridge_call *call, ridge_store *store, const char *machine, const ridge_store_run *chosen, ridge_err *err)
{
    const ridge_store_filter newest = {.last = 1, .machine = machine, .runs_only = true};
    ridge_measurements m;
    ridge_status st = ridge_store_query(&m, store, &newest, &call->arena, err);
    if (!st && m.run_count > 0 && m.runs[0].id != chosen->id && ridge_store_run_is_cut(&m.runs[0]))
        ridge_call_warn(call, "run %lld is newer but %s: taking run %lld", (long long)m.runs[0].id,
                        m.runs[0].interrupted ? "was interrupted" : "is not finished", (long long)chosen->id);
    return st;
}

/* `word`, or the last finished run of this machine; one that was interrupted is none */
static ridge_status choose_run(ridge_measurements *m, ridge_call *call, ridge_store *store, const char *word, ridge_err *err)
{
    ridge_store_filter filter = {.last = 1, .finished = true};
    ridge_status st;
    int64_t run;
    if (word) {
        st = ridge_run_parse(&run, word, err);
        return !st ? ridge_store_run_read(m, store, run, &call->arena, err) : st;
    }
    if ((st = ridge_store_this_machine(&filter.machine, &call->arena, err)) ||
        (st = ridge_store_query(m, store, &filter, &call->arena, err)))
        return st;
    if (m->run_count == 0)
        return ridge_fail(err, RIDGE_NAME, "no finished run of this machine, %s; choose one with " RIDGE_OPT("run"), filter.machine);
    return tell_newer(call, store, filter.machine, m->runs, err);
}

/* ---- set ---- */

typedef struct baseline_set_request {
    const char *name, *run;
    ridge_store_options store;
} baseline_set_request;

static const ridge_option set_options[] = {
    RIDGE_STRING(baseline_set_request, run, "run", 'r', "RUN", "the run's number; default: the last finished one of this machine"),
    RIDGE_OPTION_END,
};

static ridge_status set(ridge_call *call, ridge_store *store, const baseline_set_request *r, ridge_err *err)
{
    ridge_measurements m;
    ridge_status st = choose_run(&m, call, store, r->run, err);
    if (st)
        return st;
    const ridge_store_run *run = m.runs;
    if (m.row_count == 0)
        return ridge_fail(err, RIDGE_VALUE, "run %lld has no rows", (long long)run->id);
    if ((st = ridge_store_baseline_set(store, r->name, run->id, err)))
        return st;
    ridge_buf_addf(&call->data, "%s: run %lld of %s, %zu %s%s\n", r->name, (long long)run->id, run->started, m.row_count,
                   m.row_count == 1 ? "row" : "rows",
                   run->interrupted              ? "; it was interrupted, so rows may be missing"
                   : ridge_store_run_is_cut(run) ? "; it is not finished, so rows may be missing"
                                                 : "");
    return RIDGE_OK;
}

static ridge_status run_set(ridge_call *call, const void *values, ridge_err *err)
{
    const baseline_set_request *r = values;
    ridge_store *store;
    ridge_status st = ridge_store_options_open(&store, &r->store, false, err);
    if (!st)
        st = set(call, store, r, err);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_set = {
    .name = "set",
    .summary = "give a run a name, to compare later runs with",
    .example = "ridge baseline set before-prefetch --run 12",
    .details = "A baseline of that name is replaced. The run stays in the history and cannot be deleted while it has a name.",
    .operands = RIDGE_OPERAND(baseline_set_request, name, "NAME", 1, "letters, digits, '-', '_', '.'"),
    .tables = {{RIDGE_TABLE(set_options, 0, NULL)}, RIDGE_TABLE_STORE_READ(baseline_set_request, store)},
    .request_size = sizeof(baseline_set_request),
    .effect = RIDGE_EFFECT_KEEPS,
    .run = run_set,
};

/* ---- list ---- */

typedef struct named_run {
    ridge_baseline baseline;
    ridge_store_run run;
} named_run;

typedef struct baselines_answer {
    named_run *rows;
    size_t count;
} baselines_answer;

static const ridge_record_field named_fields[] = {
    RIDGE_R_TEXT(named_run, baseline.name, "name", "baseline", RIDGE_IN_ALL, "its name"),
    RIDGE_R_TEXT(named_run, baseline.set, "set", NULL, RIDGE_IN_JSON, "when it was given"),
    RIDGE_R_WHOLE(named_run, baseline.run, "run", NULL, RIDGE_IN_ALL, "the run that it names"),
    RIDGE_R_TEXT(named_run, run.started, "started", "started (UTC)", RIDGE_IN_ALL, "when that was measured"),
    RIDGE_R_TEXT(named_run, run.machine, "machine", NULL, RIDGE_IN_ALL, "fingerprint of the machine"),
    RIDGE_R_SIZE(named_run, run.row_count, "row_count", "rows", RIDGE_IN_ALL, "its rows"),
};
static const ridge_record named_record = RIDGE_RECORD(named_run, "baseline", named_fields, "a run with a name");

static const ridge_record_field list_fields[] = {
    RIDGE_R_LIST(baselines_answer, rows, count, &named_record, "baselines", RIDGE_IN_JSON, "the baselines by name"),
};
static const ridge_record list_record = RIDGE_RECORD(baselines_answer, "ridge baseline list", list_fields, "runs with names");

/* each with its run, without its rows */
static ridge_status read_list(baselines_answer *out, ridge_store *store, ridge_arena *arena, ridge_err *err)
{
    ridge_baseline *list = NULL;
    ridge_status st = ridge_store_baseline_list(&list, &out->count, store, arena, err);
    if (!st && !(out->rows = ridge_arena_array(arena, out->count + 1, sizeof *out->rows)))
        st = ridge_no_memory(err);
    for (size_t i = 0; !st && i < out->count; i++) {
        const ridge_store_filter filter = {.run = list[i].run, .runs_only = true};
        ridge_measurements m;
        st = ridge_store_query(&m, store, &filter, arena, err);
        out->rows[i] = (named_run){.baseline = list[i]};
        if (!st && m.run_count > 0)
            out->rows[i].run = m.runs[0];
    }
    return st;
}

static ridge_status print_list(ridge_call *call, const baselines_answer *a, ridge_err *err)
{
    if (call->form == RIDGE_FORM_JSON)
        ridge_record_answer(&call->data, &list_record, a);
    else if (call->form == RIDGE_FORM_TEXT && a->count == 0)
        ridge_buf_addz(&call->data, "no baselines\n");
    else
        return ridge_call_table(call, &named_record, a->rows, a->count, err);
    return RIDGE_OK;
}

static ridge_status run_list(ridge_call *call, const void *values, ridge_err *err)
{
    const ridge_store_options *r = values;
    baselines_answer answer = {0};
    ridge_store *store;
    ridge_status st = ridge_store_options_open(&store, r, false, err);
    if (!st && !(st = read_list(&answer, store, &call->arena, err)))
        st = print_list(call, &answer, err);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_list = {
    .name = "list",
    .summary = "the baselines and their runs",
    .example = "ridge baseline list",
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)}, {.options = ridge_options_store, .only = ridge_store_reading}},
    .request_size = sizeof(ridge_store_options),
    .run = run_list,
    .records = {&list_record},
};

/* ---- delete ---- */

typedef struct baseline_delete_request {
    const char *name;
    ridge_store_options store;
} baseline_delete_request;

static ridge_status run_delete(ridge_call *call, const void *values, ridge_err *err)
{
    const baseline_delete_request *r = values;
    ridge_store *store;
    ridge_status st = ridge_store_options_open(&store, &r->store, false, err);
    if (!st && !(st = ridge_store_baseline_delete(store, r->name, err)))
        ridge_buf_addf(&call->data, "%s: deleted; its run is still there\n", r->name);
    ridge_store_close(store);
    return st;
}

static const ridge_command cmd_delete = {
    .name = "delete",
    .summary = "forget a baseline's name; its run stays",
    .example = "ridge baseline delete before-prefetch",
    .operands = RIDGE_OPERAND(baseline_delete_request, name, "NAME", 1, "the baseline"),
    .tables = {RIDGE_TABLE_STORE_READ(baseline_delete_request, store)},
    .request_size = sizeof(baseline_delete_request),
    .effect = RIDGE_EFFECT_KEEPS,
    .run = run_delete,
};

/* ---- check ---- */

typedef struct baseline_check_request {
    const char *name, *run;
    double tolerance;
    bool any_machine;
    ridge_store_options store;
} baseline_check_request;

static const ridge_option check_options[] = {
    RIDGE_STRING(baseline_check_request, run, "run", 'r', "RUN", "the run to check; default: the last finished one of this machine"),
    RIDGE_REAL(baseline_check_request, tolerance, "tolerance", 't', "SHARE", "how much slower is still the same: 0.03 is 3 %",
               .fallback = "0.03"),
    RIDGE_FLAG(baseline_check_request, any_machine, "any-machine", 0, "compare although the runs are of different machines"),
    RIDGE_OPTION_END,
};

static ridge_status check_comparable(const ridge_store_run *was, const ridge_store_run *is, bool any_machine, ridge_err *err)
{
    if (was->id == is->id)
        return ridge_fail(err, RIDGE_VALUE, "run %lld is the baseline itself: measure again, or choose another with " RIDGE_OPT("run"),
                          (long long)is->id);
    if (!any_machine && strcmp(was->machine, is->machine) != 0)
        return ridge_fail(err, RIDGE_VALUE,
                          "run %lld is of machine %s, the baseline of %s; " RIDGE_OPT("any-machine") " compares them all the same",
                          (long long)is->id, is->machine, was->machine);
    return RIDGE_OK;
}

static ridge_status print_check(ridge_call *call, const ridge_comparison *c, ridge_err *err)
{
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_comparison_record, c);
    ridge_status st = ridge_call_table(call, &ridge_compared_record, c->rows, c->count, err);
    if (call->form != RIDGE_FORM_CSV)
        ridge_comparison_summary(&call->data, c);
    return st;
}

static ridge_status check(ridge_call *call, ridge_store *store, const baseline_check_request *r, ridge_err *err)
{
    ridge_measurements was, is;
    ridge_comparison c;
    int64_t baseline;
    ridge_status st = ridge_store_baseline_find(&baseline, store, r->name, err);
    if (st || (st = ridge_store_run_read(&was, store, baseline, &call->arena, err)) || (st = choose_run(&is, call, store, r->run, err)) ||
        (st = check_comparable(was.runs, is.runs, r->any_machine, err)) ||
        (st = ridge_comparison_make(&c, r->name, &was, &is, r->tolerance, &call->arena, err)) || (st = print_check(call, &c, err)))
        return st;
    return ridge_comparison_verdict(&c, err);
}

static ridge_status run_check(ridge_call *call, const void *values, ridge_err *err)
{
    const baseline_check_request *r = values;
    ridge_store *store;
    ridge_status st = ridge_store_options_open(&store, &r->store, false, err);
    if (!st)
        st = check(call, store, r, err);
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
    .operands = RIDGE_OPERAND(baseline_check_request, name, "NAME", 1, "the baseline"),
    .tables = {{RIDGE_TABLE(check_options, 0, NULL)},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)},
               RIDGE_TABLE_STORE_READ(baseline_check_request, store)},
    .request_size = sizeof(baseline_check_request),
    .run = run_check,
    .records = {&ridge_comparison_record},
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
