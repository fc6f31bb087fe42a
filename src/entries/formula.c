#include "base/shown.h"
#include "cost/flat.h"
#include "entries/db.h"
#include "entries/words.h"

enum { STEP_LIMIT = 100000 };

/* ---- the options ---- */

#define OF ridge_formula_request
const ridge_option ridge_options_formula[] = {
    RIDGE_CHOICE(OF, context, "context", 'c', ridge_context_names, "what is evaluated; reads, writes and intermediates are elements"),
    RIDGE_FLAG(OF, trace, "trace", 't', "the resolution tree, step by step"),
    RIDGE_FLAG(OF, symbolic, "symbolic", 0, "what is not given stays a name: print the closed form"),
    RIDGE_OPTION_END,
};

/* ---- the resolution tree ---- */

static ridge_status set_result(ridge_formula_result *out, const ridge_formula_work *m, ridge_value v)
{
    ridge_buf text = {0};
    ridge_value_print(&text, v);
    *out = (ridge_formula_result){v, ridge_arena_take(m->arena, &text)};
    return out->text ? RIDGE_OK : ridge_no_memory(m->err);
}

static ridge_status add_step(ridge_formula_work *m, unsigned depth, const char *name, const ridge_expr *expr, ridge_value v)
{
    ridge_formula_answer *a = m->out;
    if (a->step_count >= STEP_LIMIT)
        return ridge_fail(m->err, RIDGE_LIMIT, "a trace of more than %d steps", STEP_LIMIT);
    const char *text = expr ? ridge_arena_strdup(m->arena, expr->text) : NULL;
    if (!name || (expr && !text) || !ridge_arena_more(m->arena, &a->steps, a->step_count, &a->step_cap, sizeof *a->steps))
        return ridge_no_memory(m->err);
    ridge_formula_step *s = &a->steps[a->step_count++];
    *s = (ridge_formula_step){depth, name, text, {v, NULL}};
    return set_result(&s->result, m, v);
}

/* a formula of the node `n` and its value */
static ridge_status add_formula(ridge_formula_work *m, const ridge_node *n, unsigned depth, const char *name, const ridge_expr *expr)
{
    ridge_value v;
    ridge_graph_enter(&m->graph, n);
    ridge_status st = ridge_expr_eval(&v, expr, &m->graph.run);
    if (!st && v.type == RIDGE_V_NODE)
        st = ridge_flat_number(&v, &m->coster, v.u.node);
    return st ? st : add_step(m, depth, name, expr, v);
}

/* "q_proj: torch.nn.Linear(rows=2048, in_features=4096, ...)" */
static const char *call_text(const ridge_formula_work *m, const char *label, const ridge_node *n)
{
    ridge_buf text = {0};
    ridge_buf_addf(&text, "%s%s%s", label ? label : "", label ? ": " : "",
                   n->entry ? ridge_registry_path(m->registry, n->entry->key) : n->class_name);
    ridge_formula_parameters ps = n->entry ? ridge_formula_parameters_of(n->entry, n->context) : (ridge_formula_parameters){NULL, 0};
    for (size_t i = 0; i < ps.count; i++) {
        ridge_buf_addf(&text, "%s%s=", i > 0 ? ", " : "(", ps.items[i].names[0]->text);
        ridge_value_print(&text, n->args[i]);
    }
    ridge_buf_addz(&text, ps.count > 0 ? ")" : "");
    return ridge_arena_take(m->arena, &text);
}

static ridge_status trace_amounts(ridge_formula_work *m, const ridge_node *n, const ridge_amounts *amounts, const char *title,
                                  const char *const *names, unsigned depth)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < amounts->n && !st; i++)
        if (m->request->context != RIDGE_CONTEXT_INTERMEDIATES || amounts->p[i].what == RIDGE_BYTE_INTERMEDIATES)
            st = add_formula(m, n, depth, ridge_arena_printf(m->arena, "%s.%s", title, names[amounts->p[i].what]), amounts->p[i].expr);
    return st;
}

/* the template's text, then every {Module}(args) in its breakdown */
static ridge_status trace_flat(ridge_formula_work *m, const ridge_node *n, unsigned depth)
{
    const ridge_flat *flat = n->entry->flat;
    const ridge_named_list *parts = &flat->breakdown;
    ridge_value v;
    ridge_status st = ridge_flat_number(&v, &m->coster, n);
    if (!st)
        st = add_step(m, depth, ridge_context_names[n->context], flat->templates[n->context].expr, v);
    for (size_t i = 0; i < parts->n && n->context == RIDGE_CONTEXT_FLOPS && !st; i++)
        if (parts->p[i].expr) /* else it is faulty: `ridge db check` tells */
            st = add_formula(m, n, depth, parts->p[i].name->text, parts->p[i].expr);
    return st;
}

