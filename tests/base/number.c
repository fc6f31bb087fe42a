#include "test.h"

#include <stdio.h>

#include "base/file.h"
#include "base/number.h"

/* number.case holds Python's answers: "op arguments = result", "none" where nothing fits. One test per operation. */
static ridge_arena arena;
static ridge_str cases;

enum { FIELDS = 8 };

static bool to_int(ridge_int *out, const char *z)
{
    return ridge_int_parse(out, ridge_str_of(z));
}

static ridge_int an_int(const char *z)
{
    ridge_int value;
    if (!to_int(&value, z))
        fail_msg("not an integer: %s", z);
    return value;
}

/* "n" or "n/d" */
static ridge_rational a_rational(const char *z)
{
    ridge_rational value;
    ridge_str text = ridge_str_of(z);
    const char *slash = strchr(z, '/');
    size_t n = slash != NULL ? (size_t)(slash - z) : text.n;
    value.den = slash != NULL ? an_int(slash + 1) : 1;
    if (!ridge_int_parse(&value.num, (ridge_str){z, n}))
        fail_msg("not a rational: %s", z);
    return value;
}

static void show_int(char *out, bool fits, ridge_int value)
{
    if (fits)
        (void)ridge_int_print(out, value);
    else
        memcpy(out, "none", 5);
}

static void show_rational(char *out, bool fits, ridge_rational value)
{
    if (fits)
        (void)ridge_rational_print(out, value);
    else
        memcpy(out, "none", 5);
}

static void show_pair(char *out, bool fits, ridge_int a, ridge_int b)
{
    if (!fits) {
        memcpy(out, "none", 5);
        return;
    }
    size_t n = ridge_int_print(out, a);
    out[n++] = ' ';
    (void)ridge_int_print(out + n, b);
}

typedef bool int_function(ridge_int *, ridge_int, ridge_int);
typedef bool rational_function(ridge_rational *, ridge_rational, ridge_rational);

/* the inline functions, as addresses */
static bool add(ridge_int *out, ridge_int a, ridge_int b)
{
    return ridge_int_add(out, a, b);
}
static bool sub(ridge_int *out, ridge_int a, ridge_int b)
{
    return ridge_int_sub(out, a, b);
}
static bool mul(ridge_int *out, ridge_int a, ridge_int b)
{
    ridge_int inline_result = 0, slow_result = 0;
    bool fits = ridge_int_mul(&inline_result, a, b);
    assert_int_equal(fits, ridge_int_mul_slow(&slow_result, a, b));
    assert_true(!fits || inline_result == slow_result);
    *out = inline_result;
    return fits;
}

/* a power of integers that is one itself */
static bool power(ridge_int *out, ridge_int base, ridge_int exponent)
{
    ridge_rational r;
    bool fits = ridge_rational_pow(&r, ridge_rational_of(base), exponent) && r.den == 1;
    *out = fits ? r.num : 0;
    return fits;
}

static const struct {
    const char *op;
    int_function *integer;
    rational_function *rational;
} binary[] = {
    {"add", add, NULL},
    {"sub", sub, NULL},
    {"mul", mul, NULL},
    {"pow", power, NULL},
    {"radd", NULL, ridge_rational_add},
    {"rsub", NULL, ridge_rational_sub},
    {"rmul", NULL, ridge_rational_mul},
    {"rdiv", NULL, ridge_rational_div},
};

static void answer_binary(char *out, char **f)
{
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        if (strcmp(binary[i].op, f[0]) != 0)
            continue;
        ridge_int n = 0;
        ridge_rational r = {0, 1};
        if (binary[i].integer != NULL) {
            bool fits = binary[i].integer(&n, an_int(f[1]), an_int(f[2]));
            show_int(out, fits, n);
        } else {
            bool fits = binary[i].rational(&r, a_rational(f[1]), a_rational(f[2]));
            show_rational(out, fits, r);
        }
        return;
    }
    fail_msg("unknown operation %s", f[0]);
}

