/* unpack_tmpl.h - block formats to panels, in the vocabulary of avx512.h or avx2.h: scales, and codes beside each other.
 * In: from the file that includes it LANES, COLUMNS, CHUNK, block_format and codes_of(format, row, k, left), CHUNK codes as LANES units.
 * Out: the packers of kernel/gemm/blocks.h. A code is the value / scale plus the format's bias. */
#ifndef RIDGE_KERNEL_GEMM_X86_UNPACK_TMPL_H
#define RIDGE_KERNEL_GEMM_X86_UNPACK_TMPL_H

#include "kernel/codec/codec.h"
#include "kernel/codec/element.h"
#include "kernel/gemm/blocks.h"

/* ---- scales: to[0], to[stride], ... for `count` values from k on ---- */

/* where a row's scales go: floats, `stride` apart from step to step; minima COLUMNS further */
typedef struct scale_room {
    float *at;
    size_t stride;
} scale_room;

static inline float half_at(const unsigned char *at)
{
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return ridge_fp16_to_float(bits);
}

/* a fp16 scale at each block's start */
RIDGE_TARGET_INLINE void scales_of_blocks(scale_room to, const unsigned char *row, int64_t k, int64_t count, size_t block_bytes)
{
    const unsigned char *block = row + (size_t)(k / 32) * block_bytes;
    for (int64_t i = 0; i < count / 32; i++, block += block_bytes) {
        uint16_t bits;
        memcpy(&bits, block, sizeof bits);
        to.at[(size_t)i * to.stride] = _cvtsh_ss(bits);
    }
}

static void scales_mxfp4(scale_room to, const unsigned char *row, int64_t k, int64_t count)
{
    const unsigned char *block = row + k / 32 * 17;
    for (int64_t i = 0; i < count / 32; i++, block += 17) {
        /* 2^(code - 128): half the block's, since the levels are doubled; below 2^-126 by way of a denormal */
        uint32_t bits = *block >= 2 ? (uint32_t)(*block - 1) << 23 : *block == 1 ? 0x00400000U : 0x00200000U;
        if (*block == 255)
            bits = 0x7fc00000U;
        memcpy(&to.at[(size_t)i * to.stride], &bits, sizeof bits);
    }
}

/* E4M3 by way of fp16, whose exponent has a bit more: 2^8 apart */
RIDGE_TARGET_INLINE void scales_nvfp4(scale_room to, const unsigned char *row, int64_t k, int64_t count, float tensor_scale)
{
    const unsigned char *block = row + k / 16 * 9;
    for (int64_t i = 0; i < count / 16; i++, block += 9) {
        unsigned code = *block;
        float value = _cvtsh_ss((unsigned short)((code & 0x80U) << 8 | (code & 0x7fU) << 7)) * 256.0F;
        to.at[(size_t)i * to.stride] = (code & 0x7fU) == 0x7fU ? __builtin_nanf("") : value * 0.5F * tensor_scale;
    }
}

/* 6-bit scales and minima of eight parts, as ggml's get_scale_min_k4 has them */
RIDGE_TARGET_INLINE void scales_q4_k(scale_room to, const unsigned char *row, int64_t k, int64_t count)
{
    const unsigned char *block = row + k / 256 * 144;
    for (int64_t done = 0; done < count; done += 256, block += 144, to.at += 8 * to.stride) {
        uint32_t words[3], parts[4];
        memcpy(words, block + 4, sizeof words);
        parts[0] = words[0] & 0x3f3f3f3fU;
        parts[1] = (words[2] & 0x0f0f0f0fU) | (words[0] >> 6 & 0x03030303U) << 4;
        parts[2] = words[1] & 0x3f3f3f3fU;
        parts[3] = (words[2] >> 4 & 0x0f0f0f0fU) | (words[1] >> 6 & 0x03030303U) << 4;
        uint16_t bits[2];
        memcpy(bits, block, sizeof bits);
        float values[16];
        ridge_scale_bytes(values, parts, _cvtsh_ss(bits[0]), _cvtsh_ss(bits[1]));
        for (size_t i = 0; i < 8; i++) {
            to.at[i * to.stride] = values[i];
            to.at[i * to.stride + COLUMNS] = values[8 + i];
        }
    }
}

RIDGE_TARGET_INLINE void scales_q6_k(scale_room to, const unsigned char *row, int64_t k, int64_t count)
{
    const unsigned char *block = row + k / 256 * 210;
    for (int64_t done = 0; done < count; done += 256, block += 210, to.at += 16 * to.stride) {
        uint16_t bits;
        memcpy(&bits, block + 208, sizeof bits);
        float values[16];
        ridge_scale_signed_bytes(values, block + 192, _cvtsh_ss(bits));
        for (size_t i = 0; i < 16; i++)
            to.at[i * to.stride] = values[i];
    }
}

