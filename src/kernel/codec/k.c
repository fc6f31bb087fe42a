/* ggml's super-blocks of 256: q2_K, q3_K, q4_K, q5_K, q6_K. Layouts as ggml-common.h has them; quantising as its reference does, down to
 * the order of the additions, so that blocks come out bit for bit the same. */
#include <math.h>
#include <string.h>

#include "kernel/codec/codec.h"
#include "kernel/codec/element.h"

enum { SUPER = 256, LONGEST = 32 };

static float half_at(const uint8_t *at)
{
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return ridge_fp16_to_float(bits);
}
/* rounds to fp16 and answers what is kept */
static float put_half(uint8_t *at, float value)
{
    uint16_t bits = ridge_float_to_fp16(value);
    memcpy(at, &bits, sizeof bits);
    return ridge_fp16_to_float(bits);
}

/* ---- sub-blocks with a scale and a minimum: values = scale * code - minimum ---- */

typedef struct range_search {
    int count, largest; /* values, largest code */
    float from, step;   /* steps tried: (from + step * i + largest) / (high - low) */
    int tries;          /* i = 0 .. tries */
    bool absolute;      /* weighted absolute differences, not their squares */
    const float *values, *weights;
    float sum_w, sum_x;
} range_search;

static float range_error(const range_search *s, const uint8_t *codes, float scale, float low)
{
    float error = 0;
    for (int i = 0; i < s->count; i++) {
        float difference = scale * (float)codes[i] + low - s->values[i];
        error += s->weights[i] * (s->absolute ? fabsf(difference) : difference * difference);
    }
    return error;
}
static void range_codes(const range_search *s, uint8_t *codes, float inverse, float low)
{
    for (int i = 0; i < s->count; i++)
        codes[i] = (uint8_t)ridge_clamp(ridge_round_int(inverse * (s->values[i] - low)), 0, s->largest);
}

/* the least-squares scale and minimum of given codes; false where they do not determine them */
static bool range_fit(const range_search *s, const uint8_t *codes, float *scale, float *low)
{
    float sum_l = 0, sum_l2 = 0, sum_xl = 0;
    for (int i = 0; i < s->count; i++) {
        float l = (float)codes[i], w = s->weights[i];
        sum_l += w * l;
        sum_l2 += w * l * l;
        sum_xl += w * l * s->values[i];
    }
    float determinant = s->sum_w * sum_l2 - sum_l * sum_l;
    if (!(determinant > 0))
        return false;
    *scale = (s->sum_w * sum_xl - s->sum_x * sum_l) / determinant;
    *low = (sum_l2 * s->sum_x - sum_l * sum_xl) / determinant;
    if (*low > 0) {
        *low = 0;
        *scale = sum_xl / sum_l2;
    }
    return true;
}

/* ggml's make_qkx2_quants: the scale; *minimum gets what is subtracted */
static float range_scale(range_search *s, float *minimum)
{
    float low = s->values[0], high = s->values[0];
    s->sum_w = s->weights[0];
    s->sum_x = s->sum_w * s->values[0];
    for (int i = 1; i < s->count; i++) {
        low = s->values[i] < low ? s->values[i] : low;
        high = s->values[i] > high ? s->values[i] : high;
        s->sum_w += s->weights[i];
        s->sum_x += s->weights[i] * s->values[i];
    }
    low = low > 0 ? 0 : low;
    *minimum = -low;
    if (high == low)
        return 0;
    uint8_t codes[LONGEST];
    float inverse = (float)s->largest / (high - low), scale = 1 / inverse;
    range_codes(s, codes, inverse, low);
    float best = range_error(s, codes, scale, low);
    for (int i = 0; i <= s->tries; i++) {
        float try_scale, try_low;
        inverse = (s->from + s->step * (float)i + (float)s->largest) / (high - low); /* `low`: the best so far */
        range_codes(s, codes, inverse, low);
        if (!range_fit(s, codes, &try_scale, &try_low))
            continue;
        float error = range_error(s, codes, try_scale, try_low);
        if (error < best) {
            best = error;
            scale = try_scale;
            low = try_low;
        }
    }
    *minimum = -low;
    return scale;
}