static void answer(char *out, char **f)
{
    ridge_int a = 0, b = 0;
    ridge_rational r = {0, 1};
    if (strcmp(f[0], "print") == 0) {
        size_t n = ridge_int_print(out, an_int(f[1]));
        out[n++] = ' ';
        (void)ridge_int_print_comma(out + n, an_int(f[1]));
    } else if (strcmp(f[0], "floordiv") == 0) {
        bool fits = ridge_int_floordiv(&a, &b, an_int(f[1]), an_int(f[2]));
        show_pair(out, fits, a, b);
    } else if (strcmp(f[0], "gcd") == 0) {
        show_int(out, true, ridge_int_gcd(an_int(f[1]), an_int(f[2])));
    } else if (strcmp(f[0], "rpow") == 0) {
        bool fits = ridge_rational_pow(&r, a_rational(f[1]), an_int(f[2]));
        show_rational(out, fits, r);
    } else if (strcmp(f[0], "rcmp") == 0) {
        show_int(out, true, ridge_rational_compare(a_rational(f[1]), a_rational(f[2])));
    } else if (strcmp(f[0], "rround") == 0) {
        bool fits = ridge_rational_floor(&a, a_rational(f[1])) && ridge_rational_ceil(&b, a_rational(f[1]));
        show_pair(out, fits, a, b);
    } else if (strcmp(f[0], "rparse") == 0) {
        bool fits = ridge_rational_parse(&r, ridge_str_of(f[1]));
        show_rational(out, fits, r);
    } else {
        answer_binary(out, f);
    }
}

static void check_line(char *line)
{
    char *fields[FIELDS] = {0}, *result = strstr(line, " = ") + 3, *rest = NULL, out[200];
    result[-3] = '\0';
    char whole[400];
    (void)snprintf(whole, sizeof whole, "%s", line);
    size_t n = 0;
    for (char *field = strtok_r(line, " ", &rest); field != NULL && n < FIELDS; field = strtok_r(NULL, " ", &rest))
        fields[n++] = field;
    answer(out, fields);
    if (strcmp(out, result) != 0)
        fail_msg("%s: Python has %s, we have %s", whole, result, out);
}

/* *state names the operation */
static void test_operation(void **state)
{
    const char *op = *state;
    size_t checked = 0, op_length = strlen(op);
    for (const char *p = cases.p, *end = p + cases.n; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        char line[400];
        size_t n = (size_t)(newline - p);
        assert_in_range(n, 1, sizeof line - 1);
        memcpy(line, p, n);
        line[n] = '\0';
        p = newline + 1;
        if (strncmp(line, op, op_length) != 0 || line[op_length] != ' ')
            continue;
        check_line(line);
        checked++;
    }
    assert_true(checked >= 20);
}

static void test_parse_refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "-", "+", "--1", "1 ", " 1", "1.0", "0x1", "1_0", "1,000", "999999999999999999999999999999999999999999"};
    ridge_int n;
    ridge_rational r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(to_int(&n, bad[i]));
    static const char *const bad_decimals[] = {"",     "-",   "+",     ".",  "e5", "1e",  "1e+", "1.2.3",
                                               "0x10", "1/2", "1_000", "1 ", " 1", "--1", "inf", "nan"};
    for (size_t i = 0; i < sizeof bad_decimals / sizeof *bad_decimals; i++)
        assert_false(ridge_rational_parse(&r, ridge_str_of(bad_decimals[i])));
    assert_false(ridge_rational_parse(&r, (ridge_str){NULL, 0}));
    assert_false(ridge_int_parse(&n, (ridge_str){NULL, 0}));
}

