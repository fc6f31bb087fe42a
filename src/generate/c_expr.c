/* Formulas as C: calls of generated.h on exact values. What C has no expression for (a list made by a loop, an operand that is wanted as it
 * is) becomes a function of its own, before the one that needs it. */
#include <inttypes.h>

#include "formula/ast.h"
#include "generate/code.h"
#include "generate/expr.h"
#include "generate/write.h"

static void value(ridge_coder *c, const ridge_ast *n);
static void truth(ridge_coder *c, const ridge_ast *n);

static void put(const ridge_coder *c, const char *text)
{
    ridge_buf_addz(c->out, text);
}

static const char *slot(const ridge_coder *c, uint32_t at)
{
    return at < c->locals->slots && c->locals->of[at] ? c->locals->of[at] : "";
}

/* ---- calls ---- */

static void begin(const ridge_coder *c, const char *function)
{
    ridge_buf_addf(c->out, "%s(" RIDGE_CODE_OPEN "r", function);
}

static void argument(ridge_coder *c, const ridge_ast *n)
{
    put(c, "," RIDGE_CODE_BREAK);
    value(c, n);
}

static void end(const ridge_coder *c)
{
    put(c, RIDGE_CODE_CLOSE ")");
}

static void call(ridge_coder *c, const char *function, const ridge_ast *const *items, size_t count)
{
    begin(c, function);
    if (function[0] == 'G') /* a macro, which wants the number of its items */
        ridge_buf_addf(c->out, ", %zu", count);
    for (size_t i = 0; i < count; i++)
        argument(c, items[i]);
    end(c);
}

static void call_two(ridge_coder *c, const char *function, const ridge_ast *a, const ridge_ast *b)
{
    call(c, function, (const ridge_ast *[]){a, b}, 2);
}

/* ---- functions of their own ---- */

/* list_1_NAME(r, v), written in `body` with statements that end in a return */
static void use_helper(ridge_coder *c, const char *kind, ridge_buf *body)
{
    const unsigned number = ++*c->helper_count;
    ridge_buf_addf(c->helpers, "static gm_value %s_%u_%s(gm_run *r, struct %s *v)\n{\n    (void)r;\n    (void)v;\n", kind, number, c->owner,
                   c->owner);
    ridge_buf_add(c->helpers, (ridge_str){body->p ? body->p : "", body->n});
    ridge_buf_addz(c->helpers, "}\n\n");
    c->helpers->failed |= body->failed;
    ridge_buf_free(body);
    ridge_buf_addf(c->out, "%s_%u_%s(r, v)", kind, number, c->owner);
}

/* one statement of such a function: head, an expression, tail */
static void statement(ridge_coder *c, ridge_buf *body, unsigned indent, const char *head, void write(ridge_coder *, const ridge_ast *),
                      const ridge_ast *n, const char *tail)
{
    ridge_buf line = {0}, *outer = c->out;
    c->out = &line;
    put(c, head);
    write(c, n);
    put(c, tail);
    c->out = outer;
    ridge_code_end(body, indent, &line);
}

static void comprehension(ridge_coder *c, const ridge_ast *n)
{
    ridge_buf body = {0};
    statement(c, &body, 4, "const gm_value source = ", value, n->u.comprehension.source, ";");
    ridge_buf_addz(&body, "    const size_t count = gm_count(r, source);\n    gm_made made = {0};\n"
                          "    for (size_t i = 0; i < count && !gm_failed(r); i++) {\n");
    ridge_buf_addf(&body, "        v->%s = source.u.list->items[i];\n", slot(c, n->u.comprehension.slot));
    if (n->u.comprehension.condition) {
        statement(c, &body, 8, "if (!(" RIDGE_CODE_OPEN, truth, n->u.comprehension.condition, RIDGE_CODE_CLOSE "))");
        ridge_buf_addz(&body, "            continue;\n");
    }
    statement(c, &body, 8, "gm_push(" RIDGE_CODE_OPEN "r, &made," RIDGE_CODE_BREAK, value, n->u.comprehension.element,
              "," RIDGE_CODE_BREAK "gm_none()" RIDGE_CODE_CLOSE ");");
    ridge_buf_addz(&body, "    }\n    return gm_taken(r, &made);\n");
    use_helper(c, "list", &body);
}

/* a and b, a or b: one of the operands, as it is */
static void operand(ridge_coder *c, const ridge_ast *n)
{
    ridge_buf body = {0};
    statement(c, &body, 4, "const gm_value first = ", value, n->u.binary.a, ";");
    ridge_buf_addf(&body, "    if (%sgm_truth(r, first))\n        return first;\n", n->kind == RIDGE_AST_AND ? "!" : "");
    statement(c, &body, 4, "return ", value, n->u.binary.b, ";");
    use_helper(c, "operand", &body);
}

