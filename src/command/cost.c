/* ridge cost: parameters, FLOPs and memory traffic of a model, module by module. */
#include "model/cost.h"

#include "command/model.h"
#include "entries/explain.h"
#include "model/forms.h"
#include "report/text.h"

typedef struct request {
    ridge_cost_request cost;
    ridge_learn_options learn;
    ridge_catalog_options catalog;
    bool symbolic;
    const char *explain;
} request;

static const ridge_option view_options[] = {
    RIDGE_FLAG(ridge_call, exact, "exact", 0, "every digit in the table", .needs = "!symbolic|explain !json|csv"),
    RIDGE_OPTION_END,
};
static const ridge_option options[] = {
    RIDGE_FLAG(request, symbolic, "symbolic", 0, "the closed form in B and S (in B and past for decode); what is given stays a number"),
    RIDGE_STRING(request, explain, "explain", 0, "PATH", "one module: formula, values put in, result, where the template stands"),
    RIDGE_OPTION_END,
};

static ridge_status write_forms(ridge_call *call, const request *r, ridge_registry *registry, ridge_err *err)
{
    ridge_forms_answer answer;
    ridge_status st = ridge_forms_answer_make(&answer, registry, &r->cost.model, err);
    if (!st) {
        ridge_call_warn_model(call, answer.analysis);
        if (call->form == RIDGE_FORM_JSON)
            ridge_record_answer(&call->data, &ridge_forms_record, &answer);
        else
            ridge_forms_text(&call->data, &answer);
    }
    ridge_forms_answer_free(&answer);
    return st;
}

static ridge_status write_explanation(ridge_call *call, const request *r, ridge_registry *registry, ridge_err *err)
{
    ridge_analysis *a;
    ridge_explanation x;
    ridge_status st = ridge_analysis_exact(&a, registry, &r->cost.model, RIDGE_ROWS_NONE, err);
    if (!st) {
        ridge_call_warn_model(call, a);
        if (!(st = ridge_explain(&x, a, r->explain, err)) && call->form == RIDGE_FORM_JSON)
            ridge_record_answer(&call->data, &ridge_explanation_record, &x);
        else if (!st)
            ridge_explanation_text(&call->data, &x, &a->arena, (size_t)call->line);
        call->data.failed |= a->arena.failed;
    }
    ridge_analysis_free(a);
    return st;
}

static ridge_status print(ridge_call *call, const ridge_cost_answer *answer, ridge_err *err)
{
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_cost_record, answer);
    if (!answer->flops)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to show", answer->told.architecture);
    if (call->form == RIDGE_FORM_TEXT) {
        const size_t from = call->data.n;
        ridge_cost_summary(&call->data, answer);
        ridge_text_fold(&call->data, from, (size_t)call->width);
    }
    return ridge_call_table(call, &ridge_cost_row_record, answer->rows, answer->row_count, err);
}

static ridge_status write_cost(ridge_call *call, const request *r, ridge_registry *registry, ridge_err *err)
{
    ridge_cost_answer answer;
    ridge_status st = ridge_cost_answer_make(&answer, registry, &r->cost, err);
    if (!st) {
        ridge_call_warn_model(call, answer.analysis);
        st = print(call, &answer, err);
        call->data.failed |= answer.analysis->arena.failed;
    }
    ridge_cost_answer_free(&answer);
    return st;
}

static ridge_status check(const ridge_call *call, const request *r, ridge_err *err)
{
    bool table = call->form == RIDGE_FORM_CSV || call->form == RIDGE_FORM_MARKDOWN;
    if (r->symbolic && r->explain)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("symbolic") " and " RIDGE_OPT("explain") " exclude each other");
    if (table && (r->symbolic || r->explain))
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") " prints text or JSON, no table: no " RIDGE_OPT("%s"),
                          r->symbolic ? "symbolic" : "explain", call->form == RIDGE_FORM_CSV ? "csv" : "markdown");
    return RIDGE_OK;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const request *r = values;
    ridge_registry *registry;
    ridge_status st;
    if ((st = check(call, r, err)) || (st = ridge_call_registry(&registry, call, &r->catalog, err)) ||
        (st = ridge_call_learn(call, registry, &r->learn, &r->cost.model, err)))
        return st;
    if (r->symbolic)
        return write_forms(call, r, registry, err);
    return r->explain ? write_explanation(call, r, registry, err) : write_cost(call, r, registry, err);
}

const ridge_command ridge_cmd_cost = {
    .name = "cost",
    .group = "Models",
    .summary = "what a model costs: parameters, FLOPs, bytes, memory, module by module",
    .example = "ridge cost meta-llama/Llama-2-7b-hf --phase decode --batch 8 --past 4095",
    .details = "MODEL is a folder with a config.json or a GGUF, such a file, a graph (ONNX, torch.export), an inventory of a module, or an "
               "id: shipped "
               "examples first, then the local Hugging Face cache, then the hub.\n"
               "Numbers are exact. The text table rounds to four digits (" RIDGE_OPT("exact") " does not); " RIDGE_OPT(
                   "json") " and " RIDGE_OPT("csv") " always give every digit.",
    .operands = RIDGE_OPERAND_MODEL(request, cost.model, "MODEL", 1, RIDGE_MODEL_OPERAND),
    .tables = {{RIDGE_TABLE(ridge_options_cost, offsetof(request, cost), "View")},
               {RIDGE_TABLE_OF_CALL(view_options, "View")},
               {RIDGE_TABLE(options, 0, "View")},
               {RIDGE_TABLE(ridge_options_workload, offsetof(request, cost.model), "Workload")},
               {RIDGE_TABLE(ridge_options_class, offsetof(request, cost.model), "Workload")},
               {RIDGE_TABLE(ridge_options_learn, offsetof(request, learn), "Source")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},
               {RIDGE_TABLE(ridge_options_catalog, offsetof(request, catalog), "Catalog")}},
    .request_size = sizeof(request),
    .run = run,
    .records = {&ridge_cost_record, &ridge_forms_record, &ridge_explanation_record},
};
