/* tiles_tmpl.h - kernel/gemv/tiles_tmpl.h over NEON's vocabulary, and what that changes of phase 0: sums for codes that are made signed.
 * In: as kernel/gemv/tiles_tmpl.h, and RIDGE_NEON_DOT. Out: the variants' functions. Included by neon.c and neon_dot.c alone. */
#ifndef RIDGE_KERNEL_GEMV_ARM_TILES_TMPL_H
#define RIDGE_KERNEL_GEMV_ARM_TILES_TMPL_H

#include "kernel/gemv/arm/lanes_neon.h"
/* after the vocabulary it is written in */
#include "kernel/gemv/tiles_tmpl.h"

/* The tiles want -offset times each sum of x; v_dot, which takes all codes of formats whose codes reach above 127, leaves 128 times it out.
 */
static void prepare_signed(const ridge_kernel_run *run, unsigned thread)
{
    const ridge_gemv_state *s = run->state;
    const ridge_gemv_layout *l = s->layout;
    prepare_x(run, thread);
    if (l->code != RIDGE_GEMV_INT8 && l->code != RIDGE_GEMV_Q8_0 && l->code != RIDGE_GEMV_IQ4_NL)
        return;
    int64_t begin, end;
    ridge_kernel_share(&begin, &end, s->padded / RIDGE_GEMV_BLOCK, thread, run->threads);
    for (int64_t i = begin * RIDGE_GEMV_BLOCK / l->sum_block; i < end * RIDGE_GEMV_BLOCK / l->sum_block; i++)
        s->sums[i] = s->sums[i] / -l->offset * (128 - l->offset);
}

static void signed_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    if (phase == 0)
        prepare_signed(run, thread);
    else
        packed_phase(run, phase, thread);
}

#endif
