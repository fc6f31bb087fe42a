/* ridge generate: templates of the catalog as code in Python and in C. */
#include "generate/generate.h"

#include "command/command.h"

typedef struct request {
    ridge_generate_request generate;
    ridge_catalog_options catalog;
} request;

static ridge_status run(ridge_call *call, ridge_generate_language language, const request *r, ridge_err *err)
{
    ridge_registry *registry;
    ridge_generate_answer answer;
    ridge_status st;
    if ((st = ridge_call_registry(&registry, call, &r->catalog, err)) ||
        (st = ridge_generate_make(&answer, registry, language, &r->generate, &call->arena, err)))
        return st;
    if (call->form != RIDGE_FORM_TEXT)
        return ridge_call_rows(call, &ridge_generate_record, &answer, &ridge_generated_library_record, answer.libraries,
                               answer.library_count, err);
    ridge_generate_text(&call->data, &answer, &call->arena);
    return RIDGE_OK;
}

static ridge_status run_python(ridge_call *call, const void *values, ridge_err *err)
{
    return run(call, RIDGE_GENERATE_PYTHON, values, err);
}

static ridge_status run_c(ridge_call *call, const void *values, ridge_err *err)
{
    return run(call, RIDGE_GENERATE_C, values, err);
}

#define MODULES                                                                                                                            \
    RIDGE_OPERANDS(request, generate.modules, "[MODULE...]", 0, 0,                                                                         \
                   "modules, or patterns with * and ?, with all that they need; none: the whole catalog")
#define TABLES                                                                                                                             \
    {                                                                                                                                      \
        {RIDGE_TABLE(ridge_options_generate, offsetof(request, generate), NULL)}, {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},   \
        {                                                                                                                                  \
            RIDGE_TABLE(ridge_options_catalog, offsetof(request, catalog), "Catalog")                                                      \
        }                                                                                                                                  \
    }
#define FOLDER                                                                                                                             \
    " The folder may be missing, empty, or one that this command wrote before and that holds nothing else; then it is replaced as a "      \
    "whole, and a kill at any moment leaves the old or the new one."

static const ridge_command cmd_python = {
    .name = "python",
    .summary = "a package of Python: a file and a class for each module",
    .example = "ridge generate python " RIDGE_OPT("out") " generated_modules torch.nn.Linear",
    .details = "The folder is a package: `from generated_modules import compute_flops`. It needs Python 3.9 and nothing else." FOLDER,
    .operands = MODULES,
    .tables = TABLES,
    .request_size = sizeof(request),
    .run = run_python,
    .effect = RIDGE_EFFECT_LOCAL,
    .records = {&ridge_generate_record},
};

static const ridge_command cmd_c = {
    .name = "c",
    .summary = "C: a header and a source for each library",
    .example = "ridge generate c " RIDGE_OPT("out") " generated torch.nn.Linear",
    .details = "Every function counts in 128-bit integers, and overflow is an error. It needs gcc or clang and nothing else." FOLDER,
    .operands = MODULES,
    .tables = TABLES,
    .request_size = sizeof(request),
    .run = run_c,
    .effect = RIDGE_EFFECT_LOCAL,
    .records = {&ridge_generate_record},
};

static const ridge_command *const commands[] = {&cmd_python, &cmd_c, NULL};

const ridge_command ridge_cmd_generate = {
    .name = "generate",
    .group = "Catalog",
    .summary = "the catalog as code that others can carry away: Python, C",
    .example = "ridge generate python " RIDGE_OPT("out") " generated_modules",
    .commands = commands,
};
