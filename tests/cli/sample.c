/* sample.c - the command-line framework with commands that use all of it: every kind of option, a shared table, sub-commands, failures. */
#include "command/command.h"

/* ---- values: says what it was given ---- */
typedef struct shared_request {
    int64_t batch, level;
    const ridge_format *weights;
} shared_request;
typedef struct values_request {
    ridge_words operands, tags;
    shared_request shared;
    bool all;
    int phase, attention;
    const char *on;
} values_request;

static const char *const phases[] = {"prefill", "decode", "train", NULL};
static const char *const attentions[] = {"full", "causal", NULL};

static const ridge_option shared_options[] = {
    RIDGE_INT(shared_request, batch, "batch", 'b', "N", 1, INT64_MAX, "sequences at once", .fallback = "1"),
    RIDGE_INT(shared_request, level, "level", 0, "N", -2, 9, "how far", .fallback = "0"),
    RIDGE_FORMAT(shared_request, weights, "weights", 0, "number format of the weights (default: the config's)"),
    RIDGE_OPTION_END,
};
static const ridge_option values_options[] = {
    RIDGE_FLAG(values_request, all, "all", 'a', "every row"),
    RIDGE_CHOICE(values_request, attention, "attention", 0, attentions, "what a token sees"),
    RIDGE_CHOICE(values_request, phase, "phase", 0, phases, "what is run"),
    RIDGE_STRING(values_request, on, "on", 0, "MACHINE",
                 "a machine, known by its id or described in a file of the format that the manual has"),
    RIDGE_LIST(values_request, tags, "tag", 0, "TEXT", "a tag; may be repeated"),
    RIDGE_OPTION_END,
};

static void add_words(ridge_buf *out, const char *name, const ridge_words *words)
{
    ridge_buf_addf(out, "%s", name);
    for (size_t i = 0; i < words->count; i++)
        ridge_buf_addf(out, " [%s]", words->items[i]);
    ridge_buf_addc(out, '\n');
}

static ridge_status run_values(ridge_call *call, const void *values, ridge_err *err)
{
    (void)err;
    const values_request *args = values;
    add_words(&call->data, "operands", &args->operands);
    add_words(&call->data, "tags", &args->tags);
    ridge_buf_addf(&call->data, "batch %lld level %lld weights %s\n", (long long)args->shared.batch, (long long)args->shared.level,
                   args->shared.weights ? args->shared.weights->name : "-");
    ridge_buf_addf(&call->data, "all %d attention %d phase %d on %s as %d\n", args->all, args->attention, args->phase,
                   args->on ? args->on : "-", (int)call->form);
    return RIDGE_OK;
}

static const char *const values_defaults[] = {"phase=decode", NULL};
static const ridge_command values_command = {
    .name = "values",
    .group = "Samples",
    .summary = "says what it was given",
    .example = "ridge values model --batch 2k",
    .details =
        "First paragraph, which is long enough to be wrapped on a terminal of usual width, as this one is.\n.Second paragraph \\ end.",
    .operands = RIDGE_OPERANDS(values_request, operands, "MODEL [ARGUMENT...]", 1, 4, "a model, and what else there is"),
    .tables = {{RIDGE_TABLE(values_options, 0, NULL)},
               {RIDGE_TABLE(shared_options, offsetof(values_request, shared), "Workload")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)}},
    .request_size = sizeof(values_request),
    .defaults = values_defaults,
    .run = run_values,
};

/* ---- failures ---- */
static ridge_status run_bad(ridge_call *call, const void *values, ridge_err *err)
{
    static const char text[] = "{\n  \"a\": 2*rowz,\n}";
    (void)values;
    ridge_call_warn(call, "%s is odd", "this");
    ridge_buf_addz(&call->data, "half an answer\n");
    ridge_status status = ridge_fail_at(err, RIDGE_NAME, "cat.json", 2, 10, "undefined name 'rowz'");
    ridge_err_excerpt(err, text, sizeof text - 1, 11, 4);
    return status;
}

static ridge_status run_check(ridge_call *call, const void *values, ridge_err *err)
{
    (void)values;
    ridge_buf_addz(&call->data, "what was found\n");
    return ridge_fail(err, RIDGE_CHECK, "1 of 2 checks failed");
}

static ridge_status run_usage(ridge_call *call, const void *values, ridge_err *err)
{
    (void)values;
    (void)call;
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("past") " goes with " RIDGE_OPT("phase") " decode");
}

static ridge_status run_silent(ridge_call *call, const void *values, ridge_err *err)
{
    (void)values;
    (void)call;
    (void)err;
    return RIDGE_LIMIT;
}

static const ridge_command bad = {.name = "bad", .summary = "bad data", .example = "ridge fail bad", .run = run_bad};
static const ridge_command check = {.name = "check", .summary = "a check that fails", .example = "ridge fail check", .run = run_check};
static const ridge_command usage = {.name = "usage", .summary = "wrong use", .example = "ridge fail usage", .run = run_usage};
static const ridge_command silent = {.name = "silent", .summary = "forgets to say why", .example = "ridge fail silent", .run = run_silent};
static const ridge_command *const failures[] = {&bad, &check, &usage, &silent, NULL};
static const ridge_command fail_command = {
    .name = "fail",
    .group = "Samples",
    .summary = "several ways to fail",
    .example = "ridge fail bad",
    .commands = failures,
};

const ridge_command *const ridge_commands[] = {&values_command, &ridge_cmd_help, &fail_command, NULL};
