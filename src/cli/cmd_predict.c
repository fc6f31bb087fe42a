/* ridge predict: how fast a model could be on a machine, what bounds it, whether it fits. */
#include "app/output.h"
#include "app/predict.h"
#include "cli/commands.h"
#include "cli/workload.h"

typedef struct predict_args {
    ridge_words model;
    ridge_output_args output;
    ridge_workload_args workload;
    ridge_catalog_args catalog;
    ridge_machines_args machines;
    struct predict_view {
        const char *on;
        ridge_method method;
        double launch_s, price;
        int64_t prompt, generate, tensor_parallel, top, depth;
        bool all;
    } view;
} predict_args;

static const ridge_option view_options[] = {
    RIDGE_STRING(struct predict_view, on, "on", 0, "MACHINE", "a machine of 'ridge machine list', or a machine file"),
    RIDGE_CHOICE(struct predict_view, method, "method", 0, ridge_method_names, "the bound itself, or what such kernels reach"),
    RIDGE_SECONDS(struct predict_view, launch_s, "launch", 0, "overhead of every kernel (default: the machine's; 0: none)"),
    RIDGE_INT(struct predict_view, prompt, "prompt", 0, "P", 1, (int64_t)1 << 40, "a request: tokens of the prompt"),
    RIDGE_INT(struct predict_view, generate, "generate", 0, "G", 1, (int64_t)1 << 24, "... and tokens generated after it"),
    RIDGE_REAL(struct predict_view, price, "price", 0, "P", "of one machine per hour: gives the cost per million tokens"),
    RIDGE_FLAG(struct predict_view, all, "all", 'a', "one row per module, layers unfolded"),
    RIDGE_INT(struct predict_view, top, "top", 'n', "N", 1, 1000000, "the N slowest kernels"),
    RIDGE_INT(struct predict_view, depth, "depth", 'd', "N", 0, 64, "rows down to this depth"),
    RIDGE_OPTION_END,
};

static ridge_status make_request(ridge_predict_request *r, const predict_args *args, ridge_err *err)
{
    const struct predict_view *v = &args->view;
    ridge_predict_default(r);
    ridge_workload_request(&r->model, &args->workload, args->model.items[0]);
    r->model.all_rows = v->all;
    r->machine = v->on;
    r->method = v->method;
    r->launch_s = v->launch_s;
    r->prompt = v->prompt;
    r->generate = v->generate;
    r->price_per_hour = v->price;
    r->tensor_parallel = v->tensor_parallel;
    return ridge_predict_request_check(r, err);
}

static ridge_status print(ridge_io *io, const predict_args *args, ridge_prediction *p, ridge_err *err)
{
    static const ridge_table_style styles[] = {
        [RIDGE_OUTPUT_TEXT] = RIDGE_TABLE_TEXT, [RIDGE_OUTPUT_CSV] = RIDGE_TABLE_CSV, [RIDGE_OUTPUT_MARKDOWN] = RIDGE_TABLE_MARKDOWN};
    ridge_view view = {.top = args->view.top, .depth = args->view.depth, .width = io->terminal ? io->width : 0};
    ridge_workload_warn(io, p->model);
    if (args->output.as == RIDGE_OUTPUT_JSON)
        return ridge_output_predict_json(&io->data, p, err);
    view.style = styles[args->output.as];
    return ridge_output_predict_table(&io->data, p, &view, err);
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const predict_args *args = values;
    ridge_predict_request request;
    ridge_registry *registry = NULL;
    ridge_machines *machines = NULL;
    ridge_prediction *p = NULL;
    ridge_status st;
    if ((st = make_request(&request, args, err)) || (st = ridge_catalog_open(&registry, &args->catalog, err)))
        return st;
    if ((st = ridge_machines_args_open(&machines, &args->machines, err)))
        goto done;
    if ((st = ridge_prediction_make(&p, registry, machines, &request, err)))
        goto done;
    st = print(io, args, p, err);
done:
    ridge_prediction_free(p);
    ridge_machines_close(machines);
    ridge_registry_close(registry);
    return st;
}

static const predict_args defaults = {
    .workload = {RIDGE_WORKLOAD_UNSET, .kernel = RIDGE_KERNEL_FUSED, .attention = 1, .lm_head = 1},
    .view = {.launch_s = RIDGE_PREDICT_UNKNOWN, .price = RIDGE_PREDICT_UNKNOWN, .tensor_parallel = 1, .depth = -1},
};

const ridge_command ridge_cmd_predict = {
    .name = "predict",
    .group = "Models",
    .summary = "how fast a model could be on a machine, what bounds it, whether it fits",
    .example = "ridge predict meta-llama/Llama-2-7b-hf --on h100-sxm-80 --prompt 1024 --generate 256",
    .details = "Every kernel takes max(FLOPs / peak, bytes / bandwidth) and its launch; a pass is their sum. Defaults differ from 'ridge cost': "
               "fused kernels, exactly causal attention, the head on the last position.",
    .operands = RIDGE_OPERANDS(predict_args, model, "MODEL", 1, 1, "a folder, a config.json, or an id such as meta-llama/Llama-2-7b-hf"),
    .tables = {{view_options, offsetof(predict_args, view), "Prediction"},
               {ridge_options_workload, offsetof(predict_args, workload), "Workload"},
               {ridge_options_output, offsetof(predict_args, output), "Output"},
               {ridge_options_machines, offsetof(predict_args, machines), "Machines"},
               {ridge_options_catalog, offsetof(predict_args, catalog), "Catalog"}},
    .args_size = sizeof(predict_args),
    .defaults = &defaults,
    .run = run,
};
