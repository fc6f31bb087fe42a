/* Recursive descent over the grammar of docs/formula.md; binary operators by one priority table (Lua lparser.c). */
#include "formula/parse.h"

#include <stdio.h>

#define TEXT_LIMIT 65536

/* Where byte `at` of the text stands in its file. A formula of several lines counts its own. */
static void place_of(ridge_str text, unsigned line, unsigned col, size_t at, unsigned *out_line, unsigned *out_col)
{
    for (size_t i = 0; i < at && i < text.n; i++) {
        col++;
        if (text.p[i] == '\n') {
            line++;
            col = 1;
        }
    }
    *out_line = line;
    *out_col = col;
}

static void blame(ridge_err *err, ridge_str text, const char *file, unsigned line, unsigned col, size_t at, size_t span)
{
    unsigned l, c;
    place_of(text, line, col, at, &l, &c);
    ridge_err_place(err, file, l, c);
    ridge_err_excerpt(err, text.p, text.n, at, span ? span : 1);
}

ridge_status ridge_parse_fail(ridge_parser *p, ridge_status code, size_t at, size_t span, const char *msg)
{
    ridge_status st = ridge_fail(p->err, code, "%s", msg);
    blame(p->err, p->text, p->file, p->line, p->col, at, span);
    return st;
}

ridge_status ridge_parse_next(ridge_parser *p)
{
    ridge_status st = ridge_lex(&p->tok, p->text, &p->at, p->err); /* where it fails, p->at is past the blanks */
    if (st)
        blame(p->err, p->text, p->file, p->line, p->col, p->at, 1);
    return st;
}

bool ridge_parse_is_mark(const ridge_parser *p, const char *mark)
{
    return p->tok.kind == RIDGE_TOK_MARK && ridge_str_is(p->tok.text, mark);
}

bool ridge_parse_is_word(const ridge_parser *p, const char *word)
{
    return p->tok.kind == RIDGE_TOK_NAME && ridge_str_is(p->tok.text, word);
}

ridge_status ridge_parse_unexpected(ridge_parser *p, const char *want)
{
    char msg[160];
    if (p->tok.kind == RIDGE_TOK_END)
        snprintf(msg, sizeof msg, "the formula ends where %s was expected", want);
    else
        snprintf(msg, sizeof msg, "found '%.*s' where %s was expected", (int)(p->tok.span > 40 ? 40 : p->tok.span), p->text.p + p->tok.at,
                 want);
    return ridge_parse_fail(p, RIDGE_SYNTAX, p->tok.at, p->tok.span, msg);
}

ridge_status ridge_parse_expect(ridge_parser *p, const char *mark)
{
    char want[8];
    if (ridge_parse_is_mark(p, mark))
        return ridge_parse_next(p);
    snprintf(want, sizeof want, "'%s'", mark);
    return ridge_parse_unexpected(p, want);
}

ridge_ast *ridge_parse_make(ridge_parser *p, ridge_ast_kind kind, size_t at)
{
    ridge_ast *n = ridge_arena_alloc(p->scope->arena, sizeof *n);
    if (!n) {
        ridge_no_memory(p->err);
        return NULL;
    }
    n->kind = kind;
    n->at = (uint32_t)at;
    n->span = (uint32_t)p->tok.span;
    return n;
}

static ridge_status raise(void *data, const ridge_ast *part)
{
    ridge_ast *n = data;
    n->height = n->height > part->height ? n->height : part->height + 1;
    return RIDGE_OK;
}

/* The node covers everything from its start to the last token read. A chain as a + b + c + ... grows in height with each operator, though
 * parsing it goes no deeper. */
ridge_status ridge_parse_close(ridge_parser *p, ridge_ast *n, size_t end)
{
    char msg[80];
    n->span = (uint32_t)(end - n->at);
    (void)ridge_ast_each(n, raise, n);
    if (n->height < RIDGE_DEPTH_LIMIT)
        return RIDGE_OK;
    snprintf(msg, sizeof msg, "nested too deeply: more than %u operators on each other", RIDGE_DEPTH_LIMIT);
    return ridge_parse_fail(p, RIDGE_LIMIT, n->at, n->span, msg);
}

size_t ridge_parse_end(const ridge_ast *n)
{
    return (size_t)n->at + n->span;
}

static ridge_status make_binary(ridge_parser *p, const ridge_ast **out, ridge_ast_kind kind, ridge_op op, const ridge_ast *a,
                                const ridge_ast *b)
{
    ridge_ast *n = ridge_parse_make(p, kind, a->at);
    if (!n)
        return RIDGE_NOMEM;
    n->u.binary.op = op;
    n->u.binary.a = a;
    n->u.binary.b = b;
    *out = n;
    return ridge_parse_close(p, n, ridge_parse_end(b));
}

/* ---- operators: priority as in Python; higher binds tighter ---- */

typedef struct operator_info {
    const char *text;
    ridge_op op;
    unsigned priority;
} operator_info;