static void test_counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-7", -7},
                {"+7", 7},
                {"2k", 2000},
                {"2M", 2000000},
                {"3G", 3000000000},
                {"2Ki", 2048},
                {"1Mi", 1 << 20},
                {"1Gi", 1 << 30},
                {"-1k", -1000},
                {"9223372036854775807", INT64_MAX}};
    static const char *const bad[] = {"", "k", "-", "2kk", "2K", "2 k", "2ki", "1.5k", "0x1", "k2"};
    int64_t n;
    bool overflow;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(ridge_count_parse(&n, &overflow, ridge_str_of(good[i].text)));
        assert_false(overflow);
        assert_true(n == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ridge_count_parse(&n, &overflow, ridge_str_of(bad[i])));
    assert_true(ridge_count_parse(&n, &overflow, RIDGE_STR("9223372036854775808")) && overflow);
    assert_true(ridge_count_parse(&n, &overflow, RIDGE_STR("9007199254740993Ki")) && overflow);
}

static void test_make(void **state)
{
    (void)state;
    ridge_rational r;
    assert_false(ridge_rational_make(&r, 1, 0));
    assert_true(ridge_rational_make(&r, 6, -4) && r.num == -3 && r.den == 2);
    assert_true(ridge_rational_make(&r, 0, -4) && r.num == 0 && r.den == 1);
    assert_true(ridge_rational_make(&r, RIDGE_INT_MIN, RIDGE_INT_MIN) && r.num == 1 && r.den == 1);
    assert_true(ridge_rational_make(&r, RIDGE_INT_MIN, 2) && r.num == RIDGE_INT_MIN / 2 && r.den == 1);
    assert_false(ridge_rational_make(&r, 1, RIDGE_INT_MIN));
    assert_false(ridge_rational_div(&r, ridge_rational_of(1), ridge_rational_of(0)));
    assert_false(ridge_rational_pow(&r, ridge_rational_of(0), -1));
    assert_false(power(&r.num, 2, -1));
    assert_true(ridge_rational_pow(&r, ridge_rational_of(-1), RIDGE_INT_MIN) && r.num == 1);
}

static void test_double(void **state)
{
    (void)state;
    assert_true(ridge_rational_double((ridge_rational){9, 2}) == 4.5);
    assert_true(ridge_rational_double((ridge_rational){-1, 4}) == -0.25);
    assert_true(ridge_rational_double(ridge_rational_of((ridge_int)1 << 100)) == 0x1p100);
    assert_true(ridge_rational_double((ridge_rational){1, 10}) == 0.1);
}

static void test_buffer(void **state)
{
    (void)state;
    ridge_buf buf = {0};
    ridge_buf_add_int(&buf, RIDGE_INT_MIN);
    ridge_buf_add_int(&buf, 0);
    assert_string_equal(buf.p, "-1701411834604692317316873037158841057280"); /* -2^127, then 0 */
    ridge_buf_free(&buf);
}

static int load_cases(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return ridge_file_read(&cases, TESTS_FOLDER "/base/number.case", 1 << 20, &arena, NULL) != RIDGE_OK;
}

static int free_cases(void **state)
{
    (void)state;
    ridge_arena_free(&arena);
    return 0;
}

#define OPERATION(name)                                                                                                                    \
    {                                                                                                                                      \
        "python_" name, test_operation, NULL, NULL, (void *)(uintptr_t)name                                                                \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPERATION("print"),
        OPERATION("add"),
        OPERATION("sub"),
        OPERATION("mul"),
        OPERATION("floordiv"),
        OPERATION("pow"),
        OPERATION("gcd"),
        OPERATION("radd"),
        OPERATION("rsub"),
        OPERATION("rmul"),
        OPERATION("rdiv"),
        OPERATION("rpow"),
        OPERATION("rcmp"),
        OPERATION("rround"),
        OPERATION("rparse"),
        cmocka_unit_test(test_parse_refuses),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_make),
        cmocka_unit_test(test_double),
        cmocka_unit_test(test_buffer),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, load_cases, free_cases);
}
