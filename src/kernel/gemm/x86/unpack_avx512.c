/* Block formats to panels of unsigned 8-bit codes, 64 at a time; unpack_tmpl.h has the rest. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/codec/codec.h"
#include "kernel/gemm/x86/avx512.h"
#include "kernel/gemm/blocks.h"

enum { CHUNK = 64, LANES = RIDGE_LANES, COLUMNS = 2 * LANES };

#define X(code, ...) code,
typedef enum block_format { RIDGE_GEMM_BLOCK_LIST(X) } block_format;
#undef X

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
    return _mm512_xor_si512(two_halves(low, high), _mm512_set1_epi8((char)RIDGE_BIAS_8));
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

RIDGE_AVX512_INLINE __m512i codes_of(block_format format, const unsigned char *row, int64_t k, int64_t left)
{
    switch (format) {
    case Q8_0:
        return codes_q8_0(row, k, left);
    case Q4_0:
        return codes_of_halves(row, k, left, 2, 18);
    case IQ4_NL:
        return look_up(ridge_iq4_values, RIDGE_BIAS_8, codes_of_halves(row, k, left, 2, 18));
    case MXFP4:
        return look_up(ridge_fp4_doubled, RIDGE_BIAS_FP4, codes_of_halves(row, k, left, 1, 17));
    case NVFP4:
        return look_up(ridge_fp4_doubled, RIDGE_BIAS_FP4, codes_nvfp4(row, k, left));
    case Q4_K:
        return codes_q4_k(row, k);
    case Q6_K:
        return codes_q6_k(row, k);
    case INT4:
        return codes_of_pairs(_mm256_loadu_si256((const void *)(row + k / 2)));
    }
    return _mm512_setzero_si512();
}

/* after its vocabulary and codes_of */
#include "kernel/gemm/x86/unpack_tmpl.h"
#endif