/* codes of a super-block once scales are rounded: (value + minimum) / scale */
static void recode(uint8_t *codes, const float *values, int count, float scale, float minimum, int largest)
{
    for (int i = 0; i < count && scale != 0; i++)
        codes[i] = (uint8_t)ridge_clamp(ridge_round_int((values[i] + minimum) / scale), 0, largest);
}

/* ---- q4_K, q5_K: fp16 d and dmin, 8 six-bit scales and 8 minima in 12 bytes, [fifth bits,] codes of sub-blocks 2i and 2i + 1 in the low
 * and high halves of bytes 32i .. 32i + 31 ---- */

static void six_bits_at(int *scale, int *minimum, const uint8_t *packed, int j)
{
    if (j < 4) {
        *scale = packed[j] & 63;
        *minimum = packed[j + 4] & 63;
    } else {
        *scale = (packed[j + 4] & 15) | packed[j - 4] >> 6 << 4;
        *minimum = packed[j + 4] >> 4 | packed[j] >> 6 << 4;
    }
}
static void put_six_bits(uint8_t *packed, int j, int scale, int minimum)
{
    if (j < 4) {
        packed[j] = (uint8_t)scale;
        packed[j + 4] = (uint8_t)minimum;
    } else {
        packed[j + 4] = (uint8_t)((scale & 15) | (minimum & 15) << 4);
        packed[j - 4] |= (uint8_t)(scale >> 4 << 6);
        packed[j] |= (uint8_t)(minimum >> 4 << 6);
    }
}

/* the scale and minimum of each sub-block of 32, weighted by the root of the mean square plus the value's size */
static void find_ranges(float scales[8], float minima[8], const float *values, int largest, float from, int tries)
{
    for (int j = 0; j < 8; j++) {
        const float *x = values + 32 * j;
        float weights[32], sum = 0;
        for (int i = 0; i < 32; i++)
            sum += x[i] * x[i];
        float average = sqrtf(sum / 32);
        for (int i = 0; i < 32; i++)
            weights[i] = average + fabsf(x[i]);
        range_search search = {
            .count = 32, .largest = largest, .from = from, .step = 0.1f, .tries = tries, .values = x, .weights = weights};
        scales[j] = range_scale(&search, &minima[j]);
    }
}
static float largest_of(const float *values, int count)
{
    float largest = 0;
    for (int i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

/* d, dmin and the twelve bytes; codes of the whole super-block */
static void range_block_in(uint8_t *block, uint8_t codes[SUPER], const float *values, int largest, float from, int tries)
{
    float scales[8], minima[8];
    find_ranges(scales, minima, values, largest, from, tries);
    float most_scale = largest_of(scales, 8), most_minimum = largest_of(minima, 8);
    float per_scale = most_scale > 0 ? 63.0f / most_scale : 0.0f, per_minimum = most_minimum > 0 ? 63.0f / most_minimum : 0.0f;
    memset(codes, 0, SUPER);
    memset(block, 0, 16);
    float d = put_half(block, most_scale / 63.0f), dmin = put_half(block + 2, most_minimum / 63.0f);
    for (int j = 0; j < 8; j++) {
        int scale = ridge_clamp(ridge_round_int(per_scale * scales[j]), 0, 63);
        int minimum = ridge_clamp(ridge_round_int(per_minimum * minima[j]), 0, 63);
        put_six_bits(block + 4, j, scale, minimum);
    }
    for (int j = 0; j < 8; j++) {
        int scale, minimum;
        six_bits_at(&scale, &minimum, block + 4, j);
        recode(codes + 32 * j, values + 32 * j, 32, d * (float)scale, dmin * (float)minimum, largest);
    }
}
static void pack_pairs(uint8_t *out, const uint8_t codes[SUPER])
{
    for (int i = 0; i < SUPER / 2; i++) {
        int low = i / 32 * 64 + i % 32;
        out[i] = (uint8_t)((codes[low] & 15) | (codes[low + 32] & 15) << 4);
    }
}
/* code i of packed pairs */
static int pair_at(const uint8_t *packed, int i)
{
    return packed[i / 64 * 32 + i % 32] >> i % 64 / 32 * 4 & 15;
}

static void q4_k_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint8_t codes[SUPER];
    range_block_in(block, codes, values, 15, -1.0f, 20);
    pack_pairs(block + 16, codes);
}
static void q5_k_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    uint8_t codes[SUPER];
    range_block_in(block, codes, values, 31, -0.5f, 15);
    memset(block + 16, 0, 32);
    for (int i = 0; i < SUPER; i++)
        block[16 + i % 32] |= (uint8_t)(codes[i] >> 4 << i / 32);
    pack_pairs(block + 48, codes);
}

