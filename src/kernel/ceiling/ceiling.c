/* The tables of ceiling loops, and streams in plain C for architectures without their own (ceiling.h). */
#include "kernel/ceiling/ceiling.h"

#include <string.h>

#include "kernel/ceiling/loops.h"
#include "kernel/kernel.h"

const char *const ridge_stream_names[RIDGE_STREAM_COUNT + 1] = {RIDGE_STREAM_LIST(RIDGE_FIRST_TEXT)};

const unsigned ridge_stream_arrays[RIDGE_STREAM_COUNT] = {
#define X(code, name, reads, writes) (reads) + (writes),
    RIDGE_STREAM_LIST(X)
#undef X
};

/* ---- plain C ---- */

static void read_plain(char *to, const char *a, const char *b, size_t bytes)
{
    const uint64_t *words = (const uint64_t *)(const void *)a;
    uint64_t sums[4] = {0};
    (void)to;
    (void)b;
    for (size_t i = 0; i < bytes / 8; i += 4)
        for (size_t j = 0; j < 4; j++)
            sums[j] += words[i + j];
    volatile uint64_t sink = sums[0] + sums[1] + sums[2] + sums[3];
    (void)sink;
}

/* the compiler may not see through the pointer, so it keeps the stores */
static void keep(const void *p)
{
    __asm__ volatile("" ::"r"(p) : "memory");
}

static void write_plain(char *to, const char *a, const char *b, size_t bytes)
{
    (void)a;
    (void)b;
    memset(to, 0x3f, bytes);
    keep(to);
}

static void copy_plain(char *to, const char *a, const char *b, size_t bytes)
{
    (void)b;
    memcpy(to, a, bytes);
    keep(to);
}

static void triad_plain(char *to, const char *a, const char *b, size_t bytes)
{
    float *z = (float *)(void *)to;
    const float *x = (const float *)(const void *)a, *y = (const float *)(const void *)b;
    for (size_t i = 0; i < bytes / sizeof *z; i++)
        z[i] = x[i] + 0.75f * y[i];
    keep(to);
}

const ridge_stream ridge_streams_plain[] = {
    {RIDGE_STREAM_READ, "c", 0, read_plain},   {RIDGE_STREAM_WRITE, "c", 0, write_plain}, {RIDGE_STREAM_COPY, "c", 0, copy_plain},
    {RIDGE_STREAM_TRIAD, "c", 0, triad_plain}, {RIDGE_STREAM_COUNT, NULL, 0, NULL},
};

/* ---- the tables ---- */

const ridge_stream *ridge_stream_at(size_t index)
{
    static const ridge_stream *const lists[] = {ridge_streams_plain, ridge_streams_sse2, ridge_streams_avx2, ridge_streams_avx512,
                                                ridge_streams_neon};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const ridge_stream *s = lists[i]; s->run; s++)
            if (index-- == 0)
                return s;
    return NULL;
}

const ridge_peak *ridge_peak_at(size_t index)
{
    static const ridge_peak *const lists[] = {ridge_peaks_sse2, ridge_peaks_avx2, ridge_peaks_avx512, ridge_peaks_amx, ridge_peaks_neon};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const ridge_peak *p = lists[i]; p->run; p++)
            if (index-- == 0)
                return p;
    return NULL;
}

const ridge_stream *ridge_stream_find(ridge_stream_kind kind, const char *name)
{
    unsigned have = ridge_isa_have();
    const ridge_stream *found = NULL, *s;
    for (size_t i = 0; (s = ridge_stream_at(i)); i++)
        if (s->kind == kind && (s->isa & have) == s->isa && (!name || strcmp(s->name, name) == 0))
            found = s;
    return found;
}
