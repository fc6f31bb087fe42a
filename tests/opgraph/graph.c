/* A graph of operators built by hand: sizes, what each node moves, what fuses, what is alive, the entries made of it. Numbers by
 * arithmetic. */
#include "test.h"

#include <stdlib.h>

#include "opgraph/entries.h"

typedef struct place {
    ridge_arena arena;
    ridge_err err;
    ridge_registry *registry;
} place;

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p)
        return 1;
    ridge_arena_init(&p->arena);
    *state = p;
    return ridge_registry_open(&p->registry, NULL, 0, false, NULL) != RIDGE_OK;
}

static int close_place(void **state)
{
    place *p = *state;
    ridge_registry_close(p->registry);
    ridge_arena_free(&p->arena);
    free(p);
    return 0;
}

/* ---- y = relu(x W + b) of x [s0, 16], W [16, 8] ---- */

enum { X, W, B, Y, Z, VALUES };

static const ridge_opgraph_dim open_rows[] = {{-1, {"s0", 2}}, {16, {"", 0}}}, weight_dims[] = {{16, {"", 0}}, {8, {"", 0}}},
                               bias_dims[] = {{8, {"", 0}}}, result_dims[] = {{-1, {"s0", 2}}, {8, {"", 0}}};
static const uint64_t weight_shape[] = {16, 8}, bias_shape[] = {8};

static ridge_opgraph_value value(const char *name, ridge_opgraph_origin origin, const ridge_opgraph_dim *dims, uint32_t rank,
                                 uint32_t weight)
{
    return (ridge_opgraph_value){.name = ridge_str_of(name),
                                 .origin = origin,
                                 .format = ridge_format_find(RIDGE_STR("fp32")),
                                 .ranked = true,
                                 .rank = rank,
                                 .dims = dims,
                                 .weight = weight};
}

static const uint32_t in_addmm[] = {B, X, W}, out_addmm[] = {Y}, in_relu[] = {Y}, out_relu[] = {Z}, graph_in[] = {X}, graph_out[] = {Z};
static const ridge_opgraph_argument of_addmm[] = {
    {.name = {"self", 4}, .kind = RIDGE_OPGRAPH_ARG_VALUE, .u.value = B},
    {.name = {"mat1", 4}, .kind = RIDGE_OPGRAPH_ARG_VALUE, .u.value = X},
    {.name = {"mat2", 4}, .kind = RIDGE_OPGRAPH_ARG_VALUE, .u.value = W},
};

/* everything that a reader would fill; static, so that it outlives the call */
static ridge_opgraph *layer(const char *second)
{
    static ridge_opgraph_value values[VALUES];
    static ridge_opgraph_node nodes[2];
    static ridge_opgraph_symbol symbols[1];
    static ridge_weight weights[2];
    static ridge_opgraph g;
    values[X] = value("x", RIDGE_OPGRAPH_INPUT, open_rows, 2, 0);
    values[W] = value("fc.weight", RIDGE_OPGRAPH_PARAMETER, weight_dims, 2, 1);
    values[B] = value("fc.bias", RIDGE_OPGRAPH_PARAMETER, bias_dims, 1, 2);
    values[Y] = value("y", RIDGE_OPGRAPH_RESULT, result_dims, 2, 0);
    values[Z] = value("z", RIDGE_OPGRAPH_RESULT, result_dims, 2, 0);
    const ridge_format *fp32 = ridge_format_find(RIDGE_STR("fp32"));
    weights[0] =
        (ridge_weight){.name = RIDGE_STR("fc.weight"), .format = fp32, .rank = 2, .shape = weight_shape, .elements = 128, .bytes = 512};
    weights[1] = (ridge_weight){.name = RIDGE_STR("fc.bias"), .format = fp32, .rank = 1, .shape = bias_shape, .elements = 8, .bytes = 32};
    nodes[0] = (ridge_opgraph_node){.op = RIDGE_STR("aten.addmm.default"),
                                    .module = RIDGE_STR("fc"),
                                    .inputs = in_addmm,
                                    .outputs = out_addmm,
                                    .input_count = 3,
                                    .output_count = 1,
                                    .arguments = of_addmm,
                                    .argument_count = 3};
    nodes[1] =
        (ridge_opgraph_node){.op = ridge_str_of(second), .inputs = in_relu, .outputs = out_relu, .input_count = 1, .output_count = 1};
    symbols[0] = (ridge_opgraph_symbol){RIDGE_STR("s0"), 2, 64, 3};
    g = (ridge_opgraph){.kind = "torch.export",
                        .path = "layer.pt2",
                        .values = values,
                        .value_count = VALUES,
                        .main = {nodes, 2, graph_in, graph_out, 1, 1},
                        .symbols = symbols,
                        .symbol_count = 1,
                        .weights = {.tensors = weights, .count = 2}};
    return &g;
}

