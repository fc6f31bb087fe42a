/* neon.c - elementwise.h's variants in arm64's Advanced SIMD. */
#if defined(__aarch64__)
#define RIDGE_VECTOR_BITS 128
#include "kernel/elementwise/body_tmpl.h"

const ridge_kernel_variant ridge_elementwise_neon[RIDGE_ELEMENTWISE_KINDS] = BODY_VARIANTS("neon", RIDGE_ISA_NEON);
RIDGE_VECTOR_END
#else
typedef int ridge_elementwise_neon_elsewhere; /* a file is never empty */
#endif
