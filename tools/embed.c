/* embed.c - turns the files of catalog/, examples/ and machines/ into C data for the library (runs at build time).
 *   embed catalog SOURCE_ROOT OUT.c DEPFILE    every top-level key of catalog/ (all .json files below it), sorted, with its place
 *   embed models  SOURCE_ROOT OUT.c DEPFILE    every examples/<org>--<name>/config.json
 *   embed machines SOURCE_ROOT OUT.c DEPFILE   every machines/<id>.json
 *   embed gguf SOURCE_ROOT OUT.c DEPFILE       every top-level key of gguf/ (all .json files below it)
 *   embed python SOURCE_ROOT OUT.c DEPFILE     every catalog/python/<module>.py, which stands in for a module of that name
 *   embed scripts SOURCE_ROOT OUT.c DEPFILE    every tools/<name>.py, which the program prints for who wants to run it
 *   embed generated SOURCE_ROOT OUT.c DEPFILE  every file of src/generate/runtime/, which goes with the code that is made of the catalog
 * Fails on malformed JSON, on a key that stands twice and on a catalog value that is no object. */
#include "base/file.h"
#include "base/json.h"
#include "catalog/embedded.h"

#include <stdio.h>
#include <stdlib.h>

enum { FILE_LIMIT = 64 * 1024 * 1024, CHUNK = 2048 };

typedef struct item {
    const char *key, *file;
    size_t offset, length; /* in the blob */
    uint32_t line, col;
    const char *model_type; /* of a config entry */
    bool has_classes;       /* it is a model's config, and none that is nested in one */
} item;

typedef struct embedder {
    const char *root;
    ridge_arena *arena;
    ridge_err *err;
    ridge_buf blob, dependencies;
    item *items;
    size_t count, cap;
} embedder;

static ridge_status add_item(embedder *e, item entry)
{
    item *items = ridge_arena_grow(e->arena, e->items, e->count, &e->cap, e->count + 1, sizeof *items);
    if (!items)
        return ridge_no_memory(e->err);
    e->items = items;
    items[e->count++] = entry;
    return RIDGE_OK;
}

/* `path` starts with the root folder and a slash */
static const char *relative(const embedder *e, const char *path)
{
    return path + strlen(e->root) + 1;
}

static ridge_status read_json(ridge_json **json, ridge_str *text, embedder *e, const char *path)
{
    ridge_status st = ridge_file_read(text, path, FILE_LIMIT, e->arena, e->err);
    if (!st)
        st = ridge_json_parse(json, *text, relative(e, path), (ridge_json_options){.unique_keys = true}, e->arena, e->err);
    if (!st && (*json)->type != RIDGE_JSON_OBJECT)
        st = ridge_fail_at(e->err, RIDGE_TYPE, relative(e, path), (*json)->line, (*json)->col, "expected an object, found %s",
                           ridge_json_type_name((*json)->type));
    return st;
}

/* ---- catalog ---- */
static const char *model_type_of(embedder *e, const ridge_json *entry)
{
    const ridge_json *kind = ridge_json_get(entry, "kind"), *type = ridge_json_get(entry, "model_type");
    if (!kind || kind->type != RIDGE_JSON_STRING || !ridge_str_is(kind->u.text, "config") || !type || type->type != RIDGE_JSON_STRING)
        return NULL;
    return ridge_arena_strdup(e->arena, type->u.text);
}

static ridge_status add_entry(embedder *e, const char *file, ridge_str text, size_t base, const ridge_json_member *member)
{
    const ridge_json *value = &member->value;
    if (value->type != RIDGE_JSON_OBJECT) {
        (void)ridge_fail_at(e->err, RIDGE_TYPE, file, value->line, value->col, "an entry is an object, found %s",
                            ridge_json_type_name(value->type));
        ridge_err_excerpt(e->err, text.p, text.n, (size_t)(value->begin - text.p), (size_t)(value->end - value->begin));
        return e->err->code;
    }
    const char *key = ridge_arena_strdup(e->arena, member->key);
    if (!key)
        return ridge_no_memory(e->err);
    item entry = {key,
                  file,
                  base + (size_t)(value->begin - text.p),
                  (size_t)(value->end - value->begin),
                  value->line,
                  value->col,
                  model_type_of(e, value),
                  ridge_json_get(value, "classes") || ridge_json_get(value, "classes+")};
    return add_item(e, entry);
}