static void range_block_out(float *values, const uint8_t *block, const uint8_t *pairs, const uint8_t *fifth)
{
    float d = half_at(block), dmin = half_at(block + 2);
    for (int j = 0; j < 8; j++) {
        int scale, minimum;
        six_bits_at(&scale, &minimum, block + 4, j);
        float step = d * (float)scale, low = dmin * (float)minimum;
        for (int i = 32 * j; i < 32 * j + 32; i++)
            values[i] = step * (float)(pair_at(pairs, i) + (fifth ? (fifth[i % 32] >> j & 1) << 4 : 0)) - low;
    }
}
static void q4_k_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    range_block_out(values, block, block + 16, NULL);
}
static void q5_k_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    range_block_out(values, block, block + 48, block + 16);
}

/* ---- q2_K: 16 four-bit scales and minima, 64 bytes of 2-bit codes, fp16 d and dmin ---- */

/* code i of 2-bit codes: 32 in the same two bits of 32 bytes, 128 in 32 bytes */
static int two_bits_at(const uint8_t *packed, int i)
{
    return packed[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
}
static void pack_two_bits(uint8_t *out, const uint8_t codes[SUPER])
{
    memset(out, 0, SUPER / 4);
    for (int i = 0; i < SUPER; i++)
        out[i / 128 * 32 + i % 32] |= (uint8_t)((codes[i] & 3) << i % 128 / 32 * 2);
}

static void q2_k_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    float scales[16], minima[16], weights[16];
    uint8_t codes[SUPER] = {0};
    for (int j = 0; j < 16; j++) {
        for (int i = 0; i < 16; i++)
            weights[i] = fabsf(values[16 * j + i]);
        range_search search = {.count = 16,
                               .largest = 3,
                               .from = -0.5f,
                               .step = 0.1f,
                               .tries = 15,
                               .absolute = true,
                               .values = values + 16 * j,
                               .weights = weights};
        scales[j] = range_scale(&search, &minima[j]);
    }
    float most_scale = largest_of(scales, 16), most_minimum = largest_of(minima, 16);
    float per_scale = most_scale > 0 ? 15.0f / most_scale : 0, per_minimum = most_minimum > 0 ? 15.0f / most_minimum : 0;
    float d = put_half(block + 80, most_scale / 15.0f), dmin = put_half(block + 82, most_minimum / 15.0f);
    for (int j = 0; j < 16; j++) {
        int step = ridge_clamp(ridge_round_int(per_scale * scales[j]), 0, 15);
        int low = ridge_clamp(ridge_round_int(per_minimum * minima[j]), 0, 15);
        block[j] = (uint8_t)(step | low << 4);
        recode(codes + 16 * j, values + 16 * j, 16, d * (float)step, dmin * (float)low, 3);
    }
    pack_two_bits(block + 16, codes);
}
static void q2_k_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block + 80), dmin = half_at(block + 82);
    for (int i = 0; i < SUPER; i++) {
        float step = d * (float)(block[i / 16] & 15), low = dmin * (float)(block[i / 16] >> 4);
        values[i] = step * (float)two_bits_at(block + 16, i) - low;
    }
}

