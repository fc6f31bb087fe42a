/* Evaluates a syntax tree. Where a condition depends on the workload (symbolic runs), both branches are evaluated and joined. */
#include "formula/ast.h"

#include <stdio.h>

#include "formula/poly.h"

typedef struct eval_at {
    const ridge_expr *expr;
    ridge_evaluation *run;
} eval_at;

static ridge_status eval(ridge_value *out, const ridge_ast *n, const eval_at *e);

ridge_status ridge_run_charge(ridge_evaluation *run, uint64_t steps)
{
    if (steps > run->steps_left)
        return ridge_fail(run->calc.err, RIDGE_LIMIT, "the evaluation takes too many steps (limit %u)", RIDGE_STEP_LIMIT);
    run->steps_left -= steps;
    return ridge_calc_room(&run->calc);
}

/* an error of this node gets its place, unless a deeper one set it */
static ridge_status blame(ridge_status st, const ridge_ast *n, const eval_at *e)
{
    ridge_err *err = e->run->calc.err;
    if (!st || !err || err->line || err->excerpt[0])
        return st;
    unsigned line = e->expr->line, col = e->expr->col;
    for (size_t i = 0; i < n->at; i++) {
        col++;
        if (e->expr->text.p[i] == '\n') {
            line++;
            col = 1;
        }
    }
    ridge_err_place(err, e->expr->file, line, col);
    ridge_err_excerpt(err, e->expr->text.p, e->expr->text.n, n->at, n->span ? n->span : 1);
    return st;
}

static ridge_status eval_field(ridge_value *out, const ridge_ast *n, const eval_at *e, bool *missing)
{
    ridge_value object;
    ridge_status st = eval(&object, n->u.field.object, e);
    if (st)
        return st;
    if (object.type != RIDGE_V_OBJECT) {
        if (missing && object.type == RIDGE_V_NONE) {
            *missing = true;
            return RIDGE_OK;
        }
        return ridge_fail(e->run->calc.err, RIDGE_TYPE, "%s has no field '%s'", ridge_value_type_name(object.type), n->u.field.name->text);
    }
    const ridge_field *f = ridge_object_find(object.u.object, n->u.field.name);
    if (f) {
        if (object.u.object->read)
            object.u.object->read[f - object.u.object->fields] = true;
        *out = f->value;
        return RIDGE_OK;
    }
    if (missing) {
        *missing = true;
        return RIDGE_OK;
    }
    return ridge_fail(e->run->calc.err, RIDGE_NAME, "%s%s%s has no '%s', and no default for it is known", object.u.object->what,
                      object.u.object->file[0] ? " of " : "", object.u.object->file, n->u.field.name->text);
}

static uint32_t ways_of(ridge_value v)
{
    return v.type == RIDGE_V_GUARDED ? v.u.guarded->ways : 1;
}

/* one of two values: `then` where the 0/1 indicator `condition` is 1 */
static ridge_status join(ridge_value *out, ridge_value condition, ridge_value then, ridge_value otherwise, const eval_at *e)
{
    if (ridge_value_is_number(then) && ridge_value_is_number(otherwise))
        return ridge_sym_select(out, condition, then, otherwise, &e->run->calc);
    if (ridge_value_equal(then, otherwise)) {
        *out = then;
        return RIDGE_OK;
    }
    uint32_t ways = ways_of(then) + ways_of(otherwise);
    if (ways > RIDGE_WAYS_LIMIT)
        return ridge_fail(e->run->calc.err, RIDGE_LIMIT, "a value that depends on the workload in more than %u ways", RIDGE_WAYS_LIMIT);
    ridge_guarded *g = ridge_arena_alloc(e->run->calc.arena, sizeof *g);
    if (!g)
        return ridge_no_memory(e->run->calc.err);
    *g = (ridge_guarded){condition, then, otherwise, ways};
    out->type = RIDGE_V_GUARDED;
    out->u.guarded = g;
    return RIDGE_OK;
}

/* a ?? b where it depends on the workload whether a is None */
static ridge_status eval_default_guarded(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    const ridge_guarded *g = out->u.guarded;
    ridge_value b;
    if (g->then.type == RIDGE_V_GUARDED || g->otherwise.type == RIDGE_V_GUARDED)
        return ridge_fail(e->run->calc.err, RIDGE_TYPE, "this default depends on the workload in a way that has no closed form");
    if (g->then.type != RIDGE_V_NONE && g->otherwise.type != RIDGE_V_NONE)
        return RIDGE_OK;
    ridge_status st = eval(&b, n->u.binary.b, e);
    if (st)
        return st;
    return g->then.type == RIDGE_V_NONE ? join(out, g->condition, b, g->otherwise, e) : join(out, g->condition, g->then, b, e);
}

