#include "predict/records.h"

#include <stdlib.h>

#include "base/shown.h"

/* ---- what is told ---- */

static ridge_rate_told rate_of(const ridge_computes_at *c)
{
    return (ridge_rate_told){c->wanted, c->used, c->peak_flops_per_s};
}

static ridge_rates_told rates_of(const ridge_prediction *p)
{
    return (ridge_rates_told){.matmul = rate_of(&p->rates.matmul),
                              .attention = rate_of(&p->rates.attention),
                              .vector_flops_per_s = p->rates.vector_flops_per_s > 0 ? p->rates.vector_flops_per_s : RIDGE_PREDICT_UNKNOWN,
                              .bytes_per_s = p->rates.bytes_per_s > 0 ? p->rates.bytes_per_s : RIDGE_PREDICT_UNKNOWN,
                              .ridge_point = ridge_ridge_point(p->machine, p->rates.matmul.peak_flops_per_s),
                              .launch_overhead_s = p->launch_overhead_s};
}

ridge_memory_told ridge_prediction_memory_told(const ridge_prediction *p)
{
    const ridge_reserve *reserve = &p->request.reserve;
    bool known = p->capacity_bytes >= 0;
    return (ridge_memory_told){.memory = p->model->memory,
                               .capacity = p->capacity_bytes,
                               .reserve = known ? p->capacity_bytes - ridge_reserve_left(reserve, p->capacity_bytes) : reserve->bytes,
                               .fits = known ? p->fits : -1,
                               .max_batch = p->fit.max_batch,
                               .max_context = p->fit.max_context,
                               .model_context = p->fit.model_context};
}

static ridge_parallel_told parallel_of(const ridge_prediction *p)
{
    const ridge_parallel *n = &p->request.parallel;
    const ridge_machine_link *link = ridge_machine_link_find(p->machine, RIDGE_LINK_DEVICE);
    return (ridge_parallel_told){.devices = ridge_parallel_devices(n),
                                 .tensor = n->tensor,
                                 .pipeline = n->pipeline,
                                 .expert = n->expert,
                                 .data = ridge_parallel_replicas(n),
                                 .microbatches = n->microbatches,
                                 .zero = n->zero,
                                 .link_bytes_per_s = n->link_bytes_per_s > 0         ? n->link_bytes_per_s
                                                     : link && link->bytes_per_s > 0 ? (double)link->bytes_per_s
                                                                                     : -1,
                                 .link_latency_s = n->link_latency_s >= 0 ? n->link_latency_s
                                                   : link                 ? link->latency_s
                                                                          : -1,
                                 .link_s = p->link_s,
                                 .link_bytes = p->rows[0].link_bytes,
                                 .bubble = ridge_pipeline_bubble(n->pipeline, n->microbatches)};
}

static const char *peak_text(ridge_arena *a, const ridge_computes_at *c)
{
    return ridge_arena_printf(a, "%s (%s)", ridge_units_scaled(a, c->peak_flops_per_s, "FLOP/s"), ridge_precision_names[c->used]);
}

const char *ridge_mfu_peaks_text(ridge_arena *a, const ridge_prediction *p)
{
    const ridge_computes_at *matmul = &p->rates.matmul, *attention = &p->rates.attention;
    if (ridge_value_is_zero(p->model->total.flops[RIDGE_FLOP_ATTENTION]) || attention->peak_flops_per_s == matmul->peak_flops_per_s)
        return peak_text(a, matmul);
    return ridge_arena_printf(a, "%s, attention of %s", peak_text(a, matmul), peak_text(a, attention));
}

const char *ridge_throughput_text(ridge_arena *a, double tokens_per_s, double images_per_s)
{
    const char *tokens = ridge_units_scaled(a, tokens_per_s, "tokens/s"), *images = ridge_units_scaled(a, images_per_s, "images/s");
    if (images_per_s < 0)
        return tokens;
    return tokens_per_s < 0 ? images : ridge_arena_printf(a, "%s, %s", images, tokens);
}

