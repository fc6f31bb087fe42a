#include "input/gguf/choice.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/shown.h"
#include "base/units.h"
#include "input/gguf/gguf.h"

enum { TOLD_MOST = 360 /* of a message's 512 bytes */, CHOICES_MOST = 10000 };

static bool is_same(const ridge_gguf_choice *a, ridge_str stem, unsigned parts)
{
    return a->parts == parts && ridge_str_eq(a->stem, stem);
}

ridge_status ridge_gguf_choices_add(ridge_gguf_choices *out, const char *path, ridge_int bytes, ridge_arena *arena, ridge_err *err)
{
    ridge_str stem;
    unsigned number, parts;
    if (!ridge_gguf_split_name(&stem, &number, &parts, path)) {
        stem = (ridge_str){path, strlen(path) - strlen(".gguf")};
        parts = 1;
    }
    for (size_t i = 0; i < out->count; i++)
        if (parts > 1 && is_same(&out->items[i], stem, parts)) {
            ridge_int *sum = &out->items[i].bytes;
            if (*sum < 0 || bytes < 0 || !ridge_int_add(sum, *sum, bytes))
                *sum = -1;
            return RIDGE_OK;
        }
    if (out->count >= CHOICES_MOST)
        return ridge_fail(err, RIDGE_LIMIT, "more than %d GGUFs to choose from", CHOICES_MOST);
    if (!ridge_arena_more(arena, &out->items, out->count, &out->cap, sizeof *out->items))
        return ridge_no_memory(err);
    out->items[out->count++] = (ridge_gguf_choice){path, stem, parts, bytes};
    return RIDGE_OK;
}

ridge_status ridge_gguf_choices_in(ridge_gguf_choices *out, const char *folder, ridge_arena *arena, ridge_err *err)
{
    char **paths;
    size_t count;
    ridge_status st = ridge_file_list_flat(&paths, &count, folder, ".gguf", arena, err);
    *out = (ridge_gguf_choices){0};
    if (st)
        return st;
    for (size_t i = 0; i < count && !st; i++) {
        struct stat info;
        if (strrchr(paths[i], '/')[1] == '.') /* "._model.gguf", which macOS leaves beside a copy */
            continue;
        const ridge_int bytes = stat(paths[i], &info) == 0 ? (ridge_int)info.st_size : -1;
        st = ridge_gguf_choices_add(out, paths[i], bytes, arena, err);
    }
    return st;
}

/* ---- tags ---- */

static ridge_str name_of(const ridge_gguf_choice *c)
{
    size_t n = c->stem.n;
    while (n > 0 && c->stem.p[n - 1] != '/')
        n--;
    return (ridge_str){c->stem.p + n, c->stem.n - n};
}

static bool starts(ridge_str text, const char *with)
{
    size_t i = 0;
    while (with[i] && i < text.n && (with[i] == '#' ? ridge_is_digit(text.p[i]) : ridge_lower(text.p[i]) == with[i]))
        i++;
    return !with[i];
}

/* as the names of llama.cpp's quantisations begin (llama_ftype) */
static bool is_quantisation(ridge_str text)
{
    static const char *const begin[] = {"q#", "iq#", "tq#", "mxfp#", "nvfp#", "bf16", "f16", "f32", "fp16", "fp32"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (starts(text, begin[i]))
            return true;
    return false;
}

ridge_str ridge_gguf_choice_tag(const ridge_gguf_choice *c)
{
    const ridge_str name = name_of(c);
    if (starts(name, "mmproj")) /* the part that sees or hears, and no model */
        return name;
    for (size_t i = 0; i < name.n; i++) {
        const ridge_str rest = {name.p + i, name.n - i};
        const bool begins = i == 0 || name.p[i - 1] == '-' || name.p[i - 1] == '.' || name.p[i - 1] == '_';
        if (begins && (is_quantisation(rest) || (starts(rest, "ud-") && is_quantisation((ridge_str){rest.p + 3, rest.n - 3}))))
            return rest;
    }
    return name;
}

static bool is_alike(ridge_str a, ridge_str b)
{
    size_t i = 0;
    while (i < a.n && i < b.n && ridge_lower(a.p[i]) == ridge_lower(b.p[i]))
        i++;
    return i == a.n && i == b.n;
}

static bool has_tag(const ridge_gguf_choice *c, ridge_str tag)
{
    return is_alike(ridge_gguf_choice_tag(c), tag) || is_alike(name_of(c), tag);
}

ridge_status ridge_gguf_choices_of(ridge_gguf_choices *out, const ridge_gguf_choices *all, const char *tag, ridge_arena *arena,
                                   ridge_err *err)
{
    ridge_str text = ridge_str_of(tag);
    if (ridge_str_ends(text, RIDGE_STR(".gguf")))
        text.n -= strlen(".gguf");
    const char *dynamic = ridge_arena_printf(arena, "UD-%.*s", RIDGE_STR_ARG(text));
    const ridge_str tags[] = {text, ridge_str_of(dynamic ? dynamic : "")};
    *out = (ridge_gguf_choices){0};
    for (size_t k = 0; k < 2 && out->count == 0; k++)
        for (size_t i = 0; i < all->count; i++)
            if (has_tag(&all->items[i], tags[k])) {
                if (!ridge_arena_more(arena, &out->items, out->count, &out->cap, sizeof *out->items))
                    return ridge_no_memory(err);
                out->items[out->count++] = all->items[i];
            }
    return dynamic ? RIDGE_OK : ridge_no_memory(err);
}

/* ---- to tell ---- */

static bool is_alone(const ridge_gguf_choices *choices, const ridge_gguf_choice *c)
{
    const ridge_str tag = ridge_gguf_choice_tag(c);
    for (size_t i = 0; i < choices->count; i++)
        if (&choices->items[i] != c && is_alike(ridge_gguf_choice_tag(&choices->items[i]), tag))
            return false;
    return true;
}

const char *ridge_gguf_choices_told(const ridge_gguf_choices *choices, bool tags, ridge_arena *arena)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < choices->count; i++) {
        const ridge_gguf_choice *c = &choices->items[i];
        const char *slash = tags ? NULL : strrchr(c->file, '/');
        const ridge_str file = ridge_str_of(slash ? slash + 1 : c->file);
        const size_t before = text.n;
        ridge_buf_addz(&text, i ? ", " : "");
        ridge_buf_add_shown(&text, tags && is_alone(choices, c) ? ridge_gguf_choice_tag(c) : file, 0);
        if (c->bytes >= 0)
            ridge_buf_addf(&text, " (%s)", ridge_units_bytes(arena, c->bytes));
        if (i && text.n > TOLD_MOST) {
            text.n = before;
            ridge_buf_addf(&text, " and %zu more", choices->count - i);
            break;
        }
    }
    const char *told = ridge_arena_take(arena, &text);
    return told ? told : "";
}
