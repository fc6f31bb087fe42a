/* ridge fit: which formats of a model fit into a memory, to which context, how fast. */
#include "command/fit.h"

static ridge_status answer(ridge_call *call, const ridge_fit_asked *r, ridge_registry *registry, ridge_machines *machines, ridge_err *err)
{
    const ridge_record_style style = {.form = call->form, .width = call->width, .exact = call->exact};
    ridge_fits_answer a;
    ridge_status st = ridge_fits_make(&a, registry, machines, &r->fits, &call->arena, err);
    if (!st)
        ridge_call_warn_model(call, a.model);
    if (!st)
        st = call->form == RIDGE_FORM_JSON ? ridge_call_answer(call, &ridge_fits_record, &a)
                                           : ridge_fits_print(&call->data, &a, &style, &call->arena, err);
    call->data.failed |= a.model && a.model->arena.failed;
    ridge_fits_free(&a);
    return st;
}

ridge_status ridge_fit_begin(ridge_registry **registry, ridge_machines **machines, ridge_call *call, ridge_fit_asked *r, ridge_err *err)
{
    ridge_fits_complete(&r->fits);
    ridge_status st = ridge_call_registry(registry, call, &r->catalog, err);
    if (!st && !(st = ridge_call_machines(machines, call, &r->machines, err)))
        st = ridge_call_learn(call, *registry, &r->learn, &r->fits.predict.model, err);
    return st;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    ridge_fit_asked r = *(const ridge_fit_asked *)values;
    ridge_registry *registry;
    ridge_machines *machines;
    ridge_status st = ridge_fit_begin(&registry, &machines, call, &r, err);
    return st ? st : answer(call, &r, registry, machines, err);
}

#define AT(member) offsetof(ridge_fit_asked, member)

const ridge_command ridge_cmd_fit = {
    .name = "fit",
    .group = "Models",
    .summary = "which formats of a model fit into a memory, to which context, how fast",
    .example = "ridge fit meta-llama/Llama-3.1-8B --on rtx-4090 --context 32Ki",
    .details = "A row per format of the weights (and of the cache): the memory of one sequence at the context, whether it fits, the "
               "largest context "
               "and the most sequences that do, and tokens a second at best. Prompts run in pieces of 2,048 tokens, as servers run them. "
               "Without " RIDGE_OPT("on") " it is about this machine.",
    .operands = RIDGE_OPERAND_MODEL(ridge_fit_asked, fits.predict.model, "MODEL", 1, RIDGE_MODEL_OPERAND),
    .tables = {{RIDGE_TABLE(ridge_options_fits, AT(fits), "Memory and formats")},
               {RIDGE_TABLE(ridge_options_reserve, AT(fits.predict), "Memory and formats")},
               {RIDGE_TABLE(ridge_options_class, AT(fits.predict.model), "Model"), .only = ridge_fits_of_class},
               {RIDGE_TABLE(ridge_options_workload, AT(fits.predict.model), "Model"), .only = ridge_fits_of_workload},
               {RIDGE_TABLE(ridge_options_learn, AT(learn), "Source")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},
               {RIDGE_TABLE(ridge_options_machines, AT(machines), "Machines")},
               {RIDGE_TABLE(ridge_options_catalog, AT(catalog), "Catalog")}},
    .request_size = sizeof(ridge_fit_asked),
    .run = run,
    .records = {&ridge_fits_record},
};
