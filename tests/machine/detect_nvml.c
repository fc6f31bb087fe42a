/* detect_nvml.c - GPUs as the driver's library tells them. Run with fake_nvml.c's library as the only libnvidia-ml.so.1 in sight:
 * one H200, without the two PCIe functions, which old drivers lack. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "machine/detect/detect.h"

static void test_driver(void **state)
{
    (void)state;
    char tree[] = "/tmp/ridge-nvml-XXXXXX", command[64];
    ridge_arena arena;
    ridge_detected *d;
    ridge_err err = {0};
    ridge_str text;
    ridge_arena_init(&arena);
    assert_non_null(mkdtemp(tree));
    assert_int_equal(ridge_detect(&d, &(ridge_detect_options){.record = tree}, &arena, &err), RIDGE_OK);
    assert_int_equal(d->gpu_count, 1);
    assert_string_equal(d->gpu_driver, "550.90.07");
    assert_string_equal(d->gpus[0].name, "NVIDIA H200");
    assert_string_equal(d->gpus[0].machine, "h200-sxm-141");
    assert_string_equal(d->gpus[0].uuid, "GPU-8c2f77a1-0000-1111-2222-333344445555");
    assert_int_equal(d->gpus[0].memory_total_bytes, 150754820096);
    assert_int_equal(d->gpus[0].sm_clock_max_hz, 1980000000);
    assert_int_equal(d->gpus[0].memory_clock_max_hz, 3201000000);
    assert_int_equal(d->gpus[0].power_limit_w, 700);
    assert_int_equal(d->gpus[0].compute_major, 9);
    assert_int_equal(d->gpus[0].pcie_generation, RIDGE_MACHINE_UNKNOWN);
    /* the recording has the GPU and not its UUID */
    assert_int_equal(ridge_file_read(&text, ridge_arena_printf(&arena, "%s/nvml.json", tree), 1 << 20, &arena, &err), RIDGE_OK);
    assert_null(memmem(text.p, text.n, "8c2f77a1", 8));
    assert_int_equal(ridge_detect(&d, &(ridge_detect_options){.from = tree}, &arena, &err), RIDGE_OK);
    assert_int_equal(d->gpu_count, 1);
    assert_string_equal(d->gpus[0].name, "NVIDIA H200");
    assert_int_equal(d->gpus[0].memory_free_bytes, 150142459904);
    assert_null(d->gpus[0].uuid);
    (void)snprintf(command, sizeof command, "rm -rf %s", tree);
    assert_int_equal(system(command), 0);
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_driver)};
    return RUN_TESTS(tests);
}
