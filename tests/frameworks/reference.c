/* reference.c - what every framework is held against, by hand; answers of helpers that are none. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "frameworks/helper.h"

static ridge_framework_task task_of(ridge_framework_what what, ridge_problem problem)
{
    return (ridge_framework_task){.what = what, .problem = problem};
}

/* numbers put where the task has its tensors */
typedef struct drawn {
    float numbers[512];
    ridge_framework_data data;
} drawn;

static void put(drawn *d, const ridge_framework_task *t, ridge_tensor_name name, const float *values, size_t count)
{
    const ridge_framework_tensor *tensor = ridge_framework_tensor_of(t, name);
    assert_non_null(tensor);
    assert_int_equal((size_t)(tensor->rows * tensor->cols), count);
    memcpy((char *)d->numbers + tensor->offset, values, count * sizeof *values);
}

static void check(const ridge_framework_task *t, drawn *d, const double *wanted, double scale)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_framework_reference r;
    float result[64];
    ridge_arena_init(&arena);
    assert_true(t->bytes <= sizeof d->numbers);
    d->data = (ridge_framework_data){.fd = -1, .map = d->numbers, .bytes = sizeof d->numbers};
    assert_int_equal(ridge_framework_reference_make(&r, t, &d->data, &arena, &err), RIDGE_OK);
    assert_int_equal(r.row_count, (size_t)t->output_rows);
    const size_t count = (size_t)(t->output_rows * t->output_cols);
    for (size_t i = 0; i < count; i++) {
        assert_true(fabs(r.values[i] - wanted[i]) < 1e-5);
        result[i] = (float)wanted[i];
    }
    assert_true(fabs(r.scale - scale) < 1e-4);
    assert_true(ridge_framework_difference(&r, t, result) < 1e-5);
    result[0] += (float)scale / 2;
    assert_true(fabs(ridge_framework_difference(&r, t, result) - 0.5) < 1e-3);
    result[count - 1] = NAN;
    assert_true(isinf(ridge_framework_difference(&r, t, result)));
    ridge_arena_free(&arena);
}

static void test_gemm(void **state)
{
    (void)state;
    static const float a[] = {1, 2, 3, 4}, w[] = {5, 6, 7, 8};
    static const double c[] = {17, 23, 39, 53}; /* A W^T */
    drawn d = {.numbers = {0}};
    ridge_framework_task t = task_of(RIDGE_FRAMEWORK_GEMM, (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMM, .m = 2, .n = 2, .k = 2});
    assert_int_equal(ridge_framework_task_tensors(&t, NULL), RIDGE_OK);
    put(&d, &t, RIDGE_TENSOR_A, a, 4);
    put(&d, &t, RIDGE_TENSOR_W, w, 4);
    check(&t, &d, c, sqrt((17 * 17 + 23 * 23 + 39 * 39 + 53 * 53) / 4.0));
}

static const ridge_problem two_tokens = {
    .kind = RIDGE_KERNEL_KIND_ATTENTION, .batch = 1, .seq = 2, .heads = 1, .kv_heads = 1, .head_dim = 2, .causal = true};

/* The first token sees itself alone. The second has scores ln 3 and 0, so weights 3/4 and 1/4. */
static void test_attention(void **state)
{
    (void)state;
    static const float q[] = {7, 7, 1.5536723984f, 0} /* ln 3 sqrt 2 */, k[] = {1, 5, 0, -3}, v[] = {4, 8, 8, 0};
    static const double causal[] = {4, 8, 5, 6};
    drawn d = {.numbers = {0}};
    ridge_framework_task t = task_of(RIDGE_FRAMEWORK_ATTENTION, two_tokens);
    assert_int_equal(ridge_framework_task_tensors(&t, NULL), RIDGE_OK);
    put(&d, &t, RIDGE_TENSOR_Q, q, 4);
    put(&d, &t, RIDGE_TENSOR_K, k, 4);
    put(&d, &t, RIDGE_TENSOR_V, v, 4);
    check(&t, &d, causal, sqrt((16 + 64 + 25 + 36) / 4.0));
}

