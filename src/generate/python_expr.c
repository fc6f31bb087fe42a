/* Formulas as Python: the same operators where Python's are exact, functions of functions.py where they are not. */
#include "formula/ast.h"
#include "generate/code.h"
#include "generate/expr.h"

/* how tightly Python binds, loosest first */
enum { CONDITIONAL = 1, OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, POWER, ATOM };

static void write(ridge_coder *c, const ridge_ast *n, unsigned level);

static void put(const ridge_coder *c, const char *text)
{
    ridge_buf_addz(c->out, text);
}

void ridge_code_use(ridge_coder *c, const char *function)
{
    ridge_code_uses *u = c->uses;
    for (size_t i = 0; i < u->function_count; i++)
        if (strcmp(u->functions[i], function) == 0)
            return;
    if (u->function_count < sizeof u->functions / sizeof *u->functions)
        u->functions[u->function_count++] = function;
}

bool ridge_code_is_constant(const ridge_expr *e)
{
    const ridge_ast *n = e->root;
    while (n->kind == RIDGE_AST_NEGATE)
        n = n->u.binary.a;
    return n->kind == RIDGE_AST_CONSTANT;
}

/* ---- modules ---- */

const char *ridge_code_class(ridge_coder *c, const ridge_symbol *key)
{
    ridge_code_uses *u = c->uses;
    const ridge_generated *g = ridge_generated_find(c->list, key);
    if (g) {
        for (size_t i = 0; i < u->module_count; i++)
            if (u->modules[i] == g)
                return g->class_name;
        if (!ridge_arena_more(c->arena, &u->modules, u->module_count, &u->module_cap, sizeof(ridge_generated *)))
            c->out->failed = true;
        else
            u->modules[u->module_count++] = g;
        return g->class_name;
    }
    for (size_t i = 0; i < u->missing_count; i++)
        if (u->missing[i] == key)
            return "";
    if (!ridge_arena_more(c->arena, &u->missing, u->missing_count, &u->missing_cap, sizeof(ridge_symbol *)))
        c->out->failed = true;
    else
        u->missing[u->missing_count++] = key;
    return "";
}

static bool is_plain_name(ridge_str name)
{
    bool letter = name.n > 0 && name.p[0] != '_' && !ridge_is_digit(name.p[0]);
    for (size_t i = 0; i < name.n && letter; i++)
        letter = ridge_is_digit(name.p[i]) || name.p[i] == '_' || (name.p[i] >= 'a' && name.p[i] <= 'z') ||
                 (name.p[i] >= 'A' && name.p[i] <= 'Z');
    return letter;
}

static bool is_keyword(ridge_str name)
{
    /* the words of ridge_code_is_python_word that Python itself takes begin its list; names of ours may be attributes */
    static const char *const words[] = {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
                                        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
                                        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
                                        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ridge_str_is(name, words[i]))
            return true;
    return false;
}

static void write_module(ridge_coder *c, const ridge_ast *n)
{
    const ridge_symbol *key = n->u.module.name;
    const char *name = ridge_code_class(c, key);
    bool starred = false;
    if (*name) {
        put(c, name);
    } else {
        put(c, "uses(");
        ridge_code_python_text(c->out, (ridge_str){key->text, key->len});
        put(c, ")");
    }
    put(c, "(" RIDGE_CODE_OPEN);
    for (size_t i = 0; i < n->u.module.count; i++) {
        const ridge_symbol *argument = n->u.module.names[i];
        if (i > 0)
            put(c, "," RIDGE_CODE_BREAK);
        if (argument && (is_keyword((ridge_str){argument->text, argument->len}) || starred)) {
            starred = true;
            put(c, "**{");
            ridge_code_python_text(c->out, (ridge_str){argument->text, argument->len});
            put(c, ": ");
            write(c, n->u.module.args[i], CONDITIONAL);
            put(c, "}");
            continue;
        }
        if (argument)
            ridge_buf_addf(c->out, "%s=", argument->text);
        write(c, n->u.module.args[i], CONDITIONAL);
    }
    put(c, RIDGE_CODE_CLOSE ")");
}

/* ---- operators ---- */