/* ---- q3_K: 32 bytes of third bits, 64 of 2-bit codes, 16 six-bit scales in 12 bytes, fp16 d ---- */

typedef struct weighted_sums {
    float lx, l2; /* sums of w x l and w l l */
} weighted_sums;

/* one pass of ggml's make_q3_quants: each code in turn where it is best given the others; how many changed */
static int improve_codes(int8_t codes[16], weighted_sums *sums, const float *x, int most)
{
    int changed = 0;
    for (int i = 0; i < 16; i++) {
        float w = x[i] * x[i], old = (float)codes[i];
        float lx = sums->lx - w * x[i] * old;
        if (!(lx > 0))
            continue;
        float l2 = sums->l2 - w * old * old;
        int code = ridge_clamp(ridge_round_int(x[i] * l2 / lx), -most, most - 1);
        if (code == codes[i])
            continue;
        lx += w * x[i] * (float)code;
        l2 += w * (float)code * (float)code;
        if (l2 > 0 && lx * lx * sums->l2 > sums->lx * sums->lx * l2) {
            codes[i] = (int8_t)code;
            *sums = (weighted_sums){lx, l2};
            changed++;
        }
    }
    return changed;
}
static weighted_sums signed_sums(const float *x, int8_t codes[16], float inverse, int most)
{
    weighted_sums sums = {0, 0};
    for (int i = 0; i < 16; i++) {
        int code = ridge_clamp(ridge_round_int(inverse * x[i]), -most, most - 1);
        float w = x[i] * x[i];
        codes[i] = (int8_t)code;
        sums.lx += w * x[i] * (float)code;
        sums.l2 += w * (float)code * (float)code;
    }
    return sums;
}
static const float negligible = 1e-15f;

static float q3_scale(const float *x)
{
    float extreme = ridge_extreme(x, 16);
    if (fabsf(extreme) < negligible)
        return 0;
    int8_t codes[16];
    weighted_sums sums = signed_sums(x, codes, -4 / extreme, 4);
    for (int i = 0; i < 5 && improve_codes(codes, &sums, x, 4) != 0; i++)
        ;
    return sums.l2 > 0 ? sums.lx / sums.l2 : 0;
}

static int q3_scale_at(const uint8_t *packed, int j)
{
    int low = j < 8 ? packed[j] & 15 : packed[j - 8] >> 4;
    return (low | (packed[8 + j % 4] >> j / 4 * 2 & 3) << 4) - 32;
}
static void put_q3_scale(uint8_t *packed, int j, int scale)
{
    packed[j % 8] |= (uint8_t)((scale & 15) << j / 8 * 4);
    packed[8 + j % 4] |= (uint8_t)(scale >> 4 << j / 4 * 2);
}

static void q3_k_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    float scales[16];
    uint8_t codes[SUPER];
    for (int j = 0; j < 16; j++)
        scales[j] = q3_scale(values + 16 * j);
    float extreme = ridge_extreme(scales, 16), inverse = extreme != 0 ? -32.0f / extreme : 0;
    memset(block, 0, 110);
    memset(codes, 4, sizeof codes);
    float d = put_half(block + 108, inverse != 0 ? 1 / inverse : 0);
    for (int j = 0; j < 16 && inverse != 0; j++)
        put_q3_scale(block + 96, j, ridge_clamp(ridge_round_int(inverse * scales[j]), -32, 31) + 32);
    for (int i = 0; i < SUPER; i++) {
        float step = d * (float)q3_scale_at(block + 96, i / 16);
        if (step != 0)
            codes[i] = (uint8_t)(ridge_clamp(ridge_round_int(values[i] / step), -4, 3) + 4);
        block[i % 32] |= (uint8_t)(codes[i] >> 2 << i / 32);
    }
    pack_two_bits(block + 32, codes);
}
static void q3_k_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block + 108);
    for (int i = 0; i < SUPER; i++) {
        int code = two_bits_at(block + 32, i) - (block[i % 32] >> i / 32 & 1 ? 0 : 4);
        values[i] = d * (float)q3_scale_at(block + 96, i / 16) * (float)code;
    }
}

