/* Recursive descent over the grammar of docs/formula.md; binary operators by one priority table (Lua lparser.c). */
#include "formula/ast.h"

#include <stdio.h>

#include "base/format.h"
#include "formula/lex.h"

#define PARSE_DEPTH_LIMIT 128
#define TEXT_LIMIT 65536
#define LIST_LIMIT 4096

typedef struct parser {
    ridge_str text;
    size_t at;
    ridge_token tok;
    ridge_scope *scope;
    ridge_err *err;
    const char *file;
    unsigned line, col, depth;
} parser;

static ridge_status parse_expr(parser *p, const ridge_ast **out);
static ridge_status parse_or(parser *p, const ridge_ast **out);

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

static ridge_status fail_at(parser *p, ridge_status code, size_t at, size_t span, const char *msg)
{
    ridge_status st = ridge_fail(p->err, code, "%s", msg);
    blame(p->err, p->text, p->file, p->line, p->col, at, span);
    return st;
}

static ridge_status next(parser *p)
{
    ridge_status st = ridge_lex(&p->tok, p->text, &p->at, p->err); /* where it fails, p->at is past the blanks */
    if (st)
        blame(p->err, p->text, p->file, p->line, p->col, p->at, 1);
    return st;
}

static bool is_mark(const parser *p, const char *mark)
{
    return p->tok.kind == RIDGE_TOK_MARK && ridge_str_is(p->tok.text, mark);
}

static bool is_word(const parser *p, const char *word)
{
    return p->tok.kind == RIDGE_TOK_NAME && ridge_str_is(p->tok.text, word);
}

static ridge_status unexpected(parser *p, const char *want)
{
    char msg[160];
    if (p->tok.kind == RIDGE_TOK_END)
        snprintf(msg, sizeof msg, "the formula ends where %s was expected", want);
    else
        snprintf(msg, sizeof msg, "found '%.*s' where %s was expected", (int)(p->tok.span > 40 ? 40 : p->tok.span), p->text.p + p->tok.at,
                 want);
    return fail_at(p, RIDGE_SYNTAX, p->tok.at, p->tok.span, msg);
}

static ridge_status expect(parser *p, const char *mark)
{
    char want[8];
    if (is_mark(p, mark))
        return next(p);
    snprintf(want, sizeof want, "'%s'", mark);
    return unexpected(p, want);
}

static ridge_ast *make(parser *p, ridge_ast_kind kind, size_t at)
{
    ridge_ast *n = ridge_arena_alloc(p->scope->arena, sizeof *n);
    if (!n) {
        ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
        return NULL;
    }
    n->kind = kind;
    n->at = (uint32_t)at;
    n->span = (uint32_t)p->tok.span;
    return n;
}

/* the node covers everything from its start to the last token read */
static void close_span(parser *p, ridge_ast *n, size_t end)
{
    (void)p;
    n->span = (uint32_t)(end - n->at);
}

static size_t end_of(const ridge_ast *n)
{
    return (size_t)n->at + n->span;
}

static ridge_status make_binary(parser *p, const ridge_ast **out, ridge_ast_kind kind, ridge_op op, const ridge_ast *a, const ridge_ast *b)
{
    ridge_ast *n = make(p, kind, a->at);
    if (!n)
        return RIDGE_NOMEM;
    n->u.binary.op = op;
    n->u.binary.a = a;
    n->u.binary.b = b;
    close_span(p, n, end_of(b));
    *out = n;
    return RIDGE_OK;
}

static ridge_status make_constant(parser *p, const ridge_ast **out, ridge_value v, size_t at, size_t span)
{
    ridge_ast *n = make(p, RIDGE_AST_CONSTANT, at);
    if (!n)
        return RIDGE_NOMEM;
    n->span = (uint32_t)span;
    n->u.constant = v;
    *out = n;
    return RIDGE_OK;
}

/* ---- names ---- */

