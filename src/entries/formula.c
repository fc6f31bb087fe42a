#include "entries/words.h"

#include <stdlib.h>

#include "entries/db.h"
#include "cost/flat.h"

#define STEP_LIMIT 100000

typedef struct maker {
    ridge_formula *f;
    ridge_entry *entry;
    ridge_formula_words words;
    bool trace;
    ridge_err *err;
} maker;

/* ---- values ---- */

static ridge_status node_value(ridge_value *out, maker *m, const ridge_node *n)
{
    return ridge_flat_number(out, &m->f->coster, n);
}

/* ---- the resolution tree ---- */

static ridge_status step(maker *m, unsigned depth, const char *name, const ridge_expr *expr, ridge_value v)
{
    ridge_formula *f = m->f;
    if (f->step_count >= STEP_LIMIT)
        return ridge_fail(m->err, RIDGE_LIMIT, "a trace of more than %d steps", STEP_LIMIT);
    f->steps = ridge_arena_grow(&f->arena, f->steps, f->step_count, &f->step_cap, f->step_count + 1, sizeof *f->steps);
    if (!f->steps || !name)
        return ridge_no_memory(m->err);
    f->steps[f->step_count++] = (ridge_formula_step){depth, name, expr ? ridge_arena_strdup(&f->arena, expr->text) : NULL, v};
    return RIDGE_OK;
}

typedef struct parameters {
    const ridge_parameter *p;
    size_t n;
} parameters;

static const char *call_text(maker *m, const char *label, const ridge_node *n)
{
    ridge_buf text = {0};
    if (label)
        ridge_buf_addf(&text, "%s: ", label);
    ridge_buf_addz(&text, n->entry ? ridge_registry_path(m->f->registry, n->entry->key) : n->class_name);
    parameters ps = n->entry && n->entry->flat ? (parameters){n->entry->flat->templates[n->context].parameters,
                                                              n->entry->flat->templates[n->context].parameter_count}
                    : n->entry                 ? (parameters){n->entry->parameters, n->entry->parameter_count}
                                               : (parameters){NULL, 0};
    for (size_t i = 0; i < ps.n; i++) {
        ridge_buf_addf(&text, "%s%s=", i ? ", " : "(", ps.p[i].names[0]->text);
        ridge_value_print(&text, n->args[i]);
    }
    if (ps.n)
        ridge_buf_addc(&text, ')');
    const char *copy = text.failed ? NULL : ridge_arena_strdup(&m->f->arena, (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
    return copy;
}

static ridge_status trace_amounts(maker *m, const ridge_node *n, const ridge_amounts *amounts, const char *title, const char *const *names,
                                  unsigned depth)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < amounts->n && !st; i++) {
        ridge_value v;
        if (m->f->context == RIDGE_CONTEXT_INTERMEDIATES && amounts->p[i].what != RIDGE_BYTE_INTERMEDIATES)
            continue;
        ridge_graph_enter(&m->f->graph, n);
        if (!(st = ridge_expr_eval(&v, amounts->p[i].expr, &m->f->graph.run)) && v.type == RIDGE_V_NODE)
            st = node_value(&v, m, v.u.node);
        if (!st)
            st = step(m, depth, ridge_arena_printf(&m->f->arena, "%s.%s", title, names[amounts->p[i].what]), amounts->p[i].expr, v);
    }
    return st;
}

/* the template's text, then every {Module}(args) in its breakdown */
static ridge_status trace_flat(maker *m, const ridge_node *n, unsigned depth)
{
    const ridge_flat *flat = n->entry->flat;
    ridge_value v;
    ridge_status st = node_value(&v, m, n);
    if (!st)
        st = step(m, depth, ridge_context_names[n->context], flat->templates[n->context].expr, v);
    for (size_t i = 0; i < flat->breakdown.n && n->context == RIDGE_CONTEXT_FLOPS && !st; i++) {
        if (!flat->breakdown.p[i].expr) /* faulty: `ridge db check` tells */
            continue;
        ridge_graph_enter(&m->f->graph, n);
        if ((st = ridge_expr_eval(&v, flat->breakdown.p[i].expr, &m->f->graph.run)) ||
            (v.type == RIDGE_V_NODE && (st = node_value(&v, m, v.u.node))))
            break;
        st = step(m, depth, flat->breakdown.p[i].name->text, flat->breakdown.p[i].expr, v);
    }
    return st;
}

