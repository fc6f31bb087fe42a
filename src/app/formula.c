#include "app/formula.h"

#include <stdlib.h>

#include "cost/flat.h"
#include "graph/config.h"

#define STEP_LIMIT 100000

typedef struct word {
    ridge_str name; /* n == 0: positional */
    ridge_str value;
    bool used;
} word;

typedef struct maker {
    ridge_formula *f;
    ridge_entry *entry;
    word *words;
    size_t count;
    bool symbolic, trace;
    ridge_err *err;
} maker;

static ridge_status nomem(maker *m)
{
    return ridge_fail(m->err, RIDGE_NOMEM, "out of memory");
}

/* ---- arguments as people type them ---- */

static void split_words(maker *m, const char *const *texts)
{
    for (size_t i = 0; i < m->count; i++) {
        const char *equals = strchr(texts[i], '=');
        m->words[i].value = ridge_str_of(equals ? equals + 1 : texts[i]);
        if (equals)
            m->words[i].name = (ridge_str){texts[i], (size_t)(equals - texts[i])};
    }
}

/* a number, True, False, None, a list, or else a plain string */
static ridge_status typed_value(maker *m, ridge_value *out, ridge_str text)
{
    ridge_scope scope = {.arena = &m->f->arena, .symbols = &m->f->registry->symbols};
    ridge_expr *expr;
    ridge_run run = m->f->graph.run;
    run.globals = NULL;
    run.config = NULL;
    run.calc.err = NULL;
    if (ridge_expr_parse(&expr, text, "", 1, 1, &scope, NULL) == RIDGE_OK && ridge_expr_eval(out, expr, &run) == RIDGE_OK)
        return RIDGE_OK;
    *out = ridge_value_str(text);
    return text.n && ((text.p[0] >= '0' && text.p[0] <= '9') || text.p[0] == '-')
               ? ridge_fail(m->err, RIDGE_USAGE, "'%.*s' is not a number", RIDGE_STR_ARG(text))
               : RIDGE_OK;
}

static ridge_status note_argument(maker *m, const char *name, ridge_value v)
{
    ridge_formula *f = m->f;
    f->arguments = ridge_arena_grow(&f->arena, f->arguments, f->argument_count, &f->argument_cap, f->argument_count + 1, sizeof *f->arguments);
    if (!f->arguments)
        return nomem(m);
    f->arguments[f->argument_count++] = (ridge_formula_argument){name, v};
    return RIDGE_OK;
}

typedef struct parameters {
    const ridge_parameter *p;
    size_t n;
} parameters;

/* a flat entry's analyses have parameters of their own */
static parameters parameters_of(const maker *m)
{
    if (m->entry->flat && m->f->context <= RIDGE_CONTEXT_INTERMEDIATES) {
        const ridge_template *t = &m->entry->flat->templates[m->f->context];
        return (parameters){t->parameters, t->parameter_count};
    }
    return (parameters){m->entry->parameters, m->entry->parameter_count};
}

static bool names_parameter(const ridge_parameter *p, ridge_str name)
{
    for (size_t k = 0; k < 4 && p->names[k]; k++)
        if (ridge_str_is(name, p->names[k]->text))
            return true;
    return false;
}

/* positional words in order, then names; what is missing stays a name in symbolic runs */
static ridge_status module_arguments(maker *m, ridge_argument *args, size_t *count)
{
    parameters ps = parameters_of(m);
    size_t positional = 0;
    ridge_status st = RIDGE_OK;
    *count = 0;
    for (size_t i = 0; i < ps.n && !st; i++) {
        word *found = NULL;
        for (size_t k = 0, seen = 0; k < m->count && !found; k++) {
            word *w = &m->words[k];
            if (w->name.n ? names_parameter(&ps.p[i], w->name) : seen++ == i)
                found = w;
        }
        if (!found && (!m->symbolic || ps.p[i].fallback))
            continue;
        ridge_argument *a = &args[(*count)++];
        a->name = ps.p[i].names[0];
        if (found) {
            found->used = true;
            st = typed_value(m, &a->value, found->value);
        } else {
            st = ridge_sym_name(&a->value, a->name->text, 1, &m->f->graph.run.calc);
        }
        if (!st)
            st = note_argument(m, a->name->text, a->value);
    }
    for (size_t k = 0; k < m->count; k++)
        positional += !m->words[k].name.n;
    if (!st && positional > ps.n)
        return ridge_fail(m->err, RIDGE_ARITY, "%s takes %zu arguments, not %zu", m->f->module, ps.n, positional);
    return st;
}

/* ---- workload ---- */

static const struct {
    const char *name;
    int least;
} globals[] = {
#define X(name, least) {#name, least},
    RIDGE_GLOBAL_LIST(X)
#undef X
};

