/* Numbers in double precision against the exact residual program; plans against arithmetic done another way. */
#include <math.h>

#include "formula/program.h"
#include "predict/predict.h"
#include "formula/poly.h"
#include "predict/numeric.h"
#include "test.h"

/* ---- expected experts: FACTS' three examples ---- */

static void experts(void **state)
{
    (void)state;
    assert_true(fabs(ridge_expected_experts(8, 2, 3) - 4.625) < 1e-12);
    assert_true(fabs(ridge_expected_experts(256, 8, 8) - 57.4) < 0.05);
    assert_true(fabs(ridge_expected_experts(256, 8, 64) - 222.4) < 0.05);
    assert_true(fabs(ridge_expected_experts(8, 2, 1) - 2) < 1e-12);
    assert_true(ridge_expected_experts(4, 4, 10) == 4); /* every token runs all */
    assert_true(ridge_expected_experts(256, 8, 1e9) <= 256);
}

/* ---- numeric against exact ---- */

static uint32_t seed = 12345;
static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

typedef struct checked {
    ridge_value values[8];
    size_t count;
} checked;

static checked totals_of(const ridge_analysis *a)
{
    checked c = {.count = 0};
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        c.values[c.count++] = a->total.flops[i];
    c.values[c.count++] = a->total.reads[RIDGE_BYTE_WEIGHTS];
    c.values[c.count++] = a->total.reads[RIDGE_BYTE_KV];
    c.values[c.count++] = a->total.writes[RIDGE_BYTE_ACTIVATIONS];
    return c;
}

static void compare_at_random(ridge_analysis *a, const checked *c)
{
    const ridge_calc *calc = &a->graph.run.calc;
    ridge_numeric *numeric;
    ridge_program *program;
    ridge_numeric_room room;
    double inputs[4][RIDGE_LANES];
    assert_int_equal(ridge_numeric_make(&numeric, c->values, c->count, calc), RIDGE_OK);
    assert_int_equal(ridge_program_make(&program, c->values, c->count, calc), RIDGE_OK);
    assert_true(ridge_numeric_room_make(&room, numeric));
    for (size_t i = 0; i < 4; i++)
        for (int k = 0; k < RIDGE_LANES; k++)
            inputs[i][k] = 1 + random_below(i ? 5000 : 300);
    ridge_numeric_run(numeric, &room, (const double(*)[RIDGE_LANES])inputs);
    for (int k = 0; k < RIDGE_LANES; k++) {
        ridge_int at[4], exact[8];
        for (size_t i = 0; i < 4; i++)
            at[i] = (ridge_int)inputs[i][k];
        assert_int_equal(ridge_program_run(exact, program, at), RIDGE_OK);
        for (size_t i = 0; i < c->count; i++)
            assert_true(fabs(ridge_numeric_output(numeric, &room, i)[k] - (double)exact[i]) <= 1e-12 * (double)exact[i]);
    }
    ridge_numeric_room_free(&room);
}

static void numeric(void **state)
{
    static const char *const models[] = {"gpt2",
                                         "meta-llama/Llama-2-7b-hf",
                                         "mistralai/Mistral-7B-v0.1",
                                         "google/gemma-2-2b",
                                         "mistralai/Mixtral-8x7B-v0.1",
                                         "deepseek-ai/DeepSeek-V2-Lite",
                                         "google-t5/t5-small",
                                         "tiiuae/falcon-7b"};
    ridge_registry *registry;
    ridge_err err = {0};
    (void)state;
    assert_int_equal(ridge_registry_open(&registry, NULL, 0, false, &err), RIDGE_OK);
    for (size_t i = 0; i < sizeof models / sizeof *models * 4; i++) {
        ridge_model_request r;
        ridge_analysis *a;
        ridge_model_request_default(&r);
        r.model = models[i / 4];
        r.phase = i % 2 ? RIDGE_PHASE_DECODE : RIDGE_PHASE_PREFILL;
        r.kernel = i / 2 % 2 ? RIDGE_KERNEL_FUSED : RIDGE_KERNEL_EAGER;
        assert_int_equal(ridge_analysis_forms(&a, registry, &r, RIDGE_SYMBOLS_ALL, false, &err), RIDGE_OK);
        checked c = totals_of(a);
        compare_at_random(a, &c);
        ridge_analysis_free(a);
    }
    ridge_registry_close(registry);
}

/* ---- a machine in which only the bandwidth decides: the pass is bytes / bandwidth ---- */

static void predict_on(ridge_prediction **p, ridge_predict_request *r, ridge_registry *registry, ridge_machines *machines)
{
    ridge_err err = {0};
    char text[512] = "";
    if (ridge_prediction_make(p, registry, machines, r, &err)) {
        (void)ridge_err_format(text, sizeof text, &err, "");
        fail_msg("%s", text);
    }
}

static void launches(void **state)
{
    ridge_registry *registry;
    ridge_machines *machines;
    ridge_predict_request r;
    ridge_prediction *without, *with;
    ridge_err err = {0};
    (void)state;
    assert_int_equal(ridge_registry_open(&registry, NULL, 0, false, &err), RIDGE_OK);
    assert_int_equal(ridge_machines_open(&machines, NULL, 0, &err), RIDGE_OK);
    ridge_predict_default(&r);
    r.model.model = "meta-llama/Llama-2-7b-hf";
    r.model.phase = RIDGE_PHASE_DECODE;
    r.machine = "h100-sxm-80";
    r.launch_s = 0;
    predict_on(&without, &r, registry, machines);
    ridge_predict_request slow = r;
    slow.launch_s = 1e-3;
    predict_on(&with, &slow, registry, machines);
    /* by hand: 32 layers of q, k, v, o, rope+cache, core, gate, up, down, act+gate, two norms and the residual adds; then embedding,
     * last norm, angle tables, head */
    assert_true(fabs((with->time_s - without->time_s) - (32 * 13 + 4) * 1e-3) < 1e-9);
    assert_int_equal(with->bound, RIDGE_BOUND_LAUNCH);
    assert_int_equal(without->bound, RIDGE_BOUND_MEMORY);
    ridge_prediction_free(without);
    ridge_prediction_free(with);
    ridge_machines_close(machines);
    ridge_registry_close(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(experts), cmocka_unit_test(numeric), cmocka_unit_test(launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