static ridge_status trace_own(ridge_formula_work *m, const ridge_node *n, unsigned depth)
{
    const ridge_entry *e = n->entry;
    ridge_context c = m->request->context;
    ridge_status st = RIDGE_OK;
    if (e->flat)
        return trace_flat(m, n, depth);
    if (c == RIDGE_CONTEXT_FLOPS)
        st = trace_amounts(m, n, &e->flops, "flops", ridge_flop_names, depth);
    if (!st && (c == RIDGE_CONTEXT_READS || c == RIDGE_CONTEXT_INTERMEDIATES))
        st = trace_amounts(m, n, &e->reads, "reads", ridge_byte_names, depth);
    if (!st && (c == RIDGE_CONTEXT_WRITES || c == RIDGE_CONTEXT_INTERMEDIATES))
        st = trace_amounts(m, n, &e->writes, "writes", ridge_byte_names, depth);
    for (size_t i = 0; !st && c == RIDGE_CONTEXT_PARAMS && i < n->weights.n; i++)
        st = add_step(m, depth, n->weights.p[i].name->text, e->weights.p[i].expr, ridge_value_int(n->weights.p[i].elements));
    return st;
}

/* one level: the call and its value, its own formulas, its parts; equal neighbours once, with their number */
static ridge_status trace_node(ridge_formula_work *m, const char *label, const ridge_node *n, unsigned depth)
{
    ridge_value v;
    ridge_status st = ridge_flat_number(&v, &m->coster, n);
    if (st || (st = add_step(m, depth, call_text(m, label, n), NULL, v)) || (n->entry && (st = trace_own(m, n, depth + 1))))
        return st;
    for (size_t i = 0, next; i < n->child_count && !st; i = next) {
        const ridge_child *c = &n->children[i];
        for (next = i + 1; !n->entry && next < n->child_count && c->node && n->children[next].node == c->node;)
            next++;
        const char *name = next - i > 1 ? ridge_arena_printf(m->arena, "%zu x %.*s", next - i, RIDGE_STR_ARG(c->name))
                                        : ridge_arena_strdup(m->arena, c->name);
        if (c->node)
            st = trace_node(m, name, c->node, depth + 1);
    }
    return st;
}

/* ---- the whole ---- */

static ridge_status evaluate(ridge_formula_work *m)
{
    ridge_argument args[RIDGE_FORMULA_ARGUMENTS];
    size_t count;
    ridge_value v, number;
    ridge_status st;
    if ((st = ridge_formula_read(args, &count, m)) || (st = ridge_coster_init(&m->coster, &m->graph, RIDGE_KERNEL_EAGER)))
        return st;
    m->coster.elements = true;
    m->coster.weights = m->coster.activations = m->coster.kv = ridge_format_find(RIDGE_STR("int8"));
    m->graph.free_shapes = m->request->symbolic && m->request->context != RIDGE_CONTEXT_PARAMS;
    (void)ridge_flat_enter(&m->coster, m->request->context);
    if ((st = ridge_graph_invoke(&v, &m->graph, m->entry->key, args, count)))
        return st;
    number = v;
    if (v.type == RIDGE_V_NODE && (st = ridge_flat_number(&number, &m->coster, v.u.node)))
        return st;
    if ((st = ridge_formula_check_read(m)) || (st = set_result(&m->out->whole.result, m, number)) || !m->request->trace)
        return st;
    return v.type == RIDGE_V_NODE ? trace_node(m, NULL, v.u.node, 0) : add_step(m, 0, m->out->whole.name, m->entry->value, v);
}

