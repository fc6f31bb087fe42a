/* values.c - what Python's values are and do: values.py against what CPython prints for it (values.txt), and numbers in symbols: formulas,
 * conditions, and what is pinned. */
#include "learn/python_text.h"

#include "base/file.h"
#include "learn/python/number.h"

/* a build without the grammar has nothing to test */
static bool reads_python(void)
{
    session s;
    ridge_status status = open_text(&s, "r = 1\n");
    ridge_arena_free(&s.arena);
    return status == RIDGE_OK;
}

static void test_like_cpython(void **state)
{
    (void)state;
    session s;
    ridge_arena files;
    ridge_err err = {0};
    ridge_py shown;
    ridge_str text, wanted;
    ridge_arena_init(&files);
    assert_int_equal(ridge_file_read(&text, "tests/learn/values.py", SIZE_MAX, &files, &err), RIDGE_OK);
    assert_int_equal(ridge_file_read(&wanted, "tests/learn/values.txt", SIZE_MAX, &files, &err), RIDGE_OK);
    ridge_status status = open_text(&s, ridge_arena_strdup(&files, text));
    assert_string_equal(s.err.msg, "");
    assert_int_equal(status, RIDGE_OK);
    assert_int_equal(ridge_py_getz(&shown, s.module, "shown", &s.in), RIDGE_OK);
    assert_int_equal(shown.type, RIDGE_PY_T_STR);
    const char *a = shown.u.s->text.p,
               *b = ridge_arena_strdup(&files, wanted); /* line by line: the first that differs is what one wants to read */
    while (*a || *b) {
        size_t la = strcspn(a, "\n"), lb = strcspn(b, "\n");
        assert_string_equal(ridge_arena_strdup(&files, (ridge_str){a, la}), ridge_arena_strdup(&files, (ridge_str){b, lb}));
        a += la + (a[la] != 0);
        b += lb + (b[lb] != 0);
    }
    ridge_arena_free(&files);
    ridge_arena_free(&s.arena);
}

/* h = config.h = 64, k = config.k = 48, n = config.n = 4 (each at least 1), f = config.f = 2.6667, t = config.t = 'silu', B, S */
#define NAMES                                                                                                                           \
    "import _ridge, math\n"                                                                                                                \
    "h, k, n = _ridge.named('config.h', 64, 1), _ridge.named('config.k', 48, 1), _ridge.named('config.n', 4, 1)\n"                         \
    "B, S = _ridge.named('B', 3, 1), _ridge.named('S', 7, 1)\n"

/* the formula of r, and the conditions: "text", "not text", "loop text", joined by "; " */
static void assert_symbols(const char *text, const char *formula, const char *conditions)
{
    session s;
    ridge_py r;
    ridge_buf whole = {0}, asked = {0};
    ridge_buf_addf(&whole, "%s%s", NAMES, text);
    ridge_status status = open_text(&s, whole.p);
    assert_string_equal(s.err.msg, "");
    assert_int_equal(status, RIDGE_OK);
    assert_int_equal(ridge_py_getz(&r, s.module, "r", &s.in), RIDGE_OK);
    const char *shown = ridge_py_formula(r, &s.in);
    assert_string_equal(shown ? shown : "(none)", formula);
    ridge_buf_addz(&asked, "");
    for (size_t i = 0; i < s.in.condition_count; i++) {
        const ridge_condition *c = &s.in.conditions[i];
        ridge_buf_addf(&asked, "%s%s%s%s", i ? "; " : "", c->loop ? "loop " : "", c->holds ? "" : "not ", c->text);
    }
    assert_string_equal(asked.p ? asked.p : "", conditions);
    ridge_buf_free(&whole);
    ridge_buf_free(&asked);
    ridge_arena_free(&s.arena);
}

