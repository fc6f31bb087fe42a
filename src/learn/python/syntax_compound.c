#include "learn/python/syntax_read.h"

/* the block of a clause, by its field or, where it has none, by its token; NULL: broken */
static ridge_py_node *read_body(ridge_syntax_reader *r, uint32_t of, ridge_syntax_field field)
{
    uint32_t at = field != RIDGE_FIELD_none ? ridge_syntax_field_of(r, of, field) : ridge_syntax_child_of(r, of, RIDGE_SYNTAX_block);
    return at != 0 && ridge_syntax_is_whole(r, of) ? ridge_syntax_block(r, at) : NULL;
}

/* a clause that may be missing: false where it is broken */
static bool read_clause(const ridge_py_node **out, ridge_syntax_reader *r, uint32_t of, ridge_syntax_token token)
{
    uint32_t at = ridge_syntax_child_of(r, of, token);
    *out = at == 0 ? NULL : read_body(r, at, token == RIDGE_SYNTAX_else_clause ? RIDGE_FIELD_body : RIDGE_FIELD_none);
    return at == 0 || *out;
}

static bool is_needed(ridge_py_node *node, const ridge_py_node **out, ridge_syntax_reader *r, uint32_t at, ridge_syntax_field field)
{
    return node && ridge_syntax_optional(out, r, at, field) && *out;
}

/* ---- if, for, while ---- */
/* the clause at `child` and those after it: an elif is an if in a block of its own */
static bool read_alternative(const ridge_py_node **out, ridge_syntax_reader *r, uint32_t of, uint32_t child)
{
    *out = NULL;
    while (child != 0 && r->nodes[child].field != RIDGE_FIELD_alternative)
        child = ridge_syntax_next(r, of, child);
    if (child == 0)
        return true;
    if (r->nodes[child].token == RIDGE_SYNTAX_else_clause)
        return (*out = read_body(r, child, RIDGE_FIELD_body));
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_IF, child);
    bool fine = r->depth++ < RIDGE_PY_NESTING && is_needed(node, &node->a, r, child, RIDGE_FIELD_condition) &&
                (node->b = read_body(r, child, RIDGE_FIELD_consequence)) &&
                read_alternative(&node->c, r, of, ridge_syntax_next(r, of, child)) && ridge_syntax_add(r, node);
    r->depth--;
    ridge_py_node *block = fine ? ridge_syntax_new(r, RIDGE_PY_BLOCK, child) : NULL;
    return (*out = ridge_syntax_take(r, block, mark));
}

static ridge_py_node *read_if(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_IF, at);
    bool fine = is_needed(node, &node->a, r, at, RIDGE_FIELD_condition) && (node->b = read_body(r, at, RIDGE_FIELD_consequence)) &&
                read_alternative(&node->c, r, at, ridge_syntax_first(r, at));
    return fine ? node : NULL;
}

static ridge_py_node *read_for(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_FOR, at);
    bool fine = is_needed(node, &node->a, r, at, RIDGE_FIELD_left) && is_needed(node, &node->b, r, at, RIDGE_FIELD_right) &&
                (node->c = read_body(r, at, RIDGE_FIELD_body)) && read_clause(&node->d, r, at, RIDGE_SYNTAX_else_clause);
    return fine ? node : NULL;
}

static ridge_py_node *read_while(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_WHILE, at);
    bool fine = is_needed(node, &node->a, r, at, RIDGE_FIELD_condition) && (node->c = read_body(r, at, RIDGE_FIELD_body)) &&
                read_clause(&node->d, r, at, RIDGE_SYNTAX_else_clause);
    return fine ? node : NULL;
}

/* ---- try ---- */
/* expression as target, of `with` and `except`: *value the expression, *target 0 where there is none */
static void split_as(uint32_t *value, uint32_t *target, const ridge_syntax_reader *r)
{
    if (r->nodes[*value].token != RIDGE_SYNTAX_as_pattern || r->nodes[*value].has_error)
        return;
    *target = ridge_syntax_field_of(r, *value, RIDGE_FIELD_alias);
    *value = ridge_syntax_first(r, *value);
}

static ridge_py_node *read_except(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_EXCEPT, at);
    uint32_t value = 0, target = 0;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!r->nodes[child].named || r->nodes[child].token == RIDGE_SYNTAX_block)
            continue;
        if (value == 0)
            value = child;
        else
            target = child;
    }
    if (!node || ridge_syntax_has_comma(r, at)) /* Python 2 */
        return NULL;
    if (value != 0 && target == 0)
        split_as(&value, &target, r);
    if (value != 0 && !(node->a = ridge_syntax_expression(r, value)))
        return NULL;
    if (target != 0 && !(node->name = ridge_syntax_name(r, ridge_syntax_text(r, target))))
        return NULL;
    return (node->b = read_body(r, at, RIDGE_FIELD_none)) ? node : NULL;
}

