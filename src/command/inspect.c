/* ridge inspect: the module tree of a model, as named_modules() lists it. */
#include "model/inspect.h"

#include "command/model.h"
#include "report/text.h"

typedef struct request {
    ridge_inspect_request inspect;
    ridge_learn_options learn;
    ridge_catalog_options catalog;
} request;

/* of the workload, what a tree has */
static const char *const of_workload[] = {"weights", NULL};

static ridge_status print(ridge_call *call, const request *r, const ridge_inspect_answer *answer, ridge_err *err)
{
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_inspect_record, answer);
    if (call->form == RIDGE_FORM_TEXT) {
        const size_t from = call->data.n;
        ridge_status st = ridge_inspect_text(&call->data, answer, &r->inspect, err);
        ridge_text_fold(&call->data, from, (size_t)call->width);
        return st;
    }
    return ridge_call_table(call, &ridge_inspect_row_record, answer->rows, answer->row_count, err);
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const request *r = values;
    ridge_registry *registry;
    ridge_inspect_answer answer;
    ridge_status st = ridge_call_registry(&registry, call, &r->catalog, err);
    if (st || (st = ridge_call_learn(call, registry, &r->learn, &r->inspect.model, err)))
        return st;
    if (!(st = ridge_inspect_answer_make(&answer, registry, &r->inspect, err))) {
        ridge_call_warn_model(call, answer.analysis);
        st = print(call, r, &answer, err);
        call->data.failed |= answer.analysis->arena.failed;
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
        "json") " list every module in the order of PyTorch's named_modules().",
    .operands = RIDGE_OPERAND(request, inspect.model.model, "MODEL", 1, "a folder, a config.json, or an id such as openai-community/gpt2"),
    .tables = {{RIDGE_TABLE(ridge_options_inspect, offsetof(request, inspect), "View")},
               {.options = ridge_options_workload, .offset = offsetof(request, inspect.model), .title = "Model", .only = of_workload},
               {RIDGE_TABLE(ridge_options_class, offsetof(request, inspect.model), "Model")},
               {RIDGE_TABLE(ridge_options_learn, offsetof(request, learn), "Source")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},
               {RIDGE_TABLE(ridge_options_catalog, offsetof(request, catalog), "Catalog")}},
    .request_size = sizeof(request),
    .run = run,
    .records = {&ridge_inspect_record},
};
