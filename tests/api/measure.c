/* measure.c - the public interface for measuring: functions, memory, bottlenecks, attention, kernels of the caller, timelines.
 * No time is asserted; results are set against arithmetic by hand and against a plain loop in double precision written here. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ridge_measure.h"

static void count_up(void *argument)
{
    ++*(unsigned long *)argument;
}

static void benchmark(void **state)
{
    (void)state;
    unsigned long calls = 0;
    ridge_statistics s;
    assert_int_equal(ridge_benchmark(count_up, &calls, 3, 7, &s), 0);
    assert_int_equal(s.tried, 7);
    assert_true(s.calls_per_sample >= 1);
    assert_true(calls >= 3 + 7 * (unsigned long)s.calls_per_sample);
    assert_true(s.low_s <= s.median_s && s.median_s <= s.high_s && s.minimum_s <= s.median_s && s.median_s > 0);
    assert_int_equal(ridge_benchmark(NULL, NULL, 0, 1, &s), 2);
    assert_int_equal(ridge_benchmark(count_up, &calls, 0, 0, &s), 2);
}

static void keep_memory(void *argument)
{
    char **kept = argument;
    *kept = malloc(3000000);
    if (*kept != NULL)
        memset(*kept, 1, 3000000);
}

static void memory(void **state)
{
    (void)state;
    char *kept = NULL;
    ridge_memory_use use;
    assert_int_equal(ridge_measure_memory(keep_memory, &kept, &use), 0);
    assert_true(use.peak_bytes >= use.current_bytes || use.peak_bytes < 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(RIDGE_ARENA_MALLOC) /* their allocator is not the one that is asked */
    assert_true(use.heap_change_bytes >= 3000000 || use.heap_change_bytes < 0);
    assert_true(use.heap_change_bytes < 4000000);
#endif
    free(kept);
}

/* 3,000,000 bytes touched are 732 pages of 4 KiB, each at most one fault, or two huge pages; the time is CPU time but for what others take
 */
static void run_use(void **state)
{
    (void)state;
    char *kept = NULL;
    ridge_run_use use;
    assert_int_equal(ridge_measure_run(keep_memory, &kept, &use), 0);
    assert_true(use.memory.wall_s > 0 && use.user_s >= 0 && use.system_s >= 0);
    assert_true(fabs(use.memory.cpu_s - use.user_s - use.system_s) < 1e-12);
    assert_true(use.minor_faults >= 1 && use.major_faults >= 0 && use.involuntary_switches >= 0);
    assert_true(use.cycles == -1 ? use.reason[0] != '\0' : use.cycles > 0 && use.instructions > 0);
    assert_int_equal(ridge_measure_run(NULL, NULL, &use), 2);
    assert_int_equal(ridge_measure_memory(keep_memory, &kept, NULL), 2);
    free(kept);
}

/* 6 of 10 ms; 6e7 bytes in 6 ms are 1e10 of 2e10 B/s, 6e9 FLOP 1e12 of 4e12 */
static void bottleneck(void **state)
{
    (void)state;
    const ridge_timed_row rows[] = {{"a", 4e-3, 1e9, 1e9}, {"b", 6e-3, 6e9, 6e7}};
    ridge_bottleneck b;
    assert_int_equal(ridge_identify_bottleneck(&b, rows, 2, 2e10, 4e12), 0);
    assert_int_equal(b.index, 1);
    assert_true(fabs(b.percent - 60) < 1e-9);
    assert_true(fabs(b.memory_share - 0.5) < 1e-9);
    assert_true(fabs(b.compute_share - 0.25) < 1e-9);
    assert_int_equal(b.memory_bound, 1);
    assert_int_equal(ridge_identify_bottleneck(&b, rows, 2, 0, 0), 0);
    assert_int_equal(b.memory_bound, -1);
    assert_int_equal(ridge_identify_bottleneck(&b, rows, 0, 1, 1), 2);
}

