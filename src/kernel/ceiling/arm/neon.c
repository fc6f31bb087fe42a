/* Streams and chains of arm64's Advanced SIMD (ceiling.h). Latency 4, four units at most: 16 chains are enough, 24 are run. */
#include "kernel/ceiling/loops.h"
#include "kernel/kernel.h"

#if defined __aarch64__
enum { STEP = 256 };

#define CLOBBERED                                                                                                                          \
    "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", \
        "v27", "v28", "v29", "v30", "v31"

#define PAIRS(X)           X(0, 0, 1) X(32, 2, 3) X(64, 4, 5) X(96, 6, 7) X(128, 16, 17) X(160, 18, 19) X(192, 20, 21) X(224, 22, 23)
#define LOAD(at, p, q)     "ldp q" #p ", q" #q ", [%[a], #" #at "]\n\t"
#define STORE(at, p, q)    "stp q30, q31, [%[to], #" #at "]\n\t"
#define STORE_NT(at, p, q) "stnp q30, q31, [%[to], #" #at "]\n\t"
#define PUT(at, p, q)      "stp q" #p ", q" #q ", [%[to], #" #at "]\n\t"
#define PUT_NT(at, p, q)   "stnp q" #p ", q" #q ", [%[to], #" #at "]\n\t"
#define TRIAD(at, p, q)    "ldp q24, q25, [%[b], #" #at "]\n\tfmla v" #p ".4s, v24.4s, v30.4s\n\tfmla v" #q ".4s, v25.4s, v30.4s\n\t"
#define SCALAR             "fmov v30.4s, #0.75\n\tfmov v31.4s, #0.75\n\t"

#define LOOP(name, body)                                                                                                                   \
    static void name(char *to, const char *a, const char *b, size_t bytes)                                                                 \
    {                                                                                                                                      \
        for (size_t at = 0; at < bytes; at += STEP) {                                                                                      \
            __asm__ volatile(body ::[to] "r"(to), [a] "r"(a), [b] "r"(b) : CLOBBERED);                                                     \
            to = to ? to + STEP : NULL;                                                                                                    \
            a = a ? a + STEP : NULL;                                                                                                       \
            b = b ? b + STEP : NULL;                                                                                                       \
        }                                                                                                                                  \
    }
LOOP(read_linear, PAIRS(LOAD))
LOOP(read_ahead, "prfm pldl1keep, [%[a], #4096]\n\tprfm pldl1keep, [%[a], #4160]\n\tprfm pldl1keep, [%[a], #4224]\n\t"
                 "prfm pldl1keep, [%[a], #4288]\n\t" PAIRS(LOAD))
LOOP(write_linear, SCALAR PAIRS(STORE))
LOOP(write_nt, SCALAR PAIRS(STORE_NT))
LOOP(copy_linear, PAIRS(LOAD) PAIRS(PUT))
LOOP(copy_nt, PAIRS(LOAD) PAIRS(PUT_NT))
LOOP(triad_linear, SCALAR PAIRS(LOAD) PAIRS(TRIAD) PAIRS(PUT))
LOOP(triad_nt, SCALAR PAIRS(LOAD) PAIRS(TRIAD) PAIRS(PUT_NT))

const ridge_stream ridge_streams_neon[] = {
    {RIDGE_STREAM_READ, "neon", RIDGE_ISA_NEON, read_linear},
    {RIDGE_STREAM_READ, "neon prefetch 4 KiB", RIDGE_ISA_NEON, read_ahead},
    {RIDGE_STREAM_WRITE, "neon", RIDGE_ISA_NEON, write_linear},
    {RIDGE_STREAM_WRITE_NT, "neon", RIDGE_ISA_NEON, write_nt},
    {RIDGE_STREAM_COPY, "neon", RIDGE_ISA_NEON, copy_linear},
    {RIDGE_STREAM_COPY_NT, "neon", RIDGE_ISA_NEON, copy_nt},
    {RIDGE_STREAM_TRIAD, "neon", RIDGE_ISA_NEON, triad_linear},
    {RIDGE_STREAM_TRIAD_NT, "neon", RIDGE_ISA_NEON, triad_nt},
    {RIDGE_STREAM_COUNT, NULL, 0, NULL},
};

#define TWENTY_FOUR(X)                                                                                                                     \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define ZERO(r) "movi v" #r ".4s, #0\n\t"
#define FP32(r) "fmla v" #r ".4s, v30.4s, v31.4s\n\t"
#define FP64(r) "fmla v" #r ".2d, v30.2d, v31.2d\n\t"
/* sdot v<r>.4s, v30.16b, v31.16b (Arm ARM, C7.2 SDOT vector), as a number: assemblers want the extension named for the whole file */
#define INT8(r) ".inst 0x4e9f97c0 + " #r "\n\t"
/* clang-format off */
#define CHAINS(name, operands, set) \
    static void name(uint64_t rounds) \
    { \
        if (rounds == 0) \
            return; \
        __asm__ volatile(operands \
                         TWENTY_FOUR(ZERO) \
                         "1:\n\t" \
                         set set \
                         "subs %[n], %[n], #1\n\t" \
                         "b.ne 1b\n\t" \
                         : [n] "+r"(rounds) \
                         : \
                         : "cc", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", CLOBBERED); \
    }
/* clang-format on */
CHAINS(fp32, "fmov v30.4s, #1.0\n\tfmov v31.4s, #0.25\n\t", TWENTY_FOUR(FP32))
CHAINS(fp64, "fmov v30.2d, #1.0\n\tfmov v31.2d, #0.25\n\t", TWENTY_FOUR(FP64))
CHAINS(int8, "movi v30.16b, #3\n\tmovi v31.16b, #5\n\t", TWENTY_FOUR(INT8))

const ridge_peak ridge_peaks_neon[] = {
    {"fp64", "neon fmla", RIDGE_ISA_NEON, 2 * 24 * 2 * 2, fp64},
    {"fp32", "neon fmla", RIDGE_ISA_NEON, 2 * 24 * 4 * 2, fp32},
    {"int8", "neon sdot", RIDGE_ISA_NEON | RIDGE_ISA_NEON_DOT, 2 * 24 * 16 * 2, int8},
    {NULL, NULL, 0, 0, NULL},
};
#else
const ridge_stream ridge_streams_neon[] = {{RIDGE_STREAM_COUNT, NULL, 0, NULL}};
const ridge_peak ridge_peaks_neon[] = {{NULL, NULL, 0, 0, NULL}};
#endif
