/* ridge validate: what Ridge says of a class, held against the user's own PyTorch. */
#include "learn/validate/validate.h"

#include "command/call.h"
#include "command/command.h"
#include "report/text.h"

typedef struct request {
    ridge_validate_request validate;
    ridge_catalog_options catalog;
} request;

#define OF ridge_validate_request
static const ridge_option options[] = {
    RIDGE_STRING(OF, source, "source", 0, "DIR",
                 "a folder that is or holds the package with the source, or a file (default: what Python finds)",
                 .reach = RIDGE_REACH_FILE),
    RIDGE_STRING(OF, class_name, "class", 0, "NAME", "another class than the config's"),
    RIDGE_STRING(OF, arguments, "arguments", 0, "NAME=VALUE...", "of a class that takes no config: what __init__ gets ('dim=64 heads=4')"),
    RIDGE_STRING(OF, inputs, "inputs", 0, "NAME=SHAPE...", "of such a class: what forward gets ('pixels=B,3,32,32 ids=B,S:int64')"),
    RIDGE_STRING(OF, python, "python", 0, "PROGRAM", "a Python that has torch", .fallback = "python3", .reach = RIDGE_REACH_PROGRAM),
    RIDGE_INT(OF, cases, "cases", 0, "N", 1, 1000, "how many configurations are run", .fallback = "5", .unit = "configurations"),
    RIDGE_INT(OF, seed, "seed", 0, "N", 0, INT32_MAX, "which they are", .fallback = "1"),
    RIDGE_FLAG(OF, derived, "derived", 0, "hold what the source says against PyTorch, whatever the catalog knows"),
    RIDGE_OPTION_END,
};
#undef OF

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const request *r = values;
    ridge_registry *registry;
    ridge_validate_answer answer;
    ridge_status st = ridge_call_registry(&registry, call, &r->catalog, err);
    if (st || (st = ridge_validate_make(&answer, registry, &r->validate, &call->arena, err)))
        return st;
    ridge_err unkept = {0};
    if (ridge_validate_keep(&answer, registry, &call->arena, &unkept))
        ridge_call_warn(call, "what was found is not kept: %s", unkept.msg);
    if (call->form == RIDGE_FORM_JSON)
        st = ridge_call_answer(call, &ridge_validate_record, &answer);
    else
        ridge_validate_text(&call->data, &answer, &call->arena);
    return st || answer.validated ? st : ridge_fail(err, RIDGE_CHECK, "%s: what Ridge says is not what PyTorch does", answer.class_path);
}

const ridge_command ridge_cmd_validate = {
    .name = "validate",
    .group = "Models",
    .summary = "holds what Ridge says of a model against your own PyTorch",
    .example = "ridge validate ./my-model --source ~/transformers",
    .details = "Your Python builds the class in some small configurations and runs it, on the meta device where torch has it (2.1 on), "
               "else in memory; tree, "
               "parameters and FLOPs of every module are compared. This runs the model's code. Exit status 3: something differs.",
    .operands = RIDGE_OPERAND(request, validate.what, "CLASS|MODEL", 1,
                              "a class (package.module.Class) or a model: a folder, a config.json, an id", .reach = RIDGE_REACH_MODEL),
    .tables = {{RIDGE_TABLE(options, offsetof(request, validate), "PyTorch")},
               {RIDGE_TABLE_OF_CALL(ridge_options_json, "Output")},
               {RIDGE_TABLE(ridge_options_catalog, offsetof(request, catalog), "Catalog")}},
    .request_size = sizeof(request),
    .effect = RIDGE_EFFECT_LOCAL,
    .run = run,
    .records = {&ridge_validate_record},
};
