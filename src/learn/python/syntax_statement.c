#include "learn/python/syntax_read.h"

/* ---- assignments ---- */
/* a = b = value: the grammar nests them to the right */
static ridge_py_node *read_assignment(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_ASSIGN, at);
    uint32_t right = at;
    while (node && r->nodes[right].token == RIDGE_SYNTAX_assignment) {
        uint32_t from = right, left = ridge_syntax_field_of(r, from, RIDGE_FIELD_left);
        right = ridge_syntax_field_of(r, from, RIDGE_FIELD_right);
        bool fine = left != 0 && right != 0 && ridge_syntax_field_of(r, from, RIDGE_FIELD_type) == 0;
        if (!fine || !ridge_syntax_add(r, ridge_syntax_expression(r, left)))
            node = NULL;
    }
    if (node && !(node->a = ridge_syntax_expression(r, right)))
        node = NULL;
    return ridge_syntax_take(r, node, mark);
}

static ridge_py_node *read_annotation(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_ANNOTATE, at);
    bool fine = node && ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_left) &&
                ridge_syntax_optional(&node->b, r, at, RIDGE_FIELD_type) && ridge_syntax_optional(&node->c, r, at, RIDGE_FIELD_right);
    return fine && node->a && node->b ? node : NULL;
}

static ridge_py_node *read_augmented(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_AUGMENT, at);
    uint32_t sign = ridge_syntax_field_of(r, at, RIDGE_FIELD_operator);
    if (!node || sign == 0 || r->nodes[sign].op == RIDGE_SYNTAX_NO_OPERATOR)
        return NULL;
    node->op = r->nodes[sign].op;
    bool fine = ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_left) && ridge_syntax_optional(&node->b, r, at, RIDGE_FIELD_right);
    return fine && node->a && node->b ? node : NULL;
}

/* expression_statement: an assignment, or expressions with commas between them */
static ridge_py_node *read_expression_statement(ridge_syntax_reader *r, uint32_t at)
{
    uint32_t first = ridge_syntax_first(r, at);
    if (first == 0)
        return NULL;
    if (r->nodes[first].token == RIDGE_SYNTAX_assignment)
        return ridge_syntax_field_of(r, first, RIDGE_FIELD_type) != 0 ? read_annotation(r, first) : read_assignment(r, first);
    if (r->nodes[first].token == RIDGE_SYNTAX_augmented_assignment)
        return read_augmented(r, first);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_EXPRESSION, at);
    return node && (node->a = ridge_syntax_row(r, at, RIDGE_FIELD_none)) ? node : NULL;
}

/* The grammar also takes `type(x).y = value` for one: how often ->a leads from the target to the (x), 0 where it is none. */
static unsigned find_argument(const ridge_syntax_reader *r, uint32_t at)
{
    unsigned steps = 0;
    for (;;) {
        switch (r->nodes[at].token) {
        case RIDGE_SYNTAX_type:
            break;
        case RIDGE_SYNTAX_attribute:
        case RIDGE_SYNTAX_subscript:
        case RIDGE_SYNTAX_call:
            steps++;
            break;
        case RIDGE_SYNTAX_parenthesized_expression:
        case RIDGE_SYNTAX_tuple:
            return steps;
        default:
            return 0;
        }
        at = ridge_syntax_first(r, at);
        if (at == 0)
            return 0;
    }
}

static bool put_call(ridge_py_node *target, ridge_syntax_reader *r, uint32_t at, unsigned steps)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *call = ridge_syntax_new(r, RIDGE_PY_CALL, at), *name = ridge_syntax_new(r, RIDGE_PY_NAME, at);
    while (--steps > 0)
        target = (ridge_py_node *)(uintptr_t)target->a;
    if (!call || !name || !(name->name = ridge_syntax_name(r, RIDGE_STR("type"))) || !ridge_syntax_add(r, target->a))
        return false;
    call->a = name;
    target->a = ridge_syntax_take(r, call, mark);
    return target->a;
}

/* type X = value */
static ridge_py_node *read_type_alias(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_ASSIGN, at);
    uint32_t left = ridge_syntax_field_of(r, at, RIDGE_FIELD_left);
    ridge_py_node *target = node && left != 0 ? ridge_syntax_expression(r, left) : NULL;
    unsigned steps = target ? find_argument(r, left) : 0;
    if (steps > 0 && !put_call(target, r, at, steps))
        return NULL;
    if (steps == 0 && target && target->kind == RIDGE_PY_SUBSCRIPT) /* type X[T] = value */
        target = (ridge_py_node *)(uintptr_t)target->a;
    bool fine = ridge_syntax_add(r, target) && ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_right) && node->a;
    return ridge_syntax_take(r, fine ? node : NULL, mark);
}

