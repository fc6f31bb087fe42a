#include "learn/python/syntax_read.h"

/* ---- the smallest ---- */
static ridge_py_node *read_name(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_NAME, at);
    if (node)
        node->name = ridge_syntax_name(r, ridge_syntax_text(r, at));
    return node && node->name ? node : NULL;
}

static ridge_py_node *read_constant(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_CONSTANT, at);
    if (!node)
        return NULL;
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_none:
        node->op = RIDGE_PY_NONE_WORD;
        break;
    case RIDGE_SYNTAX_true:
        node->op = RIDGE_PY_TRUE_WORD;
        break;
    case RIDGE_SYNTAX_false:
        node->op = RIDGE_PY_FALSE_WORD;
        break;
    default:
        node->op = RIDGE_PY_ELLIPSIS_WORD;
        break;
    }
    return node;
}

/* underscores are taken away; 1j and Python 2's 1L are not numbers here */
static ridge_py_node *read_number(ridge_syntax_reader *r, uint32_t at, ridge_py_kind kind)
{
    ridge_str text = ridge_syntax_text(r, at);
    ridge_py_node *node = ridge_syntax_new(r, kind, at);
    if (!node || text.n == 0 || strchr("jJlL", text.p[text.n - 1]))
        return NULL;
    node->text = text;
    if (!memchr(text.p, '_', text.n))
        return node;
    char *plain = ridge_arena_alloc(r->arena, text.n);
    if (!plain) {
        r->out_of_memory = true;
        return NULL;
    }
    node->text = (ridge_str){plain, 0};
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != '_')
            plain[node->text.n++] = text.p[i];
    return node;
}

/* ---- lists of expressions ---- */
static bool add_children(ridge_syntax_reader *r, uint32_t of)
{
    for (RIDGE_SYNTAX_EACH(child, r, of))
        if (r->nodes[child].named && !ridge_syntax_add(r, ridge_syntax_expression(r, child)))
            return false;
    return true;
}

static ridge_py_node *read_display(ridge_syntax_reader *r, uint32_t at, ridge_py_kind kind)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = add_children(r, at) ? ridge_syntax_new(r, kind, at) : NULL;
    return ridge_syntax_take(r, node, mark);
}

ridge_py_node *ridge_syntax_row(ridge_syntax_reader *r, uint32_t of, ridge_syntax_field field)
{
    size_t mark = ridge_syntax_mark(r);
    bool comma = false, fine = true;
    uint32_t first = 0;
    for (RIDGE_SYNTAX_EACH(child, r, of)) {
        comma = comma || r->nodes[child].comma;
        if (r->nodes[child].field != field || !r->nodes[child].named)
            continue;
        first = first == 0 ? child : first;
        fine = fine && ridge_syntax_add(r, ridge_syntax_expression(r, child));
    }
    if (!fine || first == 0)
        return ridge_syntax_take(r, NULL, mark);
    if (comma)
        return ridge_syntax_take(r, ridge_syntax_new(r, RIDGE_PY_TUPLE, first), mark);
    ridge_py_node *only = r->pending_count == mark + 1 ? (ridge_py_node *)(uintptr_t)r->pending[mark] : NULL;
    r->pending_count = mark;
    return only;
}

bool ridge_syntax_optional(const ridge_py_node **out, ridge_syntax_reader *r, uint32_t of, ridge_syntax_field field)
{
    uint32_t at = ridge_syntax_field_of(r, of, field);
    *out = at != 0 ? ridge_syntax_expression(r, at) : NULL;
    return at == 0 || *out;
}

/* ---- one operand: stars, parentheses, types ---- */
static ridge_py_node *read_wrapped(ridge_syntax_reader *r, uint32_t at)
{
    uint32_t child = ridge_syntax_only_child(r, at);
    return child != 0 ? ridge_syntax_expression(r, child) : NULL;
}

static ridge_py_node *read_star(ridge_syntax_reader *r, uint32_t at, ridge_py_kind kind)
{
    ridge_py_node *node = ridge_syntax_new(r, kind, at);
    return node && (node->a = read_wrapped(r, at)) ? node : NULL;
}

