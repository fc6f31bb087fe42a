/* archive.h - a zip archive written entry by entry, for fuzzers whose inputs are what is in one. Sums are not looked at, and are 0. */
#ifndef RIDGE_TESTS_FUZZ_ARCHIVE_H
#define RIDGE_TESTS_FUZZ_ARCHIVE_H

#include "fuzz.h"

typedef struct fuzz_archive {
    ridge_buf file, directory;
    size_t entries;
} fuzz_archive;

static inline void fuzz_put(ridge_buf *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ridge_buf_addc(out, (char)(unsigned char)(value >> (8 * i)));
}

/* an entry behind what is there, and its line of the directory */
static inline void fuzz_archive_add(fuzz_archive *a, const char *name, ridge_str content)
{
    const size_t at = a->file.n;
    fuzz_put(&a->file, 0x04034b50, 4);
    for (size_t i = 4; i < 18; i += 2)
        fuzz_put(&a->file, 0, 2);
    fuzz_put(&a->file, content.n, 4);
    fuzz_put(&a->file, content.n, 4);
    fuzz_put(&a->file, strlen(name), 4);
    ridge_buf_addz(&a->file, name);
    ridge_buf_add(&a->file, content);
    fuzz_put(&a->directory, 0x02014b50, 4);
    for (size_t i = 4; i < 20; i += 2)
        fuzz_put(&a->directory, 0, 2);
    fuzz_put(&a->directory, content.n, 4);
    fuzz_put(&a->directory, content.n, 4);
    fuzz_put(&a->directory, strlen(name), 4);
    for (size_t i = 32; i < 42; i += 2)
        fuzz_put(&a->directory, 0, 2);
    fuzz_put(&a->directory, at, 4);
    ridge_buf_addz(&a->directory, name);
    a->entries++;
}

/* the directory and the end; the file's bytes are a->file's */
static inline void fuzz_archive_end(fuzz_archive *a)
{
    const size_t at = a->file.n;
    ridge_buf_add(&a->file, (ridge_str){a->directory.p, a->directory.n});
    fuzz_put(&a->file, 0x06054b50, 4);
    fuzz_put(&a->file, 0, 4);
    fuzz_put(&a->file, a->entries, 2);
    fuzz_put(&a->file, a->entries, 2);
    fuzz_put(&a->file, a->directory.n, 4);
    fuzz_put(&a->file, at, 4);
    fuzz_put(&a->file, 0, 2);
    FUZZ_CHECK(!a->file.failed && !a->directory.failed);
    ridge_buf_free(&a->directory);
}

#endif
