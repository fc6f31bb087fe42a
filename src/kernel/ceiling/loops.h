/* loops.h - what the files of loops per ISA (x86/, arm/) offer to the tables (ceiling.c). Empty lists where the compiler
 * does not target that architecture. Each list ends at run == NULL. */
#ifndef RIDGE_KERNEL_CEILING_LOOPS_H
#define RIDGE_KERNEL_CEILING_LOOPS_H

#include "kernel/ceiling/ceiling.h"

extern const ridge_stream ridge_streams_plain[], ridge_streams_sse2[], ridge_streams_avx2[], ridge_streams_avx512[], ridge_streams_neon[];
extern const ridge_peak ridge_peaks_sse2[], ridge_peaks_avx2[], ridge_peaks_avx512[], ridge_peaks_amx[], ridge_peaks_neon[];

#define RIDGE_TEXT_OF(x) #x
#define RIDGE_TEXT(x)    RIDGE_TEXT_OF(x)
/* 16 of something, numbered */
#define RIDGE_16(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
/* 16 places in 8 registers */
#define RIDGE_16_IN_8(X)                                                                                                                   \
    X(0, 0) X(1, 1) X(2, 2) X(3, 3) X(4, 4) X(5, 5) X(6, 6) X(7, 7) X(8, 0) X(9, 1) X(10, 2) X(11, 3) X(12, 4) X(13, 5) X(14, 6) X(15, 7)

#endif
