/* Tells what a parameter stands for from the formulas that use it: whoever types a word for a number should hear it. */
#include "formula/ast.h"
#include "catalog/uses.h"

#define PASSED_LIMIT  8    /* from module to module */
#define ENTRIES_LIMIT 1000 /* in all: what is not found by then cannot be told */

typedef struct search {
    ridge_registry *registry;
    ridge_context context;
    uint32_t slot;
    unsigned depth, found;
    unsigned *budget; /* entries that may still be looked into */
} search;

static unsigned of_parameter(ridge_registry *r, const ridge_entry *e, ridge_context context, size_t index, unsigned depth,
                             unsigned *budget);

static bool is_slot(const search *s, const ridge_ast *n)
{
    return n && n->kind == RIDGE_AST_SLOT && n->u.slot == s->slot;
}

static bool is_word(const ridge_ast *n)
{
    if (n->kind == RIDGE_AST_LIST)
        return n->u.list.count > 0 && is_word(n->u.list.items[0]);
    return n->kind == RIDGE_AST_CONSTANT && n->u.constant.type == RIDGE_V_STRING;
}

static bool is_number(const ridge_ast *n)
{
    ridge_value_type type = n->kind == RIDGE_AST_CONSTANT ? n->u.constant.type : RIDGE_V_UNSET;
    return type == RIDGE_V_INT || type == RIDGE_V_RATIONAL || type == RIDGE_V_BOOL;
}

static void compared(search *s, const ridge_ast *n)
{
    const ridge_ast *other = is_slot(s, n->u.binary.a) ? n->u.binary.b : is_slot(s, n->u.binary.b) ? n->u.binary.a : NULL;
    if (!other)
        return;
    if (n->u.binary.op < RIDGE_OP_EQ || (n->u.binary.op > RIDGE_OP_NE && n->u.binary.op < RIDGE_OP_IN) || is_number(other))
        s->found |= RIDGE_USED_AS_NUMBER;
    else if (is_word(other))
        s->found |= RIDGE_USED_AS_STRING;
}

static void passed(search *s, const ridge_ast *n)
{
    ridge_err unused = {0};
    ridge_entry *e;
    for (size_t i = 0; i < n->u.module.count && s->depth < PASSED_LIMIT; i++) {
        if (!is_slot(s, n->u.module.args[i]) || !ridge_registry_find(s->registry, n->u.module.name) ||
            ridge_registry_entry(&e, s->registry, n->u.module.name, &unused) || e->flat)
            continue;
        int at = n->u.module.names[i] ? ridge_parameter_named(e->parameters, e->parameter_count, n->u.module.names[i]) : (int)i;
        if (at >= 0 && (size_t)at < e->parameter_count)
            s->found |= of_parameter(s->registry, e, s->context, (size_t)at, s->depth + 1, s->budget);
    }
}

static bool is_item(const search *s, const ridge_ast *list)
{
    for (size_t i = 0; i < list->u.list.count; i++)
        if (is_slot(s, list->u.list.items[i]))
            return true;
    return false;
}

/* of one argument min and max take a list */
static bool takes_numbers(const ridge_ast *n)
{
    switch (n->u.list.which) {
    case RIDGE_BUILTIN_min:
    case RIDGE_BUILTIN_max:
        return n->u.list.count > 1;
    case RIDGE_BUILTIN_ceil:
    case RIDGE_BUILTIN_floor:
    case RIDGE_BUILTIN_int:
    case RIDGE_BUILTIN_abs:
    case RIDGE_BUILTIN_range:
    case RIDGE_BUILTIN_ceil_div:
        return true;
    default:
        return false;
    }
}

static ridge_status look(void *data, const ridge_ast *n)
{
    search *s = data;
    switch (n->kind) {
    case RIDGE_AST_NEGATE:
    case RIDGE_AST_PLUS:
    case RIDGE_AST_NOT:
    case RIDGE_AST_AND:
    case RIDGE_AST_OR:
        s->found |= is_slot(s, n->u.binary.a) || is_slot(s, n->u.binary.b) ? RIDGE_USED_AS_NUMBER : 0;
        break;
    case RIDGE_AST_CONDITIONAL:
        s->found |= is_slot(s, n->u.conditional.condition) ? RIDGE_USED_AS_NUMBER : 0;
        break;
    case RIDGE_AST_BINARY:
        compared(s, n);
        break;
    case RIDGE_AST_BUILTIN:
        s->found |= takes_numbers(n) && is_item(s, n) ? RIDGE_USED_AS_NUMBER : 0;
        break;
    case RIDGE_AST_MODULE:
        passed(s, n);
        break;
    case RIDGE_AST_CONSTANT:
    case RIDGE_AST_SLOT:
    case RIDGE_AST_GLOBAL:
    case RIDGE_AST_CONFIG:
    case RIDGE_AST_FIELD:
    case RIDGE_AST_INDEX:
    case RIDGE_AST_DEFAULT:
    case RIDGE_AST_LIST:
    case RIDGE_AST_COMPREHENSION:
        break;
    }
    return RIDGE_OK;
}

static ridge_status look_into(void *data, const ridge_expr *expr, ridge_context context)
{
    search *s = data;
    return context == s->context ? ridge_ast_visit(expr->root, look, s) : RIDGE_OK;
}

static ridge_status look_at_shape(void *data, const ridge_ast *n)
{
    search *s = data;
    if (n->kind == RIDGE_AST_LIST && is_item(s, n))
        s->found |= RIDGE_USED_AS_NUMBER;
    return RIDGE_OK;
}

static void shapes(search *s, const ridge_amounts *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i].expr)
            (void)ridge_ast_visit(list->p[i].expr->root, look_at_shape, s);
}

/* an amount that is the parameter itself: "flops": {"other": "n"} */
static bool is_amount(const search *s, const ridge_amounts *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i].expr && is_slot(s, list->p[i].expr->root))
            return true;
    return false;
}

static unsigned of_parameter(ridge_registry *r, const ridge_entry *e, ridge_context context, size_t index, unsigned depth, unsigned *budget)
{
    const bool by_template = e->flat && context <= RIDGE_CONTEXT_INTERMEDIATES;
    const ridge_parameter *p = by_template ? &e->flat->templates[context].parameters[index] : &e->parameters[index];
    search s = {r, by_template ? context : RIDGE_CONTEXT_FLOPS, (uint32_t)index, depth, 0, budget};
    if (*budget == 0)
        return 0;
    --*budget;
    if (e->kind == RIDGE_KIND_CHOICE && e->on == index)
        return RIDGE_USED_AS_STRING;
    if (p->fallback && is_word(p->fallback->root))
        return RIDGE_USED_AS_STRING;
    if (p->fallback && is_number(p->fallback->root))
        return RIDGE_USED_AS_NUMBER;
    (void)ridge_entry_expressions(e, look_into, &s);
    shapes(&s, &e->weights);
    shapes(&s, &e->buffers);
    shapes(&s, &e->cache);
    if (is_amount(&s, &e->flops) || is_amount(&s, &e->reads) || is_amount(&s, &e->writes))
        s.found |= RIDGE_USED_AS_NUMBER;
    return s.found;
}

unsigned ridge_parameter_uses(ridge_registry *registry, const ridge_entry *e, ridge_context context, size_t index)
{
    unsigned budget = ENTRIES_LIMIT;
    return of_parameter(registry, e, context, index, 0, &budget);
}
