/* avx2.c - elementwise.h's variants in AVX2 with FMA and F16C. */
#if defined(__x86_64__)
#define RIDGE_VECTOR_BITS 256
#include "kernel/elementwise/body_tmpl.h"

const ridge_kernel_variant ridge_elementwise_avx2[RIDGE_ELEMENTWISE_KINDS] = BODY_VARIANTS("avx2", RIDGE_ISA_AVX2);
RIDGE_VECTOR_END
#else
typedef int ridge_elementwise_avx2_elsewhere; /* a file is never empty */
#endif
