/* files.h - a folder in memory, which the input of a fuzzer describes. Readers find it below FUZZ_FOLDER: base/file.h is replaced at link
 * time (--wrap), other paths go on to the real files.
 * Input: "@c" and a newline at the beginning of a line begin a file (c: 'a' and its place in `paths`); what follows up to the next such
 * line is its text. What stands before the first one belongs to no file. */
#ifndef RIDGE_TESTS_FUZZ_FILES_H
#define RIDGE_TESTS_FUZZ_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define FUZZ_FOLDER "/fuzz"
enum { FUZZ_FILES = 26 };

/* paths[i] is below FUZZ_FOLDER ("machines/a.json"); count <= FUZZ_FILES. Both live as long as the files are read. */
void fuzz_files_set(const char *const *paths, size_t count, ridge_str input);
/* p == NULL: the input has no such file */
ridge_str fuzz_file(size_t index);
/* the first mark at or after `at` in begin..end; end where there is none */
const char *fuzz_next_mark(const char *at, const char *begin, const char *end);

#endif
