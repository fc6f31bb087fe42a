/* generic.c - attention.h's variants in plain C, one lane; they take every problem on every machine. */
#include "kernel/attention/rows_tmpl.h"
#include "kernel/attention/tiles_tmpl.h"

/* clang-format off */
#define RIDGE_ATTENTION_VARIANT(method, needed, takes_it) { \
        .kind = RIDGE_KERNEL_KIND_ATTENTION, \
        .name = #method, \
        .provider = "ridge", \
        .isa = needed, \
        .takes = takes_it, \
        .open = method##_open, \
        .phase = method##_phase, \
        .close = ridge_attention_close, \
    }
/* clang-format on */

const ridge_kernel_variant ridge_attention_naive = RIDGE_ATTENTION_VARIANT(naive, 0, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_blocked = RIDGE_ATTENTION_VARIANT(blocked, 0, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_fused = RIDGE_ATTENTION_VARIANT(fused, 0, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_flash = RIDGE_ATTENTION_VARIANT(flash, 0, ridge_attention_takes);
const ridge_kernel_variant ridge_attention_decode = RIDGE_ATTENTION_VARIANT(decode, 0, decode_takes);
