/* `ridge db check`: what layer 1 finds, then what needs counting; the report. */
#include "entries/db.h"
#include "cost/cost.h"
#include "graph/config.h"

/* ---- examples ---- */

typedef struct trial {
    ridge_check *check;
    ridge_registry *registry;
    const ridge_ancestor *chain;
    ridge_graph graph;
    ridge_err err;
} trial;

static ridge_value format_value(void)
{
    return ridge_value_str(RIDGE_STR("bf16"));
}

/* one token of one sequence, bf16; the example's "workload" may say otherwise */
static void default_workload(ridge_graph *g)
{
    static const ridge_global ones[] = {RIDGE_GLOBAL_B, RIDGE_GLOBAL_S, RIDGE_GLOBAL_T, RIDGE_GLOBAL_head_rows};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        g->globals[ones[i]] = ridge_value_int(1);
    g->globals[RIDGE_GLOBAL_past] = ridge_value_int(0);
    g->globals[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("prefill"));
    g->globals[RIDGE_GLOBAL_attention] = ridge_value_str(RIDGE_STR("full"));
    g->globals[RIDGE_GLOBAL_act] = g->globals[RIDGE_GLOBAL_kv] = g->globals[RIDGE_GLOBAL_weights_format] = format_value();
}

static ridge_status set_workload(trial *t, const ridge_json *workload)
{
    ridge_status st = RIDGE_OK;
    default_workload(&t->graph);
    for (uint32_t i = 0; workload && workload->type == RIDGE_JSON_OBJECT && i < workload->count && !st; i++) {
        const ridge_json_member *m = &workload->u.members[i];
        ridge_global k = ridge_global_find(m->key);
        if (k == RIDGE_GLOBAL_COUNT)
            return ridge_inherit_fail(&t->err, RIDGE_NAME, t->chain, &m->value, "the workload has no '%.*s'", RIDGE_STR_ARG(m->key));
        st = ridge_config_value(&t->graph.globals[k], t->registry, &m->value, t->chain->source->file, &t->graph.run.calc);
    }
    return st;
}

static ridge_status invoke(ridge_value *out, trial *t, const ridge_json *arguments)
{
    ridge_argument args[64];
    ridge_status st = RIDGE_OK;
    if (arguments->count > sizeof args / sizeof *args)
        return ridge_fail(&t->err, RIDGE_LIMIT, "at most 64 arguments");
    for (uint32_t i = 0; i < arguments->count && !st; i++) {
        bool named = arguments->type == RIDGE_JSON_OBJECT;
        const ridge_json *v = named ? &arguments->u.members[i].value : &arguments->u.items[i];
        args[i].name = named ? ridge_intern(&t->registry->symbols, arguments->u.members[i].key) : NULL;
        st = ridge_config_value(&args[i].value, t->registry, v, t->chain->source->file, &t->graph.run.calc);
    }
    return st ? st : ridge_graph_invoke(out, &t->graph, t->chain->source->key, args, arguments->count);
}

static ridge_status count_flops(ridge_value *out, trial *t)
{
    ridge_coster coster;
    const ridge_cost *cost;
    ridge_status st;
    if (out->type != RIDGE_V_NODE)
        return ridge_value_is_number(*out)
                   ? RIDGE_OK
                   : ridge_fail(&t->err, RIDGE_TYPE, "an example's entry gives %s", ridge_value_type_name(out->type));
    if ((st = ridge_coster_init(&coster, &t->graph, RIDGE_KERNEL_EAGER)) || (st = ridge_cost_of(&cost, &coster, out->u.node)))
        return st;
    return ridge_cost_flops_total(out, cost, &t->graph.run.calc);
}

static ridge_status run_example(trial *t, const ridge_json *example, const ridge_json *arguments, const ridge_json *flops)
{
    ridge_value v;
    ridge_int want;
    ridge_status st;
    if ((st = set_workload(t, ridge_json_get(example, "workload"))) || (st = invoke(&v, t, arguments)) || (st = count_flops(&v, t)))
        return st;
    if (!flops || !ridge_int_parse(&want, flops->u.text) || ridge_value_equal(v, ridge_value_int(want)))
        return RIDGE_OK;
    ridge_buf text = {0};
    ridge_value_print(&text, v);
    st = ridge_inherit_fail(&t->err, RIDGE_CHECK, t->chain, flops, "the example says %.*s FLOPs, the formula gives %s",
                            RIDGE_STR_ARG(flops->u.text), text.p ? text.p : "?");
    ridge_buf_free(&text);
    return st;
}

