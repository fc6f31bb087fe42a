/* provider.h - matrix products of libraries that are opened at run time: OpenBLAS (fp32), oneDNN (fp32, bf16, int8).
 * In: problems as kernel.h has them. Out: variants; a sentence that says which library and which of its kernels runs, or why none does.
 * Each thread of a run computes its columns of C with the library on one thread: the team's threads are pinned and wait spinning, so
 * that a library's own threads would share their cores. A library once opened stays; the loader holds it, nothing here does. */
#ifndef RIDGE_KERNEL_PROVIDER_PROVIDER_H
#define RIDGE_KERNEL_PROVIDER_PROVIDER_H

#include "kernel/kernel.h"

/* "OpenBLAS 0.3.21 ... SkylakeX", "oneDNN 2.6.3, brg:avx512_core": what computes an opened run. With no run: what the library says of
 * itself, or "libdnnl.so.2: cannot open ..." or "built without ...". false: no such provider, or what it would say of is not there. */
bool ridge_provider_detail(char *out, size_t room, const char *provider, const ridge_kernel_run *run);

/* For a process of many threads, before it has them: sets for good the variables of the environment that opening a library sets for a
 * moment, which is no business of one thread among others. */
void ridge_provider_settle(void);

bool ridge_openblas_detail(char *out, size_t room, const ridge_kernel_run *run);
bool ridge_onednn_detail(char *out, size_t room, const ridge_kernel_run *run);

extern const ridge_kernel_variant ridge_gemm_openblas, ridge_gemm_onednn, ridge_gemm_onednn_int8;

/* the columns of C that a thread computes: [*from, *to), in sixteens */
static inline void ridge_provider_columns(int64_t *from, int64_t *to, int64_t n, unsigned thread, unsigned threads)
{
    int64_t groups = (n + 15) / 16, first = groups * thread / threads * 16, end = groups * (thread + 1) / threads * 16;
    *from = first < n ? first : n;
    *to = end < n ? end : n;
}

#endif
