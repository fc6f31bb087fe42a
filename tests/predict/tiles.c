/* tiles.c - how products are cut, by hand: NVIDIA's examples of tile and wave quantisation, bytes and shared memory counted on paper. */
#include "test.h"

#include "predict/tiles.h"

#include <math.h>
#include <string.h>

static void near_line(double value, double wanted, int line)
{
    if (fabs(value - wanted) > 1e-12 * fabs(wanted))
        fail_msg("line %d: %.15g, wanted %.15g", line, value, wanted);
}
#define NEAR(value, wanted) near_line(value, wanted, __LINE__)

/* 108 units with 164 KiB; rates are round, so that times can be counted by hand */
static ridge_sustained device(void)
{
    return (ridge_sustained){
        .units = 108,
        .clock_hz = 1e9,
        .matrix_flops_per_s = 108e12,
        .read_bytes_per_s = 1e12,
        .write_bytes_per_s = 1e12,
        .port_bytes_per_s = 64e9,
        .memory_latency_s = 400e-9,
        .cache_latency_s = 150e-9,
        .kernel_s = 1e-6,
        .unit_shared_bytes = 164 * 1024,
    };
}

static ridge_tile_problem problem_of(int64_t m, int64_t n, int64_t k)
{
    double a = (double)m * (double)k * 2, b = (double)n * (double)k * 2, c = (double)m * (double)n * 2;
    return (ridge_tile_problem){m, n, k, 16, 16, a, b, c, 0, 0};
}

static ridge_tiling cut(const ridge_sustained *s, int64_t m, int64_t n, int64_t k, ridge_tile_shape shape)
{
    ridge_tiling t;
    ridge_tile_problem p = problem_of(m, n, k);
    ridge_tiling_of(&t, s, &p, shape);
    return t;
}

/* "Matrix Multiplication Background User's Guide", "Wave Quantization": an A100 runs 108 tiles of 256x128 at a time; 1792 x 1792 makes
 * 7 * 14 = 98 tiles, one wave, and 1793 x 1793 8 * 15 = 120, two. */
static void test_waves(void **state)
{
    (void)state;
    ridge_sustained s = device();
    ridge_tiling t = cut(&s, 1792, 1792, 4096, (ridge_tile_shape){256, 128, 1});
    NEAR(t.blocks, 98);
    NEAR(t.waves, 1);
    NEAR(t.wave_efficiency, 98.0 / 108);
    NEAR(t.tile_efficiency, 1);
    t = cut(&s, 1793, 1793, 4096, (ridge_tile_shape){256, 128, 1});
    NEAR(t.blocks, 120);
    NEAR(t.waves, 2);
    NEAR(t.wave_efficiency, 120.0 / 216);
    NEAR(t.tile_efficiency, 1793.0 * 1793 / (2048 * 1920));
    t = cut(&s, 109 * 128, 128, 4096, (ridge_tile_shape){128, 128, 1});
    NEAR(t.waves, 2);
    NEAR(t.wave_efficiency, 109.0 / 216);
    t = cut(&s, 108 * 128, 128, 4096, (ridge_tile_shape){128, 128, 1});
    NEAR(t.waves, 1);
    NEAR(t.wave_efficiency, 1);
}

/* one tile and a row more costs two tiles, and the guide's rule: time goes with waves times the tile */
static void test_compute_counts_padding(void **state)
{
    (void)state;
    ridge_sustained s = device();
    ridge_tiling t = cut(&s, 129, 128, 64, (ridge_tile_shape){128, 128, 1});
    NEAR(t.tile_efficiency, 129.0 / 256);
    NEAR(t.compute_s, 2.0 * 128 * 128 * 64 / 1e12); /* two units work on one tile each */
    t = cut(&s, 109 * 128, 128, 6400, (ridge_tile_shape){128, 128, 1});
    NEAR(t.compute_s, 2 * 2.0 * 128 * 128 * 6400 / 1e12);
    t = cut(&s, 128, 128, 65, (ridge_tile_shape){128, 128, 1}); /* steps of 64: 128 bytes of bf16 */
    NEAR(t.tile_efficiency, 65.0 / 128);
}

/* four steps of (128 + 128) * 64 elements in 16 bits: 128 KiB; 128 x 128 sums in fp32: 64 KiB, twice into half of the registers */
static void test_shared_memory(void **state)
{
    (void)state;
    ridge_sustained s = device();
    ridge_tiling t = cut(&s, 4096, 4096, 4096, (ridge_tile_shape){128, 128, 1});
    assert_int_equal(t.tile_k, 64);
    assert_int_equal(t.stages, 4);
    NEAR(t.block_shared_bytes, 131072);
    assert_int_equal(t.blocks_per_unit, 1);
    s.multicast = true; /* as many steps as fit: 7 of 32 KiB in 228 KiB */
    s.unit_shared_bytes = 228 * 1024;
    t = cut(&s, 4096, 4096, 4096, (ridge_tile_shape){128, 128, 1});
    assert_int_equal(t.stages, 7);
    s.unit_shared_bytes = 40 * 1024; /* one step only: no pipeline */
    t = cut(&s, 4096, 4096, 4096, (ridge_tile_shape){128, 128, 1});
    assert_true(isinf(t.time_s));
}

