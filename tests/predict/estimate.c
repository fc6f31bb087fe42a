/* estimate.c - times beyond the roofline: hand-counted examples, and what must hold of every shape on every machine. */
#include "test.h"

#include "predict/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TERA INT64_C(1000000000000)
#define GIGA INT64_C(1000000000)

enum { SHAPES = 60 };

static const ridge_format *format(const char *name)
{
    const ridge_format *f = ridge_format_find(ridge_str_of(name));
    assert_non_null(f);
    return f;
}

static void close_to(double value, double wanted, double tolerance)
{
    if (fabs(value - wanted) > tolerance * fabs(wanted))
        fail_msg("%.9g, wanted %.9g", value, wanted);
}

static ridge_machine plain_machine(int64_t fp16_tflops, int64_t bytes_per_s)
{
    ridge_machine m = {.id = "plain", .kind = "gpu", .vendor = "?", .level_count = 1, .levels = {{"dram", NULL, bytes_per_s, 80 * GIGA}}};
    for (int i = 0; i < RIDGE_PRECISION_COUNT; i++)
        m.peak_flops_per_s[i] = m.achieved.flops_per_s[i] = RIDGE_MACHINE_UNKNOWN;
    m.peak_flops_per_s[RIDGE_PRECISION_FP16] = fp16_tflops * TERA;
    m.achieved.bytes_per_s = RIDGE_MACHINE_UNKNOWN;
    m.compute_units = m.shared_bytes = m.clock_hz = RIDGE_MACHINE_UNKNOWN;
    m.launch_overhead_s = RIDGE_MACHINE_UNKNOWN;
    return m;
}

/* FACTS: GEMV 4096 x 4096 at 287 GB/s: fp16 117, fp8 58, nvfp4 33 us (33.1: the vectors count, and nvfp4 is 4.5 bits) */
static void test_roofline(void **state)
{
    (void)state;
    ridge_machine m = plain_machine(62, 287 * GIGA);
    ridge_estimate e;
    ridge_err err = {0};
    ridge_gemm g = {1, 4096, 4096, format("fp16"), format("fp16"), format("fp16"), 0, 0};
    assert_int_equal(ridge_roofline_gemm(&e, &m, &g, &err), RIDGE_OK);
    close_to(e.time_s, (4096.0 * 4096 * 2 + 2 * 8192) / 287e9, 1e-12);
    close_to(e.time_s, 117e-6, 0.005);
    assert_int_equal(e.bound, RIDGE_BOUND_MEMORY);
    close_to(e.compute_s, 2.0 * 4096 * 4096 / 62e12, 1e-12);
    g.w = format("nvfp4");
    assert_int_equal(ridge_roofline_gemm(&e, &m, &g, &err), RIDGE_OK);
    close_to(e.time_s, 33e-6, 0.01);
    g.m = 4096; /* 137,438,953,472 FLOPs */
    assert_int_equal(ridge_roofline_gemm(&e, &m, &g, &err), RIDGE_OK);
    close_to(e.time_s, 137438953472.0 / 62e12, 1e-12);
    assert_int_equal(e.bound, RIDGE_BOUND_COMPUTE);
}

/* a GPU without units is untiled: shares of the peaks and one kernel; the bound does not know them */
static void test_untiled(void **state)
{
    (void)state;
    ridge_machine m = plain_machine(100, 1000 * GIGA);
    ridge_estimate e;
    ridge_err err = {0};
    ridge_gemm g = {8192, 8192, 8192, format("fp16"), format("fp16"), format("fp16"), 0, 0};
    m.achieved.flops_per_s[RIDGE_PRECISION_FP16] = 80 * TERA;
    m.launch_overhead_s = 3e-6;
    assert_int_equal(ridge_estimate_gemm(&e, &m, &g, &err), RIDGE_OK);
    close_to(e.time_s, 2.0 * 8192 * 8192 * 8192 / 80e12 + 3e-6, 1e-12);
    m.achieved.bytes_per_s = 800 * GIGA;
    g.m = 1;
    assert_int_equal(ridge_estimate_gemm(&e, &m, &g, &err), RIDGE_OK);
    close_to(e.memory_s, (8192.0 * 8192 * 2 + 2 * 16384) / 800e9, 1e-12);
}

