/* Block formats to panels of unsigned 8-bit codes and scales, 32 rows at a time: a code is the value / scale plus the format's bias.
 * A panel's step is one block, or the part of one that has a scale: [step / 4][32][4] codes, [32] scales, and where the format has a
 * minimum (q4_K, int4_g128) [32] minima to be subtracted. */
#include "kernel/gemm.h"

#if defined(__x86_64__)
#include <string.h>

#include "kernel/codec.h"
#include "kernel/element.h"
#include "kernel/gemm_avx512.h"
#include "kernel/gemm_blocks.h"

enum { CHUNK = 64, LANES = 16, COLUMNS = 2 * LANES };

typedef enum unpack_format { Q8_0, Q4_0, IQ4_NL, MXFP4, NVFP4, Q4_K, Q6_K, INT4_G128 } unpack_format;

/* ---- codes: 64 from column k of a row on; where `left` ends sooner the rest is not read and is of no matter ---- */

RIDGE_AVX512_INLINE __m512i two_halves(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

RIDGE_AVX512_INLINE __m512i codes_q8_0(const unsigned char *row, int64_t k, int64_t left)
{
    const unsigned char *block = row + k / 32 * 34;
    __m256i low = _mm256_loadu_si256((const void *)(block + 2));
    __m256i high = left > 32 ? _mm256_loadu_si256((const void *)(block + 36)) : low;
    return _mm512_xor_si512(two_halves(low, high), _mm512_set1_epi8((char)0x80));
}

/* blocks of 32 whose codes start `head` bytes in: element i in the low half of byte i, 16 + i in the high half */
RIDGE_AVX512_INLINE __m512i codes_of_halves(const unsigned char *row, int64_t k, int64_t left, size_t head, size_t block_bytes)
{
    const unsigned char *block = row + (size_t)(k / 32) * block_bytes + head;
    __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)block));
    __m256i high = left > 32 ? _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(block + block_bytes))) : low;
    const __m512i shifts = _mm512_set_epi64(4, 4, 0, 0, 4, 4, 0, 0);
    return _mm512_and_si512(_mm512_srlv_epi64(two_halves(low, high), shifts), _mm512_set1_epi8(15));
}

/* 4-bit codes in order, element 2i in the low half of byte i */
RIDGE_AVX512_INLINE __m512i codes_of_pairs(__m256i bytes)
{
    __m512i words = _mm512_cvtepu8_epi16(bytes);
    return _mm512_and_si512(_mm512_or_si512(words, _mm512_slli_epi16(words, 4)), _mm512_set1_epi16(0x0f0f));
}

/* blocks of 16: a scale byte and 8 bytes of pairs */
RIDGE_AVX512_INLINE __m512i codes_nvfp4(const unsigned char *row, int64_t k, int64_t left)
{
    const unsigned char *block = row + k / 16 * 9 + 1;
    long long pairs[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4 && 16 * i < left; i++)
        memcpy(&pairs[i], block + (ptrdiff_t)i * 9, sizeof pairs[i]);
    return codes_of_pairs(_mm256_set_epi64x(pairs[3], pairs[2], pairs[1], pairs[0]));
}

/* 32 bytes hold 64 codes: the low halves first */
RIDGE_AVX512_INLINE __m512i codes_q4_k(const unsigned char *row, int64_t k)
{
    const unsigned char *codes = row + k / 256 * 144 + 16 + k % 256 / 2;
    __m256i both = _mm256_loadu_si256((const void *)codes);
    const __m512i shifts = _mm512_set_epi64(4, 4, 4, 4, 0, 0, 0, 0);
    return _mm512_and_si512(_mm512_srlv_epi64(two_halves(both, both), shifts), _mm512_set1_epi8(15));
}