static void bracket(ridge_coder *c, bool needed, const char *which)
{
    if (needed)
        put(c, *which == '(' ? "(" RIDGE_CODE_OPEN : RIDGE_CODE_CLOSE ")");
}

static void write_infix(ridge_coder *c, const ridge_ast *n, const char *op, unsigned own, unsigned right, unsigned level)
{
    bracket(c, own < level, "(");
    write(c, n->u.binary.a, own == COMPARISON ? SUM : own);
    if (own >= PRODUCT)
        ridge_buf_addf(c->out, " %s ", op);
    else
        ridge_buf_addf(c->out, RIDGE_CODE_BREAK "%s ", op);
    put(c, RIDGE_CODE_DEEP);
    write(c, n->u.binary.b, right);
    put(c, RIDGE_CODE_UP);
    bracket(c, own < level, ")");
}

static void write_call(ridge_coder *c, const char *function, const ridge_ast *a, const ridge_ast *b)
{
    ridge_code_use(c, function);
    ridge_buf_addf(c->out, "%s(" RIDGE_CODE_OPEN, function);
    write(c, a, CONDITIONAL);
    if (b) {
        put(c, "," RIDGE_CODE_BREAK);
        write(c, b, CONDITIONAL);
    }
    put(c, RIDGE_CODE_CLOSE ")");
}

static bool is_small_constant(const ridge_ast *n)
{
    return n->kind == RIDGE_AST_CONSTANT && n->u.constant.type == RIDGE_V_INT && n->u.constant.u.i >= 0 && n->u.constant.u.i <= 8;
}

