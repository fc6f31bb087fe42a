/* The reader of inventories: what is told to be one, the graph that a recorded pass becomes, and parameters_total where modules are seen
 * twice. Numbers by hand; faults, each with its message: tests/malformed/inventory. */
#include "test.h"

#include <stdlib.h>

#include "input/inventory.h"
#include "model/inventory.h"

typedef struct place {
    ridge_arena arena;
    ridge_err err;
    ridge_inventory inventory;
} place;

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p)
        return 1;
    ridge_arena_init(&p->arena);
    *state = p;
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    ridge_arena_free(&p->arena);
    free(p);
    return 0;
}

static void read_text(place *p, const char *text)
{
    const ridge_status st = ridge_inventory_parse(&p->inventory, "in.json", ridge_str_of(text), &p->arena, &p->err);
    if (st)
        fail_msg("%u:%u: %s", p->err.line, p->err.col, p->err.msg);
}

static void told_by_its_key(void **state)
{
    static const char *const yes[] = {
        "{\"ridge_inventory\": 1}",
        " \n{ \"a\": {\"b\": [1, \"}\"]}, \"ridge_inventory\"",
        "\xef\xbb\xbf{\"ridge_inventory\"",
        "{\"a\\\"b\": \"{\", \"ridge_inventory\": 1}",
    };
    static const char *const no[] = {
        "",
        "{",
        "[\"ridge_inventory\"]",
        "{\"a\": \"ridge_inventory\"}",
        "{\"a\": {\"ridge_inventory\": 1}}",
        "{\"a\": 1} {\"ridge_inventory\": 1}",
        "{\"ridge_inventor\": 1}",
        "{\"a\\",
        "}{\"ridge_inventory\": 1}",
        "{\"a\": [\"x\", \"ridge_inventory\"]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(ridge_inventory_is(ridge_str_of(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(ridge_inventory_is(ridge_str_of(no[i])));
}

/* y = cat([x, w], 0).sum() of x [2, 4], w [3, 4] */
static const char cat[] =
    "{\"ridge_inventory\": 1, \"torch\": \"2.6.0\", \"total\": 12, \"modules\": [{\"path\": \"\", \"class\": \"a.b.Cat\", \"parameters\": "
    "[{\"name\": \"w\", \"shape\": [3, 4], \"dtype\": \"bfloat16\"}], \"buffers\": [], \"calls\": [{\"count\": 2}, {\"count\": 1}]}],"
    "\"run\": {\"inputs\": [0], \"outputs\": [3], \"values\": [{\"of\": \"input\", \"name\": \"x\", \"shape\": [2, 4], \"dtype\": "
    "\"bfloat16\"},"
    "{\"of\": \"parameter\", \"name\": \"w\", \"shape\": [3, 4], \"dtype\": \"bfloat16\"}, {\"shape\": [5, 4], \"dtype\": \"bfloat16\"},"
    "{\"shape\": [], \"dtype\": \"float32\"}], \"operators\": ["
    "{\"op\": \"aten.cat.default\", \"module\": \"\", \"arguments\": {\"tensors\": {\"values\": [0, null, 1]}, \"dim\": -1}, \"outputs\": "
    "[2]},"
    "{\"op\": \"aten.sum.dim_IntList\", \"module\": \"\", \"arguments\": {\"self\": {\"value\": 2}, \"dim\": [0, 1], \"keepdim\": false,"
    "\"scale\": 0.5, \"dtype\": \"torch.float32\", \"names\": [\"a\"], \"parts\": [1, 0.5], \"none\": null, \"mixed\": [1, \"a\"]}, "
    "\"outputs\": [3]}]}}";

static void run_becomes_a_graph(void **state)
{
    place *p = *state;
    read_text(p, cat);
    const ridge_opgraph *g = p->inventory.graph;
    assert_non_null(g);
    assert_str(g->name, "Cat");
    assert_str(g->producer, "PyTorch 2.6.0");
    assert_int_equal(p->inventory.modules[0].calls, 3);
    assert_int_equal(g->main.count, 2);
    assert_int_equal(g->values[1].weight, 1);
    assert_int_equal(g->values[1].origin, RIDGE_OPGRAPH_PARAMETER);
    assert_int_equal(g->values[3].rank, 0);
    assert_true(g->values[3].ranked);
    const ridge_opgraph_node *n = &g->main.nodes[0];
    assert_str(n->op, "aten.cat.default");
    assert_str(n->class_name, "a.b.Cat");
    assert_int_equal(n->input_count, 2);
    assert_int_equal(n->inputs[1], 1);
    const ridge_opgraph_argument *tensors = ridge_opgraph_argument_of(n, "tensors");
    assert_int_equal(tensors->kind, RIDGE_OPGRAPH_ARG_VALUES);
    assert_int_equal(tensors->count, 3);
    assert_int_equal(tensors->u.values[1], RIDGE_OPGRAPH_NONE);
    assert_int_equal(ridge_opgraph_whole(n, "dim", 7), -1);
}

static void arguments_have_their_kinds(void **state)
{
    place *p = *state;
    read_text(p, cat);
    const ridge_opgraph_node *n = &p->inventory.graph->main.nodes[1];
    const ridge_opgraph_argument *dims = ridge_opgraph_argument_of(n, "dim"), *parts = ridge_opgraph_argument_of(n, "parts");
    assert_int_equal(dims->kind, RIDGE_OPGRAPH_ARG_INTS);
    assert_int_equal(dims->count, 2);
    assert_int_equal(dims->u.ints[1], 1);
    assert_int_equal(ridge_opgraph_whole(n, "keepdim", 7), 0);
    assert_true(ridge_opgraph_real(n, "scale", 0) == 0.5);
    assert_str(ridge_opgraph_text(n, "dtype", ""), "torch.float32");
    assert_int_equal(ridge_opgraph_argument_of(n, "names")->kind, RIDGE_OPGRAPH_ARG_TEXTS);
    assert_int_equal(parts->kind, RIDGE_OPGRAPH_ARG_REALS);
    assert_true(parts->u.reals[0] == 1.0 && parts->u.reals[1] == 0.5);
    assert_int_equal(ridge_opgraph_argument_of(n, "none")->kind, RIDGE_OPGRAPH_ARG_NONE);
    assert_int_equal(ridge_opgraph_argument_of(n, "mixed")->kind, RIDGE_OPGRAPH_ARG_NONE);
}

#define MODULE(path, tensors) "{\"path\": \"" path "\", \"class\": \"m.M\", \"parameters\": [" tensors "], \"buffers\": []}"
#define TENSOR(name, size)    "{\"name\": \"" name "\", \"shape\": [" size "], \"dtype\": \"float32\"}"
#define TIED(name, size, to)  "{\"name\": \"" name "\", \"shape\": [" size "], \"dtype\": \"float32\", \"tied_to\": \"" to "\"}"

static ridge_int total(const ridge_tree *tree, const char *path)
{
    return tree->modules[ridge_tree_find(tree, ridge_str_of(path))].parameters_total;
}

/* a.w 10, a.deep.v 3; b.w is a.w, b.own 5; c has a again, and c's alias of itself is a circle; d has what b has, through c */
static void shared_tensors_count_once(void **state)
{
    place *p = *state;
    ridge_tree tree;
    read_text(
        p,
        "{\"ridge_inventory\": 1, \"total\": 18, \"modules\": [" MODULE("", "") ", " MODULE("a", TENSOR("w", "10")) ", " MODULE(
            "a.deep",
            TENSOR("v", "3")) ", " MODULE("b",
                                          TIED("w", "10", "a.w") ", " TENSOR(
                                              "own",
                                              "5")) ", " MODULE("c",
                                                                "") ", " MODULE("d",
                                                                                TIED("w", "10",
                                                                                     "a.w")) "], \"aliases\": [{\"path\": \"c.a\", \"of\": "
                                                                                             "\"a\"}, {\"path\": \"c.c\", \"of\": \"c\"}, "
                                                                                             "{\"path\": \"d.c\", \"of\": \"c\"}, "
                                                                                             "{\"path\": \"d.b\", \"of\": \"b\"}]}");
    assert_int_equal(ridge_inventory_tree(&tree, &p->inventory, &p->arena, &p->err), RIDGE_OK);
    assert_int_equal(p->inventory.parameters, 18);
    assert_int_equal(total(&tree, ""), 18);
    assert_int_equal(total(&tree, "a"), 13);
    assert_int_equal(total(&tree, "a.deep"), 3);
    assert_int_equal(total(&tree, "b"), 15);
    assert_int_equal(total(&tree, "c"), 13); /* all of a */
    assert_int_equal(total(&tree, "d"), 18); /* all of a, through c, and b's own */
    assert_str(ridge_tree_tied_to(&tree, 3, tree.modules[3].node->weights.p[0].name), "a.w");
    assert_null(ridge_tree_tied_to(&tree, 3, tree.modules[3].node->weights.p[1].name).p);
}

/* layers of equal tensors and classes are one node, whatever stands beside them */
static void equal_modules_are_one_node(void **state)
{
    place *p = *state;
    ridge_tree tree;
    read_text(
        p, "{\"ridge_inventory\": 1, \"total\": 15, \"modules\": [" MODULE("", "") ", " MODULE("0", TENSOR("w", "2")) ", " MODULE(
               "0.x",
               TENSOR("w", "3")) ", " MODULE("1",
                                             TENSOR("w",
                                                    "2")) ", " MODULE("1.x",
                                                                      TENSOR("w",
                                                                             "3")) ", " MODULE("2",
                                                                                               TENSOR("w",
                                                                                                      "2")) ", " MODULE("2.y",
                                                                                                                        TENSOR("w",
                                                                                                                               "3")) "]}");
    assert_int_equal(ridge_inventory_tree(&tree, &p->inventory, &p->arena, &p->err), RIDGE_OK);
    assert_ptr_equal(tree.modules[1].node, tree.modules[3].node);
    assert_ptr_not_equal(tree.modules[1].node, tree.modules[5].node); /* what is below has another name */
    assert_ptr_equal(tree.modules[2].node, tree.modules[6].node);
}

static void class_and_format(void **state)
{
    place *p = *state;
    read_text(p, "{\"ridge_inventory\": 1, \"total\": 9, \"modules\": [{\"path\": \"\", \"class\": \"Plain\", \"parameters\": ["
                 "{\"name\": \"a\", \"shape\": [2], \"dtype\": \"float32\"}, {\"name\": \"b\", \"shape\": [7], \"dtype\": \"float16\"}],"
                 "\"buffers\": []}]}");
    assert_str(ridge_inventory_class(&p->inventory), "Plain");
    assert_string_equal(ridge_inventory_format(&p->inventory)->name, "fp16"); /* 14 bytes against 8 */
    read_text(p, "{\"ridge_inventory\": 1, \"total\": 0, \"modules\": [{\"path\": \"\", \"class\": \"a.b.C\", \"parameters\": [], "
                 "\"buffers\": []}]}");
    assert_str(ridge_inventory_class(&p->inventory), "C");
    assert_null(ridge_inventory_format(&p->inventory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_by_its_key),
        cmocka_unit_test_setup_teardown(run_becomes_a_graph, open_place, close_place),
        cmocka_unit_test_setup_teardown(arguments_have_their_kinds, open_place, close_place),
        cmocka_unit_test_setup_teardown(shared_tensors_count_once, open_place, close_place),
        cmocka_unit_test_setup_teardown(equal_modules_are_one_node, open_place, close_place),
        cmocka_unit_test_setup_teardown(class_and_format, open_place, close_place),
    };
    return RUN_TESTS(tests);
}