void ridge_prediction_tell(ridge_prediction_told *out, const ridge_prediction *p)
{
    *out = (ridge_prediction_told){.prediction = p,
                                   .machine = p->machine->id,
                                   .method = p->request.method,
                                   .time_s = p->time_s,
                                   .tokens_per_s = p->tokens_per_s,
                                   .images_per_s = p->images_per_s,
                                   .bound = p->bound,
                                   .mfu = p->mfu,
                                   .bandwidth_utilisation = p->bandwidth_utilisation,
                                   .energy_j = p->energy_j,
                                   .cost_per_million_tokens = p->cost_per_million_tokens,
                                   .cost_per_million_images = p->cost_per_million_images,
                                   .generation = p->generation.generate > 0 ? &p->generation : NULL,
                                   .rates = rates_of(p),
                                   .memory = ridge_prediction_memory_told(p),
                                   .rows = p->rows,
                                   .row_count = p->timed->rows.n,
                                   .notes = p->notes,
                                   .warnings = p->model->warnings};
    ridge_model_tell(&out->model, p->model);
    if (ridge_parallel_is_on(&p->request.parallel)) {
        out->parallel_told = parallel_of(p);
        out->parallel = &out->parallel_told;
    }
}

/* ---- how it is written ---- */

static const ridge_record_field rate_fields[] = {
    RIDGE_R_WORD(ridge_rate_told, wanted, ridge_precision_names, "wanted", NULL, RIDGE_IN_JSON,
                 "the precision that the formats compute in"),
    RIDGE_R_WORD(ridge_rate_told, used, ridge_precision_names, "used", NULL, RIDGE_IN_JSON,
                 "the precision of the machine's that stands for it"),
    RIDGE_R_REAL(ridge_rate_told, peak_flops_per_s, "peak_flops_per_s", NULL, RIDGE_IN_JSON, "the peak rate of that",
                 .unit = RIDGE_UNIT_FLOPS_PER_S),
};
static const ridge_record rate_record = RIDGE_RECORD(ridge_rate_told, "rate", rate_fields, "what kernels of one kind compute at");

#define RATES ridge_rates_told
static const ridge_record_field rates_fields[] = {
    RIDGE_R_IN(RATES, matmul, &rate_record, "matmul", RIDGE_IN_JSON, "matrix products", .compact = true),
    RIDGE_R_IN(RATES, attention, &rate_record, "attention", RIDGE_IN_JSON, "attention scores", .compact = true),
    RIDGE_R_REAL(RATES, vector_flops_per_s, "vector_flops_per_s", NULL, RIDGE_IN_JSON, "the vector units", .unit = RIDGE_UNIT_FLOPS_PER_S),
    RIDGE_R_REAL(RATES, bytes_per_s, "bytes_per_s", NULL, RIDGE_IN_JSON, "main memory", .unit = RIDGE_UNIT_BYTES_PER_S),
    RIDGE_R_REAL(RATES, ridge_point, "ridge_point", NULL, RIDGE_IN_JSON,
                 "the arithmetic intensity from which arithmetic bounds matrix products", .unit = RIDGE_UNIT_FLOP_PER_BYTE),
    RIDGE_R_REAL(RATES, launch_overhead_s, "launch_overhead_s", NULL, RIDGE_IN_JSON, "the overhead of a kernel's launch",
                 .unit = RIDGE_UNIT_SECONDS),
};
static const ridge_record rates_record = RIDGE_RECORD(RATES, "rates", rates_fields, "the rates of the machine that count");

