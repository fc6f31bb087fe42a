/* ridge cost: parameters, FLOPs and memory traffic of a model, module by module. */
#include "model/output.h"
#include "cli/commands.h"
#include "cli/workload.h"

typedef struct cost_args {
    ridge_words model;
    ridge_output_args output;
    ridge_workload_args workload;
    ridge_catalog_args catalog;
    struct cost_view {
        bool all, exact, symbolic;
        int64_t top, depth;
        ridge_sort sort;
        const char *explain;
    } view;
} cost_args;

static const char *const sorts[] = {
#define X(code, name) #name,
    RIDGE_SORT_LIST(X)
#undef X
        NULL};

static const ridge_option view_options[] = {
    RIDGE_FLAG(struct cost_view, all, "all", 'a', "one row per called module, layers unfolded"),
    RIDGE_INT(struct cost_view, top, "top", 'n', "N", 1, 1000000, "the N most expensive modules"),
    RIDGE_CHOICE(struct cost_view, sort, "sort", 0, sorts, "order of the rows"),
    RIDGE_INT(struct cost_view, depth, "depth", 'd', "N", 0, 64, "rows down to this depth"),
    RIDGE_FLAG(struct cost_view, exact, "exact", 0, "every digit in the table"),
    RIDGE_FLAG(struct cost_view, symbolic, "symbolic", 0, "the closed form in B and S (in B and past for decode)"),
    RIDGE_STRING(struct cost_view, explain, "explain", 0, "PATH", "one module: formula, values put in, result, where the template stands"),
    RIDGE_OPTION_END,
};

static ridge_status print_rows(ridge_io *io, const cost_args *args, ridge_analysis *a, ridge_err *err)
{
    ridge_view view = {
        .top = args->view.top, .sort = args->view.sort, .depth = args->view.depth, .exact = args->view.exact, .width = ridge_io_width(io)};
    if (args->output.as == RIDGE_OUTPUT_JSON) {
        ridge_status st = ridge_output_select(a, &view, err);
        return st ? st : ridge_output_cost_json(&io->data, a, err);
    }
    view.style = ridge_output_style(args->output.as);
    return ridge_output_cost_table(&io->data, a, &view, err);
}

static ridge_status print(ridge_io *io, const void *values, ridge_analysis *a, ridge_err *err)
{
    const cost_args *args = values;
    bool json = args->output.as == RIDGE_OUTPUT_JSON;
    if (args->view.symbolic)
        return ridge_output_symbolic(&io->data, a, json, err);
    if (args->view.explain)
        return ridge_output_explain(&io->data, a, args->view.explain, json, err);
    return print_rows(io, args, a, err);
}

static ridge_status check_view(const cost_args *args, ridge_err *err)
{
    bool table = args->output.as == RIDGE_OUTPUT_CSV || args->output.as == RIDGE_OUTPUT_MARKDOWN;
    if (args->view.symbolic && args->view.explain)
        return ridge_fail(err, RIDGE_USAGE, "--symbolic and --explain exclude each other");
    if (table && (args->view.symbolic || args->view.explain))
        return ridge_fail(err, RIDGE_USAGE, "%s prints text or JSON, no table", args->view.symbolic ? "--symbolic" : "--explain");
    return RIDGE_OK;
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const cost_args *args = values;
    ridge_request request;
    ridge_status st = check_view(args, err);
    if (st)
        return st;
    ridge_workload_request(&request, &args->workload, args->model.items[0]);
    request.all_rows = args->view.all;
    request.symbolic = args->view.symbolic;
    request.no_rows = args->view.explain;
    return ridge_workload_run(io, &args->catalog, &request, print, args, err);
}

static const cost_args defaults = {.workload = RIDGE_WORKLOAD_DEFAULTS, .view = {.depth = -1}};

const ridge_command ridge_cmd_cost = {
    .name = "cost",
    .group = "Models",
    .summary = "what a model costs: parameters, FLOPs, bytes, memory, module by module",
    .example = "ridge cost meta-llama/Llama-2-7b-hf --phase decode --batch 8 --past 4095",
    .details = "MODEL is a folder with a config.json, such a file, or an id: shipped examples first, then the local Hugging Face cache.\n"
               "Numbers are exact. The text table rounds to four digits (--exact does not); --json and --csv always give every digit.",
    .operands = RIDGE_OPERANDS(cost_args, model, "MODEL", 1, 1, "a folder, a config.json, or an id such as meta-llama/Llama-2-7b-hf"),
    .tables = {{view_options, offsetof(cost_args, view), "View"},
               {ridge_options_workload, offsetof(cost_args, workload), "Workload"},
               {ridge_options_output, offsetof(cost_args, output), "Output"},
               {ridge_options_catalog, offsetof(cost_args, catalog), "Catalog"}},
    .args_size = sizeof(cost_args),
    .defaults = &defaults,
    .run = run,
};