static void scales_int4(scale_room to, const unsigned char *row, int64_t cols, int64_t k, int64_t count)
{
    const unsigned char *scales = ridge_int4_scales(row, cols), *zeros = ridge_int4_zeros(row, cols);
    for (int64_t i = 0; i < count / 32; i++) {
        int64_t group = (k + 32 * i) / RIDGE_INT4_GROUP;
        float scale = half_at(scales + 2 * group);
        to.at[(size_t)i * to.stride] = scale;
        to.at[(size_t)i * to.stride + COLUMNS] = scale * (float)(zeros[group / 2] >> group % 2 * 4 & 15);
    }
}

RIDGE_TARGET_INLINE void scales_of(block_format format, scale_room to, const ridge_gemm_matrix *w, const unsigned char *row, int64_t k,
                                   int64_t count)
{
    switch (format) {
    case Q8_0:
        scales_of_blocks(to, row, k, count, 34);
        break;
    case Q4_0:
    case IQ4_NL:
        scales_of_blocks(to, row, k, count, 18);
        break;
    case MXFP4:
        scales_mxfp4(to, row, k, count);
        break;
    case NVFP4:
        scales_nvfp4(to, row, k, count, w->tensor_scale);
        break;
    case Q4_K:
        scales_q4_k(to, row, k, count);
        break;
    case Q6_K:
        scales_q6_k(to, row, k, count);
        break;
    case INT4:
        scales_int4(to, row, w->cols, k, count);
        break;
    }
}

/* ---- panels ---- */

/* LANES rows' codes into the left or right half of a panel; rows from `rows` on get the codes of row 0, their scales are 0 */
RIDGE_TARGET_INLINE void put_codes(block_format format, int64_t step, size_t step_bytes, unsigned char *to, const ridge_gemm_state *s,
                                   const unsigned char *first, ptrdiff_t ahead, unsigned rows, int64_t k, int64_t count)
{
    const int64_t units = step / 4;
    const size_t row_bytes = s->w.row_bytes, block = s->w.format->block_elements;
    for (int64_t done = 0; done < count; done += CHUNK) {
        ridge_units r[LANES];
        RIDGE_UNROLL
        for (unsigned i = 0; i < LANES; i++) {
            const unsigned char *row = first + (i < rows ? i : 0) * row_bytes;
            r[i] = codes_of(format, row, k + done, count - done);
            ridge_prefetch(row + (size_t)(k + done) * s->w.block_bytes / block, ahead);
        }
        ridge_transpose_units(r);
        int64_t left = count - done < CHUNK ? (count - done) / 4 : LANES, unit = done / 4;
        RIDGE_UNROLL
        for (int64_t j = 0; j < LANES; j++)
            if (j < left)
                ridge_store_units((uint32_t *)(void *)(to + (size_t)((unit + j) / units) * step_bytes) + (unit + j) % units * COLUMNS,
                                  LANES, r[j]);
    }
}

/* a panel's step: [step / 4][COLUMNS][4] codes, [COLUMNS] scales and, where the format has them, as many minima */
RIDGE_TARGET_INLINE void pack(block_format format, int64_t step, bool minimum, const ridge_gemm_state *s, const ridge_gemm_thread *own,
                              void *panel, int64_t row, unsigned rows, int64_t k, int64_t count)
{
    const size_t step_bytes = (size_t)COLUMNS * ((size_t)step + (minimum ? 8 : 4));
    const unsigned char *first = s->w.data + (size_t)row * s->w.row_bytes;
    unsigned char *to = panel;
    put_codes(format, step, step_bytes, to, s, first, own->ahead, rows < LANES ? rows : LANES, k, count);
    if (rows > LANES)
        put_codes(format, step, step_bytes, to + LANES * 4, s, first + LANES * s->w.row_bytes, own->ahead, rows - LANES, k, count);
    scale_room room = {(float *)(void *)(to + (size_t)step * COLUMNS), step_bytes / sizeof(float)};
    for (unsigned i = 0; i < COLUMNS; i++, room.at++) {
        if (i < rows)
            scales_of(format, room, &s->w, first + i * s->w.row_bytes, k, count);
        for (int64_t at = 0; i >= rows && at < count / step; at++) {
            room.at[(size_t)at * room.stride] = 0.0F;
            if (minimum)
                room.at[(size_t)at * room.stride + COLUMNS] = 0.0F;
        }
    }
}

#define X(code, name, format, step, bias, minimum, products)                                                                               \
    RIDGE_TARGET void RIDGE_PACKER(name)(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row, unsigned rows, \
                                         int64_t k, int64_t count)                                                                         \
    {                                                                                                                                      \
        pack(code, step, minimum, s, own, panel, row, rows, k, count);                                                                     \
    }
RIDGE_GEMM_BLOCK_LIST(X)
#undef X

#endif