static void default_of(ridge_coder *c, const ridge_ast *n, bool missing);

/* what stands beside ??: a field need not be there, where it `may` be missing */
static void default_side(ridge_coder *c, const ridge_ast *n, bool may)
{
    if (n->kind == RIDGE_AST_DEFAULT) {
        default_of(c, n, may);
    } else if (n->kind == RIDGE_AST_FIELD && may) {
        begin(c, "gm_field_of");
        argument(c, n->u.field.object);
        put(c, "," RIDGE_CODE_BREAK);
        ridge_code_c_text(c->out, (ridge_str){n->u.field.name->text, n->u.field.name->len});
        end(c);
    } else {
        value(c, n);
    }
}

static void side_missing(ridge_coder *c, const ridge_ast *n)
{
    default_side(c, n, true);
}

static void side_there(ridge_coder *c, const ridge_ast *n)
{
    default_side(c, n, false);
}

static void default_of(ridge_coder *c, const ridge_ast *n, bool missing)
{
    ridge_buf body = {0};
    statement(c, &body, 4, "const gm_value first = ", side_missing, n->u.binary.a, ";");
    ridge_buf_addz(&body, "    if (!gm_is_none(first))\n        return first;\n");
    statement(c, &body, 4, "return ", missing ? side_missing : side_there, n->u.binary.b, ";");
    use_helper(c, "fallback", &body);
}

/* ---- constants, names ---- */

static void integer(const ridge_coder *c, ridge_int n)
{
    if (n == (int32_t)n) {
        ridge_buf_addf(c->out, "gm_number(%" PRId32 ")", (int32_t)n);
    } else if (n == (int64_t)n && n != INT64_MIN) {
        ridge_buf_addf(c->out, "gm_number(INT64_C(%" PRId64 "))", (int64_t)n);
    } else {
        put(c, "gm_digits(r, \"");
        ridge_buf_add_int(c->out, n);
        put(c, "\")");
    }
}

static void text(const ridge_coder *c, ridge_str s)
{
    put(c, "gm_text_of(");
    ridge_code_c_text(c->out, s);
    ridge_buf_addf(c->out, ", %zu)", s.n);
}

static void constant(const ridge_coder *c, ridge_value v)
{
    switch (v.type) {
    case RIDGE_V_BOOL:
        put(c, v.u.b ? "gm_bool(true)" : "gm_bool(false)");
        break;
    case RIDGE_V_INT:
        integer(c, v.u.i);
        break;
    case RIDGE_V_RATIONAL:
        put(c, "gm_fraction(r, ");
        integer(c, v.u.r->num);
        put(c, ", ");
        integer(c, v.u.r->den);
        put(c, ")");
        break;
    case RIDGE_V_STRING:
        text(c, v.u.s);
        break;
    default:
        put(c, "gm_none()");
        break;
    }
}

static void field(ridge_coder *c, const ridge_ast *n)
{
    begin(c, "gm_member");
    argument(c, n->u.field.object);
    put(c, "," RIDGE_CODE_BREAK);
    ridge_code_c_text(c->out, (ridge_str){n->u.field.name->text, n->u.field.name->len});
    end(c);
}

static void module(ridge_coder *c, const ridge_ast *n)
{
    const ridge_symbol *key = n->u.module.name;
    (void)ridge_code_class(c, key);
    const ridge_generated *g = ridge_generated_find(c->list, key);
    if (!g || !g->chosen) {
        put(c, "gm_fail(r, \"there is no module %s\", ");
        ridge_code_c_text(c->out, (ridge_str){key->text, key->len});
        put(c, ")");
        return;
    }
    ridge_buf_addf(c->out,
                   n->u.module.count > 0 ? "GM_CALL(" RIDGE_CODE_OPEN "r," RIDGE_CODE_BREAK "%s" : "GM_CALL_BARE(" RIDGE_CODE_OPEN "r, %s",
                   g->c_name);
    if (n->u.module.count > 0)
        ridge_buf_addf(c->out, ", %zu", n->u.module.count);
    for (size_t i = 0; i < n->u.module.count; i++) {
        const ridge_symbol *name = n->u.module.names[i];
        put(c, "," RIDGE_CODE_BREAK "{");
        if (name)
            ridge_buf_addf(c->out, "\"%s\", ", name->text);
        else
            put(c, "NULL, ");
        put(c, RIDGE_CODE_DEEP);
        value(c, n->u.module.args[i]);
        put(c, RIDGE_CODE_UP "}");
    }
    end(c);
}

/* ---- operators ---- */

