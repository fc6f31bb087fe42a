/* RIDGE_ISA: names that are instruction sets, in lists, and those that are not. */
#include "test.h"

#include <stdlib.h>

#include "kernel/kernel.h"

static const char *said(const char *list)
{
    static ridge_err err;
    ridge_err_clear(&err);
    assert_int_equal(setenv("RIDGE_ISA", list, 1), 0);
    ridge_status st = ridge_isa_check(&err);
    assert_int_equal(st, err.msg[0] != '\0' ? RIDGE_NAME : RIDGE_OK);
    (void)unsetenv("RIDGE_ISA");
    return err.msg;
}

/* of this CPU or of another: taking away what is not there takes nothing */
static void names(void **state)
{
    (void)state;
    assert_int_equal(ridge_isa_check(NULL), RIDGE_OK); /* not set */
    assert_string_equal(said(""), "");
    assert_string_equal(said("generic"), "");
    assert_string_equal(said("avx512_vnni,neon,amx_int8"), "");
    assert_string_equal(said("avx2,"), "");
}

static void no_names(void **state)
{
    (void)state;
    assert_string_equal(said("avx3"), "RIDGE_ISA: no instruction set 'avx3'; did you mean 'avx2'?");
    assert_string_equal(said("avx2,avx512-vnni"), "RIDGE_ISA: no instruction set 'avx512-vnni'; did you mean 'avx512_vnni'?");
    assert_string_equal(said("generik"), "RIDGE_ISA: no instruction set 'generik'; did you mean 'generic'?");
    assert_string_equal(said("bogus"), "RIDGE_ISA: no instruction set 'bogus'; there are generic, avx2, avx512, avx512_vnni, avx512_bf16, "
                                       "avx512_vbmi, avx512_fp16, amx_int8, amx_bf16, neon, neon_dot");
}

/* whoever opens kernels is told, and gets none in their place */
static void kernels_are_not_opened(void **state)
{
    (void)state;
    const ridge_format *fp32 = ridge_format_find(RIDGE_STR("fp32"));
    const ridge_problem problem = {.kind = RIDGE_KERNEL_KIND_ADD, .rows = 2, .cols = 2, .weights = fp32, .activations = fp32};
    const ridge_kernel_variant *const *variants;
    ridge_arena arena;
    ridge_err err = {0};
    size_t count;
    ridge_arena_init(&arena);
    assert_int_equal(setenv("RIDGE_ISA", "avx3", 1), 0);
    assert_int_equal(ridge_kernel_variants(&variants, &count, &problem, &arena, &err), RIDGE_NAME);
    assert_int_equal(count, 0);
    assert_int_equal(setenv("RIDGE_ISA", "generic", 1), 0);
    ridge_err_clear(&err);
    assert_int_equal(ridge_kernel_variants(&variants, &count, &problem, &arena, &err), RIDGE_OK);
    assert_true(count > 0);
    (void)unsetenv("RIDGE_ISA");
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(no_names),
        cmocka_unit_test(kernels_are_not_opened),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL);
}
