/* avx512.c - attention.h's variants in AVX-512 (F, BW, DQ, VL). */
#if defined(__x86_64__)
#define RIDGE_VECTOR_BITS 512
#include "kernel/attention/rows_tmpl.h"
#include "kernel/attention/tiles_tmpl.h"

/* clang-format off */
#define RIDGE_ATTENTION_VARIANT(method, takes_it) { \
        .kind = RIDGE_KERNEL_KIND_ATTENTION, \
        .name = #method "-avx512", \
        .provider = "ridge", \
        .isa = RIDGE_ISA_AVX512, \
        .takes = takes_it, \
        .open = method##_open, \
        .phase = method##_phase, \
        .close = ridge_attention_close, \
    }
/* clang-format on */

const ridge_kernel_variant ridge_attention_naive_avx512 = RIDGE_ATTENTION_VARIANT(naive, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_blocked_avx512 = RIDGE_ATTENTION_VARIANT(blocked, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_fused_avx512 = RIDGE_ATTENTION_VARIANT(fused, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_flash_avx512 = RIDGE_ATTENTION_VARIANT(flash, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_decode_avx512 = RIDGE_ATTENTION_VARIANT(decode, decode_takes);
RIDGE_VECTOR_END
#else
typedef int ridge_attention_avx512_elsewhere; /* a file is never empty */
#endif
