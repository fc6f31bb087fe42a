#include "learn/python/syntax_read.h"

/* ---- what a case matches, as the expression that looks like it: syntax.h has the list ---- */
/* The grammar has no node of their own for a number's sign and for `_` in the middle of a pattern. */
static bool begins_pattern(const ridge_syntax_reader *r, uint32_t child)
{
    return r->nodes[child].named || r->nodes[child].op == RIDGE_PY_OP_SUB || ridge_str_is(ridge_syntax_text(r, child), "_");
}

/* the pattern that begins at *child, which becomes the last node of it */
static ridge_py_node *read_part(ridge_syntax_reader *r, uint32_t of, uint32_t *child)
{
    uint32_t at = *child;
    if (r->nodes[at].named)
        return ridge_syntax_pattern(r, at);
    bool minus = r->nodes[at].op == RIDGE_PY_OP_SUB;
    ridge_py_node *node = ridge_syntax_new(r, minus ? RIDGE_PY_UNARY : RIDGE_PY_NAME, at);
    if (!node)
        return NULL;
    if (!minus)
        return (node->name = ridge_syntax_name(r, ridge_syntax_text(r, at))) ? node : NULL;
    *child = ridge_syntax_next(r, of, at);
    node->op = RIDGE_PY_OP_NEGATIVE;
    if (*child == 0) {
        *child = at;
        return NULL;
    }
    return (node->a = ridge_syntax_pattern(r, *child)) ? node : NULL;
}

static ridge_py_node *read_children(ridge_syntax_reader *r, uint32_t at, ridge_py_kind kind)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, kind, at);
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (node && r->nodes[child].named && !ridge_syntax_add(r, ridge_syntax_pattern(r, child)))
            node = NULL;
    return ridge_syntax_take(r, node, mark);
}

/* a.b.c; a alone is a name that is bound */
static ridge_py_node *read_dotted(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = NULL;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!r->nodes[child].named)
            continue;
        ridge_py_node *part = ridge_syntax_new(r, node ? RIDGE_PY_ATTRIBUTE : RIDGE_PY_NAME, at);
        if (!part || !(part->name = ridge_syntax_name(r, ridge_syntax_text(r, child))))
            return NULL;
        part->a = node;
        node = part;
    }
    return node;
}

/* Class(pattern, name=pattern) */
static ridge_py_node *read_class_pattern(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_CALL, at);
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!node || !r->nodes[child].named)
            continue;
        if (!node->a)
            node = (node->a = read_dotted(r, child)) ? node : NULL;
        else if (!ridge_syntax_add(r, ridge_syntax_pattern(r, child)))
            node = NULL;
    }
    return ridge_syntax_take(r, node, mark);
}

/* name=pattern */
static ridge_py_node *read_keyword_pattern(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_KEYWORD, at);
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!node || !begins_pattern(r, child))
            continue;
        if (!node->name)
            node = (node->name = ridge_syntax_name(r, ridge_syntax_text(r, child))) ? node : NULL;
        else
            node = (node->a = read_part(r, at, &child)) ? node : NULL;
    }
    return node && node->a ? node : NULL;
}

/* {key: pattern, **rest} */
static ridge_py_node *read_dict_pattern(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_DICT, at), *pair = NULL;
    bool fine = node;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!fine || !begins_pattern(r, child))
            continue;
        if (r->nodes[child].field == RIDGE_FIELD_key)
            fine = (pair = ridge_syntax_new(r, RIDGE_PY_PAIR, child)) && (pair->a = read_part(r, at, &child));
        else if (r->nodes[child].field == RIDGE_FIELD_value)
            fine = pair && (pair->b = ridge_syntax_pattern(r, child)) && ridge_syntax_add(r, pair);
        else
            fine = ridge_syntax_add(r, ridge_syntax_pattern(r, child));
    }
    return ridge_syntax_take(r, fine ? node : NULL, mark);
}

