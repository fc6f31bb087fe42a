/* symbolic.c - random formulas over B, S and past: the residual program of the symbolic value, run at random workloads, gives what direct
 * evaluation there gives. The random numbers are the same every time. */
#include "formula/program.h"
#include "test.h"

#include <stdio.h>

#include "formula/poly.h"
#include "catalog/registry.h"

enum { FORMULAS = 600, POINTS = 12 };

static uint64_t seed;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static void add_number(ridge_buf *out, unsigned depth);

static void add_condition(ridge_buf *out, unsigned depth)
{
    static const char *const ops[] = {"<", "<=", ">", ">=", "==", "!="};
    switch (pick(6)) {
    case 0:
        ridge_buf_addz(out, "not (");
        add_condition(out, depth > 0 ? depth - 1 : 0);
        ridge_buf_addc(out, ')');
        return;
    case 1:
        ridge_buf_addc(out, '(');
        add_condition(out, depth > 0 ? depth - 1 : 0);
        ridge_buf_addz(out, pick(2) == 0 ? ") and (" : ") or (");
        add_condition(out, depth > 0 ? depth - 1 : 0);
        ridge_buf_addc(out, ')');
        return;
    case 2:
        add_number(out, depth > 0 ? depth - 1 : 0);
        ridge_buf_addz(out, " in [5, S, 7*B]");
        return;
    default:
        add_number(out, depth > 0 ? depth - 1 : 0);
        ridge_buf_addf(out, " %s ", ops[pick(6)]);
        add_number(out, depth > 0 ? depth - 1 : 0);
    }
}

static void add_call(ridge_buf *out, const char *name, unsigned arguments, unsigned depth)
{
    ridge_buf_addf(out, "%s(", name);
    for (unsigned i = 0; i < arguments; i++) {
        if (i > 0)
            ridge_buf_addz(out, ", ");
        add_number(out, depth);
    }
    ridge_buf_addc(out, ')');
}

static void add_number(ridge_buf *out, unsigned depth)
{
    static const char *const atoms[] = {"B", "S", "past", "T", "B", "S", "1", "2", "7", "64", "4096", "3/2"};
    static const char *const ops[] = {" + ", " - ", "*", "*", " + "};
    if (depth == 0 || pick(8) == 0) {
        ridge_buf_addz(out, atoms[pick(sizeof atoms / sizeof *atoms)]);
        return;
    }
    switch (pick(10)) {
    case 0:
        ridge_buf_addc(out, '(');
        add_number(out, depth - 1);
        ridge_buf_addf(out, ")%s%u", pick(2) == 0 ? "//" : " % ", 1 + pick(12));
        return;
    case 1:
        ridge_buf_addc(out, '(');
        add_number(out, depth - 1);
        ridge_buf_addf(out, ")//(%u*S + %u)", pick(4), 1 + pick(5));
        return;
    case 2:
        add_call(out, pick(2) == 0 ? "min" : "max", 2, depth - 1);
        return;
    case 3:
        add_call(out, pick(3) == 0 ? "ceil" : pick(2) == 0 ? "int" : "floor", 1, depth - 1);
        return;
    case 4:
        ridge_buf_addc(out, '(');
        add_number(out, depth - 1);
        ridge_buf_addz(out, " if ");
        add_condition(out, depth - 1);
        ridge_buf_addz(out, " else ");
        add_number(out, depth - 1);
        ridge_buf_addc(out, ')');
        return;
    case 5:
        ridge_buf_addc(out, '(');
        add_number(out, depth - 1);
        ridge_buf_addf(out, ")/%u", 1 + pick(8));
        return;
    default:
        ridge_buf_addc(out, '(');
        add_number(out, depth - 1);
        ridge_buf_addz(out, ops[pick(5)]);
        add_number(out, depth - 1);
        ridge_buf_addc(out, ')');
    }
}

typedef struct formula {
    ridge_registry *registry;
    ridge_arena arena;
    ridge_scope scope;
    ridge_expr *expr;
    ridge_value *slots;
} formula;

