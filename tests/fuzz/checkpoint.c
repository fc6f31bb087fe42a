/* checkpoint.c - fuzzes the reader of PyTorch's checkpoints: zip archives and the older form; and, where an input begins as a pickle and
 * not as the older form does, that pickle in an archive with three storages of 24 bytes. */
#include "archive.h"
#include "weights.h"

enum { STORAGES = 3, STORAGE_BYTES = 24 };

static void archive(fuzz_archive *out, ridge_str pickle)
{
    static const char zeros[STORAGE_BYTES] = {0};
    static const char *const names[STORAGES] = {"archive/data/0", "archive/data/1", "archive/data/2"};
    fuzz_archive_add(out, "archive/data.pkl", pickle);
    for (size_t i = 0; i < STORAGES; i++)
        fuzz_archive_add(out, names[i], (ridge_str){zeros, sizeof zeros});
    fuzz_archive_end(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_archive made = {0};
    fuzz_weights((ridge_str){(const char *)data, size});
    if (size == 0 || data[0] != 0x80)
        return 0;
    archive(&made, (ridge_str){(const char *)data, size});
    fuzz_weights((ridge_str){made.file.p, made.file.n});
    ridge_buf_free(&made.file);
    return 0;
}
