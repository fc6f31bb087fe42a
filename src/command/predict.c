/* ridge predict: how fast a model could be on a machine, what bounds it, whether it fits. */
#include "advice/advice.h"
#include "model/output.h"
#include "predict/picture.h"
#include "predict/predict.h"
#include "cli/commands.h"
#include "cli/picture.h"
#include "cli/workload.h"

typedef struct predict_args {
    ridge_words model;
    ridge_output_args output;
    ridge_workload_args workload;
    ridge_catalog_args catalog;
    ridge_machines_args machines;
    ridge_picture_args pictures;
    struct predict_devices {
        int64_t devices, tensor, pipeline, expert, data, microbatches, zero;
        double bandwidth, latency_s;
        const char *reserve;
    } devices;
    struct predict_view {
        const char *on;
        ridge_method method;
        double launch_s, price;
        int64_t prompt, generate, top, depth;
        ridge_words against;
        const char *advice;
        bool all, recommend;
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
    RIDGE_LIST(struct predict_view, against, "against", 0, "CHANGES", "what if: weights=q4_K,kv=fp8, batch=8, a100-sxm-80 (repeatable)"),
    RIDGE_STRING(struct predict_view, advice, "advice", 0, "N", "what would make it faster: N items, all or none (default: 5)"),
    RIDGE_FLAG(struct predict_view, recommend, "recommend", 0, "formats per kind of operator for decode, prefill and long context"),
    RIDGE_OPTION_END,
};

static const ridge_option device_options[] = {
    RIDGE_INT(struct predict_devices, devices, "devices", 0, "N", 1, 4096, "devices that share every layer: --tensor-parallel"),
    RIDGE_INT(struct predict_devices, tensor, "tensor-parallel", 0, "N", 1, 4096, "each layer split over N devices, by heads and columns"),
    RIDGE_INT(struct predict_devices, pipeline, "pipeline-parallel", 0, "N", 1, 4096,
              "the layers over N devices, one part after the other"),
    RIDGE_INT(struct predict_devices, expert, "expert-parallel", 0, "N", 1, 4096, "a mixture's experts over N replicas"),
    RIDGE_INT(struct predict_devices, data, "data-parallel", 0, "N", 1, 1 << 20,
              "N replicas that split the batch (default: --expert-parallel)"),
    RIDGE_INT(struct predict_devices, microbatches, "microbatches", 0, "N", 1, 1 << 20, "parts of a replica's batch, one after the other"),
    RIDGE_INT(struct predict_devices, zero, "zero", 0, "STAGE", 0, 3,
              "training: what replicas share, 1 optimizer, 2 + gradients, 3 + weights"),
    RIDGE_REAL(struct predict_devices, bandwidth, "link-bandwidth", 0, "B", "bytes/s of a device, one direction (default: the machine's)"),
    RIDGE_SECONDS(struct predict_devices, latency_s, "link-latency", 0, "of one message (default: the machine's, 0 where unknown)"),
    RIDGE_STRING(struct predict_devices, reserve, "reserve", 0, "BYTES",
                 "of a device's memory, or a percentage, for the runtime (default: 0)"),
    RIDGE_OPTION_END,
};

static ridge_status set_devices(ridge_predict_request *r, const struct predict_devices *d, ridge_err *err)
{
    if (d->devices > 0 && d->tensor > 1 && d->devices != d->tensor)
        return ridge_fail(err, RIDGE_USAGE, "--devices is --tensor-parallel: %lld and %lld", (long long)d->devices, (long long)d->tensor);
    r->parallel = (ridge_parallel){.tensor = d->devices > 0 ? d->devices : d->tensor,
                                   .pipeline = d->pipeline,
                                   .expert = d->expert,
                                   .data = d->data,
                                   .microbatches = d->microbatches,
                                   .zero = (int)d->zero,
                                   .link_bytes_per_s = d->bandwidth,
                                   .link_latency_s = d->latency_s};
    return d->reserve ? ridge_reserve_parse(&r->reserve, d->reserve, err) : RIDGE_OK;
}

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
    r->against = v->against.items;
    r->against_count = v->against.count;
    r->recommend = v->recommend;
    ridge_status st = set_devices(r, &args->devices, err);
    if (!st && v->advice)
        st = ridge_advice_parse(&r->advice, v->advice, err);
    return st ? st : ridge_predict_request_check(r, err);
}

