/* The totals of a flat entry: its breakdown against its template, and whether both products of attention are there.
 * All parameters are names, so both sides are polynomials. Where a call cannot be expanded it stands as a name of its own. */
#include "entries/db.h"
#include "cost/flat.h"
#include "formula/poly.h"

typedef struct totals {
    ridge_check *check;
    const ridge_entry *entry;
    const ridge_template *flops;
    ridge_algebra algebra;
    ridge_graph graph;
    ridge_coster coster;
    ridge_invoke *invoke; /* the graph's */
    ridge_err err;
    ridge_value *slots;
    bool square; /* a call that was not expanded has an argument quadratic in the sequence length */
} totals;

/* ---- polynomials ---- */

static bool is_sequence(const char *name)
{
    static const char *const names[] = {"S",     "T",      "L",       "seq",     "seq_len", "seq_length", "seqlen",    "sequence_length",
                                        "q_len", "kv_len", "src_len", "tgt_len", "key_len", "query_len",  "kv_seq_len"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static unsigned sequence_degree(const ridge_term *t)
{
    unsigned degree = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->factors[i].atom->kind == RIDGE_ATOM_NAME && is_sequence(t->factors[i].atom->name))
            degree += t->factors[i].power;
    return degree;
}

/* the number of terms quadratic in the sequence length, and their largest coefficient */
static size_t quadratic_terms(ridge_rational *largest, ridge_value v)
{
    size_t n = 0;
    for (uint32_t i = 0; v.type == RIDGE_V_SYM && i < v.u.sym->count; i++) {
        const ridge_term *t = &v.u.sym->terms[i];
        if (sequence_degree(t) < 2)
            continue;
        n++;
        if (ridge_rational_compare(t->coefficient, *largest) > 0)
            *largest = t->coefficient;
    }
    return n;
}

/* ---- evaluation ---- */

/* a call as a name: "torch__nn__Linear(B*S, h, h)" */
static ridge_status opaque(ridge_value *out, ridge_evaluation *run, const ridge_symbol *module, void **cache, const ridge_argument *args,
                           size_t count)
{
    totals *t = (totals *)run->data;
    ridge_rational largest = ridge_rational_of(0);
    ridge_buf text = {0};
    (void)cache;
    ridge_buf_addf(&text, "%s(", module->text);
    for (size_t i = 0; i < count; i++) {
        ridge_buf_addf(&text, "%s%s%s", i ? ", " : "", args[i].name ? args[i].name->text : "", args[i].name ? "=" : "");
        ridge_value_print(&text, args[i].value);
        t->square = t->square || quadratic_terms(&largest, args[i].value) > 0;
    }
    ridge_buf_addc(&text, ')');
    const char *name = ridge_arena_take(t->check->arena, &text);
    return name ? ridge_sym_name(out, name, 0, &run->calc) : ridge_no_memory(run->calc.err);
}

/* expanded: calls are evaluated; else they are names */
static bool evaluate(ridge_value *out, totals *t, const ridge_expr *expr, bool expanded)
{
    ridge_evaluation *run = &t->graph.run;
    ridge_err_clear(&t->err);
    t->square = false;
    ridge_flat_enter(&t->coster, RIDGE_CONTEXT_FLOPS);
    run->invoke = expanded ? t->invoke : opaque;
    run->data = expanded ? (void *)&t->graph : (void *)t;
    run->slots = t->slots;
    run->config = NULL;
    run->steps_left = RIDGE_STEP_LIMIT;
    run->depth = 0;
    t->graph.building = NULL;
    if (ridge_expr_eval(out, expr, run))
        return false;
    return out->type != RIDGE_V_NODE || !ridge_flat_number(out, &t->coster, out->u.node);
}

static ridge_status name_parameters(totals *t)
{
    ridge_status st = RIDGE_OK;
    t->slots = ridge_arena_array(t->check->arena, t->flops->slots + 1u, sizeof *t->slots);
    if (!t->slots)
        return RIDGE_NOMEM;
    for (uint32_t i = 0; i < t->flops->slots; i++)
        t->slots[i].type = RIDGE_V_UNSET;
    for (size_t i = 0; i < t->flops->parameter_count && !st; i++)
        st = ridge_sym_name(&t->slots[i], t->flops->parameters[i].names[0]->text, 1, &t->graph.run.calc);
    return st;
}

/* workload names that are no parameters of the template stay names too */
static ridge_status prepare(totals *t)
{
    ridge_arena *arena = t->check->arena;
    ridge_status st;
    if (!ridge_algebra_init(&t->algebra, arena))
        return RIDGE_NOMEM;
    if ((st = ridge_graph_init(&t->graph, t->check->registry, arena, &t->algebra, &t->err)))
        return st;
    for (size_t i = 0; i < RIDGE_GLOBAL_COUNT && !st; i++)
        if (ridge_globals[i].least >= 0)
            st = ridge_sym_name(&t->graph.globals[i], ridge_globals[i].name, ridge_globals[i].least, &t->graph.run.calc);
        else
            t->graph.globals[i] = ridge_value_str(RIDGE_STR("bf16"));
    t->graph.globals[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("prefill"));
    t->graph.globals[RIDGE_GLOBAL_attention] = ridge_value_str(RIDGE_STR("full"));
    t->graph.free_shapes = true;
    t->invoke = t->graph.run.invoke;
    if (st || (st = ridge_coster_init(&t->coster, &t->graph, RIDGE_KERNEL_EAGER)))
        return st;
    return name_parameters(t);
}

/* ---- template against breakdown ---- */

static bool sum_parts(ridge_value *sum, totals *t, bool expanded)
{
    const ridge_named_list *parts = &t->entry->flat->breakdown;
    ridge_value v;
    *sum = ridge_value_int(0);
    for (size_t i = 0; i < parts->n; i++)
        if (!parts->p[i].expr || !evaluate(&v, t, parts->p[i].expr, expanded) ||
            ridge_value_binary(sum, RIDGE_OP_ADD, *sum, v, &t->graph.run.calc))
            return false;
    return true;
}

static void compare_totals(totals *t)
{
    ridge_value total, sum, difference;
    bool expanded = evaluate(&total, t, t->flops->expr, true) && sum_parts(&sum, t, true);
    if (!expanded && (!evaluate(&total, t, t->flops->expr, false) || !sum_parts(&sum, t, false)))
        return; /* what stands in the way is told elsewhere */
    if (ridge_value_binary(&difference, RIDGE_OP_SUB, sum, total, &t->graph.run.calc) || ridge_value_equal(difference, ridge_value_int(0)))
        return;
    ridge_err e = {0};
    ridge_buf text = {0};
    ridge_value_print(&text, difference);
    ridge_expr_fail(&e, RIDGE_CHECK, t->flops->expr, 0, (uint32_t)t->flops->expr->text.n,
                    "%s: the breakdown's total is not what formula_template gives: breakdown - template = %s", t->entry->key->text,
                    text.p ? text.p : "?");
    ridge_buf_free(&text);
    ridge_check_add(t->check, !expanded, &e); /* calls that cannot be expanded may hide that both are equal */
}

/* ---- both products of attention ---- */

/* as the entry says, or for one that says no role, as PyTorch's modules and those of others are named */
static bool is_attention(const ridge_entry *e)
{
    if (e->role != RIDGE_ROLE_NONE)
        return e->role == RIDGE_ROLE_ATTENTION;
    const char *dot = strrchr(e->class_name, '.'), *last = dot ? dot + 1 : e->class_name;
    return strstr(last, "ttention") || strstr(last, "Attn");
}

static void one_product(totals *t, const ridge_expr *expr, const char *what, const char *name)
{
    ridge_err e = {0};
    ridge_expr_fail(&e, RIDGE_CHECK, expr, 0, (uint32_t)expr->text.n,
                    "%s: %s%s%s is the only part quadratic in the sequence length, so one of the two attention products is missing: "
                    "scores (Q x K^T) and context (P x V) cost 2*B*heads*S*S*head_dim each",
                    t->entry->key->text, what, name, name[0] ? "'" : "");
    ridge_check_add(t->check, false, &e);
}

/* Quadratic parts: those of the breakdown, or the template's terms. One with coefficient 4 is both products in one. */
static void check_attention(totals *t)
{
    const ridge_named_list *parts = &t->entry->flat->breakdown;
    const ridge_rational four = ridge_rational_of(4);
    ridge_rational largest = ridge_rational_of(0);
    const ridge_named *only = NULL;
    size_t count = 0;
    ridge_value v;
    for (size_t i = 0; i < parts->n; i++) {
        if (!parts->p[i].expr || (!evaluate(&v, t, parts->p[i].expr, true) && !evaluate(&v, t, parts->p[i].expr, false)))
            return; /* not to be told from here */
        if (!quadratic_terms(&largest, v) && !t->square)
            continue;
        only = &parts->p[i];
        count++;
    }
    if (count == 1 && ridge_rational_compare(largest, four) < 0)
        one_product(t, only->expr, "the breakdown's '", only->name->text);
    if (parts->n == 0 && (evaluate(&v, t, t->flops->expr, true) || evaluate(&v, t, t->flops->expr, false)) && !t->square &&
        quadratic_terms(&largest, v) == 1 && ridge_rational_compare(largest, four) < 0)
        one_product(t, t->flops->expr, "one term", "");
}

void ridge_db_check_totals(ridge_check *c, const ridge_entry *e)
{
    totals t = {.check = c, .entry = e, .flops = &e->flat->templates[RIDGE_CONTEXT_FLOPS]};
    if (!t.flops->expr || prepare(&t))
        return;
    if (e->flat->breakdown.n)
        compare_totals(&t);
    if (is_attention(e))
        check_attention(&t);
}