/* `splat_type: ('*' | '**') identifier`, by its text */
static ridge_py_node *read_star_type(ridge_syntax_reader *r, uint32_t at)
{
    ridge_str text = ridge_syntax_text(r, at);
    return read_star(r, at, text.n > 1 && text.p[1] == '*' ? RIDGE_PY_DOUBLE_STAR : RIDGE_PY_STAR);
}

/* The grammar reads `*a.b(c)` as a call of `*a.b` where a star expression may stand alone: the star belongs outside. */
static ridge_py_node *lift_star(ridge_py_node *node)
{
    if (!node || !node->a || node->a->kind != RIDGE_PY_STAR)
        return node;
    ridge_py_node *star = (ridge_py_node *)(uintptr_t)node->a;
    node->a = star->a;
    star->a = node;
    return star;
}

static ridge_py_node *read_unary(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_UNARY, at);
    uint32_t sign = ridge_syntax_field_of(r, at, RIDGE_FIELD_operator);
    if (!node || !ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_argument) || !node->a)
        return NULL;
    if (r->nodes[at].token == RIDGE_SYNTAX_not_operator)
        node->op = RIDGE_PY_OP_NOT;
    else if (sign != 0 && r->nodes[sign].op == RIDGE_PY_OP_SUB)
        node->op = RIDGE_PY_OP_NEGATIVE;
    else if (sign != 0 && r->nodes[sign].op == RIDGE_PY_OP_ADD)
        node->op = RIDGE_PY_OP_POSITIVE;
    else
        node->op = RIDGE_PY_OP_INVERT;
    return node;
}

/* ---- several operands ---- */
static ridge_py_node *read_binary(ridge_syntax_reader *r, uint32_t at, ridge_py_kind kind)
{
    ridge_py_node *node = ridge_syntax_new(r, kind, at);
    uint32_t sign = ridge_syntax_field_of(r, at, RIDGE_FIELD_operator);
    if (!node || sign == 0 || r->nodes[sign].op == RIDGE_SYNTAX_NO_OPERATOR)
        return NULL;
    node->op = r->nodes[sign].op;
    if (!ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_left) || !ridge_syntax_optional(&node->b, r, at, RIDGE_FIELD_right))
        return NULL;
    return node->a && node->b ? lift_star(node) : NULL;
}

/* a < b in c: the first operand, then pairs of operator and operand */
static ridge_py_node *read_comparison(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_COMPARISON, at), *pair = NULL;
    uint8_t op = RIDGE_SYNTAX_NO_OPERATOR;
    bool fine = node;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (r->nodes[child].field == RIDGE_FIELD_operators) {
            op = r->nodes[child].op;
            fine = fine && op != RIDGE_SYNTAX_NO_OPERATOR;
        } else if (fine && !node->a) {
            fine = (node->a = ridge_syntax_expression(r, child));
        } else if (fine && (pair = ridge_syntax_new(r, RIDGE_PY_COMPARE, child)) != NULL) {
            pair->op = op;
            fine = (pair->a = ridge_syntax_expression(r, child)) && ridge_syntax_add(r, pair);
        }
    }
    node = ridge_syntax_take(r, fine ? node : NULL, mark);
    return node && node->a && node->count > 0 ? lift_star(node) : NULL;
}

/* b if a else c */
static ridge_py_node *read_conditional(ridge_syntax_reader *r, uint32_t at)
{
    const ridge_py_node *parts[3];
    size_t count = 0;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!r->nodes[child].named)
            continue;
        if (count == 3 || !(parts[count++] = ridge_syntax_expression(r, child)))
            return NULL;
    }
    ridge_py_node *node = count == 3 ? ridge_syntax_new(r, RIDGE_PY_CONDITIONAL, at) : NULL;
    if (!node)
        return NULL;
    node->b = parts[0];
    node->a = parts[1];
    node->c = parts[2];
    return node;
}

/* key and value of a dict, or a keyword and its value */
static ridge_py_node *read_pair(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_PAIR, at);
    if (!node || !ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_key) || !ridge_syntax_optional(&node->b, r, at, RIDGE_FIELD_value))
        return NULL;
    return node->a && node->b ? node : NULL;
}

