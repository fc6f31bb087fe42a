#include "kernel/gemv/gemv.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

const ridge_kernel_variant *const ridge_gemv_variants[] = {
#if defined(__x86_64__)
    &ridge_gemv_avx512_vbmi,  &ridge_gemv_avx512_int8,
    &ridge_gemv_avx512_int16, &ridge_gemv_avx512,
    &ridge_gemv_avx2_int8,    &ridge_gemv_avx2_int16,
    &ridge_gemv_avx2,
#elif defined(__aarch64__)
    &ridge_gemv_neon_dot,   &ridge_gemv_neon_int8,
    &ridge_gemv_neon_int16, &ridge_gemv_neon,
#endif
    &ridge_gemv_generic,      NULL,
};

/* vectors of a chunk: the scales', then the codes' (docs/kernels.md draws them) */
static const ridge_gemv_layout layouts[] = {
    {.format = "int8", .code = RIDGE_GEMV_INT8, .chunk = 64, .vectors = 16, .x_block = 64, .sum_block = 64, .offset = 128, 1, 8},
    {.format = "q8_0", .code = RIDGE_GEMV_Q8_0, .chunk = 64, .vectors = 1 + 16, .x_block = 32, .sum_block = 32, .offset = 128, 1, 8},
    {.format = "q4_0", .code = RIDGE_GEMV_Q4_0, .chunk = 64, .vectors = 1 + 8, .x_block = 32, .sum_block = 32, .offset = 8, 1, 8},
    {.format = "iq4_nl", .code = RIDGE_GEMV_IQ4_NL, .chunk = 64, .vectors = 1 + 8, .x_block = 32, .sum_block = 32, .offset = 127, 1, 8},
    /* E2M1 values are doubled to be integers */
    {.format = "mxfp4", .code = RIDGE_GEMV_MXFP4, .chunk = 128, .vectors = 1 + 16, .x_block = 32, .sum_block = 32, .offset = 12, 0.5f, 8},
    /* an E4M3 scale read as the upper byte of an fp16 is 2^8 too small */
    {.format = "nvfp4", .code = RIDGE_GEMV_NVFP4, .chunk = 64, .vectors = 1 + 8, .x_block = 32, .sum_block = 16, .offset = 12, 128, 8},
    /* sums of minima times x's sums: no offset, the sums themselves */
    {.format = "q4_K", .code = RIDGE_GEMV_Q4_K, .chunk = 256, .vectors = 4 + 32, .x_block = 256, .sum_block = 32, .offset = -1, 1, 8},
    {.format = "q6_K", .code = RIDGE_GEMV_Q6_K, .chunk = 256, .vectors = 5 + 48, .x_block = 256, .sum_block = 16, .offset = 32, 1, 8},
    {.format = "int4_g128", .code = RIDGE_GEMV_INT4, .chunk = 256, .vectors = 2 + 32, .x_block = 128, .sum_block = 128, .offset = -1, 1, 8},
    {.format = "nf4",
     .code = RIDGE_GEMV_NF4,
     .chunk = 128,
     .vectors = 1 + 16,
     .x_block = 64,
     .sum_block = 64,
     .offset = 0,
     1.0f / RIDGE_GEMV_NF4_LARGEST,
     16},
};

const ridge_gemv_layout *ridge_gemv_layout_of(const ridge_format *format, unsigned bits)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (ridge_format_is(format, layouts[i].format) && layouts[i].bits == bits)
            return &layouts[i];
    return NULL;
}

bool ridge_gemv_takes_plain(const ridge_problem *problem)
{
    return ridge_element_of(problem->weights) != RIDGE_ELEMENT_NONE;
}
bool ridge_gemv_takes_8(const ridge_problem *problem)
{
    return ridge_gemv_layout_of(problem->weights, 8);
}
bool ridge_gemv_takes_16(const ridge_problem *problem)
{
    return ridge_gemv_layout_of(problem->weights, 16);
}

/* ---- memory ---- */

/* Zeroed pages, huge ones where the system gives them: a stream through small pages waits for their table at every 4 KiB. */
static void *map_pages(size_t bytes)
{
    const size_t huge = (size_t)2 << 20, unit = bytes < huge ? 4096 : huge, mapped = (bytes + unit - 1) / unit * unit;
    void *pages = aligned_alloc(unit, mapped);
    if (!pages)
        return NULL;
#if defined(__linux__)
    if (unit == huge)
        (void)madvise(pages, mapped, MADV_HUGEPAGE);
#endif
    return memset(pages, 0, mapped);
}