static ridge_status eval_default(ridge_value *out, const ridge_ast *n, const eval_at *e, bool *missing);

/* *missing, where not NULL: set where it is a field that its config does not have, which is then no error */
static ridge_status eval_or_missing(ridge_value *out, const ridge_ast *n, const eval_at *e, bool *missing)
{
    if (missing && n->kind == RIDGE_AST_FIELD)
        return blame(eval_field(out, n, e, missing), n, e);
    if (missing && n->kind == RIDGE_AST_DEFAULT)
        return eval_default(out, n, e, missing);
    return eval(out, n, e);
}

/* a ?? b: b where a is missing or None */
static ridge_status eval_default(ridge_value *out, const ridge_ast *n, const eval_at *e, bool *missing)
{
    bool none = false;
    ridge_status st = eval_or_missing(out, n->u.binary.a, e, &none);
    if (st)
        return st;
    if (none || out->type == RIDGE_V_NONE)
        return eval_or_missing(out, n->u.binary.b, e, missing);
    return out->type == RIDGE_V_GUARDED ? eval_default_guarded(out, n, e) : RIDGE_OK;
}

static ridge_status eval_index(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value list, at;
    ridge_int i;
    ridge_status st;
    ridge_err *err = e->run->calc.err;
    if ((st = eval(&list, n->u.binary.a, e)) || (st = eval(&at, n->u.binary.b, e)))
        return st;
    if (list.type != RIDGE_V_LIST)
        return ridge_fail(err, RIDGE_TYPE, "%s cannot be indexed", ridge_value_type_name(list.type));
    if (!ridge_value_as_int(&i, at))
        return ridge_fail(err, RIDGE_TYPE, "an index must be an integer, not %s", ridge_value_type_name(at.type));
    ridge_int count = (ridge_int)list.u.list->count;
    if (i < 0)
        i += count;
    if (i < 0 || i >= count)
        return ridge_fail(err, RIDGE_VALUE, "index out of range: the list has %zu items", list.u.list->count);
    *out = list.u.list->items[(size_t)i];
    return RIDGE_OK;
}

/* or may be one */
static bool is_invocation(ridge_value v)
{
    return v.type == RIDGE_V_NODE || v.type == RIDGE_V_GUARDED;
}

ridge_status ridge_expr_operand(ridge_value *v, ridge_evaluation *run)
{
    if (v->type == RIDGE_V_GUARDED) {
        if (!run->number_of)
            return RIDGE_OK;
        const ridge_guarded *g = v->u.guarded;
        ridge_value then = g->then, otherwise = g->otherwise;
        ridge_status st;
        if ((st = ridge_expr_operand(&then, run)) || (st = ridge_expr_operand(&otherwise, run)))
            return st;
        bool numbers = ridge_value_is_number(then) && ridge_value_is_number(otherwise);
        return numbers ? ridge_sym_select(v, g->condition, then, otherwise, &run->calc) : RIDGE_OK;
    }
    if (v->type != RIDGE_V_NODE)
        return RIDGE_OK;
    if (!run->number_of)
        return ridge_fail(run->calc.err, RIDGE_TYPE, "a module cannot be used in arithmetic here");
    return run->number_of(v, run, v->u.node);
}

/* what looks at every item of a list, or every byte of a string, takes that many steps */
static ridge_status charge(ridge_value v, const eval_at *e)
{
    size_t n = v.type == RIDGE_V_LIST ? v.u.list->weight : v.type == RIDGE_V_STRING ? v.u.s.n : 0;
    return ridge_run_charge(e->run, n);
}

static ridge_status eval_binary(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value a, b;
    ridge_status st;
    if ((st = eval(&a, n->u.binary.a, e)) || (st = eval(&b, n->u.binary.b, e)))
        return st;
    if ((is_invocation(a) && (st = ridge_expr_operand(&a, e->run))) || (is_invocation(b) && (st = ridge_expr_operand(&b, e->run))))
        return st;
    if ((st = charge(a, e)) || (st = charge(b, e)))
        return st;
    return ridge_value_binary(out, n->u.binary.op, a, b, &e->run->calc);
}

