/* Walks syntax trees: which modules an expression calls, which config fields it reads. */
#include <stdio.h>

#include "formula/ast.h"

static ridge_status look_at_all(const ridge_ast *const *p, size_t count, ridge_ast_look *look, void *data)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++)
        if (p[i])
            st = look(data, p[i]);
    return st;
}

ridge_status ridge_ast_each(const ridge_ast *n, ridge_ast_look *look, void *data)
{
    const ridge_ast *three[3] = {NULL, NULL, NULL};
    switch (n->kind) {
    case RIDGE_AST_MODULE:
        return look_at_all(n->u.module.args, n->u.module.count, look, data);
    case RIDGE_AST_LIST:
    case RIDGE_AST_BUILTIN:
        return look_at_all(n->u.list.items, n->u.list.count, look, data);
    case RIDGE_AST_FIELD:
        three[0] = n->u.field.object;
        break;
    case RIDGE_AST_CONDITIONAL:
        three[0] = n->u.conditional.condition;
        three[1] = n->u.conditional.then;
        three[2] = n->u.conditional.otherwise;
        break;
    case RIDGE_AST_COMPREHENSION:
        three[0] = n->u.comprehension.element;
        three[1] = n->u.comprehension.source;
        three[2] = n->u.comprehension.condition;
        break;
    case RIDGE_AST_INDEX:
    case RIDGE_AST_NEGATE:
    case RIDGE_AST_PLUS:
    case RIDGE_AST_NOT:
    case RIDGE_AST_BINARY:
    case RIDGE_AST_AND:
    case RIDGE_AST_OR:
    case RIDGE_AST_DEFAULT:
        three[0] = n->u.binary.a;
        three[1] = n->u.binary.b;
        break;
    case RIDGE_AST_CONSTANT:
    case RIDGE_AST_SLOT:
    case RIDGE_AST_GLOBAL:
    case RIDGE_AST_CONFIG:
        break;
    }
    return look_at_all(three, 3, look, data);
}

typedef struct visit {
    ridge_ast_look *look;
    void *data;
} visit;

static ridge_status visit_node(void *data, const ridge_ast *n)
{
    visit *v = data;
    ridge_status st = v->look(v->data, n);
    return st ? st : ridge_ast_each(n, visit_node, v);
}

ridge_status ridge_ast_visit(const ridge_ast *n, ridge_ast_look *look, void *data)
{
    visit v = {look, data};
    return visit_node(&v, n);
}

/* ---- modules ---- */

typedef struct uses {
    ridge_module_use *p;
    size_t n, cap;
    ridge_arena *arena;
    const ridge_expr *expr;
    ridge_err *err;
} uses;

static void locate(unsigned *line, unsigned *col, const ridge_expr *expr, uint32_t at)
{
    *line = expr->line;
    *col = expr->col;
    for (size_t i = 0; i < at; i++) {
        ++*col;
        if (expr->text.p[i] == '\n') {
            ++*line;
            *col = 1;
        }
    }
}

static ridge_status collect(void *data, const ridge_ast *n)
{
    uses *u = data;
    if (n->kind != RIDGE_AST_MODULE)
        return RIDGE_OK;
    if (!ridge_arena_more(u->arena, &u->p, u->n, &u->cap, sizeof *u->p))
        return ridge_no_memory(u->err);
    ridge_module_use *use = &u->p[u->n++];
    *use = (ridge_module_use){.module = n->u.module.name, .at = n->at, .span = n->span};
    while (use->positional < n->u.module.count && !n->u.module.names[use->positional])
        use->positional++;
    use->named_count = n->u.module.count - use->positional;
    if (use->named_count)
        use->named = n->u.module.names + use->positional;
    return RIDGE_OK;
}

ridge_status ridge_expr_modules(ridge_module_use **out, size_t *count, const ridge_expr *expr, ridge_arena *arena, ridge_err *err)
{
    uses u = {NULL, 0, 0, arena, expr, err};
    ridge_status st = ridge_ast_visit(expr->root, collect, &u);
    *out = u.p;
    *count = u.n;
    return st;
}

/* ---- config fields ---- */

typedef struct fields {
    const ridge_expr *expr;
    bool all;
    const ridge_ast *excused; /* may be missing: stands before ?? */
    ridge_config_use *use;
    void *data;
} fields;

static ridge_status look_at_field(void *data, const ridge_ast *n)
{
    fields *f = data;
    if (n->kind == RIDGE_AST_DEFAULT && !f->all)
        f->excused = n->u.binary.a;
    else if (n->kind == RIDGE_AST_FIELD && n->u.field.object->kind == RIDGE_AST_CONFIG && n != f->excused)
        f->use(f->data, f->expr, n->u.field.name, n->at, n->span);
    return RIDGE_OK;
}

void ridge_expr_config_fields(const ridge_expr *expr, ridge_config_use *use, void *data)
{
    fields f = {expr, false, NULL, use, data};
    ridge_ast_visit(expr->root, look_at_field, &f);
}

void ridge_expr_config_reads(const ridge_expr *expr, ridge_config_use *use, void *data)
{
    fields f = {expr, true, NULL, use, data};
    ridge_ast_visit(expr->root, look_at_field, &f);
}

/* ---- errors ---- */

ridge_status ridge_expr_fail(ridge_err *err, ridge_status code, const ridge_expr *expr, uint32_t at, uint32_t span, const char *fmt, ...)
{
    char msg[400];
    unsigned line, col;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    locate(&line, &col, expr, at);
    ridge_status st = ridge_fail_at(err, code, expr->file, line, col, "%s", msg);
    ridge_err_excerpt(err, expr->text.p, expr->text.n, at, span ? span : 1);
    return st;
}
