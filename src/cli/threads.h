/* threads.h - numbers of threads as people type them, and a word where there are more of them than CPUs.
 * In: "1,2,4". Out: the numbers, ascending. Fails (USAGE) on anything else. */
#ifndef RIDGE_CLI_THREADS_H
#define RIDGE_CLI_THREADS_H

#include "cli/io.h"

enum { RIDGE_THREADS_COUNTS = 32, RIDGE_THREADS_MOST = 1024 };

/* Numbers with commas between them, each larger than the one before. *count: how many. */
ridge_status ridge_threads_read(unsigned out[RIDGE_THREADS_COUNTS], size_t *count, const char *text, ridge_err *err);
/* a warning where `most` threads do not have one of `cpus` each */
void ridge_threads_warn(ridge_io *io, unsigned most, unsigned cpus);

#endif
