/* GEMV in arm64's Advanced SIMD, as every one of these CPUs has it. */
#if defined(__aarch64__)
#include "kernel/gemv/arm/tiles_tmpl.h"

const ridge_kernel_variant ridge_gemv_neon = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "neon",
    .provider = "ridge",
    .isa = RIDGE_ISA_NEON,
    .takes = ridge_gemv_takes_plain,
    .open = open_plain,
    .phase = plain_phase,
    .close = ridge_gemv_close,
};
const ridge_kernel_variant ridge_gemv_neon_int8 = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "neon-int8",
    .provider = "ridge",
    .isa = RIDGE_ISA_NEON,
    .activation_bits = 8,
    .takes = ridge_gemv_takes_8,
    .open = open_8,
    .phase = signed_phase,
    .close = ridge_gemv_close,
};
const ridge_kernel_variant ridge_gemv_neon_int16 = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "neon-int16",
    .provider = "ridge",
    .isa = RIDGE_ISA_NEON,
    .activation_bits = 16,
    .takes = ridge_gemv_takes_16,
    .open = open_16,
    .phase = packed_phase,
    .close = ridge_gemv_close,
};
#else
typedef int ridge_gemv_neon_elsewhere; /* a file is never empty */
#endif