/* per 128: 64 bytes of low bits, whose low halves come first, and 32 bytes of four upper pairs each */
RIDGE_AVX512_INLINE __m512i codes_q6_k(const unsigned char *row, int64_t k)
{
    const unsigned char *block = row + k / 256 * 210;
    int64_t part = k % 256 / 128, second = k % 128 / 64;
    __m512i low = _mm512_loadu_si512(block + part * 64);
    __m256i upper = _mm256_loadu_si256((const void *)(block + 128 + part * 32));
    const __m512i shifts = _mm512_set_epi64(2, 2, 2, 2, 0, 0, 0, 0);
    low = _mm512_and_si512(_mm512_srlv_epi64(low, _mm512_set1_epi64(4 * second)), _mm512_set1_epi8(15));
    __m512i high = _mm512_srlv_epi64(two_halves(upper, upper), _mm512_add_epi64(shifts, _mm512_set1_epi64(4 * second)));
    return _mm512_or_si512(low, _mm512_slli_epi16(_mm512_and_si512(high, _mm512_set1_epi8(3)), 4));
}

RIDGE_AVX512_INLINE __m512i look_up(const int8_t levels[16], int bias, __m512i codes)
{
    __m128i table = _mm_add_epi8(_mm_loadu_si128((const void *)levels), _mm_set1_epi8((char)bias));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), codes);
}

RIDGE_AVX512_INLINE __m512i codes_of(unpack_format format, const unsigned char *row, int64_t k, int64_t left)
{
    switch (format) {
    case Q8_0:
        return codes_q8_0(row, k, left);
    case Q4_0:
        return codes_of_halves(row, k, left, 2, 18);
    case IQ4_NL:
        return look_up(ridge_iq4_values, RIDGE_GEMM_BIAS_IQ4, codes_of_halves(row, k, left, 2, 18));
    case MXFP4:
        return look_up(ridge_fp4_doubled, RIDGE_GEMM_BIAS_FP4, codes_of_halves(row, k, left, 1, 17));
    case NVFP4:
        return look_up(ridge_fp4_doubled, RIDGE_GEMM_BIAS_FP4, codes_nvfp4(row, k, left));
    case Q4_K:
        return codes_q4_k(row, k);
    case Q6_K:
        return codes_q6_k(row, k);
    case INT4_G128:
        return codes_of_pairs(_mm256_loadu_si256((const void *)(row + k / 2)));
    }
    return _mm512_setzero_si512();
}

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
RIDGE_AVX512_INLINE void scales_of_blocks(scale_room to, const unsigned char *row, int64_t k, int64_t count, size_t block_bytes)
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
RIDGE_AVX512_INLINE void scales_nvfp4(scale_room to, const unsigned char *row, int64_t k, int64_t count, float tensor_scale)
{
    const unsigned char *block = row + k / 16 * 9;
    for (int64_t i = 0; i < count / 16; i++, block += 9) {
        unsigned code = *block;
        float value = _cvtsh_ss((unsigned short)((code & 0x80U) << 8 | (code & 0x7fU) << 7)) * 256.0F;
        to.at[(size_t)i * to.stride] = (code & 0x7fU) == 0x7fU ? __builtin_nanf("") : value * 0.5F * tensor_scale;
    }
}

/* 6-bit scales and minima of eight parts, as ggml's get_scale_min_k4 has them */
RIDGE_AVX512_INLINE void scales_q4_k(scale_room to, const unsigned char *row, int64_t k, int64_t count)
{
    const unsigned char *block = row + k / 256 * 144;
    for (int64_t done = 0; done < count; done += 256, block += 144, to.at += 8 * to.stride) {
        uint32_t words[3], parts[4];
        memcpy(words, block + 4, sizeof words);
        parts[0] = words[0] & 0x3f3f3f3fU;
        parts[1] = (words[2] & 0x0f0f0f0fU) | (words[0] >> 6 & 0x03030303U) << 4;
        parts[2] = words[1] & 0x3f3f3f3fU;
        parts[3] = (words[2] >> 4 & 0x0f0f0f0fU) | (words[1] >> 6 & 0x03030303U) << 4;
        __m512 sixteen = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)parts)));
        uint16_t bits[2];
        memcpy(bits, block, sizeof bits);
        __m512 steps = _mm512_insertf32x8(_mm512_set1_ps(_cvtsh_ss(bits[0])), _mm256_set1_ps(_cvtsh_ss(bits[1])), 1);
        float values[16];
        _mm512_storeu_ps(values, _mm512_mul_ps(sixteen, steps));
        for (size_t i = 0; i < 8; i++) {
            to.at[i * to.stride] = values[i];
            to.at[i * to.stride + COLUMNS] = values[8 + i];
        }
    }
}