/* ---- what the catalog counts ---- */

static ridge_registry *registry;
static ridge_graph graph;
static ridge_arena arena;

static int open_catalog(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return ridge_registry_open(&registry, NULL, 0, false, NULL) || ridge_graph_init(&graph, registry, &arena, NULL, NULL);
}

static int close_catalog(void **state)
{
    (void)state;
    ridge_registry_close(registry);
    ridge_arena_free(&arena);
    return 0;
}

static double pairs_of(const ridge_attention_work *a)
{
    ridge_value pairs;
    ridge_int count;
    graph.run.steps_left = RIDGE_STEP_LIMIT;
    assert_int_equal(ridge_attention_pairs(&pairs, &graph, ridge_value_int(a->seq), ridge_value_int(a->past + a->seq),
                                           ridge_value_bool(a->causal), a->window),
                     RIDGE_OK);
    assert_true(ridge_value_as_int(&count, pairs));
    return (double)count;
}

/* FACTS: pairs of causal attention and of a window, against a count one by one */
static void test_pairs(void **state)
{
    (void)state;
    for (int64_t seq = 1; seq < 9; seq++)
        for (int64_t past = 0; past < 9; past += 2)
            for (int64_t window = 0; window < 12; window++) {
                ridge_attention_work a = {.batch = 1, .seq = seq, .past = past, .window = window, .causal = true};
                double count = 0;
                for (int64_t i = 0; i < seq; i++)
                    for (int64_t j = 0; j <= past + i; j++)
                        count += window == 0 || past + i - j < window;
                assert_true(pairs_of(&a) == count);
                a.causal = false;
                if (window == 0)
                    assert_true(pairs_of(&a) == (double)(seq * (past + seq)));
            }
}

/* one step of decode, 32 heads of 128 over 8 K/V heads, 4096 tokens: K and V 2 * 4096 * 8 * 128 * 2 bytes, Q and O 2 * 32 * 128 * 2 */
static void test_decode(void **state)
{
    (void)state;
    ridge_machine m = plain_machine(1000, 1000 * GIGA);
    ridge_estimate e;
    ridge_err err = {0};
    ridge_attention_work a = {.batch = 1, .seq = 1, .past = 4095, .heads = 32, .kv_heads = 8, .head_dim = 128, .causal = true};
    a.q = a.kv = format("fp16");
    a.pairs = 4096;
    assert_int_equal(ridge_roofline_attention(&e, &m, &a, &err), RIDGE_OK);
    close_to(e.memory_s, (16777216.0 + 16384) / 1e12, 1e-12);
    close_to(e.compute_s, 4.0 * 32 * 128 * 4096 / 1e15, 1e-12);
    a.window = 1024; /* only the last 1024 tokens are read */
    a.pairs = 1024;
    assert_int_equal(ridge_roofline_attention(&e, &m, &a, &err), RIDGE_OK);
    close_to(e.memory_s, (4194304.0 + 16384) / 1e12, 1e-12);
}