static ridge_status make(place *p, ridge_opgraph_model *out, const ridge_opgraph *g, const char *bind)
{
    ridge_opgraph_bind *binds;
    size_t count;
    ridge_err_clear(&p->err);
    ridge_status st = ridge_opgraph_binds_read(&binds, &count, bind, &p->arena, &p->err);
    return st ? st : ridge_opgraph_model_make(out, g, binds, count, p->registry, &p->arena, &p->err);
}

static ridge_int size_of(const ridge_opgraph_step *s, const char *name)
{
    for (unsigned i = 0; i < s->size_count; i++)
        if (strcmp(s->sizes[i].name, name) == 0)
            return s->sizes[i].value;
    return -1;
}

static void test_sizes(void **state)
{
    ridge_opgraph_model m;
    assert_int_equal(make(*state, &m, layer("aten.relu.default"), "s0=4"), RIDGE_OK);
    assert_int_equal(m.run.step_count, 2);
    assert_int_equal((int)size_of(&m.run.steps[0], "m"), 4);
    assert_int_equal((int)size_of(&m.run.steps[0], "k"), 16);
    assert_int_equal((int)size_of(&m.run.steps[0], "n"), 8);
    assert_int_equal((int)size_of(&m.run.steps[1], "n"), 32);
    assert_string_equal(m.run.steps[0].spec->flops, "2*m*k*n");
    assert_int_equal(m.run.assumed.count, 0);
}

static void assert_amount(const ridge_opgraph_amounts *a, ridge_byte_kind kind, int elements)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->p[i].kind == kind) {
            assert_int_equal((int)a->p[i].elements, elements);
            return;
        }
    assert_int_equal(0, elements);
}

static void test_moves(void **state)
{
    ridge_opgraph_model m;
    assert_int_equal(make(*state, &m, layer("aten.relu.default"), "s0=4"), RIDGE_OK);
    const ridge_opgraph_moves *product = &m.traffic.of[0], *relu = &m.traffic.of[1];
    assert_amount(&product->reads, RIDGE_BYTE_WEIGHTS, 128 + 8);
    assert_amount(&product->reads, RIDGE_BYTE_ACTIVATIONS, 64);
    assert_amount(&product->writes, RIDGE_BYTE_ACTIVATIONS, 32);
    assert_amount(&relu->reads, RIDGE_BYTE_ACTIVATIONS, 32);
    assert_amount(&relu->writes, RIDGE_BYTE_ACTIVATIONS, 32);
    /* relu runs in the product's kernel: what is between them is not moved */
    assert_int_equal(relu->group, 0);
    assert_true(product->joined);
    assert_amount(&product->fused_reads, RIDGE_BYTE_ACTIVATIONS, 64);
    assert_amount(&product->fused_reads, RIDGE_BYTE_WEIGHTS, 136);
    assert_amount(&product->fused_writes, RIDGE_BYTE_ACTIVATIONS, 32);
    /* x and y are alive together, then y and z */
    assert_int_equal((int)m.traffic.peak, 4 * (64 + 32));
    assert_int_equal((int)m.traffic.step_peak, 4 * (64 + 32));
}

