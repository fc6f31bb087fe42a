/* Finds the source of modules: roots, packages, files; see package.h. */
#include "learn/package/parts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "learn/package/embedded.h"
#include "base/sha256.h"

/* ---- names and paths ---- */

static bool identifier(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(p[i] == '_' || ridge_is_digit(p[i]) || (ridge_lower(p[i]) >= 'a' && ridge_lower(p[i]) <= 'z')))
            return false;
    return n > 0 && !ridge_is_digit(p[0]);
}

/* a module's name has identifiers and dots alone, so it cannot lead out of a folder */
static bool module_name(const char *name)
{
    for (const char *at = name;;) {
        size_t n = strcspn(at, ".");
        if (!identifier(at, n))
            return false;
        if (at[n] == '\0')
            return true;
        at += n + 1;
    }
}

bool ridge_package_under(const char *name, const char *package)
{
    size_t n = strlen(package);
    return strncmp(name, package, n) == 0 && (name[n] == '\0' || name[n] == '.');
}

static bool is_file(const char *path)
{
    struct stat s;
    return path && stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* a path that, links followed, lies below the folder */
static bool inside(const char *path, const char *folder)
{
    char *real = realpath(path, NULL);
    size_t n = strlen(folder);
    bool is = real && strncmp(real, folder, n) == 0 && (real[n] == '/' || (n > 0 && folder[n - 1] == '/'));
    free(real);
    return is;
}

static const char *resolved(const char *path, ridge_arena *arena)
{
    char *real = realpath(path, NULL);
    const char *copy = real ? ridge_arena_strdup(arena, ridge_str_of(real)) : NULL;
    free(real);
    return copy;
}

/* ---- roots ---- */

static ridge_status add_root(ridge_package *p, const char *folder, const char *only, ridge_err *err)
{
    const char *real = folder && ridge_file_is_folder(folder) ? resolved(folder, p->arena) : NULL;
    if (!real)
        return p->arena->failed ? ridge_no_memory(err) : RIDGE_OK;
    for (size_t i = 0; i < p->root_count; i++)
        if (strcmp(p->roots[i].folder, real) == 0 && !p->roots[i].only)
            return RIDGE_OK;
    if (!ridge_arena_more(p->arena, &p->roots, p->root_count, &p->root_cap, sizeof *p->roots))
        return ridge_no_memory(err);
    p->roots[p->root_count++] = (ridge_package_root){real, only};
    return RIDGE_OK;
}

/* the outermost folder of the package that a folder is in; NULL: it is in none */
static const char *package_top(const char *folder, ridge_arena *arena)
{
    const char *top = NULL;
    for (const char *at = resolved(folder, arena); at && at[0] != '\0' && strcmp(at, "/") != 0;) {
        if (!is_file(ridge_arena_printf(arena, "%s/__init__.py", at)))
            break;
        top = at;
        const char *slash = strrchr(at, '/');
        at = slash ? ridge_arena_strdup(arena, (ridge_str){at, (size_t)(slash - at)}) : NULL;
    }
    return top;
}

static const char *parent_of(const char *path, ridge_arena *arena)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return slash == path ? "/" : ridge_arena_strdup(arena, (ridge_str){path, (size_t)(slash - path)});
}

/* a folder name as a part of a module's name */
static const char *as_identifier(const char *path, ridge_arena *arena)
{
    const char *slash = strrchr(path, '/');
    char *name = ridge_arena_printf(arena, "%s", slash ? slash + 1 : path);
    for (char *at = name; at && *at != '\0'; at++)
        if (!identifier(at, 1) && !ridge_is_digit(*at))
            *at = '_';
    if (name && ridge_is_digit(name[0]))
        name[0] = '_';
    return name;
}

static bool has_python(const char *folder)
{
    DIR *dir = opendir(folder);
    bool has = false;
    for (struct dirent *e; dir && !has && (e = readdir(dir));)
        has = ridge_str_ends(ridge_str_of(e->d_name), RIDGE_STR(".py"));
    if (dir)
        closedir(dir);
    return has;
}