static void write_binary(ridge_coder *c, const ridge_ast *n, unsigned level)
{
    static const char *const texts[] = {"+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "in", "not in"};
    const ridge_op op = n->u.binary.op;
    const ridge_ast *a = n->u.binary.a, *b = n->u.binary.b;
    if (op == RIDGE_OP_DIV)
        write_call(c, "ratio", a, b);
    else if (op == RIDGE_OP_POW && is_small_constant(b))
        write_infix(c, n, "**", POWER, UNARY, level == POWER ? ATOM : level);
    else if (op == RIDGE_OP_POW)
        write_call(c, "power", a, b);
    else if (op == RIDGE_OP_MUL && (a->kind == RIDGE_AST_LIST || a->kind == RIDGE_AST_COMPREHENSION))
        write_call(c, "repeated", a, b);
    else if (op <= RIDGE_OP_NE && op >= RIDGE_OP_EQ && b->kind == RIDGE_AST_CONSTANT && b->u.constant.type == RIDGE_V_NONE)
        write_infix(c, n, op == RIDGE_OP_EQ ? "is" : "is not", COMPARISON, SUM, level);
    else if (op >= RIDGE_OP_EQ)
        write_infix(c, n, texts[op], COMPARISON, SUM, level);
    else if (op == RIDGE_OP_ADD || op == RIDGE_OP_SUB)
        write_infix(c, n, texts[op], SUM, PRODUCT, level);
    else
        write_infix(c, n, texts[op], PRODUCT, UNARY, level);
}

/* a ?? b: b where a is None, or a field that is not there */
static void write_default_side(ridge_coder *c, const ridge_ast *n)
{
    if (n->kind != RIDGE_AST_FIELD) {
        write(c, n, CONDITIONAL);
        return;
    }
    ridge_code_use(c, "field");
    put(c, "field(" RIDGE_CODE_OPEN);
    write(c, n->u.field.object, CONDITIONAL);
    put(c, "," RIDGE_CODE_BREAK);
    ridge_code_python_text(c->out, (ridge_str){n->u.field.name->text, n->u.field.name->len});
    put(c, RIDGE_CODE_CLOSE ")");
}

/* `missing`: of a default itself, what stands second may be a field that is not there */
static void write_default(ridge_coder *c, const ridge_ast *n, bool missing)
{
    const ridge_ast *a = n->u.binary.a, *b = n->u.binary.b;
    ridge_code_use(c, "coalesce");
    put(c, "coalesce(" RIDGE_CODE_OPEN);
    if (a->kind == RIDGE_AST_DEFAULT)
        write_default(c, a, true);
    else
        write_default_side(c, a);
    put(c, "," RIDGE_CODE_BREAK "lambda: ");
    if (b->kind == RIDGE_AST_DEFAULT)
        write_default(c, b, missing);
    else if (missing)
        write_default_side(c, b);
    else
        write(c, b, CONDITIONAL);
    put(c, RIDGE_CODE_CLOSE ")");
}

/* ---- what an expression is made of ---- */

static void write_constant(ridge_coder *c, ridge_value v, unsigned level)
{
    if (v.type == RIDGE_V_STRING) {
        ridge_code_python_text(c->out, v.u.s);
    } else if (v.type == RIDGE_V_RATIONAL) {
        c->uses->fraction = true;
        put(c, "Fraction(");
        ridge_buf_add_int(c->out, v.u.r->num);
        put(c, ", ");
        ridge_buf_add_int(c->out, v.u.r->den);
        put(c, ")");
    } else {
        bool negative = v.type == RIDGE_V_INT && v.u.i < 0 && level > UNARY;
        bracket(c, negative, "(");
        ridge_value_print(c->out, v);
        bracket(c, negative, ")");
    }
}

/* a config, or a field of one that is no list, number or text */
static bool is_of_config(const ridge_ast *n)
{
    while (n->kind == RIDGE_AST_FIELD)
        n = n->u.field.object;
    return n->kind == RIDGE_AST_CONFIG;
}

/* what a number of Python would answer to */
static bool is_of_numbers(ridge_str name)
{
    return ridge_str_is(name, "real") || ridge_str_is(name, "imag") || ridge_str_is(name, "numerator") || ridge_str_is(name, "denominator");
}

static void write_field(ridge_coder *c, const ridge_ast *n)
{
    ridge_str name = {n->u.field.name->text, n->u.field.name->len};
    if (is_of_config(n) && is_plain_name(name) && !is_keyword(name) && !is_of_numbers(name)) {
        write(c, n->u.field.object, ATOM);
        ridge_buf_addf(c->out, ".%s", n->u.field.name->text);
        return;
    }
    ridge_code_use(c, "member");
    put(c, "member(" RIDGE_CODE_OPEN);
    write(c, n->u.field.object, CONDITIONAL);
    put(c, "," RIDGE_CODE_BREAK);
    ridge_code_python_text(c->out, name);
    put(c, RIDGE_CODE_CLOSE ")");
}

/* the text at a name, without ${ } */
static ridge_str name_at(const ridge_coder *c, const ridge_ast *n)
{
    ridge_str text = {c->expr->text.p + n->at, n->span};
    if (text.n < 3 || text.p[0] != '$')
        return text;
    text = (ridge_str){text.p + 2, text.n - 3};
    const char *dot = memchr(text.p, '.', text.n);
    return dot ? (ridge_str){text.p, (size_t)(dot - text.p)} : text;
}

static const char *slot_name(const ridge_coder *c, const ridge_ast *n)
{
    const char *known = n->u.slot < c->locals->slots ? c->locals->of[n->u.slot] : NULL;
    if (!known && !(known = ridge_locals_word(c->locals, name_at(c, n))))
        c->out->failed = true;
    return known ? known : "";
}

typedef struct slot_look {
    uint32_t slot;
    const ridge_ast *found;
} slot_look;

static ridge_status find_slot(void *data, const ridge_ast *n)
{
    slot_look *l = data;
    if (n->kind == RIDGE_AST_SLOT && n->u.slot == l->slot)
        l->found = n;
    return RIDGE_OK;
}

/* the name between `for` and `in`, which only its uses tell */
static const char *loop_name(const ridge_coder *c, const ridge_ast *n)
{
    slot_look l = {n->u.comprehension.slot, NULL};
    (void)ridge_ast_visit(n->u.comprehension.element, find_slot, &l);
    if (!l.found && n->u.comprehension.condition)
        (void)ridge_ast_visit(n->u.comprehension.condition, find_slot, &l);
    return l.found ? slot_name(c, l.found) : "_";
}

static void write_comprehension(ridge_coder *c, const ridge_ast *n)
{
    put(c, "[" RIDGE_CODE_OPEN);
    write(c, n->u.comprehension.element, CONDITIONAL);
    ridge_buf_addf(c->out, RIDGE_CODE_BREAK "for %s in ", loop_name(c, n));
    write(c, n->u.comprehension.source, OR);
    if (n->u.comprehension.condition) {
        put(c, RIDGE_CODE_BREAK "if ");
        write(c, n->u.comprehension.condition, OR);
    }
    put(c, RIDGE_CODE_CLOSE "]");
}

static void write_items(ridge_coder *c, const ridge_ast *n, const char *open, const char *close)
{
    ridge_buf_addf(c->out, "%s" RIDGE_CODE_OPEN, open);
    for (size_t i = 0; i < n->u.list.count; i++) {
        if (i > 0)
            put(c, "," RIDGE_CODE_BREAK);
        write(c, n->u.list.items[i], CONDITIONAL);
    }
    ridge_buf_addf(c->out, RIDGE_CODE_CLOSE "%s", close);
}

static void write_builtin(ridge_coder *c, const ridge_ast *n)
{
    static const char *const names[] = {
#define X(name, least, most) #name,
        RIDGE_BUILTIN_LIST(X)
#undef X
    };
    ridge_code_use(c, names[n->u.list.which]);
    put(c, names[n->u.list.which]);
    write_items(c, n, "(", ")");
}

static void write_conditional(ridge_coder *c, const ridge_ast *n, unsigned level)
{
    bracket(c, level > CONDITIONAL, "(");
    write(c, n->u.conditional.then, OR);
    put(c, RIDGE_CODE_BREAK "if ");
    write(c, n->u.conditional.condition, OR);
    put(c, RIDGE_CODE_BREAK "else ");
    write(c, n->u.conditional.otherwise, CONDITIONAL);
    bracket(c, level > CONDITIONAL, ")");
}

static void write_prefix(ridge_coder *c, const ridge_ast *n, unsigned level)
{
    const unsigned own = n->kind == RIDGE_AST_NOT ? NOT : UNARY;
    bracket(c, own < level, "(");
    put(c, n->kind == RIDGE_AST_NOT ? "not " : n->kind == RIDGE_AST_NEGATE ? "-" : "+");
    write(c, n->u.binary.a, own);
    bracket(c, own < level, ")");
}

static void write_index(ridge_coder *c, const ridge_ast *n)
{
    write_call(c, "element_at", n->u.binary.a, n->u.binary.b);
}

static void write(ridge_coder *c, const ridge_ast *n, unsigned level)
{
    switch (n->kind) {
    case RIDGE_AST_CONSTANT:
        write_constant(c, n->u.constant, level);
        break;
    case RIDGE_AST_SLOT:
        put(c, slot_name(c, n));
        break;
    case RIDGE_AST_GLOBAL:
        c->uses->workload = true;
        ridge_buf_addf(c->out, "workload.%s", ridge_globals[n->u.global].name);
        break;
    case RIDGE_AST_CONFIG:
        c->uses->config = true;
        put(c, c->config);
        break;
    case RIDGE_AST_FIELD:
        write_field(c, n);
        break;
    case RIDGE_AST_INDEX:
        write_index(c, n);
        break;
    case RIDGE_AST_NEGATE:
    case RIDGE_AST_PLUS:
    case RIDGE_AST_NOT:
        write_prefix(c, n, level);
        break;
    case RIDGE_AST_BINARY:
        write_binary(c, n, level);
        break;
    case RIDGE_AST_AND:
        write_infix(c, n, "and", AND, NOT, level);
        break;
    case RIDGE_AST_OR:
        write_infix(c, n, "or", OR, AND, level);
        break;
    case RIDGE_AST_DEFAULT:
        write_default(c, n, false);
        break;
    case RIDGE_AST_CONDITIONAL:
        write_conditional(c, n, level);
        break;
    case RIDGE_AST_LIST:
        write_items(c, n, "[", "]");
        break;
    case RIDGE_AST_COMPREHENSION:
        write_comprehension(c, n);
        break;
    case RIDGE_AST_BUILTIN:
        write_builtin(c, n);
        break;
    case RIDGE_AST_MODULE:
        write_module(c, n);
        break;
    }
}

void ridge_python_expr(ridge_coder *c, const ridge_expr *expr, unsigned level)
{
    c->expr = expr;
    write(c, expr->root, level > CONDITIONAL ? level : CONDITIONAL);
}
