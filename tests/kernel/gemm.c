/* Every matrix product against the double reference: formats, odd sizes, threads; inputs read-only, every operand ending at a page that
 * may not be touched. */
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernel/gemm/gemm.h"
#include "kernel/parts.h"
#include "kernel/provider/provider.h"

enum { OPERANDS = 3, MOST_THREADS = 3 };

/* ---- numbers: xorshift64*, Box and Muller ---- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}
static int64_t random_between(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(next_random(state) >> 33) % (high - low + 1);
}
static float random_normal(uint64_t *state)
{
    double u = ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53, v = (double)(next_random(state) >> 11) * 0x1p-53;
    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

/* ---- buffers whose end is a page's, with one behind it that may not be touched ---- */

typedef struct guarded {
    unsigned char *map, *data;
    size_t map_bytes, bytes;
} guarded;

static guarded guarded_make(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    guarded g = {.map_bytes = room + page, .bytes = bytes};
    g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.map != MAP_FAILED);
    assert_int_equal(mprotect(g.map + room, page, PROT_NONE), 0);
    g.data = g.map + room - bytes;
    return g;
}
static void guarded_free(guarded *g)
{
    assert_int_equal(munmap(g->map, g->map_bytes), 0);
}
static void guarded_lock(const guarded *g)
{
    assert_int_equal(mprotect(g->map, g->map_bytes - (size_t)sysconf(_SC_PAGESIZE), PROT_READ), 0);
}

/* ---- one problem ---- */

/* what the activations are. WHOLE: numbers up to 127, which every sixteen values reach, so that a block's step is 1. LARGEST: 127 or -127,
 * against codes of W that are as large as they get. */
typedef enum trial_values { NORMAL, WHOLE, LARGEST } trial_values;

typedef struct trial {
    ridge_problem problem;
    guarded operands[OPERANDS];
    void *pointers[RIDGE_PROBLEM_OPERANDS];
    float scales[RIDGE_PROBLEM_OPERANDS];
    double *reference;
    trial_values values;
} trial;

static const ridge_format *format_of(const char *name)
{
    const ridge_format *format = ridge_format_find((ridge_str){name, strlen(name)});
    assert_non_null(format);
    return format;
}

static size_t row_bytes(const ridge_operand *operand)
{
    ridge_operand row = *operand, two = *operand;
    size_t one_row, two_rows;
    row.rows = 64; /* 64 rows are whole lines: no rounding but the tensor's scale */
    two.rows = 128;
    assert_int_equal(ridge_operand_bytes(&one_row, &row, NULL), RIDGE_OK);
    assert_int_equal(ridge_operand_bytes(&two_rows, &two, NULL), RIDGE_OK);
    return (two_rows - one_row) / 64;
}

static float random_whole(uint64_t *seed, int64_t i)
{
    return i % 16 == 0 ? 127.0F : (float)random_between(seed, -127, 127);
}

/* rows of one sign, and of signs that change after 1, 2, 4, 8 values */
static float largest_at(int64_t row, int64_t i)
{
    int64_t kind = row % 6;
    bool negative = kind < 2 ? kind == 1 : (i >> (kind - 2) & 1) != 0;
    return negative ? -127.0F : 127.0F;
}

static float value_at(trial_values kind, int64_t row, int64_t i, uint64_t *seed)
{
    if (kind == LARGEST)
        return largest_at(row, i);
    return kind == WHOLE ? random_whole(seed, i) : random_normal(seed);
}

static void fill(const ridge_operand *operand, unsigned char *to, float scale, trial_values kind, uint64_t *seed)
{
    size_t bytes = row_bytes(operand);
    float *values = malloc((size_t)operand->cols * sizeof *values);
    for (int64_t row = 0; row < operand->rows; row++) {
        for (int64_t i = 0; i < operand->cols; i++)
            values[i] = value_at(kind, row, i, seed);
        assert_true(ridge_quantise_row(to + (size_t)row * bytes, operand->format, values, operand->cols, scale));
    }
    free(values);
}

/* Formats that have int8 arithmetic: of each block's bytes those that hold codes and, in q4_K and q6_K, the parts' scales
 * (docs/kernels.md, Formats). int8 and int4_g128: a row of ONE_K. */