static void test_errors(void **state)
{
    (void)state;
    ridge_machine m = plain_machine(100, 1000 * GIGA);
    ridge_estimate e;
    ridge_err err = {0};
    ridge_gemm g = {0, 1, 1, format("fp16"), format("fp16"), format("fp16"), 0, 0};
    assert_int_equal(ridge_estimate_gemm(&e, &m, &g, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), "m is 0: it goes from 1 to 2^40");
    ridge_err_clear(&err);
    ridge_attention_work a = {.batch = 1, .seq = 1, .heads = 12, .kv_heads = 8, .head_dim = 64, .q = format("fp16"), .kv = format("fp16")};
    assert_int_equal(ridge_estimate_attention(&e, &m, &a, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), "12 heads cannot share 8 kv_heads evenly");
    ridge_err_clear(&err);
    a.heads = 16;
    assert_int_equal(ridge_estimate_attention(&e, &m, &a, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), "pairs is 0: every query sees 1 to past + seq keys");
    ridge_err_clear(&err);
    m.levels[0].bytes_per_s = RIDGE_MACHINE_UNKNOWN;
    g.m = 1;
    assert_int_equal(ridge_estimate_gemm(&e, &m, &g, &err), RIDGE_OK); /* arithmetic alone bounds it */
    assert_true(e.time_s > 0 && e.memory_s <= 0);
    m.peak_flops_per_s[RIDGE_PRECISION_FP16] = RIDGE_MACHINE_UNKNOWN;
    assert_int_equal(ridge_estimate_gemm(&e, &m, &g, &err), RIDGE_UNKNOWN);
    assert_non_null(strstr(err.msg, "'plain' bounds nothing"));
}

/* ---- of every machine ---- */

typedef struct fixture {
    ridge_machines *machines;
    const ridge_machine *const *list;
    size_t count;
} fixture;

static int open_all(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    ridge_err err = {0};
    *state = f;
    return f == NULL || ridge_machines_open(&f->machines, NULL, 0, &err) != RIDGE_OK ||
           ridge_machines_list(&f->list, &f->count, f->machines, &err) != RIDGE_OK;
}

static int close_all(void **state)
{
    fixture *f = *state;
    ridge_machines_close(f->machines);
    free(f);
    return 0;
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* 1 .. 2^most, small ones as often as large ones */
static int64_t size(uint64_t *seed, unsigned most)
{
    return (int64_t)1 << (next(seed) % (most + 1)) | (int64_t)(next(seed) % 3);
}

static void check_pair(const ridge_machine *m, const char *what, const ridge_estimate *bound, const ridge_estimate *e)
{
    if (!isfinite(e->time_s) || e->time_s <= 0 || e->time_s < bound->time_s * (1 - 1e-12) || e->wave_efficiency <= 0 ||
        e->wave_efficiency > 1)
        fail_msg("%s of %s: estimate %g, roofline %g, wave efficiency %g", what, m->id, e->time_s, bound->time_s, e->wave_efficiency);
}

/* never below the roofline, the same twice, and a longer k never takes less (of whole blocks: an unfilled one weighs less in a longer row)
 */
static void gemm_of(const ridge_machine *m, uint64_t *seed, const ridge_format *a, const ridge_format *w)
{
    ridge_estimate bound, e, again;
    ridge_err err = {0};
    ridge_gemm g = {size(seed, 17), size(seed, 17), size(seed, 17), a, w, a, 0, 0};
    ridge_status status = ridge_roofline_gemm(&bound, m, &g, &err);
    assert_int_equal(ridge_estimate_gemm(&e, m, &g, &err), status);
    if (status != RIDGE_OK)
        return;
    check_pair(m, "gemm", &bound, &e);
    g.k = (g.k / w->block_elements + 1) * w->block_elements;
    assert_int_equal(ridge_estimate_gemm(&e, m, &g, &err), RIDGE_OK);
    assert_int_equal(ridge_estimate_gemm(&again, m, &g, &err), RIDGE_OK);
    assert_true(again.time_s == e.time_s);
    g.k *= 2;
    assert_int_equal(ridge_estimate_gemm(&again, m, &g, &err), RIDGE_OK);
    if (again.time_s < e.time_s * (1 - 1e-5)) /* nvfp4 has 4 bytes per tensor, whose share falls when k is split further */
        fail_msg("%s: %lld x %lld, k %lld takes %g, twice the k %g", m->id, (long long)g.m, (long long)g.n, (long long)g.k / 2, e.time_s,
                 again.time_s);
}

static void attention_of(const ridge_machine *m, uint64_t *seed, const ridge_format *q, const ridge_format *kv)
{
    ridge_estimate bound, e;
    ridge_err err = {0};
    int64_t kv_heads = size(seed, 5);
    ridge_attention_work a = {.batch = size(seed, 8),
                              .seq = size(seed, 14),
                              .past = next(seed) % 2 ? size(seed, 17) : 0,
                              .heads = kv_heads * size(seed, 4),
                              .kv_heads = kv_heads,
                              .head_dim = size(seed, 9),
                              .window = next(seed) % 2 ? size(seed, 12) : 0,
                              .causal = next(seed) % 2,
                              .q = q,
                              .kv = kv};
    a.pairs = pairs_of(&a);
    ridge_status status = ridge_roofline_attention(&bound, m, &a, &err);
    assert_int_equal(ridge_estimate_attention(&e, m, &a, &err), status);
    if (status == RIDGE_OK)
        check_pair(m, "attention", &bound, &e);
}

static void test_every_machine(void **state)
{
    const fixture *f = *state;
    const char *names[] = {"bf16", "fp8_e4m3", "int8", "fp32", "q4_K", "nvfp4", "nf4"};
    uint64_t seed = 1;
    assert_true(f->count >= 70);
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; j < SHAPES; j++) {
            const ridge_format *w = format(names[j % (sizeof names / sizeof *names)]);
            gemm_of(f->list[i], &seed, format("bf16"), w);
            attention_of(f->list[i], &seed, format("bf16"), format(j % 2 ? "bf16" : "fp8_e4m3"));
        }
}

