#include "learn/python/syntax_read.h"

/* ---- parameters ---- */
static bool name_parameter(ridge_py_node *node, ridge_syntax_reader *r, uint32_t at)
{
    uint32_t name = at;
    if (r->nodes[at].token == RIDGE_SYNTAX_list_splat_pattern || r->nodes[at].token == RIDGE_SYNTAX_dictionary_splat_pattern)
        name = ridge_syntax_only_child(r, at);
    if (r->nodes[at].token == RIDGE_SYNTAX_list_splat_pattern)
        node->op = RIDGE_PY_REST;
    if (r->nodes[at].token == RIDGE_SYNTAX_dictionary_splat_pattern)
        node->op = RIDGE_PY_REST_KEYWORDS;
    if (name == 0 || r->nodes[name].token != RIDGE_SYNTAX_identifier)
        return false;
    node->name = ridge_syntax_name(r, ridge_syntax_text(r, name));
    return node->name;
}

static ridge_py_node *read_parameter(ridge_syntax_reader *r, uint32_t at, bool keyword_only)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_PARAMETER, at);
    uint32_t name = at;
    if (!node)
        return NULL;
    node->op = keyword_only ? RIDGE_PY_KEYWORD_ONLY : RIDGE_PY_PLAIN;
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_default_parameter:
    case RIDGE_SYNTAX_typed_default_parameter:
        name = ridge_syntax_field_of(r, at, RIDGE_FIELD_name);
        break;
    case RIDGE_SYNTAX_typed_parameter:
        name = ridge_syntax_first(r, at);
        break;
    default:
        break;
    }
    if (name == 0 || !name_parameter(node, r, name))
        return NULL;
    if (name == at)
        return node;
    bool fine = ridge_syntax_optional(&node->a, r, at, RIDGE_FIELD_value) && ridge_syntax_optional(&node->b, r, at, RIDGE_FIELD_type);
    return fine ? node : NULL;
}

/* `/`: what came before it has no keyword */
static void close_positions(ridge_syntax_reader *r, size_t mark)
{
    for (size_t i = mark; i < r->pending_count; i++)
        ((ridge_py_node *)(uintptr_t)r->pending[i])->op = RIDGE_PY_POSITION_ONLY;
}

ridge_py_node *ridge_syntax_parameters(ridge_syntax_reader *r, uint32_t of, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_PARAMETERS, at != 0 ? at : of), *parameter;
    if (at == 0)
        return node;
    if (r->nodes[at].has_error)
        return NULL;
    size_t mark = ridge_syntax_mark(r);
    bool keyword_only = false;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!node || !r->nodes[child].named)
            continue;
        if (r->nodes[child].token == RIDGE_SYNTAX_positional_separator) {
            close_positions(r, mark);
        } else if (r->nodes[child].token == RIDGE_SYNTAX_keyword_separator) {
            keyword_only = true;
        } else {
            parameter = read_parameter(r, child, keyword_only);
            keyword_only = keyword_only || (parameter && parameter->op == RIDGE_PY_REST);
            node = ridge_syntax_add(r, parameter) ? node : NULL;
        }
    }
    return ridge_syntax_take(r, node, mark);
}

/* ---- def, class ---- */
static ridge_py_node *read_function(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_FUNCTION, at);
    uint32_t name = ridge_syntax_field_of(r, at, RIDGE_FIELD_name), body = ridge_syntax_field_of(r, at, RIDGE_FIELD_body);
    uint32_t parameters = ridge_syntax_field_of(r, at, RIDGE_FIELD_parameters);
    if (!node || name == 0 || body == 0 || parameters == 0 || !(node->name = ridge_syntax_name(r, ridge_syntax_text(r, name))) ||
        !(node->a = ridge_syntax_parameters(r, at, parameters)))
        return NULL;
    bool outer = r->yields;
    r->yields = false;
    node->b = ridge_syntax_block(r, body);
    node->flags = r->yields ? RIDGE_PY_YIELDS : 0;
    r->yields = outer;
    return node->b ? node : NULL;
}

static ridge_py_node *read_class(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_CLASS, at), *bases;
    uint32_t name = ridge_syntax_field_of(r, at, RIDGE_FIELD_name), body = ridge_syntax_field_of(r, at, RIDGE_FIELD_body);
    uint32_t arguments = ridge_syntax_field_of(r, at, RIDGE_FIELD_superclasses);
    if (!node || name == 0 || body == 0 || !(node->name = ridge_syntax_name(r, ridge_syntax_text(r, name))))
        return NULL;
    if (arguments != 0) {
        bases = ridge_syntax_new(r, RIDGE_PY_CALL, arguments);
        if (!bases || r->nodes[arguments].has_error || !(node->a = ridge_syntax_arguments(r, bases, arguments)))
            return NULL;
    }
    return (node->b = ridge_syntax_block(r, body)) ? node : NULL;
}