/* the files first: an error then leaves no answer */
static ridge_status draw(ridge_io *io, const predict_args *args, ridge_prediction *p, ridge_buf *picture, ridge_err *err)
{
    ridge_plot plot;
    ridge_buf page = {0};
    ridge_status st;
    if (args->pictures.html) {
        if (!(st = ridge_output_predict_html(&page, p, err)))
            st = ridge_picture_write_page(&args->pictures, &page, err);
        ridge_buf_free(&page);
        if (st)
            return st;
    }
    if (!ridge_picture_wanted(&args->pictures))
        return RIDGE_OK;
    st = ridge_picture_roofline(&plot, p, err);
    return st ? st : ridge_picture_draw(picture, io, &args->pictures, &plot, err);
}

static ridge_status print_answer(ridge_io *io, const predict_args *args, ridge_prediction *p, ridge_err *err)
{
    ridge_view view = {.top = args->view.top, .depth = args->view.depth, .width = ridge_io_width(io)};
    ridge_workload_warn(io, p->model);
    if (args->output.as == RIDGE_OUTPUT_JSON)
        return ridge_output_predict_json(&io->data, p, err);
    view.style = ridge_output_style(args->output.as);
    return ridge_output_predict_table(&io->data, p, &view, err);
}

static ridge_status print(ridge_io *io, const predict_args *args, ridge_prediction *p, ridge_err *err)
{
    ridge_buf picture = {0};
    ridge_status st = draw(io, args, p, &picture, err);
    if (!st && !(st = print_answer(io, args, p, err)) && picture.n && args->output.as == RIDGE_OUTPUT_TEXT) {
        ridge_buf_addc(&io->data, '\n');
        ridge_buf_add(&io->data, (ridge_str){picture.p, picture.n});
    }
    ridge_buf_free(&picture);
    return st;
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
    if ((st = ridge_prediction_make(&p, registry, machines, &request, err)) || (st = ridge_prediction_fit(p, registry, err)))
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
    .view = {.launch_s = RIDGE_PREDICT_UNKNOWN, .price = RIDGE_PREDICT_UNKNOWN, .depth = -1},
    .devices = {.tensor = 1, .pipeline = 1, .expert = 1, .microbatches = 1, .bandwidth = -1, .latency_s = -1},
};

const ridge_command ridge_cmd_predict = {
    .name = "predict",
    .group = "Models",
    .summary = "how fast a model could be on a machine, what bounds it, whether it fits",
    .example = "ridge predict meta-llama/Llama-2-7b-hf --on h100-sxm-80 --prompt 1024 --generate 256",
    .details =
        "Every kernel takes max(FLOPs / peak, bytes / bandwidth) and its launch; a pass is their sum. Defaults differ from 'ridge cost': "
        "fused kernels, exactly causal attention, the head on the last position.",
    .operands = RIDGE_OPERANDS(predict_args, model, "MODEL", 1, 1, "a folder, a config.json, or an id such as meta-llama/Llama-2-7b-hf"),
    .tables = {{view_options, offsetof(predict_args, view), "Prediction"},
               {ridge_options_workload, offsetof(predict_args, workload), "Workload"},
               {device_options, offsetof(predict_args, devices), "Several devices, memory"},
               {ridge_options_output, offsetof(predict_args, output), "Output"},
               {ridge_options_picture, offsetof(predict_args, pictures), "Pictures"},
               {ridge_options_machines, offsetof(predict_args, machines), "Machines"},
               {ridge_options_catalog, offsetof(predict_args, catalog), "Catalog"}},
    .args_size = sizeof(predict_args),
    .defaults = &defaults,
    .run = run,
};