/* ---- words with expressions behind them ---- */
static ridge_py_node *read_return(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_RETURN, at);
    uint32_t child = ridge_syntax_only_child(r, at);
    if (node && child != 0 && !(node->a = ridge_syntax_expression(r, child)))
        return NULL;
    return node;
}

static ridge_py_node *read_names(ridge_syntax_reader *r, uint32_t at, ridge_py_kind kind)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, kind, at);
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (node && r->nodes[child].named && !ridge_syntax_add(r, ridge_syntax_expression(r, child)))
            node = NULL;
    return ridge_syntax_take(r, node, mark);
}

/* del a, b; del (a, b): the same */
static ridge_py_node *read_delete(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = read_names(r, at, RIDGE_PY_DELETE);
    if (node && node->count == 1 && (node->items[0]->kind == RIDGE_PY_TUPLE || node->items[0]->kind == RIDGE_PY_LIST)) {
        const ridge_py_node *list = node->items[0];
        node->items = list->items;
        node->count = list->count;
    }
    return node && node->count > 0 ? node : NULL;
}

static ridge_py_node *read_assert(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = read_names(r, at, RIDGE_PY_ASSERT);
    if (!node || node->count < 1 || node->count > 2)
        return NULL;
    node->a = node->items[0];
    node->b = node->count == 2 ? node->items[1] : NULL;
    node->items = NULL;
    node->count = 0;
    return node;
}

static ridge_py_node *read_raise(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_RAISE, at);
    if (!node || !ridge_syntax_optional(&node->b, r, at, RIDGE_FIELD_cause))
        return NULL;
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (r->nodes[child].named && r->nodes[child].field != RIDGE_FIELD_cause && !(node->a = ridge_syntax_expression(r, child)))
            return NULL;
    return node;
}

static ridge_py_node *read_simple(ridge_syntax_reader *r, uint32_t at)
{
    if (!ridge_syntax_is_whole(r, at))
        return NULL;
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_expression_statement:
        return read_expression_statement(r, at);
    case RIDGE_SYNTAX_return_statement:
        return read_return(r, at);
    case RIDGE_SYNTAX_delete_statement:
        return read_delete(r, at);
    case RIDGE_SYNTAX_assert_statement:
        return read_assert(r, at);
    case RIDGE_SYNTAX_raise_statement:
        return read_raise(r, at);
    case RIDGE_SYNTAX_global_statement:
        return read_names(r, at, RIDGE_PY_GLOBAL);
    case RIDGE_SYNTAX_nonlocal_statement:
        return read_names(r, at, RIDGE_PY_NONLOCAL);
    case RIDGE_SYNTAX_pass_statement:
        return ridge_syntax_new(r, RIDGE_PY_PASS, at);
    case RIDGE_SYNTAX_break_statement:
        return ridge_syntax_new(r, RIDGE_PY_BREAK, at);
    case RIDGE_SYNTAX_continue_statement:
        return ridge_syntax_new(r, RIDGE_PY_CONTINUE, at);
    case RIDGE_SYNTAX_type_alias_statement:
        return read_type_alias(r, at);
    default:
        return NULL; /* print and exec of Python 2 */
    }
}

static ridge_py_node *read_statement(ridge_syntax_reader *r, uint32_t at)
{
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_function_definition:
    case RIDGE_SYNTAX_class_definition:
    case RIDGE_SYNTAX_decorated_definition:
        return ridge_syntax_definition(r, at);
    case RIDGE_SYNTAX_import_statement:
    case RIDGE_SYNTAX_import_from_statement:
    case RIDGE_SYNTAX_future_import_statement:
        return ridge_syntax_import(r, at);
    case RIDGE_SYNTAX_if_statement:
    case RIDGE_SYNTAX_for_statement:
    case RIDGE_SYNTAX_while_statement:
    case RIDGE_SYNTAX_try_statement:
    case RIDGE_SYNTAX_with_statement:
    case RIDGE_SYNTAX_match_statement:
        return ridge_syntax_compound(r, at);
    default:
        return read_simple(r, at);
    }
}

/* What cannot be read is BROKEN, and carries its text. */
ridge_py_node *ridge_syntax_statement(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = NULL;
    if (!r->nodes[at].error && r->depth < RIDGE_PY_NESTING) {
        unsigned depth = r->depth++;
        node = read_statement(r, at);
        r->depth = depth;
    }
    if (node || r->out_of_memory)
        return node;
    r->pending_count = mark;
    node = ridge_syntax_new(r, RIDGE_PY_BROKEN, at);
    if (node)
        node->text = ridge_syntax_text(r, at);
    return node;
}

ridge_py_node *ridge_syntax_block(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_BLOCK, at);
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (node && (r->nodes[child].named || r->nodes[child].error) && !ridge_syntax_add(r, ridge_syntax_statement(r, child)))
            node = NULL;
    return ridge_syntax_take(r, node, mark);
}
