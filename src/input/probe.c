#include "input/probe.h"

#include "input/checkpoint.h"
#include "input/hub/kept.h"
#include "input/onnx/onnx.h"
#include "input/pt2/pt2.h"
#include "input/safetensors.h"

static const char *const safetensors_endings[] = {".safetensors", NULL};
static const char *const checkpoint_endings[] = {".bin", ".pt", ".pth", ".ckpt", NULL};
static const char *const pt2_endings[] = {".pt2", NULL};
static const char *const onnx_endings[] = {".onnx", NULL};

/* in the order in which a file is looked at: a .pt2 is a zip archive as a checkpoint is; ONNX and safetensors have no magic number, and
 * come last */
static const ridge_weight_reader readers[] = {
    {.name = "torch.export archive", .endings = pt2_endings, .looks = ridge_pt2_looks, .read = ridge_pt2_weights, .alone = true},
    {.name = "PyTorch checkpoint", .endings = checkpoint_endings, .looks = ridge_checkpoint_looks, .read = ridge_checkpoint_read},
    {.name = "ONNX", .endings = onnx_endings, .looks = ridge_onnx_looks, .read = ridge_onnx_weights, .says_best = true, .alone = true},
    {.name = "safetensors",
     .endings = safetensors_endings,
     .looks = ridge_safetensors_looks,
     .read = ridge_safetensors_read,
     .says_best = true},
};
enum { READERS = sizeof readers / sizeof *readers };

/* what people try too, and why it is not read */
static const struct {
    const char *magic;
    size_t n;
    const char *what;
} others[] = {
    {"version https://git-lfs", 23, "a pointer of Git LFS, not the file itself: 'git lfs pull' brings it"},
    {"<!DOCTYPE", 9, "a web page: the download went wrong"},
    {"<html", 5, "a web page: the download went wrong"},
    {"\211HDF", 4, "an HDF5 file, which is not read"},
    {"\x1f\x8b", 2, "compressed by gzip: unpack it first"},
    {"\x80\x02", 2, "a pickle that torch.save did not write"},
    {"\x80\x03", 2, "a pickle that torch.save did not write"},
    {"\x80\x04", 2, "a pickle that torch.save did not write"},
    {"\x80\x05", 2, "a pickle that torch.save did not write"},
    {"\x93NUMPY", 6, "an array of NumPy, which is not read"},
};

const ridge_weight_reader *ridge_weight_reader_named(const char *path)
{
    for (size_t i = 0; i < READERS; i++)
        for (const char *const *e = readers[i].endings; *e; e++)
            if (ridge_str_ends(ridge_str_of(path), ridge_str_of(*e)))
                return &readers[i];
    return NULL;
}

static ridge_status not_known(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    char first[24];
    const size_t n = file->size < sizeof first ? (size_t)file->size : sizeof first;
    ridge_status st = ridge_binary_read(file, first, 0, n, err);
    if (st)
        return st;
    if (!n)
        return ridge_fail(err, RIDGE_SYNTAX, "%s: the file is empty", file->path);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ridge_str_starts((ridge_str){first, n}, (ridge_str){others[i].magic, others[i].n}))
            return ridge_fail(err, RIDGE_SYNTAX, "%s: %s", file->path, others[i].what);
    const ridge_weight_reader *named = ridge_weight_reader_named(file->path);
    if (named && named->says_best)
        return named->read(out, file, arena, err);
    return ridge_fail(err, RIDGE_SYNTAX, "%s: no weight file that Ridge reads; it begins with '%s'", file->path,
                      ridge_weight_shown(arena, (ridge_str){first, n < 8 ? n : 8}));
}

static const ridge_weight_reader *reader_of(ridge_binary *file)
{
    for (size_t i = 0; i < READERS; i++)
        if (readers[i].looks(file))
            return &readers[i];
    return NULL;
}

bool ridge_probe_looks(const char *path)
{
    ridge_arena arena;
    ridge_binary file;
    ridge_arena_init(&arena);
    const bool looks = !ridge_binary_open(&file, path, &arena, NULL) && reader_of(&file);
    ridge_binary_close(&file);
    ridge_arena_free(&arena);
    return looks;
}

ridge_status ridge_probe_file(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    const ridge_weight_reader *reader = reader_of(file);
    if (reader)
        return reader->read(out, file, arena, err);
    return not_known(out, file, arena, err);
}

ridge_status ridge_probe_read(ridge_weights *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    ridge_arena window; /* of thousands of files, one at a time is there */
    ridge_binary file;
    ridge_arena_init(&window);
    ridge_status st = ridge_hub_open(&file, path, &window, err);
    if (!st)
        st = ridge_probe_file(out, &file, arena, err);
    ridge_binary_close(&file);
    ridge_arena_free(&window);
    return st;
}