static ridge_py_node *read_decorated(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    uint32_t definition = ridge_syntax_field_of(r, at, RIDGE_FIELD_definition), expression;
    bool fine = definition != 0;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!fine || r->nodes[child].token != RIDGE_SYNTAX_decorator)
            continue;
        expression = ridge_syntax_only_child(r, child);
        fine = expression != 0 && ridge_syntax_add(r, ridge_syntax_expression(r, expression));
    }
    return ridge_syntax_take(r, fine ? ridge_syntax_definition(r, definition) : NULL, mark);
}

ridge_py_node *ridge_syntax_definition(ridge_syntax_reader *r, uint32_t at)
{
    if (!ridge_syntax_is_whole(r, at))
        return NULL;
    switch (r->nodes[at].token) {
    case RIDGE_SYNTAX_function_definition:
        return read_function(r, at);
    case RIDGE_SYNTAX_class_definition:
        return read_class(r, at);
    default:
        return read_decorated(r, at);
    }
}

/* ---- import ---- */
/* a.b.c without what may stand round its dots; the source itself where nothing does */
static bool read_dotted(ridge_str *out, ridge_syntax_reader *r, uint32_t at)
{
    *out = ridge_syntax_text(r, at);
    size_t n = 0;
    for (RIDGE_SYNTAX_EACH(child, r, at))
        n += ridge_syntax_text(r, child).n;
    if (n == out->n || n == 0)
        return true;
    char *text = ridge_arena_alloc(r->arena, n), *p = text;
    if (!text) {
        r->out_of_memory = true;
        return false;
    }
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        ridge_str part = ridge_syntax_text(r, child);
        memcpy(p, part.p, part.n);
        p += part.n;
    }
    *out = (ridge_str){text, n};
    return true;
}

static ridge_py_node *read_alias(ridge_syntax_reader *r, uint32_t at)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_ALIAS, at);
    uint32_t name = at, alias = 0;
    if (r->nodes[at].token == RIDGE_SYNTAX_aliased_import) {
        name = ridge_syntax_field_of(r, at, RIDGE_FIELD_name);
        alias = ridge_syntax_field_of(r, at, RIDGE_FIELD_alias);
    }
    if (!node || name == 0 || !read_dotted(&node->text, r, name))
        return NULL;
    if (alias != 0 && !(node->name = ridge_syntax_name(r, ridge_syntax_text(r, alias))))
        return NULL;
    return node;
}

/* module_name: dots before a name, either of which may be missing */
static bool read_module_name(ridge_py_node *node, ridge_syntax_reader *r, uint32_t at)
{
    node->text = RIDGE_STR("");
    if (r->nodes[at].token == RIDGE_SYNTAX_dotted_name)
        return read_dotted(&node->text, r, at);
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        ridge_str text = ridge_syntax_text(r, child);
        for (size_t i = 0; r->nodes[child].token == RIDGE_SYNTAX_import_prefix && i < text.n; i++)
            if (text.p[i] == '.' && node->op < UINT8_MAX)
                node->op++;
        if (r->nodes[child].token == RIDGE_SYNTAX_dotted_name && !read_dotted(&node->text, r, child))
            return false;
    }
    return true;
}

ridge_py_node *ridge_syntax_import(ridge_syntax_reader *r, uint32_t at)
{
    bool from = r->nodes[at].token != RIDGE_SYNTAX_import_statement;
    ridge_py_node *node = r->nodes[at].has_error ? NULL : ridge_syntax_new(r, from ? RIDGE_PY_FROM : RIDGE_PY_IMPORT, at);
    uint32_t module = ridge_syntax_field_of(r, at, RIDGE_FIELD_module_name);
    if (!node || (module != 0 && !read_module_name(node, r, module)))
        return NULL;
    if (r->nodes[at].token == RIDGE_SYNTAX_future_import_statement)
        node->text = RIDGE_STR("__future__");
    size_t mark = ridge_syntax_mark(r);
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (node && r->nodes[child].field == RIDGE_FIELD_name && r->nodes[child].named && !ridge_syntax_add(r, read_alias(r, child)))
            node = NULL;
    return ridge_syntax_take(r, node, mark);
}
