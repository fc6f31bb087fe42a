/* beside.h - the ceilings that take turns with a kernel: a stream from where its operands are (and to where its results go), a loop
 * of its multiply-adds. In: rates of so many threads, what bounds the kernel, the bytes it moves. Out: works to measure beside it, then the
 * time that memory and arithmetic alone would have taken. Owns its buffer until ridge_bench_beside_free. A stream that cannot be made is
 * left out. */
#ifndef RIDGE_BENCH_BESIDE_H
#define RIDGE_BENCH_BESIDE_H

#include "bench/machine.h"
#include "bench/problem.h"
#include "measure/kernel_run.h"

typedef struct ridge_bench_beside {
    ridge_kernel_beside beside;
    ridge_stream_job stream;
    ridge_peak_job peak;
    int stream_at, peak_at; /* in `beside`; negative: left out */
    char *buffer;
    size_t room;
} ridge_bench_beside;

void ridge_bench_beside_set(ridge_bench_beside *b, const ridge_bench_rates *rates, const ridge_bench_least *least, ridge_bench_mix mix,
                            double bytes, ridge_cache_state cache);
/* after the run; a ceiling that was left out counts as it was measured before */
ridge_compare_sides ridge_bench_beside_sides(const ridge_bench_beside *b, const ridge_bench_rates *rates, const ridge_bench_least *least,
                                             double bytes);
void ridge_bench_beside_free(ridge_bench_beside *b);

#endif
