/* catalog.c - fuzzes the catalog: a text taken as a user's catalog file, every entry of it compiled, invoked with small arguments, unfolded
 * and costed, with numbers and with the workload left open. */
#include "fuzz.h"

#include "cost/rows.h"
#include "formula/poly.h"
#include "graph/config.h"
#include "graph/tree.h"

enum { STEPS = 100000, SIZE_LIMIT = 16384, ARGUMENTS = 64, MODULES = 20000 };

static void set_globals(ridge_value *g)
{
    static const ridge_global numbers[] = {RIDGE_GLOBAL_B,   RIDGE_GLOBAL_S,     RIDGE_GLOBAL_past,   RIDGE_GLOBAL_T,
                                           RIDGE_GLOBAL_enc, RIDGE_GLOBAL_image, RIDGE_GLOBAL_frames, RIDGE_GLOBAL_head_rows};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        g[numbers[i]] = ridge_value_int((ridge_int)i + 2);
    g[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("prefill"));
    g[RIDGE_GLOBAL_attention] = ridge_value_str(RIDGE_STR("full"));
    g[RIDGE_GLOBAL_act] = g[RIDGE_GLOBAL_kv] = g[RIDGE_GLOBAL_weights_format] = ridge_value_str(RIDGE_STR("bf16"));
}

static ridge_status invoke(ridge_value *out, ridge_graph *g, const ridge_entry *e)
{
    ridge_argument args[ARGUMENTS];
    size_t count = 0;
    while (count < e->parameter_count && count < ARGUMENTS && e->parameters[count].fallback == NULL) {
        args[count] = (ridge_argument){NULL, ridge_value_int((ridge_int)count + 3)};
        count++;
    }
    return ridge_graph_invoke(out, g, e->key, args, count);
}

/* sum of the folded rows' counts: how large the tree is unfolded */
static bool is_small(const ridge_rows *rows)
{
    ridge_int modules = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (!ridge_int_add(&modules, modules, rows->p[i].count))
            return false;
    return modules <= MODULES;
}

static ridge_status cost(ridge_graph *g, const ridge_node *root, bool symbolic)
{
    ridge_coster coster;
    const ridge_cost *c;
    ridge_rows rows = {0};
    ridge_tree tree;
    ridge_int count;
    ridge_status st;
    if ((st = ridge_coster_init(&coster, g, RIDGE_KERNEL_EAGER)) || (st = ridge_cost_of(&c, &coster, root)) || symbolic)
        return st;
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        FUZZ_CHECK(c->flops[i].type == RIDGE_V_INT && c->flops[i].u.i >= 0);
    if ((st = ridge_rows_make(&rows, &coster, root, false)) || !is_small(&rows))
        return st;
    if ((st = ridge_coster_init(&coster, g, RIDGE_KERNEL_FUSED)) || (st = ridge_cost_of(&c, &coster, root)) ||
        (st = ridge_graph_parameters(&count, g, root, NULL, false)))
        return st;
    FUZZ_CHECK(count >= 0);
    return ridge_tree_make(&tree, g, root);
}

static void run_entry(ridge_registry *registry, const ridge_entry *e, bool symbolic)
{
    ridge_arena arena;
    ridge_algebra algebra;
    ridge_graph g;
    ridge_value v;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    if (ridge_algebra_init(&algebra, &arena) && ridge_graph_init(&g, registry, &arena, symbolic ? &algebra : NULL, &err) == RIDGE_OK) {
        g.run.steps_left = STEPS;
        set_globals(g.globals);
        ridge_status st = symbolic ? ridge_sym_name(&g.globals[RIDGE_GLOBAL_S], "S", 1, &g.run.calc) : RIDGE_OK;
        if (st == RIDGE_OK && (st = invoke(&v, &g, e)) == RIDGE_OK && v.type == RIDGE_V_NODE)
            st = cost(&g, v.u.node, symbolic);
        fuzz_check_err(st, &err);
    }
    ridge_arena_free(&arena);
}

/* a config that the file gives nothing of: its defaults, and those of what is nested in it */
static void bind_config(ridge_registry *registry, const ridge_entry *e)
{
    static const ridge_json empty = {.type = RIDGE_JSON_OBJECT, .line = 1, .col = 1};
    ridge_arena arena;
    ridge_graph g;
    ridge_object *object;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    if (ridge_graph_init(&g, registry, &arena, NULL, &err) == RIDGE_OK) {
        g.run.steps_left = STEPS;
        fuzz_check_err(ridge_config_bind(&object, registry, e, &empty, "config.json", &g.run), &err);
    }
    ridge_arena_free(&arena);
}

static void run(ridge_registry *registry, ridge_str text)
{
    ridge_err err = {0};
    ridge_status st = ridge_registry_add(registry, text, "catalog.json", &err);
    fuzz_check_err(st, &err);
    for (size_t i = 0; i < registry->user_count; i++) {
        ridge_entry *e;
        ridge_err entry_err = {0};
        st = ridge_registry_entry(&e, registry, registry->user[i]->key, &entry_err);
        fuzz_check_err(st, &entry_err);
        if (st == RIDGE_OK && e->kind == RIDGE_KIND_CONFIG)
            bind_config(registry, e);
        if (st != RIDGE_OK || e->kind == RIDGE_KIND_CONFIG)
            continue;
        run_entry(registry, e, false);
        run_entry(registry, e, true);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_registry *registry;
    if (size > SIZE_LIMIT)
        return 0;
    if (ridge_registry_open(&registry, NULL, 0, false, NULL) == RIDGE_OK)
        run(registry, (ridge_str){(const char *)data, size});
    ridge_registry_close(registry);
    return 0;
}