static ridge_py_node *read_try(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_TRY, at);
    bool fine = node && (node->a = read_body(r, at, RIDGE_FIELD_body)) && read_clause(&node->c, r, at, RIDGE_SYNTAX_else_clause) &&
                read_clause(&node->d, r, at, RIDGE_SYNTAX_finally_clause);
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (fine && (r->nodes[child].token == RIDGE_SYNTAX_except_clause || r->nodes[child].token == RIDGE_SYNTAX_except_group_clause))
            fine = ridge_syntax_add(r, read_except(r, child));
    return ridge_syntax_take(r, fine ? node : NULL, mark);
}

/* ---- with ---- */
static bool add_with_item(ridge_syntax_reader *r, uint32_t value)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_WITH_ITEM, value);
    uint32_t target = 0;
    split_as(&value, &target, r);
    if (!node || !(node->a = ridge_syntax_expression(r, value)))
        return false;
    if (target != 0 && !(node->b = ridge_syntax_expression(r, target)))
        return false;
    return ridge_syntax_add(r, node);
}

/* `(a as b, c as d)` may have been read as one tuple */
static bool is_list_of_items(const ridge_syntax_reader *r, uint32_t value)
{
    return (r->nodes[value].token == RIDGE_SYNTAX_tuple || r->nodes[value].token == RIDGE_SYNTAX_parenthesized_expression) &&
           ridge_syntax_child_of(r, value, RIDGE_SYNTAX_as_pattern) != 0;
}

static bool add_with_items(ridge_syntax_reader *r, uint32_t value)
{
    if (!is_list_of_items(r, value))
        return add_with_item(r, value);
    for (RIDGE_SYNTAX_EACH(child, r, value))
        if (r->nodes[child].named && !add_with_item(r, child))
            return false;
    return true;
}

static ridge_py_node *read_with(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_WITH, at);
    uint32_t clause = ridge_syntax_child_of(r, at, RIDGE_SYNTAX_with_clause), value;
    bool fine = node && clause != 0 && !r->nodes[clause].has_error;
    if (fine) {
        for (RIDGE_SYNTAX_EACH(child, r, clause)) {
            if (!fine || r->nodes[child].token != RIDGE_SYNTAX_with_item)
                continue;
            value = ridge_syntax_field_of(r, child, RIDGE_FIELD_value);
            fine = value != 0 && add_with_items(r, value);
        }
    }
    node = ridge_syntax_take(r, fine ? node : NULL, mark);
    return node && (node->a = read_body(r, at, RIDGE_FIELD_body)) ? node : NULL;
}

/* ---- match ---- */
/* case a, b: is case (a, b): */
static ridge_py_node *read_case(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_CASE, at);
    bool fine = node && (node->b = read_body(r, at, RIDGE_FIELD_consequence));
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (fine && r->nodes[child].token == RIDGE_SYNTAX_case_pattern)
            fine = ridge_syntax_add(r, ridge_syntax_pattern(r, child));
    uint32_t guard = ridge_syntax_field_of(r, at, RIDGE_FIELD_guard), condition = guard != 0 ? ridge_syntax_only_child(r, guard) : 0;
    if (guard != 0)
        fine = fine && condition != 0 && (node->c = ridge_syntax_expression(r, condition));
    bool several = ridge_syntax_has_comma(r, at);
    ridge_py_node *list = ridge_syntax_take(r, fine ? ridge_syntax_new(r, RIDGE_PY_TUPLE, at) : NULL, mark);
    if (!list || list->count == 0)
        return NULL;
    node->a = several ? list : list->items[0];
    return node;
}

static ridge_py_node *read_match(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_MATCH, at);
    uint32_t body = ridge_syntax_field_of(r, at, RIDGE_FIELD_body);
    bool fine = node && body != 0 && ridge_syntax_is_whole(r, body) && (node->a = ridge_syntax_row(r, at, RIDGE_FIELD_subject));
    if (fine) {
        for (RIDGE_SYNTAX_EACH(child, r, body))
            if (fine && r->nodes[child].token == RIDGE_SYNTAX_case_clause)
                fine = ridge_syntax_add(r, read_case(r, child));
    }
    return ridge_syntax_take(r, fine ? node : NULL, mark);
}

ridge_py_node *ridge_syntax_compound(ridge_syntax_reader *r, uint32_t at)
{
    if (!ridge_syntax_is_whole(r, at))
        return NULL;
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_if_statement:
        return read_if(r, at);
    case RIDGE_SYNTAX_for_statement:
        return read_for(r, at);
    case RIDGE_SYNTAX_while_statement:
        return read_while(r, at);
    case RIDGE_SYNTAX_try_statement:
        return read_try(r, at);
    case RIDGE_SYNTAX_with_statement:
        return read_with(r, at);
    default:
        return read_match(r, at);
    }
}