static void test_arithmetic(void **state)
{
    (void)state;
    assert_symbols("r = h * 4 + 1\n", "4*config.h + 1", "");
    assert_symbols("r = h // n\n", "(config.h//config.n)", "");
    assert_symbols("r = h // n * n\n", "config.n*(config.h//config.n)", "");
    assert_symbols("r = (h * n) // n\n", "config.h", "");
    assert_symbols("r = h % n\n", "-config.n*(config.h//config.n) + config.h", "");
    assert_symbols("r = h ** 2\n", "config.h**2", "");
    assert_symbols("r = h << 1\n", "2*config.h", "");
    assert_symbols("r = -h\n", "-config.h", "");
    assert_symbols("r = min(S, h)\n", "min(config.h, S)", "");
    assert_symbols("r = max(S, 1)\n", "S", "");
    assert_symbols("r = int(h / 2)\n", "(config.h//2)", "");
    assert_symbols("r = int(h * 4 / 2)\n", "2*config.h", "");
    assert_symbols("r = math.ceil(S / 8)\n", "S - ((7*S)//8)", "");
    assert_symbols("r = math.ceil(h / n) * n\n", "-config.n*((-config.h)//config.n)", "");
    assert_symbols("r = h - S + S\n", "config.h", "");
    assert_symbols("r = [h, S]\n", "[config.h, S]", "");
}

static void test_conditions(void **state)
{
    (void)state;
    assert_symbols("r = 1 if h == k else 2\n", "2", "not config.h == config.k");
    assert_symbols("r = 1 if h > 0 else 2\n", "1", "");
    assert_symbols("r = 1 if not h >= k else 2\n", "2", "not config.k >= config.h + 1");
    assert_symbols("r = 1 if h < k else 2\nr = 3 if h >= k else 4\n", "3", "not config.k >= config.h + 1");
    assert_symbols("r = h if S > 1 and B > 2 else 0\n", "config.h", "S >= 2; B >= 3");
    assert_symbols("r = [1, 2, 3, 4, 5][n]\n", "5", "config.n == 4");
    assert_symbols("r = 0\nfor i in range(n):\n    r += h\n", "4*config.h", "loop config.n == 4");
    assert_symbols("r = {4: 'a'}[n]\n", "'a'", "config.n == 4");
    assert_symbols("r = n in (2, 4)\nr = 1 if r else 2\n", "1", "config.n == 4");
    assert_symbols("r = (B, S) == (3, 7)\nr = 1 if r else 2\n", "1", "(B - 3 == 0)*(S - 7 == 0)");
    assert_symbols("r = 1 if h is None else 2\n", "2", "not config.h == None");
    assert_symbols("r = len(range(0, S, 2))\n", "((S + 1)//2)", "");
}

static void test_pins(void **state)
{
    (void)state;
    assert_symbols("r = 2 ** n\n", "16", "config.n == 4");
    assert_symbols("r = h & 6\n", "0", "config.h == 64");
    assert_symbols("r = h ** -0.5\n", "(none)", "");
    assert_symbols("r = int(math.sqrt(h))\n", "8", "config.h == 64");
    assert_symbols("r = int(math.sqrt(h) * B)\n", "24", "B == 3; config.h == 64");
    assert_symbols("r = 1 if math.log2(h) > 5 else 2\n", "1", "config.h == 64");
    assert_symbols("r = {'size_64': 1}['size_' + str(h)]\n", "1", "config.h == 64");
    assert_symbols("x = f'{h} and {n}'\nr = 1\n", "1", "");
}

/* int(config.h * config.f), config.f any rational number: a floor, and that it is not negative */
static void test_fractions(void **state)
{
    (void)state;
    session s;
    ridge_py f, h, product, r;
    assert_int_equal(open_text(&s, "r = 1\n"), RIDGE_OK);
    assert_int_equal(ridge_py_named_float(&f, 2.6667, "config.f", &s.in), RIDGE_OK);
    assert_int_equal(ridge_py_named_int(&h, 64, "config.h", 1, &s.in), RIDGE_OK);
    assert_int_equal(ridge_py_number_binary(&product, RIDGE_PY_OP_MUL, h, f, &s.in), RIDGE_OK);
    assert_int_equal(ridge_py_to_integer(&r, product, RIDGE_PY_TRUNCATE, &s.in), RIDGE_OK);
    assert_int_equal(r.u.i, 170);
    assert_string_equal(ridge_py_formula(r, &s.in), "((config.f*config.h)//1)");
    assert_int_equal(s.in.condition_count, 1);
    assert_string_equal(s.in.conditions[0].text, "config.f*config.h >= 0");
    assert_true(s.in.conditions[0].holds);
    assert_int_equal(ridge_py_number_binary(&r, RIDGE_PY_OP_DIV, product, h, &s.in), RIDGE_OK);
    assert_string_equal(ridge_py_formula(r, &s.in), "config.f");
    ridge_arena_free(&s.arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_cpython), cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_pins),         cmocka_unit_test(test_fractions),
    };
    if (!reads_python())
        return 0;
    return RUN_TESTS(tests);
}