static ridge_status add_catalog_file(embedder *e, const char *path)
{
    ridge_json *json = NULL;
    ridge_str text;
    ridge_status st = read_json(&json, &text, e, path);
    size_t base = e->blob.n;
    for (uint32_t i = 0; !st && i < json->count; i++)
        st = add_entry(e, relative(e, path), text, base, &json->u.members[i]);
    ridge_buf_add(&e->blob, text);
    return st;
}

/* ---- models ---- */
/* examples/<org>--<name>/config.json -> org/name; NULL for any other file */
static char *model_id(embedder *e, const char *file)
{
    const char *org = strchr(file, '/') + 1, *slash = strchr(org, '/'), *dashes = strstr(org, "--");
    if (!slash || strcmp(slash, "/config.json") != 0 || !dashes || dashes >= slash)
        return NULL;
    return ridge_arena_printf(e->arena, "%.*s/%.*s", (int)(dashes - org), org, (int)(slash - dashes - 2), dashes + 2);
}

/* a whole file, under an id */
static ridge_status add_whole_file(embedder *e, const char *path, const char *id)
{
    ridge_json *json;
    ridge_str text;
    ridge_status st = read_json(&json, &text, e, path);
    if (st)
        return st;
    size_t base = e->blob.n;
    ridge_buf_add(&e->blob, text);
    return add_item(e, (item){id, relative(e, path), base, text.n, 1, 1, NULL, false});
}

static ridge_status add_model_file(embedder *e, const char *path)
{
    const char *id = model_id(e, relative(e, path));
    return !id ? RIDGE_OK : add_whole_file(e, path, id);
}

/* ---- machines ---- */
/* machines/<id>.json -> id */
static ridge_status add_machine_file(embedder *e, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    const char *id = ridge_arena_strdup(e->arena, (ridge_str){name, strlen(name) - strlen(".json")});
    return !id ? ridge_no_memory(e->err) : add_whole_file(e, path, id);
}

/* ---- Python ---- */
/* catalog/python/torch/nn/init.py -> torch.nn.init; of a package's __init__.py the package */
static char *module_name(embedder *e, const char *file)
{
    const char *below = file + strlen("catalog/python/"), *init = strstr(below, "/__init__.py");
    size_t n = init && init[strlen("/__init__.py")] == '\0' ? (size_t)(init - below) : strlen(below) - strlen(".py");
    char *name = ridge_arena_strdup(e->arena, (ridge_str){below, n});
    for (char *at = name; at && *at != '\0'; at++)
        if (*at == '/')
            *at = '.';
    return name;
}

static ridge_status add_python_file(embedder *e, const char *path)
{
    ridge_str text;
    ridge_status st = ridge_file_read(&text, path, FILE_LIMIT, e->arena, e->err);
    const char *name = st ? NULL : module_name(e, relative(e, path));
    if (st || !name)
        return st ? st : ridge_no_memory(e->err);
    size_t base = e->blob.n;
    ridge_buf_add(&e->blob, text);
    return add_item(e, (item){name, relative(e, path), base, text.n, 1, 1, NULL, false});
}

/* tools/ridge_inventory.py -> ridge_inventory */
static ridge_status add_script_file(embedder *e, const char *path)
{
    ridge_str text;
    ridge_status st = ridge_file_read(&text, path, FILE_LIMIT, e->arena, e->err);
    const char *name = strrchr(path, '/') + 1;
    const char *key = st ? NULL : ridge_arena_strdup(e->arena, (ridge_str){name, strlen(name) - strlen(".py")});
    if (st || !key)
        return st ? st : ridge_no_memory(e->err);
    size_t base = e->blob.n;
    ridge_buf_add(&e->blob, text);
    return add_item(e, (item){key, relative(e, path), base, text.n, 1, 1, NULL, false});
}

/* src/generate/runtime/python/base.py by its path; what an interpreter left beside it is none */
static ridge_status add_generated_file(embedder *e, const char *path)
{
    ridge_str text;
    if (strstr(path, "__pycache__"))
        return RIDGE_OK;
    ridge_status st = ridge_file_read(&text, path, FILE_LIMIT, e->arena, e->err);
    size_t base = e->blob.n;
    if (st)
        return st;
    ridge_buf_add(&e->blob, text);
    return add_item(e, (item){relative(e, path), relative(e, path), base, text.n, 1, 1, NULL, false});
}