/* a + b - c: from the left */
static void sum_items(ridge_coder *c, const ridge_ast *n)
{
    const bool add = n->kind == RIDGE_AST_BINARY && (n->u.binary.op == RIDGE_OP_ADD || n->u.binary.op == RIDGE_OP_SUB);
    if (!add) {
        argument(c, n);
        return;
    }
    sum_items(c, n->u.binary.a);
    if (n->u.binary.op == RIDGE_OP_ADD) {
        argument(c, n->u.binary.b);
        return;
    }
    put(c, "," RIDGE_CODE_BREAK);
    call(c, "gm_negative", (const ridge_ast *[]){n->u.binary.b}, 1);
}

static void product_items(ridge_coder *c, const ridge_ast *n)
{
    if (n->kind != RIDGE_AST_BINARY || n->u.binary.op != RIDGE_OP_MUL) {
        argument(c, n);
        return;
    }
    product_items(c, n->u.binary.a);
    argument(c, n->u.binary.b);
}

/* how many items those are */
static size_t count_items(const ridge_ast *n, ridge_op a, ridge_op b)
{
    size_t count = 1;
    for (; n->kind == RIDGE_AST_BINARY && (n->u.binary.op == a || n->u.binary.op == b); n = n->u.binary.a)
        count++;
    return count;
}

static bool is_operator(const ridge_ast *n, ridge_op a, ridge_op b)
{
    return n->kind == RIDGE_AST_BINARY && (n->u.binary.op == a || n->u.binary.op == b);
}

static void binary(ridge_coder *c, const ridge_ast *n)
{
    const ridge_op op = n->u.binary.op;
    const ridge_ast *a = n->u.binary.a, *b = n->u.binary.b;
    static const char *const names[] = {"gm_add", "gm_sub", "gm_mul", "gm_div", "gm_floor_div", "gm_mod", "gm_pow"};
    if (op >= RIDGE_OP_EQ) {
        put(c, "gm_bool(" RIDGE_CODE_OPEN);
        truth(c, n);
        put(c, RIDGE_CODE_CLOSE ")");
    } else if ((op == RIDGE_OP_ADD || op == RIDGE_OP_SUB) && is_operator(a, RIDGE_OP_ADD, RIDGE_OP_SUB)) {
        begin(c, "GM_SUM");
        ridge_buf_addf(c->out, ", %zu", count_items(n, RIDGE_OP_ADD, RIDGE_OP_SUB));
        sum_items(c, n);
        end(c);
    } else if (op == RIDGE_OP_MUL && is_operator(a, RIDGE_OP_MUL, RIDGE_OP_MUL)) {
        begin(c, "GM_PRODUCT");
        ridge_buf_addf(c->out, ", %zu", count_items(n, RIDGE_OP_MUL, RIDGE_OP_MUL));
        product_items(c, n);
        end(c);
    } else {
        call_two(c, names[op], a, b);
    }
}

/* a truth, as a bool of C */
static void comparison(ridge_coder *c, const ridge_ast *n)
{
    const ridge_ast *a = n->u.binary.a, *b = n->u.binary.b;
    switch (n->u.binary.op) {
    case RIDGE_OP_NE:
        put(c, "!");
        call_two(c, "gm_equal", a, b);
        break;
    case RIDGE_OP_LT:
        call_two(c, "gm_less", a, b);
        break;
    case RIDGE_OP_LE:
        call_two(c, "gm_at_most", a, b);
        break;
    case RIDGE_OP_GT:
        call_two(c, "gm_less", b, a);
        break;
    case RIDGE_OP_GE:
        call_two(c, "gm_at_most", b, a);
        break;
    case RIDGE_OP_IN:
        call_two(c, "gm_in", a, b);
        break;
    case RIDGE_OP_NOT_IN:
        put(c, "!");
        call_two(c, "gm_in", a, b);
        break;
    default:
        call_two(c, "gm_equal", a, b);
        break;
    }
}

static void joined(ridge_coder *c, const ridge_ast *n)
{
    put(c, "(" RIDGE_CODE_OPEN);
    truth(c, n->u.binary.a);
    ridge_buf_addf(c->out, RIDGE_CODE_BREAK "%s ", n->kind == RIDGE_AST_AND ? "&&" : "||");
    truth(c, n->u.binary.b);
    put(c, RIDGE_CODE_CLOSE ")");
}

static void truth(ridge_coder *c, const ridge_ast *n)
{
    if (n->kind == RIDGE_AST_BINARY && n->u.binary.op >= RIDGE_OP_EQ) {
        comparison(c, n);
    } else if (n->kind == RIDGE_AST_AND || n->kind == RIDGE_AST_OR) {
        joined(c, n);
    } else if (n->kind == RIDGE_AST_NOT) {
        put(c, "!");
        truth(c, n->u.binary.a);
    } else {
        call(c, "gm_truth", (const ridge_ast *[]){n}, 1);
    }
}