/* A layer whose MLP adds nothing (its gate is 0) and whose attention has one key: what is added is the norm of the input. */
static void test_layer_of_one_token(void **state)
{
    (void)state;
    static const float x[] = {3, 4}, ones[] = {1, 1}, unit[] = {1, 0, 0, 1}, zeros[] = {0, 0, 0, 0};
    const double root = sqrt(12.5 + 1e-6);
    const double y[] = {3 + 3 / root, 4 + 4 / root};
    drawn d = {.numbers = {0}};
    ridge_framework_task t = task_of(RIDGE_FRAMEWORK_LAYER, two_tokens);
    t.problem.seq = 1;
    t.hidden = t.intermediate = 2;
    assert_int_equal(ridge_framework_task_tensors(&t, NULL), RIDGE_OK);
    assert_null(ridge_framework_tensor_of(&t, RIDGE_TENSOR_K)); /* there is no past */
    put(&d, &t, RIDGE_TENSOR_INPUT, x, 2);
    put(&d, &t, RIDGE_TENSOR_NORM1, ones, 2);
    put(&d, &t, RIDGE_TENSOR_NORM2, ones, 2);
    put(&d, &t, RIDGE_TENSOR_WQ, unit, 4);
    put(&d, &t, RIDGE_TENSOR_WK, unit, 4);
    put(&d, &t, RIDGE_TENSOR_WV, unit, 4);
    put(&d, &t, RIDGE_TENSOR_WO, unit, 4);
    put(&d, &t, RIDGE_TENSOR_WGATE, zeros, 4);
    put(&d, &t, RIDGE_TENSOR_WUP, unit, 4);
    put(&d, &t, RIDGE_TENSOR_WDOWN, unit, 4);
    check(&t, &d, y, 1);
}

/* Attention that adds nothing (V is 0); of the MLP: h = (1, 1), gate 1 and -1, up 2 and 4, down sums both. silu(1) = 0.731058579,
 * silu(-1) = -0.268941421: the sum 2 x 0.731058579 - 4 x 0.268941421 = 0.386351473 in the first place. */
static void test_layer_mlp(void **state)
{
    (void)state;
    static const float x[] = {2, 2}, ones[] = {1, 1}, zeros[] = {0, 0, 0, 0}, gate[] = {1, 0, 0, -1}, up[] = {1, 1, 2, 2},
                       down[] = {1, 1, 0, 0};
    static const double y[] = {2.386351473, 2};
    drawn d = {.numbers = {0}};
    ridge_framework_task t = task_of(RIDGE_FRAMEWORK_LAYER, two_tokens);
    t.problem.seq = 1;
    t.hidden = t.intermediate = 2;
    assert_int_equal(ridge_framework_task_tensors(&t, NULL), RIDGE_OK);
    put(&d, &t, RIDGE_TENSOR_INPUT, x, 2);
    put(&d, &t, RIDGE_TENSOR_NORM1, ones, 2);
    put(&d, &t, RIDGE_TENSOR_NORM2, ones, 2);
    put(&d, &t, RIDGE_TENSOR_WV, zeros, 4);
    put(&d, &t, RIDGE_TENSOR_WGATE, gate, 4);
    put(&d, &t, RIDGE_TENSOR_WUP, up, 4);
    put(&d, &t, RIDGE_TENSOR_WDOWN, down, 4);
    check(&t, &d, y, 0.386351473 / sqrt(2));
}

