/* torch.export archives, in parts: expressions as sympy's srepr() and str() print the same one, paths of modules as every PyTorch writes
 * them, a part of a file as a file. Whole archives: tests/golden/pt2.py; those that are wrong: tests/malformed/pt2.case. */
#include "test.h"

#include <stdlib.h>

#include "input/pt2/parts.h"

typedef struct place {
    ridge_arena arena, scratch;
    ridge_err err;
    ridge_opgraph graph;
    pt2_reader reader;
} place;

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p)
        return 1;
    ridge_arena_init(&p->arena);
    ridge_arena_init(&p->scratch);
    p->reader = (pt2_reader){.out = &p->graph, .arena = &p->arena, .scratch = &p->scratch, .err = &p->err, .json_path = "in.json"};
    *state = p;
    return !ridge_symtab_init(&p->reader.texts, &p->arena) || !ridge_symtab_init(&p->reader.modules, &p->scratch);
}

static int close_place(void **state)
{
    place *p = *state;
    ridge_arena_free(&p->arena);
    ridge_arena_free(&p->scratch);
    free(p);
    return 0;
}

static void assert_is(ridge_str text, const char *wanted)
{
    if (!ridge_str_is(text, wanted))
        fail_msg("'%.*s', and not '%s'", RIDGE_STR_ARG(text), wanted);
}

static ridge_status printed(ridge_str *out, place *p, const char *text)
{
    const ridge_json v = {.type = RIDGE_JSON_STRING, .line = 1, .col = 1, .u.text = ridge_str_of(text)};
    ridge_err_clear(&p->err);
    return pt2_expression(out, &p->reader, &v);
}

#define S0 "Symbol('s0', positive=True, integer=True)"
#define S1 "Symbol('s1', integer=True, positive=True)"

/* left: sympy.srepr(e) of sympy 1.13 with PyTorch's own functions; right: what str(e) prints, the order of terms aside */
static void test_expressions(void **state)
{
    static const char *const all[][2] = {
        {S0, "s0"},
        {"Integer(7)", "7"},
        {"Add(" S0 ", Integer(1))", "s0 + 1"},
        {"Add(" S0 ", Integer(-1))", "s0 - 1"},
        {"Add(Mul(Integer(16), " S0 "), Mul(Integer(-2), " S1 "), Integer(16))", "16*s0 - 2*s1 + 16"},
        {"Mul(Integer(-1), " S0 ")", "-s0"},
        {"Mul(Integer(-1), Add(" S0 ", " S1 "))", "-(s0 + s1)"},
        {"Mul(Integer(-2), " S0 ")", "-2*s0"},
        {"Mul(Integer(2), Add(" S0 ", Integer(1)))", "2*(s0 + 1)"},
        {"Mul(" S0 ", Integer(-2))", "s0*(-2)"},
        {"Pow(" S0 ", Integer(2))", "s0**2"},
        {"Pow(Add(" S0 ", Integer(1)), Integer(2))", "(s0 + 1)**2"},
        {"Pow(Integer(-2), " S0 ")", "(-2)**s0"},
        {"Mul(Rational(1, 2), " S0 ")", "(1/2)*s0"},
        {"Add(" S0 ", Rational(-1, 2))", "s0 - 1/2"},
        {"FloorDiv(" S0 ", Integer(2))", "(s0//2)"},
        {"FloorDiv(Add(" S0 ", Integer(-1)), Integer(2))", "((s0 - 1)//2)"},
        {"Add(FloorDiv(Add(" S0 ", Integer(-1)), Integer(2)), Integer(1))", "((s0 - 1)//2) + 1"},
        {"Mul(Integer(3), CleanDiv(" S0 ", Integer(4)))", "3*(s0//4)"},
        {"Min(Add(Mul(Integer(16), " S0 "), Integer(16)), " S1 ")", "Min(16*s0 + 16, s1)"},
        {"Max(Integer(1), " S0 ")", "Max(1, s0)"},
        {"Mod(" S0 ", Integer(2))", "Mod(s0, 2)"},
        {"ModularIndexing(" S0 ", Integer(1), Integer(8))", "ModularIndexing(s0, 1, 8)"},
        {"Equality(" S0 ", " S1 ")", "Equality(s0, s1)"},
        {"Symbol('u0', integer=True)", "u0"},
        {"Min(" S0 ", int_oo)", "Min(s0, int_oo)"},
        {"Max(" S0 ", -oo)", "Max(s0, -oo)"},
        {"Mul(Float('0.5', precision=53), " S0 ")", "0.5*s0"},
        /* as PyTorch wrote before 2.7: they stay */
        {"s0 + 1", "s0 + 1"},
        {"2*s0", "2*s0"},
        {"(s0//2)", "(s0//2)"},
        {"Max(1, s0)", "Max(1, s0)"},
        {"s0**2/4", "s0**2/4"},
    };
    place *p = *state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ridge_str text;
        assert_int_equal(printed(&text, p, all[i][0]), RIDGE_OK);
        assert_is(text, all[i][1]);
    }
}