RIDGE_AVX512_INLINE void scales_q6_k(scale_room to, const unsigned char *row, int64_t k, int64_t count)
{
    const unsigned char *block = row + k / 256 * 210;
    for (int64_t done = 0; done < count; done += 256, block += 210, to.at += 16 * to.stride) {
        uint16_t bits;
        memcpy(&bits, block + 208, sizeof bits);
        float values[16];
        __m512 parts = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)(block + 192))));
        _mm512_storeu_ps(values, _mm512_mul_ps(parts, _mm512_set1_ps(_cvtsh_ss(bits))));
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

RIDGE_AVX512_INLINE void scales_of(unpack_format format, scale_room to, const ridge_gemm_matrix *w, const unsigned char *row, int64_t k,
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
    case INT4_G128:
        scales_int4(to, row, w->cols, k, count);
        break;
    }
}

/* ---- panels ---- */

/* 16 rows' codes into the left or right half of a panel; rows from `rows` on get the codes of row 0, their scales are 0 */
RIDGE_AVX512_INLINE void put_codes(unpack_format format, unsigned char *to, const ridge_gemm_state *s, const unsigned char *first,
                                   ptrdiff_t ahead, unsigned rows, int64_t k, int64_t count)
{
    const ridge_gemm_engine *e = s->engine;
    const int64_t units = e->step / 4;
    const size_t row_bytes = s->w.row_bytes, block = s->w.format->block_elements;
    for (int64_t done = 0; done < count; done += CHUNK) {
        __m512i r[LANES];
        RIDGE_UNROLL
        for (unsigned i = 0; i < LANES; i++) {
            const unsigned char *row = first + (i < rows ? i : 0) * row_bytes;
            r[i] = codes_of(format, row, k + done, count - done);
            ridge_prefetch(row + (size_t)(k + done) * s->w.block_bytes / block, ahead);
        }
        ridge_transpose16(r);
        int64_t left = count - done < CHUNK ? (count - done) / 4 : LANES, unit = done / 4;
        RIDGE_UNROLL
        for (int64_t j = 0; j < LANES; j++)
            if (j < left)
                _mm512_store_si512(to + (size_t)((unit + j) / units) * e->w_step_bytes + (size_t)((unit + j) % units) * (COLUMNS * 4),
                                   r[j]);
    }
}

RIDGE_AVX512_INLINE void pack(unpack_format format, const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row,
                              unsigned rows, int64_t k, int64_t count)
{
    const ridge_gemm_engine *e = s->engine;
    const unsigned char *first = s->w.data + (size_t)row * s->w.row_bytes;
    unsigned char *to = panel;
    put_codes(format, to, s, first, own->ahead, rows < LANES ? rows : LANES, k, count);
    if (rows > LANES)
        put_codes(format, to + LANES * 4, s, first + LANES * s->w.row_bytes, own->ahead, rows - LANES, k, count);
    scale_room room = {(float *)(void *)(to + (size_t)e->step * COLUMNS), e->w_step_bytes / sizeof(float)};
    for (unsigned i = 0; i < COLUMNS; i++, room.at++) {
        if (i < rows)
            scales_of(format, room, &s->w, first + i * s->w.row_bytes, k, count);
        for (int64_t step = 0; i >= rows && step < count / e->step; step++) {
            room.at[(size_t)step * room.stride] = 0.0F;
            if (e->minimum)
                room.at[(size_t)step * room.stride + COLUMNS] = 0.0F;
        }
    }
}

#define PACK(name, format)                                                                                                                 \
    RIDGE_AVX512 void ridge_gemm_pack_##name(const ridge_gemm_state *s, const ridge_gemm_thread *own, void *panel, int64_t row,            \
                                             unsigned rows, int64_t k, int64_t count)                                                      \
    {                                                                                                                                      \
        pack(format, s, own, panel, row, rows, k, count);                                                                                  \
    }
PACK(q8_0, Q8_0)
PACK(q4_0, Q4_0)
PACK(iq4_nl, IQ4_NL)
PACK(mxfp4, MXFP4)
PACK(nvfp4, NVFP4)
PACK(q4_k, Q4_K)
PACK(q6_k, Q6_K)
PACK(int4, INT4_G128)
#undef PACK
#endif