static void test_assumed(void **state)
{
    ridge_opgraph_model m;
    assert_int_equal(make(*state, &m, layer("aten.relu.default"), ""), RIDGE_OK);
    assert_int_equal(m.run.assumed.count, 1);
    assert_string_equal(m.run.assumed.items[0], "s0=2"); /* the least that it was exported for */
}

static void test_unknown(void **state)
{
    ridge_opgraph_model m;
    assert_int_equal(make(*state, &m, layer("mine.frobnicate.default"), "s0=4"), RIDGE_OK);
    assert_int_equal(m.uncounted, 1);
    assert_int_equal(m.open_count, 1);
    assert_string_equal(m.open[0].why, "the operator is not in the catalog");
    assert_null(strstr(m.entries.p, "frobnicate")); /* it has no row, and no 0 */
}

static void assert_refused(place *p, const char *bind, const char *message)
{
    ridge_opgraph_model m;
    assert_int_not_equal(make(p, &m, layer("aten.relu.default"), bind), RIDGE_OK);
    assert_string_equal(message_of(&p->err), message);
}

static void test_refused(void **state)
{
    assert_refused(*state, "rows=4", "bind: the inputs of layer.pt2 have no dimension 'rows'; they have: s0");
    assert_refused(*state, "s0=65", "bind: s0=65: the graph was exported for 2 to 64");
    assert_refused(*state, "s0", "bind: 's0' is no NAME=NUMBER");
    assert_refused(*state, "=4", "bind: '=4' is no NAME=NUMBER");
    assert_refused(*state, "s0=", "bind: 's0=': want a whole number after '='");
    assert_refused(*state, "s0=4,s0=5", "bind: 's0' is bound twice");
    assert_refused(*state, "s0=-4", "bind: 's0=-4': want a whole number after '='");
    assert_refused(*state, "s0=99999999999999999999", "bind: 's0=99999999999999999999': want a whole number after '='");
}

/* ---- expressions over names, as sympy writes them ---- */

static void assert_dim(place *p, const char *text, int64_t want)
{
    ridge_opgraph_model m;
    ridge_opgraph_dim dims[] = {{-1, ridge_str_of(text)}, {8, {"", 0}}};
    ridge_opgraph *g = layer("aten.relu.default");
    g->values[Z].dims = dims;
    assert_int_equal(make(p, &m, g, "s0=10"), RIDGE_OK);
    const ridge_opgraph_tensor *z = &m.run.tensors[Z];
    assert_int_equal(z->known ? z->dims[0] : -1, want);
}

static void test_expressions(void **state)
{
    assert_dim(*state, "s0", 10);
    assert_dim(*state, "2*s0 + 1", 21);
    assert_dim(*state, "(s0//3)", 3);
    assert_dim(*state, "s0**2", 100);
    assert_dim(*state, "Max(1, s0 - 4)", 6);
    assert_dim(*state, "Min(4, s0)", 4);
    assert_dim(*state, "Mod(s0, 4)", 2);
    assert_dim(*state, "PythonMod(2*s0 + Max(1, 2), 4)*FloorDiv(s0, 3)", 6);
    assert_dim(*state, "CeilToInt(IntTrueDiv(s0, 3))", 4);
    assert_dim(*state, "ceiling(s0/4)", 3);
    assert_dim(*state, "s0 - 11", -1); /* no size */
    assert_dim(*state, "u0", -1);      /* of data */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)
    const struct CMUnitTest tests[] = {
        TEST(test_sizes), TEST(test_moves), TEST(test_assumed), TEST(test_unknown), TEST(test_refused), TEST(test_expressions),
    };
#undef TEST
    return RUN_TESTS(tests);
}
