/* ridge inspect: the module tree of a model, as named_modules() lists it. */
#include "model/inspect.h"

#include "command/embedded.h"
#include "command/model.h"
#include "report/text.h"

typedef struct request {
    ridge_inspect_request inspect;
    ridge_learn_options learn;
    ridge_catalog_options catalog;
    bool inventory_script;
} request;

static const ridge_option script_options[] = {
    RIDGE_FLAG(request, inventory_script, "inventory-script", 0,
               "print the Python script that makes an inventory of any torch.nn.Module, which is a MODEL then"),
    RIDGE_OPTION_END,
};

/* of the workload, what a tree has */
static const char *const of_workload[] = {"weights", NULL};

static ridge_status print(ridge_call *call, const request *r, ridge_inspect_answer *answer, ridge_err *err)
{
    const ridge_verify *v = answer->verify;
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_inspect_record, answer);
    if (call->form != RIDGE_FORM_TEXT && v)
        return ridge_call_table(call, &ridge_verify_row_record, v->folded.items, v->folded.count, err);
    if (call->form != RIDGE_FORM_TEXT)
        return ridge_call_table(call, &ridge_inspect_row_record, answer->rows, answer->row_count, err);
    if (v)
        return ridge_verify_text(&call->data, v, r->inspect.model.model, call->width, err);
    const size_t from = call->data.n;
    ridge_status st = ridge_inspect_text(&call->data, answer, &r->inspect, err);
    ridge_text_fold(&call->data, from, (size_t)call->width);
    return st;
}

static void warn(ridge_call *call, const ridge_inspect_answer *answer)
{
    if (answer->analysis)
        ridge_call_warn_model(call, answer->analysis);
    else
        ridge_call_warn_all(call, &answer->warnings);
}

static ridge_status check(const ridge_inspect_answer *answer, ridge_err *err)
{
    const ridge_verify *v = answer->verify;
    if (!v || !v->unexplained)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_CHECK, "model and files differ: %zu missing, %zu extra, %zu of another shape",
                      v->of[RIDGE_VERIFY_MISSING].count, v->of[RIDGE_VERIFY_EXTRA].count, v->of[RIDGE_VERIFY_RESHAPED].count);
}

/* the script of tools/, byte by byte */
static ridge_status print_script(ridge_call *call, const request *r, ridge_err *err)
{
    if (r->inspect.model.model)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("inventory-script") " prints a script and takes no MODEL");
    if (call->form != RIDGE_FORM_TEXT)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("inventory-script") " prints a script: no other form");
    for (unsigned i = 0; i < ridge_embedded_scripts_count; i++)
        if (strcmp(ridge_embedded_scripts[i].name, "ridge_inventory") == 0)
            ridge_buf_add(&call->data, (ridge_str){ridge_embedded_scripts[i].text, ridge_embedded_scripts[i].length});
    return RIDGE_OK;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const request *r = values;
    if (r->inventory_script)
        return print_script(call, r, err);
    if (!r->inspect.model.model)
        return ridge_fail(err, RIDGE_USAGE, "missing argument: MODEL");
    ridge_registry *registry;
    ridge_inspect_answer answer;
    ridge_status st = ridge_call_registry(&registry, call, &r->catalog, err);
    if (st || (st = ridge_call_learn(call, registry, &r->learn, &r->inspect.model, err)))
        return st;
    if (!(st = ridge_inspect_answer_make(&answer, registry, &r->inspect, err))) {
        warn(call, &answer);
        st = print(call, r, &answer, err);
        call->data.failed |= answer.arena.failed || (answer.analysis && answer.analysis->arena.failed);
        st = st ? st : check(&answer, err);
    }
    ridge_inspect_answer_free(&answer);
    return st;
}

const ridge_command ridge_cmd_inspect = {
    .name = "inspect",
    .group = "Models",
    .summary = "the module tree: paths, classes, shapes, parameters, ties",
    .example = "ridge inspect openai-community/gpt2 --depth 3",
    .details = "Equal layers are folded into one line; " RIDGE_OPT("all") " and " RIDGE_OPT(
        "json") " list every module in the order of PyTorch's named_modules(). Of weight files without a config (safetensors, checkpoints "
                "of PyTorch) it lists what they hold; of an inventory, the module that it was made of.",
    .operands = RIDGE_OPERAND_MODEL(request, inspect.model, "MODEL", 0,
                                    "a folder, a config.json, a weight file, an inventory, or an id such as openai-community/gpt2"),
    .tables = {{RIDGE_TABLE(ridge_options_inspect, offsetof(request, inspect), "View")},
               {.options = ridge_options_workload, .offset = offsetof(request, inspect.model), .title = "Model", .only = of_workload},
               {RIDGE_TABLE(ridge_options_class, offsetof(request, inspect.model), "Model")},
               {RIDGE_TABLE(ridge_options_learn, offsetof(request, learn), "Source")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},
               {RIDGE_TABLE(script_options, 0, "Output")},
               {RIDGE_TABLE(ridge_options_catalog, offsetof(request, catalog), "Catalog")}},
    .request_size = sizeof(request),
    .run = run,
    .records = {&ridge_inspect_record},
};