enum { ONE_K = 256 };
static const struct int8_format {
    const char *name;
    size_t block_bytes, head, codes;
} int8_formats[] = {{"int8", 256, 0, 256}, {"q8_0", 34, 2, 32},   {"q4_0", 18, 2, 16},   {"iq4_nl", 18, 2, 16},     {"mxfp4", 17, 1, 16},
                    {"nvfp4", 9, 1, 8},    {"q4_K", 144, 4, 140}, {"q6_K", 210, 0, 208}, {"int4_g128", 133, 0, 128}};
enum { INT8_FORMATS = sizeof int8_formats / sizeof *int8_formats };

/* All codes of a row the same: all bits, none, the highest alone, the others, the same of 4-bit halves. */
static void set_codes(const ridge_operand *operand, unsigned char *to)
{
    static const unsigned char codes[] = {0xff, 0x00, 0x80, 0x7f, 0x88, 0x77, 0xf0};
    size_t bytes = row_bytes(operand), which = 0;
    while (strcmp(int8_formats[which].name, operand->format->name) != 0)
        assert_true(++which < INT8_FORMATS);
    for (int64_t row = 0; row < operand->rows; row++, to += bytes)
        for (size_t at = 0; at < bytes; at += int8_formats[which].block_bytes)
            memset(to + at + int8_formats[which].head, codes[(size_t)row % sizeof codes], int8_formats[which].codes);
}

typedef struct trial_formats {
    const char *weights, *activations;
    trial_values values;
} trial_formats;

static trial trial_make(int64_t m, int64_t n, int64_t k, trial_formats formats, uint64_t *seed)
{
    trial t = {.values = formats.values, .problem = {.kind = RIDGE_KERNEL_KIND_GEMM, .m = m, .n = n, .k = k}};
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    ridge_err err = {0};
    size_t count;
    t.problem.weights = format_of(formats.weights);
    t.problem.activations = format_of(formats.activations);
    assert_int_equal(ridge_problem_operands(operands, &count, &t.problem, &err), RIDGE_OK);
    assert_int_equal(count, OPERANDS);
    for (size_t i = 0; i < OPERANDS; i++) {
        size_t bytes;
        assert_int_equal(ridge_operand_bytes(&bytes, &operands[i], &err), RIDGE_OK);
        t.operands[i] = guarded_make(bytes);
        t.pointers[i] = t.operands[i].data;
        t.scales[i] = 1.0F;
    }
    t.scales[0] = strcmp(formats.weights, "int8") == 0 ? 0.03F : 0.01F; /* nvfp4's: 6 * 448 * 0.01 reaches any normal value */
    fill(&operands[0], t.operands[0].data, t.scales[0], NORMAL, seed);
    if (formats.values == LARGEST)
        set_codes(&operands[0], t.operands[0].data);
    fill(&operands[1], t.operands[1].data, 1.0F, formats.values, seed);
    t.reference = malloc((size_t)(m * n) * sizeof *t.reference);
    assert_int_equal(ridge_kernel_reference(t.reference, &t.problem, t.pointers, t.scales, &err), RIDGE_OK);
    guarded_lock(&t.operands[0]);
    guarded_lock(&t.operands[1]);
    return t;
}

static void trial_free(trial *t)
{
    for (size_t i = 0; i < OPERANDS; i++)
        guarded_free(&t->operands[i]);
    free(t->reference);
}

/* ---- one variant on it ---- */

typedef struct share {
    const ridge_kernel_run *run;
    unsigned phase, thread;
} share;

static void *run_share(void *context)
{
    const share *s = context;
    s->run->variant->phase(s->run, s->phase, s->thread);
    return NULL;
}