static ridge_status trace_own(maker *m, const ridge_node *n, unsigned depth)
{
    const ridge_entry *e = n->entry;
    ridge_context c = m->f->context;
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
        st = step(m, depth, n->weights.p[i].name->text, e->weights.p[i].expr, ridge_value_int(n->weights.p[i].elements));
    return st;
}

/* one level: the call and its value, its own formulas, its parts; equal neighbours once, with their number */
static ridge_status trace_node(maker *m, const char *label, const ridge_node *n, unsigned depth)
{
    ridge_value v;
    ridge_status st = node_value(&v, m, n);
    if (st || (st = step(m, depth, call_text(m, label, n), NULL, v)))
        return st;
    if (n->entry && (st = trace_own(m, n, depth + 1)))
        return st;
    for (size_t i = 0; i < n->child_count && !st;) {
        size_t next = i + 1;
        while (!n->entry && next < n->child_count && n->children[next].node && n->children[next].node == n->children[i].node)
            next++;
        const char *name = next - i > 1 ? ridge_arena_printf(&m->f->arena, "%zu x %.*s", next - i, RIDGE_STR_ARG(n->children[i].name))
                                        : ridge_arena_strdup(&m->f->arena, n->children[i].name);
        if (n->children[i].node)
            st = trace_node(m, name, n->children[i].node, depth + 1);
        i = next;
    }
    return st;
}

/* ---- the whole ---- */

static ridge_status evaluate(maker *m)
{
    ridge_argument args[RIDGE_FORMULA_ARGUMENTS];
    size_t count;
    ridge_formula *f = m->f;
    ridge_value v;
    ridge_status st;
    if ((st = ridge_formula_words_arguments(&m->words, args, &count)) || (st = ridge_formula_words_workload(&m->words)) ||
        (st = ridge_formula_words_config(&m->words)) || (st = ridge_coster_init(&f->coster, &f->graph, RIDGE_KERNEL_EAGER)))
        return st;
    f->coster.elements = true;
    f->coster.weights = f->coster.activations = f->coster.kv = ridge_format_find(RIDGE_STR("int8"));
    f->graph.free_shapes = m->words.symbolic && f->context != RIDGE_CONTEXT_PARAMS;
    (void)ridge_flat_enter(&f->coster, f->context);
    if ((st = ridge_graph_invoke(&v, &f->graph, m->entry->key, args, count)))
        return st;
    if (v.type == RIDGE_V_NODE) {
        if ((st = node_value(&f->value, m, v.u.node)))
            return st;
        return m->trace ? trace_node(m, NULL, v.u.node, 0) : RIDGE_OK;
    }
    f->value = v;
    return m->trace ? step(m, 0, f->module, m->entry->value, v) : RIDGE_OK;
}

static ridge_status run(ridge_formula *f, const char *name, const char *const *words, size_t count, bool symbolic, bool trace,
                        ridge_err *err)
{
    maker m = {.f = f, .trace = trace, .err = err};
    ridge_source *source;
    ridge_status st;
    if (!ridge_algebra_init(&f->algebra, &f->arena))
        return ridge_no_memory(m.err);
    if ((st = ridge_db_find(&source, f->registry, name, err)) || (st = ridge_registry_entry(&m.entry, f->registry, source->key, err)) ||
        (st = ridge_graph_init(&f->graph, f->registry, &f->arena, symbolic ? &f->algebra : NULL, err)))
        return st;
    if (!(f->module = ridge_registry_path(f->registry, source->key)))
        return ridge_no_memory(m.err);
    if (m.entry->kind == RIDGE_KIND_CONFIG)
        return ridge_fail(err, RIDGE_TYPE, "%s is a config, not a formula", f->module);
    m.words = (ridge_formula_words){.f = f, .entry = m.entry, .count = count, .symbolic = symbolic, .err = err};
    st = ridge_formula_words_split(&m.words, words);
    return st ? st : evaluate(&m);
}

ridge_status ridge_formula_make(ridge_formula **out, ridge_registry *registry, const char *name, const char *const *words, size_t count,
                                ridge_context context, bool symbolic, bool trace, ridge_err *err)
{
    ridge_formula *f = *out = calloc(1, sizeof *f);
    if (!f)
        return ridge_no_memory(err);
    ridge_arena_init(&f->arena);
    f->registry = registry;
    f->context = context;
    ridge_status st = run(f, name, words, count, symbolic, trace, err);
    return st;
}

void ridge_formula_free(ridge_formula *f)
{
    if (!f)
        return;
    ridge_arena_free(&f->arena);
    free(f);
}