/* Is it True or False, whatever its operands are? */
static bool is_truth(const ridge_ast *n)
{
    if (n->kind == RIDGE_AST_AND || n->kind == RIDGE_AST_OR)
        return is_truth(n->u.binary.a) && is_truth(n->u.binary.b);
    return n->kind == RIDGE_AST_NOT || (n->kind == RIDGE_AST_BINARY && n->u.binary.op >= RIDGE_OP_EQ) ||
           (n->kind == RIDGE_AST_CONSTANT && n->u.constant.type == RIDGE_V_BOOL);
}

static void conditional(ridge_coder *c, const ridge_ast *n)
{
    put(c, "(" RIDGE_CODE_OPEN);
    truth(c, n->u.conditional.condition);
    put(c, RIDGE_CODE_BREAK "? ");
    value(c, n->u.conditional.then);
    put(c, RIDGE_CODE_BREAK ": ");
    value(c, n->u.conditional.otherwise);
    put(c, RIDGE_CODE_CLOSE ")");
}

static void builtin(ridge_coder *c, const ridge_ast *n)
{
    static const char *const names[] = {
        [RIDGE_BUILTIN_min] = "GM_MIN",           [RIDGE_BUILTIN_max] = "GM_MAX",       [RIDGE_BUILTIN_ceil] = "gm_ceil",
        [RIDGE_BUILTIN_floor] = "gm_floor",       [RIDGE_BUILTIN_int] = "gm_truncated", [RIDGE_BUILTIN_abs] = "gm_abs",
        [RIDGE_BUILTIN_len] = "gm_length",        [RIDGE_BUILTIN_sum] = "gm_total",     [RIDGE_BUILTIN_range] = "GM_RANGE",
        [RIDGE_BUILTIN_ceil_div] = "gm_ceil_div", [RIDGE_BUILTIN_any] = "gm_any",       [RIDGE_BUILTIN_all] = "gm_all",
        [RIDGE_BUILTIN_split] = "gm_text_list"};
    call(c, names[n->u.list.which], n->u.list.items, n->u.list.count);
}

static void list(ridge_coder *c, const ridge_ast *n)
{
    if (n->u.list.count == 0)
        put(c, "gm_list_of(r, NULL, 0)");
    else
        call(c, "GM_LIST_OF", n->u.list.items, n->u.list.count);
}

static void value(ridge_coder *c, const ridge_ast *n)
{
    switch (n->kind) {
    case RIDGE_AST_CONSTANT:
        constant(c, n->u.constant);
        break;
    case RIDGE_AST_SLOT:
        ridge_buf_addf(c->out, "v->%s", slot(c, n->u.slot));
        break;
    case RIDGE_AST_GLOBAL:
        ridge_buf_addf(c->out, "gm_of(r, GM_%s)", ridge_globals[n->u.global].name);
        break;
    case RIDGE_AST_CONFIG:
        put(c, "gm_config_of(r)");
        break;
    case RIDGE_AST_FIELD:
        field(c, n);
        break;
    case RIDGE_AST_INDEX:
        call_two(c, "gm_item_at", n->u.binary.a, n->u.binary.b);
        break;
    case RIDGE_AST_NEGATE:
        call(c, "gm_negative", (const ridge_ast *[]){n->u.binary.a}, 1);
        break;
    case RIDGE_AST_PLUS:
        call(c, "gm_positive", (const ridge_ast *[]){n->u.binary.a}, 1);
        break;
    case RIDGE_AST_NOT:
        put(c, "gm_bool(");
        truth(c, n);
        put(c, ")");
        break;
    case RIDGE_AST_BINARY:
        binary(c, n);
        break;
    case RIDGE_AST_AND:
    case RIDGE_AST_OR:
        if (is_truth(n)) {
            put(c, "gm_bool");
            truth(c, n);
        } else {
            operand(c, n);
        }
        break;
    case RIDGE_AST_DEFAULT:
        default_of(c, n, false);
        break;
    case RIDGE_AST_CONDITIONAL:
        conditional(c, n);
        break;
    case RIDGE_AST_LIST:
        list(c, n);
        break;
    case RIDGE_AST_COMPREHENSION:
        comprehension(c, n);
        break;
    case RIDGE_AST_BUILTIN:
        builtin(c, n);
        break;
    case RIDGE_AST_MODULE:
        module(c, n);
        break;
    }
}

void ridge_c_expr(ridge_coder *c, const ridge_expr *expr)
{
    c->expr = expr;
    value(c, expr->root);
}

void ridge_c_truth(ridge_coder *c, const ridge_expr *expr)
{
    c->expr = expr;
    truth(c, expr->root);
}