static ridge_status eval_negate(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value a;
    ridge_status st = eval(&a, n->u.binary.a, e);
    if (st || (st = ridge_expr_operand(&a, e->run)))
        return st;
    if (!ridge_value_is_number(a))
        return ridge_fail(e->run->calc.err, RIDGE_TYPE, "%s is not a number", ridge_value_type_name(a.type));
    return ridge_value_binary(out, n->kind == RIDGE_AST_NEGATE ? RIDGE_OP_SUB : RIDGE_OP_ADD, ridge_value_int(0), a, &e->run->calc);
}

static ridge_status eval_not(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value a;
    bool unknown = false;
    ridge_status st = eval(&a, n->u.binary.a, e);
    if (st || (st = ridge_value_truth(&a, &unknown, a, &e->run->calc)))
        return st;
    if (unknown)
        return ridge_value_binary(out, RIDGE_OP_SUB, ridge_value_int(1), a, &e->run->calc);
    *out = ridge_value_bool(!a.u.b);
    return RIDGE_OK;
}

static ridge_status eval_and_or(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value a, b, truth;
    bool unknown = false, is_and = n->kind == RIDGE_AST_AND;
    ridge_status st;
    if ((st = eval(&a, n->u.binary.a, e)) || (st = ridge_value_truth(&truth, &unknown, a, &e->run->calc)))
        return st;
    if (!unknown) {
        if (truth.u.b == is_and)
            return eval(out, n->u.binary.b, e);
        *out = a;
        return RIDGE_OK;
    }
    if ((st = eval(&b, n->u.binary.b, e)))
        return st;
    return is_and ? join(out, truth, b, a, e) : join(out, truth, a, b, e);
}

static ridge_status eval_conditional(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value c, then, otherwise;
    bool unknown = false;
    ridge_status st;
    if ((st = eval(&c, n->u.conditional.condition, e)) || (st = ridge_value_truth(&c, &unknown, c, &e->run->calc)))
        return st;
    if (!unknown)
        return eval(out, c.u.b ? n->u.conditional.then : n->u.conditional.otherwise, e);
    if ((st = eval(&then, n->u.conditional.then, e)) || (st = eval(&otherwise, n->u.conditional.otherwise, e)))
        return st;
    return join(out, c, then, otherwise, e);
}

static ridge_status eval_list(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value list;
    ridge_status st = ridge_value_list(&list, n->u.list.count, &e->run->calc);
    for (size_t i = 0; i < n->u.list.count && !st; i++)
        st = eval(&list.u.list->items[i], n->u.list.items[i], e);
    *out = list;
    return st ? st : ridge_value_weigh(list, &e->run->calc);
}

static ridge_status eval_comprehension(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value source, list;
    ridge_status st = eval(&source, n->u.comprehension.source, e);
    if (st)
        return st;
    if (source.type != RIDGE_V_LIST)
        return ridge_fail(e->run->calc.err, RIDGE_TYPE, "cannot loop over %s", ridge_value_type_name(source.type));
    size_t count = source.u.list->count, kept = 0;
    if ((st = ridge_value_list(&list, count, &e->run->calc)))
        return st;
    ridge_value *slot = &e->run->slots[n->u.comprehension.slot], saved = *slot;
    for (size_t i = 0; i < count && !st; i++) {
        bool keep = true, unknown = false;
        *slot = source.u.list->items[i];
        if (n->u.comprehension.condition) {
            ridge_value c;
            if ((st = eval(&c, n->u.comprehension.condition, e)) || (st = ridge_value_truth(&c, &unknown, c, &e->run->calc)))
                break;
            if (unknown) {
                st = ridge_fail(e->run->calc.err, RIDGE_TYPE, "which items a list has may not depend on the workload");
                break;
            }
            keep = c.u.b;
        }
        if (keep)
            st = eval(&list.u.list->items[kept++], n->u.comprehension.element, e);
    }
    *slot = saved;
    ((ridge_list *)list.u.list)->count = kept;
    *out = list;
    return st ? st : ridge_value_weigh(list, &e->run->calc);
}

static ridge_status eval_builtin(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_value args[64];
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < n->u.list.count && !st; i++)
        if (!(st = eval(&args[i], n->u.list.items[i], e)) && !(st = ridge_expr_operand(&args[i], e->run)))
            st = charge(args[i], e);
    return st ? st : ridge_builtin_call(out, n->u.list.which, args, n->u.list.count, &e->run->calc);
}

