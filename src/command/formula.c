/* ridge formula: one catalog entry evaluated alone. */
#include "entries/formula.h"

#include "command/command.h"

typedef struct request {
    ridge_formula_request formula;
    ridge_catalog_options catalog;
} request;

/* "torch.nn.Linear(1, 2, 3)", in one word or several, is how Python calls it: tells how it is written here */
static ridge_status written_as_call(const ridge_words *words, ridge_err *err)
{
    ridge_buf text = {0};
    unsigned depth = 0;
    for (size_t i = 0; i < words->count; i++)
        for (const char *p = words->items[i]; *p; p++) {
            bool opens = *p == '(' || *p == '[', closes = (*p == ')' || *p == ']') && depth > 0;
            depth -= closes;
            if ((opens && depth == 0) || (*p == ',' && depth == 1))
                ridge_buf_addc(&text, ' ');
            else if (*p != ' ' && !(closes && depth == 0))
                ridge_buf_addc(&text, *p);
            depth += opens;
        }
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "write the arguments after the name: ridge formula %s", text.p ? text.p : "");
    ridge_buf_free(&text);
    return st;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const request *r = values;
    ridge_registry *registry;
    ridge_formula_answer answer;
    ridge_status st;
    if (strchr(r->formula.words.items[0], '('))
        return written_as_call(&r->formula.words, err);
    if ((st = ridge_call_registry(&registry, call, &r->catalog, err)) ||
        (st = ridge_formula_answer_make(&answer, registry, &r->formula, &call->arena, err)))
        return st;
    if (call->form == RIDGE_FORM_JSON)
        ridge_record_answer(&call->data, &ridge_formula_record, &answer);
    else if (call->form == RIDGE_FORM_TEXT)
        ridge_formula_text(&call->data, &answer, &call->arena);
    else if (answer.step_count > 0)
        return ridge_call_table(call, &ridge_formula_step_record, answer.steps, answer.step_count, err);
    else
        return ridge_call_table(call, &ridge_formula_step_record, &answer.whole, 1, err);
    return RIDGE_OK;
}

const ridge_command ridge_cmd_formula = {
    .name = "formula",
    .group = "Formulas",
    .summary = "one module's formula, evaluated for arguments",
    .example = "ridge formula torch.nn.Linear 2048 4096 4096",
    .details =
        "Arguments stand by position or as name=value; a name sets a parameter, else a workload symbol (B, S, past), else a config field. "
        "A value is a number (2k and 4Ki too), True, False, None, a list or a word.",
    .operands = RIDGE_OPERANDS(request, formula.words, "NAME [ARGUMENT...]", 1, 0,
                               "a module (torch.nn.Linear, torch__nn__Linear or its class path) and its arguments"),
    .tables = {{RIDGE_TABLE(ridge_options_formula, offsetof(request, formula), NULL)},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},
               {RIDGE_TABLE(ridge_options_catalog, offsetof(request, catalog), "Catalog")}},
    .request_size = sizeof(request),
    .run = run,
    .records = {&ridge_formula_record},
};
