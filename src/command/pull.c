/* ridge pull: what Ridge needs of a model on the Hugging Face hub: its config and indexes into the shared cache, the headers of its
 * weights; of GGUFs, which say themselves what they are, the header of the one that is meant. */
#include "base/units.h"
#include "command/command.h"
#include "input/gguf/remote.h"
#include "input/hub/head.h"
#include "input/hub/kept.h"
#include "input/names.h"
#include "input/safetensors.h"
#include "report/text.h"

enum { FILE_MOST = 64 << 20, FIRST_PART = 1 << 16 };

typedef struct request {
    const char *id;
} request;

typedef struct pulled {
    const char *file;
    ridge_int bytes, tensors, elements; /* bytes: of the whole file; tensors, elements: of weights, else negative */
    const char *path;                   /* in the cache; NULL: of weights, the header alone was read */
} pulled;

typedef struct pull_answer {
    const char *model, *revision, *commit;
    pulled *files;
    size_t file_count, cap;
    ridge_int tensors, elements, weights_bytes; /* of all weight files */
} pull_answer;

typedef struct puller {
    ridge_call *call;
    pull_answer *answer;
    ridge_gguf_id id;
    ridge_hub_list list;
    ridge_err *err;
} puller;

/* what says how the model is made, and how its weights lie; folders below belong to other things */
static bool is_wanted(const char *file)
{
    static const char *const names[] = {"config.json", "quantize_config.json", "hf_quant_config.json", "model_index.json"};
    if (strchr(file, '/'))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(file, names[i]) == 0)
            return true;
    return ridge_str_ends(ridge_str_of(file), RIDGE_STR(".index.json"));
}

static bool is_weights(const char *file)
{
    return !strchr(file, '/') && ridge_str_ends(ridge_str_of(file), RIDGE_STR(".safetensors"));
}

static ridge_status add(const puller *p, pulled one)
{
    pull_answer *a = p->answer;
    if (!ridge_arena_more(&p->call->arena, &a->files, a->file_count, &a->cap, sizeof *a->files))
        return ridge_no_memory(p->err);
    a->files[a->file_count++] = one;
    return RIDGE_OK;
}

static ridge_status pull_file(const puller *p, const char *file)
{
    const char *path;
    size_t bytes;
    ridge_status st = ridge_hub_download(&path, &bytes, &p->id.name, file, FILE_MOST, &p->call->arena, p->err);
    return st || !path ? st : add(p, (pulled){file, (ridge_int)bytes, -1, -1, path});
}

/* a weight file of which the header was read */
static ridge_status add_weights(const puller *p, const char *file, ridge_int bytes, const ridge_weights *w)
{
    pull_answer *a = p->answer;
    a->tensors += (ridge_int)w->count;
    a->elements += w->elements;
    a->weights_bytes += w->bytes;
    return add(p, (pulled){file, bytes, (ridge_int)w->count, w->elements, NULL});
}

static ridge_status pull_header(const puller *p, const char *file)
{
    const ridge_hub_name at = {p->id.name.id, p->list.commit};
    ridge_hub_head head;
    ridge_weights weights;
    bool there;
    ridge_call_progress(p->call, "reading the header of %s", file);
    ridge_status st = ridge_hub_head_open(&head, &there, &at, file, FIRST_PART, &p->call->arena, p->err);
    if (!st && there && !(st = ridge_safetensors_read(&weights, &head.binary, &p->call->arena, p->err)) &&
        !(st = ridge_hub_head_keep(&head, &p->call->arena, p->err)))
        st = add_weights(p, file, (ridge_int)head.binary.size, &weights);
    ridge_hub_head_close(&head);
    return st;
}

/* all parts of a GGUF, at the commit of the list */
static ridge_status pull_gguf(const puller *p, const char *file)
{
    ridge_arena *arena = &p->call->arena;
    const ridge_hub_name at = {p->id.name.id, p->list.commit};
    ridge_status st = RIDGE_OK;
    unsigned count = 1;
    for (unsigned i = 1; i <= count && !st; i++) {
        const char *name = ridge_gguf_part_name(&count, file, i, arena), *commit;
        ridge_gguf gguf;
        bool there;
        if (!name)
            return ridge_no_memory(p->err);
        ridge_call_progress(p->call, "reading the header of %s", name);
        if ((st = ridge_gguf_fetch(&gguf, &commit, &there, &at, name, arena, p->err)))
            return st;
        st = there ? add_weights(p, name, gguf.file_bytes, &gguf.weights) : ridge_fail(p->err, RIDGE_IO, "%s has no file %s", at.id, name);
    }
    return st ? st : ridge_hub_keep_list(&p->id.name, &p->list, arena, p->err);
}

/* the config, the indexes, the headers of safetensors; *found: there was any */
static ridge_status pull_model(const puller *p, bool *found)
{
    ridge_status st = RIDGE_OK;
    bool config = false;
    *found = false;
    for (size_t i = 0; i < p->list.count && !st; i++) {
        const char *file = p->list.files[i].name;
        const bool wanted = is_wanted(file), weights = is_weights(file);
        if (wanted)
            st = pull_file(p, file);
        else if (weights)
            st = pull_header(p, file);
        config |= strcmp(file, "config.json") == 0;
        *found |= wanted || weights;
    }
    if (!st && !config && *found)
        ridge_call_warn(p->call, "%s has no config.json: its weights are all that is known of it", p->id.name.id);
    return st;
}