static bool global_of(ridge_str name, ridge_global *out)
{
    static const char *const names[] = {
#define X(n, least) #n,
        RIDGE_GLOBAL_LIST(X)
#undef X
    };
    for (unsigned i = 0; i < RIDGE_GLOBAL_COUNT; i++)
        if (ridge_str_is(name, names[i])) {
            *out = (ridge_global)i;
            return true;
        }
    return false;
}

static void suggest(char *out, size_t cap, const parser *p, ridge_str name)
{
    unsigned best = name.n < 2 ? 1 : name.n < 4 ? 2 : 3;
    ridge_str found = {NULL, 0};
    for (uint32_t i = 0; i < p->scope->slots; i++)
        if (p->scope->names[i]) {
            ridge_str have = {p->scope->names[i]->text, p->scope->names[i]->len};
            unsigned d = ridge_str_distance(name, have, best);
            if (d < best) {
                best = d;
                found = have;
            }
        }
    out[0] = 0;
    if (found.p)
        snprintf(out, cap, "; did you mean '%.*s'?", RIDGE_STR_ARG(found));
}

static ridge_status resolve_name(parser *p, const ridge_ast **out, ridge_str name, size_t at, size_t span)
{
    const ridge_symbol *sym = ridge_intern(p->scope->symbols, name);
    ridge_ast *n = make(p, RIDGE_AST_SLOT, at);
    ridge_global g;
    if (!sym || !n)
        return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
    n->span = (uint32_t)span;
    *out = n;
    for (uint32_t i = p->scope->slots; i-- > 0;)
        if (p->scope->names[i] == sym) {
            n->u.slot = i;
            return RIDGE_OK;
        }
    if (global_of(name, &g)) {
        n->kind = RIDGE_AST_GLOBAL;
        n->u.global = g;
        return RIDGE_OK;
    }
    if (ridge_str_is(name, "config")) {
        n->kind = RIDGE_AST_CONFIG;
        return RIDGE_OK;
    }
    const ridge_format *format = ridge_format_find(name);
    if (format) {
        n->kind = RIDGE_AST_CONSTANT;
        n->u.constant = ridge_value_str(ridge_str_of(format->name));
        return RIDGE_OK;
    }
    char msg[200], hint[100];
    suggest(hint, sizeof hint, p, name);
    snprintf(msg, sizeof msg, "undefined name '%.*s'%s", (int)(name.n > 60 ? 60 : name.n), name.p, hint);
    return fail_at(p, RIDGE_NAME, at, span, msg);
}

/* ${a.b}: a name with fields */
static ridge_status parse_param(parser *p, const ridge_ast **out)
{
    ridge_str rest = p->tok.text;
    size_t at = p->tok.at, span = p->tok.span;
    const char *dot = memchr(rest.p, '.', rest.n);
    ridge_str head = {rest.p, dot ? (size_t)(dot - rest.p) : rest.n};
    ridge_status st = resolve_name(p, out, head, at, span);
    while (!st && dot) {
        const char *from = dot + 1, *end = rest.p + rest.n;
        dot = memchr(from, '.', (size_t)(end - from));
        ridge_ast *n = make(p, RIDGE_AST_FIELD, at);
        if (!n)
            return RIDGE_NOMEM;
        n->span = (uint32_t)span;
        n->u.field.object = *out;
        n->u.field.name = ridge_intern(p->scope->symbols, (ridge_str){from, (size_t)((dot ? dot : end) - from)});
        if (!n->u.field.name)
            return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
        *out = n;
    }
    return st ? st : next(p);
}

/* ---- lists, calls ---- */

typedef struct items {
    const ridge_ast **p;
    size_t n, cap;
} items;

static ridge_status push(parser *p, items *list, const ridge_ast *item)
{
    if (list->n >= LIST_LIMIT)
        return fail_at(p, RIDGE_LIMIT, item->at, item->span, "too many items");
    list->p = ridge_arena_grow(p->scope->arena, list->p, list->n, &list->cap, list->n + 1, sizeof *list->p);
    if (!list->p)
        return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
    list->p[list->n++] = item;
    return RIDGE_OK;
}