static ridge_status eval_module(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_argument args[64];
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < n->u.module.count && !st; i++) {
        args[i].name = n->u.module.names[i];
        if (!(st = eval(&args[i].value, n->u.module.args[i], e)))
            st = charge(args[i].value, e);
        if (!st && args[i].value.type == RIDGE_V_GUARDED)
            st = ridge_fail(e->run->calc.err, RIDGE_TYPE, "an argument that is no number may not depend on the workload");
    }
    if (st)
        return st;
    if (!e->run->invoke)
        return ridge_fail(e->run->calc.err, RIDGE_UNKNOWN, "no catalog: {%s} cannot be evaluated here", n->u.module.name->text);
    ridge_value *slots = e->run->slots;
    const ridge_object *config = e->run->config;
    st = e->run->invoke(out, e->run, n->u.module.name, n->u.module.cache, args, n->u.module.count);
    e->run->slots = slots;
    e->run->config = config;
    return st;
}

static ridge_status eval_slot(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    *out = e->run->slots[n->u.slot];
    if (out->type != RIDGE_V_UNSET)
        return RIDGE_OK;
    return ridge_fail(e->run->calc.err, RIDGE_NAME, "'%.*s' is used before it has a value", (int)n->span, e->expr->text.p + n->at);
}

static ridge_status eval_global(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    e->run->globals_read |= 1u << n->u.global;
    *out = e->run->globals ? e->run->globals[n->u.global] : (ridge_value){.type = RIDGE_V_UNSET};
    if (out->type != RIDGE_V_UNSET)
        return RIDGE_OK;
    return ridge_fail(e->run->calc.err, RIDGE_NAME, "the workload does not give '%.*s'", (int)n->span, e->expr->text.p + n->at);
}

static ridge_status eval_config(ridge_value *out, const eval_at *e)
{
    if (!e->run->config)
        return ridge_fail(e->run->calc.err, RIDGE_NAME, "there is no config here");
    out->type = RIDGE_V_OBJECT;
    out->u.object = e->run->config;
    return RIDGE_OK;
}

static ridge_status eval_node(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    switch (n->kind) {
    case RIDGE_AST_CONSTANT:
        *out = n->u.constant;
        return RIDGE_OK;
    case RIDGE_AST_SLOT:
        return eval_slot(out, n, e);
    case RIDGE_AST_GLOBAL:
        return eval_global(out, n, e);
    case RIDGE_AST_CONFIG:
        return eval_config(out, e);
    case RIDGE_AST_FIELD:
        return eval_field(out, n, e, NULL);
    case RIDGE_AST_INDEX:
        return eval_index(out, n, e);
    case RIDGE_AST_NEGATE:
    case RIDGE_AST_PLUS:
        return eval_negate(out, n, e);
    case RIDGE_AST_NOT:
        return eval_not(out, n, e);
    case RIDGE_AST_BINARY:
        return eval_binary(out, n, e);
    case RIDGE_AST_AND:
    case RIDGE_AST_OR:
        return eval_and_or(out, n, e);
    case RIDGE_AST_DEFAULT:
        return eval_default(out, n, e, NULL);
    case RIDGE_AST_CONDITIONAL:
        return eval_conditional(out, n, e);
    case RIDGE_AST_LIST:
        return eval_list(out, n, e);
    case RIDGE_AST_COMPREHENSION:
        return eval_comprehension(out, n, e);
    case RIDGE_AST_BUILTIN:
        return eval_builtin(out, n, e);
    case RIDGE_AST_MODULE:
        return eval_module(out, n, e);
    }
    return ridge_fail(e->run->calc.err, RIDGE_TYPE, "not an expression");
}

ridge_status ridge_run_deeper(ridge_evaluation *run)
{
    if (run->depth >= RIDGE_DEPTH_LIMIT)
        return ridge_fail(run->calc.err, RIDGE_LIMIT, "nested too deeply (limit %u)", RIDGE_DEPTH_LIMIT);
    run->depth++;
    return RIDGE_OK;
}

static ridge_status eval(ridge_value *out, const ridge_ast *n, const eval_at *e)
{
    ridge_evaluation *run = e->run;
    ridge_status st;
    if ((st = ridge_run_charge(run, 1)) || (st = ridge_run_deeper(run)))
        return blame(st, n, e);
    st = eval_node(out, n, e);
    run->depth--;
    return st ? blame(st, n, e) : RIDGE_OK;
}

ridge_status ridge_expr_eval(ridge_value *out, const ridge_expr *expr, ridge_evaluation *run)
{
    eval_at e = {expr, run};
    return eval(out, expr->root, &e);
}
