/* Names of packages whose __init__.py is not run: found in the files that define them. */
#include <stdio.h>

#include "base/file.h"
#include "learn/package/embedded.h"
#include "learn/package/parts.h"

#define TEXT_LIMIT ((size_t)4 << 20)

/* ---- what a file defines ---- */

static bool ends_name(char c)
{
    return !(c == '_' || ridge_is_digit(c) || (ridge_lower(c) >= 'a' && ridge_lower(c) <= 'z'));
}

/* `class NAME`, `def NAME`, `NAME =`, `NAME:` at the start of a line */
static bool defines(ridge_str text, const char *name, bool class_only)
{
    const char *end = text.p + text.n;
    size_t n = strlen(name);
    for (const char *at = text.p; at && (size_t)(end - at) > n; at = memchr(at, '\n', (size_t)(end - at)), at = at ? at + 1 : NULL) {
        bool class = (size_t)(end - at) > n + 6 && memcmp(at, "class ", 6) == 0 && memcmp(at + 6, name, n) == 0 && ends_name(at[6 + n]);
        if (class)
            return true;
        if (class_only)
            continue;
        if ((size_t)(end - at) > n + 4 && memcmp(at, "def ", 4) == 0 && memcmp(at + 4, name, n) == 0 && ends_name(at[4 + n]))
            return true;
        if (memcmp(at, name, n) == 0 && (at[n] == ':' || (at[n] == ' ' && at + n + 1 < end && at[n + 1] == '=')))
            return true;
    }
    return false;
}

/* files that hold no models */
static bool skipped(const char *path)
{
    static const char *const words[] = {"/tokenization_",  "/processing_", "/convert_",          "/modeling_tf_",
                                        "/modeling_flax_", "/modular_",    "/image_processing_", "/feature_extraction_"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(path, words[i]))
            return true;
    return false;
}

/* 0 first: models, configurations, the rest */
static int rank(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return strncmp(base, "modeling_", 9) == 0 ? 0 : strncmp(base, "configuration_", 14) == 0 ? 1 : 2;
}

/* the module's name of a file below a package's folder: PACKAGE.a.b of FOLDER/a/b.py */
static const char *name_of(const char *package, const char *folder, const char *path, ridge_arena *arena)
{
    size_t skip = strlen(folder) + 1, n = strlen(path);
    if (n <= skip + 3)
        return NULL;
    char *name = ridge_arena_printf(arena, "%s.%.*s", package, (int)(n - skip - 3), path + skip);
    for (char *at = name; at && *at != '\0'; at++)
        if (*at == '/')
            *at = '.';
    size_t m = name ? strlen(name) : 0;
    if (m > 9 && strcmp(name + m - 9, ".__init__") == 0)
        name[m - 9] = '\0';
    return name;
}

/* the first of them is told where the class is not found */
static void note_unread(ridge_package *p, const char *why)
{
    if (p->unread++ == 0)
        p->unread_why = ridge_arena_strdup(p->arena, ridge_str_of(why));
}

/* Looks through the files below a folder. *module NULL: none defines it. */
static ridge_status look_below(const char **module, const char *package, const char *folder, const char *name, bool class_only,
                               ridge_package *p, ridge_err *err)
{
    ridge_arena *keep = p->arena;
    ridge_arena arena;
    char **paths = NULL;
    size_t count = 0;
    *module = NULL;
    ridge_arena_init(&arena);
    ridge_status st = ridge_file_list(&paths, &count, folder, ".py", &arena, err);
    for (int wanted = 0; !st && !*module && wanted < 3; wanted++)
        for (size_t i = 0; !st && !*module && i < count; i++) {
            ridge_str text;
            if (skipped(paths[i]) || rank(paths[i]) != wanted)
                continue;
            ridge_err unread = {0}; /* a file that nobody may read, or one too long, is none of those that define the class */
            ridge_status one = ridge_file_read(&text, paths[i], TEXT_LIMIT, &arena, &unread);
            if (!one && defines(text, name, class_only))
                *module = name_of(package, folder, paths[i], keep);
            else if (one == RIDGE_NOMEM)
                st = ridge_no_memory(err);
            else if (one)
                note_unread(p, unread.msg);
        }
    ridge_arena_free(&arena);
    return st;
}