static ridge_status pull(puller *p)
{
    const ridge_gguf_id *id = &p->id;
    ridge_arena *arena = &p->call->arena;
    const char *gguf = id->file;
    bool found = false;
    ridge_status st = ridge_hub_list_ask(&p->list, &id->name, arena, p->err);
    p->answer->commit = p->list.commit;
    if (!st && !id->tag && !id->file)
        st = pull_model(p, &found);
    if (!st && !found && !gguf)
        st = ridge_gguf_id_choose(&gguf, id, &p->list, arena, p->err);
    if (!st && gguf)
        st = pull_gguf(p, gguf);
    else if (!st && !found)
        st = ridge_fail(p->err, RIDGE_IO, "%s has no config.json, no safetensors and no GGUF", id->name.id);
    ridge_call_progress_end(p->call);
    return st;
}

/* ---- output ---- */

static const ridge_record_field file_fields[] = {
    RIDGE_R_TEXT(pulled, file, "file", NULL, RIDGE_IN_ALL, "its path in the repository"),
    RIDGE_R_COUNT(pulled, bytes, "bytes", NULL, RIDGE_IN_ALL, "of the whole file", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(pulled, tensors, "tensors", NULL, RIDGE_IN_ALL, "of a weight file, how many it has"),
    RIDGE_R_COUNT(pulled, elements, "elements", NULL, RIDGE_IN_ALL, "of its tensors"),
    RIDGE_R_TEXT(pulled, path, "path", NULL, RIDGE_IN_DATA, "in the cache; null: of a weight file the header alone was read"),
};
static const ridge_record file_record = RIDGE_RECORD(pulled, "file", file_fields, "a file of the model");

static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(pull_answer, model, "model", NULL, RIDGE_IN_JSON, "its id"),
    RIDGE_R_TEXT(pull_answer, revision, "revision", NULL, RIDGE_IN_JSON, "the branch, tag or commit that was asked for"),
    RIDGE_R_TEXT(pull_answer, commit, "commit", NULL, RIDGE_IN_JSON, "what that is now"),
    RIDGE_R_LIST(pull_answer, files, file_count, &file_record, "files", RIDGE_IN_JSON, "what was read", .open = true),
    RIDGE_R_COUNT(pull_answer, tensors, "tensors", NULL, RIDGE_IN_JSON, "of all weight files"),
    RIDGE_R_COUNT(pull_answer, elements, "elements", NULL, RIDGE_IN_JSON, "of all tensors"),
    RIDGE_R_COUNT(pull_answer, weights_bytes, "weights_bytes", NULL, RIDGE_IN_JSON, "of all tensors", .unit = RIDGE_UNIT_BYTES),
};
static const ridge_record record = RIDGE_RECORD(pull_answer, "ridge pull", fields, "what was fetched of a model");

static ridge_status print(ridge_call *call, const pull_answer *a, ridge_err *err)
{
    ridge_arena *arena = &call->arena;
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &record, a);
    if (call->form == RIDGE_FORM_TEXT)
        ridge_buf_addf(&call->data, "%s at %s (%s)\n\n", a->model, a->revision, a->commit);
    ridge_status st = ridge_call_table(call, &file_record, a->files, a->file_count, err);
    if (!st && call->form == RIDGE_FORM_TEXT && a->tensors > 0)
        ridge_buf_addf(&call->data, "\n%s tensors of %s elements, %s\n", ridge_units_exact(arena, a->tensors),
                       ridge_units_exact(arena, a->elements), ridge_units_bytes(arena, a->weights_bytes));
    return st;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const request *r = values;
    pull_answer answer = {0};
    puller p = {.call = call, .answer = &answer, .err = err};
    if (!ridge_gguf_id_read(&p.id, ridge_id_of_address(r->id, &call->arena), &call->arena))
        return call->arena.failed ? ridge_no_memory(err)
                                  : ridge_fail(err, RIDGE_USAGE,
                                               "'%s' is no id of the hub: org/name, org/name@revision, of a GGUF org/name:Q4_K_M", r->id);
    answer.model = p.id.name.id;
    answer.revision = p.id.name.revision;
    ridge_status st = pull(&p);
    return st ? st : print(call, &answer, err);
}

const ridge_command ridge_cmd_pull = {
    .name = "pull",
    .group = "Models",
    .summary = "fetches a model's config and indexes from the hub, and reads the headers of its weights",
    .example = "ridge pull Qwen/Qwen3-8B",
    .details =
        "Into the cache that Hugging Face's programs share, anew, whatever is there; of safetensors files the headers alone are read, by "
        "their ranges, so that a model of a terabyte costs some megabytes. Of a repository of GGUFs org/name:Q4_K_M names one, whose "
        "header "
        "is read. HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and HF_HOME count.",
    .operands = RIDGE_OPERAND(request, id, "ID", 1, "org/name, org/name@revision, or of a GGUF org/name:Q4_K_M"),
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)}},
    .request_size = sizeof(request),
    .effect = RIDGE_EFFECT_FETCHES,
    .run = run,
    .records = {&record},
};
