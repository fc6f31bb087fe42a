/* inventory.c - fuzzes the reader of inventories of modules: what is accepted is a tree whose sums agree, an answer of inspect, and where a
 * forward pass is recorded a graph whose values come before they are read; then it goes through the whole analysis. */
#include "model.h"

#include "model/inventory.h"

enum { SIZE_LIMIT = 1 << 20, REUSE = 200 };

static void check_modules(const ridge_inventory *i)
{
    uint32_t tensors = 0;
    for (uint32_t m = 0; m < i->count; m++) {
        const ridge_inventory_module *one = &i->modules[m];
        FUZZ_CHECK(one->end > m && one->end <= i->count && one->class_name.n && one->depth <= RIDGE_INVENTORY_DEPTH);
        FUZZ_CHECK((m == 0) == (one->parent == UINT32_MAX) && (m == 0 || (one->parent < m && one->end <= i->modules[one->parent].end)));
        FUZZ_CHECK(one->first == tensors);
        tensors += one->parameters + one->buffers;
    }
    FUZZ_CHECK(tensors == i->weights.count);
    for (size_t t = 0; t < i->weights.count; t++) {
        const ridge_weight *w = &i->weights.tensors[t];
        FUZZ_CHECK(w->format && w->bytes >= 0 && (!w->tied || (w->tied <= t && !i->weights.tensors[w->tied - 1].tied)));
    }
    for (size_t a = 0; a < i->alias_count; a++)
        FUZZ_CHECK(i->aliases[a].of < i->count && i->aliases[a].parent < i->count);
}

static void check_tree(const ridge_inventory *i, ridge_arena *arena)
{
    ridge_tree tree;
    ridge_err err = {0};
    const ridge_status st = ridge_inventory_tree(&tree, i, arena, &err);
    fuzz_check_err(st, &err);
    if (st)
        return;
    FUZZ_CHECK(tree.count == i->count && tree.modules[0].parameters_total == i->parameters);
    for (uint32_t m = 0; m < tree.count; m++) {
        const ridge_tree_module *one = &tree.modules[m];
        FUZZ_CHECK(one->parameters >= 0 && one->parameters_total >= 0 && one->parameters_total <= i->parameters);
        FUZZ_CHECK(one->node->weights.n == i->modules[m].parameters);
        for (size_t k = 0; k < one->node->weights.n; k++) {
            const ridge_str tied = ridge_tree_tied_to(&tree, m, one->node->weights.p[k].name);
            FUZZ_CHECK((tied.p != NULL) == (i->weights.tensors[i->modules[m].first + k].tied != 0));
        }
    }
}

static void check_graph(const ridge_opgraph *g)
{
    size_t made = 0;
    for (size_t v = 0; v < g->value_count; v++)
        FUZZ_CHECK(g->values[v].format && g->values[v].ranked && g->values[v].weight <= g->weights.count);
    for (size_t n = 0; n < g->main.count; n++) {
        const ridge_opgraph_node *node = &g->main.nodes[n];
        FUZZ_CHECK(node->op.n && node->class_name.n);
        for (uint32_t i = 0; i < node->input_count; i++)
            FUZZ_CHECK(node->inputs[i] < g->value_count);
        for (uint32_t i = 0; i < node->output_count; i++)
            FUZZ_CHECK(g->values[node->outputs[i]].origin == RIDGE_OPGRAPH_RESULT);
        made += node->output_count;
    }
    FUZZ_CHECK(made <= g->value_count);
}

static void read_it(ridge_str text)
{
    ridge_arena arena;
    ridge_inventory inventory;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    const ridge_status st = ridge_inventory_parse(&inventory, "input.json", text, &arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK) {
        check_modules(&inventory);
        check_tree(&inventory, &arena);
        if (inventory.graph)
            check_graph(inventory.graph);
    }
    ridge_arena_free(&arena);
}

static void analyse(ridge_str text)
{
    static ridge_registry *registry;
    static unsigned used;
    if (registry != NULL && ++used % REUSE == 0) { /* names and entries are kept as long as the registry */
        ridge_registry_close(registry);
        registry = NULL;
    }
    if (registry == NULL && ridge_registry_open(&registry, NULL, 0, false, NULL) != RIDGE_OK)
        return;
    ridge_model_request r;
    ridge_model_request_default(&r);
    r.model = "input.json";
    r.config_text = text.p;
    r.config_length = text.n;
    fuzz_model(registry, &r);
}

static void inspect(ridge_str text)
{
    const ridge_inspect_request request = {.model = {.model = "input.json", .config_text = text.p, .config_length = text.n},
                                           .depth = RIDGE_UNSET};
    ridge_inspect_answer answer;
    ridge_buf out = {0};
    ridge_err err = {0};
    const ridge_status st = ridge_inspect_answer_make(&answer, NULL, &request, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK) {
        fuzz_check_json(&ridge_inspect_record, &answer);
        FUZZ_CHECK(ridge_inspect_text(&out, &answer, &request, &err) == RIDGE_OK);
    }
    ridge_buf_free(&out);
    ridge_inspect_answer_free(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ridge_str text = {(const char *)data, size};
    if (size > SIZE_LIMIT)
        return 0;
    read_it(text);
    if (!ridge_inventory_is(text)) /* a config of another kind is config.c's */
        return 0;
    const uint32_t chosen = fuzz_digest(text) % 4;
    if (FUZZ_REPLAYS || chosen == 0)
        inspect(text);
    if (FUZZ_REPLAYS || chosen == 1)
        analyse(text);
    return 0;
}
