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

const char *ridge_gguf_choices_told(const ridge_gguf_choices *choices, ridge_arena *arena)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < choices->count; i++) {
        const ridge_gguf_choice *c = &choices->items[i];
        const char *slash = strrchr(c->file, '/');
        const size_t before = text.n;
        ridge_buf_addz(&text, i ? ", " : "");
        ridge_buf_add_shown(&text, ridge_str_of(slash ? slash + 1 : c->file), 0);
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