/* pattern as name */
static ridge_py_node *read_as(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_WALRUS, at);
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!node || !r->nodes[child].named)
            continue;
        if (!node->a)
            node = (node->a = ridge_syntax_pattern(r, child)) ? node : NULL;
        else
            node = (node->name = ridge_syntax_name(r, ridge_syntax_text(r, child))) ? node : NULL;
    }
    return node && node->name ? node : NULL;
}

/* a | b | c */
static ridge_py_node *read_union(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = NULL;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!begins_pattern(r, child))
            continue;
        ridge_py_node *part = read_part(r, at, &child), *pair = node && part ? ridge_syntax_new(r, RIDGE_PY_BINARY, at) : NULL;
        if (!part || (node && !pair))
            return NULL;
        if (pair) {
            pair->op = RIDGE_PY_OP_BITOR;
            pair->a = node;
            pair->b = part;
        }
        node = pair ? pair : part;
    }
    return node;
}

/* *rest, **rest, *_: the name is what is left of the text */
static ridge_py_node *read_splat(ridge_syntax_reader *r, uint32_t at)
{
    ridge_str text = ridge_syntax_text(r, at);
    bool twice = text.n > 1 && text.p[1] == '*';
    ridge_py_node *node = ridge_syntax_new(r, twice ? RIDGE_PY_DOUBLE_STAR : RIDGE_PY_STAR, at),
                  *name = ridge_syntax_new(r, RIDGE_PY_NAME, at);
    size_t skip = twice ? 2 : 1;
    while (skip < text.n && strchr(" \t\r\n\\", text.p[skip]))
        skip++;
    if (!node || !name || !(name->name = ridge_syntax_name(r, (ridge_str){text.p + skip, text.n - skip})))
        return NULL;
    node->a = name;
    return node;
}

/* case_pattern: one pattern; `_` alone is the whole text of it */
static ridge_py_node *read_case_pattern(ridge_syntax_reader *r, uint32_t at)
{
    uint32_t child = ridge_syntax_first(r, at);
    if (child != 0)
        return begins_pattern(r, child) ? read_part(r, at, &child) : NULL;
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_NAME, at);
    return node && (node->name = ridge_syntax_name(r, ridge_syntax_text(r, at))) ? node : NULL;
}

/* (pattern) is the pattern */
static ridge_py_node *read_tuple_pattern(ridge_syntax_reader *r, uint32_t at)
{
    uint32_t only = ridge_syntax_has_comma(r, at) ? 0 : ridge_syntax_only_child(r, at);
    return only != 0 ? ridge_syntax_pattern(r, only) : read_children(r, at, RIDGE_PY_TUPLE);
}

static ridge_py_node *read_pattern(ridge_syntax_reader *r, uint32_t at)
{
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_case_pattern:
        return read_case_pattern(r, at);
    case RIDGE_SYNTAX_dotted_name:
        return read_dotted(r, at);
    case RIDGE_SYNTAX_class_pattern:
        return read_class_pattern(r, at);
    case RIDGE_SYNTAX_keyword_pattern:
        return read_keyword_pattern(r, at);
    case RIDGE_SYNTAX_dict_pattern:
        return read_dict_pattern(r, at);
    case RIDGE_SYNTAX_as_pattern:
        return read_as(r, at);
    case RIDGE_SYNTAX_union_pattern:
        return read_union(r, at);
    case RIDGE_SYNTAX_splat_pattern:
        return read_splat(r, at);
    case RIDGE_SYNTAX_tuple_pattern:
        return read_tuple_pattern(r, at);
    case RIDGE_SYNTAX_list_pattern:
        return read_children(r, at, RIDGE_PY_LIST);
    default:
        return ridge_syntax_expression(r, at); /* literals */
    }
}

ridge_py_node *ridge_syntax_pattern(ridge_syntax_reader *r, uint32_t at)
{
    if (r->nodes[at].has_error || r->depth >= RIDGE_PY_NESTING)
        return NULL;
    r->depth++;
    ridge_py_node *node = read_pattern(r, at);
    r->depth--;
    return node;
}
