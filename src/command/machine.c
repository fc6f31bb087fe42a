/* ridge machine: what machines can do: list, show, compare, check, add; detect has a file of its own. */
#include "command/machine.h"

#include "machine/check.h"
#include "machine/folder.h"

/* ---- list ---- */

typedef struct machine_list_request {
    ridge_machine_list_request list;
    ridge_machines_options machines;
} machine_list_request;

static ridge_status run_list(ridge_call *call, const void *values, ridge_err *err)
{
    const machine_list_request *r = values;
    ridge_machines *machines;
    ridge_machine_list_answer answer;
    ridge_status st;
    if ((st = ridge_call_machines(&machines, call, &r->machines, err)) ||
        (st = ridge_machine_list_make(&answer, machines, &r->list, &call->arena, err)))
        return st;
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_machine_list_record, &answer);
    st = ridge_call_table(call, &ridge_machine_row_record, answer.rows, answer.count, err);
    if (call->form != RIDGE_FORM_CSV)
        ridge_buf_addz(&call->data, "\nbf16, fp8: dense peaks in TFLOP/s; -: not known; *: not verified at its source\n");
    return st;
}

static const ridge_command cmd_list = {
    .name = "list",
    .summary = "every machine with its peaks, memory and power",
    .example = "ridge machine list --kind gpu",
    .details = "CSV and JSON have every number in its base unit.",
    .tables = {{RIDGE_TABLE(ridge_options_machine_list, offsetof(machine_list_request, list), NULL)},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)},
               {RIDGE_TABLE(ridge_options_machines, offsetof(machine_list_request, machines), "Machines")}},
    .request_size = sizeof(machine_list_request),
    .run = run_list,
    .records = {&ridge_machine_list_record},
};

/* ---- show ---- */

typedef struct machine_names_request {
    const char *name;  /* of show */
    ridge_words names; /* of compare and check */
    ridge_machines_options machines;
} machine_names_request;

static ridge_status print_machine(ridge_call *call, const ridge_machine *machine, ridge_err *err)
{
    ridge_machine_show_answer answer;
    ridge_status st = ridge_machine_show_make(&answer, machine, &call->arena, err);
    if (st)
        return st;
    if (call->form == RIDGE_FORM_TEXT)
        ridge_machine_show_head(&call->data, &answer, &call->arena);
    st = ridge_call_table(call, &ridge_machine_number_record, answer.numbers, answer.number_count, err);
    if (call->form == RIDGE_FORM_TEXT)
        ridge_machine_show_rest(&call->data, &answer, (size_t)call->line, &call->arena);
    else if (call->form == RIDGE_FORM_MARKDOWN && machine->unverified_count > 0)
        ridge_buf_addz(&call->data, "\n*: not verified at its source\n");
    return st;
}

static ridge_status run_show(ridge_call *call, const void *values, ridge_err *err)
{
    const machine_names_request *r = values;
    ridge_machines *machines;
    const ridge_machine *machine;
    ridge_status st;
    if ((st = ridge_call_machines(&machines, call, &r->machines, err)) || (st = ridge_machines_find(&machine, machines, r->name, err)))
        return st;
    if (call->form != RIDGE_FORM_JSON)
        return print_machine(call, machine, err);
    return ridge_call_answer(call, &ridge_machine_record, machine);
}

/* of show, compare and check */
#define NAMES_TABLES(output)                                                                                                               \
    {                                                                                                                                      \
        {RIDGE_TABLE_OF_CALL(output, NULL)}, {RIDGE_TABLE(ridge_options_machines, offsetof(machine_names_request, machines), "Machines")}, \
    }

static const ridge_command cmd_show = {
    .name = "show",
    .summary = "one machine: every number with its source, what is not known",
    .example = "ridge machine show h100-sxm-80",
    .operands = RIDGE_OPERAND(machine_names_request, name, "ID|FILE", 1, "a machine of 'ridge machine list', or a machine's file",
                              .reach = RIDGE_REACH_MACHINE),
    .tables = NAMES_TABLES(ridge_options_output),
    .request_size = sizeof(machine_names_request),
    .run = run_show,
    .records = {&ridge_machine_record},
};

/* ---- compare ---- */

static ridge_status run_compare(ridge_call *call, const void *values, ridge_err *err)
{
    const machine_names_request *r = values;
    ridge_machines *machines;
    ridge_machine_compare_answer answer;
    const ridge_machine **chosen = ridge_arena_array(&call->arena, r->names.count, sizeof(const ridge_machine *));
    ridge_status st = chosen ? ridge_call_machines(&machines, call, &r->machines, err) : ridge_no_memory(err);
    for (size_t i = 0; i < r->names.count && !st; i++)
        st = ridge_machines_find(&chosen[i], machines, r->names.items[i], err);
    if (st || (st = ridge_machine_compare_make(&answer, chosen, r->names.count, &call->arena, err)))
        return st;
    return ridge_call_rows(call, &ridge_machine_compare_record, &answer, &answer.table, answer.numbers, answer.row_count, err);
}