/* ---- all ---- */
static int compare_items(const void *a, const void *b)
{
    return strcmp(((const item *)a)->key, ((const item *)b)->key);
}

static ridge_status sort_items(embedder *e)
{
    if (e->count != 0)
        qsort(e->items, e->count, sizeof *e->items, compare_items);
    for (size_t i = 1; i < e->count; i++)
        if (strcmp(e->items[i - 1].key, e->items[i].key) == 0)
            return ridge_fail_at(e->err, RIDGE_NAME, e->items[i].file, e->items[i].line, e->items[i].col, "'%s' stands also in %s:%u",
                                 e->items[i].key, e->items[i - 1].file, e->items[i - 1].line);
    return RIDGE_OK;
}

/* Every file read, and every folder: its time changes when a file comes or goes. */
static void add_dependency(embedder *e, const char *path)
{
    for (ridge_buf_addz(&e->dependencies, " "); *path != '\0'; path++) {
        if (*path == ' ' || *path == '#')
            ridge_buf_addc(&e->dependencies, '\\');
        if (*path == '$')
            ridge_buf_addc(&e->dependencies, '$');
        ridge_buf_addc(&e->dependencies, *path);
    }
}

/* the folders of a file, where the file before it did not have them already */
static void add_parents(embedder *e, const char *path, const char *before, size_t top)
{
    for (const char *slash = strchr(path + top, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t n = (size_t)(slash - path);
        if (before && strncmp(path, before, n + 1) == 0)
            continue;
        char *folder = ridge_arena_strdup(e->arena, (ridge_str){path, n});
        add_dependency(e, folder ? folder : ".");
    }
}

static ridge_status add_folder(embedder *e, const char *name, const char *ending, ridge_status (*add_file)(embedder *, const char *))
{
    char **paths, *folder = ridge_arena_printf(e->arena, "%s/%s", e->root, name);
    size_t count;
    if (!folder)
        return ridge_no_memory(e->err);
    ridge_status st = ridge_file_list(&paths, &count, folder, ending, e->arena, e->err);
    if (st)
        return st;
    add_dependency(e, ridge_file_is_folder(folder) ? folder : e->root);
    for (size_t i = 0; i < count && !st; i++) {
        add_parents(e, paths[i], i > 0 ? paths[i - 1] : NULL, strlen(folder) + 1);
        add_dependency(e, paths[i]);
        st = add_file(e, paths[i]);
    }
    return st ? st : sort_items(e);
}

/* ---- C text ---- */
static void print_string(ridge_buf *out, ridge_str text)
{
    ridge_buf_addc(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '\n')
            ridge_buf_addz(out, "\\n");
        else if (c < 0x20 || c >= 0x7F || c == '?') /* '?' could begin a trigraph */
            ridge_buf_addf(out, "\\%03o", c);
        else {
            if (c == '"' || c == '\\')
                ridge_buf_addc(out, '\\');
            ridge_buf_addc(out, (char)c);
        }
    }
    ridge_buf_addc(out, '"');
}

/* One long string literal: the cheapest thing a C compiler can be given half a megabyte in. In a section of its own, so that the small tables
 * of every other file lie beside each other: what a command reads of them are then fewer pages. */
static void print_blob(ridge_buf *out, const char *name, ridge_str blob)
{
    ridge_buf_addf(out, "#ifdef __ELF__\n__attribute__((section(\"ridge_embedded\")))\n#endif\nconst char %s[] =\n", name);
    for (size_t i = 0; i < blob.n || i == 0; i += CHUNK) {
        print_string(out, (ridge_str){blob.p + i, blob.n - i < CHUNK ? blob.n - i : CHUNK});
        ridge_buf_addc(out, '\n');
    }
    ridge_buf_addz(out, ";\n\n");
}

static void print_item(ridge_buf *out, const item *entry)
{
    ridge_buf_addz(out, "    {");
    print_string(out, ridge_str_of(entry->key));
    ridge_buf_addz(out, ", ");
    print_string(out, ridge_str_of(entry->file));
    ridge_buf_addf(out, ", blob + %zu, %zu},\n", entry->offset, entry->length);
}

/* by model type; of one type a model's config before those that are nested in others */
static int compare_configs(const void *a, const void *b)
{
    const item *x = *(const item *const *)a, *y = *(const item *const *)b;
    int order = strcmp(x->model_type, y->model_type);
    if (order != 0)
        return order;
    return x->has_classes != y->has_classes ? (x->has_classes ? -1 : 1) : strcmp(x->key, y->key);
}

