/* detect_tables.c - what detection knows by heart: names of GPUs, units of microarchitectures. */
#include "test.h"

#include "machine/detect/parts.h"

/* these names lead to a machine file */
static void test_gpu_names(void **state)
{
    (void)state;
    static const char *const names[] = {"NVIDIA H200", "NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe",        "Tesla T4",
                                        "NVIDIA L40S", "NVIDIA B200",           "NVIDIA GeForce RTX 4090", "NVIDIA GH200 480GB"};
    ridge_machines *machines;
    assert_int_equal(ridge_machines_open(&machines, NULL, 0, NULL), RIDGE_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const ridge_machine *m;
        assert_non_null(ridge_gpu_machine(names[i]));
        assert_int_equal(ridge_machines_find(&m, machines, ridge_gpu_machine(names[i]), NULL), RIDGE_OK);
        assert_string_equal(m->vendor, "NVIDIA");
    }
    assert_string_equal(ridge_gpu_machine("NVIDIA H200"), "h200-sxm-141");
    assert_null(ridge_gpu_machine("NVIDIA H200 NVL"));
    ridge_machines_close(machines);
}

/* Intel ARK: two 512-bit FMA units in Gold 6248 and Platinum, one in Gold 5218 and Silver; this name tells nothing */
static void test_fma_units(void **state)
{
    (void)state;
    static const struct {
        const char *brand;
        int64_t per_cycle;
    } cases[] = {{"Intel(R) Xeon(R) Platinum 8259CL", 64},
                 {"Intel(R) Xeon(R) Gold 6248", 64},
                 {"Intel(R) Xeon(R) Gold 5218", 32},
                 {"Intel(R) Xeon(R) Silver 4214", 32},
                 {"Intel(R) Xeon(R) Processor", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_detected_cpu cpu = {.vendor = "Intel", .brand = cases[i].brand, .family = 6, .model = 0x55, .stepping = 7};
        const ridge_march_rate *r =
            ridge_march_rate_find(ridge_march_find(&cpu), RIDGE_PRECISION_FP32, 1u << RIDGE_CPU_ISA_AVX512F | 1u << RIDGE_CPU_ISA_FMA);
        assert_int_equal(r != NULL ? r->per_cycle : 0, cases[i].per_cycle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gpu_names), cmocka_unit_test(test_fma_units)};
    return RUN_TESTS(tests);
}