ridge_status ridge_formula_answer_make(ridge_formula_answer *out, ridge_registry *registry, const ridge_formula_request *request,
                                       ridge_arena *arena, ridge_err *err)
{
    ridge_formula_work m = {.out = out, .request = request, .registry = registry, .arena = arena, .err = err};
    ridge_source *source;
    ridge_status st;
    *out = (ridge_formula_answer){.context = request->context};
    if (!ridge_algebra_init(&m.algebra, arena))
        return ridge_no_memory(err);
    if ((st = ridge_db_find(&source, registry, request->words.items[0], err)) ||
        (st = ridge_registry_entry(&m.entry, registry, source->key, err)) ||
        (st = ridge_graph_init(&m.graph, registry, arena, request->symbolic ? &m.algebra : NULL, err)))
        return st;
    if (!(out->whole.name = ridge_registry_path(registry, source->key)))
        return ridge_no_memory(err);
    if (m.entry->kind == RIDGE_KIND_CONFIG || m.entry->kind == RIDGE_KIND_OPERATOR)
        return ridge_fail(err, RIDGE_TYPE, "%s is %s, not a formula", out->whole.name, m.entry->kind == RIDGE_KIND_CONFIG ? "a config" : "an operator");
    return evaluate(&m);
}

/* ---- how it is written ---- */

static void write_value(ridge_json_writer *w, ridge_value v)
{
    ridge_buf text = {0};
    if (v.type == RIDGE_V_INT || v.type == RIDGE_V_BOOL || v.type == RIDGE_V_NONE || v.type == RIDGE_V_STRING) {
        ridge_value_json(w, v);
        return;
    }
    ridge_value_print(&text, v); /* an exact fraction, a list, a closed form: as a formula writes it */
    ridge_jw_str(w, (ridge_str){text.p, text.n});
    w->buf->failed |= text.failed;
    ridge_buf_free(&text);
}

static void write_result(ridge_json_writer *w, const void *row)
{
    write_value(w, ((const ridge_formula_result *)row)->value);
}

static void write_arguments(ridge_json_writer *w, const void *row)
{
    const ridge_formula_answer *a = row;
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < a->argument_count; i++) {
        ridge_jw_key(w, a->arguments[i].name);
        write_value(w, a->arguments[i].value);
    }
    ridge_jw_end_object(w);
}

/* integers with separators */
static const char *result_text(ridge_arena *arena, const void *row)
{
    const ridge_formula_result *r = row;
    return r->value.type == RIDGE_V_INT ? ridge_units_exact(arena, r->value.u.i) : r->text;
}

static const ridge_record_field result_fields[] = {
    RIDGE_RECORD_FIELD(WRITTEN, ridge_formula_result, text, const char *, "value", NULL, RIDGE_IN_ALL, "a number, a truth, null or text",
                       .write = write_result, .text = result_text),
};
static const ridge_record result_record = RIDGE_RECORD(ridge_formula_result, "value", result_fields, "what a formula gives");

#define STEP ridge_formula_step
static const ridge_record_field step_fields[] = {
    RIDGE_R_UNSIGNED(STEP, depth, "depth", NULL, RIDGE_IN_ALL, "in the resolution tree"),
    RIDGE_R_TEXT(STEP, name, "step", NULL, RIDGE_IN_ALL, "a call with its arguments, or what a formula of it counts"),
    RIDGE_R_TEXT(STEP, expression, "expression", NULL, RIDGE_IN_ALL, "the template's text"),
    RIDGE_R_MEMBERS(STEP, result, &result_record),
};
const ridge_record ridge_formula_step_record = RIDGE_RECORD(STEP, "step", step_fields, "a step of a formula's evaluation");

#define ANSWER ridge_formula_answer
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ANSWER, whole.name, "module", NULL, RIDGE_IN_JSON, "the entry's dotted path"),
    RIDGE_R_WORD(ANSWER, context, ridge_context_names, "context", NULL, RIDGE_IN_JSON, "what is evaluated"),
    RIDGE_R_WRITTEN("arguments", write_arguments, "what was given"),
    RIDGE_R_MEMBERS(ANSWER, whole.result, &result_record),
    RIDGE_R_LIST(ANSWER, steps, step_count, &ridge_formula_step_record, "trace", RIDGE_IN_JSON, "the resolution tree, top down"),
};
const ridge_record ridge_formula_record = RIDGE_RECORD(ANSWER, "ridge formula", fields, "one entry evaluated alone");

void ridge_formula_text(ridge_buf *out, const ridge_formula_answer *a, ridge_arena *arena)
{
    for (size_t i = 0; i < a->step_count; i++) {
        const ridge_formula_step *s = &a->steps[i];
        ridge_buf_addf(out, "%*s%s%s%s = %s\n", (int)(2 * s->depth), "", ridge_shown(arena, s->name), s->expression ? " = " : "",
                       s->expression ? ridge_shown(arena, s->expression) : "", result_text(arena, &s->result));
    }
    if (a->step_count == 0)
        ridge_buf_addf(out, "%s\n", result_text(arena, &a->whole.result));
}