/* where a text of its own stands among the names, each of which ends with a 0 */
static size_t add_name(ridge_buf *names, const char *name)
{
    const size_t at = names->n;
    ridge_buf_add(names, (ridge_str){name, strlen(name) + 1});
    return at;
}

/* so that the config of a model type is found without a look at every entry */
static ridge_status print_configs(ridge_buf *out, ridge_buf *names, const embedder *e)
{
    const item **configs = ridge_arena_array(e->arena, e->count + 1, sizeof *configs);
    size_t count = 0;
    if (!configs)
        return ridge_no_memory(e->err);
    for (size_t i = 0; i < e->count; i++)
        if (e->items[i].model_type)
            configs[count++] = &e->items[i];
    if (count != 0)
        qsort(configs, count, sizeof *configs, compare_configs);
    ridge_buf_addz(out, "const ridge_embedded_config ridge_embedded_configs[] = {\n");
    for (size_t i = 0; i < count; i++)
        ridge_buf_addf(out, "    {%zu, %zu},\n", add_name(names, configs[i]->model_type), (size_t)(configs[i] - e->items));
    ridge_buf_addf(out, "    {0, 0}, /* C has no empty arrays */\n};\nconst unsigned ridge_embedded_config_count = %zu;\n", count);
    return RIDGE_OK;
}

static void print_head(ridge_buf *out, const char *header)
{
    ridge_buf_addf(out, "/* made by tools/embed.c */\n#include \"%s\"\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n",
                   header);
}

static ridge_str text_of(const ridge_buf *buf)
{
    return (ridge_str){buf->p != NULL ? buf->p : "", buf->n};
}

/* so that the entry of a key is found without a look at other keys; at most half of the slots are taken */
static ridge_status print_slots(ridge_buf *out, const embedder *e)
{
    size_t n = 2;
    while (n < 2 * e->count)
        n *= 2;
    uint32_t *slots = ridge_arena_array(e->arena, n, sizeof *slots);
    if (!slots)
        return ridge_no_memory(e->err);
    if (e->count >> RIDGE_EMBEDDED_ENTRY_BITS != 0)
        return ridge_fail(e->err, RIDGE_LIMIT, "%zu entries are more than a slot can tell apart", e->count);
    for (size_t i = 0; i < e->count; i++) {
        const uint32_t hash = ridge_embedded_hash(e->items[i].key);
        size_t at = hash & (n - 1);
        while (slots[at] != 0)
            at = (at + 1) & (n - 1);
        slots[at] = ridge_embedded_slot(hash, (uint32_t)i);
    }
    ridge_buf_addf(out, "const uint32_t ridge_embedded_catalog_slot_mask = %zu, ridge_embedded_catalog_slots[] = {\n", n - 1);
    for (size_t i = 0; i < n; i++)
        ridge_buf_addf(out, "%u,%s", (unsigned)slots[i], i % 16 == 15 || i == n - 1 ? "\n" : " ");
    ridge_buf_addz(out, "};\n");
    return RIDGE_OK;
}

/* entries of the catalog: places in texts */
static ridge_status print_catalog(ridge_buf *out, const embedder *e)
{
    ridge_buf names = {0};
    const char *file = NULL;
    size_t file_at = 0;
    print_head(out, "catalog/embedded.h");
    print_blob(out, "ridge_embedded_catalog_texts", text_of(&e->blob));
    ridge_buf_addz(out, "const ridge_embedded_entry ridge_embedded_catalog[] = {\n");
    for (size_t i = 0; i < e->count; i++) {
        const item *entry = &e->items[i];
        const size_t key_at = add_name(&names, entry->key);
        if (!file || strcmp(file, entry->file) != 0)
            file_at = add_name(&names, entry->file);
        file = entry->file;
        ridge_buf_addf(out, "    {%zu, %zu, %zu, %zu, %u, %u},\n", key_at, file_at, entry->offset, entry->length, entry->line, entry->col);
    }
    ridge_buf_addf(out, "    {0, 0, 0, 0, 0, 0}, /* C has no empty arrays */\n};\nconst unsigned ridge_embedded_catalog_count = %zu;\n",
                   e->count);
    ridge_status st = print_slots(out, e);
    if (!st)
        st = print_configs(out, &names, e);
    print_blob(out, "ridge_embedded_catalog_names", text_of(&names));
    if (!st && names.failed)
        st = ridge_no_memory(e->err);
    ridge_buf_free(&names);
    return st;
}

