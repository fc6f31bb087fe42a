#include "cost/flat.h"

static ridge_status number_hook(ridge_value *out, ridge_evaluation *run, void *node)
{
    const ridge_graph *g = run->data;
    return ridge_flat_number(out, g->number_data, node);
}

ridge_context ridge_flat_enter(ridge_coster *c, ridge_context context)
{
    ridge_context before = c->graph->context;
    c->graph->context = context;
    c->graph->number_data = c;
    c->graph->run.number_of = number_hook;
    return before;
}

/* ---- entries of ours ---- */

static ridge_status intermediates(ridge_value *out, const ridge_cost *cost, const ridge_calc *calc)
{
    return ridge_value_binary(out, RIDGE_OP_ADD, cost->reads[RIDGE_BYTE_INTERMEDIATES], cost->writes[RIDGE_BYTE_INTERMEDIATES], calc);
}

static ridge_status own_number(ridge_value *out, ridge_coster *c, const ridge_node *n)
{
    const ridge_calc *calc = &c->graph->run.calc;
    ridge_context context = c->graph->context;
    const ridge_cost *cost;
    ridge_int count;
    ridge_status st;
    if (context == RIDGE_CONTEXT_PARAMS) {
        st = ridge_graph_parameters(&count, c->graph, n, NULL, false);
        *out = ridge_value_int(st ? 0 : count);
        return st;
    }
    c->graph->context = RIDGE_CONTEXT_FLOPS; /* a cost is found once, for all contexts */
    st = ridge_cost_of(&cost, c, n);
    c->graph->context = context;
    if (st)
        return st;
    if (context == RIDGE_CONTEXT_FLOPS)
        return ridge_cost_flops_total(out, cost, calc);
    if (context == RIDGE_CONTEXT_INTERMEDIATES)
        return intermediates(out, cost, calc);
    return ridge_cost_bytes_total(out, context == RIDGE_CONTEXT_READS ? cost->reads : cost->writes, calc);
}

/* ---- entries of the flat form ---- */

static ridge_status blame(ridge_coster *c, const ridge_expr *expr, const char *what)
{
    ridge_status st = ridge_fail(c->graph->err, RIDGE_VALUE, "%s", what);
    ridge_expr_blame(c->graph->err, expr);
    return st;
}

/* a count: a number of FLOPs or bytes; an invocation that stands alone is its number */
static ridge_status as_count(ridge_value *v, ridge_coster *c, const ridge_expr *expr)
{
    ridge_status st;
    if ((st = ridge_expr_operand(v, &c->graph->run)))
        return st;
    if (v->type == RIDGE_V_BOOL || !ridge_value_is_number(*v))
        return blame(c, expr, "a template must give a number");
    if (v->type == RIDGE_V_INT && v->u.i < 0)
        return blame(c, expr, "a negative count");
    return RIDGE_OK;
}

/* Templates may hold half bytes (q4: dtype_bytes 9/16), so a rational is a value here. */
static ridge_status run_template(ridge_value *out, ridge_coster *c, ridge_node *n, const ridge_template *t, ridge_value *slots)
{
    ridge_graph *g = c->graph;
    ridge_value *outer_slots = g->run.slots;
    const ridge_object *outer_config = g->run.config;
    ridge_node *outer = g->building;
    ridge_graph_call call = {n->entry, n, n->args, n->config, g->calls};
    g->building = n;
    g->calls = &call;
    n->building = true;
    g->run.slots = slots;
    g->run.config = n->config;
    ridge_status st = ridge_expr_eval(out, t->expr, &g->run);
    if (!st)
        st = as_count(out, c, t->expr);
    n->building = false;
    g->building = outer;
    g->calls = call.up;
    g->run.slots = outer_slots;
    g->run.config = outer_config;
    return st;
}

static ridge_status template_number(ridge_value *out, ridge_coster *c, const ridge_node *node)
{
    ridge_node *n = (ridge_node *)(uintptr_t)node; /* keeps the number once found */
    if (n->building)
        return ridge_graph_cycle_of(c->graph, n);
    ridge_status st = RIDGE_OK;
    if (n->number.type == RIDGE_V_UNSET) {
        ridge_context before = ridge_flat_enter(c, n->context);
        st = run_template(&n->number, c, n, &n->entry->flat->templates[n->context], n->slots);
        c->graph->context = before;
        if (st)
            n->number.type = RIDGE_V_UNSET;
    }
    *out = n->number;
    return st;
}

