/* Block formats to panels of 8-bit codes, 32 at a time; unpack_tmpl.h has the rest. q8_0 and iq4_nl stay signed. */
#include "kernel/gemm/gemm.h"

#if defined(__x86_64__)
#include "kernel/codec/codec.h"
#include "kernel/gemm/x86/avx2.h"
#include "kernel/gemm/blocks.h"

enum { CHUNK = 32, LANES = RIDGE_LANES, COLUMNS = 2 * LANES };

#define X(code, ...) code,
typedef enum block_format { RIDGE_GEMM_BLOCK_LIST(X) } block_format;
#undef X

/* ---- codes: 32 from column k of a row on; where `left` ends sooner the rest is not read and is of no matter ---- */

RIDGE_AVX2_INLINE __m256i low_halves(__m256i bytes)
{
    return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
}

/* blocks of 32 whose codes start `head` bytes in: element i in the low half of byte i, 16 + i in the high half */
RIDGE_AVX2_INLINE __m256i codes_of_halves(const unsigned char *row, int64_t k, size_t head, size_t block_bytes)
{
    __m128i bytes = _mm_loadu_si128((const void *)(row + (size_t)(k / 32) * block_bytes + head));
    return low_halves(_mm256_set_m128i(_mm_srli_epi16(bytes, 4), bytes));
}

/* 4-bit codes in order, element 2i in the low half of byte i */
RIDGE_AVX2_INLINE __m256i codes_of_pairs(__m128i bytes)
{
    __m256i words = _mm256_cvtepu8_epi16(bytes);
    return low_halves(_mm256_or_si256(words, _mm256_slli_epi16(words, 4)));
}

/* blocks of 16: a scale byte and 8 bytes of pairs */
RIDGE_AVX2_INLINE __m256i codes_nvfp4(const unsigned char *row, int64_t k, int64_t left)
{
    const unsigned char *block = row + k / 16 * 9 + 1;
    __m128i first = _mm_loadl_epi64((const void *)block);
    return codes_of_pairs(left > 16 ? _mm_unpacklo_epi64(first, _mm_loadl_epi64((const void *)(block + 9))) : first);
}

/* 32 bytes hold 64 codes: the low halves first */
RIDGE_AVX2_INLINE __m256i codes_q4_k(const unsigned char *row, int64_t k)
{
    __m256i both = _mm256_loadu_si256((const void *)(row + k / 256 * 144 + 16 + k % 256 / 64 * 32));
    return low_halves(_mm256_srl_epi16(both, _mm_cvtsi32_si128((int)(k % 64 / 32 * 4))));
}

/* per 128: 64 bytes of low bits, whose low halves come first, and 32 bytes of four upper pairs each */
RIDGE_AVX2_INLINE __m256i codes_q6_k(const unsigned char *row, int64_t k)
{
    const unsigned char *block = row + k / 256 * 210;
    int64_t part = k % 256 / 128, quarter = k % 128 / 32;
    __m256i low = _mm256_loadu_si256((const void *)(block + part * 64 + quarter % 2 * 32));
    __m256i upper = _mm256_loadu_si256((const void *)(block + 128 + part * 32));
    low = low_halves(_mm256_srl_epi16(low, _mm_cvtsi32_si128((int)(quarter / 2 * 4))));
    upper = _mm256_and_si256(_mm256_srl_epi16(upper, _mm_cvtsi32_si128((int)(quarter * 2))), _mm256_set1_epi8(3));
    return _mm256_or_si256(low, _mm256_slli_epi16(upper, 4));
}

RIDGE_AVX2_INLINE __m256i look_up(const int8_t levels[16], int bias, __m256i codes)
{
    __m128i table = _mm_add_epi8(_mm_loadu_si128((const void *)levels), _mm_set1_epi8((char)bias));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), codes);
}

RIDGE_AVX2_INLINE __m256i codes_of(block_format format, const unsigned char *row, int64_t k, int64_t left)
{
    switch (format) {
    case Q8_0:
        return _mm256_loadu_si256((const void *)(row + k / 32 * 34 + 2));
    case Q4_0:
        return codes_of_halves(row, k, 2, 18);
    case IQ4_NL:
        return look_up(ridge_iq4_values, RIDGE_BIAS_8, codes_of_halves(row, k, 2, 18));
    case MXFP4:
        return look_up(ridge_fp4_doubled, RIDGE_BIAS_FP4, codes_of_halves(row, k, 1, 17));
    case NVFP4:
        return look_up(ridge_fp4_doubled, RIDGE_BIAS_FP4, codes_nvfp4(row, k, left));
    case Q4_K:
        return codes_q4_k(row, k);
    case Q6_K:
        return codes_q6_k(row, k);
    case INT4:
        return codes_of_pairs(_mm_loadu_si128((const void *)(row + k / 2)));
    }
    return _mm256_setzero_si256();
}

/* after its vocabulary and codes_of */
#include "kernel/gemm/x86/unpack_tmpl.h"
#endif
