#include "input/model.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "input/gguf/choice.h"
#include "input/gguf/model.h"
#include "input/graph_file.h"
#include "input/gguf/remote.h"
#include "input/hub/hub.h"
#include "input/inventory.h"
#include "input/names.h"
#include "input/probe.h"

#define CONFIG_LIMIT (16u << 20)

/* its config is what the module keeps as such; places in it are those of the inventory */
static ridge_status parse_inventory(ridge_model_file *out, const char *name, const char *path, ridge_str text, ridge_arena *arena,
                                    ridge_err *err)
{
    ridge_inventory *inventory = ridge_arena_alloc(arena, sizeof *inventory);
    ridge_status st = inventory ? ridge_inventory_parse(inventory, path, text, arena, err) : ridge_no_memory(err);
    if (st)
        return st;
    const ridge_json *config = inventory->config;
    const ridge_str own = config ? (ridge_str){config->begin, (size_t)(config->end - config->begin)} : text;
    *out = (ridge_model_file){.name = name, .path = path, .text = own, .json = config, .inventory = inventory};
    return RIDGE_OK;
}

ridge_status ridge_model_parse(ridge_model_file *out, const char *name, const char *path, ridge_str text, ridge_arena *arena,
                               ridge_err *err)
{
    ridge_json *json;
    if (ridge_inventory_is(text))
        return parse_inventory(out, name, path, text, arena, err);
    ridge_status st = ridge_json_parse(&json, text, path, (ridge_json_options){0}, arena, err);
    if (st)
        return st;
    if (json->type != RIDGE_JSON_OBJECT)
        return ridge_fail_at(err, RIDGE_TYPE, path, json->line, json->col, "a config.json is an object, not %s",
                             ridge_json_type_name(json->type));
    *out = (ridge_model_file){.name = name, .path = path, .text = text, .json = json};
    return RIDGE_OK;
}

static ridge_status read_file(ridge_model_file *out, const char *name, const char *path, ridge_arena *arena, ridge_err *err)
{
    ridge_str text;
    struct stat info;
    const bool pipe = !stat(path, &info) && S_ISFIFO(info.st_mode); /* what comes is known when it is here */
    ridge_status st = ridge_file_read(&text, path, pipe || ridge_inventory_looks(path) ? RIDGE_INVENTORY_LIMIT : CONFIG_LIMIT, arena, err);
    return st ? st : ridge_model_parse(out, name, path, text, arena, err);
}

/* ---- GGUF ---- */

static bool is_gguf(const char *path)
{
    return ridge_str_ends(ridge_str_of(path), RIDGE_STR(".gguf"));
}

/* Its config is made of its metadata; `path`: of the file, `shown`: what messages call it. */
static ridge_status read_gguf(ridge_model_file *out, const char *spec, const char *path, const char *shown, ridge_arena *arena,
                              ridge_err *err)
{
    ridge_gguf_model *gguf = ridge_arena_alloc(arena, sizeof *gguf);
    const char *config = ridge_arena_printf(arena, "%s (its metadata as config.json)", shown);
    ridge_str text;
    if (!gguf || !config)
        return ridge_no_memory(err);
    ridge_status st = ridge_gguf_model_read(gguf, path, arena, err);
    gguf->gguf.path = shown;
    if (st || (st = ridge_gguf_config(&text, gguf, err)) || (st = ridge_model_parse(out, spec, config, text, arena, err)))
        return st;
    out->gguf = gguf;
    return RIDGE_OK;
}

/* ---- the Hugging Face hub ---- */

/* what the hub said, and what may have been meant */
static ridge_status not_on_hub(const char *spec, ridge_status st, ridge_arena *arena, ridge_err *err)
{
    const char *meant = st == RIDGE_NAME ? ridge_example_meant(spec, arena) : NULL;
    if (meant && meant[0])
        ridge_err_append(err, "%s", meant);
    return st;
}

/* a GGUF of the repository */
static ridge_status read_remote(ridge_model_file *out, const char *spec, const ridge_gguf_id *id, ridge_arena *arena, ridge_err *err)
{
    const char *path;
    ridge_status st = ridge_gguf_id_find(&path, id, arena, err);
    if (st && id->file)
        ridge_err_append(err, "; nor is there such a file here");
    if (st)
        return id->file ? st : not_on_hub(id->name.id, st, arena, err);
    if (!path)
        return ridge_fail(err, RIDGE_IO, "%s is on the hub, and has no config.json and no GGUF", id->name.id);
    return read_gguf(out, spec, path, ridge_file_exists(path) ? path : spec, arena, err);
}