/* A number may need the number of what it invokes, and so on: no deeper than formulas nest. */
ridge_status ridge_flat_number(ridge_value *out, ridge_coster *c, const ridge_node *node)
{
    ridge_evaluation *run = &c->graph->run;
    ridge_status st = ridge_run_deeper(run);
    if (st)
        return st;
    st = node->entry && node->entry->flat ? template_number(out, c, node) : own_number(out, c, node);
    run->depth--;
    return st;
}

ridge_status ridge_flat_value(ridge_value *out, ridge_coster *c, const ridge_symbol *module, ridge_context context,
                              const ridge_argument *args, size_t count)
{
    ridge_context before = ridge_flat_enter(c, context);
    ridge_status st = ridge_graph_invoke(out, c->graph, module, args, count);
    if (!st && out->type == RIDGE_V_NODE)
        st = ridge_flat_number(out, c, out->u.node);
    else if (!st && !ridge_value_is_number(*out))
        st = ridge_fail(c->graph->err, RIDGE_TYPE, "%s gives %s, not a number", ridge_registry_path(c->graph->registry, module),
                        ridge_value_type_name(out->type));
    c->graph->context = before;
    return st;
}

/* ---- in a breakdown ---- */

/* bytes of one activation, exact */
static ridge_status dtype_bytes(ridge_value *out, ridge_coster *c)
{
    ridge_rational bytes;
    if (!ridge_rational_div(&bytes, c->activations->bits, ridge_rational_of(8)))
        return ridge_fail(c->graph->err, RIDGE_OVERFLOW, NULL);
    return ridge_value_rational(out, bytes, &c->graph->run.calc);
}

static const ridge_value *argument_named(const ridge_node *n, const ridge_symbol *name)
{
    const ridge_template *t = &n->entry->flat->templates[n->context];
    for (size_t i = 0; i < t->parameter_count; i++)
        for (size_t k = 0; k < 4 && t->parameters[i].names[k]; k++)
            if (t->parameters[i].names[k] == name)
                return &n->args[i];
    return NULL;
}

/* invokes the entry in another context, with the arguments it has under the names that one's template asks for */
static ridge_status rebind(ridge_value *out, ridge_coster *c, const ridge_node *n, ridge_context context)
{
    const ridge_template *t = &n->entry->flat->templates[context];
    ridge_argument args[64];
    ridge_status st;
    size_t count = 0;
    if (t->parameter_count > sizeof args / sizeof *args)
        return ridge_fail(c->graph->err, RIDGE_LIMIT, "a template with more than 64 parameters");
    for (size_t i = 0; i < t->parameter_count; i++) {
        const ridge_symbol *name = t->parameters[i].names[0];
        const ridge_value *given = argument_named(n, name);
        args[count].name = name;
        if (given)
            args[count++].value = *given;
        else if (strcmp(name->text, "dtype_bytes") == 0 && (st = dtype_bytes(&args[count++].value, c)))
            return st;
    }
    return ridge_flat_value(out, c, n->entry->key, context, args, count);
}

/* bytes are whole: a fraction of one (half-byte formats) is rounded up */
static ridge_status whole(ridge_value *v, ridge_coster *c)
{
    ridge_int up;
    if (v->type != RIDGE_V_RATIONAL)
        return RIDGE_OK;
    if (!ridge_rational_ceil(&up, *v->u.r))
        return ridge_fail(c->graph->err, RIDGE_OVERFLOW, NULL);
    *v = ridge_value_int(up);
    return RIDGE_OK;
}

ridge_status ridge_flat_cost(ridge_cost *out, ridge_coster *c, const ridge_node *n)
{
    static const ridge_context contexts[] = {RIDGE_CONTEXT_READS, RIDGE_CONTEXT_WRITES, RIDGE_CONTEXT_INTERMEDIATES};
    ridge_value *const into[] = {&out->reads[RIDGE_BYTE_ACTIVATIONS], &out->writes[RIDGE_BYTE_ACTIVATIONS],
                                 &out->writes[RIDGE_BYTE_INTERMEDIATES]};
    ridge_value *flops = &out->flops[RIDGE_FLOP_OTHER];
    ridge_context before = ridge_flat_enter(c, RIDGE_CONTEXT_FLOPS);
    ridge_status st = ridge_flat_number(flops, c, n);
    if (!st && flops->type == RIDGE_V_RATIONAL)
        st = blame(c, n->entry->flat->templates[RIDGE_CONTEXT_FLOPS].expr, "a fractional number of FLOPs");
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts && !st; i++)
        if (!(st = rebind(into[i], c, n, contexts[i])))
            st = whole(into[i], c);
    c->graph->context = before;
    return st;
}
