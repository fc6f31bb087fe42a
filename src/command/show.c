/* ridge MODEL, in full ridge show MODEL: a model on one screen. */
#include "fit/card.h"

#include "command/fit.h"

static ridge_status answer(ridge_call *call, const ridge_fit_asked *r, ridge_registry *registry, ridge_machines *machines, ridge_err *err)
{
    ridge_card card;
    ridge_status st = ridge_card_make(&card, registry, machines, &r->fits, &call->arena, err);
    if (!st)
        ridge_call_warn_model(call, card.fits.model);
    if (!st && call->form == RIDGE_FORM_JSON)
        st = ridge_call_answer(call, &ridge_card_record, &card);
    else if (!st)
        ridge_card_print(&call->data, &card, (size_t)call->line, &call->arena);
    call->data.failed |= card.fits.model && card.fits.model->arena.failed;
    ridge_card_free(&card);
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

const ridge_command ridge_cmd_show = {
    .name = "show",
    .group = "Models",
    .summary = "a model on one screen: what it is, whether it runs here, how fast; 'ridge MODEL' is short for it",
    .example = "ridge meta-llama/Llama-3.1-8B",
    .details = "Parameters, weights as they are and in narrower formats, the cache, FLOPs; then whether it fits into the memory of this "
               "machine (or "
               "of " RIDGE_OPT("on") "), tokens a second at best, and the commands to go on with.",
    .operands = RIDGE_OPERAND_MODEL(ridge_fit_asked, fits.predict.model, "MODEL", 1, RIDGE_MODEL_OPERAND),
    .tables = {{RIDGE_TABLE(ridge_options_fits_here, AT(fits), "Machine")},
               {RIDGE_TABLE(ridge_options_reserve, AT(fits.predict), "Machine")},
               {RIDGE_TABLE(ridge_options_class, AT(fits.predict.model), "Model"), .only = ridge_fits_of_class},
               {RIDGE_TABLE(ridge_options_workload, AT(fits.predict.model), "Model"), .only = ridge_fits_of_workload},
               {RIDGE_TABLE(ridge_options_learn, AT(learn), "Source")},
               {RIDGE_TABLE_OF_CALL(ridge_options_json, "Output")},
               {RIDGE_TABLE(ridge_options_machines, AT(machines), "Machines")},
               {RIDGE_TABLE(ridge_options_catalog, AT(catalog), "Catalog")}},
    .request_size = sizeof(ridge_fit_asked),
    .run = run,
    .records = {&ridge_card_record},
};
