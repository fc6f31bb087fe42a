#include "input/graph_file.h"

#include "input/onnx/onnx.h"
#include "input/pt2/pt2.h"

typedef struct reader {
    bool (*looks)(ridge_binary *file);
    ridge_status (*read)(ridge_opgraph *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);
    const char *ending; /* of a file of such a name that looks like none it says best what is wrong with it; NULL: it does not */
} reader;

/* in the order in which a file is looked at: ONNX has no magic number, and comes last */
static const reader readers[] = {
    {ridge_pt2_looks, ridge_pt2_read, NULL},
    {ridge_onnx_looks, ridge_onnx_read, ".onnx"},
    {NULL, NULL, NULL},
};

static const reader *reader_of(ridge_binary *file)
{
    for (const reader *r = readers; r->looks; r++)
        if (r->looks(file))
            return r;
    for (const reader *r = readers; r->looks; r++)
        if (r->ending && ridge_str_ends(ridge_str_of(file->path), ridge_str_of(r->ending)))
            return r;
    return NULL;
}

bool ridge_graph_file_looks(const char *path)
{
    ridge_arena arena;
    ridge_binary file;
    ridge_arena_init(&arena);
    const ridge_status st = ridge_binary_open(&file, path, &arena, NULL);
    const bool looks = st == RIDGE_NOMEM || (!st && reader_of(&file)); /* without memory nobody knows, and who reads it says so */
    ridge_binary_close(&file);
    ridge_arena_free(&arena);
    return looks;
}

ridge_status ridge_graph_file_read(ridge_opgraph **out, const char *path, ridge_arena *arena, ridge_err *err)
{
    ridge_arena window;
    ridge_binary file;
    *out = NULL;
    ridge_arena_init(&window);
    ridge_status st = ridge_binary_open(&file, path, &window, err);
    const reader *r = st ? NULL : reader_of(&file);
    if (r && !(*out = ridge_arena_alloc(arena, sizeof **out)))
        st = ridge_no_memory(err);
    if (r && !st)
        st = r->read(*out, &file, arena, err);
    ridge_binary_close(&file);
    ridge_arena_free(&window);
    return st;
}
