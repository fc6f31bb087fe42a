/* `ridge db check`: what layer 1 finds, then what needs counting; the report. */
#include "entries/db.h"
#include "cost/cost.h"
#include "graph/config.h"

/* ---- examples ---- */

typedef struct trial {
    ridge_registry *registry;
    const ridge_ancestor *chain;
    ridge_graph graph;
    ridge_err err;
} trial;

/* one token of one sequence, bf16; the example's "workload" may say otherwise */
static void default_workload(ridge_graph *g)
{
    static const ridge_global ones[] = {RIDGE_GLOBAL_B, RIDGE_GLOBAL_S, RIDGE_GLOBAL_T, RIDGE_GLOBAL_head_rows};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        g->globals[ones[i]] = ridge_value_int(1);
    g->globals[RIDGE_GLOBAL_past] = ridge_value_int(0);
    g->globals[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("prefill"));
    g->globals[RIDGE_GLOBAL_attention] = ridge_value_str(RIDGE_STR("full"));
    g->globals[RIDGE_GLOBAL_act] = g->globals[RIDGE_GLOBAL_kv] = g->globals[RIDGE_GLOBAL_weights_format] =
        ridge_value_str(RIDGE_STR("bf16"));
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
    trial t = {.registry = c->registry, .chain = chain};
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

static void check_examples(ridge_check *c, ridge_source *source)
{
    ridge_ancestor *chain;
    const ridge_json *examples = ridge_json_get(source->json, "examples");
    if (!examples || examples->type != RIDGE_JSON_ARRAY || ridge_inherit_chain(&chain, c->registry, source, NULL))
        return;
    for (uint32_t i = 0; i < examples->count; i++)
        if (examples->u.items[i].type == RIDGE_JSON_OBJECT)
            try_example(c, chain, &examples->u.items[i]);
}

/* ---- the whole check ---- */

static ridge_status tell(ridge_db_check_answer *out, const ridge_check *c)
{
    out->entries = c->count;
    out->errors = c->errors;
    out->warnings = c->warnings;
    if (!(out->problems = ridge_arena_array(c->arena, c->n + 1, sizeof *out->problems)))
        return ridge_no_memory(c->err);
    for (const ridge_finding *p = c->findings; out->count < c->n; p++)
        out->problems[out->count++] = (ridge_db_problem){.severity = p->warning ? "warning" : "error",
                                                         .code = ridge_status_name(p->err.code),
                                                         .entry = p->entry ? ridge_registry_path(c->registry, p->entry) : NULL,
                                                         .file = p->err.file[0] != '\0' ? p->err.file : NULL,
                                                         .line = p->err.line,
                                                         .column = p->err.col,
                                                         .message = p->err.msg,
                                                         .excerpt = p->err.excerpt[0] != '\0' ? p->err.excerpt : NULL};
    return RIDGE_OK;
}

ridge_status ridge_db_check(ridge_db_check_answer *out, ridge_check *c)
{
    ridge_status st = ridge_check_entries(c);
    for (size_t i = 0; i < c->count && !st; i++) {
        c->entry = c->sources[i]->key;
        const ridge_entry *e = ridge_check_entry(c, c->entry);
        if (!e)
            continue;
        check_examples(c, c->sources[i]);
        if (e->flat)
            ridge_db_check_totals(c, e);
    }
    *out = (ridge_db_check_answer){0};
    if (!st && !c->errors)
        st = ridge_db_check_changes(out, c);
    ridge_check_sort(c);
    if (!st && c->err)
        st = c->err->code;
    return st ? st : tell(out, c);
}

/* ---- how it is written ---- */

#define OF ridge_db_problem
static const ridge_record_field problem_fields[] = {
    RIDGE_R_TEXT(OF, severity, "severity", NULL, RIDGE_IN_ALL, "error or warning"),
    RIDGE_R_TEXT(OF, code, "code", NULL, RIDGE_IN_DATA, "the kind of fault"),
    RIDGE_R_TEXT(OF, entry, "entry", NULL, RIDGE_IN_ALL, "the entry looked at; none: the file as a whole"),
    RIDGE_R_TEXT(OF, file, "file", NULL, RIDGE_IN_ALL, "where it stands"),
    RIDGE_R_UNSIGNED(OF, line, "line", NULL, RIDGE_IN_ALL, "from 1; 0: not known"),
    RIDGE_R_UNSIGNED(OF, column, "column", NULL, RIDGE_IN_ALL, "the byte of the line, from 1; 0: not known"),
    RIDGE_R_TEXT(OF, message, "message", NULL, RIDGE_IN_ALL, "what is wrong"),
    RIDGE_R_TEXT(OF, excerpt, "excerpt", NULL, RIDGE_IN_DATA, "the line, with the place underlined"),
};
const ridge_record ridge_db_problem_record = RIDGE_RECORD(OF, "problem", problem_fields, "something wrong with a catalog file");

#define ANSWER ridge_db_check_answer
static const ridge_record_field fields[] = {
    RIDGE_R_SIZE(ANSWER, entries, "entries", NULL, RIDGE_IN_JSON, "how many were looked at"),
    RIDGE_R_SIZE(ANSWER, errors, "errors", NULL, RIDGE_IN_JSON, "how many problems are errors"),
    RIDGE_R_SIZE(ANSWER, warnings, "warnings", NULL, RIDGE_IN_JSON, "how many are warnings"),
    RIDGE_R_LIST(ANSWER, problems, count, &ridge_db_problem_record, "problems", RIDGE_IN_JSON, "by place", .open = true),
    RIDGE_R_LIST(ANSWER, changes, change_count, &ridge_db_model_change_record, "changes", RIDGE_IN_JSON,
                 "the shipped models that overrides among the entries change"),
};
const ridge_record ridge_db_check_record = RIDGE_RECORD(ANSWER, "ridge db check", fields, "everything wrong with catalog files");

static void problem_text(ridge_buf *out, const ridge_db_problem *p)
{
    const char *newline = p->excerpt ? strchr(p->excerpt, '\n') : NULL;
    if (p->file)
        ridge_buf_addf(out, "%s:%u:%u: ", p->file, p->line, p->column);
    ridge_buf_addf(out, "%s: %s\n", p->severity, p->message);
    if (newline)
        ridge_buf_addf(out, "    %.*s\n    %s\n", (int)(newline - p->excerpt), p->excerpt, newline + 1);
}

void ridge_db_check_text(ridge_buf *out, const ridge_db_check_answer *a, ridge_arena *arena)
{
    for (size_t i = 0; i < a->count; i++)
        problem_text(out, &a->problems[i]);
    ridge_db_check_changes_text(out, a, arena);
    ridge_buf_addf(out, "%zu %s checked: %zu %s, %zu %s\n", a->entries, a->entries == 1 ? "entry" : "entries", a->errors,
                   a->errors == 1 ? "error" : "errors", a->warnings, a->warnings == 1 ? "warning" : "warnings");
}