/* a folder whose files belong to no package: they import each other as `.name` */
static ridge_status set_local(ridge_package *p, const char *folder, ridge_err *err)
{
    p->local = resolved(folder, p->arena);
    p->local_name = p->local ? ridge_arena_printf(p->arena, "transformers_modules.%s", as_identifier(p->local, p->arena)) : NULL;
    return p->local_name ? RIDGE_OK : p->arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

/* packages that a folder has as links to where they are: those places, too */
static ridge_status add_linked(ridge_package *p, const char *folder, ridge_err *err)
{
    DIR *dir = opendir(folder);
    ridge_status st = RIDGE_OK;
    for (struct dirent *e; dir && !st && (e = readdir(dir));) {
        struct stat s;
        const char *path = ridge_arena_printf(p->arena, "%s/%s", folder, e->d_name);
        if (!path || lstat(path, &s) != 0 || !S_ISLNK(s.st_mode) || !is_file(ridge_arena_printf(p->arena, "%s/__init__.py", path)))
            continue;
        const char *real = resolved(path, p->arena), *slash = real ? strrchr(real, '/') : NULL;
        if (slash && strcmp(slash + 1, e->d_name) == 0)
            st = add_root(p, parent_of(real, p->arena), NULL, err);
    }
    if (dir)
        closedir(dir);
    return st ? st : p->arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

static ridge_status add_source(ridge_package *p, const char *source, ridge_err *err)
{
    struct stat s;
    if (stat(source, &s) != 0)
        return ridge_fail(err, RIDGE_IO, "no such file or folder: %s (" RIDGE_OPT("source") ")", source);
    const char *folder = S_ISDIR(s.st_mode) ? source : parent_of(source, p->arena);
    const char *top = folder ? package_top(folder, p->arena) : NULL;
    if (!folder)
        return ridge_no_memory(err);
    if (top)
        return add_root(p, parent_of(top, p->arena), NULL, err);
    ridge_status st = has_python(folder) ? set_local(p, folder, err) : RIDGE_OK;
    if (!st)
        st = add_root(p, folder, NULL, err);
    if (!st)
        st = add_linked(p, folder, err);
    return st ? st : add_root(p, ridge_arena_printf(p->arena, "%s/src", folder), NULL, err);
}

/* the places where a Python of this user keeps packages; of them the libraries of models and the class's own are read */
static ridge_status add_usual(ridge_package *p, const char *only, ridge_err *err)
{
    static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    static const char *const fixed[] = {"/usr/local/lib", "/usr/lib"};
    const char *bases[5] = {0};
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        if (getenv(variables[i]))
            bases[count++] = ridge_arena_printf(p->arena, "%s/lib", getenv(variables[i]));
    if (getenv("HOME"))
        bases[count++] = ridge_arena_printf(p->arena, "%s/.local/lib", getenv("HOME"));
    for (size_t i = 0; i < 2; i++)
        bases[count++] = fixed[i];
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < count; i++) {
        DIR *dir = bases[i] ? opendir(bases[i]) : NULL;
        for (struct dirent *e; dir && !st && (e = readdir(dir));) {
            if (strncmp(e->d_name, "python3", 7) != 0)
                continue;
            if (!(st = add_root(p, ridge_arena_printf(p->arena, "%s/%s/site-packages", bases[i], e->d_name), only, err)))
                st = add_root(p, ridge_arena_printf(p->arena, "%s/%s/dist-packages", bases[i], e->d_name), only, err);
        }
        if (dir)
            closedir(dir);
    }
    return st;
}

ridge_status ridge_package_open(ridge_package *out, const char *source, const char *model_folder, const char *class_path,
                                ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_package){.arena = arena};
    ridge_status st = source ? add_source(out, source, err) : RIDGE_OK;
    if (!st && !out->local && model_folder && ridge_file_is_folder(model_folder) && has_python(model_folder))
        st = set_local(out, model_folder, err);
    if (!st)
        st = add_usual(out, "transformers", err);
    if (!st)
        st = add_usual(out, "diffusers", err);
    const char *dot = class_path ? strchr(class_path, '.') : NULL;
    if (!st && dot)
        st = add_usual(out, ridge_arena_strdup(arena, (ridge_str){class_path, (size_t)(dot - class_path)}), err);
    return st;
}

/* ---- files of modules ---- */