static void print_source(ridge_buf *out, const embedder *e, const char *header, const char *type, const char *name)
{
    print_head(out, header);
    ridge_buf_addz(out, "static\n");
    print_blob(out, "blob", text_of(&e->blob));
    ridge_buf_addf(out, "const %s %s[] = {\n", type, name);
    for (size_t i = 0; i < e->count; i++)
        print_item(out, &e->items[i]);
    if (e->count == 0) /* C has no empty arrays */
        ridge_buf_addz(out, "    {\"\", \"\", blob, 0},\n");
    ridge_buf_addf(out, "};\nconst unsigned %s_count = %zu;\n", name, e->count);
}

static ridge_status write_outputs(embedder *e, const char *source_path, const char *dependency_path, const ridge_buf *source)
{
    ridge_buf rule = {0};
    ridge_buf_addf(&rule, "%s:", source_path);
    ridge_buf_add(&rule, (ridge_str){e->dependencies.p, e->dependencies.n});
    ridge_buf_addc(&rule, '\n');
    ridge_status st = RIDGE_OK;
    if (source->failed || rule.failed || e->blob.failed || e->dependencies.failed)
        st = ridge_no_memory(e->err);
    if (!st)
        st = ridge_file_write_atomic(source_path, (ridge_str){source->p, source->n}, e->err);
    if (!st)
        st = ridge_file_write_atomic(dependency_path, (ridge_str){rule.p, rule.n}, e->err);
    ridge_buf_free(&rule);
    return st;
}

/* what is embedded: the folder read, the header and the type and name of the C array */
typedef struct subject {
    const char *name, *folder, *ending;
    ridge_status (*add_file)(embedder *, const char *);
    const char *header, *type, *array; /* NULL: print_catalog knows them */
} subject;

static const subject subjects[] = {
    {"catalog", "catalog", ".json", add_catalog_file, NULL, NULL, NULL},
    {"models", "examples", ".json", add_model_file, "input/embedded.h", "ridge_embedded_model", "ridge_embedded_models"},
    {"gguf", "gguf", ".json", add_catalog_file, "input/gguf/embedded.h", "ridge_embedded_gguf", "ridge_embedded_gguf_entries"},
    {"machines", "machines", ".json", add_machine_file, "machine/embedded.h", "ridge_embedded_machine", "ridge_embedded_machines"},
    {"python", "catalog/python", ".py", add_python_file, "learn/package/embedded.h", "ridge_embedded_module", "ridge_embedded_modules"},
    {"scripts", "tools", ".py", add_script_file, "command/embedded.h", "ridge_embedded_script", "ridge_embedded_scripts"},
    {"generated", "src/generate/runtime", "", add_generated_file, "generate/embedded.h", "ridge_embedded_generated_file",
     "ridge_embedded_generated"},
};

static const subject *find_subject(const char *name)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(subjects[i].name, name) == 0)
            return &subjects[i];
    return NULL;
}

static ridge_status embed(embedder *e, const subject *s, const char *source_path, const char *dependency_path)
{
    ridge_buf source = {0};
    ridge_status st = add_folder(e, s->folder, s->ending, s->add_file);
    if (!st && s->header)
        print_source(&source, e, s->header, s->type, s->array);
    else if (!st)
        st = print_catalog(&source, e);
    if (!st)
        st = write_outputs(e, source_path, dependency_path, &source);
    ridge_buf_free(&source);
    return st;
}

int main(int argc, char **argv)
{
    const subject *wanted = argc == 5 ? find_subject(argv[1]) : NULL;
    if (!wanted) {
        (void)fprintf(stderr, "usage: embed catalog|gguf|models|machines|python|scripts|generated SOURCE_ROOT OUT.c DEPFILE\n");
        return 2;
    }
    ridge_arena arena;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    embedder e = {.root = argv[2], .arena = &arena, .err = &err};
    ridge_status st = embed(&e, wanted, argv[3], argv[4]);
    if (st) {
        char text[1200];
        (void)ridge_err_format(text, sizeof text, &err, "");
        (void)fprintf(stderr, "%s\n", text);
    }
    ridge_buf_free(&e.blob);
    ridge_buf_free(&e.dependencies);
    ridge_arena_free(&arena);
    return st ? EXIT_FAILURE : EXIT_SUCCESS;
}
