/* threads.h - numbers of threads as an option takes them: "1,2,4", each larger than the one before. */
#ifndef RIDGE_MEASURE_THREADS_H
#define RIDGE_MEASURE_THREADS_H

#include "base/option.h"

enum { RIDGE_THREADS_COUNTS = 32, RIDGE_THREADS_MOST = 1024 };

typedef struct ridge_threads {
    unsigned counts[RIDGE_THREADS_COUNTS]; /* ascending */
    size_t count;                          /* 0: not given */
} ridge_threads;

/* reads a ridge_threads (RIDGE_OTHER); USAGE */
ridge_option_read ridge_threads_read;
/* the largest; 0 where there is none */
unsigned ridge_threads_most(const ridge_threads *threads);

#endif