static void run_phases(const ridge_kernel_run *run)
{
    for (unsigned phase = 0; phase < run->phases; phase++) {
        pthread_t threads[MOST_THREADS];
        share shares[MOST_THREADS];
        for (unsigned i = 0; i < run->threads; i++) {
            shares[i] = (share){run, phase, i};
            assert_int_equal(pthread_create(&threads[i], NULL, run_share, &shares[i]), 0);
        }
        for (unsigned i = 0; i < run->threads; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

/* Of what is exact in int8 too nothing is granted for rounding activations. Sums of large numbers of one sign may be off by k units of the
 * last place of the largest (Higham 2002, section 3.1): ridge_kernel_tolerance expects errors of random sign. */
static double tolerance_of(const trial *t, const ridge_kernel_variant *variant, double scale, double largest)
{
    ridge_kernel_variant exact = *variant;
    if (t->values != NORMAL)
        exact.activation_bits = 0;
    double tolerance = ridge_kernel_tolerance(&t->problem, &exact) * scale, all = (double)t->problem.k * 0x1p-24 * largest;
    return t->values == LARGEST && all > tolerance ? all : tolerance;
}

static void compare(const trial *t, const ridge_kernel_variant *variant, unsigned threads)
{
    int64_t count = t->problem.m * t->problem.n;
    float *values = malloc((size_t)count * sizeof *values);
    double squares = 0, worst = 0, largest = 0;
    assert_true(ridge_dequantise_row(values, t->problem.activations, t->pointers[2], count, 1.0F));
    for (int64_t i = 0; i < count; i++) {
        double off = fabs((double)values[i] - t->reference[i]);
        squares += t->reference[i] * t->reference[i];
        largest = fmax(largest, fabs(t->reference[i]));
        worst = off <= worst ? worst : off; /* NaN stays */
    }
    double tolerance = tolerance_of(t, variant, sqrt(squares / (double)count), largest);
    if (!(worst <= tolerance))
        fail_msg("%s %s, %s x %s, m %lld n %lld k %lld, %u threads: off by %g, tolerance %g", variant->provider, variant->name,
                 t->problem.weights->name, t->problem.activations->name, (long long)t->problem.m, (long long)t->problem.n,
                 (long long)t->problem.k, threads, worst, tolerance);
    free(values);
}

static void check_variant(const trial *t, const ridge_kernel_variant *variant, unsigned threads)
{
    ridge_kernel_run run = {.variant = variant, .problem = t->problem, .threads = threads};
    ridge_err err = {0};
    memcpy(run.operands, t->pointers, sizeof run.operands);
    memcpy(run.tensor_scales, t->scales, sizeof run.tensor_scales);
    memset(t->operands[2].data, 0xff, t->operands[2].bytes); /* NaN in every format */
    if (variant->open(&run, &err) != RIDGE_OK)
        fail_msg("%s %s: %s", variant->provider, variant->name, err.msg);
    run_phases(&run);
    compare(t, variant, threads);
    run_phases(&run); /* nothing of the first run may show in a second */
    compare(t, variant, threads);
    variant->close(&run);
    assert_null(run.state);
}

static bool runs_here(const ridge_kernel_variant *variant)
{
    return (variant->isa & ~ridge_isa_have()) == 0;
}

/* all variants that take it; how many */
static unsigned check_all(const trial *t, unsigned threads)
{
    unsigned checked = 0;
    for (const ridge_kernel_variant *const *v = ridge_gemm_variants; *v != NULL; v++)
        if (runs_here(*v) && (*v)->takes(&t->problem)) {
            check_variant(t, *v, threads);
            checked++;
        }
    return checked;
}

static const char *const weights[] = {"fp32", "bf16", "fp16", "int8", "q8_0",   "q4_0",  "q4_1",  "q5_0",      "q5_1",  "q2_K",    "q3_K",
                                      "q4_K", "q5_K", "q6_K", "nf4",  "iq4_nl", "mxfp4", "nvfp4", "int4_g128", "mxfp8", "fp8_e4m3"};
static const char *const activations[] = {"fp32", "bf16", "fp16"};
enum { WEIGHTS = sizeof weights / sizeof *weights, ACTIVATIONS = sizeof activations / sizeof *activations };

static void test_random_shapes(void **state)
{
    uint64_t seed = 20261121;
    (void)state;
    for (unsigned round = 0; round < 6; round++)
        for (size_t w = 0; w < WEIGHTS; w++) {
            unsigned block = format_of(weights[w])->block_elements;
            int64_t k = block * random_between(&seed, 1, 700 / block + 1);
            trial_formats formats = {weights[w], activations[round % ACTIVATIONS], NORMAL};
            trial t = trial_make(random_between(&seed, 1, 40), random_between(&seed, 1, 90), k, formats, &seed);
            assert_true(check_all(&t, 1 + round % MOST_THREADS) >= 1);
            trial_free(&t);
        }
}

/* where int8 loses nothing of the activations, its arithmetic is held to the same tolerance as fp32's */
static void test_exact_activations(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (size_t w = 0; w < WEIGHTS; w++) {
        trial t = trial_make(19, 45, 768, (trial_formats){weights[w], "fp32", WHOLE}, &seed);
        assert_true(check_all(&t, 1) >= 1);
        trial_free(&t);
    }
}

/* the largest products there are, in sums of one sign and of alternating ones: nothing may saturate or wrap */
static void test_largest_codes(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (size_t w = 0; w < INT8_FORMATS; w++) {
        trial t = trial_make(13, 37, ONE_K, (trial_formats){int8_formats[w].name, "fp32", LARGEST}, &seed);
        assert_true(check_all(&t, 1) >= 2);
        trial_free(&t);
    }
}

/* k of one block, or where that is one value, of less and more than four and sixteen of them; n short of a panel and beyond it. 28 rows of
 * nvfp4, 16, 32 or 64 of the others are whole lines: what is read beyond them is on the page that may not be touched. */
static void test_one_block(void **state)
{
    static const int64_t columns[] = {15, 16, 17, 28, 32, 33, 64};
    uint64_t seed = 13;
    (void)state;
    for (size_t w = 0; w < INT8_FORMATS; w++)
        for (int64_t m = 1; m <= 17; m++) {
            int64_t block = format_of(int8_formats[w].name)->block_elements;
            trial t = trial_make(m, columns[m % 7], block > 1 ? block : m + 2,
                                 (trial_formats){int8_formats[w].name, activations[m % 3], NORMAL}, &seed);
            assert_true(check_all(&t, 1) >= 2);
            trial_free(&t);
        }
}

/* every number of rows that a tile can be short of */
static void test_rows(void **state)
{
    static const char *const kinds[] = {"fp32", "bf16", "int8", "q8_0", "q4_0", "iq4_nl", "mxfp4", "nvfp4", "q4_K", "q6_K", "int4_g128"};
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int64_t m = 1; m <= 17; m++) {
            trial t = trial_make(m, 33, 256, (trial_formats){kinds[i], strcmp(kinds[i], "bf16") == 0 ? "bf16" : "fp32", NORMAL}, &seed);
            assert_true(check_all(&t, 2) >= 1);
            trial_free(&t);
        }
}

/* beyond one block of rows, of columns and of k */
static void test_blocks(void **state)
{
    static const char *const kinds[] = {"fp32", "bf16", "int8", "q8_0", "q4_K", "q6_K", "nvfp4"};
    uint64_t seed = 11;
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        trial t = trial_make(530, 291, 1280, (trial_formats){kinds[i], strcmp(kinds[i], "bf16") == 0 ? "bf16" : "fp32", NORMAL}, &seed);
        assert_true(check_all(&t, 2) >= 1);
        trial_free(&t);
    }
}

/* [1 2 3; 4 5 6] times [1 0 -1; 2 1 0] transposed */
static void test_by_hand(void **state)
{
    _Alignas(64) static float w[16] = {1, 0, -1, 2, 1, 0}, a[16] = {1, 2, 3, 4, 5, 6}, c[16];
    static const float expected[] = {-2, 4, -2, 13};
    (void)state;
    ridge_problem problem = {
        .kind = RIDGE_KERNEL_KIND_GEMM, .m = 2, .n = 2, .k = 3, .weights = format_of("fp32"), .activations = format_of("fp32")};
    for (const ridge_kernel_variant *const *v = ridge_gemm_variants; *v != NULL; v++) {
        if (!runs_here(*v) || !(*v)->takes(&problem))
            continue;
        ridge_kernel_run run = {.variant = *v, .problem = problem, .operands = {w, a, c}, .tensor_scales = {1, 1, 1}, .threads = 1};
        memset(c, 0xff, sizeof c);
        assert_int_equal((*v)->open(&run, NULL), RIDGE_OK);
        run_phases(&run);
        (*v)->close(&run);
        for (size_t i = 0; i < 4; i++)
            assert_float_equal(c[i], expected[i], 0);
    }
}

/* what is not a product that can be read is refused */
static void test_takes(void **state)
{
    ridge_problem fine = {
        .kind = RIDGE_KERNEL_KIND_GEMM, .m = 2, .n = 2, .k = 256, .weights = format_of("q4_K"), .activations = format_of("fp32")};
    ridge_problem gemv = fine, odd = fine, indices = fine, coded = fine;
    (void)state;
    gemv.kind = RIDGE_KERNEL_KIND_GEMV;
    odd.k = 255;
    indices.weights = format_of("i64");
    coded.activations = format_of("q4_K");
    assert_true(ridge_gemm_generic.takes(&fine));
    for (const ridge_kernel_variant *const *v = ridge_gemm_variants; *v != NULL; v++) {
        assert_int_equal((*v)->kind, RIDGE_KERNEL_KIND_GEMM);
        assert_false((*v)->takes(&gemv));
        assert_false((*v)->takes(&odd));
        assert_false((*v)->takes(&indices));
        assert_false((*v)->takes(&coded));
    }
}

/* what comes first of the project's own for a CPU that can do `isa` */
static const char *first_of(const ridge_problem *problem, unsigned isa)
{
    for (const ridge_kernel_variant *const *v = ridge_gemm_variants; *v != NULL; v++)
        if (((*v)->isa & ~isa) == 0 && strcmp((*v)->provider, "ridge") == 0 && (*v)->takes(problem))
            return (*v)->name;
    return "none";
}

/* int8 arithmetic before fp32's where the format has it */
static void test_order(void **state)
{
    const unsigned avx2 = RIDGE_ISA_AVX2, avx512 = avx2 | RIDGE_ISA_AVX512, vnni = avx512 | RIDGE_ISA_AVX512_VNNI;
    ridge_problem problem = {.kind = RIDGE_KERNEL_KIND_GEMM, .m = 2, .n = 2, .k = 256, .activations = format_of("fp32")};
    (void)state;
    for (size_t w = 0; w < INT8_FORMATS; w++) {
        problem.weights = format_of(int8_formats[w].name);
        assert_string_equal(first_of(&problem, 0), "generic");
#if defined(__x86_64__)
        assert_string_equal(first_of(&problem, avx2), "avx2-int8");
        assert_string_equal(first_of(&problem, avx512), "avx2-int8");
        assert_string_equal(first_of(&problem, vnni), "avx512-vnni");
#endif
    }
#if defined(__x86_64__)
    problem.weights = format_of("q5_K");
    assert_string_equal(first_of(&problem, avx2), "avx2");
    assert_string_equal(first_of(&problem, vnni), "avx512");
#else
    (void)vnni;
#endif
}

/* a library that is listed says which of its kernels runs; one that is not, why */
static void test_providers(void **state)
{
    static const struct {
        const char *provider, *file;
        const ridge_kernel_variant *variant;
    } libraries[] = {{"openblas", "libopenblas.so.0", &ridge_gemm_openblas}, {"onednn", "libdnnl.so.2", &ridge_gemm_onednn}};
    ridge_problem problem = {
        .kind = RIDGE_KERNEL_KIND_GEMM, .m = 2, .n = 2, .k = 2, .weights = format_of("fp32"), .activations = format_of("fp32")};
    char detail[256];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bool there = libraries[i].variant->takes(&problem);
        memset(detail, 0, sizeof detail);
        assert_int_equal(ridge_provider_detail(detail, sizeof detail, libraries[i].provider, NULL), there);
        print_message("# %s: %s\n", libraries[i].provider, detail);
        assert_true(there || strstr(detail, libraries[i].file) != NULL || strstr(detail, "built without") != NULL);
    }
    assert_false(ridge_provider_detail(detail, sizeof detail, "mkl", NULL));
    assert_string_equal(detail, "no such provider: ridge, onednn, openblas");
}

/* OpenBLAS takes the kernels for this CPU, whatever it makes of its model number */
static void test_openblas_core(void **state)
{
    char detail[256];
    (void)state;
    if (getenv("OPENBLAS_CORETYPE") != NULL || !ridge_provider_detail(detail, sizeof detail, "openblas", NULL))
        skip();
    if ((ridge_isa_have() & RIDGE_ISA_AVX512) != 0)
        assert_non_null(strstr(detail, "kernels for SkylakeX"));
    else if ((ridge_isa_have() & RIDGE_ISA_AVX2) != 0)
        assert_non_null(strstr(detail, "kernels for Haswell"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_takes),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_random_shapes),
        cmocka_unit_test(test_exact_activations),
        cmocka_unit_test(test_largest_codes),
        cmocka_unit_test(test_one_block),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_providers),
        cmocka_unit_test(test_openblas_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
