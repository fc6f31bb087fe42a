/* streams_tmpl.h - the streams of one x86 ISA; included once by each of sse2.c, avx2.c, avx512.c.
 * In: RIDGE_WIDTH (bytes of a register), RIDGE_REGISTER ("xmm"), RIDGE_MOVE, RIDGE_MOVE_NT, RIDGE_SCALAR (spreads %[s] over register
 * 15), RIDGE_LINE(X) (X of each place of a cache line), RIDGE_TRIAD(i, r) (register r = a[i] + register 15 * b[i]), RIDGE_TARGET,
 * RIDGE_LEAVE. Out: static functions. No include guard. */

#include "kernel/ceiling/loops.h"

#ifdef RIDGE_WIDTH
/* place i of array `array`, register r */
#define PLACE(i, array) #i "*" RIDGE_TEXT(RIDGE_WIDTH) "(%[" array "])"
#define REGISTER(r)     "%%" RIDGE_REGISTER #r
#define LOAD(i)         RIDGE_MOVE " " PLACE(i, "a") ", " REGISTER(i) "\n\t"
#define STORE(i)        RIDGE_MOVE " " REGISTER(0) ", " PLACE(i, "to") "\n\t"
#define STORE_NT(i)     RIDGE_MOVE_NT " " REGISTER(0) ", " PLACE(i, "to") "\n\t"
#define COPY(i, r)      RIDGE_MOVE " " PLACE(i, "a") ", " REGISTER(r) "\n\t" RIDGE_MOVE " " REGISTER(r) ", " PLACE(i, "to") "\n\t"
#define COPY_NT(i, r)   RIDGE_MOVE " " PLACE(i, "a") ", " REGISTER(r) "\n\t" RIDGE_MOVE_NT " " REGISTER(r) ", " PLACE(i, "to") "\n\t"
#define TRIAD(i, r)     RIDGE_TRIAD(i, r) RIDGE_MOVE " " REGISTER(r) ", " PLACE(i, "to") "\n\t"
#define TRIAD_NT(i, r)  RIDGE_TRIAD(i, r) RIDGE_MOVE_NT " " REGISTER(r) ", " PLACE(i, "to") "\n\t"
#define CLOBBERED                                                                                                                          \
    "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", \
        "xmm15"

enum { STEP = 16 * RIDGE_WIDTH };

RIDGE_TARGET static void read_linear(char *to, const char *a, const char *b, size_t bytes)
{
    (void)to;
    (void)b;
    for (const char *end = a + bytes; a < end; a += STEP)
        __asm__ volatile(RIDGE_16(LOAD)::[a] "r"(a) : CLOBBERED);
    __asm__ volatile(RIDGE_LEAVE);
}

/* a line each round: some prefetchers follow each instruction's stride, and go further ahead where it is short */
RIDGE_TARGET static void read_lines(char *to, const char *a, const char *b, size_t bytes)
{
    (void)to;
    (void)b;
    for (const char *end = a + bytes; a < end; a += 64)
        __asm__ volatile(RIDGE_LINE(LOAD)::[a] "r"(a) : CLOBBERED);
    __asm__ volatile(RIDGE_LEAVE);
}

/* each cache line asked for `ahead` bytes before it is read; past the end of the array a prefetch does nothing */
RIDGE_TARGET static inline __attribute__((always_inline)) void read_ahead(const char *a, size_t bytes, size_t ahead)
{
    for (const char *end = a + bytes; a < end; a += STEP) {
        for (size_t line = 0; line < STEP; line += 64)
            __asm__ volatile("prefetcht0 (%[at])" ::[at] "r"((uintptr_t)a + ahead + line));
        __asm__ volatile(RIDGE_16(LOAD)::[a] "r"(a) : CLOBBERED);
    }
    __asm__ volatile(RIDGE_LEAVE);
}

RIDGE_TARGET static void read_ahead_1(char *to, const char *a, const char *b, size_t bytes)
{
    (void)to;
    (void)b;
    read_ahead(a, bytes, 1024);
}

