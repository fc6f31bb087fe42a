/* Streams and chains of SSE2, which every x86-64 has: multiply and add apart (ceiling.h). */
#include "kernel/ceiling/loops.h"

#if defined __x86_64__
#define RIDGE_TARGET
#define RIDGE_LEAVE       ""
#define RIDGE_WIDTH       16
#define RIDGE_LINE(X)     X(0) X(1) X(2) X(3)
#define RIDGE_REGISTER    "xmm"
#define RIDGE_MOVE        "movaps"
#define RIDGE_MOVE_NT     "movntps"
#define RIDGE_SCALAR      "movss %[s], %%xmm15\n\tshufps $0, %%xmm15, %%xmm15"
#define RIDGE_TRIAD(i, r) "movaps " PLACE(i, "b") ", %%xmm" #r "\n\tmulps %%xmm15, %%xmm" #r "\n\taddps " PLACE(i, "a") ", %%xmm" #r "\n\t"
#include "kernel/ceiling/x86/streams_tmpl.h"

const ridge_stream ridge_streams_sse2[] = {RIDGE_STREAMS("sse2", 0)};

#define RIDGE_OPERANDS                                                                                                                     \
    "movsd %[x], %%xmm14\n\tunpcklpd %%xmm14, %%xmm14\n\t"                                                                                 \
    "movsd %[y], %%xmm15\n\tunpcklpd %%xmm15, %%xmm15\n\t"
#include "kernel/ceiling/x86/peaks_tmpl.h"

/* seven chains of products by 1 and seven of sums: latency 3 or 4, two units of each at most */
/* clang-format off */
#define SEVEN(X, first, second) \
    X(first, 0, 14) X(second, 7, 15) \
    X(first, 1, 14) X(second, 8, 15) \
    X(first, 2, 14) X(second, 9, 15) \
    X(first, 3, 14) X(second, 10, 15) \
    X(first, 4, 14) X(second, 11, 15) \
    X(first, 5, 14) X(second, 12, 15) \
    X(first, 6, 14) X(second, 13, 15)
/* clang-format on */
#define STEP_OF(op, r, with)  op " %%xmm" #with ", %%xmm" #r "\n\t"
#define BEGIN_OF(op, r, with) "movaps %%xmm14, %%xmm" #r "\n\t"
RIDGE_CHAINS(fp32, SEVEN(BEGIN_OF, "", ""), SEVEN(STEP_OF, "mulps", "addps"), RIDGE_FP32_ONE, RIDGE_FP32_QUARTER, RIDGE_XMM)
RIDGE_CHAINS(fp64, SEVEN(BEGIN_OF, "", ""), SEVEN(STEP_OF, "mulpd", "addpd"), RIDGE_FP64_ONE, RIDGE_FP64_QUARTER, RIDGE_XMM)

const ridge_peak ridge_peaks_sse2[] = {
    {"fp64", "sse2 mul + add", 0, RIDGE_SETS * 14 * 2, fp64},
    {"fp32", "sse2 mul + add", 0, RIDGE_SETS * 14 * 4, fp32},
    {NULL, NULL, 0, 0, NULL},
};
#else
const ridge_stream ridge_streams_sse2[] = {{RIDGE_STREAM_COUNT, NULL, 0, NULL}};
const ridge_peak ridge_peaks_sse2[] = {{NULL, NULL, 0, 0, NULL}};
#endif
