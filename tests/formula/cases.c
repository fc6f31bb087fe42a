/* cases.c - the formula language against *.case files of this folder: a formula and its answer, or %%FAIL, the formula and the exact
 * message with its place ("line:column: message"). One test per file. python.case holds Python's answers (make_cases.py). Names: a = 7, b =
 * -3, x = 5/2, l = [1, 2, 3], s = 'gelu'; B = 2, S = 5, past = 7, T = 12; config (below); {double}(n, times=2) is n*times. */
#include "test.h"

#include <stdio.h>

#include "base/file.h"
#include "formula/poly.h"
#include "catalog/registry.h"
#include "graph/config.h"

static const char config_text[] =
    "{\"hidden\": 64, \"heads\": 4, \"ratio\": 0.1, \"none\": null, \"yes\": true, \"list\": [4, 5, 6], \"sub\": {\"x\": 3}}";

typedef struct language {
    ridge_registry *registry;
    ridge_arena arena;
    ridge_scope scope;
    ridge_value named[5], globals[RIDGE_GLOBAL_COUNT];
    ridge_object *config;
    const ridge_symbol *twice, *times;
} language;

/* {double}(n, times=2) */
static ridge_status invoke(ridge_value *out, ridge_evaluation *run, const ridge_symbol *module, void **cache, const ridge_argument *args,
                           size_t count)
{
    const language *l = run->data;
    ridge_value times = ridge_value_int(2);
    (void)cache;
    if (module != l->twice)
        return ridge_fail(run->calc.err, RIDGE_UNKNOWN, "'%s' is not in the catalog", module->text);
    if (count == 0 || args[0].name != NULL || count > 2 || (count == 2 && args[1].name != NULL && args[1].name != l->times))
        return ridge_fail(run->calc.err, RIDGE_ARITY, "double takes (n, times=...)");
    if (count == 2)
        times = args[1].value;
    return ridge_value_binary(out, RIDGE_OP_MUL, args[0].value, times, &run->calc);
}

static void open_language(language *l)
{
    static const char *const names[] = {"a", "b", "x", "l", "s"};
    const struct {
        ridge_global which;
        int value;
    } numbers[] = {{RIDGE_GLOBAL_B, 2}, {RIDGE_GLOBAL_S, 5}, {RIDGE_GLOBAL_past, 7}, {RIDGE_GLOBAL_T, 12}};
    ridge_json *json;
    ridge_value v;
    *l = (language){0};
    assert_int_equal(ridge_registry_open(&l->registry, NULL, 0, false, NULL), RIDGE_OK);
    ridge_arena_init(&l->arena);
    ridge_calc calc = {&l->arena, NULL, NULL};
    l->scope = (ridge_scope){.arena = &l->arena, .symbols = &l->registry->symbols};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(ridge_scope_add(&l->scope, ridge_intern(&l->registry->symbols, ridge_str_of(names[i]))), i);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        l->globals[numbers[i].which] = ridge_value_int(numbers[i].value);
    l->globals[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("decode"));
    l->named[0] = ridge_value_int(7);
    l->named[1] = ridge_value_int(-3);
    assert_int_equal(ridge_value_rational(&l->named[2], (ridge_rational){5, 2}, &calc), RIDGE_OK);
    assert_int_equal(ridge_value_list(&l->named[3], 3, &calc), RIDGE_OK);
    for (int i = 0; i < 3; i++)
        l->named[3].u.list->items[i] = ridge_value_int(i + 1);
    l->named[4] = ridge_value_str(RIDGE_STR("gelu"));
    assert_int_equal(ridge_json_parse(&json, ridge_str_of(config_text), "", (ridge_json_options){0}, &l->arena, NULL), RIDGE_OK);
    assert_int_equal(ridge_config_value(&v, l->registry, json, "", &calc), RIDGE_OK);
    l->config = (ridge_object *)(uintptr_t)v.u.object;
    l->twice = ridge_intern(&l->registry->symbols, RIDGE_STR("double"));
    l->times = ridge_intern(&l->registry->symbols, RIDGE_STR("times"));
}