/* ---- the model folders of a library ---- */

static bool same_letters(const char *folder, const char *name, size_t *matched)
{
    size_t i = 0;
    for (; *folder != '\0' && *folder != '/'; folder++) {
        if (*folder == '_')
            continue;
        if (ridge_lower(name[i]) != *folder)
            return false;
        i++;
    }
    *matched = i;
    return i > 0;
}

/* the folder of models/ whose letters a class's name begins with, the longest: llama of LlamaForCausalLM */
static const char *folder_of_class(const char *models, const char *name, ridge_arena *arena, ridge_err *err)
{
    char **paths;
    size_t count, best = 0, skip = strlen(models) + 1;
    const char *found = NULL;
    if (ridge_file_list(&paths, &count, models, "/__init__.py", arena, err))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        if (strlen(paths[i]) > skip && same_letters(paths[i] + skip, name, &n) && n > best) {
            best = n;
            found = ridge_arena_strdup(arena, (ridge_str){paths[i] + skip, strcspn(paths[i] + skip, "/")});
        }
    }
    return found;
}

static ridge_status look_in_models(const char **module, ridge_package *p, const char *library, const char *root, const char *name,
                                   const char *hint, ridge_err *err)
{
    const char *models = ridge_arena_printf(p->arena, "%s/%s/models", root, library);
    const char *package = ridge_arena_printf(p->arena, "%s.models", library);
    *module = NULL;
    if (!models || !package)
        return ridge_no_memory(err);
    const char *hints[2] = {NULL, NULL};
    char *word = hint ? ridge_arena_printf(p->arena, "%s", hint) : NULL;
    for (char *at = word; at && *at != '\0'; at++)
        if (*at == '-' || *at == '.' || *at == '/')
            *at = '_';
    hints[0] = word;
    ridge_status st = RIDGE_OK;
    for (int i = 0; !st && !*module && i < 2; i++) {
        if (i == 1)
            hints[1] = folder_of_class(models, name, p->arena, err);
        const char *folder = hints[i] ? ridge_arena_printf(p->arena, "%s/%s", models, hints[i]) : NULL;
        if (folder && ridge_file_is_folder(folder))
            st = look_below(module, ridge_arena_printf(p->arena, "%s.%s", package, hints[i]), folder, name, true, p, err);
    }
    return st || *module ? st : look_below(module, package, models, name, true, p, err);
}

static ridge_status find_in_library(const char **module, ridge_package *p, const char *library, const char *name, const char *hint,
                                    ridge_err *err)
{
    ridge_package_file file;
    *module = NULL;
    if (!ridge_package_locate(&file, p, library) || !file.folder)
        return RIDGE_OK;
    return look_in_models(module, p, library, file.root, name, hint, err);
}

ridge_status ridge_package_find_class(const char **module, ridge_package *p, const char *class, const char *hint, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *module = NULL;
    if (p->local)
        st = look_below(module, p->local_name, p->local, class, true, p, in->err);
    if (!st && !*module)
        st = find_in_library(module, p, "transformers", class, hint, in->err);
    if (!st && !*module)
        st = find_in_library(module, p, "diffusers", class, hint, in->err);
    return st;
}

/* ---- attributes ---- */

/* `from .cache_utils import Cache as Cache` of a library's __init__.py; NULL where it has no such line */
static const char *told_by_init(ridge_str text, const char *package, const char *name, ridge_arena *arena)
{
    const char *line = ridge_arena_printf(arena, " import %s as %s\n", name, name), *end = text.p + text.n;
    size_t n = line ? strlen(line) : 0;
    for (const char *at = text.p; line && (at = memchr(at, ' ', (size_t)(end - at))); at++) {
        if ((size_t)(end - at) < n || memcmp(at, line, n) != 0)
            continue;
        const char *start = at;
        while (start > text.p && start[-1] != ' ' && start[-1] != '\n')
            start--;
        if (*start == '.' && start[1] != '.')
            return ridge_arena_printf(arena, "%s.%.*s", package, (int)(at - start - 1), start + 1);
    }
    return NULL;
}

