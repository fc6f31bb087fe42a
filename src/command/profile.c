/* ridge profile: the parts of attention, of a layer, of a model, timed apart on this machine (profile/profile.h). */
#include "profile/profile.h"

#include "base/file.h"
#include "command/command.h"
#include "command/measuring.h"
#include "command/model.h"
#include "command/picture.h"
#include "command/store.h"
#include "measure/placement.h"

enum { TRACE_EVENTS = 1 << 14 };

typedef struct profile_request {
    ridge_profile_request profile;
    const char *trace;
    ridge_catalog_options catalog;
    ridge_picture_options pictures;
    ridge_store_options store;
} profile_request;

static const ridge_option options[] = {
    RIDGE_STRING(profile_request, trace, "trace", 0, "FILE", "write a timeline for chrome://tracing or Perfetto",
                 .reach = RIDGE_REACH_OUTPUT),
    RIDGE_OPTION_END,
};

/* ---- measuring and keeping ---- */

/* what was measured took time: where it cannot be kept, it is shown all the same */
static void keep(ridge_profile *p, ridge_call *call, const ridge_store_options *store, ridge_ops *ops, const char *started)
{
    ridge_err err = {0};
    ridge_measured_row *rows;
    size_t count;
    const ridge_store_run what = {.started = started,
                                  .machine = p->machine->fingerprint,
                                  .machine_text = p->machine->text,
                                  .interrupted = p->interrupted,
                                  .settings =
                                      ridge_arena_printf(&call->arena, "{\"budget_s\": %.6g, \"pinned\": true}", p->request.budget_s)};
    if (ridge_profile_measured(&rows, &count, p, ops, &call->arena, &err))
        ridge_call_warn(call, "these rows are not stored: %s", err.msg);
    else
        ridge_store_keep(&p->run, call, store, &what, rows, count);
}

static ridge_status measure(ridge_profile *out, ridge_call *call, const profile_request *r, const ridge_profile_request *q,
                            ridge_trace *trace, ridge_err *err)
{
    const ridge_profile_extras extras = {
        .trace = trace, .progress = ridge_measuring_progress, .estimate = ridge_measuring_estimate, .context = call};
    char started[RIDGE_STORE_DATE_CHARS];
    ridge_registry *registry = NULL;
    ridge_ops ops;
    ridge_status st = q->model ? ridge_call_registry(&registry, call, &r->catalog, err) : RIDGE_OK;
    if (st || (st = ridge_ops_open(&ops, err)))
        return st;
    ridge_store_now(started);
    ridge_measuring_begin(call, (unsigned)q->threads);
    st = ridge_profile_run(out, q, &extras, registry, &ops, &call->arena, err);
    ridge_measuring_end(call, !st && out->interrupted);
    if (!st && !r->store.no_store)
        keep(out, call, &r->store, &ops, started);
    ridge_ops_close(&ops);
    return st;
}

/* ---- the answer ---- */

static ridge_status write_trace(const char *path, const ridge_trace *trace, ridge_err *err)
{
    ridge_buf text = {0};
    ridge_status st = ridge_trace_json(&text, trace, err);
    if (!st)
        st = ridge_file_write_atomic(path, (ridge_str){text.p, text.n}, err);
    ridge_buf_free(&text);
    return st;
}

static ridge_status draw(ridge_buf *picture, ridge_call *call, const ridge_profile *p, const profile_request *r, ridge_err *err)
{
    ridge_plot plot;
    if (!ridge_picture_wanted(call, &r->pictures))
        return RIDGE_OK;
    ridge_status st = ridge_profile_picture(&plot, p, &call->arena, err);
    if (!st)
        st = ridge_picture_draw(picture, call, &r->pictures, &plot, err);
    return ridge_picture_end(st, call, &r->pictures, err);
}

static ridge_status print(ridge_call *call, const ridge_profile *p, const ridge_buf *picture, ridge_err *err)
{
    ridge_buf *out = &call->data;
    const bool text = call->form == RIDGE_FORM_TEXT;
    if (call->form == RIDGE_FORM_JSON) {
        ridge_record_answer(out, &ridge_profile_record, p);
        return RIDGE_OK;
    }
    if (text)
        ridge_profile_head(out, p, &call->arena);
    ridge_status st = ridge_call_table(call, &ridge_profile_component_record, p->components, p->component_count, err);
    if (st || !text || (st = ridge_profile_below(out, p, call->width, &call->arena, err)))
        return st;
    ridge_store_tell(call, p->run);
    if (picture->n > 0)
        ridge_buf_addf(out, "\n%s", picture->p);
    return RIDGE_OK;
}

/* files first: an error then leaves no answer */
static ridge_status answer(ridge_call *call, const ridge_profile *p, const profile_request *r, const ridge_trace *trace, ridge_err *err)
{
    ridge_buf picture = {0};
    ridge_call_warn_all(call, &p->warnings);
    ridge_status st = trace ? write_trace(r->trace, trace, err) : RIDGE_OK;
    if (!st && !(st = draw(&picture, call, p, r, err)))
        st = picture.failed ? ridge_no_memory(err) : print(call, p, &picture, err);
    ridge_buf_free(&picture);
    return st;
}