/* The comprehension's name is known inside it only, but its element stands before it: the text is parsed twice. */
static ridge_status parse_comprehension(parser *p, const ridge_ast **out, size_t open, size_t element_at)
{
    ridge_ast *n = make(p, RIDGE_AST_COMPREHENSION, open);
    ridge_status st;
    if (!n)
        return RIDGE_NOMEM;
    if ((st = next(p)))
        return st;
    if (p->tok.kind != RIDGE_TOK_NAME)
        return unexpected(p, "a name");
    const ridge_symbol *name = ridge_intern(p->scope->symbols, p->tok.text);
    if (!name)
        return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
    if ((st = next(p)))
        return st;
    if (!is_word(p, "in"))
        return unexpected(p, "'in'");
    if ((st = next(p)) || (st = parse_or(p, &n->u.comprehension.source)))
        return st;
    uint32_t slot = ridge_scope_add(p->scope, NULL);
    if (slot == UINT32_MAX)
        return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
    p->scope->names[slot] = name;
    n->u.comprehension.slot = slot;
    if (is_word(p, "if") && ((st = next(p)) || (st = parse_or(p, &n->u.comprehension.condition))))
        return st;
    parser after = *p;
    p->at = element_at;
    if ((st = next(p)) || (st = parse_expr(p, &n->u.comprehension.element)))
        return st;
    p->scope->names[slot] = NULL;
    p->at = after.at;
    p->tok = after.tok;
    close_span(p, n, p->tok.at + 1);
    *out = n;
    return RIDGE_OK;
}

/* Does a 'for' follow the element that starts here, before the closing bracket of this list? */
static bool is_comprehension(const parser *p)
{
    size_t at = p->tok.at;
    ridge_token t;
    int depth = 0;
    while (ridge_lex(&t, p->text, &at, NULL) == RIDGE_OK && t.kind != RIDGE_TOK_END) {
        if (t.kind == RIDGE_TOK_MARK && (t.text.p[0] == '(' || t.text.p[0] == '['))
            depth++;
        else if (t.kind == RIDGE_TOK_MARK && (t.text.p[0] == ')' || t.text.p[0] == ']') && depth-- == 0)
            return false;
        else if (depth == 0 && t.kind == RIDGE_TOK_MARK && t.text.p[0] == ',')
            return false;
        else if (depth == 0 && t.kind == RIDGE_TOK_NAME && ridge_str_is(t.text, "for"))
            return true;
    }
    return false;
}

/* moves to the 'for' of a comprehension whose element starts here */
static ridge_status skip_to_for(parser *p)
{
    int depth = 0;
    while (p->tok.kind != RIDGE_TOK_END && !(depth == 0 && is_word(p, "for"))) {
        if (p->tok.kind == RIDGE_TOK_MARK && (p->tok.text.p[0] == '(' || p->tok.text.p[0] == '['))
            depth++;
        else if (p->tok.kind == RIDGE_TOK_MARK && (p->tok.text.p[0] == ')' || p->tok.text.p[0] == ']'))
            depth--;
        ridge_status st = next(p);
        if (st)
            return st;
    }
    return RIDGE_OK;
}

/* '[' [expr {',' expr} [',']] ']' | '[' expr 'for' name 'in' or ['if' or] ']' */
static ridge_status parse_list(parser *p, const ridge_ast **out)
{
    size_t open = p->tok.at;
    items list = {NULL, 0, 0};
    ridge_status st = next(p);
    if (st)
        return st;
    if (!is_mark(p, "]") && is_comprehension(p)) {
        size_t element_at = p->tok.at;
        if ((st = skip_to_for(p)) || (st = parse_comprehension(p, out, open, element_at)))
            return st;
        return expect(p, "]");
    }
    while (!is_mark(p, "]")) {
        const ridge_ast *item;
        if ((st = parse_expr(p, &item)) || (st = push(p, &list, item)))
            return st;
        if (!is_mark(p, ","))
            break;
        if ((st = next(p)))
            return st;
    }
    ridge_ast *n = make(p, RIDGE_AST_LIST, open);
    if (!n)
        return RIDGE_NOMEM;
    n->u.list.items = list.p;
    n->u.list.count = list.n;
    close_span(p, n, p->tok.at + p->tok.span);
    *out = n;
    return expect(p, "]");
}