static ridge_status derive_globals(maker *m)
{
    ridge_value *g = m->f->graph.globals;
    const ridge_calc *calc = &m->f->graph.run.calc;
    ridge_status st = RIDGE_OK;
    if (g[RIDGE_GLOBAL_past].type == RIDGE_V_UNSET)
        g[RIDGE_GLOBAL_past] = ridge_value_int(0);
    if (g[RIDGE_GLOBAL_B].type == RIDGE_V_UNSET || g[RIDGE_GLOBAL_S].type == RIDGE_V_UNSET)
        return RIDGE_OK;
    if (g[RIDGE_GLOBAL_T].type == RIDGE_V_UNSET)
        st = ridge_value_binary(&g[RIDGE_GLOBAL_T], RIDGE_OP_ADD, g[RIDGE_GLOBAL_past], g[RIDGE_GLOBAL_S], calc);
    if (!st && g[RIDGE_GLOBAL_head_rows].type == RIDGE_V_UNSET)
        st = ridge_value_binary(&g[RIDGE_GLOBAL_head_rows], RIDGE_OP_MUL, g[RIDGE_GLOBAL_B], g[RIDGE_GLOBAL_S], calc);
    return st;
}

static ridge_status workload(maker *m)
{
    ridge_value *g = m->f->graph.globals;
    ridge_status st = RIDGE_OK;
    g[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("prefill"));
    g[RIDGE_GLOBAL_attention] = ridge_value_str(RIDGE_STR("full"));
    g[RIDGE_GLOBAL_act] = g[RIDGE_GLOBAL_kv] = g[RIDGE_GLOBAL_weights_format] = ridge_value_str(RIDGE_STR("fp32"));
    g[RIDGE_GLOBAL_enc] = ridge_value_int(0);
    for (unsigned i = 0; i < RIDGE_GLOBAL_COUNT && !st; i++) {
        word *found = NULL;
        for (size_t k = 0; k < m->count; k++)
            if (!m->words[k].used && ridge_str_is(m->words[k].name, globals[i].name))
                found = &m->words[k];
        if (found) {
            found->used = true;
            if (!(st = typed_value(m, &g[i], found->value)))
                st = note_argument(m, globals[i].name, g[i]);
            if (!st && globals[i].least >= 0 && g[i].type != RIDGE_V_INT)
                st = ridge_fail(m->err, RIDGE_USAGE, "%s wants an integer", globals[i].name);
        } else if (m->symbolic && (i == RIDGE_GLOBAL_B || i == RIDGE_GLOBAL_S)) {
            st = ridge_sym_name(&g[i], globals[i].name, globals[i].least, &m->f->graph.run.calc);
        }
    }
    return st ? st : derive_globals(m);
}

/* ---- config ---- */

/* the one config entry of a module's family: same catalog path up to the family */
static ridge_source *family_config(maker *m)
{
    static const char marker[] = "__modeling_";
    ridge_source **all, *found = NULL;
    size_t count;
    const char *at = strstr(m->entry->key->text, marker);
    if (!at || ridge_registry_all(&all, &count, m->f->registry, NULL) != RIDGE_OK)
        return NULL;
    size_t n = (size_t)(at - m->entry->key->text);
    for (size_t i = 0; i < count; i++)
        if (strncmp(all[i]->key->text, m->entry->key->text, n) == 0 && strncmp(all[i]->key->text + n, "__configuration", 15) == 0) {
            if (found)
                return NULL; /* several: which one is not ours to guess */
            found = all[i];
        }
    return found;
}