/* FOLDER/a/b/c of a.b.c */
static const char *below(const char *folder, const char *name, const char *end, ridge_arena *arena)
{
    char *path = ridge_arena_printf(arena, "%s/%s%s", folder, name, end);
    for (char *at = path ? path + strlen(folder) + 1 : NULL; at && *at != '\0' && (size_t)(at - path) <= strlen(folder) + strlen(name);
         at++)
        if (*at == '.')
            *at = '/';
    return path;
}

static bool find_below(ridge_package_file *out, const char *folder, const char *name, ridge_arena *arena)
{
    const char *file = below(folder, name, ".py", arena), *init = below(folder, name, "/__init__.py", arena);
    const char *plain = below(folder, name, "", arena);
    *out = (ridge_package_file){.root = folder};
    if (is_file(init) && inside(init, folder))
        *out = (ridge_package_file){init, folder, plain, true};
    else if (is_file(file) && inside(file, folder))
        *out = (ridge_package_file){file, folder, NULL, false};
    else if (plain && ridge_file_is_folder(plain) && inside(plain, folder) && has_python(plain))
        *out = (ridge_package_file){NULL, folder, plain, true};
    return out->file || out->folder;
}

bool ridge_package_locate(ridge_package_file *out, ridge_package *p, const char *name)
{
    if (p->local && ridge_package_under(name, p->local_name)) {
        const char *rest = name + strlen(p->local_name);
        if (*rest == '\0') {
            *out = (ridge_package_file){NULL, p->local, p->local, true};
            return true;
        }
        return find_below(out, p->local, rest + 1, p->arena);
    }
    for (size_t i = 0; i < p->root_count; i++)
        if ((!p->roots[i].only || ridge_package_under(name, p->roots[i].only)) && find_below(out, p->roots[i].folder, name, p->arena))
            return true;
    return false;
}

static bool embedded_package(const ridge_embedded_module *m)
{
    return ridge_str_ends(ridge_str_of(m->file), RIDGE_STR("/__init__.py"));
}

/* stand-ins exist below this name */
static bool embedded_below(const char *name)
{
    size_t n = strlen(name);
    unsigned low = 0, high = ridge_embedded_modules_count;
    while (low < high) { /* the first that is not before "name." */
        unsigned middle = low + (high - low) / 2;
        int order = strncmp(ridge_embedded_modules[middle].name, name, n);
        if (order < 0 || (order == 0 && ridge_embedded_modules[middle].name[n] < '.'))
            low = middle + 1;
        else
            high = middle;
    }
    return low < ridge_embedded_modules_count && strncmp(ridge_embedded_modules[low].name, name, n) == 0 &&
           ridge_embedded_modules[low].name[n] == '.';
}

bool ridge_package_exists(ridge_package *p, const char *name)
{
    ridge_package_file file;
    return module_name(name) && (ridge_embedded_module_find(name) || embedded_below(name) || ridge_package_locate(&file, p, name));
}

/* ---- modules ---- */

static ridge_status new_module(ridge_py_module **out, const char *name, ridge_py_interp *in)
{
    ridge_py_module *m = ridge_arena_alloc(in->arena, sizeof *m);
    if (!m || !(m->name = ridge_arena_strdup(in->arena, ridge_str_of(name))))
        return ridge_no_memory(in->err);
    *out = m;
    return RIDGE_OK;
}

/* libraries whose packages give their names on demand: their __init__.py is not run */
static bool is_lazy(const char *name)
{
    return ridge_package_under(name, "transformers") || ridge_package_under(name, "diffusers") ||
           ridge_package_under(name, "transformers_modules");
}

static ridge_status from_embedded(ridge_py_module **out, const ridge_embedded_module *e, ridge_package *p, ridge_py_interp *in)
{
    ridge_status st = new_module(out, e->name, in);
    if (st)
        return st;
    (*out)->path = e->file;
    (*out)->text = (ridge_str){e->text, e->length};
    (*out)->is_package = embedded_package(e) || embedded_below(e->name);
    if (is_lazy(e->name))
        (*out)->attribute = ridge_package_attribute;
    else if (ridge_package_under(e->name, "torch") || ridge_package_under(e->name, "numpy"))
        (*out)->attribute = ridge_opaque_attribute;
    (void)p;
    return RIDGE_OK;
}