static const ridge_command cmd_compare = {
    .name = "compare",
    .summary = "machines side by side, with ratios to the first",
    .example = "ridge machine compare a100-sxm-80 h100-sxm-80 b200-sxm",
    .operands = RIDGE_OPERANDS(machine_names_request, names, "ID|FILE...", 2, 0,
                               "the machines; the first is what the others are compared with", .reach = RIDGE_REACH_MACHINE),
    .tables = NAMES_TABLES(ridge_options_output),
    .request_size = sizeof(machine_names_request),
    .run = run_compare,
    .records = {&ridge_machine_compare_record},
};

/* ---- check ---- */

static ridge_status run_check(ridge_call *call, const void *values, ridge_err *err)
{
    const machine_names_request *r = values;
    ridge_machines *machines;
    ridge_machine_check_answer answer;
    ridge_status st;
    if ((st = ridge_call_machines(&machines, call, &r->machines, err)) ||
        (st = ridge_machine_check_make(&answer, machines, &r->names, &call->arena, err)))
        return st;
    if (call->form == RIDGE_FORM_JSON)
        ridge_record_answer(&call->data, &ridge_machine_check_record, &answer);
    else
        ridge_machine_check_text(&call->data, &answer, (size_t)call->line);
    if (answer.wrong == 0)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_CHECK, "%zu of %zu %s wrong", answer.wrong, answer.count,
                      answer.count == 1 ? "machine is" : "machines are");
}

static const ridge_command cmd_check = {
    .name = "check",
    .summary = "what is wrong with machines or their files",
    .example = "ridge machine check my-machine.json",
    .details =
        "Looks at JSON, keys, inheritance, units, sources, and at rates that cannot be: a ridge point outside 1 to 10000, a sparse rate "
        "beside a dense one. Lists what is not known. Without operands: every machine. Exits with 3 where something is wrong.",
    .operands =
        RIDGE_OPERANDS(machine_names_request, names, "[ID|FILE...]", 0, 0, "machines, or machines' files", .reach = RIDGE_REACH_MACHINE),
    .tables = NAMES_TABLES(ridge_options_json),
    .request_size = sizeof(machine_names_request),
    .run = run_check,
    .records = {&ridge_machine_check_record},
};

/* ---- add ---- */

static ridge_status run_add(ridge_call *call, const void *values, ridge_err *err)
{
    static const ridge_machines_options none = {0};
    ridge_machines *machines;
    ridge_machine_add_answer answer = {0};
    ridge_status st = ridge_call_machines(&machines, call, &none, err);
    if (!st)
        st = ridge_machine_add(&answer, machines, values, &call->arena, err);
    ridge_call_warn_all(call, &answer.findings);
    if (!st && call->form == RIDGE_FORM_JSON)
        ridge_record_answer(&call->data, &ridge_machine_add_record, &answer);
    else if (!st)
        ridge_buf_addf(&call->data, "%s: %s%s\n", answer.id, answer.file, answer.overrides ? " (over the built-in machine)" : "");
    return st;
}

static const ridge_command cmd_add = {
    .name = "add",
    .summary = "put a machine's file among your own",
    .example = "ridge machine add my-machine.json",
    .details = "The file is read first; what cannot be read is not added, what is implausible is warned of. It goes into "
               "$XDG_DATA_HOME/ridge/machines and adds to or overrides the built-in machines from then on.",
    .operands = RIDGE_OPERAND(ridge_machine_add_request, path, "FILE", 1, "a machine's file, named <id>.json", .reach = RIDGE_REACH_FILE),
    .tables = {{RIDGE_TABLE(ridge_options_machine_add, 0, NULL)}, {RIDGE_TABLE_OF_CALL(ridge_options_json, NULL)}},
    .request_size = sizeof(ridge_machine_add_request),
    .effect = RIDGE_EFFECT_KEEPS,
    .run = run_add,
    .records = {&ridge_machine_add_record},
};

/* ---- the group ---- */

static const ridge_command *const commands[] = {
    &cmd_list,
    &cmd_show,
    &cmd_compare,
    &cmd_check,
    &cmd_add,
    &ridge_cmd_machine_detect,
    &ridge_cmd_machine_calibrate,
    &ridge_cmd_machine_live,
    NULL,
};

const ridge_command ridge_cmd_machine = {
    .name = "machine",
    .group = "Machines",
    .summary = "what machines can do: list, show, compare, check and add them",
    .example = "ridge machine show h100-sxm-80",
    .commands = commands,
};