static ridge_py_node *read_named(ridge_syntax_reader *r, uint32_t at, ridge_py_kind kind)
{
    ridge_py_node *node = ridge_syntax_new(r, kind, at);
    uint32_t name = ridge_syntax_field_of(r, at, RIDGE_FIELD_name);
    if (!node || name == 0 || !(node->name = ridge_syntax_name(r, ridge_syntax_text(r, name))))
        return NULL;
    return ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_value) && node->a ? node : NULL;
}

/* ---- after an operand: attribute, call, subscript ---- */
static ridge_py_node *read_attribute(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_ATTRIBUTE, at);
    uint32_t name = ridge_syntax_field_of(r, at, RIDGE_FIELD_attribute);
    if (!node || name == 0 || !(node->name = ridge_syntax_name(r, ridge_syntax_text(r, name))))
        return NULL;
    return ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_object) && node->a ? lift_star(node) : NULL;
}

ridge_py_node *ridge_syntax_arguments(ridge_syntax_reader *r, ridge_py_node *call, uint32_t arguments)
{
    size_t mark = ridge_syntax_mark(r);
    bool fine;
    if (r->nodes[arguments].token == RIDGE_SYNTAX_generator_expression)
        fine = ridge_syntax_add(r, ridge_syntax_expression(r, arguments));
    else
        fine = !r->nodes[arguments].error && add_children(r, arguments);
    return ridge_syntax_take(r, fine ? call : NULL, mark);
}

static ridge_py_node *read_call(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_CALL, at);
    uint32_t arguments = ridge_syntax_field_of(r, at, RIDGE_FIELD_arguments);
    if (!node || !ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_function) || !node->a || arguments == 0)
        return NULL;
    return lift_star(ridge_syntax_arguments(r, node, arguments));
}

static ridge_py_node *read_subscript(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_SUBSCRIPT, at);
    if (!node || !ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_value) || !node->a)
        return NULL;
    node->b = ridge_syntax_row(r, at, RIDGE_FIELD_subscript);
    return node->b ? lift_star(node) : NULL;
}

/* a:b:c by its colons, the only punctuation it has */
static ridge_py_node *read_slice(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_SLICE, at);
    const ridge_py_node *parts[3] = {NULL};
    unsigned part = 0;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!r->nodes[child].named)
            part++;
        else if (part > 2 || !(parts[part] = ridge_syntax_expression(r, child)))
            return NULL;
    }
    if (!node || part > 2)
        return NULL;
    node->a = parts[0];
    node->b = parts[1];
    node->c = parts[2];
    return node;
}

/* list[int], of a type: an identifier and a type_parameter */
static ridge_py_node *read_generic(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_SUBSCRIPT, at);
    uint32_t name = ridge_syntax_first(r, at), parameters = ridge_syntax_child_of(r, at, RIDGE_SYNTAX_type_parameter);
    if (!node || name == 0 || parameters == 0 || !(node->a = ridge_syntax_expression(r, name)))
        return NULL;
    node->b = ridge_syntax_row(r, parameters, RIDGE_FIELD_none);
    return node->b ? node : NULL;
}

/* A | B of types; A.b of types; A: B, a bounded type, of which A is kept */
static ridge_py_node *read_type_pair(ridge_syntax_reader *r, uint32_t at)
{
    uint32_t left = ridge_syntax_first(r, at), right = 0;
    for (RIDGE_SYNTAX_EACH(child, r, at))
        right = r->nodes[child].named ? child : right;
    if (left == 0 || right == 0 || left == right)
        return NULL;
    if (r->nodes[at].token == RIDGE_SYNTAX_constrained_type)
        return ridge_syntax_expression(r, left);
    bool member = r->nodes[at].token == RIDGE_SYNTAX_member_type;
    ridge_py_node *node = ridge_syntax_new(r, member ? RIDGE_PY_ATTRIBUTE : RIDGE_PY_BINARY, at);
    if (!node || !(node->a = ridge_syntax_expression(r, left)))
        return NULL;
    node->op = member ? 0 : RIDGE_PY_OP_BITOR;
    if (member)
        return (node->name = ridge_syntax_name(r, ridge_syntax_text(r, right))) ? node : NULL;
    return (node->b = ridge_syntax_expression(r, right)) ? node : NULL;
}