static void close_language(language *l)
{
    ridge_arena_free(&l->arena);
    ridge_registry_close(l->registry);
}

/* the value as a formula would write it, or "line:col: message"; *failed tells which */
static void answer(ridge_buf *out, bool *failed, language *l, ridge_str formula)
{
    ridge_expr *expr;
    ridge_value v;
    ridge_err err = {0};
    ridge_status st = ridge_expr_parse(&expr, formula, "", 1, 1, &l->scope, &err);
    if (st == RIDGE_OK) {
        ridge_value *slots = ridge_arena_array(&l->arena, l->scope.slots + 1, sizeof *slots);
        ridge_evaluation run = {.calc = {&l->arena, NULL, &err},
                                .globals = l->globals,
                                .config = l->config,
                                .slots = slots,
                                .invoke = invoke,
                                .data = l,
                                .steps_left = RIDGE_STEP_LIMIT};
        assert_non_null(slots);
        memcpy(slots, l->named, sizeof l->named);
        st = ridge_expr_eval(&v, expr, &run);
    }
    *failed = st != RIDGE_OK;
    assert_int_equal(st, err.code);
    if (*failed)
        ridge_buf_addf(out, "%u:%u: %s", err.line, err.col, err.msg);
    else
        ridge_value_print(out, v);
}

/* ---- case files ---- */

static bool next_line(ridge_str *line, ridge_str *rest, unsigned *number)
{
    if (rest->n == 0)
        return false;
    const char *end = memchr(rest->p, '\n', rest->n);
    *line = (ridge_str){rest->p, end != NULL ? (size_t)(end - rest->p) : rest->n};
    size_t used = line->n + (end != NULL);
    rest->p += used;
    rest->n -= used;
    ++*number;
    return true;
}

static bool is_blank(ridge_str line)
{
    return line.n == 0 || line.p[0] == '#';
}

/* how many cases were checked */
static unsigned run_cases(const char *path, ridge_str rest, unsigned *wrong)
{
    ridge_str line, formula, expected;
    unsigned number = 0, count = 0;
    while (next_line(&line, &rest, &number)) {
        bool wants_failure = ridge_str_is(line, "%%FAIL"), failed;
        ridge_buf got = {0};
        language l;
        if (is_blank(line))
            continue;
        formula = line;
        if (wants_failure && !next_line(&formula, &rest, &number))
            fail_msg("%s:%u: a formula is missing", path, number);
        if (!next_line(&expected, &rest, &number))
            fail_msg("%s:%u: an answer is missing", path, number);
        open_language(&l); /* a new one each: a failed formula may leave names behind */
        answer(&got, &failed, &l, formula);
        close_language(&l);
        count++;
        if (failed != wants_failure || !ridge_str_eq((ridge_str){got.p, got.n}, expected)) {
            ++*wrong;
            print_error("%s:%u: %.*s\n", path, number, (int)(formula.n < 200 ? formula.n : 200), formula.p);
            print_error("  want %.*s\n", RIDGE_STR_ARG(expected));
            print_error("  have %s\n", got.p);
        }
        ridge_buf_free(&got);
    }
    return count;
}

static void run_file(const char *name, unsigned at_least)
{
    char path[1024];
    ridge_arena arena;
    ridge_str text;
    unsigned wrong = 0;
    snprintf(path, sizeof path, TESTS_FOLDER "/formula/%s.case", name);
    ridge_arena_init(&arena);
    assert_int_equal(ridge_file_read(&text, path, 1u << 24, &arena, NULL), RIDGE_OK);
    unsigned count = run_cases(path, text, &wrong);
    ridge_arena_free(&arena);
    assert_int_equal(wrong, 0);
    assert_true(count >= at_least); /* a file that was not read would pass otherwise */
}

static void test_python(void **state)
{
    (void)state;
    run_file("python", 1000);
}
static void test_values(void **state)
{
    (void)state;
    run_file("values", 100);
}
static void test_errors(void **state)
{
    (void)state;
    run_file("errors", 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors),
    };
    return RUN_TESTS(tests);
}