static ridge_status defining_module(const char **module, ridge_package *p, const char *package, const char *name, ridge_py_interp *in)
{
    ridge_package_file file;
    ridge_str text;
    *module = NULL;
    if (!ridge_package_locate(&file, p, package) || !file.folder)
        return RIDGE_OK;
    if (file.file) {
        ridge_status st = ridge_file_read(&text, file.file, TEXT_LIMIT, in->arena, in->err);
        if (st)
            return st;
        if ((*module = told_by_init(text, package, name, in->arena)))
            return RIDGE_OK;
    }
    if (strcmp(package, "transformers") == 0 || strcmp(package, "transformers.models") == 0)
        return look_in_models(module, p, "transformers", file.root, name, NULL, in->err);
    if (strcmp(package, "diffusers") == 0)
        return look_in_models(module, p, "diffusers", file.root, name, NULL, in->err);
    return look_below(module, package, file.folder, name, false, p, in->err);
}

static ridge_status from_defining_module(ridge_py *out, ridge_package *p, ridge_py_module *module, const ridge_symbol *name,
                                         ridge_py_interp *in)
{
    const char *where;
    ridge_py value;
    ridge_status st = defining_module(&where, p, module->name, name->text, in);
    if (st || !where || strcmp(where, module->name) == 0)
        return st;
    if ((st = ridge_py_import(&value, where, in)))
        return st;
    return ridge_py_find(out, value, name, in);
}

static bool library_stand_in(const ridge_py_module *m)
{
    return m->path && strncmp(m->path, "catalog/python/", 15) == 0 && strcmp(m->name, "transformers") != 0 &&
           strcmp(m->name, "diffusers") != 0;
}

ridge_status ridge_package_attribute(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in)
{
    ridge_package *p = in->loader.state;
    *out = ridge_py_unset();
    if (strcmp(name->text, "__version__") == 0) {
        const char *version = NULL;
        ridge_status st = ridge_package_version(&version, p, module->name, in);
        return st || !version ? st : ridge_py_strz(out, version, in);
    }
    if (strncmp(name->text, "__", 2) == 0)
        return RIDGE_OK;
    const char *below = ridge_arena_printf(in->arena, "%s.%s", module->name, name->text);
    if (!below)
        return ridge_no_memory(in->err);
    bool native = in->modules && ridge_py_dict_getz(in->modules, below).type == RIDGE_PY_T_MODULE;
    if (native || (module->is_package && ridge_package_exists(p, below)))
        return ridge_py_import(out, below, in);
    ridge_status st = RIDGE_OK;
    if (module->is_package && !library_stand_in(module))
        st = from_defining_module(out, p, module, name, in);
    if (st || out->type != RIDGE_PY_T_UNSET)
        return st;
    if ((p->local && ridge_package_under(module->name, p->local_name)) || ridge_package_under(module->name, "transformers.models"))
        return RIDGE_OK;
    return ridge_opaque_attribute(out, module, name, in);
}

/* ---- versions ---- */

ridge_status ridge_package_version(const char **version, ridge_package *p, const char *library, ridge_py_interp *in)
{
    ridge_package_file file;
    ridge_str text;
    *version = NULL;
    if (!ridge_package_locate(&file, p, library) || !file.file)
        return RIDGE_OK;
    ridge_status st = ridge_file_read(&text, file.file, TEXT_LIMIT, in->arena, in->err);
    const char *at = st ? NULL : strstr(text.p, "__version__ = \"");
    if (!at)
        return st;
    at += strlen("__version__ = \"");
    *version = ridge_arena_strdup(in->arena, (ridge_str){at, strcspn(at, "\"\n")});
    return *version ? RIDGE_OK : ridge_no_memory(in->err);
}
