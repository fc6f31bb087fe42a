#include "input/shards.h"

#include "base/file.h"
#include "input/hub/kept.h"
#include "input/probe.h"

enum { INDEX_LIMIT = 64 << 20, FILES_MOST = 10000 };

/* transformers' and diffusers' names, the first that is there (modeling_utils: _get_resolved_checkpoint_files) */
static const char *const known_names[] = {
    "model.safetensors",
    "model.safetensors.index.json",
    "diffusion_pytorch_model.safetensors",
    "diffusion_pytorch_model.safetensors.index.json",
    "adapter_model.safetensors",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "diffusion_pytorch_model.bin",
    "diffusion_pytorch_model.bin.index.json",
    "adapter_model.bin",
};

static const char index_ending[] = ".index.json";

static bool is_index(const char *path)
{
    return ridge_str_ends(ridge_str_of(path), RIDGE_STR(".index.json"));
}

bool ridge_shards_is(const char *path)
{
    return is_index(path) || ridge_weight_reader_named(path);
}

/* ---- one table of several ---- */

typedef struct joiner {
    ridge_weights *out;
    ridge_arena *arena;
    ridge_err *err;
    size_t cap, file_cap;
} joiner;

static ridge_status add_file(uint32_t *at, joiner *j, const char *path)
{
    if (j->out->file_count >= FILES_MOST)
        return ridge_fail(j->err, RIDGE_LIMIT, "%s: more than 10,000 files of weights", path);
    if (!ridge_arena_more(j->arena, &j->out->files, j->out->file_count, &j->file_cap, sizeof *j->out->files))
        return ridge_no_memory(j->err);
    *at = j->out->file_count;
    j->out->files[j->out->file_count++] = path;
    return RIDGE_OK;
}

static ridge_status add_weight(joiner *j, ridge_weight w)
{
    if (!ridge_arena_more(j->arena, &j->out->tensors, j->out->count, &j->cap, sizeof *j->out->tensors))
        return ridge_no_memory(j->err);
    j->out->tensors[j->out->count++] = w;
    return RIDGE_OK;
}

/* a file's table behind what is there */
static ridge_status join(joiner *j, const ridge_weights *part)
{
    const uint32_t first_file = j->out->file_count, first = (uint32_t)j->out->count;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < part->file_count && !st; i++) {
        uint32_t at;
        st = add_file(&at, j, part->files[i]);
    }
    for (size_t i = 0; i < part->count && !st; i++) {
        ridge_weight w = part->tensors[i];
        w.file += first_file;
        w.tied += w.tied ? first : 0;
        st = add_weight(j, w);
    }
    if (!j->out->kind)
        j->out->kind = part->kind;
    if (!j->out->metadata)
        j->out->metadata = part->metadata;
    return st;
}

static ridge_status join_file(joiner *j, const char *path)
{
    ridge_weights part;
    ridge_status st = ridge_probe_read(&part, path, j->arena, j->err);
    return st ? st : join(j, &part);
}

/* ---- an index ---- */

static ridge_status bad_index(const joiner *j, const char *path, const ridge_json *at, const char *what)
{
    return ridge_fail_at(j->err, RIDGE_VALUE, path, at->line, at->col, "%s", what);
}

/* beside the index or below it, never elsewhere */
static bool is_below(ridge_str file)
{
    bool dots = false;
    for (size_t i = 0; i < file.n; i++) {
        const bool begins = i == 0 || file.p[i - 1] == '/';
        const bool parent =
            begins && file.n - i >= 2 && file.p[i] == '.' && file.p[i + 1] == '.' && (file.n - i == 2 || file.p[i + 2] == '/');
        dots |= parent || file.p[i] == '\0';
    }
    return file.n && file.p[0] != '/' && !dots;
}

