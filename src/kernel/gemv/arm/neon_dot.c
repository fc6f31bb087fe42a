/* GEMV of quantised weights with the dot product of Armv8.2-A; what needs none is neon.c's. */
#if defined(__aarch64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#else
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif

#define RIDGE_NEON_DOT
#pragma GCC diagnostic ignored "-Wunused-function" /* those of the formats that are neon.c's */
#include "kernel/gemv/arm/tiles_tmpl.h"

const ridge_kernel_variant ridge_gemv_neon_dot = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "neon-dot",
    .provider = "ridge",
    .isa = RIDGE_ISA_NEON | RIDGE_ISA_NEON_DOT,
    .activation_bits = 8,
    .takes = ridge_gemv_takes_8,
    .open = open_8,
    .phase = signed_phase,
    .close = ridge_gemv_close,
};

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int ridge_gemv_neon_dot_elsewhere; /* a file is never empty */
#endif
