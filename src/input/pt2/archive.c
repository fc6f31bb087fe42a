/* Where a program is: torch/export/__init__.py of PyTorch 2.1 to 2.7; torch/export/pt2_archive since, torch/csrc/export/
 * pt2_archive_constants.h for the names. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "input/pt2/parts.h"

enum { JSON_MOST = 1 << 28, NAME_MOST = 4096, NAMES_TOLD = 4 };

static const char flat_program[] = "serialized_exported_program.json";
static const char format_name[] = "archive_format";

static bool says_pt2(const ridge_zip *zip, const ridge_zip_entry *entry, ridge_arena *scratch)
{
    ridge_cursor c;
    ridge_str text;
    return entry->bytes == 3 && !ridge_zip_open(&c, zip, entry, scratch, NULL) &&
           !ridge_cursor_text(&text, &c, entry->bytes, 3, "", scratch, NULL) && ridge_str_is(text, "pt2");
}

/* the folder that an archive_format is in: "resnet/"; false: it is not at the top, or is something else */
static bool is_format(ridge_str *root, const ridge_zip *zip, const ridge_zip_entry *entry, ridge_arena *scratch)
{
    const ridge_str name = entry->name;
    const size_t n = sizeof format_name - 1;
    if (!ridge_str_ends(name, ridge_str_of(format_name)))
        return false;
    *root = (ridge_str){name.p, name.n - n};
    const char *slash = root->n ? memchr(root->p, '/', root->n) : NULL;
    return (!root->n || slash == root->p + root->n - 1) && says_pt2(zip, entry, scratch);
}

bool ridge_pt2_looks(ridge_binary *file)
{
    ridge_arena scratch;
    ridge_zip zip;
    ridge_str root;
    bool found = false;
    if (!ridge_zip_looks(file))
        return false;
    ridge_arena_init(&scratch);
    if (!ridge_zip_read(&zip, file, &scratch, NULL)) {
        found = ridge_zip_find(&zip, ridge_str_of(flat_program));
        for (size_t i = 0; i < zip.count && !found; i++)
            found = is_format(&root, &zip, &zip.entries[i], &scratch);
    }
    ridge_arena_free(&scratch);
    return found;
}

/* "models/MODEL.json" behind the root: MODEL */
static bool is_model(ridge_str *model, const pt2_archive *a, ridge_str name)
{
    const ridge_str folder = RIDGE_STR("models/"), ending = RIDGE_STR(".json");
    if (!ridge_str_starts(name, a->root))
        return false;
    name = (ridge_str){name.p + a->root.n, name.n - a->root.n};
    if (!ridge_str_starts(name, folder) || !ridge_str_ends(name, ending) || name.n <= folder.n + ending.n)
        return false;
    *model = (ridge_str){name.p + folder.n, name.n - folder.n - ending.n};
    return true;
}

static bool has_folder(const pt2_archive *a, const char *folder)
{
    for (size_t i = 0; i < a->zip.count; i++) {
        const ridge_str name = a->zip.entries[i].name;
        if (ridge_str_starts(name, a->root) && ridge_str_starts((ridge_str){name.p + a->root.n, name.n - a->root.n}, ridge_str_of(folder)))
            return true;
    }
    return false;
}

static ridge_status no_program(const pt2_archive *a, ridge_err *err)
{
    const char *path = a->zip.file->path;
    if (has_folder(a, "data/aotinductor/"))
        return ridge_fail(err, RIDGE_VALUE,
                          "%s: an AOTInductor package: it holds compiled code and no graph; save the model with torch.export.save", path);
    if (has_folder(a, "data/executorch/"))
        return ridge_fail(err, RIDGE_VALUE, "%s: it holds ExecuTorch's programs and no graph; save the model with torch.export.save", path);
    return ridge_fail(err, RIDGE_VALUE, "%s: a PT2 archive without models/*.json: it has no graph", path);
}