/* The shipped example, the file in the cache, the file on the hub; where the repository has no config, its GGUF. */
static ridge_status read_id(ridge_model_file *out, const char *spec, const ridge_gguf_id *id, ridge_arena *arena, ridge_err *err)
{
    const ridge_embedded_model *m = ridge_example_find(spec);
    if (m)
        return ridge_model_parse(out, spec, m->file, (ridge_str){m->text, m->length}, arena, err);
    const char *hub = ridge_hub_folder(arena), *path = hub ? ridge_hub_cached(hub, &id->name, "config.json", arena) : NULL;
    if (path)
        return read_file(out, spec, path, arena, err);
    const bool known = ridge_gguf_id_is_known(id, arena);
    if (arena->failed)
        return ridge_no_memory(err); /* there may be one */
    if (known)
        return read_remote(out, spec, id, arena, err);
    if (ridge_hub_is_offline())
        return ridge_example_unknown(spec, hub, arena, err);
    size_t bytes;
    ridge_status st = ridge_hub_download(&path, &bytes, &id->name, "config.json", CONFIG_LIMIT, arena, err);
    if (st)
        return not_on_hub(spec, st, arena, err);
    return path ? read_file(out, spec, path, arena, err) : read_remote(out, spec, id, arena, err);
}

/* Is a GGUF of the hub named? "org/name/file.gguf" may be a path that was mistyped: where there is a folder of the first name, it is. */
static bool is_remote(const char *text, const ridge_gguf_id *id, ridge_arena *arena)
{
    const char *first = ridge_arena_strdup(arena, (ridge_str){text, strcspn(text, "/")});
    if ((!id->tag && !id->file) || !first || ridge_file_exists(text))
        return false;
    return id->tag || !ridge_file_is_folder(first);
}

/* ---- what is no config ---- */

static bool is_weights(const char *path)
{
    static const char *const endings[] = {".safetensors", ".bin", ".gguf", ".onnx", ".pt", ".pth"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ridge_str_ends(ridge_str_of(path), ridge_str_of(endings[i])))
            return true;
    return false;
}

/* a graph of operators, of which a config is made when its sizes are bound; *found false: it is none */
static ridge_status read_graph(bool *found, ridge_model_file *out, const char *spec, ridge_arena *arena, ridge_err *err)
{
    ridge_opgraph *graph = NULL;
    ridge_status st = ridge_graph_file_looks(spec) ? ridge_graph_file_read(&graph, spec, arena, err) : RIDGE_OK;
    *found = graph != NULL;
    *out = (ridge_model_file){.name = spec, .path = spec, .opgraph = graph};
    return st;
}

/* what is no folder, file or id */
static ridge_status no_model(const char *spec, ridge_err *err)
{
    if (strcmp(spec, "-") == 0)
        return ridge_fail(err, RIDGE_IO, "'-' is no model: a config that is piped is read as /dev/stdin");
    if (strstr(spec, "://"))
        return ridge_fail(err, RIDGE_IO, "%s: an address; nothing is downloaded: give an id (org/name), or the config.json's folder", spec);
    return ridge_fail(err, RIDGE_IO, "%s: no such file or folder", spec);
}

/* a pipeline of diffusers: its model_index.json names the folders that have the models */
static ridge_status is_pipeline(const char *folder, const char *index, ridge_arena *arena, ridge_err *err)
{
    ridge_model_file file;
    const char *parts = "";
    ridge_status st = read_file(&file, folder, index, arena, err);
    for (uint32_t i = 0; !st && i < file.json->count; i++) {
        const ridge_str name = file.json->u.members[i].key;
        const char *path = ridge_arena_printf(arena, "%s/%.*s/config.json", folder, RIDGE_STR_ARG(name));
        if (path && file.json->u.members[i].value.type == RIDGE_JSON_ARRAY && ridge_file_exists(path))
            parts = ridge_arena_printf(arena, "%s%s%.*s", parts, parts[0] ? ", " : "", RIDGE_STR_ARG(name));
        if (arena->failed)
            return ridge_no_memory(err);
    }
    if (st)
        return st;
    return parts[0] ? ridge_fail(err, RIDGE_IO, "%s: a pipeline of several models: give one of its folders: %s", folder, parts)
                    : ridge_fail(err, RIDGE_IO, "%s: a pipeline of several models, and no folder in it has a config.json", folder);
}

/* The first weight file by name, as the order of a folder is not fixed: of those that are read where there are any, else of those that are
 * not, GGUFs aside; NULL: none, or memory ran out. */
