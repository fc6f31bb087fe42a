#include "model/inspect.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/shown.h"
#include "input/graph_file.h"
#include "input/hub/kept.h"
#include "input/probe.h"
#include "input/shards.h"

#define OF ridge_inspect_request
const ridge_option ridge_options_inspect[] = {
    RIDGE_FLAG(OF, all, "all", 'a', "layers unfolded", .needs = "!json"),
    RIDGE_INT(OF, depth, "depth", 'd', "N", 0, 64, "modules down to this depth", .needs = "!json"),
    RIDGE_FLAG(OF, verify, "verify", 0, "compare the tree with the tensors of the weight files beside the config"),
    RIDGE_OPTION_END,
};

/* ---- weight files ---- */

/* a file beside another one */
static const char *beside(const char *path, const char *name, ridge_arena *arena)
{
    const char *slash = strrchr(path, '/');
    return ridge_arena_printf(arena, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
}

static const char *folder_of(const char *path, ridge_arena *arena)
{
    const char *slash = strrchr(path, '/');
    return slash ? ridge_arena_strdup(arena, (ridge_str){path, slash == path ? 1 : (size_t)(slash - path)}) : ".";
}

/* Is the model named by a weight file, or by a folder that has such and no config? NULL: it is not. */
static const char *only_weights(const ridge_model_request *r, ridge_arena *arena)
{
    const char *model = r->model;
    if (r->config_text || ridge_graph_file_looks(model)) /* a graph has modules, too */
        return NULL;
    if (!ridge_file_is_folder(model))
        return ridge_shards_is(model) || ridge_probe_looks(model) ? model : NULL;
    const char *slash = model[0] && model[strlen(model) - 1] == '/' ? "" : "/";
    const char *config = ridge_arena_printf(arena, "%s%sconfig.json", model, slash);
    const char *pipeline = ridge_arena_printf(arena, "%s%smodel_index.json", model, slash);
    if (!config || !pipeline || ridge_file_exists(config) || ridge_file_exists(pipeline))
        return NULL;
    return ridge_shards_in(model, arena) ? model : NULL;
}

static ridge_status read_contents(ridge_inspect_answer *out, const char *path, ridge_shards_options options, ridge_err *err)
{
    ridge_status st = ridge_shards_read(&out->weights, path, options, &out->arena, err);
    if (!st && !(out->contents = ridge_arena_alloc(&out->arena, sizeof *out->contents)))
        st = ridge_no_memory(err);
    return st ? st : ridge_contents_make(out->contents, &out->weights, &out->arena, err);
}

static ridge_status warn(ridge_inspect_answer *out, const char *text, ridge_err *err)
{
    return text ? ridge_words_add(&out->warnings, text, &out->arena, err) : ridge_no_memory(err);
}

/* tensors that are no parameters as far as the file tells: packed weights would be missing in the number */
static ridge_status warn_of_integers(ridge_inspect_answer *out, ridge_err *err)
{
    const ridge_contents *s = out->contents;
    ridge_int tensors = 0;
    const char *formats = "";
    for (size_t i = 0; i < s->format_count && formats; i++)
        if (s->formats[i].format->integer) {
            tensors += s->formats[i].tensors;
            formats = ridge_arena_printf(&out->arena, "%s%s%s", formats, formats[0] ? ", " : "", s->formats[i].format->name);
        }
    if (!tensors)
        return RIDGE_OK;
    return warn(out,
                ridge_arena_printf(&out->arena, "%s tensor%s of %s: packed weights, scales or buffers, which are not counted as parameters",
                                   ridge_units_exact(&out->arena, tensors), tensors == 1 ? " is" : "s are", formats ? formats : ""),
                err);
}

static ridge_status answer_of_weights(ridge_inspect_answer *out, const ridge_inspect_request *request, const char *path, ridge_err *err)
{
    ridge_status st = read_contents(out, path, (ridge_shards_options){0}, err);
    if (st || (st = warn_of_integers(out, err)))
        return st;
    out->counts = (ridge_parameter_counts){out->contents->parameters, -1, -1};
    out->stored = out->contents->formats;
    out->stored_count = out->contents->format_count;
    out->told = (ridge_model_told){.model = request->model.model, .parameters = &out->counts};
    out->weights_bytes = out->weights.bytes;
    if (!(out->rows = ridge_arena_array(&out->arena, out->contents->count + 1, sizeof *out->rows)))
        return ridge_no_memory(err);
    for (uint32_t i = 0; i < out->contents->count; i++) {
        const ridge_contents_module *m = &out->contents->modules[i];
        out->rows[out->row_count++] = (ridge_inspect_row){
            .contents = out->contents, .index = i, .path = m->path, .parameters = m->parameters, .parameters_total = m->parameters_total};
    }
    return RIDGE_OK;
}

/* names alone are compared where an index is all that is here */
static ridge_status warn_of_absent(ridge_inspect_answer *out, const char *id, ridge_err *err)
{
    if (!id || !out->weights.absent_files)
        return RIDGE_OK;
    ridge_status st =
        ridge_analysis_warn(out->analysis, err, "'ridge pull %s' reads the headers of the files that are not here, and their shapes", id);
    out->warnings = out->analysis->warnings;
    return st;
}

/* the tree beside the tensors of a weight file, or of a folder that has such; `id`: of a model of the hub, else NULL */
static ridge_status compare(ridge_inspect_answer *out, const char *folder, const char *id, ridge_err *err)
{
    ridge_status st = read_contents(out, folder, (ridge_shards_options){.absent = true}, err);
    if (st || (st = warn_of_absent(out, id, err)))
        return st;
    if (!(out->verify = ridge_arena_alloc(&out->arena, sizeof *out->verify)))
        return ridge_no_memory(err);
    return ridge_verify_make(out->verify, &out->tree, &out->weights, &out->arena, err);
}

/* What 'ridge pull' takes, of a model whose config is in the hub's cache; NULL: it is elsewhere, or memory runs out. */
static const char *pulled_as(ridge_inspect_answer *out)
{
    const char *id = ridge_hub_id_of(out->analysis->file.path, &out->arena);
    return id && !ridge_file_exists(out->told.model) ? out->told.model : id;
}

/* Weights that are only on the hub: their headers are many requests, which one command alone makes. */
static ridge_status not_pulled(const ridge_inspect_answer *out, const char *id, ridge_err *err)
{
    return ridge_fail(
        err, RIDGE_IO,
        "%s: neither its weights are here nor their headers: 'ridge pull %s' reads the headers of its safetensors from the hub",
        out->told.model, id);
}

/* the files of the model: the one that was named, else those beside the config */
static ridge_status verify(ridge_inspect_answer *out, const char *files, ridge_err *err)
{
    const char *config = out->analysis->file.path;
    const char *folder = files ? files : folder_of(config, &out->arena);
    if (!folder)
        return ridge_no_memory(err);
    if (out->analysis->ops)
        return ridge_fail(err, RIDGE_IO, "%s: a graph has its weights in itself, and no config to compare them with", out->told.model);
    if (out->analysis->file.gguf)
        return ridge_fail(
            err, RIDGE_IO,
            "%s: a GGUF has other names for its tensors; they are given to the model as it is read, where one that is missing is an "
            "error and one that is left a warning",
            out->told.model);
    if (!files && !ridge_file_exists(config))
        return ridge_fail(err, RIDGE_IO, "%s: the config is shipped without weights, so there is nothing to compare it with", config);
    const char *id = files ? NULL : pulled_as(out);
    if (id && !ridge_shards_in(folder, &out->arena) && !out->arena.failed)
        return not_pulled(out, id, err);
    return out->arena.failed ? ridge_no_memory(err) : compare(out, folder, id, err);
}

/* ---- the model ---- */

static ridge_status add_rows(ridge_inspect_answer *out, ridge_arena *arena, ridge_err *err)
{
    if (!(out->rows = ridge_arena_array(arena, out->tree.count + 1u, sizeof *out->rows)))
        return ridge_no_memory(err);
    for (uint32_t i = 0; i < out->tree.count; i++) {
        const ridge_tree_module *m = &out->tree.modules[i];
        out->rows[out->row_count++] = (ridge_inspect_row){.tree = &out->tree,
                                                          .index = i,
                                                          .path = m->path,
                                                          .class_name = m->node->class_name,
                                                          .parameters = m->parameters,
                                                          .parameters_total = m->parameters_total};
    }
    return RIDGE_OK;
}

static ridge_status answer_of_config(ridge_inspect_answer *out, ridge_registry *registry, const ridge_inspect_request *request,
                                     const char *files, ridge_err *err)
{
    ridge_model_request model = request->model;
    if (files && !(model.model = beside(files, "config.json", &out->arena)))
        return ridge_no_memory(err);
    if (files && !ridge_file_exists(model.model))
        return ridge_fail(err, RIDGE_IO, "%s: there is no config.json beside it, so there is no tree to compare it with", files);
    ridge_status st = ridge_analysis_exact(&out->analysis, registry, &model, RIDGE_ROWS_NONE, err);
    ridge_analysis *a = out->analysis;
    if (st)
        return st;
    ridge_model_tell(&out->told, a);
    out->unknown = a->unknown;
    out->unknown_count = a->unknown_count;
    out->warnings = a->warnings;
    if (a->nothing_known || (st = ridge_tree_make(&out->tree, &a->graph, a->root)))
        return st;
    out->class_name = a->class_name;
    out->weights_bytes = a->memory.weights;
    out->buffers_bytes = out->tree.buffer_bytes;
    out->stored = a->stored.shares;
    out->stored_count = a->stored.count;
    out->config = a->config;
    st = add_rows(out, &a->arena, err);
    return st || !request->verify ? st : verify(out, files, err);
}

/* A pipe is read here, once: what it holds is then the text of the request. */
static ridge_status is_inventory(bool *is, ridge_model_request *r, ridge_arena *arena, ridge_err *err)
{
    struct stat info;
    ridge_str text;
    *is = false;
    const bool pipe = !r->config_text && !stat(r->model, &info) && S_ISFIFO(info.st_mode);
    if (!r->config_text && !pipe) {
        *is = ridge_inventory_looks(r->model);
        return RIDGE_OK;
    }
    if (pipe) {
        const ridge_status st = ridge_file_read(&text, r->model, RIDGE_INVENTORY_LIMIT, arena, err);
        if (st)
            return st;
        r->config_text = text.p;
        r->config_length = text.n;
    }
    *is = ridge_inventory_is((ridge_str){r->config_text, r->config_length});
    return RIDGE_OK;
}

static ridge_status answer_of_inventory(ridge_inspect_answer *out, const ridge_inspect_request *request, ridge_err *err)
{
    ridge_status st = ridge_inspect_inventory(out, &request->model, err);
    if (st || (st = add_rows(out, &out->arena, err)) || !request->verify)
        return st;
    const char *folder = folder_of(out->told.model, &out->arena);
    return folder ? compare(out, folder, NULL, err) : ridge_no_memory(err);
}

ridge_status ridge_inspect_answer_make(ridge_inspect_answer *out, ridge_registry *registry, const ridge_inspect_request *request,
                                       ridge_err *err)
{
    *out = (ridge_inspect_answer){.weights_bytes = -1, .buffers_bytes = -1};
    ridge_arena_init(&out->arena);
    bool is;
    ridge_inspect_request asked = *request;
    ridge_status st = is_inventory(&is, &asked.model, &out->arena, err);
    if (st || is)
        return st ? st : answer_of_inventory(out, &asked, err);
    const char *files = only_weights(&asked.model, &out->arena);
    if (out->arena.failed)
        return ridge_no_memory(err);
    if (!files || (request->verify && !ridge_file_is_folder(files)))
        return answer_of_config(out, registry, &asked, files, err);
    if (request->verify)
        return ridge_fail(err, RIDGE_IO, "%s: there is no config.json in this folder, so there is no tree to compare the weights with",
                          files);
    return answer_of_weights(out, &asked, files, err);
}

void ridge_inspect_answer_free(ridge_inspect_answer *answer)
{
    ridge_analysis_free(answer->analysis);
    ridge_arena_free(&answer->arena);
    *answer = (ridge_inspect_answer){0};
}

/* ---- JSON, CSV, Markdown ---- */

static bool is_nested(const ridge_field *f)
{
    return f->value.type == RIDGE_V_OBJECT && f->value.u.object->what && strcmp(f->value.u.object->what, "an object") != 0;
}

/* the defaults as they were taken, not what was derived from them later; "text_config.hidden_size" inside a nested config */
static void write_assumed_of(ridge_json_writer *w, const ridge_object *config, ridge_str prefix)
{
    for (size_t i = 0; i < config->count; i++) {
        const ridge_field *f = &config->fields[i];
        ridge_buf key = {0};
        ridge_buf_addf(&key, "%.*s%s%s", RIDGE_STR_ARG(prefix), prefix.n > 0 ? "." : "", f->name->text);
        if (is_nested(f)) {
            write_assumed_of(w, f->value.u.object, (ridge_str){key.p, key.n});
        } else if (f->assumed && !key.failed) {
            ridge_jw_key(w, key.p);
            ridge_value_json(w, f->given);
        }
        w->buf->failed |= key.failed;
        ridge_buf_free(&key);
    }
}

static void write_assumed(ridge_json_writer *w, const void *row)
{
    const ridge_inspect_answer *answer = row;
    if (!answer->config) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object_compact(w);
    write_assumed_of(w, answer->config, (ridge_str){"", 0});
    ridge_jw_end_object(w);
}

static void write_tensors_of_tree(ridge_json_writer *w, const ridge_inspect_row *r)
{
    const ridge_tensors *t = &r->tree->modules[r->index].node->weights;
    for (size_t i = 0; i < t->n; i++) {
        ridge_str tied = ridge_tree_tied_to(r->tree, r->index, t->p[i].name);
        ridge_jw_key(w, t->p[i].name->text);
        ridge_jw_object(w);
        ridge_jw_key(w, "shape");
        ridge_jw_array(w);
        for (size_t k = 0; k < t->p[i].rank; k++)
            ridge_jw_int(w, t->p[i].dims[k]);
        ridge_jw_end_array(w);
        ridge_jw_key(w, "tied_to");
        if (tied.p)
            ridge_jw_str(w, tied);
        else
            ridge_jw_null(w);
        ridge_jw_end_object(w);
    }
}

static void write_tensors_of_files(ridge_json_writer *w, const ridge_inspect_row *r)
{
    const ridge_contents_module *m = &r->contents->modules[r->index];
    for (uint32_t i = 0; i < m->count; i++) {
        const ridge_weight *t = &r->contents->weights->tensors[r->contents->order[m->first + i]];
        ridge_jw_key_str(w, ridge_contents_own_name(t->name));
        ridge_jw_object(w);
        ridge_jw_key(w, "shape");
        ridge_jw_array(w);
        for (uint32_t k = 0; k < t->rank; k++)
            ridge_jw_int(w, (ridge_int)t->shape[k]);
        ridge_jw_end_array(w);
        ridge_jw_key(w, "tied_to");
        if (t->tied)
            ridge_jw_str(w, r->contents->weights->tensors[t->tied - 1].name);
        else
            ridge_jw_null(w);
        ridge_jw_member_text(w, "stored_as", t->stored_as);
        ridge_jw_member_whole(w, "bytes", t->bytes);
        ridge_jw_end_object(w);
    }
}

static void write_tensors(ridge_json_writer *w, const void *row)
{
    const ridge_inspect_row *r = row;
    ridge_jw_object(w);
    if (r->tree)
        write_tensors_of_tree(w, r);
    else
        write_tensors_of_files(w, r);
    ridge_jw_end_object(w);
}

static const ridge_record_field row_fields[] = {
    RIDGE_R_STR(ridge_inspect_row, path, "path", NULL, RIDGE_IN_DATA | RIDGE_IN_MARKDOWN, "as named_modules() gives it"),
    RIDGE_R_TEXT(ridge_inspect_row, class_name, "class", NULL, RIDGE_IN_DATA | RIDGE_IN_MARKDOWN, "the module's class"),
    RIDGE_R_COUNT(ridge_inspect_row, parameters, "parameters", NULL, RIDGE_IN_DATA | RIDGE_IN_MARKDOWN,
                  "its own parameters; a tied one counts in every module that holds it"),
    RIDGE_R_COUNT(ridge_inspect_row, parameters_total, "parameters_total", "with all below", RIDGE_IN_DATA | RIDGE_IN_MARKDOWN,
                  "parameters of the module and all below it, tied ones once"),
    RIDGE_R_WRITTEN("tensors", write_tensors, "name, shape and tie of its own tensors"),
};
const ridge_record ridge_inspect_row_record = RIDGE_RECORD(ridge_inspect_row, "module", row_fields, "a module of named_modules()");

#define ANSWER ridge_inspect_answer
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ANSWER, told.model, "model", NULL, RIDGE_IN_JSON, "the model as it was named"),
    RIDGE_R_TEXT(ANSWER, told.architecture, "architecture", NULL, RIDGE_IN_JSON, "the class that runs"),
    RIDGE_R_TEXT(ANSWER, class_name, "class", NULL, RIDGE_IN_JSON, "that class with its Python module"),
    RIDGE_R_AT(ANSWER, told.parameters, &ridge_parameters_record, "parameters", RIDGE_IN_JSON, "numbers of parameters", .compact = true),
    RIDGE_R_COUNT(ANSWER, weights_bytes, "weights_bytes", NULL, RIDGE_IN_JSON, "the weights in their format", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_LIST(ANSWER, stored, stored_count, &ridge_share_record, "stored", RIDGE_IN_JSON,
                 "of a file that says how its weights are stored, its number formats", .compact = true),
    RIDGE_R_COUNT(ANSWER, buffers_bytes, "buffers_bytes", NULL, RIDGE_IN_JSON, "registered buffers", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_WRITTEN("assumed", write_assumed, "defaults taken because the config lacks the field"),
    RIDGE_R_LIST(ANSWER, rows, row_count, &ridge_inspect_row_record, "modules", RIDGE_IN_JSON,
                 "every module, in the order of named_modules()"),
    RIDGE_R_LIST(ANSWER, unknown, unknown_count, &ridge_unknown_record, "unknown", RIDGE_IN_JSON, "what the catalog does not have"),
    RIDGE_R_AT(ANSWER, contents, &ridge_contents_record, "files", RIDGE_IN_JSON, "the weight files; null where they were not read"),
    RIDGE_R_AT(ANSWER, inventory, &ridge_inspect_inventory_record, "inventory", RIDGE_IN_JSON,
               "of a model that is an inventory, how it was made", RIDGE_WHERE(ANSWER, inventory)),
    RIDGE_R_AT(ANSWER, verify, &ridge_verify_record, "verify", RIDGE_IN_JSON, "the tree beside the files", RIDGE_WHERE(ANSWER, verify)),
    RIDGE_R_TEXTS(ANSWER, warnings, "warnings", NULL, RIDGE_IN_JSON, "what a reader should know"),
};
const ridge_record ridge_inspect_record = RIDGE_RECORD(ANSWER, "ridge inspect", fields, "the module tree of a model");

/* ---- text: equal layers folded ---- */

typedef struct printer {
    ridge_buf *out;
    const ridge_tree *tree;
    const ridge_inspect_request *request;
    ridge_arena *arena;
} printer;

const char *ridge_inspect_short_class(const char *name)
{
    const char *dot = ridge_str_starts(ridge_str_of(name), RIDGE_STR("aten.")) ? NULL : strrchr(name, '.'); /* an operator's whole name */
    return dot ? dot + 1 : name;
}

static void add_tensors(const printer *p, uint32_t at)
{
    const ridge_tensors *w = &p->tree->modules[at].node->weights;
    for (size_t i = 0; i < w->n; i++) {
        ridge_str tied = ridge_tree_tied_to(p->tree, at, w->p[i].name);
        ridge_buf_addf(p->out, "%s%s[", i ? ", " : "  ", ridge_shown(p->arena, w->p[i].name->text));
        for (size_t k = 0; k < w->p[i].rank; k++) {
            if (k)
                ridge_buf_addz(p->out, ", ");
            ridge_buf_add_int(p->out, w->p[i].dims[k]);
        }
        ridge_buf_addc(p->out, ']');
        if (tied.p)
            ridge_buf_addf(p->out, " = %s", ridge_weight_shown(p->arena, tied));
    }
}

/* how many siblings from `at` on are the same node as it (equal layers are one node) */
static uint32_t equal_run(const printer *p, uint32_t at, uint32_t *next)
{
    const ridge_tree_module *m = p->tree->modules;
    uint32_t run = 1, end = m[at].end, last = m[at].parent == UINT32_MAX ? end : m[m[at].parent].end;
    bool numbered = m[at].name.n && m[at].name.p[0] >= '0' && m[at].name.p[0] <= '9';
    while (!p->request->all && numbered && end < last && m[end].node == m[at].node) {
        run++;
        end = m[end].end;
    }
    *next = end;
    return run;
}

static void add_line(const printer *p, uint32_t at, uint32_t run)
{
    const ridge_tree_module *m = &p->tree->modules[at];
    ridge_buf_addf(p->out, "%*s", (int)(2 * m->depth), "");
    if (run > 1) {
        uint32_t last = at;
        for (uint32_t i = 1; i < run; i++)
            last = p->tree->modules[last].end;
        ridge_buf_addf(p->out, "%s-%s: %u x ", ridge_weight_shown(p->arena, m->name),
                       ridge_weight_shown(p->arena, p->tree->modules[last].name), run);
    } else if (m->name.n) {
        ridge_buf_addf(p->out, "%s: ", ridge_weight_shown(p->arena, m->name));
    }
    ridge_buf_addz(p->out, ridge_shown(p->arena, m->depth ? ridge_inspect_short_class(m->node->class_name) : m->node->class_name));
    add_tensors(p, at);
    if (m->parameters_total)
        ridge_buf_addf(p->out, "  %s", ridge_units_exact(p->arena, m->parameters_total));
    ridge_buf_addc(p->out, '\n');
}

static void print_level(const printer *p, uint32_t at, uint32_t end)
{
    while (at < end) {
        uint32_t next, run = equal_run(p, at, &next);
        const ridge_tree_module *m = &p->tree->modules[at];
        if (p->request->depth < 0 || m->depth <= p->request->depth) {
            add_line(p, at, run);
            print_level(p, at + 1, m->end);
        }
        at = next;
    }
}

static void add_assumed(ridge_buf *out, const ridge_object *config, const char *prefix)
{
    for (size_t i = 0; i < config->count; i++) {
        const ridge_field *f = &config->fields[i];
        if (is_nested(f))
            add_assumed(out, f->value.u.object, f->name->text);
        if (!f->assumed || f->value.type == RIDGE_V_OBJECT)
            continue;
        ridge_buf_addf(out, "%s%s%s%s=", out->n && out->p[out->n - 1] != ' ' ? ", " : "", prefix, prefix[0] ? "." : "", f->name->text);
        ridge_value_print(out, f->given);
    }
}

/* "stored      q4_K 4.1 GB (193 tensors), q6_K 1.2 GB (32)" */
static void add_stored(ridge_buf *out, const ridge_inspect_answer *answer, ridge_arena *arena)
{
    for (size_t i = 0; i < answer->stored_count; i++) {
        const ridge_stored_share *s = &answer->stored[i];
        ridge_buf_addf(out, "%s%s %s (%s tensors)", i ? ", " : "stored      ", s->format->name, ridge_units_bytes(arena, s->bytes),
                       ridge_units_exact(arena, s->tensors));
    }
    if (answer->stored_count)
        ridge_buf_addc(out, '\n');
}

static void add_summary(ridge_buf *out, const ridge_inspect_answer *answer, ridge_arena *arena)
{
    const ridge_parameter_counts *n = answer->told.parameters;
    ridge_buf assumed = {0};
    ridge_buf_addf(out, "%s  %s\nparameters  %s", ridge_shown(arena, answer->told.model), ridge_shown(arena, answer->told.architecture),
                   ridge_units_exact(arena, n->total));
    if (n->active != n->total)
        ridge_buf_addf(out, "   active per token %s", ridge_units_exact(arena, n->active));
    ridge_buf_addf(out, "   embedding %s\n", ridge_units_exact(arena, n->embedding));
    ridge_buf_addf(out, "weights     %s in ", ridge_units_bytes(arena, answer->weights_bytes));
    ridge_workload_add_weights(out, &answer->analysis->workload);
    ridge_buf_addf(out, "   buffers %s   modules %u\n", ridge_units_bytes(arena, answer->buffers_bytes), answer->tree.count);
    add_stored(out, answer, arena);
    ridge_buf_addz(&assumed, "assumed     ");
    add_assumed(&assumed, answer->config, "");
    if (assumed.n > 12)
        ridge_buf_addf(out, "%s (not in the config: the class's defaults)\n", assumed.p);
    out->failed |= assumed.failed;
    ridge_buf_free(&assumed);
    ridge_unknown_lines(out, answer->unknown, answer->unknown_count);
    ridge_buf_addc(out, '\n');
}

ridge_status ridge_inspect_text(ridge_buf *out, ridge_inspect_answer *answer, const ridge_inspect_request *request, ridge_err *err)
{
    const printer p = {out, &answer->tree, request, answer->analysis ? &answer->analysis->arena : &answer->arena};
    if (answer->inventory) {
        ridge_inspect_inventory_summary(out, answer);
        print_level(&p, 0, answer->tree.count);
        return RIDGE_OK;
    }
    if (!answer->analysis) {
        ridge_contents_text(out, answer->contents, answer->told.model, request->all, request->depth, &answer->arena);
        return RIDGE_OK;
    }
    if (!answer->config)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to show", answer->told.architecture);
    add_summary(out, answer, p.arena);
    print_level(&p, 0, answer->tree.count);
    return RIDGE_OK;
}
