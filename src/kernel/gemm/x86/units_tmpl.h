/* units_tmpl.h - rows turned into columns of 32-bit units, written in the vocabulary of avx512.h or avx2.h, which include it.
 * In: a matrix as it lies. Out: panels and tiles of units, row beside row. Nothing fails; a prefetched address may lie outside. */
#ifndef RIDGE_KERNEL_GEMM_X86_UNITS_TMPL_H
#define RIDGE_KERNEL_GEMM_X86_UNITS_TMPL_H

#include <xmmintrin.h>

#include "kernel/gemm/gemm.h"

/* into the second-level cache; as an integer, since it may lie outside the buffer */
RIDGE_TARGET_INLINE void ridge_prefetch(const void *at, ptrdiff_t ahead)
{
    _mm_prefetch((const char *)((uintptr_t)at + (uintptr_t)ahead), _MM_HINT_T1);
}

/* 16 values of a matrix of floats from (row, k) on, 0 beyond `count` */
RIDGE_TARGET_INLINE ridge_sixteen ridge_matrix16(const ridge_gemm_matrix *matrix, int64_t row, int64_t k, int64_t count)
{
    const unsigned char *at = matrix->data + (size_t)row * matrix->row_bytes + (size_t)k * matrix->block_bytes;
    return ridge_load16(matrix->layout, at, count);
}

/* rows of bytes that are packed by 32-bit units as they lie: pairs of bf16, quadruples of int8 */
typedef struct ridge_unit_rows {
    const unsigned char *first;
    size_t row_bytes;
    ptrdiff_t ahead;
    unsigned rows; /* <= RIDGE_LANES; the rest are 0 */
} ridge_unit_rows;

/* `bytes` of each row to columns of units, to[unit][stride] (in units), xor `flip`; only the first `lanes` are stored */
RIDGE_TARGET_INLINE void ridge_pack_units(uint32_t *to, size_t stride, const ridge_unit_rows *from, int64_t bytes, unsigned lanes,
                                          ridge_units flip)
{
    enum { CHUNK_BYTES = RIDGE_LANES * 4 };
    for (int64_t done = 0; done < bytes; done += CHUNK_BYTES, to += RIDGE_LANES * stride) {
        ridge_units r[RIDGE_LANES];
        int64_t left = bytes - done;
        ridge_part part = ridge_part_of(left);
        RIDGE_UNROLL
        for (unsigned i = 0; i < RIDGE_LANES; i++) {
            const unsigned char *at = from->first + i * from->row_bytes + done;
            r[i] = i < from->rows ? ridge_load_units(at, part, flip) : ridge_no_units();
            ridge_prefetch(at, from->ahead);
        }
        ridge_transpose_units(r);
        int64_t units = left >= CHUNK_BYTES ? RIDGE_LANES : (left + 3) / 4;
        RIDGE_UNROLL
        for (int64_t j = 0; j < RIDGE_LANES; j++)
            if (j < units)
                ridge_store_units(to + (size_t)j * stride, lanes, r[j]);
    }
}

/* both halves of a panel of 2 x RIDGE_LANES rows of W, `bytes` of each from byte `from` on */
RIDGE_TARGET_INLINE void ridge_pack_unit_panel(void *panel, const ridge_gemm_matrix *w, int64_t row, unsigned rows, int64_t from,
                                               int64_t bytes, ptrdiff_t ahead, ridge_units flip)
{
    ridge_unit_rows half = {w->data + (size_t)row * w->row_bytes + from, w->row_bytes, ahead, rows < RIDGE_LANES ? rows : RIDGE_LANES};
    ridge_pack_units(panel, 2 * RIDGE_LANES, &half, bytes, RIDGE_LANES, flip);
    half.first += RIDGE_LANES * half.row_bytes;
    half.rows = rows - half.rows;
    ridge_pack_units((uint32_t *)panel + RIDGE_LANES, 2 * RIDGE_LANES, &half, bytes, RIDGE_LANES, flip);
}

#endif