static void *aligned_zeros(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 64 + 63) / 64 * 64;
    void *room = aligned_alloc(64, bytes);
    return room ? memset(room, 0, bytes) : NULL;
}

static ridge_status no_memory(ridge_kernel_run *run, ridge_err *err)
{
    ridge_gemv_close(run);
    return ridge_fail(err, RIDGE_NOMEM, "gemv: no memory for %lld x %lld weights and their activations", (long long)run->problem.n,
                      (long long)run->problem.k);
}

/* what every variant's state begins with */
static ridge_gemv_state *begin(ridge_kernel_run *run)
{
    ridge_gemv_state *s = calloc(1, sizeof *s);
    run->state = s;
    run->phases = 2;
    run->packed_bytes = 0;
    if (!s || !ridge_row_bytes(&s->row_bytes, run->problem.weights, run->problem.k))
        return NULL;
    s->padded = (run->problem.k + RIDGE_GEMV_BLOCK - 1) / RIDGE_GEMV_BLOCK * RIDGE_GEMV_BLOCK;
    s->weights = ridge_element_of(run->problem.weights);
    s->activations = ridge_element_of(run->problem.activations);
    s->scale = 1;
    return s;
}

/* packing takes much longer than copying what was packed */
static bool copy_packed(ridge_gemv_state *s, const ridge_kernel_run *run)
{
    const ridge_gemv_state *packed = run->like ? run->like->state : NULL;
    if (!packed || run->like->variant != run->variant || run->like->packed_bytes != run->packed_bytes)
        return false;
    memcpy(s->packed, packed->packed, run->packed_bytes);
    return true;
}

static void pack_plain(ridge_gemv_state *s, const ridge_kernel_run *run, unsigned lanes)
{
    const bool halves = s->weights == RIDGE_ELEMENT_FP16;
    const size_t element = s->weights == RIDGE_ELEMENT_FP32 ? 4 : 2, columns = 4 / element, vector = (size_t)lanes * 4;
    const size_t next = halves ? (size_t)lanes * element : element, lane = halves ? element : 4;
    for (int64_t row = 0; row < run->problem.n; row++) {
        const uint8_t *from = (const uint8_t *)run->operands[0] + (size_t)row * s->row_bytes;
        const size_t inside = (size_t)(row % s->lanes);
        uint8_t *to = s->packed + (size_t)(row / s->lanes) * s->tile_bytes + inside / lanes * vector + inside % lanes * lane;
        for (size_t i = 0; i < (size_t)run->problem.k; i++, from += element)
            memcpy(to + i / columns * s->lanes * 4 + i % columns * next, from, element);
    }
}

ridge_status ridge_gemv_open_plain(ridge_kernel_run *run, unsigned lanes, unsigned registers, ridge_err *err)
{
    const int64_t wide = (int64_t)registers * lanes, tiles_each = 4;
    ridge_gemv_state *s = begin(run);
    if (!s)
        return no_memory(run, err);
    s->lanes = run->problem.n / wide >= tiles_each * run->threads ? (unsigned)wide : lanes;
    s->chunks = s->weights == RIDGE_ELEMENT_FP32 ? run->problem.k : (run->problem.k + 1) / 2;
    s->tiles = (run->problem.n + s->lanes - 1) / s->lanes;
    s->tile_bytes = (size_t)s->chunks * s->lanes * 4;
    size_t bytes;
    if (__builtin_mul_overflow(s->tile_bytes, (size_t)s->tiles, &bytes) || bytes > SIZE_MAX / 4)
        return no_memory(run, err);
    s->packed = map_pages(bytes);
    s->values = aligned_zeros((size_t)s->padded, sizeof *s->values);
    if (!s->packed || !s->values)
        return no_memory(run, err);
    run->packed_bytes = bytes;
    if (!copy_packed(s, run))
        pack_plain(s, run, lanes);
    return RIDGE_OK;
}

static void pack(ridge_gemv_state *s, const ridge_kernel_run *run)
{
    const size_t chunk_bytes = (size_t)s->layout->vectors * s->lanes * 4;
    for (int64_t tile = 0; tile < s->tiles; tile++)
        for (int64_t chunk = 0; chunk < s->chunks; chunk++)
            ridge_gemv_pack_chunk(s->packed + (size_t)tile * s->tile_bytes + (size_t)chunk * chunk_bytes, s->layout, s->lanes,
                                  &run->problem, run->operands[0], s->row_bytes, tile * s->lanes, chunk);
}

