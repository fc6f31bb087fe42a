/* Every GEMV variant that runs here against the double-precision reference, over formats, odd sizes and threads; no reading beyond the
 * operands: each ends at a page that cannot be read. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/kernel.h"
#include "kernel/parts.h"

static const char *const weights[] = {"fp32",  "bf16", "fp16", "int8", "q8_0",      "q4_0", "iq4_nl", "mxfp4",
                                      "nvfp4", "q4_K", "q6_K", "nf4",  "int4_g128", "q2_K", "mxfp8",  "q5_1"};

/* memory whose end, rounded up to 64 bytes, is the end of what may be read */
typedef struct guarded {
    unsigned char *pages, *data;
    size_t mapped;
} guarded;

static guarded guard(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page;
    guarded g = {.mapped = used + page};
    g.pages = mmap(NULL, g.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.pages != MAP_FAILED);
    assert_int_equal(mprotect(g.pages + used, page, PROT_NONE), 0);
    g.data = g.pages + used - (bytes + 63) / 64 * 64;
    return g;
}

static float normal(void)
{
    double u = (rand() + 1.0) / (RAND_MAX + 2.0), angle = 6.283185307179586 * rand() / RAND_MAX;
    return (float)(sqrt(-2 * log(u)) * cos(angle));
}

typedef struct fixture {
    ridge_problem problem;
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    size_t count;
    guarded memory[RIDGE_PROBLEM_OPERANDS];
    void *data[RIDGE_PROBLEM_OPERANDS];
    float scales[RIDGE_PROBLEM_OPERANDS];
    double *reference;
} fixture;

static void fill(const ridge_operand *o, void *data, float scale)
{
    size_t row_bytes = 0;
    float *row = malloc((size_t)o->cols * sizeof *row);
    assert_true(ridge_row_bytes(&row_bytes, o->format, o->cols));
    for (int64_t r = 0; r < o->rows; r++) {
        for (int64_t i = 0; i < o->cols; i++)
            row[i] = normal();
        assert_true(ridge_quantise_row((char *)data + (size_t)r * row_bytes, o->format, row, o->cols, scale));
    }
    free(row);
}

static void set_up(fixture *f, const char *format, const char *activations, int64_t n, int64_t k)
{
    ridge_err err = {0};
    memset(f, 0, sizeof *f);
    f->problem = (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMV,
                                 .n = n,
                                 .k = k,
                                 .weights = ridge_format_find(ridge_str_of(format)),
                                 .activations = ridge_format_find(ridge_str_of(activations))};
    if (ridge_problem_operands(f->operands, &f->count, &f->problem, &err) != RIDGE_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(f->count, 3);
    for (size_t i = 0; i < f->count; i++) {
        size_t bytes;
        assert_int_equal(ridge_operand_bytes(&bytes, &f->operands[i], &err), RIDGE_OK);
        f->memory[i] = guard(bytes);
        f->data[i] = f->memory[i].data;
        f->scales[i] = i > 0 ? 1 : strcmp(format, "int8") == 0 ? 4.0f / 127 : strcmp(format, "nvfp4") == 0 ? 6.0f / (6 * 448) : 1;
        if (!f->operands[i].written)
            fill(&f->operands[i], f->data[i], f->scales[i]);
    }
    f->reference = malloc((size_t)n * sizeof *f->reference);
    assert_int_equal(ridge_kernel_reference(f->reference, &f->problem, f->data, f->scales, &err), RIDGE_OK);
}

static void tear_down(fixture *f)
{
    free(f->reference);
    for (size_t i = 0; i < f->count; i++)
        assert_int_equal(munmap(f->memory[i].pages, f->memory[i].mapped), 0);
}

static double worst(const fixture *f)
{
    const ridge_operand *y = &f->operands[2];
    float *got = malloc((size_t)f->problem.n * sizeof *got);
    double squares = 0, most = 0;
    assert_true(ridge_dequantise_row(got, y->format, f->data[2], f->problem.n, 1));
    for (int64_t i = 0; i < f->problem.n; i++) {
        double difference = fabs((double)got[i] - f->reference[i]);
        squares += f->reference[i] * f->reference[i];
        most = difference <= most ? most : difference; /* a NaN stays */
    }
    free(got);
    return most / sqrt(squares / (double)f->problem.n);
}

static void check(const fixture *f, const ridge_kernel_variant *variant, unsigned threads)
{
    ridge_err err = {0};
    ridge_kernel_run run = {.variant = variant, .problem = f->problem, .threads = threads, .phases = 1};
    memcpy(run.operands, f->data, sizeof run.operands);
    memcpy(run.tensor_scales, f->scales, sizeof run.tensor_scales);
    memset(f->data[2], 0xff, (size_t)f->problem.n * f->operands[2].format->block_bits / 8); /* NaN until written */
    if (variant->open(&run, &err) != RIDGE_OK)
        fail_msg("%s: %s", variant->name, err.msg);
    for (unsigned phase = 0; phase < run.phases; phase++)
        for (unsigned thread = 0; thread < threads; thread++)
            variant->phase(&run, phase, thread);
    double error = worst(f), tolerance = ridge_kernel_tolerance(&f->problem, variant);
    if (!(error <= tolerance))
        fail_msg("%s, %s, %lld x %lld, %u threads: off by %g, at most %g", variant->name, f->problem.weights->name, (long long)f->problem.n,
                 (long long)f->problem.k, threads, error, tolerance);
    variant->close(&run);
}

static void check_all(const char *format, const char *activations, int64_t n, int64_t k)
{
    fixture f;
    ridge_arena arena;
    ridge_arena_init(&arena);
    const ridge_kernel_variant *const *variants;
    size_t count;
    set_up(&f, format, activations, n, k);
    assert_int_equal(ridge_kernel_variants(&variants, &count, &f.problem, &arena, NULL), RIDGE_OK);
    assert_true(count >= 1);
    assert_string_equal(variants[count - 1]->name, "generic"); /* the expected best first */
    for (size_t i = 0; i < count; i++)
        for (unsigned threads = 1; threads <= 3; threads++)
            check(&f, variants[i], threads);
    tear_down(&f);
    ridge_arena_free(&arena);
}

static void test_against_reference(void **state)
{
    (void)state;
    static const char *const activations[] = {"fp32", "bf16", "fp16"};
    srand(7);
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        const int64_t block = ridge_format_find(ridge_str_of(weights[i]))->block_elements;
        check_all(weights[i], "fp32", 67, (1024 / block + 1) * block);
        for (int round = 0; round < 6; round++) {
            int64_t n = 1 + rand() % 80, k = block * (1 + rand() % (1 + 1500 / block));
            check_all(weights[i], activations[round % 3], n, k);
        }
    }
}

