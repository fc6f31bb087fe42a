/* ridge learn: a model's class, read from its Python source.
 *
 * JSON (more keys may come):
 * {"ridge": V, "what": "...", "library": "transformers"|null, "version": "4.57.0.dev0"|null, "class":
 * "transformers.models.llama.modeling_llama.LlamaForCausalLM", "classes": [{"path", "status": "derived"|"known"|"partial", "source":
 * {"file", "line_start", "line_end", "sha256"} | null, "unresolved": [{"kind", "where": "file:line", "chain": [..], "known": null|"..",
 * "unknown": "..", "affects": "..", "help": null|".."}]}], "model": {"parameters": N, "buffers": N (elements), "modules": [{"path",
 * "class", "parameters", "parameters_total", "tensors": {"weight": {"shape": [..], "tied_to": null|"path.weight"}}}], "runs": [{"phase":
 * "prefill"|"decode", "workload": {"batch", "seq", "past", ...: those that were used}, "failed": null | "why it ended early", "flops":
 * {"total", "matmul", "attention", "activation", "embedding", "other", "torch"}, "bytes": {"total", "reads", "writes"}, "kv_cache": N|null
 * (bytes), "operators": {"aten.mm.default": N, ..}, "rows": [{"path", "flops", "torch", "calls"}]  (inclusive; every called module, "" the
 * model), "unresolved": [..]}]}, "unresolved": [..]} A count that is not known is null. */
#include "command/learn.h"

#include "base/file.h"
#include "learn/derive/given.h"

#include <stdlib.h>

static const char *const phases[] = {"prefill", "decode", NULL};
#define MOST ((int64_t)1 << 40)
#define OF   ridge_learn_request
static const ridge_option options[] = {
    RIDGE_STRING(OF, source, "source", 0, "DIR",
                 "a folder that is or holds the package with the source, or a file (default: what the user's Python has)",
                 .reach = RIDGE_REACH_FILE),
    RIDGE_STRING(OF, class_name, "class", 0, "NAME", "another class than the config's (LlamaModel, ...)"),
    RIDGE_STRING(OF, arguments, "arguments", 0, "NAME=VALUE...", "of a class that takes no config: what __init__ gets ('dim=64 heads=4')"),
    RIDGE_STRING(OF, inputs, "inputs", 0, "NAME=SHAPE...",
                 "what forward gets ('pixels=B,3,32,32 ids=B,S:int64'; default: what it takes and the config says)"),
    RIDGE_STRING(OF, out, "out", 0, "FILE", "writes the catalog entries that were learned to a file (-: prints them, and nothing else)",
                 .reach = RIDGE_REACH_OUTPUT),
    RIDGE_STRING(OF, agent, "agent", 0, "COMMAND",
                 "a program that is asked what cannot be derived: JSON question on its standard input, JSON formula on its standard output",
                 .reach = RIDGE_REACH_PROGRAM),
    RIDGE_INT(OF, agent_seconds, "agent-seconds", 0, "N", 1, 86400, "how long the agent may take for one answer (default 300)",
              .unit = "seconds"),
    RIDGE_STRING(
        OF, operators, "operators", 0, "FILE",
        "a catalog file whose operators stand in the place of the built-in ones of the same names ('ridge db show aten.bmm.default')",
        .reach = RIDGE_REACH_FILE),
    RIDGE_FLAG(OF, sdpa, "sdpa", 0, "attention by torch's scaled_dot_product_attention instead of step by step"),
    RIDGE_OPTION_END,
};
static const ridge_option workload_options[] = {
    RIDGE_CHOICE(OF, phase, "phase", 0, phases, "what is run (default: prefill, and decode where there is a cache)"),
    RIDGE_INT(OF, workload.batch, "batch", 'b', "N", 1, MOST, "sequences at once", .unit = "sequences"),
    RIDGE_INT(OF, workload.seq, "seq", 's', "N", 1, MOST, "new tokens per sequence, placeholders of images included", .unit = "tokens"),
    RIDGE_INT(OF, workload.past, "past", 0, "N", 0, MOST, "tokens already in the cache", .unit = "tokens"),
    RIDGE_INT(OF, workload.decoder_seq, "decoder-seq", 0, "N", 1, MOST, "encoder-decoder models: tokens of the decoder", .unit = "tokens"),
    RIDGE_INT(OF, workload.encoder_len, "encoder-len", 0, "N", 1, MOST, "decode: length of the encoder's output", .unit = "tokens"),
    RIDGE_MEDIA_OPTIONS(OF),
    RIDGE_FORMAT(OF, weights, "weights", 0, "number format of the weights (default: the config's dtype)"),
    RIDGE_FORMAT(OF, activations, "activations", 0, "number format of the activations: the weights'"),
    RIDGE_FORMAT(OF, kv, "kv", 0, "number format of the KV cache: the weights'"),
    RIDGE_OPTION_END,
};
#undef OF