static ridge_status several_programs(const pt2_archive *a, size_t count, ridge_arena *scratch, ridge_err *err)
{
    ridge_str model;
    const char *names = "";
    size_t told = 0;
    for (size_t i = 0; i < a->zip.count && told < NAMES_TOLD; i++)
        if (is_model(&model, a, a->zip.entries[i].name)) {
            names = ridge_arena_printf(scratch, "%s%s'%s'", names, told ? ", " : "", ridge_weight_shown(scratch, model));
            told++;
            if (!names)
                return ridge_no_memory(err);
        }
    return ridge_fail(err, RIDGE_VALUE, "%s: it holds %zu programs (%s%s), and one is read: save each alone", a->zip.file->path, count,
                      names, count > told ? ", ..." : "");
}

static ridge_status find_model(pt2_archive *a, ridge_arena *scratch, ridge_err *err)
{
    ridge_str model;
    size_t count = 0;
    for (size_t i = 0; i < a->zip.count; i++)
        if (is_model(&model, a, a->zip.entries[i].name) && ++count == 1)
            a->model = model;
    if (!count)
        return no_program(a, err);
    return count == 1 ? RIDGE_OK : several_programs(a, count, scratch, err);
}

ridge_status pt2_find(pt2_archive *out, ridge_binary *file, ridge_arena *scratch, ridge_err *err)
{
    *out = (pt2_archive){.root = RIDGE_STR("")};
    ridge_status st = ridge_zip_read(&out->zip, file, scratch, err);
    if (st)
        return st;
    out->flat = ridge_zip_find(&out->zip, ridge_str_of(flat_program));
    if (out->flat)
        return RIDGE_OK;
    for (size_t i = 0; i < out->zip.count; i++)
        if (is_format(&out->root, &out->zip, &out->zip.entries[i], scratch))
            return find_model(out, scratch, err);
    return ridge_fail(err, RIDGE_VALUE, "%s: a zip archive that torch.export.save did not write", file->path);
}

const ridge_zip_entry *pt2_entry(pt2_reader *r, const char *fmt, ...)
{
    char name[NAME_MOST];
    const ridge_str root = r->archive.root;
    va_list args;
    if (root.n >= sizeof name)
        return NULL;
    if (root.n)
        memcpy(name, root.p, root.n);
    va_start(args, fmt);
    const int n = vsnprintf(name + root.n, sizeof name - root.n, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof name - root.n)
        return NULL;
    return ridge_zip_find(&r->archive.zip, (ridge_str){name, root.n + (size_t)n});
}

ridge_status pt2_json(const ridge_json **out, pt2_reader *r, const ridge_zip_entry *entry)
{
    ridge_cursor c;
    ridge_str text;
    ridge_json *json;
    const char *path = r->archive.zip.file->path, *name = pt2_shown(r, entry->name);
    if (!(r->json_path = ridge_arena_printf(r->scratch, "%s (%s)", path, name)))
        return ridge_no_memory(r->err);
    ridge_status st = ridge_zip_open(&c, &r->archive.zip, entry, r->scratch, r->err);
    if (st)
        return st;
    if (entry->bytes > JSON_MOST)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: '%s' has %" PRIu64 " bytes, more than 256 MiB", path, name, entry->bytes);
    if ((st = ridge_cursor_text(&text, &c, entry->bytes, JSON_MOST, name, r->scratch, r->err)) ||
        (st = ridge_json_parse(&json, text, r->json_path, (ridge_json_options){.unique_keys = true}, r->scratch, r->err)))
        return st;
    *out = json;
    return RIDGE_OK;
}

ridge_status pt2_program(const ridge_json **out, pt2_reader *r)
{
    const ridge_zip_entry *entry = r->archive.flat ? ridge_zip_find(&r->archive.zip, ridge_str_of(flat_program))
                                                   : pt2_entry(r, "models/%.*s.json", RIDGE_STR_ARG(r->archive.model));
    if (!entry)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: the name of its model has more than 4,000 bytes", r->archive.zip.file->path);
    return pt2_json(out, r, entry);
}
