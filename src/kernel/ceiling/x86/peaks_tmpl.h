/* peaks_tmpl.h - how a chain loop of one x86 ISA is made; included by sse2.c, avx2.c, avx512.c, after
 * RIDGE_TARGET, RIDGE_LEAVE and RIDGE_OPERANDS (spreads %[x] and %[y], 8 bytes each, over two registers). No include guard. */

#include "kernel/ceiling/loops.h"

#define RIDGE_SETS 4
/* A round is RIDGE_SETS times the instructions `set`; their accumulators begin at whatever `begin` makes of them. x and y are normal
 * numbers of the precision: sums grow until an addend is below half their last place, and stay normal. */
/* clang-format off */
#define RIDGE_CHAINS(name, begin, set, x_bits, y_bits, ...) \
    RIDGE_TARGET static void name(uint64_t rounds) \
    { \
        static const uint64_t x = x_bits, y = y_bits; \
        if (rounds == 0) \
            return; \
        __asm__ volatile(RIDGE_OPERANDS \
                         begin \
                         ".p2align 6\n" \
                         "1:\n\t" \
                         ".rept " RIDGE_TEXT(RIDGE_SETS) "\n\t" \
                         set \
                         ".endr\n\t" \
                         "dec %[n]\n\t" \
                         "jnz 1b\n\t" \
                         RIDGE_LEAVE \
                         : [n] "+r"(rounds) \
                         : [x] "m"(x), [y] "m"(y) \
                         : "cc", __VA_ARGS__); \
    }
/* clang-format on */

#define RIDGE_XMM                                                                                                                          \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

/* two of a number in 8 bytes, one, four, eight */
#define RIDGE_FP32_ONE     0x3f8000003f800000u
#define RIDGE_FP32_QUARTER 0x3e8000003e800000u
#define RIDGE_FP64_ONE     0x3ff0000000000000u
#define RIDGE_FP64_QUARTER 0x3fd0000000000000u
#define RIDGE_BF16_ONE     0x3f803f803f803f80u
#define RIDGE_BF16_QUARTER 0x3e803e803e803e80u
#define RIDGE_FP16_ONE     0x3c003c003c003c00u
#define RIDGE_FP16_QUARTER 0x3400340034003400u
#define RIDGE_INT8_MIXED   0x0102030405060708u
#define RIDGE_INT16_ONE    0x0001000100010001u