enum { PRIORITY_COMPARE = 1, PRIORITY_SUM = 2, PRIORITY_PRODUCT = 3, PRIORITY_UNARY = 4, PRIORITY_POWER = 5 };

static const operator_info operators[] = {
    {"==", RIDGE_OP_EQ, PRIORITY_COMPARE}, {"!=", RIDGE_OP_NE, PRIORITY_COMPARE},       {"<", RIDGE_OP_LT, PRIORITY_COMPARE},
    {"<=", RIDGE_OP_LE, PRIORITY_COMPARE}, {">", RIDGE_OP_GT, PRIORITY_COMPARE},        {">=", RIDGE_OP_GE, PRIORITY_COMPARE},
    {"+", RIDGE_OP_ADD, PRIORITY_SUM},     {"-", RIDGE_OP_SUB, PRIORITY_SUM},           {"*", RIDGE_OP_MUL, PRIORITY_PRODUCT},
    {"/", RIDGE_OP_DIV, PRIORITY_PRODUCT}, {"//", RIDGE_OP_FLOORDIV, PRIORITY_PRODUCT}, {"%", RIDGE_OP_MOD, PRIORITY_PRODUCT},
    {"**", RIDGE_OP_POW, PRIORITY_POWER},
};

/* the operator at the current token, `in` and `not in` included; false: none */
static bool operator_at(ridge_parser *p, operator_info *out)
{
    if (p->tok.kind == RIDGE_TOK_MARK)
        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
            if (ridge_str_is(p->tok.text, operators[i].text)) {
                *out = operators[i];
                return true;
            }
    if (ridge_parse_is_word(p, "in")) {
        *out = (operator_info){"in", RIDGE_OP_IN, PRIORITY_COMPARE};
        return true;
    }
    if (ridge_parse_is_word(p, "not")) {
        ridge_parser ahead = *p;
        ahead.err = NULL;
        if (ridge_parse_next(&ahead) == RIDGE_OK && ridge_parse_is_word(&ahead, "in")) {
            *out = (operator_info){"not in", RIDGE_OP_NOT_IN, PRIORITY_COMPARE};
            return true;
        }
    }
    return false;
}

static ridge_status parse_binary(ridge_parser *p, const ridge_ast **out, unsigned least);

/* ('-' | '+') unary | postfix ['**' unary] */
static ridge_status parse_unary(ridge_parser *p, const ridge_ast **out)
{
    ridge_status st;
    if (++p->depth > RIDGE_PARSE_DEPTH_LIMIT)
        return ridge_parse_fail(p, RIDGE_LIMIT, p->tok.at, p->tok.span, "nested too deeply");
    if (ridge_parse_is_mark(p, "-") || ridge_parse_is_mark(p, "+")) {
        ridge_ast *n = ridge_parse_make(p, ridge_parse_is_mark(p, "-") ? RIDGE_AST_NEGATE : RIDGE_AST_PLUS, p->tok.at);
        if (!n)
            return RIDGE_NOMEM;
        if ((st = ridge_parse_next(p)) || (st = parse_unary(p, &n->u.binary.a)) ||
            (st = ridge_parse_close(p, n, ridge_parse_end(n->u.binary.a))))
            return st;
        *out = n;
    } else {
        const ridge_ast *b;
        if ((st = ridge_parse_postfix(p, out)))
            return st;
        if (ridge_parse_is_mark(p, "**") && ((st = ridge_parse_next(p)) || (st = parse_unary(p, &b)) ||
                                             (st = make_binary(p, out, RIDGE_AST_BINARY, RIDGE_OP_POW, *out, b))))
            return st;
    }
    p->depth--;
    return RIDGE_OK;
}

/* unary {operator unary}; a < b < c means a < b and b < c */
static ridge_status parse_binary(ridge_parser *p, const ridge_ast **out, unsigned least)
{
    operator_info op;
    const ridge_ast *last = NULL, *b;
    ridge_status st = parse_unary(p, out);
    while (!st && operator_at(p, &op) && op.priority >= least && op.priority != PRIORITY_POWER) {
        if ((st = ridge_parse_next(p)) || (op.op == RIDGE_OP_NOT_IN && (st = ridge_parse_next(p))))
            return st;
        if ((st = parse_binary(p, &b, op.priority + 1)))
            return st;
        if (op.priority != PRIORITY_COMPARE || !last) {
            st = make_binary(p, out, RIDGE_AST_BINARY, op.op, *out, b);
        } else {
            const ridge_ast *link;
            if ((st = make_binary(p, &link, RIDGE_AST_BINARY, op.op, last, b)))
                return st;
            st = make_binary(p, out, RIDGE_AST_AND, RIDGE_OP_ADD, *out, link);
        }
        last = op.priority == PRIORITY_COMPARE ? b : NULL;
    }
    return st;
}

