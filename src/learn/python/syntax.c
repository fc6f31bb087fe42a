#include "learn/python/syntax.h"

#include "learn/python/syntax_read.h"

const char *ridge_py_kind_name(ridge_py_kind kind)
{
    static const char *const names[] = {
#define X(code, text) text,
        RIDGE_PY_KIND_LIST(X)
#undef X
    };
    return names[kind];
}

const char *ridge_py_operator_text(ridge_py_operator op)
{
    static const char *const texts[] = {
#define X(code, text, method, reflected, in_place) text,
        RIDGE_PY_OPERATOR_LIST(X)
#undef X
    };
    return texts[op];
}

/* ---- nodes of tree-sitter's ---- */
uint32_t ridge_syntax_field_of(const ridge_syntax_reader *r, uint32_t of, ridge_syntax_field field)
{
    for (RIDGE_SYNTAX_EACH(child, r, of))
        if (r->nodes[child].field == field)
            return child;
    return 0;
}

uint32_t ridge_syntax_child_of(const ridge_syntax_reader *r, uint32_t of, ridge_syntax_token token)
{
    for (RIDGE_SYNTAX_EACH(child, r, of))
        if (r->nodes[child].token == token)
            return child;
    return 0;
}

uint32_t ridge_syntax_only_child(const ridge_syntax_reader *r, uint32_t of)
{
    uint32_t found = 0;
    for (RIDGE_SYNTAX_EACH(child, r, of)) {
        if (!r->nodes[child].named)
            continue;
        if (found != 0)
            return 0;
        found = child;
    }
    return found;
}

bool ridge_syntax_is_whole(const ridge_syntax_reader *r, uint32_t of)
{
    for (RIDGE_SYNTAX_EACH(child, r, of))
        if (r->nodes[child].error)
            return false;
    return true;
}

bool ridge_syntax_has_comma(const ridge_syntax_reader *r, uint32_t of)
{
    for (RIDGE_SYNTAX_EACH(child, r, of))
        if (r->nodes[child].comma)
            return true;
    return false;
}

/* ---- nodes of ours ---- */
ridge_py_node *ridge_syntax_new(ridge_syntax_reader *r, ridge_py_kind kind, uint32_t at)
{
    const ridge_syntax_node *from = &r->nodes[at];
    ridge_py_node *node = ridge_arena_alloc(r->arena, sizeof *node);
    if (!node) {
        r->out_of_memory = true;
        return NULL;
    }
    node->kind = (uint8_t)kind;
    node->line = from->line;
    node->column = from->column;
    node->last_line = from->last_line;
    return node;
}

const ridge_symbol *ridge_syntax_name(ridge_syntax_reader *r, ridge_str text)
{
    const ridge_symbol *name = ridge_intern(r->names, text);
    if (!name)
        r->out_of_memory = true;
    return name;
}

bool ridge_syntax_add(ridge_syntax_reader *r, const ridge_py_node *item)
{
    if (!item)
        return false;
    if (!ridge_arena_more(r->arena, &r->pending, r->pending_count, &r->pending_cap, sizeof(const ridge_py_node *))) {
        r->out_of_memory = true;
        return false;
    }
    r->pending[r->pending_count++] = item;
    return true;
}

ridge_py_node *ridge_syntax_take(ridge_syntax_reader *r, ridge_py_node *node, size_t mark)
{
    size_t count = r->pending_count - mark;
    r->pending_count = mark;
    if (!node || count == 0)
        return node;
    const ridge_py_node **items = ridge_arena_array(r->arena, count, sizeof(const ridge_py_node *));
    if (!items) {
        r->out_of_memory = true;
        return NULL;
    }
    memcpy(items, r->pending + mark, count * sizeof(const ridge_py_node *));
    node->items = items;
    node->count = (uint32_t)count;
    return node;
}

/* ---- the way in ---- */
ridge_status ridge_py_parse(const ridge_py_node **out, ridge_str text, const char *file, ridge_symtab *names, ridge_arena *arena,
                            ridge_err *err)
{
    *out = NULL;
    if (text.n > RIDGE_PY_SOURCE_LIMIT)
        return ridge_fail_at(err, RIDGE_LIMIT, file, 1, 1, "a module of %zu bytes; at most %u are read", text.n, RIDGE_PY_SOURCE_LIMIT);
    ridge_syntax_tree tree;
    ridge_status st = ridge_syntax_tree_read(&tree, text, file, err);
    if (!st) {
        ridge_syntax_reader r = {.nodes = tree.nodes, .text = text, .names = names, .arena = arena};
        *out = ridge_syntax_block(&r, 0);
        st = *out ? RIDGE_OK : ridge_no_memory(err);
    }
    ridge_syntax_tree_free(&tree);
    return st;
}