/* ---- q6_K: 128 bytes of low halves, 64 of upper two bits, 16 signed scales, fp16 d ---- */

/* ggml's make_qx_quants for codes -32 .. 31, weighted by x^2: the best of 19 steps round extreme / -32 */
static float q6_scale(const float *x)
{
    float extreme = ridge_extreme(x, 16);
    if (fabsf(extreme) < negligible)
        return 0;
    int8_t codes[16];
    weighted_sums sums = signed_sums(x, codes, -32 / extreme, 32);
    float scale = sums.l2 != 0 ? sums.lx / sums.l2 : 0, best = scale * sums.lx;
    for (int i = -9; i <= 9; i++) {
        if (i == 0)
            continue;
        sums = signed_sums(x, codes, -(32 + 0.1f * (float)i) / extreme, 32);
        if (sums.l2 > 0 && sums.lx * sums.lx > best * sums.l2) {
            scale = sums.lx / sums.l2;
            best = scale * sums.lx;
        }
    }
    return scale;
}

/* where code i lies: its low half's byte and shift, and those of its upper bits */
static int q6_low(const uint8_t *block, int i)
{
    return block[i / 128 * 64 + i % 64] >> i % 128 / 64 * 4 & 15;
}
static int q6_high(const uint8_t *block, int i)
{
    return block[128 + i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
}

static void q6_k_in(uint8_t *block, const float *values, float scale)
{
    (void)scale;
    float scales[16];
    for (int j = 0; j < 16; j++)
        scales[j] = q6_scale(values + 16 * j);
    float extreme = ridge_extreme(scales, 16);
    memset(block, 0, 210);
    if (fabsf(extreme) < negligible)
        return;
    float inverse = -128.0f / extreme, d = put_half(block + 208, 1 / inverse);
    for (int j = 0; j < 16; j++)
        block[192 + j] = (uint8_t)(int8_t)ridge_clamp(ridge_round_int(inverse * scales[j]), -128, 127);
    for (int i = 0; i < SUPER; i++) {
        float step = d * (float)(int8_t)block[192 + i / 16];
        unsigned code = step != 0 ? (unsigned)(ridge_clamp(ridge_round_int(values[i] / step), -32, 31) + 32) : 32;
        block[i / 128 * 64 + i % 64] |= (uint8_t)((code & 15) << i % 128 / 64 * 4);
        block[128 + i / 128 * 32 + i % 32] |= (uint8_t)(code >> 4 << i % 128 / 32 * 2);
    }
}
static void q6_k_out(float *values, const uint8_t *block, float scale)
{
    (void)scale;
    float d = half_at(block + 208);
    for (int i = 0; i < SUPER; i++)
        values[i] = d * (float)(int8_t)block[192 + i / 16] * (float)((q6_low(block, i) | q6_high(block, i) << 4) - 32);
}

const ridge_codec ridge_codecs_k[] = {
    {"q2_K", SUPER, 84, q2_k_in, q2_k_out},  {"q3_K", SUPER, 110, q3_k_in, q3_k_out}, {"q4_K", SUPER, 144, q4_k_in, q4_k_out},
    {"q5_K", SUPER, 176, q5_k_in, q5_k_out}, {"q6_K", SUPER, 210, q6_k_in, q6_k_out}, {NULL, 0, 0, NULL, NULL},
};
