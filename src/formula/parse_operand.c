/* Operands of the grammar: names, numbers, lists, calls of functions and modules. */
#include "formula/parse.h"

#include <stdio.h>

#include "base/format.h"

#define LIST_LIMIT 4096

static ridge_status make_constant(ridge_parser *p, const ridge_ast **out, ridge_value v, size_t at, size_t span)
{
    ridge_ast *n = ridge_parse_make(p, RIDGE_AST_CONSTANT, at);
    if (!n)
        return RIDGE_NOMEM;
    n->span = (uint32_t)span;
    n->u.constant = v;
    *out = n;
    return RIDGE_OK;
}

/* ---- names ---- */

const ridge_global_info ridge_globals[RIDGE_GLOBAL_COUNT] = {
#define X(name, least) {#name, least},
    RIDGE_GLOBAL_LIST(X)
#undef X
};

ridge_global ridge_global_find(ridge_str name)
{
    unsigned i = 0;
    while (i < RIDGE_GLOBAL_COUNT && !ridge_str_is(name, ridge_globals[i].name))
        i++;
    return (ridge_global)i;
}

static void suggest(char *out, size_t cap, const ridge_parser *p, ridge_str name)
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

static ridge_status resolve_name(ridge_parser *p, const ridge_ast **out, ridge_str name, size_t at, size_t span)
{
    const ridge_symbol *sym = ridge_intern(p->scope->symbols, name);
    ridge_ast *n = ridge_parse_make(p, RIDGE_AST_SLOT, at);
    ridge_global g = ridge_global_find(name);
    if (!sym || !n)
        return ridge_no_memory(p->err);
    n->span = (uint32_t)span;
    *out = n;
    for (uint32_t i = p->scope->slots; i-- > 0;)
        if (p->scope->names[i] == sym) {
            n->u.slot = i;
            return RIDGE_OK;
        }
    if (g != RIDGE_GLOBAL_COUNT) {
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
    return ridge_parse_fail(p, RIDGE_NAME, at, span, msg);
}

/* ${a.b}: a name with fields */
static ridge_status parse_param(ridge_parser *p, const ridge_ast **out)
{
    ridge_str rest = p->tok.text;
    size_t at = p->tok.at, span = p->tok.span;
    const char *dot = memchr(rest.p, '.', rest.n);
    ridge_str head = {rest.p, dot ? (size_t)(dot - rest.p) : rest.n};
    ridge_status st = resolve_name(p, out, head, at, span);
    while (!st && dot) {
        const char *from = dot + 1, *end = rest.p + rest.n;
        dot = memchr(from, '.', (size_t)(end - from));
        ridge_ast *n = ridge_parse_make(p, RIDGE_AST_FIELD, at);
        if (!n)
            return RIDGE_NOMEM;
        n->u.field.object = *out;
        n->u.field.name = ridge_intern(p->scope->symbols, (ridge_str){from, (size_t)((dot ? dot : end) - from)});
        if (!n->u.field.name)
            return ridge_no_memory(p->err);
        st = ridge_parse_close(p, n, at + span);
        *out = n;
    }
    return st ? st : ridge_parse_next(p);
}

/* ---- lists, calls ---- */

typedef struct items {
    const ridge_ast **p;
    size_t n, cap;
} items;

static ridge_status push(ridge_parser *p, items *list, const ridge_ast *item)
{
    if (list->n >= LIST_LIMIT)
        return ridge_parse_fail(p, RIDGE_LIMIT, item->at, item->span, "too many items");
    if (!ridge_arena_more(p->scope->arena, &list->p, list->n, &list->cap, sizeof *list->p))
        return ridge_no_memory(p->err);
    list->p[list->n++] = item;
    return RIDGE_OK;
}

/* [expr {',' expr} [',']] up to the closing mark, which is left */
static ridge_status parse_items(ridge_parser *p, items *list, const char *close)
{
    ridge_status st = RIDGE_OK;
    while (!st && !ridge_parse_is_mark(p, close)) {
        const ridge_ast *item;
        if ((st = ridge_parse_expr(p, &item)) || (st = push(p, list, item)) || !ridge_parse_is_mark(p, ","))
            break;
        st = ridge_parse_next(p);
    }
    return st;
}

/* The comprehension's name is known inside it only, but its element stands before it: the text is parsed twice. */
static ridge_status parse_comprehension(ridge_parser *p, const ridge_ast **out, size_t open, size_t element_at)
{
    ridge_ast *n = ridge_parse_make(p, RIDGE_AST_COMPREHENSION, open);
    ridge_status st;
    if (!n)
        return RIDGE_NOMEM;
    if ((st = ridge_parse_next(p)))
        return st;
    if (p->tok.kind != RIDGE_TOK_NAME)
        return ridge_parse_unexpected(p, "a name");
    const ridge_symbol *name = ridge_intern(p->scope->symbols, p->tok.text);
    if (!name)
        return ridge_no_memory(p->err);
    if ((st = ridge_parse_next(p)))
        return st;
    if (!ridge_parse_is_word(p, "in"))
        return ridge_parse_unexpected(p, "'in'");
    if ((st = ridge_parse_next(p)) || (st = ridge_parse_or(p, &n->u.comprehension.source)))
        return st;
    uint32_t slot = ridge_scope_add(p->scope, NULL);
    if (slot == UINT32_MAX)
        return ridge_scope_full(p->scope, p->err);
    p->scope->names[slot] = name;
    n->u.comprehension.slot = slot;
    if (ridge_parse_is_word(p, "if") && ((st = ridge_parse_next(p)) || (st = ridge_parse_or(p, &n->u.comprehension.condition))))
        return st;
    ridge_parser after = *p;
    p->at = element_at;
    if ((st = ridge_parse_next(p)) || (st = ridge_parse_expr(p, &n->u.comprehension.element)))
        return st;
    p->scope->names[slot] = NULL;
    p->at = after.at;
    p->tok = after.tok;
    *out = n;
    return ridge_parse_close(p, n, p->tok.at + 1);
}

/* Does a 'for' follow the element that starts here, before the closing bracket of this list? */
static bool is_comprehension(const ridge_parser *p)
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
static ridge_status skip_to_for(ridge_parser *p)
{
    int depth = 0;
    while (p->tok.kind != RIDGE_TOK_END && !(depth == 0 && ridge_parse_is_word(p, "for"))) {
        if (p->tok.kind == RIDGE_TOK_MARK && (p->tok.text.p[0] == '(' || p->tok.text.p[0] == '['))
            depth++;
        else if (p->tok.kind == RIDGE_TOK_MARK && (p->tok.text.p[0] == ')' || p->tok.text.p[0] == ']'))
            depth--;
        ridge_status st = ridge_parse_next(p);
        if (st)
            return st;
    }
    return RIDGE_OK;
}

/* '[' [expr {',' expr} [',']] ']' | '[' expr 'for' name 'in' or ['if' or] ']' */
static ridge_status parse_list(ridge_parser *p, const ridge_ast **out)
{
    size_t open = p->tok.at;
    items list = {NULL, 0, 0};
    ridge_status st = ridge_parse_next(p);
    if (st)
        return st;
    if (!ridge_parse_is_mark(p, "]") && is_comprehension(p)) {
        size_t element_at = p->tok.at;
        if ((st = skip_to_for(p)) || (st = parse_comprehension(p, out, open, element_at)))
            return st;
        return ridge_parse_expect(p, "]");
    }
    if ((st = parse_items(p, &list, "]")))
        return st;
    ridge_ast *n = ridge_parse_make(p, RIDGE_AST_LIST, open);
    if (!n)
        return RIDGE_NOMEM;
    n->u.list.items = list.p;
    n->u.list.count = list.n;
    *out = n;
    if ((st = ridge_parse_close(p, n, p->tok.at + p->tok.span)))
        return st;
    return ridge_parse_expect(p, "]");
}

static ridge_status parse_builtin(ridge_parser *p, const ridge_ast **out, ridge_builtin which, size_t at)
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
    ridge_status st = ridge_parse_expect(p, "(");
    if (st)
        return st;
    bool generator = !ridge_parse_is_mark(p, ")") && is_comprehension(p);
    if (generator) { /* sum(x for x in list) */
        const ridge_ast *item;
        size_t element_at = p->tok.at;
        if ((st = skip_to_for(p)) || (st = parse_comprehension(p, &item, at, element_at)) || (st = push(p, &list, item)))
            return st;
    }
    if (!generator && (st = parse_items(p, &list, ")")))
        return st;
    ridge_ast *n = ridge_parse_make(p, RIDGE_AST_BUILTIN, at);
    if (!n)
        return RIDGE_NOMEM;
    n->u.list.items = list.p;
    n->u.list.count = list.n;
    n->u.list.which = which;
    if ((st = ridge_parse_close(p, n, p->tok.at + p->tok.span)))
        return st;
    if (list.n < table[which].least || list.n > table[which].most) {
        char msg[96];
        unsigned least = table[which].least, most = table[which].most;
        if (least == most)
            snprintf(msg, sizeof msg, "%s takes %u argument%s, not %zu", table[which].name, most, RIDGE_PLURAL(most), list.n);
        else
            snprintf(msg, sizeof msg, "%s takes %u to %u arguments, not %zu", table[which].name, least, most, list.n);
        return ridge_parse_fail(p, RIDGE_ARITY, at, n->span, msg);
    }
    *out = n;
    return ridge_parse_expect(p, ")");
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
static ridge_status parse_argument(ridge_parser *p, ridge_ast *n, size_t *cap_a, size_t *cap_n)
{
    ridge_arena *arena = p->scope->arena;
    const ridge_symbol *name = NULL;
    const ridge_ast *value;
    ridge_status st;
    ridge_parser ahead = *p;
    ahead.err = NULL;
    if (p->tok.kind == RIDGE_TOK_NAME && ridge_parse_next(&ahead) == RIDGE_OK && ridge_parse_is_mark(&ahead, "=")) {
        if (!(name = ridge_intern(p->scope->symbols, p->tok.text)))
            return ridge_no_memory(p->err);
        if ((st = ridge_parse_next(p)) || (st = ridge_parse_next(p)))
            return st;
    } else if (n->u.module.count && n->u.module.names[n->u.module.count - 1]) {
        return ridge_parse_fail(p, RIDGE_SYNTAX, p->tok.at, p->tok.span, "a positional argument after a named one");
    }
    if ((st = ridge_parse_expr(p, &value)))
        return st;
    size_t k = n->u.module.count;
    if (!ridge_arena_more(arena, &n->u.module.args, k, cap_a, sizeof *n->u.module.args) ||
        !ridge_arena_more(arena, &n->u.module.names, k, cap_n, sizeof *n->u.module.names))
        return ridge_no_memory(p->err);
    if (k >= 64)
        return ridge_parse_fail(p, RIDGE_LIMIT, value->at, value->span, "too many arguments");
    n->u.module.args[k] = value;
    n->u.module.names[k] = name;
    n->u.module.count++;
    return RIDGE_OK;
}

/* '{' path '}' '(' [argument {',' argument} [',']] ')' */
static ridge_status parse_module(ridge_parser *p, const ridge_ast **out)
{
    ridge_ast *n = ridge_parse_make(p, RIDGE_AST_MODULE, p->tok.at);
    size_t cap_a = 0, cap_n = 0;
    ridge_status st;
    if (!n)
        return RIDGE_NOMEM;
    n->u.module.name =
        p->scope->module ? p->scope->module(p->scope->module_data, p->tok.text) : ridge_intern(p->scope->symbols, p->tok.text);
    n->u.module.cache = ridge_arena_alloc(p->scope->arena, sizeof(void *));
    if (!n->u.module.name || !n->u.module.cache)
        return ridge_no_memory(p->err);
    if ((st = ridge_parse_next(p)) || (st = ridge_parse_expect(p, "(")))
        return st;
    while (!ridge_parse_is_mark(p, ")")) {
        if ((st = parse_argument(p, n, &cap_a, &cap_n)))
            return st;
        if (!ridge_parse_is_mark(p, ","))
            break;
        if ((st = ridge_parse_next(p)))
            return st;
    }
    *out = n;
    st = ridge_parse_close(p, n, p->tok.at + p->tok.span);
    return st ? st : ridge_parse_expect(p, ")");
}

/* ---- operands ---- */

static ridge_status parse_number(ridge_parser *p, const ridge_ast **out)
{
    ridge_rational r;
    ridge_value v;
    ridge_calc calc = {p->scope->arena, NULL, p->err};
    if (!ridge_rational_parse(&r, p->tok.text))
        return ridge_parse_fail(p, RIDGE_OVERFLOW, p->tok.at, p->tok.span, "this number does not fit in 128 bits");
    ridge_status st = ridge_value_rational(&v, r, &calc);
    if (st || (st = make_constant(p, out, v, p->tok.at, p->tok.span)))
        return st;
    return ridge_parse_next(p);
}

static ridge_status parse_word(ridge_parser *p, const ridge_ast **out)
{
    static const char *const reserved[] = {"and", "or", "not", "in", "if", "else", "for", "is", "lambda"};
    size_t at = p->tok.at, span = p->tok.span;
    ridge_str name = p->tok.text;
    ridge_builtin which;
    ridge_status st;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (ridge_str_is(name, reserved[i]))
            return ridge_parse_unexpected(p, "a value");
    if ((st = ridge_parse_next(p)))
        return st;
    if (ridge_parse_is_mark(p, "(")) {
        if (builtin_of(name, &which))
            return parse_builtin(p, out, which, at);
        return ridge_parse_fail(p, RIDGE_NAME, at, span, "not a function of the formula language (a module is called as {Module}(...))");
    }
    if (ridge_str_is(name, "None") || ridge_str_is(name, "null"))
        return make_constant(p, out, ridge_value_none(), at, span);
    if (ridge_str_is(name, "True") || ridge_str_is(name, "true"))
        return make_constant(p, out, ridge_value_bool(true), at, span);
    if (ridge_str_is(name, "False") || ridge_str_is(name, "false"))
        return make_constant(p, out, ridge_value_bool(false), at, span);
    return resolve_name(p, out, name, at, span);
}

static ridge_status parse_atom(ridge_parser *p, const ridge_ast **out)
{
    ridge_status st;
    switch (p->tok.kind) {
    case RIDGE_TOK_NUMBER:
        return parse_number(p, out);
    case RIDGE_TOK_STRING:
        st = make_constant(p, out, ridge_value_str(p->tok.text), p->tok.at, p->tok.span);
        return st ? st : ridge_parse_next(p);
    case RIDGE_TOK_PARAM:
        return parse_param(p, out);
    case RIDGE_TOK_MODULE:
        return parse_module(p, out);
    case RIDGE_TOK_NAME:
        return parse_word(p, out);
    default:
        break;
    }
    if (ridge_parse_is_mark(p, "["))
        return parse_list(p, out);
    if (ridge_parse_is_mark(p, "(")) {
        if ((st = ridge_parse_next(p)) || (st = ridge_parse_expr(p, out)))
            return st;
        return ridge_parse_expect(p, ")");
    }
    return ridge_parse_unexpected(p, "a value");
}

/* atom {'.' name | '[' expr ']'} */
ridge_status ridge_parse_postfix(ridge_parser *p, const ridge_ast **out)
{
    ridge_status st = parse_atom(p, out);
    while (!st && (ridge_parse_is_mark(p, ".") || ridge_parse_is_mark(p, "["))) {
        bool field = ridge_parse_is_mark(p, ".");
        ridge_ast *n = ridge_parse_make(p, field ? RIDGE_AST_FIELD : RIDGE_AST_INDEX, (*out)->at);
        if (!n)
            return RIDGE_NOMEM;
        if ((st = ridge_parse_next(p)))
            return st;
        if (field && p->tok.kind != RIDGE_TOK_NAME)
            return ridge_parse_unexpected(p, "a field's name");
        if (field) {
            n->u.field.object = *out;
            if (!(n->u.field.name = ridge_intern(p->scope->symbols, p->tok.text)))
                return ridge_no_memory(p->err);
            if (!(st = ridge_parse_close(p, n, p->tok.at + p->tok.span)))
                st = ridge_parse_next(p);
        } else {
            n->u.binary.a = *out;
            if ((st = ridge_parse_expr(p, &n->u.binary.b)))
                return st;
            if (!(st = ridge_parse_close(p, n, p->tok.at + 1)))
                st = ridge_parse_expect(p, "]");
        }
        *out = n;
    }
    return st;
}