/* of 1 + 4 + 2 + 4 + 1 = 12 ms: 4 is a third, and the first of two that are equal comes first */
static void top_bottlenecks(void **state)
{
    (void)state;
    const ridge_timed_row rows[] = {
        {"a", 1e-3, -1, -1}, {"b", 4e-3, 1e9, -1}, {"c", 2e-3, -1, 1e7}, {"d", 4e-3, -1, -1}, {"e", 1e-3, -1, -1}};
    static const uint64_t order[] = {1, 3, 2, 0, 4};
    ridge_bottleneck b[8];
    uint64_t count;
    assert_int_equal(ridge_identify_bottlenecks(b, 3, &count, rows, 5, 1e10, 1e12), 0);
    assert_int_equal(count, 3);
    assert_true(fabs(b[0].percent - 100.0 / 3) < 1e-9);
    assert_true(fabs(b[0].compute_share - 0.25) < 1e-9); /* 1e9 FLOP in 4 ms are 2.5e11/s */
    assert_true(fabs(b[2].memory_share - 0.5) < 1e-9);   /* 1e7 bytes in 2 ms are 5e9/s */
    assert_int_equal(b[0].memory_bound, 0);
    assert_int_equal(b[1].memory_bound, -1);
    assert_int_equal(ridge_identify_bottlenecks(b, 8, &count, rows, 5, 0, 0), 0);
    assert_int_equal(count, 5);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(b[i].index, order[i]);
    assert_int_equal(ridge_identify_bottlenecks(b, 3, &count, rows, 0, 1, 1), 2);
}

/* ---- attention ---- */

enum { BATCH = 1, SEQ = 5, PAST = 3, HEADS = 4, KV_HEADS = 2, DIM = 16, KEYS = PAST + SEQ };

static double value_at(size_t i)
{
    return sin((double)i * 1.7 + 0.3);
}

/* Vaswani 2017 eq. 1, the queries at the end of the keys */
static double expected_at(const float *q, const float *k, const float *v, size_t s, size_t h, size_t d)
{
    size_t kv = h / (HEADS / KV_HEADS);
    double sum = 0, out = 0;
    for (size_t t = 0; t <= PAST + s; t++) {
        double score = 0;
        for (size_t i = 0; i < DIM; i++)
            score += (double)q[(s * HEADS + h) * DIM + i] * (double)k[(kv * KEYS + t) * DIM + i];
        double weight = exp(score / sqrt(DIM));
        sum += weight;
        out += weight * (double)v[(kv * KEYS + t) * DIM + d];
    }
    return out / sum;
}

static void attention_levels(void **state)
{
    (void)state;
    float q[SEQ * HEADS * DIM], k[KV_HEADS * KEYS * DIM], v[KV_HEADS * KEYS * DIM], out[SEQ * HEADS * DIM];
    const ridge_attention_shape shape = {
        .batch = BATCH, .seq = SEQ, .past = PAST, .heads = HEADS, .kv_heads = KV_HEADS, .head_dim = DIM, .causal = 1, .threads = 2};
    char message[200];
    for (size_t i = 0; i < sizeof q / sizeof *q; i++)
        q[i] = (float)value_at(i);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        k[i] = (float)value_at(i + 1000);
        v[i] = (float)value_at(i + 5000);
    }
    for (int level = 0; level < 4; level++) {
        memset(out, 0xff, sizeof out);
        assert_int_equal(ridge_optimize_attention(q, k, v, out, &shape, level, message, sizeof message), 0);
        for (size_t s = 0; s < SEQ; s++)
            for (size_t h = 0; h < HEADS; h++)
                for (size_t d = 0; d < DIM; d++)
                    assert_true(fabs((double)out[(s * HEADS + h) * DIM + d] - expected_at(q, k, v, s, h, d)) < 1e-5);
    }
    assert_int_equal(ridge_optimize_attention(q, k, v, out, &shape, 4, message, sizeof message), 2);
    assert_string_equal(message, "level 4: 0 naive, 1 blocked, 2 fused, 3 flash");
}