static ridge_status read_index_json(const ridge_json **map, joiner *j, const char *path)
{
    ridge_str text;
    ridge_json *json;
    ridge_status st = ridge_file_read(&text, path, INDEX_LIMIT, j->arena, j->err);
    if (st || (st = ridge_json_parse(&json, text, path, (ridge_json_options){.unique_keys = true}, j->arena, j->err)))
        return st;
    *map = ridge_json_get(json, "weight_map");
    if (json->type != RIDGE_JSON_OBJECT || !*map || (*map)->type != RIDGE_JSON_OBJECT)
        return bad_index(j, path, *map ? *map : json, "an index of weights has an object \"weight_map\": names and their files");
    if (!(*map)->count)
        return bad_index(j, path, *map, "the index names no tensor");
    j->out->metadata = ridge_json_get(json, "metadata");
    for (uint32_t i = 0; i < (*map)->count; i++) {
        const ridge_json *v = &(*map)->u.members[i].value;
        if (v->type != RIDGE_JSON_STRING)
            return bad_index(j, path, v, "the file of a tensor is no text");
        if (!is_below(v->u.text))
            return bad_index(j, path, v, "the file of a tensor is not beside the index");
    }
    return RIDGE_OK;
}

typedef struct shard_list {
    ridge_symtab names; /* of the files, as the index has them */
    const char **paths; /* by the name's number */
    bool *there;
    size_t cap, there_cap;
} shard_list;

/* every file of the index once, in the order of its first tensor */
static ridge_status list_shards(shard_list *s, joiner *j, const ridge_json *map, ridge_str folder)
{
    if (!ridge_symtab_init(&s->names, j->arena))
        return ridge_no_memory(j->err);
    for (uint32_t i = 0; i < map->count; i++) {
        const uint32_t before = s->names.count;
        const ridge_symbol *symbol = ridge_intern(&s->names, map->u.members[i].value.u.text);
        if (!symbol)
            return ridge_no_memory(j->err);
        if (s->names.count == before)
            continue;
        const char *path = ridge_arena_printf(j->arena, "%.*s%s", RIDGE_STR_ARG(folder), symbol->text);
        if (!path || !ridge_arena_more(j->arena, &s->paths, before, &s->cap, sizeof *s->paths) ||
            !ridge_arena_more(j->arena, &s->there, before, &s->there_cap, sizeof *s->there))
            return ridge_no_memory(j->err);
        s->paths[before] = path;
        s->there[before] = ridge_hub_is_there(path, j->arena);
        j->out->absent_files += !s->there[before];
    }
    return RIDGE_OK;
}

static ridge_status missing(const shard_list *s, const joiner *j, const char *path)
{
    uint32_t first = 0;
    while (s->there[first])
        first++;
    if (j->out->absent_files == 1)
        return ridge_fail(j->err, RIDGE_IO, "%s names %s, which is not there", path, s->paths[first]);
    return ridge_fail(j->err, RIDGE_IO, "%s names %u files, of which %u are not there, %s for one", path, s->names.count,
                      j->out->absent_files, s->paths[first]);
}

/* Each tensor of the index is in its file; those of files that are not there are named without shapes. */
static ridge_status check_map(joiner *j, const shard_list *s, const ridge_json *map, const char *path)
{
    ridge_weight_names names;
    ridge_status st = ridge_weight_names_make(&names, j->out, j->arena, j->err);
    uint32_t *absent_at = ridge_arena_array(j->arena, s->names.count + 1u, sizeof *absent_at);
    if (st || !absent_at)
        return st ? st : ridge_no_memory(j->err);
    for (uint32_t i = 0; i < s->names.count && !st; i++)
        if (!s->there[i])
            st = add_file(&absent_at[i], j, s->paths[i]);
    for (uint32_t i = 0; i < map->count && !st; i++) {
        const ridge_json_member *m = &map->u.members[i];
        const uint32_t shard = ridge_intern_find(&s->names, m->value.u.text)->id;
        const ridge_weight *w = s->there[shard] ? ridge_weight_find(&names, j->out, m->key) : NULL;
        if (!s->there[shard]) {
            j->out->unread++;
            st = add_weight(j, (ridge_weight){.name = m->key, .file = absent_at[shard], .unread = true});
        } else if (!w || strcmp(j->out->files[w->file], s->paths[shard]) != 0) {
            st = ridge_fail_at(j->err, RIDGE_VALUE, path, m->line, m->col, "the tensor '%s' is not in %s",
                               ridge_weight_shown(j->arena, m->key), s->paths[shard]);
        }
    }
    return st;
}

