/* checkpoint.c - fuzzes the reader of PyTorch's checkpoints: zip archives and the older form; and, where an input begins as a pickle and
 * not as the older form does, that pickle in an archive with three storages of 24 bytes. */
#include "weights.h"

enum { STORAGES = 3, STORAGE_BYTES = 24 };

static void put(ridge_buf *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ridge_buf_addc(out, (char)(unsigned char)(value >> (8 * i)));
}

/* an entry behind what is there, and its line of the directory; sums are not looked at */
static void add_entry(ridge_buf *out, ridge_buf *directory, const char *name, ridge_str content)
{
    const size_t at = out->n;
    put(out, 0x04034b50, 4);
    for (size_t i = 4; i < 18; i += 2)
        put(out, 0, 2);
    put(out, content.n, 4);
    put(out, content.n, 4);
    put(out, strlen(name), 4);
    ridge_buf_addz(out, name);
    ridge_buf_add(out, content);
    put(directory, 0x02014b50, 4);
    for (size_t i = 4; i < 20; i += 2)
        put(directory, 0, 2);
    put(directory, content.n, 4);
    put(directory, content.n, 4);
    put(directory, strlen(name), 4);
    for (size_t i = 32; i < 42; i += 2)
        put(directory, 0, 2);
    put(directory, at, 4);
    ridge_buf_addz(directory, name);
}

static void archive(ridge_buf *out, ridge_str pickle)
{
    static const char zeros[STORAGE_BYTES] = {0};
    static const char *const names[STORAGES] = {"archive/data/0", "archive/data/1", "archive/data/2"};
    ridge_buf directory = {0};
    add_entry(out, &directory, "archive/data.pkl", pickle);
    for (size_t i = 0; i < STORAGES; i++)
        add_entry(out, &directory, names[i], (ridge_str){zeros, sizeof zeros});
    const size_t at = out->n;
    ridge_buf_add(out, (ridge_str){directory.p, directory.n});
    put(out, 0x06054b50, 4);
    put(out, 0, 4);
    put(out, STORAGES + 1, 2);
    put(out, STORAGES + 1, 2);
    put(out, directory.n, 4);
    put(out, at, 4);
    put(out, 0, 2);
    FUZZ_CHECK(!out->failed && !directory.failed);
    ridge_buf_free(&directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_buf file = {0};
    fuzz_weights((ridge_str){(const char *)data, size});
    if (size == 0 || data[0] != 0x80)
        return 0;
    archive(&file, (ridge_str){(const char *)data, size});
    fuzz_weights((ridge_str){file.p, file.n});
    ridge_buf_free(&file);
    return 0;
}