/* the remaining names as a config.json */
static ridge_status config_json(maker *m, const ridge_json **out, bool *any)
{
    ridge_buf text = {0};
    ridge_json *json;
    ridge_json_writer w;
    *any = false;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    for (size_t i = 0; i < m->count; i++) {
        ridge_value v;
        ridge_status st;
        if (m->words[i].used || !m->words[i].name.n)
            continue;
        *any = true;
        if ((st = typed_value(m, &v, m->words[i].value)) || (st = note_argument(m, ridge_arena_strdup(&m->f->arena, m->words[i].name), v))) {
            ridge_buf_free(&text);
            return st;
        }
        ridge_jw_key_str(&w, m->words[i].name);
        if (v.type == RIDGE_V_STRING)
            ridge_jw_str(&w, v.u.s);
        else if (v.type == RIDGE_V_NONE)
            ridge_jw_null(&w);
        else if (v.type == RIDGE_V_BOOL)
            ridge_jw_bool(&w, v.u.b);
        else
            ridge_jw_raw(&w, m->words[i].value);
    }
    ridge_jw_end_object(&w);
    char *copy = ridge_arena_strdup(&m->f->arena, (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
    if (!copy)
        return nomem(m);
    ridge_status st = ridge_json_parse(&json, ridge_str_of(copy), "the arguments", (ridge_json_options){0}, &m->f->arena, m->err);
    *out = json;
    return st;
}

static ridge_status bind_config(maker *m)
{
    const ridge_json *json = NULL;
    ridge_object *object;
    ridge_entry *entry;
    ridge_value v;
    bool any = false;
    ridge_status st = config_json(m, &json, &any);
    if (st)
        return st;
    ridge_source *family = family_config(m);
    if (family) {
        if ((st = ridge_registry_entry(&entry, m->f->registry, family->key, m->err)) ||
            (st = ridge_config_bind(&object, m->f->registry, entry, json, "the arguments", &m->f->graph.run)))
            return st;
        m->f->graph.run.config = object;
        return RIDGE_OK;
    }
    if (!any)
        return RIDGE_OK;
    if (!strstr(m->entry->key->text, "__modeling_"))
        return ridge_fail(m->err, RIDGE_USAGE, "%s has no parameter '%s'", m->f->module, m->f->arguments[m->f->argument_count - 1].name);
    if ((st = ridge_config_value(&v, m->f->registry, json, "the arguments", &m->f->graph.run.calc)))
        return st;
    m->f->graph.run.config = v.u.object;
    return RIDGE_OK;
}

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
        return nomem(m);
    f->steps[f->step_count++] = (ridge_formula_step){depth, name, expr ? ridge_arena_strdup(&f->arena, expr->text) : NULL, v};
    return RIDGE_OK;
}

static const char *call_text(maker *m, const char *label, const ridge_node *n)
{
    ridge_buf text = {0};
    if (label)
        ridge_buf_addf(&text, "%s: ", label);
    ridge_buf_addz(&text, n->entry ? ridge_registry_path(m->f->registry, n->entry->key) : n->class_name);
    parameters ps = n->entry && n->entry->flat ? (parameters){n->entry->flat->templates[n->context].parameters, n->entry->flat->templates[n->context].parameter_count}
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

static ridge_status trace_amounts(maker *m, const ridge_node *n, const ridge_amounts *amounts, const char *title, const char *const *names, unsigned depth)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < amounts->n && !st; i++) {
        ridge_value v;
        if (m->f->context == RIDGE_CONTEXT_INTERMEDIATES && amounts->p[i].what != RIDGE_BYTE_INTERMEDIATES)
            continue;
        ridge_graph_enter(&m->f->graph, n);
        if (!(st = ridge_expr_eval(&v, amounts->p[i].expr, &m->f->graph.run)))
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
        if ((st = ridge_expr_eval(&v, flat->breakdown.p[i].expr, &m->f->graph.run)) || (v.type == RIDGE_V_NODE && (st = node_value(&v, m, v.u.node))))
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
    ridge_argument args[64];
    size_t count;
    ridge_formula *f = m->f;
    ridge_value v;
    ridge_status st;
    if (parameters_of(m).n > 64)
        return ridge_fail(m->err, RIDGE_LIMIT, "too many parameters");
    if ((st = module_arguments(m, args, &count)) || (st = workload(m)) || (st = bind_config(m)) ||
        (st = ridge_coster_init(&f->coster, &f->graph, RIDGE_KERNEL_EAGER)))
        return st;
    f->coster.elements = true;
    f->coster.weights = f->coster.activations = f->coster.kv = ridge_format_find(RIDGE_STR("int8"));
    f->graph.free_shapes = m->symbolic && f->context != RIDGE_CONTEXT_PARAMS;
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

static ridge_status run(ridge_formula *f, const char *name, const char *const *words, size_t count, bool symbolic, bool trace, ridge_err *err)
{
    maker m = {.f = f, .count = count, .symbolic = symbolic, .trace = trace, .err = err};
    const ridge_symbol *key = ridge_registry_key(f->registry, ridge_str_of(name));
    ridge_status st;
    if (!key || !(m.words = ridge_arena_array(&f->arena, count + 1, sizeof *m.words)) || !ridge_algebra_init(&f->algebra, &f->arena))
        return nomem(&m);
    if ((st = ridge_registry_entry(&m.entry, f->registry, key, err)) || (st = ridge_graph_init(&f->graph, f->registry, &f->arena, symbolic ? &f->algebra : NULL, err)))
        return st;
    if (!(f->module = ridge_registry_path(f->registry, key)))
        return nomem(&m);
    if (m.entry->kind == RIDGE_KIND_CONFIG)
        return ridge_fail(err, RIDGE_TYPE, "%s is a config, not a formula", f->module);
    split_words(&m, words);
    return evaluate(&m);
}

ridge_status ridge_formula_make(ridge_formula **out, ridge_registry *registry, const char *name, const char *const *words, size_t count,
                                ridge_context context, bool symbolic, bool trace, ridge_err *err)
{
    ridge_formula *f = *out = calloc(1, sizeof *f);
    if (!f)
        return ridge_fail(err, RIDGE_NOMEM, "out of memory");
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