static void test_streams(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < f->count; i++) {
        ridge_estimate bound, e;
        ridge_err err = {0};
        ridge_stream_kernel s = {1e9, 5e8, 1e9, 0};
        ridge_status status = ridge_roofline_stream(&bound, f->list[i], &s, &err);
        assert_int_equal(ridge_estimate_stream(&e, f->list[i], &s, &err), status);
        if (status == RIDGE_OK)
            check_pair(f->list[i], "stream", &bound, &e);
    }
}

static void test_the_largest(void **state)
{
    const fixture *f = *state;
    int64_t most = (int64_t)1 << 40;
    for (size_t i = 0; i < f->count; i++) {
        ridge_estimate bound, e;
        ridge_err err = {0};
        ridge_gemm g = {most, most, most, format("fp32"), format("fp32"), format("fp32"), 0, 0};
        ridge_attention_work a = {most, most, most, most, most, most, 0, true, 0x1p80, format("fp32"), format("fp32"), NULL, 0};
        if (ridge_roofline_gemm(&bound, f->list[i], &g, &err) == RIDGE_OK) {
            assert_int_equal(ridge_estimate_gemm(&e, f->list[i], &g, &err), RIDGE_OK);
            check_pair(f->list[i], "gemm", &bound, &e);
            assert_int_equal(ridge_estimate_attention(&e, f->list[i], &a, &err), RIDGE_OVERFLOW); /* 2^120 elements of 32 bits */
        }
    }
}

/* ---- the constants that stand in ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* median of achieved / peak over the machines of a vendor (NULL: all) that give both */
static double median_share(const fixture *f, const char *vendor, ridge_precision p)
{
    double shares[128];
    size_t n = 0;
    for (size_t i = 0; i < f->count && n < 128; i++) {
        const ridge_machine *m = f->list[i];
        bool own = vendor == NULL || (m->vendor != NULL && strcmp(m->vendor, vendor) == 0);
        if (own && m->achieved.flops_per_s[p] > 0 && m->peak_flops_per_s[p] > 0)
            shares[n++] = (double)m->achieved.flops_per_s[p] / (double)m->peak_flops_per_s[p];
    }
    assert_true(n > 0);
    qsort(shares, n, sizeof *shares, compare);
    return n % 2 ? shares[n / 2] : (shares[n / 2 - 1] + shares[n / 2]) / 2;
}

