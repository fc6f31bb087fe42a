/* ridge pull: what Ridge needs of a model on the Hugging Face hub: its config and indexes into the shared cache, the headers of its
 * weights. */
#include "base/file.h"
#include "base/units.h"
#include "command/command.h"
#include "input/hub/hub.h"
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
    ridge_hub_name name;
    ridge_err *err;
} puller;

/* what says how the model is made, and how its weights lie; folders below belong to other things */
static bool is_wanted(ridge_str file)
{
    static const char *const names[] = {"config.json", "quantize_config.json", "hf_quant_config.json", "model_index.json"};
    if (memchr(file.p, '/', file.n))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ridge_str_is(file, names[i]))
            return true;
    return ridge_str_ends(file, RIDGE_STR(".index.json"));
}

static bool is_weights(ridge_str file)
{
    return !memchr(file.p, '/', file.n) && ridge_str_ends(file, RIDGE_STR(".safetensors"));
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
    ridge_str text;
    ridge_status st = ridge_hub_download(&path, &p->name, file, FILE_MOST, &p->call->arena, p->err);
    if (st || !path)
        return st;
    if ((st = ridge_file_read(&text, path, FILE_MOST, &p->call->arena, p->err)))
        return st;
    return add(p, (pulled){file, (ridge_int)text.n, -1, -1, path});
}

/* the first bytes of a file with its whole header */
static ridge_status read_header(ridge_hub_part *out, const puller *p, const char *file)
{
    ridge_status st = ridge_hub_range(out, &p->name, file, 0, FIRST_PART - 1, &p->call->arena, p->err);
    uint64_t n = 0;
    if (st || !out->there)
        return st;
    if (out->bytes.n < 8 || out->size < 8)
        return ridge_fail(p->err, RIDGE_SYNTAX, "%s: %s is too short to be safetensors", p->name.id, file);
    for (unsigned i = 8; i-- > 0;)
        n = n << 8 | (unsigned char)out->bytes.p[i];
    if (n > RIDGE_SAFETENSORS_HEADER_LIMIT || n > (uint64_t)out->size - 8)
        return ridge_fail(p->err, RIDGE_SYNTAX, "%s: %s says that its header has %llu bytes", p->name.id, file, (unsigned long long)n);
    if (n + 8 <= out->bytes.n)
        return RIDGE_OK;
    st = ridge_hub_range(out, &p->name, file, 0, n + 7, &p->call->arena, p->err);
    return st || out->there ? st : ridge_fail(p->err, RIDGE_IO, "%s: %s went away while it was read", p->name.id, file);
}

static ridge_status pull_header(const puller *p, const char *file)
{
    ridge_hub_part head;
    ridge_binary binary;
    ridge_weights weights;
    pull_answer *a = p->answer;
    ridge_call_progress(p->call, "reading the header of %s", file);
    ridge_status st = read_header(&head, p, file);
    if (st || !head.there)
        return st;
    ridge_binary_head(&binary, file, head.bytes, (uint64_t)head.size);
    if ((st = ridge_safetensors_read(&weights, &binary, &p->call->arena, p->err)))
        return st;
    a->tensors += (ridge_int)weights.count;
    a->elements += weights.elements;
    a->weights_bytes += weights.bytes;
    return add(p, (pulled){file, head.size, (ridge_int)weights.count, weights.elements, NULL});
}

static ridge_status pull(puller *p)
{
    ridge_str *files;
    size_t count;
    ridge_status st = ridge_hub_list(&files, &count, &p->answer->commit, &p->name, &p->call->arena, p->err);
    bool config = false;
    for (size_t i = 0; i < count && !st; i++) {
        const char *file = ridge_arena_strdup(&p->call->arena, files[i]);
        if (!file)
            st = ridge_no_memory(p->err);
        else if (is_wanted(files[i]))
            st = pull_file(p, file);
        else if (is_weights(files[i]))
            st = pull_header(p, file);
        config |= ridge_str_is(files[i], "config.json");
    }
    ridge_call_progress_end(p->call);
    if (!st && !config)
        ridge_call_warn(p->call, "%s has no config.json: its weights are all that is known of it", p->name.id);
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
    if (!ridge_hub_name_read(&p.name, r->id, &call->arena))
        return call->arena.failed ? ridge_no_memory(err)
                                  : ridge_fail(err, RIDGE_USAGE, "'%s' is no id of the hub: org/name, or org/name@revision", r->id);
    answer.model = p.name.id;
    answer.revision = p.name.revision;
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
        "their ranges, so that a model of a terabyte costs some megabytes. HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and HF_HOME count.",
    .operands = RIDGE_OPERAND(request, id, "ID", 1, "org/name, or org/name@revision"),
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)}},
    .request_size = sizeof(request),
    .run = run,
    .records = {&record},
};