static ridge_status eval(ridge_value *out, formula *f, const ridge_value *globals, ridge_algebra *algebra, ridge_err *err)
{
    ridge_evaluation run = {.calc = {&f->arena, algebra, err}, .globals = globals, .slots = f->slots, .steps_left = RIDGE_STEP_LIMIT};
    return ridge_expr_eval(out, f->expr, &run);
}

static void set_symbols(ridge_value *g, const ridge_calc *calc)
{
    assert_int_equal(ridge_sym_name(&g[RIDGE_GLOBAL_B], "B", 1, calc), RIDGE_OK);
    assert_int_equal(ridge_sym_name(&g[RIDGE_GLOBAL_S], "S", 1, calc), RIDGE_OK);
    assert_int_equal(ridge_sym_name(&g[RIDGE_GLOBAL_past], "past", 0, calc), RIDGE_OK);
    assert_int_equal(ridge_value_binary(&g[RIDGE_GLOBAL_T], RIDGE_OP_ADD, g[RIDGE_GLOBAL_past], g[RIDGE_GLOBAL_S], calc), RIDGE_OK);
}

/* NULL where this formula has no closed form (a fraction that stays open under min or max, say) */
static ridge_program *close_form(formula *f, ridge_algebra *algebra)
{
    ridge_value globals[RIDGE_GLOBAL_COUNT] = {{0}}, v;
    ridge_err err = {0};
    ridge_calc calc = {&f->arena, algebra, &err};
    ridge_program *program;
    assert_true(ridge_algebra_init(algebra, &f->arena));
    set_symbols(globals, &calc);
    if (eval(&v, f, globals, algebra, &err) != RIDGE_OK)
        return NULL;
    assert_true(ridge_value_is_number(v));
    return ridge_program_make(&program, &v, 1, &calc) == RIDGE_OK ? program : NULL;
}

/* did both answer */
static bool compare_at(formula *f, ridge_program *program, const char *text)
{
    ridge_int inputs[3] = {1 + (ridge_int)pick(9), 1 + (ridge_int)pick(5000), (ridge_int)pick(3) * (ridge_int)pick(5000)}, result, expected;
    ridge_value globals[RIDGE_GLOBAL_COUNT] = {{0}}, v;
    ridge_err err = {0};
    globals[RIDGE_GLOBAL_B] = ridge_value_int(inputs[0]);
    globals[RIDGE_GLOBAL_S] = ridge_value_int(inputs[1]);
    globals[RIDGE_GLOBAL_past] = ridge_value_int(inputs[2]);
    globals[RIDGE_GLOBAL_T] = ridge_value_int(inputs[1] + inputs[2]);
    assert_int_equal(eval(&v, f, globals, NULL, &err), RIDGE_OK);
    if (ridge_program_run(&result, program, inputs) != RIDGE_OK || !ridge_value_as_int(&expected, v))
        return false;
    if (result != expected)
        fail_msg("%s at B=%lld S=%lld past=%lld: %lld, directly %lld", text, (long long)inputs[0], (long long)inputs[1],
                 (long long)inputs[2], (long long)result, (long long)expected);
    return true;
}

/* at how many points both answered */
static unsigned compare(const char *text)
{
    formula f = {0};
    ridge_algebra algebra;
    ridge_err err = {0};
    unsigned compared = 0;
    assert_int_equal(ridge_registry_open(&f.registry, NULL, 0, false, NULL), RIDGE_OK);
    ridge_arena_init(&f.arena);
    f.scope = (ridge_scope){.arena = &f.arena, .symbols = &f.registry->symbols};
    f.slots = ridge_arena_array(&f.arena, 1, sizeof *f.slots);
    if (ridge_expr_parse(&f.expr, ridge_str_of(text), "", 1, 1, &f.scope, &err) != RIDGE_OK)
        fail_msg("%s: %s", text, err.msg);
    ridge_program *program = close_form(&f, &algebra);
    for (int i = 0; i < POINTS && program != NULL; i++)
        compared += compare_at(&f, program, text);
    ridge_arena_free(&f.arena);
    ridge_registry_close(f.registry);
    return compared;
}

