/* gguf.c - fuzzes a GGUF in memory: what is read lies in the file, none on another; its config is JSON with each key once, and
 * weights are found or not, with a reason. */
#include "fuzz.h"

#include "input/gguf/model.h"

enum { SIZE_LIMIT = 1 << 20 };

static void check_tensors(const ridge_gguf *g, size_t size)
{
    ridge_int bytes = 0;
    for (size_t i = 0; i < g->weights.count; i++) {
        const ridge_weight *w = &g->weights.tensors[i];
        FUZZ_CHECK(w->format != NULL && w->name.n > 0 && w->bytes > 0);
        FUZZ_CHECK(w->offset <= size && (uint64_t)w->bytes <= size - w->offset);
        FUZZ_CHECK(ridge_gguf_tensor(g, w->name) == w);
        bytes += w->bytes;
    }
    FUZZ_CHECK(bytes == g->weights.bytes);
}

static void check_config(ridge_gguf *g, ridge_arena *arena)
{
    ridge_gguf_model m = {.gguf = *g, .arena = arena};
    ridge_err err = {0};
    ridge_str text;
    ridge_json *json;
    m.architecture = ridge_arena_strdup(arena, ridge_gguf_text(g, "general.architecture"));
    m.used = ridge_arena_array(arena, g->weights.count + 1, sizeof *m.used);
    if (m.architecture == NULL || m.used == NULL)
        return;
    const ridge_status st = ridge_gguf_config(&text, &m, &err);
    fuzz_check_err(st, &err);
    if (st)
        return;
    FUZZ_CHECK(ridge_json_parse(&json, text, "", (ridge_json_options){.unique_keys = true}, arena, NULL) == RIDGE_OK);
    static const char *const paths[] = {"model.embed_tokens.weight",
                                        "model.layers.0.self_attn.q_proj.weight",
                                        "model.layers.3.mlp.experts.*.up_proj.weight",
                                        "lm_head.weight",
                                        "a..b",
                                        ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ridge_gguf_weight w;
        ridge_err other = {0};
        const ridge_status found = ridge_gguf_weight_find(&w, &m, ridge_str_of(paths[i]), 64, &other);
        fuzz_check_err(found, &other);
        FUZZ_CHECK(found || (w.format != NULL && w.bytes > 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_arena arena;
    ridge_binary file;
    ridge_gguf g;
    ridge_err err = {0};
    if (size > SIZE_LIMIT)
        return 0;
    ridge_arena_init(&arena);
    ridge_binary_memory(&file, "fuzz.gguf", (ridge_str){(const char *)data, size});
    const ridge_status st = ridge_gguf_read_one(&g, &file, &arena, &err);
    fuzz_check_err(st, &err);
    if (!st) {
        check_tensors(&g, size);
        check_config(&g, &arena);
    }
    ridge_arena_free(&arena);
    return 0;
}