/* the same arrays aligned, where no copy is made, and one float beside that, where it is: the same numbers, and inputs stay as they are */
static void attention_in_place(void **state)
{
    (void)state;
    enum { ROOM = SEQ * HEADS * DIM + KV_HEADS * KEYS * DIM + 32 };
    static _Alignas(64) float q[ROOM], k[ROOM], v[ROOM], out[2][ROOM];
    const ridge_attention_shape shape = {
        .batch = BATCH, .seq = SEQ, .past = PAST, .heads = HEADS, .kv_heads = KV_HEADS, .head_dim = DIM, .causal = 1, .threads = 1};
    char message[200];
    for (size_t beside = 0; beside < 2; beside++) {
        for (size_t i = 0; i < SEQ * HEADS * DIM; i++)
            q[i + beside] = (float)value_at(i);
        for (size_t i = 0; i < KV_HEADS * KEYS * DIM; i++) {
            k[i + beside] = (float)value_at(i + 1000);
            v[i + beside] = (float)value_at(i + 5000);
        }
        assert_int_equal(
            ridge_optimize_attention(q + beside, k + beside, v + beside, out[beside] + beside, &shape, 3, message, sizeof message), 0);
        for (size_t i = 0; i < KV_HEADS * KEYS * DIM; i++)
            assert_true(k[i + beside] == (float)value_at(i + 1000) && v[i + beside] == (float)value_at(i + 5000));
    }
    assert_memory_equal(out[0], out[1] + 1, SEQ * HEADS * DIM * sizeof(float));
    for (size_t i = 0; i < SEQ * HEADS * DIM; i++)
        q[i] = (float)value_at(i);
    assert_int_equal(ridge_optimize_attention(q, k + 1, v + 1, q, &shape, 0, message, sizeof message), 0); /* over its own queries */
    for (size_t i = 0; i < SEQ * HEADS * DIM; i++)
        assert_true(fabs((double)q[i] - (double)out[0][i]) < 1e-5);
    for (size_t i = 0; i < SEQ * HEADS * DIM; i++)
        q[i + 1] = (float)value_at(i);
    assert_true(fabs((double)out[0][0] - expected_at(q + 1, k + 1, v + 1, 0, 0, 0)) < 1e-5);
}

static void attention_profile(void **state)
{
    (void)state;
    const ridge_attention_shape shape = {.batch = 1, .seq = 1, .past = 31, .heads = 4, .kv_heads = 2, .head_dim = 32, .threads = 1};
    ridge_attention_profile p;
    char message[200];
    double sum = 0;
    assert_int_equal(ridge_profile_attention(&p, &shape, "bf16", 0.2, message, sizeof message), 0);
    for (int i = 0; i < RIDGE_ATTENTION_COMPONENTS; i++)
        sum += p.components[i].time_s;
    assert_true(fabs(sum - p.total_s) <= 1e-9 * sum);
    assert_string_equal(p.components[2].name, "softmax");
    assert_int_equal(ridge_profile_attention(&p, &shape, "bf17", 0.2, message, sizeof message), 2);
    assert_non_null(strstr(message, "bf17"));
}

/* a name in RIDGE_ISA that is no instruction set is told wherever kernels are opened */
static void no_such_instruction_set(void **state)
{
    (void)state;
    static const char wanted[] = "RIDGE_ISA: no instruction set 'avx3'; did you mean 'avx2'?";
    const ridge_attention_shape shape = {.batch = 1, .seq = 1, .heads = 1, .kv_heads = 1, .head_dim = 32};
    const float zeros[32] = {0};
    float out[32];
    double bytes_per_s, flops_per_s;
    ridge_attention_profile p;
    char message[200];
    assert_int_equal(setenv("RIDGE_ISA", "avx3", 1), 0);
    assert_int_equal(ridge_profile_attention(&p, &shape, "bf16", 0.2, message, sizeof message), 1);
    assert_string_equal(message, wanted);
    assert_int_equal(ridge_optimize_attention(zeros, zeros, zeros, out, &shape, 0, message, sizeof message), 1);
    assert_string_equal(message, wanted);
    assert_int_equal(ridge_measure_ceilings(&bytes_per_s, &flops_per_s, 1, 0.05, message, sizeof message), 1);
    assert_string_equal(message, wanted);
    (void)unsetenv("RIDGE_ISA");
}