static void test_what_is_no_expression(void **state)
{
    static const char *const all[] = {"",
                                      "Add(" S0,
                                      "Add(" S0 ", )",
                                      "Integer(x)",
                                      "Symbol(s0)",
                                      "Symbol('')",
                                      "Symbol('s 0')",
                                      "Symbol('s0', positive)",
                                      "Pow(" S0 ", Integer(2), Integer(2))",
                                      "FloorDiv(" S0 ")",
                                      "Mul(Integer(-1))",
                                      S0 " " S0,
                                      "s0 + \"1\"",
                                      "s0)",
                                      "(s0",
                                      "s0 # 1"};
    place *p = *state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ridge_str text;
        assert_int_equal(printed(&text, p, all[i]), RIDGE_VALUE);
        assert_non_null(strstr(p->err.msg, "is not understood"));
    }
}

static void test_symbols_of_expressions(void **state)
{
    static const char *const all[][4] = {{"s0", "s0"}, {"16*s0 - 2*s1 + 16", "s0", "s1"},     {"Max(1, s0//s12)", "s0", "s12"},
                                         {"7"},        {"Mod(batch, 2) + _x", "batch", "_x"}, {""}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t at = 0, found = 0;
        ridge_str name;
        while (pt2_next_symbol(&name, ridge_str_of(all[i][0]), &at)) {
            assert_non_null(all[i][++found]);
            assert_is(name, all[i][found]);
        }
        assert_null(all[i][found + 1]);
    }
}

/* ---- modules ---- */

static const ridge_json *metadata(place *p, const char *stack)
{
    ridge_json *json = NULL;
    const char *text = ridge_arena_printf(&p->scratch, "{\"nn_module_stack\":\"%s\"}", stack);
    assert_int_equal(ridge_json_parse(&json, ridge_str_of(text), "", (ridge_json_options){0}, &p->scratch, &p->err), RIDGE_OK);
    return json;
}