static void expect(const char *message, ridge_problem problem)
{
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    size_t count;
    ridge_err err = {0};
    assert_int_equal(ridge_problem_operands(operands, &count, &problem, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), message);
}

static void test_bad_problems(void **state)
{
    (void)state;
    const ridge_format *q4 = ridge_format_find(ridge_str_of("q4_0")), *fp32 = ridge_format_find(ridge_str_of("fp32"));
    const ridge_format *int2 = ridge_format_find(ridge_str_of("int2"));
    expect("gemv: 'W' has rows of 33 elements, not a multiple of q4_0's block of 32",
           (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMV, .n = 4, .k = 33, .weights = q4, .activations = fp32});
    expect("gemv: the size of 'W' is missing, below 1, or too large",
           (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMV, .k = 32, .weights = q4, .activations = fp32});
    expect("gemv: activations are fp32, bf16 or fp16, not q4_0",
           (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMV, .n = 4, .k = 32, .weights = q4, .activations = q4});
    expect("gemv: 'W' has no number format", (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMV, .n = 4, .k = 32, .activations = fp32});
    expect("gemv: 'W' cannot be int2; nothing here reads that format",
           (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMV, .n = 4, .k = 32, .weights = int2, .activations = fp32});
    expect("attention: 6 heads do not share 4 key-value heads evenly", (ridge_problem){.kind = RIDGE_KERNEL_KIND_ATTENTION,
                                                                                       .batch = 1,
                                                                                       .seq = 2,
                                                                                       .heads = 6,
                                                                                       .kv_heads = 4,
                                                                                       .head_dim = 8,
                                                                                       .weights = fp32,
                                                                                       .activations = fp32});
}

/* RIDGE_ISA takes away, never adds */
static void test_isa(void **state)
{
    (void)state;
    unsetenv("RIDGE_ISA");
    const unsigned all = ridge_isa_have();
    setenv("RIDGE_ISA", "generic", 1);
    assert_int_equal(ridge_isa_have(), 0);
    check_all("q4_0", "fp32", 20, 64);
    setenv("RIDGE_ISA", "avx2", 1);
    assert_int_equal(ridge_isa_have(), all & RIDGE_ISA_AVX2);
    check_all("q4_0", "fp32", 20, 64);
    setenv("RIDGE_ISA", "avx512_vnni,neon", 1);
    assert_int_equal(ridge_isa_have(), all & (RIDGE_ISA_AVX2 | RIDGE_ISA_AVX512 | RIDGE_ISA_AVX512_VNNI | RIDGE_ISA_NEON));
    unsetenv("RIDGE_ISA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_reference),
        cmocka_unit_test(test_bad_problems),
        cmocka_unit_test(test_isa),
    };
    return RUN_TESTS(tests);
}
