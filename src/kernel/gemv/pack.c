/* Rows of W into tiles: one function per format takes a row's codes and scales apart, two place codes in lanes. */
#include <string.h>

#include "kernel/gemv/gemv.h"

/* where a row's chunk goes */
typedef struct place {
    uint8_t *chunk;
    unsigned lanes, lane;
} place;

static uint8_t *vector_at(const place *p, unsigned vector)
{
    return p->chunk + (size_t)vector * p->lanes * 4;
}

/* four codes a lane: vector q holds codes 4q .. 4q + 3 */
static void put_bytes(const place *p, unsigned vector, const uint8_t *codes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        vector_at(p, vector + i / 4)[4 * p->lane + i % 4] = codes[i];
}

/* eight codes a lane: vector v holds quad v in the low halves of its bytes and quad v + count / 8 in the high ones */
static void put_nibbles(const place *p, unsigned vector, const uint8_t *codes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned quad = i / 4, high = quad >= count / 8;
        vector_at(p, vector + quad - (high ? count / 8 : 0))[4 * p->lane + i % 4] |= (uint8_t)(codes[i] << (high ? 4 : 0));
    }
}

/* sixteen six-bit codes a lane in three vectors: quads 0, 1, 2 in the low six bits, quad 3 two bits at a time in the upper ones */
static void put_sixes(const place *p, unsigned vector, const uint8_t codes[16])
{
    for (unsigned i = 0; i < 12; i++)
        vector_at(p, vector + i / 4)[4 * p->lane + i % 4] = (uint8_t)(codes[i] | (codes[12 + i % 4] >> i / 4 * 2 & 3) << 6);
}

/* eight codes a lane, two words of four: code 2j + w of a vector's eight is half byte j of word w */
static void put_words(const place *p, unsigned vector, const uint8_t *codes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned word = i % 2, half = i % 8 / 2;
        vector_at(p, vector + i / 8)[4 * p->lane + 2 * word + half / 2] |= (uint8_t)(codes[i] << half % 2 * 4);
    }
}

/* entry `index` of as many `size`-byte scales per lane as fit a vector: lanes together */
static void put_scale(const place *p, unsigned vector, unsigned index, const void *scale, size_t size)
{
    memcpy(vector_at(p, vector) + ((size_t)index * p->lanes + p->lane) * size, scale, size);
}

/* a 4-bit block of 32 in ggml's order: element i in the low half of byte i, 16 + i in the high half */
static void ggml_nibbles(uint8_t codes[32], const uint8_t *packed)
{
    for (int i = 0; i < 16; i++) {
        codes[i] = packed[i] & 15;
        codes[i + 16] = packed[i] >> 4;
    }
}

static void pack_int8(const place *p, const uint8_t *row, int64_t from, int64_t count)
{
    uint8_t codes[64] = {0};
    for (int64_t i = 0; i < count; i++)
        codes[i] = row[from + i] ^ 0x80;
    put_bytes(p, 0, codes, 64);
}

static void pack_q8_0(const place *p, const uint8_t *block, unsigned index)
{
    uint8_t codes[32];
    for (int i = 0; i < 32; i++)
        codes[i] = block[2 + i] ^ 0x80;
    put_scale(p, 0, index, block, 2);
    put_bytes(p, 1 + 8 * index, codes, 32);
}

/* q4_0, iq4_nl: an fp16 scale; mxfp4: an E8M0 one */
static void pack_nibbles(const place *p, const uint8_t *block, unsigned index, size_t scale_bytes)
{
    uint8_t codes[32];
    ggml_nibbles(codes, block + scale_bytes);
    put_scale(p, 0, index, block, scale_bytes);
    put_nibbles(p, 1 + 4 * index, codes, 32);
}

static void pack_nvfp4(const place *p, const uint8_t *block, unsigned index)
{
    uint8_t codes[16];
    for (int i = 0; i < 16; i++)
        codes[i] = block[1 + i / 2] >> i % 2 * 4 & 15;
    put_scale(p, 0, index, block, 1);
    put_nibbles(p, 1 + 2 * index, codes, 16);
}

static void pack_nf4(const place *p, const uint8_t *block, unsigned index)
{
    uint8_t codes[64];
    for (int i = 0; i < 64; i++)
        codes[i] = block[2 + i / 2] >> (1 - i % 2) * 4 & 15;
    put_scale(p, 0, index, block, 2);
    put_words(p, 1 + 8 * index, codes, 64);
}

