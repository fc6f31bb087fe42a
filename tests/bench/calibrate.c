/* calibrate.c - made-up ceilings put into a recorded machine: which number wins, what its source says, which notes go. By hand. */
#include "test.h"

#include "bench/calibrate.h"
#include "machine/fields.h"

static const ridge_stream read_stream = {.kind = RIDGE_STREAM_READ, .name = "avx2"};
static const ridge_stream write_stream = {.kind = RIDGE_STREAM_WRITE, .name = "avx2"};
static const ridge_peak fp32 = {.precision = "fp32", .name = "avx512 fma"};
static const ridge_peak bf16 = {.precision = "bf16", .name = "avx512 vdpbf16ps"};
static const ridge_peak int8 = {.precision = "int8", .name = "avx512 vnni"};

static const char *source(const ridge_machine *m, const char *field)
{
    return ridge_field_source(m, ridge_field_find(ridge_str_of(field)));
}

static bool has_note(const ridge_machine *m, const char *beginning)
{
    bool found = false;
    for (size_t i = 0; i < m->note_count; i++)
        found = found || strncmp(m->notes[i], beginning, strlen(beginning)) == 0;
    return found;
}

static void test_measured_numbers_replace_derived_ones(void **state)
{
    (void)state;
    ridge_ceiling_stream streams[] = {
        {.level = RIDGE_CEILING_DRAM, .stream = &write_stream, .threads = 2, .bytes_per_s = 90e9, .footprint_bytes = 1 << 20},
        {.level = RIDGE_CEILING_DRAM, .stream = &read_stream, .threads = 1, .bytes_per_s = 30e9, .footprint_bytes = 1 << 20},
        {.level = RIDGE_CEILING_DRAM, .stream = &read_stream, .threads = 2, .bytes_per_s = 56e9, .footprint_bytes = 1 << 20},
        {.level = RIDGE_CEILING_L1, .stream = &read_stream, .threads = 2, .bytes_per_s = 400e9, .footprint_bytes = 1 << 15},
    };
    ridge_ceiling_peak peaks[] = {
        {.peak = &fp32, .threads = 1, .flops_per_s = 118e9, .clock_hz = 3.69e9, .flops_per_cycle = 32},
        {.peak = &fp32, .threads = 2, .flops_per_s = 235e9, .clock_hz = 3.68e9, .flops_per_cycle = 31.9},
        {.peak = &bf16, .threads = 2, .flops_per_s = 120e9, .clock_hz = 3.68e9, .flops_per_cycle = 16},
        {.peak = &int8, .threads = 2, .flops_per_s = 940e9},
    };
    ridge_ceiling_overhead overheads[] = {{.threads = 1, .region_s = 30e-9}, {.threads = 2, .region_s = 230e-9}};
    ridge_ceilings c = {streams, peaks, overheads, 4, 4, 2, 2e-8, true, false};
    ridge_arena arena;
    ridge_detected *d;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_detect(&d, &(ridge_detect_options){.from = TESTS_FOLDER "/machine/recorded/vm-zen4"}, &arena, NULL), RIDGE_OK);
    const ridge_machine *m = &d->machine;
    int64_t fp64 = m->peak_flops_per_s[RIDGE_PRECISION_FP64];
    assert_true(has_note(m, "no memory bandwidth") && has_note(m, "no fp16 peak"));
    assert_int_equal(ridge_calibrate_apply(d, &c, "2026-11-21T16:12:27Z", &arena, NULL), RIDGE_OK);
    assert_int_equal(m->levels[0].bytes_per_s, 56000000000);
    assert_int_equal(ridge_machine_level_find(m, "l1")->bytes_per_s, 400000000000);
    assert_int_equal(ridge_machine_level_find(m, "l2")->bytes_per_s, RIDGE_MACHINE_UNKNOWN);
    assert_int_equal(m->peak_flops_per_s[RIDGE_PRECISION_FP32], 235000000000);
    assert_int_equal(m->peak_flops_per_s[RIDGE_PRECISION_BF16], 235000000000); /* widening is faster than its own instruction */
    assert_int_equal(m->peak_flops_per_s[RIDGE_PRECISION_FP16], 235000000000); /* it has none */
    assert_int_equal(m->peak_flops_per_s[RIDGE_PRECISION_INT8], 940000000000);
    assert_int_equal(m->peak_flops_per_s[RIDGE_PRECISION_FP64], fp64); /* not measured: as derived, and said so */
    assert_true(ridge_field_unverified(m, RIDGE_FIELD_PEAK + RIDGE_PRECISION_FP64));
    assert_false(ridge_field_unverified(m, RIDGE_FIELD_PEAK + RIDGE_PRECISION_FP32));
    assert_int_equal(m->clock_hz, 3680000000);
    assert_true(m->launch_overhead_s == 230e-9);
    assert_string_equal(source(m, "memory.dram.bytes_per_s"),
                        "measured by ridge machine calibrate, 2026-11-21, 2 threads: read, avx2, 1024 KiB");
    assert_string_equal(source(m, "peak_flops_per_s.fp32"),
                        "measured by ridge machine calibrate, 2026-11-21, 2 threads: avx512 fma, 31.9 FLOP/cycle and thread at 3.680 GHz");
    assert_string_equal(source(m, "peak_flops_per_s.bf16"),
                        "measured by ridge machine calibrate, 2026-11-21, 2 threads: as fp32 (avx512 fma), to which it can be widened");
    assert_false(has_note(m, "no memory bandwidth") || has_note(m, "no fp16 peak"));
    assert_true(has_note(m, "in a virtual machine"));
    ridge_arena_free(&arena);
}

/* interrupted at once: nothing changes */
static void test_nothing_measured_changes_nothing(void **state)
{
    (void)state;
    ridge_ceilings c = {.interrupted = true};
    ridge_arena arena;
    ridge_detected *d;
    ridge_buf before = {0}, after = {0};
    ridge_arena_init(&arena);
    assert_int_equal(ridge_detect(&d, &(ridge_detect_options){.from = TESTS_FOLDER "/machine/recorded/vm-zen4"}, &arena, NULL), RIDGE_OK);
    ridge_detected_file(&before, d);
    assert_int_equal(ridge_calibrate_apply(d, &c, "2026-11-21T16:12:27Z", &arena, NULL), RIDGE_OK);
    ridge_detected_file(&after, d);
    assert_string_equal(before.p, after.p);
    ridge_buf_free(&before);
    ridge_buf_free(&after);
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_numbers_replace_derived_ones),
        cmocka_unit_test(test_nothing_measured_changes_nothing),
    };
    return RUN_TESTS(tests);
}