/* ---- a kernel of the caller ---- */

enum { N = 64 };
typedef struct scaling {
    float x[N], y[N];
    float factor;
} scaling;

static void scale(void *argument)
{
    scaling *s = argument;
    for (int i = 0; i < N; i++)
        s->y[i] = s->factor * s->x[i];
}

static void doubled(void *argument, double *expected)
{
    const scaling *s = argument;
    for (int i = 0; i < N; i++)
        expected[i] = 2 * (double)s->x[i];
}

static void own_kernel(void **state)
{
    (void)state;
    scaling s = {.factor = 2};
    ridge_own_row row;
    char message[200];
    for (int i = 0; i < N; i++)
        s.x[i] = (float)(i + 1);
    ridge_kernels_own *kernels = ridge_kernels_new();
    assert_non_null(kernels);
    assert_int_equal(ridge_kernel_register(kernels, "scale", scale, &s, N, 8 * N, message, sizeof message), 0);
    assert_int_equal(ridge_kernel_register(kernels, "scale", scale, &s, N, 8 * N, message, sizeof message), 2);
    assert_string_equal(message, "there is a kernel 'scale' already");
    assert_int_equal(ridge_kernel_set_reference(kernels, "scale", doubled, s.y, N, 1e-6, message, sizeof message), 0);
    assert_int_equal(ridge_kernel_measure(&row, kernels, "scale", 5, 1e6, 1e6, message, sizeof message), 0);
    assert_true(row.max_relative_error >= 0 && row.max_relative_error <= 1e-6);
    assert_true(fabs(row.arithmetic_intensity - 0.125) < 1e-12);
    assert_true(fabs(row.least_s - 8.0 * N / 1e6) < 1e-12); /* 512 us by bytes, 64 us by FLOPs */
    assert_int_equal(row.memory_bound, 1);
    assert_int_equal(row.beats_roofline, 1); /* no machine moves 1 MB/s */
    s.factor = 2.5F;
    assert_int_equal(ridge_kernel_measure(&row, kernels, "scale", 5, 0, 0, message, sizeof message), 3);
    assert_non_null(strstr(message, "scale is wrong: off by"));
    assert_int_equal(row.time.tried, 0);
    assert_int_equal(ridge_kernel_measure(&row, kernels, "scal", 5, 0, 0, message, sizeof message), 2);
    assert_string_equal(message, "no kernel 'scal'; did you mean 'scale'?");
    ridge_kernels_free(kernels);
}

static void timeline(void **state)
{
    (void)state;
    ridge_timeline *t = ridge_timeline_new(1, 16), *none = NULL;
    assert_non_null(t);
    RIDGE_REGION_BEGIN(none, 0, "nothing");
    RIDGE_REGION_END(none, 0);
    RIDGE_REGION_BEGIN(t, 0, "work");
    RIDGE_REGION_END(t, 0);
    char *text = ridge_timeline_json(t);
    assert_non_null(strstr(text, "\"name\": \"work\""));
    ridge_timeline_text_free(text);
    ridge_timeline_free(t);
    assert_null(ridge_timeline_new(0, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(benchmark),
        cmocka_unit_test(memory),
        cmocka_unit_test(run_use),
        cmocka_unit_test(bottleneck),
        cmocka_unit_test(top_bottlenecks),
        cmocka_unit_test(attention_levels),
        cmocka_unit_test(attention_in_place),
        cmocka_unit_test(attention_profile),
        cmocka_unit_test(own_kernel),
        cmocka_unit_test(timeline),
        cmocka_unit_test(no_such_instruction_set),
    };
    return RUN_TESTS(tests);
}