/* d and dmin; scales 0 .. 7 and minima 0 .. 7 as sixes; codes of sub-blocks 2j and 2j + 1 */
static void pack_q4_k(const place *p, const uint8_t *block)
{
    uint8_t sixes[16], codes[64];
    const uint8_t *packed = block + 4;
    for (int j = 0; j < 4; j++) {
        sixes[j] = packed[j] & 63;
        sixes[8 + j] = packed[j + 4] & 63;
        sixes[4 + j] = (uint8_t)((packed[j + 8] & 15) | packed[j] >> 6 << 4);
        sixes[12 + j] = (uint8_t)(packed[j + 8] >> 4 | packed[j + 4] >> 6 << 4);
    }
    put_scale(p, 0, 0, block, 2);
    put_scale(p, 0, 1, block + 2, 2);
    put_sixes(p, 1, sixes);
    for (unsigned pair = 0; pair < 4; pair++) {
        for (int i = 0; i < 64; i++)
            codes[i] = block[16 + 32 * pair + (unsigned)i % 32] >> i / 32 * 4 & 15;
        put_nibbles(p, 4 + 8 * pair, codes, 64);
    }
}

/* d as fp32; then four times: four signed scales, the codes of their four sub-blocks as sixes */
static void pack_q6_k(const place *p, const uint8_t *block)
{
    uint16_t half;
    memcpy(&half, block + 208, sizeof half);
    float d = ridge_fp16_to_float(half);
    put_scale(p, 0, 0, &d, sizeof d);
    for (unsigned j = 0; j < 16; j++) {
        uint8_t codes[16];
        for (unsigned i = 0; i < 16; i++) {
            unsigned at = 16 * j + i, low = block[at / 128 * 64 + at % 64] >> at % 128 / 64 * 4 & 15;
            codes[i] = (uint8_t)(low | ((unsigned)block[128 + at / 128 * 32 + at % 32] >> at % 128 / 32 * 2 & 3) << 4);
        }
        if (j % 4 == 0)
            put_bytes(p, 1 + 13 * (j / 4), block + 192 + j, 4);
        put_sixes(p, 2 + 13 * (j / 4) + 3 * (j % 4), codes);
    }
}

/* group `group` of a row of int4_g128 */
static void pack_int4(const place *p, const uint8_t *row, int64_t cols, int64_t group, unsigned index)
{
    uint8_t codes[RIDGE_INT4_GROUP], zero = ridge_int4_zeros(row, cols)[group / 2] >> group % 2 * 4 & 15;
    for (int i = 0; i < RIDGE_INT4_GROUP; i++)
        codes[i] = row[(group * RIDGE_INT4_GROUP + i) / 2] >> i % 2 * 4 & 15;
    put_scale(p, 0, index, ridge_int4_scales(row, cols) + 2 * group, 2);
    put_scale(p, 1, index, &zero, 1);
    put_nibbles(p, 2 + 16 * index, codes, RIDGE_INT4_GROUP);
}

/* block `index` of the chunk, `at` in its row */
static void pack_block(const place *p, ridge_gemv_code code, const uint8_t *at, unsigned index)
{
    switch (code) {
    case RIDGE_GEMV_Q8_0:
        pack_q8_0(p, at, index);
        break;
    case RIDGE_GEMV_Q4_0:
    case RIDGE_GEMV_IQ4_NL:
        pack_nibbles(p, at, index, 2);
        break;
    case RIDGE_GEMV_MXFP4:
        pack_nibbles(p, at, index, 1);
        break;
    case RIDGE_GEMV_NVFP4:
        pack_nvfp4(p, at, index);
        break;
    case RIDGE_GEMV_NF4:
        pack_nf4(p, at, index);
        break;
    case RIDGE_GEMV_Q4_K:
        pack_q4_k(p, at);
        break;
    case RIDGE_GEMV_Q6_K:
        pack_q6_k(p, at);
        break;
    case RIDGE_GEMV_INT8:
    case RIDGE_GEMV_INT4:
        break;
    }
}

void ridge_gemv_pack_chunk(uint8_t *out, const ridge_gemv_layout *layout, unsigned lanes, const ridge_problem *problem, const uint8_t *w,
                           size_t row_bytes, int64_t row, int64_t chunk)
{
    const ridge_codec *codec = ridge_codec_of(problem->weights);
    const int64_t from = chunk * layout->chunk, left = problem->k - from, count = left < layout->chunk ? left : layout->chunk;
    for (unsigned lane = 0; lane < lanes && row + lane < problem->n; lane++) {
        const place p = {out, lanes, lane};
        const uint8_t *bytes = w + (size_t)(row + lane) * row_bytes;
        if (layout->code == RIDGE_GEMV_INT8)
            pack_int8(&p, bytes, from, count);
        for (int64_t g = 0; layout->code == RIDGE_GEMV_INT4 && g < count / RIDGE_INT4_GROUP; g++)
            pack_int4(&p, bytes, problem->k, from / RIDGE_INT4_GROUP + g, (unsigned)g);
        for (int64_t b = 0; codec && layout->code != RIDGE_GEMV_INT8 && b < count / codec->elements; b++)
            pack_block(&p, layout->code, bytes + (from / codec->elements + b) * codec->bytes, (unsigned)b);
    }
}