static ridge_status parse_builtin(parser *p, const ridge_ast **out, ridge_builtin which, size_t at)
{
    static const struct {
        const char *name;
        unsigned least, most;
    } table[] = {
#define X(n, least, most) {#n, least, most},
        RIDGE_BUILTIN_LIST(X)
#undef X
    };
    items list = {NULL, 0, 0};
    ridge_status st = expect(p, "(");
    if (st)
        return st;
    bool generator = !is_mark(p, ")") && is_comprehension(p);
    if (generator) { /* sum(x for x in list) */
        const ridge_ast *item;
        size_t element_at = p->tok.at;
        if ((st = skip_to_for(p)) || (st = parse_comprehension(p, &item, at, element_at)) || (st = push(p, &list, item)))
            return st;
    }
    while (!generator && !is_mark(p, ")")) {
        const ridge_ast *item;
        if ((st = parse_expr(p, &item)) || (st = push(p, &list, item)))
            return st;
        if (!is_mark(p, ","))
            break;
        if ((st = next(p)))
            return st;
    }
    ridge_ast *n = make(p, RIDGE_AST_BUILTIN, at);
    if (!n)
        return RIDGE_NOMEM;
    n->u.list.items = list.p;
    n->u.list.count = list.n;
    n->u.list.which = which;
    close_span(p, n, p->tok.at + p->tok.span);
    if (list.n < table[which].least || list.n > table[which].most) {
        char msg[96];
        unsigned least = table[which].least, most = table[which].most;
        if (least == most)
            snprintf(msg, sizeof msg, "%s takes %u argument%s, not %zu", table[which].name, most, most == 1 ? "" : "s", list.n);
        else
            snprintf(msg, sizeof msg, "%s takes %u to %u arguments, not %zu", table[which].name, least, most, list.n);
        return fail_at(p, RIDGE_ARITY, at, n->span, msg);
    }
    *out = n;
    return expect(p, ")");
}

static bool builtin_of(ridge_str name, ridge_builtin *out)
{
    static const char *const names[] = {
#define X(n, least, most) #n,
        RIDGE_BUILTIN_LIST(X)
#undef X
    };
    for (unsigned i = 0; i < RIDGE_BUILTIN_COUNT; i++)
        if (ridge_str_is(name, names[i])) {
            *out = (ridge_builtin)i;
            return true;
        }
    return false;
}

/* one argument of {Module}(...): expr | name '=' expr */
static ridge_status parse_argument(parser *p, ridge_ast *n, size_t *cap_a, size_t *cap_n)
{
    ridge_arena *arena = p->scope->arena;
    const ridge_symbol *name = NULL;
    const ridge_ast *value;
    ridge_status st;
    parser ahead = *p;
    ahead.err = NULL;
    if (p->tok.kind == RIDGE_TOK_NAME && next(&ahead) == RIDGE_OK && is_mark(&ahead, "=")) {
        if (!(name = ridge_intern(p->scope->symbols, p->tok.text)))
            return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
        if ((st = next(p)) || (st = next(p)))
            return st;
    } else if (n->u.module.count && n->u.module.names[n->u.module.count - 1]) {
        return fail_at(p, RIDGE_SYNTAX, p->tok.at, p->tok.span, "a positional argument after a named one");
    }
    if ((st = parse_expr(p, &value)))
        return st;
    size_t k = n->u.module.count;
    n->u.module.args = ridge_arena_grow(arena, n->u.module.args, k, cap_a, k + 1, sizeof *n->u.module.args);
    n->u.module.names = ridge_arena_grow(arena, n->u.module.names, k, cap_n, k + 1, sizeof *n->u.module.names);
    if (!n->u.module.args || !n->u.module.names)
        return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
    if (k >= 64)
        return fail_at(p, RIDGE_LIMIT, value->at, value->span, "too many arguments");
    n->u.module.args[k] = value;
    n->u.module.names[k] = name;
    n->u.module.count++;
    return RIDGE_OK;
}