/* ---- with names of their own: comprehensions, lambda; yield ---- */
static ridge_py_node *read_clause(ridge_syntax_reader *r, uint32_t at)
{
    bool each = r->nodes[at].token == RIDGE_SYNTAX_for_in_clause;
    ridge_py_node *node = ridge_syntax_new(r, each ? RIDGE_PY_EACH : RIDGE_PY_FILTER, at);
    if (!node)
        return NULL;
    if (!each)
        return (node->a = read_wrapped(r, at)) ? node : NULL;
    if (!ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_left) || !node->a)
        return NULL;
    return (node->b = ridge_syntax_row(r, at, RIDGE_FIELD_right)) ? node : NULL;
}

static ridge_py_node *read_comprehension(ridge_syntax_reader *r, uint32_t at, unsigned of)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_COMPREHENSION, at);
    bool fine = node && ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_body) && node->a;
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (fine && (r->nodes[child].token == RIDGE_SYNTAX_for_in_clause || r->nodes[child].token == RIDGE_SYNTAX_if_clause))
            fine = ridge_syntax_add(r, read_clause(r, child));
    node = ridge_syntax_take(r, fine ? node : NULL, mark);
    if (!node || node->count == 0)
        return NULL;
    node->op = (uint8_t)of;
    return node;
}

static ridge_py_node *read_lambda(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_LAMBDA, at);
    if (!node || !(node->a = ridge_syntax_parameters(r, at, ridge_syntax_field_of(r, at, RIDGE_FIELD_parameters))))
        return NULL;
    bool outer = r->yields;
    r->yields = false;
    bool fine = ridge_syntax_optional(&node->b, r, at, RIDGE_FIELD_body) && node->b;
    node->flags = r->yields ? RIDGE_PY_YIELDS : 0;
    r->yields = outer;
    return fine ? node : NULL;
}

static ridge_py_node *read_yield(ridge_syntax_reader *r, uint32_t at)
{
    uint32_t child = ridge_syntax_only_child(r, at), first = ridge_syntax_first(r, at);
    bool from = first != 0 && ridge_syntax_next(r, at, first) != child;
    ridge_py_node *node = ridge_syntax_new(r, child != 0 && from ? RIDGE_PY_YIELD_FROM : RIDGE_PY_YIELD, at);
    r->yields = true;
    if (node && child != 0 && !(node->a = ridge_syntax_expression(r, child)))
        return NULL;
    return node;
}

/* `(a)` as a target is a; `(a,)` a tuple */
static ridge_py_node *read_target_list(ridge_syntax_reader *r, uint32_t at)
{
    uint32_t only = ridge_syntax_has_comma(r, at) ? 0 : ridge_syntax_only_child(r, at);
    return only != 0 ? ridge_syntax_expression(r, only) : read_display(r, at, RIDGE_PY_TUPLE);
}

static ridge_py_node *read_literal(ridge_syntax_reader *r, uint32_t at)
{
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_identifier:
        return read_name(r, at);
    case RIDGE_SYNTAX_none:
    case RIDGE_SYNTAX_true:
    case RIDGE_SYNTAX_false:
    case RIDGE_SYNTAX_ellipsis:
        return read_constant(r, at);
    case RIDGE_SYNTAX_integer:
        return read_number(r, at, RIDGE_PY_INTEGER);
    case RIDGE_SYNTAX_float:
        return read_number(r, at, RIDGE_PY_REAL);
    case RIDGE_SYNTAX_string:
        return ridge_syntax_string(r, at);
    case RIDGE_SYNTAX_concatenated_string:
        return ridge_syntax_strings(r, at);
    default:
        return NULL;
    }
}