static void test_random_formulas(void **state)
{
    unsigned formulas = 0, points = 0;
    (void)state;
    seed = 20261121;
    for (int i = 0; i < FORMULAS; i++) {
        ridge_buf text = {0};
        add_number(&text, 1 + pick(4));
        unsigned compared = compare(text.p);
        formulas += compared > 0;
        points += compared;
        ridge_buf_free(&text);
    }
    print_message("# %u of %d formulas compared, at %u points\n", formulas, FORMULAS, points);
    assert_true(formulas >= 400);
}

/* those that were wrong once, and some that are easily wrong */
static void test_known_formulas(void **state)
{
    static const char *const texts[] = {"-2 - -S or -S",
                                        "S in [5, 128]",
                                        "int(-S/3)",
                                        "ceil(-S*B/5)",
                                        "(-S)//7",
                                        "(-S) % 7",
                                        "(2*S + 31)//-2",
                                        "(S - 9)//-0.5 + S % -3",
                                        "(S - 4000)//B % 5",
                                        "(S and past) + (past or B)",
                                        "S if past else 0",
                                        "(past > 3) + (B == 2)*5",
                                        "min(S, 4096) + max(past - 4095, 0)",
                                        "B*S*9//32*18",
                                        "(B*S + 31)//32*18",
                                        "(2*S*S)//(2*S)",
                                        "(S + 1)*(S + 2)//2",
                                        "S*(S + 1)/2 + S*past",
                                        "sum([min(S, w) for w in [1, 64, 4096]])",
                                        "1 < B <= S",
                                        "('a' if S > 99 else 'b') == 'a'",
                                        "((None if past else 5) ?? S) + 0",
                                        "min(min(S, 99), past + 1)//2",
                                        "(S if B > 2 else past)*(B if S > 7 else 3)",
                                        "abs(1 - 2)*S"};
    (void)state;
    seed = 7;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (compare(texts[i]) == 0)
            fail_msg("%s: nothing to compare", texts[i]);
}

static void test_prints_as_polynomial(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"2*B*S*(S + 3) - B*S*6", "2*B*S**2"},
        {"(S*4)//2", "2*S"},
        {"(S + B)*(S - B)", "-B**2 + S**2"},
        {"S - S + 3", "3"},
        {"(S*6 + 3)//3", "2*S + 1"},
        {"S/2 + S/2", "S"},
        {"min(S, S + 1)", "S"},
        {"S >= 1", "True"},
        {"past < 0", "False"},
        {"S//2", "(S//2)"},
        {"-(-(2*S)//-1)", "-2*S"},
        {"(B*S*S)//S", "B*S"},
        {"B*(S > 0)", "B"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        formula f = {0};
        ridge_algebra algebra;
        ridge_err err = {0};
        ridge_value globals[RIDGE_GLOBAL_COUNT] = {{0}}, v;
        ridge_buf out = {0};
        assert_int_equal(ridge_registry_open(&f.registry, NULL, 0, false, NULL), RIDGE_OK);
        ridge_arena_init(&f.arena);
        ridge_calc calc = {&f.arena, &algebra, &err};
        f.scope = (ridge_scope){.arena = &f.arena, .symbols = &f.registry->symbols};
        assert_true(ridge_algebra_init(&algebra, &f.arena));
        set_symbols(globals, &calc);
        assert_int_equal(ridge_expr_parse(&f.expr, ridge_str_of(cases[i].text), "", 1, 1, &f.scope, &err), RIDGE_OK);
        assert_int_equal(eval(&v, &f, globals, &algebra, &err), RIDGE_OK);
        ridge_value_print(&out, v);
        assert_string_equal(out.p, cases[i].expected);
        ridge_buf_free(&out);
        for (int n = 0; n < 100001; n++) /* text before it takes nothing of its length */
            ridge_buf_addc(&out, '#');
        ridge_value_print(&out, v);
        assert_string_equal(out.p + 100001, cases[i].expected);
        ridge_buf_free(&out);
        ridge_arena_free(&f.arena);
        ridge_registry_close(f.registry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_formulas),
        cmocka_unit_test(test_known_formulas),
        cmocka_unit_test(test_prints_as_polynomial),
    };
    return RUN_TESTS(tests);
}