/* ---- the request ---- */

static const char *torch_name(const ridge_format *format)
{
    static const char *const names[][2] = {{"fp32", "float32"}, {"bf16", "bfloat16"}, {"fp16", "float16"}, {"fp64", "float64"}};
    for (size_t i = 0; format && i < sizeof names / sizeof *names; i++)
        if (strcmp(format->name, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

ridge_status ridge_learn_request_read(ridge_derive_request *out, const ridge_learn_request *r, ridge_arena *arena, ridge_err *err)
{
    const ridge_format *format = r->activations ? r->activations : r->weights;
    *out = (ridge_derive_request){.what = r->what,
                                  .class = r->class_name,
                                  .source = r->source,
                                  .operators = r->operators,
                                  .sdpa = r->sdpa,
                                  .dtype = torch_name(format)};
    if (format && !out->dtype)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("activations") ": %s is no format that models are run in here (fp32, bf16, fp16)",
                          format->name);
    const ridge_status st = r->arguments ? ridge_given_arguments(&out->config, r->arguments, arena, err) : RIDGE_OK;
    return st || !r->inputs ? st : ridge_given_inputs(&out->inputs, r->inputs, arena, err);
}

/* ---- the answer ---- */

static ridge_status run_once(ridge_learn_answer *a, const ridge_derive_workload *workload)
{
    ridge_learn_run *r = &a->runs[a->run_count];
    ridge_status st = ridge_derive_run_once(&r->run, &a->derivation, workload);
    if (st)
        return st;
    a->run_count++;
    r->cache_bytes = RIDGE_COUNT_UNKNOWN;
    if (r->run.cache.type != RIDGE_PY_T_UNSET && r->run.cache.type != RIDGE_PY_T_NONE)
        st = ridge_count_held(&r->cache_bytes, r->run.cache, &a->derivation.in);
    if (!st)
        st = ridge_count_tree(&r->count, a->derivation.root, &a->derivation.in);
    if (!st)
        st = ridge_count_run(&r->count, r->run.root, &a->derivation.in);
    if (r->run.failed)
        ridge_count_forget(&r->count);
    return st;
}

ridge_status ridge_learn_answer_make(ridge_learn_answer *a, const ridge_learn_request *r, const ridge_agent *agent, bool phase_given,
                                     ridge_arena *arena, ridge_err *err)
{
    ridge_derive_workload workload = r->workload;
    ridge_derive_request request;
    *a = (ridge_learn_answer){.what = r->what, .agent = agent};
    ridge_status st = ridge_learn_request_read(&request, r, arena, err);
    workload.image_height = ridge_image_size_given(&r->image) ? r->image.height : RIDGE_UNSET;
    workload.image_width = ridge_image_size_given(&r->image) ? r->image.width : RIDGE_UNSET;
    workload.images = r->images;
    workload.video_frames = r->video_frames;
    workload.frames = r->frames;
    workload.samples = r->samples;
    request.answers = agent ? &agent->hook : NULL;
    if (!st)
        st = ridge_derive_open(&a->derivation, &request, arena, err);
    if (st)
        return st;
    workload.phase = r->phase == 1 ? RIDGE_DERIVE_DECODE : RIDGE_DERIVE_PREFILL;
    if ((st = run_once(a, &workload)) || phase_given || r->phase == 1 || !a->runs[0].run.decodes || a->runs[0].run.failed)
        return st;
    workload.phase = RIDGE_DERIVE_DECODE;
    workload.seq = RIDGE_UNSET;
    return run_once(a, &workload);
}

/* what an earlier run was told is not asked again */
static void recall(ridge_agent *agent, const ridge_learn_request *r)
{
    ridge_str text;
    ridge_err ignored = {0};
    if (r->out && strcmp(r->out, "-") != 0 && ridge_file_exists(r->out) &&
        ridge_file_read(&text, r->out, (size_t)64 << 20, agent->arena, &ignored) == RIDGE_OK)
        ridge_agent_recall(agent, text);
}

static ridge_status show(ridge_call *call, const ridge_learn_request *r, ridge_agent *agent, ridge_arena *arena, ridge_err *err)
{
    ridge_learn_answer answer;
    static const char *const words[] = {"phase", "batch", "seq", "past", "images", "frames", "samples", "decoder-seq"};
    bool given = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        given |= ridge_words_find(&call->given, words[i]) != NULL;
    ridge_status st =
        agent ? ridge_learn_resolve(&answer, agent, r, given, arena, err) : ridge_learn_answer_make(&answer, r, NULL, given, arena, err);
    if (st || (r->out && strcmp(r->out, "-") == 0)) /* the entries, and nothing else */
        return st;
    if (call->form == RIDGE_FORM_JSON)
        st = ridge_call_answer(call, &ridge_learn_record, &answer);
    else
        ridge_learn_text(&call->data, &answer);
    call->data.failed |= arena->failed;
    return st;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const ridge_learn_request *r = values;
    ridge_agent agent;
    ridge_arena arena;
    ridge_stop stop = 0;
    ridge_status st = RIDGE_OK;
    bool alone = r->out && strcmp(r->out, "-") == 0 && !r->agent;
    ridge_agent_init(&agent, r->agent, r->agent_seconds == RIDGE_UNSET ? 300 : (unsigned)r->agent_seconds, &call->arena);
    agent.stop = &stop;
    if (r->agent) {
        recall(&agent, r);
        ridge_call_listen(call, &stop);
    }
    ridge_arena_init(&arena);
    if (!alone)
        st = show(call, r, r->agent ? &agent : NULL, &arena, err);
    ridge_arena_free(&arena);
    if (!st && r->out)
        st = ridge_learn_write(&call->data, r, r->agent ? &agent : NULL, err);
    if (r->agent)
        ridge_call_listen(call, NULL);
    call->interrupted = stop;
    return st;
}

const ridge_command ridge_cmd_learn = {
    .name = "learn",
    .group = "Models",
    .summary = "reads a model's Python source and derives what it costs, without running it",
    .example = "ridge learn LlamaForCausalLM --source ~/transformers",
    .details =
        "The source is interpreted on sizes that stay names: nothing of it is imported or executed. What depends on data is listed as "
        "unresolved, and the rest is still derived.",
    .operands = RIDGE_OPERAND(ridge_learn_request, what, "CLASS|MODEL", 1,
                              "a class (LlamaForCausalLM, package.module.Class) or a model: a folder, a config.json, an id",
                              .reach = RIDGE_REACH_MODEL),
    .tables = {{RIDGE_TABLE(options, 0, "Source")},
               {RIDGE_TABLE(workload_options, 0, "Workload")},
               {RIDGE_TABLE_OF_CALL(ridge_options_json, "Output")}},
    .request_size = sizeof(ridge_learn_request),
    .effect = RIDGE_EFFECT_LOCAL,
    .run = run,
    .records = {&ridge_learn_record},
};
