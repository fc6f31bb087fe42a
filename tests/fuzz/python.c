/* python.c - fuzzes the reader and the interpreter of Python: a module's text is parsed, and its body is run with small limits among the
 * stand-ins that are built in. It ends, with an answer or with a message; a tree is no deeper than it may be, and lies within its text. */
#include "fuzz.h"

#include "learn/package/package.h"
#include "learn/python/interp.h"
#include "learn/torch/run.h"

enum { STEPS = 100000, WITH_TORCH = 2000000, BYTES = 48 << 20, DEEPEST = 2 * RIDGE_PY_NESTING + 8 };

/* ---- the tree ---- */
static void check_node(const ridge_py_node *node, uint32_t lines, unsigned depth)
{
    if (!node)
        return;
    FUZZ_CHECK(depth <= DEEPEST);
    FUZZ_CHECK(node->kind <= RIDGE_PY_BROKEN);
    FUZZ_CHECK(node->line >= 1 && node->last_line >= node->line && node->last_line <= lines);
    FUZZ_CHECK(node->column >= 1);
    check_node(node->a, lines, depth + 1);
    check_node(node->b, lines, depth + 1);
    check_node(node->c, lines, depth + 1);
    check_node(node->d, lines, depth + 1);
    for (uint32_t i = 0; i < node->count; i++)
        check_node(node->items[i], lines, depth + 1);
}

static bool fuzz_parse(ridge_str text)
{
    ridge_arena arena;
    ridge_symtab names;
    ridge_err err = {0};
    const ridge_py_node *node;
    uint32_t lines = 1;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    ridge_arena_init(&arena);
    FUZZ_CHECK(ridge_symtab_init(&names, &arena));
    ridge_status st = ridge_py_parse(&node, text, "fuzzed.py", &names, &arena, &err);
    fuzz_check_err(st, &err);
    FUZZ_CHECK((st == RIDGE_OK) == (node != NULL));
    check_node(node, lines, 0);
    ridge_arena_free(&arena);
    return st == RIDGE_OK;
}

/* ---- its run ---- */
typedef struct fuzzed {
    ridge_str text;
    ridge_py_loader rest;
} fuzzed;

static ridge_status find(ridge_py_module **out, const char *name, void *state, ridge_py_interp *in)
{
    fuzzed *f = state;
    if (strcmp(name, "fuzzed") != 0)
        return f->rest.find(out, name, f->rest.state, in);
    *out = ridge_arena_alloc(in->arena, sizeof **out);
    if (!*out)
        return ridge_no_memory(in->err);
    **out = (ridge_py_module){.name = "fuzzed", .path = "fuzzed.py", .text = f->text};
    return RIDGE_OK;
}

static void fuzz_run(ridge_str text, bool with_torch)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_py_interp in;
    ridge_py module, shown;
    ridge_arena_init(&arena);
    ridge_package package = {.arena = &arena};
    fuzzed f = {text, ridge_package_loader(&package)};
    ridge_status st = ridge_py_init(&in, (ridge_py_loader){find, &f}, &arena, &err);
    in.limits.steps = with_torch ? WITH_TORCH : STEPS;
    in.limits.bytes = BYTES;
    if (!st)
        st = ridge_package_install(&package, &in);
    if (!st && with_torch)
        st = ridge_torch_install(&in);
    if (!st)
        st = ridge_py_uncaught(ridge_py_import(&module, "fuzzed", &in), &in);
    if (!st)
        st = ridge_py_uncaught(ridge_py_to_str(&shown, module, true, &in), &in);
    fuzz_check_err(st, &err);
    for (size_t i = 0; i < in.condition_count; i++)
        FUZZ_CHECK(in.conditions[i].text != NULL);
    for (size_t i = 0; i < in.hole_count; i++)
        FUZZ_CHECK(in.holes[i]->kind != NULL && in.holes[i]->what != NULL);
    ridge_arena_free(&arena);
}

static bool contains(ridge_str text, const char *word)
{
    return text.n > 0 && memmem(text.p, text.n, word, strlen(word)) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_str text = {(const char *)data, size};
    if (fuzz_parse(text))
        fuzz_run(text, contains(text, "torch"));
    return 0;
}