static ridge_status run(ridge_call *call, const profile_request *r, ridge_profile_what what, ridge_err *err)
{
    ridge_profile_request q = r->profile;
    ridge_profile p;
    ridge_trace *trace = NULL;
    q.what = what;
    q.threads = q.threads > 0 ? q.threads : ridge_placement_cpus();
    ridge_status st = r->trace ? ridge_trace_make(&trace, (unsigned)q.threads, TRACE_EVENTS, err) : RIDGE_OK;
    if (!st && !(st = measure(&p, call, r, &q, trace, err)))
        st = answer(call, &p, r, trace, err);
    ridge_trace_free(trace);
    return st;
}

static ridge_status run_attention(ridge_call *call, const void *values, ridge_err *err)
{
    return run(call, values, RIDGE_PROFILE_ATTENTION, err);
}

static ridge_status run_layer(ridge_call *call, const void *values, ridge_err *err)
{
    return run(call, values, RIDGE_PROFILE_LAYER, err);
}

static ridge_status run_model(ridge_call *call, const void *values, ridge_err *err)
{
    return run(call, values, RIDGE_PROFILE_MODEL, err);
}

/* ---- the commands ---- */

/* tables that a command has for their defaults alone: those that set that no size and no level is given */
static const char *const not_offered[] = {NULL};

/* clang-format off */
#define MODEL(usage, required) \
    RIDGE_OPERAND(profile_request, profile.model, usage, required, RIDGE_MODEL_OPERAND, .reach = RIDGE_REACH_MODEL)
#define SIZES(offered) \
    {.options = ridge_options_profile_sizes, .offset = offsetof(profile_request, profile.shape), .title = "Sizes", .only = offered}
#define RUN(levels) \
    {RIDGE_TABLE(ridge_options_profile, offsetof(profile_request, profile), NULL)}, \
    {.options = ridge_options_profile_levels, .offset = offsetof(profile_request, profile), .only = levels}, \
    {RIDGE_TABLE(options, 0, NULL)}, \
    {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")}, \
    {.options = ridge_options_picture, .offset = offsetof(profile_request, pictures), .title = "Pictures", \
     .only = ridge_picture_without_page}, \
    {RIDGE_TABLE(ridge_options_store, offsetof(profile_request, store), "Measurements")}, \
    {RIDGE_TABLE(ridge_options_catalog, offsetof(profile_request, catalog), "Catalog")}
/* clang-format on */

static const ridge_command profile_attention = {
    .name = "attention",
    .summary = "QKV projection, scores, softmax, weighted sum, output projection",
    .example = "ridge profile attention --hidden 4096 --heads 32 --phase prefill --seq 512 --optimize 3",
    .details = "Scores, softmax and weighted sum are three kernels here, over all pairs; " RIDGE_OPT(
        "optimize") " runs attention as one kernel, causal.",
    .operands = MODEL("[MODEL]", 0),
    .tables = {SIZES(ridge_profile_attention_sizes), RUN(NULL)},
    .request_size = sizeof(profile_request),
    .effect = RIDGE_EFFECT_MEASURES,
    .run = run_attention,
    .records = {&ridge_profile_record},
};
static const ridge_command profile_layer = {
    .name = "layer",
    .summary = "norms, projections, RoPE, attention, MLP, residuals of one layer",
    .example = "ridge profile layer meta-llama/Llama-2-7b-hf --dtype q4_K --past 2048",
    .details = "Of a model it is the layer that there are most of, by the kernels that the catalog has for its parts; without one, a layer "
               "of these sizes.",
    .operands = MODEL("[MODEL]", 0),
    .tables = {SIZES(NULL), RUN(not_offered)},
    .request_size = sizeof(profile_request),
    .effect = RIDGE_EFFECT_MEASURES,
    .run = run_layer,
    .records = {&ridge_profile_record},
};
static const ridge_command profile_model = {
    .name = "model",
    .summary = "a pass of a whole model with random weights: distinct layers run, times their count",
    .example = "ridge profile model meta-llama/Llama-3.2-1B --dtype q4_K --phase decode --past 1024",
    .details = "One layer of each kind is in memory at a time, so models larger than the memory can be profiled. The rows are those of "
               "'ridge predict'; weights come from memory in each pass, as in a run over all layers.",
    .operands = MODEL("MODEL", 1),
    .tables = {SIZES(not_offered), RUN(not_offered)},
    .request_size = sizeof(profile_request),
    .effect = RIDGE_EFFECT_MEASURES,
    .run = run_model,
    .records = {&ridge_profile_record},
};

static const ridge_command *const commands[] = {&profile_attention, &profile_layer, &profile_model, NULL};

const ridge_command ridge_cmd_profile = {
    .name = "profile",
    .group = "Measuring",
    .summary = "where the time of attention, of a layer or of a model goes on this machine",
    .example = "ridge profile layer meta-llama/Llama-2-7b-hf --dtype q4_K",
    .details = "Every kernel is checked against a reference in double precision before it is timed; what bounds it follows from ceilings "
               "measured in the same run (docs/profile.md). Ctrl-C prints what is done and exits with 130.",
    .commands = commands,
};