static void test_shares_are_medians(void **state)
{
    const fixture *f = *state;
    ridge_machine m = plain_machine(100, 1000 * GIGA);
    const char *vendors[] = {"NVIDIA", "AMD", "Intel"};
    for (size_t i = 0; i < 3; i++) {
        m.vendor = vendors[i];
        assert_true(fabs(ridge_matrix_share(&m, RIDGE_PRECISION_BF16) - median_share(f, vendors[i], RIDGE_PRECISION_BF16)) < 0.001);
        if (i != 1) /* nobody gives one of AMD in 8 bits */
            assert_true(fabs(ridge_matrix_share(&m, RIDGE_PRECISION_FP8) - median_share(f, vendors[i], RIDGE_PRECISION_FP8)) < 0.001);
    }
    m.vendor = "somebody";
    assert_true(fabs(ridge_matrix_share(&m, RIDGE_PRECISION_BF16) - median_share(f, NULL, RIDGE_PRECISION_BF16)) < 0.001);
    assert_true(fabs(ridge_matrix_share(&m, RIDGE_PRECISION_FP8) - median_share(f, NULL, RIDGE_PRECISION_FP8)) < 0.001);
}

/* no rate above its peak; FlashAttention-3's paper counts 3.9e12 exponentials a second on an H100 */
static void test_rates(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < f->count; i++)
        for (ridge_precision p = 0; p < RIDGE_PRECISION_COUNT; p++) {
            const ridge_machine *m = f->list[i];
            ridge_sustained s = ridge_sustained_of(m, p);
            const double peak = (double)m->peak_flops_per_s[p], reached = (double)m->achieved.flops_per_s[p];
            assert_true(s.matrix_flops_per_s <= (peak > 0 ? peak : reached > 0 ? reached : 0));
            assert_true(s.read_bytes_per_s <= (double)m->levels[0].bytes_per_s || s.read_bytes_per_s == 0);
            assert_true(s.write_bytes_per_s <= (double)m->levels[0].bytes_per_s || s.write_bytes_per_s == 0);
            if (strcmp(m->id, "h100-sxm-80") == 0)
                close_to(s.exp_per_s, 3.9e12, 0.02);
        }
}

/* 7 ns a row on an H100, whatever the row's length up to 2048 (64 us for 8192 rows of 128), 40 ns a row of 16384: the rows of
 * docs/accuracy.md; on an L40S, from its units and its clock, 5.1 to 5.5 ns. */
static void casts(const ridge_machine *m, int64_t rows, int64_t columns, double ns_a_row, double within)
{
    const ridge_cast_kernel cast = {rows, columns, format("bf16"), format("fp8_e4m3"), 1};
    ridge_estimate e;
    assert_int_equal(ridge_estimate_cast(&e, m, &cast, NULL), RIDGE_OK);
    close_to(e.time_s / (double)rows, ns_a_row * 1e-9, within);
}

static void test_casts(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < f->count; i++) {
        const ridge_machine *m = f->list[i];
        if (strcmp(m->id, "h100-sxm-80") == 0) {
            casts(m, 32768, 128, 7.3, 0.03);
            casts(m, 32768, 2048, 7.3, 0.05);
            casts(m, 32768, 16384, 40.5, 0.1);
        }
        if (strcmp(m->id, "l40s") == 0)
            casts(m, 32768, 128, 5.4, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roofline),
        cmocka_unit_test(test_untiled),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_errors),
        cmocka_unit_test_setup_teardown(test_every_machine, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_streams, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_the_largest, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_shares_are_medians, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_rates, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_casts, open_all, close_all),
    };
    return cmocka_run_group_tests(tests, open_catalog, close_catalog);
}