/* '{' path '}' '(' [argument {',' argument} [',']] ')' */
static ridge_status parse_module(parser *p, const ridge_ast **out)
{
    ridge_ast *n = make(p, RIDGE_AST_MODULE, p->tok.at);
    size_t cap_a = 0, cap_n = 0;
    ridge_status st;
    if (!n)
        return RIDGE_NOMEM;
    n->u.module.name = p->scope->module ? p->scope->module(p->scope->module_data, p->tok.text) : ridge_intern(p->scope->symbols, p->tok.text);
    n->u.module.cache = ridge_arena_alloc(p->scope->arena, sizeof(void *));
    if (!n->u.module.name || !n->u.module.cache)
        return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
    if ((st = next(p)) || (st = expect(p, "(")))
        return st;
    while (!is_mark(p, ")")) {
        if ((st = parse_argument(p, n, &cap_a, &cap_n)))
            return st;
        if (!is_mark(p, ","))
            break;
        if ((st = next(p)))
            return st;
    }
    close_span(p, n, p->tok.at + p->tok.span);
    *out = n;
    return expect(p, ")");
}

/* ---- operands ---- */

static ridge_status parse_number(parser *p, const ridge_ast **out)
{
    ridge_rational r;
    ridge_value v;
    ridge_calc calc = {p->scope->arena, NULL, p->err};
    if (!ridge_rational_parse(&r, p->tok.text))
        return fail_at(p, RIDGE_OVERFLOW, p->tok.at, p->tok.span, "this number does not fit in 128 bits");
    ridge_status st = ridge_value_rational(&v, r, &calc);
    if (st || (st = make_constant(p, out, v, p->tok.at, p->tok.span)))
        return st;
    return next(p);
}

static ridge_status parse_word(parser *p, const ridge_ast **out)
{
    static const char *const reserved[] = {"and", "or", "not", "in", "if", "else", "for", "is", "lambda"};
    size_t at = p->tok.at, span = p->tok.span;
    ridge_str name = p->tok.text;
    ridge_builtin which;
    ridge_status st;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (ridge_str_is(name, reserved[i]))
            return unexpected(p, "a value");
    if ((st = next(p)))
        return st;
    if (is_mark(p, "(")) {
        if (builtin_of(name, &which))
            return parse_builtin(p, out, which, at);
        return fail_at(p, RIDGE_NAME, at, span, "not a function of the formula language (a module is called as {Module}(...))");
    }
    if (ridge_str_is(name, "None") || ridge_str_is(name, "null"))
        return make_constant(p, out, ridge_value_none(), at, span);
    if (ridge_str_is(name, "True") || ridge_str_is(name, "true"))
        return make_constant(p, out, ridge_value_bool(true), at, span);
    if (ridge_str_is(name, "False") || ridge_str_is(name, "false"))
        return make_constant(p, out, ridge_value_bool(false), at, span);
    return resolve_name(p, out, name, at, span);
}

static ridge_status parse_atom(parser *p, const ridge_ast **out)
{
    ridge_status st;
    switch (p->tok.kind) {
    case RIDGE_TOK_NUMBER:
        return parse_number(p, out);
    case RIDGE_TOK_STRING:
        st = make_constant(p, out, ridge_value_str(p->tok.text), p->tok.at, p->tok.span);
        return st ? st : next(p);
    case RIDGE_TOK_PARAM:
        return parse_param(p, out);
    case RIDGE_TOK_MODULE:
        return parse_module(p, out);
    case RIDGE_TOK_NAME:
        return parse_word(p, out);
    default:
        break;
    }
    if (is_mark(p, "["))
        return parse_list(p, out);
    if (is_mark(p, "(")) {
        if ((st = next(p)) || (st = parse_expr(p, out)))
            return st;
        return expect(p, ")");
    }
    return unexpected(p, "a value");
}

