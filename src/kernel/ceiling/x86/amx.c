/* Chains of AMX tile products (ceiling.h): C[16,16] += A[16,K] B[K,16], six accumulators of 1 KiB, one A, one B.
 * A product takes 16 cycles and 52 until its result (Intel Optimization Reference Manual, "AMX"): four chains would do. */
#include "kernel/ceiling/loops.h"
#include "kernel/kernel.h"

#if defined __x86_64__
#include <string.h>

/* layout of LDTILECFG, Intel SDM volume 1 table 18-1 */
typedef struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_config;
_Static_assert(sizeof(tile_config) == 64, "LDTILECFG reads 64 bytes");

static void configure(tile_config *c)
{
    *c = (tile_config){.palette = 1};
    for (size_t i = 0; i < 8; i++) {
        c->row_bytes[i] = 64;
        c->rows[i] = 16;
    }
}

#define SIX(X)  X(0) X(1) X(2) X(3) X(4) X(5)
#define ZERO(r) "tilezero %%tmm" #r "\n\t"
#define INT8(r) "tdpbssd %%tmm7, %%tmm6, %%tmm" #r "\n\t"
#define BF16(r) "tdpbf16ps %%tmm7, %%tmm6, %%tmm" #r "\n\t"
/* clang-format off */
#define TILES(name, set, pattern) \
    __attribute__((target("amx-tile,amx-int8,amx-bf16"))) static void name(uint64_t rounds) \
    { \
        tile_config config; \
        _Alignas(64) uint16_t values[16 * 32]; \
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) \
            values[i] = pattern; \
        configure(&config); \
        if (rounds == 0) \
            return; \
        __asm__ volatile("ldtilecfg %[config]\n\t" \
                         SIX(ZERO) \
                         "tileloadd (%[values],%[stride],1), %%tmm6\n\t" \
                         "tileloadd (%[values],%[stride],1), %%tmm7\n\t" \
                         "1:\n\t" \
                         set set \
                         "dec %[n]\n\t" \
                         "jnz 1b\n\t" \
                         "tilerelease\n\t" \
                         : [n] "+r"(rounds) \
                         : [config] "m"(config), [values] "r"(values), [stride] "r"((size_t)64) \
                         : "cc", "memory"); \
    }
/* clang-format on */
TILES(int8, SIX(INT8), 0x0102)
TILES(bf16, SIX(BF16), 0x3f80)

const ridge_peak ridge_peaks_amx[] = {
    {"bf16", "amx", RIDGE_ISA_AMX_BF16, 2 * 6 * UINT64_C(16) * 16 * 32 * 2, bf16},
    {"int8", "amx", RIDGE_ISA_AMX_INT8, 2 * 6 * UINT64_C(16) * 16 * 64 * 2, int8},
    {NULL, NULL, 0, 0, NULL},
};
#else
const ridge_peak ridge_peaks_amx[] = {{NULL, NULL, 0, 0, NULL}};
#endif