static ridge_status from_file(ridge_py_module **out, const char *name, const ridge_package_file *file, ridge_py_interp *in)
{
    ridge_status st = new_module(out, name, in);
    if (st)
        return st;
    ridge_py_module *m = *out;
    m->is_package = file->is_package;
    m->path = file->file;
    if (m->is_package && (is_lazy(name) || !file->file)) {
        m->executed = true;
        m->attribute = ridge_package_attribute;
        return RIDGE_OK;
    }
    return ridge_file_read(&m->text, file->file, RIDGE_PY_SOURCE_LIMIT, in->arena, in->err);
}

static ridge_status lazy_package(ridge_py_module **out, const char *name, ridge_py_interp *in)
{
    ridge_status st = new_module(out, name, in);
    if (!st) {
        (*out)->is_package = (*out)->executed = true;
        (*out)->attribute = is_lazy(name) ? ridge_package_attribute : ridge_opaque_attribute;
    }
    return st;
}

/* files of the libraries that no model's computation needs, and that lead to everything else */
static bool is_tool(const char *name)
{
    static const char *const prefixes[] = {
        "tokenization_", "image_processing_", "feature_extraction_", "processing_", "video_processing_", "trainer",    "training_args",
        "convert_",      "modelcard",         "hf_argparser",        "image_utils", "audio_utils",       "video_utils"};
    static const char *const packages[] = {
        "transformers.pipelines", "transformers.onnx",     "transformers.data",      "transformers.quantizers",
        "transformers.loss",      "transformers.commands", "transformers.sagemaker", "transformers.distributed",
        "transformers.kernels",   "transformers.cli",      "diffusers.pipelines",    "diffusers.schedulers",
        "diffusers.hooks",        "diffusers.quantizers",  "diffusers.guiders",      "diffusers.modular_pipelines"};
    const char *last = strrchr(name, '.');
    for (size_t i = 0; last && i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(last + 1, prefixes[i], strlen(prefixes[i])) == 0)
            return is_lazy(name) && !ridge_package_under(name, "transformers_modules");
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (ridge_package_under(name, packages[i]))
            return true;
    return false;
}

static ridge_status opaque(ridge_py_module **out, const char *name, ridge_py_interp *in)
{
    ridge_status st = new_module(out, name, in);
    if (!st) {
        (*out)->is_package = (*out)->executed = true;
        (*out)->attribute = ridge_opaque_attribute;
    }
    return st;
}

/* optional libraries that code asks for by trying to import them: they are not there */
static bool absent(const char *name)
{
    static const char *const names[] = {
        "apex",       "bitsandbytes", "causal_conv1d", "deepspeed", "detectron2", "fla",  "flash_attn", "flash_attn_interface",
        "kernels",    "mamba_ssm",    "megablocks",    "natten",    "optimum",    "peft", "scattermoe", "selective_scan_cuda",
        "tensorflow", "torch_npu",    "torch_xla",     "triton",    "xformers",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ridge_package_under(name, names[i]))
            return true;
    return false;
}

static ridge_status find(ridge_py_module **out, const char *name, void *state, ridge_py_interp *in)
{
    ridge_package *p = state;
    ridge_package_file file;
    *out = NULL;
    if (!module_name(name) || absent(name))
        return RIDGE_OK;
    const ridge_embedded_module *e = ridge_embedded_module_find(name);
    if (e)
        return from_embedded(out, e, p, in);
    if (is_tool(name))
        return opaque(out, name, in);
    if (ridge_package_locate(&file, p, name))
        return from_file(out, name, &file, in);
    if (embedded_below(name) || (p->local && strcmp(name, "transformers_modules") == 0))
        return lazy_package(out, name, in);
    char *top = ridge_arena_strdup(in->arena, (ridge_str){name, strcspn(name, ".")});
    if (!top)
        return ridge_no_memory(in->err);
    if (is_lazy(name) || ridge_package_locate(&file, p, top))
        return RIDGE_OK;
    return opaque(out, name, in);
}

ridge_py_loader ridge_package_loader(ridge_package *package)
{
    return (ridge_py_loader){find, package};
}