/* atom {'.' name | '[' expr ']'} */
static ridge_status parse_postfix(parser *p, const ridge_ast **out)
{
    ridge_status st = parse_atom(p, out);
    while (!st && (is_mark(p, ".") || is_mark(p, "["))) {
        bool field = is_mark(p, ".");
        ridge_ast *n = make(p, field ? RIDGE_AST_FIELD : RIDGE_AST_INDEX, (*out)->at);
        if (!n)
            return RIDGE_NOMEM;
        if ((st = next(p)))
            return st;
        if (field && p->tok.kind != RIDGE_TOK_NAME)
            return unexpected(p, "a field's name");
        if (field) {
            n->u.field.object = *out;
            if (!(n->u.field.name = ridge_intern(p->scope->symbols, p->tok.text)))
                return ridge_fail(p->err, RIDGE_NOMEM, "out of memory");
            close_span(p, n, p->tok.at + p->tok.span);
            st = next(p);
        } else {
            n->u.binary.a = *out;
            if ((st = parse_expr(p, &n->u.binary.b)))
                return st;
            close_span(p, n, p->tok.at + 1);
            st = expect(p, "]");
        }
        *out = n;
    }
    return st;
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
static bool operator_at(parser *p, operator_info *out)
{
    if (p->tok.kind == RIDGE_TOK_MARK)
        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
            if (ridge_str_is(p->tok.text, operators[i].text)) {
                *out = operators[i];
                return true;
            }
    if (is_word(p, "in")) {
        *out = (operator_info){"in", RIDGE_OP_IN, PRIORITY_COMPARE};
        return true;
    }
    if (is_word(p, "not")) {
        parser ahead = *p;
        ahead.err = NULL;
        if (next(&ahead) == RIDGE_OK && is_word(&ahead, "in")) {
            *out = (operator_info){"not in", RIDGE_OP_NOT_IN, PRIORITY_COMPARE};
            return true;
        }
    }
    return false;
}

static ridge_status parse_binary(parser *p, const ridge_ast **out, unsigned least);

/* ('-' | '+') unary | postfix ['**' unary] */
static ridge_status parse_unary(parser *p, const ridge_ast **out)
{
    ridge_status st;
    if (++p->depth > PARSE_DEPTH_LIMIT)
        return fail_at(p, RIDGE_LIMIT, p->tok.at, p->tok.span, "nested too deeply");
    if (is_mark(p, "-") || is_mark(p, "+")) {
        ridge_ast *n = make(p, is_mark(p, "-") ? RIDGE_AST_NEGATE : RIDGE_AST_PLUS, p->tok.at);
        if (!n)
            return RIDGE_NOMEM;
        if ((st = next(p)) || (st = parse_unary(p, &n->u.binary.a)))
            return st;
        close_span(p, n, end_of(n->u.binary.a));
        *out = n;
    } else {
        const ridge_ast *b;
        if ((st = parse_postfix(p, out)))
            return st;
        if (is_mark(p, "**") &&
            ((st = next(p)) || (st = parse_unary(p, &b)) || (st = make_binary(p, out, RIDGE_AST_BINARY, RIDGE_OP_POW, *out, b))))
            return st;
    }
    p->depth--;
    return RIDGE_OK;
}

/* unary {operator unary}; a < b < c means a < b and b < c */
static ridge_status parse_binary(parser *p, const ridge_ast **out, unsigned least)
{
    operator_info op;
    const ridge_ast *last = NULL, *b;
    ridge_status st = parse_unary(p, out);
    while (!st && operator_at(p, &op) && op.priority >= least && op.priority != PRIORITY_POWER) {
        if ((st = next(p)) || (op.op == RIDGE_OP_NOT_IN && (st = next(p))))
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
static ridge_status parse_not(parser *p, const ridge_ast **out)
{
    if (!is_word(p, "not"))
        return parse_binary(p, out, PRIORITY_COMPARE);
    ridge_ast *n = make(p, RIDGE_AST_NOT, p->tok.at);
    ridge_status st;
    if (!n)
        return RIDGE_NOMEM;
    if (++p->depth > PARSE_DEPTH_LIMIT)
        return fail_at(p, RIDGE_LIMIT, p->tok.at, p->tok.span, "nested too deeply");
    if ((st = next(p)) || (st = parse_not(p, &n->u.binary.a)))
        return st;
    p->depth--;
    close_span(p, n, end_of(n->u.binary.a));
    *out = n;
    return RIDGE_OK;
}

/* not {'and' not} */
static ridge_status parse_and(parser *p, const ridge_ast **out)
{
    const ridge_ast *b;
    ridge_status st = parse_not(p, out);
    while (!st && is_word(p, "and"))
        if (!(st = next(p)) && !(st = parse_not(p, &b)))
            st = make_binary(p, out, RIDGE_AST_AND, RIDGE_OP_ADD, *out, b);
    return st;
}

/* and {'or' and} {'??' ...} */
static ridge_status parse_or(parser *p, const ridge_ast **out)
{
    const ridge_ast *b;
    ridge_status st = parse_and(p, out);
    while (!st && (is_word(p, "or") || is_mark(p, "??"))) {
        ridge_ast_kind kind = is_word(p, "or") ? RIDGE_AST_OR : RIDGE_AST_DEFAULT;
        if (!(st = next(p)) && !(st = parse_and(p, &b)))
            st = make_binary(p, out, kind, RIDGE_OP_ADD, *out, b);
    }
    return st;
}

/* or ['if' or 'else' expr] */
static ridge_status parse_expr(parser *p, const ridge_ast **out)
{
    ridge_status st;
    if (++p->depth > PARSE_DEPTH_LIMIT)
        return fail_at(p, RIDGE_LIMIT, p->tok.at, p->tok.span, "nested too deeply");
    if ((st = parse_or(p, out)))
        return st;
    if (is_word(p, "if")) {
        ridge_ast *n = make(p, RIDGE_AST_CONDITIONAL, (*out)->at);
        if (!n)
            return RIDGE_NOMEM;
        n->u.conditional.then = *out;
        if ((st = next(p)) || (st = parse_or(p, &n->u.conditional.condition)))
            return st;
        if (!is_word(p, "else"))
            return unexpected(p, "'else'");
        if ((st = next(p)) || (st = parse_expr(p, &n->u.conditional.otherwise)))
            return st;
        close_span(p, n, end_of(n->u.conditional.otherwise));
        *out = n;
    }
    p->depth--;
    return RIDGE_OK;
}

uint32_t ridge_scope_add(ridge_scope *scope, const ridge_symbol *name)
{
    if (name)
        for (uint32_t i = 0; i < scope->slots; i++)
            if (scope->names[i] == name)
                return i;
    const ridge_symbol **names =
        ridge_arena_grow(scope->arena, scope->names, scope->slots, &scope->cap, scope->slots + 1u, sizeof *scope->names);
    if (!names)
        return UINT32_MAX;
    scope->names = names;
    scope->names[scope->slots] = name;
    return scope->slots++;
}

ridge_status ridge_expr_parse(ridge_expr **out, ridge_str text, const char *file, unsigned line, unsigned col, ridge_scope *scope,
                              ridge_err *err)
{
    parser p = {.text = text, .scope = scope, .err = err, .file = file ? file : "", .line = line, .col = col};
    ridge_expr *e = ridge_arena_alloc(scope->arena, sizeof *e);
    if (!e)
        return ridge_fail(err, RIDGE_NOMEM, "out of memory");
    *e = (ridge_expr){NULL, text, p.file, line, col};
    *out = e;
    if (text.n > TEXT_LIMIT)
        return ridge_fail_at(err, RIDGE_LIMIT, p.file, line, col, "a formula has at most %d bytes", TEXT_LIMIT);
    ridge_status st = next(&p);
    if (!st)
        st = parse_expr(&p, &e->root);
    if (!st && p.tok.kind != RIDGE_TOK_END)
        st = unexpected(&p, "an operator or the end");
    return st;
}

void ridge_expr_blame(ridge_err *err, const ridge_expr *expr)
{
    blame(err, expr->text, expr->file, expr->line, expr->col, 0, expr->text.n);
}