static void test_modules(void **state)
{
    static const char *const all[][3] = {
        /* since PyTorch 2.2 */
        {"L__self__,,net.Net;L__self___fc,layers.0.fc,torch.nn.modules.linear.Linear", "layers.0.fc", "Linear"},
        {"L__self__,,net.<locals>.Net", "", "Net"},
        {"L__self__,,net.Net;L__self___fc,layers.0.fc@1,torch.nn.modules.linear.Linear", "layers.0.fc", "Linear"},
        {"L__self__,,net.Net;L__self___a,a@2.b,net.B", "a.b", "B"},
        {"_empty_nn_module_stack_from_metadata_hook,_empty_nn_module_stack_from_metadata_hook,_empty_nn_module_stack_from_metadata_hook",
         "", ""},
        /* as Dynamo named them */
        {"L__self__,L['self'],net.Net;x,L['self'].layers[0].fc,torch.nn.modules.linear.Linear", "layers.0.fc", "Linear"},
        {"x,L__self__.layers.0,net.B", "layers.0", "B"},
        {"x,getattr(L['self'].layer1, '0').conv1,torch.nn.modules.conv.Conv2d", "layer1.0.conv1", "Conv2d"},
        {"x,getattr(getattr(L['self'].layers, '0').mlp, '1'),net.B", "layers.0.mlp.1", "B"},
        {"x,L['self']._modules['layers'][3],net.B", "layers.3", "B"},
        /* PyTorch 2.1 */
        {"L__self__:(L['self'],net.Net);x:(L['self'].layers[0],net.B)", "layers.0", "B"},
        /* what is none */
        {"nothing of the kind", "", ""},
        {"a,b", "", ""},
        {"", "", ""},
        {";;", "", ""},
        {"x:()", "", ""},
    };
    place *p = *state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ridge_str path, class_name;
        assert_int_equal(pt2_module(&path, &class_name, &p->reader, metadata(p, all[i][0])), RIDGE_OK);
        assert_is(path, all[i][1]);
        assert_is(class_name, all[i][2]);
    }
    assert_int_equal(p->graph.module_count, 7); /* each path once: layers.0.fc, the root, a.b, ... */
}

/* ---- a part of a file ---- */

static void test_a_part_of_a_file(void **state)
{
    place *p = *state;
    ridge_binary whole, part, inner;
    ridge_str text;
    ridge_binary_memory(&whole, "whole", RIDGE_STR("0123456789"));
    ridge_cursor c = {&whole, 2, 9};
    assert_int_equal(ridge_binary_part(&part, &c, "part", &p->arena, &p->err), RIDGE_OK);
    ridge_cursor all = ridge_cursor_all(&part);
    assert_int_equal(ridge_cursor_text(&text, &all, 7, 10, "it", &p->arena, &p->err), RIDGE_OK);
    assert_str(text, "2345678");
    assert_int_equal(ridge_cursor_text(&text, &all, 1, 10, "it", &p->arena, &p->err), RIDGE_SYNTAX);
    c = (ridge_cursor){&part, 3, 5};
    assert_int_equal(ridge_binary_part(&inner, &c, "inner", &p->arena, &p->err), RIDGE_OK);
    all = ridge_cursor_all(&inner);
    assert_int_equal(ridge_cursor_text(&text, &all, 2, 10, "it", &p->arena, NULL), RIDGE_OK);
    assert_str(text, "56");
}

static void test_a_part_of_an_open_file(void **state)
{
    place *p = *state;
    ridge_binary whole, part;
    char found[4] = {0};
    const char *path = TESTS_FOLDER "/malformed/pt2/fine_one_more.pt2";
    assert_int_equal(ridge_binary_open(&whole, path, &p->arena, &p->err), RIDGE_OK);
    char wanted[4];
    assert_int_equal(ridge_binary_read(&whole, wanted, 33, 4, &p->err), RIDGE_OK);
    ridge_cursor c = {&whole, 30, 60};
    assert_int_equal(ridge_binary_part(&part, &c, "part", &p->arena, &p->err), RIDGE_OK);
    assert_int_equal(ridge_binary_read(&part, found, 3, 4, &p->err), RIDGE_OK);
    assert_memory_equal(found, wanted, 4);
    assert_int_equal(ridge_binary_read(&part, found, 28, 4, &p->err), RIDGE_IO);
    ridge_binary_close(&whole);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)
    const struct CMUnitTest tests[] = {TEST(test_expressions), TEST(test_what_is_no_expression), TEST(test_symbols_of_expressions),
                                       TEST(test_modules),     TEST(test_a_part_of_a_file),      TEST(test_a_part_of_an_open_file)};
    return RUN_TESTS(tests);
}