static ridge_py_node *read_collection(ridge_syntax_reader *r, uint32_t at)
{
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_tuple:
    case RIDGE_SYNTAX_expression_list:
    case RIDGE_SYNTAX_pattern_list:
        return read_display(r, at, RIDGE_PY_TUPLE);
    case RIDGE_SYNTAX_tuple_pattern:
        return read_target_list(r, at);
    case RIDGE_SYNTAX_list:
    case RIDGE_SYNTAX_list_pattern:
        return read_display(r, at, RIDGE_PY_LIST);
    case RIDGE_SYNTAX_set:
        return read_display(r, at, RIDGE_PY_SET);
    case RIDGE_SYNTAX_dictionary:
        return read_display(r, at, RIDGE_PY_DICT);
    case RIDGE_SYNTAX_list_comprehension:
        return read_comprehension(r, at, RIDGE_PY_OF_LIST);
    case RIDGE_SYNTAX_set_comprehension:
        return read_comprehension(r, at, RIDGE_PY_OF_SET);
    case RIDGE_SYNTAX_dictionary_comprehension:
        return read_comprehension(r, at, RIDGE_PY_OF_DICT);
    case RIDGE_SYNTAX_generator_expression:
        return read_comprehension(r, at, RIDGE_PY_OF_GENERATOR);
    default:
        return read_literal(r, at);
    }
}

static ridge_py_node *read_type(ridge_syntax_reader *r, uint32_t at)
{
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_generic_type:
        return read_generic(r, at);
    case RIDGE_SYNTAX_splat_type:
        return read_star_type(r, at);
    case RIDGE_SYNTAX_union_type:
    case RIDGE_SYNTAX_member_type:
    case RIDGE_SYNTAX_constrained_type:
        return read_type_pair(r, at);
    default:
        return read_collection(r, at);
    }
}

static ridge_py_node *read_operation(ridge_syntax_reader *r, uint32_t at)
{
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_as_pattern_target:
    case RIDGE_SYNTAX_parenthesized_expression:
    case RIDGE_SYNTAX_type:
        return read_wrapped(r, at);
    case RIDGE_SYNTAX_list_splat:
    case RIDGE_SYNTAX_list_splat_pattern:
        return read_star(r, at, RIDGE_PY_STAR);
    case RIDGE_SYNTAX_dictionary_splat:
    case RIDGE_SYNTAX_dictionary_splat_pattern:
        return read_star(r, at, RIDGE_PY_DOUBLE_STAR);
    case RIDGE_SYNTAX_not_operator:
    case RIDGE_SYNTAX_unary_operator:
        return read_unary(r, at);
    case RIDGE_SYNTAX_binary_operator:
        return read_binary(r, at, RIDGE_PY_BINARY);
    case RIDGE_SYNTAX_boolean_operator:
        return read_binary(r, at, RIDGE_PY_BOOLEAN);
    case RIDGE_SYNTAX_comparison_operator:
        return read_comparison(r, at);
    case RIDGE_SYNTAX_conditional_expression:
        return read_conditional(r, at);
    case RIDGE_SYNTAX_pair:
        return read_pair(r, at);
    case RIDGE_SYNTAX_named_expression:
        return read_named(r, at, RIDGE_PY_WALRUS);
    case RIDGE_SYNTAX_keyword_argument:
        return read_named(r, at, RIDGE_PY_KEYWORD);
    case RIDGE_SYNTAX_attribute:
        return read_attribute(r, at);
    case RIDGE_SYNTAX_call:
        return read_call(r, at);
    case RIDGE_SYNTAX_subscript:
        return read_subscript(r, at);
    case RIDGE_SYNTAX_slice:
        return read_slice(r, at);
    case RIDGE_SYNTAX_lambda:
        return read_lambda(r, at);
    case RIDGE_SYNTAX_await:
        return read_star(r, at, RIDGE_PY_AWAIT);
    case RIDGE_SYNTAX_yield:
        return read_yield(r, at);
    default:
        return read_type(r, at);
    }
}

ridge_py_node *ridge_syntax_expression(ridge_syntax_reader *r, uint32_t at)
{
    if (r->nodes[at].has_error || r->depth >= RIDGE_PY_NESTING)
        return NULL;
    r->depth++;
    ridge_py_node *node = read_operation(r, at);
    r->depth--;
    return node;
}
