/* neon.c - attention.h's variants in arm64's Advanced SIMD. */
#if defined(__aarch64__)
#define RIDGE_VECTOR_BITS 128
#include "kernel/attention/rows_tmpl.h"
#include "kernel/attention/tiles_tmpl.h"

/* clang-format off */
#define RIDGE_ATTENTION_VARIANT(method, takes_it) { \
        .kind = RIDGE_KERNEL_KIND_ATTENTION, \
        .name = #method "-neon", \
        .provider = "ridge", \
        .isa = RIDGE_ISA_NEON, \
        .takes = takes_it, \
        .open = method##_open, \
        .phase = method##_phase, \
        .close = ridge_attention_close, \
    }
/* clang-format on */

const ridge_kernel_variant ridge_attention_naive_neon = RIDGE_ATTENTION_VARIANT(naive, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_blocked_neon = RIDGE_ATTENTION_VARIANT(blocked, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_fused_neon = RIDGE_ATTENTION_VARIANT(fused, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_flash_neon = RIDGE_ATTENTION_VARIANT(flash, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_decode_neon = RIDGE_ATTENTION_VARIANT(decode, decode_takes);
RIDGE_VECTOR_END
#else
typedef int ridge_attention_neon_elsewhere; /* a file is never empty */
#endif