/* A is read for every column of tiles, B for every row; with a cache that holds nothing of it, main memory sees that too */
static void test_bytes(void **state)
{
    (void)state;
    ridge_sustained s = device();
    double matrix = 4096.0 * 4096 * 2;
    ridge_tiling t = cut(&s, 4096, 4096, 4096, (ridge_tile_shape){256, 128, 1}); /* 16 x 32 tiles */
    NEAR(t.cache_bytes, 32 * matrix + 16 * matrix + matrix);
    NEAR(t.memory_read_bytes, 2 * matrix);
    NEAR(t.memory_written_bytes, matrix);
    s.multicast = true; /* two units share what one reads: the larger of both streams is halved */
    s.unit_shared_bytes = 228 * 1024;
    t = cut(&s, 4096, 4096, 4096, (ridge_tile_shape){256, 128, 1});
    NEAR(t.cache_bytes, 16 * matrix + 16 * matrix + matrix);
    s.cache_bytes = 1024;
    t = cut(&s, 4096, 4096, 4096, (ridge_tile_shape){256, 128, 1});
    assert_true(t.memory_read_bytes > 2 * matrix && t.memory_read_bytes <= 48 * matrix);
}

/* what stays in the cache between two uses costs main memory nothing */
static void test_reuse(void **state)
{
    (void)state;
    ridge_sustained s = device();
    ridge_tiling cold, hot;
    ridge_tile_problem p = problem_of(16, 8192, 1024);
    s.cache_bytes = 40e6;
    s.cache_bytes_per_s = 5e12;
    ridge_tiling_of(&cold, &s, &p, (ridge_tile_shape){16, 128, 1});
    p.a_reuse_bytes = p.b_reuse_bytes = 10e6;
    ridge_tiling_of(&hot, &s, &p, (ridge_tile_shape){16, 128, 1});
    NEAR(cold.memory_read_bytes, 2 * (16 * 1024 + 8192 * 1024));
    NEAR(hot.memory_read_bytes + 1, 1);
    assert_true(hot.time_s < cold.time_s);
    NEAR(ridge_cache_hit_share(&s, 0.65 * 40e6), 1);
    NEAR(ridge_cache_hit_share(&s, 40e6), 0.5);
    NEAR(ridge_cache_hit_share(&s, 1.35 * 40e6) + 1, 1);
    NEAR(ridge_cache_hit_share(&s, 0) + 1, 1);
}

/* a skinny product fills the device only when k is split; a large one has tiles enough */
static void test_best(void **state)
{
    (void)state;
    ridge_sustained s = device();
    ridge_tiling t;
    ridge_tile_problem skinny = problem_of(64, 64, 65536), large = problem_of(8192, 8192, 8192);
    assert_true(ridge_tiling_best(&t, &s, &skinny));
    assert_true(t.shape.splits > 1);
    for (int64_t tile = 64; tile <= 128; tile += 64)
        assert_true(cut(&s, 64, 64, 65536, (ridge_tile_shape){tile, 64, 1}).time_s > t.time_s);
    s.port_bytes_per_s = 8e9; /* 64x64 does 32 FLOPs per byte, 256x128 85: the port feeds 1 TFLOP/s to none, least badly to the largest */
    assert_true(ridge_tiling_best(&t, &s, &large));
    assert_int_equal(t.shape.splits, 1);
    assert_int_equal(t.shape.tile_m * t.shape.tile_n, 256 * 128);
    s.units = 0;
    assert_false(ridge_tiling_best(&t, &s, &large));
}

static void test_of_a_machine(void **state)
{
    (void)state;
    ridge_machines *machines;
    const ridge_machine *gpu, *cpu;
    ridge_err err = {0};
    ridge_tiling t;
    ridge_precision used;
    const ridge_format *bf16 = ridge_format_find(RIDGE_STR("bf16")), *q4 = ridge_format_find(RIDGE_STR("q4_K"));
    assert_int_equal(ridge_machines_open(&machines, NULL, 0, &err), RIDGE_OK);
    assert_int_equal(ridge_machines_find(&gpu, machines, "a100-sxm-80", &err), RIDGE_OK);
    assert_int_equal(ridge_machines_find(&cpu, machines, "epyc-9654", &err), RIDGE_OK);
    assert_int_equal(ridge_tiling_find(&t, &used, gpu, bf16, q4, bf16, 4096, 4096, 4096, &err), RIDGE_OK);
    assert_int_equal(used, RIDGE_PRECISION_BF16);
    assert_true(t.wave_efficiency > 0 && t.wave_efficiency <= 1);
    NEAR(t.memory_read_bytes, 4096.0 * 4096 * 2 + 4096.0 * 4096 * 4.5 / 8);
    assert_int_equal(ridge_tiling_find(&t, NULL, gpu, bf16, bf16, bf16, 0, 1, 1, &err), RIDGE_VALUE);
    ridge_err_clear(&err);
    assert_int_equal(ridge_tiling_find(&t, NULL, cpu, bf16, bf16, bf16, 64, 64, 64, &err), RIDGE_UNKNOWN);
    assert_non_null(strstr(err.msg, "epyc-9654"));
    ridge_machines_close(machines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waves),         cmocka_unit_test(test_compute_counts_padding),
        cmocka_unit_test(test_shared_memory), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_reuse),         cmocka_unit_test(test_best),
        cmocka_unit_test(test_of_a_machine),
    };
    return RUN_TESTS(tests);
}