#define MEMORY ridge_memory_told
static const ridge_record_field memory_fields[] = {
    RIDGE_R_MEMBERS(MEMORY, memory, &ridge_memory_record),
    RIDGE_R_COUNT(MEMORY, capacity, "capacity", NULL, RIDGE_IN_JSON, "memory of a device", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_MAYBE(MEMORY, fits, "fits", NULL, RIDGE_IN_JSON, "does the total fit into the capacity without the reserve?"),
    RIDGE_R_WHOLE(MEMORY, max_batch, "max_batch", NULL, RIDGE_IN_JSON, "the largest batch that fits at this context"),
    RIDGE_R_WHOLE(MEMORY, max_context, "max_context", NULL, RIDGE_IN_JSON, "the longest context that fits at this batch"),
    RIDGE_R_WHOLE(MEMORY, model_context, "model_context", NULL, RIDGE_IN_JSON, "the model's own largest number of positions"),
    RIDGE_R_COUNT(MEMORY, reserve, "reserve", NULL, RIDGE_IN_JSON, "of the capacity, what is kept for the runtime",
                  .unit = RIDGE_UNIT_BYTES),
};
const ridge_record ridge_memory_told_record = RIDGE_RECORD(MEMORY, "memory", memory_fields, "memory held, and what fits");

#define PARALLEL ridge_parallel_told
static const ridge_record_field parallel_fields[] = {
    RIDGE_R_WHOLE(PARALLEL, devices, "devices", NULL, RIDGE_IN_JSON, "devices in all"),
    RIDGE_R_WHOLE(PARALLEL, tensor, "tensor", NULL, RIDGE_IN_JSON, "devices that share each layer"),
    RIDGE_R_WHOLE(PARALLEL, pipeline, "pipeline", NULL, RIDGE_IN_JSON, "devices that share the layers"),
    RIDGE_R_WHOLE(PARALLEL, expert, "expert", NULL, RIDGE_IN_JSON, "replicas that share the experts"),
    RIDGE_R_WHOLE(PARALLEL, data, "data", NULL, RIDGE_IN_JSON, "replicas that share the batch"),
    RIDGE_R_WHOLE(PARALLEL, microbatches, "microbatches", NULL, RIDGE_IN_JSON, "parts of a replica's batch"),
    RIDGE_R_WHOLE(PARALLEL, zero, "zero", NULL, RIDGE_IN_JSON, "stage of ZeRO"),
    RIDGE_R_REAL(PARALLEL, link_bytes_per_s, "link_bytes_per_s", NULL, RIDGE_IN_JSON, "bandwidth of a device's link, one direction",
                 .unit = RIDGE_UNIT_BYTES_PER_S),
    RIDGE_R_REAL(PARALLEL, link_latency_s, "link_latency_s", NULL, RIDGE_IN_JSON, "latency of a message", .unit = RIDGE_UNIT_SECONDS),
    RIDGE_R_REAL(PARALLEL, link_s, "link_s", NULL, RIDGE_IN_JSON, "of the time, messages", .unit = RIDGE_UNIT_SECONDS),
    RIDGE_R_REAL(PARALLEL, link_bytes, "link_bytes", NULL, RIDGE_IN_JSON, "what one device sends", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_REAL(PARALLEL, bubble, "bubble", NULL, RIDGE_IN_JSON, "share of the time that a pipeline's devices wait"),
};
static const ridge_record parallel_record = RIDGE_RECORD(PARALLEL, "devices", parallel_fields, "how devices share the model");

#define ROW     ridge_predicted_row
#define SECONDS .unit = RIDGE_UNIT_SECONDS
static const ridge_record_field row_fields[] = {
    RIDGE_R_TEXT(ROW, label, "label", "module", RIDGE_IN_TEXT, "the row's place in the tree"),
    RIDGE_R_TEXT(ROW, name, "name", "module", RIDGE_IN_MARKDOWN, "the row's path"),
    RIDGE_R_STR(ROW, path, "path", NULL, RIDGE_IN_DATA, "as in ridge cost; functions and fused kernels are rows of their own"),
    RIDGE_R_TEXT(ROW, class_name, "class", NULL, RIDGE_IN_DATA, "the module's class"),
    RIDGE_R_COUNT(ROW, count, "count", NULL, RIDGE_IN_ALL, "modules that the row stands for; its figures are those of all"),
    RIDGE_R_REAL(ROW, time_s, "time_s", "time", RIDGE_IN_ALL, "time; a parent's is the sum of its leaves'", SECONDS),
    RIDGE_R_REAL(ROW, percent, "percent", "%", RIDGE_IN_TABLES, "of the whole time", .unit = RIDGE_UNIT_PERCENT),
    RIDGE_R_REAL(ROW, compute_s, "time_compute_s", "compute", RIDGE_IN_DATA, "what the arithmetic alone takes", SECONDS),
    RIDGE_R_REAL(ROW, memory_s, "time_memory_s", "memory", RIDGE_IN_DATA, "what the memory alone takes", SECONDS),
    RIDGE_R_REAL(ROW, waits_s, "waits_s", "waits", RIDGE_IN_DATA, "latencies that nothing overlaps", SECONDS),
    RIDGE_R_REAL(ROW, launch_s, "launch_s", "launch", RIDGE_IN_DATA, "launches", SECONDS),
    RIDGE_R_REAL(ROW, link_s, "link_s", NULL, RIDGE_IN_JSON, "messages to other devices", SECONDS,
                 RIDGE_WHERE(ridge_predicted_row, parallel)),
    RIDGE_R_REAL(ROW, link_bytes, "link_bytes", NULL, RIDGE_IN_JSON, "what one device sends", .unit = RIDGE_UNIT_BYTES,
                 RIDGE_WHERE(ridge_predicted_row, parallel)),
    RIDGE_R_WORD(ROW, bound, ridge_bound_names, "bound", NULL, RIDGE_IN_ALL, "what most of the time is bound by"),
    RIDGE_R_COUNT(ROW, flops, "flops", "FLOPs", RIDGE_IN_ALL, "FLOPs of all devices", .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_COUNT(ROW, bytes, "bytes", NULL, RIDGE_IN_ALL, "bytes that all devices move", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_REAL(ROW, arithmetic_intensity, "arithmetic_intensity", "FLOP/B", RIDGE_IN_ALL, "FLOPs per byte",
                 .unit = RIDGE_UNIT_FLOP_PER_BYTE),
    RIDGE_R_REAL(ROW, device_flops, "device_flops", NULL, RIDGE_IN_JSON, "FLOPs of one device in that time, also those that others repeat",
                 .unit = RIDGE_UNIT_COUNT, RIDGE_WHERE(ridge_predicted_row, parallel)),
    RIDGE_R_REAL(ROW, device_bytes, "device_bytes", NULL, RIDGE_IN_JSON, "bytes that one device moves in that time",
                 .unit = RIDGE_UNIT_BYTES, RIDGE_WHERE(ridge_predicted_row, parallel)),
    RIDGE_R_BOOL(ROW, leaf, "leaf", NULL, RIDGE_IN_DATA, "a kernel, or several of the same kind"),
};
const ridge_record ridge_predicted_row_record = RIDGE_RECORD(ROW, "predicted row", row_fields, "the time of a module or a kernel");

#define GENERATION ridge_generation
static const ridge_record_field generation_fields[] = {
    RIDGE_R_WHOLE(GENERATION, prompt, "prompt", NULL, RIDGE_IN_JSON, "tokens of the prompt"),
    RIDGE_R_WHOLE(GENERATION, generate, "generate", NULL, RIDGE_IN_JSON, "tokens generated"),
    RIDGE_R_REAL(GENERATION, tokens_per_s, "tokens_per_s", NULL, RIDGE_IN_JSON, "generated tokens of the whole batch",
                 .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_COUNT(GENERATION, kv_bytes, "kv_cache_bytes", NULL, RIDGE_IN_JSON, "the cache when the last token is made",
                  .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(GENERATION, memory_bytes, "memory_bytes", NULL, RIDGE_IN_JSON, "all memory then, of one device",
                  .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_WHOLE(GENERATION, max_batch, "max_batch", NULL, RIDGE_IN_JSON, "the largest batch that fits then"),
};
static const ridge_record generation_record =
    RIDGE_RECORD(GENERATION, "generation", generation_fields, "a request, when its last token is made");

static const ridge_record_field request_fields[] = {
    RIDGE_R_REAL(GENERATION, ttft_s, "ttft_s", NULL, RIDGE_IN_JSON, "time to the first token: the prefill", SECONDS),
    RIDGE_R_REAL(GENERATION, tpot_s, "tpot_s", NULL, RIDGE_IN_JSON, "mean time of a token after it", SECONDS),
    RIDGE_R_REAL(GENERATION, generation_s, "generation_s", NULL, RIDGE_IN_JSON, "all steps after the first token", SECONDS),
    RIDGE_R_REAL(GENERATION, latency_s, "latency_s", NULL, RIDGE_IN_JSON, "the whole request", SECONDS),
    RIDGE_R_REAL(GENERATION, requests_per_s, "requests_per_s", NULL, RIDGE_IN_JSON, "requests of the whole batch",
                 .unit = RIDGE_UNIT_PER_S),
};
const ridge_record ridge_request_record = RIDGE_RECORD(GENERATION, "request", request_fields, "times of a request");

#define TOLD ridge_prediction_told
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(TOLD, model.model, "model", NULL, RIDGE_IN_JSON, "the model as it was named"),
    RIDGE_R_TEXT(TOLD, model.architecture, "architecture", NULL, RIDGE_IN_JSON, "the class that runs"),
    RIDGE_R_TEXT(TOLD, machine, "machine", NULL, RIDGE_IN_JSON, "the machine's id"),
    RIDGE_R_AT(TOLD, model.workload, &ridge_workload_record, "workload", RIDGE_IN_JSON, "the workload as run", .compact = true),
    RIDGE_R_WORD(TOLD, method, ridge_method_names, "method", NULL, RIDGE_IN_JSON, "how times are found"),
    RIDGE_R_REAL(TOLD, time_s, "time_s", NULL, RIDGE_IN_JSON, "a pass", SECONDS),
    RIDGE_R_REAL(TOLD, tokens_per_s, "tokens_per_s", NULL, RIDGE_IN_JSON, "tokens of the pass per second; null where the model takes none",
                 .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_REAL(TOLD, images_per_s, "images_per_s", NULL, RIDGE_IN_JSON, "images of the pass per second; null where the model takes none",
                 .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_WORD(TOLD, bound, ridge_bound_names, "bound", NULL, RIDGE_IN_JSON, "what most of the time is bound by"),
    RIDGE_R_REAL(TOLD, mfu, "mfu", NULL, RIDGE_IN_JSON, "model FLOPs utilisation: matmul and attention, each of the peak it computes at"),
    RIDGE_R_REAL(TOLD, bandwidth_utilisation, "bandwidth_utilisation", NULL, RIDGE_IN_JSON,
                 "of main memory's bandwidth: what no cache holds"),
    RIDGE_R_REAL(TOLD, energy_j, "energy_j", NULL, RIDGE_IN_JSON, "at the machine's power, of the pass, or of a request's batch",
                 .unit = RIDGE_UNIT_JOULES),
    RIDGE_R_REAL(TOLD, cost_per_million_tokens, "cost_per_million_tokens", NULL, RIDGE_IN_JSON, "in the unit of the price"),
    RIDGE_R_REAL(TOLD, cost_per_million_images, "cost_per_million_images", NULL, RIDGE_IN_JSON, "in the unit of the price"),
    RIDGE_R_MEMBERS_AT(TOLD, generation, &ridge_request_record),
    RIDGE_R_AT(TOLD, generation, &generation_record, "generation", RIDGE_IN_JSON, "the request when its last token is made",
               .compact = true, RIDGE_WHERE(ridge_prediction_told, generation)),
    RIDGE_R_IN(TOLD, rates, &rates_record, "rates", RIDGE_IN_JSON, "the rates of the machine that count"),
    RIDGE_R_IN(TOLD, memory, &ridge_memory_told_record, "memory", RIDGE_IN_JSON, "memory of a device, and what fits", .compact = true),
    RIDGE_R_AT(TOLD, parallel, &parallel_record, "parallel", RIDGE_IN_JSON, "how devices share the model",
               RIDGE_WHERE(ridge_prediction_told, parallel)),
    RIDGE_R_LIST(TOLD, rows, row_count, &ridge_predicted_row_record, "rows", RIDGE_IN_JSON, "modules and kernels"),
};
const ridge_record ridge_prediction_record = RIDGE_RECORD(TOLD, "prediction", fields, "how fast a model could be on a machine");

/* ---- which rows are shown ---- */

const ridge_option ridge_options_predict_view[] = {
    RIDGE_INT(ridge_predict_view, top, "top", 'n', "N", 1, 1000000, "the N slowest kernels", .fallback = "0"),
    RIDGE_INT(ridge_predict_view, depth, "depth", 'd', "N", 0, 64, "rows down to this depth"),
    RIDGE_OPTION_END,
};

/* of equals, the first in the tree comes first */
static int slower_first(const void *a, const void *b)
{
    const ridge_predicted_row *x = a, *y = b;
    if (x->time_s != y->time_s)
        return x->time_s < y->time_s ? 1 : -1;
    return x->row < y->row ? -1 : 1;
}

ridge_status ridge_predict_rows_shown(ridge_predicted_row **rows, size_t *count, const ridge_prediction *p, const ridge_predict_view *view,
                                      ridge_arena *arena, ridge_err *err)
{
    ridge_predicted_row *shown = *rows = ridge_arena_array(arena, p->timed->rows.n + 1, sizeof *shown);
    size_t n = 0;
    if (!shown)
        return ridge_no_memory(err);
    for (size_t i = 0; i < p->timed->rows.n; i++) {
        const ridge_row *row = p->rows[i].row;
        if ((view->depth >= 0 && row->depth > (uint64_t)view->depth) || (view->top > 0 && !row->leaf))
            continue;
        shown[n] = p->rows[i];
        if (view->top > 0)
            shown[n].label = shown[n].name;
        n++;
    }
    if (view->top > 0)
        qsort(shown, n, sizeof *shown, slower_first);
    *count = view->top > 0 && (size_t)view->top < n ? (size_t)view->top : n;
    return RIDGE_OK;
}

/* ---- the summary above the table ---- */

static void add_time(ridge_buf *out, const ridge_prediction_told *t, ridge_arena *a)
{
    const ridge_prediction *p = t->prediction;
    double bound_s = p->bound == RIDGE_BOUND_MEMORY ? p->memory_bound_s
                     : p->bound == RIDGE_BOUND_LINK ? p->link_s
                                                    : p->time_s - p->memory_bound_s - p->link_s;
    const bool partial = ridge_prediction_is_least(p);
    ridge_buf_addf(out, "time        %s%s   %s%s   %s-bound (%.0f %% of the time)\n", partial ? "at least " : "",
                   ridge_units_seconds(a, p->time_s), partial ? "at most " : "", ridge_throughput_text(a, p->tokens_per_s, p->images_per_s),
                   ridge_bound_names[p->bound], p->time_s > 0 ? 100 * bound_s / p->time_s : 0);
    if (p->mfu >= 0)
        ridge_buf_addf(out, "            MFU %s %% of %s", ridge_units_percent(a, 100 * p->mfu), ridge_mfu_peaks_text(a, p));
    else
        ridge_buf_addz(out, partial ? "            compute rate unknown: memory bound only" : "            MFU unknown: no peak");
    if (p->bandwidth_utilisation >= 0)
        ridge_buf_addf(out, "   bandwidth %s %% of %s", ridge_units_percent(a, 100 * p->bandwidth_utilisation),
                       ridge_units_scaled(a, p->rates.bytes_per_s, "B/s"));
    else
        ridge_buf_addz(out, "   bandwidth unknown: compute bound only");
    if (p->launch_s > 0)
        ridge_buf_addf(out, "   launches %s", ridge_units_seconds(a, p->launch_s));
    else if (p->launch_note)
        ridge_buf_addz(out, "   launches not counted");
    ridge_buf_addc(out, '\n');
    if (p->energy_j >= 0)
        ridge_buf_addf(out, "energy      %s %sat %lld W\n", ridge_units_scaled(a, p->energy_j, "J"),
                       t->generation ? "a request's batch, " : "", (long long)p->machine->power_w);
    if (p->cost_per_million_tokens >= 0)
        ridge_buf_addf(out, "cost        %s per million %stokens\n", ridge_units_ratio(a, p->cost_per_million_tokens),
                       t->generation ? "generated " : "");
    if (p->cost_per_million_images >= 0)
        ridge_buf_addf(out, "cost        %s per million images\n", ridge_units_ratio(a, p->cost_per_million_images));
}

static void add_request(ridge_buf *out, const ridge_generation *g, ridge_arena *a)
{
    ridge_buf_addf(out, "request     prompt %lld, generate %lld: first token %s, then %s per token; %s in all\n", (long long)g->prompt,
                   (long long)g->generate, ridge_units_seconds(a, g->ttft_s), ridge_units_seconds(a, g->tpot_s),
                   ridge_units_seconds(a, g->latency_s));
    ridge_buf_addf(out, "            %s, %s; KV cache %s at the last token\n", ridge_units_scaled(a, g->requests_per_s, "requests/s"),
                   ridge_units_scaled(a, g->tokens_per_s, "tokens/s"), ridge_units_bytes(a, g->kv_bytes));
}

static void add_memory(ridge_buf *out, const ridge_prediction_told *t, ridge_arena *a)
{
    const ridge_memory_told *m = &t->memory;
    ridge_buf_addf(out, "memory      %s", ridge_units_bytes(a, m->memory.total));
    if (t->parallel && t->parallel->devices > 1)
        ridge_buf_addz(out, " a device,");
    if (m->capacity >= 0)
        ridge_buf_addf(out, " of %s: %s", ridge_units_bytes(a, m->capacity),
                       m->fits > 0 ? "fits" : RIDGE_LOOK_ALARM "does not fit" RIDGE_LOOK_PLAIN);
    if (ridge_prediction_outgrows(t))
        ridge_buf_addf(out, " with the last token (%s)", ridge_units_bytes(a, t->generation->memory_bytes));
    ridge_buf_addz(out, "   ");
    ridge_memory_parts(out, &m->memory, a);
}

static void add_context(ridge_buf *out, const ridge_prediction *p, ridge_arena *a)
{
    const ridge_fit *f = &p->fit;
    if (f->max_context < 0 || (f->max_batch == 0 && f->max_context == 0))
        return;
    if (f->max_context == 0)
        ridge_buf_addz(out, ", no context at this batch");
    else
        ridge_buf_addf(out, ", context %s at this batch", ridge_units_exact(a, f->max_context));
    if (f->ends)
        ridge_buf_addz(out, ", where the model's positions end");
    else if (f->model_context >= 0)
        ridge_buf_addf(out, " (the model's own maximum: %s)", ridge_units_exact(a, f->model_context));
}

static void add_fit(ridge_buf *out, const ridge_prediction_told *t, ridge_arena *a)
{
    const ridge_prediction *p = t->prediction;
    const ridge_fit *f = &p->fit;
    if (f->max_batch < 0 && f->max_context < 0)
        return;
    const bool tokens = p->model->workload.takes.tokens;
    const char *here = tokens ? " at this context" : "";
    ridge_buf_addz(out, "            ");
    if (f->max_batch == 0)
        ridge_buf_addf(out, "not even one %s fits%s", tokens ? "sequence" : "image", f->max_context == 0 ? ", however short" : here);
    else if (f->max_batch > 0)
        ridge_buf_addf(out, "up to batch %s%s", ridge_units_exact(a, f->max_batch), here);
    else
        ridge_buf_addf(out, "any batch%s", here);
    add_context(out, p, a);
    if (p->request.reserve.bytes > 0 || p->request.reserve.percent > 0)
        ridge_buf_addf(out, "; %s kept free", ridge_units_bytes(a, t->memory.reserve));
    ridge_buf_addc(out, '\n');
    if (t->generation && t->generation->max_batch >= 0)
        ridge_buf_addf(out, "            up to batch %s when the last token is made\n", ridge_units_exact(a, t->generation->max_batch));
}

static void add_way(ridge_buf *out, const char *name, int64_t n)
{
    if (n > 1)
        ridge_buf_addf(out, ", %s %lld", name, (long long)n);
}

static void add_devices(ridge_buf *out, const ridge_prediction_told *t, ridge_arena *a)
{
    const ridge_parallel_told *n = t->parallel;
    ridge_buf_addf(out, "devices     %lld", (long long)n->devices);
    add_way(out, "tensor", n->tensor);
    add_way(out, "pipeline", n->pipeline);
    add_way(out, "expert", n->expert);
    add_way(out, "data", n->data);
    add_way(out, "microbatches", n->microbatches);
    if (n->zero > 0)
        ridge_buf_addf(out, ", ZeRO %lld", (long long)n->zero);
    if (n->link_s > 0)
        ridge_buf_addf(out, "   messages %s (%s %% of the time), %s of a device at %s", ridge_units_seconds(a, n->link_s),
                       ridge_units_percent(a, 100 * n->link_s / t->time_s), ridge_units_bytes(a, (ridge_int)n->link_bytes),
                       ridge_units_scaled(a, n->link_bytes_per_s, "B/s"));
    if (n->pipeline > 1)
        ridge_buf_addf(out, "   bubble %s %%", ridge_units_percent(a, 100 * n->bubble));
    ridge_buf_addc(out, '\n');
}

void ridge_prediction_summary(ridge_buf *out, const ridge_prediction_told *t)
{
    const ridge_prediction *p = t->prediction;
    ridge_arena *a = &p->timed->arena;
    ridge_prediction_verdict(out, t);
    ridge_buf_addf(out, "%s  %s  on %s (%s), %s\n", ridge_shown(a, t->model.model), ridge_shown(a, t->model.architecture),
                   ridge_shown(a, t->machine), ridge_shown(a, p->machine->name), ridge_method_names[t->method]);
    ridge_workload_line(out, &p->model->workload);
    ridge_buf_addc(out, '\n');
    add_time(out, t, a);
    if (t->parallel)
        add_devices(out, t, a);
    if (t->generation)
        add_request(out, t->generation, a);
    add_memory(out, t, a);
    add_fit(out, t, a);
    for (size_t i = 0; i < t->notes.count; i++)
        if (t->notes.items[i] != t->prediction->launch_note)
            ridge_buf_addf(out, "note        %s\n", ridge_shown(a, t->notes.items[i]));
    ridge_buf_addc(out, '\n');
}