ridge_status ridge_gemv_open_packed(ridge_kernel_run *run, unsigned lanes, unsigned bits, ridge_err *err)
{
    ridge_gemv_state *s = begin(run);
    if (!s)
        return no_memory(run, err);
    const ridge_gemv_layout *layout = s->layout = ridge_gemv_layout_of(run->problem.weights, bits);
    s->lanes = lanes;
    s->tiles = (run->problem.n + lanes - 1) / lanes;
    s->chunks = (run->problem.k + layout->chunk - 1) / layout->chunk;
    s->tile_bytes = (size_t)s->chunks * layout->vectors * lanes * 4;
    /* what the codec multiplies with; nvfp4's and int8's */
    if (layout->code == RIDGE_GEMV_INT8 || layout->code == RIDGE_GEMV_NVFP4)
        s->scale = run->tensor_scales[0];
    size_t bytes;
    if (__builtin_mul_overflow(s->tile_bytes, (size_t)s->tiles, &bytes) || bytes > SIZE_MAX / 4)
        return no_memory(run, err);
    s->packed = map_pages(bytes);
    s->codes = aligned_zeros((size_t)s->padded, bits / 8);
    s->steps = aligned_zeros((size_t)s->padded / layout->x_block, sizeof *s->steps);
    s->sums = aligned_zeros((size_t)s->padded / layout->sum_block, sizeof *s->sums);
    if (!s->packed || !s->codes || !s->steps || !s->sums)
        return no_memory(run, err);
    run->packed_bytes = bytes;
    if (!copy_packed(s, run))
        pack(s, run);
    return RIDGE_OK;
}

void ridge_gemv_close(ridge_kernel_run *run)
{
    ridge_gemv_state *s = run->state;
    if (!s)
        return;
    free(s->packed);
    free(s->codes);
    free(s->steps);
    free(s->sums);
    free(s->values);
    free(s);
    run->state = NULL;
}

void ridge_gemv_store(const ridge_kernel_run *run, int64_t row, const float *results, unsigned lanes)
{
    const ridge_gemv_state *s = run->state;
    for (unsigned i = 0; i < lanes && row + i < run->problem.n; i++)
        ridge_element_put(run->operands[2], s->activations, row + i, results[i] * s->scale);
}

/* ---- plain C: any format, a row at a time ---- */

static bool takes_any(const ridge_problem *problem)
{
    return ridge_has_codec(problem->weights);
}

/* x as floats, then a row of W as floats for each thread */
static ridge_status open_generic(ridge_kernel_run *run, ridge_err *err)
{
    ridge_gemv_state *s = begin(run);
    if (!s || !(s->values = aligned_zeros((size_t)s->padded * (run->threads + 1), sizeof *s->values)))
        return no_memory(run, err);
    return RIDGE_OK;
}

/* eight sums, so that additions do not wait for each other */
static float dot(const float *a, const float *b, int64_t count)
{
    float sums[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int j = 0; j < 8; j++)
            sums[j] += a[i + j] * b[i + j];
    for (; i < count; i++)
        sums[0] += a[i] * b[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static void generic_phase(const ridge_kernel_run *run, unsigned phase, unsigned thread)
{
    const ridge_gemv_state *s = run->state;
    const int64_t k = run->problem.k;
    int64_t begin_at, end;
    if (phase == 0) {
        ridge_kernel_share(&begin_at, &end, k, thread, run->threads);
        for (int64_t i = begin_at; i < end; i++)
            s->values[i] = ridge_element_get(run->operands[1], s->activations, i);
        return;
    }
    float *row = s->values + s->padded * (1 + (int64_t)thread);
    ridge_kernel_share(&begin_at, &end, run->problem.n, thread, run->threads);
    for (int64_t i = begin_at; i < end; i++) {
        const uint8_t *w = (const uint8_t *)run->operands[0] + (size_t)i * s->row_bytes;
        (void)ridge_dequantise_row(row, run->problem.weights, w, k, run->tensor_scales[0]);
        ridge_element_put(run->operands[2], s->activations, i, dot(row, s->values, k));
    }
}

const ridge_kernel_variant ridge_gemv_generic = {
    .kind = RIDGE_KERNEL_KIND_GEMV,
    .name = "generic",
    .provider = "ridge",
    .takes = takes_any,
    .open = open_generic,
    .phase = generic_phase,
    .close = ridge_gemv_close,
};
