/* ridge inspect: the module tree of a model, as named_modules() lists it. */
#include "model/output.h"
#include "cli/commands.h"
#include "cli/workload.h"

typedef struct inspect_args {
    ridge_words model;
    ridge_output_args output;
    ridge_workload_args workload;
    ridge_catalog_args catalog;
    struct inspect_view {
        bool all;
        int64_t depth;
    } view;
} inspect_args;

static const ridge_option view_options[] = {
    RIDGE_FLAG(struct inspect_view, all, "all", 'a', "layers unfolded"),
    RIDGE_INT(struct inspect_view, depth, "depth", 'd', "N", 0, 64, "modules down to this depth"),
    RIDGE_OPTION_END,
};

static const ridge_option model_options[] = {
    RIDGE_FORMAT(ridge_workload_args, weights, "weights", 0, "number format of the weights (default: the config's dtype)"),
    RIDGE_STRING(ridge_workload_args, head_class, "class", 0, "NAME", "another class of the family than the config's (LlamaModel, ...)"),
    RIDGE_FLAG(ridge_workload_args, partial, "partial", 0, "show what the catalog knows and list what it does not"),
    RIDGE_OPTION_END,
};

static ridge_status print(ridge_io *io, const void *values, ridge_analysis *a, ridge_err *err)
{
    const inspect_args *args = values;
    ridge_view view = {.depth = args->view.depth, .all = args->view.all};
    if (args->output.as == RIDGE_OUTPUT_JSON)
        return ridge_output_inspect_json(&io->data, a, err);
    return ridge_output_inspect_tree(&io->data, a, &view, err);
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const inspect_args *args = values;
    ridge_request request;
    ridge_workload_request(&request, &args->workload, args->model.items[0]);
    request.no_rows = true;
    return ridge_workload_run(io, &args->catalog, &request, print, args, err);
}

static const inspect_args defaults = {.workload = RIDGE_WORKLOAD_DEFAULTS, .view = {.depth = -1}};

const ridge_command ridge_cmd_inspect = {
    .name = "inspect",
    .group = "Models",
    .summary = "the module tree: paths, classes, shapes, parameters, ties",
    .example = "ridge inspect openai-community/gpt2 --depth 3",
    .details = "Equal layers are folded into one line; --all and --json list every module in the order of PyTorch's named_modules().",
    .operands = RIDGE_OPERANDS(inspect_args, model, "MODEL", 1, 1, "a folder, a config.json, or an id such as openai-community/gpt2"),
    .tables = {{view_options, offsetof(inspect_args, view), "View"},
               {model_options, offsetof(inspect_args, workload), "Model"},
               {ridge_options_json, offsetof(inspect_args, output), "Output"},
               {ridge_options_catalog, offsetof(inspect_args, catalog), "Catalog"}},
    .args_size = sizeof(inspect_args),
    .defaults = &defaults,
    .run = run,
};