/* 'not' not | binary */
static ridge_status parse_not(ridge_parser *p, const ridge_ast **out)
{
    if (!ridge_parse_is_word(p, "not"))
        return parse_binary(p, out, PRIORITY_COMPARE);
    ridge_ast *n = ridge_parse_make(p, RIDGE_AST_NOT, p->tok.at);
    ridge_status st;
    if (!n)
        return RIDGE_NOMEM;
    if (++p->depth > RIDGE_PARSE_DEPTH_LIMIT)
        return ridge_parse_fail(p, RIDGE_LIMIT, p->tok.at, p->tok.span, "nested too deeply");
    if ((st = ridge_parse_next(p)) || (st = parse_not(p, &n->u.binary.a)))
        return st;
    p->depth--;
    *out = n;
    return ridge_parse_close(p, n, ridge_parse_end(n->u.binary.a));
}

/* not {'and' not} */
static ridge_status parse_and(ridge_parser *p, const ridge_ast **out)
{
    const ridge_ast *b;
    ridge_status st = parse_not(p, out);
    while (!st && ridge_parse_is_word(p, "and"))
        if (!(st = ridge_parse_next(p)) && !(st = parse_not(p, &b)))
            st = make_binary(p, out, RIDGE_AST_AND, RIDGE_OP_ADD, *out, b);
    return st;
}

/* and {'or' and} {'??' ...} */
ridge_status ridge_parse_or(ridge_parser *p, const ridge_ast **out)
{
    const ridge_ast *b;
    ridge_status st = parse_and(p, out);
    while (!st && (ridge_parse_is_word(p, "or") || ridge_parse_is_mark(p, "??"))) {
        ridge_ast_kind kind = ridge_parse_is_word(p, "or") ? RIDGE_AST_OR : RIDGE_AST_DEFAULT;
        if (!(st = ridge_parse_next(p)) && !(st = parse_and(p, &b)))
            st = make_binary(p, out, kind, RIDGE_OP_ADD, *out, b);
    }
    return st;
}

/* or ['if' or 'else' expr] */
ridge_status ridge_parse_expr(ridge_parser *p, const ridge_ast **out)
{
    ridge_status st;
    if (++p->depth > RIDGE_PARSE_DEPTH_LIMIT)
        return ridge_parse_fail(p, RIDGE_LIMIT, p->tok.at, p->tok.span, "nested too deeply");
    if ((st = ridge_parse_or(p, out)))
        return st;
    if (ridge_parse_is_word(p, "if")) {
        ridge_ast *n = ridge_parse_make(p, RIDGE_AST_CONDITIONAL, (*out)->at);
        if (!n)
            return RIDGE_NOMEM;
        n->u.conditional.then = *out;
        if ((st = ridge_parse_next(p)) || (st = ridge_parse_or(p, &n->u.conditional.condition)))
            return st;
        if (!ridge_parse_is_word(p, "else"))
            return ridge_parse_unexpected(p, "'else'");
        if ((st = ridge_parse_next(p)) || (st = ridge_parse_expr(p, &n->u.conditional.otherwise)) ||
            (st = ridge_parse_close(p, n, ridge_parse_end(n->u.conditional.otherwise))))
            return st;
        *out = n;
    }
    p->depth--;
    return RIDGE_OK;
}

ridge_status ridge_scope_full(const ridge_scope *scope, ridge_err *err)
{
    if (scope->slots < RIDGE_SCOPE_LIMIT)
        return ridge_no_memory(err);
    return ridge_fail(err, RIDGE_LIMIT, "more than %u names in one entry", RIDGE_SCOPE_LIMIT);
}

uint32_t ridge_scope_add(ridge_scope *scope, const ridge_symbol *name)
{
    if (name)
        for (uint32_t i = 0; i < scope->slots; i++)
            if (scope->names[i] == name)
                return i;
    if (scope->slots >= RIDGE_SCOPE_LIMIT ||
        !ridge_arena_more(scope->arena, &scope->names, scope->slots, &scope->cap, sizeof *scope->names))
        return UINT32_MAX;
    scope->names[scope->slots] = name;
    return scope->slots++;
}

ridge_status ridge_expr_parse(ridge_expr **out, ridge_str text, const char *file, unsigned line, unsigned col, ridge_scope *scope,
                              ridge_err *err)
{
    ridge_parser p = {.text = text, .scope = scope, .err = err, .file = file ? file : "", .line = line, .col = col};
    ridge_expr *e = ridge_arena_alloc(scope->arena, sizeof *e);
    if (!e)
        return ridge_no_memory(err);
    *e = (ridge_expr){NULL, text, p.file, line, col};
    *out = e;
    if (text.n > TEXT_LIMIT)
        return ridge_fail_at(err, RIDGE_LIMIT, p.file, line, col, "a formula has at most %d bytes", TEXT_LIMIT);
    ridge_status st = ridge_parse_next(&p);
    if (!st)
        st = ridge_parse_expr(&p, &e->root);
    if (!st && p.tok.kind != RIDGE_TOK_END)
        st = ridge_parse_unexpected(&p, "an operator or the end");
    return st;
}

void ridge_expr_blame(ridge_err *err, const ridge_expr *expr)
{
    blame(err, expr->text, expr->file, expr->line, expr->col, 0, expr->text.n);
}