/* equal numbers for all: the descriptor cannot be written, shortened or lengthened by those that get it */
static void test_data_is_sealed(void **state)
{
    (void)state;
    ridge_err err = {0};
    ridge_framework_data data;
    ridge_framework_task t = task_of(RIDGE_FRAMEWORK_GEMM, (ridge_problem){.kind = RIDGE_KERNEL_KIND_GEMM, .m = 3, .n = 5, .k = 7});
    assert_int_equal(ridge_framework_task_tensors(&t, NULL), RIDGE_OK);
    assert_int_equal(ridge_framework_data_make(&data, &t, ridge_format_find(ridge_str_of("bf16")), &err), RIDGE_OK);
    assert_int_equal(ridge_framework_data_map(&data, &err), RIDGE_OK);
    for (size_t i = 0; i < 21; i++) { /* A: standard normal, and no bit beyond bf16's */
        uint32_t bits;
        memcpy(&bits, &ridge_framework_data_of(&data, &t, RIDGE_TENSOR_A)[i], sizeof bits);
        assert_int_equal(bits & 0xffff, 0);
    }
    assert_true(pwrite(data.fd, "x", 1, 0) < 0);
    assert_true(ftruncate(data.fd, 0) != 0);
    ridge_framework_data_free(&data);
}

static ridge_status read_timing(const char *text, char *message, size_t room)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_json *json;
    ridge_framework_timing timing;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_json_parse(&json, ridge_str_of(text), "answer", (ridge_json_options){0}, &arena, &err), RIDGE_OK);
    ridge_status st = ridge_framework_timing_read(&timing, json, 10, &err);
    (void)snprintf(message, room, "%.200s", st ? message_of(&err) : "");
    if (!st) {
        assert_int_equal(timing.time.tried, 3);
        assert_int_equal(timing.time.kept, 2);
        assert_true(timing.time.median_s == 0.75 && timing.peak_bytes == 4096 && timing.cpus == 1.5);
    }
    ridge_arena_free(&arena);
    return st;
}

static void test_timings_that_are_none(void **state)
{
    (void)state;
#define TIMING(samples, clean, calls, cpus, peak)                                                                                          \
    "{\"samples\": " samples ", \"clean\": " clean ", \"calls\": " calls ", \"cpus\": " cpus ", \"peak\": " peak "}"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {TIMING("[0.5, 3, 1]", "[1, 0, 1]", "2", "1.5", "4096"), ""},
        {"[]", "its samples are no list of times"},
        {"{}", "its samples are no list of times"},
        {TIMING("[]", "[]", "2", "1", "1"), "its samples are no list of times"},
        {TIMING("[1, 2]", "[1]", "2", "1", "1"), "its samples are no list of times"},
        {TIMING("[0]", "[1]", "2", "1", "1"), "its samples are no list of times"},
        {TIMING("[-1]", "[1]", "2", "1", "1"), "its samples are no list of times"},
        {TIMING("[\"1\"]", "[1]", "2", "1", "1"), "its samples are no list of times"},
        {TIMING("[1e999]", "[1]", "2", "1", "1"), "its samples are no list of times"},
        {TIMING("[1]", "[2]", "2", "1", "1"), "its samples are no list of times"},
        {TIMING("[1]", "{\"a\": 1}", "2", "1", "1"), "its samples are no list of times"},
        {TIMING("[1]", "[1]", "0", "1", "1"), "its calls, CPU time or memory are no numbers"},
        {TIMING("[1]", "[1]", "1.5", "1", "1"), "its calls, CPU time or memory are no numbers"},
        {TIMING("[1]", "[1]", "1e300", "1", "1"), "its calls, CPU time or memory are no numbers"},
        {TIMING("[1]", "[1]", "1", "null", "1"), "its calls, CPU time or memory are no numbers"},
        {TIMING("[1]", "[1]", "1", "1", "1e300"), "its calls, CPU time or memory are no numbers"},
        {TIMING("[4, 4]", "[1, 1]", "2", "1", "1"), "its samples add up to 16 s, of 10 s that went by"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[300];
        assert_int_equal(read_timing(cases[i].text, message, sizeof message), cases[i].message[0] ? RIDGE_VALUE : RIDGE_OK);
        assert_string_equal(message, cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),      cmocka_unit_test(test_attention),      cmocka_unit_test(test_layer_of_one_token),
        cmocka_unit_test(test_layer_mlp), cmocka_unit_test(test_data_is_sealed), cmocka_unit_test(test_timings_that_are_none),
    };
    return RUN_TESTS(tests);
}
