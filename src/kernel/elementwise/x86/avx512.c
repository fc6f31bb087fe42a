/* avx512.c - elementwise.h's variants in AVX-512 (F, BW, DQ, VL). */
#if defined(__x86_64__)
#define RIDGE_VECTOR_BITS 512
#include "kernel/elementwise/body_tmpl.h"

const ridge_kernel_variant ridge_elementwise_avx512[RIDGE_ELEMENTWISE_KINDS] = BODY_VARIANTS("avx512", RIDGE_ISA_AVX512);
RIDGE_VECTOR_END
#else
typedef int ridge_elementwise_avx512_elsewhere; /* a file is never empty */
#endif