static const char *first_weights(const char *folder, ridge_arena *arena)
{
    DIR *dir = opendir(folder);
    const char *first[2] = {NULL, NULL};
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        const char **one = &first[ridge_weight_reader_named(d->d_name) ? 0 : 1];
        if (is_weights(d->d_name) && !is_gguf(d->d_name) && (!*one || strcmp(d->d_name, *one) < 0))
            *one = ridge_arena_strdup(arena, ridge_str_of(d->d_name));
    }
    if (dir)
        closedir(dir);
    return first[0] ? first[0] : first[1];
}

/* GGUFs say what they are; several parts of one are one. */
static ridge_status one_gguf(ridge_model_file *out, const char *folder, const ridge_gguf_choices *ggufs, ridge_arena *arena, ridge_err *err)
{
    if (ggufs->count == 1)
        return read_gguf(out, folder, ggufs->items[0].file, ggufs->items[0].file, arena, err);
    return ridge_fail(err, RIDGE_VALUE, "%s: %zu GGUFs are in this folder: give one of them: %s", folder, ggufs->count,
                      ridge_gguf_choices_told(ggufs, false, arena));
}

/* a folder that has no config.json */
static ridge_status no_config(ridge_model_file *out, const char *folder, ridge_arena *arena, ridge_err *err)
{
    ridge_gguf_choices ggufs;
    const char *index = ridge_arena_printf(arena, "%s/model_index.json", folder);
    if (index && ridge_file_exists(index))
        return is_pipeline(folder, index, arena, err);
    ridge_status st = ridge_gguf_choices_in(&ggufs, folder, arena, err);
    const char *weights = st ? NULL : first_weights(folder, arena);
    if (st || arena->failed)
        return st ? st : ridge_no_memory(err);
    const bool is_read = weights && ridge_weight_reader_named(weights);
    if (ggufs.count > 0 && !is_read)
        return one_gguf(out, folder, &ggufs, arena, err);
    if (!weights)
        return ridge_fail(err, RIDGE_IO,
                          "%s: the folder has no config.json; give the folder that has it, the file itself, or an id (org/name)", folder);
    if (is_read)
        return ridge_fail(err, RIDGE_IO,
                          "%s: the folder has %s and no config.json, which says what the model is; 'ridge inspect' shows what the weights "
                          "hold without it%s%s",
                          folder, weights, ggufs.count > 0 ? ". A GGUF says it itself: give " : "",
                          ggufs.count > 0 ? ggufs.items[0].file : "");
    return ridge_fail(err, RIDGE_IO, "%s: the folder has no config.json, and %s is not read", folder, weights);
}

ridge_status ridge_model_read(ridge_model_file *out, const char *spec, ridge_arena *arena, ridge_err *err)
{
    if (!spec[0])
        return ridge_fail(err, RIDGE_USAGE, "the model's name is empty");
    if (ridge_file_is_folder(spec)) {
        size_t n = strlen(spec);
        const char *path = ridge_arena_printf(arena, "%s%sconfig.json", spec, spec[n - 1] == '/' ? "" : "/");
        if (!path)
            return ridge_no_memory(err);
        if (!ridge_file_exists(path))
            return no_config(out, spec, arena, err);
        return read_file(out, spec, path, arena, err);
    }
    ridge_gguf_id id;
    const char *text = ridge_id_of_address(spec, arena);
    const bool is_id = ridge_gguf_id_read(&id, text, arena), remote = is_id && is_remote(text, &id, arena);
    if (arena->failed)
        return ridge_no_memory(err);
    if (remote)
        return read_remote(out, text, &id, arena, err);
    if (is_gguf(spec))
        return read_gguf(out, spec, spec, spec, arena, err);
    if (ridge_inventory_looks(spec))
        return read_file(out, spec, spec, arena, err);
    bool graph = false;
    ridge_status st = ridge_file_exists(spec) ? read_graph(&graph, out, spec, arena, err) : RIDGE_OK;
    if (st || graph)
        return st;
    if (!ridge_file_exists(spec) && (ridge_weight_reader_named(spec) || is_weights(spec)))
        return no_model(spec, err);
    if (ridge_weight_reader_named(spec))
        return ridge_fail(err, RIDGE_IO,
                          "%s: weights do not say what the model is: give the folder that has its config.json, or the id; 'ridge inspect' "
                          "shows what they hold",
                          spec);
    if (is_weights(spec))
        return ridge_fail(err, RIDGE_IO, "%s: this kind of file is not read; give the folder that has the config.json, or the id", spec);
    if (ridge_file_exists(spec))
        return read_file(out, spec, spec, arena, err);
    return is_id && !id.tag && !id.file ? read_id(out, text, &id, arena, err) : no_model(spec, err);
}