RIDGE_TARGET static void read_ahead_4(char *to, const char *a, const char *b, size_t bytes)
{
    (void)to;
    (void)b;
    read_ahead(a, bytes, 4096);
}

/* four quarters side by side, each asked for 2 KiB ahead: more pages open, four streams for the hardware's prefetchers */
RIDGE_TARGET static void read_quarters(char *to, const char *a, const char *b, size_t bytes)
{
    (void)to;
    (void)b;
    size_t quarter = bytes / 4;
    for (size_t at = 0; at < quarter; at += STEP)
        for (size_t q = 0; q < 4; q++) {
            const char *p = a + q * quarter + at;
            for (size_t line = 0; line < STEP; line += 64)
                __asm__ volatile("prefetcht0 (%[at])" ::[at] "r"((uintptr_t)p + 2048 + line));
            __asm__ volatile(RIDGE_16(LOAD)::[a] "r"(p) : CLOBBERED);
        }
    __asm__ volatile(RIDGE_LEAVE);
}

/* what is written: register 0 as it was loaded from the scalar, a normal number */
#define LOOP(name, body, extra, finish)                                                                                                    \
    RIDGE_TARGET static void name(char *to, const char *a, const char *b, size_t bytes)                                                    \
    {                                                                                                                                      \
        static const float scalar = 0.75f;                                                                                                 \
        for (size_t at = 0; at < bytes; at += STEP) {                                                                                      \
            __asm__ volatile(extra body ::[to] "r"(to), [a] "r"(a), [b] "r"(b), [s] "m"(scalar) : CLOBBERED);                              \
            to += STEP;                                                                                                                    \
            a = a ? a + STEP : NULL;                                                                                                       \
            b = b ? b + STEP : NULL;                                                                                                       \
        }                                                                                                                                  \
        __asm__ volatile(finish RIDGE_LEAVE ::: "memory");                                                                                 \
    }
#define SPREAD RIDGE_SCALAR "\n\t"
LOOP(write_linear, RIDGE_16(STORE), SPREAD RIDGE_MOVE " %%" RIDGE_REGISTER "15, " REGISTER(0) "\n\t", "")
LOOP(write_nt, RIDGE_16(STORE_NT), SPREAD RIDGE_MOVE " %%" RIDGE_REGISTER "15, " REGISTER(0) "\n\t", "sfence\n\t")
LOOP(copy_linear, RIDGE_16_IN_8(COPY), "", "")
LOOP(copy_nt, RIDGE_16_IN_8(COPY_NT), "", "sfence\n\t")
LOOP(triad_linear, RIDGE_16_IN_8(TRIAD), SPREAD, "")
LOOP(triad_nt, RIDGE_16_IN_8(TRIAD_NT), SPREAD, "sfence\n\t")

/* clang-format off */
#define RIDGE_STREAMS(name, isa) \
    {RIDGE_STREAM_READ, name, isa, read_linear}, \
    {RIDGE_STREAM_READ, name " by lines", isa, read_lines}, \
    {RIDGE_STREAM_READ, name " prefetch 1 KiB", isa, read_ahead_1}, \
    {RIDGE_STREAM_READ, name " prefetch 4 KiB", isa, read_ahead_4}, \
    {RIDGE_STREAM_READ, name " 4 streams", isa, read_quarters}, \
    {RIDGE_STREAM_WRITE, name, isa, write_linear}, \
    {RIDGE_STREAM_WRITE_NT, name, isa, write_nt}, \
    {RIDGE_STREAM_COPY, name, isa, copy_linear}, \
    {RIDGE_STREAM_COPY_NT, name, isa, copy_nt}, \
    {RIDGE_STREAM_TRIAD, name, isa, triad_linear}, \
    {RIDGE_STREAM_TRIAD_NT, name, isa, triad_nt}, \
    {RIDGE_STREAM_COUNT, NULL, 0, NULL}
/* clang-format on */
#endif