static ridge_status join_index(joiner *j, const char *path, bool absent)
{
    const ridge_json *map;
    const char *slash = strrchr(path, '/');
    shard_list s = {0};
    ridge_status st = read_index_json(&map, j, path);
    if (st || (st = list_shards(&s, j, map, (ridge_str){path, slash ? (size_t)(slash - path) + 1 : 0})))
        return st;
    if (j->out->absent_files && !absent)
        return missing(&s, j, path);
    for (uint32_t i = 0; i < s.names.count && !st; i++)
        if (s.there[i])
            st = join_file(j, s.paths[i]);
    if (!j->out->kind)
        j->out->kind = strstr(path, ".bin.index") ? "PyTorch checkpoint" : "safetensors";
    return st ? st : check_map(j, &s, map, path);
}

/* ---- a folder ---- */

static const char *below(const char *folder, const char *name, ridge_arena *arena)
{
    const size_t n = strlen(folder);
    return ridge_arena_printf(arena, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
}

static const char *known_in(const char *folder, ridge_arena *arena)
{
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
        const char *path = below(folder, known_names[i], arena);
        if (!path || ridge_hub_is_there(path, arena))
            return path;
    }
    return NULL;
}

/* all files of a folder that one reader is for, in the order of the readers' endings: safetensors first */
static ridge_status list_kind(char ***paths, size_t *count, const char *folder, ridge_arena *arena, ridge_err *err)
{
    static const char *const endings[] = {index_ending, ".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".onnx", ".pt2"};
    ridge_status st = RIDGE_OK;
    *count = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !st && !*count; i++)
        if (endings[i] == index_ending || ridge_weight_reader_named(endings[i]))
            st = ridge_file_list_flat(paths, count, folder, endings[i], arena, err);
    return st;
}

const char *ridge_shards_in(const char *folder, ridge_arena *arena)
{
    char **paths;
    size_t count;
    const char *known = known_in(folder, arena);
    if (known || arena->failed || list_kind(&paths, &count, folder, arena, NULL))
        return known;
    return count ? paths[0] : NULL;
}

static ridge_status several_models(char *const *paths, size_t count, ridge_err *err)
{
    return ridge_fail(err, RIDGE_VALUE, "%s is one of %zu models in its folder: give one of them", paths[0], count);
}

static ridge_status join_folder(joiner *j, const char *folder, bool absent)
{
    const char *known = known_in(folder, j->arena);
    char **paths;
    size_t count;
    if (j->arena->failed)
        return ridge_no_memory(j->err);
    if (known)
        return is_index(known) ? join_index(j, known, absent) : join_file(j, known);
    ridge_status st = list_kind(&paths, &count, folder, j->arena, j->err);
    if (st)
        return st;
    if (!count)
        return ridge_fail(j->err, RIDGE_IO, "%s: no weight files in this folder", folder);
    if (is_index(paths[0]))
        return count > 1 ? several_models(paths, count, j->err) : join_index(j, paths[0], absent);
    if (count > 1 && ridge_weight_reader_named(paths[0])->alone)
        return several_models(paths, count, j->err);
    for (size_t i = 0; i < count && !st; i++)
        st = join_file(j, paths[i]);
    return st;
}

ridge_status ridge_shards_read(ridge_weights *out, const char *path, ridge_shards_options options, ridge_arena *arena, ridge_err *err)
{
    joiner j = {.out = out, .arena = arena, .err = err};
    ridge_weight_names names;
    ridge_status st;
    *out = (ridge_weights){0};
    if (ridge_file_is_folder(path))
        st = join_folder(&j, path, options.absent);
    else if (is_index(path))
        st = join_index(&j, path, options.absent);
    else
        st = ridge_probe_read(out, path, arena, err);
    if (st || (st = ridge_weight_names_make(&names, out, arena, err)))
        return st;
    return ridge_weights_sum(out, err);
}
