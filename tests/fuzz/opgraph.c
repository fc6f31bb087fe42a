/* opgraph.c - fuzzes what a graph of operators costs. An input is an ONNX file, a torch.export archive, or, where it begins with '{', the
 * texts of such an archive (pt2_archive.h). What is accepted goes through the whole analysis, twice with the same answer: shapes, entries,
 * tree, costs. */
#include "model.h"
#include "pt2_archive.h"

#include "input/onnx/onnx.h"
#include "input/pt2/pt2.h"
#include "opgraph/entries.h"

enum { SIZE_LIMIT = 1 << 20, REUSE = 200 };

static ridge_status read_graph(ridge_opgraph *out, ridge_str bytes, ridge_arena *arena, ridge_err *err)
{
    ridge_binary file;
    ridge_binary_memory(&file, "input", bytes);
    return ridge_pt2_looks(&file) ? ridge_pt2_read(out, &file, arena, err) : ridge_onnx_read(out, &file, arena, err);
}

/* the entries in the registry, the config through it */
static void run_model(ridge_registry *registry, const ridge_opgraph_model *m)
{
    char *entries = ridge_arena_strdup(&registry->arena, m->entries); /* they live as long as it does */
    ridge_model_request r;
    ridge_err err = {0};
    ridge_model_request_default(&r);
    r.model = "config.json";
    r.config_text = m->config.p;
    r.config_length = m->config.n;
    if (!entries)
        return;
    FUZZ_CHECK(ridge_registry_add(registry, (ridge_str){entries, m->entries.n}, "entries", &err) == RIDGE_OK);
    fuzz_model(registry, &r);
    r.kernel = RIDGE_KERNEL_FUSED;
    fuzz_model(registry, &r);
}

static void check_steps(const ridge_opgraph_run *run)
{
    for (size_t i = 0; i < run->step_count; i++) {
        const ridge_opgraph_step *s = &run->steps[i];
        FUZZ_CHECK(s->times >= 0 && s->size_count <= RIDGE_OPGRAPH_SIZES);
        for (unsigned k = 0; k < s->size_count; k++)
            FUZZ_CHECK(s->sizes[k].value >= 0);
    }
    for (size_t i = 0; i < run->graph->value_count; i++) {
        const ridge_opgraph_tensor *t = &run->tensors[i];
        FUZZ_CHECK(t->base < run->graph->value_count);
        FUZZ_CHECK(!t->known || t->elements == ridge_opgraph_product(t->dims, 0, t->rank));
        FUZZ_CHECK(!t->known || !(t->ints || t->reals) || (ridge_int)t->content_count == t->elements);
    }
}

static void run(ridge_registry *registry, ridge_str bytes, bool whole)
{
    ridge_arena arena;
    ridge_opgraph graph;
    ridge_opgraph_model m, again;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    ridge_status st = read_graph(&graph, bytes, &arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK) {
        st = ridge_opgraph_model_make(&m, &graph, NULL, 0, registry, &arena, &err);
        fuzz_check_err(st, &err);
    }
    if (st == RIDGE_OK) {
        check_steps(&m.run);
        FUZZ_CHECK(ridge_opgraph_model_make(&again, &graph, NULL, 0, registry, &arena, &err) == RIDGE_OK);
        FUZZ_CHECK(ridge_str_eq(m.entries, again.entries));
        if (whole)
            run_model(registry, &m);
    }
    ridge_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ridge_registry *registry;
    static unsigned used;
    const ridge_str text = {(const char *)data, size};
    fuzz_archive made = {0};
    if (size > SIZE_LIMIT)
        return 0;
    if (registry && ++used % REUSE == 0) { /* entries are kept as long as the registry */
        ridge_registry_close(registry);
        registry = NULL;
    }
    if (!registry && ridge_registry_open(&registry, NULL, 0, false, NULL) != RIDGE_OK)
        return 0;
    const bool whole = FUZZ_REPLAYS || fuzz_digest(text) % 4 == 0;
    if (size && data[0] == '{') {
        fuzz_pt2_make(&made, text);
        run(registry, (ridge_str){made.file.p, made.file.n}, whole);
        ridge_buf_free(&made.file);
    } else {
        run(registry, text, whole);
    }
    return 0;
}