static void try_example(ridge_check *c, const ridge_ancestor *chain, const ridge_json *example)
{
    trial t = {.check = c, .registry = c->registry, .chain = chain};
    const ridge_json *arguments = ridge_json_get(example, "arguments"), *flops = ridge_json_get(example, "flops");
    if (!arguments || (arguments->type != RIDGE_JSON_ARRAY && arguments->type != RIDGE_JSON_OBJECT) ||
        (flops && flops->type != RIDGE_JSON_NUMBER))
        return; /* told already */
    ridge_status st = ridge_graph_init(&t.graph, c->registry, c->arena, NULL, &t.err);
    if (!st)
        st = run_example(&t, example, arguments, flops);
    if (st && !t.err.line) { /* an error without a place is about the call as a whole */
        ridge_err placed = {0};
        ridge_inherit_fail(&placed, t.err.code, chain, arguments, "%s", t.err.msg);
        t.err = placed;
    }
    if (st)
        ridge_check_add(c, false, &t.err);
}

void ridge_db_check_examples(ridge_check *c, const ridge_source *source)
{
    ridge_ancestor *chain;
    ridge_err unused = {0};
    const ridge_json *examples = ridge_json_get(source->json, "examples");
    if (!examples || examples->type != RIDGE_JSON_ARRAY ||
        ridge_inherit_chain(&chain, c->registry, (ridge_source *)(uintptr_t)source, &unused))
        return;
    for (uint32_t i = 0; i < examples->count; i++)
        if (examples->u.items[i].type == RIDGE_JSON_OBJECT)
            try_example(c, chain, &examples->u.items[i]);
}

/* ---- the whole check ---- */

ridge_status ridge_db_check(ridge_check *c)
{
    ridge_status st = ridge_check_entries(c);
    for (size_t i = 0; i < c->count && !st; i++) {
        c->entry = c->sources[i]->key;
        const ridge_entry *e = ridge_check_entry(c, c->entry);
        if (!e)
            continue;
        ridge_db_check_examples(c, c->sources[i]);
        if (e->flat)
            ridge_db_check_totals(c, e);
    }
    ridge_check_sort(c);
    return st ? st : c->err ? c->err->code : RIDGE_OK;
}

/* ---- the report ---- */

static void write_json(ridge_buf *out, const ridge_check *c)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_key(&w, "entries");
    ridge_jw_int(&w, (ridge_int)c->count);
    ridge_jw_key(&w, "errors");
    ridge_jw_int(&w, (ridge_int)c->errors);
    ridge_jw_key(&w, "warnings");
    ridge_jw_int(&w, (ridge_int)c->warnings);
    ridge_jw_key(&w, "problems");
    ridge_jw_array(&w);
    for (size_t i = 0; i < c->n; i++) {
        const ridge_problem *p = &c->problems[i];
        ridge_jw_object(&w);
        ridge_jw_member_text(&w, "severity", p->warning ? "warning" : "error");
        ridge_jw_member_text(&w, "code", ridge_status_name(p->err.code));
        ridge_jw_member_text(&w, "entry", p->entry ? ridge_registry_path(c->registry, p->entry) : NULL);
        ridge_jw_member_text(&w, "file", p->err.file[0] ? p->err.file : NULL);
        ridge_jw_key(&w, "line");
        ridge_jw_int(&w, p->err.line);
        ridge_jw_key(&w, "column");
        ridge_jw_int(&w, p->err.col);
        ridge_jw_member_text(&w, "message", p->err.msg);
        ridge_jw_member_text(&w, "excerpt", p->err.excerpt[0] ? p->err.excerpt : NULL);
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

static void write_problem(ridge_buf *out, const ridge_problem *p)
{
    const ridge_err *e = &p->err;
    const char *newline = strchr(e->excerpt, '\n');
    if (e->file[0])
        ridge_buf_addf(out, "%s:%u:%u: ", e->file, e->line, e->col);
    ridge_buf_addf(out, "%s: %s\n", p->warning ? "warning" : "error", e->msg);
    if (newline)
        ridge_buf_addf(out, "    %.*s\n    %s\n", (int)(newline - e->excerpt), e->excerpt, newline + 1);
}

void ridge_db_check_write(ridge_buf *out, const ridge_check *c, bool json)
{
    if (json) {
        write_json(out, c);
        return;
    }
    for (size_t i = 0; i < c->n; i++)
        write_problem(out, &c->problems[i]);
    ridge_buf_addf(out, "%zu %s checked: %zu %s, %zu %s\n", c->count, c->count == 1 ? "entry" : "entries", c->errors,
                   c->errors == 1 ? "error" : "errors", c->warnings, c->warnings == 1 ? "warning" : "warnings");
}
